"""The answer-key oracle: gold labels in the oracle's factory, so that a run measures the search loop and nothing else.

It knows which passage of which document each fact needs, and says so when it is shown the whole of it; with an error
rate it is wrong now and then, like a model. It never sees the answer or a document that it was not shown, and the
search learns of gold only what these replies say. Calls are asked of the ledger and counted as a chat model's would be,
tokens by the very prompts; nothing is sent.
"""

from __future__ import annotations

import math
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evaluation.data.datasets import Gold, GoldSpan, Question
from evaluation.data.snapshots import Corpus
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.judge.answer_markdown import block
from lens_lsp.judge.ledger import Budget, CallStage, Ledger
from lens_lsp.judge.llm import chat_prompts
from lens_lsp.judge.llm.chat_oracle import budget_for, new_nonce
from lens_lsp.judge.llm.conversation import Conversation, Prompt, PromptComposer
from lens_lsp.judge.oracle import ObserveRequest, Oracle, Synthesis, SynthesisRequest
from lens_lsp.judge.rules.question_plan import analyse, names
from lens_lsp.model.answer import Mode
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import UsageError
from lens_lsp.model.observation import (
    ConfidenceMap,
    CoverageReply,
    Judgement,
    Observation,
    ObservationReply,
    ObservationTable,
    Region,
    Verdict,
    tokens,
)
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span, sentences

CONTEXT_TOKENS = 128_000
"""A context that no request of ours fills."""
_PAIRS = 40
"""About how many pairs of a region without gold and an open requirement a request shows; its error hits one."""
_SURE = 0.01
"""No share is held smaller: without errors the table would be infinite."""


@dataclass(frozen=True, slots=True)
class KeyedDocument:
    """A gold document: ``passages`` are its gold, word for word, any of which proves its requirement."""

    path: str
    passages: tuple[str, ...]


Key = tuple[KeyedDocument, ...]
"""The gold documents of one question; requirement j belongs to the j-th."""


def key_of(gold: Gold, text_of: Callable[[str], str]) -> Key:
    """What the oracle knows of one question, of a gold whose paths ``text_of`` can read.

    A document with several gold passages is proven by the stretch from the first to the last; one of which the data
    say no place never is. Where gold is the places of the answer, the sentence around any of them proves.
    """
    return tuple(KeyedDocument(path, _passages(gold, path, text_of)) for path in gold.paths)


def _passages(gold: Gold, path: str, text_of: Callable[[str], str]) -> tuple[str, ...]:
    spans = [Span(span.start, span.end) for span in gold.support if span.path == path]
    starts = [start for where, start in gold.paragraphs if where == path]
    places = [span for span in gold.answer_spans if span.path == path]
    if not (spans or starts or places):
        return ()
    text = text_of(path)
    spans += [Span(start, _paragraph_end(text, start)) for start in starts]
    if spans:
        return (text[min(span.start for span in spans) : max(span.end for span in spans)].strip(),)
    return tuple(dict.fromkeys(_sentence(text, place) for place in places))


def _paragraph_end(text: str, start: int) -> int:
    end = text.find("\n\n", start)
    return len(text) if end < 0 else end


def _sentence(text: str, place: GoldSpan) -> str:
    """The sentences of its paragraph that an answer touches."""
    start = text.rfind("\n\n", 0, place.start) + 2 if "\n\n" in text[: place.start] else 0
    inside = [
        span
        for span in sentences(text, Span(start, _paragraph_end(text, place.end)))
        if span.start < place.end and place.start < span.end
    ]
    return text[inside[0].start : inside[-1].end]


def table_of(error: float) -> ObservationTable:
    """The likelihood ratios that follow from an error rate; nothing has to be fitted where the errors are ours.

    A region with gold is judged full but for the error, and the error of a request falls on one of about forty pairs of
    a region without gold and an open requirement. ``related`` and ``partial`` never occur and tell nothing.
    """
    full = math.log((1 - error + _SURE) / (error / _PAIRS + _SURE / 10))
    return ObservationTable(full=full, partial=0.0, related=0.0, none=math.log(max(error, _SURE)))


