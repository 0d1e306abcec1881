"""Names, identifiers, options and paths of a sentence that stand nowhere in the passages it cites."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from lens_lsp.arithmetic.notation import MONTHS, ORDINAL_WORDS, STARTS
from lens_lsp.arithmetic.units import FUNCTION_WORDS
from lens_lsp.judge.figures import UNITLESS
from lens_lsp.judge.passage import Ground, Sentence, capitals_of
from lens_lsp.judge.proper_names import NO_NAMES, OPENERS
from lens_lsp.judge.tokens import Token, overlaps_any
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, fold, stem

_CODE = re.compile(r"`+([^`\n]+)`+|<kbd>([^<\n]+)</kbd>")
_IDENTIFIER = re.compile(
    r"(?<![\w@$/.-])(?:[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # addresses
    r"|--?[a-zA-Z][\w-]*|[@$][A-Za-z]\w*|[\w.-]*\w/[\w./-]*\w"  # options, variables, paths
    r"|\w*[a-z][A-Z]\w*|\w+_\w+|[A-Za-z]\w*\.[a-z]{2,4}|\.[a-z][a-z0-9]{1,5})(?![\w])"
)
_KEYS = re.compile(r"(?<![\w+])[A-Za-z]+(?:\+[A-Za-z0-9]+)+(?![\w+])")
_CAPITAL = re.compile(r"[A-Z][^\W_]*(?:['’][^\W_]+)*")
_OPENING = re.compile(r"(?:\A|[.!?:]\s|\n)[\s\"'“‘(\[*_>-]*\Z")
_SPACES = re.compile(r"\s+")
_PARTS = re.compile(r"[^\s,;+=()]+")
_WORDS = re.compile(r"[^\W_]+")
_SMALL = frozenset({"of", "the", "and", "for"})
_OPENING_WORDS = """
outside inside throughout unlike concerning regarding
"""
_COMMON = OPENERS | FUNCTION_WORDS | STARTS | frozenset(ORDINAL_WORDS) | frozenset(_OPENING_WORDS.split())
"""Words that open a sentence and name nothing, whatever follows."""
_VERBS = """
is was has had will would did does wrote said chose made can may must proposes became provides requires supports uses
offers contains includes allows says shows needs gets gives makes takes
"""
_FINITE = frozenset(_VERBS.split())
"""Verbs that show the single capitalised word before them to be a subject without an article."""
_COMMON_ENDINGS = """
s ing ed ly tion sion ment ness ity ance ence ship age al one body thing ware time work ry ure ism th
"""
_NO_NAME_ENDINGS = tuple(_COMMON_ENDINGS.split())
"""Ends of nouns that need no article."""
_COUNTED_OFF = """
chapter section step table figure part appendix article page line version note item row column day week
"""
_NO_NAMES = NO_NAMES | STOP_WORDS | frozenset(MONTHS) | frozenset(_COUNTED_OFF.split())
_SHORTEST = 4
"""The fewest letters of a stem that another may continue."""
_LONGEST_ENDING = 3
_LONGEST_INITIALS = 6


def unnamed(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    """The names of a sentence that its passages do not hold."""
    figures = sentence.figures.values
    taken = [value.span for value in figures if value.span is not None and value.unit.dimension not in UNITLESS]
    yield from _codes(sentence.text, taken, ground.everything)
    for match in _IDENTIFIER.finditer(sentence.text):
        span = Span(*match.span())
        if not overlaps_any(span, taken):
            taken.append(span)
            if not _identified(fold(match.group()), ground):
                yield span
    for match in _KEYS.finditer(sentence.text):
        span = Span(*match.span())
        if not overlaps_any(span, taken):
            taken.append(span)
            if not all(_stands(fold(key), ground.everything) for key in match.group().split("+")):
                yield span
    if sentence.english:
        yield from _capitals(sentence, taken, ground)


def _codes(text: str, taken: list[Span], everything: str) -> Iterator[Span]:
    squeezed = _SPACES.sub("", everything)
    for match in _CODE.finditer(text):
        taken.append(Span(*match.span()))
        at = match.start(1) if match[1] is not None else match.start(2)
        whole = fold(match[1] or match[2])
        if _stands(whole, everything) or _SPACES.sub("", whole) in squeezed:
            continue
        for part in _PARTS.finditer(match[1] or match[2]):
            if not _stands(fold(part.group()).strip(".:'\""), everything):
                yield Span(at + part.start(), at + part.end())


def _identified(written: str, ground: Ground) -> bool:
    if _stands(written, ground.everything):
        return True
    return "@" not in written and all(_known(part, ground.stems) for part in _WORDS.findall(written))


def _capitals(sentence: Sentence, taken: Sequence[Span], ground: Ground) -> Iterator[Span]:
    """Capitalised words; the first one of a sentence only where another or a verb shows that it is a name."""
    tokens = sentence.tokens
    for at, token in enumerate(tokens):
        if _CAPITAL.fullmatch(token.text) is None or token.word in _NO_NAMES or len(token.word) < 2:
            continue
        if overlaps_any(token.span, taken) or (
            _OPENING.search(sentence.text[: token.span.start]) is not None and not _opens_as_name(tokens, at, taken)
        ):
            continue
        if not _held(tokens, at, ground):
            yield token.span


def _opens_as_name(tokens: Sequence[Token], at: int, taken: Sequence[Span]) -> bool:
    if tokens[at].word in _COMMON or at + 1 == len(tokens):
        return False
    follows = tokens[at + 1]
    if _CAPITAL.fullmatch(follows.text) and follows.word not in MONTHS and not overlaps_any(follows.span, taken):
        return True
    if len(capitals_of(tokens[at].text)) > 2:
        return True
    return follows.word in _FINITE and not tokens[at].word.endswith(_NO_NAME_ENDINGS)


def _held(tokens: Sequence[Token], at: int, ground: Ground) -> bool:
    """Whether the passages hold a capitalised word, its initials or what its capitals stand for."""
    token = tokens[at]
    if _known(token.word, ground.stems) or _stands(token.word, ground.everything):
        return True
    capitals = capitals_of(token.text)
    if len(capitals) > 1 and (capitals in ground.capitals or _stands(capitals.lower(), ground.everything)):
        return True
    return _abbreviated(tokens, at, ground.capitals) or _spelled(token.word, token.text, ground.everything)


def _known(word: str, stems: Collection[str]) -> bool:
    own = stem(word)
    if own in stems or len(own) < _SHORTEST:
        return own in stems
    for other in stems:
        short, long = sorted((len(own), len(other)))
        near = short > _SHORTEST and long - short <= _LONGEST_ENDING
        near = near or (short == _SHORTEST and long - short < _LONGEST_ENDING)
        if near and (other.startswith(own) or own.startswith(other)):
            return True
    return False


def _stands(written: str, text: str) -> bool:
    """Whether a name stands in a text and is no part of a longer one."""
    at = text.find(written) if written else -1
    while at >= 0:
        end = at + len(written)
        before, after, beyond = text[at - 1 : at], text[end : end + 1], text[end + 1 : end + 2]
        inside = before.isalnum() and written[0].isalnum() and not (before.isdigit() and written[0].isalpha())
        begins = not inside and not (before == "-" and written[0] == "-")
        goes_on = after.isalnum() or after == "_" or (after == "-" and beyond.isalnum() and written[0] in "-$")
        if begins and not goes_on:
            return True
        at = text.find(written, at + 1)
    return False


def _abbreviated(tokens: Sequence[Token], at: int, capitals: Collection[str]) -> bool:
    """Whether a word is part of a name whose initials stand in the passages."""
    for size in range(2, _LONGEST_INITIALS + 1):
        for first in range(max(0, at - size + 1), min(at, len(tokens) - size) + 1):
            run = tokens[first : first + size]
            letters = "".join(token.text[0] for token in run if token.word not in _SMALL)
            all_letters = "".join(token.text[0].upper() for token in run)
            if (letters.isupper() and letters in capitals) or (size > 2 and all_letters in capitals):
                return True
    return False


def _spelled(word: str, text: str, everything: str) -> bool:
    """Whether a word in capitals abbreviates words that stand together in the passages."""
    if not text[: len(word)].isupper() or not 2 <= len(word) <= _LONGEST_INITIALS:
        return False
    pattern = r"\b" + r"\w*[\s-]+(?:of |the |and |for )?".join(re.escape(letter) for letter in word)
    return re.search(pattern, everything) is not None
