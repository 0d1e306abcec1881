from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.corpus.encoding import LARGE, Piece, cut
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.text import SourceText

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
