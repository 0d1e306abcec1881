from __future__ import annotations

import re

import pytest

from lens_lsp.model.lazy_regex import regex

TEXT = "One fish, two FISH"


def test_all_that_an_expression_can_do() -> None:
    ours, theirs = regex(r"(?P<what>f)ish", re.IGNORECASE), re.compile(r"(?P<what>f)ish", re.IGNORECASE)
    assert ours.pattern == theirs.pattern
    assert ours.flags == theirs.flags
    assert ours.groups == 1
    assert ours.groupindex == {"what": 1}
    assert [found.span() for found in ours.finditer(TEXT)] == [found.span() for found in theirs.finditer(TEXT)]
    assert ours.findall(TEXT) == ["f", "F"]
    assert ours.sub("cat", TEXT) == "One cat, two cat"
    assert ours.subn("cat", TEXT) == ("One cat, two cat", 2)
    assert ours.split(TEXT) == theirs.split(TEXT)
    assert ours.match("fishy") is not None
    assert ours.fullmatch("fishy") is None
    assert ours.search(TEXT, 9) is not None


def test_bytes() -> None:
    assert regex(rb"\d+").findall(b"1 and 23") == [b"1", b"23"]


def test_it_is_compiled_once_and_not_before_it_is_used() -> None:
    mistaken = regex("(")
    assert mistaken.pattern == "("
    with pytest.raises(re.error):
        mistaken.search(TEXT)
    used = regex("fish")
    assert used.search == used.search
    assert used.search.__self__ is used.match.__self__


def test_what_no_expression_has_is_no_attribute() -> None:
    with pytest.raises(AttributeError):
        regex("fish").weight  # type: ignore[attr-defined]  # noqa: B018
