"""What questions ask and want of metadata, in a workspace of small files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

import pytest
from small_workspace import FILLER, Workspace

from lens_lsp.model.words import fold
from lens_lsp.search.metadata import FieldQuery, Period, field_query, periods

Make = Callable[[Mapping[str, str]], Workspace]
IMPOSSIBLE = ["31 February 2024", "February 30, 2024", "2024-02-31", "2/31/2024", "31.02.2024"]
ORDINARY = ["Does the kettle whistle?", "How long is the bridge?", "kettle", "Who talked about the roof?"]


def note(text: str, **fields: str) -> str:
    return "---\n" + "".join(f"{name}: {value}\n" for name, value in fields.items()) + f"---\n\n{text}\n"


NOTES = {
    "kettle.md": note("The kettle whistles.", author="Elise Morrow", created="2024-03-05", tags="[robotics, tea]"),
    "bridge.md": note("The bridge is long.", author="Anselm Brock", date="2023-11-20", status="Rejected"),
    "meetings/2024-03-19.md": "# Meeting\n\nThe bridge was talked about.\n",
    "meetings/2024-06-02.md": "# Meeting\n\nThe kettle was talked about.\n",
    "minutes 20230107.md": "# Minutes\n\nThe roof was talked about.\n",
    **FILLER,
}


def asked(space: Workspace, question: str) -> FieldQuery | None:
    return field_query(question, space.corpus)


def wanted(space: Workspace, question: str) -> set[str]:
    """The documents that have what a question wants."""
    query = asked(space, question)
    return set() if query is None else {space.path(slot) for slot in query.said}


@pytest.mark.parametrize(
    ("said", "when"),
    [
        ("on 5 March 2024", Period.of(2024, 3, 5)),
        ("on the 5th of March 2024", Period.of(2024, 3, 5)),
        ("on March 5, 2024", Period.of(2024, 3, 5)),
        ("on March 5th 2024", Period.of(2024, 3, 5)),
        ("on 5-Mar-2024", Period.of(2024, 3, 5)),
        ("on 2024-03-05", Period.of(2024, 3, 5)),
        ("on 20240305", Period.of(2024, 3, 5)),
        ("on 2024/3/5", Period.of(2024, 3, 5)),
        ("on 3/5/2024", Period.of(2024, 3, 5)),
        ("on 25/3/2024", Period.of(2024, 3, 25)),
        ("on 5.3.2024", Period.of(2024, 3, 5)),
        ("in March 2024", Period.of(2024, 3)),
        ("in Sept 2024", Period.of(2024, 9)),
        ("in 2024-03", Period.of(2024, 3)),
        ("in 2024", Period.of(2024)),
        ("in the second half of 2024", Period(date(2024, 7, 1), date(2024, 12, 31))),
        ("in Q4 2024", Period(date(2024, 10, 1), date(2024, 12, 31))),
        ("in summer 2024", Period(date(2024, 6, 1), date(2024, 8, 31))),
        ("between 5 and 20 March 2024", Period(date(2024, 3, 5), date(2024, 3, 20))),
        ("from March to May 2024", Period(date(2024, 3, 1), date(2024, 5, 31))),
        ("between 2024-03-05 and 2024-05-07", Period(date(2024, 3, 5), date(2024, 5, 7))),
        ("after March 2024", Period(date(2024, 4, 1), date.max)),
        ("since 2024", Period(date(2024, 1, 1), date.max)),
        ("before 5 March 2024", Period(date.min, date(2024, 3, 4))),
        ("until March 2024", Period(date.min, date(2024, 3, 31))),
    ],
)
def test_dates_are_read_in_the_spellings_in_use(workspace: Make, said: str, when: Period) -> None:
    question = f"Which notes were written {said}?"
    assert {period for period, _ in periods(fold(question), years=True)} == {when}
    assert asked(workspace(NOTES), question) is not None


def test_a_day_without_a_year_is_of_any_year(workspace: Make) -> None:
    assert {period.first for period, _ in periods("the meeting of 29 february", years=True)} >= {date(2024, 2, 29)}
    assert wanted(workspace(NOTES), "What was talked about at the meeting of 19 March?") == {"meetings/2024-03-19.md"}


@pytest.mark.parametrize("said", [*IMPOSSIBLE, "2024-13-05", "12024-03-05", "31 Febtember 2024", "99"])
def test_what_is_no_date_is_none(said: str) -> None:
    question = f"Which notes of {said} speak of the kettle?"
    assert periods(fold(question), years=True) == []


@pytest.mark.parametrize(
    ("question", "paths"),
    [
        ("What was talked about on 19 March 2024?", {"meetings/2024-03-19.md"}),
        ("What was talked about in March 2024?", {"meetings/2024-03-19.md", "kettle.md"}),
        ("What was in the minutes of January 7, 2023?", {"minutes 20230107.md"}),
        ("Which notes are from November 2023?", {"bridge.md"}),
        ("Which meetings were in 2023?", {"bridge.md", "minutes 20230107.md"}),
        ("What was talked about on 20 March 2024?", set()),
        ("Which note is tagged robotics?", {"kettle.md"}),
        ("What does the note tagged with #tea say?", {"kettle.md"}),
        ("notes with the robotics tag", {"kettle.md"}),
        ("Which note is tagged knitting?", set()),
        ("What did Morrow write?", {"kettle.md"}),
        ("notes by Anselm Brock", {"bridge.md"}),
        ("tea notes", {"kettle.md"}),
        ("Was the bridge note rejected?", set()),
        ("Which proposals were rejected?", {"bridge.md"}),
        ("Which proposals were rejected in November 2023?", {"bridge.md"}),
        ("Which proposals were rejected in March 2024?", set()),
    ],
)
def test_documents_have_what_is_wanted_or_are_left_alone(workspace: Make, question: str, paths: set[str]) -> None:
    assert wanted(workspace(NOTES), question) == paths


@pytest.mark.parametrize(("which", "path"), [("first", "meetings/2024-03-19.md"), ("last", "meetings/2024-06-02.md")])
def test_the_first_and_the_last_of_some_dates_are_told(workspace: Make, which: str, path: str) -> None:
    files = {name: text for name, text in NOTES.items() if name.startswith(("meetings", "filler"))}
    space = workspace(files)
    query = asked(space, f"What was talked about at the {which} meeting of 2024?")
    assert query is not None
    best = max(query.slots, key=query.slots.__getitem__)
    assert space.path(best) == path
    assert min(query.slots.values()) < query.slots[best]


def test_the_last_of_all_documents_is_told_by_its_date(workspace: Make) -> None:
    space = workspace({**NOTES, "undated.md": "# Meeting\n\nNobody came.\n"})
    query = asked(space, "the latest meeting")
    assert query is not None
    assert space.path(max(query.slots, key=query.slots.__getitem__)) == "meetings/2024-06-02.md"


def test_a_status_came_about_when_the_document_says(workspace: Make) -> None:
    decided = {"a.md": "2023-05-02", "b.md": "2024-05-02"}
    space = workspace(
        {
            path: note("It is about kettles.", status="Final", created="2021-01-01", resolution=day)
            for path, day in decided.items()
        }
    )
    assert wanted(space, "Which proposal was accepted in May 2023?") == {"a.md"}


def test_a_number_is_found_in_a_name_that_fills_it_up(workspace: Make) -> None:
    files = {f"pep-000{number}.md": note("It is about kettles.", author="Elise Morrow") for number in (7, 8)}
    space = workspace({**files, **FILLER})
    assert space.passages("Who wrote PEP 8?")[0][0] == "pep-0008.md"


def test_people_are_listed_under_a_heading_that_says_so(workspace: Make) -> None:
    meeting = "# Meeting 2024-07-01\n\n## Links\n\n* a recording\n\n## Present\n\n* Elise Morrow\n* Anselm Brock\n"
    space = workspace({**NOTES, "meetings/2024-07-01.md": meeting})
    path, quote = space.passages("Who attended the meeting of 1 July 2024?")[0]
    assert path == "meetings/2024-07-01.md"
    assert "Elise Morrow" in quote


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ("Who wrote about the kettle?", "author"),
        ("Who is the author of the kettle note?", "author"),
        ("When was the kettle note created?", "created"),
        ("On which date was the bridge note written?", "date"),
        ("What is the status of the bridge?", "status"),
        ("Which tags does the kettle have?", "tags"),
        ("What are the aliases of the kettle?", "aliases"),
    ],
)
def test_a_question_asks_for_a_field_by_its_name_or_in_other_words(workspace: Make, question: str, field: str) -> None:
    query = asked(workspace(NOTES), question)
    assert query is not None
    assert field in query.asked


@pytest.mark.parametrize(
    ("question", "path", "said"),
    [
        ("Who wrote about the kettle?", "kettle.md", "author: Elise Morrow"),
        ("When was the kettle note created?", "kettle.md", "created: 2024-03-05"),
        ("What is the status of the bridge?", "bridge.md", "status: Rejected"),
        ("Which note is tagged robotics?", "kettle.md", "robotics"),
    ],
)
def test_the_metadata_that_say_it_are_shown_first(workspace: Make, question: str, path: str, said: str) -> None:
    found, quote = workspace(NOTES).passages(question)[0]
    assert found == path
    assert said in quote


def test_a_field_with_a_name_of_its_own_is_asked_for_by_it(workspace: Make) -> None:
    space = workspace({"pep.md": note("It is about kettles.", sponsor="Mira Tolvanen"), **FILLER})
    query = asked(space, "Who is the sponsor of the kettles?")
    assert query is not None
    assert "sponsor" in query.asked
    assert "sponsor: Mira Tolvanen" in space.passages("Who is the sponsor of the kettles?")[0][1]


@pytest.mark.parametrize("question", ORDINARY)
def test_an_ordinary_question_is_not_affected(workspace: Make, question: str) -> None:
    space = workspace(NOTES)
    assert asked(space, question) is None
    assert space.localise(question).candidates.scored.fields is None
    with_fields, without = space.localise(question), space.localise(question, frozenset({"path"}))
    assert [(one.slot, one.span) for one in with_fields.passages] == [(one.slot, one.span) for one in without.passages]


def test_no_documents_have_no_fields(workspace: Make) -> None:
    space = workspace({})
    assert wanted(space, "Which notes of March 2024 are rejected and tagged tea?") == set()
    assert asked(space, "kettle") is None
