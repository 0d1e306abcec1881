"""The documents that citations name, as they are now: read by the safe open, looked at, found again under a new name.

Not here: what makes a citation stand (`lens_lsp.memory.citations`), where citations are written (`checking`).
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType, TracebackType

from lens_lsp.corpus.corpus_rules import AllowedFolders, CorpusRules, denied_path
from lens_lsp.corpus.extraction import LONGEST, Pictures, recognised
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.text_marks import find_generated
from lens_lsp.corpus.walk import HashBudget, RenamedFiles
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.documents.kinds import INSTALL, kind_for
from lens_lsp.memory.citations import follow, lost, record, record_blind, verify
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import Document, Evidence, Locator, LocatorMap, SkipReason, Structure
from lens_lsp.model.errors import PathNotFound, PathRefused
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import EditHistory, Position, SourceText, Span

_UNREAD = {
    SkipReason.DIED: "the process that reads such documents ended before it had the text",
    SkipReason.NO_READER: f"what reads such documents is not installed: {INSTALL}",
    SkipReason.NOT_READ: "its document was not read to its end",
    SkipReason.TIMED_OUT: "its document takes too long to read",
}
"""Why nothing is known of a quote though the document may be as it was."""
_TOO_MUCH = "the file is gone, and too much lies in its folder to look for it under another name"
_UNRECOGNISED = "it was read from a picture by OCR, which is off here"
NO_BUFFERS: Mapping[str, Buffer] = MappingProxyType({})


class _Outside(Exception):
    """A folder that is not allowed."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A document with no more of its structure than citations need: what is ours, and places other than lines."""

    document: Document
    lines: SourceText
    extracted: bool
    history: EditHistory | None


class _Folder:
    """A root that is open, and what was read below it."""

    def __init__(self, root: Root, rules: CorpusRules, buffers: Mapping[str, Buffer], budget: HashBudget) -> None:
        self.root = root
        around = root.path.rstrip(os.sep) + os.sep
        overlay = {
            (0, name[len(around) :].replace(os.sep, "/")): buffer
            for name, buffer in buffers.items()
            if name.startswith(around)
        }
        self._snapshot = Snapshot([root], overlay, rules)
        self.renamed = RenamedFiles(root, rules, budget)
        self._last: tuple[tuple[str, Pictures], _Read] | None = None

    def read(self, path: str, reader: str = "") -> _Read:
        """A document, as a ``reader`` of some name reads it; the one read last is kept. Raises ``Skipped`` and
        ``PathRefused``."""
        pictures = Pictures.RECOGNISED if recognised(reader) else Pictures.LEFT
        if self._last is None or self._last[0] != (path, pictures):
            self._last = (path, pictures), self._fresh(path, pictures)
        return self._last[1]

    def _fresh(self, path: str, pictures: Pictures) -> _Read:
        if kind_for(path) is not None:
            document = self._snapshot.document(0, path, pictures, seconds=LONGEST)
            return _Read(document, SourceText(document.text), extracted=True, history=None)
        reader = reader_for(path.rpartition("/")[2])
        if reader is None:
            raise Skipped(SkipReason.UNSUPPORTED)
        if self._snapshot.buffer(0, path) is not None:
            self._no_link(path)
        source = self._snapshot.read(0, path)
        extraction = reader.extract(source.text)
        text = extraction.text
        own = find_generated(text, asked=not reader.extracted).spans
        name = f"{reader.name}/{reader.version}"
        document = Document(0, path, text, name, source.origin, Structure(ours=own), extraction.locators)
        buffer = self._snapshot.buffer(0, path)
        history = None if buffer is None else buffer.history
        return _Read(document, SourceText(text), extracted=reader.extracted, history=history)

    def _no_link(self, path: str) -> None:
        """Raise ``Skipped`` where the file that an editor has open under a name is reached through a link: it may lie
        anywhere."""
        try:
            os.close(self.root.open(path))
        except Skipped as skipped:
            if skipped.reason is SkipReason.LINK:
                raise


