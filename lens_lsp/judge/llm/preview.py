"""What a chat oracle would send, without sending it: for ``--dry-run`` and the editor's "show what would be sent".

The first requests are composed exactly as they would be; the plan is made by rules, since no model was asked, so what a
model's own plan would draw may differ.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field

from lens_lsp.judge.base import ObserveRequest, Synthesis, SynthesisRequest
from lens_lsp.judge.ledger import CallStage, Ledger
from lens_lsp.judge.llm.calling import Prompt
from lens_lsp.judge.llm.chat import ChatOracle
from lens_lsp.judge.read import ReadReply, ReadRequest
from lens_lsp.judge.rules.offline import OfflineOracle
from lens_lsp.model.answer import Sent
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import OracleFailed
from lens_lsp.model.observation import ConfidenceMap, CoverageReply, ObservationReply, ObservationTable
from lens_lsp.model.plan import Plan, Requirement

DRY_RUN = "this was a dry run: nothing was sent"


@dataclass(frozen=True, slots=True)
class Preview:
    """Implements `oracle.base.Oracle` up to the first observation; then fails, saying that it was a dry run."""

    chat: ChatOracle
    requests: list[tuple[CallStage, Prompt]] = field(default_factory=list, init=False)
    """What would be sent, in order."""

    @property
    def endpoint(self) -> None:
        """Nothing is sent anywhere."""

    @property
    def sent(self) -> tuple[Sent, ...]:
        """The spans of documents that would leave."""
        return tuple(dict.fromkeys(span for _, prompt in self.requests for span in prompt.sent))

    @property
    def table(self) -> ObservationTable:
        """That of the chat oracle."""
        return self.chat.table

    @property
    def confidence(self) -> ConfidenceMap:
        """That of the chat oracle."""
        return self.chat.confidence

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        """Keep the requests of the analysis; plan by rules."""
        self.requests.extend(self.chat.analysis(question, ledger, known).items())
        return await OfflineOracle().analyse(question, ledger)

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """Keep the request of the first observation. Raises `OracleFailed`."""
        prompt, packet = self.chat.observation(request, ledger)
        if packet.seen:
            self.requests.append((CallStage.OBSERVE, prompt))
        raise OracleFailed(DRY_RUN)

    async def read(self, request: ReadRequest, reply: ReadReply, ledger: Ledger) -> AsyncGenerator[str]:
        """Keep the request of the first read call. Raises `OracleFailed`."""
        prompt, packet = self.chat.reading(request, ledger)
        if packet.seen:
            self.requests.append((CallStage.READ, prompt))
        raise OracleFailed(DRY_RUN)
        yield

    async def amend(
        self, request: ReadRequest, reply: ReadReply, problems: Sequence[str], ledger: Ledger
    ) -> ReadReply | None:
        """Nothing was said that could be amended."""
        return None

    async def widen(self, question: str, about: str, ledger: Ledger) -> tuple[str, ...]:
        """Nothing is asked."""
        return ()

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        """Raises `OracleFailed`."""
        raise OracleFailed(DRY_RUN)

    async def synthesise(self, request: SynthesisRequest, result: Synthesis, ledger: Ledger) -> AsyncIterator[str]:
        """The answer by rules."""
        async for piece in OfflineOracle().synthesise(request, result, ledger):
            yield piece

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        """There is nothing to calibrate."""
        return None
