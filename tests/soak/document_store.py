"""The store of documents' texts among kills, two writers, full disks and damaged files: a text is as it was put, or not
there.

``python -m tests.soak.document_store --n 240`` makes as many stores, to each of which one of four things happens, and
reads all of each afterwards: texts with their gists and structures, recognised pages, hashes. It prints one JSON line
and exits with 1 if one of them is another than was put, if one that was acknowledged is gone after a kill or with a
full disk, if a store cannot be used afterwards, or if a store that is a file of lines was not caught by the same
harness.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from lens_lsp.corpus.document_store import NAME, DocumentStore
from lens_lsp.corpus.safe_open import Identity
from lens_lsp.documents.kinds import Extracted, ScannedLine, ScannedPage
from lens_lsp.model.documents import Block, BlockKind, Heading, LocatorMap, Structure
from lens_lsp.model.text import Span
from tests.memory import corruption
from tests.memory.corruption import Corruption
from tests.soak.harness import Options, Verdict, harness

READER = "pdf/1"
TEXTS = 12
KILLED_AFTER = 20
"""Texts that a writer acknowledges before it is killed, at most."""
DAMAGES: tuple[Corruption, ...] = (
    corruption.flipped_bits,
    corruption.overwritten,
    corruption.lost_sector,
    corruption.header_hit,
    corruption.page_header_hit,
    corruption.truncated,
    corruption.swapped_pages,
    corruption.old_pages,
    corruption.nothing_left,
    corruption.made_up_journal,
    corruption.untouched,
    corruption.rewritten,
)
WRITER = """
import sys
from pathlib import Path
from tests.soak.document_store import DocumentStore, put
store = DocumentStore(Path(sys.argv[1]))
for n in range(int(sys.argv[2]), int(sys.argv[3]), 2):
    put(store, n)
    print(n, flush=True)
store.close()
"""


class Keeping(Protocol):
    """A store, as far as the harness uses it."""

    def put(self, reader: str, sha256: str, extracted: Extracted, first: int = 0) -> None: ...
    def extracted(self, reader: str, sha256: str) -> object: ...
    def put_page(self, reader: str, sha256: str, number: int, page: str | ScannedPage, count: int) -> None: ...
    def page(self, reader: str, sha256: str, number: int) -> object: ...
    def close(self) -> None: ...


class Lines:
    """The control: texts in a file of lines, which nobody checks."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._file = folder / NAME

    def put(self, reader: str, sha256: str, extracted: Extracted, first: int = 0) -> None:
        with self._file.open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{sha256} {first} {json.dumps(extracted.text)}\n")

    def extracted(self, reader: str, sha256: str) -> object:
        found = ""
        for line in self._file.read_text("utf-8", "replace").splitlines() if self._file.exists() else ():
            name, _, rest = line.partition(" ")
            if name == sha256:
                found += rest.partition(" ")[2].strip('"')
        return Extracted(found) if found else None

    def put_page(self, reader: str, sha256: str, number: int, page: str | ScannedPage, count: int) -> None: ...
    def page(self, reader: str, sha256: str, number: int) -> object: ...
    def close(self) -> None: ...


@dataclass
class Tally:
    """What came of a number of stores."""

    runs: int = 0
    acknowledged: int = 0
    gone: int = 0
    """Texts that damage cost."""
    bad: list[str] = field(default_factory=list)


def content(n: int) -> str:
    return f"{n:064x}"


def made(n: int, part: int = 0) -> Extracted:
    """A text of some thousand letters with headings, blocks and places; every third has two parts."""
    chance = random.Random(1000 * n + part)
    words = [f"word{chance.randrange(10_000)}" for _ in range(chance.choice([20, 200, 2000]))]
    text = f"Document {n}, part {part}\n\n" + " ".join(words)
    cut = text.index("\n")
    return Extracted(
        text,
        LocatorMap((0, cut), ({"page": 2 * part + 1}, {"page": 2 * part + 2})),
        Structure(
            headings=(Heading(span=Span(0, cut), level=1, text=f"Document {n}, part {part}"),),
            blocks=(Block(BlockKind.PARAGRAPH, Span(cut + 2, len(text))),),
        ),
        read=2 * part + 2 if n % 3 == 0 else 0,
        left=2 - 2 * part if n % 3 == 0 else 0,
    )


def scanned(n: int) -> ScannedPage:
    return ScannedPage(n % 4, 595.0, 842.0, (ScannedLine(f"line {n}", 1.0, 2.0, 30.0, 4.0, 0.9),) * (n % 40 + 1))


def put(store: Keeping, n: int) -> None:
    """Keep one document, and what was recognised on a page of it."""
    for part in range(2 if n % 3 == 0 else 1):
        store.put(READER, content(n), made(n, part), 2 * part)
    store.put_page(READER, content(n), 1, scanned(n), n + 1)


def read(store: Keeping, n: int, *, lax: bool) -> str | None:
    """What is wrong with what a store has of a document; None without anything, raises LookupError where it is gone.

    ``lax``: the second part of it may be missing.
    """
    found = store.extracted(READER, content(n))
    page = store.page(READER, content(n), 1)
    if found is None:
        raise LookupError(n)
    if page not in (None, (scanned(n), n + 1)):
        return "a page that nobody recognised"
    if not isinstance(found, Extracted):
        return f"{found}"
    parts = [made(n, part) for part in range(2 if n % 3 == 0 else 1)]
    whole = "\n\n".join(part.text for part in parts)
    if found.text != whole and not (lax and found.text == parts[0].text):
        return "another text"
    places = [place for part in parts for place in part.locators.locators][: len(found.locators.locators)]
    starts = [found.text.index(f"Document {n}, part {at}") for at in range(len(found.structure.headings))]
    if list(found.locators.locators) != places or [each.span.start for each in found.structure.headings] != starts:
        return "another structure"
    return None


