"""Cited texts, in many encodings, and random changes of them that know where the quote went.

Nothing here is the product's but the names of values: the judge of `citation_mutations` must share no code with it.
"""

from __future__ import annotations

import codecs
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lens_lsp.model.text import Edit, Span

FOREIGN = "\u00b6\u00a7"
"""Characters that no text here holds: what is put in by a change cannot be taken for what was there."""
LONGEST = 20_000
"""Code points of a source."""


@dataclass(frozen=True)
class Encoding:
    """How a file is written, and the fallback that its reader is told."""

    codec: str
    mark: bytes = b""
    fallback: str = "cp1252"

    def write(self, text: str) -> bytes:
        return self.mark + text.encode(self.codec)

    def judge(self, data: bytes) -> str | None:
        """The text of bytes that were written so and then changed; None when they are no text any more."""
        body = data[len(self.mark) :]
        try:
            text = body.decode(self.codec)
        except UnicodeDecodeError:
            if self.mark:
                text = body.decode(self.codec, "replace")
            elif b"\0" in data:
                return None
            else:
                text = body.decode(self.fallback, "replace")
        return None if "\0" in text else text


ENCODINGS = (
    Encoding("utf-8"),
    Encoding("utf-8", codecs.BOM_UTF8),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE),
    Encoding("utf-32-le", codecs.BOM_UTF32_LE),
    Encoding("utf-32-be", codecs.BOM_UTF32_BE),
    Encoding("utf-16-le"),
    Encoding("utf-16-be"),
    Encoding("cp1252"),
    Encoding("shift_jis", fallback="shift_jis"),
    Encoding("gb18030", fallback="gb18030"),
    Encoding("koi8-r", fallback="koi8-r"),
)


@dataclass
class Changed:
    """A source after a change. ``image`` is where the quote's own characters stand in ``text``, None if nowhere."""

    kind: str
    text: str | None
    image: int | None
    data: bytes = b""
    buffer: bool = False
    path: str | None = "source.txt"
    edits: Sequence[Edit] = ()
    also: frozenset[int] = frozenset()
    """Where the quote stands by other accounts of several changes."""
    copies: int = 0
    lost: bool = False
    """Nothing can tell where the source is now."""


@dataclass(frozen=True)
class Source:
    """A cited text: as it was written, and the span that is cited."""

    text: str
    span: Span
    encoding: Encoding
    real: bool = False
    """Written by people, not made to be hard."""

    @property
    def quote(self) -> str:
        return self.text[self.span.start : self.span.end]

    def places(self, changed: Changed) -> set[int]:
        """Where the quote stands after the change, if the change can be told to have left it alone.

        Beside the place of its own characters those that another account of the same change gives: nothing in two
        texts tells which of two equal letters was taken away, or which of two equal sentences is the copy.
        """
        new = changed.text
        if new is None or changed.path is None or changed.lost:
            return set()
        start = self.span.start
        images = {*retold(self.text, new, start, len(self.quote)), *changed.also}
        if changed.image is not None:
            images.add(changed.image)
        found = {at for at in images if new.startswith(self.quote, at)}
        if found and new.startswith(self.quote, start) and once(self.text, self.quote):
            found.add(start)
        return found

    def rebuilt(self, new: str | None, at: int) -> bool:
        """Whether the words of the quote stand elsewhere or in other lines now, known by themselves or with 16 or more
        of their neighbours.

        That happens where a text repeats itself, or is filled anew: then the source says there what it said, word for
        word. A blank between two words stays one; how many there are, and whether a line ends there, says nothing.
        """
        if new is None:
            return False
        start, end, text = self.span.start, self.span.end, self.text
        quote, behind, ahead = spaced(self.quote), spaced(new[:at]), spaced(new[at:])
        if not quote or not ahead.startswith(quote):
            return False
        around = [quote] if len(self.quote) >= 16 else []
        for size in range(16, 513):
            if size <= start and behind.endswith(spaced(text[start - size : start])):
                around.append(spaced(text[start - size : end]))
            if size <= len(text) - end and ahead.startswith(spaced(text[start : end + size])):
                around.append(spaced(text[start : end + size]))
        old, now = spaced(text), spaced(new)
        return any(once(old, each) and once(now, each) for each in around)


def spaced(text: str) -> str:
    """A text with one blank between two words; none where a line ended between ideographs or kana."""
    kana = "\u2e80-\u30ff\u31c0-\u9fff\uff01-\uff60"
    return re.sub(r"\s+", " ", re.sub(rf"(?<=[{kana}])[^\S\r\n]*[\r\n]\s*(?=[{kana}])", "", text)).strip()


def once(text: str, part: str) -> bool:
    """Whether a part stands in a text at exactly one place."""
    first = text.find(part)
    return first >= 0 and text.find(part, first + 1) < 0


