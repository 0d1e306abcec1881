"""TODO."""

from __future__ import annotations

import codecs
import hashlib
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.app.lens import Lens
from lens_lsp.corpus.encoding import LARGE, Decoded, Piece, cut, decode, is_utf_8
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.text import SourceText
from tests.soak import encodings

ENGLISH = "# Notes\r\n\r\nThe kettle boils at 100 degrees.\rSee the log.\n"
GERMAN = "Größe und Übermaß: die Straße führt über die Brücke, für 5 €.\n" * 4
RUSSIAN = "Заметки о погоде: сегодня дождь, завтра ясно.\nВсё.\n" * 4
CHINESE = "# 笔记\n\n今天的天气很好,我们一起去公园散步。一二三 2024。\n" * 6
JAPANESE = "# メモ\n\n今日は天気が良いので、公園を散歩した。2024年。\n" * 6


def is_binary(data: bytes) -> bool:
    try:
        decode(data)
    except Skipped as skipped:
        return skipped.reason is SkipReason.BINARY
    return False


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
@pytest.mark.parametrize("text", ["", ENGLISH, GERMAN, RUSSIAN, CHINESE, JAPANESE, "😀 emoji\n"])
def test_a_byte_order_mark_decides_and_is_no_part_of_the_text(mark, encoding, text) -> None:
    assert decode(mark + text.encode(encoding)) == Decoded(text, encoding, False, len(mark))


@pytest.mark.parametrize("text", ["", ENGLISH, GERMAN, RUSSIAN, CHINESE, "\x1b[1mansi\x1b[0m\n", "a\fb\x0bc"])
def test_strict_utf_8_is_utf_8(text) -> None:
    assert decode(text.encode()) == Decoded(text, "utf-8", False, 0)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [ENGLISH, GERMAN, RUSSIAN, CHINESE, JAPANESE, "a", "x = 1\n"])
def test_utf_16_without_a_mark_is_known_by_its_nuls(encoding, text) -> None:
    assert decode(text.encode(encoding)) == Decoded(text, encoding, False, 0)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        (RUSSIAN, "cp1251"),
        (JAPANESE, "shift_jis"),
        (CHINESE, "gb18030"),
        (RUSSIAN, "koi8-r"),
    ],
)
def test_other_bytes_are_read_by_the_fallback_and_marked_as_guessed(text, encoding) -> None:
    assert decode(text.encode(encoding), encoding) == Decoded(text, encoding, True, 0)


def test_one_bad_byte_in_a_megabyte_of_text_is_still_the_fallback() -> None:
    data = ENGLISH.encode() * 20_000 + b"caf\xe9\x81"
    decoded = decode(data)
    assert (decoded.encoding, decoded.guessed) == ("cp1252", True)
    assert decoded.text.endswith("café\ufffd")


@pytest.mark.parametrize("position", [0, 1, 100, 8191, 8192, 65_537, -1])
@pytest.mark.parametrize("text", [ENGLISH, GERMAN, CHINESE])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_nul_anywhere_makes_it_binary(position, text, count) -> None:
    data = bytearray((text * 2000).encode()[:80_000])
    position %= len(data)
    data[position:position] = b"\0" * count
    assert is_binary(bytes(data))
    assert is_binary(bytes(data) + b"x")


def test_a_nul_in_nearly_ascii_text_makes_it_binary() -> None:
    for length in range(2, 60):
        line = (b"caf\xe9 and more, " * 5)[:length]
        for position in range(length):
            assert is_binary(line[:position] + b"\0" + line[position:])


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00>\x00" * 50,
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06",
        b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(range(256)) * 4,
        b"GIF89a\x10\0\x10\0\xf0\0\0" + bytes(range(1, 256)),
        b"\xff\xfe" + bytes(range(256)) * 8,
        b"\xff\xfeA\0B\0\0\0C\0",
        b"\xef\xbb\xbfabc\0def",
        bytes(range(1, 256)) * 4,
        b"\0",
        b"\0\0",
    ],
)
def test_binary_formats_are_binary_whatever_their_name(data) -> None:
    assert is_binary(data)


def test_random_bytes_are_binary() -> None:
    source = random.Random(7)
    passed = sum(not is_binary(source.randbytes(source.randrange(200, 4000))) for _ in range(500))
    assert passed == 0


def test_random_bytes_without_a_nul_are_binary_by_their_controls() -> None:
    source = random.Random(8)
    assert all(is_binary(source.randbytes(1500).replace(b"\0", b"")) for _ in range(200))


@given(st.binary(max_size=200))
def test_the_text_is_what_the_named_encoding_makes_of_the_bytes(data) -> None:
    try:
        decoded = decode(data)
    except Skipped:
        return
    assert decoded.text == data[decoded.bom :].decode(decoded.encoding, "replace")
    decoded.text.encode("utf-8")  # no lone surrogates


@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\ufeff"), max_size=200))
def test_any_text_without_nul_survives_utf_8(text) -> None:
    assert decode(text.encode()).text == text


