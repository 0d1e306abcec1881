"""What the tables and the mail of a workspace say to a question: which are looked at, and which one is meant.

Every table competes that may hold what a question says. Where two fit alike and say different things, both are shown;
where one of them was not read to its end, what rests on all of its rows is no answer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from lens_lsp.model.documents import BlockKind, Document
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.words import STOP_WORDS, key, stem
from lens_lsp.search.corpus_view import DocumentAccess
from lens_lsp.search.localisation import Candidates
from lens_lsp.search.record_words import Question

if TYPE_CHECKING:
    from lens_lsp.search.record_query import TableAnswer
    from lens_lsp.search.record_values import TypedTable
    from lens_lsp.search.row_readings import Reading

Readings = dict[tuple[str, str], tuple[float, "Reading"]]
"""Readings and how well words fit them, by the sentence that each says and the path of its file."""
_MOST_DOCUMENTS = 60
"""Documents whose tables are looked at for one question."""
_MOST_TEXT = 12_000_000
"""Code points of them, together."""
_LEAST_HELD = 0.25
"""The share of a question's telling words that a document with such a table holds, by its text or its name."""
_MOST_KEPT = 1_500_000
"""Cells of tables that stay taken apart for the next question."""
_MAIL = (".eml", ".mbox")
_FEW_MAILS = 200
"""Messages that are all looked at; of more, those that hold a word of the question."""
_MOST_MAILS = 3000
_READ_ME = regex(r"read[-_]?me(?:\.\w+)?")
_WORDS = regex(r"[^\W\d_]+")
ALL_TABLES = frozenset("csv tsv tab psv xlsx xlsm xlsb xls ods".split())  # noqa: SIM905
"""Suffixes of files that are tables and nothing else."""
_SUFFIXES = ALL_TABLES | frozenset(
    "pdf docx docm odt rtf epub pptx odp md markdown mdown html htm xhtml rst org".split()  # noqa: SIM905
)
"""Suffixes of files that may hold a table."""


@dataclass(frozen=True, slots=True)
class RowsFound:
    """What rows say: one answer, or several that do not agree. ``whole``: all rows that could count were read."""

    answers: tuple[TableAnswer, ...]
    whole: bool

    @property
    def of_all(self) -> bool:
        """Whether a document that is still to be read could change it."""
        return any(answer.of_all for answer in self.answers)


class RowJudge:
    """What a reader makes of rows for one question: it is shown each sentence once, and each version of a table is read
    once, however often rows are looked at while documents join."""

    def __init__(self, stated: Callable[[Sequence[tuple[str, str]]], Sequence[float]]) -> None:
        self._stated = stated
        self._odds: dict[tuple[str, str], float] = {}
        self.read: dict[TypedTable, Readings] = {}
        """The best readings of each table that was looked at last."""

    def stated(self, sentences: Sequence[tuple[str, str]]) -> list[float]:
        """The reader's log odds, in nats, that each sentence states what is asked; beside each the path of its file."""
        new = [sentence for sentence in sentences if sentence not in self._odds]
        if new:
            self._odds.update(zip(new, self._stated(new), strict=True))
        return [self._odds[sentence] for sentence in sentences]


def rows_found(
    reading: DocumentAccess,
    candidates: Candidates,
    question: str,
    late: Callable[[], bool],
    judge: RowJudge | None = None,
) -> RowsFound | None:
    """What the tables of a workspace say to a question, exactly; None where they do not say it. Where the words do not
    all fit, a ``judge`` of the question chooses among the readings that are left."""
    asked = Question(question)
    if asked.is_refused:
        return None
    with_rows = list(_with_rows(reading, _slots(reading, candidates, asked), late))
    mail = list(_mail(reading, candidates, late))
    if not with_rows and not mail:
        return None
        # Most folders have neither, and what follows takes a while to import.
    from lens_lsp.search.mail_query import MailQuery
    from lens_lsp.search.record_query import answer_over, best_answers
    from lens_lsp.search.records import mail_of

    tables = list(_tables(reading, with_rows))
    answers = [answer_over(asked, table) for table in tables]
    messages = [(message, document) for slot, document in mail for message in mail_of(slot, document)]
    answers.append(MailQuery(asked, messages).answer())
    found = [answer for answer in answers if answer is not None]
    best = best_answers(found) if found else []
    if not best and judge is not None:
        from lens_lsp.search.row_choice import chosen

        best = [one for one in [chosen(asked, tables, judge, late)] if one is not None]
    if not best or late():
        return None
    whole = not any(answer.of_all and answer.table.cut for answer in best)
    return RowsFound(tuple(best), whole)


def needs_all_rows(question: str) -> bool:
    """Whether a question counts, adds or compares rows, if it is one about rows."""
    asked = Question(question)
    return not asked.is_refused and asked.needs_all


