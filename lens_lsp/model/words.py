"""Words as the search compares them: text with case and accents folded, English stems, runs without spaces.

Questions and documents are folded in the same way, so two spellings match exactly when they fold to the same text.
Each character is folded by itself, whatever stands beside it, so an offset in folded text can be mapped back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

WORD = regex(r"[a-z0-9]+")
"""A run of ASCII letters and digits in folded text: a word whose boundaries can be checked byte by byte."""
_NON_ASCII = regex(r"[^\x00-\x7f]+")
_APART = "\0"
_TO_WORDS = bytes(code if not code or bytes([code]).isalnum() else ord(" ") for code in range(256)).lower()
_DOUBLE = regex(rb" {2,}")
# Characters that NFKD does not fold to what a reader types: letters, typographic punctuation, invisible characters.
_SPECIAL = {
    "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o", "đ": "d", "Đ": "d",
    "ð": "d", "Ð": "d", "ł": "l", "Ł": "l", "þ": "th", "Þ": "th", "ı": "i", "й": "й", "Й": "й",
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"',
    "«": '"', "»": '"', "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "…": "...",
    "\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\u2060": "", "\ufeff": "",
}  # fmt: skip
# Suffixes, each with the least number of letters that must stay before it. The first one that fits is cut.
_SUFFIXES = (
    ("ations", 5), ("ation", 5), ("ities", 4), ("ers", 4), ("ors", 4), ("ing", 4), ("ies", 3), ("ed", 4), ("es", 4),
    ("er", 5), ("or", 5), ("ity", 5), ("ly", 4), ("s", 3), ("e", 4), ("y", 4),
)  # fmt: skip
MAX_SUFFIX = 4
"""How many letters may follow a stem inside a word that still counts as that word."""
_STOP_WORDS = """
a an the and or of in on at to for from by with as is are was were be been being do does did done has have
had having that this these those it its he she his her him they them their theirs which what who whom whose when
where why how many much than then also both between among into during about over under after before same other
another such not no yes if but so can could would should will may might one ones there here i you we our your me
my us more most some any each all only own out up down off s t name named called known
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that carry no content of their own in a question."""
# Han, kana, Hangul, bopomofo, and the South-East Asian scripts that write no spaces between words.
_UNSPACED = (
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uac00-\ud7a3\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U000323af"
)
_WAYS = regex(rf"(?P<unspaced>[{_UNSPACED}]+)|[a-z0-9]+|[^{_UNSPACED}a-z0-9]+")
"""Splits folded text by way of writing: scripts without spaces, ASCII words, everything else."""
# Function words of German, French, Spanish and Russian.
_FOREIGN_FUNCTION = """
der die das den dem des ein eine einen einem einer eines und oder ist sind war waren wurde wurden wird werden
hat haben
hatte wann wer wie wo was warum wem wen wessen welche welcher welches welchen viel viele wieviel wieviele von
vom zu zum
zur im in am an auf aus bei mit nach fur es er sie wir ihr ich nicht als auch es gibt gab alle liste nenne
zwischen dass
le la les l un une des du de d au aux et ou est sont etait etaient fut a ont ete qui que quoi quel quelle quels
quelles
quand combien pourquoi comment dans sur pour par avec il elle ils elles nous vous je ne pas se ce cette ces y tous
toutes liste entre qu s n
el los las lo uno una unos unas y o es son era eran fue fueron ha han sido quien quienes que cual cuales cuando donde
cuanto cuantos cuanta cuantas como por para con en del al se su sus no si este esta todos todas lista entre mi
и или в во на с со к у о об от до из за по для не что кто где когда как какой какая какое какие каком сколько был была
было были есть это этот эта все всех он она они его ее их между ли же бы перечисли назови
"""


def _strips_marks(code: int) -> bool:
    """Whether folding drops the marks: in Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic it does, in kana not."""
    return code < 0x0780 or 0x1E00 <= code < 0x2000


def _fold_once(char: str) -> str:
    code = ord(char)
    if _strips_marks(code):
        parts = unicodedata.normalize("NFKD", char)
        folded = "".join(c for c in parts if not unicodedata.combining(c))
        # The byte scan takes every two-byte character for a letter. So punctuation among them becomes a space:
        # "תל־אביב" is two words, and "،" parts words.
        if len(folded) == 1 and "\u00c0" <= folded < "\u0780" and unicodedata.category(folded)[0] in "PS":
            return " "
    elif char.isspace():
        return " "
    else:
        folded = unicodedata.normalize("NFKC", char)
    return folded.casefold().lower()  # Cherokee folds to capitals


class _FoldTable(dict[str, str]):
    """A table from each character to its folded text, filled on demand. Folded text folds to itself."""

    def __missing__(self, char: str) -> str:
        folded = _SPECIAL.get(char)
        if folded is None:
            folded = _fold_once(char)
            if folded != char:
                folded = "".join(map(self.__getitem__, folded))
        self[char] = folded
        return folded


FOLDED = _FoldTable()
"""The folded text of each single character; that of an ASCII character is its lower case."""


def fold(text: str) -> str:
    """The folded form of a text. It may be longer or shorter than the text."""
    if text.isascii():
        return text.lower()
    return _NON_ASCII.sub(lambda run: "".join(map(FOLDED.__getitem__, run.group())), text).lower()


def light_stem(word: str) -> str:
    """The English stem of a folded word: the word without its suffix, at least three letters; else the whole word."""
    if word.isdigit():
        return word
    for suffix, keep in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= keep and not (suffix == "s" and word.endswith("ss")):
            return word[: len(word) - len(suffix)]
    return word


stem = lru_cache(maxsize=1 << 16)(light_stem)
"""`light_stem` with a cache."""


def words(text: str) -> list[str]:
    """The folded ASCII words of a text, in order. See `runs` for other scripts."""
    return WORD.findall(fold(text))


def key(text: str) -> str:
    """The form in which titles and phrases are compared: the folded words of a text, in any script, joined by spaces.

    A text without words gives its folded self.
    """
    folded = fold(text)
    found = WORD.findall(folded) if folded.isascii() else [run.text for run in runs(folded)]
    return " ".join(found) or folded.strip()


def stands_in(part: str, text: str) -> bool:
    """Whether ``part`` stands in ``text`` as whole words, both compared by `key`.

    An end of ``part`` in a script without spaces may stand inside a word.
    """
    part = key(part)
    before, after = ("" if (way := _WAYS.match(end)) and way["unspaced"] else " " for end in (part[:1], part[-1:]))
    return f"{before}{part}{after}" in f" {key(text)} "


def keys(texts: Sequence[str]) -> list[str]:
    """The `key` of each text, in order. ASCII texts are handled all at once, which is faster."""
    together = _APART.join(texts)
    if not together.isascii() or together.count(_APART) >= len(texts):
        found = keys([text if text.isascii() and _APART not in text else "" for text in texts]) if texts else []
    else:
        spaced = _DOUBLE.sub(b" ", together.encode("ascii").translate(_TO_WORDS))
        found = spaced.replace(b" \0", b"\0").replace(b"\0 ", b"\0").strip(b" ").decode("ascii").split(_APART)
    return [one or key(text) for one, text in zip(found, texts, strict=True)]


def content(*texts: str) -> frozenset[str]:
    """The stems of the words of some texts, without stop words; `bigrams` where the script has no spaces."""
    found: set[str] = set()
    for text in texts:
        for run in runs(fold(text)):
            if run.text not in STOP_WORDS:  # the stem of a stop word need not be a stop word
                found.update([stem(run.text)] if run.spaced else bigrams(run.text))
    return frozenset(found - STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of letters and digits in one way of writing; ``start`` is its offset in the folded text."""

    text: str
    start: int
    spaced: bool
    """Whether the script separates words by spaces, so that word boundaries can be checked."""


