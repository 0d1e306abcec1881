"""How times and memory grow: with the number of files, with bytes, with terms, with processors.

Four curves. *files*: notes of half a kilobyte, from a hundred on, ten times as many each time. *bytes*: notes of 15 KB
on average, one megabyte and ten times as much each time; *streamed* is the same keeping 64 MiB, with everything else
read again at each question. *terms*: one scan with BM25 over what *bytes* ends with, by literals. *cores*: the largest
point of *bytes* on one processor. Each point is a process of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import peak_bytes, python_child, timed
from benchmarks.speed.answering import answer, lowered
from benchmarks.speed.bench import Bench
from benchmarks.speed.corpora import Folder
from benchmarks.speed.endurance import LITTLE
from benchmarks.speed.queries import TERMS
from benchmarks.speed.row import Row, Unit, figures, most

FIRST_GOAL, EVIDENCE_GOAL = 30.0, 2.0
"""Seconds until a question over a million files is answered for the first time, and until it shows something."""
_MILLION = 1_000_000
STREAMED_PEAK = 250_000_000
STREAMED_EVIDENCE = 1.6
"""Seconds until the first evidence over C when its texts are read again for it."""
_TERMS = (1, 5, 12, 30, 60)
_SIZES = (1, 10, 100, 1_000, 2_000)

Point = dict[str, Any]


def memory(bench: Bench) -> Iterator[Row]:
    """What a process holds at most that asked a few questions, with the default budget and with little."""
    texts = _questions(bench)
    for folder in bench.folders("A", "docs", "C"):
        for options in ((), ("--memory", str(LITTLE))):
            found = _measured("memory", folder, texts, *options)
            corpus = f"{folder.name}, {LITTLE} MiB kept" if options else folder.name
            streamed = bool(options) and folder.name == "C"
            note = f"{found['asked']} questions, the first of an empty cache"
            peak = most(STREAMED_PEAK) if streamed else None
            yield figures("held at most", corpus, [found["peakBytes"]], Unit.BYTES, peak, note)
            yield figures("held at the end", corpus, [found["residentBytes"]], Unit.BYTES, note=note)
            if streamed:
                yield figures("first evidence", corpus, found["firstEvidence"], Unit.WALL, most(STREAMED_EVIDENCE))


def curves(bench: Bench) -> Iterator[Row | Point]:
    """The points in order, and the rows that are asked something of."""
    questions, sizes, corpora = _questions(bench), bench.sizes, bench.corpora
    counts = [10**power for power in range(2, 10) if 10**power <= sizes.scaling_files]
    for count in counts:
        point = _point("files", corpora.first_small(count, counts[-1]), questions)
        yield point
        if count == _MILLION:
            yield from _million(corpora.first_small(count, counts[-1]), questions, bench.runs)
            note = "walk, read and fold included"
            yield figures("first question, a million files", "–", [point["first"]], Unit.WALL, most(FIRST_GOAL), note)
    megabytes = [size for size in _SIZES if size <= sizes.scaling_megabytes]
    for size in megabytes:
        folder = corpora.megabytes(size, megabytes[-1])
        yield _point("bytes", folder, questions)
        yield _point("streamed", folder, questions, "--memory", str(LITTLE))
    yield _point("cores", folder, questions, "--cores", "1")
    yield from _by_terms(folder, bench.runs)


def _million(folder: Folder, questions: Path, runs: int) -> Iterator[Row]:
    """How the first question over a million files begins, of as many processes."""
    arguments = (str(folder.path), "--questions", str(questions), "--beginning")
    begun = [python_child("benchmarks.speed.scaling_point", *arguments)[1] for _ in range(runs)]
    note = "of an empty cache; progress and passages of what was read so far"
    yield figures("first progress, a million files", "–", [one["progress"] for one in begun], Unit.WALL, note=note)
    evidence, goal = [one["evidence"] for one in begun], most(EVIDENCE_GOAL)
    yield figures("first evidence, a million files", "–", evidence, Unit.WALL, goal, note)


def _questions(bench: Bench) -> Path:
    path = bench.work / "scaling-questions.json"
    path.write_text(json.dumps(bench.corpora.questions("A", bench.sizes.scaling_questions + 1)), "utf-8")
    return path


def _point(curve: str, folder: Folder, questions: Path, *options: str) -> Point:
    found = _measured(curve, folder, questions, *options)
    return found | {"firstEvidence": _middle(found["firstEvidence"]), "ask": _middle(found["ask"])}


def _measured(curve: str, folder: Folder, questions: Path, *options: str) -> Point:
    arguments = (str(folder.path), "--questions", str(questions), *options)
    timing, found = python_child("benchmarks.speed.scaling_point", *arguments)
    return {"curve": curve, "bytes": folder.bytes, "seconds": timing.wall, "cpu": timing.cpu, **found}


def _by_terms(folder: Folder, runs: int) -> Iterator[Point]:
    arena, _ = lowered(str(folder.path))
    terms = list(dict.fromkeys((*TERMS["A"]["T40"], *TERMS["docs"]["T40"])))
    for count in _TERMS:
        taken = [timed(partial(answer, arena, terms[:count])).wall for _ in range(runs)]
        yield {
            "curve": "terms",
            "bytes": folder.bytes,
            "terms": count,
            "find": _middle(taken),
            "least": min(taken),
            "most": max(taken),
            "peakBytes": peak_bytes(),
        }


def _middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
