"""Training rows: a question, a passage, whether it states what is asked, and where.

Texts are tokenised once; a row is a handful of numbers that point into them. Sources, each with its licence, are listed
in the model card (lens_lsp/judge/reader/README.md).
"""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from lens_lsp.judge.reader.cross_encoder import (
    ABOVE_TOKENS,
    PASSAGE_TOKENS,
    QUESTION_TOKENS,
    PieceTokens,
    WordPiece,
    above,
)
from training.reader.packed import ADVERSARIAL, SQUAD, Rows
from training.reader.questions import Example

SIZES = (40, 70, 110, 150, PASSAGE_TOKENS)
"""Tokens of a passage that is cut from a longer text: one of these at random."""

_NUMBER_OR_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)*|\b\d[\d,.]*\b")
_OPPOSITES = dict(
    pair
    for a, b in (
        *(("first", "last"), ("largest", "smallest"), ("highest", "lowest"), ("before", "after"), ("most", "least")),
        *(("more", "fewer"), ("earliest", "latest"), ("increase", "decrease"), ("north", "south"), ("east", "west")),
        *(("oldest", "youngest"), ("longest", "shortest"), ("began", "ended"), ("start", "end"), ("won", "lost")),
        *(("minimum", "maximum"), ("above", "below"), ("allowed", "forbidden"), ("enabled", "disabled")),
        *(("best", "worst"), ("major", "minor"), ("always", "never"), ("all", "none"), ("gained", "lost")),
        *(
            ("married", "divorced"),
            ("born", "buried"),
            ("created", "destroyed"),
            ("bought", "sold"),
            ("with", "without"),
        ),
    )
    for pair in ((a, b), (b, a))
)
_ASKS = re.compile(r"(?:When|Where|Why|How many|How long)\b")
_OTHERS = ("When", "Where", "Why", "How often")
_STOP = frozenset(
    """what which who whom whose when where why how is are was were do does did the a an of in on to for by with it its
    that this be been at as and or from can could should would will has have had many much""".split()  # noqa: SIM905
)


class _Texts:
    """Texts by number, each tokenised once."""

    def __init__(self, piece: WordPiece) -> None:
        self.piece = piece
        self.tokens: list[PieceTokens] = []
        self._numbers: dict[tuple[str, int], int] = {}

    def __call__(self, text: str, most: int = 1 << 30) -> int:
        number = self._numbers.get((text, most))
        if number is None:
            number = self._numbers[text, most] = len(self.tokens)
            self.tokens.append(self.piece(text, most))
        return number

    def packed(self, rows: Sequence[Sequence[int]]) -> Rows:
        bounds = np.concatenate([[0], np.cumsum([len(tokens) for tokens in self.tokens])]).astype(np.int32)
        flat = np.concatenate([tokens.ids for tokens in self.tokens]).astype(np.uint16)
        return Rows(flat, bounds, np.array(rows, np.int32))


@dataclass(slots=True)
class _Paragraph:
    title: str
    text: str
    number: int
    tokens: PieceTokens
    sentences: list[int]
    """The tokens that sentences begin with."""


