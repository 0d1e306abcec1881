"""Conditions on the values of a line."""

from __future__ import annotations

import pytest

from lens_lsp.computation.condition import holds


@pytest.mark.parametrize(
    ("relation", "wanted", "line", "meets"),
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
    ],
)
def test_a_condition_holds_when_some_value_of_the_line_meets_it(
    relation: str, wanted: str, line: str, meets: bool
) -> None:
    assert holds(relation, wanted, line) is meets
