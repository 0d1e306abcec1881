"""How good the answers of ``lens ask`` are without a language model, over the folders of DocsQA.

    python -m benchmarks.docsqa_answers --data DATA/docsqa --half first|second [--only WORKSPACE …] [--limit N]
        [--by workspace] [--out FILE.jsonl] [--sheet FILE.md] [--work DIR]

Every question of the half is asked afresh, those that the documents do not answer, too. `benchmarks.asking` puts the
questions: it is handed their texts and a folder, and what it hands back meets the key here. ``--out`` gets a row a
question. ``--sheet`` gets every answered one without its gold, shuffled and numbered, for a blind reading; the rows
name their number. The half ``first`` is for choosing, the half ``second`` for reporting.

The rules are those of the data set's README. Where it leaves a choice, this is ours:

* Words are compared without case, white space, punctuation and thousands separators; numbers up to twenty may be
  words. A "yes" or "no" counts where what is said begins with it.
* A passage is cited where its number stands in the text of the answer. A gold quote is cited where it stands whole in a
  cited passage of its file, its context not counted.
* A comparison names the winner in its short answer, or without one in its first cited sentence, unless that is an item
  of a list: a list of sides names no winner. A side's value is the numbers that its fact and its quote share; without
  one, whoever cites the quote tells it.
* A member of an aggregation is named where its quote is cited, or where all words of its fact that its quote holds
  stand in the text. A cited passage that neither holds a gold quote nor lies in one is an invented member.
* What is answered though the documents do not answer it is wrong: precision counts it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import re
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import ValidationError

from benchmarks.asking import ask_timed
from evaluation.data.docsqa import QuestionRecord, QuoteRecord, open_docsqa, unpack
from evaluation.reporting.markdown import NONE, table
from lens_lsp.judge.answer_markdown import LEAD, cited_sentences
from lens_lsp.model.answer import Answer, Status
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import EvaluationError

HALVES = ("first", "second")
SEED = 0
MOST_WORDS = 12
"""Of a short answer that counts as one."""
ENOUGH = 0.6
"""The share of its gold quotes that a summary cites at least."""
_FIRST = 3
_ADJACENT = 4
"""Code points between two parts of a passage that are white space and nothing else."""

_UNITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_TEENS = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
_WORDS = {"%": "percent", **{word: str(number) for number, word in enumerate(_UNITS + _TEENS)}}
_HAN = "零一二三四五六七八九"
_HAN_NUMBER = re.compile(f"([{_HAN}])?(十)([{_HAN}])?|([{_HAN}两])")
_THOUSANDS = re.compile(r"(?<=\d)[,'’\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN = re.compile(rf"(?:(?<![\w.])-)?\d+(?:[.:]\d+)*|[{_UNSPACED}]|[^\W{_UNSPACED}]+|%")


class FactRecord(QuoteRecord):
    """A gold quote, and what it proves."""

    fact: str = ""


class KeyRecord(QuestionRecord):
    """A question with its answer: None where the documents do not answer it."""

    gold: tuple[FactRecord, ...]
    answer: str | None = None
    aliases: tuple[str, ...] = ()

    @property
    def forms(self) -> tuple[str, ...]:
        """The right answers."""
        return () if self.answer is None else (self.answer, *self.aliases)


@dataclass(frozen=True, slots=True)
class Row:
    """A question, its answer, and what that is worth. ``quoted``: a gold or also quote stands whole in the quote of one
    of the first three passages; ``shown``: in the quote or the context."""

    key: KeyRecord
    answer: Answer
    seconds: float
    answered: bool
    right: bool
    quoted: bool
    shown: bool

    @property
    def answerable(self) -> bool:
        return self.key.answer is not None

    def json(self, number: int | None) -> dict[str, Any]:
        """The row as error analysis wants it; ``number`` is that of the sheet."""
        facts = {result.id: result.confidence for result in self.answer.requirements}
        return {
            **{name: getattr(self.key, name) for name in ("id", "workspace", "intent", "style", "question")},
            "status": self.answer.status.value,
            "short": self.answer.short,
            "text": self.answer.text,
            "cited": [_passage(item) for item in cited(self.answer)],
            "first": [_passage(item) | {"shown": around(item)} for item in self.answer.evidence[:_FIRST]],
            "confidence": facts.get("f1"),
            "seconds": round(self.seconds, 3),
            "sheet": number,
            "scores": {name: getattr(self, name) for name in ("answered", "right", "quoted", "shown", "answerable")},
        }


def read_keys(path: Path) -> list[KeyRecord]:
    """All questions of the data set, in their order. Raises EvaluationError for a malformed one."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        try:
            return [KeyRecord.model_validate_json(line) for line in lines if line.strip()]
        except ValidationError as error:
            raise EvaluationError(f"{path}: {error}") from error


def tokens(text: str) -> list[str]:
    """The words and numbers of a text as they are compared; in scripts without spaces, each character."""
    plain = unicodedata.normalize("NFKC", _THOUSANDS.sub("", text)).casefold().replace("\u2212", "-")
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", _HAN_NUMBER.sub(_han, plain))
    return [_WORDS.get(token, token) for token in _TOKEN.findall(plain.replace("_", " "))]


