"""Where ``find`` finds things in PDF, Office, e-books and mail, and how soon in a folder of many PDFs.

    python -m benchmarks.documents --samples tests/documents/samples [--readers] [--out documents.json]
    python -m benchmarks.documents --many FOLDER [--runs 7] [--out many.json]

The samples were written by other programs than the readers' libraries, and what stands where was taken from what those
programs were given (`benchmarks.document_gold`). A question counts as located right when one of the first three
passages is of the right file and says the right page, slide, chapter, message or row of a sheet; where a kind has
none of these, when it stands under the right heading or has the gold's words in it. Whether those words are shown
is counted apart. Every passage is then checked by reading its document again in another worker.
``--readers`` asks no question: it compares the readers' texts with the gold.

``--many`` starts ``lens find`` in a folder of PDFs as a user does, again and again for each of a few titles: where the
files are called by their titles, and in a copy where they are called by numbers. Then one search goes on until all is
read. Seconds until the first passage, and the most memory that each process held. Such a folder is written by
``python -m tests.documents.make_samples --many 500``.

Ends with 1 if a gate fails (95 % located, every quote verified; the first passage within 2 seconds in the median of
each title, and of the right file in 95 % of the runs), 2 if something is missing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.document_gold import Gold, Item, holds, misread, occurrences, read_sample, same_row, uninstalled
from benchmarks.document_streams import PROMPT, cold_finds, streamed
from benchmarks.measuring import machine
from lens_lsp.app.lens import Lens
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL, Extracted, Unextracted
from lens_lsp.model.documents import Evidence, LocatorMap
from lens_lsp.model.errors import LensError

SCHEMA = "lens.documents/1"
FIRST = 3
"""Passages among which the right one must be."""
LOCATED = 0.95


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the passages for one question are worth. Ranks count from 1; None is not among the first three."""

    item: Item
    rank: int | None
    exact: bool
    """The passage of that rank names the very cell, not only its row."""
    shows: bool
    """One of the first three has the gold's words, or half of them where it is cut."""
    file_rank: int | None
    """Of the first passage of the right file."""
    shown: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    try:
        if options.many:
            record, lines, passed = _many(options.many, options.runs)
        else:
            gold = Gold.load(options.samples)
            if absent := uninstalled(gold.writers):
                raise FileNotFoundError(f"{', '.join(absent)} not installed: {INSTALL}")
            record, lines, passed = (_readers if options.readers else _find)(options.samples, gold)
    except (LensError, OSError, ValueError, KeyError) as error:
        print(f"documents: {error}", file=sys.stderr)
        return 2
    if options.out:
        said = {"schema": SCHEMA, "machine": machine(), "passed": passed} | record
        options.out.write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print("\n".join(lines))
    return 0 if passed else 1


def outcome(item: Item, evidence: Sequence[Evidence]) -> Outcome:
    """How good the passages are for a question."""
    first = evidence[:FIRST]
    ranks = [rank for rank, one in enumerate(first, 1) if _located(item, one)]
    files = [rank for rank, one in enumerate(evidence, 1) if one.path == item.file]
    exact = bool(ranks) and holds(first[ranks[0] - 1].locator, item.locator)
    shown = tuple(f"{one.path} {one.locator or ''}".strip() for one in first)
    shows = any(_shows(item, one) for one in first)
    return Outcome(item, ranks[0] if ranks else None, exact, shows, files[0] if files else None, shown)


def _located(item: Item, one: Evidence) -> bool:
    if one.path != item.file or not same_row(one.locator, item.locator):
        return False
    return bool(item.locator) or item.heading in one.heading or _shows(item, one)


