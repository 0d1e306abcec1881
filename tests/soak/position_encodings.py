"""Places of quotes as clients count them: cut out by an independent client, each range gives back its quote.

``python -m tests.soak.position_encodings --n 100000`` writes notes with astral and combining characters and all kinds
of line ends, cites so many quotes of them, has the server's own code say where each citation stands, in UTF-8, UTF-16
and UTF-32, and gives texts and ranges to node, whose strings are UTF-16 (``--without-node`` has Python's codecs cut, in
its place). It prints one JSON line and exits with 1 if a range cut out anything but the quote, or did not lead back to
its span; and if ranges that take code points for UTF-16 units passed.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot, overlay
from lens_lsp.lsp.lens_ask import places_of
from lens_lsp.lsp.locations import Encoding, Ranges
from lens_lsp.memory.citations import record
from lens_lsp.model.text import Span
from tests.lsp.test_lsp_locations import ALPHABET, CODES
from tests.soak.harness import Options, Verdict, harness
from tests.soak.node import Node

QUOTES = 50
"""Of one note."""
ENCODINGS = tuple(Encoding)
COMPOSED = ("👩\u200d👩\u200d👧", "🇩🇪", "e\u0301\u0323", "\u1112\u1161\u11ab", "☂\ufe0f", "\U0010fffd")
LETTERS = (*"abcdefgh ., ", *ALPHABET, *COMPOSED)
LINE_END = re.compile(r"\r\n|\r|\n")
MARK = b"\xef\xbb\xbf"
# A place beyond the content of its line is no place: nothing is moved to where it might have been meant.
DRIVER = """
const views = {
  'utf-8': text => {
    const bytes = Buffer.from(text);
    return { size: bytes.length, at: i => bytes[i], cut: (from, to) => bytes.subarray(from, to).toString() };
  },
  'utf-16': text => ({ size: text.length, at: i => text.charCodeAt(i), cut: (from, to) => text.slice(from, to) }),
  'utf-32': text => {
    const points = Array.from(text);
    const at = i => points[i].codePointAt(0);
    return { size: points.length, at, cut: (from, to) => points.slice(from, to).join('') };
  },
};
const linesOf = ({ size, at }) => {
  const lines = [];
  for (let start = 0, i = 0; i <= size; i++) {
    if (i < size && at(i) !== 13 && at(i) !== 10) continue;
    lines.push([start, i]);
    if (i + 1 < size && at(i) === 13 && at(i + 1) === 10) i++;
    start = i + 1;
  }
  return lines;
};
const answered = ({ text, ranges }) => Object.fromEntries(Object.entries(ranges).map(([encoding, all]) => {
  const view = views[encoding](text), lines = linesOf(view);
  const offset = (line, character) => {
    const [start, end] = lines[line] ?? [0, -1];
    return start + character > end ? NaN : start + character;
  };
  return [encoding, all.map(([line, character, lastLine, lastCharacter]) => {
    const from = offset(line, character), to = offset(lastLine, lastCharacter);
    return Number.isNaN(from + to) ? null : view.cut(from, to);
  })];
}));
"""

Ranged = Mapping[str, Sequence[Sequence[int]]]
"""By encoding: line, character, last line, last character, from 0."""
Client = Callable[[str, Ranged], Mapping[str, Sequence[str | None]]]
"""Cuts ranges out of a text; None for one that is none."""


@dataclass
class Tally:
    """What came of a number of quotes."""

    quotes: int = 0
    ranges: int = 0
    wide: int = 0
    """Quotes with a character of more than one UTF-16 unit in them or before them in their line."""
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Note:
    """A text and the spans that are quoted from it."""

    text: str
    spans: Sequence[Span]
    mark: bool
    """Its file begins with a byte order mark, which is no part of the text."""
    open: bool
    """An editor shows it; on the disk lies something else."""


def notes(rng: random.Random, quotes: int) -> Iterator[Note]:
    """Texts and spans in them; none begins or ends between the two halves of a line end, where no place is."""
    while quotes > 0:
        text = "".join(rng.choices(LETTERS, k=rng.randrange(100, 1_500)))
        places = [at for at in range(len(text) + 1) if text[at - 1 : at + 1] != "\r\n"]
        spans: set[Span] = set()
        while len(spans) < min(quotes, QUOTES):
            first = rng.randrange(len(places) - 1)
            last = min(first + rng.choice((1, 3, 20, 200)), len(places) - 1)
            spans.add(Span(places[first], places[last]))
        quotes -= len(spans)
        yield Note(text, sorted(spans), mark=rng.random() < 0.3, open=rng.random() < 0.5)


def ranged(folder: Path, note: Note, tally: Tally) -> dict[str, list[list[int]]]:
    """Where the server says that citations of a note's spans stand, by encoding; empty if one stands nowhere."""
    path = folder / "note.txt"
    path.write_bytes(MARK * note.mark + ("" if note.open else note.text).encode())
    rules, buffers = CorpusRules(), {str(path): Buffer(str(path), note.text)} if note.open else {}
    with Root(str(folder)) as root:
        document = Snapshot([root], overlay([root], buffers), rules).document(0, path.name)
    cited = {n: record(document, span, root=str(folder)) for n, span in enumerate(note.spans)}
    found = {}
    for encoding in ENCODINGS:
        places = places_of(cited, rules, buffers, encoding)
        if len(places) < len(cited):
            tally.wrong.append(f"{len(cited) - len(places)} citations stand nowhere in {note.text[:100]!r}")
            return {}
        ranges = [places[n].range for n in range(len(cited))]
        back = Ranges(note.text, encoding)
        for span, each in zip(note.spans, ranges, strict=True):
            if back.span(each.start, each.end) != span:
                tally.wrong.append(f"{encoding.value}: {each} leads to {back.span(each.start, each.end)}, not {span}")
        found[encoding.value] = [
            [each.start.line, each.start.character, each.end.line, each.end.character] for each in ranges
        ]
    return found


