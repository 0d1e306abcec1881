"""A question as the scan and the signals need it: terms and what counts as each, phrases, words as written.

A term counts in other spellings of the number that it is of, for a misspelt word as its correction, and by words close
in meaning. `Vocabulary` is what is known of English words before a folder is looked at: how common they are, and which
are close in meaning. Its table is made by ``training/vocabulary.py``; words of other languages are not in it and lose
nothing. `Definition` is the subject of a question like "What is X?".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from lens_lsp.corpus.scan import Literal, exact_literal, word_literal
from lens_lsp.model.documents import Document
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.plan import Anchor, AnchorKind, Plan
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, WORD, fold, key

_PLAIN = 3.0
"""Zipf frequency up to which a word counts in full."""
_SLOPE = 0.2
"""How much less a word counts for each tenfold of that."""
_LEAST = 0.3
_NUMBER = regex(
    r"(?<![\w.,'])(?<![0-9][-/:])"
    r"(?:[0-9]{1,3}(?P<group>[,. '])[0-9]{3}(?:(?P=group)[0-9]{3}){0,4}|[0-9]{1,15})(?:[.,][0-9]{1,12})?"
    r"(?!\w|[-/:.,'][0-9])"
)
_MARKS = ((",", "."), (".", ","), (" ", ","), ("'", "."), ("", "."), ("", ","))
"""What groups thousands, and what stands before the decimals."""
_YEAR = regex(r"(?:19|20)[0-9][0-9]")
_GROUPED = 4
"""So many digits have groups."""
_CENTS = 2
_SHARE = regex(r"0\.([0-9]{2,6})")
_SHORTEST_WRONG = 5
"""Letters from which on a word is taken for a misspelt one: of shorter ones too many others are near."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MOST_RELATED = 64
"""Words close in meaning that are looked for, of all terms together."""
_ASKS = regex(
    r"\s*(?:what(?:['’]s|\s+(?:is|are|does))|who\s+(?:is|was)|define|definition\s+of|meaning\s+of|explain)\s+"
    r"(?:an?\s+|the\s+)?(?P<subject>[^?!.,;:]{1,80}?)(?:\s+(?:mean|stand\s+for))?\s*[?.!]*\s*",
    re.IGNORECASE,
)
_LONGEST = 6
"""Words of a subject; more are no name."""
_INTRODUCED = 0.6
"""What the block counts, in shares of the question, that opens what is titled with the subject."""
_DOCUMENT = 0.2
"""What it counts besides at the beginning of its document."""
_BEGINNING = 3000
"""Code points of a document in which its beginning stands, metadata and headings included."""
_DEFINED = 0.5
"""What a sentence counts that says what the subject is."""
UNDEFINING = -0.5
"""What a document's metadata count where a definition is asked for: they never define anything."""
_PARENTHESIS = regex(r"\s*\([^()]*\)\s*$")


class Related(NamedTuple):
    """A word close in meaning to another, and how close, from 0.62 to 1."""

    word: str
    likeness: float


class Vocabulary:
    """Words by their lower-case form."""

    def __init__(self, table: bytes) -> None:
        self._table = table
        self._first = 0
        """Where the first word stands, behind the lines of the licence."""
        while table.startswith(b"#", self._first):
            self._first = table.index(b"\n", self._first) + 1

    def knows(self, word: str) -> bool:
        """Whether a word is an English one that people use."""
        return self._line(word) is not None

    def weight(self, word: str) -> float:
        """How much a word counts in a question beside its rarity in the folder: 1 for rare ones, 0.3 at least."""
        line = self._line(word)
        if line is None:
            return 1.0
        return min(1.0, max(_LEAST, 1.0 - _SLOPE * (float(line[0]) - _PLAIN)))

    def related(self, word: str) -> list[Related]:
        """Words close in meaning, the closest first; none for unknown words."""
        line = self._line(word)
        if line is None or not line[1]:
            return []
        pairs = (pair.partition(":") for pair in line[1].split(" "))
        return [Related(other, float(likeness)) for other, _, likeness in pairs]

    def _line(self, word: str) -> tuple[str, str] | None:
        """The frequency and the related words of a word, as written. The lines are in order, so it is a bisection."""
        if not word.isascii() or not word.isalpha():
            return None
        table, wanted = self._table, word.encode()
        low, high = self._first, len(table)
        while low < high:
            start = table.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = table.find(b"\n", start)
            end = high if end < 0 else end
            key, _, rest = table[start:end].partition(b"\t")
            if key == wanted:
                frequency, _, related = rest.decode().partition("\t")
                return frequency, related
            if key < wanted:
                low = end + 1
            else:
                high = start
        return None


