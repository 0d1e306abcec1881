"""A folder in an object store beside the same folder on disk: first question, unchanged, after some objects changed,
and faults. The store is moto's server of S3's protocol on this machine, in a process of its own.

    python -m benchmarks.objects --documents 20000
    python -m benchmarks.objects --faults 200

Each row is a JSON line: seconds of both, what was asked of the store, and whether documents, passages, scores and order
are the same. Where the time of a question does not suffice for all objects it is asked again; ``asked`` counts. The
last rows are faults: objects that vanish behind the listing, and a server that is killed while it is read; ``named``
says whether every object that was found was searched or is named, ``happened`` whether the fault came in time.

With ``--faults`` so many questions are asked of a small store with an empty cache, while objects vanish or change, and
at every twentieth the server halts until the question is answered. What the answer says to have read is checked against
the server's own log (`complaints`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.model.documents import Findings, SkipReason
from lens_lsp.model.errors import PathNotFound
from tests.object_server import ObjectServer, missing, object_server

_WORDS = ("amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "heath", "island", "juniper", "kelp", "lagoon")
_QUESTIONS = ("what does the lantern of house 4711 cost", "amber lagoon cedar", "who keeps house 77", "kelp heath")
_BUCKET = "notes"
_LATER = frozenset({SkipReason.NOT_READ, SkipReason.NO_ANSWER})
_GIVEN = re.compile(r'GET /notes/(\S+) HTTP/1\.1(?:\x1b\[0m)?" 20[06] ')
"""An object that the server gave out, in its log."""


def documents(count: int, seed: int) -> dict[str, bytes]:
    """Notes of some hundred bytes to some kilobytes, in 100 folders."""
    chance = random.Random(seed)
    found = {}
    for n in range(count):
        text = " ".join(chance.choices(_WORDS, k=int(chance.lognormvariate(4.5, 0.8)) + 10))
        found[f"{n % 100:02}/house-{n}.md"] = (
            f"# House {n}\n\n{text}.\n\nThe lantern of house {n} costs {chance.randint(10, 999)} euros.\n".encode()
        )
    return found


class _At:
    """An observer that does something once, when a share of the files was read; for no share, once they are listed."""

    def __init__(self, share: float, act: Callable[[], object]) -> None:
        self._share, self._act, self.done = share, act, False
        self._stage = "read" if share else "walk"

    def progress(self, stage: str, done: int, total: int | None) -> None:
        if stage == self._stage and not self.done and done >= self._share * (total or 0):
            self.done = True
            self._act()

    def evidence(self, item: object) -> None: ...


def timed(ask: Callable[[], Findings]) -> tuple[Findings, float]:
    """What a question found, and how many seconds it took."""
    began = time.perf_counter()
    found = ask()
    return found, time.perf_counter() - began


def same(remote: Findings, local: Findings) -> bool:
    """Whether documents, passages, scores and order are the same."""

    def told(found: Findings) -> list[object]:
        return [(e.path, e.span, e.quote, e.score, e.origin.sha256) for e in found.evidence] + [*found.documents]

    return told(remote) == told(local)


def put(row: str, **said: Any) -> None:
    """Print a row."""
    print(json.dumps({"row": row, **said}), flush=True)


def compared(row: str, remote: Lens, local: Lens) -> None:
    """Ask both the questions; the first of them is the row's, the others say whether all are the same."""
    there, seconds = timed(lambda: remote.find(_QUESTIONS[0]))
    asked = 1
    while asked < 10 and any(skip.reason in _LATER for skip in there.coverage.skipped):
        put(row, asked=asked, seconds=round(seconds, 2), scanned=there.coverage.scanned, found=there.coverage.found)
        there, more = timed(lambda: remote.find(_QUESTIONS[0]))
        seconds, asked = seconds + more, asked + 1
    here, beside = timed(lambda: local.find(_QUESTIONS[0]))
    taken = there.fetched[0]
    equal = [same(there, here), *(same(remote.find(question), local.find(question)) for question in _QUESTIONS[1:])]
    counts = {name: getattr(taken, name) for name in ("lists", "listed", "looks", "reads", "received", "from_cache")}
    put(row, seconds=round(seconds, 2), disk=round(beside, 2), **counts, same=f"{sum(equal)} of {len(equal)}")


