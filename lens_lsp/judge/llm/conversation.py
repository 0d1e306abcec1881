"""The conversation of one question with a chat model: its requests are composed, granted, made and written down here.

Nothing of a document reaches a request but through `Packet`, which decides what may be shown at all, takes out secrets
and hidden text, and keeps the list of spans. `PromptComposer` fills in the prompts. `Caller` asks the ledger first,
tries refused requests again and has a broken reply mended once. The bound of the paper's Proposition 2 holds with
retries and repairs included (docs/explanation/algorithm.md): a retry is a request that the endpoint did not accept, and
a repair takes the place of a call of the rounds.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from math import inf
from pathlib import PurePosixPath
from typing import TypeVar

from lens_lsp.corpus.corpus_rules import denied_path
from lens_lsp.corpus.safe_open import display_path
from lens_lsp.judge.cancellation import Stop
from lens_lsp.judge.ledger import CallStage, Ledger
from lens_lsp.judge.llm import chat_prompts
from lens_lsp.judge.llm.chat_model import CallTimeouts, ChatModel, ChatReply, ChatRequest, Message, ModelError, Role
from lens_lsp.judge.llm.chat_prompts import Schema
from lens_lsp.judge.llm.fitness import LONGEST_TAIL, repeats
from lens_lsp.judge.llm.replies import MalformedReply
from lens_lsp.judge.oracle import Claim, ObserveRequest, ReadRequest, SynthesisRequest
from lens_lsp.judge.redaction import Fragments, Redacted, redacted, stretches, within
from lens_lsp.model.answer import Mode, RequirementStatus, Sent, StopReason
from lens_lsp.model.documents import ContextRole, Evidence, Secret
from lens_lsp.model.errors import BudgetSpent, OracleFailed
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.observation import MOST_CONTEXT, Region, counted, tokens
from lens_lsp.model.plan import AnswerType, Plan, Requirement
from lens_lsp.model.text import Span
from lens_lsp.model.words import key

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]
MOST_RETRIES = 2
"""Refused requests of one question that are tried again."""
LONGEST_STREAM = 64_000
"""Code points of a streamed answer; what comes behind them is not waited for."""
_LOOKED_AT = 200
"""Code points of a streamed answer after which it is looked at for repetition again."""
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 8.0
_PER_MESSAGE = 4
_LONGEST_BROKEN = 2_000
_IN_ROUNDS = frozenset(
    {
        CallStage.OBSERVE,
        CallStage.COVER,
        CallStage.READ,
        CallStage.AMEND,
        CallStage.VERIFY,
        CallStage.WIDEN,
        CallStage.REPAIR,
    }
)
REPLY_TOKENS = {
    "anchors": 200,
    "plan": 500,
    "read": 2_000,
    "read-small": 400,
    "verify": 600,
    "observe": 2_000,
    "cover": 600,
    "synthesise": 1_500,
    "short": 200,
}
"""The longest reply of each kind."""
EVIDENCE_TOKENS = 12_000
"""Tokens of evidence in one request; what comes last is left out."""
OVERHEAD_TOKENS = 1_200
"""Tokens of an observation's request that are neither regions nor reply."""
_EVIDENCE_SHARE = 0.5
_MOST_SIDES = 6


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request as it is composed: ``reply_tokens`` bound the reply, ``sent`` lists what of the documents it holds."""

    messages: tuple[Message, ...]
    reply_tokens: int
    schema: Schema | None = None
    sent: tuple[Sent, ...] = ()

    @property
    def tokens(self) -> int:
        """An estimate of what it costs before the reply."""
        texts = [message.text for message in self.messages]
        if self.schema is not None:
            texts.append(json.dumps(self.schema))
        return sum(tokens(text) + _PER_MESSAGE for text in texts)

    def continued(self, said: str, asked: str) -> Prompt:
        """The request again, behind it what the model ``said``, where it said something, and what is asked of it."""
        spoken = (Message(Role.ASSISTANT, said),) if said.strip() else ()
        return replace(self, messages=(*self.messages, *spoken, Message(Role.USER, asked)))


@dataclass(slots=True)
class Preview:
    """What would be sent to a model, which nothing is sent to: its endpoint, its name, the requests in order."""

    endpoint: str | None
    model: str
    requests: list[tuple[CallStage, Prompt]] = field(default_factory=list)

    @property
    def sent(self) -> tuple[Sent, ...]:
        """The spans of documents that would leave."""
        return tuple(dict.fromkeys(span for _, prompt in self.requests for span in prompt.sent))


@dataclass(slots=True)
class Conversation:
    """What one question has used up and what its model knows of the documents."""

    retries: int = MOST_RETRIES
    repaired: bool = False
    in_rounds: int = 0
    """Calls of the rounds: observations, coverage checks, a repair."""
    cover_spent: bool = False
    """A repair has taken the next coverage check's call."""
    coverage: str = ""
    """The last coverage check as it was asked for, without its nonce."""
    pending_in: int = 0
    pending_out: int = 0
    """Tokens of requests that are on their way: the ledger learns of them when they are back."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Each secret's number."""
    fragments: Fragments = field(default_factory=Fragments)
    """The secrets of the documents that were shown."""
    told: dict[tuple[int, str], set[str]] = field(default_factory=dict)
    """Headings that the model has seen, by root and path."""
    omitted: int = 0
    """Regions that were drawn and did not fit the model's context."""
    worded: bool = False
    """The answer is the model's, from what it was shown."""
    sent: set[Sent] = field(default_factory=set)
    withheld: set[str] = field(default_factory=set)
    """Paths of documents that may not be shown."""
    hidden: set[str] = field(default_factory=set)
    """Paths of documents with characters that nobody sees."""
    secret: set[str] = field(default_factory=set)
    """Paths of documents with secrets."""


