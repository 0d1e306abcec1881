"""Speed against ripgrep, bm25s and tantivy, in one run, with the recall of the same build beside it.

    python -m benchmarks.speed --data DATA --work FOLDER --out speed.json [--rows 1,2,4,5,6,ask,apart]
        [--runs 7] [--rg PROGRAM] [--recall gate.json] [--c-files 100000]

DATA holds the data set folders; FOLDER gets the corpora (kept, used again). ``--out`` takes all figures as JSON;
the tables go to standard output, what happens meanwhile to standard error. ``--recall`` is the ``gate.json`` that
``lens eval gate`` wrote. Exit status 1 when a gate fails, 2 when something is missing.

Corpora: A, 20,020 articles of HotpotQA; docs, 9,748 files of Microsoft's C++ documentation; C, 100,000 generated
notes (1.5 GB; only made when row 3 is asked for, rows 4 and 5 then report on it too).

===== ============================================================================= ===============================
row   what is measured                                                              gate
===== ============================================================================= ===============================
1–3   A, docs, C: scan, BM25 top 10 and best windows over texts in memory; wall     T12 ≥ 15, 8, 6 × faster than rg;
                                                                                    T40 ≥ 5, 2, 1 ×
4     nothing cached, page cache warm: walk, read, fold, scan, top 10; CPU          ≤ 1.0 × rg (A, docs)
5     the same, page cache dropped before every run; wall                           ≤ 1.5 × rg (A, docs)
6     one file of A changed, until the top 10 is known again, beside a rebuild of   warm ≥ 100 × (wall),
      bm25s and tantivy                                                             cold server ≥ 4 × (CPU)
ask   answers without a model: warm, until the first evidence, as a process           warm ≤ 100 ms (A), 300 ms (docs)
apart stat sweep, links, whole questions, first question, starting, memory          whole find ≤ 150 ms, ≤ 350 ms
===== ============================================================================= ===============================

How it is fair: the runs alternate (lens, rg, lens, rg, …); medians of at least seven with least and most; ripgrep in
the fastest by the wall of four invocations, each printed, that report as many matches as we do; and before anything
is timed the matches are proven equal, for every term and in every file. The terms are case-insensitive literals, for
ripgrep knows no stems. ripgrep is a whole process, as whoever starts it pays for it; ours is a running one, as a
language server is, in rows 4, 5 and the cold half of 6 one that has just been started (its imports stand in "apart").
Run it on an idle machine: when ripgrep's threads have to share a core with others, a warning stands in the report.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.apart import Figure, asked, first_question, starting, whole_questions
from benchmarks.asks import shell_asks, warm_asks
from benchmarks.corpora import NOTES, ColdCacheError, Folder, NoRoomError, articles, notes, pages
from benchmarks.measuring import machine, resident_bytes
from benchmarks.peers import NoPeersError
from benchmarks.ripgrep import INSTALL, NoRipgrepError, UnequalError, find_ripgrep
from benchmarks.rows import Bench, Result, changed, cold, nothing_cached, warm
from lens_lsp.domain.errors import LensError

ROWS = ("1", "2", "3", "4", "5", "6", "ask", "apart")
SCHEMA = "lens.speed/1"
LEAST_RUNS = 7
_COMPLAINTS = (NoRipgrepError, UnequalError, NoRoomError, ColdCacheError, NoPeersError)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    try:
        ripgrep = find_ripgrep(options.rg)
        recall = _recall(options.recall)
        options.work.mkdir(parents=True, exist_ok=True)
        bench = Bench(ripgrep, options.work, options.runs, _say)
        before = machine()
        _say(f"{ripgrep.version}; {before['cores']} cores, build {before['build']}, load {before['load']}")
        folders = _folders(options)
        results = list(_shown(_measured(bench, folders, options.rows)))
        figures = list(_asks(folders, options)) if "ask" in options.rows else []
        figures += _apart(folders, options) if "apart" in options.rows else []
    except (*_COMPLAINTS, LensError, OSError, ValueError) as error:
        print(f"speed: {error}", file=sys.stderr)
        return 2
    record = {
        "schema": SCHEMA,
        "machine": before | {"loadAfter": machine()["load"], "ripgrep": ripgrep.version},
        "corpora": {name: {"files": one.files, "bytes": one.bytes} for name, one in folders.items()},
        "runs": options.runs,
        "commands": bench.commands,
        "warnings": bench.warnings,
        "rows": [result.json() for result in results],
        "apart": [figure.json() for figure in figures],
        "residentBytes": resident_bytes(),
        "recall": recall,
    }
    options.out.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(report(record, folders, results, figures))
    return 1 if any(result.passed is False for result in results) else 0


def report(
    record: dict[str, Any], folders: dict[str, Folder], results: Sequence[Result], figures: Sequence[Figure]
) -> str:
    """Everything as Markdown."""
    about = record["machine"]
    libraries = ", ".join(f"{name} {version}" for name, version in about["libraries"].items())
    parts = [
        f"{about['ripgrep']}; Python {about['python']}, {libraries}; build {about['build']}",
        f"{about['processor']}, {about['cores']} cores, {about['memoryGiB']} GiB, {about['system']}",
        f"Load {about['load'][0]} before, {about['loadAfter'][0]} after.",
        *(f"{folder.name}: {folder.size}" for folder in folders.values()),
        f"Medians of {record['runs']} alternating runs [least–most], milliseconds.",
        "",
        _table(("row", "what", "corpus", "terms", "clock", "lens", "yardstick", "its time", "ratio", "gate", ""), [
            _line(result) for result in results
        ]),
    ]  # fmt: skip
    if figures:
        parts.append(_table(("apart", "corpus", "lens", "goal", "", "note"), [_figure(figure) for figure in figures]))
    parts += [f"WARNING: {warning}" for warning in record["warnings"]]
    parts += _commands(record["commands"])
    parts += (
        [_recalled(record["recall"])] if record["recall"] else ["No --recall: the recall of this build is not shown."]
    )
    return "\n".join(parts)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="where the corpora are kept")
    parser.add_argument("--out", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--rows", type=_rows, default=_rows("1,2,4,5,6,ask,apart"), help="of 1,2,3,4,5,6,ask,apart")
    parser.add_argument("--runs", type=int, default=LEAST_RUNS, help=f"of each measurement, at least {LEAST_RUNS}")
    parser.add_argument("--rg", help=f"the ripgrep program; otherwise {INSTALL}")
    parser.add_argument("--recall", type=Path, help="gate.json of the same build")
    parser.add_argument("--c-files", type=int, default=NOTES, help="how many notes C has")
    options = parser.parse_args(arguments)
    if options.runs < LEAST_RUNS:
        parser.error(f"--runs must be at least {LEAST_RUNS}")
    return options


def _rows(text: str) -> tuple[str, ...]:
    rows = tuple(text.split(","))
    if unknown := set(rows) - set(ROWS):
        raise argparse.ArgumentTypeError(f"no such row: {', '.join(sorted(unknown))}; choose from {', '.join(ROWS)}")
    return rows


def _folders(options: argparse.Namespace) -> dict[str, Folder]:
    both = articles(options.data, options.work), pages(options.data, options.work)
    folders = {folder.name: folder for folder in both}
    if "3" in options.rows:
        _say(f"C: {options.c_files:,} notes …")
        folders["C"] = notes(both, options.work, options.c_files)
    for folder in folders.values():
        _say(f"{folder.name}: {folder.size}")
    return folders


def _measured(bench: Bench, folders: dict[str, Folder], rows: Sequence[str]) -> Iterable[Result]:
    for row, name in (("1", "A"), ("2", "docs"), ("3", "C")):
        if row in rows:
            yield from warm(bench, row, folders[name])
    for row, measure in (("4", nothing_cached), ("5", cold)):
        if row in rows:
            for name, folder in folders.items():
                yield from measure(bench, folder, name != "C")
    if "6" in rows:
        yield from changed(bench, folders["A"])


def _asks(folders: dict[str, Folder], options: argparse.Namespace) -> Iterable[Figure]:
    for name, folder in folders.items():
        texts = asked(options.data, "docs" if name == "docs" else "A")
        yield from warm_asks(folder, texts)
        if name != "C":
            yield from shell_asks(folder, texts[0], options.runs)


def _apart(folders: dict[str, Folder], options: argparse.Namespace) -> Iterable[Figure]:
    yield from starting(options.runs)
    for name in ("A", "docs"):
        texts = asked(options.data, name)
        yield from whole_questions(folders[name], texts)
        yield from first_question(folders[name], texts[0], options.runs)


def _recall(path: Path | None) -> list[dict[str, Any]] | None:
    """What the gate says of ours and of the references: row, figure, value of each arm. Raises ValueError."""
    if path is None:
        return None
    try:
        figures = json.loads(path.read_text("utf-8"))["figures"]
        return [
            {
                "row": figure["row"],
                "figure": figure["figure"],
                "arms": {name: value and value["value"] for name, value in figure["arms"].items()},
                "passed": figure["passed"],
            }
            for figure in figures
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not the gate.json of `lens eval gate`") from error


def _recalled(figures: Sequence[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for figure in figures for name in figure["arms"]))
    rows = [
        [
            figure["row"],
            figure["figure"],
            *("–" if figure["arms"].get(name) is None else f"{figure['arms'][name]:.1f}" for name in names),
            _verdict(figure["passed"]),
        ]
        for figure in figures
    ]
    return "Recall of the same build, percent:\n\n" + _table(("row", "figure", *names, "gate"), rows)


def _line(result: Result) -> list[str]:
    gate = "–" if result.gate is None else f"{'≤' if result.ceiling else '≥'} {result.gate:g}×"
    return [
        result.row,
        result.what,
        result.corpus,
        result.terms,
        result.clock,
        result.ours.shown(result.clock),
        result.yardstick,
        result.theirs.shown(result.clock),
        f"{result.ratio:.2f}×" if result.ceiling else f"{result.ratio:.1f}×",
        gate,
        _verdict(result.passed),
    ]


def _figure(figure: Figure) -> list[str]:
    goal = "–" if figure.goal is None else f"≤ {figure.goal * 1000:.0f}"
    return [figure.what, figure.corpus, figure.series.shown(figure.clock), goal, _verdict(figure.passed), figure.note]


def _commands(commands: Sequence[str]) -> list[str]:
    return ["Commands compared:", "", *(f"    {command}" for command in commands), ""]


def _verdict(passed: bool | None) -> str:
    return {True: "pass", False: "FAIL", None: ""}[passed]


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))} |\n"

    return "".join(map(line, (headings, ["-" * width for width in widths], *rows)))


def _shown(results: Iterable[Result]) -> Iterable[Result]:
    for result in results:
        _say("  " + " | ".join(_line(result)) + (f" | {result.note}" if result.note else ""))
        yield result


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