def _slots(reading: DocumentAccess, candidates: Candidates, asked: Question) -> list[int]:
    """The documents that may hold such a table, best first."""
    wanted = asked.scanned - STOP_WORDS
    index = {number: stem(term) for number, term in enumerate(candidates.question.terms)}
    telling = [number for number, term in index.items() if term in wanted]
    counts = candidates.hits.counts
    cache = reading.corpus.cache
    held = np.zeros((len(cache.slots), max(1, len(telling))), bool)
    for column, number in enumerate(telling):
        held[counts.slot[counts.term == number], column] = True
    weights = np.maximum(candidates.measures.idf[telling], 0.1) if telling else np.zeros(1)
    chosen: list[tuple[float, tuple[int, str], int]] = []
    for slot, text in enumerate(cache.slots):
        if text is None or text.key[1].rpartition(".")[2].lower() not in _SUFFIXES:
            continue
        if telling and not held[slot].any() and len(cache.slots) > _MOST_DOCUMENTS:
            continue
        named = set(map(stem, key(text.key[1]).split()))
        own = held[slot] | np.array([index[number] in named for number in telling] or [False])
        share = float(weights[own].sum() / (weights.sum() or 1.0)) if telling else 1.0
        if share >= _LEAST_HELD:
            chosen.append((-share, text.key, slot))
    return [slot for _, _, slot in sorted(chosen)][:_MOST_DOCUMENTS]


def _mail(reading: DocumentAccess, candidates: Candidates, late: Callable[[], bool]) -> Iterator[tuple[int, Document]]:
    """The files of mail that hold any telling word of a question, with their slots."""
    slots = [text.slot for text in reading.corpus.cache.slots if text is not None and _is_mail(text.key[1])]
    hit = set(candidates.hits.counts.slot.tolist()) if len(slots) >= _FEW_MAILS else set(slots)
    for slot in [slot for slot in slots if slot in hit][:_MOST_MAILS]:
        document = None if late() else reading.document(slot)
        if document is not None:
            yield slot, document


def _is_mail(path: str) -> bool:
    return path.lower().endswith(_MAIL)


def _with_rows(
    reading: DocumentAccess, slots: Sequence[int], late: Callable[[], bool]
) -> Iterator[tuple[int, Document]]:
    """The documents that have rows at all, with their slots."""
    size = 0
    for slot in slots:
        if late() or size > _MOST_TEXT:
            return
        piece = reading.text(slot).piece
        if piece is not None and piece.point:
            continue  # the header stands in the first piece of a large file
        document = reading.document(slot)
        if document is not None:
            size += len(document.text)
            if any(block.kind is BlockKind.TABLE_ROW for block in document.structure.blocks):
                yield slot, document


def _tables(reading: DocumentAccess, documents: Sequence[tuple[int, Document]]) -> Iterator[TypedTable]:
    subjects: dict[str, tuple[str, ...]] = {}
    for slot, document in documents:
        folder = document.path.rpartition("/")[0]
        if folder not in subjects:
            subjects[folder] = tuple(_subjects(reading, document))
        yield from _KEPT.of(slot, document, subjects[folder], cut=reading.text(slot).piece is not None)


class _KeptTables:
    """Tables by what their document says, so that each version of it is taken apart once; those that were asked for
    last stay, up to `_MOST_KEPT` cells."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, tuple[list[TypedTable], int]] = OrderedDict()
        self._lock = Lock()

    def of(self, slot: int, document: Document, subjects: tuple[str, ...], *, cut: bool) -> list[TypedTable]:
        """The tables of a document; ``subjects`` is what else names them."""
        from lens_lsp.search.record_values import TypedTable
        from lens_lsp.search.records import tables_of

        about = (slot, document.root, document.path, document.reader, document.origin, len(document.text))
        version = (*about, document.structure.ours, subjects, cut)
        with self._lock:
            if version in self._kept:
                self._kept.move_to_end(version)
                return self._kept[version][0]
        found = []
        for table in tables_of(slot, document):
            table.title = (*table.title, *subjects)
            table.cut |= cut
            found.append(TypedTable(table))
        size = sum(len(one.rows) * len(one.columns) for one in found)
        with self._lock:
            self._kept[version] = found, size
            while sum(size for _, size in self._kept.values()) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return found


_KEPT = _KeptTables()


def _subjects(reading: DocumentAccess, beside: Document) -> Iterator[str]:
    """What the read-me file in the folder of a document is called in its heading."""
    for text in reading.corpus.cache.slots:
        if text is None or text.key[0] != beside.root or not _READ_ME.fullmatch(text.key[1].rpartition("/")[2].lower()):
            continue
        if text.key[1].rpartition("/")[0] == beside.path.rpartition("/")[0]:
            document = reading.document(text.slot)
            title = "" if document is None else document.structure.head.title or ""
            yield " ".join(_WORDS.findall(title))
