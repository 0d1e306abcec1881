"""Frames of JSON and raw bytes that go through the pipes between a worker process and whoever started it.

No side gives the other anything to run. What comes back is judged like a file of a stranger: a worker that parsed a
hostile document may say anything, so lengths are bounded before memory is taken, and a reply that is not wholly in
order is no reply.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import IO, Any

from lens_lsp.documents.kinds import Extracted, Failure, Gist, ScannedLine, ScannedPage, Unextracted, View
from lens_lsp.model.documents import Block, BlockKind, Field, Head, Heading, Locator, LocatorMap, Structure
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Span

MOST_DATA = 100 << 20
"""Bytes of one document."""
MOST_TEXT = 64 << 20
"""Bytes of one document's text, in UTF-8."""
MOST_GLANCED = 20_000
"""Code points of what a document says of itself."""
MOST_HEAD = 24 << 20
"""Bytes of what else is said in one frame."""
MOST_VIEW = 32 << 20
"""Bytes of the view of a page."""
PNG = b"\x89PNG\r\n\x1a\n"
"""How a PNG begins."""
MOST_LETTERS = 20_000_000
"""Code points of one document; what follows is left out and a notice says so."""
MOST_PLACES = 500_000
"""Places that one document has locators for, and its blocks: both are kept in memory one by one."""
_BETWEEN = "\n\n"
"""What stands between two parts of a document."""
_SIZES = struct.Struct(">II")
_LONGEST = 2000
"""Code points of a word or two: a heading, a locator's value, a notice."""
_MOST_SAID = 1000
"""Aliases, tags or notices of one document."""
_MOST_LINES = 20_000
"""On a page."""
_LONGEST_SAID = 100_000
"""Code points of a description."""
_LARGEST = 2**53
_FREE_LISTS = 10_000
_BYTES_EACH = 8
"""A list in JSON takes two bytes and seventy in memory. Ours are few: so many are free, more must be worth it."""
_KEY = regex("[a-z]{1,20}")
_KINDS = {kind.value: kind for kind in BlockKind}


class Damaged(Exception):
    """The other process ended, or its frame does not keep to the protocol."""


def send(pipe: IO[bytes], head: dict[str, Any], body: bytes) -> None:
    """Write a frame. Raises OSError when the other side is gone."""
    said = json.dumps(head, separators=(",", ":")).encode("ascii")
    pipe.write(_SIZES.pack(len(said), len(body)))
    pipe.write(said)
    pipe.write(body)
    pipe.flush()


def receive(pipe: IO[bytes], most_body: int) -> tuple[dict[str, Any], bytes]:
    """Read a frame; raises `Damaged` when there is none, or one that is larger than allowed."""
    said, body = _SIZES.unpack(_exactly(pipe, _SIZES.size))
    if said > MOST_HEAD or body > most_body:
        raise Damaged(f"a frame of {said:,} + {body:,} bytes")
    head = _exactly(pipe, said)
    if head.count(b"[") + head.count(b"{") > _FREE_LISTS + said // _BYTES_EACH:
        raise Damaged("a head of nothing but brackets")
    try:
        value = json.loads(head)
    except (ValueError, RecursionError) as error:
        raise Damaged("a head that is no JSON") from error
    if not isinstance(value, dict):
        raise Damaged("a head that is no object")
    return value, _exactly(pipe, body)


