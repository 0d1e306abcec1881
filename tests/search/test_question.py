"""Terms of a question, other spellings, related words, subjects of definitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from small_workspace import FILLER, Workspace

from lens_lsp.app.lens import Lens
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.words import words
from lens_lsp.search.question import Related, ScanQuestion, Vocabulary, definition_of, prepare, spellings, vocabulary

Make = Callable[[Mapping[str, str]], Workspace]
TABLE = Vocabulary(b"\nbig\t5.5\tlarge:0.9 huge:0.71\nlarge\t4.9\tbig:0.9\nodd\t1.0\t\nzen\t3.5\tcalm:0.62\n")
UNKNOWN = ["", "bi", "ig", "bigger", "Big", "großes", "東京", "3", "big\t5", "big\nlarge", "large:0.9", "5.5"]


def ready(question: str) -> ScanQuestion:
    return prepare(analyse(question))


def test_words_with_one_stem_are_one_term() -> None:
    question = ready("Which planets circle a planet?")
    assert question.terms == ("planets", "circle")
    assert [literal.data for (literal,) in question.literals] == [b"planet", b"circl"]


@example("00.0")
@given(st.text(max_size=60))
def test_each_term_has_its_literals_and_no_two_terms_share_one(text: str) -> None:
    question = ready(text)
    # Parts of one number share its other spellings, never what they are written as.
    own = [literals[0] for literals in question.literals]
    assert len(question.terms) == len(question.literals)
    assert len(own) == len(set(own))
    assert all(len(literals) == len(set(literals)) for literals in question.literals)
    assert all(literal.data for literals in question.literals for literal in literals)


@given(st.text(max_size=60))
def test_the_words_of_the_question_are_kept_in_order(text: str) -> None:
    question = ready(text)
    assert list(question.words) == words(text)
    assert len(question.capital) == len(question.words)


@pytest.mark.parametrize(
    ("text", "capitals"),
    [("Did Ada see the 3 ships", ["did", "ada", "3"]), ("nothing here", []), ("see Éva and zoë", ["eva"])],
)
def test_words_written_with_a_capital_or_a_digit_are_known(text: str, capitals: list[str]) -> None:
    question = ready(text)
    assert [word for word, capital in zip(question.words, question.capital, strict=True) if capital] == capitals


def test_phrases_have_two_words_or_more() -> None:
    assert ready("Was Ada Lovelace in Paris?").phrases == (("ada", "lovelace", "in", "paris"),)
    assert ready("Was Paris large?").phrases == ()


def test_a_name_of_stop_words_only_is_looked_for_as_a_whole() -> None:
    question = ready("Which singer left the band The Who?")
    assert "the who" in question.terms
    (literal,) = question.literals[question.terms.index("the who")]
    assert literal.data == b"the who"
    assert literal.suffix == 0


@pytest.mark.parametrize(
    ("asked", "word", "other"),
    [
        ("who paid 1234.5", "1234", "1,234.50"),
        ("who paid $1,234.50", "234", "1234.5"),
        ("wer zahlte 1.234,50 €", "50", "1,234.5"),
        ("rent of 1200", "1200", "1,200"),
        ("a share of 0.125", "125", "12.5%"),
        ("a share of 0.25", "25", "25 %"),
        ("0.05 of them", "05", "5%"),
        ("1 234 567 people", "567", "1,234,567"),
        ("1.234.567 people", "567", "1'234'567"),
        ("12.50 each", "12", "12,5"),
        ("in 1996", "1996", "1,996"),
        ("-1234.5", "1234", "1.234,5"),
    ],
)
def test_other_spellings(asked: str, word: str, other: str) -> None:
    assert other in spellings(asked)[word]


@pytest.mark.parametrize(
    "asked",
    ["version 1.2.3", "2024-03-01", "10.0.0.1", "at 13:05", "12/03/2024", "call 555-1234", "3 men", "b1234", "1" * 16],
)
def test_what_is_no_amount_has_one_spelling(asked: str) -> None:
    assert spellings(asked) == {}


def test_a_year_is_not_looked_for_in_every_way() -> None:
    assert spellings("in 1996") == {"1996": ("1,996",)}


@pytest.mark.parametrize(
    ("asked", "cell"),
    [
        ("1234.5", "$1,234.50"),
        ("$1,234.50", "$1,234.50"),
        ("1.234,50", "$1,234.50"),
        ("0.125", "12.5%"),
        ("12.5%", "12.5%"),
        ("2500", "2,500.00"),
        ("7,300.25", "7300.25"),
    ],
)
def test_a_number_is_found_by_its_value_and_by_its_looks(tmp_path: Path, asked: str, cell: str) -> None:
    rows = ["Harrow | 30.1% | $7,777.25", "Baler | 12.5% | $9,000.99", "Drill | 3.3% | $1,234.50", "Seed | 2,500.00"]
    texts = [*rows, "Plough | 7300.25", "1 share of 234 with 50 others", "125 people and 5 machines in 0 places"]
    for number, text in enumerate(texts):
        (tmp_path / f"row{number}.md").write_text(f"{text}\n")
    found = Lens([tmp_path]).find(asked).evidence
    assert cell in found[0].quote


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is a sundial?", "sundial"),
        ("what's a sundial", "sundial"),
        ("What’s the sundial?", "sundial"),
        ("What are sundials?", "sundial"),
        ("Who is Mira Tolvanen?", "mira tolvanen"),
        ("Define sundial.", "sundial"),
        ("definition of sundial", "sundial"),
        ("What does WSGI stand for?", "wsgi"),
        ('What does "gnomon" mean?', "gnomon"),
        ("Explain Größe", "grosse"),
    ],
)
def test_a_question_for_a_definition_names_its_subject(question: str, name: str) -> None:
    definition = definition_of(question)
    assert definition is not None
    assert name in definition.names


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What is?",
        "What is ?",
        "When was the sundial built?",
        "How is a sundial made?",
        "sundial",
        "What is the name of the man who built the old sundial in town?",
        "What is a sundial, and who built it?",
        "Somebody asked: what is a sundial",
    ],
)
def test_any_other_question_asks_for_none(question: str) -> None:
    assert definition_of(question) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "A sundial is a clock.",
        "Sundials are clocks.",
        "The sundial (also: shadow clock) is a clock.",
        "Sundial means clock.",
        "**Sundial** refers to a clock.",
        "A sundial, as is known, denotes a clock.",
    ],
)
def test_a_sentence_that_says_what_it_is_comes_before_those_that_only_name_it(workspace: Make, sentence: str) -> None:
    others = {f"{number}.md": "Near the gate we saw the sundial, a sundial, the sundial.\n" for number in range(4)}
    space = workspace({**others, "z.md": f"It rained.\n\n{sentence}\n", **FILLER})
    path, quote = space.passages("What is a sundial?")[0]
    assert path == "z.md"
    assert sentence in quote


def test_what_a_title_or_a_heading_introduces_comes_first(workspace: Make) -> None:
    introduced = "Shadows tell the hour on it."
    naming = "Sundial here, sundial there, and one more sundial.\n"
    for files in (
        {"a.md": naming, "clocks.md": f"# Clocks\n\nThere are many.\n\n## Sundial\n\n{introduced}\n"},
        {"a.md": naming, "clocks.md": f"# Sundial\n\n{introduced}\n\n## History\n\n{naming}"},
    ):
        path, quote = workspace({**files, **FILLER}).passages("What is a sundial?")[0]
        assert path == "clocks.md"
        assert introduced in quote


def test_metadata_never_define_anything(workspace: Make) -> None:
    head = "---\ntitle: Sundial\ntags: [sundial]\ndescription: sundial sundial\n---\n\n"
    space = workspace({"a.md": f"{head}A clock with a shadow.\n", **FILLER})
    assert space.passages("What is a sundial?")[0] == ("a.md", "A clock with a shadow.")


def test_a_question_that_asks_for_no_definition_is_not_affected(workspace: Make) -> None:
    text = "A sundial is a clock.\n\n# Gate\n\nThe sundial of the gate was built by Elise Morrow.\n"
    first = workspace({"a.md": text, **FILLER}).passages("Who built the sundial of the gate?")[0][1]
    assert "built by Elise Morrow" in first
    assert "is a clock" not in first


def test_a_subject_is_compared_as_written_and_no_pattern() -> None:
    definition = definition_of("What is s[iu]ndial?")
    assert definition is not None
    assert definition.pattern.match("Sundial is a word") is None
    assert definition.pattern.match("S[iu]ndial is a pattern") is not None


def test_a_word_is_found_by_the_whole_of_it() -> None:
    assert TABLE.related("big") == [Related("large", 0.9), Related("huge", 0.71)]
    assert TABLE.related("zen") == [Related("calm", 0.62)]
    assert TABLE.related("odd") == []
    assert all(TABLE.knows(word) for word in ("big", "large", "odd", "zen"))


@pytest.mark.parametrize("word", UNKNOWN)
def test_a_word_that_is_not_in_the_table_counts_in_full_and_has_no_others(word: str) -> None:
    assert not TABLE.knows(word)
    assert TABLE.weight(word) == 1.0
    assert TABLE.related(word) == []


def test_common_words_count_less_and_none_counts_nothing() -> None:
    assert TABLE.weight("odd") == 1.0
    assert TABLE.weight("zen") == pytest.approx(0.9)
    assert TABLE.weight("big") == pytest.approx(0.5)
    assert Vocabulary(b"\nthe\t7.7\t\n").weight("the") == 0.3


@given(st.text(max_size=20))
def test_whatever_is_looked_up_has_a_weight_within_bounds(word: str) -> None:
    assert 0.3 <= vocabulary().weight(word) <= 1.0
    assert all(0 < related.likeness <= 1 for related in vocabulary().related(word))


def test_the_table_that_is_shipped_holds_what_it_promises() -> None:
    table = vocabulary()
    for word in ("car", "begin", "price", "house"):
        found = table.related(word)
        assert found
        assert word not in [related.word for related in found]
        likeness = [related.likeness for related in found]
        assert likeness == sorted(likeness, reverse=True)
        assert 0.62 <= likeness[-1] <= likeness[0] <= 1.0
        assert all(related.word.isascii() and related.word == related.word.lower() for related in found)
    assert table.weight("people") < table.weight("kettle") <= 1.0
    assert not table.knows("what")  # a stop word is nothing to look for


def test_a_question_looks_for_no_related_word_that_it_holds_itself() -> None:
    word = "car"
    other = vocabulary().related(word)[0].word
    alone, both = prepare(analyse(word)), prepare(analyse(f"{word} {other}"))
    assert other in [related.word for related in alone.related]
    assert other not in [related.word for related in both.related]
    assert len(both.scanned) == len(both.literals) + len(both.related)
    assert all(both.terms[related.term] in (word, other) for related in both.related)


def test_words_of_other_languages_have_no_related_ones() -> None:
    assert prepare(analyse("größe 東京 свобода")).related == ()


def test_a_long_question_looks_for_a_limited_number_of_related_words() -> None:
    words = ["car", "begin", "price", "house", "fast", "doctor", "money", "teacher", "happy", "river", "ship"] * 3
    many = prepare(analyse(" ".join([*words, "small", "king", "food", "school", "forest", "road", "music", "book"])))
    assert 0 < len(many.related) <= 64
