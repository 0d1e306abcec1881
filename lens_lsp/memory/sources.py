"""The documents that citations name, as they are now: read by the safe open, looked at, found again under a new name.

Not here: what makes a citation stand (`lens_lsp.memory.citations`), where citations are written (`checking`).
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType, TracebackType

from lens_lsp.corpus.corpus_rules import AllowedFolders, CorpusRules, denied_path
from lens_lsp.corpus.extraction import LONGEST, Pictures, recognised
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.text_marks import find_generated, joined
from lens_lsp.corpus.walk import HashBudget, RenamedFiles, discover
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.disk import is_object_url, is_ssh_url
from lens_lsp.documents.kinds import INSTALL, kind_for
from lens_lsp.memory.answer_parser import Reference
from lens_lsp.memory.citation_records import PATH, root_above
from lens_lsp.memory.citations import (
    SHORTEST_CONTEXT,
    filled,
    fills,
    follow,
    lost,
    record,
    record_blind,
    two_places,
    unfilled,
    verify,
    without_ours,
)
from lens_lsp.memory.notes import leads_to, quoting_notes
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import Document, Evidence, Locator, LocatorMap, SkipReason, Structure, TextSource
from lens_lsp.model.errors import PathNotFound, PathRefused
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import EditHistory, Position, SourceText, Span

_UNREAD = {
    SkipReason.DIED: "the process that reads such documents ended before it had the text",
    SkipReason.NO_READER: f"what reads such documents is not installed: {INSTALL}",
    SkipReason.NOT_READ: "its document was not read to its end",
    SkipReason.TIMED_OUT: "its document takes too long to read",
}
"""Why nothing is known of a quote though the document may be as it was."""
_TOO_MUCH = "the file is gone, and too much lies in its folder to look for it under another name"
_NOT_ASKED = "which is not asked for what a file cites; ask the question again"
_IN_STORE = f"it lies in an object store, {_NOT_ASKED}"
_ELSEWHERE = "the quote stands in another file now"
_AGAIN = f"; {PATH} says nothing more of it: ask the question again"
_NOT_ONCE = "its words stand {} in this folder" + _AGAIN
_SHORTENED = f"the note shows only the beginning of its words{_AGAIN}"
_BARE = f"it quotes nothing{_AGAIN}"
_OTHERWISE = f"its words stand among others now{_AGAIN}"
_IN_A_WORD = regex(r"(?:(?![\u2e80-\uabff\uf900-\ufaff])[^\W_]){2}|[-\u2212+.,]\d|\d[.,]\d")
_PLACED = "it stands at another place than its footnote says"
_UNRECOGNISED = "it was read from a picture by OCR, which is off here"
_CUT = "…"
_SEARCH_SECONDS = 2.0
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

    def places(self, words: str) -> list[Span]:
        """Where the filled words stand in what is not ours, the first two places."""
        text = without_ours(self.document)
        return [unfilled(text, at, len(words)) for at in two_places(filled(text), words)]


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
        self._rules = rules
        self._last: tuple[tuple[str, Pictures], _Read] | None = None
        self._texts: dict[str, str] | None = None
        self._complete = False

    def read(self, path: str, reader: str = "") -> _Read:
        """A document, as a ``reader`` of some name reads it; the one read last is kept. Raises ``Skipped`` and
        ``PathRefused``."""
        pictures = Pictures.RECOGNISED if recognised(reader) else Pictures.LEFT
        if self._last is None or self._last[0] != (path, pictures):
            self._last = (path, pictures), self._fresh(path, pictures)
        return self._last[1]

    def only_place(self, before: str, quote: str, after: str) -> tuple[str, Span] | None:
        """The one file below that has a quote between two texts, once, however it is filled; and where. None where
        there are more or fewer, or too much to look at."""
        words = filled(before + quote + after)
        texts = self._searched()
        if texts is None or not words:
            return None
        holding = [path for path, text in texts.items() if words in text]
        if len(holding) != 1:
            return None
        places = self.read(holding[0]).places(words)
        if len(places) != 1:
            return None
        text = without_ours(self.read(holding[0]).document)
        start = filled(text).find(words) + len(filled(before + quote)) - len(filled(quote))
        return holding[0], unfilled(text, start, len(filled(quote)))

    def _searched(self) -> Mapping[str, str] | None:
        """All texts below, filled, without what is ours; None where they are too many. They are read once."""
        if self._texts is None:
            budget = HashBudget(seconds=_SEARCH_SECONDS)
            until = time.monotonic() + budget.seconds
            names = discover(self.root, self._rules, names_only=True, cancelled=lambda: time.monotonic() > until)
            self._texts, size = {}, 0
            self._complete = names.complete and len(names.paths) <= budget.files
            for path in names.paths if self._complete else ():
                reader = reader_for(path.rpartition("/")[2])
                if reader is None or reader.extracted:
                    continue
                with suppress(Skipped, PathRefused):
                    text = without_ours(self._fresh(path, Pictures.LEFT).document)
                    self._texts[path] = filled(text)
                    size += len(text)
                if size > budget.size or time.monotonic() > until:
                    self._complete = False
                    break
        return self._texts if self._complete else None

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
        own = joined([*find_generated(text, asked=not reader.extracted).spans, *quoting_notes(text, path)])
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

    def check(self, citation: Citation, base: str, *, anywhere: bool = False) -> tuple[Checked, Position | None]:
        """What became of a citation, and where its quote stands now. ``base`` is what a relative root is relative to.

        ``anywhere`` looks for a quote that its file has no longer in all texts below its root. Nothing raises: what
        cannot be read withdraws the citation, and says why.
        """
        checked, at = self._check(citation, base)
        if not anywhere or checked.state is not CitationState.WITHDRAWN or checked.unread is not None:
            return checked, at
        with suppress(_Outside, PathNotFound, PathRefused, Skipped):
            folder = self._open(os.path.join(base, citation.root))
            for before, after in _by_itself_or_beside(citation):
                found = folder.only_place(before, citation.quote, after)
                if found is not None:
                    now = folder.read(found[0])
                    if not fills(citation.quote, now.document, found[1]):
                        continue
                    moved = Checked(
                        citation, CitationState.MOVED, found[1], now.document.origin.sha256, _ELSEWHERE, path=found[0]
                    )
                    return _placed(moved, now)
        return checked, at

    def by_words(self, reference: Reference, base: str) -> tuple[Checked, Position | None]:
        """What became of a citation of which nothing is recorded; ``base`` is its note's folder.

        It is verified where the file that it names has its words once, where it says; moved where the one or, for all
        but a few words, the whole workspace has them once elsewhere; and unverifiable in all other cases.
        """
        quote = reference.quote.removesuffix(_CUT)
        blank = Citation(".", reference.target or "?", TextSource.DISK, "", "", "", Span(0, 1), reference.quote or _CUT)
        if not filled(quote):
            return Checked(blank, CitationState.UNVERIFIABLE, why=_BARE), None
        root = self._workspace(base)
        named = [leads_to(reference, base), reference.name and os.path.normpath(os.path.join(root, reference.name))]
        for path in dict.fromkeys(each for each in named if each):
            within = path.startswith(root.rstrip(os.sep) + os.sep)
            place = root if within else os.path.dirname(path)
            with suppress(_Outside, PathNotFound, PathRefused, Skipped):
                folder = self._open(place)
                now = folder.read(os.path.relpath(path, place).replace(os.sep, "/"))
                for words in dict.fromkeys((quote, quote.replace("`", ""))):
                    spans = now.places(filled(words))
                    if len(spans) == 1:
                        return self._worded(reference, words, now, spans[0], place, base, there=True)
                    if spans:
                        why = _NOT_ONCE.format("more than once")
                        return Checked(blank, CitationState.UNVERIFIABLE, why=why), None
        with suppress(_Outside, PathNotFound, PathRefused, Skipped):
            folder = self._open(root)
            for words in dict.fromkeys((quote, quote.replace("`", ""))):
                found = folder.only_place("", words, "") if len(filled(words)) >= SHORTEST_CONTEXT else None
                if found is not None:
                    return self._worded(reference, words, folder.read(found[0]), found[1], root, base, there=False)
        why = _NOT_ONCE.format("nowhere") if self._allowed.place(root) is not None else self._allowed.why
        return Checked(blank, CitationState.UNVERIFIABLE, why=why), None

    def _worded(
        self, reference: Reference, words: str, now: _Read, span: Span, root: str, base: str, *, there: bool
    ) -> tuple[Checked, Position | None]:
        """A citation that was found by its words; ``there``: in the file that it names."""
        whole = not reference.quote.endswith(_CUT)
        cited = record(now.document, span, root=os.path.relpath(root, base))
        at = now.lines.position(span.start)
        last = now.lines.position(max(span.start, span.end - 1)).line
        sha256 = now.document.origin.sha256
        if _part(now.document.text, span) or not fills(words, now.document, span):
            return Checked(cited, CitationState.UNVERIFIABLE, why=_OTHERWISE), None
        if there and whole and (not reference.named or at.line <= reference.named <= last):
            return _placed(Checked(cited, CitationState.VERIFIED, span, sha256), now)
        if not whole:  # what was left out may be another by now
            return Checked(cited, CitationState.UNVERIFIABLE, why=_SHORTENED), None
        why = _PLACED if there else _ELSEWHERE
        return _placed(Checked(cited, CitationState.MOVED, span, sha256, why), now)

    def _workspace(self, base: str) -> str:
        """The root of the workspace of a note, as far as sources may be read there."""
        marked = root_above(base)
        if marked is not None and self._allowed.place(marked) is not None:
            return marked
        place, above = base, os.path.dirname(base)
        while above != place and self._allowed.folders is not None and self._allowed.place(above) is not None:
            place, above = above, os.path.dirname(above)
        return place

    def _check(self, citation: Citation, base: str) -> tuple[Checked, Position | None]:
        if is_object_url(citation.root):  # no file may name a host that is asked
            machine = citation.root.partition("://")[2].partition("/")[0]
            why = f"it lies on {printable(machine)}, {_NOT_ASKED}" if is_ssh_url(citation.root) else _IN_STORE
            return Checked(citation, CitationState.UNVERIFIABLE, why=why), None
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


def _by_itself_or_beside(citation: Citation) -> Iterator[tuple[str, str]]:
    """What stands before and behind a quote that is looked for in other files; nothing where it is too short to be
    known by itself."""
    if citation.left == "" and citation.right == "" and len(filled(citation.quote)) >= SHORTEST_CONTEXT:
        yield "", ""
    if citation.left:
        yield citation.left, ""
    if citation.right:
        yield "", citation.right


def _part(text: str, span: Span) -> bool:
    """Whether a stretch begins or ends within a word or a number."""
    first, last = text[max(0, span.start - 1) : span.start + 1], text[span.end - 1 : span.end + 1]
    number = text[span.end - 1 : span.end + 2]
    return any(_IN_A_WORD.fullmatch(each) for each in (first, last, number))


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
