"""User data outside every workspace: consents, and what models were used, in files of one folder.

Each file changes as a whole, under a lock, and is readable by its owner alone. The lock is the system's own on an open
file, so that whoever is killed gives it back; it says nothing about who only reads. No question, no document and no key
is in them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from datetime import date
from pathlib import Path

from platformdirs import user_data_path

from lens_lsp.disk import lock_file, read_plain, replace_whole, take_lock
from lens_lsp.model.errors import UsageError
from lens_lsp.model.lazy_dataclass import dataclass

LOCK = ".lock"
_MOST_BYTES = 16 << 20
_CONSENTS_SCHEMA = "lens.consent/1"
Consent = tuple[str, str]
"""A workspace, by its real path, and an origin."""
KEPT_DAYS = 400
"""Days that are kept; older ones are forgotten with the next call."""
_USAGE_SCHEMA = "lens.usage/1"


def userdata_folder() -> Path:
    """Where everything is kept."""
    return user_data_path("lens-lsp")


def read_userdata(path: Path) -> bytes | None:
    """What a file holds, None when there is none. Raises OSError."""
    try:
        return read_plain(path, _MOST_BYTES)
    except FileNotFoundError:
        return None


def change_userdata(path: Path, change: Callable[[bytes | None], bytes], *, seconds: float = 5.0) -> None:
    """Replace a file by what ``change`` makes of it; of several processes that do, none undoes another's change.

    Raises OSError, TimeoutError when another process holds the lock for ``seconds``.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(path.parent, seconds):
        replace_whole(path, change(read_userdata(path)))


@contextmanager
def _locked(folder: Path, seconds: float) -> Iterator[None]:
    descriptor = lock_file(folder / LOCK)
    try:
        take_lock(descriptor, time.monotonic() + seconds)
        yield
    finally:
        os.close(descriptor)  # which gives the lock back


def consent_file() -> Path:
    """Where consents are kept."""
    return userdata_folder() / "consent.json"


@dataclass(frozen=True, slots=True)
class Consents:
    """All of them. ``problem`` says why a file was ignored, None when there was nothing wrong with it."""

    path: Path
    given: frozenset[Consent] = field(default=frozenset())
    problem: str | None = None

    @classmethod
    def read(cls, path: Path) -> Consents:
        """Read the file; one that is missing holds nothing, and neither does one that is broken."""
        try:
            return cls(path, _parsed_consents(read_userdata(path)))
        except (OSError, ValueError):
            return cls(path, problem=f"{path} cannot be read and is ignored: consent has to be given again")

    def record(self, workspace: str, origin: str) -> None:
        """Keep one more consent. Raises OSError."""
        self._change(lambda given: given | {(workspace, origin)})

    def revoke(self, concerns: Callable[[Consent], bool]) -> frozenset[Consent]:
        """Take back what ``concerns`` says; gives what was taken back. Raises OSError."""
        taken: set[Consent] = set()

        def without(given: frozenset[Consent]) -> frozenset[Consent]:
            taken.update(filter(concerns, given))
            return given - taken

        if any(map(concerns, self.given)):
            self._change(without)
        return frozenset(taken)

    def _change(self, change: Callable[[frozenset[Consent]], frozenset[Consent]]) -> None:
        def changed(data: bytes | None) -> bytes:
            try:
                given = _parsed_consents(data)
            except ValueError:
                given = frozenset()
            entries = [{"workspace": where, "origin": to} for where, to in sorted(change(given))]
            return json.dumps({"schema": _CONSENTS_SCHEMA, "given": entries}, indent=1).encode("ascii")

        change_userdata(self.path, changed)