class Caller:
    """Makes the calls of one question. Each raises `BudgetSpent` at the ``stop``; of words that stream only the waiting
    for them is ever ended."""

    def __init__(
        self,
        model: ChatModel,
        mode: Mode,
        ledger: Ledger,
        conversation: Conversation,
        *,
        sleep: Sleep,
        jitter: Callable[[], float],
        stop: Stop | None = None,
    ) -> None:
        self._model = model
        self._mode = mode
        self._ledger = ledger
        self._conversation = conversation
        self._sleep = sleep
        self._jitter = jitter
        self._stop = stop or Stop()

    async def ask(self, stage: CallStage, prompt: Prompt, parse: Callable[[str], T], *, mend: bool = True) -> T:
        """One call and what its reply says. Raises `BudgetSpent` and `OracleFailed`; a reply that is broken is mended
        once a question, unless ``mend`` is off, and then `MalformedReply` when it stays so."""
        reply = await self._complete(stage, prompt)
        try:
            return parse(reply.text)
        except MalformedReply as broken:
            if not mend:
                raise
            return await self.mended(prompt, reply, broken, parse)

    async def stream(self, stage: CallStage, prompt: Prompt) -> AsyncGenerator[str]:
        """One call, its reply as it comes. A request that is refused before any text came is tried again."""
        async with contextlib.aclosing(self._stream(stage, prompt)) as pieces:
            while True:
                async with self._stop.heeded():
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                yield piece

    async def _stream(self, stage: CallStage, prompt: Prompt) -> AsyncGenerator[str]:
        said = looked = 0
        tail = ""
        while True:
            with self._call(stage, prompt) as call:
                pieces = self._model.stream(call.request)
                try:
                    async for piece in pieces:
                        if isinstance(piece, ChatReply):
                            call.settle(piece)
                            if not said and piece.text:
                                yield piece.text
                            break
                        said += len(piece)
                        call.heard(piece)
                        yield piece
                        if said > LONGEST_STREAM:
                            self._ledger.warn("The model's answer was cut: it did not end.")
                            return
                        tail = (tail + piece)[-LONGEST_TAIL:]
                        if said - looked >= _LOOKED_AT:
                            looked = said
                            if repeats(tail):
                                raise OracleFailed("the model's answer was cut: it says the same again and again")
                    else:
                        raise OracleFailed("the model's answer broke off; ask again")
                    return
                except ModelError as error:
                    call.fail(error, again=not said and self._may_retry(error))
                finally:
                    if isinstance(pieces, AsyncGenerator):
                        await pieces.aclose()
            await self._wait(call.error)

    async def _complete(self, stage: CallStage, prompt: Prompt) -> ChatReply:
        async with self._stop.heeded():
            while True:
                with self._call(stage, prompt) as call:
                    try:
                        reply = await self._model.complete(call.request)
                    except ModelError as error:
                        call.fail(error, again=self._may_retry(error))
                    else:
                        call.settle(reply)
                        return reply
                await self._wait(call.error)

    @contextlib.contextmanager
    def _call(self, stage: CallStage, prompt: Prompt) -> Iterator[_GrantedCall]:
        """Ask the ledger for a call, and account for it whatever becomes of it."""
        state, estimate = self._conversation, prompt.tokens
        if estimate + prompt.reply_tokens > self._model.context_tokens:
            raise OracleFailed(
                f"a request of about {estimate:,} tokens does not fit the model's context of"
                f" {self._model.context_tokens:,}; set model.contextTokens to what it really takes, or use a larger one"
            )
        if stage in _IN_ROUNDS and state.in_rounds >= self._rounds_calls:
            raise BudgetSpent(StopReason.BUDGET_CALLS)
        self._ledger.request(stage, estimate + state.pending_in, prompt.reply_tokens + state.pending_out)
        state.pending_in += estimate
        state.pending_out += prompt.reply_tokens
        budget = self._ledger.budget
        patience = CallTimeouts.of(budget.call_seconds, budget.call_option)
        seconds = max(0.001, min(patience.call, self._ledger.model_seconds))
        request = ChatRequest(prompt.messages, prompt.reply_tokens, seconds, schema=prompt.schema, patience=patience)
        call = _GrantedCall(self._ledger, stage, estimate, request)
        try:
            yield call
        finally:
            state.pending_in -= estimate
            state.pending_out -= prompt.reply_tokens
            call.close()
            if call.request.departure.left is not False:  # a refused or cancelled request may have left as well
                new = [span for span in dict.fromkeys(prompt.sent) if span not in state.sent]
                state.sent.update(new)
                self._ledger.sent(*new)
            state.in_rounds += stage in _IN_ROUNDS and not call.refused

    @property
    def _rounds_calls(self) -> int:
        """How many calls all rounds may take together: 2L deep, else 2 + L (a read, L further ones, one to spare)."""
        rounds = self._ledger.budget.rounds
        return 2 * rounds if self._mode is Mode.DEEP else 2 + rounds

    def _may_retry(self, error: ModelError) -> bool:
        left = self._ledger.model_seconds
        return error.retryable and self._conversation.retries > 0 and (error.retry_after or 0.0) < left

    async def _wait(self, error: ModelError | None) -> None:
        """Wait before the next attempt, never past the question's time."""
        state = self._conversation
        state.retries -= 1
        wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (MOST_RETRIES - 1 - state.retries)) * (0.5 + self._jitter())
        if error is not None and error.retry_after is not None:
            wait = max(wait, error.retry_after) if error.retry_after else 0.0  # 0 says: at once
        await self._sleep(max(0.0, min(wait, self._ledger.model_seconds)))

    async def mended(self, prompt: Prompt, reply: ChatReply, broken: MalformedReply, parse: Callable[[str], T]) -> T:
        """Ask once more for a reply that can be read."""
        state = self._conversation
        unreadable = OracleFailed(f"the model's reply is not the JSON it was asked for: {broken}; try a larger model")
        if state.repaired:
            raise unreadable from broken
        state.repaired = True
        problem = f": {broken}" if reply.complete else ": it is too long"
        request = prompt.continued(reply.text[:_LONGEST_BROKEN], chat_prompts.REPAIR.format(problem=problem))
        try:
            again = await self._complete(CallStage.REPAIR, request)
        except BudgetSpent as spent:
            if spent.reason is StopReason.BUDGET_CALLS:
                raise unreadable from broken
            raise
        state.cover_spent = self._mode is Mode.DEEP
        try:
            return parse(again.text)
        except MalformedReply as still:
            raise unreadable from still


