"""User data: files that change whole and under a lock, consents, and what models were used."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from lens_lsp.memory.keyring import has_key
from lens_lsp.memory.userdata import (
    KEPT_DAYS,
    Consents,
    Meter,
    Spent,
    Usage,
    change_userdata,
    read_userdata,
    record_usage,
    userdata_folder,
)
from lens_lsp.model.errors import UsageError

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
from lens_lsp.memory.userdata import change_userdata
def hold(data):
    print("held", flush=True)
    sys.stdin.read(1)
    return b"changed"
change_userdata(Path(sys.argv[1]), hold)
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
            change_userdata(path, lambda data: b"never", seconds=0.02)
        process.kill()
        process.wait(30)
    assert read_userdata(path) == b"before"
    change_userdata(path, lambda data: (data or b"") + b" and after", seconds=5)
    assert read_userdata(path) == b"before and after"


@posix
def test_only_the_owner_may_read_and_nothing_else_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "new" / "some.json"
    change_userdata(path, lambda data: b"text")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert sorted(each.name for each in path.parent.iterdir()) == [".lock", "some.json"]


def test_a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    change_userdata(path, lambda data: b"before")

    def fail(data: bytes | None) -> bytes:
        raise KeyError

    with pytest.raises(KeyError):
        change_userdata(path, fail)
    assert read_userdata(path) == b"before"
    assert sorted(each.name for each in tmp_path.iterdir()) == [".lock", "some.json"]
    change_userdata(path, lambda data: b"after")
    assert read_userdata(path) == b"after"


def test_what_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert read_userdata(tmp_path / "none.json") is None


ORIGIN, OTHER = "https://models.invalid", "https://other.invalid"

BROKEN_CONSENTS = [
    b"",
    b"{",
    b"[]",
    b"\xff",
    b'{"schema": "lens.consent/1"}',
    b'{"schema": "x", "given": []}',
    b"[" * 99_999,
]


def test_what_is_recorded_is_read_again_beside_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "consent.json"
    before = Consents.read(path)
    before.record("/notes", ORIGIN)
    before.record("/n\udcff", OTHER)
    assert Consents.read(path).given == {("/notes", ORIGIN), ("/n\udcff", OTHER)}


@pytest.mark.parametrize("content", BROKEN_CONSENTS)
def test_a_broken_file_consents_to_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "consent.json"
    path.write_bytes(content)
    consents = Consents.read(path)
    assert consents.given == frozenset()
    assert "is ignored" in (consents.problem or "")
    consents.record("/notes", ORIGIN)
    assert Consents.read(path) == Consents(path, frozenset({("/notes", ORIGIN)}))


def test_a_consent_can_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "consent.json"
    for workspace in ("/a", "/b"):
        for origin in (ORIGIN, OTHER):
            Consents.read(path).record(workspace, origin)
    taken = Consents.read(path).revoke(lambda consent: consent[0] == "/a")
    assert taken == {("/a", ORIGIN), ("/a", OTHER)}
    assert Consents.read(path).given == {("/b", ORIGIN), ("/b", OTHER)}
    assert Consents.read(path).revoke(lambda consent: consent[0] == "/a") == frozenset()


def test_taking_back_what_was_never_given_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "none" / "consent.json"
    assert Consents.read(path).revoke(lambda consent: True) == frozenset()
    assert not path.parent.exists()


DAY = date(2031, 6, 30)

HERE, THERE = "http://127.0.0.1:1", "https://models.invalid"


def entry(text: str) -> bytes:
    return f'{{"schema": "lens.usage/1", "days": {{"2031-06-30": {{"{THERE}": {text}}}}}}}'.encode()


BROKEN_USAGE = [
    b"",
    b"{",
    b"[]",
    b"\xff",
    b'{"schema": "lens.usage/2", "days": {}}',
    b'{"schema": "lens.usage/1", "days": []}',
    b'{"schema": "lens.usage/1", "days": {"someday": {}}}',
    entry('{"calls": -1, "tokens": {"in": 0, "out": 0}, "cost": 0}'),
    entry('{"calls": 1, "tokens": {"in": "9", "out": 0}, "cost": 0}'),
    entry('{"calls": 1, "tokens": {"in": 9}, "cost": 0}'),
    entry('{"calls": 1, "tokens": [], "cost": 0}'),
    entry('{"calls": 1, "tokens": {"in": 0, "out": 0}, "cost": "x"}'),
    entry('{"calls": 1, "tokens": {"in": 0, "out": 0}, "cost": -1}'),
    b"[" * 99_999,
]


def meter(path: Path, origin: str = THERE, prices: tuple[float, float] | None = None) -> Meter:
    return Meter(path, origin, prices, lambda: DAY)


def test_calls_add_up_by_day_and_origin(tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    meter(path, THERE, (2.0, 10.0)).spent(1_000_000, 100_000)
    meter(path, THERE).spent(5, 5)
    meter(path, HERE).spent(100, 10)
    record_usage(path, DAY - timedelta(1), THERE, Spent(1, 7, 7))
    usage = Usage.read(path)
    assert usage.days[DAY.isoformat()][THERE] == Spent(2, 1_000_005, 100_005, 3.0)
    assert usage.days[DAY.isoformat()][HERE] == Spent(1, 100, 10, None)
    assert usage.on(DAY).tokens == 1_100_120
    assert usage.on(DAY - timedelta(1)) == Spent(1, 7, 7)
    assert usage.on(DAY + timedelta(1)) == Spent()


def test_old_days_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    days = {f"2020-{1 + number // 28:02}-{1 + number % 28:02}": {} for number in range(12 * 28)}
    days |= {day.replace("2020", "2021"): {} for day in days}
    path.write_text(f'{{"schema": "lens.usage/1", "days": {days}}}'.replace("'", '"'))
    record_usage(path, DAY, THERE, Spent(1, 2, 3))
    kept = Usage.read(path).days
    assert len(kept) == KEPT_DAYS
    assert min(kept) > "2020-06"
    assert DAY.isoformat() in kept


@pytest.mark.parametrize("content", BROKEN_USAGE)
def test_a_broken_file_is_begun_anew_and_never_counts_as_nothing_used(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "usage.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="not a record of usage"):
        Usage.read(path)
    with pytest.raises(UsageError, match=r"usage\.json.*delete it"):
        meter(path).left(100)
    assert path.read_bytes() == content
    meter(path).spent(3, 4)
    assert meter(path).left(100) == 93


def test_what_is_left_of_a_day_is_never_below_zero(tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    assert meter(path).left(100) == 100
    meter(path, HERE).spent(60, 0)
    meter(path, THERE).spent(0, 30)
    assert meter(path).left(100) == 10
    meter(path).spent(500, 0)
    assert meter(path).left(100) == 0


def test_a_limit_that_cannot_be_counted_is_refused_and_a_call_that_cannot_be_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    nowhere = meter(tmp_path / "file" / "usage.json")
    with pytest.raises(UsageError, match=r"budget\.dailyTokens cannot be kept"):
        nowhere.left(100)
    assert nowhere.problem is None
    nowhere.spent(1, 1)
    assert nowhere.problem is not None
    assert "usage.json" in nowhere.problem


KEYED = "https://models.test"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of user data of our own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.mark.usefixtures("data")
def test_an_origin_that_is_listed_has_a_key() -> None:
    userdata_folder().mkdir(parents=True)
    (userdata_folder() / "keys.json").write_text(json.dumps({"schema": "lens.keys/1", "origins": [KEYED]}))
    assert has_key(KEYED)
    assert not has_key("https://another.test")


def test_a_list_that_cannot_be_read_names_none(data: Path) -> None:
    data.write_text("in the way")
    assert not has_key(KEYED)
