"""What must hold for every reader on every text, as one function."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from lens_lsp.corpus.formats.text_reader import TextReader, locate
from lens_lsp.model.documents import BlockKind, Structure

Check = Callable[[TextReader, str], Structure]


def _check(reader: TextReader, text: str) -> Structure:
    structure = reader.structure(text)
    spans = [block.span for block in structure.blocks]
    assert all(span.start < span.end <= len(text) for span in spans)
    assert all(left.end <= right.start for left, right in pairwise(spans)), "blocks overlap or are out of order"
    for span in spans:
        assert not text[span.end - 1].isspace(), "a block ends in blanks"
    _check_headings(structure, text)
    for block in structure.blocks:
        if block.header is not None:
            assert block.kind is BlockKind.TABLE_ROW
            assert block.header.end <= block.span.start
            assert block.header in spans
    links = [link.span for link in structure.links]
    assert links == sorted(links)
    assert all(span.start < span.end <= len(text) for span in links)
    assert all(link.target for link in structure.links)
    for marks in (structure.hidden, reader.mask(text)):
        assert all(span.end <= len(text) for span in marks)
        assert all(left.end <= right.start for left, right in pairwise(marks))
    _check_fields(reader, structure, text)
    assert all(span.start < span.end <= len(text) for span in structure.targets)
    assert all(left.end <= right.start for left, right in pairwise(structure.targets))
    locators = reader.locators(text)
    assert len(locators.starts) == len(locators.locators)
    assert list(locators.starts) == sorted(locators.starts)
    assert all(0 <= start <= len(text) for start in locators.starts)
    locate(locators, len(text))
    return structure


def _check_fields(reader: TextReader, structure: Structure, text: str) -> None:
    fields = structure.fields
    assert len(fields) <= 64
    assert len(structure.head.fields) <= 64
    assert [field.span.start for field in fields] == sorted(field.span.start for field in fields)
    for field in fields:
        assert field.span.start < field.span.end <= len(text)
        assert field.name == field.name.lower() != ""
        assert field.value == " ".join(field.value.split()) != ""
        assert len(field.value) <= 500
    if len(text) < 2000:
        pairs = tuple((field.name, field.value) for field in fields)
        assert structure.head.fields == pairs
        assert reader.head(text).fields == pairs


def _check_headings(structure: Structure, text: str) -> None:
    headings = [heading.span for heading in structure.headings]
    assert headings == sorted(headings)
    assert all(span.end <= len(text) for span in headings)
    for heading in structure.headings:
        assert heading.level >= 1
        assert heading.text == " ".join(heading.text.split()) != ""


@pytest.fixture
def check() -> Check:
    """Asserts the invariants of a reader's structure and gives the structure."""
    return _check