def result_of(extracted: Extracted) -> tuple[dict[str, Any], bytes]:
    """A text as a frame. Links and other things that have no field here are not carried."""
    text = extracted.text.encode("utf-8", "replace")  # a lone surrogate; one character stays one
    if len(text) > MOST_TEXT:
        raise Unextracted(Failure.TOO_LARGE, f"{len(text):,} bytes of text")
    structure, blocks = extracted.structure, extracted.structure.blocks
    shapes: dict[tuple[str, ...], int] = {}
    places: list[int | str] = []
    for locator in extracted.locators.locators:
        places.append(shapes.setdefault(tuple(locator), len(shapes)))
        places.extend(printable(value[:_LONGEST]) if isinstance(value, str) else value for value in locator.values())
    head = {
        "title": _short(structure.head.title),
        "aliases": _shortened(structure.head.aliases),
        "tags": _shortened(structure.head.tags),
        "description": _short(structure.head.description, _LONGEST_SAID),
        "headings": _flat(heading.span for heading in structure.headings),
        "levels": [heading.level for heading in structure.headings],
        "words": [_short(heading.text) for heading in structure.headings],
        "kinds": [block.kind.value for block in blocks],
        "blocks": _flat(block.span for block in blocks),
        "headers": _flat(block.header or Span(0, 0) for block in blocks),
        "hidden": _flat(structure.hidden),
        "starts": extracted.locators.starts,
        "shapes": [list(shape) for shape in shapes],
        "places": places,
        "notices": _shortened(extracted.notices),
        "pages": extracted.pages[:MOST_PLACES],
        "pictures": extracted.pictures,
        "private": _short(extracted.private),
        "read": extracted.read,
        "left": extracted.left,
    }
    return head, text


def extracted_from(head: dict[str, Any], body: bytes) -> Extracted:
    """The text that a worker gives; raises `Damaged` unless all of it is in order and within bounds."""
    try:
        text = body.decode("utf-8")
        length = len(text)
        blocks = _blocks(head, length)
        fields = header_fields(text, blocks)
        said = Head(
            title=_words(head["title"]),
            aliases=_several(head["aliases"]),
            tags=_several(head["tags"]),
            description=_words(head["description"], _LONGEST_SAID),
            fields=pairs(fields),
        )
        return Extracted(
            text=text,
            locators=_locators(head, length),
            structure=Structure(
                head=said,
                headings=_headings(head, length),
                blocks=blocks,
                fields=fields,
                hidden=_spans(head["hidden"], length),
            ),
            notices=_several(head["notices"]),
            pages=_pages(head["pages"]),
            pictures=_count(head["pictures"]),
            private=_words(head["private"]),
            read=_count(head["read"]),
            left=_count(head["left"]),
            unlocked=head.get("unlocked") is True,
        )
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise Damaged(f"a reply that is not in order: {error}") from error


def gist_head(gist: Gist) -> dict[str, Any]:
    """A gist as JSON, beside a text on the disk."""
    head = gist.head
    return {
        "title": _short(head.title),
        "aliases": _shortened(head.aliases),
        "tags": _shortened(head.tags),
        "description": _short(head.description, _LONGEST_SAID),
        "fields": [_short(word) for field in head.fields[:_MOST_SAID] for word in field],
        "words": [_short(heading) for heading in gist.headings],
        "flags": [int(gist.cut), int(gist.hidden), int(gist.bare), gist.unseen, gist.left],
    }


def gist_from(said: object) -> Gist:
    """The gist that `gist_head` made; raises `Damaged` for anything else."""
    try:
        if not isinstance(said, dict):
            raise ValueError("no object")  # noqa: TRY004 - of a file, not of an argument
        fields = _several(said["fields"], 2 * _MOST_SAID)
        cut, hidden, bare, unseen, left = map(_count, _list(said["flags"]))
        head = Head(
            title=_words(said["title"]),
            aliases=_several(said["aliases"]),
            tags=_several(said["tags"]),
            description=_words(said["description"], _LONGEST_SAID),
            fields=tuple(zip(fields[::2], fields[1::2], strict=True)),
        )
        headings = _several(said["words"], MOST_PLACES)
        return Gist(head, headings, bool(cut), bool(hidden), unseen, bool(bare), left)
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"a gist that is not in order: {error}") from error


def header_fields(text: str, blocks: Iterable[Block]) -> tuple[Field, ...]:
    """The lines ``Name: value`` of a document's metadata."""
    return tuple(
        field for block in blocks if block.kind is BlockKind.FRONT_MATTER for field in _fields(text, block.span)
    )


