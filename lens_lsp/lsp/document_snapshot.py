"""Snapshot of an open document at the moment of a request, the citations in it, and where their sources stand now."""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types

from lens_lsp.corpus.text_marks import asking_lines, find_generated
from lens_lsp.lsp.locations import TOP, Encoding, Ranges, uri_of
from lens_lsp.lsp.server_state import ServerState
from lens_lsp.memory.answer_parser import Citing, Held, Written
from lens_lsp.memory.check import Cited, Finding, by_source, cited_as, look
from lens_lsp.memory.citation_records import CitationRecords, records_above
from lens_lsp.memory.notes import marks, may_cite, read_note, syntax_of
from lens_lsp.memory.sources import Sources
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import SourceText, Span, sentences

if TYPE_CHECKING:
    from lens_lsp.corpus.corpus_rules import AllowedFolders, CorpusRules
    from lens_lsp.corpus.intake import Buffer
    from lens_lsp.model.answer import Answer


T = TypeVar("T")
_MARK = regex(r"\[\^([^\]\s]{1,200})\]")
_HEADING = regex(r"[ \t>]*(#{1,6})[ \t]")
_ITEM = regex(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_SIGNS = regex(r"[ \t>]*(?:(?:#{1,6}|[-+]|[*=]{1,6}|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?")
"""What a line begins with before its words."""
_FOOTNOTE = regex(r"[ \t>]*\[\^[^\]\s]{1,200}\]:")
_FRONT = regex(r"---[ \t]*\r?\n(?:.*\r?\n)*?---[ \t]*(?:\r?\n|$)")
_STANDS_ALONE = regex(r"[ \t>]*(?:#{1,6}|[-+]|[*=]{1,6}|\d{1,9}[.)])[ \t]")
"""A line that goes on with nothing above it: a heading, an item."""
_PARAGRAPH_END = regex(r"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)")
_MOST_LINES = 100
"""Lines before and behind a place in which its sentence is looked for."""
_LONGEST_BESIDE = 200
"""Code points of what is shown on each side of a quote."""


@dataclass(frozen=True, slots=True)
class DocumentSnapshot:
    """A text and the open texts around it; nothing in it changes with the editor. ``path`` is its absolute path, None
    for what was never saved."""

    uri: str
    path: str | None
    text: str
    version: int | None
    encoding: Encoding
    rules: CorpusRules
    buffers: Mapping[str, Buffer]
    uris: Mapping[str, str]
    """What the editor calls its open texts, by path."""
    workspaces: tuple[str, ...]
    texts: bool
    """Whether places in extracted formats count in their texts; else they are the top of the file."""
    allowed: AllowedFolders
    """Where sources may lie that the text names."""
    known: Answer | None = None
    """The answer that this session wrote there."""

    def uri_of(self, path: str) -> str:
        """The URI of a path, as the editor has it where the file is open."""
        return self.uris.get(path) or uri_of(path)

    def ranges(self) -> Ranges:
        """Positions in the text."""
        return Ranges(self.text, self.encoding)

    def page(self) -> MarkdownPage:
        """The text with the citations in it; reading them takes a while in a long one."""
        return MarkdownPage(self.text, self.path)


async def take_snapshot(state: ServerState, uri: str) -> DocumentSnapshot | None:
    """The snapshot of an open text; None if it is not open or cannot be trusted."""
    document = state.documents.get(uri)
    if document is None or not document.synced:
        return None
    path = state.place(document)
    known = state.buffers().get(path or "")
    return await snapshot_of(state, uri, path, document.text if known is None else known.text, document.version)


async def snapshot_of(
    state: ServerState, uri: str, path: str | None, text: str, version: int | None = None
) -> DocumentSnapshot:
    """The snapshot of a text that need not be open."""
    return DocumentSnapshot(
        uri=uri,
        path=path,
        text=text,
        version=version,
        encoding=state.encoding,
        rules=(await state.settings()).rules,
        buffers=state.buffers(),
        uris={found: each.uri for each in state.documents if (found := state.place(each)) is not None},
        workspaces=state.workspaces,
        texts=state.reads_texts,
        allowed=await state.sources(),
        known=state.answer(path),
    )


async def run_on_snapshot(
    state: ServerState, uri: str, work: Callable[[DocumentSnapshot, MarkdownPage], T]
) -> T | None:
    """What ``work``, which may wait for the disk, makes of an open text; None if there is none."""
    snapshot = await take_snapshot(state, uri)
    if snapshot is None:
        return None
    return await asyncio.to_thread(lambda: work(snapshot, snapshot.page()))


def workspace_edit(
    state: ServerState, snapshot: DocumentSnapshot, changes: list[tuple[Span, str]]
) -> types.WorkspaceEdit:
    """Changes of a text as an edit, for its version where the client checks that."""
    ranges = snapshot.ranges()
    edits = [types.TextEdit(ranges.range(span), new) for span, new in changes]
    if not state.supports("workspace.workspace_edit.document_changes"):
        return types.WorkspaceEdit(changes={snapshot.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=snapshot.uri, version=snapshot.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])


@dataclass(frozen=True, slots=True)
class FootnoteMark:
    """Where a footnote's label stands: in the words, or where the footnote begins."""

    label: str
    span: Span


@dataclass(frozen=True)
class MarkdownPage:
    """A Markdown text with the citations in it. ``path`` is its file's, None for a text that was never saved.

    Lines count from 1, offsets are in code points.
    """

    text: str
    path: str | None
    citing: Citing = field(init=False)
    source: SourceText = field(init=False)
    written: dict[str, Written] = field(init=False)

    def __post_init__(self) -> None:
        citing = read_note(self.text, self.path, self.records)
        object.__setattr__(self, "citing", citing)
        object.__setattr__(self, "source", SourceText(self.text))
        object.__setattr__(self, "written", {each.label: each for each in citing.written})

    @cached_property
    def records(self) -> CitationRecords | None:
        """What is on record for it, where it may cite."""
        cites = self.path is not None and (may_cite(self.text) or "[^" in self.text)
        return records_above(os.path.dirname(self.path or "")) if cites else None

    @property
    def name(self) -> str:
        """Where its citations are written."""
        return self.path or os.sep

    @property
    def is_answer(self) -> bool:
        """Whether it is a file of our own."""
        return find_generated(self.text).answer

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.source.line_starts)

    def line(self, number: int) -> str:
        """A line, from 1, with its end."""
        span = self.line_span(number)
        return self.text[span.start : span.end]

    def line_span(self, number: int) -> Span:
        """Where a line, from 1, stands, with its end."""
        starts = self.source.line_starts
        number = min(max(number, 1), len(starts))
        return Span(starts[number - 1], starts[number] if number < len(starts) else len(self.text))

    def line_at(self, offset: int) -> int:
        """The number of the line of an offset."""
        return bisect_right(self.source.line_starts, offset)

    def bare(self, number: int) -> Span:
        """Where the words of a line stand: without its end and the blanks around."""
        span = self.line_span(number)
        line = self.text[span.start : span.end]
        start = span.start + len(line) - len(line.lstrip())
        return Span(start, max(start, span.start + len(line.rstrip())))

    def marks(self, first: int = 1, last: int | None = None) -> list[FootnoteMark]:
        """The labels of known citations in some lines, the last one included."""
        start = self.line_span(first).start
        end = self.line_span(self.lines if last is None else last).end
        found = [FootnoteMark(each[1], Span(*each.span())) for each in _MARK.finditer(self.text, start, end)]
        syntax = syntax_of(self.path)
        if syntax.name != "markdown":
            found += [FootnoteMark(id_, span) for id_, span in marks(self.text, syntax, start, end)]
            found += [
                FootnoteMark(each.label, each.reference.span)
                for each in self.written.values()
                if each.reference is not None and start <= each.reference.span.start < end
            ]
        return sorted((each for each in found if each.label in self.written), key=lambda each: each.span)

    def place(self, written: Written) -> Span:
        """Where a citation shows first: its mark in the words, else its footnote, else its record's line."""
        return self._first.get(written.label) or self.bare(written.line)

    @cached_property
    def _first(self) -> dict[str, Span]:
        """The first mark of each label."""
        return {mark.label: mark.span for mark in reversed(self.marks())}

    def meant(self, offset: int) -> tuple[list[Written], Span | None]:
        """The one citation that is meant at a place, with the span that shows it; none where there is none."""
        line = self.line_at(offset)
        marks = self.marks(line, line)
        for mark in marks:
            if mark.span.start <= offset <= mark.span.end:
                return [self.written[mark.label]], mark.span
        beginning = self.bare(line).start
        if marks and marks[0].span.start == beginning and self.text[marks[0].span.end : marks[0].span.end + 1] == ":":
            return [self.written[marks[0].label]], self.bare(line)
        return [], None

    def around(self, offset: int) -> list[Written]:
        """All citations that a place stands for: of a mark, of a claim, or of all below a heading."""
        found, _ = self.meant(offset)
        if found:
            return found
        line = self.line_at(offset)
        first, last = self._section(line) or self._asked(line) or self._claim(line)
        labels = dict.fromkeys(mark.label for mark in self.marks(first, last))
        return [self.written[label] for label in labels]

    def sentence(self, offset: int) -> Span | None:
        """The sentence around a place, without the signs that its line begins with; None where no words of a reader's
        stand: in an empty line, a footnote, a comment, or front matter."""
        line = first = last = self.line_at(offset)
        if not self._is_prose(line):
            return None
        if not _HEADING.match(self.line(line)):
            while first > max(1, line - _MOST_LINES) and self._is_prose(first - 1):
                if _STANDS_ALONE.match(self.line(first)) or _HEADING.match(self.line(first - 1)):
                    break
                first -= 1
            while last < min(self.lines, line + _MOST_LINES) and self._is_prose(last + 1):
                if _STANDS_ALONE.match(self.line(last + 1)):
                    break
                last += 1
        start = self.line_span(first).start
        signs = _SIGNS.match(self.text, start)
        found = sentences(self.text, Span(start if signs is None else signs.end(), self.bare(last).end))
        return next((each for each in reversed(found) if each.start <= offset), found[0] if found else None)

    def words(self, span: Span) -> str:
        """The words of a span on one line, without footnote marks and the signs that quoted lines begin with."""
        lines = self.text[span.start : span.end].splitlines()
        bare = [*lines[:1], *(line.lstrip(" \t>") for line in lines[1:])]
        return " ".join(_MARK.sub("", " ".join(bare)).split())

    def _is_prose(self, line: int) -> bool:
        text, start = self.line(line), self.line_span(line).start
        front = _FRONT.match(self.text)
        return (
            any(map(str.isalnum, text))
            and asked(text) is None
            and not text.lstrip().startswith("<!--")
            and self.text.rfind("<!--", 0, start) <= self.text.rfind("-->", 0, start)
            and not _FOOTNOTE.match(text)
            and (front is None or start >= front.end())
        )

    def held_at(self, line: int) -> Held | None:
        """The answer that a line belongs to: the block around it, else the file."""
        held = [each for each in self.citing.held if each.first <= line <= each.last]
        return max(held, key=lambda each: each.first, default=None)

    def _section(self, line: int) -> tuple[int, int] | None:
        """The lines below a heading, the heading's own among them."""
        found = _HEADING.match(self.line(line))
        if found is None:
            return None
        level = len(found[1])
        for number in range(line + 1, self.lines + 1):
            further = _HEADING.match(self.line(number))
            if further is not None and len(further[1]) <= level:
                return line, number - 1
        return line, self.lines

    def _asked(self, line: int) -> tuple[int, int] | None:
        """The block that answers a ``??`` line, or that the line begins or ends."""
        if asked(self.line(line)) is not None:
            below = self.below(line)
            return None if below is None else (below.first, below.last)
        edge = next((each for each in self.citing.held if each.block and line in (each.first, each.last)), None)
        return None if edge is None else (edge.first, edge.last)

    def below(self, line: int) -> Held | None:
        """The block that stands right below a line, but for empty ones."""
        number = line + 1
        while number <= self.lines and not self.line(number).strip():
            number += 1
        return next((each for each in self.citing.held if each.block and each.first == number), None)

    def _claim(self, line: int) -> tuple[int, int]:
        """The paragraph or item of a list around a line."""
        if not self.line(line).strip():
            return line, line
        first = last = line
        while first > 1 and self.line(first - 1).strip() and not _ITEM.match(self.line(first)):
            first -= 1
        while last < self.lines and self.line(last + 1).strip() and not _ITEM.match(self.line(last + 1)):
            last += 1
        return first, last


