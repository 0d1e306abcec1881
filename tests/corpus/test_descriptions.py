from __future__ import annotations

from lens_lsp.corpus.descriptions import Descriptions
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH

NOTES = {
    "in/Rare Orchid.md": "---\naliases: [Bee Plant]\ntags: [flower]\ndescription: Grows slowly\n---\n# Ophrys\n",
    "b.txt": "A short title\n\nand text",
    "c.md": "no title",
}


def described(start: int = 0) -> Descriptions:
    descriptions = Descriptions()
    readers = [reader for path in NOTES if (reader := reader_for(path)) is not None]
    descriptions.add(start, list(NOTES), readers, [text.encode() for text in NOTES.values()])
    return descriptions


def test_documents_answer_to_their_file_names_titles_and_aliases() -> None:
    descriptions = described(5)
    assert descriptions.names(5) == ("Rare Orchid", "Ophrys", "Bee Plant")
    assert descriptions.names(6) == ("b", "A short title")
    assert descriptions.titles.slots("bee plant") == [5]
    assert descriptions.titles.slots("a short title") == [6]
    assert descriptions.summaries.holders("flower") == {5}
    assert descriptions.names(0) == ()


def test_a_text_forgotten_before_it_was_looked_at_is_never_named() -> None:
    descriptions = described()
    descriptions.remove(0)
    assert descriptions.titles.slots("bee plant") == []
    assert descriptions.names(0) == ()
    assert descriptions.names(1) == ("b", "A short title")


def test_a_text_forgotten_later_is_named_no_more() -> None:
    descriptions = described()
    assert descriptions.titles.slots("bee plant") == [0]
    descriptions.remove(0)
    assert descriptions.titles.slots("bee plant") == []
    assert descriptions.summaries.holders("flower") == set()


def test_what_is_known_can_be_taken_over_under_another_number() -> None:
    new = Descriptions()
    old = described()
    new.move(old, 1, 0)
    new.move(old, 7, 1)  # about which nothing is known
    assert new.titles.slots("a short title") == [0]
    assert new.names(1) == ()


def test_a_beginning_may_end_within_a_character() -> None:
    reader = reader_for("a.txt")
    assert reader is not None
    start = ("Größe\n\n" + "ö" * 4 * HEAD_LENGTH).encode()[: 4 * HEAD_LENGTH]
    descriptions = Descriptions()
    descriptions.add(0, ["a.txt"], [reader], [start])
    assert descriptions.names(0) == ("a", "Größe")


def test_more_beginnings_than_may_wait_change_nothing() -> None:
    reader = reader_for("a.md")
    assert reader is not None
    descriptions = Descriptions()
    for number in range(5):
        names = [f"{number}-{index}.md" for index in range(1000)]
        descriptions.add(1000 * number, names, [reader] * 1000, [f"# Title {name}\n".encode() * 800 for name in names])
    assert len(descriptions.titles.slots("title 4 999 md")) == 1
    assert descriptions.names(17) == ("0-17", "Title 0-17.md")
