"""How many questions the offline oracle understands, of generated ones: ``python -m benchmarks.paraphrases ``.

The open set is what rules were written for, the held one has templates and subjects they were not. Seeded: 7.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lens_lsp import Answered, Lens
from lens_lsp.computation.reading import find_values
from lens_lsp.computation.values import same
from lens_lsp.domain.plan import Combination, Plan
from lens_lsp.domain.words import key, stem
from lens_lsp.oracle.decompose import decompose
from tests.oracle.facts_in_files import Asked, asked, write
from tests.oracle.paraphrases import Paraphrase, paraphrases

SEED = 7


def understood(case: Paraphrase) -> bool:
    """Whether the plan has the intent, the transformation and a requirement for each subject."""
    plan = decompose(case.question)
    return plan.intent is case.intent and _combines(case, plan) and _asks_for(case.subjects, plan)


def _combines(case: Paraphrase, plan: Plan) -> bool:
    rule = plan.transformation
    if rule is None:
        return False
    written = rule.expression if rule.kind is Combination.EXPRESSION else rule.kind.value
    return written in case.rule


def _asks_for(subjects: Sequence[str], plan: Plan) -> bool:
    if not subjects:
        return True
    if len(plan.requirements) != len(subjects):
        return False
    texts = [_words(requirement.text.split(": ")[0]) for requirement in plan.requirements]
    mine = [_words(subject) for subject in subjects]
    own = [words.difference(*(other for other in mine if other is not words)) for words in mine]
    others = [set().union(*(o for o in own if o is not words)) for words in own]
    return all(
        words <= text and not other & text for words, other, text in zip(own, others, texts, strict=True)
    ) or _swapped(own, texts, plan)


def _swapped(own: Sequence[set[str]], texts: Sequence[set[str]], plan: Plan) -> bool:
    """Whether the operands stand in another order where the order does not matter."""
    rule = plan.transformation
    signs = "" if rule is None else rule.expression or ""
    if rule is not None and rule.kind is Combination.EXPRESSION and not signs.startswith(("abs", "f1 + f2", "mean")):
        return False
    return all(any(words <= text for text in texts) for words in own)


def _words(text: str) -> set[str]:
    return {stem(word) for word in key(text).split() if word not in ("the", "of", "s")}


def recall(*, held: bool) -> tuple[Counter[str], Counter[str]]:
    """The questions that are understood, and all, by operation."""
    cases = paraphrases(held=held, seed=SEED)
    return (
        Counter(case.operation for case in cases if understood(case)),
        Counter(case.operation for case in cases),
    )


def report(*, held: bool) -> None:
    """Prints the recall of each operation and that of all."""
    right, asked = recall(held=held)
    for name in asked:
        print(f"{name:24} {right[name]:4} / {asked[name]}")
    share = right.total() / asked.total()
    print(f"{'held out' if held else 'open'}: {right.total()} of {asked.total()}, {share:.1%}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question over the files, what was answered, and whether the files of its operands are cited."""

    asked: Asked
    short: str | None
    cited: bool

    @property
    def right(self) -> bool:
        if self.short is None:
            return not self.asked.right
        return any(told(self.short, right) for right in self.asked.right)


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares of the questions."""

    right: float
    wrong: float
    cited: float


def told(short: str, right: str) -> bool:
    """Whether a short answer says a value: in the same words, or the same amount within half a percent."""
    if right.lower() in short.lower():
        return True
    given, wanted = find_values(short), find_values(right)
    if not given or not wanted:
        return False
    one, other = given[0], wanted[0]
    if same(one, other) is True:
        return True
    comparable = one.unit.symbol == other.unit.symbol or not other.unit.symbol
    if one.date is not None or other.date is not None or not comparable:
        return False
    return abs(one.magnitude - other.magnitude) <= abs(other.magnitude) / 200


async def answered(folder: Path) -> list[Outcome]:
    """Every question, asked over the files written to a folder."""
    write(folder)
    lens = Lens([folder])
    outcomes = []
    for asked_ in asked():
        answers = [event.answer async for event in lens.ask(asked_.question) if isinstance(event, Answered)]
        paths = {item.path.rsplit("/", 1)[-1].split(".")[0] for item in answers[-1].evidence}
        outcomes.append(Outcome(asked_, answers[-1].short, set(asked_.files) <= paths))
    return outcomes


def measured(outcomes: Sequence[Outcome]) -> Figures:
    """The shares of right values, wrong values and cited operands."""
    count = len(outcomes)
    wrong = sum(outcome.short is not None and not outcome.right for outcome in outcomes)
    return Figures(
        sum(outcome.right for outcome in outcomes) / count, wrong / count, sum(o.cited for o in outcomes) / count
    )


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    report(held=False)
    report(held=True)
    with tempfile.TemporaryDirectory() as folder:
        outcomes = asyncio.run(answered(Path(folder)))
    figures = measured(outcomes)
    shares = f"right {figures.right:.1%}, wrong {figures.wrong:.1%}, cited {figures.cited:.1%}"
    print(f"{len(outcomes)} questions over files: {shares}")


if __name__ == "__main__":
    main()
