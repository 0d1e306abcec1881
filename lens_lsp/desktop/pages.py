"""Pictures of pages, drawn by the process that reads documents and is confined to that."""

from __future__ import annotations

from lens_lsp.desktop.folders import Folders, Outside
from lens_lsp.documents.extractor import Cancelled, Extractor
from lens_lsp.documents.kinds import Unextracted, View, kind_for
from lens_lsp.lsp.locations import UriRefused, path_of

_SECONDS = 5.0
_LONGEST_QUOTE = 20_000


class Pages:
    """Draws one page at a time; the process starts with the first. Its methods wait: call them off the event loop."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._extractor = Extractor()

    def view(self, uri: str, page: int, quote: str) -> View:
        """A page, from 1, of a document that is searched, with a quote marked. Raises `Outside` where there is none."""
        try:
            kind = kind_for(path_of(uri))
        except UriRefused as why:
            raise Outside(str(why)) from None
        if kind is None or not kind.pictures:
            raise Outside("that is no document of pages")
        try:
            data = self._folders.read(uri)
            return self._extractor.view(kind, data, page, quote[:_LONGEST_QUOTE], seconds=_SECONDS)
        except (Unextracted, Cancelled) as why:
            raise Outside(f"there is no picture of it: {why}") from None

    def close(self) -> None:
        """End the process."""
        self._extractor.close()
