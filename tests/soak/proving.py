"""Tests by their names, and how each ended: ``python -m tests.soak.proving lsp/test_x.py::test_y …``, below ``tests``.

It prints one JSON line that counts, for each name, the cases that passed, failed and were skipped.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest


class Outcomes:
    """How the cases of each test ended."""

    def __init__(self) -> None:
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            name = report.nodeid.partition("[")[0].removeprefix("tests/")
            self.counts[name][report.outcome] += 1


def main(names: Sequence[str]) -> int:
    outcomes = Outcomes()
    status = pytest.main(
        ["-q", "--no-header", "-n", "0", "-m", "", *(f"tests/{name}" for name in names)], plugins=[outcomes]
    )
    print()
    print(json.dumps({"outcomes": outcomes.counts}))
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
