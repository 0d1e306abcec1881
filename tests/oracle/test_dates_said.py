"""Whether a date is written in a text, told without reading the text where the figures of its year are not there."""

from __future__ import annotations

import pytest

from lens_lsp.computation.dates import CalendarDate, agrees
from lens_lsp.computation.reading import find_values
from lens_lsp.oracle.view import says

WRITTEN = [
    "It was built in 1918.",
    "the war of 1914–18",
    "from 1995-96 on",
    "12 March 2005",
    "march 12th, 2005, in the evening",
    "2015-03-23T14:30:15Z",
    "23.3.2015 and 3/23/2015",
    "between 2001 and 2009",
    "the year １９４３, in full-width figures",
    "١٩٤٣ in figures of another script",
    "2015年3月23日 は月曜日",
    "１９９９年３月",
    "le 14 juillet 1789",
    "3 октября 1990 года",
    "at the end of the year 2000",
    "10 of 1066 men in 1066",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_each_date_that_can_be_read_is_said_and_the_year_after_the_last_is_not(text: str) -> None:
    dates = [value.date for value in find_values(text.title()) if value.date is not None]
    assert dates
    for date in dates:
        assert says(text, date)
        assert says(text, date.cut(date.precision.YEAR))
    later = CalendarDate(max(date.year for date in dates) + 1)
    assert not any(agrees(later, date) for date in dates)
    assert not says(text, later)


def test_figures_that_are_no_date_say_none() -> None:
    assert not says("18 ships and 1,918 men", CalendarDate(1918))
