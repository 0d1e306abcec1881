"""``docs/explanation/reliability.md``, from the lines that soaks, mutation testing and coverage wrote.

``python -m tests.soak.page`` writes the page from ``docs/reliability/*.jsonl``, which are what ``--out`` of
``python -m tests.soak``, ``python -m tests.mutation`` and ``python -m tests.core_coverage`` wrote. ``--check`` only
says whether the page is current (exit status 1 when not). Of several lines about one row the one of the larger size
counts, then the last one; but a later one that did not pass counts whatever its size.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.mutation.modules import MODULES
from tests.soak.__main__ import ROWS
from tests.soak.attacks import TABLES
from tests.soak.rows import SIZES, Row

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "explanation" / "reliability.md"
LINES = DOCS / "reliability"
TESTS = "../../tests"
HEAD = """\
# Reliability

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
another size, until the same size passes again. *First* is the size for a first release, *quick* a share of it that
shows that the harness works; a figure of that size says little about rare faults. What cannot be shown on Linux, and is
therefore not claimed: Windows' and macOS' file systems, real power cuts, network file systems, a model's obedience (the
worst one is played).

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
    rows: dict[str, Mapping[str, Any]] = {}
    for line in found:
        known = rows.get(line["row"])
        if "leftOut" in line and known is not None:
            continue
        if known is None or "leftOut" in known or not line.get("passes", True) or _size(line) >= _size(known):
            rows[line["row"]] = line
    return rows


def _size(line: Mapping[str, Any]) -> int:
    return SIZES.index(line.get("size", "quick"))


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
        about = f"{line['size']}, seed {line['seed']}, {line['date']}, `{line['commit']}`"
        cells.append(
            (
                f"**{row.name}**: {row.means}",
                ", ".join(row.covers),
                number(line["n"]),
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
    return HEAD + "\n".join([*soaks(known), *faults(known), *mutations(found)]).rstrip("\n") + "\n"


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
