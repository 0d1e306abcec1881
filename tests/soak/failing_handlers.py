"""A real server whose handlers fail as planned: ``python -m tests.soak.failing_handlers --seed 1 --round 0``.

What each handler does when it is called is drawn from the seed and the round, so that whoever plays its client knows it
as well. With ``--unguarded`` a handler is called as pygls would, and what it raises is left to pygls.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from lsprotocol import types

from lens_lsp.lsp.request_handler import FAILURES, RequestDispatcher, RequestHandler
from lens_lsp.lsp.server import COMMANDS, NOTIFICATIONS, PULLED, REQUESTS, LensServer, Loader

SAID = "canary-5e1f"
"""Stands in whatever fails, and may stand nowhere else."""
ALIVE = "soak/alive"
"""A request that is handled as ``lens/status`` is, and never fails."""
ANSWERED = (*REQUESTS, *COMMANDS, *PULLED)
TOLD = tuple(name for name in NOTIFICATIONS if name != types.INITIALIZE)


class Unprintable(Exception):
    """Cannot even be shown."""

    def __str__(self) -> str:
        raise ValueError(SAID)

    __repr__ = __str__


class Panic(BaseException):
    """As libraries in Rust raise it."""


def _raised(error: Callable[[], BaseException]) -> Callable[[], NoReturn]:
    def fail() -> NoReturn:
        raise error()

    return fail


def _recursing() -> NoReturn:
    _recursing()
    raise AssertionError


def _out_of_memory() -> NoReturn:
    bytearray(1 << 62)
    raise AssertionError


def _undecodable() -> NoReturn:
    f"{SAID} é".encode().decode("ascii")
    raise AssertionError


def _chained() -> NoReturn:
    try:
        raise ValueError(SAID)
    except ValueError as error:
        raise KeyError(SAID) from error


KINDS: Mapping[str, Callable[[], NoReturn]] = {
    "value": _raised(lambda: ValueError(SAID)),
    "system": _raised(lambda: PermissionError(13, SAID, f"/{SAID}")),
    "encoding": _undecodable,
    "chained": _chained,
    "assertion": _raised(lambda: AssertionError(SAID)),
    "group": _raised(lambda: ExceptionGroup(SAID, [ValueError(SAID)])),
    "unprintable": _raised(lambda: Unprintable(SAID)),
    "iteration": _raised(lambda: StopIteration(SAID)),
    "recursion": _recursing,
    "memory": _out_of_memory,
    "exit": _raised(lambda: SystemExit(SAID)),
    "panic": _raised(lambda: Panic(SAID)),
    "cancelled": _raised(lambda: asyncio.CancelledError(SAID)),
}
"""What a handler may raise. ``cancelled`` leaks from inside: nobody cancelled the request."""
PLACES = ("loading", "at once", "later", "thread")


@dataclass(frozen=True, slots=True)
class Fault:
    """One failure of a handler: what it raises, and when."""

    kind: str
    place: str = "at once"


Plan = dict[str, list[Fault | None]]
"""By handler: what comes of each call, None for nothing bad."""


def planned(seed: int, number: int) -> Plan:
    """What the handlers of one server do: each fails in every way, and one that is to answer at last three times in
    the same. ``initialize`` fails once."""
    draw = random.Random(f"{seed} {number}")
    plan: Plan = {name: list(_until_off(draw)) for name in ANSWERED}
    for name in TOLD:
        kinds = draw.sample(sorted(KINDS), len(KINDS))
        plan[name] = [None] * (name == types.INITIALIZED) + [Fault(kind) for kind in kinds]
    plan[types.INITIALIZE] = [Fault(sorted(KINDS)[number % len(KINDS)]), None]
    return plan


def _until_off(draw: random.Random) -> Iterator[Fault | None]:
    kinds = draw.sample(sorted(KINDS), len(KINDS))
    if kinds[-1] == "cancelled":  # that is no failure of the feature
        kinds.reverse()
    for kind in kinds[:-1]:
        for _ in range(draw.randrange(1, FAILURES)):
            yield Fault(kind, _place(draw, kind))
        if draw.random() < 0.3:
            yield None
    for left in reversed(range(FAILURES)):
        yield Fault(kinds[-1], _place(draw, kinds[-1]))
        if left == 1 and draw.random() < 0.5:  # what leaks in between makes no difference
            yield Fault("cancelled")


def _place(draw: random.Random, kind: str) -> str:
    # Python 3.11 never tells of this one in a thread, and a coroutine makes another kind of it.
    return draw.choice(PLACES[1:-1] if kind == "iteration" else PLACES)


def answering(plan: Iterator[Fault | None]) -> Loader:
    """The endpoint of a handler that fails as planned."""

    def load() -> RequestHandler[Any]:
        fault = next(plan, None)
        if fault is not None and fault.place == "loading":
            KINDS[fault.kind]()

        async def handle(ls: object, params: object) -> object:
            if fault is not None:
                if fault.place == "later":
                    await asyncio.sleep(0)
                if fault.place == "thread":
                    await asyncio.to_thread(KINDS[fault.kind])
                KINDS[fault.kind]()
            return {}

        return RequestHandler(handle)

    return load


def told(plan: Iterator[Fault | None], handler: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """The handler of a notification that fails as planned, and is itself where it does not."""

    def handle(ls: Any, params: Any) -> None:
        fault = next(plan, None)
        if fault is not None:
            KINDS[fault.kind]()
        handler(ls, params)

    return handle


async def unguarded(
    self: RequestDispatcher, name: str, endpoint: Callable[[], RequestHandler[Any]], ls: Any, raw: object
) -> object:
    """The control: nothing stands between a handler and pygls."""
    chosen = endpoint()
    return ls.plain(await chosen.handler(ls, chosen.parse(raw)))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--round", type=int, required=True)
    parser.add_argument("--unguarded", action="store_true")
    options = parser.parse_args(arguments)
    plan = planned(options.seed, options.round)
    alive = REQUESTS["lens/status"]
    for table in (REQUESTS, COMMANDS, PULLED):
        for name in table:
            cast("dict[str, Loader]", table)[name] = answering(iter(plan[name]))
    cast("dict[str, Loader]", REQUESTS)[ALIVE] = alive
    LensServer.load = lambda self: None  # type: ignore[method-assign]
    for name, handler in NOTIFICATIONS.items():
        NOTIFICATIONS[name] = told(iter(plan[name]), handler)
    if options.unguarded:
        RequestDispatcher.call = unguarded  # type: ignore[method-assign]
    from lens_lsp.cli import main as lens

    return lens(["serve"])


if __name__ == "__main__":
    sys.exit(main())
