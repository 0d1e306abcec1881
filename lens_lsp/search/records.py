"""Records of documents: the rows of tables under the names of their columns, and mail by the fields of its head.

What the readers mark as rows (`BlockKind.TABLE_ROW`) is taken apart here, in each way of writing: delimited text, bars
of Markdown and of extracted documents, cells of HTML, addresses of spreadsheets. Nothing is guessed: a row with more
cells than its table has columns is no record, and a table without a header is none. `Record` keeps no place but its
row's, for a table may have half a million cells; `cells_of` finds the places of the cells once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import pairwise

from lens_lsp.arithmetic.units import find_unit
from lens_lsp.corpus.descriptions import file_name
from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.model.documents import Block, BlockKind, Document, is_header
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span
from lens_lsp.search.boundaries import heading_path
from lens_lsp.search.cells import MOST_COLUMNS, Cell, Splitter

MOST_CELLS = 500_000
"""Of one table; what lies behind them is not looked at."""
_SAMPLE = 24
"""Rows at the beginning of a table that show how wide it is and what names its columns."""
_DEEPEST = 5
"""Rows among which the header is."""
_LONGEST_CAPTION = 400
_CAPTIONS = frozenset({BlockKind.PARAGRAPH, BlockKind.HEADING})
_NUMBER = regex(r"\d")
_YEARS = regex(r"(?:19|20)\d\d(?=[–-](?:\d\d)?\d\d(?!\d))")
_SEVERAL = regex(r"[-+(]?[\d.,]*\d[%)]?(?: [-+(]?[\d.,]*\d[%)]?)+")
_LINE = regex(r"[^\n]+")
_HEAD_LINE = regex(r"(?P<name>From|Sender|Reply-To|To|Cc|Bcc|Date|Subject): ?(?P<value>[^\n]*)")
_ATTACHED = "Attached: "
_DATA_READERS = ("table", "sheet")
MAIL_COLUMNS = ("Subject", "From", "To", "Cc", "Date", "Attachments")
"""What a message says of itself; ``Cc`` holds who got a blind copy, too."""
SUBJECT, FROM, TO, CC, DATE, ATTACHMENTS = range(6)


@dataclass(frozen=True, slots=True)
class Record:
    """A row: its slot, its span in the text of that, and what its cells say, one for each column."""

    slot: int
    span: Span
    cells: tuple[str, ...]


@dataclass(slots=True)
class Table:
    """Rows with the same columns. ``title`` is what else names it: headings, sheet and file."""

    document: Document
    header: Span | None
    columns: tuple[str, ...]
    title: tuple[str, ...]
    groups: tuple[str, ...] = ()
    """What stands over each column and its neighbours together."""
    records: list[Record] = field(default_factory=list)
    cut: bool = False
    """Not all of its rows are among the records."""
    mail: bool = False

    @property
    def path(self) -> str:
        """The file it stands in."""
        return self.document.path

    @property
    def is_all(self) -> bool:
        """Whether its rows are all there are: a file of data, not a table that illustrates a text."""
        return self.mail or self.document.reader.partition("/")[0] in _DATA_READERS


def tables_of(slot: int, document: Document) -> list[Table]:
    """The tables of a document whose columns have names."""
    splitter = Splitter(document)
    cut = any("only the first" in notice for notice in document.notices)
    found: list[Table] = []
    for first, last in _runs(document.structure.blocks):
        table = _table(slot, document, first, last, splitter)
        if table is not None:
            table.cut |= cut
            found.append(table)
    return _joined(found)


def _runs(blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """The rows that stand together, as the numbers of the first block and the one behind the last: a header begins
    anew."""
    first: int | None = None
    under: Span | None = None
    for at, block in enumerate(blocks):
        row = block.kind is BlockKind.TABLE_ROW
        if first is not None and (not row or (under is not None and block.header != under)):
            yield first, at
            first = None
        if row and first is None:
            first, under = at, None
        if row:
            under = block.header
    if first is not None:
        yield first, len(blocks)


def cells_of(table: Table, span: Span) -> list[Cell]:
    """The cells of a row of a table, in the order of its columns; none where they cannot be told apart."""
    splitter = Splitter(table.document)
    splitter.begin([record.span for record in table.records[:_SAMPLE]] + ([table.header] if table.header else []))
    cells = splitter.cells(span)
    said = _spread([cell.text for cell in cells], len(table.columns))
    same = len(cells) <= len(said) and all(cell.text == text for cell, text in zip(cells, said, strict=False))
    return cells if same else []


def _table(slot: int, document: Document, first: int, last: int, splitter: Splitter) -> Table | None:
    """The table of the rows from one block to another; None where nothing names its columns."""
    blocks, text, ours = document.structure.blocks, document.text, document.structure.ours
    spans = [block.span for block in blocks[first : min(last, first + _SAMPLE)]]
    splitter.begin(spans)
    sample = [[cell.text for cell in splitter.cells(span)] for span in spans]
    wide = max(map(len, sample))
    if wide < 2 or wide > MOST_COLUMNS:
        return None
    header = blocks[last - 1].header
    at = next((n for n, span in enumerate(spans) if span == header), None)
    top = _header_row(sample, at)
    above = blocks[first - 1] if first else None
    if top is not None:
        longer = sum(len(row) > len(sample[top]) for row in sample[top + 1 :])
        wide = wide if splitter.exact or longer > len(sample) / 2 else len(sample[top])
        columns, groups = _named(sample, top, wide)
        header, begin = spans[top], top + 1
    else:
        named = _line_above(text, above, wide)
        if named is None:
            return None
        header, columns = named
        groups, begin = ("",) * wide, 0
    title = [*heading_path(document, header.start), document.structure.head.title or "", file_name(document.path)]
    title += [" ".join(filter(None, row)) for row in sample[: max(0, begin - 1)]]
    captions = [block for block in blocks[max(0, first - 2) : first] if block.kind in _CAPTIONS]
    title += [text[block.span.start : block.span.end] for block in captions if len(block.span) <= _LONGEST_CAPTION]
    table = Table(document, header, columns, tuple(dict.fromkeys(name for name in title if name)), groups)
    splitter.begin(spans)
    for block in blocks[first + begin : last]:
        if any(block.span.overlaps(own) for own in ours):
            continue
        if (len(table.records) + 1) * wide > MOST_CELLS:
            table.cut = True
            break
        cells = _spread([cell.text for cell in splitter.cells(block.span)], wide)
        if len(cells) > wide:
            table.cut = True  # nobody knows which of its cells belong together
        elif tuple(cells) != columns:
            table.records.append(Record(slot, block.span, tuple(cells)))
    return table if table.records else None


def _header_row(sample: Sequence[Sequence[str]], known: int | None) -> int | None:
    """Which of the first rows names the columns: the fullest of those that name anything, above the first that holds a
    number. ``known`` is the one that the reader took."""
    names = [n for n, row in enumerate(sample) if sum(map(bool, row)) > 1]
    if not names:
        return None
    noted = names[0] > 0  # notes stand above it
    names = [n for n in names if n < names[0] + _DEEPEST]
    best: int | None = None
    for n in names:
        if not is_header([_plain_years(cell) for cell in sample[n]]):
            break
        filled = sum(map(bool, sample[n]))
        if best is None or filled > sum(map(bool, sample[best])) + 1:
            best = n
        elif noted and filled >= sum(map(bool, sample[best])) and _has_numbers(sample[n + 1 : n + 2]):
            best = n if sum(find_unit(cell) is not None for cell in sample[n]) * 2 < filled else best
        elif n == best + 1 and not sample[best][0] and sample[n][0] and filled > sum(map(bool, sample[best])):
            best = n if _has_numbers(sample[n + 1 : n + 3]) else best
    return known if best is None else best


def _has_numbers(rows: Sequence[Sequence[str]]) -> bool:
    return any(_NUMBER.search(cell) for row in rows for cell in row)


def _plain_years(cell: str) -> str:
    """A cell; for a span of years, as of a school year, its first one."""
    match = _YEARS.match(cell)
    return match.group() if match is not None else cell


def _named(sample: Sequence[Sequence[str]], top: int, wide: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the columns, and what stands over some of them together."""
    names = [*sample[top], *[""] * (wide - len(sample[top]))]
    groups = [""] * wide
    for row in reversed([row for row in sample[:top] if sum(map(bool, row)) > 1]):
        over = [*row, *[""] * (wide - len(row))]
        last = ""
        for at, cell in enumerate(over):
            alone = at + 1 == wide or bool(over[at + 1])
            if cell and not names[at]:
                names[at], last = cell, ""
            elif cell and alone and at and over[at - 1] and _goes_on(cell, names[at]):  # a name on two lines
                names[at], last = f"{cell} {names[at]}", ""
            else:
                last = cell or last
                groups[at] = f"{last} {groups[at]}".strip()
    return tuple(names), tuple(groups)


