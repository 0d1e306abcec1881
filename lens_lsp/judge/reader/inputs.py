"""What the reader is shown of a passage: the question, what stands above the passage, and the passage, as tokens.

``[CLS] question [SEP] name of the file and headings [SEP] passage [SEP]``; training and use share this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lens_lsp.judge.reader.wordpiece import Tokens, WordPiece

QUESTION_TOKENS = 64
"""Of a longer question the first ones count."""
ABOVE_TOKENS = 32
"""Of longer headings the first ones count."""
PASSAGE_TOKENS = 192
"""A longer passage is read in pieces that share ``OVERLAP`` tokens."""
OVERLAP = 48

_APART = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage, and what stands above it. ``path`` is that of its file, below its folder."""

    text: str
    path: str = ""
    headings: tuple[str, ...] = ()


def above(path: str, headings: Sequence[str]) -> str:
    """The name of the file in words, then the headings from the outermost on."""
    name = _APART.sub(" ", path.rsplit("/", 1)[-1].rsplit(".", 1)[0]).strip()
    return ". ".join(part for part in (name, *headings) if part)


def pieces(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """The stretches of a passage's tokens that are read one by one; they begin at whole words."""
    begin, count = 0, len(tokens)
    while True:
        end = min(begin + PASSAGE_TOKENS, count)
        yield begin, end
        if end == count:
            return
        begin = end - OVERLAP
        while begin < end - 1 and not tokens.whole[begin]:
            begin += 1


def encoded(piece: WordPiece, question: Tokens, heading: Tokens, passage: Sequence[int]) -> tuple[list[int], int]:
    """The token numbers of one input, and how many stand before the passage."""
    head = [piece.start, *question.ids[:QUESTION_TOKENS].tolist(), piece.end]
    over = [*heading.ids[:ABOVE_TOKENS].tolist(), piece.end]
    return [*head, *over, *passage, piece.end], len(head) + len(over)
