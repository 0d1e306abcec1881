"""Everything that we write to a place that was named or chosen, on places that somebody prepared against it.

``python -m tests.soak.exports --n 5000 --kills 500`` has each writer (answer files, exports, settings, consents, the
cache of texts, results of evaluations) write where there is a foreign file, a link inside, outside or to nothing, a
folder, a pipe, a device, a link in the place of its folder, a folder that may not be written to, no room for all of it,
and where others make files at the same moment; then it kills processes that write. It prints one JSON line and exits
with 1 if a byte that is not ours changed or a file was made elsewhere, if a file is neither the old nor the new one, if
anything but a sentence was raised, or if a plain ``open(path, "w")`` is not caught by the same harness.
"""

from __future__ import annotations

import argparse
import asyncio
import codecs
import os
import random
import resource
import signal
import stat
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path

from evaluation import results
from evaluation.resume import claimed
from lens_lsp.app.configuration import change_settings
from lens_lsp.app.lens import Lens
from lens_lsp.cli import clusters as command
from lens_lsp.disk import PART
from lens_lsp.lsp.lens_answer import AnswerDestination, write_answer_file
from lens_lsp.memory.answer_files import Saved
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import NotSaved
from lens_lsp.memory.store_rows import Changes
from lens_lsp.memory.userdata import Consents, Spent, record_usage
from lens_lsp.model.answer import Answer, Answered
from lens_lsp.model.errors import LensError
from tests.memory.history import scratch
from tests.memory.kept import kept
from tests.soak.harness import Options, Verdict, harness

FOREIGN = b"# Mine\n\nNobody but me wrote this.\n"
LONGEST_BEFORE_KILL = 0.02
NOBODY = 65_534
ROOM = 8
"""Bytes that a file may have where there is no room."""


@dataclass(frozen=True)
class Writer:
    """One way to write: ``write(base, variant)`` writes into a folder, ``target`` and ``chosen`` are paths below it.

    ``chosen`` is the folder that was named; folders below it on the way to the target may be links of a stranger's.
    ``guarded`` says that a foreign file stays: the others write in folders and to files of our own, or change what is
    there. ``whole`` says that both variants always give the same bytes.
    """

    name: str
    target: str
    write: Callable[[Path, int], object]
    chosen: str = ""
    guarded: bool = True
    whole: bool = True
    longest: float = 5.0
    """Seconds until a write counts as hung."""


@dataclass
class Tally:
    """What was tried and what went wrong."""

    cases: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    kills: int = 0
    refused: int = 0


def writers(answer: Answer) -> list[Writer]:
    """All of them."""
    texts = ("It is 8080.\n" * 40, "It is nine thousand.\n" * 900)
    clusters = [[kept(1, revision=revision)] for revision in (0, 1)]

    def saved(variant: int) -> Saved:
        return Saved(replace(answer, text=texts[variant]), {}, datetime(2026, 1, 1, tzinfo=UTC), None, private=False)

    def keep_in_workspace(base: Path, variant: int) -> None:
        write_answer_file(saved(variant), AnswerDestination(str(base / "notes" / "answers"), None))

    def keep_in_store(base: Path, variant: int) -> None:
        with Store.open(base / "store") as store:
            write_answer_file(saved(variant), AnswerDestination(None, store))

    def export(base: Path, variant: int) -> None:
        with Store.open(base.parent / f"clusters-{variant}") as store:
            if not store.clusters():
                store.save(Changes(clusters=tuple(clusters[variant])))
            command._export(store, argparse.Namespace(words=[str(base / "out")], force=False))

    def consent(base: Path, variant: int) -> None:
        Consents.read(base / "data" / "consent.json").record(f"/w{variant}", "https://models.example")

    def usage(base: Path, variant: int) -> None:
        record_usage(base / "data" / "usage.json", date(2026, 1, 1), "https://models.example", Spent(1, 2, 3, 0.5))

    def settings(base: Path, variant: int) -> None:
        change_settings({"LENS_CONFIG": str(base / "config.toml")}, {"mode": ("fast", "deep")[variant]})

    def rows(base: Path, variant: int) -> None:
        with claimed(base / "run", {"schema": "lens.run/1"}) as run, run.appending("lens") as writer:
            writer.write({"id": str(variant)})

    def summary(base: Path, variant: int) -> None:
        with claimed(base / "run", {"schema": "lens.run/1"}) as run:
            run.finish({"schema": "lens.run/1", "n": texts[variant]})

    name = file_of(saved(0))
    page = command.exported(clusters[0], {"schema": "lens.clusters/1", "clusters": []})
    return [
        Writer("answer in the workspace", f"notes/answers/{name}", keep_in_workspace, "notes"),
        Writer("answer beside the store", f"store/answers/{name}", keep_in_store, "store"),
        *(Writer(f"export of {each}", f"out/{each}", export, "out") for each in page),
        Writer("consents", "data/consent.json", consent, "data", guarded=False, whole=False),
        Writer("usage", "data/usage.json", usage, "data", guarded=False, whole=False),
        Writer("settings", "config.toml", settings, guarded=False),
        Writer(
            "page of results", "out/report.md", lambda base, v: results.write_page(base / "out/report.md", texts[v])
        ),
        Writer(
            "document of results",
            "out/report.json",
            lambda base, v: results.write_json(base / "out/report.json", {"schema": "lens.report/1", "t": texts[v]}),
        ),
        Writer(
            "table of results",
            "out/report.csv",
            lambda base, v: results.write_result(base / "out/report.csv", f"run,mode\n{texts[v]}", "run,mode"),
        ),
        Writer("rows of a run", "run/lens.rows.jsonl", rows, "run", guarded=False, whole=False),
        Writer("summary of a run", "run/summary.json", summary, "run", guarded=False),
    ]