def asked(line: str) -> str | None:
    """The question of a line that asks; None for every other line, and for one that asks nothing."""
    found = asking_lines(line)
    return line[found[0].start : found[0].end].partition("??")[2].strip() or None if found else None


@dataclass(frozen=True, slots=True)
class LocatedCitation:
    """A citation after a look at its source; ``location`` is where its quote stands now, None unless it stands."""

    written: Written
    finding: Finding
    location: types.Location | None
    beside: tuple[str, str]
    """What stands before and behind the quote there."""


def locate_citations(
    snapshot: DocumentSnapshot, page: MarkdownPage, written: Iterable[Written]
) -> list[LocatedCitation]:
    """Look citations of a text up, now, in their order. Reads their sources: call it off the event loop."""
    base = os.path.dirname(page.name)
    wanted = list(written)
    cited: list[Cited] = [cited_as(page.name, base, each) for each in wanted]
    findings: dict[str, Finding] = {}
    places: dict[str, types.Location | None] = {}
    sides: dict[str, tuple[str, str]] = {}
    with Sources(snapshot.allowed, rules=snapshot.rules, buffers=snapshot.buffers) as sources:
        for each in by_source(cited):
            findings[each.label] = look(each, sources)
            places[each.label] = _location(snapshot, sources, findings[each.label])
            sides[each.label] = _surroundings(sources, findings[each.label])
    return [LocatedCitation(each, findings[each.label], places[each.label], sides[each.label]) for each in wanted]


