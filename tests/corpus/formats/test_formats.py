"""Which reader a file name gets, and what every reader keeps to, whatever the text."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lens_lsp.corpus.formats import FORMAT_SUFFIXES, rare_kind, reader_for, readers
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH, TextReader


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("note.md", "markdown"),
        ("README.MD", "markdown"),
        ("a.b.markdown", "markdown"),
        ("U.S._Bancorp", "plain"),
        ("St._Louis", "plain"),
        ("Washington,_D.C", "plain"),
        ("Amazon.com", "plain"),
        ("Makefile", "plain"),
        (".bashrc", "plain"),
        ("notes.txt", "plain"),
        ("strange.xyz", "plain"),
        ("", "plain"),
        ("dot.", "plain"),
        ("main.c", "code"),
        ("a.ipynb", "notebook"),
        ("a.tsv", "table"),
        ("a.yml", "yaml"),
        ("a.htm", "html"),
        ("a.svg", "xml"),
    ],
)
def test_the_suffix_chooses_the_reader(name: str, reader: str) -> None:
    found = reader_for(name)
    assert found is not None
    assert found.name == reader


@pytest.mark.parametrize(
    "name", ["a.png", "A.JPG", "x.tar.gz", "a.pdf", "a.docx", "lib.so", "a.sqlite", "f.woff2", "a.epub"]
)
def test_known_binary_formats_have_no_reader(name: str) -> None:
    assert reader_for(name) is None


def test_a_reader_is_made_once() -> None:
    assert reader_for("a.md") is reader_for("b.MD")


def test_names_and_versions_are_set() -> None:
    for reader in readers():
        assert reader.name
        assert reader.version >= 1
    assert {reader.name for reader in readers() if reader.extracted} == {"notebook"}


def test_format_suffixes_are_those_that_say_nothing_else() -> None:
    assert {"md", "txt", "py", "pdf"} <= FORMAT_SUFFIXES
    assert not {"c", "com", ""} & FORMAT_SUFFIXES


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
def reader(request: pytest.FixtureRequest) -> TextReader:
    found: TextReader = request.param
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
def test_hostile_repetition_costs_linear_time(reader: TextReader) -> None:
    for piece in HOSTILE:
        text = piece * (60_000 // len(piece))
        begun = time.process_time()
        reader.structure(text)
        reader.locators(text)
        reader.mask(text)
        reader.head(text[:HEAD_LENGTH])
        assert time.process_time() - begun < SECONDS, piece


@pytest.mark.long
def test_a_line_of_five_million_characters_is_read_at_once(reader: TextReader) -> None:
    text = "word " * 1_000_000
    begun = time.process_time()
    reader.structure(text)
    reader.locators(text)
    reader.mask(text)
    assert time.process_time() - begun < SECONDS


def test_deep_nesting_never_recurses(reader: TextReader) -> None:
    for text in ("[" * 100_000, '{"a":' * 50_000, "<div>" * 50_000, "> " * 50_000, "- " * 50_000):
        assert reader.extract(text).text == text
        reader.structure(text)


def test_line_breaks_of_any_system_give_the_same_blocks(reader: TextReader) -> None:
    text = "# Title\n\none\ntwo\n\n- a\n- b\n\n|x|y|\n|-|-|\n|1|2|\n\nkey = 1\n\nlast\n"
    unix = [block.kind for block in reader.structure(text).blocks]
    for mark in ("\r\n", "\r"):
        other = text.replace("\n", mark)
        structure = reader.structure(other)
        assert [block.kind for block in structure.blocks] == unix
        for block in structure.blocks[-1:]:
            assert "last" in other[block.span.start : block.span.end]


LOCKS = "package-lock.json a/poetry.lock Cargo.lock b/yarn.lock go.sum uv.lock pnpm-lock.yaml Gemfile.lock"
MINIFIED = "jquery.min.js a/site.min.css app-min.js"
GENERATED = """
app.js.map a_pb2.py a_pb2_grpc.py api.pb.go a.generated.ts dist/app.js a/build/index.html x.g.dart Form1.Designer.cs
"""
VENDORED = "vendor/a.go a/node_modules/b/README.md third_party/LICENSE x/third-party/y.c Vendor/a.rb"
LICENCES = """
LICENSE a/LICENSE.txt LICENCE.md license COPYING COPYING.LESSER NOTICE ThirdPartyNotices.txt LICENSE-MIT LICENSE_MIT
third-party-notices.md UNLICENSE copyright.txt LICENSE-SUMMARY LICENSE.apache-2.0 licenses.md
"""
OTHERS = """
README.md a/lock.md locks.json src/license.py LICENSE.py licensing.md noticeable.txt notice-of-meeting.md a/notice/b.md
build/README.md docs/build.md dist.md administration.js generated.md map.md a/vendors.md builder/app.js copying-files.md
vendor.md rebuild/x.js license-to-fly.md build.js
"""


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        ("lock file", LOCKS),
        ("minified", MINIFIED),
        ("generated", GENERATED),
        ("vendored", VENDORED),
        ("licence", LICENCES),
        (None, OTHERS),
    ],
)
def test_a_path_says_what_is_searched_last(kind: str | None, paths: str) -> None:
    for path in paths.split():
        assert rare_kind(path) == kind, path
        assert rare_kind(path.replace("/", "\\")) == kind


def test_names_with_blanks_are_known() -> None:
    assert rare_kind("Third Party Notices.txt") == "licence"
    assert rare_kind("my notes on the license.md") is None


def test_no_path_is_refused() -> None:
    for path in ("", "/", "\\", "a/", ".", "😀", "license" * 10_000, "licence." + "a-" * 100_000 + "/"):
        rare_kind(path)


def test_a_path_takes_microseconds() -> None:
    begun = time.process_time()
    for _ in range(10_000):
        rare_kind("docs/guides/2024/how-to-do-it.md")
    assert time.process_time() - begun < 1
