"""What stands around a number: names and addresses it belongs to, labels it numbers, words that make it approximate.

Every rule looks at most :data:`REACH` code points to either side, so reading stays linear.
"""

from __future__ import annotations

import re

from lens_lsp.arithmetic.unit_table import UNSPACED

REACH = 32
"""How far back a rule looks, in code points."""

_LAST_WORD = 16  # longer than any word of the two lists below, with marks and what stands before it
_LETTER = re.compile(rf"[^\W\d_{UNSPACED}]")
_PREFIX = re.compile(r"(?<![^\W_])(?:mid|early|late|pre|post|since|circa|non|all|a|an|or|to)-\Z", re.IGNORECASE)
_HYPHENATED = re.compile(r"[A-Za-zÀ-ɏЀ-ӿ][\w-]*-\Z")
_MEASURED = re.compile(r"(?<![\w-])[0-9][0-9.,]*[a-z]{1,4}-\Z")
_PLACE = re.compile(r"[\w-][./\\][\w./\\-]*:(?:[0-9]+:)?\Z")
_IDENTIFIER = re.compile(
    r"(?<![^\W_])(?:(?:RFCs?|ISO|IEC|IEEE|PEP|CVE|ECMA|DIN|ANSI|ISBN|ISSN|NIST|FIPS|HTTP|UTF|SHA|PR|GH|TCP|UDP|MD|v)"
    r"|(?i:version|versions|ver\.|release|releases|rev\.|revision|build|edition|issue|bug|error|code|status|option|"
    r"variant|model|type|mark))[ \n-]?\Z"
)
_PROPER_NAME = re.compile(r"[a-zà-ÿ,;] [*_`]{0,3}[A-Z][a-zà-ÿ]+[A-Za-z]*[*_`]{0,3} [*_`]{0,3}\Z")
_LABEL = re.compile(
    r"(?<![^\W_])(?:(chapters?|pages?|sections?|figures?|tables?|steps?|lines?|parts?|volumes?|ports?|questions?|rooms?|items?"
    r"|rows?|columns?|cells?|levels?|grades?|phases?|stages?|articles?|appendix|paragraphs?|verses?|lessons?|exercises?"
    r"|examples?|listings?|season|episodes?|rank|number|rule|note)|(pp?\.|§§?|no\.|nr\.|nº|№|fig\.|sec\.|ch\.|vol\.))"
    r"[ \n][*_`]{0,3}\Z|(§|№)\Z",
    re.IGNORECASE,
)
_ABBREVIATED = {
    "p.": "page", "pp.": "page", "§": "section", "§§": "section", "no.": "", "nr.": "", "nº": "", "№": "",
    "fig.": "figure", "sec.": "section", "ch.": "chapter", "vol.": "volume", "number": "",
}  # fmt: skip
_APPROXIMATE = re.compile(
    r"(?:(?<![^\W_])(?:about|around|approximately|approx\.?|circa|ca?\.|roughly|nearly|almost|over|under|some|up to"
    r"|(?:more|less|fewer|greater|better) than|at (?:least|most)|above|below|an estimated|estimated|exceeding|close to"
    r"|just (?:over|under)|as (?:many|much|few|little) as|etwa|rund|circa|über|knapp|mindestens|höchstens|environ"
    r"|plus de|moins de|près de|aproximadamente|unos|unas|casi|más de|menos de|около|примерно|более|менее|почти) "
    r"|[~≈±≤≥～〜] ?|(?<![\w\"'/=-])[<>]=?(?! )|(?<=[^\s>] )[<>]=? |[约約]|大约|超过|超過) ?(?:the |an? )?[*_`]{0,3}\Z",
    re.IGNORECASE,
)
_ALWAYS_A_YEAR = re.compile(
    r"(?<![^\W_])(?:since|until|till|during|years?|early|late|mid|spring|summer|autumn|fall|winter)[ \n-]\Z",
    re.IGNORECASE,
)
_MODERN_YEAR = re.compile(r"(?<![^\W_])(?:in|the)[ \n]\Z", re.IGNORECASE)
_NOT_ONE = re.compile(
    r"(?<![^\W_])(?:no|any|this|that|each|every|which|the|another|some|only|such|(?:n?ei)ther|last|first|next)[ \n-]\Z",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"_+[^\W_]|\^|[-.][^\W\d_]|:[0-9]|/[^\W_]|-[0-9]+-[0-9]")
_NAMED_AFTER = re.compile(r"[ -](?:edition|release|version)\b", re.IGNORECASE)


def blocked_before(before: str) -> bool:
    """Whether digits after this text belong to something: a word, a version, a path, a footnote mark."""
    if not before:
        return False
    last, rest = before[-1], before[:-1]
    if last.isdigit() or _LETTER.match(last) or last in "#@\\/^":
        return True
    if last == "_":
        return rest.rstrip("_")[-1:].isalnum()
    if last in ".+":
        return rest[-1:].isalnum() or rest[-1:] == last
    if last == "-" and _HYPHENATED.search(before):
        return _PREFIX.search(before) is None and _MEASURED.search(before) is None
    if last == ":" and (rest[-1:].isdigit() or _PLACE.search(before)):
        return True
    return _ends_in_word(before, " \n-") and _IDENTIFIER.search(before[-_LAST_WORD:]) is not None


def blocked_after(text: str, end: int) -> bool:
    """Whether a number without a unit is the beginning of something: "3D", "2.x", "16:9", "2021-edition"."""
    following = text[end : end + 1]
    return bool(_LETTER.match(following or " ") or _GOES_ON.match(text, end) or _NAMED_AFTER.match(text, end))


def footnote(text: str, start: int, end: int) -> bool:
    """Whether digits are a mark such as ``[12]`` or ``[^3]``."""
    return text[end : end + 1] == "]" and (text[start - 1 : start] == "[" or text[max(0, start - 2) : start] == "[^")


def part_of_name(before: str) -> bool:
    """Whether a bare number follows a capitalised word within a sentence: "with Python 3"."""
    return _ends_in_word(before, " *_`") and _PROPER_NAME.search(before) is not None


def label(before: str) -> str | None:
    """What the number after this text is the number of ("chapter", or "" after "No."), or None."""
    match = _LABEL.search(before[-_LAST_WORD:]) if _ends_in_word(before, " \n*_`") else None
    if match is None:
        return None
    written: str = (match[1] or match[2] or match[3]).lower()
    return _ABBREVIATED.get(written, written)


def approximate_before(before: str) -> bool:
    """Whether the words before an amount make it approximate or a bound."""
    return _ends_in_word(before, " *_`") and _APPROXIMATE.search(before) is not None


def counts_as_year(before: str, year: int) -> bool:
    """Whether a year before a plural noun is a year all the same: "the 2015 elections"."""
    if _ALWAYS_A_YEAR.search(before):
        return True
    return 1900 <= year <= 2099 and _MODERN_YEAR.search(before) is not None


def _ends_in_word(before: str, after: str) -> bool:
    """Whether a word, or a sign that stands for one, is the last thing before: what most numbers fail at once."""
    last = before.rstrip(after)[-1:]
    return last.isalpha() or (last != "" and last in ".§№º~≈±<>≤≥=〜-)")


def one_is_a_pronoun(before: str) -> bool:
    """Whether "one" after this text stands for a thing: "this one", "no one"."""
    return _NOT_ONE.search(before) is not None
