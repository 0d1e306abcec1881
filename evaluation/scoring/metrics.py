"""The strict metrics: what one question's answer is worth against its gold. Values run from 0 to 1.

Everything is exact: paths are equal or not, and a span counts only when it lies wholly inside one window of
at most 600 code points. Of a longer window only the first 600 count. The k is part of every name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from evaluation.arms.indexes import WINDOW, Passage
from evaluation.data.datasets import Gold, GoldSpan
from evaluation.scoring import compatible
from evaluation.scoring.answers import Script, exact_match, f1

RECALL_DEPTHS = (1, 2, 5, 10)
SPAN_DEPTHS = (1, 3, 5)
HIT_DEPTHS = (1, 5, 10)
SHOWN = 10
"""Documents of all-gold, and windows of the strict evidence recall."""


def recall(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of gold documents among the first k."""
    return len(set(gold) & set(ranked[:k])) / len(set(gold))


def all_gold(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 when every gold document is among the first k."""
    return float(set(gold) <= set(ranked[:k]))


def known_item_hit(ranked: Sequence[str], item: str, k: int) -> float:
    """1 when the one document that was meant is among the first k."""
    return float(item in ranked[:k])


def span_hit(windows: Sequence[Passage], answers: Collection[GoldSpan], k: int) -> float:
    """1 when one of the first k windows contains one of the answer spans in full."""
    return float(any(_inside(answer, windows[:k]) for answer in answers))


def evidence_recall(windows: Sequence[Passage], gold: Gold, k: int) -> float | None:
    """Strict evidence recall: the share of gold passages that lie wholly inside one of the first k windows.

    A question whose gold is where the answer stands needs one of those places. ``None`` without gold spans.
    """
    if gold.support:
        return sum(_inside(span, windows[:k]) for span in gold.support) / len(gold.support)
    if gold.answer_spans:
        return span_hit(windows, gold.answer_spans, k)
    return None


def ground(windows: Sequence[Passage], quotes: Sequence[str], gold: Gold, k: int) -> float | None:
    """Strict ground: 1 when the answer stands in one of the first k quotes, as words.

    Where no one passage proves the answer (yes or no, and comparisons) every gold passage must be quoted. ``None``
    without gold passages or an answer string. ``quotes`` are the texts of ``windows``.
    """
    answers = [answer for answer in map(_words, gold.answers) if answer]
    if not gold.spans or not answers:
        return None
    if gold.comparison or set(answers) <= {"yes", "no"}:
        return float(evidence_recall(windows, gold, k) == 1.0)
    shown = [f" {_words(quote[:WINDOW])} " for quote in quotes[:k]]
    return float(any(f" {answer} " in quote for answer in answers for quote in shown))


def holds_gold(windows: Sequence[Passage], gold: Gold) -> bool:
    """Whether one of the windows contains a gold span in full."""
    return any(_inside(span, windows) for span in gold.spans)


def script_of(gold: Gold) -> Script:
    """Whose exact match and F1 are meant: SQuAD's for gold answer spans and for the gold paragraphs of MuSiQue."""
    return Script.SQUAD if gold.answer_spans or gold.paragraphs else Script.HOTPOTQA


def _words(text: str) -> str:
    """Lower-case words without punctuation and English articles, as the question sets compare answers."""
    folded = re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(word for word in folded.split() if word not in ("a", "an", "the"))


def ranking(documents: Iterable[str], excluded: Collection[str]) -> list[str]:
    """The ranking that is scored: each document once, without those the protocol leaves out."""
    return [path for path in dict.fromkeys(documents) if path not in excluded]


@dataclass(frozen=True, slots=True)
class Worded:
    """What only an answer has: its text, the texts of the windows it cites, the documents it proves facts from, and
    what it says in a few words, empty where it does not."""

    text: str
    quotes: tuple[str, ...]
    proving: tuple[str, ...]
    short: str = ""


def score(
    documents: Iterable[str],
    windows: Sequence[Passage],
    gold: Gold,
    *,
    known_item: bool,
    answer: Worded | None = None,
    shown: Sequence[str] = (),
    sentences: Sequence[str] = (),
) -> dict[str, float]:
    """All metrics one question's gold allows, by their place in a summary (``documentRecall.5``).

    For what is counted as the paper's code does: ``shown`` are the texts that an arm shows, ``sentences`` those of the
    gold's supporting spans.
    """
    ranked = ranking(documents, gold.excluded)
    kept = [window for window in windows if window[0] not in gold.excluded]
    scores = {f"documentRecall.{k}": recall(ranked, gold.paths, k) for k in RECALL_DEPTHS}
    scores["allGold10"] = all_gold(ranked, gold.paths, SHOWN)
    if gold.answer_spans:
        scores |= {f"spanHit.{k}": span_hit(kept, gold.answer_spans, k) for k in SPAN_DEPTHS}
    if known_item:
        scores |= {f"knownItem.{k}": known_item_hit(ranked, gold.paths[0], k) for k in HIT_DEPTHS}
    strict = evidence_recall(kept, gold, SHOWN)
    if strict is not None:
        scores["evidenceRecall.strict"] = strict
    if sentences:
        scores["evidenceRecall.compatible"] = compatible.evidence_recall(shown, ranked[:SHOWN], sentences, gold.paths)
    if answer is None:
        return scores
    if gold.answers:
        script = script_of(gold)
        scores["em"] = exact_match(answer.short, gold.answers, script)
        scores["f1"] = f1(answer.short, gold.answers, script)
    return scores | _of_answer(answer, ranked, windows, gold, compatibly=bool(sentences))


def _of_answer(
    answer: Worded, ranked: Sequence[str], windows: Sequence[Passage], gold: Gold, *, compatibly: bool
) -> dict[str, float]:
    scores = {"allGoldProven": float(set(gold.paths) <= set(answer.proving))}
    grounded = ground(windows, answer.quotes, gold, SHOWN)
    if grounded is not None:
        scores["ground.strict"] = grounded
    if compatibly:
        scores["ground.compatible"] = compatible.ground(answer.text, ranked[:SHOWN], gold.paths)
    return scores


def _inside(span: GoldSpan, windows: Iterable[Passage]) -> bool:
    return any(
        path == span.path and start <= span.start and span.end <= min(end, start + WINDOW)
        for path, start, end in windows
    )
