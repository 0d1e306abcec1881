"""Citations whose source is edited in an editor: is their place ever the wrong one, and how often is it lost?

``python -m tests.soak.open_source_edits --n 4000`` plays so many sessions of up to 12 edits on an open text, and after
each edit looks the citation up as the server does: through the editor's changes, and by its words where these touched
it. Every character has an identity that survives edits, copies and undo, so a judge knows where the cited characters
are. In three of ten texts half of the sentences are the same few. It prints one JSON line, and exits with 1 if a
citation ever stands anywhere else; if one that the changes left alone is not found; or if the control, the first
occurrence of the words, is never wrong. ``byWords`` is what looking by the words alone came to.

A place is the right one when most of its characters are the cited ones, each where it was. Not all have to be: who
deletes ``ember. Ferry.`` but for its first sentence may have done so from full stop to full stop (``retold``). Words
that stood once and stand once now, after somebody destroyed them and wrote them again, are what is cited (``anew``).

Following changes alone (``followed``) loses for good what was touched once, also when the user takes it back, cuts and
pastes, or a formatter sends the text whole.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import eq
from pathlib import Path

from lsprotocol import types

from lens_lsp.corpus.corpus_rules import ANYWHERE, CorpusRules
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.lsp.locations import Encoding, Ranges
from lens_lsp.lsp.open_documents import TextDocument
from lens_lsp.memory.citations import record
from lens_lsp.memory.sources import Sources
from lens_lsp.model.cluster import Citation
from lens_lsp.model.text import Span
from tests.soak.harness import Options, Verdict, harness

MOST_EDITS = 12
_ENCODING = Encoding.Utf16
_WORDS = ("amber", "bridge", "canal", "delta", "ember", "ferry", "gable", "harbour", "island", "jetty", "kiln", "mill")
_STOCK = [f"The {each} is inspected once a year by the board." for each in _WORDS[:3]]

Finder = Callable[[Citation, "Session", str], Span | None]


@dataclass(frozen=True, slots=True)
class Typed:
    """A text with an identity for each of its characters; a copy has that of the original."""

    text: str
    ids: tuple[int, ...]

    def spliced(self, where: Span, new: Typed) -> Typed:
        start, end = where.start, where.end
        return Typed(self.text[:start] + new.text + self.text[end:], (*self.ids[:start], *new.ids, *self.ids[end:]))

    def part(self, where: Span) -> Typed:
        return Typed(self.text[where.start : where.end], self.ids[where.start : where.end])

    def holds(self, cited: tuple[int, ...]) -> bool:
        """Whether the cited characters stand together somewhere."""
        first = cited[0]
        at = -1
        while first in self.ids[at + 1 :]:
            at = self.ids.index(first, at + 1)
            if self.ids[at : at + len(cited)] == cited:
                return True
        return False


@dataclass
class Tally:
    """What came of all looks."""

    looks: int = 0
    whole: int = 0
    """Looks at which the cited characters stood together."""
    found: int = 0
    """Of these, those that were found."""
    followed: int = 0
    """Of these, those that no change had touched."""
    lost: int = 0
    """Of those that no change had touched, those that were not found."""
    by_edit: Counter[str] = field(default_factory=Counter)
    """By kind of the last edit: whole, found and followed."""
    retold: int = 0
    anew: int = 0
    wrong: list[str] = field(default_factory=list)

    def take(self, session: Session, found: Span | None, followed: Span | None, kind: str) -> None:
        now, cited = session.now, session.cited
        whole = now.holds(cited)
        self.looks += 1
        self.whole += whole
        if found is not None:
            same = sum(map(eq, now.ids[found.start : found.end], cited))
            if 2 * same > len(cited):
                self.retold += same < len(cited)
            elif session.once and now.text.count(now.text[found.start : found.end]) == 1:
                self.anew += 1
            else:
                self.wrong.append(f"after {kind}: {now.text[found.start : found.end]!r} at {found.start}")
        if followed is not None and now.ids[followed.start : followed.end] != cited:
            self.wrong.append(f"after {kind}: followed to {now.text[followed.start : followed.end]!r}")
        if whole:
            self.found += found is not None
            self.followed += followed is not None
            self.lost += followed is not None and found is None
            counts = {"whole": True, "found": found is not None, "followed": followed is not None}
            self.by_edit.update({f"{kind} {name}": int(count) for name, count in counts.items()})


class Session:
    """One user at one open text."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._next = 0
        alike = draw.random() < 0.3
        sentences = [self._sentence(alike=alike) for _ in range(draw.randrange(8, 40))]
        parts = [each + draw.choice((" ", "\n", "\n\n")) for each in sentences]
        self.now = self.new("".join(parts))
        at = draw.randrange(len(sentences))
        start = sum(len(each) for each in parts[:at])
        self.span = Span(start, start + len(sentences[at]))
        self.cited = self.now.ids[self.span.start : self.span.end]
        self.once = self.now.text.count(sentences[at]) == 1
        self._undone: list[tuple[Span, Typed]] = []
        self._opened = self.now.text
        self.document = TextDocument(types.TextDocumentItem("", "markdown", 1, self.now.text), _ENCODING)
        """As the server holds it."""

    @property
    def followed(self) -> Span | None:
        """The cited span, through the changes alone."""
        if self.document.history is None:
            return self.span if self.now.text == self._opened else None
        return self.document.history.followed(self.span)

    def new(self, text: str) -> Typed:
        first, self._next = self._next, self._next + len(text)
        return Typed(text, tuple(range(first, self._next)))

    def edit(self) -> str:
        """Edit once; how."""
        kind = self._draw.choice(("type", "type", "type", "delete", "replace", "undo", "undo", "cut", "copy", "format"))
        if kind == "undo":
            if self._undone:
                self._change(*self._undone.pop())
        elif kind in ("cut", "copy"):
            where = self._some(200)
            moved = self.now.part(where)
            if kind == "cut":
                self._do(where, self.new(""))
            at = self._draw.randrange(len(self.now.text) + 1)
            self._do(Span(at, at), moved)
        elif kind == "format":
            shorter = self.now
            at = shorter.text.find("\n\n")
            if at >= 0:
                shorter = shorter.spliced(Span(at, at + 1), self.new(""))
            self._do(Span(0, len(self.now.text)), shorter)
        else:
            where = self._some(0 if kind == "type" else 30)
            text = "" if kind == "delete" else self._draw.choice((" ", "😀", "\n", self._sentence(alike=True)))
            self._do(where, self.new(text))
        assert self.document.text == self.now.text
        return kind

    def _some(self, most: int) -> Span:
        start = self._draw.randrange(len(self.now.text) + 1)
        return Span(start, min(start + self._draw.randrange(most + 1), len(self.now.text)))

    def _do(self, where: Span, new: Typed) -> None:
        self._undone.append((Span(where.start, where.start + len(new.text)), self.now.part(where)))
        self._change(where, new)

    def _change(self, where: Span, new: Typed) -> None:
        whole = where == Span(0, len(self.now.text))
        self.document.change(new.text, None if whole else Ranges(self.now.text, _ENCODING).range(where))
        self.now = self.now.spliced(where, new)

    def _sentence(self, *, alike: bool) -> str:
        if alike and self._draw.random() < 0.5:
            return self._draw.choice(_STOCK)
        return " ".join(self._draw.choice(_WORDS) for _ in range(self._draw.randrange(3, 12))) + "."


