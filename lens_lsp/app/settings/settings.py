"""Settings as they are used: one frozen value, composed of what each layer below understands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum

from lens_lsp.app.settings.model import ModelSettings
from lens_lsp.app.settings.sources import Notice
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.extraction import DocumentOptions
from lens_lsp.judge.ledger import Budget, Limits
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import UsageError

AUTO = "auto"
"""The mode that is ``fast`` with a model and ``evidence`` without."""
SHIPPED, OFF = "shipped", "off"
"""What a reader may be called, beside its folder: the one of the package, and none."""
MODES = (AUTO, *(mode.value for mode in Mode))
"""What a mode may be called."""


class Source(StrEnum):
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
    cache_extractions: bool = False
    call_seconds: float | None = None


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
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Who said what, by the key of the user's file; a key that nobody spoke of is left out."""
    notices: tuple[Notice, ...] = ()

    def budget(self, default: Budget) -> Budget:
        """The budget of a question whose mode and model have a default. Only the user raises it, and never the calls:
        those are the bound of the paper."""
        limits = self.limits
        tokens = limits.tokens if "tokens" in self.own and limits.tokens is not None else default.tokens
        seconds = limits.seconds if "seconds" in self.own and limits.seconds is not None else default.seconds
        typed = self.source("model.callSeconds") is Source.COMMAND_LINE
        raised = replace(
            default,
            tokens=tokens,
            seconds=seconds,
            call_seconds=self.call_seconds or default.call_seconds,
            call_option="--call-seconds" if typed else default.call_option,
        )
        return limits.lowered(raised)

    def lowered(self, by: Limits, source: Source) -> Settings:
        """With no limit above those of somebody who only lowers."""
        limits = self.limits.lowest(by)
        named = {
            f"budget.{each.name}": source
            for each in fields(Limits)
            if getattr(limits, each.name) != getattr(self.limits, each.name)
        }
        return replace(self, limits=limits, sources={**self.sources, **named})

    def seat(self, *, editor: bool = False) -> tuple[Mode, ModelSettings | None]:
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
        named = f"--mode {self.mode}" if source is Source.COMMAND_LINE else f"mode {self.mode} ({source.value})"
        if self.model.of_editor:
            raise UsageError(
                f"{named} needs a model, and no editor offers its own here: set LENS_BASE_URL and LENS_MODEL;"
                " --mode evidence works now, without one"
            )
        if source in (Source.EDITOR, Source.REQUEST):
            there = "there" if source is Source.EDITOR else "in the settings"
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
        if source is Source.COMMAND_LINE:
            raise UsageError("--max-cost needs the prices of a model: set model.prices in your file of settings")
        if calling:
            raise UsageError(
                f"budget.cost ({source.value}) needs the prices of the model: set model.prices in your file of"
                " settings; --mode evidence costs nothing"
            )

    def source(self, key: str) -> Source:
        """Who said what holds for a key."""
        return self.sources.get(key, Source.DEFAULT)
