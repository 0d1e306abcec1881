"""What one result is worth against its gold, and the line of a run folder that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.arms.base import ArmAnswer, ArmResult, cited
from evaluation.data.datasets import Gold
from evaluation.scoring.metrics import Worded, holds_gold, score
from evaluation.scoring.taxonomy import outcome_of
from lens_lsp.model.answer import Status
from lens_lsp.model.observation import Verdict
from lens_lsp.schema.answer_shapes import account_json


def row_of(
    question_id: str,
    result: ArmResult,
    gold: Gold,
    *,
    sentences: Sequence[str],
    known_item: bool,
) -> dict[str, object]:
    """The row of a question; ``sentences`` are the texts of the gold's supporting spans. It holds no gold."""
    scores = _scores(result, gold, sentences, known_item=known_item)
    claims = result.claims if gold.answerable and gold.spans else ()
    return {
        "id": question_id,
        "documents": list(result.documents),
        "windows": [list(window) for window in result.windows],
        "evidence": list(result.evidence),
        "answer": None if result.answer is None else _answer(result.answer),
        "outcome": _outcome(result, gold, scores),
        "claims": [[confidence, holds_gold(passages, gold)] for confidence, passages in claims],
        "compression": result.compression,
        "trace": list(result.trace),
        "ledger": _ledger(result),
        "scores": dict(sorted(scores.items())),
    }


def _ledger(result: ArmResult) -> dict[str, object]:
    """What the question cost; tokens of an embedding model, which has prices of its own, are counted apart."""
    spent = account_json(result.account)
    if not result.embedded:
        return spent
    tokens = {"in": result.account.tokens_in, "out": result.account.tokens_out, "embedded": result.embedded}
    return spent | {"tokens": tokens}


def _scores(result: ArmResult, gold: Gold, sentences: Sequence[str], *, known_item: bool) -> dict[str, float]:
    scores = {} if result.answer is None else _of_answer(result.answer, answerable=gold.answerable)
    if not gold.answerable:
        return scores
    return scores | score(
        result.documents,
        result.windows,
        gold,
        known_item=known_item,
        answer=None if result.answer is None else _worded(result.answer),
        shown=[str(item["quote"]) for item in result.evidence],
        sentences=sentences,
    )


def _of_answer(answer: ArmAnswer, *, answerable: bool) -> dict[str, float]:
    answered = answer.status is Status.ANSWERED
    scores = {"answered" if answerable else "falseAnswers": float(answered)}
    return scores | ({"answeredWithQuote": float(any(item.quote for item in cited(answer)))} if answered else {})


def _outcome(result: ArmResult, gold: Gold, scores: Mapping[str, float]) -> str | None:
    """Where an exact match can be had at all."""
    if result.answer is None or "em" not in scores:
        return None
    shown = {str(item["path"]) for item in result.evidence}
    return outcome_of(scores["em"], result.answer.short or "", shown, gold.paths).value


def _worded(answer: ArmAnswer) -> Worded:
    shown = cited(answer)
    proving = tuple(item.path for item in shown if item.verdict == Verdict.FULL)
    return Worded(answer.text, tuple(item.quote for item in shown), proving, answer.short or "")


def _answer(answer: ArmAnswer) -> dict[str, object]:
    return {
        "status": answer.status.value,
        "stopped": answer.stopped.value,
        "short": answer.short,
        "text": answer.text,
    }
