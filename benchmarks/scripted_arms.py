"""Every arm end to end against one scripted model that sees only its prompts, on the first questions of HotpotQA.

    python -m benchmarks.scripted_arms --data "$LENS_DATA" --work runs/corpora --out runs/scripted

It tells what each arm asked and was shown, and whether a gold file that gets another name changes the result, as it
must. What such a model answers is no measure of quality, so no figure of answers is printed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.scripted_model import scripted_model
from lens_lsp.domain.answer import Mode
from lens_lsp.evaluation.arms.base import ArmResult
from lens_lsp.evaluation.arms.calling import HeldModel
from lens_lsp.evaluation.arms.making import make_arms
from lens_lsp.evaluation.data.datasets import Question, open_dataset, questions
from lens_lsp.evaluation.data.snapshots import prepare
from lens_lsp.evaluation.seats import ChatSeat

ARMS = ("lens", "react", "hybrid", "bm25-rag", "closed-book")
_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """What one arm did over some questions, and over them again with a gold file renamed."""

    arm: str
    questions: int
    answered: int
    calls: int
    most_calls: int
    exceeded: int
    tokens: int
    shown: int
    """Passages in all answers' evidence."""
    renamed: int
    """Questions whose documents differ once their first gold file has another name."""


def ask(folder: Path, asked: Sequence[Question], arms: Sequence[str], mode: Mode, vectors: Path) -> list[Asked]:
    """Ask every question of every arm, as the corpus is and with each question's first gold file renamed."""
    found = []
    for name in arms:
        before = _results(folder, asked, name, mode, vectors)
        with tempfile.TemporaryDirectory(prefix="lens-renamed.") as scratch:
            renamed = Path(scratch, "corpus")
            shutil.copytree(folder, renamed)
            for path in dict.fromkeys(question.gold.paths[0] for question in asked):
                (renamed / path).rename(renamed / f"{path}.renamed")
            after = _results(renamed, asked, name, mode, vectors)
        found.append(_told(name, before, after))
    return found


def _results(folder: Path, asked: Sequence[Question], name: str, mode: Mode, vectors: Path) -> list[ArmResult]:
    seat = ChatSeat(mode, HeldModel(scripted_model()))
    (arm,) = make_arms([name], seat=seat, vectors=vectors)
    arm.prepare(folder)
    try:
        return [arm.search(str(number), question.text, _DEPTH) for number, question in enumerate(asked)]
    finally:
        arm.close()


def _told(name: str, before: Sequence[ArmResult], after: Sequence[ArmResult]) -> Asked:
    answers = [result.answer for result in before if result.answer is not None]
    calls = [sum(result.account.calls.values()) for result in before]
    return Asked(
        arm=name,
        questions=len(answers),
        answered=sum(bool(answer.text) for answer in answers),
        calls=sum(calls),
        most_calls=max(calls),
        exceeded=sum(answer.stopped.value.startswith("budget-") for answer in answers),
        tokens=sum(result.account.tokens_in + result.account.tokens_out for result in before),
        shown=sum(len(result.evidence) for result in before),
        renamed=sum(one.documents != two.documents for one, two in zip(before, after, strict=True)),
    )


def table(rows: Sequence[Asked]) -> str:
    """The rows as Markdown."""
    heads = ["arm", "questions", "said something", "calls", "most", "budget exceeded", "tokens", "passages", "renamed"]
    lines = ["| " + " | ".join(heads) + " |", "|" + " ---: |" * len(heads)]
    for row in rows:
        cells = (row.arm, row.questions, row.answered, row.calls, row.most_calls, row.exceeded, row.tokens, row.shown)
        lines.append("| " + " | ".join(map(str, (*cells, row.renamed))) + " |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds hotpotqa")
    parser.add_argument("--work", type=Path, required=True, help="where the corpus is prepared and vectors are kept")
    parser.add_argument("--out", type=Path, required=True, help="folder for scripted.json")
    parser.add_argument("--mode", choices=["fast", "deep"], default="deep")
    parser.add_argument("--limit", type=int, default=25)
    parser.add_argument("--arms", default=",".join(ARMS))
    options = parser.parse_args(argv)
    dataset = open_dataset(options.data / "hotpotqa", "125")
    corpus = prepare(options.data / "hotpotqa", "125", options.work / "hotpotqa-125")
    asked = questions(dataset)[: options.limit]
    rows = ask(corpus.folder, asked, options.arms.split(","), Mode(options.mode), options.work)
    options.out.mkdir(parents=True, exist_ok=True)
    told = json.dumps([asdict(row) for row in rows], indent=1)
    (options.out / "scripted.json").write_text(f"{told}\n", "utf-8")
    print(table(rows), end="")
    complete = all(row.questions == options.limit for row in rows)
    sees_files = all(row.renamed or row.arm == "closed-book" for row in rows)
    return 0 if complete and sees_files else 1


if __name__ == "__main__":
    sys.exit(main())
