"""Text to the tokens of an uncased WordPiece vocabulary (Devlin et al. 2019), each with where it stands in the text.

Equal to what the library tokenizers makes of BERT's uncased models, which a test compares; without its dependencies.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LONGEST_WORD = 100
"""Code points of a word beyond which it is one unknown token."""
_MOST_KEPT = 50_000
"""Words whose tokens are remembered."""

# Chinese characters stand alone; punctuation (all of ASCII's symbols, and Unicode's class P) does too. Other symbols
# (×, √) are letters.
_HAN = "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b81f\uf900-\ufaff\U0002f800-\U0002fa1f"
_WORD = re.compile(rf"[{_HAN}]|[^\s!-/:-@\[-`{{-~{_HAN}]+|\S")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text: their numbers, and where each begins and ends, in code points of the text.

    ``whole`` is False at a token that goes on with a word: a text is cut only before those where it is True.
    """

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    whole: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ids)


class WordPiece:
    """A vocabulary, one token a line as in ``vocab.txt``; a line's number is the token's. Raises KeyError where one
    of the special tokens is missing."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._numbers: Mapping[str, int] = {token: number for number, token in enumerate(vocabulary)}
        self.start = self._numbers["[CLS]"]
        self.end = self._numbers["[SEP]"]
        self.pad = self._numbers["[PAD]"]
        self._unknown = self._numbers["[UNK]"]
        self._kept: dict[str, tuple[tuple[int, int, int], ...]] = {}

    def __call__(self, text: str, most: int | None = None) -> Tokens:
        """The tokens of a text, the first ``most`` of them."""
        found: list[tuple[int, int, int]] = []
        whole: list[bool] = []
        for word, start, end in _words(text):
            pieces = self._kept.get(word)
            if pieces is None:
                if len(self._kept) >= _MOST_KEPT:
                    self._kept.clear()
                pieces = self._kept[word] = tuple(self._pieces(word))
            exact = len(word) == end - start  # else letters were lost or won in folding: the word stands for its pieces
            for index, (number, first, last) in enumerate(pieces):
                found.append((number, start + first, start + last) if exact else (number, start, end))
                whole.append(index == 0)
            if most is not None and len(found) >= most:
                break
        table: NDArray[np.int64] = np.array(found[:most], np.int64).reshape(-1, 3)
        return Tokens(table[:, 0], table[:, 1], table[:, 2], np.array(whole[:most], np.bool_))

    def _pieces(self, word: str) -> list[tuple[int, int, int]]:
        """The longest pieces of a word, from its beginning on."""
        if len(word) > _LONGEST_WORD:
            return [(self._unknown, 0, len(word))]
        pieces, at = [], 0
        while at < len(word):
            for end in range(len(word), at, -1):
                number = self._numbers.get(word[at:end] if at == 0 else f"##{word[at:end]}")
                if number is not None:
                    break
            else:
                return [(self._unknown, 0, len(word))]
            pieces.append((number, at, end))
            at = end
        return pieces


def _words(text: str) -> Sequence[tuple[str, int, int]]:
    """Words and punctuation, folded, with where they stand in the text."""
    words = []
    for match in _WORD.finditer(text):
        written, start = match.group(), match.start()
        if written.isascii():
            words.append((written.lower(), start, match.end()))
        else:
            words += _folded(written, start)
    return words


def _folded(written: str, start: int) -> list[tuple[str, int, int]]:
    """A word that is not plain: without accents and control characters, apart at what Unicode calls punctuation."""
    words: list[tuple[str, int, int]] = []
    letters, begin = "", start
    for at, character in enumerate(written, start):
        kind = unicodedata.category(character)
        if kind[0] == "C":
            continue
        plain = "".join(
            part for part in unicodedata.normalize("NFD", character.lower()) if unicodedata.category(part) != "Mn"
        )
        if kind[0] == "P":
            if letters:
                words.append((letters, begin, at))
            words.append((plain, at, at + 1))
            letters, begin = "", at + 1
        else:
            begin = begin if letters else at
            letters += plain
    if letters:
        words.append((letters, begin, start + len(written)))
    return words