class Sources:
    """Documents below some folders, and no others. Close it, or use it in a ``with`` statement.

    ``allowed`` are the folders: those that the user gave for what answer files say, any for what we keep ourselves.
    ``buffers`` are texts open in an editor by absolute path, which win over the disk. One root is open at a time and
    one document in memory: look at citations in the order of their sources.
    """

    def __init__(
        self, allowed: AllowedFolders, *, rules: CorpusRules = CorpusRules(), buffers: Mapping[str, Buffer] = NO_BUFFERS
    ) -> None:
        self._allowed = allowed
        self._rules = rules
        self._buffers = buffers
        self._budget = HashBudget()
        self._folder: tuple[str, _Folder] | None = None

    def __enter__(self) -> Sources:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back the open root."""
        if self._folder is not None:
            self._folder[1].root.close()
            self._folder = None

    def check(self, citation: Citation, base: str) -> tuple[Checked, Position | None]:
        """What became of a citation, and where its quote stands now. ``base`` is what a relative root is relative to.

        Nothing raises: what cannot be read withdraws the citation, and says why.
        """
        try:
            folder = self._open(os.path.join(base, citation.root))
        except _Outside:
            return Checked(citation, CitationState.UNVERIFIABLE, why=self._allowed.why), None
        except (PathNotFound, PathRefused):
            return _withdrawn(citation, "the folder that it lies in is gone", gone=True), None
        except Skipped as skipped:
            if _missing(skipped):
                return _withdrawn(citation, "the folder that it lies in is gone", gone=True), None
            return _unread(citation, skipped, "the folder that it lies in"), None
        try:
            now = folder.read(citation.path, citation.reader)
        except PathRefused:
            return _withdrawn(citation, "its path leads out of its folder"), None
        except Skipped as skipped:
            if skipped.reason in _UNREAD:
                return Checked(citation, CitationState.UNVERIFIABLE, why=_UNREAD[skipped.reason]), None
            if skipped.reason is SkipReason.NO_TEXT and recognised(citation.reader):
                return Checked(citation, CitationState.UNVERIFIABLE, why=_UNRECOGNISED), None
            if not _missing(skipped):
                return _unread(citation, skipped, "the file"), None
            return self._followed(folder, citation)
        return _placed(verify(citation, now.document, extracted=now.extracted, history=now.history), now)

    def text(self, checked: Checked, base: str, *, extracted: bool = False) -> SourceText | None:
        """The text that a quote stands in, right after `check`; None where it does not stand, and for extracted
        formats, whose text is not the file's, unless ``extracted`` asks for it."""
        if checked.span is None:
            return None
        now = self._standing(checked, base)
        return now.lines if extracted or not now.extracted else None

    def anew(self, checked: Checked, base: str) -> Citation:
        """A citation as it would be recorded where its quote stands now, right after `check`.

        Raises ValueError for one that stands nowhere.
        """
        if checked.span is None:
            raise ValueError("what does not stand cannot be cited")
        cited = checked.citation
        now = self._standing(checked, base).document
        return record(
            now,
            checked.span,
            root=cited.root,
            match=cited.match,
            heading=cited.heading,
            locator=checked.locator or cited.locator,
        )

    def record(self, evidence: Evidence, root: str) -> Citation:
        """The citation of evidence from the folder ``root``, absolute; from its document if that is still the same."""
        try:
            now = self._open(root).read(evidence.path, evidence.reader)
        except (_Outside, PathNotFound, PathRefused, Skipped):
            return record_blind(evidence, root=root)
        document, span = now.document, evidence.span
        if document.origin.sha256 != evidence.origin.sha256 or not document.text.startswith(evidence.quote, span.start):
            return record_blind(evidence, root=root)
        return record(
            document, span, root=root, match=evidence.match, heading=evidence.heading, locator=evidence.locator
        )

    def _standing(self, checked: Checked, base: str) -> _Read:
        """The document that was just looked at: it is the one that is kept."""
        cited = checked.citation
        return self._open(os.path.join(base, cited.root)).read(checked.path or cited.path, cited.reader)

    def _open(self, path: str) -> _Folder:
        """The folder of an absolute path. Raises ``_Outside``, ``PathNotFound``, ``PathRefused``, ``Skipped``."""
        path = os.path.abspath(path)
        if self._folder is None or self._folder[0] != path:
            self.close()
            place = self._allowed.place(path)
            if place is None:
                raise _Outside
            self._folder = path, _Folder(_root(*place), self._rules, self._buffers, self._budget)
        return self._folder[1]

    def _followed(self, folder: _Folder, citation: Citation) -> tuple[Checked, Position | None]:
        """A citation whose file is gone."""
        holders = folder.renamed.holders(citation.path, citation.sha256)
        if holders is None:
            return _withdrawn(citation, _TOO_MUCH, gone=True), None
        if len(holders) == 1:
            with suppress(Skipped):  # it went meanwhile, too
                now = folder.read(holders[0], citation.reader)
                return _placed(follow(citation, now.document, extracted=now.extracted), now)
        return lost(citation, len(holders) if len(holders) > 1 else 0), None


def _root(folder: str, below: str) -> Root:
    """The root of an allowed folder, or of one below it to which no link leads."""
    root = Root(folder)
    if not below:
        return root
    with root:
        if denied_path(below):
            raise Skipped(SkipReason.DENIED)
        return root.below(below)


def _missing(skipped: Skipped) -> bool:
    return isinstance(skipped.__cause__, FileNotFoundError)


def _withdrawn(citation: Citation, why: str, *, gone: bool = False) -> Checked:
    return Checked(citation, CitationState.WITHDRAWN, why=why, gone=gone)


def _unread(citation: Citation, skipped: Skipped, what: str) -> Checked:
    why = f"{what} cannot be read ({skipped.reason.value})"
    return replace(_withdrawn(citation, why), unread=skipped.reason)


def _in_column(places: LocatorMap, span: Span, recorded: Locator) -> Locator | None:
    """The first cell of a span that stands in the column of a recorded one."""
    column = str(recorded["cell"]).rstrip("0123456789")
    held = range(bisect_left(places.starts, span.start), bisect_left(places.starts, span.end))
    cells = (places.locators[index] for index in held)
    return next((cell for cell in cells if str(cell.get("cell", "")).rstrip("0123456789") == column), None)


def _placed(checked: Checked, now: _Read) -> tuple[Checked, Position | None]:
    if checked.span is None:
        return checked, None
    place = recorded = checked.citation.locator  # the best of its places, such as one cell of a row
    if recorded is None or checked.sha256 != checked.citation.sha256:
        places = now.document.locators
        if recorded is not None and not now.extracted:  # the rows of a table, the keys of data
            reader = reader_for(now.document.path.rpartition("/")[2])
            places = places if reader is None else reader.locators(now.document.text)
        place = locate(places, checked.span.start)
        if recorded is not None and "sheet" in recorded and "cell" in recorded:
            place = _in_column(places, checked.span, recorded) or place
    return replace(checked, locator=place), now.lines.position(checked.span.start)
