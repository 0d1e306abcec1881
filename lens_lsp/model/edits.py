"""Places followed through the changes of a text: exact where an editor tells every change, whatever the words are."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from lens_lsp.model.text import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a text: a span of it and how many code points stand there afterwards."""

    span: Span
    length: int

    def then(self, later: Edit) -> Edit | None:
        """This change and a later one as a single change; None unless the later one is all in what this one put in."""
        start = self.span.start
        if start <= later.span.start and later.span.end <= start + self.length:
            return Edit(self.span, self.length - len(later.span) + later.length)
        return None


@dataclass(frozen=True, slots=True)
class History:
    """What an editor did to a text since it showed it; ``sha256`` is that of the text's UTF-8 then."""

    sha256: str
    edits: tuple[Edit, ...]

    def followed(self, span: Span) -> Span | None:
        """Where a span of the text as it was stands now; None if a change touched it."""
        place: Span | None = span
        for edit in self.edits:
            place = None if place is None else shift(place, edit)
        return place


def difference(before: str, after: str) -> Edit:
    """The one change that makes a text another: all but what the two begin with and what they end with."""
    most = min(len(before), len(after))
    start = bisect_left(range(most), True, key=lambda at: before[: at + 1] != after[: at + 1])
    end = bisect_left(range(most - start), True, key=lambda at: before[-at - 1 :] != after[-at - 1 :])
    return Edit(Span(start, len(before) - end), len(after) - start - end)


def shift(span: Span, edit: Edit) -> Span | None:
    """Where a span stands after a change of its text; None when the change touched it.

    What is put in at its very start or end stands beside it.
    """
    if edit.span.end <= span.start:
        by = edit.length - len(edit.span)
        return Span(span.start + by, span.end + by)
    return span if edit.span.start >= span.end else None