def _parsed_consents(data: bytes | None) -> frozenset[Consent]:
    """The consents a file holds. Raises ValueError for what is no such file."""
    if data is None:
        return frozenset()
    try:
        found = json.loads(data)
        if found["schema"] != _CONSENTS_SCHEMA:
            raise ValueError("another schema")
        return frozenset((str(each["workspace"]), str(each["origin"])) for each in found["given"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError("not a list of consents") from error


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls came to. ``cost`` is that of the calls whose prices were known, None when none were."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.tokens_in + self.tokens_out

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Spent(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            sum(costs) if costs else None,
        )


Days = dict[str, dict[str, Spent]]
"""By day (ISO), by origin."""


def usage_file() -> Path:
    """Where usage is kept."""
    return userdata_folder() / "usage.json"


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of the days that are kept."""

    days: Mapping[str, Mapping[str, Spent]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Usage:
        """Read the file; one that is missing holds nothing. Raises OSError, and ValueError for a broken file."""
        return cls(_parsed_usage(read_userdata(path)))

    def on(self, day: date) -> Spent:
        """All that was spent on one day, at all origins."""
        total = Spent()
        for spent in self.days.get(day.isoformat(), {}).values():
            total = total.plus(spent)
        return total


def record_usage(path: Path, day: date, origin: str, spent: Spent) -> None:
    """Add to what was spent on a day at an origin; a broken file is begun anew. Raises OSError."""

    def added(data: bytes | None) -> bytes:
        try:
            days = _parsed_usage(data)
        except ValueError:
            days = {}
        today = days.setdefault(day.isoformat(), {})
        today[origin] = today.get(origin, Spent()).plus(spent)
        return _text({name: days[name] for name in sorted(days)[-KEPT_DAYS:]}).encode("ascii")

    change_userdata(path, added)


def _text(days: Days) -> str:
    shown = {day: {origin: _entry(spent) for origin, spent in sorted(days[day].items())} for day in days}
    return json.dumps({"schema": _USAGE_SCHEMA, "days": shown}, indent=1)


def _entry(spent: Spent) -> dict[str, object]:
    return {"calls": spent.calls, "tokens": {"in": spent.tokens_in, "out": spent.tokens_out}, "cost": spent.cost}


def _parsed_usage(data: bytes | None) -> Days:
    """The days a file holds. Raises ValueError for what is no such file."""
    if data is None:
        return {}
    try:
        found = json.loads(data)
        if found["schema"] != _USAGE_SCHEMA:
            raise ValueError("another schema")
        return {
            date.fromisoformat(day).isoformat(): {str(origin): _spent(entry) for origin, entry in origins.items()}
            for day, origins in found["days"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("not a record of usage") from error


def _spent(entry: Mapping[str, object]) -> Spent:
    tokens, cost = entry["tokens"], entry["cost"]
    if not isinstance(tokens, dict):
        raise TypeError("no tokens")
    if cost is not None and not (isinstance(cost, int | float) and 0 <= cost < float("inf")):
        raise ValueError("no cost")
    return Spent(_count(entry["calls"]), _count(tokens["in"]), _count(tokens["out"]), cost)


def _count(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("no count")
    return value


class Meter:
    """Writes down the calls to one origin. ``prices`` are (in, out) per million tokens, None while unknown.

    A call is counted when it is over, so that leaving in the middle of a question forgets none. ``problem`` says why
    something could not be written down, None while everything was.
    """

    def __init__(
        self,
        path: Path,
        origin: str,
        prices: tuple[float, float] | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self.problem: str | None = None
        self._path = path
        self._origin = origin
        self._prices = prices
        self._today = today

    def spent(self, tokens_in: int, tokens_out: int) -> None:
        """One call is over."""
        cost = None
        if self._prices is not None:
            cost = (tokens_in * self._prices[0] + tokens_out * self._prices[1]) / 1e6
        try:
            record_usage(self._path, self._today(), self._origin, Spent(1, tokens_in, tokens_out, cost))
        except OSError as error:
            self.problem = f"what this question used could not be written to {self._path}: {error.strerror or error}"

    def left(self, daily: int) -> int:
        """How many of a day's tokens are left, of all origins together.

        Raises `UsageError` when that cannot be known or written down: a limit that nobody counts is none.
        """
        today = self._today()
        try:
            used = Usage.read(self._path).on(today).tokens
            record_usage(self._path, today, self._origin, Spent())
        except ValueError:
            problem = "it is broken; delete it to begin anew"
        except OSError as error:
            problem = error.strerror or str(error)
        else:
            return max(0, daily - used)
        raise UsageError(
            f"budget.dailyTokens cannot be kept without {self._path} ({problem}); --mode evidence calls no model"
        )
