"""The process that reads documents: bytes come in by a pipe, text goes out by another, and that is all it has.

`lens_lsp.documents.extractor` starts it with an empty environment in the root folder and kills it when a document takes
too long. It never learns what a document is called or where it lies. Should the process that started it vanish, it ends
at the end of its pipe: at once on Linux, elsewhere when the document under way is done or its time is up.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from lens_lsp.documents.confinement import CPU_SECONDS, Code, confine
from lens_lsp.documents.frames import (
    MOST_DATA,
    MOST_GLANCED,
    Damaged,
    bounded,
    receive,
    result_of,
    scanned_from,
    scanned_to,
    send,
)
from lens_lsp.documents.kinds import LOCKED, DocumentReader, Failure, Unextracted

MOST_JOBS = 200
"""Documents after which a worker gives way to a fresh one: what one left behind should not last."""
_OVERTIME = 1.0
"""Seconds that the parent has to kill us before we do."""
_TIRED = 0.4
"""Share of its memory, or of its processor time, after which a worker gives way to a fresh one."""


if sys.platform != "win32":
    import resource


if sys.platform == "linux":
    import fcntl
    import select
    import signal


def main() -> None:
    """Read jobs until the pipe ends. The first argument says as JSON what to give up first."""
    order = json.loads(sys.argv[1])
    jobs, replies, life = _pipes()
    _die_with(life)
    before = _memory_peak()
    kept = confine(Code(order["listed"], order["read"]), order["memory"])
    last, done = False, 0
    while not last:
        try:
            job, data = receive(jobs, MOST_DATA)
        except Damaged:
            return
        with _limited(job["seconds"]):
            said, text = _read(job, data)
        del data
        done += 1
        last = done >= MOST_JOBS or said.get("failure") == Failure.DIED or _tired(order["memory"], before)
        try:
            send(replies, {**said, "last": last, "kept": sorted(kept)}, text)
        except OSError:
            return


def _pipes() -> tuple[IO[bytes], IO[bytes], int]:
    """The pipes, where no library finds them: what it prints or reads goes nowhere. The last one is open as long as
    whoever started us lives, and nothing ever goes through it."""
    jobs, replies, life = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"), os.dup(2)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    return jobs, replies, life


def _read(job: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """The reply to a job: a text, what documents of some ``sizes`` say of themselves, a ``picture`` for a program, the
    view of a ``page`` for people; or why not."""
    said, body = _guarded(lambda: _done(job, data))
    if said.get("failure") == Failure.ENCRYPTED and job.get("passwords"):
        said, body = _guarded(lambda: _done(job, _unlocked(data, job["passwords"])))
        said["unlocked"] = True
    return said, body


def _unlocked(data: bytes, passwords: Sequence[str]) -> bytes:
    unlocked: bytes = importlib.import_module(LOCKED).unlocked(data, passwords)
    return unlocked


def _done(job: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    reader: DocumentReader = getattr(importlib.import_module(job["module"]), job["reader"])()
    if "sizes" in job:
        return _glanced(reader, job["sizes"], data)
    if "page" in job:
        view = reader.view(data, job["page"], job["quote"], job["scanned"] and scanned_from(job["scanned"]))
        return {"marks": view.marks}, view.png
    if "recognise" in job:
        scanned, pages = reader.recognise(data, job["recognise"])
        return {"pages": pages, "scanned": scanned_to(scanned)}, b""
    if "picture" in job:
        picture, pages = reader.picture(data, job["picture"])
        return {"pages": pages}, picture
    first, count = job.get("part") or (0, 0)
    extracted = reader.extract_part(data, first, count) if count else reader.extract(data)
    if not extracted.text.strip() and not first and not extracted.left:
        raise Unextracted(Failure.EMPTY, "nothing in it is text")
    return result_of(bounded(extracted))


def _guarded(do: Callable[[], tuple[dict[str, Any], bytes]]) -> tuple[dict[str, Any], bytes]:
    try:
        return do()
    except Unextracted as reason:
        return _failed(reason.failure, reason.detail)
    except ImportError as error:  # nothing is wrong with the document
        return _failed(Failure.NO_READER, f"what reads it cannot be loaded: {error}")
    except MemoryError:
        return _failed(Failure.DIED, "its memory was used up")
    except Exception as error:  # noqa: BLE001 - the door: whatever a library raises, the document is broken
        return _failed(Failure.BROKEN, f"{type(error).__name__}: {error}")


def _glanced(reader: DocumentReader, sizes: Sequence[int], data: bytes) -> tuple[dict[str, Any], bytes]:
    said: list[str] = []
    start = 0
    for size in sizes:
        document = data[start : start + size]
        head, _ = _guarded(lambda document=document: ({"said": reader.glance(document)[:MOST_GLANCED]}, b""))  # type: ignore[misc]
        said.append(head.get("said", ""))
        start += size
    return {"said": said}, b""


def _failed(failure: Failure, detail: str) -> tuple[dict[str, Any], bytes]:
    return {"failure": failure.value, "detail": detail[:1000]}, b""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Do not outlive the time for a document. It needs no lock of Python's, which a library may hold for ever."""
    faulthandler.dump_traceback_later(seconds + _OVERTIME, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _die_with(life: int) -> None:
    """Die by a signal when the other end of the pipe is closed, whatever holds Python's lock then.

    It has to be a pipe of its own. The system signals what was written to one after whoever reads it was woken, so
    that a job already taken may raise the signal: a busy system would lose a document now and then.
    """
    if sys.platform != "linux":
        return
    # Not the signal for a parent's death: that comes when the thread ends that started us.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)
    ended = select.poll()
    ended.register(life, 0)
    if ended.poll(0):
        os._exit(0)


def _memory_peak() -> int:
    """The most bytes that this process ever held, or that the one held which started it: that is counted, too."""
    if sys.platform == "win32":
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _tired(memory: int | None, before: int) -> bool:
    """Whether so much was used up since the start that the next document might lack it."""
    if sys.platform == "win32":
        return False
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime > _TIRED * CPU_SECONDS
    return spent or (memory is not None and _memory_peak() > max(before, _TIRED * memory))
