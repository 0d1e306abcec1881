"""Words as the search compares them: case and accents folded, light English stems, scripts without spaces.

Folding is the same for questions and documents, so two spellings meet exactly when they fold alike. It never
crosses a character: every character folds to a string of its own, which is what makes an offset map possible.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

WORD = regex(r"[a-z0-9]+")
"""A word of folded text in the alphabet that has word boundaries we check byte by byte."""
_NON_ASCII = regex(r"[^\x00-\x7f]+")
_APART = "\0"
_TO_WORDS = bytes(code if not code or bytes([code]).isalnum() else ord(" ") for code in range(256)).lower()
_DOUBLE = regex(rb" {2,}")
# Letters that NFKD leaves alone although a reader types them without the mark, and typographic
# punctuation that is typed in its plain form.
_SPECIAL = {
    "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o", "đ": "d", "Đ": "d",
    "ð": "d", "Ð": "d", "ł": "l", "Ł": "l", "þ": "th", "Þ": "th", "ı": "i", "й": "й", "Й": "й",
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"',
    "«": '"', "»": '"', "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "…": "...",
    "\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\u2060": "", "\ufeff": "",
}  # fmt: skip
# Suffix, and the least number of letters that must stay. Order matters: the first that fits is cut.
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
    """Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic are searched without their marks; kana are not."""
    return code < 0x0780 or 0x1E00 <= code < 0x2000


def _fold_once(char: str) -> str:
    code = ord(char)
    if _strips_marks(code):
        parts = unicodedata.normalize("NFKD", char)
        folded = "".join(c for c in parts if not unicodedata.combining(c))
        # The scan takes two-byte characters for letters: "תל־אביב" is two words, and so are those around "،".
        if len(folded) == 1 and "\u00c0" <= folded < "\u0780" and unicodedata.category(folded)[0] in "PS":
            return " "
    elif char.isspace():
        return " "
    else:
        folded = unicodedata.normalize("NFKC", char)
    return folded.casefold().lower()  # Cherokee folds to capitals


class _FoldTable(dict[str, str]):
    """Character to folded string, filled on demand; folding what is folded changes nothing."""

    def __missing__(self, char: str) -> str:
        folded = _SPECIAL.get(char)
        if folded is None:
            folded = _fold_once(char)
            if folded != char:
                folded = "".join(map(self.__getitem__, folded))
        self[char] = folded
        return folded


FOLDED = _FoldTable()
"""What a single character folds to; ASCII characters fold to their lower case."""


def fold(text: str) -> str:
    """The folded form of a text; its length may differ."""
    if text.isascii():
        return text.lower()
    return _NON_ASCII.sub(lambda run: "".join(map(FOLDED.__getitem__, run.group())), text).lower()


def light_stem(word: str) -> str:
    """A light English stem of a folded word: a prefix of it, never shorter than three letters."""
    if word.isdigit():
        return word
    for suffix, keep in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= keep and not (suffix == "s" and word.endswith("ss")):
            return word[: len(word) - len(suffix)]
    return word


stem = lru_cache(maxsize=1 << 16)(light_stem)
"""The same, kept for words that come again."""


def words(text: str) -> list[str]:
    """The words of a text, folded, in order."""
    return WORD.findall(fold(text))


def key(text: str) -> str:
    """The words of a text, in any script, joined by single spaces: how titles and phrases are compared."""
    folded = fold(text)
    found = WORD.findall(folded) if folded.isascii() else [run.text for run in runs(folded)]
    return " ".join(found) or folded.strip()


def stands_in(part: str, text: str) -> bool:
    """Whether a text stands in another one as whole words; in scripts without spaces no ends of words can be told."""
    part = key(part)
    before, after = ("" if (way := _WAYS.match(end)) and way["unspaced"] else " " for end in (part[:1], part[-1:]))
    return f"{before}{part}{after}" in f" {key(text)} "


def keys(texts: Sequence[str]) -> list[str]:
    """`key` of each; for ASCII all at once."""
    together = _APART.join(texts)
    if not together.isascii() or together.count(_APART) >= len(texts):
        found = keys([text if text.isascii() and _APART not in text else "" for text in texts]) if texts else []
    else:
        spaced = _DOUBLE.sub(b" ", together.encode("ascii").translate(_TO_WORDS))
        found = spaced.replace(b" \0", b"\0").replace(b"\0 ", b"\0").strip(b" ").decode("ascii").split(_APART)
    return [one or key(text) for one, text in zip(found, texts, strict=True)]


def content(*texts: str) -> frozenset[str]:
    """The stems of the words of some texts that carry content; of scripts without spaces, pairs of characters."""
    found: set[str] = set()
    for text in texts:
        for run in runs(fold(text)):
            if run.text not in STOP_WORDS:  # a stem need not be one
                found.update([stem(run.text)] if run.spaced else bigrams(run.text))
    return frozenset(found - STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of folded text in one way of writing."""

    text: str
    start: int
    spaced: bool
    """The script separates words by spaces, so boundaries can be checked."""


@cache
def _run() -> re.Pattern[str]:
    # Vowel signs and the like that folding keeps, from N'Ko to Vedic: parts of a word, though no letters to `re`.
    marks = "".join(chr(code) for code in range(0x0780, 0x1D00) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
    return re.compile(rf"(?P<ascii>[a-z0-9]+)|(?P<unspaced>[{_UNSPACED}]+)|(?P<spaced>[^\W_](?:[^\W_]|[{marks}])*)")


def runs(folded: str) -> list[Run]:
    """The stretches of letters and digits of a folded text, in order, split where the way of writing changes."""
    found: list[Run] = []
    for match in _run().finditer(folded):
        if match.lastgroup != "spaced":
            found.append(Run(match.group(), match.start(), match.lastgroup == "ascii"))
            continue
        # "spaced" is greedy over every letter; cut out what the other two alternatives would have taken.
        parts = _WAYS.finditer(match.group())
        found.extend(Run(part.group(), match.start() + part.start(), part.lastgroup is None) for part in parts)
    return found


def bigrams(run: str) -> list[str]:
    """The overlapping pairs of a run without spaces; a single character stands for itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


_FUNCTION = frozenset(fold(word) for word in _FOREIGN_FUNCTION.split())


def is_function(word: str) -> bool:
    """A folded word of German, French, Spanish or Russian that asks or joins; English ones are no terms at all."""
    return word in _FUNCTION
