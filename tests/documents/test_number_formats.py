"""Numbers, dates and times as a spreadsheet shows them, beside what LibreOffice shows."""

from __future__ import annotations

import csv
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from lens_lsp.documents.readers.number_formats import BUILT_IN, Moment, moment_and_iso, shown_moment, shown_number

_TABLE = Path(__file__).parent / "number_formats.csv"
"""Made by ``python -m tests.documents.making.number_formats``."""


def _ours(code: str, value: str) -> str | None:
    if value.endswith("s"):
        return shown_moment(timedelta(seconds=float(value[:-1])), code)
    return shown_moment(datetime.fromisoformat(value), code) if "T" in value else shown_number(float(value), code)


def test_every_value_looks_as_in_libreoffice() -> None:
    with _TABLE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    different = [
        (row["code"], row["value"], row["shown"], ours)
        for row in rows
        if (ours := _ours(row["code"], row["value"])) != (" ".join(row["shown"].split()) or None)
    ]
    assert different == []
    assert len(rows) > 800


def test_the_comparison_sees_a_difference() -> None:
    assert _ours("0.0%", "0.125") == "12.5%"
    assert _ours("0.00%", "0.125") != "12.5%"


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("0%", 1.005, "101%"),
        ('[>=1000]#,##0.0,"k";0', -80, "-80"),
        ("[<=0]0.0;[>0]+0.0", -2, "2.0"),
        ("[<>0]0.0;0", 3, "3.0"),
        ("[=1]0;[=2]0.0", 2, "2.0"),
        ("_-* #,##0.00_-", 7.5, "7.50"),
        ("00.0E-0", 12345, "01.2E4"),
        ("0.0E+0", 0.00999, "1.0E-2"),
        ("?/?", 1.5, "3/2"),
        ("# ?/?", 0.999, "1"),
        ("# ?/?", 0, "0"),
        ("@", 12.5, "12.5"),
        (BUILT_IN[44], -5.5, "(5.50)"),
    ],
)
def test_more_codes(code: str, value: float, shown: str) -> None:
    assert shown_number(value, code) == shown


@pytest.mark.parametrize(
    "code",
    [
        ";;;",
        "0;-0;;@",
        "[DBNum1]0",
        "[Foo]0",
        "0 kg",
        '"open',
        "0\\",
        "yyyy-mm-dd",
        "[=1]0;[=2]0",
        "0" * 41,
        "#" * 501,
        "0.0E+",
        "?/",
        "# ?/?.0",
        "[$-409",
    ],
)
def test_what_is_not_known_or_shows_nothing_is_told_by_its_value(code: str) -> None:
    assert shown_number(0.0, code) is None


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e300])
def test_no_number_is_written_out_for_ever(value: float) -> None:
    assert shown_number(value, "#,##0.00") is None


MARCH = datetime(2024, 3, 1, 13, 5, 9)


@pytest.mark.parametrize(
    ("moment", "code", "said"),
    [
        (MARCH, "yyyy-mm-dd hh:mm:ss", "2024-03-01 13:05:09"),
        (MARCH, "d/m/yy", "1/3/24 (2024-03-01)"),
        (MARCH, "m/d/yy h:mm", "3/1/24 13:05 (2024-03-01 13:05:09)"),
        (MARCH, "h:mm AM/PM", "1:05 PM"),
        (MARCH, "mmm", "Mar (2024-03-01)"),
        (date(2024, 3, 1), "d. mmm yyyy", "1. Mar 2024 (2024-03-01)"),
        (date(2024, 3, 1), "yyyy-mm-dd", "2024-03-01"),
        (MARCH, "[$-407]dd.mm.yyyy", "01.03.2024 (2024-03-01)"),
        (MARCH, "[$-407]d. mmmm yyyy", "2024-03-01 13:05:09"),
        (MARCH, "[$-F800]dddd, mmmm dd, yyyy", "2024-03-01 13:05:09"),
        (MARCH, "ggge", "2024-03-01 13:05:09"),
        (MARCH, "0.00", "2024-03-01 13:05:09"),
        (MARCH, "[h]:mm", "2024-03-01 13:05:09"),
        (time(13, 5), "h:mm", "13:05"),
        (time(13, 5), "d mmm", "13:05"),
        (timedelta(hours=90, minutes=30), "[h]:mm", "90:30"),
        (timedelta(hours=90, minutes=30), "h:mm", "90:30"),
        (timedelta(hours=-1), "[h]:mm", "-1:00"),
        (timedelta(seconds=3725.55), "[m]:ss.0", "62:05.6"),
        (datetime(2023, 12, 31, 23, 59, 59, 900_000), "d mmm yyyy h:mm:ss", "1 Jan 2024 0:00:00 (2024-01-01 00:00)"),
        (datetime.max, "yyyy h:mm:ss", "9999-12-31 23:59:59"),
    ],
)
def test_a_date_has_iso_behind_it_where_it_looks_otherwise(moment: Moment, code: str, said: str) -> None:
    assert moment_and_iso(moment, code) == said
