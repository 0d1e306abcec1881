"""The secrets of documents that something kept cites: its quotes may hold parts of them, and its words, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from lens_lsp.corpus.opening import Skipped
from lens_lsp.domain.errors import LensError
from lens_lsp.lsp.within import document_at, place_of
from lens_lsp.oracle.redaction import Fragments, rests, secrets_of

if TYPE_CHECKING:
    from lens_lsp.corpus.rules import CorpusRules
    from lens_lsp.corpus.snapshot import Buffer
    from lens_lsp.lsp.session import Session


def cited_secrets(
    cited: Iterable[tuple[str, str]], session: Session, rules: CorpusRules, buffers: Mapping[str, Buffer]
) -> Fragments:
    """The secrets of the documents of some URIs, each with a quote from it. Waits for the disk.

    Of a document that is not read any more, or does not hold its quote, what may be the rest of a secret at the ends of
    the quote counts as one.
    """
    known = Fragments()
    texts: dict[str, str] = {}
    for uri, quote in cited:
        if uri not in texts:
            try:
                place = place_of(session, uri)
                texts[uri] = document_at(place, rules, buffers).text
                known.add(secrets_of(texts[uri], place.path))
            except (Skipped, LensError):
                texts[uri] = ""
        if not quote or quote not in texts[uri]:
            known.add(tuple(rests(quote)))
    return known
