"""What a reader reaches: on SQuAD 2.0's development questions, in the order of passages, in its probabilities."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lens_lsp.judge.reader.cross_encoder import PassageScore, ReaderModel, ReaderPassage
from lens_lsp.judge.reader.reader_oracle import in_english, one_answer
from training.reader.calibrate import Read, calibration_error, diagram, ranked, rows
from training.reader.questions import Example, Passage
from training.reader.squad_dev import DevQuestion, auroc, scores

CUTS = (1, 3, 5)
_RIGHT, _NEARLY = 0.6, 0.3
"""F1 with a right answer from which on the marked words are one: anywhere, and in a passage that holds the proof."""

Reader = Callable[[str, Sequence[ReaderPassage]], list[PassageScore]]


def read(model: Reader, example: Example) -> list[Read]:
    """What a reader makes of the passages of a question."""
    shown = [ReaderPassage(passage.text, passage.path, passage.headings) for passage in example.passages]
    readings = model(example.question, shown)
    return [judged(example, passage, one) for passage, one in zip(example.passages, readings, strict=True)]


def judged(example: Example, passage: Passage, reading: PassageScore) -> Read:
    """With what the key says: the marked words are an answer where they are those of the key, in a passage that holds
    the proof nearly those. A question that is no look-up has no answer of one passage, unless it compares and the
    passage holds the proof."""
    answer = passage.text[reading.start : reading.end]
    intent, key = example.record["intent"], example.record["answer"]
    right = False
    if key is not None and (intent == "lookup" or (intent == "comparison" and passage.states)):
        forms = [form for form in (key, *example.record["aliases"], example.record.get("span")) if form]
        least = _NEARLY if passage.states and intent == "lookup" else _RIGHT
        right = scores(answer, forms)[1] >= least
    allowed = one_answer(example.question, answer) and in_english(example.question, passage.text)
    return Read(reading, passage.prior, answer, passage.states, right, allowed)


def order(model: ReaderModel, questions: Iterable[tuple[Example, Sequence[Read]]]) -> dict[str, Any]:
    """The share of answerable questions with a gold quote among the first passages: by the scan, by both."""
    answerable = [reads for example, reads in questions if example.record["gold"]]
    found: dict[str, Any] = {"n": len(answerable)}
    for cut in CUTS:
        for name, sort in (("scan", list), ("both", lambda reads: ranked(model.calibration, reads))):
            share = sum(any(read.gold for read in sort(reads)[:cut]) for reads in answerable) / len(answerable)
            found[f"quote@{cut} {name}"] = round(100 * share, 1)
    return found


def calibrated(model: ReaderModel, questions: Iterable[Sequence[Read]], top: int = 10) -> dict[str, Any]:
    """How far the probabilities of the first passages are from the shares of right answers."""
    said, was = [], []
    for reads in questions:
        if not reads:
            continue
        table = rows(reads)
        first = sorted(range(len(reads)), key=lambda k, r=reads: -model.calibration.rank(r[k].reading, r[k].scan))[:top]
        for k in first:
            odds = sum(w * x for w, x in zip(model.calibration.weights, table[k], strict=True))
            said.append(1 / (1 + math.exp(-odds)))
            was.append(reads[k].right)
    return {"n": len(was), "error": round(calibration_error(said, was), 4), "diagram": diagram(said, was)}


def squad(model: Reader, questions: Sequence[DevQuestion], most: int = 1200) -> dict[str, float]:
    """Exact match and F1 of the answerable, and how well the judgement tells these from the others (AUROC)."""
    chosen = list(questions)
    random.Random(5).shuffle(chosen)
    exact, f1, odds, answerable = [], [], [], []
    for question in chosen[:most]:
        (reading,) = model(question.question, [ReaderPassage(question.paragraph, f"{question.title}.txt")])
        odds.append(reading.log_odds)
        answerable.append(bool(question.answers))
        if question.answers:
            pair = scores(question.paragraph[reading.start : reading.end], question.answers)
            exact.append(pair[0])
            f1.append(pair[1])
    return {
        "n": len(odds),
        "exact": round(100 * sum(exact) / len(exact), 1),
        "f1": round(100 * sum(f1) / len(f1), 1),
        "auroc": round(auroc(odds, answerable), 3),
    }
