"""What a question asks for, by rules: its terms, the names and phrases in it, the type of answer.

No model and no document is involved. The same analysis serves ``lens find`` and the oracles. `phrases` finds what
``lens find`` ranks with, as it was measured. `names` answers another question: which names must a proof hold, and which
new ones does a passage bring. It knows the capitals of Latin, Greek and Cyrillic and the quotation marks of East Asia,
and takes conjunctions for boundaries.
"""

from __future__ import annotations

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.plan import Anchor, AnchorKind, AnswerType, Plan, Requirement
from lens_lsp.model.words import STOP_WORDS, bigrams, fold, key, runs

_QUOTED = regex(r'["“„«]([^"”“»]{2,80})["”“»]')
_WORD = r"[A-Z0-9][\w’'&.\-]*"
_JOINERS = "of|the|and|in|de|la|du|von|van|for|to|on|at|&|a|an|del|der|y|et|da|with|from|or"
NAME = regex(rf"{_WORD}(?:,? (?:(?:{_JOINERS}) ){{0,3}}{_WORD})*")
# Words that are capitalised only because they open the question.
_OPENING = regex(
    r"^(?:What|Which|Who|Whom|Whose|When|Where|Why|How|Are|Is|Was|Were|Did|Do|Does|Has|Have|In|On|Of|The|At|For|From"
    r"|By|To|A|An|Between|Both|This|That|If|Can|Could|During|As|With|After|Before)\b[ ,]*"
)
_EITHER = regex(r" (?:and|or) ")
POSSESSIVE = regex(r"['’]s\b")
"""What makes a name an owner."""
_SHORTEST_NAME = 3
_LONGEST_PHRASE = 200
_MOST_PHRASES = 32
MOST_TERMS = 128
"""Terms of a question that are searched for; a pasted page beyond that is cut."""
LONGEST_TERM = 64
"""Code points of a term that are compared."""
_TYPES = (
    (AnswerType.DATE, regex(r"\b(?:when|(?:what|which) (?:year|date|century|decade|day|month))\b")),
    (
        AnswerType.NUMBER,
        regex(r"\bhow (?:many|much|long|old|far|large|big|tall|high|often|fast)\b|\bwhat percent"),
    ),
    (AnswerType.PERSON, regex(r"\bwho(?:m|se)?\b")),
)
_OPENERS = """
what which who whom whose when where why how are is was were did do does has have had in on of the at for from by
to a an between both this that if can could should would will may during as with after before since until and or
but list name show give find count compare summarize summarise outline explain describe tell please enumerate
calculate compute add sum total average all every each number it its he she they we our my i there these those
then also however although while according although not no yes under over into about among
wann wer wie wo was warum welche welcher welches wieviel ist sind war hat haben liste nenne zeige fasse die der das
ein eine im in am quand qui que quoi quel quelle quels quelles combien ou est sont liste resume donne les le la un
une cuando quien quienes que cual cuales cuanto cuantos cuanta cuantas donde es son lista resume dame los las el
когда кто что где сколько какой какая какое какие перечисли назови подведи кратко
"""
OPENERS = frozenset(_OPENERS.split())
"""Words that open sentences and are capitalised for that reason alone."""
_NO_NAMES = """
i ok mr mrs ms dr monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm id todo note fixme
yes no true false und oder et ou y o и или
"""
NO_NAMES = frozenset(_NO_NAMES.split())
"""Capitalised words that name nothing by themselves."""
_RANGES = ((0x41, 0x5B), (0xC0, 0x250), (0x370, 0x530), (0x1E00, 0x1F00))
_CAPITALS = "".join(chr(code) for low, high in _RANGES for code in range(low, high) if chr(code).isupper())
_IN_MARKS = regex(
    r"\"([^\"\n]{2,80})\"|[“„]([^”“\n]{2,80})[”“]|«([^»\n]{2,80})»|`([^`\n]{1,80})`|(?<!\w)'([^'\n]{2,80})'(?!\w)"
    r"|「([^」\n]{1,80})」|『([^』\n]{1,80})』|《([^》\n]{1,80})》|‘([^’\n]{2,80})’(?!\w)"
)
_CAPITALISED_WORD = rf"(?:[{_CAPITALS}]|\d)[\w’'&\-]*(?:\.(?=\w)[\w’'\-]+)*"
_NAME_JOINERS = (
    "of the|for the|of|the|for|de la|de los|de|du|des|del|della|di|da|von der|von|van der|van|der|den|el|al|bin|y|&"
)
_CAPITALISED = regex(rf"(?<![\w@/\\.]){_CAPITALISED_WORD}(?:[ \t](?:(?:{_NAME_JOINERS})[ \t])?{_CAPITALISED_WORD})*")
# snake_case, path::to, file.ext, option -x, inner capitals (macOS), letters with digits (utf8).
_IDENTIFIER = regex(
    r"(?<![\w.\-])(?:--?[A-Za-z][\w-]*|[A-Za-z]\w+(?:(?:::|\.|_)\w{2,})+|\w+_\w+|[a-z]+[A-Z]\w*|[A-Za-z]+\d\w*)"
)
_OWNS = regex(r"['’]s?$")
_KATAKANA = regex(r"[ァ-ヺー]{3,}")
_LONGEST = 80


