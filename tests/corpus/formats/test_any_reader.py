"""Every reader: any text, hostile text, long text; no exception, linear time, spans that hold."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lens_lsp.corpus.formats import readers
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH, Reader

READERS = [reader for index, reader in enumerate(readers()) if reader.name != "code" or index % 4 == 0]
"""Every reader, and a few of the languages of the one for source code."""
_PIECES = """
[ ] ` * < > ( ) { } " ' \\ # - = | _ ! ~ : , . ## [[ ]] ]( ![ [^ ``` ~~~ <!-- --> --- +++ === *** |-|- #tag
[a](b) [a][b] [[a|b]] [b]:·c <b> </p> <h1> </h1> <td> <tr> <table> <th> <pre> </pre> <script> </script> <head>
<![CDATA[ <a·href="x"> </a> .. :: ..·_a: |=== ---- #+begin_src #+end_src #+title: +--+ *·x {" ": "," [1,2]
<x:y>
\\section{ \\begin{verbatim} \\item \\title{ \\end{x} a:·b -·a 1.·b key·=·1 [[x]] [x] def·f(): class·X: // /*
*/ a,b;c lens:·private title:·x aliases:·[a,b] tags: word Ünï 漢字 😀 İ
"""
_HOSTILE = """
[ ] ` * < > ( { } " ' \\ # - = | _ ! ~ : ![ [[ ]] ]( []( [a]( <!-- <script> <pre> <a·" <a"<a"" [` \\" "\\ -·
`a``b``` [{ {"a": [1, <<  link: xref: \\section{ \\href{a}{ pub( @a· a( /* <![CDATA[ <a·href=x> >· -·-· #· ·#
¶ ·¶ |a|b|¶|-|-|¶ ```¶ [a]:·b¶ <!--·lens:begin·x·-->¶ ::¶ ----¶ #+begin_src¶ \\begin{verbatim}¶ "¶ "a, a:·|¶
a·=·\"\"\"¶ ..·_a:·b¶
"""


def _split(pieces: str) -> list[str]:
    """The pieces between blanks; ``·`` stands for a space and ``¶`` for a line break in them."""
    return [piece.replace("·", " ").replace("¶", "\n") for piece in pieces.split()]


PIECES = _split(_PIECES)
HOSTILE = _split(_HOSTILE)
BREAKS = ["\n", "\n", "\n\n", "\r\n", "\r", " ", "    ", "\t", "\u2028", "\x0c", "\x85"]
texts = st.lists(st.sampled_from(PIECES) | st.sampled_from(BREAKS) | st.text(max_size=3), max_size=60).map("".join)
SECONDS = 2.5
"""A quadratic reader needs far more for the texts below; most of it is room for a busy machine."""


@pytest.fixture(params=READERS, ids=lambda reader: f"{reader.name}-{READERS.index(reader)}")
def reader(request: pytest.FixtureRequest) -> Reader:
    found: Reader = request.param
    return found


@pytest.mark.parametrize("index", range(len(READERS)), ids=lambda index: f"{READERS[index].name}-{index}")
def test_no_text_makes_a_reader_raise_or_break_its_spans(index: int, check) -> None:
    reader = READERS[index]

    @given(texts)
    @example("")
    @example("---\nlens: private\n---\n")
    @example("\r\n\r\n# a\r\rb\r\n===\r")
    def any_text(text: str) -> None:
        extracted = reader.extract(text).text
        check(reader, extracted)
        reader.head(text[:HEAD_LENGTH])
        assert reader.extracted or extracted == text

    any_text()


@pytest.mark.long
def test_hostile_repetition_costs_linear_time(reader: Reader) -> None:
    for piece in HOSTILE:
        text = piece * (60_000 // len(piece))
        begun = time.process_time()
        reader.structure(text)
        reader.locators(text)
        reader.mask(text)
        reader.head(text[:HEAD_LENGTH])
        assert time.process_time() - begun < SECONDS, piece


@pytest.mark.long
def test_a_line_of_five_million_characters_is_read_at_once(reader: Reader) -> None:
    text = "word " * 1_000_000
    begun = time.process_time()
    reader.structure(text)
    reader.locators(text)
    reader.mask(text)
    assert time.process_time() - begun < SECONDS


def test_deep_nesting_never_recurses(reader: Reader) -> None:
    for text in ("[" * 100_000, '{"a":' * 50_000, "<div>" * 50_000, "> " * 50_000, "- " * 50_000):
        assert reader.extract(text).text == text
        reader.structure(text)


def test_line_breaks_of_any_system_give_the_same_blocks(reader: Reader) -> None:
    text = "# Title\n\none\ntwo\n\n- a\n- b\n\n|x|y|\n|-|-|\n|1|2|\n\nkey = 1\n\nlast\n"
    unix = [block.kind for block in reader.structure(text).blocks]
    for mark in ("\r\n", "\r"):
        other = text.replace("\n", mark)
        structure = reader.structure(other)
        assert [block.kind for block in structure.blocks] == unix
        for block in structure.blocks[-1:]:
            assert "last" in other[block.span.start : block.span.end]