def served(citation: Citation, session: Session, path: str) -> Span | None:
    """As the server looks: the open text, with what the editor did to it, wins over the disk."""
    return _checked(citation, Buffer(path, session.document.text, 2, session.document.history))


def by_words(citation: Citation, session: Session, path: str) -> Span | None:
    """The same without what the editor did."""
    return _checked(citation, Buffer(path, session.document.text, 2))


def _checked(citation: Citation, buffer: Buffer) -> Span | None:
    with Sources(ANYWHERE, buffers={buffer.path: buffer}) as sources:
        return sources.check(citation, str(Path(buffer.path).parent))[0].span


def first_occurrence(citation: Citation, session: Session, _path: str) -> Span | None:
    """A control: whatever comes first is it."""
    at = session.now.text.find(citation.quote)
    return None if at < 0 else Span(at, at + len(citation.quote))


def run(sessions: int, seed: int, finder: Finder = served) -> Tally:
    draw = random.Random(seed)
    tally = Tally()
    with tempfile.TemporaryDirectory() as base:
        path = Path(base).resolve() / "source.txt"
        for _ in range(sessions):
            session = Session(draw)
            path.write_bytes(session.now.text.encode())
            with Root(str(path.parent)) as root:
                document = Snapshot([root], {}, CorpusRules()).document(0, path.name)
            citation = record(document, session.span, root=".")
            for _ in range(draw.randrange(1, MOST_EDITS + 1)):
                kind = session.edit()
                tally.take(session, finder(citation, session, str(path)), session.followed, kind)
    return tally


@harness(n=4_000, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.n, options.seed)
    words = run(options.n, options.seed, by_words)
    control = run(max(100, options.n // 20), options.seed, first_occurrence)
    return {
        "n": tally.looks,
        "bad": len(tally.wrong) + tally.lost,
        "whole": tally.whole,
        "found": tally.found,
        "followed": tally.followed,
        "retold": tally.retold,
        "anew": tally.anew,
        "byEdit": dict(sorted(tally.by_edit.items())),
        "wrong": tally.wrong,
        "byWords": {"found": words.found, "lost": words.lost, "bad": len(words.wrong)},
        "controlN": control.looks,
        "controlBad": len(control.wrong),
    }, control.wrong


if __name__ == "__main__":
    sys.exit(main())