@cache
def vocabulary() -> Vocabulary:
    """The table that is shipped, read once."""
    with open(os.path.join(os.path.dirname(__file__), "vocabulary.tsv"), "rb") as file:
        return Vocabulary(file.read())


def spellings(folded: str) -> dict[str, tuple[str, ...]]:
    """For words of a folded question that are of a number, how else the whole number may be written."""
    found: dict[str, dict[str, None]] = {}
    for match in _NUMBER.finditer(folded):
        written = match.group()
        others = dict.fromkeys(other for other in _others(written) if other != written)
        for word in WORD.findall(written) if others else ():
            found.setdefault(word, {}).update(others)
    return {word: tuple(others) for word, others in found.items()}


def _others(written: str) -> Iterator[str]:
    whole, decimals = _parts(written)
    if len(whole) >= _GROUPED or decimals:
        endings = dict.fromkeys((decimals.rstrip("0"), decimals, decimals.ljust(_CENTS, "0"))) if decimals else ("",)
        for group, point in _MARKS[:1] if _YEAR.fullmatch(written) else _MARKS:
            grouped = f"{int(whole):,}".replace(",", group)
            if not group or len(whole) >= _GROUPED:
                yield from (grouped + (point + ending if ending else "") for ending in endings)
    share = _SHARE.fullmatch(written)
    if share is not None:
        whole, rest = str(int(share[1][:_CENTS])), share[1][_CENTS:].rstrip("0")
        for point in ".," if rest else ".":
            yield from (f"{whole}{point + rest if rest else ''}{sign}" for sign in ("%", " %"))


def _parts(written: str) -> tuple[str, str]:
    """The digits before and behind the decimal mark: as ``computation.numerals`` reads them, a comma groups three."""
    digits = re.split(r"[^0-9]", written)
    marks = re.findall(r"[^0-9]", written)
    last = marks[-1] if marks else ""
    alone = marks.count(last) == 1
    if last in (".", ",") and alone and not (last == "," and len(marks) == 1 and len(digits[-1]) == _GROUPED - 1):
        return "".join(digits[:-1]), digits[-1]
    return "".join(digits), ""


def corrections(word: str) -> list[str]:
    """The words one letter away from a folded word that is not in the vocabulary: one letter dropped, doubled, changed
    or exchanged with the next. Empty for words that people write, short ones and other scripts."""
    if len(word) < _SHORTEST_WRONG or not word.isascii() or not word.isalpha() or vocabulary().knows(word):
        return []
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    near = dict.fromkeys(left + right[1:] for left, right in parts if right)
    near |= dict.fromkeys(left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1)
    near |= dict.fromkeys(left + letter + right[1:] for left, right in parts if right for letter in _LETTERS)
    near |= dict.fromkeys(left + letter + right for left, right in parts for letter in _LETTERS)
    return [other for other in near if other != word and vocabulary().knows(other)]


@dataclass(frozen=True, slots=True)
class RelatedTerm:
    """A word that means something close to a term: it counts where the term itself does not stand."""

    term: int
    """Which of the question's terms."""
    word: str
    likeness: float
    literal: Literal


@dataclass(frozen=True, slots=True)
class ScanQuestion:
    """A plan made ready to scan."""

    plan: Plan
    terms: tuple[str, ...]
    literals: tuple[tuple[Literal, ...], ...]
    """What counts as each term: the word itself first, then other spellings of the number that it is of."""
    phrases: tuple[tuple[str, ...], ...]
    """Phrases of two or more words."""
    words: tuple[str, ...]
    """All words of the question, folded, in order, stop words included."""
    capital: tuple[bool, ...]
    """Which of the words were written with a capital or a digit first."""
    related: tuple[RelatedTerm, ...] = ()
    """Words close in meaning to the terms; passages are ranked by them, documents are not."""

    @property
    def scanned(self) -> tuple[tuple[Literal, ...], ...]:
        """What one scan looks for: the literals of the terms, behind them those of related words."""
        return (*self.literals, *((related.literal,) for related in self.related))

    def only(self, plan: Plan) -> ScanQuestion:
        """The part of this question that one of its requirements, as a plan of its own, asks for."""
        part = prepare(plan)
        place = {literals[0] for literals in self.literals}
        known = [i for i, literals in enumerate(part.literals) if literals[0] in place]
        return replace(
            part, terms=tuple(part.terms[i] for i in known), literals=tuple(part.literals[i] for i in known), related=()
        )

    def corrected(self, term: int, word: str) -> ScanQuestion:
        """The question with another spelling that counts as one of its terms."""
        literals = list(self.literals)
        literals[term] = (*literals[term], word_literal(word))
        return replace(self, literals=tuple(literals))

    def places(self, part: ScanQuestion) -> list[int]:
        """For each term of a part of this question its index here."""
        place = {literals[0]: index for index, literals in enumerate(self.literals)}
        return [place[literals[0]] for literals in part.literals]


