"""The model that settings name, and which origin its key belongs to.

What was said of a model holds for that model: its context and its prices do not outlive another base URL or name, and
a key goes to one origin: the one that was named beside it, or that it was put into the system's keyring for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lens_lsp.model.errors import UsageError

if TYPE_CHECKING:
    from lens_lsp.app.settings.options import ClientOptions
    from lens_lsp.judge.llm.openai_client import OpenAIChat


_VARIABLES = {"model.baseUrl": "LENS_BASE_URL", "model.name": "LENS_MODEL"}
_EDITOR = "editor"


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

    def told(self, options: ClientOptions) -> ModelSettings:
        """With what a sender of options says of it."""
        model = self.named(options.base_url, options.name)
        prices = None if options.prices is None else (options.prices.tokens_in, options.prices.tokens_out)
        return replace(
            model, context_tokens=options.context_tokens or model.context_tokens, prices=prices or model.prices
        )

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
        from lens_lsp.memory.keyring import kept_for

        if self.base_url is None or self._key_fits():
            return False
        try:
            return kept_for(Endpoint.of(self.base_url).origin)
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

    def _key_fits(self) -> bool:
        from lens_lsp.judge.llm.endpoint import Endpoint

        if self.key is None or self.base_url is None or self.key_belongs_to is None:
            return False
        try:
            return Endpoint.of(self.base_url).origin == Endpoint.of(self.key_belongs_to).origin
        except UsageError:
            return False
