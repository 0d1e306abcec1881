"""Arms and their mixture, what a request shows and discloses, who joins later."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_workspace import Workspace

from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.markdown import MarkdownReader
from lens_lsp.corpus.formats.text_reader import PlainReader
from lens_lsp.corpus.text_marks import privacy_of
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.answer import Arm
from lens_lsp.model.documents import Document, Heading, Origin, Structure
from lens_lsp.model.observation import tokens
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import CELL, AdmittedCells, Space
from lens_lsp.search.boundaries import REGION_TOKENS, shown
from lens_lsp.search.localisation import ADMITTED, Candidates
from lens_lsp.search.passages import ScoredPassage
from lens_lsp.search.proposals import (
    FLOOR,
    LEAST_JOINING,
    START,
    AdmissionQueue,
    Mixture,
    RegionRequest,
    best,
    certain,
    disclosed,
    draws,
    fill,
    lexical,
    local,
    newcomers,
    openings,
    stratified,
)

SENTENCE = "The kettle of the house is made of copper and of iron. "
LIST = "The kettle needs:\n\n- copper for the body\n- iron for the handle\n- tin for the inside\n"
ROWS = "| part | metal |\n| --- | --- |\n| body | copper |\n| handle | iron |\n| inside | tin |\n"
Make = Callable[[Mapping[str, str]], Workspace]
TEXT = (
    "# Bridges\n\nNothing here.\n\n## Arlen\n\nIt is long.\n\n| name | length |\n|------|-------:|\n| Arlen | 210 m |\n"
)


def document(path: str, length: int, headings: tuple[int, ...] = ()) -> Document:
    structure = Structure(headings=tuple(Heading(Span(at, at + 5), 1, "Title") for at in headings))
    return Document(0, path, "x" * length, "text/1", Origin("", "utf-8"), structure)


@pytest.fixture
def space() -> Space:
    made = Space()
    made.admit(4, document("a.md", 1000, (500,)))
    made.admit(7, document("b.md", 500))
    return made


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def test_lexical_proposals_follow_the_anchor_mass_of_all_open_requirements() -> None:
    mass = np.array([[0.0, 3.0, 1.0], [0.0, 100.0, 300.0], [0.0, 0.0, 0.0]])
    assert lexical(mass).tolist() == [0.0, 0.5, 0.5]


def test_local_proposals_stay_next_to_what_is_believed(space: Space) -> None:
    posterior = np.full((1, space.cells), 1e-6)
    posterior[0, 3] = 0.9
    seen = np.zeros(space.cells)
    seen[3] = 1.0
    drawn = local(space, posterior, seen, {})
    assert drawn.sum() == pytest.approx(1.0)
    assert drawn[:10].min() > drawn[10:20].max(), "its section, and next to it, before the other section"
    assert drawn[20:].max() == 0.0, "another document only by a link"


def test_local_proposals_follow_links(space: Space) -> None:
    posterior = np.zeros((1, space.cells))
    posterior[0, 3] = 0.9
    drawn = local(space, posterior, (posterior[0] > 0).astype(float), {0: (1,)})
    assert drawn[20:].min() > 0.0


def test_before_anything_was_seen_local_proposals_follow_the_prior(space: Space) -> None:
    posterior = np.full((1, space.cells), 1e-6)
    posterior[0, 3] = 0.9
    drawn = local(space, posterior, np.zeros(space.cells), {})
    assert drawn[:10].min() > drawn[10:].max()


def test_global_proposals_give_documents_and_sections_equal_shares(space: Space) -> None:
    drawn = stratified(space, np.ones(space.cells))
    assert drawn[:20].sum() == pytest.approx(drawn[20:].sum())
    assert drawn[:10].sum() == pytest.approx(drawn[10:20].sum())


def test_global_proposals_leave_out_what_was_read(space: Space) -> None:
    unread = np.ones(space.cells)
    unread[:10] = 0.0
    drawn = stratified(space, unread)
    assert not drawn[:10].any()
    assert drawn.sum() == pytest.approx(1.0)


@given(
    st.lists(st.floats(0, 10), min_size=20, max_size=20),
    st.lists(st.floats(0, 10), min_size=20, max_size=20),
    st.integers(0, 2**32),
)
def test_nothing_is_drawn_twice_or_from_outside(one: list[float], two: list[float], seed: int) -> None:
    arms = {Arm.LEXICAL: np.array(one), Arm.GLOBAL: np.array(two)}
    drawn = [cell for _, cell in draws(arms, START, rng(seed))]
    possible = {cell for cell in range(20) if one[cell] > 0 or two[cell] > 0}
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == possible


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    arms = {Arm.LEXICAL: np.ones(50), Arm.GLOBAL: np.ones(50)}
    first, again, other = (list(draws(arms, START, rng(seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_cells_are_drawn_as_often_as_their_weight_says() -> None:
    arms = {Arm.LEXICAL: np.array([3.0, 1.0])}
    first = [next(draws(arms, {Arm.LEXICAL: 1.0}, rng(seed)))[1] for seed in range(2000)]
    assert first.count(0) / 2000 == pytest.approx(0.75, abs=0.04)


def test_the_arm_that_paid_gains_weight_and_none_falls_below_the_floor() -> None:
    mixture = Mixture()
    for _ in range(20):
        mixture.learn({Arm.LEXICAL: 0.0, Arm.LOCAL: 5.0, Arm.GLOBAL: 0.0})
    assert mixture.weights[Arm.LOCAL] == pytest.approx(1 - 2 * FLOOR)
    assert mixture.weights[Arm.LEXICAL] == pytest.approx(FLOOR)
    assert sum(mixture.weights.values()) == pytest.approx(1.0)


def test_one_step_is_the_exponential_of_the_relative_utility() -> None:
    mixture = Mixture()
    mixture.learn({Arm.LEXICAL: 2.0, Arm.LOCAL: 1.0})
    raw = {Arm.LEXICAL: 0.6 * np.exp(1.0), Arm.LOCAL: 0.25 * np.exp(0.5), Arm.GLOBAL: 0.15}
    assert mixture.weights == pytest.approx({arm: weight / sum(raw.values()) for arm, weight in raw.items()})


def test_a_fixed_mixture_does_not_learn() -> None:
    mixture = Mixture(adaptive=False)
    mixture.learn({Arm.LOCAL: 5.0})
    assert mixture.weights == dict(START)


def test_an_arm_can_be_switched_off() -> None:
    mixture = Mixture()
    mixture.without({Arm.LEXICAL})
    assert mixture.weights == pytest.approx({Arm.LOCAL: 0.625, Arm.GLOBAL: 0.375})


def admit(space: Space, text: str) -> AdmittedCells:
    document = Document(0, f"{space.cells}", text, "plain/1", Origin("", "utf-8"), PlainReader().structure(text))
    return space.admit(len(space.admitted), document)


def drawn(text: str, at: int) -> list[Span]:
    """The regions of a request that draws the cell at an offset and no other."""
    space = Space()
    admission = admit(space, text)
    request = RegionRequest(8_000)
    cell = admission.first + at // CELL
    fill(request, space, [(Arm.LEXICAL, cell)], np.ones(space.cells))
    return [proposal.span for proposal in request.proposals]


def test_a_document_that_fits_one_region_is_shown_whole() -> None:
    text = "Title\n\n" + SENTENCE * 8 + "\n\n" + SENTENCE * 8 + "\n"
    assert drawn(text, 600) == [Span(0, len(text))]


def test_a_paragraph_that_fits_one_region_is_not_cut() -> None:
    paragraphs = [SENTENCE * 12 for _ in range(6)]
    text = "\n\n".join(paragraphs)
    middle = text.index(paragraphs[2], 2 * len(paragraphs[0])) + 20
    start = 2 * (len(paragraphs[0]) + 2)
    (span,) = drawn(text, middle)
    assert span.start <= start
    assert start + len(paragraphs[2].rstrip()) <= span.end


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.data())
def test_no_region_is_larger_than_a_region_may_be(lengths: list[int], data: st.DataObject) -> None:
    text = "\n\n".join(SENTENCE * length for length in lengths)
    at = data.draw(st.integers(0, len(text) - 1))
    (span,) = drawn(text, at)
    assert tokens(text[span.start : span.end]) <= REGION_TOKENS
    assert span.start <= at + CELL
    assert at - CELL <= span.end


def test_the_likeliest_place_of_the_likeliest_newcomer_is_shown_first() -> None:
    space = Space()
    for _ in range(3):
        admit(space, SENTENCE * 100)
    request = RegionRequest(8_000)
    openings(request, space)
    two = [admit(space, SENTENCE * 100) for _ in range(2)]
    likely = np.zeros(space.cells)
    likely[two[0].first + 70], likely[two[1].first + 40] = 0.1, 0.3
    later = RegionRequest(8_000)
    newcomers(later, space, likely)
    assert [proposal.admission for proposal in later.proposals] == [two[1], two[0]]
    for place, proposal in zip((40, 70), later.proposals, strict=True):
        cell = proposal.admission.first + place
        assert proposal.cells.start <= cell < proposal.cells.end


def test_newcomers_stop_where_the_request_is_full() -> None:
    space = Space()
    for _ in range(9):
        admit(space, SENTENCE * 100)
    request = RegionRequest(1_000)
    newcomers(request, space, np.ones(space.cells))
    assert 0 < len(request.proposals) < 9
    assert sum(proposal.tokens for proposal in request.proposals) <= 1_000


@pytest.mark.parametrize("first", [True, False])
def test_the_likeliest_place_of_each_requirement_comes_before_all_else(first: bool) -> None:
    space = Space()
    for _ in range(9):
        admit(space, "\n\n".join([SENTENCE * 10] * 8))
    outstanding = np.full((2, space.cells), 0.001)
    likely = [space.admitted[8].first + 40, space.admitted[3].first + 60]
    outstanding[[0, 1], likely] = 0.002
    request = RegionRequest(1_200)
    certain(request, space, outstanding, first=first)
    shown = [range(proposal.cells.start, proposal.cells.end) for proposal in request.proposals]
    assert len(shown) > 2
    assert all(cell in cells for cell, cells in zip(likely, shown[:2], strict=True))


@pytest.mark.parametrize(
    ("series", "match"),
    [(LIST, "copper for the body"), (LIST, "The kettle needs:"), (LIST, "iron"), (ROWS, "| body | copper |")],
)
def test_a_list_or_table_is_read_whole(series: str, match: str) -> None:
    text = f"# Kettles\n\n{SENTENCE * 30}\n\n{series}\n{SENTENCE * 30}\n"
    space = Space()
    document = Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), MarkdownReader().structure(text))
    space.admit(0, document)
    at = text.index(match, text.index(series))
    request = RegionRequest(3_000)
    best(request, space, [ScoredPassage(0, Span(at, at + len(match)), 1.0)], 500)
    assert series.strip() in request.proposals[0].view.text
    assert SENTENCE * 2 not in request.proposals[0].view.text


def test_a_list_longer_than_a_region_is_read_where_the_passage_is() -> None:
    items = "".join(f"- part {n} of the kettle is of metal number {n}\n" for n in range(200))
    text = f"# Kettles\n\n{items}\n"
    space = Space()
    document = Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), MarkdownReader().structure(text))
    space.admit(0, document)
    at = text.index("- part 100 ")
    request = RegionRequest(3_000)
    best(request, space, [ScoredPassage(0, Span(at, at + 60), 1.0)], 500)
    assert "part 100 " in request.proposals[0].view.text
    assert request.proposals[0].tokens <= REGION_TOKENS


def long_pages(count: int) -> dict[str, str]:
    return {f"{number:02}.md": "The copper kettle is here. " * 200 for number in range(count)}


def short_pages(count: int) -> dict[str, str]:
    return {f"{number:02}.md": f"Page {number} tells of a copper kettle.\n" for number in range(count)}


def waiting(space: Workspace, request_tokens: int) -> AdmissionQueue:
    candidates = Candidates(space.corpus, analyse("Where is the copper kettle?"))
    return AdmissionQueue(candidates, Space(), Budget(request_tokens=request_tokens))


@pytest.mark.parametrize("request_tokens", [10, 400])
def test_of_long_documents_no_more_join_than_the_plan_says(workspace: Make, request_tokens: int) -> None:
    who = waiting(workspace(long_pages(30)), request_tokens)
    assert len(who.reserve()) == ADMITTED
    who.add(range(30))
    assert len(who.next_slots(correcting=False)) == LEAST_JOINING
    assert len(who.next_slots(correcting=True)) == 2 * ADMITTED


def test_of_short_documents_as_many_join_as_a_request_holds(workspace: Make) -> None:
    who = waiting(workspace(short_pages(40)), 300)
    one = len("Page 10 tells of a copper kettle.\n") // 3
    assert len(who.reserve()) == 300 // one
    who.add(range(40))
    assert len(who.next_slots(correcting=False)) == 300 // one
    shared = who.next_slots(correcting=True)
    assert len(shared) == len(set(shared))
    assert len(shared) * one <= 300


def test_those_of_newer_terms_go_first_and_nobody_joins_twice(workspace: Make) -> None:
    who = waiting(workspace(long_pages(9)), 10)
    who.add([0, 1])
    who.add([2, 1])
    assert who.next_slots(correcting=False) == [2, 1, 0]


def test_nobody_is_pending_when_all_that_terms_lead_to_have_joined(workspace: Make) -> None:
    made = workspace(short_pages(3))
    candidates = Candidates(made.corpus, analyse("Where is the copper kettle?"))
    space = Space()
    who = AdmissionQueue(candidates, space, Budget())
    assert not who.pending
    who.add([1])
    assert who.pending
    space.admit(1, Document(0, made.path(1), "x", "text/1", Origin("", "utf-8"), Structure()))
    assert not who.pending
    assert 1 not in who.reserve()


def readable(text: str, name: str = "a.md") -> Document:
    reader = reader_for(name)
    assert reader is not None
    structure = replace(reader.structure(text), privacy=privacy_of(reader.name, text))
    return Document(0, name, text, f"{reader.name}/1", Origin("", "utf-8"), structure)


def left(text: str, words: str, title: str, name: str = "a.md", before: int = 0) -> list[str]:
    made = readable(text, name)
    start = text.index(words)
    spans = disclosed(made, title, shown(made, Span(start, start + len(words))), before)
    return [text[span.start - before : span.end - before] for span in spans]


def test_headings_and_title_leave_with_a_region() -> None:
    parts = left(TEXT, "It is long.", "Bridges")
    assert [part.strip("# \n") for part in parts] == ["Bridges", "Arlen", "It is long."]


def test_a_row_takes_its_header_along() -> None:
    assert any("length" in part for part in left(TEXT, "| Arlen | 210 m |", "Bridges"))


def test_a_title_that_is_a_file_name_stands_nowhere() -> None:
    assert left("It is long. It is old.\n", "It is long.", "a.md") == ["It is long."]


def listed(text: str, title: str) -> bool:
    """Whether all words of a title lie in what is listed."""
    parts = left(text, "It is long.", title)
    return all(any(word in part for part in parts) for word in re.findall(r"\w+", title))


@pytest.mark.parametrize("written", ['"The \\"old\\" bridge"', ">-\n  The\n  'old' bridge"])
def test_a_title_that_is_written_otherwise_is_listed(written: str) -> None:
    text = f"---\ntitle: {written}\n---\n# One\n\nIt is long.\n"
    title = readable(text).structure.head.title
    assert title is not None
    assert "old" in title
    assert listed(text, title)


def test_a_title_that_is_a_heading_with_markup_is_listed() -> None:
    text = "# The **old** [bridge](b.md)\n\nNothing.\n\n# Two\n\nIt is long.\n"
    title = readable(text).structure.headings[0].text
    assert title not in text
    assert listed(text, title)


def test_spans_are_apart_and_count_from_the_beginning_of_the_file() -> None:
    made = readable(TEXT)
    spans = disclosed(made, "Bridges", shown(made, Span(0, len(TEXT))), before=1_000)
    assert spans == (Span(1_000, 1_000 + len(TEXT)),)


def test_a_region_says_whether_its_document_is_private() -> None:
    space = Space()
    for slot, mark in enumerate(("private", "other")):
        admission = space.admit(slot, readable(f"---\nlens: {mark}\n---\n\nIt is long.\n", f"{slot}.md"))
        request = RegionRequest(1_000)
        proposal = request.add(admission, Span(24, 30), Arm.GLOBAL)
        assert proposal is not None
        region = proposal.region(7)
        assert region.private is (mark == "private")
        assert region.sources[-1].start >= 7