def looked_at(
    store: Keeping, numbers: Sequence[int], name: str, tally: Tally, *, kept: bool, lax: bool = False
) -> None:
    """Read some documents; ``kept``: all of them must be there."""
    for n in numbers:
        try:
            wrong = read(store, n, lax=lax)
        except LookupError:
            tally.gone += 1
            wrong = "gone" if kept else None
        if wrong is not None:
            tally.bad.append(f"{name}: document {n}: {wrong}")


def used_again(store: Keeping, name: str, tally: Tally) -> None:
    """A store takes texts, whatever happened to it: the first one may set a damaged file aside."""
    for _ in range(2):
        put(store, 9999)
    looked_at(store, [9999], f"{name}, afterwards", tally, kept=True)


def damaged(folder: Path, seed: int, tally: Tally, opened: Callable[[Path], Keeping]) -> None:
    """One of the ways in which files are damaged."""
    store = opened(folder)
    for n in range(TEXTS):
        put(store, n)
        if n == TEXTS // 2:
            store.close()
            before = (folder / NAME).read_bytes()
    store.close()
    ways = DAMAGES if isinstance(store, DocumentStore) else DAMAGES[:3]  # the others are for SQLite's pages
    how = ways[seed // 4 % len(ways)]
    how(folder / NAME, before, random.Random(seed))
    store = opened(folder)
    name = f"seed {seed}, {how.__name__}"
    looked_at(store, range(TEXTS), name, tally, kept=how in corruption.HARMLESS, lax=True)
    used_again(store, name, tally)
    store.close()


def killed(folder: Path, seed: int, tally: Tally, opened: Callable[[Path], Keeping]) -> None:
    """Two processes write at once, one is killed at a moment of chance; what both acknowledged is there."""
    command = [sys.executable, "-c", WRITER, str(folder)]
    running = [
        subprocess.Popen([*command, str(at), str(most)], stdout=subprocess.PIPE, text=True)
        for at, most in ((0, 1_000_000), (1, 2 * TEXTS))
    ]
    assert running[0].stdout is not None
    wanted, done = random.Random(seed).randint(1, KILLED_AFTER), list[int]()
    while len(done) < wanted and (line := running[0].stdout.readline()):
        done.append(int(line))
    running[0].kill()
    done += map(int, running[0].communicate()[0].split())
    done += map(int, running[1].communicate(timeout=120)[0].split())
    tally.acknowledged += len(done)
    store = opened(folder)
    looked_at(store, done, f"seed {seed}, killed", tally, kept=True)
    used_again(store, f"seed {seed}, killed", tally)
    store.close()


def full(folder: Path, seed: int, tally: Tally, opened: Callable[[Path], Keeping]) -> None:
    """The disk is full after some pages of the file; there is room again for the next process."""
    store = opened(folder)
    put(store, 0)
    room = random.Random(seed).randint(8, 80)
    if isinstance(store, DocumentStore):
        assert store._connection is not None
        store._connection.execute(f"PRAGMA max_page_count={room}")
    for n in range(1, 4 * TEXTS):
        put(store, n)
    store.close()
    store = opened(folder)
    looked_at(store, [0], f"seed {seed}, full", tally, kept=room > 40)
    looked_at(store, range(1, 4 * TEXTS), f"seed {seed}, full", tally, kept=False, lax=True)
    used_again(store, f"seed {seed}, full", tally)
    store.close()


def identified(folder: Path, seed: int, tally: Tally, opened: Callable[[Path], Keeping]) -> None:
    """Whose bytes have which hash, in a damaged file."""
    store = opened(folder)
    if not isinstance(store, DocumentStore):
        return
    chance = random.Random(seed)
    files: dict[Identity, str] = {(n, 10**18 + n, 10**18, n, 1): content(n) for n in range(40)}
    for identity, digest in files.items():
        store.identify(identity, digest)
    put(store, 0)
    store.close()
    how = DAMAGES[seed // 4 % len(DAMAGES)]
    how(folder / NAME, (folder / NAME).read_bytes(), chance)
    store = DocumentStore(folder)
    for identity, digest in files.items():
        if store.sha256(identity) not in (None, digest):
            tally.bad.append(f"seed {seed}, {how.__name__}: the hash of another file")
    store.close()


KINDS = (damaged, killed, full, identified)


def run(place: Path, seeds: Iterator[int], opened: Callable[[Path], Keeping]) -> Tally:
    """A store for each seed, and what happens to it."""
    tally = Tally()
    for seed in seeds:
        tally.runs += 1
        KINDS[seed % len(KINDS)](place / f"{opened.__name__}-{seed}", seed, tally, opened)
    return tally


@harness(n=240)
def main(options: Options) -> Verdict:
    tally = run(options.place, iter(range(options.n)), DocumentStore)
    control = run(options.place, iter(range(0, max(16, options.n // 4), 4)), Lines)
    return {
        "n": tally.runs,
        "acknowledged": tally.acknowledged,
        "gone": tally.gone,
        "wrong": tally.bad,
        "controlN": control.runs,
        "controlBad": len(control.bad),
    }, control.bad


if __name__ == "__main__":
    sys.exit(main())
