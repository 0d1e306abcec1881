"""Speed and memory beside ripgrep, bm25s, tantivy, SQLite FTS5 and the memory's own limit, in one run.

    python -m benchmarks --data DATA --work FOLDER [--out FOLDER] [--quick] [--rows warm,cold] [--corpora A,docs,C]
        [--check] [--against FILE] [--publish]

Corpora are made below ``--work`` and used again: A, 20,020 articles; docs, 9,748 pages of documentation; C, 100,000
notes made of their paragraphs, 1.5 GB. With ``--data``, the folder of the data sets, the text of A and docs is real;
without it is generated. ``--quick`` takes small generated corpora and three runs: it shows that everything works, no
goal is judged by it. ``--out`` gets benchmarks.json, benchmarks.md and the pictures; rows of the same build that it
holds already stay there. ``--publish`` takes over what is complete into the repository.

The result is compared with the committed one (``--against``); ``--check`` ends with 1 where a row got worse beyond its
spread. Ends with 1 where a goal is missed, too, and with 2 where something is missing.

How it is fair: the runs alternate (lens, rg, lens, rg, …); medians of at least seven with least and most; ripgrep in
the fastest by the wall of four invocations, each printed, that report as many matches as we do; and before anything
is timed the matches are proven equal, for every term and in every file. The terms are case-insensitive literals, for
ripgrep knows no stems. ripgrep is a whole process, as whoever starts it pays for it; ours is a running one, as a
language server is, but where a row says otherwise.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measuring import REPOSITORY, machine
from benchmarks.speed.bench import Bench, Sizes
from benchmarks.speed.changes import changes
from benchmarks.speed.corpora import FULL, QUICK, ColdCacheError, Corpora, NoRoomError
from benchmarks.speed.endurance import endurance, one_large_file
from benchmarks.speed.finding import ask, find
from benchmarks.speed.page import page, summary
from benchmarks.speed.peers import NoPeersError
from benchmarks.speed.plots import draw
from benchmarks.speed.recall import recall
from benchmarks.speed.record import Difference, Record, RecordError, compared, read_record, regressions
from benchmarks.speed.ripgrep import INSTALL, NoRipgrepError, UnequalError, find_ripgrep
from benchmarks.speed.row import Row
from benchmarks.speed.scaling import Point, curves, memory
from benchmarks.speed.scanning import cold, uncached, warm
from benchmarks.speed.serving import NoAnswerError, server
from benchmarks.speed.starting import processes, start
from benchmarks.speed.walking import read, walk
from lens_lsp.model.errors import LensError

LEAST_RUNS = 7
QUICKLY = Sizes(
    runs=3,
    questions=3,
    scaling_files=1_000,
    scaling_megabytes=1,
    scaling_questions=2,
    endurance_megabytes=1,
    endurance_questions=12,
)
PUBLISHED = REPOSITORY / "benchmarks" / "results" / "benchmarks.json"
PAGE = REPOSITORY / "docs" / "explanation" / "benchmarks.md"
_COMPLAINTS = (NoRipgrepError, UnequalError, NoRoomError, ColdCacheError, NoPeersError, NoAnswerError, RecordError)


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that are chosen together, and their heading."""

    title: str
    rows: Callable[[Bench], Iterable[Row | Point]]


