"""One file changed. How soon the ten best are known again, beside indexes rebuilt or brought up to date."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks.measuring import Task, Timing, interleaved, timed
from benchmarks.speed import answering
from benchmarks.speed.answering import answer
from benchmarks.speed.bench import Bench
from benchmarks.speed.corpora import Folder
from benchmarks.speed.kept_indexes import KEPT, KeptIndex, rebuilt, stored_bytes
from benchmarks.speed.peers import lean_peers, peers
from benchmarks.speed.queries import TERMS
from benchmarks.speed.ripgrep import UnequalError
from benchmarks.speed.row import Beside, Row, Unit, cost, faster, row
from benchmarks.speed.scanning import alone
from lens_lsp.app.lens import Lens
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover
from lens_lsp.model.documents import Findings

REBUILD_GOALS = {"warm": 100.0, "cold server": 4.0}
"""How many times faster than a rebuild of bm25s or tantivy."""
UPDATE_GOALS = {"tantivy": 5.0, "SQLite FTS5": 0.5}
"""How many times as fast as an index that takes the change in."""
MOST_ABOVE_STEADY = 1.2
"""A question after a change may take so many times one without."""
_REPEATED = 20
"""How often the changed note says what is looked for."""


def changes(bench: Bench) -> Iterator[Row]:
    """A note of a copy of A keeps changing."""
    for folder in bench.folders("A"):
        yield from changed(bench, folder)


def changed(bench: Bench, folder: Folder) -> Iterator[Row]:
    """All rows over a folder."""
    terms = TERMS[folder.name]["T12"]
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="changed-", dir=bench.work)))
        copy = scratch / "corpus"
        shutil.copytree(folder.path, copy)
        note = Note(stack.enter_context(Root(str(copy))), terms)
        copied = Folder(folder.name, copy, folder.files, folder.bytes)
        yield from _rebuilt(bench, copied, note, scratch)
        kept = {name: stack.enter_context(closing(make(copy, scratch / name, terms))) for name, make in KEPT.items()}
        yield from _updated(bench, copied, note, kept, scratch)
        yield from _asked_whole(bench, copied, note)


def _rebuilt(bench: Bench, folder: Folder, note: Note, scratch: Path) -> Iterator[Row]:
    gated = peers(folder.path, note.terms)
    stores = (scratch / f"rebuilt-{number}" for number in count())
    rivals = gated | lean_peers(folder.path, note.terms)
    rivals["SQLite FTS5"] = lambda: rebuilt("SQLite FTS5", folder.path, next(stores), note.terms)
    if not all(rebuild() for rebuild in rivals.values()):
        raise UnequalError("a rebuilt index finds nothing")
    server = partial(alone, "product", folder, "T12")
    rebuilds = [partial(timed, rebuild) for rebuild in rivals.values()]
    warm, cold_server, *theirs = interleaved(bench.runs, note.answered, server, *rebuilds)
    for name, series in zip(rivals, theirs, strict=True):
        for way, unit, ours in (("warm", Unit.WALL, warm), ("cold server", Unit.CPU, cold_server)):
            goal = faster(REBUILD_GOALS[way]) if name in gated else None
            beside = Beside(f"{name}, built anew", series)
            yield row(f"changed → top 10, {way}", folder.name, ours, beside, goal, unit=unit)


def _updated(bench: Bench, folder: Folder, note: Note, kept: dict[str, KeptIndex], scratch: Path) -> Iterator[Row]:
    """Beside indexes that are there already, after a change and without one."""
    tasks: list[Task] = [note.answered, note.asked_again]
    for index in kept.values():
        tasks += partial(note.taken_in, index), partial(timed, index.ask)
    after, steady, *theirs = interleaved(bench.runs, *tasks)
    unchanged = Beside("nothing changed", steady)
    yield row("changed → top 10, warm", folder.name, after, unchanged, cost(MOST_ABOVE_STEADY))
    for name, update, ask in zip(kept, theirs[::2], theirs[1::2], strict=True):
        size = f"its index: {stored_bytes(scratch / name) / 1e6:.0f} MB"
        beside = Beside(f"{name}, brought up to date", update)
        yield row("changed → top 10, warm", folder.name, after, beside, faster(UPDATE_GOALS[name]), note=size)
        yield row("nothing changed → top 10", folder.name, steady, Beside(f"{name}, steady", ask))


def _asked_whole(bench: Bench, folder: Folder, note: Note) -> Iterator[Row]:
    """A whole question, the look at the disk included, after a change and without one."""
    lens = Lens([folder.path])
    lens.find(note.question)
    after, steady = interleaved(
        bench.runs, partial(note.found_whole, lens), partial(timed, partial(lens.find, note.question))
    )
    yield row("changed → whole find", folder.name, after, Beside("nothing changed", steady), cost(MOST_ABOVE_STEADY))


class Note:
    """A note that keeps changing in a workspace whose texts are in memory."""

    def __init__(self, root: Root, terms: Sequence[str]) -> None:
        self.terms = terms
        self._root = root
        self._files = discover(root, CorpusRules()).files
        self._cache = TextStore()
        self._cache.refresh([root], self._files, {})
        self._place = len(self._files) // 2
        self._path = os.path.join(root.path, self._files[self._place].path)
        self._times = 0

    def answered(self) -> Timing:
        """Change the note; the time from then on, until the answer with the note in it."""
        Path(self._path).write_text(self._next(), "utf-8")
        return self._timed(self._found)

    @property
    def question(self) -> str:
        """What the note alone can answer."""
        return " ".join(self.terms)

    def found_whole(self, lens: Lens) -> Timing:
        """Change the note; the time of the whole question that finds it as it is now."""
        text = self._next()
        Path(self._path).write_text(text, "utf-8")
        found: list[Findings] = []
        timing = timed(lambda: found.append(lens.find(self.question)))
        first = text[: text.index(":") + 1]
        if not any(first in evidence.quote for evidence in found[0].evidence):
            raise UnequalError(f"{first} of the changed note is not among the evidence")
        return timing

    def asked_again(self) -> Timing:
        """The time of a question when nothing changed."""
        return self._timed(lambda: self._paths(answer(self._cache.arena, self.terms)))

    def taken_in(self, index: KeptIndex) -> Timing:
        """The time in which an index takes the changed note in and answers with it."""
        text = self._next()

        def update() -> list[str]:
            index.change(self._path, text)
            return index.ask()

        return self._timed(update)

    def _next(self) -> str:
        self._times += 1
        return f"Revision {self._times}: {', '.join(self.terms)}.\n" * _REPEATED

    def _timed(self, work: Callable[[], list[str]]) -> Timing:
        found: list[list[str]] = []
        timing = timed(lambda: found.append(work()))
        if self._path not in found[0]:
            raise UnequalError("the changed note is not among the best")
        return timing

    def _found(self) -> list[str]:
        old = self._files[self._place]
        status = os.stat(self._path)
        self._files[self._place] = old._replace(
            size=status.st_size, mtime_ns=status.st_mtime_ns, ctime_ns=status.st_ctime_ns, inode=status.st_ino
        )
        self._cache.refresh([self._root], self._files, {})
        return self._paths(answer(self._cache.arena, self.terms))

    def _paths(self, found: answering.Answer) -> list[str]:
        texts = [self._cache.slots[slot] for slot in found.slots]
        return [os.path.join(self._root.path, text.key[1]) for text in texts if text is not None]
