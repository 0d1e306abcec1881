"""Files in our folder of user data: changed whole, by one at a time, readable by their owner alone."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from lens_lsp.memory.userdata import Consents, Spent, Usage, change_kept, read_kept

posix = pytest.mark.skipif(os.name != "posix", reason="modes and locks are POSIX's here")
PROCESSES, EACH = 4, 15

ADDING = """
import sys
from datetime import date
from pathlib import Path
from lens_lsp.memory.userdata import Consents
from lens_lsp.memory.userdata import Spent, record_usage
folder, name, each = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sys.stdin.read(1)
for number in range(each):
    record_usage(folder / "usage.json", date(2031, 6, 30), "https://models.invalid", Spent(1, 10, 1, 0.5))
    Consents(folder / "consent.json").record(f"/{name}/{number}", "https://models.invalid")
"""
HOLDING = """
import sys
from pathlib import Path
from lens_lsp.memory.userdata import change_kept
def hold(data):
    print("held", flush=True)
    sys.stdin.read(1)
    return b"changed"
change_kept(Path(sys.argv[1]), hold)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[2],
    )


def test_several_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    processes = [start(ADDING, tmp_path, name, EACH) for name in range(PROCESSES)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"!")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    everything = PROCESSES * EACH
    assert Usage.read(tmp_path / "usage.json").on(date(2031, 6, 30)) == Spent(
        everything, 10 * everything, everything, 0.5 * everything
    )
    assert len(Consents.read(tmp_path / "consent.json").given) == everything


@posix
def test_who_is_killed_gives_the_lock_back_and_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_bytes(b"before")
    with start(HOLDING, path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(TimeoutError):
            change_kept(path, lambda data: b"never", seconds=0.02)
        process.kill()
        process.wait(30)
    assert read_kept(path) == b"before"
    change_kept(path, lambda data: (data or b"") + b" and after", seconds=5)
    assert read_kept(path) == b"before and after"


@posix
def test_only_the_owner_may_read_and_nothing_else_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "new" / "some.json"
    change_kept(path, lambda data: b"text")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert sorted(each.name for each in path.parent.iterdir()) == [".lock", "some.json"]


def test_a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    change_kept(path, lambda data: b"before")

    def fail(data: bytes | None) -> bytes:
        raise KeyError

    with pytest.raises(KeyError):
        change_kept(path, fail)
    assert read_kept(path) == b"before"
    assert sorted(each.name for each in tmp_path.iterdir()) == [".lock", "some.json"]
    change_kept(path, lambda data: b"after")
    assert read_kept(path) == b"after"


def test_what_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert read_kept(tmp_path / "none.json") is None
