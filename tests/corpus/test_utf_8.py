"""What is UTF-8 is told as Python's strict decoder tells it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.encoding import is_utf_8

# Every first byte after which the second is restricted, and both sides of every limit.
EDGES = bytes((0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED))
MORE_EDGES = bytes((0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF))
BYTES = st.lists(st.sampled_from(EDGES + MORE_EDGES), max_size=6).map(bytes)
TEXT = st.text(max_size=4).map(lambda text: text.encode("utf-8", "replace"))
PLAIN = b" some words that are ASCII alone " * 4


def decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@given(st.lists(st.one_of(BYTES, TEXT), max_size=3).map(b"".join), st.sampled_from([b"", PLAIN]))
def test_bytes_are_taken_exactly_when_the_decoder_takes_them(data: bytes, around: bytes) -> None:
    for whole in (data, around + data, around + data + around):
        assert is_utf_8(whole) == decodes(whole)


def test_a_text_of_wide_characters_alone_is_taken_too() -> None:
    assert is_utf_8("港口在这里。".encode() * 10_000)
    assert not is_utf_8("港口在这里。".encode() * 10_000 + b"\xe6")
