"""The JSON shapes of evidence and of a finding: schema ``lens.evidence/2``."""

from __future__ import annotations

from lens_lsp.model.answer import Account
from lens_lsp.model.documents import Context, Coverage, Evidence, Findings, RankedDocument
from lens_lsp.model.text import Position

SCHEMA = "lens.evidence/2"


def evidence_json(evidence: Evidence) -> dict[str, object]:
    """One evidence item. Lines and columns count from 1; columns and spans are in code points of all of the text of the
    file, also where only a piece of it was read."""
    origin = evidence.origin
    return {
        "n": evidence.n,
        "path": evidence.path,
        "root": evidence.root,
        "start": _position(evidence.start),
        "end": _position(evidence.end),
        "span": [evidence.span.start, evidence.span.end],
        "quote": evidence.quote,
        "cut": list(evidence.cut),
        "context": [_context(part) for part in evidence.context],
        "sha256": origin.sha256,
        "source": origin.source.value,
        "version": origin.version,
        "encoding": origin.encoding,
        "encodingGuessed": origin.guessed,
        "reader": evidence.reader,
        "match": evidence.match,
        "locator": None if evidence.locator is None else dict(evidence.locator),
        "heading": list(evidence.heading),
        "requirements": list(evidence.requirements),
        "found": {"arm": evidence.arm, "round": evidence.round, "signals": dict(sorted(evidence.signals.items()))},
        "score": evidence.score,
    }


def findings_json(findings: Findings, *, seed: int | None = None) -> dict[str, object]:
    """The whole of ``lens find --json``; ``seed`` appears only when one was given, ``reranked`` only when it was asked
    for that the reader orders the passages: whether it did."""
    head: dict[str, object] = {"schema": SCHEMA, "query": findings.query, "roots": list(findings.roots)}
    if seed is not None:
        head["seed"] = seed
    if findings.reranked is not None:
        head["reranked"] = findings.reranked
    return head | {
        "evidence": [evidence_json(item) for item in findings.evidence],
        "documents": [document_json(item) for item in findings.documents],
        "coverage": coverage_json(findings.coverage),
        "ledger": ledger_json(sum(stage.seconds for stage in findings.stages)),
        "compression": findings.compression,
        "missing": list(findings.missing),
        "warnings": list(findings.warnings),
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
        "seconds": account.seconds,
        "cost": account.cost,
        "endpoint": account.endpoint,
        "sent": [
            {"path": sent.path, "root": sent.root, "span": [sent.span.start, sent.span.end]} for sent in account.sent
        ],
    }


def document_json(document: RankedDocument) -> dict[str, object]:
    """A document as the prior ranks it."""
    return {
        "path": document.path,
        "root": document.root,
        "prior": document.prior,
        "admitted": document.admitted,
        "read": document.read,
        "signals": dict(sorted(document.signals.items())),
    }


def coverage_json(coverage: Coverage) -> dict[str, object]:
    """What was looked at, and what was not and why."""
    return {
        "found": coverage.found,
        "scanned": coverage.scanned,
        "skipped": [{"path": skip.path, "reason": skip.reason.value, "root": skip.root} for skip in coverage.skipped],
        "admitted": coverage.admitted,
        "read": coverage.read,
        "matchesUnread": coverage.matches_unread,
        "pictures": coverage.pictures,
        "partial": [
            {"path": part.path, "line": part.line or None, "reason": part.reason.value, "root": part.root}
            for part in coverage.partial
        ],
    }


def _context(part: Context) -> dict[str, object]:
    return {
        "role": part.role.value,
        "span": [part.span.start, part.span.end],
        "text": part.text,
        "cut": list(part.cut),
    }


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}
