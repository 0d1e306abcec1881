"""A second process that reads files while this one reads others, for the first look at a very large folder.

That costs most by the number of files, and the interpreter's lock lets one thread read at a time. The process is given
the paths once, then stretches of them, from the back; it opens them below the root as everybody does, and ends with its
pipe. Whatever becomes of it, every file is read once: what it did not send is read here.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO, NamedTuple, cast

from lens_lsp.corpus.descriptions import heads_of
from lens_lsp.corpus.encoding import FoldedBatch
from lens_lsp.corpus.formats.text_reader import NO_HEAD
from lens_lsp.corpus.intake import Batch, Intake, ReadBatch, at_full_speed, read_batches
from lens_lsp.corpus.pipes import keyless_environment, put_message, take_message
from lens_lsp.corpus.safe_open import Root
from lens_lsp.model.documents import Head

_STRETCH = 2_048
"""Files of a request."""
_AHEAD = 2
"""Requests that it has, so that it is never idle."""
_MOST_WAITING = 16
"""Batches that wait for whoever asked."""
_SILENCE = 30.0
"""Seconds after which a process that sends nothing is not waited for any more."""
_REQUEST = struct.Struct("<QQ")


class ReadingTask(NamedTuple):
    """What a process reads: a root, by its path and what its folder is; with what encoding and memory; paths."""

    root: str
    folder: tuple[int, int]
    fallback: str
    budget: int
    paths: Sequence[str]


def may_share(root: Root) -> bool:
    """Whether two processes read the files of a root sooner than one; not where files may not answer."""
    return type(root.handle) is int and (os.cpu_count() or 1) > 1


def shared_batches(
    root: Root, intake: Intake, paths: Sequence[str], *, fallback: str, budget: int
) -> Iterator[ReadBatch]:
    """All files in batches, in no order, read from the front here and from the back by a process of their own.

    The process decodes as an `Intake` of ``fallback`` and ``budget``. Close the iterator to end it.
    """
    folder = os.fstat(cast(int, root.handle))
    try:
        other = ReadingProcess(ReadingTask(root.path, (folder.st_dev, folder.st_ino), fallback, budget, paths))
    except OSError:
        yield from read_batches(root, intake, paths, {})
        return
    front, back = 0, len(paths)
    try:
        while front < back or other.reads:
            while front < back and other.takes():
                start = max(front, back - _STRETCH)
                other.ask(start, back)
                back = start
            yield from other.sent(wait=front == back)
            for start, end in other.left():
                yield from read_batches(root, intake, paths[start:end], {})
            end = min(front + _STRETCH, back)
            yield from read_batches(root, intake, paths[front:end], {})
            front = end
    finally:
        other.close()


class ReadingProcess:
    """The process as who asks sees it. Making one raises OSError where it cannot be started."""

    def __init__(self, task: ReadingTask) -> None:
        # The interpreter and the module that run here, in a folder that says nothing to Python.
        command = [sys.executable, "-P", "-m", __name__]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=keyless_environment()
        )
        self._given, self._taken = cast("IO[bytes]", self.process.stdin), cast("IO[bytes]", self.process.stdout)
        self.reads: list[tuple[int, int]] = []
        """The stretches that it has, without what it sent of them, in order."""
        self._sent: queue.Queue[ReadBatch | None] = queue.Queue(_MOST_WAITING)
        self.begun, self._over = threading.Event(), threading.Event()
        """It knows what to read; it has ended, or nobody asks any more."""
        threading.Thread(target=self._begin, args=(task,), daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()

    def takes(self) -> bool:
        """Whether it would take a stretch."""
        return self.begun.is_set() and not self._over.is_set() and len(self.reads) < _AHEAD

    def ask(self, start: int, end: int) -> None:
        """Have a stretch read."""
        self.reads.append((start, end))
        with suppress(OSError, ValueError):  # it has ended: `left` tells
            put_message(self._given, _REQUEST.pack(start, end))

    def sent(self, *, wait: bool) -> Iterator[ReadBatch]:
        """What it sent by now; with ``wait`` at least one batch, if there is one to come."""
        while self.reads:
            try:
                read = self._sent.get(wait, _SILENCE)
            except queue.Empty:
                if wait:
                    self.close()
                return
            if read is None:
                self._over.set()
                return
            start, end = self.reads.pop(0)
            if start + read.batch.files < end:
                self.reads.insert(0, (start + read.batch.files, end))
            yield read
            wait = False

    def left(self) -> list[tuple[int, int]]:
        """What it will never send, because it has ended."""
        if not self._over.is_set():
            return []
        left, self.reads = self.reads, []
        return left

    def close(self) -> None:
        """End it."""
        self._over.set()
        self.process.kill()
        self.process.communicate()

    def _begin(self, task: ReadingTask) -> None:
        with suppress(OSError, ValueError):
            put_message(self._given, pickle.dumps(tuple(task)))
            self.begun.set()

    def _listen(self) -> None:
        read: ReadBatch | None = None
        while not self._over.is_set():
            try:
                read = _unpacked(*pickle.loads(take_message(self._taken)))  # from the process that this one has started
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # it has ended
                read = None
            while not self._over.is_set():
                with suppress(queue.Full):
                    self._sent.put(read, timeout=0.2)
                    break
            if read is None:
                return


_Small = Sequence["Head | str | None"]
"""Heads on their way: most are a title at most."""


def _packed(read: ReadBatch) -> tuple[Batch, FoldedBatch | None, _Small]:
    """A batch on its way: its texts are in what is folded."""
    batch = read.batch
    heads = heads_of(batch.readers, batch.beginnings()) if batch.texts else []
    small = [None if head == NO_HEAD else head.title if head == Head(head.title) else head for head in heads]
    return replace(batch, texts=[], readers=[], decoded={}), read.folded, small


def _unpacked(batch: Batch, folded: FoldedBatch | None, small: _Small) -> ReadBatch:
    heads = [NO_HEAD if head is None else Head(head) if isinstance(head, str) else head for head in small]
    return ReadBatch(batch, folded, heads)


def main() -> int:
    """In the process: read the stretches that are asked for, until nobody asks."""
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    task = ReadingTask(*pickle.loads(take_message(requests)))  # from the process that started this one
    intake = Intake(task.fallback, task.budget)
    with Root(task.root) as root, suppress(EOFError, OSError), at_full_speed():
        folder = os.fstat(cast(int, root.handle))
        if (folder.st_dev, folder.st_ino) != task.folder:
            return 1
        while True:
            start, end = _REQUEST.unpack(take_message(requests))
            for read in read_batches(root, intake, task.paths[start:end], {}):
                put_message(replies, pickle.dumps(_packed(read), pickle.HIGHEST_PROTOCOL))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
