"""An agent with a fixed policy (ask, read, check) and ten questions about the documentation: every citation is true by
a reading of the files that knows nothing of us."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.lsp_client import REPOSITORY
from tests.mcp.independent import untrue
from tests.mcp.mcp_agent import agent, call

DOCS = REPOSITORY / "docs"
QUESTIONS = (
    "Which exit status does `lens serve` give at the end of input?",
    "How many questions run at a time in the language server?",
    "What is the licence of pypdfium2?",
    "How many megabytes of messages wait to be written at most?",
    "Where are consents kept?",
    "Which names of files are never searched?",
    "Who reads PDF files?",
    "What is in the ledger?",
    "How is the key kept from other processes?",
    "What does `lens check` compare?",
)


async def researched(home: Path) -> list[dict[str, Any]]:
    """What the agent would show of each question: its citations after a look at the files."""
    shown = []
    async with agent(home, DOCS) as client:
        for question in QUESTIONS:
            answer = await call(client, "ask", question=question, mode="evidence")
            for citation in answer["citations"]:
                read = await call(client, "read_evidence", path=citation["where"], folder=citation["folder"])
                assert citation["quote"] in read["text"] or citation["quote"].strip() in read["text"]
                assert read["sha256"] == citation["sha256"]
            checked = await call(client, "check_citations", citations=answer["citations"])
            assert {each["state"] for each in checked["citations"]} == {"verified"}
            shown.append({"question": question, "status": answer["status"], "citations": answer["citations"]})
    return shown


@pytest.mark.long
def test_ten_questions_and_not_one_untrue_citation(home: Path) -> None:
    shown = asyncio.run(researched(home))
    assert [each["question"] for each in shown] == list(QUESTIONS)
    citations = [citation for each in shown for citation in each["citations"]]
    assert all(each["citations"] for each in shown)
    assert [untrue(citation, DOCS) for citation in citations] == [None] * len(citations)
    assert len(citations) >= 2 * len(QUESTIONS)


def test_an_untrue_citation_would_be_noticed(home: Path, notes: Path) -> None:
    async def run() -> dict[str, Any]:
        async with agent(home, notes) as client:
            return dict((await call(client, "find_evidence", query="beans and peas"))["citations"][0])

    citation = asyncio.run(run())
    first, last = citation["lines"]
    start, end = citation["span"]
    assert untrue(citation, notes) is None
    assert untrue({**citation, "quote": citation["quote"][:-1] + "x"}, notes) == "quote"
    assert untrue({**citation, "sha256": "0" * 64}, notes) == "hash"
    assert untrue({**citation, "lines": [first, last + 1]}, notes) == "lines"
    assert untrue({**citation, "span": [start + 1, end]}, notes) == "quote"
    assert untrue({**citation, "where": "garden.md:1-1"}, notes) in (
        "where",
        None if citation["lines"] == [1, 1] else "where",
    )
    assert untrue(citation, home) == "outside"
