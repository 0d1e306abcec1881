"""All soaks by one command: every line of the tables of faults and attacks, each with a control that must fail.

``python -m tests.soak --size quick`` runs the harnesses one after the other, then the tests that stand for lines, and
prints a JSON line for each: what was tried how often (``n``), what was wrong (``bad``), the bound, the seed, and what
the control was caught at. ``--only messages L02`` runs some rows, by their name or by a line of the tables; ``--kind
soak`` leaves the tests out, ``--kind tests`` the harnesses. ``--out FILE`` writes the lines there, too, whether they
passed or not, each behind the others and in place of an older one about the same row at the same size. It exits with 1
if a row did not pass. A row whose data (``LENS_DATA``) or file system is not there is said to be left out, and why.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.soak.faults import FAULTS
from tests.soak.rows import ROWS, SIZES, Row, count

REPOSITORY = Path(__file__).resolve().parents[2]
LONGEST = {"quick": 600, "first": 4 * 3600, "next": 48 * 3600}
"""Seconds until a harness is given up."""


def circumstances() -> dict[str, object]:
    """When, on which commit and what machine."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    changes = subprocess.run(
        ["git", "status", "--porcelain", "lens_lsp"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    name = commit.stdout.strip() or "unknown"
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": f"{name}-dirty" if changes.stdout.strip() else name,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
    }


def soaked(row: Row, size: str, seed: int) -> dict[str, Any]:
    """One harness in a process of its own."""
    line: dict[str, Any] = {"row": row.name, "kind": "soak", "covers": row.covers, "size": size}
    place = os.environ.get("LENS_DATA")
    if row.data and not place:
        return line | {"leftOut": "LENS_DATA names no folder of data"}
    data = [str(Path(place) / row.data)] if row.data and place else []
    command = [sys.executable, "-m", f"tests.soak.{row.module}", *data, *row.arguments(size, seed)]
    started = time.monotonic()
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    try:
        done = subprocess.run(
            command,
            cwd=REPOSITORY,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST[size],
            check=False,
        )
        status, output, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        status, output, errors = -1, "", f"not done after {LONGEST[size]} s"
    reports = [json.loads(each) for each in output.splitlines() if each.startswith("{")]
    report = next((each for each in reports if row.figure in (None, each.get("figure"))), {})
    if "leftOut" in report:
        return line | {"leftOut": report["leftOut"]}
    return (
        line
        | {
            "n": count(report, row.n),
            "bad": count(report, row.bad),
            "seed": seed if row.seeded else "its own",
            "bound": row.bound,
            "control": row.control,
            "controlCaught": count(report, row.caught),
            "passes": status == 0,
            "command": row.command(size, seed),
            "seconds": round(time.monotonic() - started, 1),
            "report": report,
        }
        | ({} if status == 0 else {"errors": errors.replace(str(REPOSITORY), ".")[-800:]})
    )


def proven(names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The tests that stand for lines, all in one run of pytest."""
    wanted = sorted({test for name in names for test in FAULTS[name].tests})
    if not wanted:
        return
    command = [sys.executable, "-m", "tests.soak.proving", *wanted]
    done = subprocess.run(
        command,
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    outcomes = json.loads(
        next((each for each in done.stdout.splitlines() if each.startswith('{"outcomes"')), '{"outcomes": {}}')
    )["outcomes"]
    for name in names:
        counts = {
            kind: sum(outcomes.get(test, {}).get(kind, 0) for test in FAULTS[name].tests)
            for kind in ("passed", "failed", "skipped")
        }
        ran = all(outcomes.get(test, {}).get("passed") for test in FAULTS[name].tests)
        yield {
            "row": name,
            "kind": "tests",
            "covers": (name,),
            "n": counts["passed"],
            "bad": counts["failed"],
            "skipped": counts["skipped"],
            "control": FAULTS[name].control,
            "passes": ran and not counts["failed"],
            "command": f"python -m tests.soak --only {name}",
        }


def chosen(only: Sequence[str]) -> tuple[list[Row], list[str]]:
    """The rows and the lines with tests that were asked for; all without a wish. Exits when one is none."""
    tested = [name for name, fault in FAULTS.items() if fault.tests]
    if not only:
        return list(ROWS), tested
    known = {row.name for row in ROWS} | set(FAULTS)
    if unknown := sorted(set(only) - known):
        sys.exit(f"no row of the soak: {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return [row for row in ROWS if {row.name, *row.covers} & set(only)], [name for name in tested if name in only]


class Record:
    """The lines of a file, if there is one: a new line takes the place of the one about its row at its size."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lines: dict[tuple[str, str], str] = {}

    def _read(self) -> None:
        if self._path is not None and self._path.exists():
            for text in self._path.read_text(encoding="utf-8").splitlines():
                self._keep(json.loads(text), text)

    def _keep(self, line: Mapping[str, Any], text: str) -> None:
        key = str(line["row"]), str(line.get("size", ""))
        self._lines.pop(key, None)
        self._lines[key] = text

    def add(self, line: Mapping[str, Any]) -> None:
        """Note a line, in the file at once: what comes next may be killed. Others may have added to it meanwhile."""
        self._read()
        self._keep(line, json.dumps(line, ensure_ascii=False))
        if self._path is not None:
            self._path.write_text("".join(f"{text}\n" for text in self._lines.values()), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="quick")
    parser.add_argument("--only", nargs="+", default=(), metavar="ROW")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=("soak", "tests"))
    options = parser.parse_args(arguments)
    rows, tested = chosen(options.only)
    about = circumstances()
    record = Record(options.out)
    failed: list[str] = []

    def tell(line: dict[str, Any]) -> None:
        print(json.dumps(line | about, ensure_ascii=False), flush=True)
        record.add(line | about)
        if not line.get("passes", "leftOut" in line):
            failed.append(str(line["row"]))

    for row in () if options.kind == "tests" else rows:
        tell(soaked(row, options.size, options.seed))
    for line in proven(() if options.kind == "soak" else tested):
        tell(line)
    if failed:
        print(f"did not pass: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
