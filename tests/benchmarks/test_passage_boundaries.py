"""The checker of passages finds each kind of fault where it was made and none where none was."""

from __future__ import annotations

import pytest

from benchmarks.passages.boundaries import tables
from benchmarks.passages.judgement import in_token, judge
from benchmarks.passages.reading import outline
from benchmarks.passages.sentences import breaks, entries, mask

NOTE = """---
title: Boats
tags: [water]
---

# Boats

A boat floats, e.g. on a lake. Dr. J. Smith built 3.5 of them in St. Louis.
See https://example.org/a.b/c for more. Then he slept.

- First the hull is laid. Then the planks are nailed.
- The sail comes last.

  It is sewn by hand.

## Engines

| Maker | Power |
|-------|-------|
| Ahlmann works | 40 |

```python
total = sum(powers)
print(total)
```

> Steam is slow. Steam is strong.
"""


def faults(
    text: str, first: str, last: str, *, path: str = "note.md", heading: tuple[str, ...] = (), **options: object
) -> set[tuple[str, str]]:
    """Kind and place of the faults of the passage that begins with ``first`` and ends with ``last``."""
    start = text.index(first)
    end = text.index(last, start) + len(last)
    return {(fault.kind, fault.where) for fault in judge(outline(path, text), start, end, heading, **options)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "last", "heading", "wanted"),
    [
        ("A boat", "St. Louis.", "Boats", set()),
        ("See https", "Then he slept.", "Boats", set()),
        ("# Boats", "Then he slept.", "Boats", set()),
        ("on a lake", "Then he slept.", "Boats", {("sentence", "begin")}),
        ("A boat", "Dr.", "Boats", {("sentence", "end")}),
        ("A boat", "J.", "Boats", {("sentence", "end")}),
        ("oat floats", "St. Louis.", "Boats", {("token", "begin")}),
        ("A boat", "built 3", "Boats", {("token", "end")}),
        ("A boat", "example.org", "Boats", {("token", "end")}),
        ("- First", "nailed.", "Boats", set()),
        ("First the", "nailed.", "Boats", {("item", "begin")}),
        ("Then the planks", "nailed.", "Boats", {("item", "begin")}),
        ("the planks", "nailed.", "Boats", {("sentence", "begin")}),
        ("- First", "is laid.", "Boats", {("item", "end")}),
        ("- The sail", "comes last.", "Boats", {("item", "end")}),
        ("- The sail", "by hand.", "Boats", set()),
        ("| Ahlmann", "| 40 |", "Engines", set()),
        ("| Ahlmann", "works |", "Engines", {("row", "end")}),
        ("40 |\n", "40 |", "Engines", {("row", "begin")}),
        ("total =", "sum(powers)", "Engines", set()),
        ("= sum", "print(total)", "Engines", {("code", "begin")}),
        ("total =", "print(", "Engines", {("code", "end")}),
        ("Steam is strong.", "strong.", "Engines", set()),
        ("> Steam", "is slow.", "Engines", set()),
        ("is slow.", "strong.", "Engines", {("sentence", "begin")}),
        ("- The sail", "| 40 |", "Boats", {("heading", "passage")}),
        ("- The sail", "## Engines", "Boats", {("heading", "passage")}),
        ("## Engines", "| 40 |", "Engines", set()),
        ("## Engines", "| 40 |", "Boats", {("label", "passage")}),
        ("- First", "nailed.", "Engines", {("label", "passage")}),
        ("---\ntitle", "# Boats", "Boats", set()),
        ("title: Boats", "[water]", "Boats", set()),
        ("title: Boats", "[water", "Boats", {("sentence", "end")}),
    ],
)
def test_a_fault_in_markdown_is_named_and_nothing_else(
    first: str, last: str, heading: str, wanted: set[tuple[str, str]]
) -> None:
    assert faults(NOTE, first, last, heading=(heading,)) == wanted


def test_a_missing_label_is_a_fault_under_a_heading_only() -> None:
    assert faults(NOTE, "- First", "nailed.") == {("label", "passage")}
    assert faults("Only text here. And more.", "Only", "here.") == set()
    assert faults("Only text here. And more.", "Only", "here.", heading=("note",)) == set()
    assert faults("Only text here. And more.", "Only", "here.", heading=("Else",)) == {("label", "passage")}


