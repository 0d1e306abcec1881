"""From what a model says a question needs to a plan that the search can rely on.

The question's own words stay anchors, whatever the model thinks of them; what it adds comes behind them. A rule for
combining the facts is taken only if our arithmetic can follow it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lens_lsp.arithmetic.expression import LONGEST
from lens_lsp.judge.analysis import terms
from lens_lsp.judge.llm.replies import Decomposition, SaidFact
from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.plan import (
    LONGEST_TEXT,
    VALUE_OF,
    Anchor,
    AnchorKind,
    Combination,
    Intent,
    Plan,
    Requirement,
    Transformation,
)
from lens_lsp.model.words import STOP_WORDS, content, fold, key

_ID = re.compile(r"\bf([0-9]+)\b")
_COUNTING = frozenset({Combination.COUNT, Combination.LIST})


def _requirements(facts: Sequence[SaidFact], *, counting: bool) -> tuple[Requirement, ...]:
    """The facts of a plan. ``{f1}`` in one stands for the value of a fact before it; until that is known, for what that
    fact asks for."""
    texts: dict[str, str] = {}
    found = []
    for number, fact in enumerate(facts, 1):
        name = f"f{number}"
        template = VALUE_OF.sub(lambda one: one[0] if one[1] in texts else "", fact.text)
        texts[name] = VALUE_OF.sub(lambda one: _inside(texts[one[1]]), template)[:LONGEST_TEXT]
        builds = VALUE_OF.search(template) is not None
        found.append(
            Requirement(
                name,
                texts[name],
                many=fact.many or counting,
                answer_type=fact.answer_type,
                template=template if builds else None,
            )
        )
    return tuple(found)


def _inside(text: str) -> str:
    """A statement as a part of another one."""
    return text[:1].lower() + text[1:] if key(text).partition(" ")[0] in STOP_WORDS else text


def plan_of(question: str, said: Decomposition, anchors: Sequence[str]) -> Plan:
    """The plan of a question; ``anchors`` are the search terms that the model adds to its words. Facts that share no
    content word with the question are of another one: the plan is that of the rules."""
    rules = offline_plan(question)
    asked = content(question)
    if asked and not asked & content(*(fact.text for fact in said.facts)):
        return rules
    if said.intent is Intent.AGGREGATION and any(requirement.rule for requirement in rules.requirements):
        # Counting every match of the scan is exact, and no model sees the whole workspace.
        return replace(rules, anchors=_with(rules.anchors, anchors, rules.requirements))
    transformation = _transformation(said)
    counting = transformation is not None and transformation.kind in _COUNTING
    requirements = _requirements(said.facts, counting=counting)
    intent = said.intent
    if transformation is None and intent is Intent.COMPARISON:
        intent = Intent.LOOKUP  # nothing is left to compare by rule; the synthesis sees both facts
    document = None
    if intent is Intent.SUMMARIZE:
        document = rules.document or (key(said.document) if said.document else None) or None
    return replace(
        rules,
        requirements=requirements,
        anchors=_with(rules.anchors, anchors, requirements),
        intent=intent,
        transformation=transformation,
        document=document,
    )


def _with(own: Sequence[Anchor], added: Sequence[str], requirements: Sequence[Requirement]) -> tuple[Anchor, ...]:
    """The question's anchors and the added ones, each serving the facts that name it, all when none does."""
    found = {(anchor.text, anchor.kind): anchor for anchor in own}
    for written in added:
        folded = key(written)
        if " " in folded:
            found.setdefault((folded, AnchorKind.PHRASE), Anchor(folded, AnchorKind.PHRASE))
        for term, kind in terms(fold(written)):
            found.setdefault((term, kind), Anchor(term, kind))
    named = [(requirement.id, f" {key(requirement.text)} ") for requirement in requirements]
    ids = tuple(requirement.id for requirement in requirements)
    return tuple(
        replace(anchor, requirements=tuple(name for name, text in named if f" {anchor.text} " in text) or ids)
        for anchor in found.values()
    )


def _transformation(said: Decomposition) -> Transformation | None:
    kind, count = said.combine, len(said.facts)
    labels = tuple(fact.label or fact.text for fact in said.facts)
    if kind is None:
        return None
    if kind in _COUNTING:
        return Transformation(kind, labels=labels) if said.intent is Intent.AGGREGATION else None
    if kind is Combination.EXPRESSION:
        used = {int(number) for number in _ID.findall(said.expression or "")}
        if not used or len(said.expression or "") > LONGEST or not used <= set(range(1, count + 1)):
            return None
        return Transformation(kind, said.expression, labels)
    return Transformation(kind, labels=labels) if count > 1 else None
