"""What questions ask and want of metadata, in a workspace of small files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from small_workspace import FILLER, Workspace

from lens_lsp.search.fields import FieldQuery, When, field_query

Make = Callable[[Mapping[str, str]], Workspace]


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
    return set() if query is None else {space.path(slot) for slot in query.slots}


@pytest.mark.parametrize(
    ("said", "when"),
    [
        ("on 5 March 2024", When(2024, 3, 5)),
        ("on the 5th of March 2024", When(2024, 3, 5)),
        ("on March 5, 2024", When(2024, 3, 5)),
        ("on March 5th 2024", When(2024, 3, 5)),
        ("on 5-Mar-2024", When(2024, 3, 5)),
        ("on 2024-03-05", When(2024, 3, 5)),
        ("on 20240305", When(2024, 3, 5)),
        ("on 2024/03/05", When(2024, 3, 5)),
        ("in March 2024", When(2024, 3)),
        ("in Sept 2024", When(2024, 9)),
        ("in 2024-03", When(2024, 3)),
        ("on 31 February 2024", When(2024, 2)),  # no such day, so it is the month that is meant
    ],
)
def test_dates_are_read_in_the_spellings_in_use(workspace: Make, said: str, when: When) -> None:
    query = asked(workspace(NOTES), f"Which notes were written {said}?")
    assert query is not None
    assert query.dates == (when,)


@pytest.mark.parametrize("said", ["2024-13-05", "12024-03-05", "March 5", "31 Febtember 2024", "99"])
def test_what_is_no_date_is_none(workspace: Make, said: str) -> None:
    query = asked(workspace(NOTES), f"Which kettle of {said} whistles?")
    assert query is None or query.dates == ()


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
    best = max(query.slots, key=query.bonus)
    assert space.path(best) == path
    assert min(query.slots.values()) < query.bonus(best)


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
    assert query.asked == {"sponsor"}
    assert "sponsor: Mira Tolvanen" in space.passages("Who is the sponsor of the kettles?")[0][1]


ORDINARY = ["Does the kettle whistle?", "How long is the bridge?", "kettle", "Who talked about the roof?"]


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
