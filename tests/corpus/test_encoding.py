"""Bytes become text by one rule; text folds into bytes that lead back to every character."""

from __future__ import annotations

import codecs
import hashlib
import random
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.app.lens import Lens
from lens_lsp.corpus.encoding import (
    LARGE,
    SEPARATOR,
    Arena,
    Decoded,
    TextPiece,
    blank,
    chunk_of,
    cut,
    decode,
    fold_batch,
)
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.text import SourceText, Span
from lens_lsp.model.words import FOLDED, fold
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


def pieces_of(folder: Path, data: bytes) -> tuple[list[TextPiece], list[str]]:
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


TELLING = (
    "aZ@[`{9 \n.ßẞæŒøŁéÅı\u0301\u0308İЖйΣς語"
    "カﾞ서\u1112\u1161\u11ab😀𝒜𠮷ＦｕＬｌ１\u200b\u00ad\ufeff…“Ꭰ\u2028ﬁ\ufdfa\ud800"
)
FOLDABLE = st.text(st.one_of(st.sampled_from(TELLING), st.characters()), max_size=60)


def by_character(text: str) -> tuple[bytes, list[int]]:
    """The folded bytes of a text and the code point each of them came from, one character at a time, and the end."""
    parts = [FOLDED[char].encode("utf-8", "replace") for char in text]
    return b"".join(parts), [*(point for point, part in enumerate(parts) for _ in part), len(text)]


def check(*texts: str) -> None:
    """A batch holds what folding each character gives, and the way back from each byte; so does each text alone."""
    batch = fold_batch([text.encode("utf-8", "replace") for text in texts])
    data = batch.data.tobytes()
    end = -1
    for index, text in enumerate(texts):
        folded, points = by_character(text)
        alone = fold_batch([text.encode("utf-8", "replace")]).alone
        assert int(batch.starts[index]) == end + 1
        start, end = int(batch.starts[index]), int(batch.ends[index])
        assert data[start:end] == alone.data == folded == fold(text).encode("utf-8", "replace")
        assert data[end] == SEPARATOR
        assert SEPARATOR not in folded
        places = np.arange(len(points))
        for offsets in (alone.offsets, None if batch.maps is None else batch.maps.of(index)):
            assert (places if offsets is None else offsets.points(places)).tolist() == points
        assert alone.offsets is None or not text.isascii()
    assert len(data) == end + 1


@given(st.lists(FOLDABLE, min_size=1, max_size=8))
@settings(max_examples=400)
def test_every_folded_byte_leads_back_to_the_character_it_came_from(texts: list[str]) -> None:
    check(*texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("",),
        ("", "", ""),
        ("PLAIN",),
        ("é", "aé", "éa", "plain", "é"),
        ("\u200b",),
        ("\u200b\u200ba", "b"),
        ("a\u200b", "\u200b"),
        ("ßa", "ß" * 5 + "é" * 3, "語é😀"),
        ("Ünïcode at the start", "at the end ü"),
        ("\ufdfa", "ﬁ\ufdfaﬁ", "x"),
        ("e\u0301e\u0301", "한국어", "ＡＢ"),
    ],
)
def test_the_corners_hold(texts: tuple[str, ...]) -> None:
    check(*texts)


