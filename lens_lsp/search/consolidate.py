"""From what the loop saw to E*: the quotes worth citing, merged, expanded to readable boundaries, in order.

Paper, "Evidence Consolidation and Answer Synthesis": the per-fact windows are united, overlaps merged, redundant
ones dropped, boundaries expanded for reading, and every item keeps its trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lens_lsp.model.answer import Arm
from lens_lsp.model.documents import Document
from lens_lsp.model.observation import Verdict
from lens_lsp.model.text import Span
from lens_lsp.model.words import key
from lens_lsp.search.passage import region

MOST_QUOTES = 4
"""Quotes cited for one covered requirement; a list cites all."""
MOST_CHAIN = 6
"""Quotes cited for one covered requirement together with what leads to it."""
MOST_PASSAGES = 5
"""Passages offered when nothing covers a requirement."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A span that may be cited, and the trace of how it was found. ``belief`` orders the items of a requirement."""

    slot: int
    document: Document
    span: Span
    requirement: int
    verdict: Verdict
    belief: float
    match: str = "exact"
    value: str | None = None
    arm: Arm = Arm.LEXICAL
    round: int = 0


@dataclass(slots=True)
class Item:
    """One item of E*: its span after merging, and the citations it carries, the strongest first."""

    slot: int
    document: Document
    span: Span
    carries: list[Cited] = field(default_factory=list)

    @property
    def passage(self) -> bool:
        """It is a window that covers nothing by itself."""
        return self.carries[0].verdict is Verdict.RELATED

    @property
    def requirements(self) -> tuple[int, ...]:
        """The requirements it speaks to, by index."""
        return tuple(sorted({cited.requirement for cited in self.carries}))


def consolidate(cited: Iterable[Cited]) -> list[Item]:
    """E*: overlapping and touching spans of one document become one, repeated statements of one source are dropped.

    The order is that of the first citation of each item.
    """
    items: list[Item] = []
    for one in cited:
        # A passage was cut for reading already; a quote grows to the sentences, rows or items it stands in.
        span = one.span if one.verdict is Verdict.RELATED else region(one.document, one.span)
        home = next((item for item in items if item.slot == one.slot and item.span.overlaps(span)), None)
        if home is None:
            items.append(Item(one.slot, one.document, span, [one]))
            continue
        if home.passage and one.verdict is not Verdict.FULL:
            if home.span.contains(span):
                home.carries.append(one)
            continue  # a hint that reaches out of a passage adds nothing to it
        home.span = Span(min(home.span.start, span.start), max(home.span.end, span.end))
        home.carries.append(one)
    return _distinct(_united(items))


def _united(items: list[Item]) -> list[Item]:
    """Items that grew into one another, made one."""
    kept: list[Item] = []
    for item in items:
        home = next((other for other in kept if other.slot == item.slot and other.span.overlaps(item.span)), None)
        if home is None:
            kept.append(item)
        else:
            home.span = Span(min(home.span.start, item.span.start), max(home.span.end, item.span.end))
            home.carries += item.carries
    return kept


def _distinct(items: Sequence[Item]) -> list[Item]:
    seen: dict[tuple[int, str], Item] = {}
    for item in items:
        statement = (item.slot, key(item.document.text[item.span.start : item.span.end]))
        if statement in seen:
            seen[statement].carries += item.carries
        else:
            seen[statement] = item
    return list(seen.values())


def choose(quotes: Iterable[Cited], *, many: bool, covered: bool, chain: bool = False) -> list[Cited]:
    """Which quotes of one requirement to cite: all that prove it up to a limit, else the partial ones. With ``chain``
    also the best partial one of each further document: what leads to the proof is a part of it."""
    ranked = sorted(quotes, key=lambda cited: (cited.verdict is not Verdict.FULL, -cited.belief, cited.span.start))
    full = [cited for cited in ranked if cited.verdict is Verdict.FULL]
    if many:
        return full or ranked  # what merely comes near is no member of a list that was found
    if covered and full:
        kept = full[:MOST_QUOTES]
        for one in ranked[len(full) :] if chain else ():
            if len(kept) < MOST_CHAIN and all(one.slot != other.slot for other in kept):
                kept.append(one)
        return kept
    return ranked[:MOST_QUOTES]
