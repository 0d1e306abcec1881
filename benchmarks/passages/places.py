"""Whether passages out of tables, slides, mail and PDF files hold whole cells, and whether their place is the match's.

    python -m benchmarks.passages.places FOLDER [--queries 3000] [--misses 30]

Every file of the folder counts whose kind another program reads than lens-lsp's readers: openpyxl, python-docx,
python-pptx, pypdf, xlrd and the standard library. What they find are *leaves*: cells, paragraphs, lines of mail, and
the text of pages. The words of drawn leaves are asked for, and each passage that `lens find` and `lens ask` show of
these files is compared with the leaves: a word that stands once in a file tells where it stands. Kinds of fault:

* ``spans``: the passage, or a part of its context, has words of two sheets, slides, chapters or mails, and is no part
  of one that has.
* ``begins``, ``ends``: it begins or ends inside a cell, and none of its ``cut`` says so; or inside a word.
* ``cut-claim``: its ``cut`` says so, and the cell is not longer than a passage.
* ``row``: cells of a row are missing.
* ``header``: neither the passage nor its context has the header of its rows.
* ``place``: the locator is none of the places where the words that were asked for stand in the passage, or its row has
  fewer of them than another.
"""

from __future__ import annotations

import argparse
import csv
import email
import io
import logging
import mailbox
import os
import random
import re
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import kind_for
from lens_lsp.model.documents import ContextRole, Evidence

Place = Mapping[str, int | str]
NOWHERE: Place = MappingProxyType({})
LONGEST = 600
"""Code points of a passage."""
_LARGEST = 2_000_000
_STEM = 5
_FEWEST = 5
"""Words that stand once in a file that is asked about."""
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text in small letters."""
    return _WORD.findall(text.casefold())


@dataclass(frozen=True, slots=True)
class Leaf:
    """A cell, a sentence, an item or a line, as its file has it."""

    words: tuple[str, ...]
    length: int
    """Code points of its text."""
    places: tuple[Place, ...] = (NOWHERE,)
    """What the locator says of each word; a single one is that of all."""
    holder: str = ""
    """The sheet, slide, chapter or mail it stands in."""
    row: tuple[int, int] | None = None
    """The table and the row of a cell."""
    column: int = 0
    header: bool = False
    whole: bool = True
    """A passage may not begin or end inside it."""

    def place(self, at: int) -> Place:
        return self.places[at] if len(self.places) > 1 else self.places[0]


def leaf(
    text: str,
    place: Place = NOWHERE,
    holder: str = "",
    row: tuple[int, int] | None = None,
    column: int = 0,
    *,
    header: bool = False,
    whole: bool = True,
) -> Leaf:
    return Leaf(tuple(words_of(text)), len(text), (place,), holder, row, column, header, whole)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a passage."""

    kind: str
    why: str


