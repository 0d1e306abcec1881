"""Texts that are not kept in memory: read again to be scanned, a batch of files at a time, and dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, islice

import numpy as np

from lens_lsp.corpus.arena import Chunk
from lens_lsp.corpus.heap import give_back
from lens_lsp.corpus.intake import Intake, at_full_speed
from lens_lsp.corpus.opening import Root
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.corpus.texts import CachedText, Key

_FILES = 8192
"""Files that are asked for in one go: a table of all of them would be ten megabytes for a hundred thousand."""
_SPENT = 1 << 24
"""Bytes of texts after which blocks that nobody uses go back to the system: those of one batch never fit all of the
next, and thirty megabytes of them would stand beside what a question knows."""


def streamed(
    texts: Iterable[CachedText],
    intake: Intake,
    roots: Mapping[int, Root],
    buffers: Mapping[Key, Buffer],
    alone: Callable[[int], Chunk],
) -> Iterator[Chunk]:
    """The texts in order, as they are on the disk now, in chunks that nobody keeps.

    ``alone`` gives the chunk of one slot: pieces of very large files are no files to be read. What cannot be read any
    more is in no chunk.
    """
    since = 0
    for (root, whole), run in groupby(texts, lambda text: (text.key[0], text.piece is None)):
        if not whole:
            yield from (alone(text.slot) for text in run)
            continue
        while slots := {text.key[1]: text.slot for text in islice(run, _FILES)}:
            typed = {path: buffer for (index, path), buffer in buffers.items() if index == root and path in slots}
            with at_full_speed():
                for batch in intake.batches(roots[root], list(slots), typed):
                    read, folded = intake.folded(batch, mapped=False)
                    if folded is not None:
                        found = np.array([slots[path] for path in read.paths], np.int64)
                        yield Chunk(folded.data, found, folded.starts, passing=True)
                        since += folded.size
                    if since >= _SPENT:
                        since = 0
                        give_back()