@dataclass(slots=True)
class _GrantedCall:
    """One request that the ledger granted."""

    ledger: Ledger
    stage: CallStage
    estimate: int
    request: ChatRequest
    error: ModelError | None = None
    refused: bool = False
    _heard: int = 0
    _settled: bool = False

    def heard(self, piece: str) -> None:
        """A piece of the reply came."""
        self._heard += tokens(piece)

    def settle(self, reply: ChatReply) -> None:
        """The reply is there: what the endpoint says it cost counts, the estimate where that cannot be."""
        spoken = max(self._heard, tokens(reply.text))
        self.ledger.used(counted(reply.tokens_in, self.estimate), counted(reply.tokens_out, self._billed(spoken)))
        self._settled = True
        if not reply.complete and self.stage in (CallStage.SYNTHESISE, CallStage.CALIBRATE):
            self.ledger.warn("The model's answer was cut at its length limit.")

    def fail(self, error: ModelError, *, again: bool) -> None:
        """The call failed. Not accepted, it was none; unless it is made ``again``, raises `OracleFailed`, or
        `BudgetSpent` when the time is over."""
        self.error = error
        if not error.accepted and not self._heard:
            self.refused = self._settled = True
            self.ledger.withdraw(self.stage, again=again)
        if not again:
            self.ledger.check_model_time()  # a call that ended with the question's time has not failed by itself
            raise OracleFailed(str(error)) from error

    def close(self) -> None:
        """Nothing more will come: without a reply the estimate counts."""
        if not self._settled:
            self.ledger.used(self.estimate, self._billed(self._heard))
            self._settled = True

    def _billed(self, spoken: int) -> int:
        """What a reply of an estimated size costs: no more was granted, however long it is."""
        return min(spoken, self.request.max_tokens)