def judged(note: Note, ranges: Ranged, client: Client, tally: Tally) -> None:
    """Have the client cut the ranges out of the text, and compare."""
    quotes = [note.text[span.start : span.end] for span in note.spans]
    cut = client(note.text, ranges)
    for encoding, pieces in cut.items():
        tally.ranges += len(pieces)
        for quote, piece, place in zip(quotes, pieces, ranges[encoding], strict=True):
            if piece != quote:
                tally.wrong.append(f"{encoding}: {place} is {piece!r}, not {quote!r}"[:300])
    tally.quotes += len(quotes)
    for span in note.spans:
        lines = note.text[: span.start].rpartition("\n")[2] + note.text[span.start : span.end]
        tally.wide += any(each > "\uffff" for each in lines)


def by_codecs(text: str, ranges: Ranged) -> dict[str, list[str | None]]:
    """A client in Python: the lines as bytes of an encoding, cut there."""
    lines = [(0, 0), *(match.span() for match in LINE_END.finditer(text)), (len(text), len(text))]
    contents = [(lines[at - 1][1], lines[at][0]) for at in range(1, len(lines))]
    found: dict[str, list[str | None]] = {}
    for encoding, all_of in ranges.items():
        code = CODES[encoding][0]
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        starts = [len(text[:start].encode(code)) for start, _ in contents]
        ends = [len(text[:end].encode(code)) for _, end in contents]
        data = text.encode(code)
        found[encoding] = pieces = []
        for first, character, last, beyond in all_of:
            start, end = starts[first] + character * width, starts[last] + beyond * width
            held = start <= ends[first] and end <= ends[last]
            pieces.append(data[start:end].decode(code, "replace") if held else None)
    return found


def in_node(node: Node) -> Client:
    """Node as the client."""

    def client(text: str, ranges: Ranged) -> Mapping[str, Sequence[str | None]]:
        found: dict[str, Any] = node.answer({"text": text, "ranges": ranges})
        return found

    return client


def run(n: int, seed: int, client: Client, *, control: bool = False) -> Tally:
    """``n`` quotes in the three encodings; as a control code points are given out as UTF-16."""
    tally, rng = Tally(), random.Random(seed)
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base).resolve()
        for note in notes(rng, n):
            ranges = ranged(folder, note, tally)
            if ranges:
                judged(note, {"utf-16": ranges["utf-32"]} if control else ranges, client, tally)
    return tally


@harness(n=100_000, seed=1, without_node=False)
def main(options: Options) -> Verdict:
    with nullcontext() if options.without_node else Node(DRIVER) as node:
        client = by_codecs if node is None else in_node(node)
        tally = run(options.n, options.seed, client)
        control = run(max(200, options.n // 100), options.seed, client, control=True)
    return {
        "n": tally.ranges,
        "quotes": tally.quotes,
        "wide": tally.wide,
        "client": "codecs" if options.without_node else "node",
        "wrong": tally.wrong,
        "controlBad": len(control.wrong),
    }, tally.ranges == len(ENCODINGS) * options.n and tally.wide and control.wrong


if __name__ == "__main__":
    sys.exit(main())
