"""The words of a sentence and of what it cites, and which of them are the same word.

Markup is blanked first, character by character, so that a place in the blanked text is a place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, fold, stem

_TARGET = re.compile(r"(?<=\])(?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|\[[^\]\n]{0,80}\])")
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9-]{0,20}(?:\s[^<>\n]{0,200})?/?>")
_MATH = re.compile(r"(?<![\w\\$])(\${1,2})(?=\S)([^$\n]{1,400}?)(?<=\S)\1(?!\w)")
_ESCAPE = re.compile(r"\\(?=[^\w\s])")
_EMPHASIS = re.compile(r"(?<![^\W_])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![^\W_])|[|]")
_ASIDE = re.compile(
    r",\s(?:for example|for instance|however|of course|in turn|therefore|in fact|by default|in general|then),",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CODE = re.compile(r"`[^`\n]+`")
_END = re.compile(r"[.!?](?=\s|\Z)|\n\s*(?:\n|[-*+]\s|[0-9]{1,3}\.\s)")
_BREAK = re.compile(rf"[,;:()–—|]|--|{_END.pattern}")
_SAME = """
long length lasted duration
tall height high
high height altitude elevation
deep depth
wide width
large size area population big
big size large
small size
heavy weight weigh mass
weigh weight heavy mass
light weight weigh mass
short length height long
low height
hot temperature warm degrees
cold temperature degrees
warm temperature degrees
fast speed quick
old age born founded established built aged
young born age
far distance away
expensive price cost
cheap price cost
cost price paid costs
often frequency times every
born birth birthday born
die died death dead
died death dead
wife married spouse husband
husband married spouse wife
author wrote written writer by
wrote written author writer
invent inventor invented
founded founder established
capital city
released begin began started start
start began begun begin started
end ended finished
buy bought purchased
bought buy purchased
pay paid
sell sold
send sent
build built constructed
built build constructed
write wrote written
win won winner
lose lost
meet met
take took taken
give gave given
make made
speak spoke spoken
teach taught
think thought
run ran
sing sang sung
know known knew
grow grew grown
draw drew drawn
break broke broken
choose chose chosen
hold held
keep kept
spend spent
stand stood
become became
bring brought
catch caught
eat ate eaten
fall fell fallen
fight fought
hear heard
say said
see saw seen
leave left
lead led
feel felt
get got
go went
come came
drink drank
drive drove driven
fly flew flown
forget forgot forgotten
rise rose risen
ride rode ridden
sleep slept
swim swam
wear wore worn
replace replaced superseded supersedes succeeded
supersede replaces replaced
remove deleted dropped
delete removed dropped
drop removed deleted
resume continue
continue resume
suggest recommended
recommend suggested
display show
show display
locate situated
situate located
permit allowed
allow permitted
forbid prohibited banned
prohibit forbidden banned
purchase bought
reside live
answer reply response
"""
_ADJECTIVES = """
long tall high deep wide large big small heavy light short low hot cold warm fast old young far cheap expensive
"""
_MORE = (("need", ("require", "necessary")), ("use", ("employ",)), ("choose", ("select", "chose", "chosen")))
_MEASURED = frozenset(map(stem, _ADJECTIVES.split()))


def _same() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for line in _SAME.strip().splitlines():
        word, *others = line.split()
        table.setdefault(stem(word), []).extend(stem(other) for other in others)
    return {word: tuple(dict.fromkeys(others)) for word, others in table.items()}


IRREGULAR: Mapping[str, tuple[str, ...]] = {
    **{word: forms for word, forms in _same().items() if word not in _MEASURED},
    **{stem(word): tuple(map(stem, others)) for word, others in _MORE},
}
"""Stem of a word to the stems of its irregular forms and of words that say the same."""
_EMPTY = STOP_WORDS - {"name", "named", "called", "known", "own"}
_SHORTEST = 4
"""Letters that two forms of a word share at least."""
_LONGEST_ENDING = 4


@dataclass(frozen=True, slots=True)
class Token:
    """A word: its place, its folded form and stem, and the numbers of its clause and sentence in its text."""

    span: Span
    text: str
    word: str
    stem: str
    clause: int
    sentence: int
    code: bool
    """It stands in backticks."""

    @property
    def content(self) -> bool:
        """Whether it says something by itself."""
        return self.word not in _EMPTY and not self.word.endswith("n't")


def prose(text: str) -> str:
    """A text with what is markup (targets of links, tags, emphasis) as spaces; same offsets."""
    for pattern in (_TARGET, _TAG, _ESCAPE, _EMPHASIS):
        text = pattern.sub(_blank, text)
    return _MATH.sub(lambda match: f"{' ' * len(match[1])}{match[2]}{' ' * len(match[1])}", text)


def tokens_of(text: str) -> tuple[Token, ...]:
    """The words of a text, in order."""
    code = [match.span() for match in _CODE.finditer(text)]
    breaks = [match.start() for match in _BREAK.finditer(_ASIDE.sub(_blank, text))]
    ends = [match.start() for match in _END.finditer(text)]
    found, clause, end = [], 0, 0
    for match in _WORD.finditer(prose(text)):
        while clause < len(breaks) and breaks[clause] < match.start():
            clause += 1
        while end < len(ends) and ends[end] < match.start():
            end += 1
        word = fold(match.group()).removesuffix("'s").removesuffix("'")
        coded = any(start < match.start() < stop for start, stop in code)
        found.append(Token(Span(*match.span()), match.group(), word, stem(word), clause, end, coded))
    return tuple(found)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def alike(a: Token, b: Token) -> bool:
    """Whether two words are forms of one word, or of two that say the same."""
    if a.stem == b.stem or b.stem in IRREGULAR.get(a.stem, ()) or a.stem in IRREGULAR.get(b.stem, ()):
        return True
    shorter, longer = sorted((a.stem, b.stem), key=len)
    near = len(longer) - len(shorter) <= _LONGEST_ENDING
    return len(shorter) >= _SHORTEST and near and longer.startswith(shorter)


def aligned(words: Sequence[Token], others: Sequence[Token]) -> dict[int, tuple[int, ...]]:
    """For each content word that has some, the places of its like among the others."""
    found = {}
    for at, word in enumerate(words):
        if word.content:
            places = tuple(place for place, other in enumerate(others) if other.content and alike(word, other))
            if places:
                found[at] = places
    return found


def overlaps_any(span: Span, others: Iterable[Span]) -> bool:
    """Whether a span shares text with one of the others."""
    return any(span.overlaps(other) for other in others)
