"""How many modules of lens_lsp one lookup and one question enter, both without a model.

    python -m benchmarks.modules_entered [--names]

`lens find` and `lens ask` each run once in a process of their own, over a folder that holds one note. A module is
*imported* when its body ran, and *entered* when one of its functions ran after that: the first is what a start costs,
the second what somebody reads who follows a question through the code. ``--names`` lists the imported modules; those
that were not entered stand in parentheses. Processes that the command starts (readers of documents) are not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

COMMANDS = {
    "find": ("find", "when is the boiler serviced"),
    "ask": ("ask", "When is the boiler serviced?", "--no-store"),
}
_NOTE = "# Boiler\n\nThe boiler is serviced in October, by the firm that built it.\n"
_TRACED = """
import json, sys, threading
record, sys.argv = sys.argv[1], ["lens", *sys.argv[2:]]
entered = set()
def enter(frame, event, _):
    if event == "call" and frame.f_code.co_name != "<module>":
        entered.add(frame.f_globals.get("__name__", ""))
threading.setprofile(enter)
sys.setprofile(enter)
from lens_lsp.cli import run
try:
    status = run()
except SystemExit as ended:
    status = ended.code
sys.setprofile(None)
ours = sorted(name for name in sys.modules if name.partition(".")[0] == "lens_lsp")
with open(record, "w", encoding="utf-8") as file:
    json.dump({"status": status, "imported": ours, "entered": sorted(entered.intersection(ours)),
               "others": sorted({name.partition(".")[0] for name in sys.modules})}, file)
"""


@dataclass(frozen=True, slots=True)
class Entered:
    """The modules that one command imported and entered, and the other packages that it imported."""

    imported: tuple[str, ...]
    entered: frozenset[str]
    others: frozenset[str]


@cache
def modules_of(command: str) -> Entered:
    """What a command of `COMMANDS` imports and enters without settings. Raises RuntimeError when it finds nothing."""
    with tempfile.TemporaryDirectory() as folder:
        notes, record = Path(folder, "notes"), Path(folder, "record.json")
        notes.mkdir()
        (notes / "boiler.md").write_text(_NOTE, "utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LENS_", "XDG_"))}
        arguments = [sys.executable, "-c", _TRACED, str(record), *COMMANDS[command], str(notes)]
        done = subprocess.run(arguments, env={**kept, "HOME": folder}, capture_output=True, text=True, check=False)
        said = json.loads(record.read_text("utf-8")) if record.exists() else {"status": None}
    if said["status"] not in (0, 1):
        raise RuntimeError(f"lens {command} ended with {said['status']}: {done.stderr[-2000:]}")
    return Entered(tuple(said["imported"]), frozenset(said["entered"]), frozenset(said["others"]))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the counts, with ``--names`` the modules too."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.modules_entered", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--names", action="store_true", help="list the modules")
    options = parser.parse_args(argv)
    for command in COMMANDS:
        found = modules_of(command)
        print(f"lens {command}: {len(found.imported)} modules imported, {len(found.entered)} entered")
        for name in found.imported if options.names else ():
            print(f"  {name}" if name in found.entered else f"  ({name})")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
