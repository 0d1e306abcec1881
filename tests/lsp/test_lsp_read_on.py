"""Documents in the language server: read on between two questions, shown by page."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.lsp.hover import describe_citation
from lens_lsp.lsp.workspace_pool import WorkspacePool
from lens_lsp.memory.check import Cited, Finding
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import Locator, TextSource
from lens_lsp.model.errors import PathNotFound
from lens_lsp.model.text import Position, Span
from tests.documents_made import docx, pdf
from tests.lsp.lsp_editor import Editor

FACT = "The monthly rent of the workshop is 940 euros."
RULES = CorpusRules()


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    for number in range(3):
        (tmp_path / f"{number}.docx").write_bytes(docx(f"Paper {number} of the board."))
    return tmp_path


async def until_read(lens: Lens) -> None:
    async with asyncio.timeout(30):
        while lens.unread:
            await asyncio.sleep(0)


def test_what_a_question_left_is_read_when_it_is_over(papers: Path) -> None:
    async def go() -> None:
        lenses = WorkspacePool(first=0)
        async with lenses.lent((str(papers),), RULES) as loan:
            await asyncio.to_thread(loan.lens.find, "board")
            assert loan.lens.unread == 3
        await until_read(loan.lens)
        async with lenses.lent((str(papers),), RULES) as again:
            assert again.lens is loan.lens

    asyncio.run(go())


def test_the_next_question_has_the_texts_to_itself(papers: Path) -> None:
    (papers / "long.pdf").write_bytes(pdf(*([f"Page {number} is read while nobody asks."] for number in range(3000))))

    async def go() -> None:
        lenses = WorkspacePool(first=0)
        async with lenses.lent((str(papers),), RULES) as loan:
            lens = loan.lens
            await asyncio.to_thread(lens.find, "long")  # so that it is read first
        async with lenses.lent((str(papers),), RULES):
            left = lens.unread
            await asyncio.to_thread(lens.find, "board")
            assert left
            assert lens.unread == 4
        await until_read(lens)

    asyncio.run(go())


def test_a_question_beside_another_one_reads_nothing_afterwards(papers: Path) -> None:
    async def go() -> None:
        lenses = WorkspacePool(first=0)
        async with lenses.lent((str(papers),), RULES) as kept, lenses.lent((str(papers),), RULES) as other:
            await asyncio.to_thread(other.lens.find, "board")
        assert (kept.lens.unread, other.lens.unread) == (0, 3)

    asyncio.run(go())


def test_a_folder_that_is_gone_is_told_by_the_next_question(papers: Path) -> None:
    async def go() -> None:
        lenses = WorkspacePool(first=0)
        async with lenses.lent((str(papers),), RULES) as loan:
            await asyncio.to_thread(loan.lens.find, "board")
            shutil.rmtree(papers)
        async with lenses.lent((str(papers),), RULES) as loan:
            with pytest.raises(PathNotFound):
                await asyncio.to_thread(loan.lens.find, "board")

    asyncio.run(go())


def told(locator: Locator | None, now: Locator | None = None) -> str:
    """The line of a hover that says where a quote is."""
    citation = Citation("/", "a.pdf", TextSource.DISK, "0" * 64, "binary", "pdf/1", Span(9, 12), "yes", locator=locator)
    checked = Checked(citation, CitationState.VERIFIED, Span(9, 12), "0" * 64, locator=now)
    return describe_citation(Finding(Cited("x.md", 1, "1", "/", citation), checked, Position(3, 4))).split("\n")[1]


def test_a_hover_says_the_page_instead_of_the_line() -> None:
    assert told({"page": 12}) == "a.pdf p. 12"


def test_a_hover_says_where_the_quote_is_now() -> None:
    assert told({"page": 12}, {"page": 13}) == "a.pdf p. 13"


def test_a_hover_keeps_the_line_where_there_is_one() -> None:
    assert told({"row": 3}) == "a.pdf:3:4, row 3"
    assert told(None) == "a.pdf:3:4"


def test_a_client_is_given_page_and_reader(edit: Callable[..., Editor], tmp_path: Path) -> None:
    pages = [f"Clause {number} says nothing of money and is long enough to fill a line." for number in range(30)]
    (tmp_path / "lease.pdf").write_bytes(pdf(pages, [FACT]))
    # A question has documents read until it is answered; passages are looked for among what was read in a moment.
    best = edit().result("lens/ask", {"question": "What is the monthly rent of the workshop?"}, 300)["evidence"][0]
    assert (best["path"], best["locator"], FACT in best["quote"]) == ("lease.pdf", {"page": 2}, True)
    assert best["reader"].startswith("pdf/")
