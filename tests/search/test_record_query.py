"""Questions that rows answer, and those that they must not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lens_lsp.search.query_parser import Operation
from lens_lsp.search.record_query import TableAnswer, answer_over, best_answers
from lens_lsp.search.record_values import TypedTable
from lens_lsp.search.record_words import Question, alike, related, root
from tests.search.test_records import tables

ELEMENTS = """Element,Symbol,Atomic number,Melting point (°C),Density (g/cm3)
Gallium,Ga,31,29.76,5.91
Mercury,Hg,80,-38.83,13.534
Iron,Fe,26,1538,7.874
"""
ORDERS = """Order ID,Customer,Country,Amount (EUR),Status,Shipped
1001,Alder & Co,Norway,"1.250,50",open,2024-03-02
1002,Birch Ltd,Sweden,"980,00",closed,2024-03-15
1003,Cedar,Norway,"2.000,00",open,2024-05-01
1004,Alder & Co,Denmark,"12,50",closed,2024-06-09
Total,,,"4.243,00",,
"""
STAFF = "Name,Department,Phone,Born\nDr Kim Lee,Radiology,0123,1970-05-01\nAnna Berg,Cardiology,0199,1985-11-23\n"
PLANTS = "Plant;Site;Height (cm)\nWillow;Oslo, Norway;120\nRose;Bergen, Norway;60\nFern;Malmö, Sweden;45\n"

WORLD = (
    "country,year,month,lifeExp,pop,fromSea\nChad,2013,7,51.2,3150417,no\nChad,2013,8,51.4,3160000,no\n"
    "Peru,2013,7,70.1,90000000,yes\n"
)
FAULTS = (
    "Id,Fault,Expected\nE03,429 with Retry-After,retry at most twice and wait for what it names\n"
    "E04,slow drip,a deadline for all questions\nE05,no answer,one question must wait\n"
)
PLANES = "tail,year,maker,seats\nN1,1956,Douglas,102\nN2,1998,Cessna,4\nN3,1999,Cessna,6\n"

Asks = Callable[[str, str], TableAnswer | None]


@pytest.fixture
def answer(tmp_path: Path) -> Asks:
    def ask(text: str, question: str) -> TableAnswer | None:
        (table,) = tables(tmp_path, f"{_name(text)}.csv", text)
        return answer_over(Question(question), TypedTable(table))

    return ask


def _name(text: str) -> str:
    return {ELEMENTS: "elements", ORDERS: "orders", STAFF: "staff", PLANTS: "plants", PLANES: "planes"}.get(text, "t")


@pytest.mark.parametrize(
    ("text", "question", "short", "rows"),
    [
        (ELEMENTS, "What is the melting point of gallium?", "29.76 °C", 1),
        (ELEMENTS, "Which element has the symbol Hg?", "Mercury", 1),
        (ELEMENTS, "Which element has the highest density?", "Mercury (13.534 g/cm3)", 1),
        (ELEMENTS, "What is the lowest melting point?", "-38.83 °C (Mercury)", 1),
        (ELEMENTS, "How many elements have a density above 6?", "2", 2),
        (ELEMENTS, "Which elements melt below 100 °C?", "Gallium, Mercury", 2),
        (STAFF, "What is Dr Kim Lee's phone number?", "0123", 1),
        (STAFF, "Who has the phone number 0199?", "Anna Berg", 1),
        (STAFF, "Who works in Cardiology?", "Anna Berg", 1),
        (STAFF, "When was Anna Berg born?", "1985-11-23", 1),
        (STAFF, "Who is the youngest?", "Anna Berg (1985-11-23)", 1),
        (PLANTS, "Which plants are in Norway?", "Willow, Rose", 2),
        (PLANTS, "How tall is the fern?", "45 cm", 1),
        (PLANTS, "What is the average height?", "75 cm", 3),
        (ORDERS, "Which orders have the status open?", "1001, 1003", 2),
        (ORDERS, "How many orders are open?", "2", 2),
        (ORDERS, "What is the total amount?", "€4,243", 4),
        (ORDERS, "What is the total amount of orders from Norway?", "€3,250.50", 2),
        (ORDERS, "What is the largest amount?", "2.000,00 EUR (1003)", 1),
        (ORDERS, "How many orders were shipped between 1 March 2024 and 31 March 2024?", "2", 2),
        (ORDERS, "Which orders were shipped after April 2024?", "1003, 1004", 2),
        (ORDERS, "Which orders have an amount over 1000 euros?", "1001, 1003", 2),
        (ORDERS, "How many orders come from Norway and Sweden?", "3", 3),
        (ORDERS, "How many customers are there?", "3", 4),
        (WORLD, "What is the life expectancy in Chad in July 2013?", "51.2", 1),
        (WORLD, "How many people lived in Peru in July 2013?", "90000000", 1),
        (PLANES, "How many planes were built by Cessna?", "2", 2),
        (PLANES, "When was N1 built?", "1956", 1),
        (FAULTS, "How many questions wait?", "1", 1),  # both words are of one cell
    ],
)
def test_answers(answer: Asks, text: str, question: str, short: str, rows: int) -> None:
    found = answer(text, question)
    assert found is not None
    assert (found.short, len(found.rows)) == (short, rows)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (ELEMENTS, "What is the melting point of sodium?"),  # no such row
        (ELEMENTS, "What is the boiling point of gallium?"),  # no such column
        (ELEMENTS, "Which radioactive element has the highest density?"),  # a word that nothing accounts for
        (ELEMENTS, "Which element has not the highest density?"),
        (ELEMENTS, "Is the density of iron above 6?"),
        (ELEMENTS, "Which element has the second highest density?"),
        (STAFF, "What is Dr Chen's phone number?"),
        (STAFF, "How many women work in Radiology?"),
        (STAFF, "Why does Anna Berg work in Cardiology?"),
        (ORDERS, "What is the amount of each order from Norway?"),
        (ORDERS, "What is the amount of Alder & Co?"),  # two rows with different ones
        (ORDERS, "How many orders were shipped without a status?"),
        (PLANTS, "Which plants are in Norway or not in Sweden?"),
        (PLANTS, "How tall is the fern in inches?"),
        (ORDERS, "How many people ordered in Norway?"),  # rows of orders are no people
        (ORDERS, "Where was order 1001 shipped?"),  # a date is no place
        (FAULTS, "How many deadlines wait?"),  # words of different cells are no row
        (WORLD, "Which city had the largest pop in July 2013?"),  # rows are of countries
    ],
)
def test_refuses(answer: Asks, text: str, question: str) -> None:
    assert answer(text, question) is None


def test_a_sum_is_spelled_out_and_names_its_column(answer: Asks) -> None:
    found = answer(ORDERS, "What is the sum of the amount of open orders?")
    assert found is not None
    assert found.operation is Operation.SUM
    assert found.told == "sum of Amount over 2 rows where Status = open: 1.250,50 + 2.000,00"
    assert found.computed == ("sum(Amount)", "€3,250.50", "EUR")


def test_nothing_is_summed_over_cells_that_are_no_numbers_or_of_two_units(answer: Asks) -> None:
    assert answer("Item,Price\nA,5\nB,call us\nC,7\n", "What is the total price?") is None
    assert answer("Item,Price\nA,5 EUR\nB,7 USD\n", "What is the total price?") is None


def test_cells_left_empty_under_a_merged_one_are_not_taken_for_others(answer: Asks) -> None:
    merged = "Region,Town,Sales\nNorth,Ayr,5\n,Bly,6\nSouth,Cob,7\n,Dee,8\n"
    assert answer(merged, "What are the total sales in the region North?") is None


def test_two_columns_of_one_name_are_no_column(answer: Asks) -> None:
    assert answer("Town,Sales,Sales\nAyr,5,6\nBly,7,8\n", "What are the sales of Ayr?") is None


def test_how_numbers_are_written_is_decided_by_their_column(answer: Asks) -> None:
    dots = answer("Town,People\nAyr,1.250\nBly,950\n", "How many people live in Ayr and Bly in total?")
    assert dots is not None
    assert dots.short == "2,200"


def test_tables_that_disagree_are_all_kept_and_the_better_fit_wins(tmp_path: Path) -> None:
    def found(name: str, text: str) -> TableAnswer:
        (table,) = tables(tmp_path, name, text)
        answer = answer_over(Question("What is the phone number of Anna Berg?"), TypedTable(table))
        assert answer is not None
        return answer

    one = found("one.csv", "Name,Phone\nAnna Berg,0199\n")
    other = found("two.csv", "Name,Phone\nAnna Berg,0200\n")
    assert [answer.short for answer in best_answers([one, other])] == ["0199", "0200"]


def test_words_that_mean_the_same_and_those_that_do_not() -> None:
    assert root("movies") == root("movie")
    assert root("members") == root("member")
    assert alike(root("costs"), root("price"))
    assert root("movie") in related("film")
    assert not related("female")


def test_years_of_a_run_are_no_values_of_their_own(answer: Asks) -> None:
    text = "Year,Divorces\n1941,293\n1942,321\n1943,359\n"
    found = answer(text, "How many divorces were there in the years 1941 to 1942?")
    assert found is not None
    assert found.short == "614"


def test_a_figure_that_holds_the_others_is_no_greatest_and_none_of_a_sum(answer: Asks) -> None:
    text = "Region and state,Graduates\nUnited States,30\nMaine,4\nOhio,9\nTexas,12\nUtah,5\n"
    assert answer(text, "Which state has the most graduates?") is None
    assert answer(text, "What is the total of graduates?") is None


def test_what_one_row_counts_is_not_that_it_is_one(answer: Asks) -> None:
    text = "Offense,Total,Male\nRobbery,100496,88000\nArson,9509,7800\n"
    found = answer(text, "How many offenses were robbery?")
    assert found is not None
    assert found.short == "100496"


def test_a_table_in_a_text_does_not_count_what_there_is(tmp_path: Path) -> None:
    text = "# How fast they are\n\n| Command | Does |\n| --- | --- |\n| ask | answers |\n| find | searches |\n"
    (table,) = tables(tmp_path, "manual.md", text)
    assert answer_over(Question("How many commands are there?"), TypedTable(table)) is None
    named = answer_over(Question("Which command searches?"), TypedTable(table))
    assert named is not None
    assert named.short == "find"


def test_tables_with_one_header_under_several_headings_are_several(tmp_path: Path) -> None:
    part = "## {}\n\n| Key | Takes |\n| --- | --- |\n| `question` | string |\n\n"
    found = tables(tmp_path, "manual.md", "# Requests\n\n" + part.format("Ask") + part.format("Find"))
    assert [len(table.records) for table in found] == [1, 1]
