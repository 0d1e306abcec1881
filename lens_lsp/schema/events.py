"""The JSON shape of an event: schema ``lens.event/1``, one line each.

An event line carries everything its event does, numbers at full precision: who keeps the lines of a question that was
asked with ``trace`` can recompute every belief (``benchmarks/verify_beliefs.py`` does).
"""

from __future__ import annotations

from functools import singledispatch

from lens_lsp.model.answer import (
    Admitted,
    AdmittedDocument,
    AnswerDelta,
    Answered,
    Belief,
    Covered,
    Event,
    EvidenceFound,
    Observed,
    Planned,
    Proposed,
    Scanned,
    Stopped,
)
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import Plan
from lens_lsp.schema.answer import answer_json, document_json, evidence_json, shape


def event_json(event: Event, seq: int) -> dict[str, object]:
    """One event line; ``seq`` counts the events of a question from 1."""
    kind = type(event).__name__
    return {"schema": "lens.event/1", "seq": seq, "type": kind[0].lower() + kind[1:]} | _body(event)


@singledispatch
def _body(event: object) -> dict[str, object]:
    if not isinstance(event, Scanned | Observed | AnswerDelta | Stopped):
        raise TypeError(f"no event: {event!r}")
    shown: dict[str, object] = shape(event)
    return shown


@_body.register
def _(event: Planned) -> dict[str, object]:
    return {
        "mode": event.mode.value,
        "seed": event.seed,
        "plan": _plan(event.plan),
        "table": {verdict.value: event.table[verdict] for verdict in Verdict},
    }


@_body.register
def _(event: Admitted) -> dict[str, object]:
    return {
        "round": event.round,
        "joined": [_joined(document) for document in event.joined],
        "file": {requirement: list(shares) for requirement, shares in event.file.items()},
        "ranking": [document_json(document) for document in event.ranking],
        "reserve": event.reserve,
        "compression": event.compression,
    }


@_body.register
def _(event: Proposed) -> dict[str, object]:
    return {**shape(event), "weights": dict(sorted(event.weights.items()))}


@_body.register
def _(event: Covered) -> dict[str, object]:
    return {"round": event.round, "beliefs": [_belief(belief) for belief in event.beliefs]}


@_body.register
def _(event: EvidenceFound) -> dict[str, object]:
    return {"evidence": evidence_json(event.evidence), "final": event.final, "early": event.early}


@_body.register
def _(event: Answered) -> dict[str, object]:
    return {"answer": answer_json(event.answer)}


def _plan(plan: Plan) -> dict[str, object]:
    asked = ("id", "text", "many", "answer_type", "names", "rule")
    return {
        **shape(plan, "question", "intent", "answer_type"),
        "requirements": [shape(requirement, *asked) for requirement in plan.requirements],
        **shape(plan, "anchors", "transformation", "document"),
    }


def _joined(document: AdmittedDocument) -> dict[str, object]:
    shown: dict[str, object] = shape(document, "path", "root", "base", "length", "cells")
    if document.position:  # one number a cell and requirement: only when the question was asked with `trace`
        shown["position"] = {requirement: list(shares) for requirement, shares in document.position.items()}
    return shown


def _belief(belief: Belief) -> dict[str, object]:
    best = [{"document": document, "cell": cell, "belief": share} for document, cell, share in belief.best]
    return {**shape(belief, "requirement", "nowhere", "glr", "threshold", "covered", "rule"), "best": best}