def test_the_last_element_counts_and_markup_in_a_heading_does_not() -> None:
    text = "# `run` a *job*\n\nText.\n"
    assert faults(text, "Text.", "Text.", heading=("Manual", "run a job")) == set()
    assert faults(text, "Text.", "Text.", heading=("run a job", "Manual")) == {("label", "passage")}


def test_a_quote_and_a_context_must_stand_in_the_file() -> None:
    given = outline("note.md", NOTE)
    start = NOTE.index("- First")
    end = NOTE.index("nailed.") + len("nailed.")
    assert judge(given, start, end, ("Boats",), quote=NOTE[start:end], context=[(0, 3, "---")]) == []
    wrong = judge(given, start, end, ("Boats",), quote="- First", context=[(0, 3, "***")])
    assert [fault.kind for fault in wrong] == ["verbatim", "context"]


LONG = "A sentence that never ends goes on " + "and on " * 100 + "until it ends. A short one follows here."


def test_a_true_claim_of_a_cut_takes_away_the_fault_and_a_false_one_is_a_fault() -> None:
    cut = "until"
    assert faults(LONG, "A sentence", cut) == {("sentence", "end")}
    assert faults(LONG, "A sentence", cut, cut=("end",)) == set()
    assert faults(LONG, "A short", "follows", cut=("end",)) == {("cut-claim", "end")}
    assert faults(LONG, "follows", "here.", cut=("start",)) == {("cut-claim", "begin")}
    assert faults(LONG, "A sentence", "unti", cut=("end",)) == {("token", "end")}


def test_a_long_item_may_be_left_between_its_sentences() -> None:
    item = "- " + "This is one of many sentences. " * 30 + "The end comes."
    assert faults(item, "- This", "sentences. This is one of many sentences.") == set()
    assert faults(item, "- This", "This is one") == {("sentence", "end")}
    assert faults(item, "- This", "This is one", cut=("end",)) == set()


RST = """PEP: 9999
Title: A Title
Author: One Person,
        Two Person

Abstract
========

A first sentence. A second
sentence goes on.

* An item that
  goes on. And ends.

Code
----

For example::

    first = 1
    second = 2

.. [1] A note about it.
"""


@pytest.mark.parametrize(
    ("first", "last", "heading", "wanted"),
    [
        ("A first", "goes on.", "Abstract", set()),
        ("sentence goes", "goes on.", "Abstract", {("sentence", "begin")}),
        ("PEP: 9999", "Two Person", "A Title", set()),
        ("PEP: 9999", "One Person,", "A Title", {("sentence", "end")}),
        ("* An item", "And ends.", "Abstract", set()),
        ("* An item", "goes on.", "Abstract", {("item", "end")}),
        ("first = 1", "second = 2", "Code", set()),
        ("first = 1", "second =", "Code", {("code", "end")}),
        ("* An item", "For example::", "Abstract", {("heading", "passage")}),
        ("Code\n----", "second = 2", "Code", set()),
        (".. [1]", "about it.", "Code", set()),
        ("note about", "about it.", "Code", {("sentence", "begin")}),
        ("For example", "second = 2", "Abstract", {("label", "passage")}),
    ],
)
def test_a_fault_in_restructuredtext_is_named_and_nothing_else(
    first: str, last: str, heading: str, wanted: set[tuple[str, str]]
) -> None:
    assert faults(RST, first, last, path="pep-9999.rst", heading=(heading,)) == wanted


def test_plain_text_is_read_by_paragraphs_and_chapters() -> None:
    book = "A Book\n\n\nCHAPTER I\n\nIt began\nin a storm. It rained.\n\n\nCHAPTER II\n\nIt ended.\n"
    assert faults(book, "It began", "It rained.", path="book.txt") == set()
    assert faults(book, "in a storm", "It rained.", path="book.txt") == {("sentence", "begin")}
    assert faults(book, "It began", "It ended.", path="book.txt") == {("heading", "passage")}
    assert faults(book, "It ended.", "It ended.", path="book.txt", heading=("CHAPTER II",)) == set()
    assert faults(book, "It ended.", "It ended.", path="book.txt", heading=("CHAPTER I",)) == {("label", "passage")}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("One ends. Two begins.", 1),
        ("He paid 3.5 to Mr. Brown, i.e. to J. K. Brown of St. Ives.", 0),
        ("Wait... what is it? I know.", 1),
        ('"What is it?" he asked. "Nothing."', 1),
        ('See `a. B` and [this](x.y "A. B") there.', 0),
        ("It closed at 5 p.m. The doors were shut.", 1),
        ("(All of it.) Then **more.** And a note.[^1] Last.", 3),
        ("煮沸后关火。加入盐。", 1),
        ("See No. 5 of vol. 2 on p. 3.", 0),
        ("Use apples, pears, etc. for it.", 0),
    ],
)
def test_sentences_end_where_a_reader_would_say_so(text: str, number: int) -> None:
    assert len(list(breaks(mask(text), 0, len(text)))) == number


