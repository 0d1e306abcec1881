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
    Judged,
    Observed,
    Planned,
    Proposed,
    ProposedRegion,
    Scanned,
    Stopped,
)
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import Anchor, MatchRule, Plan, Requirement, Transformation
from lens_lsp.model.text import Span
from lens_lsp.schema.answer import answer_json
from lens_lsp.schema.evidence import document_json, evidence_json

SCHEMA = "lens.event/1"


def event_json(event: Event, seq: int) -> dict[str, object]:
    """One event line; ``seq`` counts the events of a question from 1."""
    kind = type(event).__name__
    return {"schema": SCHEMA, "seq": seq, "type": kind[0].lower() + kind[1:]} | _body(event)


@singledispatch
def _body(event: object) -> dict[str, object]:
    raise TypeError(f"no event: {event!r}")


@_body.register
def _(event: Planned) -> dict[str, object]:
    return {
        "mode": event.mode.value,
        "seed": event.seed,
        "plan": _plan(event.plan),
        "table": {verdict.value: event.table[verdict] for verdict in Verdict},
    }


@_body.register
def _(event: Scanned) -> dict[str, object]:
    return {"found": event.found, "files": event.files, "skipped": event.skipped, "matches": event.matches}


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
    return {
        "round": event.round,
        "weights": dict(sorted(event.weights.items())),
        "regions": [_region(region) for region in event.regions],
    }


@_body.register
def _(event: Observed) -> dict[str, object]:
    return {
        "round": event.round,
        "judgements": [_judged(judged) for judged in event.judgements],
        "rejected": event.rejected,
        "terms": list(event.terms),
    }


@_body.register
def _(event: Covered) -> dict[str, object]:
    return {"round": event.round, "beliefs": [_belief(belief) for belief in event.beliefs]}


@_body.register
def _(event: EvidenceFound) -> dict[str, object]:
    return {"evidence": evidence_json(event.evidence), "final": event.final, "early": event.early}


@_body.register
def _(event: AnswerDelta) -> dict[str, object]:
    return {"text": event.text, "restart": event.restart, "checking": event.checking}


@_body.register
def _(event: Answered) -> dict[str, object]:
    return {"answer": answer_json(event.answer)}


@_body.register
def _(event: Stopped) -> dict[str, object]:
    return {"reason": event.reason.value}


def _plan(plan: Plan) -> dict[str, object]:
    return {
        "question": plan.question,
        "intent": plan.intent.value,
        "answerType": plan.answer_type.value,
        "requirements": [_requirement(requirement) for requirement in plan.requirements],
        "anchors": [_anchor(anchor) for anchor in plan.anchors],
        "transformation": None if plan.transformation is None else _transformation(plan.transformation),
        "document": plan.document,
    }


def _requirement(requirement: Requirement) -> dict[str, object]:
    return {
        "id": requirement.id,
        "text": requirement.text,
        "many": requirement.many,
        "answerType": requirement.answer_type.value,
        "names": list(requirement.names),
        "rule": None if requirement.rule is None else _rule(requirement.rule),
    }


def _rule(rule: MatchRule) -> dict[str, object]:
    condition = rule.condition
    return {
        "phrases": list(rule.phrases),
        "unit": rule.unit.value,
        "condition": None if condition is None else {"relation": condition.relation, "value": condition.value},
        "files": list(rule.files),
    }


def _anchor(anchor: Anchor) -> dict[str, object]:
    return {
        "text": anchor.text,
        "kind": anchor.kind.value,
        "weight": anchor.weight,
        "requirements": list(anchor.requirements),
    }


def _transformation(rule: Transformation) -> dict[str, object]:
    return {"kind": rule.kind.value, "expression": rule.expression, "labels": list(rule.labels)}


def _joined(document: AdmittedDocument) -> dict[str, object]:
    shape: dict[str, object] = {
        "path": document.path,
        "root": document.root,
        "base": document.base,
        "length": document.length,
        "cells": document.cells,
    }
    if document.position:  # one number a cell and requirement: only when the question was asked with `trace`
        shape["position"] = {requirement: list(shares) for requirement, shares in document.position.items()}
    return shape


def _region(region: ProposedRegion) -> dict[str, object]:
    return {
        "number": region.number,
        "document": region.document,
        "path": region.path,
        "span": _span(region.span),
        "cells": _span(region.cells),
        "arm": region.arm.value,
        "tokens": region.tokens,
    }


def _judged(judged: Judged) -> dict[str, object]:
    return {
        "region": judged.region,
        "requirement": judged.requirement,
        "verdict": judged.verdict.value,
        "cells": None if judged.cells is None else _span(judged.cells),
        "logOdds": judged.log_odds,
    }


def _belief(belief: Belief) -> dict[str, object]:
    return {
        "requirement": belief.requirement,
        "nowhere": belief.nowhere,
        "glr": belief.glr,
        "threshold": belief.threshold,
        "covered": belief.covered,
        "rule": belief.rule,
        "best": [{"document": document, "cell": cell, "belief": share} for document, cell, share in belief.best],
    }


def _span(span: Span) -> list[int]:
    return [span.start, span.end]
