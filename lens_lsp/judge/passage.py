"""What a sentence cites, with its words and figures read once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lens_lsp.arithmetic.notation import ORDINAL_WORDS
from lens_lsp.judge.figures import Figures, figures_of, figures_of_path, listed, merged
from lens_lsp.judge.tokens import Token, prose, tokens_of
from lens_lsp.model.words import STOP_WORDS, fold, is_function

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_COUNTING = {**ORDINAL_WORDS, "both": 2, "pair": 2, "couple": 2, "twice": 2, "double": 2}


@dataclass(frozen=True, slots=True)
class Passage:
    """A quote that a sentence cites, and what stands around and above it; all verbatim."""

    quote: str
    before: str = ""
    after: str = ""
    headings: tuple[str, ...] = ()
    title: str = ""
    path: str = ""
    """The path of its document, with the name of the folder."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer."""

    text: str
    plain: str
    """Without its markup; same offsets."""
    tokens: tuple[Token, ...]
    figures: Figures
    english: bool


@dataclass(frozen=True, slots=True)
class Ground:
    """All that the passages of a sentence say."""

    quote: str
    plain: str
    """The quotes without their markup; same offsets."""
    tokens: tuple[Token, ...]
    """The words of the quotes."""
    behind: str
    """What stands right behind the quote, if there is just one."""
    everything: str
    """Quotes, context, headings, titles and paths, folded."""
    capitals: frozenset[str]
    """Words with several capitals, reduced to these: CoC, GSA, JS for JavaScript."""
    words: frozenset[str]
    stems: frozenset[str]
    quoted: Figures
    around: Figures
    """The figures of what stands around and above the quotes."""
    counts: frozenset[int]
    """How many things the quotes list, and places in a row and pairs that the passages name in words."""


def sentence_of(text: str) -> Sentence:
    """A sentence, read."""
    tokens = tokens_of(text)
    return Sentence(text, prose(text), tokens, figures_of(text), _is_english(text, tokens))


def _is_english(text: str, tokens: Sequence[Token]) -> bool:
    """Whether most function words of a sentence are English; without any, whether it is ASCII."""
    common = sum(token.word in STOP_WORDS for token in tokens)
    foreign = sum(token.word not in STOP_WORDS and is_function(token.word) for token in tokens)
    return common > foreign or (common == foreign == 0 and text.isascii())


def ground_of(passages: Sequence[Passage]) -> Ground:
    """The passages of a sentence, read together."""
    quote = "\n\n".join(passage.quote for passage in passages)
    near = [part for passage in passages for part in (passage.before, passage.after)]
    above = [part for passage in passages for part in (*passage.headings, passage.title)]
    paths = [passage.path for passage in passages]
    texts = [quote, *near, *above, *paths]
    tokens = [token for text in texts for one in {text, _apart(text)} for token in tokens_of(one)]
    words = frozenset(token.word for token in tokens)
    return Ground(
        quote,
        prose(quote),
        tokens_of(quote),
        passages[0].after if len(passages) == 1 else "",
        fold("\n".join(texts)),
        frozenset(letters for text in texts for word in text.split() if len(letters := capitals_of(word)) > 1),
        words,
        frozenset(token.stem for token in tokens),
        figures_of(quote),
        merged([*map(figures_of, (*near, *above)), *map(figures_of_path, paths)]),
        listed(quote) | {number for word, number in _COUNTING.items() if word in words},
    )


def capitals_of(word: str) -> str:
    """The capitals of a word in the Latin alphabet."""
    return "".join(letter for letter in word if "A" <= letter <= "Z")


def _apart(text: str) -> str:
    """A text with the words apart that stand together in one: "macOS", "GITHUB_ORG"."""
    return _CAMEL.sub(" ", text.replace("_", " "))
