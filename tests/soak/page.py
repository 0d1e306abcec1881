"""``docs/explanation/reliability.md``, from the lines that soaks, mutation testing and coverage wrote.

``python -m tests.soak.page`` writes the page from ``docs/reliability/*.jsonl``, which are what ``--out`` of
``python -m tests.soak``, ``python -m tests.mutation`` and ``python -m tests.core_coverage`` wrote. ``--check`` only
says whether the page is current (exit status 1 when not). Of several lines about one row the one of the larger size
counts, then the last one; but one that did not pass counts, whatever its size, until a later one of its size or a
larger one passed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from tests.mutation.modules import MODULES
from tests.soak.faults import TABLES
from tests.soak.rows import ROWS, SIZES, Row

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "explanation" / "reliability.md"
LINES = DOCS / "reliability"
TESTS = "../../tests"
TITLE = "# Reliability\n\n"
HEAD = """\
What is tried against faults, hostile input and attacks, how often, and what came of it. Made by
`python -m tests.soak.page` from the lines in `docs/reliability`; a test fails when the two differ.

```sh
python -m tests.soak --size quick
python -m tests.soak --size first --out docs/reliability/soak.jsonl
python -m tests.soak --only messages L02 --seed 2
python -m tests.soak.page
```

A row passes only if nothing was wrong and its control, something broken on purpose, was caught by the same harness.
Every run is written down, also one that did not pass: then that is what stands here, whatever passed before it at
another size, until that size or a larger one passes. *First* is the size for a first release, *quick* a share of it
that shows that the harness works: its figure is marked, says little about rare faults and proves no row. What cannot be
shown on Linux, and is therefore not claimed: Windows' and macOS' file systems, real power cuts, network file systems, a
model's obedience (the worst one is played).

"""
MUTATION = """\
`python -m tests.mutation` changes one thing at a time in what must not be wrong (mutmut 3: operators, numbers, strings,
arguments and conditions in functions; constants of modules and decorated functions are left alone) and runs the tests
of the module. What no test notices is killed by a new test or explained in `tests/mutation/survivors.json`.
"""
NUMBERS = ("mutants", "tried", "killed", "timedOut", "survived", "explained", "uncovered")
COVERAGE = """\
`python -m tests.core_coverage` runs the tests of the store, anchors, framing, safe open and rendering in its process;
what runs only in processes that tests start is not counted. The goal is 95 %.
"""


def lines() -> list[dict[str, Any]]:
    """All lines, in the order of their files and in these."""
    found: list[dict[str, Any]] = []
    for path in sorted(LINES.glob("*.jsonl")):
        found += map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return found


def latest(found: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The line that counts for each row."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for line in found:
        rows.setdefault(line["row"], []).append(line)
    return {name: _counting(of_row) for name, of_row in rows.items()}


def _counting(found: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of the lines about one row, in order, the one that counts."""
    ran = [line for line in found if "leftOut" not in line]
    if not ran:
        return found[-1]
    for at in reversed(range(len(ran))):
        if not _passes(ran[at]) and not any(
            _passes(later) and _size(later) >= _size(ran[at]) for later in ran[at + 1 :]
        ):
            return ran[at]
    return max(reversed(ran), key=_size)


def _passes(line: Mapping[str, Any]) -> bool:
    return bool(line.get("passes", True))


def _size(line: Mapping[str, Any]) -> int:
    return SIZES.index(line.get("size", "quick"))


def _proves(line: Mapping[str, Any]) -> bool:
    """Whether a harness ran at the size of a first release, or a larger one."""
    return _size(line) >= SIZES.index("first")


