"""Requests, and the settings they are answered by: frozen values, the same for every front end.

What was said of a model holds for that model: its context and its prices do not outlive another base URL or name, and
a key goes to one origin: the one that was named beside it, or that it was put into the system's keyring for."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import field, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.extraction import DocumentOptions
from lens_lsp.judge.ledger import Budget, Limits
from lens_lsp.model.answer import Mode, StopReason
from lens_lsp.model.errors import UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import Span

if TYPE_CHECKING:
    from lens_lsp.corpus.intake import Buffer
    from lens_lsp.judge.llm.openai_client import OpenAIChat


_VARIABLES = {"model.baseUrl": "LENS_BASE_URL", "model.name": "LENS_MODEL"}
_EDITOR = "editor"
AUTO = "auto"
"""The mode that is ``fast`` with a model and ``evidence`` without."""
SHIPPED, OFF = "shipped", "off"
"""What a reader may be called, beside its folder: the one of the package, and none."""
MODES = (AUTO, *(mode.value for mode in Mode))
"""What a mode may be called."""
_ENCODINGS = {
    "cp1252": "af ca da de en es eu fi fr ga gl id is it ms nb nl nn no pt sq sv sw",
    "big5hkscs": "zh-tw",
    "cp1250": "cs hr sk",
    "cp1251": "ba be bg kk ky mk ru sah sr tg tt uk",
    "cp1254": "ku tr",
    "cp1255": "he",
    "cp1256": "ar fa",
    "cp1257": "et lt lv",
    "cp1258": "vi",
    "cp874": "th",
    "cp932": "ja",
    "cp949": "ko",
    "gb18030": "zh",
    "iso8859-2": "hu pl sl",
    "iso8859-7": "el",
}
LANGUAGES = dict(sorted((code, encoding) for encoding, codes in _ENCODINGS.items() for code in codes.split()))
"""What files of before Unicode are written in, by the code of a language: the encodings that browsers assume by locale
(HTML standard, "encoding sniffing algorithm"), as Python names them."""
_LIMITS = {StopReason.BUDGET_TOKENS: "tokens", StopReason.BUDGET_SECONDS: "seconds", StopReason.BUDGET_COST: "cost"}


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Base URL and name of a model, its context in tokens, and its prices (in, out) per million tokens."""

    base_url: str | None = None
    name: str | None = None
    context_tokens: int | None = None
    prices: tuple[float, float] | None = None
    key: str | None = field(default=None, repr=False)
    """It shows itself to nobody."""
    key_belongs_to: str | None = None
    """An address of the origin that the key is sent to, and of no other."""

    @property
    def unset(self) -> tuple[str, ...]:
        """What is missing, as files of settings and editors call it; a model is configured when nothing is."""
        named = {"model.baseUrl": self.base_url, "model.name": self.name}
        return tuple(key for key, value in named.items() if not value)

    @property
    def missing(self) -> tuple[str, ...]:
        """The same, as variables of the environment."""
        return tuple(_VARIABLES[key] for key in self.unset)

    @property
    def of_editor(self) -> bool:
        """Whether the editor's own model is meant: the name is ``editor`` or ``editor:FAMILY``, at no base URL."""
        return not self.base_url and (self.name or "").partition(":")[0] == _EDITOR

    @property
    def family(self) -> str | None:
        """Of the editor's models the family that is meant; None for any."""
        return (self.name or "").partition(":")[2] or None if self.of_editor else None

    def named(self, base_url: str | None, name: str | None) -> ModelSettings:
        """With another base URL or name, as far as they are given; a different model has no known context or prices."""
        base_url, name = base_url or self.base_url, name or self.name
        if (base_url, name) == (self.base_url, self.name):
            return self
        return replace(self, base_url=base_url, name=name, context_tokens=None, prices=None)

    def of_environment(
        self, environment: Mapping[str, str], context_tokens: int | None, key_origin: str | None
    ) -> ModelSettings:
        """With what our own variables say, ``context_tokens`` as read; ``key_origin`` is where the user's file lets a
        key go that stands alone."""
        base_url = environment.get("LENS_BASE_URL")
        model = self.named(base_url, environment.get("LENS_MODEL"))
        key = environment.get("LENS_API_KEY") or None
        context = context_tokens or model.context_tokens
        return replace(model, context_tokens=context, key=key, key_belongs_to=base_url or key_origin)

    @property
    def key_in_keyring(self) -> bool:
        """Whether the model gets the key that the system's keyring holds for its origin."""
        from lens_lsp.judge.llm.endpoint import Endpoint
        from lens_lsp.memory.keyring import has_key

        if self.base_url is None or self._key_fits():
            return False
        try:
            return has_key(Endpoint.of(self.base_url).origin)
        except UsageError:
            return False

    @property
    def key_withheld(self) -> str | None:
        """Why the key of the environment is not sent to the model, None when it or another is or there is none."""
        if self.key is None or self._key_fits() or self.key_in_keyring:
            return None
        if self.key_belongs_to is None:
            return (
                "LENS_API_KEY is sent nowhere: set LENS_BASE_URL beside it, or model.keyOrigin in the user's file to"
                " the origin it belongs to"
            )
        return "LENS_API_KEY belongs to another origin than the model's and is not sent; see model.keyOrigin"

    def chat(self) -> OpenAIChat:
        """The model, nothing opened yet; its key is that of the environment, else the one that the system's keyring
        holds for its origin, which may be waited for.

        Raises `UsageError` for a base URL or a key that cannot be meant, `KeyringFailed`.
        """
        from lens_lsp.judge.llm.endpoint import Endpoint
        from lens_lsp.judge.llm.openai_client import OpenAIChat
        from lens_lsp.memory.keyring import key_for

        if self.base_url is None or self.name is None:
            raise UsageError(f"no model is configured: set {' and '.join(self.missing)}")
        key = self.key if self._key_fits() else key_for(Endpoint.of(self.base_url).origin)
        return OpenAIChat(self.base_url, self.name, key, context_tokens=self.context_tokens)

    async def served(self) -> tuple[str, ...]:
        """What the models at the base URL are called, whether one of them is named here or not; no text is sent.

        Raises as `chat`, and `ModelError` where nothing answers.
        """
        import asyncio

        chat = await asyncio.to_thread(replace(self, name=self.name or "unnamed").chat)
        return await chat.names()

    def _key_fits(self) -> bool:
        from lens_lsp.judge.llm.endpoint import Endpoint

        if self.key is None or self.base_url is None or self.key_belongs_to is None:
            return False
        try:
            return Endpoint.of(self.base_url).origin == Endpoint.of(self.key_belongs_to).origin
        except UsageError:
            return False


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about settings that the user is told once. ``limiting``: a limit they meant may not be in force."""

    text: str
    limiting: bool = False


class SettingSource(StrEnum):
    """Who says something, the lowest first."""

    DEFAULT = "default"
    USER_FILE = "user file"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    EDITOR = "editor"
    COMMAND_LINE = "command line"
    REQUEST = "request"
    """A program that asks for its user: it only lowers limits."""
    DAY = "day"
    """What is left of the tokens of a day."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What was typed with one command, already understood."""

    mode: str | None = None
    limits: Limits = field(default_factory=Limits)
    scopes: tuple[str, ...] = ()
    no_ignore: bool = False
    call_seconds: float | None = None
    ocr: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds. ``memory`` is in bytes, None for the default; ``daily_tokens`` is None for no limit.

    ``limits`` are the lowest that somebody named; ``own`` names those of them that the user named, too, which may be
    above the default of a mode. ``call_seconds`` is the longest that one call may take, None for the default.
    """

    mode: str = AUTO
    model: ModelSettings = field(default_factory=ModelSettings)
    limits: Limits = field(default_factory=Limits)
    own: frozenset[str] = frozenset()
    call_seconds: float | None = None
    daily_tokens: int | None = None
    reader: str = SHIPPED
    """Who judges without a language model: `SHIPPED`, `OFF` for nobody, or a folder."""
    rules: CorpusRules = field(default_factory=CorpusRules)
    extra_roots: tuple[str, ...] = ()
    memory: int | None = None
    documents: DocumentOptions = field(default_factory=DocumentOptions)
    cluster: str | None = None
    """The address of the scheduler whose workers read the files of `find`."""
    sources: Mapping[str, SettingSource] = field(default_factory=dict)
    """Who said what, by the key of the user's file; a key that nobody spoke of is left out."""
    notices: tuple[Notice, ...] = ()

    def budget(self, default: Budget) -> Budget:
        """The budget of a question whose mode and model have a default. Only the user raises it, and never the calls:
        those are the bound of the paper."""
        limits = self.limits
        tokens = limits.tokens if "tokens" in self.own and limits.tokens is not None else default.tokens
        seconds = limits.seconds if "seconds" in self.own and limits.seconds is not None else default.seconds
        typed = self.source("model.callSeconds") is SettingSource.COMMAND_LINE
        raised = replace(
            default,
            tokens=tokens,
            seconds=seconds,
            call_seconds=self.call_seconds or default.call_seconds,
            call_option="--call-seconds" if typed else default.call_option,
        )
        return limits.lowered(raised)

    def lowered(self, by: Limits, source: SettingSource) -> Settings:
        """With no limit above those of somebody who only lowers."""
        limits = self.limits.lowest(by)
        named = {
            f"budget.{each.name}": source
            for each in fields(Limits)
            if getattr(limits, each.name) != getattr(self.limits, each.name)
        }
        return replace(self, limits=limits, sources={**self.sources, **named})

    def choose_judge(self, *, editor: bool = False) -> tuple[Mode, ModelSettings | None]:
        """Who judges: the mode, and the model it needs. ``editor``: we are inside an editor that offers its own model.

        Raises `UsageError` for a mode that there is none of, and where the model is not configured.
        """
        if self.mode not in MODES:
            raise UsageError(f"there is no mode {self.mode!r}; choose from {', '.join(MODES)}")
        if self.mode == Mode.EVIDENCE.value:
            return Mode.EVIDENCE, None
        missing = () if editor and self.model.of_editor else self.model.missing
        if not missing:
            return Mode.FAST if self.mode == AUTO else Mode(self.mode), self.model
        if self.mode == AUTO:
            return Mode.EVIDENCE, None
        source = self.source("mode")
        named = f"--mode {self.mode}" if source is SettingSource.COMMAND_LINE else f"mode {self.mode} ({source.value})"
        if self.model.of_editor:
            raise UsageError(
                f"{named} needs a model, and no editor offers its own here: set LENS_BASE_URL and LENS_MODEL;"
                " --mode evidence works now, without one"
            )
        if source in (SettingSource.EDITOR, SettingSource.REQUEST):
            there = "there" if source is SettingSource.EDITOR else "in the settings"
            raise UsageError(
                f"{named} needs a model: set {' and '.join(self.model.unset)} {there}; mode evidence works without one"
            )
        raise UsageError(f"{named} needs a model: set {' and '.join(missing)}; --mode evidence works now, without one")

    def require_sound(self, origin: str) -> None:
        """Raise `UsageError` if what was meant as a limit could not be understood: then nothing leaves the machine."""
        for notice in self.notices:
            if notice.limiting:
                raise UsageError(
                    f"nothing was sent to {origin}, since a limit may be missing: {notice.text};"
                    " --mode evidence answers without a model"
                )

    def require_prices(self, *, calling: bool) -> None:
        """Raise `UsageError` for a limit of cost that cannot be kept. ``calling``: a model is going to be asked."""
        if self.limits.cost is None or self.model.prices is not None:
            return
        source = self.source("budget.cost")
        if source is SettingSource.COMMAND_LINE:
            raise UsageError("--max-cost needs the prices of a model: set model.prices in your file of settings")
        if calling:
            raise UsageError(
                f"budget.cost ({source.value}) needs the prices of the model: set model.prices in your file of"
                " settings; --mode evidence costs nothing"
            )

    def source(self, key: str) -> SettingSource:
        """Who said what holds for a key."""
        return self.sources.get(key, SettingSource.DEFAULT)