def pairs(fields: Iterable[Field]) -> tuple[tuple[str, str], ...]:
    """The fields as a `Head` keeps them."""
    return tuple((field.name, field.value) for field in fields)


def _fields(text: str, span: Span) -> Iterator[Field]:
    start = span.start
    for line in text[span.start : span.end].split("\n"):
        name, sign, value = line.partition(": ")
        if sign:
            yield Field(name.lower(), value, Span(start, start + len(line)))
        start += len(line) + 1


def view_from(head: dict[str, Any], body: bytes) -> View:
    """The view of a page that a worker gives; raises `Damaged` for what is none."""
    marks = head.get("marks")
    if not body.startswith(PNG) or type(marks) is not int or not 0 <= marks <= _MOST_SAID:
        raise Damaged("a view that is none")
    return View(body, marks)


def scanned_from(said: object) -> ScannedPage:
    """What was read on a picture of a page, from its JSON; raises `Damaged` unless it is in order."""
    try:
        if not isinstance(said, dict) or said["turned"] not in range(4):
            raise ValueError("no page")
        lines = [_scanned_line(line) for line in _list(said["lines"])]
        width, height = _lengths([said["width"], said["height"]])
    except (KeyError, TypeError, ValueError) as reason:
        raise Damaged(f"a page that nobody read: {reason}") from reason
    if len(lines) > _MOST_LINES:
        raise Damaged("too many lines")
    return ScannedPage(int(said["turned"]), width, height, tuple(lines))


def scanned_to(page: ScannedPage) -> dict[str, Any]:
    """The JSON of what was read on a picture of a page."""
    lines = [[line.text, line.left, line.top, line.right, line.bottom, line.sure] for line in page.lines]
    return {"turned": page.turned, "width": page.width, "height": page.height, "lines": lines}


def recognised_to(page: str | ScannedPage) -> Any:
    """The JSON of a page that was recognised, by a program or by the models."""
    return page if isinstance(page, str) else scanned_to(page)


def recognised_from(said: object) -> str | ScannedPage:
    """The page of its JSON; raises `Damaged` for anything else."""
    return said if isinstance(said, str) else scanned_from(said)


def _scanned_line(said: object) -> ScannedLine:
    text, *numbers = _list(said)
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise ValueError("what is no line")
    left, top, right, bottom, sure = _lengths(numbers)
    return ScannedLine(" ".join(printable(text).split()), left, top, right, bottom, min(max(sure, 0.0), 1.0))


def _lengths(values: list[Any]) -> list[float]:
    if not all(isinstance(value, int | float) and -_LARGEST < value < _LARGEST for value in values):
        raise ValueError("what is no length")
    return [float(value) for value in values]


def failure_from(head: dict[str, Any]) -> Unextracted | None:
    """Why the worker gives no text; None if it gives one."""
    if "failure" not in head:
        return None
    failure, detail = head["failure"], head.get("detail", "")
    if not isinstance(detail, str) or failure not in list(Failure):
        raise Damaged("a failure of no kind")
    return Unextracted(Failure(failure), " ".join(printable(detail).split())[:_LONGEST])


def glances_from(head: dict[str, Any], count: int) -> tuple[str, ...]:
    """What each of ``count`` documents says of itself; raises `Damaged` unless it is in order."""
    said = head.get("said")
    if not isinstance(said, list) or len(said) != count:
        raise Damaged("not what was asked for")
    if not all(isinstance(each, str) and len(each) <= MOST_GLANCED for each in said):
        raise Damaged("what no document says of itself")
    return tuple(said)


def strings_in(head: dict[str, Any], name: str) -> frozenset[str]:
    """The words of a list in a head; none where it has no such list."""
    words = head.get(name)
    return frozenset(word for word in words if isinstance(word, str)) if isinstance(words, list) else frozenset()