def _goes_on(above: str, name: str) -> bool:
    """Whether what stands over a name may be its first line, and is no end of a note."""
    return above[-1] not in ".,;:!?" and (not above[0].islower() or name[:1].islower())


def _line_above(text: str, above: Block | None, wide: int) -> tuple[Span, tuple[str, ...]] | None:
    """A line of as many words as there are columns right above rows without a header, as it stands over a column of
    figures that was set with a typewriter."""
    if above is None or above.kind is BlockKind.TABLE_ROW or len(above.span) > _LONGEST_CAPTION:
        return None
    for line in reversed(list(_LINE.finditer(text, above.span.start, above.span.end))):
        words = line.group().split()
        while words and not any(map(str.isalnum, words[-1])):
            words.pop()
        if len(words) == wide and is_header(words):
            return Span(*line.span()), tuple(words)
    return None


def _spread(cells: list[str], wide: int) -> list[str]:
    """The cells of a row, as many as there are columns. Where figures of several columns stand in one cell and fill all
    columns together, each gets its own."""
    filled = [cell for cell in cells if cell]
    if len(filled) < wide and any(_SEVERAL.fullmatch(cell) for cell in filled):
        apart = [part for cell in filled for part in (cell.split() if _SEVERAL.fullmatch(cell) else [cell])]
        if len(apart) == wide:
            return apart
    return [*cells, *[""] * (wide - len(cells))]