def summary(known: Mapping[str, Mapping[str, Any]]) -> str:
    """How many harnesses are proven, only tried, failed, and not run, in a sentence."""
    lines_of = [known.get(row.name) for row in ROWS]
    ran = [line for line in lines_of if line is not None and "leftOut" not in line]
    proven = sum(_passes(line) and _proves(line) for line in ran)
    tried = sum(_passes(line) and not _proves(line) for line in ran)
    failed = sum(not _passes(line) for line in ran)
    left = sum(line is not None and "leftOut" in line for line in lines_of)
    return fill(
        f"**Of {len(ROWS)} harnesses {proven} ran at the size *first* or a larger one and passed, {tried} ran only at"
        f" *quick* and passed, which proves little, {failed} did not pass, {len(ROWS) - len(ran) - left} have not run"
        f" yet, {left} were left out.**",
        120,
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A table of Markdown."""
    yield "| " + " | ".join(columns) + " |"
    yield "| " + " | ".join("---:" if name in ("N", "Wrong", "Cases") else ":---" for name in columns) + " |"
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
    yield ""


def number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def shown(row: Row, line: Mapping[str, Any]) -> str:
    """The figures beside the main one."""
    report = line.get("report", {})
    pairs = ((key, report.get(key)) for key in row.tells)
    told = (
        f"{key} {json.dumps(value) if isinstance(value, dict) else number(value)}"
        for key, value in pairs
        if value is not None
    )
    return ", ".join(told).replace('"', "").replace("{", "").replace("}", "")


def soaks(known: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The section of the harnesses."""
    yield "## Harnesses\n"
    cells = []
    for row in ROWS:
        line = known.get(row.name)
        if line is None or "leftOut" in line:
            why = "not run yet" if line is None else f"left out: {line['leftOut']}"
            means = f"**{row.name}**: {row.means}"
            cells.append((means, ", ".join(row.covers), "–", "–", row.bound, row.control, why))
            continue
        verdict = number(line["bad"]) if line["passes"] else f"**{number(line['bad'])}, did not pass**"
        told = shown(row, line)
        caught = (
            ""
            if not line["passes"]
            else f": caught at {number(line['controlCaught'])}"
            if line["controlCaught"] > 1
            else ": caught"
        )
        size = line["size"] if _proves(line) else f"**{line['size']}: no proof**"
        about = f"{size}, seed {line['seed']}, {line['date']}, `{line['commit']}`"
        cells.append(
            (
                f"**{row.name}**: {row.means}",
                ", ".join(row.covers),
                number(line["n"]) + ("" if _proves(line) else " (quick)"),
                verdict,
                row.bound + (f"; {told}" if told else ""),
                row.control + caught,
                about,
            )
        )
    yield from table(
        (
            "Row and what it means",
            "Lines",
            "N",
            "Wrong",
            "Bound, and what else was measured",
            "Control",
            "Size, seed, date, commit",
        ),
        cells,
    )
    yield "Each alone, at the size of a first release:\n"
    yield "```sh"
    yield from (row.command("first", 1) for row in ROWS)
    yield "```\n"


def passed(line: Mapping[str, Any]) -> str:
    """How many cases of tests passed, and whether that is all of them."""
    return number(line["n"]) if line["passes"] else f"**{number(line['n'])}, did not pass**"


def faults(known: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The sections of the tables."""
    for title, lines_of in TABLES.items():
        yield f"## {title}\n"
        cells = []
        for name, fault in lines_of.items():
            soaked = [row.name for row in ROWS if name in row.covers]
            line = known.get(name)
            files = sorted({test.partition("::")[0] for test in fault.tests})
            tests = ", ".join(f"[{Path(each).name}]({TESTS}/{each})" for each in files)
            extension = ", ".join(f"[{Path(each).name}](../../vscode-extension/{each})" for each in fault.extension)
            cases = passed(line) if line else "–" if fault.tests else ""
            control = fault.control or ", ".join(row.control for row in ROWS if name in row.covers)
            cells.append(
                (
                    name,
                    fault.what,
                    ", ".join(soaked),
                    ", ".join(filter(None, (tests, extension))),
                    cases,
                    control,
                    fault.not_tried,
                )
            )
        yield from table(("", "Fault", "Harness", "Tests", "Cases", "Control", "Not tried"), cells)


def mutation(module: str, line: Mapping[str, Any] | None) -> tuple[object, ...]:
    """The cells of one module."""
    if line is None:
        return (f"`{module}`", *"–" * (len(NUMBERS) + 1), "not run yet")
    about = f"{line['date']}, `{line['commit']}`"
    return (f"`{module}`", *(line[key] for key in NUMBERS), f"{line['score']} %", about)


def mutations(found: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The section of mutation testing and coverage."""
    modules = {line["module"]: line for line in found if line.get("kind") == "mutation"}
    if modules:
        yield "## Mutation testing\n"
        yield MUTATION
        columns = ("Module", "Mutants", "Tried", "Killed", "by time", "Survived", "explained", "No test runs", "Score")
        yield from table((*columns, "Date, commit"), (mutation(name, modules.get(name)) for name in MODULES))
    covered = {line["module"]: line for line in found if line.get("kind") == "coverage"}
    if covered:
        yield "## Branch coverage of the core\n"
        yield COVERAGE
        yield from table(
            ("Module", "Lines", "Branches", "Covered", "Date, commit"),
            (
                (
                    f"`{name}`",
                    line["lines"],
                    line["branches"],
                    f"{line['percent']} %",
                    f"{line['date']}, `{line['commit']}`",
                )
                for name, line in sorted(covered.items())
            ),
        )


def page() -> str:
    """The whole page."""
    found = lines()
    known = latest(line for line in found if line.get("kind") in ("soak", "tests"))
    sections = "\n".join([*soaks(known), *faults(known), *mutations(found)]).rstrip("\n")
    return f"{TITLE}{summary(known)}\n\n{HEAD}{sections}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak.page", description=__doc__)
    parser.add_argument("--check", action="store_true")
    check: bool = parser.parse_args(arguments).check
    text = page()
    if not check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PAGE.name} is not current: python -m tests.soak.page", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
