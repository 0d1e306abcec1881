"""Answers that the user called wrong: what is kept of one, and whether another answer is the same."""

from __future__ import annotations

from collections.abc import Iterable, Set

from lens_lsp.memory.clusters import identify
from lens_lsp.model.cluster import Cluster, WrongAnswer
from lens_lsp.model.words import fold


def said(text: str, short: str | None) -> str:
    """The normal form of what an answer says: the short answer, else all of it."""
    return " ".join(fold(short or text).split())


def wrong_answers(cluster: Cluster, at: float) -> tuple[WrongAnswer, ...]:
    """The answers to the questions of a cluster, called wrong at a time in seconds since the epoch."""
    valued = {fact.id for fact in cluster.facts if fact.value is not None}
    return tuple(
        WrongAnswer(
            id=identify("wrong", asked.key, said(asked.text, asked.short)),
            question=asked.question,
            key=asked.key,
            text=asked.text,
            short=asked.short,
            oracle=asked.oracle,
            facts=tuple(dict.fromkeys(fact for fact in asked.facts if fact in valued and fact is not None)),
            at=at,
        )
        for asked in cluster.asked
    )


def called_wrong(
    known: Iterable[WrongAnswer], key: str, text: str, short: str | None, facts: Set[str]
) -> WrongAnswer | None:
    """The wrong answer that an answer repeats: to the same question in the same words, or with one of its facts."""
    same = said(text, short)
    for wrong in known:
        if not facts.isdisjoint(wrong.facts) or (wrong.key == key and said(wrong.text, wrong.short) == same):
            return wrong
    return None
