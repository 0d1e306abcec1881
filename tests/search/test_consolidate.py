"""E*: what is cited once, merged, expanded and never cut inside a word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.formats import reader_for
from lens_lsp.model.documents import Document, Origin
from lens_lsp.model.observation import Verdict
from lens_lsp.model.text import Span
from lens_lsp.search.consolidation import MOST_QUOTES, Cited, choose, consolidate

TEXT = (
    "# Kettles\n\nThe copper kettle was made by Anselm Brock. It leaks since 1902, and nobody minds. The lid is new.\n"
    "\n* iron kettles rust\n* copper kettles do not\n\nThe copper kettle was made by Anselm Brock.\n"
)


def document(text: str = TEXT) -> Document:
    structure = reader_for("a.md").structure(text)
    return Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), structure)


def cited(start: int, end: int, requirement: int = 0, verdict: Verdict = Verdict.FULL, belief: float = 0.5) -> Cited:
    return Cited(1, document(), Span(start, end), requirement, verdict, belief)


def at(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


def test_a_quote_grows_to_its_sentence() -> None:
    (item,) = consolidate([cited(*at("leaks since 1902"))])
    assert TEXT[item.span.start : item.span.end] == "It leaks since 1902, and nobody minds."


def test_a_quote_in_a_list_grows_to_its_item() -> None:
    (item,) = consolidate([cited(*at("copper kettles do"))])
    assert "copper kettles do not" in TEXT[item.span.start : item.span.end]
    assert "iron" not in TEXT[item.span.start : item.span.end]


def test_overlapping_quotes_of_two_requirements_are_one_item() -> None:
    items = consolidate([cited(*at("made by Anselm"), 0), cited(*at("Anselm Brock"), 1)])
    assert [item.requirements for item in items] == [(0, 1)]


def test_a_statement_that_its_source_repeats_is_cited_once() -> None:
    start = TEXT.rindex("The copper kettle")
    items = consolidate([cited(*at("The copper kettle was made")), cited(start, start + 10)])
    assert len(items) == 1
    assert len(items[0].carries) == 2


@given(st.lists(st.tuples(st.integers(0, len(TEXT) - 2), st.integers(1, 80)), max_size=8))
def test_items_never_overlap_never_cut_a_word_and_hold_every_quote(spans: list[tuple[int, int]]) -> None:
    quotes = [cited(start, min(len(TEXT), start + size)) for start, size in spans]
    items = consolidate(quotes)
    assert sum(len(item.carries) for item in items) == len(quotes)
    for index, item in enumerate(items):
        before, after = TEXT[: item.span.start], TEXT[item.span.end :]
        inside = TEXT[item.span.start : item.span.end]
        assert not (before[-1:].isalnum() and inside[:1].isalnum())
        assert not (inside[-1:].isalnum() and after[:1].isalnum())
        assert not any(item.span.overlaps(other.span) for other in items[index + 1 :])


def test_what_proves_is_preferred_and_lists_cite_all_of_it() -> None:
    full = [cited(n, n + 1, belief=n / 100) for n in range(MOST_QUOTES + 3)]
    partial = [cited(50 + n, 51 + n, verdict=Verdict.PARTIAL, belief=0.9) for n in range(3)]
    chosen = choose([*partial, *full], many=False, covered=True)
    assert [one.verdict for one in chosen] == [Verdict.FULL] * MOST_QUOTES
    assert chosen[0].belief == max(one.belief for one in full)
    assert len(choose([*partial, *full], many=True, covered=True)) == len(full)
    assert choose(partial, many=False, covered=False) == partial
