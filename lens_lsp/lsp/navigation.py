"""Navigation by what a text cites: definition, references, document links and symbols.

Every place is looked up in its source at the moment of the request. What moved is shown where it stands now; what was
withdrawn has no place, and the user is told why. The way back, from a place in a note to the answers that cite it, is
looked for in the answer files of the stores, in the open texts and in the notes of the workspace: links count that
people wrote.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.walk import discover
from lens_lsp.disk import read_plain
from lens_lsp.lsp.document_snapshot import (
    DocumentSnapshot,
    LocatedCitation,
    MarkdownPage,
    asked,
    locate_citations,
    run_on_snapshot,
)
from lens_lsp.lsp.lens_text import WorkspacePath, document_at, is_extracted
from lens_lsp.lsp.locations import Ranges
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.lsp.server_state import Stores
from lens_lsp.memory.answer_parser import Citing
from lens_lsp.memory.check import Cited, Finding, cited_in, look
from lens_lsp.memory.citation_records import CitationRecords, records_above
from lens_lsp.memory.notes import MARKDOWN, is_note, may_cite, read_note, syntax_of
from lens_lsp.memory.sources import Sources
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.documents import Document, has_own_places, locator_text, place_text
from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable, printable_line, printable_path
from lens_lsp.model.text import SourceText, Span
from lens_lsp.schema.memory_shapes import message

if TYPE_CHECKING:
    from lens_lsp.corpus.corpus_rules import CorpusRules
    from lens_lsp.lsp.server import LensServer


_LARGEST = 1 << 20
"""Bytes of an answer file that is looked into."""
_LONGEST = 80
_SECONDS = 0.5
"""How long the notes of a workspace are looked for."""
_HEADING = regex(r"[ \t>]*#{1,6}[ \t]+(.*)")
_LINKS = {
    "markdown": regex(r"\]\(<?([^()\s<>]{1,500})>?\)|\[\[([^\[\]|\r\n]{1,500})(?:\|[^\[\]]*)?\]\]"),
    "org": regex(r"\[\[(?:file:)?([^\[\]\r\n]{1,500})\](?:\[[^\[\]]*\])?\]"),
    "restructuredtext": regex(r"<([^<>\s]{1,500})>`__?"),
    "asciidoc": regex(r"(?:link|xref):([^\[\]\s]{1,500})\["),
}
_SIGNS_OF_LINKS = ("](", "[[", ">`_", "link:", "xref:")
_PART = regex(r"(?:::|#)\*?")
_LINES = regex(r"L?(\d{1,9})(?:[-,].*)?")
_MOST_LINES = 8
"""Lines of a place that are shown where a link leads there."""
_WORD = regex(r"\w+")


@dataclass(frozen=True, slots=True)
class CitationUse:
    """A place of the note that an answer cites: ``span`` is where the quote stands, the rest where it is cited."""

    span: Span
    where: str
    """The absolute path of the text that cites."""
    line: int
    """Of the footnote, from 1."""
    label: str
    question: str


def cited_by(snapshot: DocumentSnapshot, page: MarkdownPage, offset: int, stores: Stores) -> list[CitationUse]:
    """What cites the line of an offset."""
    if snapshot.path is None:
        return []
    line = page.bare(page.line_at(offset))
    uses = []
    with Sources(snapshot.allowed, rules=snapshot.rules, buffers=snapshot.buffers) as sources:
        for citing, cited in _citing(snapshot, stores):
            checked = look(cited, sources).checked
            span = checked.span
            if span is not None and span.overlaps(line) and _is(snapshot.path, cited, checked.path):
                uses.append(CitationUse(span, cited.where, cited.line, cited.label, _question(citing, cited.line)))
    return sorted(uses, key=lambda use: (use.where, use.line))


def _citing(snapshot: DocumentSnapshot, stores: Stores) -> Iterator[tuple[Citing, Cited]]:
    """The citations that may lie in the text, by the name of its file, each with all that its own text cites."""
    open_texts = {
        path: read_note(buffer.text, path, records_above(os.path.dirname(path)))
        for path, buffer in snapshot.buffers.items()
        if may_cite(buffer.text)
    }
    kept = {path: _noted(path, *status) for path, status in notes_in(snapshot.workspaces, snapshot.rules)}
    kept |= {str(path): citing for path, citing in _kept(snapshot, stores)}
    kept = {path: citing for path, citing in kept.items() if path not in open_texts}
    name = os.path.basename(snapshot.path or "")
    for path, citing in (*open_texts.items(), *kept.items()):
        for cited in cited_in(path, citing):
            if os.path.basename(cited.citation.path) == name:
                yield citing, cited


def _question(citing: Citing, line: int) -> str:
    held = [each for each in citing.held if each.first <= line <= each.last]
    return max(held, key=lambda each: each.first).question if held else ""


def _kept(snapshot: DocumentSnapshot, stores: Stores) -> Iterator[tuple[Path, Citing]]:
    for folder in stores.answers(snapshot.workspaces):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(".md") and status.st_size <= _LARGEST:
                    yield Path(entry.path), _noted(entry.path, status.st_mtime_ns, status.st_size, status.st_ino)


def notes_in(workspaces: Sequence[str], rules: CorpusRules) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """The notes of the workspace folders, as many as are found in time, each with its status."""
    until = time.monotonic() + _SECONDS
    for folder in workspaces:
        with suppress(LensError), Root(folder) as root:
            listed = discover(root, rules, names_only=True, cancelled=lambda: time.monotonic() > until)
            for name in filter(is_note, listed.paths):
                path = os.path.join(folder, *name.split("/"))
                with suppress(OSError):
                    status = os.stat(path, follow_symlinks=False)
                    if status.st_size <= _LARGEST and time.monotonic() < until:
                        yield path, (status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=16_384)
def note_text(path: str, _changed: int, _size: int, _inode: int) -> str:
    """The text of a note that may cite or link; empty for another one. Read again when its status is another."""
    try:
        text = read_plain(Path(path), _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
    return text if any(sign in text for sign in _SIGNS_OF_LINKS) or may_cite(text) else ""


def _noted(path: str, *status: int) -> Citing:
    if not cites(note_text(path, *status)):
        return Citing()
    return _read(path, status, records_above(os.path.dirname(path)))


def cites(text: str) -> bool:
    """Whether a text may cite, by a quick look."""
    return may_cite(text) or "[^" in text


@lru_cache(maxsize=4_096)
def _read(path: str, status: tuple[int, int, int], records: CitationRecords | None) -> Citing:
    """What a note cites; read again when its status is another, or its records are."""
    return read_note(note_text(path, *status), path, records)


def linked_by(snapshot: DocumentSnapshot, page: MarkdownPage, offset: int) -> list[tuple[str, int]]:
    """The notes whose links lead to the line or the heading at an offset, or to the whole text from its first heading:
    path and line, from 1."""
    if snapshot.path is None:
        return []
    number = page.line_at(offset)
    heading = _HEADING.match(page.line(number))
    slug = "" if heading is None else _slug(heading[1])
    first = heading is not None and not any(_HEADING.match(page.line(above)) for above in range(1, number))
    if syntax_of(snapshot.path) is not MARKDOWN:
        around = _lines_of_headings(snapshot, snapshot.path)
        slug, first = _slug(around.get(number, "")), bool(around) and number == min(around)
    texts = {path: note_text(path, *status) for path, status in notes_in(snapshot.workspaces, snapshot.rules)}
    texts |= {path: buffer.text for path, buffer in snapshot.buffers.items() if is_note(path)}
    name, stem = os.path.basename(snapshot.path), os.path.splitext(os.path.basename(snapshot.path))[0]
    found = []
    for path, text in texts.items():
        if path == snapshot.path or stem not in unquote(text):
            continue
        for link in links_in(text, path):
            if link.target != snapshot.path and not (link.wiki and os.path.basename(link.target) in (name, stem)):
                continue
            line = _LINES.fullmatch(link.part)
            if (first and not link.part) or (line and int(line[1]) == number) or (slug and _slug(link.part) == slug):
                found.append((path, text.count("\n", 0, link.span.start) + 1))
    return sorted(set(found))


@dataclass(frozen=True, slots=True)
class WrittenLink:
    """A link that somebody wrote: the absolute path it leads to, and the line or the heading there."""

    span: Span
    target: str
    part: str
    wiki: bool = False


def links_in(text: str, path: str) -> Iterator[WrittenLink]:
    """The links to files in a note of an absolute path, in its syntax."""
    pattern = _LINKS.get(syntax_of(path).name)
    for link in () if pattern is None else pattern.finditer(text):
        wiki = link.re.groups == 2 and link[2] is not None
        written = unquote(link[2] if wiki else link[1])
        if "://" not in written:
            target, *part = _PART.split(written, 1)
            absolute = os.path.normpath(os.path.join(os.path.dirname(path), target))
            yield WrittenLink(Span(*link.span()), absolute, "".join(part), wiki)


@dataclass(frozen=True, slots=True)
class _Landing:
    """Where a link leads: its own span, the file and line, and what stands there."""

    span: Span
    path: str
    line: int
    text: str


def _landing(snapshot: DocumentSnapshot, offset: int) -> _Landing | None:
    """Where the link at an offset leads in the workspace. None where a server for Markdown knows better: of its links
    only those to lines are ours."""
    links = () if snapshot.path is None else links_in(snapshot.text, snapshot.path)
    link = next((each for each in links if each.span.start <= offset <= each.span.end), None)
    if link is None or snapshot.path is None:
        return None
    lines = _LINES.fullmatch(link.part)
    document = None if syntax_of(snapshot.path) is MARKDOWN and lines is None else _document(snapshot, link.target)
    if document is None:
        return None
    headings = _lines_of_headings(snapshot, link.target)
    named = next((line for line, words in headings.items() if _slug(words) == _slug(link.part)), 0)
    line = int(lines[1]) if lines else named if link.part else 1
    source = SourceText(document.text)
    if not 1 <= line <= len(source.line_starts):
        return None
    said = document.text[source.line_starts[line - 1] :].splitlines()[:_MOST_LINES]
    return _Landing(link.span, link.target, line, "\n".join(said))


def _document(snapshot: DocumentSnapshot, path: str) -> Document | None:
    """A document of the workspace by its path, as a search reads it; None where it does not, and where its lines are
    none of the file."""
    around = [folder for folder in snapshot.workspaces if inside(path, folder) and path != folder]
    if not around or is_extracted(path) or snapshot.allowed.place(os.path.dirname(path)) is None:
        return None
    folder = max(around, key=len)
    place = WorkspacePath(folder, os.path.relpath(path, folder).replace(os.sep, "/"))
    with suppress(Skipped, LensError):
        return document_at(place, snapshot.rules, snapshot.buffers)
    return None


def _lines_of_headings(snapshot: DocumentSnapshot, path: str) -> dict[int, str]:
    """The headings of a document by their lines, from 1."""
    document = _document(snapshot, path)
    if document is None:
        return {}
    source = SourceText(document.text)
    return {source.position(each.span.start).line: each.text for each in document.structure.headings}


def _slug(heading: str) -> str:
    return "-".join(_WORD.findall(heading.casefold()))


def _is(path: str, cited: Cited, renamed: str | None) -> bool:
    """Whether a citation's source is the file of this path, whatever the two are called."""
    source = os.path.join(cited.base, cited.citation.root, *(renamed or cited.citation.path).split("/"))
    return os.path.realpath(source) == os.path.realpath(path)


