"""The audits that need no model, one after the other, and one page on what they found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path

from evaluation.answer_key import AnswerKeyFactory, key_of
from evaluation.arms.base import Arm
from evaluation.arms.making import make_arms
from evaluation.audits.controls import STALE, Setting, since, without_gold
from evaluation.audits.lifecycle import corpus_size, lifecycle
from evaluation.audits.reuse import Reuse, reuse
from evaluation.data.datasets import Dataset, Question, open_dataset, questions
from evaluation.data.records import FigureRecord, SummaryRecord
from evaluation.data.snapshots import Corpus, prepare
from evaluation.reporting.markdown import shown, table
from evaluation.reporting.reading import figure_of, read_summary
from evaluation.results import write_json, write_page
from evaluation.runner import Judging, Progress, Selection, run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import UsageError

SCHEMA = "lens.audits/1"
AUDITS = ("staleness", "lifecycle", "abstention", "reuse")


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """What to audit: ``snapshots`` are a small one, which is asked, the one it grows to, and the largest, whose upkeep
    is measured. Staleness is that of every one that grows to the next."""

    audits: tuple[str, ...] = AUDITS
    snapshots: tuple[str, ...] = ("125", "250", "500")
    arms: tuple[str, ...] = ("lens", "bm25s", "tantivy")
    selection: Selection = field(default_factory=Selection)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Auditor:
    data: Path
    work: Path
    out: Path
    plan: AuditPlan
    progress: Progress | None
    anew: bool

    def opened(self, snapshot: str) -> tuple[Dataset, Corpus, tuple[Question, ...]]:
        dataset = open_dataset(self.data, snapshot)
        corpus = prepare(self.data, snapshot, self.work / f"{dataset.name}-{snapshot}")
        return dataset, corpus, questions(dataset)

    def arms(self, asked: Sequence[Question]) -> list[Arm]:
        windows = any(question.gold.spans for question in asked)
        return make_arms(self.plan.arms, windows=windows, vectors=self.work.absolute())

    def ran(self, name: str, dataset: Dataset, setting: Setting, judging: Judging) -> SummaryRecord:
        run(
            dataset,
            setting.corpus,
            setting.questions,
            setting.arms,
            self.out / name,
            seed=self.plan.seed,
            selection=self.plan.selection,
            progress=self.progress,
            judging=judging,
            anew=self.anew,
        )
        return read_summary(self.out / name)

    def staleness(self) -> tuple[object, str]:
        """Arms that were ready before the corpus grew, asked for what is new."""
        pairs = [(early, late) for early, late in pairwise(self.plan.snapshots) if early != late]
        found = {f"{early}-{late}": self._stale(early, late) for early, late in pairs}
        page = "\n".join(text for _, text in found.values())
        return {name: figures for name, (figures, _) in found.items()}, f"## Staleness\n\n{page}"

    def _stale(self, early: str, late: str) -> tuple[object, str]:
        dataset, corpus, asked = self.opened(late)
        setting = since(dataset, corpus, asked, lambda: self.arms(asked), early)
        summary = self.ran(f"staleness-{early}-{late}", dataset, setting, Judging())
        places = ("documentRecall.5", "documentRecall.10", "evidenceRecall.strict")
        rows = [[name, *_change(summary, name, STALE, places)] for name in _bases(summary, STALE)]
        heads = [
            f"{label}{part}" for label in ("R@5", "R@10", "evidence recall, strict") for part in ("", ", stale", ", Δ")
        ]
        n = max(arm.n for arm in summary.arms.values())
        return _figures(summary, places), (
            f"Every arm was made ready over the snapshot {early}; then the corpus grew to {late}, and "
            f"the {n} questions that came with it were asked: of the arm made ready anew, and of the one that was "
            f"ready before (stale).\n\n{table(['arm', *heads], rows)}"
        )

    def lifecycle(self) -> tuple[object, str]:
        """What it takes to be ready, and to stay it."""
        _, corpus, asked = self.opened(self.plan.snapshots[2])
        found = lifecycle(corpus, self.arms(asked))
        rows = [
            [
                row.arm,
                f"{row.ready:.2f}",
                f"{row.stored:,}",
                "yes" if row.found_at_once else "no",
                f"{row.rebuild:.2f}",
                f"{row.current:.3f}" if row.found else "never",
            ]
            for row in found
        ]
        heads = ["arm", "ready s", "bytes kept", "new document found at once", "rebuild s", "current again after s"]
        return [asdict(row) for row in found], (
            f"## Lifecycle\n\n{corpus.files:,} files, {corpus_size(corpus):,} bytes. Ready: from nothing to the first "
            f"question. Then one document is added and asked for.\n\n{table(heads, rows)}"
        )

    def abstention(self) -> tuple[object, str]:
        """Questions whose gold documents are gone."""
        dataset, corpus, asked = self.opened(self.plan.snapshots[0])
        setting = without_gold(corpus, asked, lambda: make_arms(["lens"], factory=OracleFactory(), seed=self.plan.seed))
        summary = self.ran("abstention", dataset, setting, Judging("evidence", "offline"))
        places = ("answered", "answeredWithQuote", "documentRecall.10")
        rows = [[name, *(shown(figure_of(arm, place)) for place in places)] for name, arm in summary.arms.items()]
        gone = len({path for question in asked for path in question.gold.paths})
        return _figures(summary, places), (
            f"## Abstention\n\n`lens ask` without a model, over the {corpus.files:,} documents of {dataset.snapshot}, "
            f"and over them without the {gone} gold documents of its questions: what is answered then is a false "
            "answer.\n\n"
            f"{table(['corpus', 'answered', 'of those with a quote', 'R@10'], rows)}"
        )

    def reuse(self) -> tuple[object, str]:
        """Every question twice, with a store."""
        _, corpus, asked = self.opened(self.plan.snapshots[0])
        chosen = self.plan.selection.of(asked)
        found = {
            name: reuse(corpus, chosen, factory, seed=self.plan.seed)
            for name, factory in self._factories(chosen, corpus)
        }
        rows = [[name, *_reused(row)] for name, row in found.items()]
        heads = ["mode, oracle", "n", "answered", "reused", "of those word for word", "calls", "again", "ms", "again"]
        return {name: asdict(row) for name, row in found.items()}, (
            f"## Warm reuse\n\nAll questions asked of LENS with an empty store, then all again.\n\n{table(heads, rows)}"
        )

    def _factories(self, asked: Sequence[Question], corpus: Corpus) -> list[tuple[str, OracleFactory]]:
        made: list[tuple[str, OracleFactory]] = [("evidence, rules", OracleFactory())]
        if any(document.passages for question in asked for document in key_of(corpus.gold(question.gold), corpus.text)):
            keyed = [
                (mode, AnswerKeyFactory.of(mode, asked, corpus, seed=self.plan.seed)) for mode in (Mode.FAST, Mode.DEEP)
            ]
            made += [(f"{mode}, answer key", factory) for mode, factory in keyed]
        return made


def audit(
    data: Path,
    work: Path,
    out: Path,
    plan: AuditPlan = AuditPlan(),
    *,
    progress: Progress | None = None,
    anew: bool = False,
) -> str:
    """Carry out the audits of a plan over the data set at ``data``; corpora are prepared below ``work``.

    Writes run folders, ``audits.json`` and ``audits.md`` below ``out``; returns the page. Runs that were killed go on;
    ``anew`` begins them again. Raises UsageError for an audit that there is not.
    """
    if len(plan.snapshots) != len(AuditPlan().snapshots):
        raise UsageError("the audits need three snapshots: one that is asked, the one it grows to, the largest")
    unknown = sorted(set(plan.audits) - set(AUDITS))
    if unknown:
        raise UsageError(f"there is no audit {unknown[0]!r}; choose from {', '.join(AUDITS)}")
    auditor = _Auditor(data, work, out, plan, progress, anew)
    audits: dict[str, Callable[[], tuple[object, str]]] = {
        "staleness": auditor.staleness,
        "lifecycle": auditor.lifecycle,
        "abstention": auditor.abstention,
        "reuse": auditor.reuse,
    }
    results = {name: audits[name]() for name in AUDITS if name in plan.audits}
    page = "# Audits\n\n" + "\n".join(text for _, text in results.values())
    document = {"schema": SCHEMA, "data": data.name, "audits": {name: found for name, (found, _) in results.items()}}
    write_json(out / "audits.json", document)
    write_page(out / "audits.md", page)
    return page


def _bases(summary: SummaryRecord, control: str) -> list[str]:
    return [name for name in summary.arms if f"{name}-{control}" in summary.arms]


def _change(summary: SummaryRecord, name: str, control: str, places: Sequence[str]) -> list[str]:
    """Before, after and the difference, for each figure."""
    cells = []
    for place in places:
        plain, other = (figure_of(summary.arms[arm], place) for arm in (name, f"{name}-{control}"))
        change = f"{other.value - plain.value:+.1f}" if plain is not None and other is not None else "–"
        cells += [shown(plain), shown(other), change]
    return cells


def _figures(summary: SummaryRecord, places: Sequence[str]) -> dict[str, dict[str, object]]:
    def dumped(figure: FigureRecord | None) -> object:
        return None if figure is None else figure.model_dump()

    return {name: {place: dumped(figure_of(arm, place)) for place in places} for name, arm in summary.arms.items()}


def _reused(found: Reuse) -> list[str]:
    return [
        *map(str, (found.n, found.answered, found.reused, found.reused_equal)),
        *(f"{calls:.2f}" for calls in found.calls),
        *(f"{milliseconds:.1f}" for milliseconds in found.milliseconds),
    ]
