"""The texts that are open in the editor, changed as it changes them.

pygls keeps texts, too, but splits lines where editors do not (form feeds, U+2028), reads the disk for what it does not
know and fails on bytes that are no UTF-8; its copy is neither kept nor read. A text that may not be the editor's any
more is *unsynced*: it is used no longer, and what stands on disk counts, until the editor sends it whole again.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence

from lsprotocol import types

from lens_lsp.lsp.locations import Encoding, UriRefused, code_points, path_of
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Edit, EditHistory, Span, difference

logger = logging.getLogger(__name__)
_MOST_EDITS = 5_000
"""Places that are changed before they are followed no longer; typing on is one."""
_MOST_LINES = 20_000
"""Lines of a text whose changes are followed: a change costs a look at each."""
_LARGEST = 4 << 20
"""Code points of a text whose changes are followed, when it is opened."""
_LINE = regex(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


class TextDocument:
    """One open text. Its lines end at ``\\n``, ``\\r\\n`` and a lone ``\\r``, as editors have it."""

    __slots__ = ("_beginning", "_edits", "_lines", "_text", "encoding", "language", "path", "synced", "uri", "version")

    def __init__(self, item: types.TextDocumentItem, encoding: Encoding) -> None:
        self.uri = item.uri
        self.path = _path(item.uri)
        """Absolute; None for what is no file, as a text that was never saved."""
        self.language = str(item.language_id)
        self.version = item.version
        self.encoding = encoding
        self.synced = True
        self._text: str | None = item.text
        self._lines = _split(item.text)
        self._beginning = ""
        self._edits: list[Edit] | None = []
        """None when they, or the text, were too much."""

    @property
    def text(self) -> str:
        """All of it."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    @property
    def history(self) -> EditHistory | None:
        """How it came from what was opened; None where nothing was changed or not all is known."""
        return EditHistory(self._beginning, tuple(self._edits)) if self._edits else None

    def change(self, new: str, where: types.Range | None = None) -> None:
        """Replace a range, clamped to the text, or everything."""
        if where is None:
            self._note(lambda: difference(self.text, new))
            self._text = None
            self._lines = _split(new)
            return
        places = sorted((self._place(where.start), self._place(where.end)))
        (first, start), (last, end) = places
        self._note(lambda: Edit(Span(self._offset(first, start), self._offset(last, end)), len(new)))
        self._text = None
        middle = self._lines[first][:start] + new + self._lines[last][end:]
        if first and middle.startswith("\n") and self._lines[first - 1].endswith("\r"):
            first -= 1  # the two are one line end now
            middle = self._lines[first] + middle
        lines = _split(middle)
        if last + 1 < len(self._lines):
            lines.pop()  # the empty rest behind the last line end: the next line stands there
        self._lines[first : last + 1] = lines

    def _note(self, change: Callable[[], Edit]) -> None:
        """Keep what is about to be changed."""
        edits = self._edits
        if (
            edits is None
            or len(edits) == _MOST_EDITS
            or len(self._lines) > _MOST_LINES
            or (not edits and len(self.text) > _LARGEST)
        ):
            self._edits = None
            return
        if not edits:
            self._beginning = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
        edit = change()
        joined = edits[-1].then(edit) if edits else None
        if joined is not None:
            edits.pop()
            edit = joined
        if edit.span or edit.length:  # else what was put in was taken out again
            edits.append(edit)

    def _offset(self, line: int, place: int) -> int:
        return sum(map(len, self._lines[:line])) + place

    def _place(self, position: types.Position) -> tuple[int, int]:
        """The line from 0 and the code points before a position in it."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line]
        return position.line, code_points(line.rstrip("\r\n"), position.character, self.encoding)


class OpenDocuments:
    """All open texts, by the URI that the editor uses. On the event loop only.

    ``lost`` is told when a text becomes unsynced, and why.
    """

    def __init__(self, encoding: Encoding, lost: Callable[[TextDocument, str], None]) -> None:
        self.encoding = encoding
        self._lost = lost
        self._open: dict[str, TextDocument] = {}

    def __iter__(self) -> Iterator[TextDocument]:
        return iter(self._open.values())

    def get(self, uri: str) -> TextDocument | None:
        """The open text of a URI, synced or not."""
        return self._open.get(uri)

    def opened(self, item: types.TextDocumentItem) -> TextDocument:
        """The editor shows a text. One that is open already is replaced: what came last is what it shows."""
        if item.uri in self._open:
            logger.warning("a document was opened twice; the second text counts")
        document = self._open[item.uri] = TextDocument(item, self.encoding)
        return document

    def changed(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> TextDocument | None:
        """Apply changes in order; None if the text is not open.

        Versions must grow, by any amount: editors skip numbers.
        """
        document = self._open.get(uri)
        if document is None:
            logger.warning("a change of a document that is not open was ignored")
            return None
        if version <= document.version:
            self.distrust(uri, f"its version went from {document.version} to {version}")
        document.version = version
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                document.change(change.text, change.range)
            else:
                document.change(change.text)
                document.synced = True
        return document

    def closed(self, uri: str) -> None:
        """The editor shows a text no longer."""
        self._open.pop(uri, None)

    def distrust(self, uri: str, why: str) -> None:
        """A text may not be the editor's any more."""
        document = self._open.get(uri)
        if document is not None and document.synced:
            document.synced = False
            self._lost(document, why)


def _split(text: str) -> list[str]:
    """The lines with their ends; the last has none, and is empty behind a line end."""
    lines = _LINE.findall(text)
    if not lines or lines[-1][-1] in "\r\n":
        lines.append("")
    return lines


def _path(uri: str) -> str | None:
    try:
        return path_of(uri)
    except UriRefused:
        return None
