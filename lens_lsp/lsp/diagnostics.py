"""Diagnostics of a text that cites, and of the source files that it cites."""

from __future__ import annotations

import asyncio
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.corpus.corpus_rules import ANYWHERE, inside
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.text_marks import privacy_of_file
from lens_lsp.corpus.workspace import Snapshot, overlay
from lens_lsp.judge.redaction import veils
from lens_lsp.lsp.document_snapshot import (
    DocumentSnapshot,
    LocatedCitation,
    MarkdownPage,
    locate_citations,
    run_on_snapshot,
    snapshot_of,
)
from lens_lsp.lsp.locations import TOP, Ranges
from lens_lsp.lsp.server_state import ServerState, Stores
from lens_lsp.memory.answer_parser import seen
from lens_lsp.memory.citation_records import PATH
from lens_lsp.memory.clusters import disputed
from lens_lsp.memory.matching import question_key
from lens_lsp.memory.sources import Sources
from lens_lsp.memory.store_file import STEM
from lens_lsp.model.answer import Answer, RequirementStatus, Status
from lens_lsp.model.cluster import Citation, CitationState
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable_line, printable_path
from lens_lsp.model.text import Span
from lens_lsp.schema.memory_shapes import broken_rule, message

if TYPE_CHECKING:
    from lens_lsp.memory.answer_parser import Held


SOURCE = "lens"
_ERROR, _WARNING = types.DiagnosticSeverity.Error, types.DiagnosticSeverity.Warning
_INFORMATION = types.DiagnosticSeverity.Information
_SEVERITIES = {"error": _ERROR, "warning": _WARNING, "note": _INFORMATION}
_LONGEST = 200
_WITHDRAWN = f": {CitationState.WITHDRAWN.value}"
GONE = frozenset({"lens.citation-drifted", "lens.citation-broken"})
"""What clients that know the tag show as struck through: the words are cited, and the source says them no longer."""
_CALLED_WRONG = "proves an answer that was called wrong"
_SIGNS = regex(r"\[\^?[\w:-]*\]|[>*\\`\u200b]")
_Told = tuple[Span, str, types.DiagnosticSeverity, str]
Told = Mapping[str, Sequence[types.Diagnostic]]
"""By the path of the file that it is about."""
_NOT_READ = frozenset(
    {
        SkipReason.BINARY,
        SkipReason.BROKEN,
        SkipReason.DIED,
        SkipReason.ENCRYPTED,
        SkipReason.NO_READER,
        SkipReason.NO_TEXT,
        SkipReason.PERMISSION,
        SkipReason.TIMED_OUT,
        SkipReason.TOO_LARGE,
        SkipReason.UNREADABLE,
        SkipReason.UNSUPPORTED,
    }
)
"""Why a file that a question means is not read although nobody asked for that."""
_MOST_FILES = 20
_MOST_VEILS = 20


def citation_diagnostics(
    snapshot: DocumentSnapshot,
    page: MarkdownPage,
    found: Sequence[LocatedCitation],
    *,
    related: bool,
    tags: bool = False,
    stores: Stores | None = None,
) -> list[types.Diagnostic]:
    """All of a text, with what ``stores`` hold against it; ``related``: the client shows related places, ``tags``: it
    strikes out or fades what is marked so. Every message says enough without them."""
    ranges = snapshot.ranges()
    told: list[_Told | None] = [
        *(_of_citation(page, each) for each in found),
        *((page.bare(fault.line), "lens.citation-broken", _ERROR, fault.why) for fault in page.citing.faults),
        *_of_answers(page, found, snapshot.known),
        *(() if stores is None else _of_stores(snapshot, page, found, stores)),
    ]
    beside = _related(page, found) if related else lambda span, code: None
    items = [
        types.Diagnostic(
            ranges.range(span),
            text,
            severity,
            code,
            source=SOURCE,
            tags=_tags(code, text) if tags else None,
            related_information=beside(span, code),
        )
        for span, code, severity, text in filter(None, told)
    ]
    return sorted(items, key=lambda item: (item.range.start.line, item.range.start.character, str(item.code)))


def _tags(code: str, text: str) -> list[types.DiagnosticTag] | None:
    """How a client may show the words: struck out what no source says, faded what others contradict."""
    if _CALLED_WRONG in text or (code in GONE and _WITHDRAWN in text):
        return [types.DiagnosticTag.Deprecated]
    return [types.DiagnosticTag.Unnecessary] if code == "lens.contested" else None


