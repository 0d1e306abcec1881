"""Documents in workspace folders that a request names: read as a search reads them, and nothing else is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lens_lsp.corpus.corpus_rules import CorpusRules, inside, left_out
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.lsp.uris import UriRefused, uri_of
from lens_lsp.model.documents import Document, SkipReason
from lens_lsp.model.errors import PathRefused

if TYPE_CHECKING:
    from lens_lsp.lsp.session import Session


@dataclass(frozen=True, slots=True)
class Place:
    """A document in a workspace folder; ``path`` is from the folder, its parts apart by ``/``."""

    folder: str
    path: str

    @property
    def uri(self) -> str:
        """The URI of its file."""
        return uri_of(self.absolute)

    @property
    def absolute(self) -> str:
        """The path of its file."""
        return os.path.join(self.folder, *self.path.split("/"))


def place_of(session: Session, uri: str) -> Place:
    """The place of a URI. Raises `PathRefused` for one that names nothing in a workspace folder."""
    try:
        path = session.allowed(uri)
    except UriRefused as error:
        raise PathRefused(f"{uri} is not read: {error}") from error
    around = [folder.path for folder in session.folders if inside(path, folder.path) and path != folder.path]
    if not around:
        raise PathRefused(f"{uri} is not read: it names no file in a workspace folder")
    folder = max(around, key=len)
    return Place(folder, os.path.relpath(path, folder).replace(os.sep, "/"))


def document_at(place: Place, rules: CorpusRules, buffers: Mapping[str, Buffer]) -> Document:
    """What stands at a place, by the rules of a search. Waits for the disk.

    Raises `Skipped` with why a search does not come to it, `PathNotFound` and `PathRefused`.
    """
    overlay = {(0, place.path): buffers[place.absolute]} if place.absolute in buffers else {}
    with Root(place.folder) as root:
        reason = left_out(root, place.path, rules)
        if reason is not None and reason is not SkipReason.UNREADABLE:
            raise Skipped(reason)
        return Snapshot([root], overlay, rules).document(0, place.path)
