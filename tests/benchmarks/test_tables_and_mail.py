"""Scoring answers over tables and mail: each rule with its near miss, over real files and answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import asking
from benchmarks.claims import evidence_of
from benchmarks.tables_and_mail import (
    QUESTIONS,
    check,
    compute,
    numbers_of,
    question_of,
    read_questions,
    report,
    says,
    says_number,
    score,
)
from lens_lsp.model.answer import Answer, Status

PORTS = {
    "ports.tsv": "Port\tCountry\tShips\nGdańsk\tPoland\t1,200\nKiel\tGermany\t340\nLübeck\tGermany\t90\n",
    "hafen.csv": "Häfen am Meer;;\nHafen;Tiefe (m);Schiffe\nKiel;12,5;1.340\nBremen;9;75\n",
    "post/1.eml": "From: Ann Lee <a@example.org>\nTo: b@example.org\nDate: Tue, 3 Mar 2020 10:00:00 +0000\n"
    "Subject: Berths\n\nThree are free.\n",
    "post/2.eml": "From: Bo Roe <b@example.org>\nTo: a@example.org\nDate: Wed, 4 Mar 2020 10:00:00 +0000\n"
    "Subject: Re: Berths\n\nThanks.\n",
}
Told = tuple[str, str]
Make = Callable[..., Answer]


@pytest.fixture
def ports(tmp_path: Path) -> Path:
    folder = tmp_path / "ports"
    for name, text in PORTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def make(ports: Path) -> Make:
    """An answer over the ports: one that was really given, with what it says and cites put in its place."""
    ((given, _),) = asking.ask_timed(ports, ["Which country is Kiel in?"])

    def of(text: str, *passages: Told, short: str | None = None, status: Status = Status.ANSWERED) -> Answer:
        found = [
            replace(evidence_of({"id": n, "path": path, "quote": quote}, ports, n), path=path)
            for n, (path, quote) in enumerate(passages, 1)
        ]
        return replace(given, text=text, short=short, status=status, evidence=tuple(found))

    return of


def key(kind: str, **more: Any) -> Any:
    fields = {"id": "q", "folder": "ports", "half": "visible", "kind": kind, "format": "tsv", "question": "?"}
    return question_of({**fields, "path": "ports.tsv", **more})


KIEL = ("ports.tsv", "Kiel\tGermany\t340")
LUEBECK = ("ports.tsv", "Lübeck\tGermany\t90")


def test_a_number_is_one_in_either_notation_and_to_its_decimals() -> None:
    assert numbers_of("4.451") == {4451.0, 4.451}
    assert numbers_of("1,234.5") == {1234.5}
    assert says_number("about 66.1 % of them", 0.6609, 3)
    assert not says_number("about 66.1 of them", 0.6609, 3)
    assert says_number("It is 328.9 g.", 328.9167, 1)
    assert not says_number("It is 329.1 g.", 328.9167, 1)
    assert says("on Tue, 3 Mar 2020", "2020-03-03")
    assert not says("on Tue, 4 Mar 2020", "2020-03-03")


def test_a_look_up_wants_the_value_the_status_and_the_row(make: Make) -> None:
    asked = key("lookup", answers=["340"], number=340, rows=[["Kiel", "340"]])
    assert score(asked, make("Kiel: 340. [1]", KIEL, short="340"), 0.1).right
    assert not score(asked, make("Kiel: 340. [1]", KIEL, short="340", status=Status.PARTIAL), 0.1).right
    assert not score(asked, make("Kiel: 340. [1]", KIEL, short="90"), 0.1).right
    assert not score(asked, make("Kiel: 340. [1]", LUEBECK, short="340"), 0.1).right


def test_a_list_wants_all_and_no_other_with_all_rows(make: Make) -> None:
    rows = [["Kiel", "Germany"], ["Lübeck", "Germany"]]
    asked = key("filter", answers=["Kiel", "Lübeck"], rows=rows, others=["Gdańsk"])
    assert score(asked, make("Kiel [1] and Lübeck [2].", KIEL, LUEBECK), 0.1).right
    assert not score(asked, make("Kiel [1].", KIEL, LUEBECK), 0.1).right
    assert not score(asked, make("Kiel [1], Lübeck [2] and Gdańsk.", KIEL, LUEBECK), 0.1).right
    assert not score(asked, make("Kiel and Lübeck [1].", KIEL), 0.1).right
    assert not score(asked, make("Kiel [1] and Lübeck [2].", KIEL, LUEBECK, short="340, 90"), 0.1).right


def test_a_count_wants_a_quote_of_its_file(make: Make) -> None:
    asked = key("count", answers=["2"], number=2)
    assert score(asked, make("Two ports. [1]", KIEL, short="2"), 0.1).right
    assert not score(asked, make("Two ports. [1]", ("hafen.csv", "Bremen;9;75"), short="2"), 0.1).right
    assert not score(asked, make("Three ports. [1]", KIEL, short="3"), 0.1).right


def test_what_has_no_answer_is_false_once_answered(make: Make) -> None:
    asked = key("none")
    rows = [
        score(asked, make("340. [1]", KIEL, short="340"), 0.1),
        score(asked, make("", KIEL, status=Status.PARTIAL), 1),
    ]
    assert "False answers: 1 of 2" in report(rows)


def test_answers_are_computed_from_the_files(ports: Path) -> None:
    ships = {"path": "ports.tsv", "column": "Ships", "key": "Port"}
    assert compute(ports, ships | {"fold": "max"})[0] == ["Gdańsk"]
    assert compute(ports, ships | {"fold": "sum", "where": [["Country", "==", "Germany"]]})[1] == 430
    german = {"path": "hafen.csv", "head": 1, "german": True, "column": "Schiffe", "fold": "value"}
    assert compute(ports, german | {"where": [["Hafen", "==", "Kiel"]]})[1] == 1340
    mails = {"path": "post/*.eml", "column": "Date", "fold": "value", "where": [["Name", "==", "Bo Roe"]]}
    assert compute(ports, mails)[0] == ["2020-03-04"]
    asked = key("lookup", answers=["1.340"], number=1341, how=german | {"where": [["Hafen", "==", "Kiel"]]})
    assert check(ports.parent, [asked]) == ["q: ['1.340'] 1340.0, written down ('1.340',) 1341"]


def test_the_questions_are_whole() -> None:
    keys = read_questions(QUESTIONS)
    assert len({one.id for one in keys}) == len(keys)
    for one in keys:
        assert one.answerable == bool(one.answers) == bool(one.how)
        assert one.kind in {"none", "count", "sum"} or one.rows or one.how["fold"] == "count"
