"""Who judges a question: a model, or who judges without one, with everything that limits what it may be asked."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from lens_lsp.app.settings import OFF, SHIPPED, ModelSettings, Settings, SettingSource, advice_on
from lens_lsp.judge.ledger import Budget, Ledger, Limits
from lens_lsp.model.answer import Answer, Mode
from lens_lsp.model.errors import BudgetSpent, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.observation import counted, tokens

if TYPE_CHECKING:
    from lens_lsp.app.consent import Destination
    from lens_lsp.app.settings import Request
    from lens_lsp.judge.cancellation import Stop
    from lens_lsp.judge.llm.chat_model import ChatModel, ChatReply, ChatRequest
    from lens_lsp.judge.llm.chat_oracle import ChatOracle
    from lens_lsp.judge.oracle import Oracle
    from lens_lsp.judge.reader.cross_encoder import ReaderModel
    from lens_lsp.memory.userdata import Meter


@dataclass(frozen=True, slots=True)
class Terms:
    """Who judges one question, and what it may cost.

    ``oracle`` is None for who judges without a model (`local_judge`); ``budget`` is None for that of the mode.
    ``settings`` are what the budget was made from, and know the prices and the reader; ``meter`` counts each call as
    soon as it is over.
    """

    mode: Mode = Mode.EVIDENCE
    oracle: Oracle | None = None
    budget: Budget | None = None
    settings: Settings = Settings()
    meter: Meter | None = None

    def ledger(self, clock: Callable[[], float]) -> Ledger:
        """Counts what the question costs. ``clock`` gives seconds."""
        return Ledger(
            self.budget or Budget.of(self.mode),
            clock=clock,
            prices=None if self.oracle is None else self.settings.model.prices,
            endpoint=None if self.oracle is None else self.oracle.endpoint,
            spent=None if self.meter is None else self.meter.spent,
        )

    def told(self, answer: Answer) -> Answer:
        """The answer, with what its reader has to know of the model: the limit that ended the search and who raises it,
        a key that was not sent, a call that could not be counted."""
        budget = self.budget or Budget.of(self.mode)
        said = [advice_on(answer.stopped, self.settings, budget)]
        if self.meter is not None:
            said += [self.settings.model.key_withheld, self.meter.problem]
        return replace(answer, warnings=(*answer.warnings, *filter(None, said)))


@dataclass(frozen=True)
class OracleFactory:
    """Makes the oracle of each question, and says what one may cost. ``model`` is None for who judges without.

    ``probe`` asks the model for its context, before the first question; None where it is known.
    """

    mode: Mode = Mode.EVIDENCE
    model: ChatModel | None = None
    settings: Settings = Settings()
    probe: Callable[[], Awaitable[object]] | None = None
    loopback: bool = False
    """Whether what the model is sent is known to stay on this machine."""
    meter: Meter | None = None
    """Of a run that is `metered`: what it counts with."""

    @property
    def endpoint(self) -> str:
        """The origin that text would be sent to. Empty where nothing leaves the process."""
        return "" if self.model is None else self.model.endpoint or ""

    @property
    def budget(self) -> Budget:
        """What one question may cost: the default of the mode and of the model's context, raised by the user, lowered
        by everybody. Raises `UsageError` for a context in which nothing can be read."""
        if self.model is None:
            return self.settings.budget(Budget.of(self.mode))
        from lens_lsp.judge.llm.chat_oracle import budget_for

        return self.settings.budget(budget_for(self.mode, self.model.context_tokens))

    @property
    def prices(self) -> tuple[float, float] | None:
        """Money per million tokens in and out, where any is spent and the prices are known."""
        return None if self.model is None else self.settings.model.prices

    @property
    def destination(self) -> Destination | None:
        """Where text would go that leaves this machine; None where none does."""
        if self.model is None or self.loopback or not self.endpoint:
            return None
        from lens_lsp.app.consent import Destination

        return Destination(self.endpoint, self.model.name, self.settings)

    @property
    def model_name(self) -> str:
        """The model and where it is, as a measurement is bound to them."""
        if self.model is None:
            return reader_name(self.settings)
        return f"{self.model.name} at {self.endpoint or 'this process'}"

    def oracle(self, ticket: str = "") -> Oracle | None:
        """Who judges a question, None for who judges without a model; ``ticket`` names it where questions are judged
        apart."""
        return None if self.model is None else self.chat()

    def chat(self) -> ChatOracle:
        """The oracle that asks the model, where there is one."""
        from lens_lsp.judge.llm.chat_oracle import ChatOracle

        assert self.model is not None
        return ChatOracle(self.model, self.mode)

    def of_run(self, ticket: str = "") -> Terms:
        """The terms of one question of a run, during which the model stays open."""
        return Terms(self.mode, self.oracle(ticket), self.budget, self.settings)

    def ledger(self) -> Ledger:
        """Counts what a question costs that is asked of the oracle itself."""
        return self.of_run().ledger(time.perf_counter)

    async def open(self) -> None:
        """Learn the model's context, before the first question of a measurement."""
        if self.probe is not None:
            await self.probe()

    async def aclose(self) -> None:
        """Let go of the model's connections."""
        if self.model is not None:
            await self.model.aclose()

    def metered(self) -> OracleFactory:
        """The same for a run of many questions: every call is counted on its own, and the run ends before one that
        could exceed a day's tokens."""
        if self.model is None:
            return self
        meter = self._counter()
        return replace(self, model=MeteredChat(self.model, meter, self.settings.daily_tokens), meter=meter)

    @asynccontextmanager
    async def terms(self, stop: Stop | None = None) -> AsyncGenerator[Terms]:
        """The terms of one question; the model is closed afterwards, and at the ``stop`` asked for nothing more.

        Raises `UsageError` where the day's tokens cannot be counted.
        """
        if self.model is None:
            yield Terms(self.mode, None, self.budget, self.settings)
            return
        try:
            yield await self._terms(stop)
        finally:
            await self.aclose()

    async def _terms(self, stop: Stop | None) -> Terms:
        from lens_lsp.judge.cancellation import Stop

        stop, settings, meter = stop or Stop(), self.settings, self._counter()
        if settings.daily_tokens is not None:
            settings = settings.lowered(Limits(tokens=meter.left(settings.daily_tokens)), SettingSource.DAY)
        if 0 not in (settings.limits.calls, settings.limits.tokens):
            with suppress(BudgetSpent):
                async with stop.heeded():
                    await self.open()
        budget = replace(self, settings=settings).budget
        return Terms(self.mode, replace(self.chat(), stop=stop), budget, settings, meter)

    def _counter(self) -> Meter:
        from lens_lsp.memory.userdata import Meter, usage_file

        return Meter(usage_file(), self.endpoint, self.settings.model.prices)