def prepare(plan: Plan) -> ScanQuestion:
    """Terms that share a literal are one term; phrases are kept as word sequences."""
    literals: dict[Literal, str] = {}
    for anchor in plan.anchors:
        if anchor.kind is not AnchorKind.PHRASE:
            literals.setdefault(word_literal(anchor.text), anchor.text)
    phrases = [tuple(anchor.text.split(" ")) for anchor in plan.anchors if anchor.kind is AnchorKind.PHRASE]
    for anchor in filter(_stop_phrase, plan.anchors):
        literals.setdefault(exact_literal(anchor.text), anchor.text)
    folded = fold(plan.question)
    numbers = {word_literal(word): others for word, others in spellings(folded).items()}
    matches = list(WORD.finditer(folded))
    # Where folding changed the length, how a word was written is unknown; it may then be a name.
    aligned = len(folded) == len(plan.question)
    terms = tuple(literals.values())
    return ScanQuestion(
        plan=plan,
        terms=terms,
        literals=tuple(
            tuple(dict.fromkeys((literal, *map(exact_literal, numbers.get(literal, ()))))) for literal in literals
        ),
        phrases=tuple(phrase for phrase in phrases if len(phrase) > 1),
        words=tuple(match.group() for match in matches),
        capital=tuple(
            not aligned or plan.question[m.start()].isupper() or plan.question[m.start()].isdigit() for m in matches
        ),
        related=_related(terms, {literal.data for literal in literals}),
    )


def _related(terms: tuple[str, ...], own: set[bytes]) -> tuple[RelatedTerm, ...]:
    """Words close in meaning to the terms, none of which the question holds itself."""
    known = vocabulary()
    found = [
        RelatedTerm(index, related.word, related.likeness, literal)
        for index, term in enumerate(terms)
        for related in known.related(term)
        if (literal := word_literal(related.word)).data not in own
    ]
    return tuple(found[:_MOST_RELATED])


def _stop_phrase(anchor: Anchor) -> bool:
    """A name made of stop words only ("The Who") is looked for as a whole."""
    return anchor.kind is AnchorKind.PHRASE and " " in anchor.text and STOP_WORDS.issuperset(anchor.text.split(" "))


@dataclass(frozen=True, slots=True)
class Definition:
    """A subject whose definition is asked for: its words, folded, and how a sentence that defines it begins."""

    names: frozenset[str]
    pattern: re.Pattern[str]

    def proof(self, document: Document, span: Span, opens: Iterable[str]) -> float:
        """What a unit counts; ``opens`` are the titles and headings that it is the first prose under."""
        if any(_names(title) & self.names for title in opens):
            return _INTRODUCED + (_DOCUMENT if span.start < _BEGINNING else 0.0)
        return _DEFINED if self.pattern.match(document.text, span.start, span.end) else 0.0


def definition_of(question: str) -> Definition | None:
    """The subject of a question like "What is X?"; None for any other question."""
    match = _ASKS.fullmatch(question)
    if match is None:
        return None
    subject = match["subject"].strip(" '\"“”`*")
    folded = key(subject)
    if not folded or len(folded.split(" ")) > _LONGEST:
        return None
    written = r"\W+".join(map(re.escape, folded.split(" ")))
    pattern = re.compile(
        rf"\W*(?:(?:an?|the)\s+)?\W*{written}s?\W*(?:\([^()]*\)|,[^,.]{{1,60}},)?\W*"
        r"\b(?:is|are|means?|refers?\s+to|denotes?|stands?\s+for|describes?|consists?\s+of)\b",
        re.IGNORECASE,
    )
    return Definition(_forms(folded), pattern)


def _names(title: str) -> frozenset[str]:
    return _forms(key(title)) | _forms(key(_PARENTHESIS.sub("", title)))


def _forms(folded: str) -> frozenset[str]:
    """A name and its singular."""
    return frozenset({folded, folded.removesuffix("s")}) if len(folded) > 3 else frozenset({folded})