@dataclass(slots=True)
class Packet:
    """What goes into one request of the documents."""

    nonce: str
    private: bool
    """Private documents may be shown."""
    conversation: Conversation
    seen: dict[int, Redacted] = field(default_factory=dict)
    """Regions and evidence by number, as they are sent."""
    withheld: set[int] = field(default_factory=set)
    """Numbers of regions that may not be shown."""
    room: float = inf
    """Tokens of regions that fit; the small ones of many files cost as much in fences as in text."""
    sent: list[Sent] = field(default_factory=list)
    """The spans of documents that it holds."""

    def region(self, region: Region) -> str | None:
        """A fenced region; None for one that may not be shown."""
        if not self._may_show(region.path, private=region.private):
            self.withheld.add(region.number)
            return None
        path = display_path(region.path)
        self.conversation.fragments.add(region.of_document)
        headings = region.headings[1:] if region.headings[:1] == (region.title,) else region.headings
        context = [path, region.title, " > ".join(headings), region.header or ""]
        block = self._fenced("region", region.number, path, context, region.text, region.secrets)
        size = tokens(block) + 1
        if size > self.room and self.seen.keys() != {region.number}:
            del self.seen[region.number]
            self.conversation.omitted += 1
            return None
        self.room -= size
        self._record(region.root, path, region.headings, region.sources)
        return block

    def passages(self, regions: Iterable[Region]) -> str:
        """Regions for a read call, each document named once, as many as have room; the best documents come first."""
        written: list[str] = []
        above: tuple[int, str] | None = None
        for region in regions:
            if not self._may_show(region.path, private=region.private):
                self.withheld.add(region.number)
                continue
            path = display_path(region.path)
            self.conversation.fragments.add(region.of_document)
            body = self._redacted(path, region.text, region.secrets)
            place = [self._line(path, heading) for heading in region.headings if heading != region.title]
            if above != (region.root, path):
                named = key(region.title) in key(f"{PurePosixPath(path).stem} {region.text[:MOST_CONTEXT]}")
                place = [path, *(() if named else (self._line(path, region.title),)), *place]
            block = f"[{self.nonce} {region.number}] {' > '.join(place)}{' …' if region.continued else ''}\n"
            block += f"{self._line(path, region.header)}\n" if region.header else ""
            block += f"{body.text.strip()}\n"
            size = tokens(block)
            if size > self.room and self.seen:
                self.conversation.omitted += 1
                continue
            self.room -= size
            self.seen[region.number] = body
            above = region.root, path
            written.append(block)
            self._record(region.root, path, region.headings, region.sources)
        return "".join(written).rstrip("\n")

    def evidence(self, items: Iterable[Evidence], most: float = inf) -> tuple[str, int]:
        """Fenced items of evidence, up to a number of tokens, and how many were left out."""
        blocks: list[str] = []
        left_out = 0
        for item in items:
            if not self._may_show(item.path, private=item.private):
                continue
            size = tokens(item.quote) + MOST_CONTEXT // 4
            if size > most and blocks:
                left_out += 1
                continue
            most -= size
            self.conversation.fragments.add(item.secrets)
            told = self.conversation.told.get((item.root, item.path), set())
            context = [item.path, " > ".join(heading for heading in item.heading if heading in told)]
            held = within(item.secrets, item.span)
            blocks.append(self._fenced("evidence", item.n, item.path, context, item.quote, held))
            self._record(item.root, item.path, (), (item.span,))
        return "\n".join(blocks) or "(none)", left_out

    def proofs(self, items: Iterable[Evidence], most: float) -> str:
        """Items of evidence with their context, up to a number of tokens."""
        blocks: list[str] = []
        for item in items:
            if not self._may_show(item.path, private=item.private):
                continue
            self.conversation.fragments.add(item.secrets)
            body = self._redacted(item.path, *stretches(_parts(item), item.secrets, "\n"))
            place = [item.path, *(self._line(item.path, heading) for heading in item.heading)]
            block = f"[{self.nonce} {item.n}] {' > '.join(place)}\n{body.text.strip()}\n"
            most -= tokens(block)
            if most < 0 and blocks:
                break
            self.seen[item.n] = body
            blocks.append(block)
            spans = dict.fromkeys((item.span, *(part.span for part in item.context)))
            self._record(item.root, item.path, item.heading, spans)
        return "".join(blocks).rstrip("\n")

    def clean(self, text: str) -> str:
        """Text of a question or a model as it may be sent."""
        return redacted(text, self.conversation.numbers, also=self.conversation.fragments).text

    def _record(self, root: int, path: str, headings: Iterable[str], spans: Iterable[Span]) -> None:
        """Note what of a document goes into the request."""
        self.conversation.told.setdefault((root, path), set()).update(headings)
        veiled = path in self.conversation.hidden
        self.sent += [Sent(path, span, root, veiled) for span in spans]

    def _may_show(self, path: str, *, private: bool) -> bool:
        # Denied files are never read; that they are never sent must not depend on that.
        if denied_path(path) or (private and not self.private):
            self.conversation.withheld.add(display_path(path))
            return False
        return True

    def _fenced(
        self, kind: str, number: int, path: str, context: Sequence[str], text: str, secrets: Iterable[Secret]
    ) -> str:
        body = self._redacted(path, text, secrets)
        self.seen[number] = body
        head = "\n".join(self._line(path, line) for line in context if line)
        fence = f"[{self.nonce}"
        return f"{fence} {kind} {number}, context]\n{head}\n{fence} text]\n{body.text}\n{fence} end]"

    def _redacted(self, path: str, text: str, secrets: Iterable[Secret] | None = None) -> Redacted:
        """A text of a document as it may be sent; what had to be taken out is noted for its path. ``secrets`` are those
        of the document in it, where their places are known."""
        known = self.conversation.fragments if secrets is None else None
        shown = redacted(text, self.conversation.numbers, known=secrets, also=known)
        if shown.kinds:
            self.conversation.secret.add(path)
        if shown.veiled:
            self.conversation.hidden.add(path)
        return shown

    def _line(self, path: str, text: str) -> str:
        """What tells of a passage where it stands, as one line that may be sent."""
        return self._redacted(path, " ".join(text.split())).text[:MOST_CONTEXT]


