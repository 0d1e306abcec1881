"""Snapshots that grow: each holds the questions of every smaller one first, in the same order, and all its documents.

What a figure is bound to is said by three checksums: which questions, in which order, over which bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from evaluation.data.datasets import (
    Dataset,
    articles,
    corpus_checksum,
    open_dataset,
    sample_checksums,
    sample_ids,
)
from lens_lsp.model.errors import EvaluationError


@dataclass(frozen=True, slots=True)
class Binding:
    """A snapshot by the checksums of its sample ids, their order and its corpus."""

    snapshot: str
    questions: int
    articles: int
    sample_ids: str
    order: str
    corpus: str


@dataclass(frozen=True, slots=True)
class _Held:
    label: str
    ids: list[str]
    documents: Mapping[str, str]

    @property
    def binding(self) -> Binding:
        sample, order = sample_checksums(self.ids)
        checksum = corpus_checksum(self.documents)
        return Binding(self.label, len(self.ids), len(self.documents), sample, order, checksum)


def bindings(dataset: Dataset) -> tuple[Binding, ...]:
    """The snapshots that lie in this one, the smallest first, and this one last; none of a workspace.

    Raises EvaluationError when a smaller one has a question or a document that is not in the next, or has it
    otherwise: another order, another content.
    """
    if dataset.is_workspace:
        return ()
    own = dataset.sizes[dataset.snapshot]
    # A small release may have no background left to add: then a larger snapshot has no more documents.
    smaller = [
        label
        for label, size in dataset.sizes.items()
        if size < own or (dataset.release is not None and label != dataset.snapshot)
    ]
    held = [_held(open_dataset(dataset.folder, label)) for label in sorted(smaller, key=dataset.sizes.__getitem__)]
    held.append(_held(dataset))
    for less, more in pairwise(held):
        if more.ids[: len(less.ids)] != less.ids:
            raise EvaluationError(f"{dataset.folder}: the questions of {less.label} are not the first of {more.label}")
        if not less.documents.items() <= more.documents.items():
            raise EvaluationError(
                f"{dataset.folder}: {more.label} lacks documents of {less.label}, or has others by their names"
            )
    return tuple(one.binding for one in held)


def _held(dataset: Dataset) -> _Held:
    documents = {article.path: article.sha256 for article in articles(dataset)}
    return _Held(dataset.snapshot, sample_ids(dataset), documents)