class Maker:
    """Makes rows; everything random comes from one seed."""

    def __init__(self, piece: WordPiece, seed: int = 1) -> None:
        self.texts = _Texts(piece)
        self.rows: list[tuple[int, ...]] = []
        self.random = random.Random(seed)

    def repeat(self, source: int, times: int) -> None:
        """Have the rows of a source ``times`` times."""
        self.rows += [row for row in self.rows if row[-1] == source] * (times - 1)

    def done(self) -> Rows:
        """What was made, in random order."""
        self.random.shuffle(self.rows)
        return self.texts.packed(self.rows)

    def squad(self, path: Path, lookalikes: Mapping[str, Sequence[str]], share: float = 1.0) -> None:
        """Questions of SQuAD 1.1 on its training articles: cut paragraphs that answer them, ones that BM25 takes for
        it, other sentences of the same paragraph, and questions with a name, number or word exchanged.

        ``lookalikes`` are questions that a paragraph, by article and number, looks as if it answered and does not;
        ``share`` is how many of the others are taken, at random.
        """
        import bm25s
        import Stemmer

        paragraphs: list[_Paragraph] = []
        asked: list[tuple[str, int, str]] = []
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            articles = [json.loads(line) for line in lines]
        for article in articles:
            for number, para in enumerate(article["paras"]):
                text = para["text"].strip()
                home = self._paragraph(article["title"].replace("_", " "), text)
                paragraphs.append(home)
                for question in lookalikes.get(f"{article['title']}/{number}", ()):
                    for _ in range(4):
                        self._shown(question, home, self._window(home), -1, -1, ADVERSARIAL)
                asked += [
                    (qa["q"].strip(), len(paragraphs) - 1, qa["answers"][0])
                    for qa in para["qas"]
                    if qa["q"] and qa["answers"] and qa["answers"][0] in text
                ]
        self.random.shuffle(asked)
        asked = asked[: int(share * len(asked))]
        stem = Stemmer.Stemmer("english")
        index = bm25s.BM25()
        index.index(
            bm25s.tokenize(
                [f"{p.title} {p.text}" for p in paragraphs], stemmer=stem, stopwords="en", show_progress=False
            ),
            show_progress=False,
        )
        names: dict[str, list[str]] = defaultdict(list)
        for question, at, _ in asked:
            names[paragraphs[at].title] += _NUMBER_OR_NAME.findall(question)
        for first in range(0, len(asked), 5000):
            part = asked[first : first + 5000]
            words = bm25s.tokenize(
                [question for question, _, _ in part], stemmer=stem, stopwords="en", show_progress=False
            )
            found, _ = index.retrieve(words, k=16, show_progress=False)
            for (question, at, answer), near in zip(part, found, strict=True):
                wrong = [int(k) for k in near if k != at and answer.lower() not in paragraphs[k].text.lower()]
                self._of_paragraph(question, paragraphs, at, answer, wrong, names[paragraphs[at].title])
            print(f"squad {first + len(part)}/{len(asked)}: {len(self.rows)} rows", file=sys.stderr, flush=True)

    def examples(self, examples: Iterable[Example], source: int, times: int) -> None:
        """Questions on folders, each passage as it is shown: ``times`` rows of each that states what is asked, as the
        question stands and roughened, and one or two of each that does not. What holds a part of a proof is neither."""
        for example in examples:
            count = 0
            whole = example.record.get("intent", "lookup") == "lookup"  # else each proof is a part of one
            for passage in example.passages:
                if passage.part or (passage.states and not whole):
                    continue
                head = self.texts(above(passage.path, passage.headings), ABOVE_TOKENS)
                number = self.texts(passage.text)
                tokens = self.texts.tokens[number]
                start, end = _tokens_of(tokens, *passage.answer) if passage.answer else (-1, -1)
                for repeat in range(times if passage.states or passage.near else 1 + (count < 4) * (times > 2)):
                    question = example.question if repeat % 3 != 2 else self._roughened(example.question)
                    self._row(question, head, number, self._cut(tokens, start, end), start, end, passage.states, source)
                count += not passage.states

    def _paragraph(self, title: str, text: str) -> _Paragraph:
        number = self.texts(text)
        tokens = self.texts.tokens[number]
        begins = [0, *(match.end() for match in re.finditer(r"(?<=[.!?])\s+", text))]
        return _Paragraph(
            title, text, number, tokens, sorted({int(np.searchsorted(tokens.starts, at)) for at in begins})
        )

    def _of_paragraph(
        self,
        question: str,
        paragraphs: Sequence[_Paragraph],
        at: int,
        answer: str,
        wrong: Sequence[int],
        names: Sequence[str],
    ) -> None:
        rand, home = self.random, paragraphs[at]
        places = [match.start() for match in re.finditer(re.escape(answer), home.text)]
        for repeat in range(2):
            begin = rand.choice(places)
            start, end = _tokens_of(home.tokens, begin, begin + len(answer))
            asked = question if rand.random() < (0.8, 0.6)[repeat] else self._roughened(question)
            self._shown(asked, home, self._window(home, start, end), start, end, SQUAD)
            if repeat == 0:
                for changed in self._changed(question, names):
                    self._shown(changed, home, self._window(home, start, end), -1, -1, ADVERSARIAL)
        for k in dict.fromkeys((*wrong[:2], *(rand.sample(wrong[2:], 2) if len(wrong) > 4 else ()))):
            self._shown(question, paragraphs[k], self._window(paragraphs[k]), -1, -1, SQUAD)
        bounds = [*home.sentences, len(home.tokens)]
        rest = [
            (a, b)
            for a, b in pairwise(bounds)
            if b - a > 4 and answer.lower() not in home.text[home.tokens.starts[a] : home.tokens.ends[b - 1]].lower()
        ]
        if rest:
            self._shown(question, home, rand.choice(rest), -1, -1, SQUAD)

    def _shown(
        self, question: str, home: _Paragraph, window: tuple[int, int], start: int, end: int, source: int
    ) -> None:
        head = self.texts(home.title if self.random.random() < 0.8 else "", ABOVE_TOKENS)
        self._row(question, head, home.number, window, start, end, start >= 0, source)

    def _row(
        self,
        question: str,
        head: int,
        text: int,
        window: tuple[int, int],
        start: int,
        end: int,
        states: bool,
        source: int,
    ) -> None:
        first, last = window
        asked = self.texts(question, QUESTION_TOKENS)
        inside = first <= start and end <= last and start >= 0
        if states and start >= 0 and not inside:
            states = False
        place = (start - first, end - first) if inside else (-1, -1)
        self.rows.append((asked, head, text, first, last, *place, int(states), source))

    def _window(self, home: _Paragraph, start: int = -1, end: int = -1) -> tuple[int, int]:
        """Whole sentences around the tokens [start, end), or anywhere, of a size at random."""
        rand, bounds = self.random, [*home.sentences, len(home.tokens)]
        size = rand.choice(SIZES)
        k = rand.randrange(len(bounds) - 1) if start < 0 else max(i for i, at in enumerate(bounds[:-1]) if at <= start)
        low, high = k, k + 1
        while high < len(bounds) - 1 and bounds[high] < end:
            high += 1
        while True:
            left = low > 0 and bounds[high] - bounds[low - 1] <= size
            right = high < len(bounds) - 1 and bounds[high + 1] - bounds[low] <= size
            if not left and not right:
                return bounds[low], min(bounds[high], bounds[low] + PASSAGE_TOKENS)
            if left and (not right or rand.random() < 0.5):
                low -= 1
            else:
                high += 1

    def _cut(self, tokens: PieceTokens, start: int, end: int) -> tuple[int, int]:
        """The first tokens of a passage, or those around the answer."""
        count = len(tokens)
        if count <= PASSAGE_TOKENS or start < 0:
            return 0, min(count, PASSAGE_TOKENS)
        low = max(0, min(start - PASSAGE_TOKENS // 3, count - PASSAGE_TOKENS))
        return low, min(count, low + PASSAGE_TOKENS)

    def _changed(self, question: str, names: Sequence[str]) -> Iterator[str]:
        """The question with a name or number of the same article in place of another, or a word's opposite: what a
        passage that answers the question does not state."""
        rand = self.random
        spans = list(_NUMBER_OR_NAME.finditer(question))
        if spans and rand.random() < 0.8:
            match = rand.choice(spans)
            digits = match.group()[0].isdigit()
            others = [
                name
                for name in names
                if name[0].isdigit() == digits and name.lower() not in question.lower() and name not in match.group()
            ]
            if others:
                yield question[: match.start()] + rand.choice(others) + question[match.end() :]
        asks = _ASKS.match(question)
        if asks and rand.random() < 0.25:
            yield (
                rand.choice([word for word in _OTHERS if word.lower() != asks.group().lower()]) + question[asks.end() :]
            )
        words = question.split(" ")
        known = [k for k, word in enumerate(words) if word.lower() in _OPPOSITES]
        if known and rand.random() < 0.8:
            k = rand.choice(known)
            yield " ".join([*words[:k], _OPPOSITES[words[k].lower()], *words[k + 1 :]])

    def _roughened(self, question: str) -> str:
        """As people type: some words only, small letters, an error."""
        rand = self.random
        kind = rand.random()
        if kind < 0.45:
            words = [word.strip("?,.") for word in question.split() if word.lower().strip("?,.") not in _STOP]
            if len(words) >= 2:
                return " ".join(words) if rand.random() < 0.5 else " ".join(words).lower()
        if kind < 0.7:
            return question.rstrip("?").lower()
        letters = list(question)
        if len(letters) < 4:
            return question
        for _ in range(rand.choice((1, 1, 2))):
            k = rand.randrange(1, max(2, len(letters) - 2))
            if rand.random() < 0.5:
                letters[k - 1 : k + 1] = reversed(letters[k - 1 : k + 1])
            else:
                del letters[k]
        return "".join(letters)


def _tokens_of(tokens: PieceTokens, start: int, end: int) -> tuple[int, int]:
    """The tokens that the code points [start, end) touch."""
    first = int(np.searchsorted(tokens.ends, start, side="right"))
    last = int(np.searchsorted(tokens.starts, end, side="left"))
    return first, max(last, first + 1)