def _line(number: int) -> types.Range:
    start = types.Position(number - 1, 0)
    return types.Range(start, start)


async def define(ls: LensServer, params: types.DefinitionParams) -> list[types.Location]:
    """``textDocument/definition`` on a footnote: the exact span of its quote; on a link: the line it names."""

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> tuple[list[LocatedCitation], list[types.Location]]:
        offset = snapshot.ranges().offset(params.position)
        meant = page.meant(offset)[0]
        landing = None if meant else _landing(snapshot, offset)
        places = [] if landing is None else [types.Location(snapshot.uri_of(landing.path), _line(landing.line))]
        return locate_citations(snapshot, page, meant), places

    found, places = await run_on_snapshot(ls.state, params.text_document.uri, work) or ([], [])
    for each in found:
        if each.location is None:
            ls.warn(message(each.finding))
    return places + [each.location for each in found if each.location is not None]


async def refer(ls: LensServer, params: types.ReferenceParams) -> list[types.Location]:
    """``textDocument/references``: all evidence of a claim or heading; in a note, the answers that cite the place."""
    stores = ls.state.stores

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> list[types.Location]:
        offset = snapshot.ranges().offset(params.position)
        found = locate_citations(snapshot, page, page.around(offset))
        evidence = [each.location for each in found if each.location is not None]
        uses = cited_by(snapshot, page, offset, stores)
        places = [(use.where, use.line) for use in uses]
        places += [each for each in linked_by(snapshot, page, offset) if each not in places]
        return evidence + [types.Location(snapshot.uri_of(where), _line(line)) for where, line in places]

    return await run_on_snapshot(ls.state, params.text_document.uri, work) or []