def _parts(item: Evidence) -> Iterator[tuple[Span, str]]:
    """What stands around a quote and the quote, as they are sent."""
    yield from ((part.span, part.text) for part in item.context if part.role is not ContextRole.AFTER)
    yield item.span, item.quote
    yield from ((part.span, part.text) for part in item.context if part.role is ContextRole.AFTER)


def fresh(nonce: Callable[[], str], texts: Iterable[str]) -> str:
    """A nonce that stands in none of some texts."""
    everything = list(texts)
    code = nonce()
    while any(code in text for text in everything):
        code += nonce() or "x"
    return code


@dataclass(frozen=True, slots=True)
class PromptComposer:
    """Composes the requests of one question."""

    nonce: Callable[[], str]
    private: bool
    conversation: Conversation
    context_tokens: int
    small: bool = False
    """The model is asked for less."""

    def packet(self, *texts: str) -> Packet:
        """An empty packet whose nonce stands in none of the texts."""
        return Packet(fresh(self.nonce, texts), self.private, self.conversation)

    def of_question(self, template: str, question: str, kind: str, schema: Schema, known: Sequence[str] = ()) -> Prompt:
        """A request that knows the question, and at most the facts that were ``known`` to be looked up before."""
        packet = self.packet(question, *known)
        asked = packet.clean(question)
        if known:
            facts = (" ".join(packet.clean(fact).split()) for fact in known)
            asked += chat_prompts.KNOWN.format(known="\n".join(f"- {fact}" for fact in facts))
        return self._prompt(packet, template.format(question=asked), kind, schema)

    def observation(self, request: ObserveRequest, *, covering: bool) -> tuple[Prompt, Packet]:
        """Stage S3; ``covering`` joins the coverage check."""
        packet = self.packet(*(text for region in request.regions for text in _texts(region)))
        template = chat_prompts.OBSERVE_AND_COVER if covering else chat_prompts.OBSERVE
        schema = chat_prompts.OBSERVATION_AND_COVERAGE_SCHEMA if covering else chat_prompts.OBSERVATION_SCHEMA
        question, facts = packet.clean(request.plan.question), _facts(packet, request.outstanding)
        bare = self._prompt(packet, template.format(question=question, facts=facts, regions=""), "observe", schema)
        packet.room = self.context_tokens - bare.tokens - bare.reply_tokens
        fenced = [block for region in request.regions if (block := packet.region(region)) is not None]
        text = template.format(question=question, facts=facts, regions="\n".join(fenced))
        return self._prompt(packet, text, "observe", schema), packet

    def read(self, request: ReadRequest) -> tuple[Prompt, Packet]:
        """The read call."""
        packet = self.packet(
            request.question, *request.wrong, *(text for region in request.regions for text in _texts(region))
        )
        question = packet.clean(request.question)
        quotes = chat_prompts.SUMMARY_QUOTES if request.summary else chat_prompts.QUOTES
        note = chat_prompts.EXHAUSTED if request.exhausted else ""
        if request.wrong:
            answers = (" ".join(packet.clean(answer).split()) for answer in request.wrong)
            note += chat_prompts.WRONG.format(wrong="\n".join(f"- {answer}" for answer in answers))
        template = chat_prompts.READ_SMALL if self.small else chat_prompts.READ
        kind = "read-small" if self.small else "read"
        schema = chat_prompts.READ_SMALL_SCHEMA if self.small else chat_prompts.READ_SCHEMA

        def prompt(passages: str) -> Prompt:
            text = template.format(passages=passages, nonce=packet.nonce, question=question, quotes=quotes, note=note)
            return self._prompt(packet, text, kind, schema, system=_system(packet))

        bare = prompt("")
        packet.room = self.context_tokens - bare.tokens - bare.reply_tokens
        return prompt(packet.passages(request.regions)), packet

    def verification(self, question: str, claims: Sequence[Claim]) -> tuple[Prompt, Packet, list[int]]:
        """The comparison of sentences with what they cite, and the places of those that are in it: all whose evidence
        may be shown and fits."""
        items = {item.n: item for claim in claims for item in claim.evidence}
        packet = self.packet(
            question,
            *(claim.text for claim in claims),
            *(text for item in items.values() for text in (item.quote, *item.heading)),
            *(part.text for item in items.values() for part in item.context),
        )
        passages = packet.proofs((items[n] for n in sorted(items)), self._most_evidence)
        asked = [at for at, claim in enumerate(claims) if all(item.n in packet.seen for item in claim.evidence)]
        text = chat_prompts.VERIFY.format(
            passages=passages,
            nonce=packet.nonce,
            question=packet.clean(question),
            sentences="\n".join(
                f"{number}. {''.join(f'[{item.n}]' for item in claims[at].evidence)} {packet.clean(claims[at].text)}"
                for number, at in enumerate(asked, 1)
            ),
        )
        prompt = self._prompt(packet, text, "verify", chat_prompts.VERIFY_SCHEMA, system=_system(packet))
        return prompt, packet, asked

    def widening(self, question: str, about: str) -> Prompt:
        """The call for other words; nothing of a document but what ``about`` says is in it."""
        packet = self.packet(question, about)
        text = chat_prompts.WIDEN.format(question=packet.clean(question), about=packet.clean(about))
        return Prompt((Message(Role.USER, text),), REPLY_TOKENS["anchors"], chat_prompts.TERMS_SCHEMA)

    def coverage(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence]
    ) -> tuple[Prompt, Packet]:
        """The coverage check, with all evidence: that for the facts in question first, and of it the latest."""
        ids = {requirement.id for requirement in outstanding}
        ordered = sorted(evidence, key=lambda item: (ids.isdisjoint(item.requirements), -item.n))
        items = list({(item.root, item.path, item.span): item for item in ordered}.values())  # each place once
        packet = self.packet(*(text for item in items for text in (item.quote, *item.heading)))
        blocks, _ = packet.evidence(items, self._most_evidence)
        text = chat_prompts.COVER.format(
            question=packet.clean(plan.question),
            facts=_facts(packet, plan.requirements),
            open=", ".join(requirement.id for requirement in outstanding),
            evidence=blocks,
        )
        return self._prompt(packet, text, "cover", chat_prompts.COVERAGE_SCHEMA), packet

    def synthesis(self, request: SynthesisRequest) -> tuple[Prompt, Packet]:
        """Stage S4."""
        packet = self.packet(*(text for item in request.evidence for text in (item.quote, *item.heading)))
        blocks, left_out = packet.evidence(request.evidence, self._most_evidence)
        text = chat_prompts.SYNTHESISE.format(
            question=packet.clean(request.plan.question),
            facts=_facts(packet, [fact.requirement for fact in request.facts]),
            notes="".join(f"{note}\n" for note in _notes(packet, request, left_out)),
            evidence=blocks,
            trailer=chat_prompts.TRAILER,
        )
        return self._prompt(packet, text, "synthesise", None), packet

    def calibration(self, question: str, answer: str) -> Prompt:
        """Stage S5."""
        packet = self.packet(answer)
        text = chat_prompts.CALIBRATE.format(
            question=packet.clean(question), nonce=packet.nonce, answer=packet.clean(answer)
        )
        return self._prompt(packet, text, "short", chat_prompts.CALIBRATION_SCHEMA)

    @property
    def _most_evidence(self) -> float:
        return min(EVIDENCE_TOKENS, _EVIDENCE_SHARE * self.context_tokens)

    def _prompt(
        self, packet: Packet, text: str, kind: str, schema: Schema | None, *, system: str | None = None
    ) -> Prompt:
        told = chat_prompts.SYSTEM.format(nonce=packet.nonce) if system is None else system
        reply = min(REPLY_TOKENS[kind], self.context_tokens // 4)
        return Prompt((Message(Role.SYSTEM, told), Message(Role.USER, text)), reply, schema, tuple(packet.sent))


def _system(packet: Packet) -> str:
    """What a judge that reads is told first."""
    return chat_prompts.READ_SYSTEM.format(nonce=packet.nonce) + (
        chat_prompts.SECRETS if packet.conversation.secret else ""
    )


def _texts(region: Region) -> tuple[str, ...]:
    return region.text, region.title, *region.headings, region.header or ""


def _facts(packet: Packet, requirements: Sequence[Requirement]) -> str:
    lines = []
    for requirement in requirements:
        kind = "" if requirement.answer_type is AnswerType.ANY else f" ({requirement.answer_type.value})"
        lines.append(f"{requirement.id}{kind}: {packet.clean(requirement.text)}")
    return "\n".join(lines)


def _notes(packet: Packet, request: SynthesisRequest, left_out: int) -> list[str]:
    """What the synthesis must know beside question and evidence."""
    notes = []
    missing = [fact.requirement.id for fact in request.facts if fact.status is RequirementStatus.MISSING]
    if missing:
        notes.append(chat_prompts.MISSING.format(facts=", ".join(missing)))
    if request.computed is not None:
        derivation = request.derivation or ""
        if request.computed not in derivation:
            derivation = f"{derivation}: {request.computed}" if derivation else request.computed
        notes.append(chat_prompts.COMPUTED.format(derivation=packet.clean(derivation)))
    for fact in request.facts:
        shown = [(value, n) for value, n in fact.sides[:_MOST_SIDES] if n in packet.seen]
        if len(shown) > 1:
            sides = "; ".join(f"{packet.clean(value)} [{n}]" for value, n in shown)
            newer = "" if fact.newer is None else chat_prompts.NEWER.format(n=fact.newer)
            notes.append(chat_prompts.CONTESTED.format(fact=fact.requirement.id, sides=sides) + newer)
    if left_out:
        notes.append(f"{left_out} more passages of the same kind are not shown.")
    return notes
