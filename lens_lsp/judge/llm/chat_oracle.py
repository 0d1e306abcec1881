"""The oracle that asks a chat model: the modes ``deep`` and ``fast``, and the dry run of either.

The model plans, judges and words; positions, arithmetic, budgets and what counts as proof stay ours. Every method makes
the calls that `CallStage` names for it and no other, each granted by the ledger first.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from weakref import WeakKeyDictionary

from lens_lsp.judge.answer_markdown import not_read, plain, unsupported
from lens_lsp.judge.cancellation import Stop
from lens_lsp.judge.ledger import Budget, CallStage, Ledger
from lens_lsp.judge.llm import chat_prompts
from lens_lsp.judge.llm.chat_model import ChatModel, ChatReply
from lens_lsp.judge.llm.chat_prompts import AMEND
from lens_lsp.judge.llm.conversation import (
    OVERHEAD_TOKENS,
    REPLY_TOKENS,
    Caller,
    Conversation,
    Packet,
    Preview,
    Prompt,
    PromptComposer,
    Sleep,
)
from lens_lsp.judge.llm.endpoint import Endpoint
from lens_lsp.judge.llm.fitness import flaw_of, repeats
from lens_lsp.judge.llm.replies import (
    MOST_QUOTES,
    AnswerStream,
    MalformedReply,
    Sifter,
    parse_anchors,
    parse_coverage,
    parse_decomposition,
    parse_observation,
    parse_read,
    parse_short,
    parse_terms,
    parse_trailer,
    parse_verdict,
    plan_of,
)
from lens_lsp.judge.oracle import (
    Claim,
    ClaimFault,
    ObserveRequest,
    ReadReply,
    ReadRequest,
    Synthesis,
    SynthesisRequest,
    Unfit,
)
from lens_lsp.judge.redaction import Redacted
from lens_lsp.judge.rules.offline_oracle import OfflineOracle, short_answer
from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.answer import Mode, RequirementStatus, StopReason
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import BudgetSpent, OracleFailed, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import (
    ConfidenceMap,
    CoverageReply,
    Judgement,
    Observation,
    ObservationReply,
    ObservationTable,
)
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.words import fold

_MOST_NAMED = 5
_WORD_PART = regex(r"[^\W\u0e00-\u0eff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_FIGURE = regex("[0-9〇零一二三四五六七八九十百千万萬億亿兆]")
_SPLIT_ANALYSIS = 4
"""Calls that must be left for S1 and S2 apart: theirs, an observation, the synthesis."""
_LEAST_REQUEST = 400
"""Tokens of regions below which a request is not worth a call: one region."""
DRY_RUN = "this was a dry run: nothing was sent"


def new_nonce() -> str:
    """A code that no document can know."""
    return secrets.token_hex(6)


def budget_for(mode: Mode, context_tokens: int) -> Budget:
    """The default budget of a mode, its requests no larger than a model's context takes.

    Raises `UsageError` when not even one region fits.
    """
    budget = Budget.of(mode)
    room = context_tokens - OVERHEAD_TOKENS - min(REPLY_TOKENS["observe"], context_tokens // 4)
    if room < _LEAST_REQUEST:
        raise UsageError(
            f"a context of {context_tokens:,} tokens is too small to read documents in, 4,096 will do; where the model"
            " takes more, set model.contextTokens or LENS_CONTEXT_TOKENS"
        )
    return replace(
        budget, request_tokens=min(budget.request_tokens, room), direct_tokens=min(budget.direct_tokens, room)
    )


def stays_here(endpoint: str | None) -> bool:
    """Whether what is sent to an endpoint never leaves this machine."""
    if endpoint is None:
        return True
    try:
        return Endpoint.of(endpoint).loopback
    except UsageError:
        return False


@dataclass(frozen=True, slots=True)
class ChatOracle:
    """Implements `judge.oracle.Oracle` by a chat model. One may serve many questions, also at the same time.

    ``private`` says whether documents marked ``lens: private`` may be shown; by default only to an endpoint on this
    machine. ``nonce``, ``sleep``, ``jitter`` (from 0 to 1) and ``flaw``, which says what is wrong with a reply, are
    there for tests. At the ``stop`` every method raises `BudgetSpent`.
    """

    model: ChatModel
    mode: Mode
    nonce: Callable[[], str] = field(default=new_nonce, kw_only=True)
    private: bool | None = field(default=None, kw_only=True)
    sleep: Sleep = field(default=asyncio.sleep, kw_only=True)
    jitter: Callable[[], float] = field(default=random.random, kw_only=True)
    flaw: Callable[[ReadRequest, ReadReply, Mapping[int, str]], str | None] = field(default=flaw_of, kw_only=True)
    table: ObservationTable = field(default=ObservationTable(), kw_only=True)
    confidence: ConfidenceMap = field(default=ConfidenceMap(), kw_only=True)
    stop: Stop = field(default_factory=Stop, kw_only=True, compare=False, repr=False)
    _conversations: WeakKeyDictionary[Ledger, Conversation] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    @property
    def endpoint(self) -> str | None:
        """The origin that everything is sent to; None when nothing leaves the process."""
        return self.model.endpoint

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        """S1 and S2: together in one call (fast), or as two that are sent together (deep)."""
        caller, _ = self._for(ledger)
        requests = self.analysis(question, ledger, known)
        if len(requests) == 1:
            joined = await caller.ask(CallStage.ANALYSE, requests[CallStage.ANALYSE], parse_decomposition)
            return plan_of(question, joined, joined.anchors)
        first = asyncio.ensure_future(self._anchors(caller, requests[CallStage.ANALYSE]))
        second = asyncio.ensure_future(
            caller.ask(CallStage.DECOMPOSE, requests[CallStage.DECOMPOSE], parse_decomposition)
        )
        try:
            anchors, said = await asyncio.gather(first, second)
        finally:
            for task in (first, second):
                task.cancel()
            await asyncio.gather(first, second, return_exceptions=True)
        return plan_of(question, said, anchors)

    def analysis(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> dict[CallStage, Prompt]:
        """The requests that `analyse` makes."""
        _, composer = self._for(ledger)
        # With room for one call beside those that any answer needs, a joined one is all there is.
        if self.mode is Mode.FAST or ledger.budget.calls - ledger.calls < _SPLIT_ANALYSIS:
            return {
                CallStage.ANALYSE: composer.of_question(
                    chat_prompts.ANALYSE, question, "plan", chat_prompts.ANALYSIS_SCHEMA, known
                )
            }
        whole = composer.of_question(chat_prompts.DECOMPOSE, question, "plan", chat_prompts.DECOMPOSITION_SCHEMA, known)
        return {
            CallStage.ANALYSE: composer.of_question(
                chat_prompts.ANCHORS, question, "anchors", chat_prompts.ANCHORS_SCHEMA
            ),
            CallStage.DECOMPOSE: whole,
        }

    def observation(self, request: ObserveRequest, ledger: Ledger) -> tuple[Prompt, Packet]:
        """The request that `observe` makes, and what of the documents is in it."""
        _, composer = self._for(ledger)
        prompt, packet = composer.observation(request, covering=self.mode is Mode.FAST)
        _tell(packet.conversation, ledger)
        return prompt, packet

    async def _anchors(self, caller: Caller, prompt: Prompt) -> tuple[str, ...]:
        """The terms of S1; a reply that cannot be read leaves the question's own words."""
        try:
            return await caller.ask(CallStage.ANALYSE, prompt, parse_anchors, mend=False)
        except MalformedReply:
            return ()

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """S3: all regions and all open requirements in one call; in the fast mode with the coverage check."""
        caller, _ = self._for(ledger)
        covering = self.mode is Mode.FAST
        prompt, packet = self.observation(request, ledger)
        shown, withheld = frozenset(packet.seen), frozenset(packet.withheld)
        if not shown:
            return ObservationReply((), shown=shown, withheld=withheld)
        ids = {requirement.id for requirement in request.outstanding}
        parse = partial(parse_observation, regions=shown, facts=ids, covering=covering)
        reply = await caller.ask(CallStage.OBSERVE, prompt, parse)
        observations = tuple(_unredacted(one, packet) for one in reply.observations)
        return replace(reply, observations=observations, shown=shown, withheld=withheld)

    async def read(self, request: ReadRequest, reply: ReadReply, ledger: Ledger) -> AsyncGenerator[str]:
        """The read call, as it streams; a reply that cannot be read is asked for once more, one that is not fit to make
        an answer counts as none."""
        caller, _ = self._for(ledger)
        prompt, packet = self.reading(request, ledger)
        reply.shown, reply.withheld = frozenset(packet.seen), frozenset(packet.withheld)
        reply.small = self.model.small
        if not reply.shown:
            return
        stream, said = AnswerStream(), list[str]()
        sifter = Sifter(range(1, MOST_QUOTES + 1), [shown.text for shown in packet.seen.values()])
        try:
            async with contextlib.aclosing(caller.stream(CallStage.READ, prompt)) as pieces:
                async for piece in pieces:
                    said.append(piece)
                    words = sifter.feed(stream.feed(piece))
                    if words:
                        yield words
        except OracleFailed as failure:
            if repeats("".join(said)):
                raise
            with contextlib.suppress(MalformedReply):  # what was said before it broke off stands, if it quotes
                parse_read("".join(said), reply, reply.shown)
                reply.broken_off = True
            if not reply.quotes:
                raise
            ledger.warn(str(failure))
        else:
            rest = sifter.finish()
            if rest:
                yield rest
            try:
                parse_read("".join(said), reply, reply.shown)
            except MalformedReply as broken:
                whole = ChatReply("".join(said))
                await caller.mended(prompt, whole, broken, lambda text: parse_read(text, reply, reply.shown))
            if reply.broken_off:
                ledger.warn("the model's reply was cut at its length limit")
        flaw = self.flaw(request, reply, _texts(packet))
        if flaw is not None:
            raise Unfit(flaw)
        _unredact(reply, packet)

    async def amend(
        self, request: ReadRequest, reply: ReadReply, problems: Sequence[str], ledger: Ledger
    ) -> ReadReply | None:
        """The reply again, with what the check found in it set right; None when it cannot be read."""
        caller, _ = self._for(ledger)
        prompt, packet = self.reading(request, ledger)
        better = ReadReply(shown=frozenset(packet.seen), withheld=frozenset(packet.withheld), small=self.model.small)
        if not better.shown or not reply.written:
            return None
        try:
            await caller.ask(
                CallStage.AMEND,
                prompt.continued(
                    reply.written, AMEND.format(problems="\n".join(f"- {problem}" for problem in problems))
                ),
                lambda text: parse_read(text, better, better.shown),
                mend=False,
            )
        except MalformedReply:
            return None
        if better.broken_off or self.flaw(request, better, _texts(packet)) is not None:
            return None
        _unredact(better, packet)
        return better

    async def verify(
        self, question: str, claims: Sequence[Claim], ledger: Ledger
    ) -> Mapping[int, tuple[ClaimFault, ...]] | None:
        """What is wrong with sentences of an answer; None when the reply cannot be read, and of a model too small to
        be asked."""
        if self.model.small:
            return None
        caller, composer = self._for(ledger)
        prompt, packet, asked = composer.verification(question, claims)
        _tell(packet.conversation, ledger)
        if not asked:
            return None
        try:
            faults = await caller.ask(CallStage.VERIFY, prompt, parse_verdict, mend=False)
        except MalformedReply:
            return None
        return {at: faults.get(number, ()) for number, at in enumerate(asked, 1)}

    def reading(self, request: ReadRequest, ledger: Ledger) -> tuple[Prompt, Packet]:
        """The request that `read` makes, and what of the documents is in it."""
        _, composer = self._for(ledger)
        prompt, packet = composer.read(request)
        _tell(packet.conversation, ledger)
        return prompt, packet

    async def widen(self, question: str, about: str, ledger: Ledger) -> tuple[str, ...]:
        """Other words for a question; none when the reply cannot be read."""
        caller, composer = self._for(ledger)
        try:
            return await caller.ask(CallStage.WIDEN, composer.widening(question, about), parse_terms, mend=False)
        except MalformedReply:
            return ()

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        """The coverage check; without a call when a repair has taken it, and when there is nothing to judge that was
        not judged before."""
        caller, composer = self._for(ledger)
        conversation = self._conversation(ledger)
        if conversation.cover_spent:
            conversation.cover_spent = False
            return CoverageReply()
        prompt, packet = composer.coverage(plan, outstanding, evidence)
        _tell(packet.conversation, ledger)
        asked = prompt.messages[-1].text.replace(packet.nonce, "")
        if not packet.seen or asked == conversation.coverage:
            return CoverageReply()
        conversation.coverage = asked
        ids = {requirement.id for requirement in outstanding}
        return await caller.ask(CallStage.COVER, prompt, partial(parse_coverage, facts=ids))

    async def synthesise(self, request: SynthesisRequest, result: Synthesis, ledger: Ledger) -> AsyncGenerator[str]:
        """S4, as it streams: what is missing first, in our words; then the model's, its markers checked.

        Without any evidence that may be shown there is nothing to word, and no call.
        """
        caller, composer = self._for(ledger)
        self._conversation(ledger).worded = False
        prompt, packet = composer.synthesis(request)
        _tell(packet.conversation, ledger)
        if not packet.seen:
            async for piece in OfflineOracle().synthesise(request, result, ledger):
                yield piece
            return
        missing = _missing(request)
        if missing:
            yield missing
        numbers = set(packet.seen)
        sifter = Sifter(numbers, [shown.text for shown in packet.seen.values()])
        said: list[str] = []
        stage = CallStage.CALIBRATE if request.again else CallStage.SYNTHESISE
        async with contextlib.aclosing(caller.stream(stage, prompt)) as pieces:
            async for piece in pieces:
                shown = sifter.feed(piece)
                shown = shown if said else shown.lstrip()
                if shown:
                    said.append(shown)
                    yield shown
        rest = sifter.finish()
        text = "".join((*said, rest))
        if not text.strip():
            raise OracleFailed("the model gave an empty answer; ask again or choose another model")
        unread = not_read(request.unread)
        yield f"{rest}\n" + (f"\n{unread}\n" if unread else "")
        self._conversation(ledger).worded = True
        result.short, result.unmet = parse_trailer(sifter.trailer, {fact.requirement.id for fact in request.facts})
        result.unsupported = unsupported(text, numbers)
        if request.computed is not None:
            result.short = request.computed
        if sifter.dropped:
            ledger.warn(f"{sifter.dropped} markers of the model pointed at no evidence and were taken out.")

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        """S5: the short answer. What the rules have worded may quote documents that must not leave: no call then."""
        caller, composer = self._for(ledger)
        if not self._conversation(ledger).worded:
            return short_answer(request)
        prompt = composer.calibration(request.plan.question, answer)
        try:
            return await caller.ask(CallStage.CALIBRATE, prompt, parse_short, mend=False)
        except MalformedReply:
            return None

    def _conversation(self, ledger: Ledger) -> Conversation:
        return self._conversations.setdefault(ledger, Conversation())

    def _for(self, ledger: Ledger) -> tuple[Caller, PromptComposer]:
        if self.stop.asked():
            raise BudgetSpent(StopReason.CANCELLED)
        conversation = self._conversation(ledger)
        private = stays_here(self.endpoint) if self.private is None else self.private
        return (
            Caller(self.model, self.mode, ledger, conversation, sleep=self.sleep, jitter=self.jitter, stop=self.stop),
            PromptComposer(self.nonce, private, conversation, self.model.context_tokens, self.model.small),
        )


