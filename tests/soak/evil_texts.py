"""Texts that are patterns, or look as if they were: what makes a matcher try everything, each in any length."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

_NESTED = (
    r"(a+)+ ((a*)*)* ([a-z]+)*$ (x+x+)+y (.*)* (\w+\s?)*$ ^(([a-z])+.)+[A-Z] (a|a?)+ (?:a?){9}a{9} (\d+)+\.$ a{1000}"
)
_CHOICES = r"(a|aa)+ a|b| (a|a)* aa|aaa| (|a)+ (ab|a)(c|bcd) foo|foobar|"
_STARS = "* *a *a*b ** **/ **/a*/ ?* *? [!b]* .* .*? a*?b ***/ a?"
_BRACKETS = (
    '( ) [ ] { } ([ ]( ![ [[ ]] [a]( [a](b) <a <a·href=" </ <!-- {" {"a":[ (?: (?= [^ [a- [[:alpha:]]* \\( \\[ `'
)
_REPEATS = (
    "a a· · \t \\ - -· _ . , ' \" | # #· > >· = : ; ! ? 1 1, 1. 1.1 12- 2020- @a. a@a. http:// x=' ¶ ¶¶ -¶ |a|¶"
    " $ ^ ~~ ```"
)
_FOLDS = "İ ı ſ ŉ ß ẞ ﬃ ǰ ΐ Σ ς \u0345 e\u0301 \u0301 \u0301\u0323 \u200b \u202e ｆ Ⅷ ½ ㎏ 漢 ひ 한 😀 👩\u200d 한 ΰ և"
_ASKING = (
    "and or of· the· the·same· same· which·is· who·was· how·many· both· between· more·than· not· without· A·or· A·and·"
    " 's “ ” Mr. e.g. No.· «a· A,· 1·and· year· first· how·many·of·the· average·of· larger· list·all· when·did·"
)
_SECRETS = 'eyJ eyJa. AKIA sk- ghp_ xoxb- -----BEGIN· password= token:· key="a api_key·= Bearer·'
_FAMILIES = {
    "nested": _NESTED,
    "choices": _CHOICES,
    "stars": _STARS,
    "brackets": _BRACKETS,
    "repeats": _REPEATS,
    "folding": _FOLDS,
    "asking": _ASKING,
    "secrets": _SECRETS,
}
PIECES = tuple(
    (family, piece.replace("·", " ").replace("¶", "\n"))
    for family, pieces in _FAMILIES.items()
    for piece in pieces.split()
)
HEADS = ("", "", "^", "(", "[", "a", '"', "which is ", "How many ", "- ", "!", "/", "**/", "|", "<!-- ")
TAILS = ("!", "", "b", "$", ")", "]", "?", ' "', "\\", " or not?", "-->", "*b*", "\u0301")


@dataclass(frozen=True)
class Pattern:
    """A beginning, something again and again, and an end that does not fit."""

    family: str
    head: str
    piece: str
    tail: str

    def of(self, length: int) -> str:
        """The pattern with so many code points."""
        size = length - len(self.head) - len(self.tail)
        return self.head + (self.piece * (size // len(self.piece) + 1))[:size] + self.tail


def patterns(rng: random.Random, count: int) -> Iterator[Pattern]:
    """Different patterns: pieces of all families in turn, alone and with two others."""
    known: set[Pattern] = set()
    order = rng.sample(PIECES, len(PIECES))
    while len(known) < count:
        number = len(known)
        family, piece = order[number % len(order)]
        if number >= len(order):
            piece = "".join([piece, *(rng.choice(PIECES)[1] for _ in range(rng.randrange(3)))])
        pattern = Pattern(family, rng.choice(HEADS), piece, rng.choice(TAILS))
        if pattern not in known:
            known.add(pattern)
            yield pattern
