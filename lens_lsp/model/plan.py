"""What a question asks for, before any document was seen: intent, requirements, anchors, how facts combine.

Paper, section 3: the intent I(q) induces the requirements D_req(q, I) = {f_1, …, f_K} together with optional
transformation rules that combine them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

VALUE_OF = regex(r"\{(f[0-9])\}")
"""What stands in the text of a fact for the value of another."""
LONGEST_TEXT = 600
"""Code points of a fact with another one in its words."""
MOST_REQUIREMENTS = 8
"""K at most: what one plan may ask for."""
SIGNALS = ("lexical", "path", "summaries", "history", "scans", "links")
"""The five signal families of the prior. ``links`` are a part of scans, with what the best documents lack."""
LOOP = ("prior", "exploration", "arm-lexical", "arm-local", "arm-global", "lambda", "rules")
"""In `ask` alone: the multi-signal prior, the loop, single arms, the adaptation of λ, the rules that answer where
nothing of what a model says may stand."""


class Intent(StrEnum):
    """What kind of answer a question wants (paper, equation for I(q))."""

    LOOKUP = "lookup"
    COMPUTATION = "computation"
    COMPARISON = "comparison"
    AGGREGATION = "aggregation"
    SUMMARIZE = "summarize"


class AnswerType(StrEnum):
    """What kind of thing the question word asks for."""

    ANY = "any"
    DATE = "date"
    NUMBER = "number"
    PERSON = "person"


class AnchorKind(StrEnum):
    """What a search term is."""

    TERM = "term"
    PHRASE = "phrase"
    ENTITY = "entity"
    DATE = "date"
    NUMBER = "number"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A search term or phrase, folded; the requirements it serves by id."""

    text: str
    kind: AnchorKind = AnchorKind.TERM
    weight: float = 1.0
    requirements: tuple[str, ...] = ("f1",)


class Unit(StrEnum):
    """What an aggregation counts or lists."""

    FILE = "file"
    LINE = "line"
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class Condition:
    """What a value in a matching line must satisfy: ``"<"``, ``"<="``, ``">"``, ``">="``, ``"="``, ``"in"`` (a date
    within the period ``value`` names); ``value`` as written in the question."""

    relation: str
    value: str


@dataclass(frozen=True, slots=True)
class MatchRule:
    """Which places a ``many`` requirement wants when that can be said exactly: all matches of the scan are checked.

    ``phrases`` are folded keys that must all stand in one line (in one file when ``unit`` is ``FILE``);
    ``files`` are folded words that path or title of the file must hold.
    """

    phrases: tuple[str, ...]
    unit: Unit = Unit.FILE
    condition: Condition | None = None
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Requirement:
    """One atomic fact the question needs (paper, Definition 2)."""

    id: str
    text: str
    many: bool = False
    """All matching windows are wanted, not one."""
    answer_type: AnswerType = AnswerType.ANY
    names: tuple[str, ...] = ()
    """Folded keys of the names a proof must hold, in its text or in the title and headings above it."""
    rule: MatchRule | None = None
    """For ``many``: the exact rule, when there is one."""
    template: str | None = None
    """Where it builds on what other facts find: its text with ``{f1}`` for the value of f1. Until that is known
    ``text`` says what f1 asks for."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The ids of the facts that it builds on."""
        return () if self.template is None else tuple(dict.fromkeys(VALUE_OF.findall(self.template)))


def filled(requirements: Iterable[Requirement], values: Mapping[str, str]) -> dict[str, str]:
    """The texts of those requirements that build on others of which all ``values`` are known, with these in them."""
    return {
        one.id: VALUE_OF.sub(lambda found: values[found[1]], one.template)[:LONGEST_TEXT]
        for one in requirements
        if one.template is not None and values.keys() >= set(one.needs)
    }


class Combination(StrEnum):
    """How the facts become the answer."""

    EXPRESSION = "expression"
    """Arithmetic over the requirements' values: ``"f1 - f2"``."""
    LEAST = "least"
    GREATEST = "greatest"
    """The requirement with the least or greatest value is the answer."""
    SAME = "same"
    """Whether all values agree."""
    COUNT = "count"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Transformation:
    """A transformation rule of the paper: how the requirements' values combine into the answer."""

    kind: Combination
    expression: str | None = None
    """For ``EXPRESSION``, in the language of ``computation.expression``, over requirement ids."""
    labels: tuple[str, ...] = ()
    """What to call each requirement's subject in the answer, in order."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question asks for, before any document was seen."""

    question: str
    requirements: tuple[Requirement, ...]
    anchors: tuple[Anchor, ...]
    answer_type: AnswerType = AnswerType.ANY
    intent: Intent = Intent.LOOKUP
    transformation: Transformation | None = None
    document: str | None = None
    """For ``SUMMARIZE``: the folded name of the document or section to summarise, when the question names one."""