def faults(server: ObjectServer, notes: dict[str, bytes], url: str, place: Path) -> None:
    """Objects vanish while they are read, then the server is killed."""
    gone = random.Random(1).sample(sorted(notes), max(1, len(notes) // 100))

    def vanish() -> None:
        for start in range(0, len(gone), 1000):
            keys = [{"Key": key} for key in gone[start : start + 1000]]
            server.client.delete_objects(Bucket=_BUCKET, Delete={"Objects": keys})

    for row, act in (("1 % vanish", vanish), ("server killed", server.kill)):
        _fresh(place / row.replace(" ", "-"))
        at = _At(0.0 if row == "1 % vanish" else 0.5, act)
        found, seconds = timed(lambda at=at: Lens([url]).find(_QUESTIONS[0], observer=at))  # type: ignore[misc]
        covered = found.coverage
        reasons = Counter(skip.reason.value for skip in covered.skipped)
        named = covered.scanned + len(covered.skipped) == covered.found
        put(
            row,
            seconds=round(seconds, 2),
            found=covered.found,
            scanned=covered.scanned,
            skipped=dict(reasons),
            passages=len(found.evidence),
            happened=at.done,
            named=named,
        )


def complaints(found: Findings, objects: Collection[str], gone: Collection[str], read: Collection[str]) -> list[str]:
    """What is wrong with an answer about ``objects``, some of which were ``gone`` before they were listed or later, and
    of which the server's log says that ``read`` were given out."""
    wrong, covered = [], found.coverage
    known = set(objects) & (set(read) | {skip.path for skip in covered.skipped})
    if covered.scanned + len(covered.skipped) != covered.found or covered.found != len(known):
        wrong.append("the coverage does not add up")
    if lost := set(objects) - set(gone) - known:
        wrong.append(f"{len(lost)} objects were not read and are not named")
    if any(item.path not in read for item in found.evidence):
        wrong.append("a passage is of what was not read")
    return wrong


def struck(count: int, place: Path) -> dict[str, Any]:
    """Questions while objects vanish, change, or the server halts: what became of them."""
    chance, notes = random.Random(3), documents(100, 3)
    into: Counter[str] = Counter()
    slowest = usual = 0.0
    with object_server() as server:
        os.environ.update(server.environment)
        url = server.bucket(_BUCKET, notes)
        for number in range(count):
            fault = "halts" if number % 20 == 19 else chance.choice(("vanish", "change"))
            some = chance.sample(sorted(notes), chance.randint(1, 10))

            def act(fault: str, some: Sequence[str], moment: float) -> None:
                time.sleep(moment)
                if fault == "halts":
                    os.kill(server.process.pid, signal.SIGSTOP)
                for key in () if fault == "halts" else some:
                    if fault == "vanish":
                        server.client.delete_object(Bucket=_BUCKET, Key=key)
                    else:
                        server.put(_BUCKET, key, notes[key].replace(b"euros", b"crowns"))

            _fresh(place / str(number))
            before, lens = len(server.requests()), Lens([url])
            acting = threading.Thread(target=act, args=(fault, some, usual * chance.random()))
            acting.start()
            began, found = time.perf_counter(), None
            try:
                found = lens.find(chance.choice(_QUESTIONS))
            except PathNotFound:  # it halted before it was listed, which is said
                into[f"{fault}: refused"] += 1
            finally:
                seconds = time.perf_counter() - began
                acting.join()
                os.kill(server.process.pid, signal.SIGCONT)
            usual = seconds if usual == 0.0 else usual
            into[f"{fault}: asked"] += 1
            slowest = max(slowest, seconds)
            if found is None:
                continue
            log = "\n".join(server.requests()[before:])
            wrong = complaints(found, notes, some if fault == "vanish" else (), set(_GIVEN.findall(log)))
            into[f"{fault}: answers that name objects"] += bool(found.coverage.skipped)
            into[f"{fault}: objects named"] += len(found.coverage.skipped)
            into["wrong"] += bool(wrong)
            if wrong:
                put("wrong", fault=fault, number=number, why=wrong)
            for key in some:
                server.put(_BUCKET, key, notes[key])
    return {"asked": count, **dict(sorted(into.items())), "slowest": round(slowest, 1)}


def _fresh(place: Path) -> None:
    """Begin with an empty cache."""
    os.environ["XDG_CACHE_HOME"] = str(place)
    from lens_lsp.corpus import object_store

    object_store._CACHES.clear()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--faults", type=int, default=0, metavar="N", help="only N questions with faults")
    parser.add_argument("--seed", type=int, default=33)
    options = parser.parse_args()
    if why := missing():
        print(why, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place, url = Path(folder), f"s3://{_BUCKET}"
        if options.faults:
            put("faults", **struck(options.faults, place))
            return 0
        notes = documents(options.documents, options.seed)
        for key, data in notes.items():
            path = place / "disk" / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        server = stack.enter_context(object_server((_BUCKET, place / "disk")))
        os.environ.update(server.environment)
        put("corpus", documents=len(notes), bytes=sum(map(len, notes.values())), load=round(os.getloadavg()[0], 1))
        _fresh(place / "cache")
        remote, local = Lens([url]), Lens([place / "disk"])
        compared("first question", remote, local)
        compared("unchanged, warm", remote, local)
        compared("unchanged, another start", Lens([url]), Lens([place / "disk"]))
        for key in random.Random(2).sample(sorted(notes), max(1, len(notes) // 100)):
            notes[key] = notes[key].replace(b"euros", b"crowns") + b"Changed since.\n"
            (place / "disk" / key).write_bytes(notes[key])
            server.put(_BUCKET, key, notes[key])
        compared("1 % changed, warm", remote, local)
        compared("1 % changed, another start", Lens([url]), Lens([place / "disk"]))
        faults(server, notes, url, place)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
