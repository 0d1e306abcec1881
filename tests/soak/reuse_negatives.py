"""Questions that look like an answered one and ask something else: none is answered from what is known.

Real questions are asked over a folder of their own articles and kept; then each is changed in one point of meaning
(`benchmarks.negatives`) and asked again. Nothing of an earlier answer may be reused. The control takes the most alike
earlier question for the same one, as a store that matches by similarity does: it must answer many.

    python -m tests.soak.reuse_negatives DATA/squad --questions 500
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.negatives import negatives
from evaluation.data.datasets import articles, open_dataset, questions
from lens_lsp.app.lens import Lens
from lens_lsp.app.question_memory import Memory
from lens_lsp.memory.matching import likeness, question_key
from lens_lsp.memory.store import Store
from lens_lsp.model.answer import Answer, answer_of
from lens_lsp.model.cluster import Asked
from lens_lsp.model.words import content
from tests.soak.harness import Options, Verdict, harness


class AlikeMemory(Memory):
    """The control: the most alike question that was asked, from four fifths of common words on."""

    def asked(self, question: str, oracle: str) -> Asked | None:
        words = content(question)
        like, id_ = max(
            ((likeness(words, content(key)), id_) for id_, key in self.store.questions()), default=(0.0, "")
        )
        cluster = self.store.cluster(id_) if like >= 0.8 else None
        return None if cluster is None else max(cluster.asked, key=lambda asked: likeness(words, content(asked.key)))


def write_articles(data: Path, snapshot: str, folder: Path, most: int) -> list[str]:
    """Write the articles that prove the first questions of a data set; the questions."""
    dataset = open_dataset(data, snapshot)
    asked = questions(dataset)[:most]
    wanted = {path for question in asked for path in question.gold.paths}
    for article in articles(dataset):
        if article.path in wanted:
            path = folder / article.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(article.body, "utf-8")
    return [question.text for question in asked]


def run(asked: Sequence[str], notes: Path, store: Path, kind: type[Memory], most: int) -> dict[str, object]:
    lens = Lens([notes])

    def ask(memory: Memory, question: str) -> Answer:
        return asyncio.run(answer_of(lens.ask(question, memory=memory)))

    with Store.open(store) as opened:
        keeping = Memory(opened, str(notes))
        for question in asked:
            ask(keeping, question)
        known = {cluster.title for cluster in opened.clusters()}
        memory = kind(opened, str(notes), keeps=False)
        again = sum(bool(ask(memory, question).reused) for question in asked)
        keys = {question_key(question) for question in asked}  # a change may make another question that was asked
        made = [negative for negative in negatives(asked) if question_key(negative.question) not in keys][:most]
        bad = [negative for negative in made if ask(memory, negative.question).reused]
    examples = [[negative.kind, negative.asked, negative.question] for negative in bad[:10]]
    return {
        "n": len(made),
        "bad": len(bad),
        "clusters": len(known),
        "asked again and reused": again,
        "bad ones": examples,
    }


@harness(data=Path, snapshot="S_dev48", questions=500, most=1_000_000)
def main(options: Options) -> Verdict:
    notes = options.place / "notes"
    notes.mkdir()
    asked = write_articles(options.data, options.snapshot, notes, options.questions)
    result = run(asked, notes, options.place / "store", Memory, options.most)
    control = run(asked[:40], notes, options.place / "control", AlikeMemory, 60)
    return {"figure": "look-alikes answered from what is known", **result, "control": control}, control["bad"]


if __name__ == "__main__":
    sys.exit(main())
