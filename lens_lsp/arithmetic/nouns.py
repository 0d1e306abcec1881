"""English nouns after a number: singular and plural, and the words that are never what is counted.

Deliberately light: the only promise is that the forms of one noun come out alike. ``units.py`` uses it for counts,
``reading.py`` for what follows a number.
"""

from __future__ import annotations

_IRREGULAR = {
    "people": "person", "persons": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse",
    "teeth": "tooth", "geese": "goose", "feet": "foot", "lives": "life", "leaves": "leaf", "halves": "half",
    "wolves": "wolf", "knives": "knife", "wives": "wife", "shelves": "shelf", "indices": "index", "matrices": "matrix",
    "vertices": "vertex", "criteria": "criterion", "phenomena": "phenomenon", "analyses": "analysis",
    "bases": "basis", "crises": "crisis", "hypotheses": "hypothesis", "theses": "thesis", "caches": "cache",
    "headaches": "headache", "heroes": "hero", "potatoes": "potato", "tomatoes": "tomato", "echoes": "echo",
    "gases": "gas", "buses": "bus", "aliases": "alias", "shoes": "shoe", "movies": "movie", "cookies": "cookie",
    "ties": "tie", "series": "series", "species": "species",
}  # fmt: skip
_PLURALS = {one: many for many, one in _IRREGULAR.items() if many != "persons"}
_NEVER_PLURAL = ("ss", "us", "is")

_FUNCTION_WORDS = """
a about above across after against ago all also although always am among an and another any are as at away b.c. be
because been before behind being below between both but by can cannot could did do does doing done down during each
either else enough even ever every few for from further gets gives had has have having he her here hers him his how
however if in into is it its itself just less like made makes many may me might more most much must my needs
neither never no nor not now of off often on once one only onto or other others our out over own per perhaps plus
rather same seems shall she should since so some still such takes than that the their theirs them then there these
they this those though through thus till times to too towards under unless until up upon us versus very via vs was
we were what when where whereas whether which while who whom whose why will with within without would x yes yet you
your besides sometimes afterwards overseas contains shows includes describes explains covers says requires uses works
means begins starts ends appears exists follows becomes remains stands lies runs comes goes allows provides
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words after a number that are not what it counts."""


def singular(noun: str) -> str:
    """The form all numbers of one noun share, in lower case: ``chapters`` and ``Chapter`` give ``chapter``."""
    noun = noun.lower()
    known = _IRREGULAR.get(noun)
    if known is not None:
        return known
    if not looks_plural(noun):
        return noun
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return noun[:-2]
    if noun.endswith("uses") and not noun.endswith(("ouses", "auses")) and len(noun) > 5:
        return noun[:-2]
    return noun[:-1]


def plural(noun: str) -> str:
    """How more than one of a singular noun are written; ``singular`` undoes it."""
    known = _PLURALS.get(noun)
    if known is not None:
        return known
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou") and len(noun) > 2:
        return noun[:-1] + "ies"
    if noun.endswith(("ss", "x", "ch", "sh", "zz", "us", "is")):
        return noun + "es"
    return noun if noun.endswith("s") or not noun.isascii() else noun + "s"


def looks_plural(word: str) -> bool:
    """Whether a word in lower case may be a noun in the plural."""
    if word in _IRREGULAR:
        return True
    return len(word) > 2 and word.endswith("s") and not word.endswith(_NEVER_PLURAL)
