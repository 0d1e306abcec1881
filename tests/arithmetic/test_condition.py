"""Conditions on the values of a line."""

from __future__ import annotations

import pytest

from lens_lsp.arithmetic.value_parser import meets
from lens_lsp.model.plan import Condition


@pytest.mark.parametrize(
    ("relation", "wanted", "line", "expected"),
    [
        ("in", "March 2015", "- Start Date: 2015-03-24", True),
        ("in", "March 2015", "- Start Date: 2015-04-01", False),
        ("in", "March 2015", "- Start Date: 2015", False),
        ("in", "2015", "signed on 3 May 2015", True),
        ("<", "2016", "written 2015-12-31", True),
        ("<", "2016", "written 2016-01-01", False),
        (">", "2015-03-24", "changed in April 2015", True),
        (">", "2015-03-24", "changed in March 2015", False),
        (">", "3 GB", "it needs 4096 MB of memory", True),
        (">", "3 GB", "it needs 3 GB of memory", False),
        (">=", "3 GB", "it needs 3 GB of memory", True),
        ("<", "10", "10 of them, or 9", True),
        ("=", "12", "a dozen eggs", True),
        ("=", "12", "eleven eggs", False),
        (">", "3 GB", "it takes 5 minutes", False),
        (">", "nothing", "5 minutes", False),
        (">", "2015", "no value here", False),
        (">", "2,000", "sold: 2050", True),
        (">", "2,000", "sold: 1950", False),
        (">", "2,000", "3,100 sold", True),
        (">", "2,000", "opened in 2015", False),
        (">", "2,000", "opened on 3 May 2015", False),
        (">", "2,000", "Harrow | 12.5% | $2,500.00", True),
        (">", "2,000", "Baler | 12.5% | $1,999.99", False),
        ("<", "2,000", "Baler | 1.999,99 €", True),
        (">", "$2,000", "Harrow | 2,500.00", False),
        (">", "2,000", "Road of 2,500 km", False),
        (">", "10", "9 of them, opened 2015", False),
    ],
)
def test_a_condition_is_met_when_some_value_of_the_line_meets_it(
    relation: str, wanted: str, line: str, expected: bool
) -> None:
    assert meets(Condition(relation, wanted), line, "") is expected


@pytest.mark.parametrize(
    ("wanted", "line", "context", "expected"),
    [
        ("March 2015", "- bought a tent", "Diary\nMarch 2015", True),
        ("March 2015", "- bought a tent", "2015-03-14.md", True),
        ("March 2015", "- bought a tent", "march 2015", True),
        ("March 2015", "- bought a tent", "2015-04-01.md", False),
        ("March 2015", "- bought a tent on 2015-04-01", "2015-03-14.md", False),
        ("3 GB", "- bought a tent", "3 GB", False),
    ],
)
def test_a_line_without_a_date_is_as_old_as_what_stands_above_it(
    wanted: str, line: str, context: str, expected: bool
) -> None:
    assert meets(Condition("in", wanted), line, context) is expected
