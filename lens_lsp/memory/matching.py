"""When two questions are the same: equal once case, blanks, politeness, spelling and listed synonyms are set aside.

Never by similarity. A question with another entity, number, date, negation or relation is another question, and is
answered by another search; a rewording that is missed costs that search and nothing else. So only what cannot change
what is asked is touched: of the order of words a phrase that stands before a comma and the two sides of an "or".
"""

from __future__ import annotations

from collections.abc import Iterable

from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.plan import Requirement
from lens_lsp.model.words import fold

_CONTRACTIONS = (
    (regex(r"\b(what|who|where|when|how|why|which|it|that|there|here)'s\b"), r"\1 is"),
    (regex(r"\b(what|who|where|when|how|why|they|we|you)'re\b"), r"\1 are"),
    (regex(r"\bcan(?:'t|not)\b"), "can not"),
    (regex(r"\bwon't\b"), "will not"),
    (regex(r"\b(is|are|was|were|do|does|did|has|have|had|should|would|could|must)n't\b"), r"\1 not"),
)
_POLITE = regex(
    r"^(?:please |(?:can|could|would) you (?:please )?(?=tell|show|give|list|explain|find)|"
    r"(?:tell|show|give) me (?!an?\b|all\b|every\b)|i (?:want|would like) to know )+"
)
_POLITE_END = regex(r" please$")
_SAME_PHRASE = (
    (regex(r"^(?:in )?(?:what|which) year\b"), "which year"),
    (regex(r"^how (?:can|could|should|do) (?:i|you|we|one)\b"), "how to"),
    (regex(r"^how does one\b"), "how to"),
    (regex(r"^(?:list|show|give)(?: me)? all(?: of)?(?: the)?\b"), "list all"),
    (regex(r"^(?:what is|count) the number of\b"), "how many"),
    (regex(r"^how many of the\b"), "how many"),
    (regex(r"^(?:what (?:is|are)|which is) (?=the )"), ""),
    (regex(r"^what (?!(?:is|are|was|were|am|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|"
                r"had|if|about|else|for|in|on|at|by|the|an?|kind|sort)\b)"), "which "),
    (regex(r"^(?:give me|write) (?:a|the) summary of\b"), "summarize"),
    (regex(r"\bat (?:the )?(most|least)\b"), r"at \1"),
)  # fmt: skip
_SYNONYMS = {
    "big": "large", "bigger": "larger", "biggest": "largest", "movie": "film", "movies": "films",
    "colour": "color", "colours": "colors", "centre": "center", "licence": "license", "behaviour": "behavior",
    "favourite": "favorite", "catalogue": "catalog", "programme": "program", "grey": "gray", "neighbour": "neighbor",
    "organisation": "organization", "organisations": "organizations", "authorisation": "authorization",
    "summarise": "summarize", "initialise": "initialize", "serialise": "serialize", "optimise": "optimize",
    "organise": "organize", "authorise": "authorize", "initialised": "initialized", "serialised": "serialized",
}  # fmt: skip
_FRONTED = regex(
    r"^(?P<front>(?:in|on|at|during|for|since|under|within|according to|as of|by) [^,]{1,80}), (?P<rest>\S.*)$"
)
_PAIR = regex(r"^(?P<before>.*(?:, | between ))(?P<one>[^,]{1,60}?) (?P<join>and|or) (?P<other>[^,]{1,60})$")
_ONE_OF_MORE = regex(r" (?:and|or) | respectively")
_EDGE = " \t\r\n?!.,;:…\"'“”«»。？！、，"
_BLANKS = regex(r"\s+")
_ARTICLE_FOLLOWS = """
is are was were be been do does did has have had in on at of for to from by with without into onto over under than as
which who when where why how that list all summarize
"""
_BEFORE_AN_ARTICLE = frozenset(_ARTICLE_FOLLOWS.split())
_LEAST_WORDS = 2


def question_key(question: str) -> str:
    """The normal form of a question; two questions with equal forms ask the same."""
    text = _BLANKS.sub(" ", fold(question)).strip(_EDGE)
    for pattern, plain in _CONTRACTIONS:
        text = pattern.sub(plain, text)
    text = _POLITE_END.sub("", _POLITE.sub("", text)).strip(_EDGE)
    fronted = _FRONTED.match(text)
    if fronted is not None and not _ONE_OF_MORE.search(fronted["front"]):
        text = f"{fronted['rest']} {fronted['front']}"
    for pattern, plain in _SAME_PHRASE:
        text = pattern.sub(plain, text)
    pair = _PAIR.match(text)
    if pair is not None and not _ONE_OF_MORE.search(pair["one"] + pair["other"] + " "):
        first, second = sorted((_plain(pair["one"]), _plain(pair["other"])))
        return _BLANKS.sub(" ", f"{_plain(pair['before'])} {first} {pair['join']} {second}").strip()
    return _plain(text)


def requirement_key(requirement: Requirement, question: str, *, whole: bool) -> str:
    """The normal form of one required fact, with what kind of value it wants.

    ``whole`` says that the requirement's text says all that is wanted, as a model's does. What the offline rules make
    of a question is a subject and its words: that is the same fact only within the same question.
    """
    many = "many" if requirement.many else "one"
    within = "" if whole else f" | {question_key(question)}"
    return f"{many} {requirement.answer_type.value} {question_key(requirement.text)}{within}"


def likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """The share of words two questions have in common, over 0 to 1: for ranking, never for answering."""
    a, b = frozenset(one), frozenset(other)
    if min(len(a), len(b)) < _LEAST_WORDS:
        return 0.0
    return len(a & b) / len(a | b)


def _plain(text: str) -> str:
    """The words without articles and the punctuation around them, by their listed synonyms."""
    words: list[str] = []
    written = text.split(" ")
    for at, raw in enumerate(written):
        word = raw.strip(_EDGE)
        if not word or word in ("the", "an"):
            continue
        # "a" may be a name, as in "vitamin A" or "A or B".
        last = at + 1 == len(written)
        if word == "a" and not last and (not words or words[-1] in _BEFORE_AN_ARTICLE):
            continue
        words.append(_SYNONYMS.get(word, word))
    return " ".join(words)
