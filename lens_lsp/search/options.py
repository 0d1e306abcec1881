"""How one question is to be searched."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from lens_lsp.model.answer import Mode
from lens_lsp.model.plan import LOOP
from lens_lsp.search.proposals import START, Mixture


@dataclass(frozen=True, slots=True)
class Options:
    """How one question is to be searched. ``trace`` adds to the events what recomputing the beliefs needs;
    ``documents`` is how many ranked documents the answer lists, at least ten. ``admitted`` is how many documents are
    admitted at first, m of the paper; by default ten in the paper's mode, else those of the first 50 passages."""

    mode: Mode = Mode.EVIDENCE
    seed: int = 0
    ablate: Set[str] = frozenset()
    trace: bool = False
    documents: int = 10
    admitted: int | None = None

    @property
    def signals(self) -> frozenset[str]:
        """Signal families that are off; without the multi-signal prior only lexical anchors are left."""
        off = set(self.ablate).difference(LOOP)
        if "prior" in self.ablate:
            off |= {"path", "summaries", "history", "scans"}
        return frozenset(off)

    def mixture(self) -> Mixture:
        """λ at the beginning, without the arms that are off."""
        mixture = Mixture(adaptive="lambda" not in self.ablate)
        off = {arm for arm in START if f"arm-{arm.value}" in self.ablate}
        if off:
            mixture.without(off)
        return mixture