def test_a_quote_from_any_of_twenty_encodings_is_the_bytes_of_its_source() -> None:
    tally = encodings.run(40, seed=7)
    assert (tally.documents, len(tally.kinds), tally.wrong) == (40, 20, [])
    assert tally.guessed
    assert tally.left_out == 2


@pytest.mark.parametrize("reader", [encodings.all_utf_8, encodings.by_statistics])
def test_readers_that_guess_are_caught_where_they_are_wrong(reader: encodings.Reader) -> None:
    wrong = {each.partition(":")[0] for each in encodings.run(200, seed=7, reader=reader).wrong}
    assert {"mixed", "invalid utf-8", "utf-16-le", "euc-jp"} <= wrong
    assert "utf-8" not in wrong


MEBIBYTE = 1 << 20


def pieces_of(folder: Path, data: bytes) -> tuple[list[Piece], list[str]]:
    (folder / "big.txt").write_bytes(data)
    with Root(str(folder)) as root:
        pieces, whole = cut(root, "big.txt", "cp1252")
        assert whole.sha256 == hashlib.sha256(data).hexdigest()
        return pieces, [piece.text(root, "big.txt") for piece in pieces]


def repeated(line: str, size: int) -> str:
    return line * (size // len(line.encode()) + 1)


TEXTS = {
    "lines": repeated("a line of notes\n", 3 * MEBIBYTE),
    "windows lines": repeated("a line of notes\r\n", 3 * MEBIBYTE),
    "old mac lines": repeated("a line of notes\r", 3 * MEBIBYTE),
    "one line of words": repeated("word ", 3 * MEBIBYTE),
    "one line without a space": repeated("x", 3 * MEBIBYTE),
    "two-byte letters without a space": repeated("ж", 3 * MEBIBYTE + 1),
    "three-byte letters without a space": repeated("文", 3 * MEBIBYTE + 1),
    "four-byte letters without a space": repeated("𝄞", 3 * MEBIBYTE + 1),
    "a mark first": "\ufeff" + repeated("größer als\n", 2 * MEBIBYTE),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_pieces_put_together_are_the_text(tmp_path: Path, text: str) -> None:
    pieces, texts = pieces_of(tmp_path, text.encode())
    assert len(pieces) > 1
    assert "".join(texts) == text.removeprefix("\ufeff")
    assert all(piece.encoding == "utf-8" and not piece.guessed for piece in pieces)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_piece_knows_the_position_of_its_first_character(tmp_path: Path, text: str) -> None:
    pieces, _ = pieces_of(tmp_path, text.encode())
    source = SourceText(text.removeprefix("\ufeff"))
    for piece in pieces:
        assert piece.position == source.position(piece.point)


def test_a_piece_is_about_a_mebibyte(tmp_path: Path) -> None:
    pieces, _ = pieces_of(tmp_path, repeated("a line of notes\n", 5 * MEBIBYTE).encode())
    assert max(piece.end - piece.start for piece in pieces) <= 2 * MEBIBYTE


def test_bytes_that_are_no_utf_8_are_read_as_the_fallback(tmp_path: Path) -> None:
    data = repeated("eine Zeile\n", 2 * MEBIBYTE).encode() + "größer\n".encode("cp1252")
    pieces, texts = pieces_of(tmp_path, data)
    assert texts[-1].endswith("größer\n")
    assert all(piece.guessed and piece.encoding == "cp1252" for piece in pieces)


def test_a_nul_far_inside_makes_it_binary(tmp_path: Path) -> None:
    with pytest.raises(Skipped) as caught:
        pieces_of(tmp_path, b"text\n" * MEBIBYTE + b"\0")
    assert caught.value.reason is SkipReason.BINARY


def test_utf_16_of_this_size_is_told_apart_from_binary(tmp_path: Path) -> None:
    with pytest.raises(Skipped) as caught:
        pieces_of(tmp_path, ("ein Satz\n" * MEBIBYTE).encode("utf-16-le"))
    assert caught.value.reason is SkipReason.TOO_LARGE


def test_evidence_from_a_very_large_file_stands_where_it_says(tmp_path: Path) -> None:
    line = "nothing to see here, größer als\r\n"
    text = repeated(line, LARGE) + "the zeppelin lands at noon\r\n" + repeated(line, MEBIBYTE)
    (tmp_path / "log.txt").write_bytes(text.encode())
    item = Lens([tmp_path]).find("zeppelin noon").evidence[0]
    data = (tmp_path / "log.txt").read_bytes()
    decoded = data.decode()
    assert "the zeppelin lands at noon" in item.quote
    assert decoded[item.span.start : item.span.end] == item.quote
    assert item.origin.sha256 == hashlib.sha256(data).hexdigest()
    lines = decoded.split("\r\n")
    assert lines[item.start.line - 1][item.start.column - 1 :].startswith(item.quote.split("\r\n")[0])


def test_a_very_large_file_that_changes_is_searched_as_it_is(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes(b"nothing to see\n" * (LARGE // 14))
    lens = Lens([tmp_path])
    assert not lens.find("zeppelin").evidence
    with log.open("ab") as file:
        file.write(b"a zeppelin\n")
    assert "a zeppelin" in lens.find("zeppelin").evidence[0].quote


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
