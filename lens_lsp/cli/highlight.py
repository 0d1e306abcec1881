"""Which parts of a quote are words of the question: for the eye only, the search has its own matching."""

from __future__ import annotations

import re

from lens_lsp.model.words import FOLDED, MAX_SUFFIX, STOP_WORDS, bigrams, fold, runs, stem

_TAIL = re.compile(r"\b[a-z]+n't\b|(?<=[a-z])'(?:ve|s|re|ll|d|m|t)\b")
"""In folded text, what a contraction ends in; of "don't" and its like the whole is no word to look for."""


def untailed(text: str) -> str:
    """A folded text without the tails of contractions: "we've" is about "we"."""
    return _TAIL.sub(" ", fold(text))


class QuestionWords:
    """The words of a question, ready to be found in quotes."""

    def __init__(self, question: str) -> None:
        parts = runs(untailed(question))
        spaced = [run.text for run in parts if run.spaced]
        pairs = [pair for run in parts if not run.spaced for pair in bigrams(run.text)]
        telling = [word for word in spaced if word not in STOP_WORDS]
        if not telling and not pairs:  # a question of nothing but stop words ("to be or not to be") is about them
            telling = spaced
        # Pairs overlap, so they are looked for from every character.
        self._patterns = [
            re.compile(pattern.format("|".join(dict.fromkeys(alternatives))))
            for pattern, alternatives in (
                (r"(?<![^\W_])({})(?![^\W_])", [_ending(word) for word in telling]),
                (r"(?=({}))", [re.escape(pair) for pair in pairs]),
            )
            if alternatives
        ]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where question words stand: half-open ranges of code points, in order, touching ones joined."""
        folded, source = _folded_with_offsets(text)
        places = sorted(
            (source[match.start(1)], source[match.end(1) - 1] + 1)
            for pattern in self._patterns
            for match in pattern.finditer(folded)
        )
        found: list[tuple[int, int]] = []
        for start, end in places:
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        return found


def _ending(word: str) -> str:
    """A pattern for the word with any ending short enough to be one."""
    root = stem(word)
    if root.isdigit():
        return re.escape(root)
    return rf"{re.escape(root)}[^\W\d_]{{0,{max(MAX_SUFFIX, len(word) - len(root))}}}"


def _folded_with_offsets(text: str) -> tuple[str, range | list[int]]:
    """The folded text and, for each of its characters, the index of the character it comes from."""
    if text.isascii():
        return text.lower(), range(len(text))
    pieces = [FOLDED[char] for char in text]
    return "".join(pieces), [index for index, piece in enumerate(pieces) for _ in piece]
