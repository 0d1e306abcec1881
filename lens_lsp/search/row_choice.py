"""Which reading of a question over the tables of a workspace is meant, and how probable that is.

Every reading is said as a sentence; the reader says how well the best ones state what is asked, as of any passage.
Weights fitted on questions over tables of Wikipedia (`training.rows`) put that together with what the words cover.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.search.query_parser import Operation
from lens_lsp.search.record_query import TableAnswer
from lens_lsp.search.record_values import MOST_NAMED, TypedTable, listed
from lens_lsp.search.record_words import Question
from lens_lsp.search.row_readings import Reading, TableReadings
from lens_lsp.search.table_answers import ALL_TABLES, Readings, RowJudge

READ = 16
"""Readings that the reader is shown."""
_MOST_OF_TABLE = 400
_MOST_SURE = 4.0


@dataclass(frozen=True, slots=True)
class RowModel:
    """Weights of what words cover, of that and the reader together, and of whether the best reading is right."""

    words: Mapping[str, float]
    readings: Mapping[str, float]
    right: Mapping[str, float]
    answered: float
    """The probability from which on a reading of a file that is all tables is an answer."""
    answered_in_prose: float
    """The same for tables within other text: most questions about it are not about its tables."""


@cache
def model() -> RowModel:
    """The weights that are shipped."""
    with open(os.path.join(os.path.dirname(__file__), "row_choice.json"), encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    return RowModel(data["words"], data["readings"], data["right"], data["answered"], data["answered_in_prose"])


@dataclass(frozen=True, slots=True)
class Ranked:
    """A reading, its score by words alone and with the reader, and what the reader makes of it, in nats."""

    reading: Reading
    words: float
    score: float
    odds: float


def _bound(odds: float) -> float:
    return max(-_MOST_SURE, min(_MOST_SURE, odds)) / 2


def _dot(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in features.items())


def ranked(question: Question, tables: Iterable[TypedTable], judge: RowJudge, late: Callable[[], bool]) -> list[Ranked]:
    """The readings that fit best, the best first."""
    weights, best = model(), dict[TypedTable, Readings]()
    for table in tables:
        if late():
            return []
        if table in judge.read:
            best[table] = judge.read[table]
        else:
            every = islice(TableReadings(question, table).readings(), _MOST_OF_TABLE)
            best[table] = _first([(_dot(weights.words, reading.features), reading) for reading in every])
    judge.read = best
    first = _first([one for found in best.values() for one in found.values()])
    if not first:
        return []
    odds = judge.stated(list(first))
    found = []
    for (score, reading), own in zip(first.values(), odds, strict=True):
        others = [o for (_, other), o in zip(first.values(), odds, strict=True) if other.short != reading.short]
        features = {
            **reading.features,
            "reader": _bound(own),
            "behind": min(0.0, own - max(others, default=-_MOST_SURE)) / 2,
            "stage1": score,
        }
        found.append(Ranked(reading, score, _dot(weights.readings, features), own))
    return sorted(found, key=lambda one: -one.score)


def _first(scored: list[tuple[float, Reading]]) -> Readings:
    """The best of some readings; of those that say the same of the same file, one."""
    first: Readings = {}
    for score, reading in sorted(scored, key=lambda one: -one[0]):
        first.setdefault((reading.sentence, reading.typed.table.path), (score, reading))
        if len(first) >= READ:
            break
    return first


def right(found: Sequence[Ranked]) -> float:
    """How probable it is that the first of some readings is what is asked."""
    best = found[0]
    lead = min([5.0, *(best.score - other.score for other in found if other.reading.short != best.reading.short)])
    features = {**best.reading.features, "bias": 1.0, "lead": lead, "reader": _bound(best.odds), "stage1": best.words}
    return 1 / (1 + math.exp(-_dot(model().right, features)))


def chosen(
    question: Question, tables: Iterable[TypedTable], judge: RowJudge, late: Callable[[], bool]
) -> TableAnswer | None:
    """What the rows say, if one reading is probable enough."""
    found = ranked(question, tables, judge, late)
    if not found or found[0].reading.features["how_open"]:
        return None  # "how many houses" is not answered by what knows of no houses
    reading, sure = found[0].reading, right(found)
    all_tables = reading.typed.table.path.rpartition(".")[2].lower() in ALL_TABLES
    least = model().answered if all_tables else model().answered_in_prose
    return answer_of(reading, sure) if sure >= least else None


def answer_of(reading: Reading, confidence: float) -> TableAnswer:
    """A reading with its rows."""
    table = reading.typed.table
    rows = tuple(reading.typed.rows[at] for at in reading.rows)
    short = reading.short
    if reading.operation is Operation.LIST:
        names = list(dict.fromkeys(reading.typed.rows[at].cells[reading.target or 0] for at in reading.rows))
        short = listed(names) if len(names) > MOST_NAMED else short
    return TableAnswer(
        reading.operation, short, reading.told, table, rows, reading.target, 0.0, reading.computed, confidence
    )
