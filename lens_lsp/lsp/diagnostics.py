"""What is wrong with what a text cites, as diagnostics: codes and severities are those of the contract."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.corpus.privacy import privacy_of_file
from lens_lsp.lsp.citing import Page
from lens_lsp.model.answer import Answer, RequirementStatus, Status
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Span
from lens_lsp.schema.check import message

if TYPE_CHECKING:
    from lens_lsp.lsp.evidence import Found
    from lens_lsp.lsp.sight import Sight
    from lens_lsp.memory.answer_parser import Held
    from lens_lsp.memory.check import Finding


SOURCE = "lens"
_ERROR, _WARNING = types.DiagnosticSeverity.Error, types.DiagnosticSeverity.Warning
_INFORMATION = types.DiagnosticSeverity.Information
_LONGEST = 200


def diagnostics_of(sight: Sight, page: Page, found: Sequence[Found], *, related: bool) -> list[types.Diagnostic]:
    """All of a text; ``related``: the client shows related places. Every message says enough without them."""
    ranges = sight.ranges()
    told: list[_Told | None] = [
        *(_of_citation(page, each) for each in found),
        *((page.bare(fault.line), "lens.citation-broken", _ERROR, fault.why) for fault in page.citing.faults),
        *_of_answers(page, found, sight.known),
    ]
    beside = _related(page, found) if related else lambda span, code: None
    items = [
        types.Diagnostic(
            ranges.range(span), text, severity, code, source=SOURCE, related_information=beside(span, code)
        )
        for span, code, severity, text in filter(None, told)
    ]
    return sorted(items, key=lambda item: (item.range.start.line, item.range.start.character, str(item.code)))


def of_privacy(sight: Sight, page: Page) -> list[types.Diagnostic]:
    """How the mark that makes a text private was understood, where it is not written as documented."""
    said = privacy_of_file("note.md" if sight.path is None else sight.path.replace(os.sep, "/"), sight.text)
    if said is None or said.exact:
        return []
    span = page.bare(min(max(said.line, 1), page.lines))
    return [
        types.Diagnostic(sight.ranges().range(span), said.message, _WARNING, "lens.private-spelling", source=SOURCE)
    ]


_Told = tuple[Span, str, types.DiagnosticSeverity, str]


def _of_citation(page: Page, found: Found) -> _Told | None:
    judged = judge(found.finding)
    return None if judged is None else (page.place(found.written), *judged, message(found.finding))


def judge(finding: Finding) -> tuple[str, types.DiagnosticSeverity] | None:
    """The code and severity of a citation; None for one that stands as it was."""
    checked = finding.checked
    if checked.state is CitationState.VERIFIED:
        return None
    if checked.state is CitationState.MOVED:
        return "lens.citation-moved", _INFORMATION
    if checked.state is CitationState.UNVERIFIABLE:
        return "lens.citation-drifted", _INFORMATION
    return ("lens.citation-broken", _ERROR) if checked.gone else ("lens.citation-drifted", _WARNING)


def _of_answers(page: Page, found: Sequence[Found], known: Answer | None) -> Iterator[_Told]:
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
        if known is not None and known.question == held.question and not held.block:
            yield from _of_known(page, title, known)
        elif held.status in (Status.PARTIAL.value, Status.UNANSWERED.value):
            yield title, "lens.fact-missing", _INFORMATION, f"this answer is {held.status}: not every fact was found"


def _of_known(page: Page, title: Span, answer: Answer) -> Iterator[_Told]:
    """What this session knows of an answer beyond its file."""
    for result in answer.requirements:
        evidence = ", ".join(f"[{n}]" for n in result.evidence)
        if result.status is RequirementStatus.MISSING:
            yield title, "lens.fact-missing", _INFORMATION, f"not found: {_short(result.text)}"
        elif result.status is RequirementStatus.CONTESTED:
            yield title, "lens.contested", _WARNING, f"sources disagree on {_short(result.text)}: {evidence}"
    if answer.newer:
        names = ", ".join(answer.newer[:5])
        yield title, "lens.answer-stale", _INFORMATION, f"newer documents bear on this answer: {names}"
    for sentence in answer.unsupported:
        at = page.text.find(sentence)
        span = Span(at, at + len(sentence)) if at >= 0 else title
        yield span, "lens.unsupported-claim", _INFORMATION, f"nothing is cited for this: {_short(sentence)}"
    for doubt in answer.doubts:
        at = page.text.find(doubt.sentence)
        inside = max(0, doubt.sentence.find(doubt.words))  # of a whole sentence the markers are left out
        size = len(doubt.words) if doubt.words in doubt.sentence else len(doubt.sentence)
        span = title if at < 0 else Span(at + inside, at + inside + size)
        words = f"what is cited does not state “{_short(doubt.words)}” ({doubt.reason})"
        yield span, "lens.unsupported-claim", _WARNING if doubt.decisive else _INFORMATION, words


def _title(page: Page, held: Held) -> int:
    """The line that shows an answer: its heading, or where its block begins."""
    if held.block:
        return held.first
    return next((number for number in range(1, page.lines + 1) if page.line(number).startswith("# ")), 1)


def _related(
    page: Page, found: Sequence[Found]
) -> Callable[[Span, str], list[types.DiagnosticRelatedInformation] | None]:
    """What stands beside a diagnostic, by its place and code: where the quotes stand that are shown there."""
    places = {each.written.label: each.location for each in found if each.location is not None}
    shown: defaultdict[Span, list[str]] = defaultdict(list)
    for each in found:
        shown[page.place(each.written)].append(each.written.label)

    def beside(span: Span, code: str) -> list[types.DiagnosticRelatedInformation] | None:
        labels = places if code == "lens.contested" else shown.get(span, ())
        return [
            types.DiagnosticRelatedInformation(places[label], f"[{label}]") for label in labels if label in places
        ] or None

    return beside


def _short(text: str) -> str:
    plain = " ".join(printable(text).split())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"
