"""Controls: an arm beside itself, over a corpus of which one thing is other.

Each is an arm around an arm. It copies what it needs of the corpus to a folder of its own and lets the inner one see
that folder and nothing else, under the names that the corpus has, so that rows are scored as ever.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluation.arms.base import Arm, ArmResult
from evaluation.data.datasets import Dataset, Question, articles, open_dataset, sample_ids
from evaluation.data.snapshots import Corpus, document_names
from lens_lsp.model.errors import UsageError

STALE = "stale"
WITHOUT_GOLD = "without-gold"
IN_CONTEXT = "in-context"


@dataclass(slots=True)
class _Apart:
    """What the controls share: the inner arm, and a folder of their own that ends with them."""

    arm: Arm
    _scratch: tempfile.TemporaryDirectory[str] | None = field(default=None, init=False)

    @property
    def folder(self) -> Path:
        """Where the inner arm searches. Raises UsageError before `prepare`."""
        if self._scratch is None:
            raise UsageError("prepare the arm before searching")
        return Path(self._scratch.name, "corpus")

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        """As the inner arm answers."""
        return self.arm.search(ticket, text, depth)

    def close(self) -> None:
        """Close the inner arm and remove the folder."""
        self.arm.close()
        if self._scratch is not None:
            self._scratch.cleanup()
        self._scratch = None

    def _begin(self) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="lens-control.")
        self.folder.mkdir()


@dataclass(slots=True)
class StaleArm(_Apart):
    """An arm that was ready when the corpus held but the documents ``before``; then the others came."""

    before: AbstractSet[str]

    @property
    def name(self) -> str:
        """``bm25s-stale``."""
        return f"{self.arm.name}-{STALE}"

    def prepare(self, corpus_dir: Path) -> float:
        """Make the inner arm ready over the small corpus, then let the corpus grow."""
        self._begin()
        copy(corpus_dir, self.before, self.folder)
        seconds = self.arm.prepare(self.folder)
        copy(corpus_dir, set(document_names(corpus_dir)) - self.before, self.folder)
        return seconds


@dataclass(slots=True)
class WithoutArm(_Apart):
    """An arm over a corpus from which documents were ``removed``."""

    removed: AbstractSet[str]

    @property
    def name(self) -> str:
        """``lens-without-gold``, as its only use is."""
        return f"{self.arm.name}-{WITHOUT_GOLD}"

    def prepare(self, corpus_dir: Path) -> float:
        """Make the inner arm ready over what is left."""
        self._begin()
        copy(corpus_dir, set(document_names(corpus_dir)) - self.removed, self.folder)
        return self.arm.prepare(self.folder)


@dataclass(slots=True)
class ContextArm(_Apart):
    """An arm that is given, for each question, the documents that came with it and no others."""

    contexts: Mapping[str, Iterable[str]]
    """Names of documents by the ticket of a question: gold and distractors, in no telling order."""
    _corpus: Path = field(default=Path(), init=False)

    @property
    def name(self) -> str:
        """``lens-in-context``."""
        return f"{self.arm.name}-{IN_CONTEXT}"

    def prepare(self, corpus_dir: Path) -> float:
        """There is nothing to do before the question is known."""
        self._begin()
        self._corpus = corpus_dir
        return 0.0

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        """Make the inner arm ready over the question's own documents, and ask it."""
        self.arm.close()
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        copy(self._corpus, self.contexts[ticket], self.folder)
        self.arm.prepare(self.folder)
        return self.arm.search(ticket, text, depth)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a controlled run is of: every arm as it is, and beside itself over the changed corpus."""

    corpus: Corpus
    questions: tuple[Question, ...]
    arms: tuple[Arm, ...]


Make = Callable[[], Sequence[Arm]]
"""Makes the arms of a run, new ones at each call."""


def since(dataset: Dataset, corpus: Corpus, asked: Sequence[Question], make: Make, earlier: str) -> Setting:
    """The questions that a larger snapshot added, also of arms that were ready at the ``earlier`` one.

    Raises UsageError when that is no smaller snapshot.
    """
    small = open_dataset(dataset.folder, earlier)
    if corpus.hidden_titles or small.snapshot not in [one.snapshot for one in corpus.nested[:-1]]:
        raise UsageError(f"the corpus of {dataset.snapshot} did not grow out of {earlier}: prepare it, titles shown")
    known = set(sample_ids(small))
    before = frozenset(article.path for article in articles(small))
    added = tuple(question for question in asked if question.id not in known)
    return _beside(corpus, f"{STALE} since {small.snapshot}", added, make, lambda arm: StaleArm(arm, before))


def without_gold(corpus: Corpus, asked: Sequence[Question], make: Make) -> Setting:
    """All questions, also over the corpus without any gold document: whoever answers then answers without proof."""
    gold = frozenset(path for question in asked for path in corpus.gold(question.gold).paths)
    return _beside(corpus, WITHOUT_GOLD, asked, make, lambda arm: WithoutArm(arm, gold))


def in_context(dataset: Dataset, corpus: Corpus, asked: Sequence[Question], make: Make) -> Setting:
    """All questions, also over nothing but the documents that came with each: gold and distractors.

    Raises UsageError where the data set does not say which those are.
    """
    if dataset.release is None or corpus.hidden_titles:
        raise UsageError("only the file of a release says which documents came with a question; titles must be shown")
    contexts = {question.ticket: dataset.release.contexts[question.id] for question in asked}
    return _beside(corpus, IN_CONTEXT, asked, make, lambda arm: ContextArm(arm, contexts))


def _beside(
    corpus: Corpus, control: str, asked: Sequence[Question], make: Make, around: Callable[[Arm], Arm]
) -> Setting:
    pairs = zip(make(), make(), strict=True)
    arms = tuple(one for arm, twin in pairs for one in (arm, around(twin)))
    return Setting(replace(corpus, control=control), tuple(asked), arms)


def copy(corpus_dir: Path, names: Iterable[str], target: Path) -> None:
    """Copy documents of a corpus to another folder, by their names."""
    for name in names:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpus_dir / name, path)