def privacy_diagnostics(snapshot: DocumentSnapshot, page: MarkdownPage) -> list[types.Diagnostic]:
    """How the mark that makes a text private was understood, where it is not written as documented."""
    said = privacy_of_file("note.md" if snapshot.path is None else snapshot.path.replace(os.sep, "/"), snapshot.text)
    if said is None or said.exact:
        return []
    span = page.bare(min(max(said.line, 1), page.lines))
    return [
        types.Diagnostic(snapshot.ranges().range(span), said.message, _WARNING, "lens.private-spelling", source=SOURCE)
    ]


def _of_citation(page: MarkdownPage, found: LocatedCitation) -> _Told | None:
    rule, level = broken_rule(found.finding)
    return (page.place(found.written), rule, _SEVERITIES[level], message(found.finding)) if rule else None


def _of_answers(page: MarkdownPage, found: Sequence[LocatedCitation], known: Answer | None) -> Iterator[_Told]:
    for held in page.citing.held:
        title = page.bare(_title(page, held))
        gone = [
            each.written.label
            for each in found
            if held.first <= each.written.line <= held.last and each.finding.checked.state is CitationState.WITHDRAWN
        ]
        if gone:
            names = ", ".join(f"[{label}]" for label in gone)
            yield title, "lens.answer-stale", _INFORMATION, f"sources of this answer changed ({names}): ask again"
        yield from _of_facts(title, held)
        if known is not None and known.question == held.question and not held.block:
            yield from _of_known(page, title, known)


def _of_stores(
    snapshot: DocumentSnapshot, page: MarkdownPage, found: Sequence[LocatedCitation], stores: Stores
) -> Iterator[_Told]:
    """What the stores hold against citations whose sources still say so: that others say otherwise, or that the user
    called the answer wrong."""
    standing = [each for each in found if each.location is not None]
    for workspace, store in stores.existing(snapshot.workspaces) if standing else ():
        facts = tuple(disputed(store.clusters()))
        for wrong in store.wrong():
            words = _bare(wrong.text.partition("\n\n")[0])
            for held in page.citing.held:
                text = page.text[page.line_span(held.first).start : page.line_span(held.last).end]
                if question_key(held.question) != wrong.key or not words or words not in _bare(text):
                    continue
                for each in standing:
                    if held.first <= each.written.line <= held.last:
                        said = f"{_CALLED_WRONG}: {printable_line(wrong.question, _LONGEST)}"
                        yield page.place(each.written), "lens.contested", _WARNING, f"[{each.written.label}] {said}"
        with Sources(ANYWHERE, rules=snapshot.rules, buffers=snapshot.buffers) as sources:
            for fact, cited in facts:
                mine = [each for each in standing if _is_of(each, cited)]
                if not mine:
                    continue
                stands = [each for each in cited if sources.check(each, workspace)[0].span is not None]
                for each in mine:
                    quote = seen(each.finding.checked.citation.quote)
                    others = [other for other in stands if seen(other.quote) != quote]
                    if others:
                        says = f"{printable_path(others[0].path)} says “{printable_line(others[0].quote, _LONGEST)}”"
                        about = printable_line(fact.requirement.text, _LONGEST)
                        text = f"[{each.written.label}] sources disagree on {about}: {says}"
                        yield page.place(each.written), "lens.contested", _WARNING, text


def _is_of(found: LocatedCitation, cited: Sequence[Citation]) -> bool:
    """Whether a citation of a text is one of some of a store."""
    own = found.finding.checked.citation
    name, quote = os.path.basename(own.path), seen(own.quote)
    return any(os.path.basename(each.path) == name and seen(each.quote) == quote for each in cited)


def _bare(text: str) -> str:
    """The words of an answer without marks, signs and line breaks."""
    return " ".join(_SIGNS.sub("", text).split()).casefold()


def _of_facts(title: Span, held: Held) -> Iterator[_Told]:
    missing = [fact for fact in held.facts if fact.state == RequirementStatus.MISSING.value]
    for fact in missing:
        yield title, "lens.fact-missing", _INFORMATION, f"not found: {printable_line(fact.text, _LONGEST)}"
    if not missing and held.status in (Status.PARTIAL.value, Status.UNANSWERED.value):
        yield title, "lens.fact-missing", _INFORMATION, f"this answer is {held.status}: not every fact was found"
    for fact in held.facts:
        if fact.state == RequirementStatus.CONTESTED.value:
            cites = ", ".join(f"[{label}]" for label in fact.cites)
            said = f"sources disagree on {printable_line(fact.text, _LONGEST)}: {cites}"
            yield title, "lens.contested", _WARNING, said