def _han(match: re.Match[str]) -> str:
    tens, _, ones, single = match.groups()
    if single:
        return "2" if single == "两" else str(_HAN.index(single))
    return str(10 * (_HAN.index(tens) if tens else 1) + (_HAN.index(ones) if ones else 0))


def holds(said: str, form: str) -> bool:
    """Whether what is said holds a form of the answer as whole words in a row."""
    words, wanted = tokens(said), tokens(form)
    if wanted in (["yes"], ["no"]):
        return words[:1] == wanted
    return bool(wanted) and any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def folded(text: str) -> str:
    """A text with each run of white space as one space."""
    return " ".join(text.split())


def cited(answer: Answer) -> list[Evidence]:
    """The evidence that the text of an answer points at, in that order."""
    numbers = dict.fromkeys(n for sentence in cited_sentences(_own(answer)) for n in sentence.citations)
    by_number = {item.n: item for item in answer.evidence}
    return [by_number[n] for n in numbers if n in by_number]


def said(answer: Answer, *, listed: bool = True) -> str:
    """What an answer says in short: nothing where that is too long; without one its first cited sentence, which may be
    an item of a list where ``listed``."""
    if answer.short is not None:
        return answer.short if len(answer.short.split()) <= MOST_WORDS else ""
    text = _own(answer)
    for sentence in cited_sentences(text):
        if sentence.citations:
            line = text[text.rfind("\n", 0, sentence.span.start) + 1 :]
            return sentence.text if listed or LEAD.match(line) is None else ""
    return ""


def _own(answer: Answer) -> str:
    return answer.text.replace("\\[", " (")  # a bracket of a document cites nothing


def is_cited(gold: QuoteRecord, answer: Answer) -> bool:
    """Whether a cited passage of its file holds the quote whole."""
    return any(item.path == gold.path and folded(gold.quote) in folded(item.quote) for item in cited(answer))


def around(item: Evidence) -> str:
    """A passage with its context in the order of the source, with an ellipsis where text is left out."""
    parts = sorted([(item.span, item.quote), *((part.span, part.text) for part in item.context)])
    text, end = "", None
    for span, piece in parts:
        text += "" if end is None else "\n" if span.start - end <= _ADJACENT else "\n…\n"
        text, end = text + piece, span.end
    return text


def _names_an_answer(key: KeyRecord, answer: Answer) -> bool:
    return any(holds(said(answer), form) for form in key.forms)


def _compares(key: KeyRecord, answer: Answer) -> bool:
    if any(holds(said(answer, listed=False), form) for form in key.forms):
        return True
    told = set(tokens(answer.text))
    return all(is_cited(side, answer) and _numbers(side.fact) & _numbers(side.quote) <= told for side in key.gold)


def _numbers(text: str) -> set[str]:
    return {token for token in tokens(text) if token[-1].isdigit()}


def _aggregates(key: KeyRecord, answer: Answer) -> bool:
    counts = {words[0] for words in map(tokens, key.forms) if words and words[0].isdigit()}
    if answer.short is not None and counts & _numbers(said(answer)) and len(_numbers(said(answer))) == 1:
        return True
    named = all(is_cited(member, answer) or _is_told(member, answer.text) for member in key.gold)
    return named and not any(_is_invented(item, key) for item in cited(answer))


def _is_told(member: FactRecord, text: str) -> bool:
    names = [name for name in re.split(r"[,/;、]", member.fact) if holds(member.quote, name)]
    return bool(names) and all(holds(text, name) for name in names)


def _is_invented(item: Evidence, key: KeyRecord) -> bool:
    quote = folded(item.quote)
    own = [folded(proof.quote) for proof in key.proofs if proof.path == item.path]
    return not any(proof in quote or quote in proof for proof in own)


def _summarises(key: KeyRecord, answer: Answer) -> bool:
    share = sum(is_cited(gold, answer) for gold in key.gold) / len(key.gold)
    return share >= ENOUGH and len(cited(answer)) <= 2 * len(key.gold)


RIGHT: Mapping[str, Callable[[KeyRecord, Answer], bool]] = {
    "lookup": _names_an_answer,
    "computation": _names_an_answer,
    "comparison": _compares,
    "aggregation": _aggregates,
    "summarize": _summarises,
}


def score(key: KeyRecord, answer: Answer, seconds: float) -> Row:
    """What an answer is worth. Of a question without an answer none is right."""
    answered = answer.status is Status.ANSWERED
    right = answered and key.answer is not None and RIGHT[key.intent](key, answer)
    first = [(item, proof) for item in answer.evidence[:_FIRST] for proof in key.proofs if item.path == proof.path]
    quoted = any(folded(proof.quote) in folded(item.quote) for item, proof in first)
    shown = any(folded(proof.quote) in folded(around(item)) for item, proof in first)
    return Row(key, answer, seconds, answered, right, quoted, shown)


