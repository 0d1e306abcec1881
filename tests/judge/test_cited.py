"""The sentences of an answer and what they cite."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.answer_markdown import cited_sentences

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
