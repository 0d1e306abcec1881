"""Make the vocabulary of the search: how common English words are, and which words mean something close to them.

    python -m pip install '.[dense]' wordfreq
    python -m training.vocabulary [--wordnet DIR] [--out FILE]

Frequencies are those of the package wordfreq (Zipf scale: the logarithm of how often a word occurs in a billion). Words
are close when the vectors that the sentence encoder all-MiniLM-L6-v2 gives to each word alone are: what is left of the
nearest neighbours after forms of the same word are taken out. Irregular forms (bought, children) come from WordNet's
lists of exceptions, by default those of Debian's package wordnet-base. The result depends on nothing else, and is
written to ``lens_lsp/search/vocabulary.tsv``; its licence stands at its top.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wordfreq import top_n_list, zipf_frequency

from evaluation.arms.minilm import MiniLm
from lens_lsp.model.words import STOP_WORDS, stem

WORDS = 45_000
"""Words of the vocabulary, the most frequent ones."""
COMMON = 3.0
"""Zipf frequency from which on a word is listed: rarer ones are as telling as their folder makes them."""
LEAST_LIKENESS = 0.62
"""Cosine of two words' vectors from which on they are close."""
MOST_RELATED = 5
_TOGETHER = 500
_ENDINGS = (("ies", "y"), ("es", "e"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", "e"), ("ed", ""))
_WORD = re.compile(r"[a-z]{3,20}")
_LICENCE = """\
# Made by training/vocabulary.py; do not edit.
# A word, how common it is (Zipf scale), and words close in meaning with their likeness.
# Derived from wordfreq 3 (CC BY-SA 4.0, https://github.com/rspeer/wordfreq), all-MiniLM-L6-v2 (Apache-2.0) and
# WordNet 3.0 (WordNet licence). This file is under CC BY-SA 4.0.
"""


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="folder of WordNet's *.exc")
    parser.add_argument("--out", type=Path, default=Path("lens_lsp/search/vocabulary.tsv"))
    arguments = parser.parse_args()
    words = [word for word in top_n_list("en", WORDS) if _WORD.fullmatch(word)]
    frequency = {word: zipf_frequency(word, "en") for word in words}
    listed = sorted(word for word in words if frequency[word] >= COMMON and word not in STOP_WORDS)
    related = close_words(listed, words, base_forms(listed, arguments.wordnet))
    write(arguments.out, [f"{word}\t{frequency[word]:.1f}\t{_written(related[word])}" for word in listed])


def base_forms(words: Iterable[str], folder: Path) -> dict[str, str]:
    """The base form of each inflected word, by WordNet's lists of exceptions and its rules for endings."""
    exceptions: dict[str, str] = {}
    lemmas: set[str] = set()
    for name in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"{name}.exc").read_text("ascii").splitlines():
            form, base, *_ = line.split()
            exceptions.setdefault(form, base)
        lines = (folder / f"index.{name}").read_text("ascii").splitlines()
        lemmas.update(line.split(" ", 1)[0] for line in lines if not line.startswith(" "))
    return {word: _base_form(word, exceptions, lemmas) for word in words}


def _base_form(word: str, exceptions: Mapping[str, str], lemmas: set[str]) -> str:
    if word in exceptions or word in lemmas:
        return exceptions.get(word, word)
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            base = word[: -len(ending)] + instead
            if base in lemmas:
                return base
            if base[-1:] == base[-2:-1] and base[:-1] in lemmas:  # planned, shipping
                return base[:-1]
    return word


def close_words(listed: list[str], words: list[str], bases: Mapping[str, str]) -> dict[str, list[tuple[str, float]]]:
    """For each listed word the words closest in meaning, with their likeness: first its base form where that has
    another stem, then what is closest to the base form."""
    vectors = MiniLm().embed(words)
    place = {word: index for index, word in enumerate(words)}
    found: dict[str, list[tuple[str, float]]] = {}
    for first in range(0, len(listed), _TOGETHER):
        some = listed[first : first + _TOGETHER]
        rows = [place.get(bases[word], place[word]) for word in some]
        for word, likeness in zip(some, vectors[rows] @ vectors.T, strict=True):
            own = [(bases[word], 1.0)] if stem(bases[word]) != stem(word) else []
            found[word] = _apart(stem(word), [*own, *_nearest(words, likeness)])
    return found


def _written(related: list[tuple[str, float]]) -> str:
    return " ".join(f"{word}:{likeness}" for word, likeness in related)


def _nearest(words: list[str], likeness: NDArray[np.float32]) -> list[tuple[str, float]]:
    """The words that are like enough, the closest first."""
    places = np.flatnonzero(likeness >= LEAST_LIKENESS)
    places = places[np.argsort(-likeness[places], kind="stable")][:30]
    return [(words[place], round(float(likeness[place]), 2)) for place in places.tolist()]


def _apart(key: str, candidates: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """The first few candidates whose stems differ from the key and from each other."""
    seen, chosen = {key}, []
    for word, likeness in candidates:
        if stem(word) not in seen and word not in STOP_WORDS:
            seen.add(stem(word))
            chosen.append((word, likeness))
    return chosen[:MOST_RELATED]


def write(path: Path, lines: list[str]) -> None:
    """Write the file, its licence first."""
    path.write_text(_LICENCE + "\n".join(lines) + "\n", "utf-8")
    print(f"{path}: {len(lines):,} words, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
