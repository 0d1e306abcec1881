"""Processes killed while they bring a store up to date: before and after every statement, and inside of statements.

``python -m tests.soak.store_migrations --n 200`` makes stores of a version that was never released, lets a real process
migrate each and kills it, once before and once after every statement, then ``n`` times inside of one (below 100: ``n``
kills in all). It opens what is left: all knowledge must be there in today's form, the backup must hold the old file,
and nothing may be said about damage. Then four processes at a time migrate one store. It prints one JSON line and exits
with 1 if anything was lost, or if a migration without transactions survived every kill in the same harness.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import Connect, StoreConnection, StoreError, connect
from tests.memory.history import Model, found_in, scratch
from tests.memory.kept import kept, kept_summary, kept_turn
from tests.memory.mutants import Answered, changed, without_transactions
from tests.memory.old_layout import LATER, content_of, make_old
from tests.soak.harness import Options, Verdict, harness

REPOSITORY = Path(__file__).resolve().parent.parent.parent
CLUSTERS = tuple(kept(n) for n in range(3))
SUMMARIES = tuple(kept_summary(n) for n in range(3))
TURNS = tuple(kept_turn(n) for n in range(3))
MODEL = Model(
    {cluster.id: cluster for cluster in CLUSTERS},
    {(each.root, each.path): each for each in SUMMARIES},
    {(each.thread, each.n): each for each in TURNS},
)
INSIDE = 50
"""Steps of SQLite's machine between two looks at whether it is time to die."""
WRITERS = 4
SAMPLE = 100
"""Fewer kills than this are spread over all statements at random."""


@dataclass
class Tally:
    """What came of a number of kills."""

    kills: int = 0
    finished: int = 0
    """Processes that were done before they could be killed."""
    versions: dict[int, int] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)


class Counted:
    """A connection that counts what is asked of it, and kills its process at one of these moments."""

    def __init__(self, inner: StoreConnection, moments: Moments) -> None:
        self._inner = inner
        self._moments = moments

    @property
    def in_transaction(self) -> bool:
        return self._inner.in_transaction

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        self._moments.next()
        rows = self._inner.execute(sql, parameters).fetchall()
        self._moments.next()
        return Answered(rows)

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        self._moments.next()
        cursor = self._inner.executemany(sql, parameters)
        self._moments.next()
        return cursor

    def close(self) -> None:
        self._inner.close()


@dataclass
class Moments:
    """Moments before and after each statement, or inside of them; the process dies at ``last``, 0 for never."""

    last: int
    inside: bool = False
    passed: int = 0
    ticks: int = 0

    def next(self) -> None:
        self.passed += 1
        self._perhaps_die(self.passed, inside=False)

    def tick(self) -> int:
        self.ticks += 1
        self._perhaps_die(self.ticks, inside=True)
        return 0

    def connect(self, path: str) -> StoreConnection:
        connection = connect(path)
        if isinstance(connection, sqlite3.Connection):
            connection.set_progress_handler(self.tick, INSIDE)
        return Counted(connection, self)

    def _perhaps_die(self, now: int, *, inside: bool) -> None:
        if self.last and inside == self.inside and now == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


def old_store(folder: Path) -> Path:
    """A folder with an old store."""
    folder.mkdir(mode=0o700)
    make_old(folder / "knowledge.db", CLUSTERS, SUMMARIES, TURNS)
    return folder


def opened(folder: Path, moments: Moments, *, mutant: bool) -> None:
    """Bring the store in a folder up to date."""
    how: Connect = changed(without_transactions, moments.connect) if mutant else moments.connect
    Store.open(folder, connect=how, layout=LATER).close()


def measured(*, mutant: bool) -> Moments:
    """How many moments there are when nobody is killed."""
    moments = Moments(0)
    with scratch() as base:
        opened(old_store(base / "store"), moments, mutant=mutant)
    return moments


def killed(folder: Path, moments: Moments, *, mutant: bool) -> bool:
    """Migrate in a process of its own; whether it died on the way."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            opened(folder, moments, mutant=mutant)
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL


def wrong_with(folder: Path) -> list[str]:
    """What is wrong with a store that must hold all that the old one held."""
    try:
        with Store.open(folder, layout=LATER) as store:
            found = found_in(store)
            health = store.health()
    except StoreError as error:
        return [str(error)]
    wrong = [*health.notices, *health.problems]
    if found != MODEL:
        wrong.append("not what the old store held")
    expected = {"clusters": len(CLUSTERS), "summaries": len(SUMMARIES), "turns": len(TURNS)}
    for name in health.backups:
        version, rows = content_of(folder / name)
        if f"v{version}." not in name or {table: rows[table] for table in expected} != expected:
            wrong.append("the backup is not the old store")
    return wrong if health.backups else [*wrong, "there is no backup"]


def run(kills: int, seed: int = 1, *, mutant: bool = False) -> Tally:
    """One kill at every moment around statements as far as they go, then inside of them."""
    whole = measured(mutant=mutant)
    draw = random.Random(seed)
    around = list(range(1, whole.passed + 1))
    if mutant or kills < len(around):
        draw.shuffle(around)
    tally = Tally()
    with scratch() as base:
        for n in range(kills):
            folder = old_store(base / "store")
            inside = n >= len(around)
            last = draw.randrange(1, whole.ticks + 1) if inside else around[n]
            tally.kills += 1
            tally.finished += not killed(folder, Moments(last, inside=inside), mutant=mutant)
            with sqlite3.connect(f"file:{folder / 'knowledge.db'}?mode=ro&immutable=1", uri=True) as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
            connection.close()
            tally.versions[version] = tally.versions.get(version, 0) + 1
            place = f"{'inside' if inside else 'around'} {last}"
            tally.bad += [f"{place}: {told}" for told in wrong_with(folder)]
            shutil.rmtree(folder)
    return tally


def together(rounds: int) -> list[str]:
    """Four processes open one old store at once; what is wrong afterwards, and processes that failed."""
    bad: list[str] = []
    code = (
        "import sys; from pathlib import Path; from tests.soak.store_migrations import *;"
        "sys.stdin.readline(); opened(Path(sys.argv[1]), Moments(0), mutant=False)"
    )
    with scratch() as base:
        for n in range(rounds):
            folder = old_store(base / f"store-{n}")
            command = [sys.executable, "-c", code, str(folder)]
            processes = [subprocess.Popen(command, stdin=subprocess.PIPE, cwd=REPOSITORY) for _ in range(WRITERS)]
            for process in processes:  # all are imported and ready by the time the last one is told to go
                assert process.stdin is not None
                process.stdin.write(b"go\n")
                process.stdin.close()
            bad += [f"process ended with {code}" for code in (process.wait() for process in processes) if code]
            bad += wrong_with(folder)
    return bad


@harness(n=200)
def main(options: Options) -> Verdict:
    statements = measured(mutant=False).passed
    tally = run(options.n if options.n < SAMPLE else statements + options.n)
    mutant = run(max(20, options.n // 5), mutant=True)
    rounds = max(2, options.n // 20)
    at_once = together(rounds)
    return {
        "n": tally.kills,
        "bad": len(tally.bad),
        "momentsAroundStatements": statements,
        "finished": tally.finished,
        "versionsFound": {str(version): n for version, n in sorted(tally.versions.items())},
        "fourAtOnce": rounds,
        "fourAtOnceBad": len(at_once),
        "wrong": tally.bad + at_once,
        "controlN": mutant.kills,
        "controlBad": len(mutant.bad),
    }, not tally.bad and not at_once and mutant.bad


if __name__ == "__main__":
    sys.exit(main())