@dataclass(slots=True)
class Truth:
    """What a file holds, told by somebody else than lens-lsp."""

    leaves: Sequence[Leaf]
    labels: frozenset[str] = frozenset()
    """Words that are no part of a leaf: what a reader says beside it."""
    complete: bool = True
    """All words of the file are in leaves or labels."""
    text: str | None = None
    """What lens-lsp reads of the file, where that may be more: a word tells its place only if it stands once in it."""
    known: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Words that stand once in the file: their leaf, and which word of it they are."""
    rows: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    headers: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        spots: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for index, one in enumerate(self.leaves):
            for at, word in enumerate(one.words):
                spots[word].append((index, at))
            if one.row is not None and one.words:
                (self.headers[one.row[0]] if one.header else self.rows[one.row]).append(index)
        self.known = {word: found[0] for word, found in spots.items() if len(found) == 1 and word not in self.labels}
        if self.text is not None:
            # The search takes words of one stem for the same.
            read = Counter(word[:_STEM] for word in words_of(self.text))
            self.known = {word: spot for word, spot in self.known.items() if read[word[:_STEM]] == 1}

    def judged(self, item: Evidence, asked: Iterable[str], *, row_only: bool = False) -> list[Fault]:
        """The faults of a passage; ``asked`` are the words of the question."""
        said = words_of(item.quote)
        spots = self._aligned(said)
        held = [spot for spot in spots if spot is not None]
        if not held:
            return []
        wanted = {word for text in asked for word in words_of(text)}
        return [
            *self._spans(item, held),
            *self._ends(item, said, spots),
            *self._rows(item, held),
            *self._place(item, said, spots, wanted, row_only),
        ]

    def _aligned(self, said: Sequence[str]) -> list[tuple[int, int] | None]:
        """Where each word stands; one that stands in several places is of the leaf that the words around it are of."""
        spots = [self.known.get(word) for word in said]
        held = [at for at, spot in enumerate(spots) if spot is not None]
        for before, after in pairwise(held):
            index = spots[before][0]  # type: ignore[index]
            if index == spots[after][0]:  # type: ignore[index]
                words = self.leaves[index].words
                for at in range(before + 1, after):
                    spots[at] = (index, words.index(said[at])) if said[at] in words else None
        return spots

    def _holders(self, spots: Iterable[tuple[int, int]]) -> set[str]:
        return {self.leaves[index].holder for index, _ in spots}

    def _spans(self, item: Evidence, held: Sequence[tuple[int, int]]) -> Iterator[Fault]:
        holders = self._holders(held)
        if len(holders) > 1:
            yield Fault("spans", f"{sorted(holders)}")
        for part in item.context:
            inside = [self.known[word] for word in words_of(part.text) if word in self.known]
            if inside and not self._holders(inside) <= holders:
                yield Fault("spans", f"context {part.role.value} of {sorted(self._holders(inside))}")

    def _ends(self, item: Evidence, said: Sequence[str], spots: Sequence[tuple[int, int] | None]) -> Iterator[Fault]:
        for kind, side, step in (("begins", "start", 1), ("ends", "end", -1)):
            word, spot = said[::step][0], spots[::step][0]
            if spot is None:
                if self.complete and word not in self.labels and not self._somewhere(word):
                    yield Fault(kind, f"inside a word: {word}")
                continue
            one = self.leaves[spot[0]]
            edge = 0 if step == 1 else len(one.words) - 1
            if spot[1] == edge or not one.whole:
                continue
            if side not in item.cut:
                yield Fault(kind, f"inside {' '.join(one.words)[:80]} at {word}")
            elif one.length <= LONGEST:
                yield Fault("cut-claim", f"{kind} inside {' '.join(one.words)[:80]} at {word}")

    def _somewhere(self, word: str) -> bool:
        return any(word in one.words for one in self.leaves)

    def _rows(self, item: Evidence, held: Sequence[tuple[int, int]]) -> Iterator[Fault]:
        inside = {index for index, _ in held}
        rows = {self.leaves[index].row for index in inside if not self.leaves[index].header} - {None}
        context = {word for part in item.context if part.role is ContextRole.HEADER for word in words_of(part.text)}
        cut = any(part.cut for part in item.context if part.role is ContextRole.HEADER)
        for row in sorted(row for row in rows if row is not None):
            lacking = [index for index in self.rows[row] if self._known_words(index) and index not in inside]
            if lacking and not item.cut:
                yield Fault("row", f"without {' '.join(self.leaves[lacking[0]].words)[:80]}")
            columns = {self.leaves[index].column for index in inside if self.leaves[index].row == row}
            wanted = [
                word
                for index in self.headers[row[0]]
                if self.leaves[index].column in columns
                for word in self._known_words(index)
            ]
            missing = [word for word in wanted if word not in context and self.known[word][0] not in inside]
            if missing and (not cut or len(missing) == len(wanted)):
                yield Fault("header", f"row {row} without {' '.join(missing)[:80]}")

    def _known_words(self, index: int) -> list[str]:
        return [word for word in self.leaves[index].words if word in self.known]

    def _place(
        self,
        item: Evidence,
        said: Sequence[str],
        spots: Sequence[tuple[int, int] | None],
        asked: set[str],
        row_only: bool,
    ) -> Iterator[Fault]:
        matched = [(word, spot) for word, spot in zip(said, spots, strict=True) if spot is not None and word in asked]
        if not matched and not self.complete:
            return
        if not matched:
            matched = [(word, spot) for word, spot in zip(said, spots, strict=True) if spot is not None]
            asked = set()
        elif below := [(word, spot) for word, spot in matched if not self.leaves[spot[0]].header]:
            matched = below
        by_row: dict[object, set[str]] = defaultdict(set)
        for word, (index, at) in matched:
            by_row[self._key(index, at)].add(word)
        best = [row for row, words in by_row.items() if not any(words < other for other in by_row.values())]
        for _, (index, at) in matched:
            place = self.leaves[index].place(at)
            if row_only and "cell" in place:
                place = {**place, "cell": re.sub("[A-Z]+", "", str(place["cell"]))}
            if (not asked or self._key(index, at) in best) and _is_at(item, place, row_only=row_only):
                return
        where = [dict(self.leaves[index].place(at)) for _, (index, at) in matched[:3]]
        yield Fault(
            "place", f"{item.locator} for {' '.join(dict.fromkeys(word for word, _ in matched))[:60]} at {where}"
        )

    def _key(self, index: int, at: int) -> object:
        one = self.leaves[index]
        return one.row or tuple(one.place(at).items())


def _is_at(item: Evidence, place: Place, *, row_only: bool) -> bool:
    locator = dict(item.locator or {})
    if row_only and "cell" in locator:
        locator["cell"] = re.sub("[A-Z]+", "", str(locator["cell"]))
    return all(str(locator.get(name)) == str(value) for name, value in place.items())


def _of_delimited(path: Path) -> Iterator[Leaf]:
    text = path.read_bytes().decode("utf-8-sig")
    delimiter = "\t" if path.suffix == ".tsv" else max(",;\t|", key=text.partition("\n")[0].count)
    for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1):
        for column, cell in enumerate(row):
            yield leaf(cell, {"row": number}, "", (1, number), column)


def _of_workbook(path: Path) -> Iterator[Leaf]:
    import openpyxl

    book = openpyxl.load_workbook(path, data_only=True)
    for number, sheet in enumerate(book.worksheets):
        name = " ".join(sheet.title.split())
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, str):  # what is none is told by its format
                    place = {"sheet": name, "cell": cell.coordinate}
                    yield leaf(cell.value, place, name, (number, cell.row), cell.column)


def _of_old_workbook(path: Path) -> Iterator[Leaf]:
    import xlrd

    with open(os.devnull, "w", encoding="utf-8") as log:
        book = xlrd.open_workbook(str(path), logfile=log)
    for number, sheet in enumerate(book.sheets()):
        name = " ".join(sheet.name.split())
        for row in range(sheet.nrows):
            for column in range(sheet.ncols):
                if sheet.cell_type(row, column) == xlrd.XL_CELL_TEXT:
                    place = {"sheet": name, "cell": xlrd.cellname(row, column)}
                    yield leaf(sheet.cell_value(row, column), place, name, (number, row), column)


def _of_word(path: Path) -> Iterator[Leaf]:
    import docx

    document = docx.Document(str(path))
    yield from (leaf(one.text, whole=False) for one in document.paragraphs)
    for number, table in enumerate(document.tables):
        for at, row in enumerate(table.rows):
            for column, cell in enumerate(dict.fromkeys(one._tc for one in row.cells)):  # merged cells come again
                words = " ".join(each.text or "" for each in cell.iter(f"{cell.tag.rpartition('}')[0]}}}t"))
                yield leaf(words, NOWHERE, "", (number, at), column)


def _of_deck(path: Path) -> Iterator[Leaf]:
    import pptx

    for number, slide in enumerate(pptx.Presentation(str(path)).slides, 1):
        for shape in slide.shapes:
            if shape.has_text_frame:
                for paragraph in shape.text_frame.paragraphs:
                    yield leaf(paragraph.text, {"slide": number}, str(number), whole=False)
            elif getattr(shape, "has_table", False) and shape.has_table:
                for at, row in enumerate(shape.table.rows):
                    for column, cell in enumerate(row.cells):
                        table = (1000 * number + shape.shape_id, at)
                        yield leaf(cell.text, {"slide": number}, str(number), table, column)


def _of_pages(path: Path) -> Iterator[Leaf]:
    import pypdf

    for number, page in enumerate(pypdf.PdfReader(path).pages, 1):
        for line in page.extract_text().split("\n"):
            # A hyphen may be that of the line alone.
            yield leaf(re.sub(r"\S+-$", "", line), {"page": number}, whole=False)


def _of_mails(path: Path) -> Iterator[Leaf]:
    box = mailbox.mbox(path, create=False) if path.suffix == ".mbox" else [email.message_from_bytes(path.read_bytes())]
    for number, message in enumerate(box, 1):
        for part in message.walk():
            if part.get_content_type() == "text/plain" and not part.get_filename():
                data = part.get_payload(decode=True)
                for line in data.decode("utf-8", "replace").split("\n") if isinstance(data, bytes) else ():
                    yield leaf(line, {"message": number}, str(number), whole=False)


_READERS: Mapping[str, Callable[[Path], Iterator[Leaf]]] = {
    **dict.fromkeys(("csv", "tsv"), _of_delimited),
    **dict.fromkeys(("xlsx", "xlsm"), _of_workbook),
    "xls": _of_old_workbook,
    "docx": _of_word,
    "pptx": _of_deck,
    "pdf": _of_pages,
    **dict.fromkeys(("eml", "mbox"), _of_mails),
}


def told(path: Path, extractor: Extractor) -> Truth | None:
    """What another program says that a file holds; None for what it cannot read or of which too little is sure."""
    reader = _READERS.get(path.suffix.lower().lstrip("."))
    if reader is None or path.stat().st_size > _LARGEST:
        return None
    try:
        data, kind = path.read_bytes(), kind_for(path.name)
        text = data.decode() if kind is None else extractor.extract(kind, data).text
        found = Truth([one for one in reader(path) if one.words], complete=False, text=text)
    except Exception:  # noqa: BLE001 - suites hold damaged files: what one of the programs cannot read says nothing
        return None
    return found if len(found.known) >= _FEWEST else None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=3000)
    parser.add_argument("--misses", type=int, default=0, help="show so many of what was wrong")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    logging.disable()
    warnings.simplefilter("ignore")
    files = [path for path in sorted(options.folder.rglob("*")) if path.is_file()]
    with Extractor() as extractor:
        truths = {path: truth for path in files if (truth := told(path, extractor))}
    if not truths:
        print(f"places: nothing to ask about in {options.folder}", file=sys.stderr)
        return 2
    lenses = {path: Lens([path]) for path in truths}
    count: Counter[str] = Counter()
    faults: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[str] = []
    paths = list(truths)
    for number in range(options.queries):
        path = paths[number % len(paths)]
        kind, truth = path.suffix.lower().lstrip("."), truths[path]
        index = truth.known[chance.choice(list(truth.known))][0]
        words = [word for word in truth.leaves[index].words if word in truth.known]
        asked = chance.sample(words, min(len(words), chance.choice([1, 2, 3])))
        for item in lenses[path].find(Request(" ".join(asked), limit=3)).evidence:
            count[kind] += 1
            for fault in truth.judged(item, asked):
                faults[kind][fault.kind] += 1
                wrong.append(f"{fault.kind} {path.name} {item.locator} {item.span} {asked}: {fault.why}")
    kinds = ("spans", "begins", "ends", "cut-claim", "row", "place")
    print(f"| kind | files | passages | {' | '.join(kinds)} |")
    print(f"| :--- | ---: | ---: |{' ---: |' * len(kinds)}")
    for kind in sorted(count):
        files = sum(path.suffix.lower() == f".{kind}" for path in paths)
        print(f"| {kind} | {files} | {count[kind]} | {' | '.join(str(faults[kind][each]) for each in kinds)} |")
    for line in chance.sample(wrong, min(len(wrong), options.misses)):
        print("WRONG", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