def advice_on(stopped: StopReason, settings: Settings, budget: Budget) -> str | None:
    """What to set, for a search that a limit of time, tokens or money ended; None for one that ended otherwise."""
    name = _LIMITS.get(stopped)
    if name is None:
        return None
    limit, key = getattr(budget, name), f"budget.{name}"
    told = f"{limit:,}" if name == "tokens" else f"{limit:g}"
    # What somebody says above the default of a mode, who may not raise it, does not hold.
    source = settings.source(key) if getattr(settings.limits, name) == limit else SettingSource.DEFAULT
    smaller = ", or name a smaller model" if name == "seconds" and budget.calls else ""
    match source:
        case SettingSource.DAY:
            daily = f"{settings.daily_tokens:,} tokens a day of budget.dailyTokens"
            return f"Of the {daily}, {told} were left for this question."
        case SettingSource.COMMAND_LINE:
            return f"The limit of --max-{name} {told} was reached. Give more than that{smaller}."
        case SettingSource.REQUEST:
            return f"The limit of {told} {name} that came with the question was reached. Ask with more{smaller}."
        case SettingSource.PROJECT:
            return f"The workspace's own {key} of {told} was reached. Only there it can be raised{smaller}."
        case SettingSource.ENVIRONMENT:
            where = "in the environment"
        case SettingSource.USER_FILE:
            where = "in your own file of settings"
        case _:
            where = "in your own settings"
    return f"The limit of {told} {name} was reached. Set {key} above {told} {where}{smaller}."


