"""Mutation testing: one thing at a time is changed in what must not be wrong, and a test has to notice.

``python -m tests.mutation`` takes each module of `tests.mutation.modules` into a copy of the repository, has mutmut
change it and run the module's tests, and prints a JSON line: mutants, how many were killed (``timedOut`` of them by
taking too long), which survived, which no test runs. ``--only model/text.py`` takes some, ``--seconds`` bounds each,
``--out FILE`` writes the lines there, too, in place of older lines about the same modules. It exits with 1 if a mutant
survived that ``survivors.json`` does not explain.

mutmut is a tool of development alone: ``pip install 'lens-lsp[proving]'``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.mutation.modules import LEFT_OUT, MODULES
from tests.soak.__main__ import REPOSITORY, circumstances

COPIED = ("lens_lsp", "tests", "benchmarks", "docs", "README.md", "CHANGELOG.md")
EXPLAINED = Path(__file__).parent / "survivors.json"
KILLED = {1, 3, -11}
"""How pytest, or the system, ended a mutant's tests when they noticed."""
TIMED_OUT = {24, 36, 152, 255, -24, -9}
UNCOVERED = {5, 33}
UNFINISHED = {None, 2}


def configuration(module: str) -> str:
    """The table of mutmut for one module."""
    tests = [f"tests/{file}" for file in MODULES[module] if (REPOSITORY / "tests" / file).is_file()]
    slow = " and ".join(f"not {name}" for name in LEFT_OUT.get(module, ()))
    table = {
        "source_paths": ["lens_lsp"],
        "only_mutate": [f"lens_lsp/{module}"],
        "also_copy": list(COPIED[2:]),
        "pytest_add_cli_args": ["-q", "-n", "0", "-m", "", "-W", "ignore", *(["-k", slow] if slow else [])],
        "pytest_add_cli_args_test_selection": tests,
        "timeout_constant": 30.0,  # of a busy machine: what takes long is not what was noticed
        "on_dependency_change": "ignore",
        "use_git_change_detection": False,
    }
    return "\n[tool.mutmut]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())


def mutated(module: str, seconds: float, children: int, place: Path) -> dict[str, Any]:
    """The outcome of every mutant of a module."""
    for name in COPIED:
        source = REPOSITORY / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, place / name)
    (place / "pyproject.toml").write_text((REPOSITORY / "pyproject.toml").read_text() + configuration(module))
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(children)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with open(place / "log", "wb") as log:
        process = subprocess.Popen(command, cwd=place, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    meta = place / "mutants" / "lens_lsp" / f"{module}.meta"
    outcomes = json.loads(meta.read_text())["exit_code_by_key"] if meta.is_file() else {}
    if not outcomes:
        raise SystemExit(
            f"{module}: mutmut did not run: {(place / 'log').read_bytes()[-2000:].decode(errors='replace')}"
        )
    return dict(outcomes)


def changes(place: Path, names: Sequence[str]) -> dict[str, str]:
    """What each mutant changed, as the lines that went and came."""
    found = {}
    for name in names:
        done = subprocess.run(
            [sys.executable, "-m", "mutmut", "show", name], cwd=place, capture_output=True, text=True, check=False
        )
        lines = [line for line in done.stdout.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
        found[name] = " ".join(f"{line[0]} {line[1:].strip()}" for line in lines)
    return found


def scored(module: str, seconds: float, children: int) -> dict[str, Any]:
    """One JSON line."""
    with tempfile.TemporaryDirectory() as base:
        place = Path(base)
        outcomes = mutated(module, seconds, children, place)
        survived = changes(place, [name for name, code in outcomes.items() if code == 0])
    killed = sum(code in KILLED | TIMED_OUT for code in outcomes.values())
    tried = sum(code not in UNFINISHED for code in outcomes.values())
    explained: dict[str, str] = json.loads(EXPLAINED.read_text(encoding="utf-8")).get(module, {})
    return {
        "row": f"mutation {module}",
        "kind": "mutation",
        "module": module,
        "mutants": len(outcomes),
        "tried": tried,
        "killed": killed,
        "timedOut": sum(code in TIMED_OUT for code in outcomes.values()),
        "survived": len(survived),
        "explained": sum(change in explained for change in survived.values()),
        "uncovered": sum(code in UNCOVERED for code in outcomes.values()),
        "score": round(100 * killed / tried, 1) if tried else 0.0,
        "survivors": sorted(set(survived.values())),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=tuple(MODULES), default=tuple(MODULES), metavar="MODULE")
    parser.add_argument("--seconds", type=float, default=1_800, help="for each module")
    parser.add_argument("--children", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    about = circumstances()
    kept: dict[str, str] = {}
    if options.out and options.out.exists():
        kept = {json.loads(line)["module"]: line for line in options.out.read_text(encoding="utf-8").splitlines()}
    unexplained = 0
    for module in options.only:
        line = scored(module, options.seconds, options.children)
        unexplained += line["survived"] - line["explained"]
        kept[module] = json.dumps(line | about, ensure_ascii=False)
        print(kept[module], flush=True)
        if options.out:
            options.out.write_text("".join(f"{kept[name]}\n" for name in sorted(kept)), encoding="utf-8")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