def bounded(extracted: Extracted, most: int = MOST_PLACES) -> Extracted:
    """The text up to the last place and block that are kept, and a notice if that is not all of it."""
    structure, locators = extracted.structure, extracted.locators
    ends = [locators.starts[most]] if len(locators.starts) > most else []
    if len(structure.blocks) > most:
        ends.append(structure.blocks[most].span.start)
    if not ends:
        return extracted
    cut = min(ends)
    end = max((block.span.end for block in structure.blocks if block.span.end <= cut), default=cut)
    kept = sum(start < end for start in locators.starts)
    return replace(
        extracted,
        text=extracted.text[:end],
        locators=LocatorMap(locators.starts[:kept], locators.locators[:kept]),
        structure=replace(
            structure,
            headings=tuple(heading for heading in structure.headings if heading.span.end <= end),
            blocks=tuple(block for block in structure.blocks if block.span.end <= end),
            fields=tuple(field for field in structure.fields if field.span.end <= end),
            hidden=tuple(span for span in structure.hidden if span.end <= end),
        ),
        notices=(*extracted.notices, f"only the first {end:,} characters were read"),
    )


def joined(parts: Sequence[Extracted]) -> Extracted:
    """The parts of a document, in order and without gaps, as one: a part begins behind a blank line."""
    if len(parts) == 1:
        return parts[0]
    texts: list[str] = []
    starts: list[int] = []
    headings: list[Heading] = []
    blocks: list[Block] = []
    hidden: list[Span] = []
    by = 0
    for part in parts:
        if not part.text:
            continue
        by += len(_BETWEEN) if texts else 0
        texts.append(part.text)
        starts += [start + by for start in part.locators.starts]
        headings += [replace(each, span=_shifted(each.span, by)) for each in part.structure.headings]
        blocks += [
            Block(each.kind, _shifted(each.span, by), each.header and _shifted(each.header, by))
            for each in part.structure.blocks
        ]
        hidden += [_shifted(span, by) for span in part.structure.hidden]
        by += len(part.text)
    return Extracted(
        text=_BETWEEN.join(texts),
        locators=LocatorMap(tuple(starts), tuple(place for part in parts for place in part.locators.locators)),
        structure=Structure(
            head=parts[0].structure.head, headings=tuple(headings), blocks=tuple(blocks), hidden=tuple(hidden)
        ),
        notices=tuple(notice for part in parts for notice in part.notices),
        pages=tuple(page for part in parts for page in part.pages),
        pictures=sum(part.pictures for part in parts),
        private=next((part.private for part in parts if part.private is not None), None),
        read=parts[-1].read,
        left=parts[-1].left,
        unlocked=any(part.unlocked for part in parts),
    )


def joined_text(texts: Iterable[str]) -> str:
    """The text of `joined` parts."""
    return _BETWEEN.join(filter(None, texts))


def joined_gist(gists: Sequence[Gist]) -> Gist:
    """The gist of `joined` parts."""
    if len(gists) == 1:
        return gists[0]
    return Gist(
        head=gists[0].head,
        headings=tuple(heading for gist in gists for heading in gist.headings),
        cut=any(gist.cut for gist in gists),
        hidden=any(gist.hidden for gist in gists),
        unseen=sum(gist.unseen for gist in gists),
        bare=any(gist.bare for gist in gists),
        left=gists[-1].left,
    )


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) != size:
        raise Damaged("the pipe ended")
    return data


def _short(words: str | None, longest: int = _LONGEST) -> str | None:
    return words and printable(words[:longest])


def _shortened(words: Sequence[str]) -> list[str | None]:
    return [_short(word) for word in words[:_MOST_SAID]]


def _flat(spans: Iterable[Span]) -> list[int]:
    return [offset for span in spans for offset in (span.start, span.end)]


