"""Places of evidence as the editor opens them: a URI and a range, read off the file as it is now."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from lsprotocol import types

from lens_lsp.corpus.allowed import ANYWHERE
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.lsp.convert import Encoding, Ranges
from lens_lsp.lsp.uris import uri_of
from lens_lsp.memory.sources import Sources
from lens_lsp.model.cluster import Checked, Citation
from lens_lsp.model.documents import Context
from lens_lsp.model.text import SourceText, Span

_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))


@dataclass(frozen=True, slots=True)
class Placement:
    """Where evidence stands now: its quote, and each part of its context, None where that stands beside it no more."""

    uri: str
    range: types.Range
    context: tuple[types.Range | None, ...] = ()


def places_of(
    citations: Mapping[int, Citation],
    rules: CorpusRules,
    buffers: Mapping[str, Buffer],
    encoding: Encoding,
    texts: bool = False,
    contexts: Mapping[int, Sequence[Context]] = MappingProxyType({}),
) -> dict[int, Placement]:
    """Where citations of absolute roots stand now, by their numbers; those that stand no longer are left out.
    ``contexts`` are what was shown around their quotes, by the same numbers.

    ``buffers`` are the open texts by absolute path, which win over the disk. In extracted formats the place
    is the top of the file, or with ``texts`` in the text that is taken out of it. Reads the sources: call it off the
    event loop.
    """
    places = {}
    with Sources(ANYWHERE, rules=rules, buffers=buffers) as sources:
        for n, citation in sorted(citations.items(), key=lambda each: (each[1].root, each[1].path)):
            checked, _ = sources.check(citation, "")
            if checked.span is not None:
                path = checked.path or citation.path
                text = sources.text(checked, "", extracted=texts)
                uri = uri_of(os.path.join(citation.root, *path.split("/")))
                beside = contexts.get(n, ())
                if text is None:
                    places[n] = Placement(uri, _TOP, tuple(_TOP for _ in beside))
                else:
                    ranges = Ranges(text, encoding)
                    spans = [_now(part, checked, text) for part in beside]
                    around = tuple(None if span is None else ranges.range(span) for span in spans)
                    places[n] = Placement(uri, ranges.range(checked.span), around)
    return places


def _now(part: Context, checked: Checked, text: SourceText) -> Span | None:
    """Where context stands, as far from its quote as it was; None where the text says something else there."""
    assert checked.span is not None
    start = part.span.start + checked.span.start - checked.citation.span.start
    if start < 0 or not text.text.startswith(part.text, start):
        return None
    return Span(start, start + len(part.text))
