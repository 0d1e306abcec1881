"""Fits the weights by which words choose a reading of a question over a table (`lens_lsp.search.row_readings`).

    python -m training.rows --questions WikiTableQuestions --split pristine-unseen-tables --first 420

``--questions`` is a clone of https://github.com/ppasupat/WikiTableQuestions (CC BY-SA 4.0): questions that people asked
about tables of Wikipedia, with their answers and nothing else. Every reading of a table that gives the answer counts as
right; the weights make those likely among all readings of the table and of another one. They replace ``words`` in
``row_choice.json``. How the reader counts beside them (``readings``) was chosen, and how probable the best reading is
(``right``) was fitted, on 91 questions over other folders: half of `benchmarks.tables_and_mail`, 38 that were written
for it, and 31 of these over tables without the column that they ask for.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.search.query_parser import Operation
from lens_lsp.search.record_values import TypedTable
from lens_lsp.search.record_words import Question
from lens_lsp.search.records import tables_of
from lens_lsp.search.row_readings import Reading, TableReadings

WEIGHTS = Path(__file__).parents[1] / "lens_lsp/search/row_choice.json"
_MOST = 200
"""Readings of one table."""
_COMPUTED = (Operation.COUNT, Operation.SUM, Operation.MEAN)
_NUMBER = re.compile(r"[$€£]?-?[\d,. ]+%?( [^\d]*)?")

Group = tuple[list[dict[str, float]], list[bool]]
"""What is known of the readings of one question, and which are right."""


def read_table(path: Path, scratch: Path) -> list[TypedTable]:
    """The table of a file, written again as others write theirs."""
    rows = csv.reader(io.StringIO(path.read_text("utf-8")), doublequote=False, escapechar="\\")
    with (scratch / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[cell.replace("\n", " ").strip() for cell in row] for row in rows])
    root = Root(str(scratch))
    try:
        return [TypedTable(one) for one in tables_of(0, Snapshot([root], {}, CorpusRules()).document(0, "t.csv"))]
    finally:
        root.close()


def is_right(reading: Reading, answers: Sequence[str]) -> bool:
    """Whether a reading gives the answers, all and no others."""
    rows = reading.typed.rows
    computed = reading.operation in _COMPUTED or reading.target is None
    found = {reading.short} if computed else {rows[at].cells[reading.target or 0] for at in reading.rows}
    plain, wanted = {_plain(one) for one in found}, {_plain(one) for one in answers}
    return len(plain) == len(wanted) and all(any(_same(one, other) for other in plain) for one in wanted)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.strip().strip('"').lower().replace("–", "-"))


def _same(one: str, other: str) -> bool:
    number = _number(one)
    return re.sub(r"\W", "", one) == re.sub(r"\W", "", other) or (number is not None and number == _number(other))


def _number(text: str) -> float | None:
    try:
        return float(re.sub(r"[^\d.-]", "", text)) if _NUMBER.fullmatch(text) else None
    except ValueError:
        return None


def groups(folder: Path, split: str, first: int) -> Iterator[Group]:
    """The readings of the first questions of a split, in an order that is drawn."""
    drawn = random.Random(3)
    lines = [line.split("\t") for line in (folder / f"data/{split}.tsv").read_text("utf-8").splitlines()[1:]]
    drawn.shuffle(lines)
    known: dict[str, list[TypedTable]] = {}
    before: TypedTable | None = None
    with tempfile.TemporaryDirectory() as scratch:
        for _, asked, path, answers in lines[:first]:
            if path not in known:
                known[path] = read_table(folder / path, Path(scratch))
            if not known[path]:
                continue
            table, question = known[path][0], Question(asked)
            own = list(TableReadings(question, table).readings())[:_MOST]
            right = [is_right(one, answers.replace("\\p", "|").split("|")) for one in own]
            other = [] if before in (None, table) else list(TableReadings(question, before).readings())[:_MOST]
            yield [one.features for one in (*own, *other)], [*right, *[False] * len(other)]
            before = table


def fitted(data: Sequence[Group], names: Sequence[str], ridge: float = 1e-2) -> NDArray[np.float64]:
    """Weights that make the right readings of each question likely, by gradient descent (Kingma & Ba 2015)."""
    kept = [(np.array([[x.get(n, 0.0) for n in names] for x in xs]), np.array(ys)) for xs, ys in data if any(ys)]
    x, y = np.concatenate([x for x, _ in kept]), np.concatenate([y for _, y in kept])
    sizes = [len(ys) for _, ys in kept]
    of, starts = np.repeat(np.arange(len(sizes)), sizes), np.r_[0, np.cumsum(sizes)[:-1]]
    weights, first, second = np.zeros(len(names)), np.zeros(len(names)), np.zeros(len(names))
    for step in range(1, 601):
        scores = x @ weights
        likely = np.exp(scores - np.maximum.reduceat(scores, starts)[of])
        wanted = likely * y
        share = likely / np.add.reduceat(likely, starts)[of]
        gradient = x.T @ (share - wanted / np.add.reduceat(wanted, starts)[of]) / len(sizes) + ridge * weights
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        weights = weights - 0.05 * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--split", default="pristine-unseen-tables")
    parser.add_argument("--first", type=int, default=420)
    options = parser.parse_args(arguments)
    data = list(groups(options.questions, options.split, options.first))
    names = sorted({name for xs, _ in data for x in xs for name in x})
    weights = fitted(data, names)
    found = json.loads(WEIGHTS.read_text("utf-8"))
    found["words"] = {name: round(float(w), 3) for name, w in zip(names, weights, strict=True) if abs(w) >= 0.01}
    WEIGHTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
