"""Every table that needs no model: the runs, the audits and the reports over them, on one page, by one command.

    python -m benchmarks.tables --data "$LENS_DATA" --work runs/corpora --out runs/tables [--dense] [--limit K]

Killed and started again it goes on where it was. The page, ``results.md``, says by which command, on which day, of
which commit, and what the figures are bound to; after it come the tables of ``lens eval report`` by data set, and the
audits. ``--page docs/explanation/results-tables.md`` writes it there as well.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from evaluation.answer_key import AnswerKeyFactory
from evaluation.arms.making import HYBRID, make_arms
from evaluation.audits.auditing import AuditPlan, audit
from evaluation.data.datasets import Dataset, Question, open_dataset, questions
from evaluation.data.snapshots import Corpus, prepare
from evaluation.reporting.markdown import table
from evaluation.reporting.tables import write_report
from evaluation.runner import Judging, Selection, run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.model.answer import Mode

REPOSITORY = Path(__file__).resolve().parent.parent
NAMES = {
    "hotpotqa": "HotpotQA",
    "2wiki": "2WikiMultihopQA",
    "musique": "MuSiQue",
    "squad": "SQuAD",
    "workspaces": "C++ documentation, known items",
}
"""The data sets, by their folders."""
DENSE = ("hotpotqa", "2wiki", "musique")
"""Those whose passages get vectors."""
_NOT_DENSE = (
    "`hybrid` stands in the tables of HotpotQA, 2WikiMultihopQA and MuSiQue. The passages of SQuAD (51,595) and of the "
    "C++ documentation (145,786), and those of HotpotQA with titles hidden, have no vectors: they would take hours.\n"
)
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Run:
    """One run folder. ``error`` is that of the answer key, None where the rules judge."""

    dataset: str
    snapshot: str
    mode: str = "find"
    error: float | None = None
    ablations: tuple[str, ...] = ()
    hide_titles: bool = False

    @property
    def name(self) -> str:
        """``500-fast-key-0.05``, below the folder of its data set."""
        key = "" if self.error is None else f"-key-{self.error:g}"
        hidden = "-hidden" if self.hide_titles else ""
        return f"{self.snapshot}{hidden}-{self.mode}{key}{'-ablated' if self.ablations else ''}"

    @property
    def corpus(self) -> str:
        """The folder of its corpus."""
        return f"{self.dataset}-{self.snapshot}{'-hidden' if self.hide_titles else ''}"

    @property
    def judging(self) -> Judging:
        """Who judges."""
        if self.mode == "find":
            return Judging()
        return Judging(self.mode, "offline" if self.error is None else "answer-key", self.error)


_ABLATED = ("prior", "exploration")
RUNS = (
    *(Run("hotpotqa", size) for size in ("125", "250", "500")),
    Run("hotpotqa", "500", hide_titles=True),
    Run("hotpotqa", "125", "evidence"),
    *(Run("hotpotqa", size, "deep", 0.05) for size in ("125", "250")),
    *(Run("hotpotqa", "500", mode, error) for mode in ("fast", "deep") for error in (0.0, 0.05, 0.15)),
    Run("hotpotqa", "500", "deep", 0.05, _ABLATED),
    Run("2wiki", "250"),
    Run("musique", "140"),
    *(Run("musique", "140", mode, 0.0) for mode in ("fast", "deep")),
    *(Run("squad", size) for size in ("S_all490", "S_dev48")),
    Run("squad", "S_all490", "evidence"),
    Run("workspaces", "cpp-docs"),
)
AUDITS = {
    "hotpotqa": AuditPlan(),
    "squad": AuditPlan(audits=("abstention", "reuse"), snapshots=("S_dev48", "S_all490", "S_all490")),
}


@dataclass(frozen=True, slots=True)
class Tables:
    """Where everything lies, and how much of it is done."""

    data: Path
    work: Path
    out: Path
    dense: bool
    selection: Selection
    seed: int
    runs: tuple[Run, ...] = RUNS
    audits: Mapping[str, AuditPlan] = field(default_factory=lambda: AUDITS)

    def all(self) -> str:
        """Runs, audits and reports; returns the page."""
        for one in self.runs:
            print(f"{one.dataset} {one.name}", file=sys.stderr, flush=True)
            self._run(one)
        audits = {name: self._audited(name, plan) for name, plan in self.audits.items()}
        parts = [self._head()]
        for name in dict.fromkeys(one.dataset for one in self.runs):
            report = write_report([self.out / "runs" / name], self.out / "reports" / name)
            parts.append(_below(report.replace("# Evaluation\n", f"# {NAMES[name]}\n", 1)))
        parts += [_below(page.replace("# Audits\n", f"# Audits, {NAMES[name]}\n", 1)) for name, page in audits.items()]
        page = "\n".join(parts)
        (self.out / "results.md").write_text(page, "utf-8")
        return page

    def _arms(self, dataset: str, *, hide_titles: bool = False) -> tuple[str, ...]:
        dense = self.dense and dataset in DENSE and not hide_titles
        return ("lens", "bm25s", "tantivy", *((HYBRID,) if dense else ()))

    def _run(self, one: Run) -> None:
        dataset = open_dataset(self.data / one.dataset, one.snapshot)
        corpus = prepare(dataset.folder, one.snapshot, self.work / one.corpus, hide_titles=one.hide_titles)
        asked = questions(dataset)
        factory = self._factory(one, asked, corpus)
        arms = make_arms(
            self._arms(one.dataset, hide_titles=one.hide_titles) if factory is None else ("lens",),
            one.ablations,
            windows=any(question.gold.spans for question in asked),
            factory=factory,
            seed=self.seed,
            vectors=self.work.absolute(),
        )
        run(
            dataset,
            corpus,
            asked,
            arms,
            self.out / "runs" / one.dataset / one.name,
            seed=self.seed,
            selection=self.selection,
            judging=one.judging,
            unanswerable=_unanswerable(one, dataset),
        )

    def _factory(self, one: Run, asked: Sequence[Question], corpus: Corpus) -> OracleFactory | None:
        if one.error is not None:
            return AnswerKeyFactory.of(Mode(one.mode), asked, corpus, error=one.error, seed=self.seed)
        return None if one.mode == "find" else OracleFactory()

    def _audited(self, name: str, plan: AuditPlan) -> str:
        print(f"{name} audits", file=sys.stderr, flush=True)
        mine = AuditPlan(plan.audits, plan.snapshots, self._arms(name), self.selection, self.seed)
        return audit(self.data / name, self.work, self.out / "runs" / name, mine)

    def _head(self) -> str:
        flags = f"{' --dense' if self.dense else ''}{self._limit(' --limit {}')}"
        command = f'python -m benchmarks.tables --data "$LENS_DATA" --work runs/corpora --out runs/tables{flags}'
        day = datetime.now(UTC).date().isoformat()
        heads = ["data", "snapshot", "questions", "files", "sample ids", "order", "corpus"]
        dense = _NOT_DENSE if self.dense else "Without `--dense` there is no `hybrid` here.\n"
        return (
            "# Tables without a model\n\n"
            "Every figure of this build that needs no model, as one command writes it. What the figures mean: "
            "[evaluate](../how-to/evaluate.md#what-the-figures-mean). What to make of them: [results](results.md).\n\n"
            f"```sh\n{command} --seed {self.seed}\n```\n\n"
            f"{day}, commit {_commit()}, Python {platform.python_version()}, {os.cpu_count()} cores"
            f"{self._limit('; the first {} questions of each run alone')}. {dense}\n"
            f"What the figures are bound to: SHA-256, the first {_DIGITS} of 64 digits, of the sample ids, of their "
            f"order and of the corpus. Each run folder's `run.json` has them whole.\n\n"
            f"{table(heads, list(self._bound()))}"
        )

    def _limit(self, text: str) -> str:
        return "" if self.selection.limit is None else text.format(self.selection.limit)

    def _bound(self) -> Iterator[list[str]]:
        seen = set()
        for one in self.runs:
            summary = json.loads((self.out / "runs" / one.dataset / one.name / "summary.json").read_bytes())
            asked, corpus = summary["questions"], summary["corpus"]
            alone = [summary["snapshot"], asked["n"], corpus["files"], *list(asked.values())[1:], corpus["filesSha256"]]
            for held in [list(nested.values()) for nested in summary["nested"]] or [alone]:
                cells = (NAMES[one.dataset], *map(str, held))
                if cells not in seen:
                    seen.add(cells)
                    yield [*cells[:4], *(f"`{checksum[:_DIGITS]}`" for checksum in cells[4:])]


def _unanswerable(one: Run, dataset: Dataset) -> tuple[Question, ...]:
    return questions(dataset, answerable=False) if one.mode == "evidence" else ()


def _commit() -> str:
    """The commit of the code, with ``-dirty`` behind it where files differ from it."""
    asked = ["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(asked, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _below(page: str) -> str:
    """A page as a part of another: every heading one level down."""
    return "".join(f"#{line}" if line.startswith("#") else line for line in page.splitlines(keepends=True))


def main(argv: Sequence[str] | None = None) -> int:
    """Everything, printed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables")
    parser.add_argument("--data", type=Path, required=True, help="folder that holds the data set folders")
    parser.add_argument("--work", type=Path, required=True, help="where corpora are prepared and vectors kept")
    parser.add_argument("--out", type=Path, required=True, help="where runs, reports and results.md go")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page there as well")
    parser.add_argument("--dense", action="store_true", help="with the arm hybrid: the extra lens-lsp[dense], an hour")
    parser.add_argument("--limit", type=int, metavar="K", help="only the first K questions")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    page = Tables(args.data, args.work, args.out, args.dense, Selection(limit=args.limit), args.seed).all()
    if args.page is not None:
        args.page.write_text(page, "utf-8")
    print(page, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
