from __future__ import annotations

import json
from dataclasses import replace

from lens_lsp.model.answer import Account, Computation, Sent
from lens_lsp.model.text import Span
from lens_lsp.schema import answer_json, evidence_json
from tests.hand_made import QUESTION, answer

KEYS = [
    "schema",
    "question",
    "mode",
    "intent",
    "seed",
    "roots",
    "status",
    "stopped",
    "answer",
    "shortAnswer",
    "requirements",
    "evidence",
    "computation",
    "documents",
    "coverage",
    "ledger",
    "reused",
    "newer",
    "typed",
    "compression",
    "rejectedQuotes",
    "unsupported",
    "doubts",
    "warnings",
]
"""The keys of schema ``lens.answer/2``, in its order."""


def test_an_answer_has_the_published_shape() -> None:
    given = answer("/notes")
    shown = answer_json(given)
    assert list(shown) == KEYS
    assert shown == {
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
            "skipped": [{"path": "a.bin", "reason": "binary", "root": 0}],
            "admitted": 2,
            "read": 1,
            "matchesUnread": 4,
            "pictures": 0,
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