PARTS = {
    "walk": Part("Listing files", walk),
    "read": Part("Reading files", read),
    "warm": Part("Scanning, texts in memory", warm),
    "uncached": Part("Nothing cached", uncached),
    "cold": Part("Cold page cache", cold),
    "changes": Part("One file changed", changes),
    "find": Part("Whole questions: find", find),
    "ask": Part("Whole questions: ask", ask),
    "server": Part("The language server", server),
    "start": Part("Starting", start),
    "processes": Part("Questions to a fresh process", processes),
    "memory": Part("Memory", memory),
    "endurance": Part("Many questions in a row", endurance),
    "large": Part("One large file", one_large_file),
    "curves": Part("What the curves are asked for", curves),
    "recall": Part("Recall of the same build", recall),
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    try:
        with ExitStack() as stack:
            return _run(options, options.work or Path(stack.enter_context(tempfile.TemporaryDirectory())))
    except (*_COMPLAINTS, LensError, OSError, ValueError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, work: Path) -> int:
    work.mkdir(parents=True, exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    corpora = Corpora(None if options.quick else options.data, work, QUICK if options.quick else FULL)
    sizes = QUICKLY if options.quick else Sizes(runs=options.runs)
    bench = Bench(corpora, options.corpora, sizes, options.rg, _say)
    target = options.out / "benchmarks.json"
    about = machine() | {"ripgrep": find_ripgrep(options.rg).version}
    record = Record(about, corpora.text, datetime.now(UTC).date().isoformat(), options.quick)
    before = read_record(options.against)
    record.with_kept(read_record(target), options.rows)
    bench.commands, bench.warnings = record.commands, record.warnings
    for name in options.rows:
        _measure(name, bench, record)
        record.corpora |= corpora.json()
        record.write(target)
    record.rows.sort(key=lambda row: list(PARTS).index(row.part))
    record.write(target)
    return _told(record, before, options)


def _measure(name: str, bench: Bench, record: Record) -> None:
    """The rows of a part, each with the load that it was measured under."""
    bench.say(f"{name}: {PARTS[name].title}")
    for found in PARTS[name].rows(bench):
        if isinstance(found, Row):
            loaded = replace(found, part=name, load=round(os.getloadavg()[0], 2), cores=os.cpu_count() or 1)
            # No goal is asked of corpora that are too small for it.
            record.rows.append(replace(loaded, goal=None) if record.quick else loaded)
            bench.say(f"  {record.rows[-1].key}: {record.rows[-1].median:.6g}, load {record.rows[-1].load}")
        else:
            record.points.append(found)
            bench.say(f"  {found['curve']}: {found['bytes']:,} bytes, {found['find']:.4f} s")


def _told(record: Record, before: Record | None, options: argparse.Namespace) -> int:
    differences = [] if before is None else compared(record, before)
    _write(record, differences, before, options.out / "benchmarks.md", options.out / "benchmarks")
    if options.publish:
        PUBLISHED.parent.mkdir(exist_ok=True)
        record.write(PUBLISHED)
        _write(record, differences, before, PAGE, PAGE.with_suffix(""))
    print(summary(record, differences))
    worse = regressions(differences) if options.check else []
    return 1 if worse or any(row.holds is False for row in record.rows) else 0


def _write(
    record: Record, differences: Sequence[Difference], before: Record | None, target: Path, pictures: Path
) -> None:
    titles = {name: part.title for name, part in PARTS.items()}
    target.write_text(page(record, differences, before, titles), "utf-8")
    for path in draw(record, pictures):
        _say(f"{path.name}: {path.stat().st_size:,} bytes")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="the folder of the data sets; without it texts are generated")
    parser.add_argument("--work", type=Path, help="where the corpora are kept; otherwise they are made for this run")
    parser.add_argument("--out", type=Path, default=Path("runs/benchmarks"), help="where record, page and pictures go")
    parser.add_argument("--quick", action="store_true", help="small corpora, few runs, no goals")
    parser.add_argument("--rows", type=_names(PARTS), default=tuple(PARTS), help=f"of {','.join(PARTS)}")
    parser.add_argument("--corpora", type=_names(FULL), default=tuple(FULL), help=f"of {','.join(FULL)}")
    parser.add_argument("--runs", type=int, default=LEAST_RUNS, help=f"of each measurement, at least {LEAST_RUNS}")
    parser.add_argument("--rg", help=f"the ripgrep program; otherwise {INSTALL}")
    parser.add_argument("--check", action="store_true", help="fail where a row got worse than in the record before")
    parser.add_argument(
        "--against", type=Path, default=PUBLISHED, help="the record before; by default the committed one"
    )
    parser.add_argument("--publish", action="store_true", help="write record, page and pictures into the repository")
    options = parser.parse_args(arguments)
    if options.runs < LEAST_RUNS:
        parser.error(f"--runs must be at least {LEAST_RUNS}")
    if options.publish and options.quick:
        parser.error("a quick run is not published")
    return options


def _names(known: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    def names(text: str) -> tuple[str, ...]:
        chosen = tuple(text.split(","))
        if unknown := set(chosen) - set(known):
            raise argparse.ArgumentTypeError(f"no {', '.join(sorted(unknown))} among {', '.join(known)}")
        return chosen

    return names


if __name__ == "__main__":
    sys.exit(main())
