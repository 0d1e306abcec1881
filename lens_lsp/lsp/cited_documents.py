"""The documents that something kept cites, as they stand now: what a model may be given of it depends on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lens_lsp.corpus.safe_open import Skipped
from lens_lsp.judge.redaction import Fragments, rests, secrets_of
from lens_lsp.lsp.within import document_at, place_of
from lens_lsp.model.documents import Document
from lens_lsp.model.errors import LensError

if TYPE_CHECKING:
    from lens_lsp.corpus.corpus_rules import CorpusRules
    from lens_lsp.lsp.session import Session


class CitedDocuments:
    """Reads each document once, in workspace folders alone. All methods wait for the disk."""

    def __init__(self, session: Session, rules: CorpusRules) -> None:
        self._session = session
        self._rules = rules
        self._buffers = session.buffers()
        self._read: dict[str, Document | None] = {}

    def any_private(self, uris: Iterable[str]) -> bool:
        """Whether a document among these is private. What is not read counts as private, whatever it holds: nothing
        says that it is not."""
        documents = map(self._document, uris)
        return any(document is None or document.structure.private for document in documents)

    def secrets(self, cited: Iterable[tuple[str, str]]) -> Fragments:
        """The secrets of the documents of some URIs, each with a quote from it.

        Of a document that does not hold its quote any more, or cannot be read, what may be the rest of a secret at the
        ends of the quote counts as one.
        """
        known = Fragments()
        added: set[str] = set()
        for uri, quote in cited:
            document = self._document(uri)
            if document is not None and uri not in added:
                known.add(secrets_of(document.text, document.path))
                added.add(uri)
            if document is None or not quote or quote not in document.text:
                known.add(tuple(rests(quote)))
        return known

    def _document(self, uri: str) -> Document | None:
        if uri not in self._read:
            try:
                self._read[uri] = document_at(place_of(self._session, uri), self._rules, self._buffers)
            except (Skipped, LensError):
                self._read[uri] = None
        return self._read[uri]