def file_of(saved: Saved) -> str:
    """The name of an answer's file."""
    with tempfile.TemporaryDirectory() as folder:
        write_answer_file(saved, AnswerDestination(folder, None))
        (name,) = os.listdir(folder)
        return name


def plain(writer: Writer) -> Writer:
    """The control: the same place, written as Python writes a file."""

    def write(base: Path, variant: int) -> None:
        path = base / writer.target
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w") as file:
            for _ in range(40):
                file.write("new " * (1 + 600 * variant))
                file.flush()

    return replace(writer, write=write, longest=0.1)


@dataclass
class Scene:
    """A folder to write in, and one beside it that no write may touch."""

    base: Path
    outside: Path
    writer: Writer

    @property
    def target(self) -> Path:
        return self.base / self.writer.target

    def make_way(self) -> None:
        self.target.parent.mkdir(parents=True, exist_ok=True)


Prepare = Callable[[Scene], bool]
"""Prepares a place; whether it applies to this writer."""


def foreign_file(scene: Scene) -> bool:
    scene.make_way()
    scene.target.write_bytes(FOREIGN)
    return scene.writer.guarded


def link(to: str) -> Prepare:
    def prepare(scene: Scene) -> bool:
        scene.make_way()
        target = {"inside": scene.target.parent / "inside.txt", "outside": scene.outside / "precious"}.get(
            to, scene.outside / "nothing"
        )
        if to == "inside":
            target.write_bytes(FOREIGN)
        scene.target.symlink_to(target)
        return scene.writer.name != "settings" or to == "nothing"  # the user's own link is followed, see the page

    return prepare


def link_in_parent(scene: Scene) -> bool:
    below = Path(scene.writer.target).parent
    if not scene.writer.chosen or below == Path(scene.writer.chosen):
        return False
    (scene.base / scene.writer.chosen).mkdir(parents=True, exist_ok=True)
    scene.target.parent.symlink_to(scene.outside)
    return True


def folder(scene: Scene) -> bool:
    scene.target.mkdir(parents=True)
    (scene.target / "inside.txt").write_bytes(FOREIGN)
    return True


def pipe(scene: Scene) -> bool:
    scene.make_way()
    os.mkfifo(scene.target)
    return True


