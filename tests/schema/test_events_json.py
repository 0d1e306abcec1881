from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.model.answer import Admitted, Belief, BestCell, Covered, Event, EvidenceFound, Mode, Planned
from lens_lsp.model.plan import Combination, Condition, MatchRule, Transformation, Unit
from lens_lsp.schema.answer_shapes import answer_json, event_json, evidence_json
from tests.hand_made import PLAN, TABLE, answer, events, evidence

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