def _texts(packet: Packet) -> dict[int, str]:
    """The texts of a packet's regions as they are sent, by their numbers."""
    return {number: seen.text for number, seen in packet.seen.items()}


def _tell(conversation: Conversation, ledger: Ledger) -> None:
    """Say in the answer what was not sent."""
    if conversation.omitted:
        times = f"{conversation.omitted} times" if conversation.omitted > 1 else "once"
        ledger.warn(f"a passage that was to be read did not fit the model's context: {times}", about="room")
    for about, paths, sentence in (
        ("private", conversation.withheld, "private documents that were not sent to the model: {}"),
        ("secret", conversation.secret, "documents with what looks like secrets, which were not sent: {}"),
        ("hidden", conversation.hidden, "documents with hidden characters, which were not sent: {}"),
    ):
        if paths:
            named = ", ".join(sorted(paths)[:_MOST_NAMED])
            more = len(paths) - _MOST_NAMED
            ledger.warn(sentence.format(f"{named} and {more} more" if more > 0 else named), about=about)


def _unredact(reply: ReadReply, packet: Packet) -> None:
    """Put the quotes of a reply into the words of their documents; one that touches a secret stands nowhere."""
    reply.quotes = tuple(
        replace(quote, text=packet.seen[quote.region].unredacted(quote.text) or "") for quote in reply.quotes
    )


