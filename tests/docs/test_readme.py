"""The answer README shows: what it cites stands where it says."""

from __future__ import annotations

import itertools
import re

from documentation import REPOSITORY, blocks, text_of

_CITED = re.compile(r"^\[(\d+)\] (\S+):(\d+):(\d+) ")


def cited(lines: tuple[str, ...]) -> list[tuple[str, int, int, str]]:
    """File, line and column from 1 of each citation of a shown answer, and the quote under it."""
    return [
        (match[2], int(match[3]), int(match[4]), quote.strip())
        for line, quote in itertools.pairwise(lines)
        if (match := _CITED.match(line))
    ]


def holds(file: str, line: int, column: int, quote: str) -> bool:
    return text_of(REPOSITORY / file).splitlines()[line - 1][column - 1 :].startswith(quote)


def test_each_citation_of_the_shown_answer_holds_and_one_line_further_would_not() -> None:
    shown = [citation for block in blocks(REPOSITORY / "README.md") for citation in cited(block.lines)]
    assert shown
    for file, line, column, quote in shown:
        assert holds(file, line, column, quote), f"{file}:{line} of README no longer reads: {quote}"
        assert not holds(file, line + 1, column, quote)
