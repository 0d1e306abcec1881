"""A question as the scan and the signals need it: terms with their literals, phrases, the words as written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lens_lsp.corpus.scan import Literal, exact_literal, word_literal
from lens_lsp.model.plan import Anchor, AnchorKind, Plan
from lens_lsp.model.words import STOP_WORDS, WORD, fold
from lens_lsp.search.spellings import spellings
from lens_lsp.search.vocabulary import vocabulary

_MOST_RELATED = 64
"""Words close in meaning that are looked for, of all terms together."""


@dataclass(frozen=True, slots=True)
class RelatedTerm:
    """A word that means something close to a term: it counts where the term itself does not stand."""

    term: int
    """Which of the question's terms."""
    word: str
    likeness: float
    literal: Literal


@dataclass(frozen=True, slots=True)
class Question:
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

    def only(self, plan: Plan) -> Question:
        """The part of this question that one of its requirements, as a plan of its own, asks for."""
        part = prepare(plan)
        place = {literals[0] for literals in self.literals}
        known = [i for i, literals in enumerate(part.literals) if literals[0] in place]
        return replace(
            part,
            terms=tuple(part.terms[i] for i in known),
            literals=tuple(part.literals[i] for i in known),
            related=(),
        )

    def corrected(self, term: int, word: str) -> Question:
        """The question with another spelling that counts as one of its terms."""
        literals = list(self.literals)
        literals[term] = (*literals[term], word_literal(word))
        return replace(self, literals=tuple(literals))

    def places(self, part: Question) -> list[int]:
        """For each term of a part of this question its index here."""
        place = {literals[0]: index for index, literals in enumerate(self.literals)}
        return [place[literals[0]] for literals in part.literals]


def prepare(plan: Plan) -> Question:
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
    return Question(
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
