"""What the reader may answer: questions in English that a few words of one passage can answer.

It marks one stretch of words. Where a question asks for a list, for two things or for what has to be calculated, that
stretch is a part of an answer at most, and where it is in another language the reader was not trained for it: its
passages are shown then, and none is called a proof.
"""

from __future__ import annotations

import re

from lens_lsp.model.words import STOP_WORDS

_LIST = re.compile(
    r"^(?:please )?(?:list|name|enumerate)\b|\bwhat (?:are|were)\b"
    r"|\b(?:which|what) (?:[\w'-]+ ){0,2}?(?P<last>[\w-]+s)\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"(?:\w*(?:ss|us|is)|does|has|was|happens|causes|makes|means|comes|becomes|gets|takes|lets|helps|needs|goes|works"
    r"|always|as|times|says|keeps|holds|gives|stands|applies)$",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r",|;|\n|\band\b|&|\bor\b")
_TWO = re.compile(
    r"\b(?P<each>for|in|on|at|by|with|from|about) [^,;?]{1,60}? and (?P=each)\b|\brespectively\b", re.IGNORECASE
)
_CALCULATED = re.compile(
    r"\b(?:altogether|in total|in all|combined|difference|compared|percentage of|by how (?:much|many)|times (?:slower"
    r"|faster|larger|more|as)|how (?:many|much) (?:\w+ )?(?:more|less|fewer|longer|older|later|earlier|higher|lower)"
    r"|how (?:many|much) [\w ]{1,30}between)\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]+")
_OTHER_LANGUAGES = """
der die das den dem ist sind wie wer wo wann welche welcher welches warum und nicht ein eine le la les est sont quel
quelle où quand pourquoi comment qui dans avec el los las es son qué cuál dónde cuándo cómo quién il lo gli che quale
dove quando come perché het een wat waar hoe wie welke
"""
_FOREIGN = frozenset(_OTHER_LANGUAGES.split()) - STOP_WORDS
_LEAST_PLAIN = 0.9
"""Share of the letters of a text in English that are those of ASCII."""


def one_answer(question: str, answer: str) -> bool:
    """Whether the ``answer``, a stretch of words of one passage, can be all that a question asks for."""
    if _TWO.search(question) or _CALCULATED.search(question):
        return False
    found = _LIST.search(question)
    several = found is not None and (found["last"] is None or _ONE.match(found["last"]) is None)
    return not several or _SEVERAL.search(answer) is not None


def in_english(question: str, passage: str) -> bool:
    """Whether both are in the language that the reader was trained for, as far as letters and common words tell."""
    if not _plain(question) or not _plain(passage):
        return False
    words = {word.lower() for word in _LETTERS.findall(question)}
    return len(words & _FOREIGN) <= len(words & STOP_WORDS)


def _plain(text: str) -> bool:
    letters = "".join(_LETTERS.findall(text))
    return sum(map(str.isascii, letters)) >= _LEAST_PLAIN * len(letters)
