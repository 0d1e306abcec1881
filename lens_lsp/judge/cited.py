"""The sentences of an answer in Markdown, each with the numbers of the evidence it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lens_lsp.judge.llm.marking import LEAD, MARKER, NO_CLAIM, cited_numbers
from lens_lsp.model.text import Span, sentences

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_ROW = re.compile(r"[ \t]*\|")


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence of an answer."""

    span: Span
    """Where it stands in the answer, in code points."""
    text: str
    """Its words, with a space for each character of a citation in it: its offsets count from ``span.start``."""
    citations: tuple[int, ...]
    """The numbers in it and right behind it, in order, each once."""


def cited_sentences(answer: str) -> tuple[Cited, ...]:
    """The sentences of an answer, in order. Headings, rules and blocks of code have none.

    A citation behind a full stop belongs to the sentence before it. Each item of a list and each row of a table is
    apart from the others.
    """
    blank = MARKER.sub(lambda match: " " * len(match.group()), answer)
    found: list[Cited] = []
    for block in _blocks(answer):
        spans = sentences(blank, block)
        for at, span in enumerate(spans):
            start = block.start if at == 0 else span.start
            end = spans[at + 1].start if at + 1 < len(spans) else block.end
            found.append(Cited(span, blank[span.start : span.end], tuple(cited_numbers(answer[start:end]))))
    return tuple(found)


def _blocks(answer: str) -> Iterator[Span]:
    """The paragraphs, items and rows of an answer, without what marks them."""
    fenced, start, end = False, -1, -1
    for line in _LINE.finditer(answer):
        text = line.group()
        fence = text.lstrip().startswith("```")
        apart = fenced or fence or not text.strip() or NO_CLAIM.match(text) is not None
        lead = LEAD.match(text)
        if start >= 0 and (apart or lead is not None or _ROW.match(text)):
            yield Span(start, end)
            start = -1
        fenced ^= fence
        if apart:
            continue
        if start < 0:
            start = line.start() + (0 if lead is None else lead.end())
        end = line.end()
        if _ROW.match(text):
            yield Span(start, end)
            start = -1
    if start >= 0:
        yield Span(start, end)
