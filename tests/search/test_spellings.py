"""The numbers of a question are found however they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.search.question import spellings


@pytest.mark.parametrize(
    ("asked", "word", "other"),
    [
        ("who paid 1234.5", "1234", "1,234.50"),
        ("who paid $1,234.50", "234", "1234.5"),
        ("wer zahlte 1.234,50 €", "50", "1,234.5"),
        ("rent of 1200", "1200", "1,200"),
        ("a share of 0.125", "125", "12.5%"),
        ("a share of 0.25", "25", "25 %"),
        ("0.05 of them", "05", "5%"),
        ("1 234 567 people", "567", "1,234,567"),
        ("1.234.567 people", "567", "1'234'567"),
        ("12.50 each", "12", "12,5"),
        ("in 1996", "1996", "1,996"),
        ("-1234.5", "1234", "1.234,5"),
    ],
)
def test_other_spellings(asked: str, word: str, other: str) -> None:
    assert other in spellings(asked)[word]


@pytest.mark.parametrize(
    "asked",
    ["version 1.2.3", "2024-03-01", "10.0.0.1", "at 13:05", "12/03/2024", "call 555-1234", "3 men", "b1234", "1" * 16],
)
def test_what_is_no_amount_has_one_spelling(asked: str) -> None:
    assert spellings(asked) == {}


def test_a_year_is_not_looked_for_in_every_way() -> None:
    assert spellings("in 1996") == {"1996": ("1,996",)}


@pytest.mark.parametrize(
    ("asked", "cell"),
    [
        ("1234.5", "$1,234.50"),
        ("$1,234.50", "$1,234.50"),
        ("1.234,50", "$1,234.50"),
        ("0.125", "12.5%"),
        ("12.5%", "12.5%"),
        ("2500", "2,500.00"),
        ("7,300.25", "7300.25"),
    ],
)
def test_a_number_is_found_by_its_value_and_by_its_looks(tmp_path: Path, asked: str, cell: str) -> None:
    rows = ["Harrow | 30.1% | $7,777.25", "Baler | 12.5% | $9,000.99", "Drill | 3.3% | $1,234.50", "Seed | 2,500.00"]
    texts = [*rows, "Plough | 7300.25", "1 share of 234 with 50 others", "125 people and 5 machines in 0 places"]
    for number, text in enumerate(texts):
        (tmp_path / f"row{number}.md").write_text(f"{text}\n")
    found = Lens([tmp_path]).find(asked).evidence
    assert cell in found[0].quote
