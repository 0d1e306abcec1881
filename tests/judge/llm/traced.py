"""Folders in which every word is unique, so that each one in a request can be traced to its place in a file.

The check knows nothing of fences and prompts: it looks for words in whatever was sent, and for their places in the
spans that the ledger lists.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lens_lsp.judge.llm.chat_model import ChatRequest, Message, Role
from lens_lsp.model.answer import Sent
from tests.judge.llm.chat_session import PLAN, reading, regions_of, stage_of

WORD = re.compile(r"zq[a-y]{5}")
_LETTERS = "abcdefghijklmnopqrstuvwxy"
_ABOUT = ("the bridge at Arlen", "was opened", "bridge", "Arlen", "opened", "in 1931")
_UNSEEN = ("\u200b", "\u2060", "\U000e0041")


@dataclass(frozen=True)
class Place:
    """Where a traced word stands; ``seen`` unless it is part of hidden markup or of a secret."""

    root: int
    path: str
    start: int
    end: int
    seen: bool


@dataclass
class Traced:
    """The folders of a workspace, and where each word stands."""

    roots: list[Path]
    places: dict[str, Place] = field(default_factory=dict)

    def unlisted(self, bodies: Iterable[str], sent: Sequence[Sent]) -> list[str]:
        """The words of documents in some request that lie in no listed span."""
        found = {word for body in bodies for word in WORD.findall(body)}
        return sorted(word for word in found if not self._listed(self.places[word], sent))

    def unfound(self, bodies: Iterable[str], sent: Sequence[Sent]) -> list[str]:
        """The listed spans that hold a word which no request holds, or no word that could be seen."""
        found = {word for body in bodies for word in WORD.findall(body)}
        bad = []
        for span in dict.fromkeys(sent):
            inside = [word for word, place in self.places.items() if place.seen and self._listed(place, [span])]
            if not inside or not found.issuperset(inside):
                bad.append(f"{span.root}:{span.path} {span.span}")
        return bad

    def _listed(self, place: Place, sent: Sequence[Sent]) -> bool:
        return any(
            (one.root, one.path) == (place.root, place.path)
            and one.span.start <= place.start
            and place.end <= one.span.end
            for one in sent
        )


class _Writer:
    """Writes one file word by word."""

    def __init__(self, traced: Traced, root: int, path: str, words: Iterable[str], rng: random.Random) -> None:
        self._traced, self._root, self._path, self._words, self._rng = traced, root, path, words, rng
        self._parts: list[str] = []
        self._size = 0

    def raw(self, text: str) -> None:
        self._parts.append(text)
        self._size += len(text)

    def words(self, count: int, *, seen: bool = True, between: str = " ", plain: bool = False) -> None:
        """Traced words with some about the question between them."""
        rng = self._rng
        for number in range(count):
            word = next(iter(self._words))
            start = self._size
            veiled = not plain and rng.random() < 0.05
            self.raw(word[:3] + rng.choice(_UNSEEN) + word[3:] if veiled else word)
            self._traced.places[word] = Place(self._root, self._path, start, self._size, seen)
            if not plain and rng.random() < 0.4:
                self.raw(f" {rng.choice(_ABOUT)}")
            if number + 1 < count:
                self.raw(between)

    def save(self) -> None:
        file = self._traced.roots[self._root] / self._path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes("".join(self._parts).encode())


def _sentences(out: _Writer, rng: random.Random, count: int) -> None:
    for _ in range(count):
        out.words(rng.randint(3, 14))
        kind = rng.randrange(12)
        if kind == 0:
            out.raw(" [")
            out.words(1, plain=True)
            out.raw("](https://example.org/")
            out.words(1, seen=False, plain=True)
            out.raw(")")
        elif kind == 1:
            out.raw(" **")
            out.words(2, plain=True)
            out.raw("**")
        elif kind == 2:
            out.raw(" password: ")
            out.words(1, seen=False, plain=True)
            out.raw("A7x9Q2 ")
        out.raw(rng.choice((". ", "! ", ".\n", " — ")))


def _markdown(out: _Writer, rng: random.Random) -> None:
    if rng.random() < 0.4:
        quoted = rng.choice(("", '"', "'"))
        out.raw(f"---\ntitle: {quoted}")
        out.words(2, plain=True, between=rng.choice((" ", "  ", " ''", ' \\"')) if quoted else " ")
        out.raw(f"{quoted}\ntags: [")
        out.words(2, plain=True, between=", ")
        out.raw("]\n---\n")
    for _ in range(rng.randint(1, 4)):
        out.raw("#" * rng.randint(1, 3) + " ")
        if rng.random() < 0.3:
            out.raw("**")
            out.words(1, plain=True)
            out.raw("** & &amp; ")
        out.words(2, plain=True)
        out.raw("\n\n")
        _sentences(out, rng, rng.randint(1, 9))
        out.raw("\n\n")
        if rng.random() < 0.4:
            out.raw("| ")
            out.words(3, between=" | ", plain=True)
            out.raw(" |\n|---|---|---|\n")
            for _ in range(rng.randint(1, 30)):
                out.raw("| ")
                out.words(3, between=" | ")
                out.raw(" |\n")
            out.raw("\n")
        if rng.random() < 0.3:
            for _ in range(rng.randint(1, 6)):
                out.raw("- ")
                out.words(rng.randint(1, 9))
                out.raw("\n")
            out.raw("\n")


def _plain(out: _Writer, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 6)):
        _sentences(out, rng, rng.randint(1, 8))
        out.raw(rng.choice(("\r\n\r\n", "\n\n")))


def _table(out: _Writer, rng: random.Random) -> None:
    for _ in range(rng.randint(2, 60)):
        out.words(3, between=",", plain=rng.random() < 0.5)
        out.raw("\n")


_KINDS: tuple[tuple[str, Callable[[_Writer, random.Random], None]], ...] = (
    ("md", _markdown),
    ("md", _markdown),
    ("txt", _plain),
    ("csv", _table),
)


def traced(base: Path, seed: int, *, roots: int = 2) -> Traced:
    """A workspace of some folders, in which the same names occur."""
    rng = random.Random(seed)
    words = ("zq" + "".join(letters) for letters in itertools.product(_LETTERS, repeat=5))
    made = Traced([base / f"root-{number}" for number in range(roots)])
    for root in range(roots):
        for number in range(rng.randint(1, 8)):
            kind, write = rng.choice(_KINDS)
            out = _Writer(made, root, rng.choice((f"{number}.{kind}", f"deep/{number}.{kind}")), words, rng)
            write(out, rng)
            out.save()
    return made


def replies(seed: int) -> Callable[[dict[str, Any]], str]:
    """A model that quotes what it is shown, never enough, and repeats words of it wherever it may."""
    rng = random.Random(seed)

    def reply(asked: dict[str, Any]) -> str:
        request = ChatRequest(tuple(Message(Role(one["role"]), one["content"]) for one in asked["messages"]), 1)
        stage = stage_of(request)
        if stage in ("anchors", "decompose", "analyse"):
            return json.dumps({**PLAN, "anchors": ["opening"]})
        found = []
        for number, text in regions_of(request).items():
            lines = [line for line in re.split(r"(?<=[.!]) |\n", text) if len(line.split()) > 2]
            if lines and rng.random() < 0.3:
                quote = rng.choice(lines)
                found.append({"region": number, "fact": "f1", "verdict": "partial", "quote": quote, "value": None})
        words = WORD.findall("".join(regions_of(request).values()))
        told = rng.sample(words, min(2, len(words)))
        if stage == "widen":
            return json.dumps({"terms": ["bridge", "Arlen"]})
        if stage == "read":
            quotes = [(one["region"], one["quote"]) for one in found]
            missing = [f"what {' '.join(told)} means"]
            return reading(rng.choice(("partly", "no")), quotes, "It was so [1].", missing=missing, terms=told)
        terms = [{"fact": "f1", "words": told}]
        if stage == "synthesise":
            return f"It was so, says {' '.join(words[:3])} [1]."
        if stage == "calibrate":
            return '{"short": null}'
        return json.dumps({"found": found, "unproven": ["f1"], "terms": terms})

    return reply