def _spans(flat: object, length: int, *, apart: bool = True) -> tuple[Span, ...]:
    """Pairs of offsets inside the text; in order and apart unless that is not asked for."""
    offsets = _integers(flat)
    if len(offsets) % 2 or (offsets and (min(offsets) < 0 or max(offsets) > length)):
        raise ValueError("offsets outside the text")
    spans = tuple(Span(start, end) for start, end in zip(offsets[::2], offsets[1::2], strict=True))
    if any(span.start > span.end for span in spans) or (apart and any(a.end > b.start for a, b in pairwise(spans))):
        raise ValueError("spans that are not in order")
    return spans


def _headings(head: dict[str, Any], length: int) -> tuple[Heading, ...]:
    spans, levels = _spans(head["headings"], length), _integers(head["levels"])
    words = _several(head["words"], MOST_PLACES)
    if any(not 1 <= level <= 100 for level in levels):
        raise ValueError("a heading's level")
    return tuple(Heading(*heading) for heading in zip(spans, levels, words, strict=True))


def _blocks(head: dict[str, Any], length: int) -> tuple[Block, ...]:
    spans, headers = _spans(head["blocks"], length), _spans(head["headers"], length, apart=False)
    if len(spans) > MOST_PLACES:
        raise ValueError("too many blocks")
    if any(header.end > span.start for header, span in zip(headers, spans, strict=True)):
        raise ValueError("a header below its row")
    kinds = [_KINDS[kind] for kind in head["kinds"]]
    return tuple(
        Block(kind, span, header if header.end else None)
        for kind, span, header in zip(kinds, spans, headers, strict=True)
    )


def _pages(listed: object) -> tuple[int, ...]:
    pages = tuple(_integers(listed))
    if len(pages) > MOST_PLACES or any(a >= b for a, b in pairwise((0, *pages))) or pages[-1:] > (_LARGEST,):
        raise ValueError("pages that are not in order")
    return pages


def _count(value: object) -> int:
    (count,) = _integers([value])
    if not 0 <= count <= _LARGEST:
        raise ValueError("what is no number of things")
    return count


def _locators(head: dict[str, Any], length: int) -> LocatorMap:
    starts = _integers(head["starts"])
    if len(starts) > MOST_PLACES or any(a >= b for a, b in pairwise(starts)):
        raise ValueError("places that are not in order")
    if starts and (starts[0] < 0 or starts[-1] > length):
        raise ValueError("places outside the text")
    shapes = [tuple(shape) for shape in head["shapes"]]
    if any(len(shape) > 4 or not all(_KEY.fullmatch(key) for key in shape) for shape in shapes):
        raise ValueError("what names a place")
    flat, same, at = _list(head["places"]), dict[Any, Any](), 0
    locators: list[Locator] = []
    for _ in starts:
        (number,) = _integers([flat[at]])
        if number < 0:
            raise ValueError("a place of no kind")
        shape = shapes[number]
        values = flat[at + 1 : at + 1 + len(shape)]
        at += 1 + len(shape)
        locators.append(dict(zip(shape, (same.setdefault(_value(each), each) for each in values), strict=True)))
    if at != len(flat):
        raise ValueError("places of nothing")
    return LocatorMap(tuple(starts), tuple(locators))


def _value(value: object) -> int | str:
    if type(value) is int and -_LARGEST <= value <= _LARGEST:
        return value
    if isinstance(value, str) and (said := _words(value)) is not None:
        return said
    raise ValueError("what a place is called")


def _words(value: object, longest: int = _LONGEST) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > longest or printable(value) != value:
        raise ValueError("words that are too long or not for people")
    return value


def _several(values: object, most: int = _MOST_SAID) -> tuple[str, ...]:
    said = tuple(word for value in _list(values) if (word := _words(value)) is not None)
    if len(said) > most:
        raise ValueError("too many words")
    return said


def _integers(values: object) -> Sequence[int]:
    listed = _list(values)
    if not all(type(value) is int for value in listed):
        raise ValueError("what is no whole number")
    return listed


def _list(values: object) -> list[Any]:
    if not isinstance(values, list):
        raise ValueError("what is no list")  # noqa: TRY004 - of a frame, not of an argument
    return values
