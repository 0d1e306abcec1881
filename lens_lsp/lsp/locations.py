"""Places of evidence as the editor opens them: a URI and a range, read off the file that the evidence was cut from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType

from lsprotocol import types

from lens_lsp.corpus.formats.table import reader_for
from lens_lsp.corpus.opening import Root, Skipped, open_named
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer, Snapshot
from lens_lsp.domain.model import Evidence
from lens_lsp.domain.text import Span
from lens_lsp.lsp.convert import Encoding, Ranges
from lens_lsp.lsp.uris import inside, uri_of

_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))


class Places:
    """Places in the files below some paths, each file read once. Close it, or use it in a ``with`` statement.

    ``paths`` and ``rules`` are those of the question, ``buffers`` its open texts by absolute path, which win over the
    disk. Reads the disk: use it off the event loop. Raises `PathNotFound` and `PathRefused` for a path that is gone.
    """

    def __init__(
        self, paths: Sequence[str], rules: CorpusRules, buffers: Mapping[str, Buffer], encoding: Encoding
    ) -> None:
        self._encoding = encoding
        self._texts: dict[tuple[int, str], tuple[str, Ranges, str] | None] = {}
        with ExitStack() as stack:
            self._roots = [stack.enter_context(open_named(path, index)[0]) for index, path in enumerate(paths)]
            self._stack = stack.pop_all()
        self._snapshot = Snapshot(self._roots, _overlay(self._roots, buffers), rules)

    def __enter__(self) -> Places:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def location(self, item: Evidence) -> types.Location | None:
        """Where a quote stands; None if its file has changed since and no longer says so in just one place.

        Extracted formats have no ranges: the location is the top of the file, and the locator says more.
        """
        uri = uri_of(os.path.join(self._roots[item.root].path, *item.path.split("/")))
        reader = reader_for(item.path.rpartition("/")[2])
        if reader is None or reader.extracted:
            return types.Location(uri, _TOP)
        read = self._text(item.root, item.path)
        if read is None:
            return None
        text, ranges, sha256 = read
        if sha256 == item.origin.sha256 and text.startswith(item.quote, item.span.start):
            return types.Location(uri, ranges.range(item.span))
        start = text.find(item.quote)
        if start < 0 or text.find(item.quote, start + 1) >= 0:
            return None
        return types.Location(uri, ranges.range(Span(start, start + len(item.quote))))

    def _text(self, root: int, path: str) -> tuple[str, Ranges, str] | None:
        """A text, places in it, and its hash; None if it cannot be read now."""
        key = root, path
        if key not in self._texts:
            try:
                source = self._snapshot.read(root, path)
            except Skipped:
                self._texts[key] = None
            else:
                self._texts[key] = source.text, Ranges(source.text, self._encoding), source.origin.sha256
        return self._texts[key]


def roots_of(paths: Sequence[str]) -> tuple[str, ...]:
    """The folders that the paths of evidence start at, absolute: a file's is the one it lies in. Raises as `Places`."""
    with ExitStack() as stack:
        return tuple(stack.enter_context(open_named(path)[0]).path for path in paths)


def _overlay(roots: Sequence[Root], buffers: Mapping[str, Buffer]) -> dict[tuple[int, str], Buffer]:
    return {
        (root.index, os.path.relpath(path, root.path).replace(os.sep, "/")): buffer
        for path, buffer in buffers.items()
        for root in roots
        if inside(path, root.path)
    }
