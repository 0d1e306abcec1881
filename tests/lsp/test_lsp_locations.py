"""File URIs, text positions and the places of evidence."""

from __future__ import annotations

import array
import os
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from lens_lsp.app.settings import Request
from lens_lsp.corpus.corpus_rules import CorpusRules, inside
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.lsp.lens_ask import FrozenQuestion, Placement, places_of, with_places
from lens_lsp.lsp.locations import Encoding, Ranges, UriRefused, code_points, encoding_of, path_of, units, uri_of
from lens_lsp.memory.citations import record
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import Context, ContextRole
from lens_lsp.model.text import Span
from lens_lsp.schema.protocol_results import PlacedEvidence
from tests.hand_made import evidence

part = st.binary(min_size=1, max_size=12).filter(lambda name: not set(name) & {0, 0x2F} and name not in (b".", b".."))


@given(st.lists(part, min_size=1, max_size=4))
def test_every_name_of_bytes_comes_back(names: list[bytes]) -> None:
    path = os.fsdecode(b"/" + b"/".join(names))
    uri = uri_of(path)
    assert uri.isascii()
    assert path_of(uri) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a%20b.md", "/a b.md"),
        ("file:///a b.md", "/a b.md"),
        ("FILE:///a", "/a"),
        ("file:/a/b", "/a/b"),
        ("file://localhost/a", "/a"),
        ("file:///a/", "/a"),
        ("file:///", "/"),
        ("file:///c%3A/x", "/c:/x"),
        ("file:///a%23b", "/a#b"),
        ("file:///a%3Fb", "/a?b"),
        ("file:///a.md#L3", "/a.md"),
        ("file:///%E6%BC%A2", "/漢"),
        ("file:///漢", "/漢"),
        ("file:///a%0Ab", "/a\nb"),
        ("file:///a%FFb", "/a\udcffb"),
        ("file:///a..b/...", "/a..b/..."),
        ("file:///a%5C..%5Cb", "/a\\..\\b"),
        ("file:///a//b", "/a//b"),
    ],
)
def test_what_editors_write_is_understood(uri: str, path: str) -> None:
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/a%20b.md", "c:\\Users\\a b.md"),
        ("file:///C:/x/", "C:\\x"),
        ("file:///c%3A/", "c:\\"),
        ("file:///c:", "c:\\"),
        ("file:///c:/a%5Cb", "c:\\a\\b"),
    ],
)
def test_a_path_of_windows_has_its_drive_and_a_drive_its_root(uri: str, path: str) -> None:
    assert path_of(uri, windows=True) == path


@pytest.mark.parametrize(("path", "uri"), [("c:\\Users\\a b.md", "file:///c:/Users/a%20b.md"), ("C:\\", "file:///C:/")])
def test_a_path_of_windows_becomes_one_with_slashes(path: str, uri: str) -> None:
    assert uri_of(path, windows=True) == uri


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("file:///a/b", "no drive"),
        ("file:///1:/b", "no drive"),
        ("file:///c:x", "no drive"),
        ("file:///cc:/x", "no drive"),
        ("file:////host/share", "no drive"),
        ("file:///c:/a/../b", "a path that is not plain"),
        ("file:///c:/a%5C..%5Cb", "a path that is not plain"),
        ("file:///c:/.", "a path that is not plain"),
    ],
)
def test_windows_has_no_path_for(uri: str, why: str) -> None:
    with pytest.raises(UriRefused) as caught:
        path_of(uri, windows=True)
    assert str(caught.value) == why


def test_only_what_uris_keep_for_themselves_is_escaped() -> None:
    path = "/a (b)!$&'*+,;=:@-._~/#?%[]é.md"
    assert uri_of(path, windows=False) == "file:///a%20(b)!$&'*+,;=:@-._~/%23%3F%25%5B%5D%C3%A9.md"


NO_FILE, ANOTHER_HOST, NOT_PLAIN = "not a file: URI", "a file on another host", "a path that is not plain"


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("", NO_FILE),
        ("x", NO_FILE),
        ("/a", NO_FILE),
        ("file:", NO_FILE),
        ("file:a", NO_FILE),
        ("file://", NOT_PLAIN),
        ("file://host/share/a", ANOTHER_HOST),
        ("file://10.0.0.1/a", ANOTHER_HOST),
        ("file:////host/share", NOT_PLAIN),
        ("file:///%2Fhost/share", NOT_PLAIN),
        ("file:///a/../b", NOT_PLAIN),
        ("file:///a/%2e%2e/b", NOT_PLAIN),
        ("file:///./a", NOT_PLAIN),
        ("file:///a%00b", "a NUL in a path"),
        ("file:///a\0b", "a NUL in a path"),
        ("file:///a%zz", "a % that escapes nothing"),
        ("file:///a?b", NO_FILE),
        ("file:///\ud800", "half a surrogate pair"),
        ("untitled:Untitled-1", NO_FILE),
        ("vscode-notebook-cell:/a.ipynb#c1", NO_FILE),
        ("http://h/a", NO_FILE),
        ("git:/a", NO_FILE),
        (" file:///a", NO_FILE),
    ],
)
def test_what_names_no_file_of_ours_is_refused(uri: str, why: str) -> None:
    with pytest.raises(UriRefused) as caught:
        path_of(uri, windows=False)
    assert str(caught.value) == why