def decide(
    request: Request, settings: Settings, *, editor: bool = False
) -> tuple[Settings, Mode, ModelSettings | None]:
    """What settings and a request come to: the settings that hold for it, the mode, and the model that is meant.

    ``editor``: we are inside an editor that offers its own model. Raises `UsageError` for a mode that there is none of
    or whose model is not configured, and for a limit of cost without prices.
    """
    if request.mode is not None:
        settings = replace(settings, mode=request.mode, sources={**settings.sources, "mode": SettingSource.REQUEST})
    settings = settings.lowered(request.limits, SettingSource.REQUEST)
    mode, model = settings.choose_judge(editor=editor)
    settings.require_prices(calling=model is not None)
    return settings, mode, model


def choose(request: Request, settings: Settings) -> OracleFactory:
    """Who judges a request. The system's keyring may be waited for. Raises as `decide` and `of_endpoint`."""
    settings, mode, model = decide(request, settings)
    return OracleFactory(mode, settings=settings) if model is None else of_endpoint(mode, settings)


def of_endpoint(mode: Mode, settings: Settings) -> OracleFactory:
    """The factory for the model of settings, behind its endpoint; nothing is opened yet. Raises `UsageError` for an
    address or a key that cannot be meant, `KeyringFailed`."""
    model = settings.model.chat()
    return OracleFactory(mode, model, settings, model.probe, model.loopback)


@dataclass(frozen=True, slots=True)
class LocalJudge:
    """Who judges where no language model does; ``warning`` is what the user has to know of it, once an answer."""

    oracle: Oracle
    warning: str | None = None


def local_judge(settings: Settings, cancelled: Callable[[], bool] = lambda: False) -> LocalJudge:
    """Who judges one question without a language model: the reader that the settings name, or that of the package.

    Without a reader nothing but exact counts, lists and extracts is answered; all else is shown as near. It is loaded
    from its folder when a question first needs it, and kept: call this on another thread than the event loop's. It
    stops reading where ``cancelled`` turns true, which is asked on any thread.
    """
    from lens_lsp.judge.reader.cross_encoder import ReaderUnavailable, load
    from lens_lsp.judge.reader.reader_oracle import ReaderOracle
    from lens_lsp.judge.rules.offline_oracle import OfflineOracle

    folder = _reader_folder(settings)
    if folder is None:
        return LocalJudge(OfflineOracle())
    try:
        model = load(folder)
    except ReaderUnavailable as why:
        return LocalJudge(OfflineOracle(), f"{why}: no passage is called a proof without it")
    name = "the built-in reader" if settings.reader == SHIPPED else "a reader of your own"
    return LocalJudge(ReaderOracle(model, cancelled=cancelled, name=name))


def local_reader(settings: Settings) -> ReaderModel:
    """The reader of the settings. Raises `ReaderUnavailable` where they turn it off and where it cannot be had."""
    from lens_lsp.judge.reader.cross_encoder import ReaderUnavailable, load

    folder = _reader_folder(settings)
    if folder is None:
        why = "`reader` in your settings says so" if settings.reader == OFF else "this package has none"
        raise ReaderUnavailable(f"the reader is off: {why}")
    return load(folder)


