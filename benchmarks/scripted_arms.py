"""Every arm end to end against one scripted model that sees only its prompts, on the first questions of HotpotQA.

    python -m benchmarks.scripted_arms --data "$LENS_DATA" --work runs/corpora --out runs/scripted

The run is one like any other, marked as one of a program: its report holds no figure of answers. It tells what each arm
asked and was shown, and whether a gold file that gets another name changes the result, as it must.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.scripted_model import scripted_model
from evaluation.arms.calling import HeldModel
from evaluation.arms.dense import Embedder
from evaluation.arms.making import make_arms
from evaluation.arms.minilm import MiniLm
from evaluation.data.datasets import Dataset, Question, open_dataset, questions
from evaluation.data.records import TracedRowRecord
from evaluation.data.snapshots import Corpus, prepare
from evaluation.reporting.reading import read_runs
from evaluation.reporting.tables import write_report
from evaluation.runner import Judging, run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.model.answer import Mode

ARMS = ("lens", "react", "hybrid", "bm25-rag", "closed-book")
_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """What one arm did over some questions, and over them again with a gold file renamed. Tokens are of all."""

    arm: str
    questions: int
    answered: int
    calls: int
    most_calls: int
    exceeded: int
    tokens_in: int
    tokens_out: int
    shown: int
    """Passages in all answers' evidence."""
    renamed: int
    """Questions whose documents differ once their first gold file has another name."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Arms by their names over questions, in one mode. Runs go below ``out``, vectors to ``work``."""

    arms: Sequence[str]
    mode: Mode
    work: Path
    out: Path
    embedder: Callable[[], Embedder] = MiniLm

    def of(self, dataset: Dataset, corpus: Corpus, asked: Sequence[Question]) -> list[Asked]:
        """Run the arms, then ask each again with every question's first gold file renamed."""
        factory = self._factory()
        arms = make_arms(self.arms, factory=factory, embedder=self.embedder, vectors=self.work)
        judging = Judging(self.mode.value, "chat", model=factory.model_name, scripted=True, temperature=0.0)
        run(dataset, corpus, asked, arms, self.out / "run", judging=judging, anew=True)
        write_report([self.out / "run"], self.out / "report")
        with tempfile.TemporaryDirectory(prefix="lens-renamed.") as scratch:
            renamed = Path(scratch, "corpus")
            shutil.copytree(corpus.folder, renamed)
            for path in dict.fromkeys(question.gold.paths[0] for question in asked):
                (renamed / path).rename(renamed / f"{path}.renamed")
            rows = {row.arm: row.read(TracedRowRecord) for row in read_runs([self.out / "run"])}
            return [_told(name, rows[name], self._ranked(renamed, asked, name)) for name in self.arms]

    def _factory(self) -> OracleFactory:
        return OracleFactory(self.mode, HeldModel(scripted_model()))

    def _ranked(self, folder: Path, asked: Sequence[Question], name: str) -> list[tuple[str, ...]]:
        """The documents of each question."""
        (arm,) = make_arms([name], factory=self._factory(), embedder=self.embedder, vectors=self.work)
        arm.prepare(folder)
        try:
            return [arm.search(question.ticket, question.text, _DEPTH).documents for question in asked]
        finally:
            arm.close()


def _told(name: str, rows: Sequence[TracedRowRecord], renamed: Sequence[tuple[str, ...]]) -> Asked:
    answers = [row.answer for row in rows if row.answer is not None]
    calls = [row.ledger.calls["total"] for row in rows]
    return Asked(
        arm=name,
        questions=len(answers),
        answered=sum(bool(answer.text) for answer in answers),
        calls=sum(calls),
        most_calls=max(calls),
        exceeded=sum(answer.stopped.startswith("budget-") for answer in answers),
        tokens_in=sum(row.ledger.tokens["in"] for row in rows),
        tokens_out=sum(row.ledger.tokens["out"] for row in rows),
        shown=sum(len(row.evidence) for row in rows),
        renamed=sum(row.documents != after for row, after in zip(rows, renamed, strict=True)),
    )


def table(rows: Sequence[Asked]) -> str:
    """The rows as Markdown; calls and tokens of a question."""
    heads = ["arm", "questions", "said something", "calls", "most", "budget exceeded", "tokens in", "tokens out"]
    heads += ["passages", "renamed"]
    lines = ["| " + " | ".join(heads) + " |", "|" + " ---: |" * len(heads)]
    for row in rows:
        each = (row.calls / row.questions, row.tokens_in / row.questions, row.tokens_out / row.questions)
        calls, tokens_in, tokens_out = f"{each[0]:.2f}", f"{each[1]:,.0f}", f"{each[2]:,.0f}"
        cells = (row.arm, row.questions, row.answered, calls, row.most_calls, row.exceeded, tokens_in, tokens_out)
        lines.append("| " + " | ".join(map(str, (*cells, row.shown, row.renamed))) + " |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds hotpotqa")
    parser.add_argument("--work", type=Path, required=True, help="where the corpus is prepared and vectors are kept")
    parser.add_argument("--out", type=Path, required=True, help="folder for the run, its report and scripted.json")
    parser.add_argument("--mode", choices=["fast", "deep"], default="deep")
    parser.add_argument("--limit", type=int, default=25)
    parser.add_argument("--arms", default=",".join(ARMS))
    options = parser.parse_args(argv)
    dataset = open_dataset(options.data / "hotpotqa", "125")
    corpus = prepare(options.data / "hotpotqa", "125", options.work / "hotpotqa-125")
    asked = questions(dataset)[: options.limit]
    rows = Trial(options.arms.split(","), Mode(options.mode), options.work, options.out).of(dataset, corpus, asked)
    told = json.dumps([asdict(row) for row in rows], indent=1)
    (options.out / "scripted.json").write_text(f"{told}\n", "utf-8")
    print(table(rows), end="")
    complete = all(row.questions == options.limit for row in rows)
    sees_files = all(row.renamed or row.arm == "closed-book" for row in rows)
    return 0 if complete and sees_files else 1


if __name__ == "__main__":
    sys.exit(main())