@given(st.text(max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    for uri in (text, "file:" + text, "file:///" + text):
        try:
            path = path_of(uri)
        except UriRefused:
            continue
        assert os.path.isabs(path)
        assert "\0" not in path
        assert ".." not in path.split("/")


def test_inside_is_by_whole_names() -> None:
    assert inside("/a/b", "/a")
    assert inside("/a", "/a")
    assert inside("/a", "/")
    assert not inside("/ab", "/a")


LINE = "\x7f\x80\u07ff\u0800\uffff\U00010000z"
"""Characters at both sides of every change of width."""
WIDTHS = {Encoding.Utf8: (1, 2, 2, 3, 3, 4, 1), Encoding.Utf16: (1, 1, 1, 1, 1, 2, 1), Encoding.Utf32: (1,) * 7}


@pytest.mark.parametrize("encoding", list(Encoding))
def test_every_unit_of_a_line_lies_in_its_character(encoding: Encoding) -> None:
    at = 0
    for count, width in enumerate(WIDTHS[encoding]):
        assert units(LINE[:count], encoding) == at
        assert [code_points(LINE, at + unit, encoding) for unit in range(width)] == [count] * width
        at += width
    assert units(LINE, encoding) == at
    assert [code_points(LINE, beyond, encoding) for beyond in (at, at + 1, 27, 28, 29)] == [7] * 5


def test_below_the_largest_width_of_all_a_line_is_still_counted() -> None:
    assert code_points("\U00010000" * 3, 11, Encoding.Utf8) == 2
    assert code_points("\U00010000" * 3, 12, Encoding.Utf8) == 3


def test_half_a_pair_has_a_width_too() -> None:
    assert (units("\ud800x", Encoding.Utf8), units("\ud800x", Encoding.Utf16)) == (4, 2)
    assert code_points("\ud800x", 3, Encoding.Utf8) == 1


def test_an_encoding_that_is_none_is_the_default_of_the_protocol() -> None:
    assert [encoding_of(name) for name in ("utf-8", "utf-16", "utf-32")] == list(WIDTHS)
    assert encoding_of("latin-1") is Encoding.Utf16


def test_ranges_go_both_ways_over_lines_and_may_be_reversed() -> None:
    text = "é😀\r\nsecond\n\nlast"
    ranges = Ranges(text, Encoding.Utf16)
    found = ranges.range(Span(1, 8))
    assert found == types.Range(types.Position(0, 1), types.Position(1, 4))
    assert ranges.span(found.end, found.start) == ranges.span(found.start, found.end) == Span(1, 8)


def test_a_place_beyond_a_line_is_before_its_end_and_one_beyond_the_text_its_end() -> None:
    ranges = Ranges("é😀\r\nsecond\n\nlast", Encoding.Utf16)
    places = [(0, 99), (1, 99), (2, 5), (3, 0), (3, 4), (3, 5), (4, 0), (99, 1)]
    assert [ranges.offset(types.Position(*place)) for place in places] == [2, 10, 11, 12, 16, 16, 16, 16]


SAID = "The lantern of Tirubel was lit in 1500."
TEXT = f"# Alpha\n\n{SAID}\n\n# Beta\n\nOther words.\n"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text(TEXT)
    return path


def cited(note: Path) -> Citation:
    with Root(str(note.parent)) as root:
        document = Snapshot([root], {}, CorpusRules()).document(0, note.name)
        start = document.text.index(SAID)
        return record(document, Span(start, start + len(SAID)), root=root.path)


def place(citation: Citation, *buffers: Buffer) -> Placement | None:
    by_path = {buffer.path: buffer for buffer in buffers}
    return places_of({1: citation}, CorpusRules(), by_path, types.PositionEncodingKind.Utf16).get(1)


def test_a_quote_is_found_where_it_stands_now(note: Path) -> None:
    citation = cited(note)
    found = place(citation)
    assert found is not None
    assert (found.uri, found.range.start.line) == (note.as_uri(), 2)
    note.write_text(f"Above.\n\n{TEXT}")
    found = place(citation)
    assert found is not None
    assert found.range.start.line == 4


def test_an_open_text_counts_as_it_is(note: Path) -> None:
    citation = cited(note)
    found = place(citation, Buffer(str(note), f"Above.\n{TEXT}"))
    assert found is not None
    assert found.range.start.line == 3
    assert place(citation, Buffer(str(note), "Nothing.\n")) is None


def test_a_file_under_another_name_is_followed(note: Path) -> None:
    citation = cited(note)
    moved = note.rename(note.with_name("other.md"))
    found = place(citation)
    assert found is not None
    assert found.uri == moved.as_uri()
    moved.unlink()
    assert place(citation) is None


def test_the_same_words_elsewhere_are_another_place(note: Path) -> None:
    twice = f"{TEXT}\n# Gamma\n\n{SAID}\n"
    note.write_text(twice)
    citation = cited(note)
    found = place(citation)
    assert found is not None
    assert found.range.start.line == 2
    note.write_text(twice.replace(f"{SAID}\n", "", 1))
    assert place(citation) is None


def test_context_stands_where_its_quote_does_now_and_nowhere_if_it_changed(note: Path) -> None:
    citation = cited(note)
    parts = [
        Context(ContextRole.BEFORE, Span(TEXT.index("Alpha"), TEXT.index("Alpha") + 5), "Alpha"),
        Context(ContextRole.AFTER, Span(TEXT.index("Beta"), TEXT.index("Beta") + 4), "Beta"),
    ]

    def lines() -> list[int | None]:
        placed = places_of({1: citation}, CorpusRules(), {}, types.PositionEncodingKind.Utf16, contexts={1: parts})[1]
        return [None if each is None else each.start.line for each in placed.context]

    assert lines() == [0, 4]
    note.write_text(f"Above.\n\n{TEXT}")
    assert lines() == [2, 6]
    note.write_text(f"{TEXT.replace('Alpha', 'Omega')}")
    assert lines() == [None, 4]


def test_each_part_of_the_context_of_a_result_has_its_range() -> None:
    parts = (
        Context(ContextRole.HEADER, Span(0, 10), "# Contract"),
        Context(ContextRole.AFTER, Span(90, 93), "Two", cut=("end",)),
    )
    item = replace(evidence(), context=parts)
    first = types.Range(types.Position(0, 0), types.Position(0, 10))
    place = Placement(
        "file:///notes/house/contract.md", types.Range(types.Position(4, 0), types.Position(4, 47)), (first, None)
    )
    question = FrozenQuestion(Request("?"), ("/notes",), 0, Encoding.Utf16, False, "/notes")
    ([shown], warnings) = with_places([item], {item.n: place}, question)
    assert warnings == []
    assert [part["range"] for part in shown["context"]] == [first, None]
    assert [(part["role"], part["cut"]) for part in shown["context"]] == [("header", []), ("after", ["end"])]
    assert "start" not in shown
    ([gone], warnings) = with_places([item], {}, question)
    assert [part["range"] for part in gone["context"]] == [None, None]
    assert len(warnings) == 1
    assert [each.text for each in PlacedEvidence.model_validate(gone).context] == ["# Contract", "Two"]


ALPHABET = [
    *"ab é漢😀𝒳\t",
    "\n",
    "\r\n",
    "\r",
    "\x0c",
    "\x0b",
    "\x85",
    "\u2028",
    "\u2029",
    "\x1c",
    "\u0301",
]

CODES = {"utf-8": ("utf-8", "B"), "utf-16": ("utf-16-le", "H"), "utf-32": ("utf-32-le", "I")}

Place = tuple[int, int]


class Reference:
    """A text as an array of code units."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self._code, self._type = CODES[encoding]
        self._units = self._coded(text)

    @property
    def text(self) -> str:
        return self._units.tobytes().decode(self._code)

    @property
    def lines(self) -> list[int]:
        """Where each line starts, in code units."""
        starts, units, at = [0], self._units, 0
        while at < len(units):
            if units[at] == 13 and at + 1 < len(units) and units[at + 1] == 10:
                at += 1
            if units[at] in (10, 13):
                starts.append(at + 1)
            at += 1
        return starts

    def change(self, new: str, first: Place | None = None, last: Place | None = None) -> None:
        if first is None or last is None:
            self._units = self._coded(new)
            return
        start, end = sorted((self._offset(*first), self._offset(*last)))
        self._units[start:end] = self._coded(new)

    def _offset(self, line: int, character: int) -> int:
        starts = self.lines
        if line >= len(starts):
            return len(self._units)
        end = starts[line + 1] if line + 1 < len(starts) else len(self._units)
        while end > starts[line] and self._units[end - 1] in (10, 13):
            end -= 1
        at = min(starts[line] + character, end)
        while starts[line] < at < len(self._units) and self._continues(self._units[at]):
            at -= 1
        return at

    def _continues(self, unit: int) -> bool:
        return {"B": 0x80 <= unit < 0xC0, "H": 0xDC00 <= unit < 0xE000, "I": False}[self._type]

    def _coded(self, text: str) -> array.array[int]:
        return array.array(self._type, text.encode(self._code))


def drawn_text(draw: random.Random, most: int) -> str:
    return "".join(draw.choice(ALPHABET) for _ in range(draw.randrange(most)))


def drawn_edit(draw: random.Random, now: Reference) -> tuple[str, Place | None, Place | None]:
    """New text and where it goes: everywhere now and then, often beyond the end of lines and of the text."""
    new = drawn_text(draw, 8)
    if draw.random() < 0.03:
        return new, None, None
    line = draw.randrange(len(now.lines) + 2)
    first, last = (line, draw.randrange(14)), (line + draw.randrange(3), draw.randrange(14))
    return (new, last, first) if draw.random() < 0.05 else (new, first, last)