@cache
def _run() -> re.Pattern[str]:
    # Marks that folding keeps, such as vowel signs: `re` does not count them as letters, but they are parts of a word.
    marks = "".join(chr(code) for code in range(0x0780, 0x1D00) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
    return re.compile(rf"(?P<ascii>[a-z0-9]+)|(?P<unspaced>[{_UNSPACED}]+)|(?P<spaced>[^\W_](?:[^\W_]|[{marks}])*)")


def runs(folded: str) -> list[Run]:
    """The stretches of letters and digits of a folded text, in order, split where the way of writing changes."""
    found: list[Run] = []
    for match in _run().finditer(folded):
        if match.lastgroup != "spaced":
            found.append(Run(match.group(), match.start(), match.lastgroup == "ascii"))
            continue
        # "spaced" takes letters of all kinds: split it where ASCII words or scripts without spaces begin and end.
        parts = _WAYS.finditer(match.group())
        found.extend(Run(part.group(), match.start() + part.start(), part.lastgroup is None) for part in parts)
    return found


def bigrams(run: str) -> list[str]:
    """The overlapping pairs of characters of a run; a run of one character gives that character."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


_FUNCTION = frozenset(fold(word) for word in _FOREIGN_FUNCTION.split())


def is_function(word: str) -> bool:
    """Whether a folded word is a function word of German, French, Spanish or Russian. For English see `STOP_WORDS`."""
    return word in _FUNCTION