def _location(snapshot: DocumentSnapshot, sources: Sources, finding: Finding) -> types.Location | None:
    """Where a quote that was just looked up stands; in extracted formats the top of the file, unless the client reads
    their texts."""
    checked, cited = finding.checked, finding.cited
    if checked.span is None:
        return None
    path = checked.path or checked.citation.path
    root = checked.citation.root
    uri = snapshot.uri_of(os.path.abspath(os.path.join(cited.base, root, *path.split("/"))))
    text = sources.text(checked, cited.base, extracted=snapshot.texts)
    return types.Location(uri, TOP if text is None else Ranges(text, snapshot.encoding).range(checked.span))


def _surroundings(sources: Sources, finding: Finding) -> tuple[str, str]:
    """What stands before and behind a quote in its own paragraph; either may be empty."""
    checked = finding.checked
    text = sources.text(checked, finding.cited.base, extracted=True)
    return ("", "") if text is None or checked.span is None else surroundings(text.text, checked.span)


def surroundings(text: str, span: Span) -> tuple[str, str]:
    """What stands before and behind a span in its own paragraph, on one line each and cut at a word; either may be
    empty."""
    before = _PARAGRAPH_END.split(text[max(0, span.start - _LONGEST_BESIDE - 1) : span.start])[-1]
    after = _PARAGRAPH_END.split(text[span.end : span.end + _LONGEST_BESIDE + 1])[0]
    if len(before) > _LONGEST_BESIDE:
        before = "…" + (before.partition(" ")[2] or before)
    if len(after) > _LONGEST_BESIDE:
        after = (after.rpartition(" ")[0] or after) + "…"
    return " ".join(before.split()), " ".join(after.split())
