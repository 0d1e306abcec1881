"""Claims over quotes: how many false ones the checker of an answer's sentences marks, and how many true ones.

    python -m benchmarks.claims --data DATA [--half first|second|both] [--missed] [--work FOLDER]

The claims are `benchmarks/questions/claims.jsonl`. Each quote is looked up in its document and gets the context and the
headings that the evidence of an answer has. The half ``first`` is for fitting, the half ``second`` for reporting:
``--missed`` lists what went wrong in the first half and never in the second. A checker that marks nothing is the
control: each claim cites a quote, so nothing else marks it.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.passages.corpora import docsqa_folders, text_of
from benchmarks.passages.metadata import HALVES, parser_of, read
from lens_lsp.corpus.formats.table import reader_for
from lens_lsp.domain.model import Document, Origin
from lens_lsp.domain.text import Span
from lens_lsp.evaluation.reporting.markdown import table
from lens_lsp.judge.claims import Doubt, check
from lens_lsp.judge.passage import Passage
from lens_lsp.search.context import context_of
from lens_lsp.search.outline import heading_path

CLAIMS = Path(__file__).resolve().parent / "questions" / "claims.jsonl"
KINDS = ("number", "name", "date", "unit", "negation", "limit")
"""What makes a claim false, apart from ``other``, which is reported by itself."""

Row = Mapping[str, Any]
Checker = Callable[[str, Sequence[Passage]], Sequence[Doubt]]


@cache
def document_of(file: Path, path: str) -> Document:
    """A text file as the corpus reads it."""
    reader = reader_for(file.name)
    text = text_of(file)
    return Document(0, path, text, f"{reader.name}/{reader.version}", Origin("", "utf-8"), reader.structure(text))


def passage_of(row: Row, folder: Path) -> Passage:
    """The quote of a claim as an answer's evidence has it. Raises ValueError where it does not stand in its file."""
    document = document_of(folder / row["path"], row["path"])
    at = -1
    while True:
        at = document.text.find(row["quote"], at + 1)
        if at < 0:
            raise ValueError(f"{row['id']}: the quote does not stand in {row['path']}")
        span = Span(at, at + len(row["quote"]))
        if document.text[span.end :].lstrip().startswith((row.get("after") or "").strip()):
            break
    context = context_of(document, span)
    return Passage(
        row["quote"],
        before="\n".join(part.text for part in context if part.span.end <= span.start),
        after="\n".join(part.text for part in context if part.span.start >= span.end),
        headings=heading_path(document, span.start),
        title=document.structure.head.title or "",
        path=f"{folder.name}/{row['path']}",
    )


def mark_nothing(_sentence: str, _passages: Sequence[Passage]) -> Sequence[Doubt]:
    """The control."""
    return ()


def share(rows: Sequence[Row], marked: Sequence[bool], kinds: Sequence[str], half: str) -> str:
    """How many claims of these kinds of a half are marked."""
    own = [bad for row, bad in zip(rows, marked, strict=True) if row["half"] == half and row["kind"] in kinds]
    return f"{sum(own)} of {len(own)} ({100 * sum(own) / len(own):.1f} %)" if own else "–"


def shares(rows: Sequence[Row], marked: Sequence[bool], halves: Sequence[str]) -> str:
    """The claims that are marked, by kind and half."""
    groups = [*((kind, (kind,)) for kind in KINDS), ("false, six kinds", KINDS), ("true", ("paraphrase",))]
    groups.append(("other (false)", ("other",)))
    body = [[name, *(share(rows, marked, kinds, half) for half in halves)] for name, kinds in groups]
    return table(["claims marked", *halves], body)


def reasons(rows: Sequence[Row], doubts: Sequence[Sequence[Doubt]], halves: Sequence[str]) -> str:
    """The true claims that are marked, by the reason that is given; one may be marked for several."""
    body = []
    for reason in sorted({doubt.reason for found in doubts for doubt in found}):
        cells = [reason]
        for half in halves:
            own = [found for row, found in zip(rows, doubts, strict=True) if row["half"] == half and row["supported"]]
            cells.append(str(sum(any(doubt.reason == reason for doubt in found) for found in own)))
        body.append(cells)
    return table(["true claims marked for", *halves], body)


def missed(rows: Sequence[Row], passages: Sequence[Passage], doubts: Sequence[Sequence[Doubt]]) -> list[str]:
    """What went wrong in the first half: the false ones that are not marked and the true ones that are."""
    lines = []
    for row, passage, found in zip(rows, passages, doubts, strict=True):
        if row["half"] == "first" and row["supported"] == bool(found):
            what = "; ".join(f"{row['claim'][doubt.span.start : doubt.span.end]} ({doubt.reason})" for doubt in found)
            lines.append(f"{row['id']} {row['kind']}: {row['claim']}  -> {what or 'not marked'}")
            lines.append(f"    quote: {' '.join(passage.quote.split())}")
            lines.append(f"    context: {' '.join(passage.before.split())} … {' '.join(passage.after.split())}")
            lines.append(f"    above: {passage.path} | {passage.title} | {' > '.join(passage.headings)}")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    given = parser_of(__doc__).parse_args(arguments)
    halves = HALVES if given.half == "both" else (given.half,)
    rows = [row for row in read(CLAIMS) if row["half"] in halves]
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        folders = docsqa_folders(given.data, work)
        passages = [passage_of(row, folders[row["workspace"]]) for row in rows]
    times, doubts = [], []
    for row, passage in zip(rows, passages, strict=True):
        began = time.perf_counter()
        doubts.append(check(row["claim"], [passage]))
        times.append(1000 * (time.perf_counter() - began))
    print(shares(rows, [bool(found) for found in doubts], halves))
    print(reasons(rows, doubts, halves))
    print("\nThe control, which marks nothing:\n")
    print(shares(rows, [bool(mark_nothing(row["claim"], [])) for row in rows], halves))
    print(f"\nA claim takes {statistics.median(times):.2f} ms (median), {max(times[1:]):.2f} ms at most.")
    if given.missed:
        print("", *missed(rows, passages, doubts), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