async def link(ls: LensServer, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """``textDocument/documentLink``: every footnote's mark. Where it leads is looked up when it is followed."""
    uri = params.text_document.uri
    tooltips = ls.state.supports("text_document.document_link.tooltip_support")

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> list[types.DocumentLink]:
        ranges = snapshot.ranges()
        return [
            types.DocumentLink(
                range=ranges.range(mark.span),
                tooltip=printable_path(page.written[mark.label].citation.path) if tooltips else None,
                data={"uri": uri, "label": mark.label},
            )
            for mark in page.marks()
        ]

    return await run_on_snapshot(ls.state, uri, work) or []


async def follow(ls: LensServer, params: types.DocumentLink) -> types.DocumentLink:
    """``documentLink/resolve``: where a mark leads now."""
    data = params.data if isinstance(params.data, dict) else {}
    label = str(data.get("label"))

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> list[LocatedCitation]:
        return locate_citations(snapshot, page, [page.written[label]] if label in page.written else [])

    for each in await run_on_snapshot(ls.state, str(data.get("uri")), work) or []:
        if each.location is None:
            ls.warn(message(each.finding))
        else:
            params.target = with_place(each.location)
    return params


def with_place(location: types.Location) -> str:
    """A location as one URI, its place as a fragment that VS Code and others understand."""
    start, end = location.range.start, location.range.end
    return f"{location.uri}#L{start.line + 1},{start.character + 1}-L{end.line + 1},{end.character + 1}"


async def outline(
    ls: LensServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """``textDocument/documentSymbol``: of an answer file its question, claims and sources; of a note what asks and what
    cites. Headings are left to who reads Markdown."""
    uri = params.text_document.uri
    whole = await run_on_snapshot(ls.state, uri, _outline) or []
    nested = "text_document.document_symbol.hierarchical_document_symbol_support"
    if ls.state.supports(nested):
        return whole
    flat = [each for symbol in whole for each in (symbol, *(symbol.children or ()))]
    return [types.SymbolInformation(types.Location(uri, each.range), each.name, each.kind) for each in flat]


def _outline(snapshot: DocumentSnapshot, page: MarkdownPage) -> list[types.DocumentSymbol]:
    if not page.is_answer:
        return list(_outline_of_note(page, snapshot.ranges()))
    title = next((number for number in range(1, page.lines + 1) if page.line(number).startswith("# ")), None)
    if title is None:
        return []
    return [_holding(page, snapshot.ranges(), page.line(title)[2:] or "answer", title, page.lines)]


def _outline_of_note(page: MarkdownPage, ranges: Ranges) -> Iterator[types.DocumentSymbol]:
    last = 0
    for number in range(1, page.lines + 1):
        question = asked(page.line(number)) if "??" in page.line(number) else None
        if question is not None:
            below = page.below(number)
            last = number if below is None else below.last
            yield _holding(page, ranges, question, number, last)
        elif number > last:
            yield from _parts(page, ranges, number, number)


def _holding(page: MarkdownPage, ranges: Ranges, name: str, first: int, last: int) -> types.DocumentSymbol:
    """A question, from its line to the end of its answer."""
    whole = Span(page.line_span(first).start, page.bare(last).end)
    return types.DocumentSymbol(
        printable_line(name, _LONGEST),
        types.SymbolKind.Namespace,
        ranges.range(whole),
        ranges.range(page.bare(first)),
        children=list(_parts(page, ranges, first + 1, last)),
    )


def _parts(page: MarkdownPage, ranges: Ranges, first: int, last: int) -> Iterator[types.DocumentSymbol]:
    footnotes = {each.line for each in page.citing.written}
    for number in range(first, last + 1):
        if "[^" in page.line(number) and page.marks(number, number):
            kind = types.SymbolKind.Constant if number in footnotes else types.SymbolKind.String
            where = ranges.range(page.bare(number))
            yield types.DocumentSymbol(printable_line(page.line(number), _LONGEST), kind, where, where)


DEFINITION: RequestHandler[types.DefinitionParams] = RequestHandler(define)

REFERENCES: RequestHandler[types.ReferenceParams] = RequestHandler(refer)

LINK: RequestHandler[types.DocumentLinkParams] = RequestHandler(link)

LINK_RESOLVE: RequestHandler[types.DocumentLink] = RequestHandler(follow)

DOCUMENT_SYMBOL: RequestHandler[types.DocumentSymbolParams] = RequestHandler(outline)

_PUNCTUATION = regex(r"[!-/:-@\[-`{-~]")

_LONGEST_QUOTE = 2_000
_MOST_USES = 10
_STATES = {
    CitationState.VERIFIED: "✓ still says so",
    CitationState.MOVED: "↷ moved",
    CitationState.WITHDRAWN: "✗ withdrawn",
    CitationState.UNVERIFIABLE: "? cannot be checked",
}


async def hover(ls: LensServer, params: types.HoverParams) -> types.Hover | None:
    """``textDocument/hover``: quote, source and state of a footnote; in a note, what cites the place, or where a link
    leads."""
    stores = ls.state.stores
    formats = ls.state.hover_formats

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> types.Hover | None:
        ranges = snapshot.ranges()
        offset = ranges.offset(params.position)
        written, span = page.meant(offset)
        told = [describe_citation(each.finding, each.beside) for each in locate_citations(snapshot, page, written)]
        if not told:
            uses = cited_by(snapshot, page, offset, stores)
            span = uses[0].span if uses else None
            told = [describe_uses(uses)] if uses else []
        landing = None if told else _landing(snapshot, offset)
        if landing is not None:
            place = f"{printable_path(os.path.basename(landing.path))}:{landing.line}"
            span, told = landing.span, [f"{place}\n{printable(landing.text)}"]
        if not told or span is None:
            return None
        return types.Hover(as_markup("\n\n".join(told), formats), ranges.range(span))

    return await run_on_snapshot(ls.state, params.text_document.uri, work)


def describe_citation(finding: Finding, beside: tuple[str, str] = ("", "")) -> str:
    """A citation: its quote between what stands ``beside`` it, where it stands, under which headings, and whether it
    still does."""
    checked = finding.checked
    citation = checked.citation
    quote = printable(citation.quote).strip("\n")
    if len(quote) > _LONGEST_QUOTE:
        quote = f"{quote[: _LONGEST_QUOTE - 1]}…"
    path = printable_path(checked.path or citation.path)
    locator = checked.locator or citation.locator
    if has_own_places(locator):
        place = place_text(path, locator)
    else:
        place = path if finding.at is None else f"{path}:{finding.at.line}:{finding.at.column}"
        place += f", {locator_text(locator)}" if locator else ""
    above = " › ".join(printable_line(heading) for heading in citation.heading)
    state = _STATES[checked.state] + (f": {checked.why}" if checked.why else "")
    before, after = beside
    said = " ".join(filter(None, (printable(before), f"“{quote}”", printable(after))))
    return "\n".join([said, place + (f"  {above}" if above else ""), state])


def describe_uses(uses: Sequence[CitationUse]) -> str:
    """What cites a place: the questions that it answers."""
    lines = [f"cited by {len(uses)} {'answer' if len(uses) == 1 else 'answers'}"]
    lines += [f"[{use.label}] {printable_line(use.question or _name(use.where))}" for use in uses[:_MOST_USES]]
    return "\n".join([*lines, "…"] if len(uses) > _MOST_USES else lines)


def _name(path: str) -> str:
    return printable_path(os.path.basename(path))


def as_markup(text: str, formats: Sequence[str]) -> types.MarkupContent:
    """A text in the first format of the client's in which nothing acts: plain unless it takes Markdown only."""
    if types.MarkupKind.PlainText.value in formats or types.MarkupKind.Markdown.value not in formats:
        return types.MarkupContent(types.MarkupKind.PlainText, text)
    return types.MarkupContent(types.MarkupKind.Markdown, escaped(text))


def escaped(text: str) -> str:
    """Markdown that shows a text, line by line, and does nothing."""
    lines = (_PUNCTUATION.sub(r"\\\g<0>", line.strip()) for line in text.split("\n"))
    return "  \n".join(lines)


HOVER: RequestHandler[types.HoverParams] = RequestHandler(hover)