RERANKED = 24
"""Passages that the reader reads where it orders them."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question, or a query of `find`.

    ``paths`` are folders and files; none mean the current folder and the user's ``extraRoots``. ``globs`` narrow them,
    instead of the scopes of a project. ``options`` are what the user typed or chose for this question: only they may be
    above the default of a limit. ``mode`` and ``limits`` are what a program says for its user (an editor, an agent, the
    page): its limits only lower. ``thread`` names the conversation in the store that the question continues; ``anew``
    takes up nothing that earlier questions proved.

    ``buffers`` are texts open in an editor, by absolute path, which win over the disk; ``exclude_spans`` are the spans,
    in code points and by absolute path, that hold the question itself and are never evidence. ``limit`` is how many
    passages `find` gives; where ``rerank``, the reader orders the best of them; ``documents`` how many ranked documents
    an answer lists, at least ten. ``ablate`` names parts of the search that are off; ``trace`` adds to the events what
    recomputing the beliefs needs; ``admitted`` is how many documents the search admits first, by default ten in the
    mode `deep` and else those of the first 50 passages.

    A `Lens` is asked of its own paths: it uses what stands from ``thread`` on.
    """

    question: str
    paths: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    options: CommandLine = CommandLine()
    mode: str | None = None
    limits: Limits = Limits()
    thread: str | None = None
    anew: bool = False
    seed: int = 0
    limit: int = 10
    rerank: bool = False
    buffers: Mapping[str, Buffer] = field(default_factory=dict)
    exclude_spans: Mapping[str, Span] = field(default_factory=dict)
    ablate: Set[str] = frozenset()
    trace: bool = False
    documents: int = 10
    admitted: int | None = None