def device(scene: Scene) -> bool:
    scene.make_way()
    try:
        os.mknod(scene.target, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        scene.target.symlink_to("/dev/null")
    return scene.writer.name != "settings" or not scene.target.is_symlink()


PLACES: dict[str, Prepare] = {
    "foreign file": foreign_file,
    "link inside": link("inside"),
    "link outside": link("outside"),
    "link to nothing": link("nothing"),
    "link in the way": link_in_parent,
    "folder": folder,
    "pipe": pipe,
    "device": device,
}


@contextmanager
def scene_of(writer: Writer, top: Path) -> Iterator[Scene]:
    with tempfile.TemporaryDirectory(dir=top) as place:
        base, outside = Path(place, "base"), Path(place, "outside")
        base.mkdir()
        outside.mkdir()
        (outside / "precious").write_bytes(FOREIGN)
        (outside / Path(writer.target).name).write_bytes(FOREIGN)
        yield Scene(base, outside, writer)


def state(place: Path) -> dict[str, tuple[int, bytes]]:
    """What lies below a folder: kinds and modes, bytes of files, where links lead."""
    found = {}
    for path in sorted(place.rglob("*")):
        status = path.lstat()
        content = b""
        if stat.S_ISLNK(status.st_mode):
            content = os.fsencode(os.readlink(path))
        elif stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        found[str(path.relative_to(place))] = status.st_mode, content
    return found


class Hung(BaseException):
    """A write that does not end."""


@contextmanager
def hurried(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def tried(writer: Writer, base: Path, variant: int) -> tuple[Exception | None, str]:
    """Write; what was raised, and what is wrong about it."""
    try:
        with hurried(writer.longest):
            writer.write(base, variant)
    except (OSError, LensError, NotSaved) as error:
        told = f"{error}"
        return error, "" if len(told) > 10 and "\n" not in told else f"says only {told!r}"
    except Hung:
        return None, "hung"
    except Exception as error:  # noqa: BLE001 - whatever else it is, is what is wrong
        return error, f"raised {type(error).__name__}: {error}"
    return None, ""


def on_hostile_place(writer: Writer, kind: str, variant: int, top: Path, tally: Tally) -> None:
    """One write where somebody prepared the place: nothing that was there changes."""
    with scene_of(writer, top) as scene:
        if not PLACES[kind](scene):
            return
        before, outside = state(scene.base), state(scene.outside)
        error, wrong = tried(writer, scene.base, variant)
        after = state(scene.base)
        tally.cases[kind] += 1
        tally.refused += error is not None
        changed = [name for name, was in before.items() if after.get(name) != was and not _is_store(name)]
        if changed or state(scene.outside) != outside:
            wrong = wrong or f"changed {changed or 'what lies outside'}"
        elif not wrong and error is None:
            wrong = "said nothing"
        elif left := [name for name in after if name.endswith(PART)]:
            wrong = wrong or f"left {left}"
        if wrong:
            tally.wrong.append(f"{writer.name} on {kind}: {wrong}")


def _is_store(name: str) -> bool:
    return name.startswith("store/knowledge") or name in ("run/run.lock", "data/.lock")


def without_leave_or_room(writer: Writer, kind: str, variant: int, top: Path, tally: Tally) -> None:
    """A write over an earlier one that the system refuses half-way: the earlier one stays."""
    if not writer.whole:
        return
    with scene_of(writer, top) as scene:
        writer.write(scene.base, 1 - variant)
        old = scene.target.read_bytes()
        parent = scene.target.parent
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        dropped = False
        if kind == "read-only folder":
            if dropped := os.geteuid() == 0:
                for path in (top, scene.base.parent, scene.base, *scene.base.rglob("*")):
                    os.chown(path, NOBODY, NOBODY)
                os.setegid(NOBODY)
                os.seteuid(NOBODY)
            parent.chmod(0o555)
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, limits[1]))
        try:
            error, wrong = tried(writer, scene.base, variant)
        finally:
            if dropped:
                os.seteuid(0)
                os.setegid(0)
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            parent.chmod(0o755)
        tally.cases[kind] += 1
        tally.refused += error is not None
        if scene.target.read_bytes() != old:
            wrong = wrong or "changed it"
        elif left := [str(path) for path in scene.base.rglob(f"*{PART}")]:
            wrong = wrong or f"left {left}"
        if wrong:
            tally.wrong.append(f"{writer.name} on {kind}: {wrong}")


def results_of(writer: Writer, top: Path) -> list[bytes]:
    """What each variant gives."""
    found = []
    for variant in (0, 1):
        with scene_of(writer, top) as scene:
            writer.write(scene.base, variant)
            found.append(scene.target.read_bytes())
    return found


def forked(act: Callable[[], None]) -> int:
    """The number of a process that does something and ends."""
    process = os.fork()
    if process:
        return process
    try:
        with suppress(Exception):
            act()
    finally:
        os._exit(0)