@given(st.text(st.sampled_from("ab<é語\n"), max_size=30), st.data())
def test_blanking_hides_the_spans_and_moves_nothing(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6).filter(lambda ends: len(ends) % 2 == 0)))
    spans = [Span(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    hidden = {index for span in spans for index in range(span.start, span.end)}
    assert blank(text, spans) == "".join(" " if index in hidden else char for index, char in enumerate(text))


def test_every_character_folds_in_a_batch_as_it_does_alone() -> None:
    codes = [code for code in range(1, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    # Of the million that are not assigned every hundredth will do: they all fold to themselves.
    characters = [chr(code) for code in codes if code % 100 == 0 or unicodedata.category(chr(code)) not in ("Cn", "Co")]
    step = 1 << 15
    for start in range(0, len(characters), step):
        part = characters[start : start + step]
        check("".join(part), "between", " ".join(part[::7]))


def test_a_text_in_ascii_needs_no_map_wherever_it_stands() -> None:
    batch = fold_batch([b"plain", "größe".encode(), b"PLAIN"])
    assert batch.maps is not None
    assert [batch.maps.of(index) is None for index in range(3)] == [True, False, True]
    assert fold_batch([b"plain", b"PLAIN"]).maps is None


ARENA_TEXT = st.one_of(
    st.binary(max_size=12).map(lambda data: data.replace(b"\xff", b"")),
    st.integers(1, 700_000).map(lambda size: b"t" * size),
)
ADD = st.tuples(st.just("add"), ARENA_TEXT)
REMOVE = st.tuples(st.just("remove"), st.integers(0, 1_000))


def in_chunks(arena: Arena) -> dict[int, bytes]:
    """The texts as the chunks hold them, each up to its separator or, removed, as nothing."""
    texts: dict[int, bytes] = {}
    for chunk in arena.chunks():
        data = chunk.data.tobytes()
        ends = [*chunk.starts[1:].tolist(), len(data)]
        for slot, start, end in zip(chunk.slots.tolist(), chunk.starts.tolist(), ends, strict=True):
            assert data[end - 1] == SEPARATOR
            texts[slot] = data[start:end].rstrip(b"\xff")
    return texts


@given(st.lists(st.one_of(ADD, REMOVE), max_size=25))
@settings(max_examples=60)
def test_an_arena_holds_what_a_dictionary_would(operations: list[tuple[str, bytes | int]]) -> None:
    arena, model, removed = Arena(), {}, 0
    for kind, value in operations:
        if kind == "add":
            assert isinstance(value, bytes)
            slot = arena.add(value)
            assert slot == len(model)
            model[slot] = value
        elif model:
            assert isinstance(value, int)
            slot = value % len(model)
            removed += len(model[slot])
            arena.remove(slot)
            model[slot] = b""
        if len(operations) < 8:  # chunks are kept between changes
            assert in_chunks(arena) == model
    assert in_chunks(arena) == model
    assert len(arena) == len(model)
    assert {slot: arena.text(slot).tobytes() for slot in model} == model
    assert arena.lengths().tolist() == [len(model[slot]) for slot in range(len(model))]
    assert arena.size == sum(map(len, model.values()))
    assert arena.blank == removed


def test_a_removed_text_leaves_no_byte_behind() -> None:
    arena = Arena()
    slots = [arena.add(data) for data in (b"one", b"secret", b"three")]
    arena.remove(slots[1])
    assert all(b"secret" not in chunk.data.tobytes() for chunk in arena.chunks())
    assert [arena.text(slot).tobytes() for slot in slots] == [b"one", b"", b"three"]


def test_texts_are_cut_into_chunks_of_about_a_megabyte() -> None:
    arena = Arena()
    for _ in range(50):
        arena.add(b"x" * 100_000)
    assert [len(chunk.slots) for chunk in arena.chunks()] == [11, 11, 11, 11, 6]


def test_a_text_never_spans_two_chunks_however_large_it_is() -> None:
    arena = Arena()
    for size in (10, 40 << 20, 10, 3 << 20):
        arena.add(b"x" * size)
    assert sorted(len(text) for text in in_chunks(arena).values()) == [10, 10, 3 << 20, 40 << 20]


def test_large_chunks_hold_the_same_texts_in_fewer_pieces() -> None:
    arena = Arena()
    for number in range(50):
        arena.add(b"%02d" % number * 100_000)
    arena.remove(7)
    large = arena.large_chunks()
    assert len(large) < len(arena.chunks())
    assert [slot for chunk in large for slot in chunk.slots.tolist()] == list(range(50))
    assert b"".join(chunk.data.tobytes() for chunk in large) == b"".join(c.data.tobytes() for c in arena.chunks())


def test_some_texts_together_are_a_chunk_of_their_own() -> None:
    chunk = chunk_of(np.array([2, 0]), [b"three", b"one"])
    assert chunk.data.tobytes() == b"three\xffone\xff"
    assert (chunk.slots.tolist(), chunk.starts.tolist()) == ([2, 0], [0, 6])
