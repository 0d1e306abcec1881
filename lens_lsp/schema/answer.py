"""The JSON shape of an answer: schema ``lens.answer/2``."""

from __future__ import annotations

from lens_lsp.model.answer import Answer, Computation, RequirementResult
from lens_lsp.schema.clusters import moment
from lens_lsp.schema.evidence import account_json, coverage_json, document_json, evidence_json

SCHEMA = "lens.answer/2"


def answer_json(answer: Answer) -> dict[str, object]:
    """The whole of ``lens ask --json``. Equal questions over equal files differ in ``ledger.seconds`` only."""
    return {
        "schema": SCHEMA,
        "question": answer.question,
        "mode": answer.mode.value,
        "intent": answer.intent.value,
        "seed": answer.seed,
        "roots": list(answer.roots),
        "status": answer.status.value,
        "stopped": answer.stopped.value,
        "answer": answer.text,
        "shortAnswer": answer.short,
        "requirements": [_requirement(result) for result in answer.requirements],
        "evidence": [evidence_json(item) for item in answer.evidence],
        "computation": None if answer.computation is None else _computation(answer.computation),
        "documents": [document_json(document) for document in answer.documents],
        "coverage": coverage_json(answer.coverage),
        "ledger": account_json(answer.account),
        "reused": [
            {"cluster": one.cluster, "askedAt": moment(one.asked_at), "requirements": list(one.requirements)}
            for one in answer.reused
        ],
        "newer": list(answer.newer),
        "typed": answer.typed,
        "compression": answer.compression,
        "rejectedQuotes": answer.rejected_quotes,
        "unsupported": list(answer.unsupported),
        "doubts": [
            {"sentence": one.sentence, "words": one.words, "reason": one.reason, "decisive": one.decisive}
            for one in answer.doubts
        ],
        "warnings": list(answer.warnings),
    }


def _requirement(result: RequirementResult) -> dict[str, object]:
    return {
        "id": result.id,
        "text": result.text,
        "status": result.status.value,
        "confidence": result.confidence,
        "many": result.many,
        "matching": result.matching,
        "read": result.read,
        "value": result.value,
        "evidence": list(result.evidence),
    }


def _computation(computation: Computation) -> dict[str, object]:
    return {
        "expression": computation.expression,
        "operands": list(computation.operands),
        "value": computation.value,
        "unit": computation.unit,
    }
