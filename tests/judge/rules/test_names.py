from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.analysis import names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The film was directed by Ida Holm and Kim Berg.", ["Ida Holm", "Kim Berg"]),
        ("Bridges are old. Nobody knows.", []),
        ("When was the Treaty of Westphalia signed?", ["Treaty of Westphalia"]),
        ("use `git rebase` and max_depth with --force on macOS", ["git rebase", "max_depth", "--force", "macOS"]),
        ("a call to std::fs::read in main.rs", ["std::fs::read", "main.rs"]),
        ("Anna's book is older than Bob's", ["Anna", "Bob"]),
        ("Мост построил Иван Петров в Киеве", ["Иван Петров", "Киеве"]),
        ("「雪国」は川端の小説", ["雪国"]),
        ("東京タワーとスカイツリー", ["タワー", "スカイツリー"]),
        ("On Monday I met Dr Holm", ["Dr Holm"]),
        ("in March 2015 and in 2016", ["March 2015", "2016"]),
    ],
)
def test_names_are_found_as_they_are_written(text: str, expected: list[str]) -> None:
    assert [name.text for name in names(text)] == expected


@given(st.text(max_size=100))
def test_names_stand_in_the_text_in_order_and_apart(text: str) -> None:
    found = names(text)
    end = 0
    for name in found:
        assert text[name.start :].startswith(name.text)
        assert name.start >= end
        assert name.key
        end = name.start + len(name.text)
