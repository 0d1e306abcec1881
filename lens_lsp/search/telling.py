"""What the search says of itself: its state as events, for progress, live evidence and the trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lens_lsp.corpus.safe_open import display_path
from lens_lsp.model.answer import Admitted, AdmittedDocument, Arm, Proposed, ProposedRegion
from lens_lsp.model.documents import Evidence
from lens_lsp.model.plan import Plan
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import Admission, Space
from lens_lsp.search.boundaries import region
from lens_lsp.search.corpus_view import Floats, Reading
from lens_lsp.search.localisation import Candidates, ranking
from lens_lsp.search.proposals import Request
from lens_lsp.search.rounds import Quote


@dataclass(frozen=True, slots=True)
class Telling:
    """Events of one search. ``trace`` adds π_pos of every admitted cell."""

    plan: Plan
    reading: Reading
    candidates: Candidates
    space: Space
    trace: bool

    def evidence(self, quote: Quote, n: int) -> Evidence:
        """A verified quote, grown to a readable boundary."""
        admission = quote.proposal.admission
        return self.reading.evidence(
            admission.slot,
            admission.document,
            region(admission.document, quote.span),
            n,
            match=quote.match,
            requirements=(self.plan.requirements[quote.requirement].id,),
            signals=self.candidates.shares(admission.slot),
            arm=quote.proposal.arm.value,
            round_=quote.round,
            verdict=quote.verdict.value,
        )

    def proposed(self, round_: int, weights: Mapping[Arm, float], request: Request) -> Proposed:
        """A round's regions, and λ when they were drawn."""
        regions = tuple(
            ProposedRegion(
                number=item.number,
                document=item.admission.index,
                path=display_path(item.admission.document.path),
                span=item.span,
                cells=Span(item.cells.start - item.admission.first, item.cells.end - item.admission.first),
                arm=item.arm,
                tokens=item.tokens,
            )
            for item in request.proposals
        )
        return Proposed(round_, {arm.value: weight for arm, weight in weights.items()}, regions)

    def admitted(
        self, round_: int, joined: Sequence[Admission], file: Floats, position: Floats, reserve: int
    ) -> Admitted:
        """The documents that joined; ``file`` and ``position`` are π_file and π_pos of all, a row per requirement."""
        ids = [requirement.id for requirement in self.plan.requirements]
        slots = frozenset(self.space.slots.tolist())
        return Admitted(
            round=round_,
            joined=tuple(self._described(admission, ids, position) for admission in joined),
            file={name: tuple(row) for name, row in zip(ids, file.tolist(), strict=True)},
            ranking=ranking(self.reading, self.candidates, slots, always=slots),
            reserve=reserve,
            compression=self.candidates.compression(self.space.slots),
        )

    def _described(self, admission: Admission, ids: Sequence[str], position: Floats) -> AdmittedDocument:
        cells = position[:, admission.first : admission.first + admission.cells] if self.trace else position[:0]
        return AdmittedDocument(
            root=admission.document.root,
            path=display_path(admission.document.path),
            base=self.reading.before(admission.slot),
            length=len(admission.text),
            cells=admission.cells,
            position={name: tuple(row) for name, row in zip(ids, cells.tolist(), strict=False)},
        )
