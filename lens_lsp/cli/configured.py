"""The model that the environment names, by our own variables only: ``OPENAI_*`` and proxies are never looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from lens_lsp.domain.answer import Mode
from lens_lsp.domain.errors import UsageError

if TYPE_CHECKING:
    from lens_lsp.models.openai import OpenAIChat

_NEEDED = ("LENS_BASE_URL", "LENS_MODEL")


@dataclass(frozen=True, slots=True)
class Configured:
    """Base URL, name and, where one is needed, the key of a model. It shows the key to nobody."""

    base_url: str
    name: str
    key: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self | None:
        """What the environment says; None unless both base URL and name are set."""
        base_url, name = (environment.get(variable, "") for variable in _NEEDED)
        return cls(base_url, name, environment.get("LENS_API_KEY") or None) if base_url and name else None

    def chat(self) -> OpenAIChat:
        """The model, nothing opened yet. Raises `UsageError` for a base URL or a key that cannot be meant."""
        from lens_lsp.models.openai import OpenAIChat

        return OpenAIChat(self.base_url, self.name, self.key)


def mode_and_model(name: str, environment: Mapping[str, str]) -> tuple[Mode, Configured | None]:
    """What ``--mode`` means here. Raises `UsageError` for a mode that needs a model where none is configured."""
    if name == Mode.EVIDENCE.value:
        return Mode.EVIDENCE, None
    model = Configured.of(environment)
    if model is not None:
        return (Mode.FAST if name == "auto" else Mode(name)), model
    if name == "auto":
        return Mode.EVIDENCE, None
    missing = [variable for variable in _NEEDED if not environment.get(variable)]
    raise UsageError(
        f"--mode {name} needs a model: set {' and '.join(missing)}; --mode evidence works now, without one"
    )
