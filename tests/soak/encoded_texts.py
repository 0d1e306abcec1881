"""Texts written in twenty encodings, with an account of which bytes each of their characters is.

Nothing here is the product's: the judge of `encodings` must share no code with it. What the bytes mean is what Python's
codecs make of them; where each character stands in them is counted here, character by character, while they are made.
"""

from __future__ import annotations

import codecs
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

LINE_END = re.compile(r"\r\n|\r|\n")
REPLACED = "\ufffd"

Unit = tuple[bytes, str]
"""One character and the bytes that it was read from."""

GERMAN = "Größe Übermaß Straße Brücke für müßig café naïve Ángel Œuvre „Wort“ 5 € – Fluß Maß Ärger"
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy łódź źródło ćma świat Őrült tűz şase ţară"
GREEK = "Αθήνα νύχτα θάλασσα ήλιος γράμμα πόλη ώρα ξένος ψωμί Όμηρος ύλη φίλος"
RUSSIAN = "Заметки погода дождь ясно завтра книга ёлка объём съезд Юг щука выход"
JAPANESE = "今日 天気 公園 散歩 表示 ソフト 能力 十分 予定 構成 カメラ ひらがな 貼付 申請 噂話"
SIMPLIFIED = "今天 天气 公园 散步 笔记 一起 很好 学习 数据 系统 网络 时间 问题"
TRADITIONAL = "今天 天氣 公園 散步 筆記 功能 許多 蓋章 成功 淚水 擺脫 時間 問題"
KOREAN = "오늘 날씨 공원 산책 기록 함께 좋다 학습 자료 체계 시간 문제 한글"
WIDE = "😀 𝒳yz 👩‍👩‍👧 e\u0301tude \u0928\u093f नमस्ते שלום مرحبا ไทย"
ALL = " ".join((GERMAN, CZECH, GREEK, RUSSIAN, JAPANESE, SIMPLIFIED, TRADITIONAL, KOREAN, WIDE))
BROKEN = (b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\x80", b"\xed\xa0\x80", b"\xc0\xaf")
"""Bytes that are no UTF-8, whatever ASCII stands behind them."""


@dataclass(frozen=True)
class Kind:
    """A way of writing: what it is called, and how it must be read."""

    name: str
    vocabulary: str
    codec: str
    mark: bytes = b""
    fallback: str = "cp1252"
    """What the reader is told that other bytes are."""
    spoil: Callable[[random.Random, list[Unit]], tuple[str, bytes, list[Unit]] | None] | None = None
    """What becomes of the text after it was written: the codec, mark and characters by which it must be read now; None
    when it is no text any more."""


@dataclass(frozen=True)
class Written:
    """A document as it lies on the disk, and what has to be read from it."""

    kind: Kind
    path: str
    data: bytes
    codec: str
    mark: bytes
    units: Sequence[Unit]
    line: int
    """Of the sentence that is looked for, from 0."""
    text_file: bool = True
    """It is text; else it must be left out as binary."""

    @property
    def guessed(self) -> bool:
        """Nothing in the bytes proves the encoding: it must be said to be a guess."""
        return self.codec == self.kind.fallback

    @cached_property
    def text(self) -> str:
        return "".join(character for _, character in self.units)

    @cached_property
    def offsets(self) -> list[int]:
        """The byte at which each character begins, and the end."""
        return list(accumulate((len(data) for data, _ in self.units), initial=len(self.mark)))

    @cached_property
    def wanted(self) -> tuple[int, int]:
        """Where the sentence that is looked for stands, in characters."""
        starts = [0, *(match.end() for match in LINE_END.finditer(self.text))]
        ending = LINE_END.search(self.text, starts[self.line])
        return starts[self.line], len(self.text) if ending is None else ending.start()

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of a character, both from 1."""
        lines = LINE_END.split(self.text[:offset])
        return len(lines), len(lines[-1]) + 1

    def is_sound(self) -> bool:
        """Whether this account is what Python's codecs say of the bytes."""
        body = self.data[len(self.mark) :]
        return (
            self.data.startswith(self.mark)
            and body == b"".join(data for data, _ in self.units)
            and body.decode(self.codec, "replace") == self.text
        )


def mixed(rng: random.Random, units: list[Unit]) -> tuple[str, bytes, list[Unit]]:
    """UTF-8 in which some characters are cp1252: all of it is read as the fallback."""
    wide = [at for at, (data, _) in enumerate(units) if len(data) > 1]
    chosen = set(rng.sample(wide, max(1, len(wide) // 3)))
    written = [units[at][1].encode("cp1252") if at in chosen else data for at, (data, _) in enumerate(units)]
    return "cp1252", b"", bytewise(b"".join(written))


def invalid(rng: random.Random, units: list[Unit]) -> tuple[str, bytes, list[Unit]]:
    """UTF-8 with bytes that are none: behind a mark they are replaced, without one all is read as the fallback."""
    spaces = [at for at, (_, character) in enumerate(units) if character == " "]
    spoilt = {at: rng.choice(BROKEN) for at in rng.sample(spaces, max(2, len(spaces) // 8))}
    if rng.random() < 0.5:
        return "cp1252", b"", bytewise(b"".join(spoilt.get(at, b"") + data for at, (data, _) in enumerate(units)))
    found: list[Unit] = []
    for at, unit in enumerate(units):
        found += replaced(spoilt.get(at, b""))
        found.append(unit)
    return "utf-8", codecs.BOM_UTF8, found


def replaced(data: bytes) -> list[Unit]:
    """Bytes of `BROKEN`: the longest beginning of a character is one replacement, any other byte is one, too."""
    beginning = data[:1] in (b"\xe2", b"\xf0")
    return [(data, REPLACED)] if beginning else [(bytes([each]), REPLACED) for each in data]


def nul(rng: random.Random, units: list[Unit]) -> None:
    """A NUL at any place but in a line end, which would be two then."""
    places = [at for at in range(len(units) + 1) if not at or units[at - 1][1] != "\r"]
    units.insert(rng.choice(places), (b"\0", "\0"))


def bytewise(data: bytes) -> list[Unit]:
    """What cp1252 makes of bytes, one by one; five of them are nothing there."""
    return [(bytes([each]), bytes([each]).decode("cp1252", "replace")) for each in data]


KINDS = (
    Kind("utf-8", ALL, "utf-8"),
    Kind("utf-8 with a mark", ALL, "utf-8", codecs.BOM_UTF8),
    Kind("utf-16-le with a mark", ALL, "utf-16-le", codecs.BOM_UTF16_LE),
    Kind("utf-16-be with a mark", ALL, "utf-16-be", codecs.BOM_UTF16_BE),
    Kind("utf-16-le", ALL, "utf-16-le"),
    Kind("utf-16-be", ALL, "utf-16-be"),
    Kind("utf-32-le with a mark", ALL, "utf-32-le", codecs.BOM_UTF32_LE),
    Kind("utf-32-be with a mark", ALL, "utf-32-be", codecs.BOM_UTF32_BE),
    Kind("cp1252", GERMAN, "cp1252"),
    Kind("cp1250", CZECH, "cp1250", fallback="cp1250"),
    Kind("iso8859-7", GREEK, "iso8859-7", fallback="iso8859-7"),
    Kind("koi8-r", RUSSIAN, "koi8-r", fallback="koi8-r"),
    Kind("shift_jis", JAPANESE, "shift_jis", fallback="shift_jis"),
    Kind("euc-jp", JAPANESE, "euc-jp", fallback="euc-jp"),
    Kind("gb18030", f"{SIMPLIFIED} 😀 ḿa", "gb18030", fallback="gb18030"),
    Kind("big5", TRADITIONAL, "big5", fallback="big5"),
    Kind("euc-kr", KOREAN, "euc-kr", fallback="euc-kr"),
    Kind("mixed", GERMAN, "utf-8", spoil=mixed),
    Kind("invalid utf-8", GERMAN, "utf-8", spoil=invalid),
    Kind("nul", ALL, "utf-8", spoil=nul),
)


def written(rng: random.Random, kind: Kind, number: int) -> Written:
    """A note of a few paragraphs, one of which bears its number."""
    words = kind.vocabulary.split()

    def sentence(length: int) -> str:
        return " ".join(rng.choices(words, k=length)) + "."

    lines = [f"# {sentence(3)}", ""]
    for _ in range(rng.randrange(4, 9)):
        lines += [" ".join(sentence(rng.randrange(4, 10)) for _ in range(rng.randrange(1, 4))), ""]
    line = rng.randrange(2, len(lines) + 1, 2)
    lines[line:line] = [f"{sentence(5)[:-1]} {number} {sentence(4)}", ""]
    text = rng.choice(("\n", "\r\n")).join(lines)
    units = [(character.encode(kind.codec), character) for character in text]
    codec, mark, text_file = kind.codec, kind.mark, True
    if kind.spoil is not None:
        spoilt = kind.spoil(rng, units)
        if spoilt is None:
            text_file = False
        else:
            codec, mark, units = spoilt
    data = mark + b"".join(data for data, _ in units)
    return Written(kind, f"note-{number}.{rng.choice(('md', 'txt'))}", data, codec, mark, units, line, text_file)


def documents(rng: random.Random, kind: Kind, count: int, first: int) -> Iterator[Written]:
    """Notes of a kind, numbered from ``first``."""
    for number in range(first, first + count):
        yield written(rng, kind, number)
