"""Quotes from files in twenty encodings: each is exactly the bytes of its source at the place that is given for it.

``python -m tests.soak.encodings --n 4000`` writes so many notes, the same number in each encoding, asks for the one
numbered sentence of each, and cites what is found. It prints one JSON line. A place is right if the characters that an
independent account of the file (`tests.soak.encoded_texts`) has there are the quote, if line and column are those of
this account, and if encoding, hash and "guessed" are those of the bytes. It exits with 1 if one was wrong, if a
sentence was not found, or if a text with a NUL was quoted; and if one of two readers that are broken on purpose (one
takes all bytes for UTF-8, one guesses by statistics) passed the same judge.
"""

from __future__ import annotations

import hashlib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.corpus.corpus_rules import ANYWHERE, CorpusRules
from lens_lsp.memory.sources import Sources
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.documents import Evidence, Findings, SkipReason
from tests.soak.encoded_texts import KINDS, LINE_END, Kind, Written, documents
from tests.soak.harness import Options, Verdict, harness

BATCH = 50
"""Notes of one folder."""
PASSAGES = 3
"""That are asked for; each is judged."""
CANDIDATES = ("cp1252", "cp1250", "koi8-r", "iso8859-7", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr")
"""What the reader that guesses chooses from."""

Reader = Callable[[bytes], tuple[str, str]]
"""Bytes to a text and the name of its encoding."""


@dataclass(frozen=True)
class Given:
    """A quote and what was said about its place."""

    quote: str
    start: int
    end: int
    position: tuple[int, int]
    encoding: str
    guessed: bool
    sha256: str


@dataclass
class Tally:
    """What came of a number of notes."""

    documents: int = 0
    quotes: int = 0
    guessed: int = 0
    left_out: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def judge(self, written: Written, given: Given) -> bool:
        """Judge one quote; whether it holds the sentence that was looked for."""
        self.quotes += 1
        self.guessed += given.guessed
        self.wrong += [f"{written.kind.name}: {each}: {given.quote[:60]!r}" for each in faults(written, given)]
        if given.end > len(written.units):
            return False
        first, last = (written.offsets[at] for at in written.wanted)
        return written.offsets[given.start] <= first and last <= written.offsets[given.end]


def faults(written: Written, given: Given) -> list[str]:
    """What is not so of what was said about a quote."""
    if not written.text_file:
        return ["what is no text is quoted"]
    if not 0 <= given.start < given.end <= len(written.units):
        return ["its place is outside of the file"]
    first, last = written.offsets[given.start], written.offsets[given.end]
    there = written.units[given.start : given.end]
    found = []
    if "".join(character for _, character in there) != given.quote:
        found.append(f"the bytes {first} to {last} are something else")
    if given.encoding == written.codec and written.data[first:last].decode(given.encoding, "replace") != given.quote:
        found.append("the bytes there do not decode to it")
    if given.position != written.position(given.start):
        found.append(f"it is at {written.position(given.start)}, not at {given.position}")
    if given.encoding != written.codec:
        found.append(f"the file is {written.codec}, not {given.encoding}")
    if given.guessed != written.guessed:
        found.append(f"guessed is {given.guessed}")
    if given.sha256 != hashlib.sha256(written.data).hexdigest():
        found.append("the hash is that of other bytes")
    return found


def given(item: Evidence) -> Given:
    """Evidence as the judge takes it."""
    start, origin = item.start, item.origin
    return Given(
        item.quote,
        item.span.start,
        item.span.end,
        (start.line, start.column),
        origin.encoding,
        origin.guessed,
        origin.sha256,
    )


def asked(base: Path, kind: Kind, batch: Sequence[Written], tally: Tally) -> None:
    """Write notes of one kind into a folder of their own and ask for the sentence of each."""
    for written in batch:
        (base / written.path).write_bytes(written.data)
        if not written.is_sound():
            raise RuntimeError(f"the account of a text in {kind.name} is wrong")
    rules = CorpusRules(fallback_encoding=kind.fallback)
    lens, known = Lens([base], rules=rules), {written.path: written for written in batch}
    with Sources(ANYWHERE, rules=rules) as sources:
        for written in batch:
            tally.documents += 1
            tally.kinds[kind.name] += 1
            found = lens.find(Request(written.text[slice(*written.wanted)], limit=PASSAGES))
            holds = False
            for item in found.evidence:
                holds |= tally.judge(known[item.path], given(item)) and item.path == written.path
                cited(base, sources, known[item.path], item, tally)
            looked(written, found, tally, holds=holds)


def looked(written: Written, found: Findings, tally: Tally, *, holds: bool) -> None:
    """Whether a sentence was found, or its file left out for what it is."""
    if written.text_file:
        if not holds:
            tally.wrong.append(f"{written.kind.name}: its sentence was not found: {written.path}")
        return
    tally.left_out += 1
    reasons = [skip.reason for skip in found.coverage.skipped if skip.path == written.path]
    if reasons != [SkipReason.BINARY]:
        tally.wrong.append(f"{written.kind.name}: {written.path} is said to be {reasons}")


def cited(base: Path, sources: Sources, written: Written, item: Evidence, tally: Tally) -> None:
    """Cite evidence and check the citation: it must stand, at the same bytes."""
    citation = sources.record(item, str(base))
    checked, at = sources.check(citation, str(base))
    if checked.state is not CitationState.VERIFIED or checked.span is None or at is None:
        tally.wrong.append(f"{written.kind.name}: its citation is {checked.state}: {checked.why}")
        return
    again = Given(
        citation.quote,
        checked.span.start,
        checked.span.end,
        (at.line, at.column),
        citation.encoding,
        item.origin.guessed,
        checked.sha256 or "",
    )
    tally.judge(written, again)


def run(n: int, seed: int = 1, reader: Reader | None = None) -> Tally:
    """``n`` notes, the same number of each kind at least; with a reader these are read by that, and not by us."""
    rng, tally = random.Random(seed), Tally()
    share = max(1, n // len(KINDS))
    for place, kind in enumerate(KINDS):
        for first in range(0, share, BATCH):
            count = min(BATCH, share - first)
            batch = list(documents(rng, kind, count, 100_000 * (place + 1) + first))
            if reader is not None:
                misread(reader, batch, tally)
                continue
            with tempfile.TemporaryDirectory() as folder:
                asked(Path(folder).resolve(), kind, batch, tally)
    return tally


def misread(reader: Reader, batch: Sequence[Written], tally: Tally) -> None:
    """What a reader that is broken says about the line that is looked for, before the same judge."""
    for written in (each for each in batch if each.text_file):
        tally.documents += 1
        text, encoding = reader(written.data)
        starts = [0, *(match.end() for match in LINE_END.finditer(text)), len(text)]
        start, end = starts[min(written.line, len(starts) - 2)], starts[min(written.line + 1, len(starts) - 1)]
        quote = text[start:end].rstrip("\r\n")
        position = len(LINE_END.split(text[:start])), 1
        digest = hashlib.sha256(written.data).hexdigest()
        tally.judge(written, Given(quote, start, start + len(quote), position, encoding, written.guessed, digest))


def all_utf_8(data: bytes) -> tuple[str, str]:
    """A control: everything is UTF-8, and what is none is replaced."""
    return data.decode("utf-8", "replace"), "utf-8"


def by_statistics(data: bytes) -> tuple[str, str]:
    """A control: UTF-8 if it is that, else the encoding in which most of the characters are letters."""
    readings = []
    for encoding in ("utf-8", *CANDIDATES):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8":
            return text, encoding
        readings.append((sum(map(str.isalpha, text)) / len(text), encoding, text))
    _, encoding, text = max(readings, default=(0.0, "latin-1", data.decode("latin-1")))
    return text, encoding


@harness(n=4_000, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.n, options.seed)
    share = max(200, options.n // 10)
    controls = {reader.__name__: len(run(share, options.seed, reader).wrong) for reader in (all_utf_8, by_statistics)}
    row = {
        "n": tally.documents,
        "encodings": len(tally.kinds),
        "quotes": tally.quotes,
        "guessed": tally.guessed,
        "binary": tally.left_out,
        "wrong": tally.wrong,
        "controls": controls,
    }
    whole = len(tally.kinds) == len(KINDS) and tally.guessed and tally.left_out
    return row, whole and not tally.wrong and all(controls.values())


if __name__ == "__main__":
    sys.exit(main())