def even(text: str) -> str:
    """A text whose lines all end alike."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def retold(old: str, new: str, at: int, size: int) -> set[int]:
    """Where a part of a text stands after a change, when that may as well have been one wholly beside the part."""
    found = {at} if new[: at + size] == old[: at + size] else set()
    shifted = at + len(new) - len(old)
    if shifted >= 0 and new[shifted:] == old[at:]:
        found.add(shifted)
    return found


def alike(one: str, other: str) -> int:
    """How many first characters two texts share."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def apply(text: str, image: int | None, size: int, edit: tuple[int, int, str]) -> tuple[str, int | None]:
    """A text after one change, and where the quote's characters stand in it, ``size`` of them."""
    start, end, new = edit
    changed = text[:start] + new + text[end:]
    if image is None or end <= image:
        return changed, None if image is None else image + len(new) - (end - start)
    return changed, image if start >= image + size else None


def words(rng: random.Random, text: str, quote: str) -> str:
    """Something to put in, marked as foreign at both ends; the quote itself would be a copy of it."""
    at = rng.randrange(max(1, len(text) - 80))
    return FOREIGN[0] + text[at : at + rng.randrange(60)].replace(quote, "") + rng.choice(["", "\n"]) + FOREIGN[1]


def byte(rng: random.Random, source: Source, *, inside: bool) -> Changed:
    """One byte replaced by another one."""
    data = source.encoding.write(source.text)
    mark, codec = len(source.encoding.mark), source.encoding.codec
    first = mark + len(source.text[: source.span.start].encode(codec))
    last = first + len(source.quote.encode(codec))
    places = [*range(mark, first), *range(last, len(data))] if not inside else [*range(first, last)]
    if not places:
        return same(source)
    at = rng.choice(places)
    new = data[:at] + bytes([rng.choice([each for each in range(1, 256) if each != data[at]])]) + data[at + 1 :]
    text = source.encoding.judge(new)
    before = None if inside else source.encoding.judge(new[:first]) if text is not None else None
    if before is not None and text is not None and not text.startswith(before):
        before = None
    kind = "byte inside" if inside else "byte outside"
    return Changed(kind, text, None if before is None else len(before), data=new)


def same(source: Source) -> Changed:
    return Changed("nothing", source.text, source.span.start)


def inside(rng: random.Random, source: Source) -> Changed:
    """Something put into the quote, taken out of it or replaced in it."""
    at = rng.randrange(source.span.start, source.span.end)
    kind = rng.randrange(3)
    if kind == 0 and at > source.span.start:
        edit = (at, at, FOREIGN[0])
    elif kind == 1:
        edit = (at, min(at + rng.randrange(1, 4), source.span.end), "")
    else:
        edit = (at, at + 1, FOREIGN[1])
    return Changed("text inside", *apply(source.text, source.span.start, len(source.quote), edit))


def outside(rng: random.Random, source: Source) -> Changed:
    """Up to eight things put in or taken out around the quote."""
    text, image, size = source.text, source.span.start, len(source.quote)
    for _ in range(rng.randrange(1, 9)):
        at = rng.choice([rng.randrange(image + 1), rng.randrange(image + size, len(text) + 1)])
        until = min(at + rng.randrange(120), image if at <= image else len(text))
        edit = (at, until, "") if rng.random() < 0.4 else (at, at, words(rng, text, source.quote))
        text, moved = apply(text, image, size, edit)
        assert moved is not None
        image = moved
    return Changed("text outside", text, image)


def move(rng: random.Random, source: Source) -> Changed:
    """A stretch of the file, with the quote or without, cut out and put in elsewhere."""
    text, start, end = source.text, source.span.start, source.span.end
    if rng.random() < 0.5:
        first, last = start - rng.randrange(min(start, 80) + 1), end + rng.randrange(min(len(text) - end, 80) + 1)
        rest = text[:first] + text[last:]
        at = rng.randrange(len(rest) + 1)
        return Changed("move", rest[:at] + FOREIGN + text[first:last] + FOREIGN + rest[at:], at + 2 + start - first)
    first = rng.randrange(start + 1)
    last = min(start, first + rng.randrange(200))
    rest = text[:first] + text[last:]
    at = rng.randrange(end - (last - first), len(rest) + 1)
    return Changed("move", rest[:at] + FOREIGN + text[first:last] + rest[at:], start - (last - first))


def delete(rng: random.Random, source: Source) -> Changed:
    """The quote deleted, or all its lines and some around them, or its file."""
    if rng.random() < 0.3:
        return Changed("delete file", None, None, path=None)
    if rng.random() < 0.5:
        first, last = source.span.start, source.span.end
        for _ in range(rng.randrange(1, 4)):
            first = source.text.rfind("\n", 0, max(0, first - 1)) + 1
            last = source.text.find("\n", last) + 1 or len(source.text)
        return Changed("delete lines", source.text[:first] + source.text[last:], None)
    edit = (source.span.start, source.span.end, "")
    return Changed("delete quote", *apply(source.text, source.span.start, len(source.quote), edit))


