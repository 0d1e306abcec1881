"""The requests of a chat model, put together: prompts filled in, documents redacted and fenced, what leaves listed.

Nothing of a document reaches a request but through `Packet`, which decides what may be shown at all, takes out
secrets and hidden text, and keeps the list of spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import PurePosixPath

from lens_lsp.corpus.corpus_rules import denied_path
from lens_lsp.corpus.safe_open import display_path
from lens_lsp.judge.base import ObserveRequest, SynthesisRequest
from lens_lsp.judge.llm import prompts, read, schemas, verify
from lens_lsp.judge.llm.calling import Conversation, Prompt
from lens_lsp.judge.llm.messages import Message, Role
from lens_lsp.judge.llm.schemas import Schema
from lens_lsp.judge.read import ReadRequest
from lens_lsp.judge.redaction import Redacted, redacted, stretches, within
from lens_lsp.judge.verification import Claim
from lens_lsp.model.answer import RequirementStatus, Sent
from lens_lsp.model.documents import ContextRole, Evidence, Secret
from lens_lsp.model.observation import Region
from lens_lsp.model.plan import AnswerType, Plan, Requirement
from lens_lsp.model.shown import MOST_CONTEXT, tokens
from lens_lsp.model.text import Span
from lens_lsp.model.words import key

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
    _sent: list[Sent] = field(default_factory=list)

    @property
    def sent(self) -> tuple[Sent, ...]:
        """The spans of documents that it holds."""
        return tuple(self._sent)

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
        self.conversation.told.setdefault((region.root, path), set()).update(region.headings)
        veiled = path in self.conversation.hidden
        self._sent += [Sent(path, span, region.root, veiled) for span in region.sources]
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
            self.conversation.told.setdefault((region.root, path), set()).update(region.headings)
            veiled = path in self.conversation.hidden
            self._sent += [Sent(path, span, region.root, veiled) for span in region.sources]
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
            self._sent.append(Sent(item.path, item.span, item.root, item.path in self.conversation.hidden))
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
            self.conversation.told.setdefault((item.root, item.path), set()).update(item.heading)
            veiled = item.path in self.conversation.hidden
            spans = dict.fromkeys((item.span, *(part.span for part in item.context)))
            self._sent += [Sent(item.path, span, item.root, veiled) for span in spans]
        return "".join(blocks).rstrip("\n")

    def clean(self, text: str) -> str:
        """Text of a question or a model as it may be sent."""
        return redacted(text, self.conversation.numbers, also=self.conversation.fragments).text

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
class Composer:
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
            asked += prompts.KNOWN.format(known="\n".join(f"- {fact}" for fact in facts))
        return self._prompt(packet, template.format(question=asked), kind, schema)

    def observation(self, request: ObserveRequest, *, covering: bool) -> tuple[Prompt, Packet]:
        """Stage S3; ``covering`` joins the coverage check."""
        packet = self.packet(*(text for region in request.regions for text in _texts(region)))
        template = prompts.OBSERVE_AND_COVER if covering else prompts.OBSERVE
        schema = schemas.OBSERVATION_AND_COVERAGE if covering else schemas.OBSERVATION
        question, facts = packet.clean(request.plan.question), _facts(packet, request.outstanding)
        bare = self._prompt(packet, template.format(question=question, facts=facts, regions=""), "observe", schema)
        packet.room = self.context_tokens - bare.tokens - bare.reply_tokens
        fenced = [block for region in request.regions if (block := packet.region(region)) is not None]
        text = template.format(question=question, facts=facts, regions="\n".join(fenced))
        return self._prompt(packet, text, "observe", schema), packet

    def read(self, request: ReadRequest) -> tuple[Prompt, Packet]:
        """The read call."""
        packet = self.packet(request.question, *(text for region in request.regions for text in _texts(region)))
        question = packet.clean(request.question)
        quotes = read.SUMMARY_QUOTES if request.summary else read.QUOTES
        note = read.EXHAUSTED if request.exhausted else ""
        template = read.READ_SMALL if self.small else read.READ
        filled = partial(template.format, nonce=packet.nonce, question=question, quotes=quotes, note=note)
        bare = self._read_prompt(packet, filled(passages=""))
        packet.room = self.context_tokens - bare.tokens - bare.reply_tokens
        return self._read_prompt(packet, filled(passages=packet.passages(request.regions))), packet

    def _read_prompt(self, packet: Packet, text: str) -> Prompt:
        messages = (Message(Role.SYSTEM, _system(packet)), Message(Role.USER, text))
        longest, schema = ("read-small", read.SMALL_SCHEMA) if self.small else ("read", read.SCHEMA)
        return Prompt(messages, min(REPLY_TOKENS[longest], self.context_tokens // 4), schema, packet.sent)

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
        text = verify.VERIFY.format(
            passages=passages,
            nonce=packet.nonce,
            question=packet.clean(question),
            sentences="\n".join(
                f"{number}. {''.join(f'[{item.n}]' for item in claims[at].evidence)} {packet.clean(claims[at].text)}"
                for number, at in enumerate(asked, 1)
            ),
        )
        messages = (Message(Role.SYSTEM, _system(packet)), Message(Role.USER, text))
        reply = min(REPLY_TOKENS["verify"], self.context_tokens // 4)
        return Prompt(messages, reply, verify.SCHEMA, packet.sent), packet, asked

    def widening(self, question: str, about: str) -> Prompt:
        """The call for other words; nothing of a document but what ``about`` says is in it."""
        packet = self.packet(question, about)
        text = read.WIDEN.format(question=packet.clean(question), about=packet.clean(about))
        return Prompt((Message(Role.USER, text),), REPLY_TOKENS["anchors"], read.TERMS_SCHEMA)

    def coverage(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence]
    ) -> tuple[Prompt, Packet]:
        """The coverage check, with all evidence: that for the facts in question first, and of it the latest."""
        ids = {requirement.id for requirement in outstanding}
        ordered = sorted(evidence, key=lambda item: (ids.isdisjoint(item.requirements), -item.n))
        items = list({(item.root, item.path, item.span): item for item in ordered}.values())  # each place once
        packet = self.packet(*(text for item in items for text in (item.quote, *item.heading)))
        blocks, _ = packet.evidence(items, self._most_evidence)
        text = prompts.COVER.format(
            question=packet.clean(plan.question),
            facts=_facts(packet, plan.requirements),
            open=", ".join(requirement.id for requirement in outstanding),
            evidence=blocks,
        )
        return self._prompt(packet, text, "cover", schemas.COVERAGE), packet

    def synthesis(self, request: SynthesisRequest) -> tuple[Prompt, Packet]:
        """Stage S4."""
        packet = self.packet(*(text for item in request.evidence for text in (item.quote, *item.heading)))
        blocks, left_out = packet.evidence(request.evidence, self._most_evidence)
        text = prompts.SYNTHESISE.format(
            question=packet.clean(request.plan.question),
            facts=_facts(packet, [fact.requirement for fact in request.facts]),
            notes="".join(f"{note}\n" for note in _notes(packet, request, left_out)),
            evidence=blocks,
            trailer=prompts.TRAILER,
        )
        return self._prompt(packet, text, "synthesise", None), packet

    def calibration(self, question: str, answer: str) -> Prompt:
        """Stage S5."""
        packet = self.packet(answer)
        text = prompts.CALIBRATE.format(
            question=packet.clean(question), nonce=packet.nonce, answer=packet.clean(answer)
        )
        return self._prompt(packet, text, "short", schemas.CALIBRATION)

    @property
    def _most_evidence(self) -> float:
        return min(EVIDENCE_TOKENS, _EVIDENCE_SHARE * self.context_tokens)

    def _prompt(self, packet: Packet, text: str, kind: str, schema: Schema | None) -> Prompt:
        messages = (
            Message(Role.SYSTEM, prompts.SYSTEM.format(nonce=packet.nonce)),
            Message(Role.USER, text),
        )
        reply = min(REPLY_TOKENS[kind], self.context_tokens // 4)
        return Prompt(messages, reply, schema, packet.sent)


def _system(packet: Packet) -> str:
    """What a judge that reads is told first."""
    return read.SYSTEM.format(nonce=packet.nonce) + (read.SECRETS if packet.conversation.secret else "")


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
        notes.append(prompts.MISSING.format(facts=", ".join(missing)))
    if request.computed is not None:
        derivation = request.derivation or ""
        if request.computed not in derivation:
            derivation = f"{derivation}: {request.computed}" if derivation else request.computed
        notes.append(prompts.COMPUTED.format(derivation=packet.clean(derivation)))
    for fact in request.facts:
        shown = [(value, n) for value, n in fact.sides[:_MOST_SIDES] if n in packet.seen]
        if len(shown) > 1:
            sides = "; ".join(f"{packet.clean(value)} [{n}]" for value, n in shown)
            newer = "" if fact.newer is None else prompts.NEWER.format(n=fact.newer)
            notes.append(prompts.CONTESTED.format(fact=fact.requirement.id, sides=sides) + newer)
    if left_out:
        notes.append(f"{left_out} more passages of the same kind are not shown.")
    return notes