def analyse(question: str) -> Plan:
    """The plan of a question: one requirement, its terms, and the phrases and names it mentions."""
    folded = fold(POSSESSIVE.sub(" ", question))
    anchors = [Anchor(term, kind) for term, kind in terms(folded)]
    anchors += [Anchor(phrase, AnchorKind.PHRASE) for phrase in phrases(question)]
    return Plan(question, (Requirement("f1", question),), tuple(anchors), answer_type(question))


def terms(folded: str) -> list[tuple[str, AnchorKind]]:
    """The searchable terms of a folded question, each once, in order; stop words only if nothing else is there."""
    found: dict[str, AnchorKind] = {}
    for run in runs(folded):
        if not run.spaced:
            found.update(dict.fromkeys(bigrams(run.text), AnchorKind.TERM))
        else:
            term = run.text[:LONGEST_TERM]
            found[term] = AnchorKind.NUMBER if term.isdigit() else AnchorKind.TERM
    content = [(term, kind) for term, kind in found.items() if _carries_content(term)]
    return (content or list(found.items()))[:MOST_TERMS]


def _carries_content(term: str) -> bool:
    return term not in STOP_WORDS and (len(term) > 1 or term.isdigit() or not term.isascii())


def phrases(question: str) -> list[str]:
    """Quoted text and capitalised names of a question as folded keys; the parts of "A and B" stand beside the whole."""
    found = [match.group(1) for match in _QUOTED.finditer(question)]
    for match in NAME.finditer(_OPENING.sub("", question, count=1)):
        written = match.group().strip(" .,'-?")
        name = POSSESSIVE.sub("", _OPENING.sub("", _OPENING.sub("", written, count=1), count=1)).strip()
        if not name and " " in written:  # "The Who": nothing but words that open questions
            name = written
        found.append(name)
        if _EITHER.search(name):
            found.extend(part.strip() for part in _EITHER.split(name))
    keys = [key(phrase) for phrase in found if _SHORTEST_NAME <= len(phrase) <= _LONGEST_PHRASE]
    return list(dict.fromkeys(k for k in keys if k))[:_MOST_PHRASES]


def answer_type(question: str) -> AnswerType:
    """What kind of thing the question word asks for."""
    lowered = question.lower()
    for kind, pattern in _TYPES:
        if pattern.search(lowered):
            return kind
    return AnswerType.ANY


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written, its folded key, and where it begins, in code points."""

    text: str
    key: str
    start: int
    quoted: bool = False


def quoted(text: str) -> list[Name]:
    """What stands in quotation marks or as code, in order."""
    found = []
    for match in _IN_MARKS.finditer(text):
        group = match.lastindex or 0
        found.append(Name(match[group], key(match[group]), match.start(group), quoted=True))
    return [name for name in found if name.key]


def names(text: str) -> list[Name]:
    """The names of a text in order, none inside another; a capital that only opens a sentence makes no name."""
    found = quoted(text)
    for pattern in (_CAPITALISED, _IDENTIFIER, _KATAKANA):
        for match in pattern.finditer(text):
            name = _trimmed(text, match.start(), match.group())
            if name is not None and not any(_inside(name, other) for other in found):
                found.append(name)
    return sorted(found, key=lambda name: name.start)


def _trimmed(text: str, start: int, written: str) -> Name | None:
    """A run of capitalised words without what is capitalised for another reason."""
    words = written[:_LONGEST].split(" ")
    opens = _opens_sentence(text, start)
    if opens:
        while words and fold(words[0]).strip("'’.") in OPENERS:
            start += len(words[0]) + 1
            words, opens = words[1:], False
    folded_words = [fold(word).strip("'’.") for word in words]
    if NO_NAMES.issuperset(folded_words) or (len(words) == 1 and _is_no_name(words[0], opens)):
        return None
    name = _OWNS.sub("", " ".join(words)).rstrip(".-")
    folded = key(POSSESSIVE.sub(" ", name))
    return Name(name, folded, start) if folded and not folded.isspace() else None


def _is_no_name(word: str, opens: bool) -> bool:
    """A single word that is no name: a bare number, a pronoun, or an ordinary word that opens a sentence."""
    folded = fold(word).strip("'’.")
    if folded in NO_NAMES or folded in STOP_WORDS or (folded.isdigit() and len(folded) != 4):
        return True
    ordinary = opens and word[1:].islower() and not _OWNS.search(word)
    return ordinary or (len(folded) == 1 and not word.isdigit())


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\"'“„«¿¡(*_#>-")
    return not before or before[-1] in ".!?:\n\r…。！？"


def _inside(name: Name, other: Name) -> bool:
    end = other.start + len(other.text)
    return name.start < end and other.start < name.start + len(name.text)
