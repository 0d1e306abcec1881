"""Who joins the search later: a few at least, and as many as one request can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from small_workspace import Workspace

from lens_lsp.judge.analysis import analyse
from lens_lsp.judge.ledger import Budget
from lens_lsp.model.documents import Document, Origin, Structure
from lens_lsp.search.beliefs import Space
from lens_lsp.search.localisation import ADMITTED, Candidates
from lens_lsp.search.waiting import JOINING, Waiting

Make = Callable[[Mapping[str, str]], Workspace]


def long_pages(count: int) -> dict[str, str]:
    return {f"{number:02}.md": "The copper kettle is here. " * 200 for number in range(count)}


def short_pages(count: int) -> dict[str, str]:
    return {f"{number:02}.md": f"Page {number} tells of a copper kettle.\n" for number in range(count)}


def waiting(space: Workspace, request_tokens: int) -> Waiting:
    candidates = Candidates(space.corpus, analyse("Where is the copper kettle?"))
    return Waiting(candidates, Space(), Budget(request_tokens=request_tokens))


@pytest.mark.parametrize("request_tokens", [10, 400])
def test_of_long_documents_no_more_join_than_the_plan_says(workspace: Make, request_tokens: int) -> None:
    who = waiting(workspace(long_pages(30)), request_tokens)
    assert len(who.reserve()) == ADMITTED
    who.bring(range(30))
    assert len(who.joining(correcting=False)) == JOINING
    assert len(who.joining(correcting=True)) == 2 * ADMITTED


def test_of_short_documents_as_many_join_as_a_request_holds(workspace: Make) -> None:
    who = waiting(workspace(short_pages(40)), 300)
    one = len("Page 10 tells of a copper kettle.\n") // 3
    assert len(who.reserve()) == 300 // one
    who.bring(range(40))
    assert len(who.joining(correcting=False)) == 300 // one
    shared = who.joining(correcting=True)
    assert len(shared) == len(set(shared))
    assert len(shared) * one <= 300


def test_those_of_newer_terms_go_first_and_nobody_joins_twice(workspace: Make) -> None:
    who = waiting(workspace(long_pages(9)), 10)
    who.bring([0, 1])
    who.bring([2, 1])
    assert who.joining(correcting=False) == [2, 1, 0]


def test_nobody_is_pending_when_all_that_terms_lead_to_have_joined(workspace: Make) -> None:
    made = workspace(short_pages(3))
    candidates = Candidates(made.corpus, analyse("Where is the copper kettle?"))
    space = Space()
    who = Waiting(candidates, space, Budget())
    assert not who.pending
    who.bring([1])
    assert who.pending
    space.admit(1, Document(0, made.path(1), "x", "text/1", Origin("", "utf-8"), Structure()))
    assert not who.pending
    assert 1 not in who.reserve()