def wilson(hits: int, of: int, z: float = 1.959964) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson."""
    if not of:
        return 0.0, 1.0
    share, spread = hits / of, z * z / of
    middle = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / of + spread / (4 * of))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


HEADINGS = ["N", "answered", "right of answered", "95 %", "right of answerable", "false of unanswerable"]
HEADINGS += ["gold in first 3 quotes", "with context", "median s", "p90 s"]


def figures(name: str, rows: Sequence[Row]) -> list[str]:
    """A line of a table."""
    answered, able = [row for row in rows if row.answered], [row for row in rows if row.answerable]
    right, seconds = sum(row.right for row in rows), sorted(row.seconds for row in rows)
    low, high = wilson(right, len(answered))
    return [
        name,
        str(len(rows)),
        str(len(answered)),
        _share(right, len(answered)),
        f"{100 * low:.0f}–{100 * high:.0f}" if answered else NONE,
        _share(right, len(able)),
        _share(sum(not row.answerable for row in answered), len(rows) - len(able)),
        _share(sum(row.quoted for row in able), len(able)),
        _share(sum(row.shown for row in able), len(able)),
        f"{median(seconds):.2f}",
        f"{seconds[math.ceil(0.9 * len(seconds)) - 1]:.2f}",
    ]


def _share(hits: int, of: int) -> str:
    return f"{hits} of {of} ({100 * hits / of:.0f} %)" if of else NONE


def report(rows: Sequence[Row], by: Iterable[str] = ("intent",)) -> str:
    """A table for each way of grouping the rows, the last line of each for all of them."""
    tables = []
    for field in by:
        names = sorted({getattr(row.key, field) for row in rows})
        body = [figures(name, [row for row in rows if getattr(row.key, field) == name]) for name in names]
        tables.append(table([field, *HEADINGS], [*body, figures("all", rows)]))
    return "\n".join(tables)


def shuffled(rows: Sequence[Row]) -> list[Row]:
    """The answered rows in the order of the sheet, the same for the same rows."""
    answered = [row for row in rows if row.answered]
    random.Random(SEED).shuffle(answered)
    return answered


def sheet(rows: Sequence[Row]) -> str:
    """The answers of the rows for a blind reading, numbered from 1: what was asked, said and cited, and no gold."""
    return "\n".join(_entry(number, row.key.question, row.answer) for number, row in enumerate(rows, 1))


def _entry(number: int, question: str, answer: Answer) -> str:
    short = "none" if answer.short is None else answer.short
    lines = [f"## {number}. {question}", f"Status: {answer.status.value}. Short answer: {short}", answer.text.strip()]
    for item in cited(answer):
        lines += [f"Cited [{item.n}], {item.path}:", _fenced(item.quote)]
        lines += ["The same with its context:", _fenced(around(item))] if item.context else []
    return "\n\n".join(lines) + "\n"


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text.rstrip()}\n{fence}"


def _passage(item: Evidence) -> dict[str, Any]:
    return {"n": item.n, "path": item.path, "quote": item.quote, "verdict": item.verdict}


def run(data: Path, keys: Sequence[KeyRecord], work: Path) -> list[Row]:
    """Ask the questions, workspace by workspace, and score the answers."""
    dataset, rows = open_docsqa(data), list[Row]()
    for name in dict.fromkeys(key.workspace for key in keys):
        own = [key for key in keys if key.workspace == name]
        answers = ask_timed(unpack(dataset, name, work), [key.question for key in own])
        rows += [score(key, answer, seconds) for key, (answer, seconds) in zip(own, answers, strict=True)]
    return rows


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data set")
    parser.add_argument("--half", choices=HALVES, required=True)
    parser.add_argument("--only", nargs="+", metavar="WORKSPACE", help="only the questions of these")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N of them")
    parser.add_argument("--by", choices=["workspace", "style"], help="one more table, grouped by this")
    parser.add_argument("--out", type=Path, metavar="FILE.jsonl", help="a row a question")
    parser.add_argument("--sheet", type=Path, metavar="FILE.md", help="the answered ones for a blind reading")
    parser.add_argument("--work", type=Path, metavar="DIR", help="where the folders are unpacked, to be used again")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    given = parse(arguments)
    try:
        keys = [key for key in read_keys(given.data / "questions.jsonl.gz") if key.half == given.half]
        keys = [key for key in keys if given.only is None or key.workspace in given.only][: given.limit]
        if not keys:
            raise EvaluationError("there is no such question")
        with tempfile.TemporaryDirectory() as temporary:
            rows = run(given.data, keys, given.work or Path(temporary))
    except (EvaluationError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    judged = shuffled(rows)
    if given.out is not None:
        numbers = {row.key.id: number for number, row in enumerate(judged, 1)}
        lines = [json.dumps(row.json(numbers.get(row.key.id)), ensure_ascii=False) for row in rows]
        given.out.write_text("\n".join(lines) + "\n", "utf-8")
    if given.sheet is not None:
        given.sheet.write_text(sheet(judged), "utf-8")
    print(report(rows, ["intent", *([given.by] if given.by else [])]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
