"""Arms by their names, and ablations of ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from evaluation.arms.answering import ChatArm, Way
from evaluation.arms.base import Arm
from evaluation.arms.closed_book import ClosedBook
from evaluation.arms.dense import Embedder, Embedding
from evaluation.arms.hybrid import HybridIndex
from evaluation.arms.indexes import Bm25sIndex, IndexMaker, TantivyIndex
from evaluation.arms.lens import AskingArm, LensArm
from evaluation.arms.minilm import MiniLm
from evaluation.arms.rag import PassageArm, PassageIndex, Rag
from evaluation.arms.react import ReAct
from evaluation.arms.references import ReferenceArm
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.model.errors import UsageError
from lens_lsp.model.plan import LOOP, SIGNALS

ABLATIONS = (*SIGNALS, *LOOP)
"""What can be switched off in ``lens`` to see what it is worth."""

_INDEXES: dict[str, IndexMaker] = {"bm25s": Bm25sIndex, "tantivy": TantivyIndex}
HYBRID = "hybrid"

REFERENCES = tuple(_INDEXES)
"""Plain BM25, as two libraries ship it."""
ANSWERING = ("react", HYBRID, "bm25-rag", "closed-book")
"""Arms that answer by a chat model; without one ``hybrid`` still ranks."""
ARMS = ("lens", *REFERENCES, *ANSWERING)
"""The arms that exist, in the order of a report."""


def make_arms(
    names: Sequence[str],
    ablations: Sequence[str] = (),
    *,
    windows: bool = True,
    factory: OracleFactory | None = None,
    seed: int = 0,
    embedder: Callable[[], Embedder] = MiniLm,
    vectors: Path | None = None,
) -> list[Arm]:
    """The named arms, and ``lens`` once more per ablation: ``links``, or ``links+scans`` for both at once.

    With a ``factory`` ``lens`` asks, else it finds; ``seed`` is that of asking. With the factory of a chat model those
    arms that answer by one do so, under its budget. ``embedder`` makes the vectors of ``hybrid``, which are kept in the
    folder ``vectors``. Raises UsageError for a name that does not exist, for an ablation that finding does not have,
    and for an arm that needs a chat model where there is none.
    """
    for name in names:
        if name not in ARMS:
            raise UsageError(f"there is no arm {name!r}; choose from {', '.join(ARMS)}")
    if ablations and "lens" not in names:
        raise UsageError("ablations are of the lens arm: add lens to the arms")
    made: list[Arm] = []
    for name in dict.fromkeys(names):
        if name == "lens":
            made.append(_lens_arm(frozenset(), factory, seed))
            made.extend(_lens_arm(parse_ablation(text), factory, seed) for text in dict.fromkeys(ablations))
        elif name in _INDEXES:
            made.append(ReferenceArm(name, _INDEXES[name], windows))
        else:
            hybrid = _hybrid(embedder(), vectors) if name == HYBRID else None
            made.append(_answering(name, hybrid, factory))
    return made


def parse_ablation(text: str) -> frozenset[str]:
    """The signals one ablation switches off; raises UsageError for an unknown one."""
    parts = frozenset(text.split("+"))
    unknown = sorted(parts - set(ABLATIONS))
    if unknown:
        raise UsageError(f"cannot ablate {unknown[0]!r}; choose from {', '.join(ABLATIONS)}")
    return parts


def _hybrid(embedder: Embedder, vectors: Path | None) -> PassageIndex:
    return PassageIndex(partial(HybridIndex, Embedding(embedder, vectors)), embedder)


def _answering(name: str, hybrid: PassageIndex | None, factory: OracleFactory | None) -> Arm:
    if factory is not None and factory.model is not None:
        ways: dict[str, Callable[[], Way]] = {"react": ReAct, "closed-book": ClosedBook}
        way = ways[name]() if name in ways else Rag(hybrid or PassageIndex(Bm25sIndex))
        return ChatArm(name, way, factory)
    if hybrid is not None:
        return PassageArm(name, hybrid)
    raise UsageError(f"the arm {name} answers by a chat model: use --mode fast or deep with --oracle chat")


def _lens_arm(ablate: frozenset[str], factory: OracleFactory | None, seed: int) -> Arm:
    if factory is not None:
        return AskingArm(ablate, seed, factory)
    of_the_loop = sorted(ablate & set(LOOP))
    if of_the_loop:
        part = of_the_loop[0]
        raise UsageError(f"cannot ablate {part!r} in mode find, which has no loop: use `lens eval run --mode evidence`")
    return LensArm(ablate)
