"""A judge to test with: for it a sentence states what is asked if it holds all the words of the question that tell.

The value is the sentence's first figure, else its last name. It knows nothing of what words mean, and stands in where
a test wants an answer and does not care who found it.
"""

from __future__ import annotations

import re

from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.oracle import ObserveRequest
from lens_lsp.judge.rules.offline_oracle import OfflineOracle
from lens_lsp.model.observation import Judgement, Observation, ObservationReply, Region, Verdict
from lens_lsp.model.plan import Intent, Requirement
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import content

_FIGURE = re.compile(r"\d[\d.,:%]*(?<![.,:])")
_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*(?=[^A-Z]*$)")
_ASKING = content("how many much long old when where who which what does do did name show")


class WordJudge(OfflineOracle):
    """Implements `oracle.base.Oracle`."""

    __slots__ = ()

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        if request.plan.intent is Intent.SUMMARIZE:
            return await OfflineOracle.observe(self, request, ledger)
        return ObservationReply(
            tuple(
                Observation(region.number, tuple(judged(fact, region) for fact in request.outstanding))
                for region in request.regions
            )
        )


def judged(requirement: Requirement, region: Region) -> Judgement:
    """What a region says of a fact."""
    wanted = content(requirement.text) - _ASKING
    above = content(region.title, *region.headings)
    for span in sentences(region.text, Span(0, len(region.text))):
        said = region.text[span.start : span.end]
        if wanted and wanted <= content(said) | above and wanted & content(said):
            value = _FIGURE.search(said) or _NAME.search(said)
            return Judgement(requirement.id, Verdict.FULL, said, None if value is None else value[0])
    return Judgement(requirement.id, Verdict.RELATED)
