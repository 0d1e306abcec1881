"""Arms by their names, and ablations of ours."""

from __future__ import annotations

from collections.abc import Sequence

from lens_lsp.domain.ablations import LOOP, SIGNALS
from lens_lsp.domain.errors import UsageError
from lens_lsp.evaluation.arms.base import Arm
from lens_lsp.evaluation.arms.indexes import Bm25sIndex, IndexMaker, TantivyIndex
from lens_lsp.evaluation.arms.lens import AskingArm, LensArm
from lens_lsp.evaluation.arms.references import ReferenceArm
from lens_lsp.evaluation.seats import Seat

ABLATIONS = (*SIGNALS, *LOOP)
"""What can be switched off in ``lens`` to see what it is worth."""

_INDEXES: dict[str, IndexMaker] = {"bm25s": Bm25sIndex, "tantivy": TantivyIndex}

ARMS = ("lens", *_INDEXES)
"""The arms that exist, in the order of a report."""


def make_arms(
    names: Sequence[str],
    ablations: Sequence[str] = (),
    *,
    windows: bool = True,
    seat: Seat | None = None,
    seed: int = 0,
) -> list[Arm]:
    """The named arms, and ``lens`` once more per ablation: ``links``, or ``links+scans`` for both at once.

    With a ``seat`` ``lens`` asks, else it finds; ``seed`` is that of asking. Raises UsageError for a name that does not
    exist and for an ablation that finding does not have.
    """
    for name in names:
        if name not in ARMS:
            raise UsageError(f"there is no arm {name!r} yet; choose from {', '.join(ARMS)}")
    if ablations and "lens" not in names:
        raise UsageError("ablations are of the lens arm: add lens to the arms")
    made: list[Arm] = []
    for name in dict.fromkeys(names):
        if name == "lens":
            made.append(_lens_arm(frozenset(), seat, seed))
            made.extend(_lens_arm(parse_ablation(text), seat, seed) for text in dict.fromkeys(ablations))
        else:
            made.append(ReferenceArm(name, _INDEXES[name], windows))
    return made


def parse_ablation(text: str) -> frozenset[str]:
    """The signals one ablation switches off; raises UsageError for an unknown one."""
    parts = frozenset(text.split("+"))
    unknown = sorted(parts - set(ABLATIONS))
    if unknown:
        raise UsageError(f"cannot ablate {unknown[0]!r}; choose from {', '.join(ABLATIONS)}")
    return parts


def _lens_arm(ablate: frozenset[str], seat: Seat | None, seed: int) -> Arm:
    if seat is not None:
        return AskingArm(ablate, seed, seat)
    of_the_loop = sorted(ablate & set(LOOP))
    if of_the_loop:
        part = of_the_loop[0]
        raise UsageError(f"cannot ablate {part!r} in mode find, which has no loop: use `lens eval run --mode evidence`")
    return LensArm(ablate)