def killed(writer: Writer, draw: random.Random, top: Path, tally: Tally) -> None:
    """Kill a process that writes one variant after the other: what is left is one of them."""
    whole = results_of(writer, top)
    with scene_of(writer, top) as scene:
        writer.write(scene.base, 0)

        def for_ever() -> None:
            while True:
                for variant in (1, 0):
                    writer.write(scene.base, variant)

        process = forked(for_ever)
        time.sleep(draw.random() * LONGEST_BEFORE_KILL)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        tally.kills += 1
        left = scene.target.read_bytes()
        if left not in whole:
            tally.wrong.append(f"{writer.name} killed: left {len(left)} bytes, of {[len(each) for each in whole]}")


def crowded(writer: Writer, draw: random.Random, top: Path, tally: Tally) -> None:
    """Two of ours and a stranger make the same file at once: what the stranger made stays, else it is one of ours."""
    if not (writer.guarded and writer.whole):
        return
    whole = results_of(writer, top)
    with scene_of(writer, top) as scene:
        scene.make_way()
        made, go = scene.outside / "made", os.pipe()

        def begin(act: Callable[[], None]) -> Callable[[], None]:
            def wait() -> None:
                os.close(go[1])
                os.read(go[0], 1)
                act()

            return wait

        def stranger() -> None:
            for _ in range(draw.randrange(400)):
                pass
            with open(scene.target, "xb") as file:
                file.write(FOREIGN)
            made.write_bytes(b"")

        actions = [lambda v=v: writer.write(scene.base, v) for v in (0, 1)]
        processes = [forked(begin(act)) for act in (*actions, stranger)]
        os.close(go[0])
        os.close(go[1])
        for process in processes:
            os.waitpid(process, 0)
        tally.cases["several at once"] += 1
        left = scene.target.read_bytes()
        if left != FOREIGN and (made.exists() or left not in whole):
            tally.wrong.append(f"{writer.name} several at once: left {len(left)} bytes, stranger: {made.exists()}")


def run(n: int, kills: int, seed: int, *, mutant: bool = False) -> Tally:
    """``n`` writes on hostile places and ``kills`` kills, by all writers in turn."""
    draw, tally = random.Random(seed), Tally()
    codecs.lookup("utf-8-sig")  # nobody may not read our modules
    with scratch() as top:
        top.chmod(0o755)
        every = [plain(each) if mutant else each for each in writers(answered(top / "notes"))]
        refused = ("read-only folder", "no room")
        order = [(each, kind) for each in every for kind in (*PLACES, *refused, "several at once")]
        draw.shuffle(order)
        number = 0
        while tally.cases.total() < n:
            writer, kind = order[number % len(order)]
            number += 1
            variant = draw.randrange(2)
            if kind in PLACES:
                on_hostile_place(writer, kind, variant, top, tally)
            elif kind in refused:
                without_leave_or_room(writer, kind, variant, top, tally)
            else:
                crowded(writer, draw, top, tally)
        whole = [each for each in every if each.whole]
        for number in range(kills):
            killed(whole[number % len(whole)], draw, top, tally)
    return tally


def answered(notes: Path) -> Answer:
    """A real answer over a small folder."""
    notes.mkdir()
    (notes / "server.md").write_text("# Server\n\nThe default port of the server is 8080.\n")

    async def ask() -> Answer:
        events = [event async for event in Lens([notes]).ask("What is the default port of the server?")]
        return next(event.answer for event in events if isinstance(event, Answered))

    return asyncio.run(ask())


@harness(n=5_000, kills=500, seed=1)
def main(options: Options) -> Verdict:
    silent = os.open(os.devnull, os.O_WRONLY)
    told = os.dup(2)
    os.dup2(silent, 2)  # what an export says
    try:
        tally = run(options.n, options.kills, options.seed)
        control = run(max(200, options.n // 20), max(20, options.kills // 10), options.seed, mutant=True)
    finally:
        os.dup2(told, 2)
    return {
        "n": tally.cases.total(),
        "kills": tally.kills,
        "bad": len(tally.wrong),
        "refused": tally.refused,
        "places": dict(sorted(tally.cases.items())),
        "wrong": sorted(set(tally.wrong))[:20],
        "controlN": control.cases.total() + control.kills,
        "controlBad": len(control.wrong),
    }, not tally.wrong and control.wrong


if __name__ == "__main__":
    sys.exit(main())
