"""Places of evidence as the editor opens them: a URI and a range, read off the file as it is now."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from lsprotocol import types

from lens_lsp.corpus.opening import open_named
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.domain.citation import Citation
from lens_lsp.lsp.convert import Encoding, Ranges
from lens_lsp.lsp.uris import uri_of
from lens_lsp.sources import Sources

_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))


def places_of(
    citations: Mapping[int, Citation],
    rules: CorpusRules,
    buffers: Mapping[str, Buffer],
    encoding: Encoding,
    texts: bool = False,
) -> dict[int, types.Location]:
    """Where citations of absolute roots stand now, by their numbers; those that stand no longer are left out.

    ``buffers`` are the open texts by absolute path, which win over the disk. In extracted formats the place
    is the top of the file, or with ``texts`` in the text that is taken out of it. Reads the sources: call it off the
    event loop.
    """
    places = {}
    with Sources(rules=rules, buffers=buffers) as sources:
        for n, citation in sorted(citations.items(), key=lambda each: (each[1].root, each[1].path)):
            checked, _ = sources.check(citation, "")
            if checked.span is not None:
                path = checked.path or citation.path
                text = sources.text(checked, "", extracted=texts)
                where = _TOP if text is None else Ranges(text, encoding).range(checked.span)
                places[n] = types.Location(uri_of(os.path.join(citation.root, *path.split("/"))), where)
    return places


def roots_of(paths: Sequence[str]) -> tuple[str, ...]:
    """The folders that the paths of evidence start at, absolute: a file's is the one it lies in.

    Raises `PathNotFound` and `PathRefused` for a path that is gone.
    """
    with ExitStack() as stack:
        return tuple(stack.enter_context(open_named(path)[0]).path for path in paths)
