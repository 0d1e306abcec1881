"""Handlers that fail, all of them and in every way: an answer that tells nothing, and a server that lives.

``python -m tests.soak.lsp_handler_faults --n 5000`` has so many failures happen: in each handler of a request, a
command and a notification, by exceptions with words of the user's in them, by recursion and want of memory, by what
would end a process; when a handler is loaded, at once, later, in a thread. It prints one JSON line and exits with 1 if
a request was not answered once by ``-32603`` and the number of an incident, if those words came back or into the log,
if the server left or answered no longer, or if a feature was not switched off, told of once, by its third failure of
one kind in a row and not before; and if a server without the guard around its handlers did as well.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types

from lens_lsp.lsp.request_handler import FAILURES, RequestFailed
from tests.lsp.lsp_client import PATIENCE, LspProcess, Message, environment
from tests.lsp.lsp_params import notifications, request
from tests.soak.failing_handlers import ALIVE, ANSWERED, SAID, TOLD, Fault, planned
from tests.soak.harness import Options, Verdict, harness

SECONDS = 30.0
"""Until an answer is given up."""
CANCELLED, INTERNAL = -32800, -32603
PULLING = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
"""Of a client that every request is offered to."""
_SOON = 3.0
"""The same for the control, which leaves some requests without an answer."""
_MOST_WRONG = 20


@dataclass
class Tally:
    """What came of a number of failures."""

    requests: int = 0
    notifications: int = 0
    handlers: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    switched_off: int = 0
    servers: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """All failures."""
        return self.requests + self.notifications


class Round:
    """One server whose handlers fail, and what it has to do about it."""

    def __init__(self, server: LspProcess, seed: int, number: int, tally: Tally, seconds: float = SECONDS) -> None:
        self._server = server
        self._seconds = seconds
        self._draw = random.Random(f"{number} {seed}")
        self._plan = planned(seed, number)
        self._tally = tally
        self._incidents: list[str] = []
        """The numbers that were told to the client."""
        self._logged = 0
        """Failures that have to be in the log."""
        self._row: dict[str, tuple[str, int]] = {}
        """By feature: how it failed last, and how often in a row."""
        self._off: list[str] = []

    def begin(self) -> None:
        """The handshake, which fails once and then comes about."""
        self._answered(types.INITIALIZE, self._plan[types.INITIALIZE][0], types.INITIALIZE, {"capabilities": {}})
        self._server.begin(capabilities=PULLING)

    def play(self, most: int) -> None:
        """Have the handlers fail in any order, so often at most."""
        until = self._tally.faults + most
        told = notifications(SAID)
        for name, fault in self._order():
            if self._tally.faults >= until or len(self._tally.wrong) >= _MOST_WRONG:
                return
            if name in TOLD:
                self._server.notify(name, told[name])
                self._count(name, fault)
                self._tally.notifications += 1
                self._logged += 1
                self._lives()
            else:
                self._answered(name, fault, *request(name))
                self._watch_off(name, fault)

    def end(self) -> None:
        """How often requests were answered, what features are switched off, and the end."""
        self._expect(set(self._server.counts.values()) == {1}, "a request was answered twice")
        if not self._tally.wrong:
            for name in self._off:
                error = self._server.ask(*request(name), self._seconds).get("error", {})
                self._expect(error.get("code") == RequestFailed.CODE, f"{name}: {error} though it is off")
            known = self._server.result(ALIVE, None, self._seconds)["switchedOff"]
            self._expect(known == sorted(self._off), f"{known} are off, not {sorted(self._off)}")
            self._expect(self._server.leave() == 0, f"it left with {self._server.process.returncode}")

    def read_log(self) -> None:
        """What it wrote, when it has ended."""
        log = self._server.errors.decode()
        for words in (SAID, "Traceback"):
            self._expect(words not in log, f"{words} is in the log: {log[max(0, log.find(words) - 200) :][:400]}")
        logged = re.findall(r"incident ([0-9a-f]{8}) in", log)
        self._expect(len(logged) == self._logged, f"{len(logged)} incidents in the log, not {self._logged}")
        missing = set(self._incidents) - set(logged)
        self._expect(not missing, f"{len(missing)} incidents are told and not in the log")

    def _order(self) -> Iterator[tuple[str, Fault | None]]:
        """All calls: each handler's in its order, the handlers mixed."""
        calls = [name for name in (*ANSWERED, *TOLD) for fault in self._plan[name]]
        calls.remove(types.INITIALIZED)  # the handshake was one
        self._draw.shuffle(calls)
        rest = {name: iter(faults) for name, faults in self._plan.items()}
        next(rest[types.INITIALIZED])
        for name in calls:
            yield name, next(rest[name])

    def _answered(self, name: str, fault: Fault | None, method: str, params: Message) -> None:
        """Send a request: one answer, as its handler fails or does not."""
        id_ = f"{name} {self._tally.faults} {len(self._server.answers)}"
        self._server.request(method, params, id_)
        answer = self._server.answer(id_, PATIENCE if method == types.INITIALIZE else self._seconds)
        self._expect(SAID not in json.dumps(answer), f"{name} {fault}: {answer}")
        error = answer.get("error")
        if fault is None:
            self._expect(error is None, f"{name}: {error}")
            return
        self._count(name, fault)
        self._tally.requests += 1
        if fault.kind == "cancelled" and name != types.INITIALIZE:
            self._expect(error is not None and error["code"] == CANCELLED, f"{name} {fault}: {answer}")
            return
        self._logged += 1
        incident = self._incident(error)
        self._expect(incident is not None, f"{name} {fault}: {answer}")
        self._incidents += [incident] * (incident is not None)
        if method != types.INITIALIZE:
            self._lives()

    @staticmethod
    def _incident(error: Any) -> Any:
        """The number that an answer tells; None if it is not the answer to a failure."""
        data = error.get("data") if isinstance(error, dict) else None
        if not isinstance(data, dict) or error["code"] != INTERNAL or set(data) != {"code", "incident"}:
            return None
        return data["incident"] if data["incident"] in error["message"] else None

    def _watch_off(self, name: str, fault: Fault | None) -> None:
        """Three of one kind in a row switch a feature off, which is said once; a cancel among them changes nothing."""
        if fault is None:
            self._row.pop(name, None)
        elif fault.kind != "cancelled":
            kind, times = self._row.get(name, (fault.kind, 0))
            self._row[name] = fault.kind, times + 1 if kind == fault.kind else 1
            if self._row[name][1] == FAILURES:
                self._off.append(name)
                self._tally.switched_off += 1
        said = [each["message"].split()[0] for each in self._server.notifications("window/showMessage")]
        self._expect(said == self._off, f"{name}: told {said[-2:]} of {len(said)}, not {self._off[-2:]}")

    def _lives(self) -> None:
        self._server.result(ALIVE, None, self._seconds)

    def _count(self, name: str, fault: Fault | None) -> None:
        assert fault is not None
        self._tally.kinds[fault.kind] += 1
        self._tally.handlers.add(name)

    def _expect(self, so: bool, otherwise: str) -> None:
        if not so:
            self._tally.wrong.append(otherwise)


