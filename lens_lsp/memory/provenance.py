"""What of an answer may be kept, and shown again without the model that worded it: quotes, and what stands in them.

A model's words are a wording, never a fact. Where they cannot be held against a quote, the quotes speak for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from lens_lsp.model.cluster import OFFLINE, Asked, Citation, Cluster, KnownFact
from lens_lsp.model.sanitize import printable
from lens_lsp.model.words import stands_in

NOT_KEPT = "*Worded by a model, which is no evidence: these are the passages that it cited.*"
_MARKER = re.compile(r"\[(?=\^?\d+\])")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_MOST_QUOTED = 600


def is_quoted(value: str, quotes: Iterable[str]) -> bool:
    """Whether a value stands in one of some quotes: its words, and its numbers whole."""
    numbers = set(_NUMBER.findall(value))
    return any(stands_in(value, quote) and numbers <= set(_NUMBER.findall(quote)) for quote in quotes)


def quoted(quotes: Sequence[str]) -> str:
    """An answer in quotes alone, each with its number, from 1."""
    return "\n\n".join([*(f"> {_line(quote)} [{n}]" for n, quote in enumerate(quotes, 1)), NOT_KEPT])


def words_of(asked: Asked, citations: Mapping[str, Citation]) -> str:
    """What a question was answered, for people who read what is known: the rules' own words, else the quotes."""
    if asked.oracle == OFFLINE:
        return asked.text
    return quoted([citations[id_].quote for id_ in asked.evidence if id_ in citations])


def short_of(asked: Asked, citations: Mapping[str, Citation]) -> str | None:
    """The short answer, if the rules gave it, it was computed, or it stands in a quote."""
    quotes = [citations[id_].quote for id_ in asked.evidence if id_ in citations]
    derived = asked.short is None or asked.oracle == OFFLINE or is_computed(asked.short, asked)
    return asked.short if derived or is_quoted(asked.short or "", quotes) else None


def is_computed(value: str, asked: Asked) -> bool:
    """Whether our own arithmetic gave a value."""
    return asked.computation is not None and value == asked.computation.value


def value_of(fact: KnownFact, cluster: Cluster) -> str | None:
    """The value of a fact, if rules found it, our arithmetic gave it, or it stands in one of its quotes."""
    named = [asked for asked in cluster.asked if fact.id in asked.facts]
    citations = dict(cluster.citations)
    quotes = [citations[id_].quote for id_ in fact.evidence if id_ in citations]
    if fact.value is None or any(a.oracle == OFFLINE or is_computed(fact.value, a) for a in named):
        return fact.value
    return fact.value if is_quoted(fact.value, quotes) or _is_count(fact.value, len(quotes)) else None


def _is_count(value: str, most: int) -> bool:
    """Whether a value is no more than how many passages were counted."""
    return value.replace(",", "").isdecimal() and int(value.replace(",", "")) == most


def _line(quote: str) -> str:
    """A quote on one line, without a marker that could pass for one of ours."""
    line = " ".join(printable(quote).split())
    line = line if len(line) <= _MOST_QUOTED else f"{line[: _MOST_QUOTED - 1]}…"
    return _MARKER.sub(r"\\[", line)
