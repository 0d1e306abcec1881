"""Questions in other words than a table's: which reading of its rows the built-in reader takes for an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from small_workspace import Workspace

import lens_lsp.judge.reader
from lens_lsp.judge.reader.cross_encoder import ReaderPassage, load
from lens_lsp.search.record_query import TableAnswer, answer_over
from lens_lsp.search.record_values import TypedTable
from lens_lsp.search.record_words import Question
from lens_lsp.search.row_choice import chosen
from lens_lsp.search.table_answers import RowJudge, rows_found
from tests.search.test_records import tables

SHIPPED = Path(lens_lsp.judge.reader.__file__).with_name("model")
"""Other tests have a smaller reader in its place."""
FERRIES = """vessel,operator,home_port,passengers,car_deck,built,speed_kn,wifi
Aurora,Blue Line,Oslo,820,yes,1998,19.5,yes
Brise,Nordlys,Bergen,140,no,2011,28.0,yes
Corvin,Blue Line,Kiel,1150,yes,1987,17.0,no
Delfin,Nordlys,Bergen,95,no,2016,31.5,no
Estrid,Fjordfart,Larvik,430,yes,2004,21.0,yes
"""
INVOICES = """Invoice;Customer;Issued;Due date;Net (EUR);Settled
R-101;Alder Works;03.02.2024;04.03.2024;1.250,50;yes
R-102;Birch & Sons;19.02.2024;20.03.2024;480,00;no
R-103;Alder Works;01.03.2024;31.03.2024;99,90;no
R-104;Cedar Ltd;07.03.2024;06.04.2024;2.310,00;yes
"""

Asks = Callable[[str, str], TableAnswer | None]
Make = Callable[[Mapping[str, str]], Workspace]


@pytest.fixture
def answer(tmp_path: Path) -> Asks:
    def ask(text: str, question: str) -> TableAnswer | None:
        found = tables(tmp_path, {FERRIES: "ferries.csv", INVOICES: "invoices.csv"}.get(text, "ferries.md"), text)

        def stated(sentences: Sequence[tuple[str, str]]) -> list[float]:
            passages = [ReaderPassage(sentence, path) for sentence, path in sentences]
            return [score.log_odds for score in load(SHIPPED).read(question, passages)]

        return chosen(Question(question), [TypedTable(table) for table in found], RowJudge(stated), lambda: False)

    return ask


@pytest.mark.parametrize(
    ("text", "question", "short", "rows"),
    [
        (FERRIES, "Which harbour is the Estrid based in?", "Larvik", 1),
        (FERRIES, "Which ship is the fastest?", "Delfin (31.5)", 1),
        (INVOICES, "Which invoices are still unsettled?", "R-102, R-103", 2),
    ],
)
def test_other_words_for_a_column_find_its_cells(answer: Asks, text: str, question: str, short: str, rows: int) -> None:
    found = answer(text, question)
    assert found is not None
    assert (found.short, len(found.rows)) == (short, rows)
    assert found.confidence is not None
    assert 0.5 < found.confidence < 1


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (FERRIES, "Who is the captain of the Aurora?"),
        (FERRIES, "How many litres of fuel does the Brise burn in an hour?"),
        (FERRIES, "Which harbour is the Titanic based in?"),
        (INVOICES, "Who signed invoice R-102?"),
    ],
)
def test_what_no_column_holds_is_no_answer(answer: Asks, text: str, question: str) -> None:
    assert answer(text, question) is None


def test_a_table_within_other_text_must_fit_better(answer: Asks) -> None:
    """Most questions about a page are not about its tables; the same reading is an answer where all is a table."""
    rows = [line.split(",") for line in FERRIES.splitlines()]
    lines = [f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]]]
    page = "# Ferries\n\n" + "\n".join(lines) + "\n"
    assert answer(page, "Which harbour is the Estrid based in?") is None
    assert answer(page, "Which vessel has the operator Fjordfart?") is not None


def test_the_reader_decides_between_the_columns_of_a_row(tmp_path: Path) -> None:
    """Without what it makes of the sentences the same question gets no answer: its words name no column."""
    question = Question("Which harbour is the Estrid based in?")
    (table,) = tables(tmp_path, "ferries.csv", FERRIES)
    assert answer_over(question, TypedTable(table)) is None
    unsure = RowJudge(lambda sentences: [-4.0] * len(sentences))
    assert chosen(question, [TypedTable(table)], unsure, lambda: False) is None


def test_each_sentence_is_judged_and_each_version_of_a_table_read_once(workspace: Make) -> None:
    """As documents join while a question is searched, its rows are looked at again and again."""
    question, shown = "Which harbour is the Estrid based in?", list[list[tuple[str, str]]]()

    def stated(sentences: Sequence[tuple[str, str]]) -> list[float]:
        shown.append(list(sentences))
        return [-4.0] * len(sentences)

    judge, space = RowJudge(stated), workspace({"ferries.csv": FERRIES, "yachts.csv": FERRIES.replace("e", "a")})

    def look() -> set[str]:
        """The files that the reader is shown sentences of."""
        before = len(shown)
        assert rows_found(space.reading, space.localise(question).candidates, question, lambda: False, judge) is None
        return {path for sentences in shown[before:] for _, path in sentences}

    assert look() == {"ferries.csv", "yachts.csv"}
    read = dict(judge.read)
    assert {table.table.path for table in read} == {"ferries.csv", "yachts.csv"}
    assert look() == set()
    assert judge.read.keys() == read.keys()
    assert all(judge.read[table] is found for table, found in read.items())
    space.write({"tugs.csv": FERRIES.replace("430", "12")})
    assert look() == {"tugs.csv"}
    space.write({"tugs.csv": FERRIES.replace("Larvik", "Moss")})
    assert look() == {"tugs.csv"}
    judged = [sentence for sentences in shown for sentence in sentences]
    assert len(judged) == len(set(judged))
