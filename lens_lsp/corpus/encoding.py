"""Bytes to text by one rule: byte order mark, strict UTF-8, UTF-16 by its NUL pattern, the fallback.

No statistical detector: they call nearly-UTF-8 Japanese and Latin-1 Czech. Whatever has a NUL and is no
UTF-16 is binary. The text is always ``data[bom:].decode(encoding, "replace")``, line ends untouched, so a
quote can be checked by anyone with the bytes and the name of the encoding.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple

from lens_lsp.corpus.opening import Skipped
from lens_lsp.model.documents import SkipReason

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ANY_MARK = tuple(mark for mark, _ in _MARKS)
_CONTROLS = bytes(code for code in (*range(32), 127) if code not in b"\b\t\n\v\f\r\x1b")
_ASCII_TEXT = frozenset((*b"\t\n\f\r", *range(0x20, 0x7F)))
_NUL_SHARE = 0.02
"""Share of a text's characters that must be ASCII (line ends, digits, spaces) for a NUL pattern."""
_CONTROL_SHARE = 0.05
"""Share of control bytes from which text in no known encoding is binary; random bytes have 0.11."""
_SHORT, _SHORT_NUL_SHARE = 64, 0.75
"""So few characters show a pattern only if nearly all of them are ASCII."""
_INVISIBLE = "\b\x1b\u00ad\u200b\u200c\u200d\u200e\u200f\ufeff"
_SAMPLE = 1 << 12


class Decoded(NamedTuple):
    """The text of a file and how its bytes became it."""

    text: str
    encoding: str
    guessed: bool
    """The encoding is the fallback: nothing in the bytes proves it."""
    bom: int
    """Bytes of the byte order mark, which is no part of the text."""


def decode(data: bytes, fallback: str = "cp1252") -> Decoded:
    """The text of a file's bytes. Raises ``Skipped(BINARY)`` if they are no text."""
    if data.startswith(_ANY_MARK):
        mark, encoding = next(pair for pair in _MARKS if data.startswith(pair[0]))
        return _marked(data, len(mark), encoding)
    if b"\0" in data:
        return _utf_16_without_mark(data)
    try:
        return Decoded(data.decode("utf-8"), "utf-8", False, 0)
    except UnicodeDecodeError:
        pass
    if len(data) - len(data.translate(None, _CONTROLS)) > _CONTROL_SHARE * len(data):
        raise Skipped(SkipReason.BINARY)
    return Decoded(data.decode(fallback, "replace"), fallback, True, 0)


def _marked(data: bytes, bom: int, encoding: str) -> Decoded:
    text = data[bom:].decode(encoding, "replace")
    broken = text.count("\ufffd")
    # FF FE also begins audio frames and the like: a mark proves nothing about bytes that then make no sense.
    if "\0" in text or (encoding != "utf-8" and (broken > 1 + 0.05 * len(text) or not _printable(text))):
        raise Skipped(SkipReason.BINARY)
    return Decoded(text, encoding, False, bom)


def _utf_16_without_mark(data: bytes) -> Decoded:
    """UTF-16 of either byte order, known by NULs where its ASCII characters have their high bytes."""
    if len(data) % 2 == 0:
        even, odd = data[0::2].count(0), data[1::2].count(0)
        orders = (("utf-16-le", odd), ("utf-16-be", even))
        for encoding, high in sorted(orders, key=lambda order: -order[1]):
            text = _utf_16(data, encoding, high)
            if text is not None:
                return Decoded(text, encoding, False, 0)
    raise Skipped(SkipReason.BINARY)


def _utf_16(data: bytes, encoding: str, high: int) -> str | None:
    """The text, if ``high`` NULs at the high bytes make a pattern and everything reads as printable text."""
    units = len(data) // 2
    if high < units * (_NUL_SHARE if units >= _SHORT else _SHORT_NUL_SHARE):
        return None
    if "\0" in data[:_SAMPLE].decode(encoding, "ignore"):  # settles most binary files at once
        return None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or not _printable(text) or _paired(text) else text


def _paired(text: str) -> bool:
    """Whether this looks like ASCII text with stray NULs, which reads two by two as printable Chinese."""
    sample = _sample(text)
    wide = [ord(character) for character in sample if character > "\xff"]
    pairs = sum(code >> 8 in _ASCII_TEXT and code & 0xFF in _ASCII_TEXT for code in wide)
    return len(wide) > 0.2 * len(sample) and pairs > 0.85 * len(wide)


def _printable(text: str) -> bool:
    """Whether nearly all of it are assigned characters."""
    sample = _sample(text)
    odd = sum(not (each.isprintable() or each.isspace() or each in _INVISIBLE) for each in sample)
    return odd <= 0.02 * len(sample)


def _sample(text: str) -> str:
    return text[:_SAMPLE] + text[_SAMPLE:][-_SAMPLE:]