def rename(rng: random.Random, source: Source) -> Changed:
    """The file under another name; now and then with a copy of it, or changed on the way."""
    path = rng.choice(["other.txt", "below/source.txt", "Source 2.md"])
    if rng.random() < 0.2:
        return Changed("rename beside a copy", source.text, source.span.start, path=path, lost=True, copies=1)
    if rng.random() < 0.2:
        text = apply(source.text, None, 0, (0, 0, FOREIGN))[0]
        return Changed("rename and change", text, None, path=path, lost=True)
    return Changed("rename", source.text, source.span.start, path=path)


def recode(rng: random.Random, source: Source) -> Changed:
    """The same text in another encoding, which its reader may mistake for a third one."""
    other = rng.choice(ENCODINGS)
    try:
        data = other.write(source.text)
    except UnicodeEncodeError:
        return same(source)
    read = other if other.codec.startswith("utf") else Encoding("utf-8", b"", source.encoding.fallback)
    text = read.judge(data)
    start = None
    if text is not None:
        before = read.judge(data[: len(other.mark) + len(source.text[: source.span.start].encode(other.codec))])
        start = None if before is None or not text.startswith(before) else len(before)
    return Changed("encoding", text, start, data=data)


def line_ends(rng: random.Random, source: Source) -> Changed:
    """Other line ends throughout."""
    new = rng.choice(["\r\n", "\n", "\r"])

    def even(text: str) -> str:
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", new)

    start = source.span.start
    split = "\r\n" in source.text[max(0, start - 1) : start + 1]  # the quote begins with the second half of a line end
    image = len(even(source.text[: start - split])) + (split and new == "\r\n")
    return Changed("line ends", even(source.text), image)


def duplicate(rng: random.Random, source: Source) -> Changed:
    """The quote once more, elsewhere."""
    text, size = source.text, len(source.quote)
    at = rng.choice([rng.randrange(source.span.start + 1), rng.randrange(source.span.end, len(text) + 1)])
    return Changed("duplicate", *apply(text, source.span.start, size, (at, at, FOREIGN[0] + source.quote + FOREIGN[1])))


def overlay(rng: random.Random, source: Source) -> Changed:
    """The file open in an editor, and up to five changes of it anywhere."""
    text, image, size = source.text, source.span.start, len(source.quote)
    edits: list[Edit] = []
    where: int | None = image
    also = {image}
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(text) + 1)
        edit = (
            (at, at, words(rng, text, source.quote))
            if rng.random() < 0.6
            else (at, min(len(text), at + rng.randrange(40)), "")
        )
        new, where = apply(text, where, size, edit)
        also = {
            each
            for at in also
            for each in (apply(text, at, size, edit)[1], *retold(text, new, at, size))
            if each is not None
        }
        text = new
        edits.append(Edit(Span(edit[0], edit[1]), len(edit[2])))
    return Changed("overlay edit", text, where, buffer=True, edits=edits, also=frozenset(also))


KINDS: tuple[Callable[[random.Random, Source], Changed], ...] = (
    lambda rng, source: byte(rng, source, inside=True),
    lambda rng, source: byte(rng, source, inside=False),
    inside,
    outside,
    move,
    delete,
    rename,
    recode,
    line_ends,
    duplicate,
    overlay,
)


def real_texts(folders: Sequence[Path]) -> list[str]:
    """The texts of folders, cut to a size that lets many be changed; every folder has its share."""
    found: list[str] = []
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file())[:2000]:
            text = path.read_bytes()[: LONGEST * 3].decode("utf-8", "ignore").lstrip("\ufeff")[:LONGEST]
            if len(text) > 40 and "\0" not in text and not set(FOREIGN) & set(text):
                found.append(text)
    return found


def made_text(rng: random.Random) -> str:
    """A text that is hard to cite: few letters, the same lines again and again, all kinds of line ends."""
    alphabet = rng.choice(["a", "ab ", "абв ", "かなだ。", "中文字，", "éßø ", "xyz\r", "e\u0301 \u200b"])
    line_end = rng.choice(["\n", "\r\n", "\r", "\n\n"])
    lines = ["".join(rng.choices(alphabet, k=rng.randrange(1, 60))) for _ in range(rng.randrange(1, 8))]
    return line_end.join(rng.choices([*lines, "Status: done."], k=rng.randrange(3, 30)))


def sources(rng: random.Random, texts: Sequence[str]) -> Iterator[Source]:
    """Cited spans for ever: sentences, lines, words, whatever; in every encoding that can hold the text."""
    while True:
        real = bool(texts) and rng.random() < 0.8
        text = rng.choice(texts) if real else made_text(rng)
        start = rng.randrange(len(text) - 1)
        size = rng.choice([rng.randrange(1, 16), *(rng.randrange(16, 400) for _ in range(5))])
        if rng.random() < 0.5:
            start = max(text.rfind("\n", 0, start), text.rfind(". ", 0, start)) + 1
        encoding = rng.choice(ENCODINGS)
        try:
            data = encoding.write(text)
        except UnicodeEncodeError:
            continue
        if encoding.judge(data) == text:
            yield Source(text, Span(start, min(len(text), start + size)), encoding, real)
