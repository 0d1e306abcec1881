"""The published shapes of answers, evidence and findings."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.model.answer import (
    Account,
    Admitted,
    Belief,
    BestCell,
    Computation,
    Covered,
    Event,
    EvidenceFound,
    Mode,
    Planned,
    Sent,
)
from lens_lsp.model.documents import (
    Context,
    ContextRole,
    Coverage,
    Evidence,
    Findings,
    Origin,
    Part,
    PartReason,
    RankedDocument,
    Skip,
    SkipReason,
    Stage,
    TextSource,
)
from lens_lsp.model.plan import Combination, Condition, MatchRule, Transformation, Unit
from lens_lsp.model.text import Position, SourceText, Span
from lens_lsp.schema.answer_shapes import answer_json, event_json, evidence_json, findings_json
from tests.hand_made import PLAN, QUESTION, TABLE, answer, events, evidence


def test_an_answer_has_the_published_shape() -> None:
    given = answer("/notes")
    expected = {
        "schema": "lens.answer/2",
        "question": QUESTION,
        "mode": "evidence",
        "intent": "lookup",
        "seed": 3,
        "roots": ["/notes"],
        "status": "answered",
        "stopped": "covered",
        "answer": "The lease of the workshop ends on 30 June 2031. [1]",
        "shortAnswer": "30 June 2031",
        "requirements": [
            {
                "id": "f1",
                "text": QUESTION,
                "status": "covered",
                "confidence": 0.93,
                "many": False,
                "matching": 0,
                "read": 0,
                "value": "30 June 2031",
                "evidence": [1],
            }
        ],
        "evidence": [evidence_json(given.evidence[0])],
        "computation": None,
        "documents": [
            {
                "path": "house/contract.md",
                "root": 0,
                "prior": 0.8,
                "admitted": True,
                "read": True,
                "signals": {"lexical": 0.75, "path": 0.25},
            },
            {
                "path": "garden.md",
                "root": 0,
                "prior": 0.2,
                "admitted": True,
                "read": False,
                "signals": {"lexical": 1.0},
            },
        ],
        "coverage": {
            "found": 2,
            "scanned": 2,
            "skipped": [{"path": "a.bin", "reason": "binary", "root": 0, "size": 0}],
            "admitted": 2,
            "read": 1,
            "matchesUnread": 4,
            "pictures": 0,
            "documents": 0,
            "unread": 0,
            "partial": [{"path": "b.md", "line": 3, "reason": "open-block", "root": 0}],
        },
        "ledger": {
            "calls": {"total": 0},
            "retries": 0,
            "tokens": {"in": 0, "out": 0},
            "seconds": 0.75,
            "cost": None,
            "endpoint": None,
            "sent": [],
        },
        "reused": [],
        "newer": [],
        "typed": None,
        "compression": 0.125,
        "rejectedQuotes": 1,
        "unsupported": [],
        "doubts": [],
        "warnings": ["one file is locked"],
    }
    assert answer_json(given) == expected
    assert list(answer_json(given)) == list(expected)


def test_the_evidence_of_an_answer_tells_who_drew_it_and_when() -> None:
    (item,) = json.loads(json.dumps(answer_json(answer("/notes"))))["evidence"]
    assert item["found"] == {"arm": "lexical", "round": 2, "signals": {"lexical": 0.75, "path": 0.25}}
    assert item["requirements"] == ["f1"]


def test_a_computation_names_its_operands() -> None:
    given = replace(answer("/notes"), computation=Computation("f1 - f2", (1, 2), "12", "kg"))
    assert answer_json(given)["computation"] == {
        "expression": "f1 - f2",
        "operands": [1, 2],
        "value": "12",
        "unit": "kg",
    }


def test_a_ledger_counts_calls_by_stage_and_names_what_was_sent() -> None:
    account = Account(
        calls={"observe": 2, "analyse": 1},
        retries=1,
        tokens_in=900,
        tokens_out=80,
        seconds=2.5,
        cost=0.01,
        endpoint="https://models.invalid",
        sent=(Sent("a.md", Span(10, 20), 1),),
    )
    ledger = answer_json(replace(answer("/notes"), account=account))["ledger"]
    assert ledger == {
        "calls": {"analyse": 1, "observe": 2, "total": 3},
        "retries": 1,
        "tokens": {"in": 900, "out": 80},
        "seconds": 2.5,
        "cost": 0.01,
        "endpoint": "https://models.invalid",
        "sent": [{"path": "a.md", "root": 1, "span": [10, 20]}],
    }


def test_two_equal_questions_differ_in_nothing_but_the_seconds() -> None:
    first = answer("/notes")
    second = replace(
        first,
        account=replace(first.account, seconds=9.0),
        stages=(),
        documents=tuple(replace(each, signals=dict(reversed(each.signals.items()))) for each in first.documents),
    )
    shown = [answer_json(first), answer_json(second)]
    for each in shown:
        ledger = each["ledger"]
        assert isinstance(ledger, dict)
        del ledger["seconds"]
    assert json.dumps(shown[0]) == json.dumps(shown[1])


EVIDENCE = Evidence(
    n=1,
    root=0,
    path="notes/engine.md",
    start=Position(3, 5),
    end=Position(3, 11),
    span=Span(20, 26),
    quote="engine",
    origin=Origin("ab" * 32, "utf-8"),
    reader="markdown/1",
    locator=None,
    heading=("Machines", "Engines"),
    score=1.5,
    signals={"path": 0.25, "lexical": 0.75},
)

FINDINGS = Findings(
    query="engine",
    roots=("/notes",),
    evidence=(EVIDENCE,),
    documents=(RankedDocument(0, "notes/engine.md", 0.5, admitted=True, read=True, signals={"path": 1.0}),),
    coverage=Coverage(
        3,
        2,
        (Skip("a.bin", SkipReason.BINARY),),
        admitted=1,
        read=1,
        matches_unread=4,
        partial=(Part("b.md", 3, PartReason.OPEN_BLOCK),),
    ),
    compression=12.5,
    stages=(Stage("scan", 0.25), Stage("rank", 0.5)),
    warnings=("one file is locked",),
)


def test_evidence_has_the_published_shape() -> None:
    assert evidence_json(EVIDENCE) == {
        "n": 1,
        "path": "notes/engine.md",
        "root": 0,
        "start": {"line": 3, "column": 5},
        "end": {"line": 3, "column": 11},
        "span": [20, 26],
        "quote": "engine",
        "cut": [],
        "context": [],
        "sha256": "ab" * 32,
        "source": "disk",
        "version": None,
        "encoding": "utf-8",
        "encodingGuessed": False,
        "reader": "markdown/1",
        "match": "exact",
        "locator": None,
        "heading": ["Machines", "Engines"],
        "requirements": ["f1"],
        "found": {"arm": None, "round": 0, "signals": {"lexical": 0.75, "path": 0.25}},
        "score": 1.5,
    }


def test_evidence_from_a_buffer_names_its_version_and_locator() -> None:
    origin = Origin("cd" * 32, "cp1252", guessed=True, source=TextSource.BUFFER, version=7)
    shown = evidence_json(replace(EVIDENCE, origin=origin, locator={"row": 3}))
    assert (shown["source"], shown["version"], shown["encodingGuessed"]) == ("buffer", 7, True)
    assert shown["locator"] == {"row": 3}


def test_evidence_tells_its_context_and_where_it_is_cut() -> None:
    lead = Context(ContextRole.LEAD_IN, Span(0, 12), "Machines are", cut=("start",))
    after = Context(ContextRole.AFTER, Span(27, 32), "turns", cut=("start", "end"))
    shown = evidence_json(replace(EVIDENCE, context=(lead, after), cut=("end",)))
    assert shown["cut"] == ["end"]
    assert shown["context"] == [
        {"role": "lead-in", "span": [0, 12], "text": "Machines are", "cut": ["start"]},
        {"role": "after", "span": [27, 32], "text": "turns", "cut": ["start", "end"]},
    ]
    assert list(shown) == list(evidence_json(EVIDENCE))


def test_findings_tell_which_words_occur_nowhere() -> None:
    assert findings_json(replace(FINDINGS, missing=("zeppelin", "kite")))["missing"] == ["zeppelin", "kite"]


def test_findings_have_the_published_shape() -> None:
    assert findings_json(FINDINGS) == {
        "schema": "lens.evidence/2",
        "query": "engine",
        "roots": ["/notes"],
        "evidence": [evidence_json(EVIDENCE)],
        "documents": [
            {
                "path": "notes/engine.md",
                "root": 0,
                "prior": 0.5,
                "admitted": True,
                "read": True,
                "signals": {"path": 1.0},
            }
        ],
        "coverage": {
            "found": 3,
            "scanned": 2,
            "skipped": [{"path": "a.bin", "reason": "binary", "root": 0, "size": 0}],
            "admitted": 1,
            "read": 1,
            "matchesUnread": 4,
            "pictures": 0,
            "documents": 0,
            "unread": 0,
            "partial": [{"path": "b.md", "line": 3, "reason": "open-block", "root": 0}],
        },
        "ledger": {
            "calls": {"total": 0},
            "retries": 0,
            "tokens": {"in": 0, "out": 0},
            "seconds": 0.75,
            "cost": None,
            "endpoint": None,
            "sent": [],
        },
        "compression": 12.5,
        "missing": [],
        "warnings": ["one file is locked"],
    }


def test_a_seed_is_shown_only_when_it_was_given() -> None:
    assert "seed" not in findings_json(FINDINGS)
    assert findings_json(FINDINGS, seed=7)["seed"] == 7


def test_two_equal_searches_differ_in_nothing_but_the_seconds() -> None:
    slower = replace(
        FINDINGS,
        evidence=(replace(EVIDENCE, signals=dict(reversed(EVIDENCE.signals.items()))),),
        stages=(Stage("scan", 9.0),),
    )
    first, second = findings_json(FINDINGS), findings_json(slower)
    first["ledger"], second["ledger"] = None, None
    assert json.dumps(first) == json.dumps(second)


@given(st.text(alphabet="aé😀\r\n\u2028\x0c", min_size=1), st.data())
def test_what_a_reader_of_the_json_computes_agrees(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    source = SourceText(text)
    item = replace(
        EVIDENCE,
        start=source.position(start),
        end=source.position(end),
        span=Span(start, end),
        quote=text[start:end],
    )
    shown = json.loads(json.dumps(evidence_json(item)))
    low, high = shown["span"]
    assert text[low:high] == shown["quote"]
    for name, offset in (("start", low), ("end", high)):
        if text[offset - 1 : offset + 1] != "\r\n":
            lines = re.split("\r\n|\r|\n", text[:offset])
            assert shown[name] == {"line": len(lines), "column": len(lines[-1]) + 1}


EVENTS = events("/notes")

SHARES = st.floats(min_value=0.0, max_value=1.0)


def line(event: Event, seq: int = 1) -> dict[str, Any]:
    """An event as whoever reads the line sees it."""
    shown = json.loads(json.dumps(event_json(event, seq)))
    assert isinstance(shown, dict)
    return shown


def lines(kind: str) -> list[dict[str, Any]]:
    return [shown for shown in map(line, EVENTS) if shown["type"] == kind]


def test_every_kind_of_event_is_here() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_a_line_begins_with_schema_number_and_type(event: Event) -> None:
    shown = event_json(event, 12)
    name = type(event).__name__
    assert list(shown)[:3] == ["schema", "seq", "type"]
    assert (shown["schema"], shown["seq"], shown["type"]) == ("lens.event/1", 12, name[0].lower() + name[1:])
    assert len(shown) == 3 + len(fields(event)), "a line says everything its event says"


def test_a_plan_is_told_with_the_table_that_will_be_used() -> None:
    (shown,) = lines("planned")
    assert shown["table"] == {"none": -3.0, "related": -0.63, "partial": 1.5, "full": 4.25}
    assert (shown["mode"], shown["seed"]) == ("evidence", 3)
    plan = shown["plan"]
    assert (plan["intent"], plan["answerType"], plan["transformation"], plan["document"]) == (
        "lookup",
        "date",
        None,
        None,
    )
    assert plan["requirements"] == [
        {
            "id": "f1",
            "text": PLAN.question,
            "many": False,
            "answerType": "date",
            "names": ["workshop"],
            "rule": None,
        }
    ]
    assert plan["anchors"][0] == {"text": "lease", "kind": "term", "weight": 2.0, "requirements": ["f1"]}


def test_an_exact_rule_and_a_transformation_are_told_whole() -> None:
    rule = MatchRule(("open",), Unit.LINE, Condition("<=", "3 May 2020"), ("journal",))
    plan = replace(
        PLAN,
        requirements=(replace(PLAN.requirements[0], rule=rule),),
        transformation=Transformation(Combination.EXPRESSION, "f1 - f2", ("A", "B")),
    )
    shown = line(Planned(plan, Mode.EVIDENCE, 0, TABLE))["plan"]
    assert shown["requirements"][0]["rule"] == {
        "phrases": ["open"],
        "unit": "line",
        "condition": {"relation": "<=", "value": "3 May 2020"},
        "files": ["journal"],
    }
    assert shown["transformation"] == {"kind": "expression", "expression": "f1 - f2", "labels": ["A", "B"]}


def test_what_was_drawn_and_judged_is_told_by_cells() -> None:
    _, shown = lines("proposed")
    assert shown["weights"] == {"global": 0.15, "lexical": 0.6, "local": 0.25}
    assert shown["regions"][1] == {
        "number": 2,
        "document": 1,
        "path": "garden.md",
        "span": [0, 75],
        "cells": [0, 2],
        "arm": "local",
        "tokens": 20,
    }
    _, judged = lines("observed")
    assert judged["judgements"] == [
        {"region": 1, "requirement": "f1", "verdict": "full", "cells": [0, 2], "logOdds": None},
        {"region": 2, "requirement": "f1", "verdict": "none", "cells": None, "logOdds": None},
    ]


def test_position_vectors_are_told_only_when_traced() -> None:
    traced, plain = (
        [line(event) for event in events("/notes", trace=trace) if isinstance(event, Admitted)]
        for trace in (True, False)
    )
    assert [each["joined"][0].pop("position") for each in traced] == [{"f1": [0.25, 0.75, 0.0]}, {"f1": [0.5, 0.5]}]
    assert traced == plain


def test_evidence_and_answer_are_those_of_the_other_shapes() -> None:
    (found, final), (answered,), (stopped,) = lines("evidenceFound"), lines("answered"), lines("stopped")
    assert found["evidence"] == json.loads(json.dumps(evidence_json(evidence(7))))
    assert final["evidence"] == json.loads(json.dumps(evidence_json(evidence(1))))
    assert (found["final"], final["final"]) == (False, True)
    assert line(EvidenceFound(evidence(7), early=True))["early"] is True
    assert (found["early"], final["early"]) == (False, False)
    assert answered["answer"] == json.loads(json.dumps(answer_json(answer("/notes"))))
    assert stopped["reason"] == "covered"
    assert "".join(each["text"] for each in lines("answerDelta")) == answered["answer"]["answer"]


@given(SHARES, SHARES, st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_every_digit(nowhere: float, share: float, glr: float) -> None:
    shown = line(Covered(1, (Belief("f1", nowhere, glr, 2.3, False, None, (BestCell(0, 4, share),)),)))
    (belief,) = shown["beliefs"]
    assert (belief["nowhere"], belief["glr"]) == (nowhere, glr)
    assert belief["best"] == [{"document": 0, "cell": 4, "belief": share}]


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(TypeError, match="no event"):
        event_json("covered", 1)  # type: ignore[arg-type]
