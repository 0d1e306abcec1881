"""What is looked for: sets of 12 and 40 terms for each corpus, as case-insensitive literals.

ripgrep reports matches that do not overlap, whichever pattern they belong to. So that every occurrence counts on both
sides, no two terms of a set can overlap in any text: none is part of another and none begins as another ends. There
are names, phrases, rare and very frequent words, accents and other scripts among them; each occurs in its corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from lens_lsp.corpus.scan import Literal

ARTICLES_12 = (
    "Corliss Archer",
    "Shirley Temple",
    "prime minister",
    "film director",
    "Supreme Court",
    "ambassador",
    "composer",
    "portrayed",
    "chief executive",
    "science fiction",
    "Kansas City",
    "village",
)
ARTICLES_40 = (
    *ARTICLES_12,
    "American",
    "born",
    "university",
    "population",
    "football league",
    "award",
    "premiere",
    "screenwriter",
    "published",
    "ice hockey",
    "author",
    "musician",
    "basketball",
    "singer",
    "headquarter",
    "company",
    "Walt Disney",
    "heavy metal",
    "president",
    "county",
    "mountain",
    "military",
    "station",
    "Soviet Union",
    "José",
    "Malmö",
    "Fédération",
    "北京",
)
PAGES_12 = (
    "command prompt",
    "Solution Explorer",
    "virtual function",
    "copy constructor",
    "scroll bar",
    "memory allocation",
    "character set",
    "fatal error",
    "background color",
    "Active Template",
    "bounding rectangle",
    "hierarchy chart",
)
PAGES_40 = (
    *PAGES_12,
    "compiler",
    "iterator",
    "handler",
    "buffer",
    "smart pointer",
    "statement",
    "conversion",
    "precompiled header",
    "scheduler",
    "property sheet",
    "calling convention",
    "constant",
    "implement",
    "predicate",
    "module",
    "wizard",
    "insert",
    "binary",
    "keyword",
    "import",
    "queue",
    "hash function",
    "variable",
    "Microsoft Foundation",
    "semaphore",
    "instance",
    "Lüscher",
    "weiß",
)
MIXED_12 = (*ARTICLES_12[:8], *PAGES_12[2:6])
MIXED_40 = (
    *MIXED_12,
    *("American", "born", "university", "population", "football league", "award", "screenwriter", "published"),
    *("author", "musician", "basketball", "company", "mountain", "José", "Malmö", "Fédération", "北京"),
    *("compiler", "handler", "parameter", "buffer", "statement", "conversion", "scheduler", "value", "binary"),
    *("keyword", "weiß"),
)
TERMS = {
    "A": {"T12": ARTICLES_12, "T40": ARTICLES_40},
    "docs": {"T12": PAGES_12, "T40": PAGES_40},
    "C": {"T12": MIXED_12, "T40": MIXED_40},
}
"""By corpus and by name of the set."""

_MOST_SPELLINGS = 16


def literals(terms: Sequence[str]) -> list[tuple[Literal, ...]]:
    """What counts as each term in texts whose ASCII letters were lowered: letters outside ASCII in either case."""
    return [tuple(Literal(data, word_start=False, suffix=None) for data in spellings(term)) for term in terms]


def spellings(term: str) -> list[bytes]:
    """A term with each letter outside ASCII in lower and upper case, ASCII lowered."""
    letters = [_cases(letter) for letter in term.lower()]
    found = list(dict.fromkeys("".join(choice).encode() for choice in product(*letters)))
    if len(found) > _MOST_SPELLINGS:
        raise ValueError(f"{term!r} has too many letters outside ASCII")
    return found


def overlapping(terms: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of terms, or a term and itself, of which the second can begin inside the first."""
    spelt = [(term, data) for term in terms for data in spellings(term)]
    return [
        (one, other)
        for one, first in spelt
        for other, second in spelt
        for at in range(first == second, len(first))
        if second.startswith(first[at : at + len(second)])
    ]


def _cases(letter: str) -> list[str]:
    if letter.isascii():
        return [letter]
    return [case for case in dict.fromkeys((letter, letter.upper())) if len(case) == 1]
