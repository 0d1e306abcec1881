"""Charts and diagrams of office files as text: a labelled line with the title, and a table of what the chart shows.

Categories are the first column and each series one more. A chart keeps the values that it was drawn with, so the
workbook behind it is not opened: it is named.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from lens_lsp.documents.readers.composer import TextComposer
from lens_lsp.documents.readers.number_formats import SURE_DIGITS, moment_and_iso, shown_moment, shown_number
from lens_lsp.documents.readers.office_package import (
    Element,
    Package,
    attribute,
    child,
    children,
    every,
    number,
    prefixed,
)
from lens_lsp.model.lazy_dataclass import dataclass

_MOST_SERIES = 255
_MOST_POINTS = 20_000
"""Of one chart."""
_KEYS = ("c:cat", "c:xVal")
_VALUES = ("c:val", "c:yVal", "c:bubbleSize")
_FIRST_DAY = datetime(1899, 12, 30)
_MOST_DAYS = 2_958_465


@dataclass(frozen=True, slots=True)
class _Series:
    """A name, the categories or places on the axis, and rows of values."""

    name: str
    keys: Mapping[int, str]
    columns: Sequence[Mapping[int, str]]


def chart(package: Package, part: str, composer: TextComposer) -> None:
    """Compose a chart of an Office file."""
    root = package.aside(part)
    if root is None:
        return
    if prefixed(root.tag).startswith("cx:"):
        _newer_chart(root, composer)
        return
    body = child(root, "c:chart")
    plot = child(body, "c:plotArea")
    said = [_words(child(body, "c:title"))]
    said += [
        f"axis {words}" for axis in (plot if plot is not None else ()) if (words := _words(child(axis, "c:title")))
    ]
    workbook = package.related(part, "package")
    if workbook is not None:
        said.append(f"data of {posixpath.basename(workbook)}")
    composer.paragraph("Chart: " + "; ".join(words for words in said if words))
    series = [_series(each) for group in (plot if plot is not None else ()) for each in children(group, "c:ser")]
    _tables(series[:_MOST_SERIES], composer)
    for paragraph in _loose(body):
        composer.paragraph(f"Chart label: {paragraph}")
    shapes = package.related(part, "chartUserShapes")
    for paragraph in every(package.aside(shapes), "a:p"):
        composer.paragraph(_label("Chart label", text_of(paragraph)))


def diagram(package: Package, part: str | None, composer: TextComposer) -> None:
    """Compose the texts of a diagram (SmartArt) as items of a list."""
    for words in every(package.aside(part), "dgm:t"):
        for paragraph in children(words, "a:p"):
            composer.item(text_of(paragraph))


def open_chart(root: Element, composer: TextComposer) -> bool:
    """Compose a chart of an OpenDocument file by the root of its content; whether it is one."""
    found = child(root, "office:body", "office:chart", "chart:chart")
    if found is None:
        return False
    said = [_open_words(child(found, name)) for name in ("chart:title", "chart:subtitle")]
    said += [
        f"axis {words}" for axis in every(found, "chart:axis") if (words := _open_words(child(axis, "chart:title")))
    ]
    composer.paragraph("Chart: " + "; ".join(words for words in said if words))
    table = composer.table()
    for row in every(child(found, "table:table"), "table:table-row"):
        table.row([_open_words(cell) for cell in children(row, "table:table-cell")])
    return True


def text_of(paragraph: Element) -> str:
    """The text of a paragraph of a drawing."""
    parts: list[str] = []
    _gather(paragraph, parts)
    return "".join(parts)


def _gather(element: Element, parts: list[str]) -> None:
    for below in element:
        name = prefixed(below.tag)
        if name in ("a:t", "m:t"):
            parts.append(below.text or "")
        elif name == "a:br":
            parts.append("\n")
        elif name != "mc:Fallback":
            _gather(below, parts)


def _label(label: str, words: str) -> str:
    return f"{label}: {words}" if words.strip() else ""


def _words(element: Element | None) -> str:
    """The text of a title: its own, else the one of the cell it is of."""
    said = " ".join(text_of(paragraph) for paragraph in every(element, "a:p"))
    return said.strip() or " ".join(each.text or "" for each in every(element, "c:v"))


def _open_words(element: Element | None) -> str:
    return " ".join("".join(map(str, each.itertext())) for each in every(element, "text:p"))


def _loose(body: Element | None) -> Iterator[str]:
    """Labels that somebody typed at points of a chart."""
    for label in every(body, "c:dLbl"):
        for paragraph in every(label, "a:p"):
            if text_of(paragraph).strip():
                yield text_of(paragraph)


def _series(element: Element) -> _Series:
    keys = next((_points(child(element, name)) for name in _KEYS if child(element, name) is not None), {})
    columns = [_points(child(element, name)) for name in _VALUES if child(element, name) is not None]
    return _Series(_words(child(element, "c:tx")), keys, columns)


def _points(element: Element | None) -> Mapping[int, str]:
    """The points of a cache by their numbers; of categories in several levels those of all, the outermost first."""
    found: dict[int, str] = {}
    levels = [*every(element, "c:lvl")]
    if levels:
        for at, level in enumerate(reversed(levels)):
            inner = {number(point, "idx", 0): _value(point, "") for point in children(level, "c:pt")}
            last = ""
            for index in sorted(inner if at == len(levels) - 1 else {*inner, *found}):
                last = inner.get(index, last)
                found[index] = f"{found[index]} {last}" if index in found else last
        return found
    code = next((each.text or "" for each in every(element, "c:formatCode")), "")
    for point in every(element, "c:pt"):
        if len(found) >= _MOST_POINTS:
            break
        found[number(point, "idx", len(found))] = _value(point, attribute(point, "formatCode") or code)
    return found


def _value(point: Element, code: str) -> str:
    """A value as it was written; a share or a date also as the chart shows it."""
    said = next((each.text or "" for each in children(point, "c:v")), "")
    try:
        value = float(said)
    except ValueError:
        return said
    plain = f"{value:.{SURE_DIGITS}g}"
    if not code or code.lower() == "general":
        return plain
    if 0 < value < _MOST_DAYS and (moment := _FIRST_DAY + timedelta(days=value)) and shown_moment(moment, code):
        return moment_and_iso(moment if value % 1 else moment.date(), code)
    shown = shown_number(value, code) if "%" in code else None
    return f"{shown} ({plain})" if shown else plain


def _tables(series: Sequence[_Series], composer: TextComposer) -> None:
    """A table for each run of series with the same categories."""
    at = 0
    while at < len(series):
        keys, together = series[at].keys, [series[at]]
        at += 1
        while at < len(series) and series[at].keys == keys:
            together.append(series[at])
            at += 1
        columns = [(one.name if not place else "", each) for one in together for place, each in enumerate(one.columns)]
        indices = sorted({*keys}.union(*(each for _, each in columns)))[:_MOST_POINTS]
        table = composer.table()
        if any(name for name, _ in columns):
            table.row(["", *(name for name, _ in columns)], header=True)
        for index in indices:
            table.row([keys.get(index, ""), *(each.get(index, "") for _, each in columns)])


def _newer_chart(root: Element, composer: TextComposer) -> None:
    """A chart of the kinds that came with Office 2016: its titles, names and the levels of its data."""
    composer.paragraph("Chart: " + " ".join(text_of(each) for each in every(child(root, "cx:chart"), "a:p")))
    for name in every(child(root, "cx:chart"), "cx:v"):
        composer.paragraph(_label("Chart series", name.text or ""))
    for data in every(root, "cx:data"):
        levels = [
            [each.text or "" for each in children(level, "cx:pt")][:_MOST_POINTS] for level in every(data, "cx:lvl")
        ]
        table = composer.table()
        for index in range(max(map(len, levels), default=0)):
            table.row([level[index] if index < len(level) else "" for level in levels])
