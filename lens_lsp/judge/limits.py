"""What limits a quote and is lost in the sentence that cites it. English.

A sentence may not say "all", "always", "only", "exactly" or "must" where its quote does not, nor leave off the
condition or the "only" of what it repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from lens_lsp.judge.passage import Ground, Sentence
from lens_lsp.judge.tokens import Token, aligned, alike, tokens_of
from lens_lsp.model.text import Span

_NUMBERS = r"two|three|four|five|six|seven|eight|nine|ten"
_ALWAYS = re.compile(
    r"\b(?:always|inevitably|definitively|definitely|whatsoever|whatever|whichever|whoever|whenever|wherever"
    r"|(?:under|in) (?:any|all|every|each) (?:circumstances?|cases?|situations?|contexts?)|at all times|regardless"
    r"|irrespective|no matter|whether or not|without exceptions?|every single|universally|invariably|unconditionally"
    r"|in full|entirely|completely|fully|full set)\b",
    re.IGNORECASE,
)
_ALWAYS_HELD = re.compile(
    r"\b(?:always|whatever|whichever|whoever|whenever|wherever"
    r"|(?:any|all|every|each) (?:\w+ )?(?:circumstances?|cases?|situations?|contexts?|times?)"
    r"|regardless|irrespective|no matter|whether|without exceptions?|universally|invariably|never|absolutely|totally"
    r"|wholly|entire(?:ly)?|complete(?:ly)?|fully|full|whole|all|every|must|anytime|forever|guarantee[ds]?)\b",
    re.IGNORECASE,
)
_EVERY = re.compile(r"\b(?:all|every|any)\b|\b(every|any)(?:one|body|thing|where)\b", re.IGNORECASE)
_EVERY_HELD = re.compile(
    r"\b(?:all|every|any|each|no|both|whole|entire)\b|\b(every|any|no)(?:one|body|thing|where)\b", re.IGNORECASE
)
_FREE = re.compile(
    r"(?:\b(?:not|no|without|if|unless|cannot|hardly|than|before|nor|prevents?|avoids?|whether|when|where|once)\b"
    r"|n['’]t\b)[^.;:]*\Z|\b(?:at|in|after|above)\s\Z",
    re.IGNORECASE,
)
"""What stands before an "any" that does not mean "every"."""
_FREE_HELD = re.compile(
    r"(?:\b(?:not|no|without|if|unless|cannot|hardly|nor|prevents?|avoids?)\b|n['’]t\b)[^.;:,]*\Z", re.IGNORECASE
)
_DENIED = re.compile(r"(?:\b(?:not|never|cannot|hardly)\b|n['’]t\b)(?:\s\w+){0,4}\s\Z", re.IGNORECASE)
_FLOATING = re.compile(r"\b(?:are|were|is|was|be|been|they|we|you|them|us|these|those)\s\Z", re.IGNORECASE)
_WHO = re.compile(r"\s(?:who|that|whose|else)\b", re.IGNORECASE)
_NUMBERED = re.compile(rf"\s(?:of the )?(?:the )?(?:[0-9]+|{_NUMBERS})\b", re.IGNORECASE)
_NUMERAL = re.compile(rf"[0-9].*|{_NUMBERS}")
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|nowhere else|nobody else|nothing else|no one else|no other|alone)\b", re.IGNORECASE
)
_ONLY_HELD = re.compile(
    r"\b(?:only|solely|exclusively|alone|else|other|must|just|single|sole|limited|except|unless|require[sd]?|needs?"
    r"|nobody|cannot|can['’]t|not|no|restricted|reserved|mere|merely|first|specific|specifically)\b",
    re.IGNORECASE,
)
_ONLY_WHEN = re.compile(r"\s(after|when|if|once|until|before)\b", re.IGNORECASE)
_ONLY_SO_MANY = re.compile(rf"\s(?:once|twice|about|around|some|[0-9~]|one|{_NUMBERS})\b", re.IGNORECASE)
_EXACT = re.compile(r"\b(?:exactly|precisely)\b", re.IGNORECASE)
_BINDING = re.compile(
    r"\b(?:must|ha(?:s|ve) to|is required|are required|mandatory|obliged|obligatory|required to|needs? to)\b",
    re.IGNORECASE,
)
_BINDING_HELD = re.compile(
    r"\b(?:must|ha(?:s|ve) to|require\w*|mandatory|oblig\w*|needs?|needed|shall|only|always|never|not|no|cannot"
    r"|necessary|ensure|make sure|will|are to|is to|please|invalid|don['’]t)\b",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\b(?:may|might|optional(?:ly)?|free to|should|recommend\w*|prefer\w*|suggest\w*|encourage\w*)\b[^.;:]*\Z",
    re.IGNORECASE,
)
_NEAR = 40
"""How far before a word its "may" or "must" is looked for, in code points."""
_ALONE = re.compile(r"\b(?:only|solely|exclusively|alone)\b", re.IGNORECASE)
_ALONE_SAID = re.compile(
    r"\b(?:only|solely|exclusively|alone|just|single|sole|limited|except|unless|nobody|nothing|none|no|not|cannot|other"
    r"|else|need(?:s|ed)?|necessary|merely|restricted|reserved|never|without|must|require[sd]?|apart|whether|opt)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:only if|only when|if|unless|provided(?: that)?|providing|except(?: for| when| if| that)?|as long as"
    r"|so long as|in case|excluding|apart from|other than|only (?:for|in|on|with|after|by))\b",
    re.IGNORECASE,
)
_CONDITION_END = re.compile(r"[,;:.()](?=\s|\Z)|\n\s*\n|\Z")
_CONDITION_SAID = re.compile(rf"{_CONDITION.pattern}|\b(?:when|where|while|without|who|whose|which)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"[,;]?\s?(?:but|unless|except|only|if|provided|as long as)\b[^.!?]*", re.IGNORECASE)
"""A limit right behind a quote that ends within its sentence."""
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|\n\s*\n")
_CORE = 3
"""The first words of a condition: where none of them is said, the condition is left off."""


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


def _every_held(match: re.Match[str], said: Sequence[Token], ground: Ground) -> bool:
    """Whether the quote says "all" of what the sentence does."""
    own = [token for token in _subjects(match, said) if any(alike(token, other) for other in ground.tokens)]
    for other in _EVERY_HELD.finditer(ground.quote):
        if own and other.group().lower().startswith("any") and _FREE_HELD.search(ground.quote[: other.start()]):
            continue
        theirs = _subjects(other, ground.tokens)
        if not own or not theirs or any(alike(one, two) for one in own for two in theirs):
            return True
    return False


def _subjects(match: re.Match[str], tokens: Sequence[Token]) -> list[Token]:
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


def _alone(said: Sequence[Token], ground: Ground) -> Iterator[Span]:
    """What the quote says of one thing only."""
    for match in _ALONE.finditer(ground.quote):
        head = _next(match.end(), ground.tokens)
        if head is not None and not head.word[0].isdigit():
            yield from (token.span for token in said if alike(head, token))


def _unconditional(said: Sequence[Token], ground: Ground) -> Iterator[Span]:
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


def _next(end: int, tokens: Sequence[Token]) -> Token | None:
    return next((token for token in tokens if token.span.start >= end and token.content), None)