@dataclass(slots=True)
class AnswerKeyOracle:
    """Implements `oracle.base.Oracle` for one question from its key. ``error`` is ε, from 0 to 1.

    Its confidence stays unfitted: nobody reads these answers.
    """

    key: Key
    mode: Mode
    error: float = 0.0
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    endpoint: None = field(default=None, init=False)
    confidence: ConfidenceMap = field(default=ConfidenceMap(), init=False)
    _composer: PromptComposer = field(init=False)

    def __post_init__(self) -> None:
        self._composer = PromptComposer(new_nonce, True, Conversation(), CONTEXT_TOKENS)

    @property
    def table(self) -> ObservationTable:
        """The ratios that follow from the error rate."""
        return table_of(self.error)

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        """A requirement for each gold document, all with the question's own words and anchors."""
        composer = self._composer
        if self.mode is Mode.FAST:
            _charge(
                ledger,
                CallStage.ANALYSE,
                composer.of_question(chat_prompts.ANALYSE, question, "plan", chat_prompts.ANALYSIS_SCHEMA),
            )
        else:
            anchors = composer.of_question(chat_prompts.ANCHORS, question, "anchors", chat_prompts.ANCHORS_SCHEMA)
            facts = composer.of_question(chat_prompts.DECOMPOSE, question, "plan", chat_prompts.DECOMPOSITION_SCHEMA)
            _charge(ledger, CallStage.ANALYSE, anchors)
            _charge(ledger, CallStage.DECOMPOSE, facts)
        plan = analyse(question)
        ids = tuple(f"f{number}" for number in range(1, len(self.key) + 1))
        return replace(
            plan,
            requirements=tuple(Requirement(name, question, answer_type=plan.answer_type) for name in ids),
            anchors=tuple(replace(anchor, requirements=ids) for anchor in plan.anchors),
        )

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """``full`` for a region that holds all of a document's gold; the names of its quotes are the new terms."""
        covering = self.mode is Mode.FAST
        prompt, _ = self._composer.observation(request, covering=covering)
        found = self._judged(request)
        said = "".join(judgement.quote or "" for judgement in found.values())
        _charge(ledger, CallStage.OBSERVE, prompt, said)
        proven = {judgement.requirement for judgement in found.values()}
        still_open = tuple(one.id for one in request.outstanding if one.id not in proven)
        terms = _terms(judgement.quote or "" for judgement in found.values())
        return ObservationReply(
            tuple(Observation(number, (judgement,)) for number, judgement in found.items()),
            dict.fromkeys(still_open, terms) if terms else {},
            CoverageReply(still_open) if covering else None,
        )

    def _judged(self, request: ObserveRequest) -> dict[int, Judgement]:
        """The regions that are judged full, by number, errors included."""
        wanted = {requirement.id for requirement in request.outstanding}
        found: dict[int, Judgement] = {}
        bare: list[Region] = []
        for region in request.regions:
            held = self._held(region)
            if held is None:
                bare.append(region)
            elif held.requirement in wanted and self.rng.random() >= self.error:
                found[region.number] = held
        if bare and wanted and self.rng.random() < self.error:
            region = self.rng.choice(bare)
            name = self.rng.choice(sorted(wanted))
            found[region.number] = Judgement(name, Verdict.FULL, _first_sentence(region))
        return found

    def _held(self, region: Region) -> Judgement | None:
        for number, document in enumerate(self.key, 1):
            if document.path == region.path:
                for passage in document.passages:
                    if passage in region.text:
                        return Judgement(f"f{number}", Verdict.FULL, passage)
        return None

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        """Complete when every requirement has a ``full``."""
        prompt, _ = self._composer.coverage(plan, outstanding, evidence)
        _charge(ledger, CallStage.COVER, prompt)
        proven = {name for item in evidence if item.verdict == Verdict.FULL for name in item.requirements}
        return CoverageReply(tuple(one.id for one in outstanding if one.id not in proven))

    async def synthesise(self, request: SynthesisRequest, result: Synthesis, ledger: Ledger) -> AsyncIterator[str]:
        """Every verified ``full``, quoted and cited. The first stands for the short answer that a model would give."""
        prompt, packet = self._composer.synthesis(request)
        if not packet.seen:
            return
        cited = [item for item in request.evidence if item.verdict == Verdict.FULL]
        text = "\n".join(map(block, cited))
        _charge(ledger, CallStage.CALIBRATE if request.again else CallStage.SYNTHESISE, prompt, text)
        yield text
        result.short = cited[0].quote if cited else None

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        """No short answer: the key does not hold one."""
        _charge(ledger, CallStage.CALIBRATE, self._composer.calibration(request.plan.question, answer))
        return None


def _charge(ledger: Ledger, stage: CallStage, prompt: Prompt, said: str = "") -> None:
    ledger.request(stage, prompt.tokens, prompt.reply_tokens)
    ledger.used(prompt.tokens, tokens(said))


def _terms(quotes: Iterable[str]) -> tuple[str, ...]:
    """The capitalised runs of some quotes, each once."""
    found = [name.text for quote in quotes for name in names(quote) if name.text[:1].isupper()]
    return tuple(dict.fromkeys(found))


def _first_sentence(region: Region) -> str:
    """The first sentence of a region; its title line is none."""
    found = [region.text[span.start : span.end] for span in sentences(region.text, Span(0, len(region.text)))]
    return next((sentence for sentence in found if sentence != region.title), region.text.strip())


@dataclass(frozen=True, slots=True)
class Keyed:
    """The key of one question, and what its errors are drawn from beside the seed."""

    key: Key
    errors: str


@dataclass(frozen=True)
class AnswerKeyFactory(OracleFactory):
    """Hands out the answer key by the ticket of a question, wrong at a rate of ``error``; equal seeds are wrong alike,
    whatever else was asked. What an oracle knows of gold it gets here, apart from the arm that asks."""

    keys: Mapping[str, Keyed] = field(default_factory=dict)
    """By the tickets of the questions."""
    error: float = 0.0
    seed: int = 0

    @classmethod
    def of(
        cls, mode: Mode, questions: Iterable[Question], corpus: Corpus, *, error: float = 0.0, seed: int = 0
    ) -> AnswerKeyFactory:
        """The keys of questions, as their passages stand in a corpus. Raises `UsageError` when none has any."""
        keys = {
            question.ticket: Keyed(key_of(corpus.gold(question.gold), corpus.text), question.id)
            for question in questions
        }
        if not any(document.passages for keyed in keys.values() for document in keyed.key):
            raise UsageError(f"{corpus.dataset} does not say where its gold stands: --oracle answer-key needs passages")
        return cls(mode, keys=keys, error=error, seed=seed)

    @property
    def budget(self) -> Budget:
        """That of the mode with a model that takes any request."""
        return budget_for(self.mode, CONTEXT_TOKENS)

    def oracle(self, ticket: str = "") -> Oracle:
        """The key of one question and no other."""
        keyed = self.keys[ticket]
        rng = random.Random(f"{self.seed} {keyed.errors}")
        return AnswerKeyOracle(keyed.key, self.mode, self.error, rng)