def reader_name(settings: Settings) -> str:
    """Who judges without a language model, as a measurement is bound to it."""
    folder = _reader_folder(settings)
    if folder is None:
        return "no reader"
    return "the built-in reader" if settings.reader == SHIPPED else f"the reader in {folder}"


def reader_status(settings: Settings) -> str:
    """Whether the reader is on: its folder, its size and how long it took to load; else why not, and what helps."""
    from lens_lsp.judge.reader.cross_encoder import ReaderUnavailable, load

    folder, began = _reader_folder(settings), time.perf_counter()
    if folder is None:
        why, helps = "this package has none", ""
        if settings.reader == OFF:
            why, helps = "`reader` says so", "; take it out of your settings to turn it on"
        return f"off: {why}, only counts and lists are answered{helps}"
    try:
        load(folder)
    except ReaderUnavailable as why:
        helps = "install lens-lsp anew" if settings.reader == SHIPPED else "correct `reader` in your settings"
        return f"{str(why).removeprefix('the reader is ')}; {helps}, or set it to off"
    took = time.perf_counter() - began
    size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
    return f"on: {folder}, {size / 1e6:.1f} MB, loaded in {1000 * took:.0f} ms"


def _reader_folder(settings: Settings) -> Path | None:
    """Where the reader of the settings is; None where there is to be none."""
    from lens_lsp.judge.reader import cross_encoder

    if settings.reader == SHIPPED:  # a package without weights has no reader to miss
        return cross_encoder.SHIPPED if cross_encoder.SHIPPED.is_dir() else None
    return None if settings.reader == OFF else Path(settings.reader)


class MeteredChat:
    """A chat model within a day's tokens, ``daily``; None is no limit.

    A question that is asked alone may end with what it has when the day's tokens do; a measurement may not: its row
    would say of the search what is true of the purse. So the whole run ends, and goes on where it ended.

    Calls that are under way count as what they may cost at most. Raises `UsageError` instead of a call that could
    exceed the limit.
    """

    def __init__(self, model: ChatModel, meter: Meter, daily: int | None) -> None:
        self._model = model
        self._meter = meter
        self._daily = daily
        self._pending = 0
        """Tokens that calls under way may cost."""

    @property
    def name(self) -> str:
        """What the endpoint calls the model."""
        return self._model.name

    @property
    def endpoint(self) -> str | None:
        """The origin that everything is sent to."""
        return self._model.endpoint

    @property
    def context_tokens(self) -> int:
        """How many tokens fit, prompt and reply together."""
        return self._model.context_tokens

    @property
    def small(self) -> bool:
        """Whether it is known to be a small model."""
        return self._model.small

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One call, the whole reply. Raises `ModelError`."""
        with self._metered(request) as call:
            reply = await self._model.complete(request)
            call.heard(reply)
            return reply

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply]:
        """One call, the reply's text piece by piece, then the whole reply. Raises `ModelError`."""
        with self._metered(request) as call:
            pieces = self._model.stream(request)
            try:
                async for piece in pieces:
                    call.heard(piece)
                    yield piece
            finally:
                if isinstance(pieces, AsyncGenerator):
                    await pieces.aclose()

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._model.aclose()

    @contextmanager
    def _metered(self, request: ChatRequest) -> Iterator[_Call]:
        from lens_lsp.judge.llm.chat_model import ModelError

        call = _Call(request)
        most = call.tokens_in + request.max_tokens
        left = inf if self._daily is None else self._meter.left(self._daily) - self._pending
        if left < most:
            raise UsageError(
                f"of the {self._daily:,} tokens a day of budget.dailyTokens, {max(0, left):,} are left, and the next "
                f"call may take {most:,}; run the same command tomorrow, or with a higher limit: a measurement "
                "goes on from here"
            )
        self._pending += most
        try:
            yield call
        except ModelError as error:
            call.refused = not error.accepted
            raise
        finally:
            self._pending -= most
            if not call.refused:
                self._meter.spent(call.tokens_in, call.tokens_out)


class _Call:
    """What a call costs: as the endpoint says, the estimate where that cannot be."""

    def __init__(self, request: ChatRequest) -> None:
        from lens_lsp.judge.llm.conversation import Prompt

        self.tokens_in = Prompt(request.messages, request.max_tokens, request.schema).tokens
        self.tokens_out = 0
        self.refused = False

    def heard(self, piece: str | ChatReply) -> None:
        if isinstance(piece, str):
            self.tokens_out += tokens(piece)
            return
        self.tokens_in = counted(piece.tokens_in, self.tokens_in)
        self.tokens_out = counted(piece.tokens_out, max(self.tokens_out, tokens(piece.text)))
