"""Questions asked by processes that may open few files: 64, and fewer until hardly anything can be opened.

``python -m tests.soak.few_descriptors --asks 100`` asks as often over a folder of notes, each time in a process of its
own with one of several limits, and prints one JSON line. With 64 descriptors the answer must be right; with fewer it
must be right, or one sentence must say what failed. It exits with 1 if an answer was wrong or a traceback came; and if
a search that keeps every file open was right, too.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.lsp.lsp_client import environment
from tests.soak.harness import Options, Verdict, harness

ENOUGH = 64
LIMITS = (ENOUGH, 16, 8, ENOUGH, 7, 6, 5)
NOTES = 120
QUOTE = "The lease of the workshop ends on 30 June 2031."
QUESTION = "When does the lease of the workshop end?"
ASK = ("-m", "lens_lsp", "ask", QUESTION, "notes", "--json", "--no-store")
KEEPING = f"""
import pathlib
kept = [open(path) for path in sorted(pathlib.Path("notes").iterdir())]
print([each.read() for each in kept if {QUOTE!r} in each.read()])
"""


@dataclass
class Tally:
    """How asks ended, by the limit they had."""

    answered: Counter[int] = field(default_factory=Counter)
    refused: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def made(folder: Path) -> Path:
    """Notes, one of which answers."""
    folder.mkdir()
    for number in range(NOTES):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nNothing of the kind stands in note {number}.\n")
    (folder / "contract.md").write_text(f"# Contract\n\n{QUOTE}\n")
    return folder


def limited(base: Path, limit: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python that may have so many files open."""
    command = ["sh", "-c", f'ulimit -n {limit} && exec "$@"', "sh", sys.executable, *arguments]
    env = environment(base)
    return subprocess.run(command, cwd=base, env=env, capture_output=True, text=True, timeout=120, check=False)


def asked(base: Path, limit: int, tally: Tally) -> None:
    """One ask, and what came of it."""
    done = limited(base, limit, *ASK)
    errors = done.stderr.strip()
    if done.returncode == 0:
        quotes = [item["quote"] for item in json.loads(done.stdout)["evidence"]]
        tally.answered[limit] += 1
        if QUOTE not in quotes or "Traceback" in errors:
            tally.wrong.append(f"{limit}: {quotes} {errors[-200:]}")
    elif limit >= ENOUGH or done.returncode < 0 or not honest(errors):
        tally.wrong.append(f"{limit}: {done.returncode} {errors[-300:]}")
    else:
        tally.refused[limit] += 1


def honest(errors: str) -> bool:
    """Whether a failure is told: by us in a sentence, or by a Python that could not load its own modules."""
    return errors.startswith("lens: ") or "Too many open files" in errors or "OSError: [Errno 24]" in errors


def run(asks: int, base: Path) -> Tally:
    """Ask with each limit in turn."""
    made(base / "notes")
    tally = Tally()
    for number in range(asks):
        asked(base, LIMITS[number % len(LIMITS)], tally)
    return tally


@harness(asks=100)
def main(options: Options) -> Verdict:
    base = options.place
    tally = run(options.asks, base)
    control = limited(base, ENOUGH, "-c", KEEPING)
    row = {
        "n": options.asks,
        "answered": {str(limit): n for limit, n in sorted(tally.answered.items())},
        "refused": {str(limit): n for limit, n in sorted(tally.refused.items())},
        "wrong": tally.wrong,
        "controlBad": int(control.returncode != 0),
    }
    return row, tally.answered[ENOUGH] and row["controlBad"]


if __name__ == "__main__":
    sys.exit(main())
