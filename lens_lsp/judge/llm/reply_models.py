"""The parts of a model's reply as pydantic models: extra keys are ignored, numbers may be strings and the other way
round, strings are cleaned and bounded. What still does not fit is left out, part by part."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from lens_lsp.judge.answer_markdown import unlinked, without_addresses
from lens_lsp.judge.redaction import visible
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import AnswerType, Combination, Intent

LONGEST_LINE = 300
"""Code points of a fact, a label, a value."""
LONGEST_QUOTE = 4_000
"""Code points of a quote: more than a region holds is none of it."""
LONGEST_WORD = 64
_HALVES = re.compile("[\ud800-\udfff]")
_FACT_ID = re.compile(r"[\s\[(\"']{0,3}f?(?:act)?[ _]{0,2}([0-9]{1,2})[\s\])\"':.]{0,3}", re.IGNORECASE)
_REGION = re.compile(r"[\s\[(\"']{0,3}(?:region)?\s{0,2}#?([0-9]{1,4})(?:\.0)?[\s\])\"':.]{0,3}", re.IGNORECASE)
_UNSAID = frozenset({"", "null", "none", "n/a", "unknown", "not found", "not given", "..."})


def _written(value: Any) -> str:
    """A string, or a number as one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("neither text nor a number")  # noqa: TRY004  pydantic lets a TypeError through
    return str(value)[: LONGEST_QUOTE + 1]


def line(value: Any) -> str:
    """One line that may be shown."""
    return " ".join(visible(_written(value)).split())[:LONGEST_LINE].strip()


def said(value: Any) -> str | None:
    """One line, None for what only says that there is none."""
    if value is None:
        return None
    written = line(value)
    return None if written.lower() in _UNSAID else written


def _expression(value: Any) -> str | None:
    """Cut short it would compute something else, so a long one is none."""
    return None if isinstance(value, str) and len(value) > LONGEST_LINE else said(value)


def _word(value: Any) -> str:
    return line(value)[:LONGEST_WORD].strip()


def _quote(value: Any) -> str | None:
    if value is None:
        return None
    written = _HALVES.sub("\ufffd", _written(value))
    return written if written.strip() and len(written) <= LONGEST_QUOTE else None


def _fact(value: Any) -> str:
    match = _FACT_ID.fullmatch(_written(value))
    if match is None:
        raise ValueError("no fact's id")
    return f"f{int(match[1])}"


def _region(value: Any) -> int:
    match = _REGION.fullmatch(_written(value))
    if match is None:
        raise ValueError("no region's number")
    return int(match[1])


def _folded(value: Any) -> str:
    return _written(value).strip().lower()


def _kind(value: Any) -> str:
    folded = "any" if value is None else _folded(value)
    return folded if folded in set(AnswerType) else AnswerType.ANY


def _combine(value: Any) -> str | None:
    folded = "" if value is None else _folded(value)
    return folded if folded in set(Combination) else None


def _intent(value: Any) -> str:
    folded = "" if value is None else _folded(value)
    return folded if folded in set(Intent) else Intent.LOOKUP


def _flag(value: Any) -> bool:
    return value is True or value == 1 or (isinstance(value, str) and value.strip().lower() in ("true", "yes"))


def _shown(value: Any) -> str | None:
    """One line that is shown as it is, also where Markdown is rendered."""
    written = said(value)
    return None if written is None else without_addresses(written)


def _short(value: Any) -> str | None:
    """The same with its addresses: one may be what was asked for."""
    written = said(value)
    return None if written is None else unlinked(written)


Said = Annotated[str | None, BeforeValidator(said)]
FactId = Annotated[str, BeforeValidator(_fact)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


Statement = Annotated[str, BeforeValidator(lambda value: without_addresses(line(value)))]


class FactPart(_Part):
    """A fact that a question needs."""

    text: Statement
    type: Annotated[AnswerType, BeforeValidator(_kind)] = AnswerType.ANY
    many: Annotated[bool, BeforeValidator(_flag)] = False
    label: Annotated[str | None, BeforeValidator(_shown)] = None


class PlanPart(_Part):
    """A question's intent and how its facts combine."""

    intent: Annotated[Intent, BeforeValidator(_intent)] = Intent.LOOKUP
    combine: Annotated[Combination | None, BeforeValidator(_combine)] = None
    expression: Annotated[str | None, BeforeValidator(_expression)] = None
    document: Said = None


class FoundPart(_Part):
    """What one region says of one fact."""

    region: Annotated[int, BeforeValidator(_region)]
    fact: FactId
    verdict: Annotated[Verdict, BeforeValidator(_folded)]
    quote: Annotated[str | None, BeforeValidator(_quote)] = None
    value: Said = None


class TermsPart(_Part):
    """New search terms of one fact."""

    fact: FactId
    words: Any = ()


class IdPart(_Part):
    """A fact's id by itself."""

    fact: FactId


class RewrittenPart(_Part):
    """A fact in other words."""

    fact: FactId
    text: Statement


class WordPart(_Part):
    """A search term by itself."""

    word: Annotated[str, BeforeValidator(_word)]


class ShortPart(_Part):
    """A short answer."""

    short: Annotated[str | None, BeforeValidator(_short)] = None