def _joined(tables: list[Table]) -> list[Table]:
    """The tables; one that goes on under the same header, as on the next page, as one."""
    kept: list[Table] = []
    for table in tables:
        last = kept[-1] if kept else None
        if last is not None and table.columns[0] and _continues(last, table):
            last.records += table.records
            last.cut |= table.cut
            last.title = tuple(dict.fromkeys((*last.title, *table.title)))
        else:
            kept.append(table)
    return kept


def _continues(table: Table, other: Table) -> bool:
    """Whether a table goes on as another: under the same header and heading, on a later page."""
    if (table.columns, table.groups) != (other.columns, other.groups):
        return False
    document = table.document
    ends = (table.records[-1].span.start, other.records[0].span.start)
    pages = [(locate(document.locators, at) or {}).get("page") for at in ends]
    headings = [heading_path(document, at) for at in ends]
    return None not in pages and pages[0] != pages[1] and headings[0] == headings[1]


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its head as a record by `MAIL_COLUMNS`, where its words stand, and where what is attached is named."""

    head: Record
    body: Span
    attached: Span | None


def mail_of(slot: int, document: Document) -> list[Message]:
    """The messages of a document."""
    blocks = document.structure.blocks
    numbers = [*_numbered(document), len(document.text)]
    found: list[Message] = []
    first = 0
    for start, end in pairwise(numbers):
        while first < len(blocks) and blocks[first].span.start < start:
            first += 1
        last = first
        while last < len(blocks) and blocks[last].span.start < end:
            last += 1
        message = _message(slot, document, blocks[first:last], end)
        if message is not None:
            found.append(message)
        first = last
    return found


def _numbered(document: Document) -> Iterator[int]:
    """Where each message begins."""
    last: object = None
    for start, locator in zip(document.locators.starts, document.locators.locators, strict=True):
        number = locator.get("message")
        if number is not None and number != last:
            last = number
            yield start


def _message(slot: int, document: Document, blocks: Sequence[Block], end: int) -> Message | None:
    text = document.text
    said: dict[str, list[str]] = {}
    span: Span | None = None
    attached: Span | None = None
    for block in blocks:
        written = text[block.span.start : block.span.end]
        if span is None and block.kind is BlockKind.HEADING:
            said["Subject"] = [written]
            span = block.span
        elif _HEAD_LINE.match(written) and (span is None or "From" not in said):
            span = block.span if span is None else Span(span.start, block.span.end)
            for line in _HEAD_LINE.finditer(written):
                said.setdefault(line["name"], []).append(line["value"].strip())
        elif written.startswith(_ATTACHED) and block.kind is BlockKind.PARAGRAPH and attached is None:
            attached = block.span
    if span is None or ("From" not in said and "Sender" not in said):
        return None

    def joined(*names: str) -> str:
        return ", ".join(value for name in names for value in said.get(name, ()))

    files = "" if attached is None else text[attached.start : attached.end].removeprefix(_ATTACHED)
    cells = (joined("Subject"), joined("From") or joined("Sender"), joined("To"), joined("Cc", "Bcc"), joined("Date"))
    return Message(Record(slot, span, (*cells, files)), Span(span.end, end), attached)
