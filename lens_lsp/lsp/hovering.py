"""What a hover says, as text that does nothing: plain, or Markdown with every mark of it escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.memory.check import Finding
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.documents import has_own_places, locator_text, place_text
from lens_lsp.model.sanitize import printable, printable_path
from lens_lsp.model.text import Span

if TYPE_CHECKING:
    from lens_lsp.lsp.cited_by import Use


_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_LONGEST_QUOTE = 2_000
_LONGEST_BESIDE = 200
"""Code points of what is shown on each side of a quote."""
_PARAGRAPH_END = re.compile(r"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)")
_MOST_USES = 10
_STATES = {
    CitationState.VERIFIED: "✓ still says so",
    CitationState.MOVED: "↷ moved",
    CitationState.WITHDRAWN: "✗ withdrawn",
    CitationState.UNVERIFIABLE: "? cannot be checked",
}


def told_citation(finding: Finding, beside: tuple[str, str] = ("", "")) -> str:
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
    above = " › ".join(" ".join(printable(heading).split()) for heading in citation.heading)
    state = _STATES[checked.state] + (f": {checked.why}" if checked.why else "")
    before, after = beside
    said = " ".join(filter(None, (printable(before), f"“{quote}”", printable(after))))
    return "\n".join([said, place + (f"  {above}" if above else ""), state])


def beside(text: str, span: Span) -> tuple[str, str]:
    """What stands before and behind a span in its own paragraph, on one line each and cut at a word; either may be
    empty."""
    before = _PARAGRAPH_END.split(text[max(0, span.start - _LONGEST_BESIDE - 1) : span.start])[-1]
    after = _PARAGRAPH_END.split(text[span.end : span.end + _LONGEST_BESIDE + 1])[0]
    if len(before) > _LONGEST_BESIDE:
        before = "…" + (before.partition(" ")[2] or before)
    if len(after) > _LONGEST_BESIDE:
        after = (after.rpartition(" ")[0] or after) + "…"
    return " ".join(before.split()), " ".join(after.split())


def told_uses(uses: Sequence[Use]) -> str:
    """What cites a place: the questions that it answers."""
    lines = [f"cited by {len(uses)} {'answer' if len(uses) == 1 else 'answers'}"]
    lines += [f"[{use.label}] {' '.join(printable(use.question).split())}" for use in uses[:_MOST_USES]]
    return "\n".join([*lines, "…"] if len(uses) > _MOST_USES else lines)


def hover_text(text: str, formats: Sequence[str]) -> types.MarkupContent:
    """A text in the first format of the client's in which nothing acts: plain unless it takes Markdown only."""
    if types.MarkupKind.PlainText.value in formats or types.MarkupKind.Markdown.value not in formats:
        return types.MarkupContent(types.MarkupKind.PlainText, text)
    return types.MarkupContent(types.MarkupKind.Markdown, escaped(text))


def escaped(text: str) -> str:
    """Markdown that shows a text, line by line, and does nothing."""
    lines = (_PUNCTUATION.sub(r"\\\g<0>", line.strip()) for line in text.split("\n"))
    return "  \n".join(lines)
