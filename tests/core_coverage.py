"""Branch coverage of the core: the store, anchors, framing, safe open and rendering.

``python -m tests.core_coverage`` runs the tests of these in one process under coverage.py and prints a JSON line for
each module, with the lines and branches that no test came to; ``--out FILE`` writes them there, too. It exits with 1
if the tests failed or the core as a whole is below ``--least`` per cent (95 without a word). Processes that tests
start are not looked at. coverage.py is a tool of development alone:
``pip install 'lens-lsp[proving]'``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.soak.__main__ import REPOSITORY, circumstances

CORE = (
    "lens_lsp/memory/store*.py",
    "lens_lsp/memory/citations.py",
    "lens_lsp/memory/answer_*.py",
    "lens_lsp/model/text.py",
    "lens_lsp/model/sanitize.py",
    "lens_lsp/lsp/transport.py",
    "lens_lsp/lsp/navigation.py",
    "lens_lsp/lsp/locations.py",
    "lens_lsp/documents/frames.py",
    "lens_lsp/corpus/safe_open.py",
    "lens_lsp/judge/answer_markdown.py",
)
TESTS = (
    *(f"memory/test_store{part}.py" for part in ("", "_damage", "_faults", "_file", "_rows", "_versions")),
    "memory/test_citations.py",
    "memory/test_anchoring_answers.py",
    "memory/test_answer_files.py",
    "memory/test_answers_as_blocks.py",
    "model/test_text.py",
    "model/test_sanitize.py",
    "cli/test_terminal.py",
    "lsp/test_lsp_transport.py",
    "lsp/test_lsp_hover.py",
    "lsp/test_lsp_locations.py",
    "documents/test_frames.py",
    "corpus/test_safe_open.py",
    "judge/test_answer_markdown.py",
)


def measured(place: Path) -> tuple[int, dict[str, Any]]:
    """How pytest ended, and coverage's own report."""
    settings = place / "coveragerc"
    settings.write_text(
        f"[run]\nbranch = true\nsource = lens_lsp\ndata_file = {place / 'data'}\n[report]\ninclude =\n    "
        + "\n    ".join(CORE)
        + "\nexclude_also =\n    if TYPE_CHECKING:\n    ^\\s*\\.\\.\\.$\n"
    )
    coverage = [sys.executable, "-m", "coverage"]
    tests = [f"tests/{name}" for name in TESTS if (REPOSITORY / "tests" / name).exists()]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    run = [*coverage, "run", f"--rcfile={settings}", "-m", "pytest"]
    run += ["-n", "0", "-m", "", "-q", "--no-header", "-W", "ignore", *tests]
    status = subprocess.run(run, cwd=REPOSITORY, env=environment, stdout=sys.stderr, check=False).returncode
    report = place / "report.json"
    told = [*coverage, "json", f"--rcfile={settings}", "-q", "-o", str(report)]
    subprocess.run(told, cwd=REPOSITORY, env=environment, stdout=sys.stderr, check=True)
    return status, json.loads(report.read_text(encoding="utf-8"))


def line(module: str, file: dict[str, Any]) -> dict[str, Any]:
    """What the page says of one module."""
    summary = file["summary"]
    return {
        "row": f"coverage {module}",
        "kind": "coverage",
        "module": module,
        "lines": summary["num_statements"],
        "branches": summary["num_branches"],
        "percent": round(summary["percent_covered"], 1),
        "missedLines": file.get("missing_lines", []),
        "missedBranches": file.get("missing_branches", []),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.core_coverage", description=__doc__)
    parser.add_argument("--least", type=float, default=95.0, help="per cent")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        status, report = measured(Path(place))
    total = report["totals"]
    found = [line(name.removeprefix("lens_lsp/"), file) for name, file in sorted(report["files"].items())]
    found.append(line("the core as a whole", {"summary": total}))
    about = circumstances()
    text = "".join(json.dumps(each | about) + "\n" for each in found)
    print(text, end="")
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    return 1 if status or total["percent_covered"] < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