def _of_known(page: MarkdownPage, title: Span, answer: Answer) -> Iterator[_Told]:
    """What this session knows of an answer beyond its file."""
    if answer.newer:
        names = ", ".join(answer.newer[:5])
        yield title, "lens.answer-stale", _INFORMATION, f"newer documents bear on this answer: {names}"
    for sentence in answer.unsupported:
        at = page.text.find(sentence)
        span = Span(at, at + len(sentence)) if at >= 0 else title
        yield (
            span,
            "lens.unsupported-claim",
            _INFORMATION,
            f"nothing is cited for this: {printable_line(sentence, _LONGEST)}",
        )
    for doubt in answer.doubts:
        at = page.text.find(doubt.sentence)
        inside = max(0, doubt.sentence.find(doubt.words))  # of a whole sentence the markers are left out
        size = len(doubt.words) if doubt.words in doubt.sentence else len(doubt.sentence)
        span = title if at < 0 else Span(at + inside, at + inside + size)
        words = f"what is cited does not state “{printable_line(doubt.words, _LONGEST)}” ({doubt.reason})"
        yield span, "lens.unsupported-claim", _WARNING if doubt.decisive else _INFORMATION, words


def _title(page: MarkdownPage, held: Held) -> int:
    """The line that shows an answer: its heading, or where its block begins."""
    if held.block:
        return held.first
    return next((number for number in range(1, page.lines + 1) if page.line(number).startswith("# ")), 1)


def _related(
    page: MarkdownPage, found: Sequence[LocatedCitation]
) -> Callable[[Span, str], list[types.DiagnosticRelatedInformation] | None]:
    """What stands beside a diagnostic, by its place and code: where the quotes stand that are shown there."""
    places = {each.written.label: each.location for each in found if each.location is not None}
    shown: defaultdict[Span, list[str]] = defaultdict(list)
    for each in found:
        shown[page.place(each.written)].append(each.written.label)

    def beside(span: Span, code: str) -> list[types.DiagnosticRelatedInformation] | None:
        labels = places if code == "lens.contested" and span not in shown else shown.get(span, ())
        return [
            types.DiagnosticRelatedInformation(places[label], f"[{label}]") for label in labels if label in places
        ] or None

    return beside


def source_diagnostics(snapshot: DocumentSnapshot, base: str, found: Sequence[LocatedCitation]) -> Told:
    """What is to be told about files that a checked text cites, or that its question named; ``base`` is its folder."""
    told: dict[str, list[types.Diagnostic]] = {}
    for each in found:
        unread = each.finding.checked.unread
        if unread is not None and unread is not SkipReason.LINK:  # where it leads is nobody's business
            citation = each.finding.checked.citation
            path = os.path.abspath(os.path.join(base, citation.root, *citation.path.split("/")))
            told[path] = [_failed(unread, f"[{each.written.label}] cites it")]
    if snapshot.known is not None:
        for path, reason in _named(snapshot, snapshot.known):
            told.setdefault(path, [_failed(reason, "the question means it")])
        for path, places in _hiding(snapshot, snapshot.known):
            told.setdefault(path, []).extend(places)
    return told


def _failed(reason: SkipReason, why: str) -> types.Diagnostic:
    said = f"lens cannot read this file ({reason.value}): {why}"
    return types.Diagnostic(TOP, said, types.DiagnosticSeverity.Information, "lens.extract-failed", source=SOURCE)


def _named(snapshot: DocumentSnapshot, answer: Answer) -> Iterator[tuple[str, SkipReason]]:
    """The files that a question named and that cannot be read: by their names, or since there was nothing else."""
    coverage = answer.coverage
    meant = [
        skip.path
        for skip in coverage.skipped
        if skip.reason in _NOT_READ and (not coverage.scanned or _in_words(skip.path, answer.question))
    ]
    for root in answer.roots:
        for path in meant[:_MOST_FILES]:
            whole = os.path.join(root, *path.split("/"))
            reason = _read(snapshot, root, path) if os.path.lexists(whole) else None
            if isinstance(reason, SkipReason):
                yield whole, reason


