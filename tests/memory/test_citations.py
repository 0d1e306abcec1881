"""A citation stands where nothing else can be meant, and nowhere else."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lens_lsp.memory.citations import (
    LONGEST_CONTEXT,
    SHORTEST_CONTEXT,
    follow,
    lost,
    record,
    verify,
)
from lens_lsp.model.cluster import Citation, CitationState
from lens_lsp.model.documents import Document, Origin, Structure, TextSource
from lens_lsp.model.text import Edit, EditHistory, Span
from tests.soak.changed_sources import ENCODINGS, Changed, Source, real_texts
from tests.soak.citation_mutations import Matcher, first_occurrence, most_similar, run

LEASE = "The lease of the workshop ends on 30 June 2031."
NOTE = f"# Contract\n\n{LEASE}\n\n## Rent\n\nDue on the first day of each month.\n"

LIST = "".join(f"## Week {n}\n\nMet with the whole team on Monday.\nStatus: done.\n\n" for n in range(1, 6))


def document(text: str, *, reader: str = "text/1", path: str = "note.txt", ours: tuple[Span, ...] = ()) -> Document:
    origin = Origin(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), "utf-8")
    return Document(0, path, text, reader, origin, Structure(ours=ours))


def cited(text: str, quote: str, *, nth: int = 0) -> Citation:
    at = text.index(quote)
    for _ in range(nth):
        at = text.index(quote, at + 1)
    return record(document(text), Span(at, at + len(quote)), root="notes")


def state(citation: Citation, text: str) -> CitationState:
    return verify(citation, document(text)).state


def test_a_record_says_where_and_what() -> None:
    citation = cited(NOTE, LEASE)
    assert (citation.root, citation.path, citation.reader, citation.encoding) == (
        "notes",
        "note.txt",
        "text/1",
        "utf-8",
    )
    assert NOTE[citation.span.start : citation.span.end] == citation.quote == LEASE
    assert (citation.left, citation.right) == ("", "")


@pytest.mark.parametrize("span", [Span(3, 3), Span(0, len(NOTE) + 1)])
def test_nothing_is_no_citation(span: Span) -> None:
    with pytest.raises(ValueError, match="nothing to cite"):
        record(document(NOTE), span, root="")


def test_a_quote_that_stands_there_again_and_again_is_recorded_with_what_tells_it_apart() -> None:
    citation = cited(LIST, "Status: done.", nth=2)
    assert citation.left is not None
    assert citation.right is not None
    for context in (citation.left + citation.quote, citation.quote + citation.right):
        assert LIST.count(context) == 1
    assert LIST.count(citation.left[1:] + citation.quote) > 1
    assert len(citation.right) == SHORTEST_CONTEXT


def test_a_short_quote_is_never_unique_by_itself() -> None:
    citation = cited("The rent of the workshop is 420 euro a month.", "420")
    assert (citation.left, citation.right) == ("the workshop is ", None)
    changed = "The rent of the workshop is 430 euro a month. Bus 420 stops at the corner of the street."
    assert state(citation, changed) is CitationState.WITHDRAWN


def test_the_same_file_verifies_and_says_nothing() -> None:
    checked = verify(cited(NOTE, LEASE), document(NOTE))
    assert (checked.state, checked.span, checked.why) == (CitationState.VERIFIED, cited(NOTE, LEASE).span, "")


def test_text_behind_leaves_a_quote_verified_and_text_before_moves_it() -> None:
    citation = cited(NOTE, LEASE)
    assert state(citation, NOTE + "More.\n") is CitationState.VERIFIED
    moved = verify(citation, document("New.\n" + NOTE))
    assert (moved.state, moved.span) == (CitationState.MOVED, Span(citation.span.start + 5, citation.span.end + 5))
    assert moved.sha256 == document("New.\n" + NOTE).origin.sha256


@pytest.mark.parametrize("at", range(len(LEASE)))
def test_one_other_character_inside_withdraws(at: int) -> None:
    changed = LEASE[:at] + ("x" if LEASE[at] != "x" else "y") + LEASE[at + 1 :]
    checked = verify(cited(NOTE, LEASE), document(NOTE.replace(LEASE, changed)))
    assert (checked.state, checked.span) == (CitationState.WITHDRAWN, None)
    assert checked.why == "the quote is no longer in the file"


def test_a_quote_that_came_twice_is_withdrawn_once_it_no_longer_stands_where_it_stood() -> None:
    citation = cited(NOTE, LEASE)
    assert state(citation, f"{NOTE}\n{LEASE}\n") is CitationState.VERIFIED
    checked = verify(citation, document(f"{LEASE}\n\n{NOTE}"))
    assert (checked.state, checked.why) == (
        CitationState.WITHDRAWN,
        "the quote stands in the file more than once now",
    )


def test_one_of_many_is_found_again_by_what_stood_beside_it() -> None:
    citation = cited(LIST, "Status: done.", nth=2)
    moved = verify(citation, document("# Weeks\n\n" + LIST))
    assert (moved.state, moved.span) == (CitationState.MOVED, Span(citation.span.start + 9, citation.span.end + 9))


def test_one_of_many_whose_section_went_is_not_taken_for_its_neighbour() -> None:
    citation = cited(LIST, "Status: done.", nth=2)
    section = LIST[LIST.index("## Week 3") : LIST.index("## Week 4")]
    assert state(citation, LIST.replace(section, "")) is CitationState.WITHDRAWN
    # The same words stand at the same place, and nothing beside them is as it was.
    others = LIST.replace("Week 3", "Week 9").replace("Week 4", "Week 7")
    assert others.startswith("Status: done.", citation.span.start)
    assert state(citation, others) is CitationState.WITHDRAWN


def test_an_entry_that_went_gives_its_right_side_to_the_one_before() -> None:
    rows = [
        f"- {name}: paid in full on the first of May\n" for name in ("Ashgrove", "Birchwood", "Cedarholm", "Elmfield")
    ]
    quote = "paid in full on the first of May"
    for citation in (cited("".join(rows), quote, nth=2), cited("".join(rows), "in full", nth=2)):
        assert state(citation, "".join([*rows[:2], rows[3]])) is CitationState.WITHDRAWN
        assert state(citation, "".join(rows[1:])) is CitationState.MOVED
        assert state(citation, "New.\n" + "".join(rows)) is CitationState.MOVED


def test_what_stands_at_the_other_end_of_a_text_is_not_beside_the_quote() -> None:
    left, right = "everything before", "everything behind"
    old = f"{left} in full {right}, in full"
    citation = cited(old, " in full ")
    assert state(citation, f" in full {right}, in full, and in full {left}") is CitationState.WITHDRAWN


def test_one_of_many_keeps_one_side_when_the_other_is_written_anew() -> None:
    story = "The gate was painted. " + LEASE + " It is quiet there. " + LEASE + " Nobody minds the noise at all."
    citation = cited(story, LEASE, nth=1)
    changed = story.replace("It is quiet there.", "Something quite different, and longer.")
    assert state(citation, changed) is CitationState.MOVED


def test_a_text_of_one_letter_gives_no_place_to_find_again() -> None:
    text = "a" * 3000
    citation = record(document(text), Span(1000, 1100), root="")
    assert (citation.left, citation.right) == (None, None)
    assert state(citation, text) is CitationState.VERIFIED
    checked = verify(citation, document(text + "a"))
    assert (checked.state, checked.why) == (
        CitationState.WITHDRAWN,
        "the file changed, and the quote was never the only one of its kind in it",
    )


@pytest.mark.parametrize("text", ["a" * 1_000_000, "ab" * 500_000, ("a" * 999 + "b") * 1000])
def test_a_million_equal_letters_cost_no_more_than_any_others(text: str) -> None:
    started = time.process_time()
    for start, size in ((0, 3), (500_000, 20), (300_000, 5000)):
        citation = record(document(text), Span(start, start + size), root="")
        verify(citation, document("b" + text))
        verify(replace(citation, left="", right=""), document(text[:-1] + "c"))
        verify(replace(citation, left=text[:512], right=text[:512]), document(text + "c"))
    assert time.process_time() - started < 10


def test_other_line_ends_beside_a_quote_do_not_matter() -> None:
    citation = cited(LIST, "Status: done.", nth=2)
    windows = LIST.replace("\n", "\r\n")
    checked = verify(citation, document(windows))
    assert checked.state is CitationState.MOVED
    assert checked.span is not None
    assert checked.span.start == citation.span.start + LIST[: citation.span.start].count("\n")
    back = record(document(windows), checked.span, root="")
    assert verify(back, document(LIST)).span == citation.span


@pytest.mark.parametrize(("old", "new"), [("\n", "\r\n"), ("Due on the", "Due\non   the"), ("\n", "\n> ")])
def test_a_quote_of_prose_that_was_filled_anew_moves(old: str, new: str) -> None:
    citation = cited(NOTE, "## Rent\n\nDue on the first day")
    changed = NOTE.replace(old, new)
    checked = verify(citation, document(changed, reader="markdown/1"))
    assert checked.state is CitationState.MOVED
    assert checked.span is not None
    found = changed[checked.span.start : checked.span.end]
    assert found.replace(">", "").split() == ["##", "Rent", "Due", "on", "the", "first", "day"]
    for other in (changed.replace("first", "last"), changed.replace("Due", "Du e"), changed + changed):
        assert verify(citation, document(other, reader="markdown/1")).state is CitationState.WITHDRAWN


@pytest.mark.parametrize(
    ("reader", "old", "quote", "new"),
    [
        ("markdown", "We are not able to pay the rent.", "not able to pay the rent", "We are notable to pay the rent."),
        ("markdown", "It costs 1 000 euros, all in.", "1 000 euros, all in.", "It costs 1000 euros, all in."),
        ("markdown", "It must be > 5 ms by now, always.", "> 5 ms by now, always", "It must be < 5 ms by now, always."),
        (
            "markdown",
            "```\nif x:\n    aaa()\n    bbbb()\n```\n",
            "aaa()\n    bbbb()",
            "```\nif x:\n    aaa()\nbbbb()\n```\n",
        ),
        ("python", "if x:\n    aaa()\n    bbbb()\n", "aaa()\n    bbbb()", "if x:\n    aaa()\nbbbb()\n"),
        ("csv", "made,at\nthe weir,1 900\n", "at\nthe weir,1 900", "made,at\nthe  weir,1 900\n"),
        ("plain", "1st   2nd\nlantern    7\n", "2nd\nlantern    7", "1st   2nd\nlantern 7\n"),
        (
            "plain",
            "这个村子的人都知道，东京 大阪之间的路很远很远。",
            "都知道，东京 大阪之间的路很远很远",
            "这个村子的人都知道，东京大阪之间的路很远很远。",
        ),
    ],
)
def test_white_space_that_means_something_withdraws(reader: str, old: str, quote: str, new: str) -> None:
    span = Span(old.index(quote), old.index(quote) + len(quote))
    citation = record(document(old, reader=f"{reader}/1"), span, root="")
    assert verify(citation, document(new, reader=f"{reader}/1")).state is CitationState.WITHDRAWN
    assert verify(citation, document(f"{old}\nMore.", reader=f"{reader}/1")).state is CitationState.VERIFIED


def test_ideographs_are_joined_where_a_line_breaks() -> None:
    old = "这个村子的人都知道，从这里到大阪的路很远。"
    citation = cited(old, "子的人都知道，从这里到大阪的路很远。")
    assert state(citation, old.replace("到大", "到\n大")) is CitationState.MOVED


def test_what_is_ours_repeats_a_quote_without_making_it_ambiguous() -> None:
    block = f"<!-- lens:begin q1 {{}} -->\n{LEASE}\n<!-- lens:end q1 -->\n"
    text = block + NOTE
    own = (Span(0, len(block)),)
    checked = verify(cited(NOTE, LEASE), document(text, ours=own))
    assert (checked.state, checked.span) == (CitationState.MOVED, Span(text.rindex(LEASE), text.rindex(LEASE) + 47))
    assert verify(cited(NOTE, LEASE), document(block, ours=own)).state is CitationState.WITHDRAWN
    again = record(document(text, ours=own), checked.span or Span(0, 0), root="")
    assert (again.left, again.right) == ("", "")


def test_a_citation_that_was_changed_by_hand_is_withdrawn_though_the_file_is_the_same() -> None:
    citation = cited(NOTE, LEASE)
    for altered in (
        replace(citation, quote=LEASE.replace("2031", "2041")),
        replace(citation, span=Span(0, len(LEASE))),
        replace(citation, quote="lease"),
        replace(citation, quote=""),
    ):
        assert verify(altered, document(NOTE)).state is CitationState.WITHDRAWN


def test_another_version_of_an_extracting_reader_can_tell_nothing() -> None:
    citation = record(document(NOTE, reader="notebook/1"), cited(NOTE, LEASE).span, root="")
    now = document(NOTE, reader="notebook/2")
    assert verify(citation, now, extracted=True).state is CitationState.UNVERIFIABLE
    assert verify(citation, document(NOTE, reader="notebook/1"), extracted=True).state is CitationState.VERIFIED
    assert verify(citation, now).state is CitationState.VERIFIED


def test_a_renamed_file_keeps_its_citations_under_the_new_name() -> None:
    citation = cited(NOTE, LEASE)
    checked = follow(citation, document(NOTE, path="lease.txt"))
    assert (checked.state, checked.path, checked.span) == (CitationState.MOVED, "lease.txt", citation.span)
    assert checked.gone
    extracted = follow(citation, document(NOTE, path="lease.ipynb", reader="notebook/1"), extracted=True)
    assert (extracted.state, extracted.path) == (CitationState.UNVERIFIABLE, None)


def test_a_file_that_is_gone_withdraws_and_so_do_several_that_hold_the_same() -> None:
    citation = cited(NOTE, LEASE)
    assert [lost(citation, holders).why for holders in (0, 2)] == [
        "the file is gone",
        "the file is gone, and 2 other files hold the same",
    ]
    assert lost(citation).gone


def test_a_buffer_that_was_saved_as_it_was_is_the_same_file() -> None:
    open_note = replace(document(NOTE), origin=replace(document(NOTE).origin, source=TextSource.BUFFER))
    assert state(record(open_note, cited(NOTE, LEASE).span, root=""), NOTE) is CitationState.VERIFIED


def test_a_quote_at_the_end_is_not_known_by_its_beginning_once_there_are_fewer_of_its_kind() -> None:
    quote, above = "Met with the team today.", "All of the plans were changed.\n"
    old = f"{quote}\n\n{above}{quote}"
    citation = cited(old, quote, nth=1)
    assert (citation.right, citation.count) == (None, 2)
    assert state(citation, f"New.\n{old}") is CitationState.MOVED
    assert state(citation, f"{above}{quote}\n\nThe end.") is CitationState.WITHDRAWN  # it may be the first one


def test_what_an_editor_told_of_its_changes_says_which_one_of_many_was_cited() -> None:
    quote = "Met with the whole team on Monday."
    citation = cited(LIST, quote, nth=2)
    before = LIST.index("## Week 3")
    now = LIST[:before] + LIST[before:].replace("## Week 3\n\n", "", 1).replace("Status: done.\n", "", 1)
    assert state(citation, now) is CitationState.WITHDRAWN
    edits = (Edit(Span(before, before + 11), 0), Edit(Span(before + 35, before + 49), 0))
    checked = verify(citation, document(now), history=EditHistory(citation.sha256, edits))
    assert (checked.state, checked.span) == (CitationState.MOVED, Span(before, before + len(quote)))
    of_another_text = EditHistory("0" * 64, edits)
    assert verify(citation, document(now), history=of_another_text).state is CitationState.WITHDRAWN
    wrong = EditHistory(citation.sha256, (Edit(Span(0, 0), 5),))
    assert verify(citation, document(now), history=wrong).state is CitationState.WITHDRAWN


TEXTS = st.text(st.sampled_from("ab\n\r .é"), min_size=1, max_size=120)


@given(TEXTS, st.data())
def test_a_record_always_verifies_in_its_own_text_and_its_contexts_are_unique(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))))
    citation = record(document(text), span, root="")
    assert state(citation, text) is CitationState.VERIFIED
    for context, around in ((citation.left, (citation.left or "") + citation.quote), (citation.right, citation.quote)):
        if context:
            assert SHORTEST_CONTEXT <= len(context) <= LONGEST_CONTEXT
            whole = around if context is citation.left else citation.quote + context
            assert text.find(whole) == text.rfind(whole) >= 0
    if citation.left == "":
        assert text.find(citation.quote) == text.rfind(citation.quote)


@given(TEXTS, TEXTS, st.data())
def test_what_stands_is_always_the_quote_word_for_word(old: str, new: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(old) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(old))))
    assume(old != new)
    citation = record(document(old), span, root="")
    checked = verify(citation, document(new))
    if checked.span is None:
        assert checked.state is CitationState.WITHDRAWN
        assert checked.why
    else:
        assert new[checked.span.start : checked.span.end].split() == citation.quote.split()
        assert (checked.state is CitationState.VERIFIED) == (checked.span == span)


REPOSITORY = Path(__file__).resolve().parents[2]

REAL_TEXTS = real_texts([REPOSITORY / "docs", REPOSITORY / "tests" / "fixtures" / "languages"])


def test_changes_keep_what_they_left_alone_and_withdraw_what_they_touched() -> None:
    tally = run(600, REAL_TEXTS, seed=2)
    assert tally.false == []
    assert tally.withdrawn == tally.inside
    assert tally.share_kept() >= 0.98  # of so few
    assert len(tally.encodings) >= 8


@pytest.mark.parametrize("matcher", [first_occurrence, most_similar])
def test_a_matcher_that_guesses_fails_in_the_same_harness(matcher: Matcher) -> None:
    tally = run(400, REAL_TEXTS, seed=3, matcher=matcher)
    assert tally.false
    assert not tally.passes()


def test_the_judge_takes_two_accounts_of_one_change() -> None:
    source = Source("aaXaa", Span(0, 1), ENCODINGS[0])
    assert source.places(Changed("one a less", "aXaa", None)) == {0}
    assert source.places(Changed("the X", "aaYaa", 0)) == {0}
    assert Source("a note", Span(2, 6), ENCODINGS[0]).places(Changed("inside", "a nope", None)) == set()


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_the_judge_knows_a_quote_that_was_put_together_again(end: str) -> None:
    """Whatever ends the line beside it: a stretch that is moved may be cut between CR and LF."""
    source = Source("X. Status: done.\r\nz\r\nY. Some words.\r\nz\r\n", Span(18, 19), ENCODINGS[0])
    assert source.quote == "z"
    again = f"Y. Some words.\r\nX. Status: done.{end}z\r\n"
    assert source.rebuilt(again, len(again) - 3)
    other = f"Y. Some words.\r\nX. Status: gone.{end}z\r\n"
    assert not source.rebuilt(other, len(other) - 3)