def _unredacted(observation: Observation, packet: Packet) -> Observation:
    """An observation with its quotes in the words of the document; one that touches a secret is none."""
    region = packet.seen[observation.region]
    return Observation(observation.region, tuple(_in_source(judgement, region) for judgement in observation.judgements))


def _in_source(judgement: Judgement, region: Redacted) -> Judgement:
    if judgement.quote is None:
        return judgement
    quote = region.unredacted(judgement.quote)
    value = judgement.value if quote is not None and _holds(judgement.quote, judgement.value) else None
    return replace(judgement, quote=quote, value=value)


def _holds(quote: str, value: str | None) -> bool:
    """Whether a value stands in its quote, whole: arithmetic rests on it."""
    if value is None:
        return False
    wanted, text = (" ".join(fold(part).split()) for part in (value, quote))
    return bool(wanted) and any(
        not _runs_on(text, match.start()) and not _runs_on(text, match.end())
        for match in re.finditer(rf"(?<![.,\-]){re.escape(wanted)}(?![.,]\d)", text)
    )


def _runs_on(text: str, at: int) -> bool:
    """Whether a word or a figure goes on across an offset. Scripts without spaces divide anywhere but in figures."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if _FIGURE.match(left) and _FIGURE.match(right):
        return True
    return bool(_WORD_PART.match(left) and _WORD_PART.match(right))


def _missing(request: SynthesisRequest) -> str:
    """The facts that were not found, by name."""
    facts = [fact.requirement for fact in request.facts if fact.status is RequirementStatus.MISSING]
    named = ", ".join(f"“{plain(fact.text or request.plan.question)}”" for fact in facts)
    return f"Not found: {named}.\n\n" if named else ""


@dataclass(frozen=True, slots=True)
class PreviewOracle(OfflineOracle):
    """Implements `judge.oracle.Oracle` up to the first observation; then fails, saying that it was a dry run.

    The first requests are composed exactly as they would be; the plan is made by rules, since no model was asked, so
    what a model's own plan would draw may differ. ``shown`` is filled with them. The answer is worded by rules.
    """

    chat: ChatOracle
    shown: Preview

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
        self.shown.requests.extend(self.chat.analysis(question, ledger, known).items())
        return offline_plan(question)

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """Keep the request of the first observation. Raises `OracleFailed`."""
        prompt, packet = self.chat.observation(request, ledger)
        if packet.seen:
            self.shown.requests.append((CallStage.OBSERVE, prompt))
        raise OracleFailed(DRY_RUN)

    async def read(self, request: ReadRequest, reply: ReadReply, ledger: Ledger) -> AsyncGenerator[str]:
        """Keep the request of the first read call. Raises `OracleFailed`."""
        prompt, packet = self.chat.reading(request, ledger)
        if packet.seen:
            self.shown.requests.append((CallStage.READ, prompt))
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

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        """There is nothing to calibrate."""
        return None