def _in_words(path: str, question: str) -> bool:
    name = re.escape(path.rpartition("/")[2])
    return re.search(rf"(?<![\w.-]){name}(?![\w-])", question, re.IGNORECASE) is not None


def _hiding(snapshot: DocumentSnapshot, answer: Answer) -> Iterator[tuple[str, list[types.Diagnostic]]]:
    """The documents of which a model was sent less than stands there, with the places as they are now."""
    for root, path in dict.fromkeys((sent.root, sent.path) for sent in answer.account.sent if sent.veiled):
        text = _read(snapshot, answer.roots[root], path)
        if isinstance(text, str):
            ranges = Ranges(text, snapshot.encoding)
            found = [
                types.Diagnostic(
                    ranges.range(span),
                    f"characters that nobody sees ({len(span)}): they were taken out of what the model was sent",
                    types.DiagnosticSeverity.Warning,
                    "lens.hidden-text",
                    source=SOURCE,
                )
                for span in veils(text)[:_MOST_VEILS]
            ]
            yield os.path.join(answer.roots[root], *path.split("/")), found


def _read(snapshot: DocumentSnapshot, root: str, path: str) -> str | SkipReason | None:
    """The text of a document now, or why there is none; None where the folder is gone."""
    try:
        with Root(root) as opened:
            return Snapshot([opened], overlay([opened], snapshot.buffers), snapshot.rules).document(0, path).text
    except Skipped as skipped:
        return skipped.reason
    except LensError:
        return None


@dataclass(frozen=True, slots=True)
class DocumentDiagnostics:
    """What a check came to; ``sources`` are the real paths of what the text cites or tells of, ``elsewhere`` what it
    tells, by URI."""

    cites: bool
    diagnostics: list[types.Diagnostic]
    sources: frozenset[str]
    elsewhere: Mapping[str, Sequence[types.Diagnostic]]


async def check_document(
    state: ServerState, uri: str, closed: tuple[str, str] | None = None
) -> DocumentDiagnostics | None:
    """Check an open text, or a ``closed`` file, its path and text; None if there is none. What a note cites is only
    checked where ``lens.diagnostics.notes`` says so; how it says that it is private, always."""
    notes = state.editor_options.notes
    related = state.supports("text_document.publish_diagnostics.related_information")
    tags = state.supports("text_document.publish_diagnostics.tag_support")

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> DocumentDiagnostics:
        if not page.citing.parts or not (notes or page.is_answer):
            return DocumentDiagnostics(False, privacy_diagnostics(snapshot, page), frozenset(), {})
        found = locate_citations(snapshot, page, page.written.values())
        told = source_diagnostics(snapshot, os.path.dirname(page.name), found)
        sources = {path for each in found for path in _paths(snapshot, page, each)}
        sources |= {os.path.realpath(path) for path in told}
        if sources:  # where nothing may be read nothing is watched
            sources |= {os.path.join(records.folder, PATH) for records in (page.records,) if records is not None}
            sources |= {str(folder.with_name(f"{STEM}.db")) for folder in state.stores.answers(snapshot.workspaces)}
        elsewhere = {snapshot.uri_of(path): items for path, items in told.items()}
        items = [
            *privacy_diagnostics(snapshot, page),
            *citation_diagnostics(snapshot, page, found, related=related, tags=tags, stores=state.stores),
        ]
        return DocumentDiagnostics(True, items, frozenset(sources), elsewhere)

    if closed is None:
        return await run_on_snapshot(state, uri, work)
    snapshot = await snapshot_of(state, uri, *closed)
    return await asyncio.to_thread(lambda: work(snapshot, snapshot.page()))


def _paths(snapshot: DocumentSnapshot, page: MarkdownPage, found: LocatedCitation) -> list[str]:
    """The real paths that a citation depends on: where it was recorded, and where its file is now. None where it lies
    elsewhere than sources may, or a link leads to it."""
    checked = found.finding.checked
    place = snapshot.allowed.place(os.path.abspath(os.path.join(os.path.dirname(page.name), checked.citation.root)))
    if place is None or checked.unread is SkipReason.LINK:
        return []
    folder = os.path.join(os.path.realpath(place[0]), *place[1].split("/"))
    names = {checked.citation.path, checked.path or checked.citation.path}
    paths = [os.path.normpath(os.path.join(folder, *name.split("/"))) for name in names]
    return [path for path in paths if inside(path, folder)]
