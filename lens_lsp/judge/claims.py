"""Which words of a sentence the passages it cites do not support.

No model judges: numbers, dates, units (`amounts`) and names must stand in the passages, negations and opposites must
agree with them (`polarity`), and what limits a quote must not be lost: a sentence may not say "all", "always", "only",
"exactly" or "must" where its quote does not, nor leave off the condition or the "only" of what it repeats. Negations,
limits and capitalised names are read in English only; the rest holds in every language.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from itertools import islice

from lens_lsp.arithmetic.notation import MONTHS, ORDINAL_WORDS, STARTS
from lens_lsp.arithmetic.units import FUNCTION_WORDS
from lens_lsp.judge.amounts import exchanged, unheld
from lens_lsp.judge.analysis import NO_NAMES, OPENERS
from lens_lsp.judge.claim_text import (
    UNITLESS,
    CitedPassage,
    ClaimToken,
    Ground,
    Sentence,
    aligned,
    alike,
    capitals_of,
    ground_of,
    overlaps_any,
    sentence_of,
    tokens_of,
)
from lens_lsp.judge.polarity import NEGATORS, UNSPACED_NEGATIONS, contrary
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import STOP_WORDS, fold, stem

_CODE = regex(r"`+([^`\n]+)`+|<kbd>([^<\n]+)</kbd>")
_IDENTIFIER = regex(
    r"(?<![\w@$/.-])(?:[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # addresses
    r"|--?[a-zA-Z][\w-]*|[@$][A-Za-z]\w*|[\w.-]*\w/[\w./-]*\w"  # options, variables, paths
    r"|\w*[a-z][A-Z]\w*|\w+_\w+|[A-Za-z]\w*\.[a-z]{2,4}|\.[a-z][a-z0-9]{1,5})(?![\w])"
)
_KEYS = regex(r"(?<![\w+])[A-Za-z]+(?:\+[A-Za-z0-9]+)+(?![\w+])")
_CAPITAL = regex(r"[A-Z][^\W_]*(?:['’][^\W_]+)*")
_OPENING = regex(r"(?:\A|[.!?:]\s|\n)[\s\"'“‘(\[*_>-]*\Z")
_SPACES = regex(r"\s+")
_PARTS = regex(r"[^\s,;+=()]+")
_WORDS = regex(r"[^\W_]+")
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
_NUMBERS = r"two|three|four|five|six|seven|eight|nine|ten"
_ALWAYS = regex(
    r"\b(?:always|inevitably|definitively|definitely|whatsoever|whatever|whichever|whoever|whenever|wherever"
    r"|(?:under|in) (?:any|all|every|each) (?:circumstances?|cases?|situations?|contexts?)|at all times|regardless"
    r"|irrespective|no matter|whether or not|without exceptions?|every single|universally|invariably|unconditionally"
    r"|in full|entirely|completely|fully|full set)\b",
    re.IGNORECASE,
)
_ALWAYS_HELD = regex(
    r"\b(?:always|whatever|whichever|whoever|whenever|wherever"
    r"|(?:any|all|every|each) (?:\w+ )?(?:circumstances?|cases?|situations?|contexts?|times?)"
    r"|regardless|irrespective|no matter|whether|without exceptions?|universally|invariably|never|absolutely|totally"
    r"|wholly|entire(?:ly)?|complete(?:ly)?|fully|full|whole|all|every|must|anytime|forever|guarantee[ds]?)\b",
    re.IGNORECASE,
)
_EVERY = regex(r"\b(?:all|every|any)\b|\b(every|any)(?:one|body|thing|where)\b", re.IGNORECASE)
_EVERY_HELD = regex(
    r"\b(?:all|every|any|each|no|both|whole|entire)\b|\b(every|any|no)(?:one|body|thing|where)\b", re.IGNORECASE
)
_FREE = regex(
    r"(?:\b(?:not|no|without|if|unless|cannot|hardly|than|before|nor|prevents?|avoids?|whether|when|where|once)\b"
    r"|n['’]t\b)[^.;:]*\Z|\b(?:at|in|after|above)\s\Z",
    re.IGNORECASE,
)
"""What stands before an "any" that does not mean "every"."""
_FREE_HELD = regex(
    r"(?:\b(?:not|no|without|if|unless|cannot|hardly|nor|prevents?|avoids?)\b|n['’]t\b)[^.;:,]*\Z", re.IGNORECASE
)
_DENIED = regex(r"(?:\b(?:not|never|cannot|hardly)\b|n['’]t\b)(?:\s\w+){0,4}\s\Z", re.IGNORECASE)
_FLOATING = regex(r"\b(?:are|were|is|was|be|been|they|we|you|them|us|these|those)\s\Z", re.IGNORECASE)
_WHO = regex(r"\s(?:who|that|whose|else)\b", re.IGNORECASE)
_NUMBERED = regex(rf"\s(?:of the )?(?:the )?(?:[0-9]+|{_NUMBERS})\b", re.IGNORECASE)
_NUMERAL = regex(rf"[0-9].*|{_NUMBERS}")
_ONLY = regex(
    r"\b(?:only|solely|exclusively|nowhere else|nobody else|nothing else|no one else|no other|alone)\b", re.IGNORECASE
)
_ONLY_HELD = regex(
    r"\b(?:only|solely|exclusively|alone|else|other|must|just|single|sole|limited|except|unless|require[sd]?|needs?"
    r"|nobody|cannot|can['’]t|not|no|restricted|reserved|mere|merely|first|specific|specifically)\b",
    re.IGNORECASE,
)
_ONLY_WHEN = regex(r"\s(after|when|if|once|until|before)\b", re.IGNORECASE)
_ONLY_SO_MANY = regex(rf"\s(?:once|twice|about|around|some|[0-9~]|one|{_NUMBERS})\b", re.IGNORECASE)
_EXACT = regex(r"\b(?:exactly|precisely)\b", re.IGNORECASE)
_BINDING = regex(
    r"\b(?:must|ha(?:s|ve) to|is required|are required|mandatory|obliged|obligatory|required to|needs? to)\b",
    re.IGNORECASE,
)
_BINDING_HELD = regex(
    r"\b(?:must|ha(?:s|ve) to|require\w*|mandatory|oblig\w*|needs?|needed|shall|only|always|never|not|no|cannot"
    r"|necessary|ensure|make sure|will|are to|is to|please|invalid|don['’]t)\b",
    re.IGNORECASE,
)
_LOOSE = regex(
    r"\b(?:may|might|optional(?:ly)?|free to|should|recommend\w*|prefer\w*|suggest\w*|encourage\w*)\b[^.;:]*\Z",
    re.IGNORECASE,
)
_NEAR = 40
"""How far before a word its "may" or "must" is looked for, in code points."""
_ALONE = regex(r"\b(?:only|solely|exclusively|alone)\b", re.IGNORECASE)
_ALONE_SAID = regex(
    r"\b(?:only|solely|exclusively|alone|just|single|sole|limited|except|unless|nobody|nothing|none|no|not|cannot|other"
    r"|else|need(?:s|ed)?|necessary|merely|restricted|reserved|never|without|must|require[sd]?|apart|whether|opt)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_CONDITION = regex(
    r"\b(?:only if|only when|if|unless|provided(?: that)?|providing|except(?: for| when| if| that)?|as long as"
    r"|so long as|in case|excluding|apart from|other than|only (?:for|in|on|with|after|by))\b",
    re.IGNORECASE,
)
_CONDITION_END = regex(r"[,;:.()](?=\s|\Z)|\n\s*\n|\Z")
_CONDITION_SAID = regex(rf"{_CONDITION.pattern}|\b(?:when|where|while|without|who|whose|which)\b", re.IGNORECASE)
_GOES_ON = regex(r"[,;]?\s?(?:but|unless|except|only|if|provided|as long as)\b[^.!?]*", re.IGNORECASE)
"""A limit right behind a quote that ends within its sentence."""
_SENTENCE_END = regex(r"[.!?](?=\s|\Z)|\n\s*\n")
_CORE = 3
"""The first words of a condition: where none of them is said, the condition is left off."""
_LIMITS = """
all always every any each only must should may might some sometimes usually often most mostly generally typically least
exactly unless except if entirely fully alone
"""
_LIMITING = frozenset(_LIMITS.split())
"""Words that say of how much something holds."""


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


def _opens_as_name(tokens: Sequence[ClaimToken], at: int, taken: Sequence[Span]) -> bool:
    if tokens[at].word in _COMMON or at + 1 == len(tokens):
        return False
    follows = tokens[at + 1]
    if _CAPITAL.fullmatch(follows.text) and follows.word not in MONTHS and not overlaps_any(follows.span, taken):
        return True
    if len(capitals_of(tokens[at].text)) > 2:
        return True
    return follows.word in _FINITE and not tokens[at].word.endswith(_NO_NAME_ENDINGS)


def _held(tokens: Sequence[ClaimToken], at: int, ground: Ground) -> bool:
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


def _abbreviated(tokens: Sequence[ClaimToken], at: int, capitals: Collection[str]) -> bool:
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


def unlimited(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    """The words of a sentence that go further than the quote."""
    yield from _always(sentence.text, ground.quote)
    yield from _every(sentence, ground)
    yield from _only(sentence.text, ground.quote)
    yield from _binding(sentence, ground)
    if _ALONE_SAID.search(sentence.text) is None:
        yield from islice(_alone(sentence.tokens, ground), 1)
    if _CONDITION_SAID.search(sentence.text) is None:
        yield from islice(_unconditional(sentence.tokens, ground), 1)


def _always(text: str, quote: str) -> Iterator[Span]:
    if any(_FREE_HELD.search(quote[: match.start()]) is None for match in _ALWAYS_HELD.finditer(quote)):
        return
    for match in _ALWAYS.finditer(text):
        if _DENIED.search(text[: match.start()]) is None:
            yield Span(*match.span())


def _every(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    for match in _EVERY.finditer(sentence.text):
        before = sentence.text[: match.start()]
        known = _NUMBERED.match(sentence.text, match.end()) or _FLOATING.search(before) or _DENIED.search(before)
        anybody = match[1] is not None and _WHO.match(sentence.text, match.end())
        free = match.group().lower().startswith("any") and _FREE.search(before)
        if not (known or anybody or free or _every_held(match, sentence.tokens, ground)):
            yield Span(*match.span())


def _every_held(match: re.Match[str], said: Sequence[ClaimToken], ground: Ground) -> bool:
    """Whether the quote says "all" of what the sentence does."""
    own = [token for token in _subjects(match, said) if any(alike(token, other) for other in ground.tokens)]
    for other in _EVERY_HELD.finditer(ground.quote):
        if own and other.group().lower().startswith("any") and _FREE_HELD.search(ground.quote[: other.start()]):
            continue
        theirs = _subjects(other, ground.tokens)
        if not own or not theirs or any(alike(one, two) for one in own for two in theirs):
            return True
    return False


def _subjects(match: re.Match[str], tokens: Sequence[ClaimToken]) -> list[ClaimToken]:
    """What a word such as "all" may speak of; nothing where it speaks of persons or things at large."""
    if match[1] is not None:
        return []
    content = [token for token in tokens if token.content and not _NUMERAL.fullmatch(token.word)]
    behind = [token for token in content if token.span.start >= match.end()]
    before = [token for token in content if token.span.end <= match.start()]
    return [*behind[:2], *before[-1:]]


def _only(text: str, quote: str) -> Iterator[Span]:
    """ "Only" and "exactly" that the quote does not say."""
    if _ONLY_HELD.search(quote) is None:
        for match in _ONLY.finditer(text):
            when = _ONLY_WHEN.match(text, match.end())
            held = when is not None and when[1].lower() in quote.lower()
            if not held and _ONLY_SO_MANY.match(text, match.end()) is None:
                yield Span(*match.span())
    if _EXACT.search(quote) is None:
        yield from (Span(*match.span()) for match in _EXACT.finditer(text))


def _binding(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    """Where the sentence demands what the quote only allows or recommends."""
    for match in _BINDING.finditer(sentence.text):
        head = _next(match.end(), sentence.tokens)
        if head is None or _DENIED.search(sentence.text[: match.start()]):
            continue
        starts = [token.span.start for token in ground.tokens if alike(head, token)]
        before = [ground.quote[max(0, start - _NEAR) : start] for start in starts]
        if before and all(_LOOSE.search(part) and _BINDING_HELD.search(part) is None for part in before):
            yield Span(*match.span())


def _alone(said: Sequence[ClaimToken], ground: Ground) -> Iterator[Span]:
    """What the quote says of one thing only."""
    for match in _ALONE.finditer(ground.quote):
        head = _next(match.end(), ground.tokens)
        if head is not None and not head.word[0].isdigit():
            yield from (token.span for token in said if alike(head, token))


def _unconditional(said: Sequence[ClaimToken], ground: Ground) -> Iterator[Span]:
    """What the quote makes depend on something that the sentence leaves off."""
    goes_on = _GOES_ON.match(ground.behind)
    quote = ground.quote if goes_on is None else f"{ground.quote.rstrip()} {goes_on.group()}"
    tokens = ground.tokens if goes_on is None else tokens_of(quote)
    pairs = aligned(tokens, said)
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(quote)), len(quote) + 1]
    found = []
    for match in _CONDITION.finditer(quote):
        stop = next(_CONDITION_END.finditer(quote, match.end())).start()
        first, last = max(end for end in ends if end <= match.start()), min(end for end in ends if end > match.start())
        inside = [at for at, token in enumerate(tokens) if match.end() <= token.span.start < stop and token.content]
        main = [
            at
            for at, token in enumerate(tokens)
            if first <= token.span.start < last and token.content and at not in inside
        ]
        if any(at in pairs for at in inside[:_CORE]):
            return
        spans = [said[place].span for at in main for place in pairs.get(at, ())]
        if inside and spans and 2 * sum(at in pairs for at in main) >= len(main):
            found.append(Span(min(spans).start, max(span.end for span in spans)))
    yield from found


def _next(end: int, tokens: Sequence[ClaimToken]) -> ClaimToken | None:
    return next((token for token in tokens if token.span.start >= end and token.content), None)


class Reason(StrEnum):
    """What is wrong with words that no passage supports."""

    NUMBER = "number"
    UNIT = "unit"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"
    """The passages say the opposite."""
    LIMIT = "limit"
    """The passages say less: of some, sometimes, or on a condition."""
    MEANING = "meaning"
    """The passages do not say so. No rule sees this."""


LITERAL = frozenset({Reason.NUMBER, Reason.UNIT, Reason.DATE})
"""What is compared letter by letter: no judge overrules the rules there."""


@dataclass(frozen=True, slots=True, order=True)
class Mismatch:
    """Words of a sentence that its passages do not support: their place in it, and what is wrong with them."""

    span: Span
    reason: Reason


def check(text: str, passages: Sequence[CitedPassage]) -> tuple[Mismatch, ...]:
    """The words of a sentence that the passages it cites do not support, in order; none where all are supported.

    Markers of citations are no part of the sentence.
    """
    if _is_quoted(text, passages):
        return ()
    doubts = set(_doubts(sentence_of(text), ground_of(passages)))
    return tuple(sorted(doubts))


def is_arguable(text: str, passages: Sequence[CitedPassage]) -> bool:
    """Whether rules tell too little of a sentence: it or what it cites denies something, or it generalises or limits
    what it cites by a word that does not stand there. A sentence that is quoted is beyond doubt."""
    if _is_quoted(text, passages):
        return False
    quotes = "\n".join(passage.quote for passage in passages)
    said, cited = _words(text), _words(quotes)
    unspaced = any(negation in text or negation in quotes for negation in UNSPACED_NEGATIONS)
    return unspaced or any(map(_negates, said | cited)) or bool((said - cited) & _LIMITING)


def check_short(text: str, passages: Sequence[CitedPassage]) -> tuple[Mismatch, ...]:
    """The numbers, dates, units and names of a short answer that no passage holds, in order. It is no sentence: what it
    says of them stands in the question."""
    return tuple(sorted(set(_beyond(sentence_of(text), ground_of(passages)))))


def _beyond(sentence: Sentence, ground: Ground) -> Iterator[Mismatch]:
    """What stands in no passage at all."""
    yield from (Mismatch(span, Reason(kind)) for span, kind in unheld(sentence, ground))
    yield from (Mismatch(span, Reason.NAME) for span in unnamed(sentence, ground))


def _doubts(sentence: Sentence, ground: Ground) -> Iterator[Mismatch]:
    yield from _beyond(sentence, ground)
    yield from (Mismatch(span, Reason.NUMBER) for span in exchanged(sentence, ground))
    if sentence.english:
        yield from (Mismatch(span, Reason.NEGATION) for span in contrary(sentence, ground))
        yield from (Mismatch(span, Reason.LIMIT) for span in unlimited(sentence, ground))


def _words(text: str) -> set[str]:
    return {token.word.replace("’", "'") for token in tokens_of(text)}


def _negates(word: str) -> bool:
    return word in NEGATORS or word.endswith("n't")


def _is_quoted(text: str, passages: Sequence[CitedPassage]) -> bool:
    """Whether a sentence is a whole quote or a whole sentence of one, but for white space."""
    own = " ".join(text.split())
    for passage in passages:
        spans = (Span(0, len(passage.quote)), *sentences(passage.quote, Span(0, len(passage.quote))))
        if any(own == " ".join(passage.quote[span.start : span.end].split()) for span in spans):
            return True
    return False
