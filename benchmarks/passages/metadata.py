"""Questions about what documents say of themselves: tags, dates, authors, status, attendance.

    python -m benchmarks.passages.metadata --data DATA --half first|second|both [--questions FILE] [--missed]
        [--work FOLDER]

The sixty questions are `benchmarks/questions/metadata.jsonl`; those the rules were made with, in the same form, are
`benchmarks/questions/metadata_dev.jsonl`. One is right where the first passage of `lens find` is of
a gold file and, where the gold has a quote, holds it (white space folded). The half ``first`` is for choosing, the half
``second`` for reporting. Every quote is looked up in its file before anything is asked.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.passages.corpora import docsqa_folders, text_of
from evaluation.reporting.markdown import table
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request

QUESTIONS = Path(__file__).resolve().parent.parent / "questions" / "metadata.jsonl"
HALVES = ("first", "second")

Row = Mapping[str, Any]


def read(path: Path = QUESTIONS) -> list[dict[str, Any]]:
    """The questions in their order."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def fold(text: str) -> str:
    """A text with each run of white space as one space."""
    return " ".join(text.split())


def is_right(gold: Sequence[Row], path: str, quote: str) -> bool:
    """Whether the passage ``quote`` of the file ``path`` is one that the question wants."""
    shown = fold(quote)
    return any(item["path"] == path and (item["quote"] is None or fold(item["quote"]) in shown) for item in gold)


def absent(rows: Sequence[Row], folders: Mapping[str, Path]) -> list[str]:
    """Golds that do not stand in their files as the questions say."""
    wrong = []
    for row in rows:
        for item in row["gold"]:
            file = folders[row["workspace"]] / item["path"]
            if not file.is_file() or (item["quote"] is not None and item["quote"] not in text_of(file)):
                wrong.append(f"{row['id']}: {item['path']}")
    return wrong


def first_passages(rows: Sequence[Row], folders: Mapping[str, Path]) -> list[tuple[str, str]]:
    """Path and text of the first passage of each question; empty where none was found."""
    found: list[tuple[str, str]] = []
    lenses: dict[str, Lens] = {}
    for row in rows:
        name = row["workspace"]
        if name not in lenses:
            lenses[name] = Lens([folders[name]])
        evidence = lenses[name].find(Request(row["question"], limit=1)).evidence
        found.append((evidence[0].path, evidence[0].quote) if evidence else ("", ""))
    return found


def shares(rows: Sequence[Row], right: Sequence[bool]) -> str:
    """Right of all, by workspace and half."""
    body = []
    for name in [*dict.fromkeys(row["workspace"] for row in rows), "all"]:
        cells = [name]
        for half in (*HALVES, "both"):
            own = [
                good
                for row, good in zip(rows, right, strict=True)
                if name in ("all", row["workspace"]) and half in ("both", row["half"])
            ]
            cells.append(f"{sum(own)} of {len(own)} ({100 * sum(own) / len(own):.0f} %)" if own else "–")
        body.append(cells)
    return table(["workspace", *HALVES, "both"], body)


def report(rows: Sequence[Row], folders: Mapping[str, Path], *, missed: bool) -> str:
    """Ask the questions; the table and, with ``missed``, what came instead of the gold."""
    found = first_passages(rows, folders)
    right = [is_right(row["gold"], path, quote) for row, (path, quote) in zip(rows, found, strict=True)]
    lines = [shares(rows, right)]
    if missed:
        for row, good, (path, quote) in zip(rows, right, found, strict=True):
            if not good:
                first = row["gold"][0]
                lines.append(f"{row['id']} ({row['half']}): {row['question']}")
                lines.append(f"  wanted: {first['path']}: {fold(first['quote'] or 'the document')[:110]}")
                lines.append(f"  came:   {path}: {fold(quote)[:110]}")
    return "\n".join(lines)


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """The command line of an instrument that asks questions of two halves."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--half", choices=[*HALVES, "both"], default="both")
    parser.add_argument("--missed", action="store_true", help="list the questions that were missed")
    parser.add_argument("--work", type=Path, help="where the archives are unpacked and kept; else a temporary folder")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--questions", type=Path, default=QUESTIONS, help="a JSON Lines file of questions")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        folders = docsqa_folders(given.data, work)
        rows = [row for row in read(given.questions) if given.half in ("both", row["half"])]
        wrong = absent(rows, folders)
        if wrong:
            print("not in the files as the questions say:", *wrong, sep="\n", file=sys.stderr)
            return 2
        print(report(rows, folders, missed=given.missed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