def test_minutes_are_entries_and_wrapped_prose_is_not() -> None:
    minutes = "Moderator: the chair\nNotes: the scribe\nNew release is out on Monday, all tests pass\nNobody objects"
    prose = (
        "This is a paragraph that was wrapped at some\ncolumn by an editor and of which every line is\n"
        "about as long as any other line of the same\nparagraph"
    )
    assert entries(minutes, 0, len(minutes))
    assert not entries(prose, 0, len(prose))


def test_a_place_between_words_is_in_no_token() -> None:
    assert in_token("well-known", 4)
    assert in_token("a@b.example", 2)
    assert not in_token("one two", 3)
    assert not in_token("end.", 3)
    assert not in_token("盐和糖", 1)


def test_the_tables_name_every_kind() -> None:
    for kind in ("token", "sentence", "item", "row", "code", "heading", "label", "verbatim"):
        assert kind in tables([])


def kinds(path: str, text: str, passage: str) -> list[str]:
    start = text.index(passage)
    return [fault.kind for fault in judge(outline(path, text), start, start + len(passage), [])]


def test_texts_in_yaml_are_left_between_sentences_and_nowhere_else() -> None:
    text = "faq:\n  - name: one\n    answer: |\n      It is long. It goes\n      on. Then it ends.\n    url: https://example.org\n"
    assert kinds("a.yml", text, "It goes\n      on.") == []
    assert kinds("a.yml", text, "name: one") == []
    assert kinds("a.yml", text, "goes\n      on.") == ["code"]
    assert kinds("a.yml", text, "https://example.org") == ["code"]


def test_a_bracket_closed_on_the_next_line_begins_no_item() -> None:
    text = "Ozone\n\nOne molecule (O\n4) was found. It is red.\n\nTwo hold:\n4) First. It is.\n"
    assert kinds("Ozone", text, "It is red.") == []
    assert kinds("Ozone", text, "It is.") == ["item"]
    formula = "Oxygen\n\nIt has the formula O\n2. Two atoms are bound. They are.\n"
    assert kinds("Oxygen", formula, "They are.") == []
    counted = "Rules\n\nSome:\n1. First\n2. Second. Last.\n"
    assert kinds("Rules", counted, "Last.") == ["item"]


def test_a_row_goes_on_only_where_its_first_column_is_blank() -> None:
    text = "===== =====\nlevel what\n===== =====\n    1 one\n    2 two\n      more\n===== =====\n\nOn.\n"
    assert kinds("a.rst", text, "2 two\n      more") == []
    assert kinds("a.rst", text, "2 two") == ["row"]


def test_sections_may_be_underlined_with_any_punctuation() -> None:
    found = outline("a.rst", "IRIX\n////\n\nText.\n\nMore\n%%%%\n\nText.\n")
    assert [(title.texts[0], title.level) for title in found.titles] == [("IRIX", 1), ("More", 2)]


def test_paragraphs_of_a_long_item_and_tags_are_ends() -> None:
    text = f"- First\n\n  {'It goes on. ' * 60}\n\n{{% alert %}}\nThis is new.\n"
    assert kinds("a.md", text, "- First") == []
    assert kinds("a.md", text, "This is new.") == []
    assert kinds("a.md", text, "goes on. It") == ["sentence", "sentence"]


@pytest.mark.parametrize(
    "text",
    ["It rode on a Saturn V. It was big.", "For all n. This holds.", "A hall for the Arts. Some pay.", "So.[d] Then."],
)
def test_sentences_that_end_in_a_letter_or_a_note(text: str) -> None:
    assert len(list(breaks(mask(text), 0, len(text)))) == 1


def test_marks_at_the_end_of_an_item_may_be_left_out() -> None:
    text = "- See it (all)\n  * \n- Next.\n"
    assert kinds("a.md", text, "- See it (all)") == []
    assert kinds("a.md", text, "- See it (") == ["sentence"]


def test_initials_end_nothing() -> None:
    text = "Known as W. A. Sullivan and J. P. Morgan, see Brown v. Board and art. 5"
    assert not list(breaks(mask(text), 0, len(text)))