def run(faults: int, seed: int = 1, *, control: bool = False) -> Tally:
    """Start servers until so many failures have happened, or one of them did wrong."""
    tally = Tally()
    while tally.faults < faults and not tally.wrong:
        more = ("--seed", str(seed), "--round", str(tally.servers), *(["--unguarded"] if control else []))
        with tempfile.TemporaryDirectory() as home:
            command = (sys.executable, "-m", "tests.soak.failing_handlers", *more)
            with LspProcess(environment(Path(home)), command) as server:
                played = Round(server, seed, tally.servers, tally, _SOON if control else SECONDS)
                try:
                    played.begin()
                    played.play(faults - tally.faults)
                    played.end()
                except (AssertionError, BrokenPipeError) as error:
                    tally.wrong.append(f"no answer, status {server.process.poll()}: {error}")
            if not control:
                played.read_log()
        tally.servers += 1
    return tally


@harness(n=5_000, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.n, options.seed)
    control = run(40, options.seed, control=True)
    return {
        "n": tally.faults,
        "requests": tally.requests,
        "notifications": tally.notifications,
        "handlers": len(tally.handlers),
        "kinds": dict(sorted(tally.kinds.items())),
        "switchedOff": tally.switched_off,
        "servers": tally.servers,
        "wrong": tally.wrong,
        "controlN": control.faults,
        "controlBad": len(control.wrong),
    }, control.wrong


if __name__ == "__main__":
    sys.exit(main())
