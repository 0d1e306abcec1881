"""The JSON shapes of answers, findings, dry runs and events: ``lens.answer/2``, ``lens.evidence/2``, ``lens.event/1``.

A shape is declared once: by the fields of the dataclass that it shows, which `shape` names in camel case. An event line
carries everything its event does, numbers at full precision: who keeps the lines of a question that was asked with
``trace`` can recompute every belief (``benchmarks/verify_beliefs.py`` does).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

from lens_lsp.model.answer import Account, AdmittedDocument, Answer, Event, Mode, Planned, Proposed, Reused, Sent
from lens_lsp.model.documents import Coverage, Evidence, Findings, Part, RankedDocument
from lens_lsp.model.observation import ObservationTable, Verdict
from lens_lsp.model.plan import Plan
from lens_lsp.model.text import Span

if TYPE_CHECKING:
    from lens_lsp.judge.llm.conversation import Preview


def shape(value: object, *names: str) -> Any:
    """The JSON of a value of the model: of a dataclass all its fields, or those of these ``names``, in camel case and
    in their order; a span is ``[start, end]``."""
    if not names and type(value) in _DECLARED:
        return _DECLARED[type(value)](value)
    if isinstance(value, Span):
        return [value.start, value.end]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {shape(key): shape(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [shape(item) for item in value]
    if is_dataclass(value):
        return {_camel(name): shape(getattr(value, name)) for name in names or [field.name for field in fields(value)]}
    return value


def moment(at: float, precision: Literal["seconds", "milliseconds"] = "seconds") -> str:
    """A time in seconds since the epoch as ISO 8601, in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec=precision)


def answer_json(answer: Answer) -> dict[str, object]:
    """The whole of ``lens ask --json``. Equal questions over equal files differ in ``ledger.seconds`` only."""
    return {
        "schema": "lens.answer/2",
        **shape(answer, "question", "mode", "intent", "seed", "roots", "status", "stopped"),
        "answer": answer.text,
        "shortAnswer": answer.short,
        **shape(answer, "requirements", "evidence", "computation", "documents", "coverage"),
        "ledger": account_json(answer.account),
        **shape(
            answer, "reused", "newer", "typed", "compression", "rejected_quotes", "unsupported", "doubts", "warnings"
        ),
    }


def evidence_json(evidence: Evidence) -> dict[str, object]:
    """One evidence item. Lines and columns count from 1; columns and spans are in code points of all of the text of the
    file, also where only a piece of it was read."""
    origin = evidence.origin
    return {
        **shape(evidence, "n", "path", "root", "start", "end", "span", "quote", "cut", "context"),
        **shape(origin, "sha256", "source", "version", "encoding"),
        **({} if origin.object_version is None else {"objectVersion": origin.object_version}),
        **({} if evidence.machine is None else {"machine": evidence.machine}),
        "encodingGuessed": origin.guessed,
        **shape(evidence, "reader", "match", "locator", "heading", "requirements"),
        "found": {"arm": evidence.arm, "round": evidence.round, "signals": dict(sorted(evidence.signals.items()))},
        "score": evidence.score,
    }


def findings_json(findings: Findings, *, seed: int | None = None) -> dict[str, object]:
    """The whole of ``lens find --json``; ``seed`` appears only when one was given, ``reranked`` only when it was asked
    for that the reader orders the passages: whether it did."""
    head: dict[str, object] = {"schema": "lens.evidence/2", "query": findings.query, "roots": list(findings.roots)}
    if seed is not None:
        head["seed"] = seed
    if findings.reranked is not None:
        head["reranked"] = findings.reranked
    return head | {
        **shape(findings, "evidence", "documents", "coverage"),
        "ledger": account_json(
            Account(seconds=sum(stage.seconds for stage in findings.stages), fetched=findings.fetched)
        ),
        **shape(findings, "compression", "missing", "warnings"),
    }


def ledger_json(seconds: float) -> dict[str, object]:
    """The ledger of work that called no model and sent nothing; ``seconds`` is wall time."""
    return account_json(Account(seconds=seconds))


def account_json(account: Account) -> dict[str, object]:
    """What a question cost: calls by stage, the total last."""
    return {
        "calls": dict(sorted(account.calls.items())) | {"total": sum(account.calls.values())},
        "retries": account.retries,
        "tokens": {"in": account.tokens_in, "out": account.tokens_out},
        **shape(account, "seconds", "cost", "endpoint"),
        "sent": shape(account.sent),
        **({"fetched": shape(account.fetched)} if account.fetched else {}),
    }


def document_json(document: RankedDocument) -> dict[str, object]:
    """A document as the prior ranks it."""
    shown = shape(document, "path", "root", "prior", "admitted", "read")
    return {**shown, "signals": dict(sorted(document.signals.items()))}


def preview_json(preview: Preview | None, mode: Mode) -> dict[str, object]:
    """The whole of ``lens ask --dry-run --json``; without a preview the mode calls no model."""
    requests = () if preview is None else preview.requests
    return {
        "schema": "lens.dry-run/1",
        "mode": mode.value,
        "endpoint": None if preview is None else preview.endpoint,
        "requests": [
            {"stage": stage.value, **shape(prompt, "tokens", "reply_tokens", "messages")} for stage, prompt in requests
        ],
        "sent": [] if preview is None else shape(preview.sent),
    }


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def event_json(event: Event, seq: int) -> dict[str, object]:
    """One event line; ``seq`` counts the events of a question from 1."""
    if not isinstance(event, Event):
        raise TypeError(f"no event: {event!r}")
    kind = type(event).__name__
    return {"schema": "lens.event/1", "seq": seq, "type": kind[0].lower() + kind[1:], **shape(event)}


def _plan(plan: Plan) -> dict[str, object]:
    asked = ("id", "text", "many", "answer_type", "names", "rule")
    return {
        **shape(plan, "question", "intent", "answer_type"),
        "requirements": [shape(requirement, *asked) for requirement in plan.requirements],
        **shape(plan, "anchors", "transformation", "document"),
    }


def _joined(document: AdmittedDocument) -> dict[str, object]:
    """``position`` is one number a cell and requirement: there only when the question was asked with `trace`."""
    names = ("path", "root", "base", "length", "cells")
    return dict(shape(document, *names, *(("position",) if document.position else ())))


_DECLARED: dict[type, Callable[[Any], dict[str, object]]] = {
    AdmittedDocument: _joined,
    Answer: answer_json,
    Coverage: lambda coverage: shape(
        coverage, *(field.name for field in fields(coverage) if coverage.shards or field.name != "shards")
    ),
    Evidence: evidence_json,
    ObservationTable: lambda table: {verdict.value: table[verdict] for verdict in Verdict},
    Part: lambda part: shape(part, "path", "line", "reason", "root") | {"line": part.line or None},
    Plan: _plan,
    Planned: lambda event: shape(event, "mode", "seed", "plan", "table"),
    Proposed: lambda event: (
        shape(event, "round", "weights", "regions") | {"weights": dict(sorted(event.weights.items()))}
    ),
    RankedDocument: document_json,
    Reused: lambda one: shape(one, "cluster", "asked_at", "requirements") | {"askedAt": moment(one.asked_at)},
    Sent: lambda sent: shape(sent, "path", "root", "span"),
}
"""The shapes that are not just the fields of their classes."""
