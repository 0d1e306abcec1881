"""`Lens.ask` with the parts of its request and of its terms by their names, for helpers that pass options on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import fields
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.app.settings import Request
from lens_lsp.model.answer import Event

_OF_TERMS = {each.name for each in fields(Terms)}
_OF_REQUEST = {each.name for each in fields(Request)} - _OF_TERMS


def by_name(lens: Lens, question: str, **options: Any) -> AsyncGenerator[Event]:
    """The events of a question."""
    terms, request, rest = ({name: options[name] for name in options if name in names} for names in _parts(options))
    return lens.ask(Request(question, **request), Terms(**terms), **rest)


def _parts(options: dict[str, Any]) -> tuple[set[str], set[str], set[str]]:
    return _OF_TERMS, _OF_REQUEST, options.keys() - _OF_TERMS - _OF_REQUEST