def _shows(item: Item, one: Evidence) -> bool:
    if one.path != item.file:
        return False
    words = item.quote.split()
    halves = " ".join(words[: (len(words) + 1) // 2]), " ".join(words[len(words) // 2 :])
    return any(occurrences(one.quote, part) for part in halves) or bool(occurrences(item.quote, one.quote))


def _find(samples: Path, gold: Gold) -> tuple[dict[str, Any], list[str], bool]:
    with tempfile.TemporaryDirectory() as folder:
        for file in gold.writers:
            (Path(folder) / file).parent.mkdir(exist_ok=True)
            shutil.copy(samples / file, Path(folder) / file)
        lens = Lens([folder])
        scanned = _read_all(lens, gold.items[0].query)
        found = [(item, lens.find(item.query).evidence) for item in gold.items]
    wrong = unverified(samples, [one for _, evidence in found for one in evidence])
    outcomes = [outcome(item, evidence) for item, evidence in found]
    located = sum(one.rank is not None for one in outcomes)
    passages = sum(len(evidence) for _, evidence in found)
    passed = located >= LOCATED * len(outcomes) and not wrong and passages > 0
    lines = [*_tables(outcomes), f"{scanned} of {len(gold.writers)} documents read"]
    lines += [f"{passages} passages read again, {len(wrong)} not verified", *wrong[:20]]
    lines += [f"MISS {_told(one)}" for one in outcomes if one.rank is None]
    rows = [_json(one) for one in outcomes]
    return {"passages": passages, "unverified": wrong, "read": scanned, "items": rows}, lines, passed


def _read_all(lens: Lens, query: str) -> int:
    """Search, and read what that left, as a server does; how many were read."""
    lens.find(query)
    lens.read_on(lambda: False)
    return lens.find(query).coverage.scanned


def unverified(samples: Path, shown: Sequence[Evidence]) -> list[str]:
    """The passages that their documents, read again by another worker, do not have at their place."""
    texts: dict[str, tuple[str, Extracted | None]] = {}
    wrong = []
    with Extractor() as extractor:
        for one in shown:
            if one.path not in texts:
                digest = hashlib.sha256((samples / one.path).read_bytes()).hexdigest()
                texts[one.path] = digest, _again(extractor, samples, one.path)
            digest, extracted = texts[one.path]
            if reason := _fault(one, digest, extracted):
                wrong.append(f"{one.path} {one.span.start}-{one.span.end}: {reason}")
    return wrong


def _again(extractor: Extractor, samples: Path, file: str) -> Extracted | None:
    try:
        return read_sample(extractor, samples, file)
    except Unextracted:
        return None


def _fault(one: Evidence, digest: str, extracted: Extracted | None) -> str | None:
    if extracted is None:
        return "cannot be read again"
    if digest != one.origin.sha256:
        return "sha256 is not that of the file"
    if extracted.text[one.span.start : one.span.end] != one.quote:
        return "the text at the span is not the quote"
    if (one.locator or None) not in _places(extracted.locators, one.span.start, one.span.end):
        return f"no part of the passage stands at {one.locator}"
    return None


def _places(locators: LocatorMap, start: int, end: int) -> list[dict[str, int | str] | None]:
    """The locators that hold somewhere in a span."""
    ends = [*locators.starts, sys.maxsize][1:]
    held = [
        dict(one) or None
        for one, begins, stops in zip(locators.locators, locators.starts, ends, strict=True)
        if begins < end and stops > start
    ]
    return held if locators.starts and locators.starts[0] <= start else [*held, None]


def _readers(samples: Path, gold: Gold) -> tuple[dict[str, Any], list[str], bool]:
    with Extractor() as extractor:
        missed = [miss for file, items in gold.by_file() for miss in misread(extractor, samples, file, items)]
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for item in gold.items:
        counts[item.kind][1] += 1
        counts[item.kind][0] += all(miss.item != item for miss in missed)
    right = len(gold.items) - len(missed)
    lines = ["| kind | items | read right |", "| :--- | ---: | ---: |"]
    lines += [f"| {kind} | {total} | {_share(some, total)} |" for kind, (some, total) in sorted(counts.items())]
    lines += [f"| all | {len(gold.items)} | {_share(right, len(gold.items))} |", ""]
    lines += [f"MISS {miss.item.file}: {miss.item.quote!r} {dict(miss.item.locator)}: {miss.reason}" for miss in missed]
    misses = [{"file": miss.item.file, "quote": miss.item.quote, "reason": miss.reason} for miss in missed]
    return {"items": len(gold.items), "misses": misses}, lines, right >= LOCATED * len(gold.items)


def _many(folder: Path, runs: int) -> tuple[dict[str, Any], list[str], bool]:
    colds, stream = cold_finds(folder, runs), streamed(folder)
    lines = ["| told by | query | first passage s | from – to | processor s | right file | parent MiB | worker MiB |"]
    lines.append("| :--- | :--- " + "| ---: " * 6 + "|")
    lines += [one.row() for one in colds]
    lines += ["", *stream.lines()]
    right = sum(one.right for one in colds) >= LOCATED * runs * len(colds)
    passed = bool(colds) and right and all(one.first <= PROMPT for one in colds)
    return {"cold": [one.json() for one in colds], "stream": stream.json()}, lines, passed


def _tables(outcomes: Sequence[Outcome]) -> list[str]:
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        kinds[one.item.kind].append(one)
    lines = ["| kind | questions | located first | located in 3 | exact cell | words shown | right file in 3 |"]
    lines.append("| :--- " + "| ---: " * 6 + "|")
    for kind, some in [*sorted(kinds.items()), ("all", list(outcomes))]:
        counts = (
            sum(one.rank == 1 for one in some),
            sum(one.rank is not None for one in some),
            sum(one.exact for one in some),
            sum(one.shows for one in some),
            sum(one.file_rank is not None and one.file_rank <= FIRST for one in some),
        )
        lines.append(f"| {kind} | {len(some)} | {' | '.join(_share(count, len(some)) for count in counts)} |")
    return [*lines, ""]


def _share(some: int, total: int) -> str:
    return f"{some} ({100 * some / total:.1f} %)" if total else "0"


def _told(one: Outcome) -> str:
    gold = f"{one.item.file} {dict(one.item.locator)} {one.item.quote!r}"
    return f"{one.item.query!r}: {gold}, file at {one.file_rank}; shown {', '.join(one.shown)}"


def _json(one: Outcome) -> dict[str, Any]:
    return {
        "file": one.item.file,
        "query": one.item.query,
        "locator": dict(one.item.locator),
        "rank": one.rank,
        "exact": one.exact,
        "shows": one.shows,
        "fileRank": one.file_rank,
        "shown": list(one.shown),
    }


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.documents", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--samples", type=Path, help="the folder of the samples and their gold.json")
    what.add_argument("--many", type=Path, metavar="FOLDER", help="a folder of many PDFs")
    parser.add_argument("--runs", type=int, default=7, help="cold starts for each title, for --many")
    parser.add_argument("--readers", action="store_true", help="compare the readers' texts with the gold")
    parser.add_argument("--out", type=Path, help="the JSON file to write")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
