"""Every table that needs no model: the runs, the audits and the report over them, by one command.

    python -m benchmarks.tables --data "$LENS_DATA" --work runs/corpora --out runs/tables [--dense] [--limit K]

Killed and started again it goes on where it was. ``results.md`` says by which command, on which day, and what the
figures are bound to; after it come the tables of ``lens eval report`` and those of the audits.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lens_lsp.domain.answer import Mode
from lens_lsp.evaluation.arms.making import make_arms
from lens_lsp.evaluation.audits.auditing import AuditPlan, audit
from lens_lsp.evaluation.data.datasets import open_dataset, questions
from lens_lsp.evaluation.data.snapshots import prepare
from lens_lsp.evaluation.reporting.tables import write_report
from lens_lsp.evaluation.runner import Judging, Selection, run
from lens_lsp.evaluation.seats import AnswerKeySeat, OfflineSeat, Seat


@dataclass(frozen=True, slots=True)
class Run:
    """One run folder. ``error`` is that of the answer key, None where the rules judge."""

    dataset: str
    snapshot: str
    mode: str = "find"
    error: float | None = None
    ablations: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """``hotpotqa-500-fast-key-0.05``."""
        key = "" if self.error is None else f"-key-{self.error:g}"
        return f"{self.dataset}-{self.snapshot}-{self.mode}{key}{'-ablated' if self.ablations else ''}"

    @property
    def judging(self) -> Judging:
        """Who judges."""
        if self.mode == "find":
            return Judging()
        return Judging(self.mode, "offline" if self.error is None else "answer-key", self.error)


_ABLATED = ("prior", "exploration")
RUNS = (
    *(Run("hotpotqa", size) for size in ("125", "250", "500")),
    Run("2wiki", "250"),
    Run("musique", "140"),
    Run("squad", "S_all490"),
    Run("hotpotqa", "125", "evidence"),
    Run("squad", "S_dev48", "evidence"),
    *(Run("hotpotqa", "500", mode, error) for mode in ("fast", "deep") for error in (0.0, 0.05, 0.15)),
    Run("hotpotqa", "500", "deep", 0.05, _ABLATED),
    Run("musique", "140", "deep", 0.0),
)


@dataclass(frozen=True, slots=True)
class Tables:
    """Where everything lies, and how much of it is done."""

    data: Path
    work: Path
    out: Path
    arms: tuple[str, ...]
    selection: Selection
    seed: int

    def all(self) -> str:
        """Runs, audits and report; returns the page."""
        for one in RUNS:
            print(one.name, file=sys.stderr, flush=True)
            self._run(one)
        print("audits", file=sys.stderr, flush=True)
        plan = AuditPlan(arms=self.arms, selection=self.selection, seed=self.seed)
        audits = audit(self.data / "hotpotqa", self.work, self.out / "runs", plan)
        report = write_report([self.out / "runs"], self.out / "report")
        page = f"{self._head()}\n{_below(report)}\n{_below(audits)}"
        (self.out / "results.md").write_text(page, "utf-8")
        return page

    def _run(self, one: Run) -> None:
        dataset = open_dataset(self.data / one.dataset, one.snapshot)
        corpus = prepare(dataset.folder, one.snapshot, self.work / f"{one.dataset}-{one.snapshot}")
        asked = questions(dataset)
        seat: Seat | None = None
        if one.error is not None:
            seat = AnswerKeySeat.of(Mode(one.mode), asked, corpus, error=one.error, seed=self.seed)
        elif one.mode != "find":
            seat = OfflineSeat()
        arms = make_arms(
            self.arms if seat is None else ("lens",),
            one.ablations,
            windows=any(question.gold.spans for question in asked),
            seat=seat,
            seed=self.seed,
            vectors=self.work.absolute(),
        )
        run(
            dataset,
            corpus,
            asked,
            arms,
            self.out / "runs" / one.name,
            seed=self.seed,
            selection=self.selection,
            judging=one.judging,
            unanswerable=questions(dataset, answerable=False) if one.mode == "evidence" else (),
        )

    def _head(self) -> str:
        command = shlex.join(["python", "-m", "benchmarks.tables", *sys.argv[1:]])
        day = datetime.now(UTC).date().isoformat()
        rows = "".join(f"| {' | '.join(cells)} |\n" for cells in self._bound())
        return (
            f"# Tables without a model\n\n`{command}`, {day}, seed {self.seed}. SHA-256 of the sample ids, of their "
            "order and of the corpus:\n\n"
            "| data | snapshot | questions | files | sample ids | order | corpus |\n"
            f"| :--- | ---: | ---: | ---: | :--- | :--- | :--- |\n{rows}"
        )

    def _bound(self) -> Iterator[list[str]]:
        seen = set()
        for one in RUNS:
            summary = json.loads((self.out / "runs" / one.name / "summary.json").read_bytes())
            for held in summary["nested"]:
                cells = [one.dataset, *map(str, held.values())]
                if tuple(cells) not in seen:
                    seen.add(tuple(cells))
                    yield [*cells[:4], *(f"`{checksum}`" for checksum in cells[4:])]


def _below(page: str) -> str:
    """A page as a part of another: every heading one level down."""
    return "".join(f"#{line}" if line.startswith("#") else line for line in page.splitlines(keepends=True))


def main(argv: Sequence[str] | None = None) -> int:
    """Everything, printed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables")
    parser.add_argument("--data", type=Path, required=True, help="folder that holds the data set folders")
    parser.add_argument("--work", type=Path, required=True, help="where corpora are prepared and vectors kept")
    parser.add_argument("--out", type=Path, required=True, help="where runs, report and results.md go")
    parser.add_argument("--dense", action="store_true", help="with the arm hybrid: the extra lens-lsp[dense], an hour")
    parser.add_argument("--limit", type=int, metavar="K", help="only the first K questions")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    arms = ("lens", "bm25s", "tantivy", *(("hybrid",) if args.dense else ()))
    print(Tables(args.data, args.work, args.out, arms, Selection(limit=args.limit), args.seed).all(), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
