"""Watching folders: what is told, what is left out, and how the limits of the system are noticed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.watch import MOST_TREES, Watch

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")
PATIENCE = 20.0


class Ear:
    """Hears what a watch tells."""

    def __init__(self, folders: Sequence[Path], rules: CorpusRules) -> None:
        self._news = threading.Event()
        self.watch = Watch([str(folder) for folder in folders], rules, self._news.set)
        self.paths: set[str] = set()
        self.doubts = 0
        self.problems: list[str] = []

    def hears(self, condition: Callable[[], bool]) -> bool:
        until = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < until:
            self._news.wait(0.1)
            self._news.clear()
            paths, problems = self.watch.take()
            self.problems += problems
            if paths is None:
                self.doubts += 1
                self.watch.catch_up()
            else:
                self.paths |= paths
        return condition()


Listen = Callable[..., Ear]


@pytest.fixture
def listen() -> Iterator[Listen]:
    with ExitStack() as stack:

        def started(*folders: Path, rules: CorpusRules = CorpusRules()) -> Ear:
            ear = Ear(folders, rules)
            ear.watch.start()
            stack.callback(ear.watch.stop)
            return ear

        yield started


def test_changes_at_every_depth_are_told(listen: Listen, tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    ear = listen(tmp_path)
    first, second, third = tmp_path / "top.md", deep / "x.md", deep / "y.md"
    first.write_text("x")
    second.write_text("x")
    assert ear.hears(lambda: {str(first), str(second)} <= ear.paths)
    ear.paths.clear()
    second.rename(third)
    first.unlink()
    assert ear.hears(lambda: {str(first), str(second), str(third)} <= ear.paths)
    assert ear.problems == []


def test_reading_tells_nothing(listen: Listen, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for n in range(50):
        (tmp_path / "a" / f"{n}.md").write_text("x")
    ear = listen(tmp_path)
    for n in range(50):
        (tmp_path / "a" / f"{n}.md").read_text()
    (tmp_path / "a" / "end.md").write_text("x")
    assert ear.hears(lambda: str(tmp_path / "a" / "end.md") in ear.paths)
    assert not any(path.endswith("0.md") for path in ear.paths)


def test_what_rules_exclude_is_not_watched(listen: Listen, tmp_path: Path) -> None:
    for name in ("node_modules", ".git", "build", "notes"):
        (tmp_path / name).mkdir()
    (tmp_path / ".gitignore").write_text("build/\n")
    ear = listen(tmp_path)
    for name in ("node_modules", ".git", "build", "notes"):
        (tmp_path / name / "x.md").write_text("x")
    assert ear.hears(lambda: str(tmp_path / "notes" / "x.md") in ear.paths)
    assert ear.paths == {str(tmp_path / "notes" / "x.md")}


def test_a_folder_that_comes_later_is_watched(listen: Listen, tmp_path: Path) -> None:
    ear = listen(tmp_path)
    (tmp_path / "new").mkdir()
    assert ear.hears(lambda: ear.doubts > 0)
    (tmp_path / "new" / "x.md").write_text("x")
    assert ear.hears(lambda: str(tmp_path / "new" / "x.md") in ear.paths)
    (tmp_path / "new").rename(tmp_path / "newer")
    assert ear.hears(lambda: ear.doubts > 1)
    (tmp_path / "newer" / "y.md").write_text("x")
    assert ear.hears(lambda: str(tmp_path / "newer" / "y.md") in ear.paths)


def test_many_folders_are_watched_as_a_whole(listen: Listen, tmp_path: Path) -> None:
    for n in range(MOST_TREES + 1):
        (tmp_path / f"{n}").mkdir()
    before = threading.active_count()
    ear = listen(tmp_path)
    assert threading.active_count() < before + 8
    (tmp_path / "7" / "x.md").write_text("x")
    assert ear.hears(lambda: str(tmp_path / "7" / "x.md") in ear.paths)


def test_a_root_that_goes_leaves_everything_in_doubt(listen: Listen, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    ear = listen(root)
    shutil.rmtree(root)
    assert ear.hears(lambda: ear.doubts > 0)


def test_a_folder_that_is_not_there_is_not_watched_and_no_problem(listen: Listen, tmp_path: Path) -> None:
    ear = listen(tmp_path / "none", tmp_path)
    (tmp_path / "x.md").write_text("x")
    assert ear.hears(lambda: str(tmp_path / "x.md") in ear.paths)
    assert ear.problems == []


def test_more_changes_than_are_kept_leave_everything_in_doubt(tmp_path: Path) -> None:
    ear = Ear([tmp_path], CorpusRules())
    ear.watch.changed(str(n) for n in range(10_000))
    assert ear.watch.take() == (None, ())
    ear.watch.changed(["x"])
    assert ear.watch.take() == (frozenset({"x"}), ())


def test_an_overflow_of_the_systems_queue_is_noticed(listen: Listen, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    ear = listen(tmp_path)
    overflow = InotifyEvent(-1, InotifyConstants.IN_Q_OVERFLOW, 0, b"")
    ear.watch._observer._inotify_fd.handle_event(overflow)  # type: ignore[attr-defined]
    assert ear.hears(lambda: ear.doubts > 0)
    assert len(ear.problems) == 1
    assert "too many at once" in ear.problems[0]
    (tmp_path / "a" / "x.md").write_text("x")
    assert ear.hears(lambda: str(tmp_path / "a" / "x.md") in ear.paths)


LIMITED = """
import sys, threading
from lens_lsp.corpus.watch import Watch
from lens_lsp.corpus.corpus_rules import CorpusRules
watch = Watch([sys.argv[1]], CorpusRules(), lambda: None)
watch.start()
print(watch.take())
watch.stop()
"""


@pytest.mark.parametrize(("limit", "noticed"), [(20, True), (200, False)])
def test_the_systems_limit_of_watches_is_noticed(tmp_path: Path, limit: int, noticed: bool) -> None:
    for n in range(50):
        (tmp_path / "a" / str(n)).mkdir(parents=True)
    # A user namespace of its own: the limit there is nobody else's. /proc/sys/fs/inotify would be the machine's.
    script = 'echo "$1" > /proc/sys/user/max_inotify_watches && shift && exec "$@"'
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh", str(limit)]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no user namespace with limits of its own here")
    told = subprocess.run(
        [*command, sys.executable, "-c", LIMITED, str(tmp_path)], check=True, capture_output=True, text=True
    ).stdout
    assert ("limit of file watches" in told) is noticed
