"""Counts and lists that can be said exactly: how many files mention X, which lines hold Y, how often Z stands there.

Where a question asks for files, lines, occurrences, tags or fields, a `MatchRule` says which places are meant, and
every match of the scan is checked. Any other question is no count, whatever it begins with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lens_lsp.model.plan import Combination, Condition, MatchRule, Unit
from lens_lsp.model.words import key

_END = " \t\r\n.,;:?!¿¡？。！，、"
_FILES = (
    "files?|notes?|documents?|docs|pages?|chapters?|articles?|posts?|papers?|books?|journals?|letters?|e?mails?"
    r"|readmes|texts?|memos?|reports?|transcripts?|dateien|datei|notizen|seiten|dokumente"
    "|kapitel|fichiers|chapitres|archivos|notas|páginas|documentos|файлов|файлы|заметок|заметки|документов|документы"
)
_LINES = "lines?|rows?|entries|bullets?|paragraphs?|zeilen|lignes|líneas|строк"
_COUNTS = (
    r"(?:in |across |dans |en |в )?(?:how many|wie ?viele[nr]?|combien de|cu[aá]nt[oa]s|сколько)|count(?: up)?"
    r"|(?:(?:what is|what's|give me) )?(?:the )?number of"
)
_LISTS = (
    r"(?:in |dans |en |в )?(?:which|what|welche[nr]?|quel(?:le)?s|qu[eé]|какие|каких)"
    "|(?:(?:list|show|find|name|give|get|enumerate|nenne|zeige?|liste|muestra|перечисли)(?: me| us| mir)?)"
)
_OF = (
    r"(?:(?:of|all|every|each|the|my|our|these|those|different|alle|die|der|toutes|tous|les|todas|todos|las|los|все) )*"
)
_LINK = r"(?:(?:that|which|where|in which|do|does|did|there|are|is|we|i|die|qui|que|где) )*"
_HOLD = (
    r"mention(?:s|ing)?|contain(?:s|ing)?|refer(?:s|ring)? to|references?|discuss(?:es)?|cit(?:e|es|ing)|talks? about"
    r"|(?:are |is )?tagged(?: with)?|erwähnen|enthalten|nennen|mentionnent|contiennent|citent|parlent de|mencionan"
    r"|contienen|citan|упоминают|содержат"
)
_FIELDS = r"status|author|title|date|type|category|state|owner|priority|version|licen[cs]e|tags?|keywords?"
_WITH = (
    r"(?:with|have|has|having|whose|use|includ(?:e|es|ing)|mit) (?:the |a |an |der |dem )?(?:word|term|phrase|string"
    rf"|tag|keyword|wort)s?|(?:with|have|has|having|whose) (?:the |a |an )?(?=(?:{_FIELDS})\b)"
)
_SAID = r"(?:mentioned|named|cited|referenced|discussed|erwähnt|genannt)"
_PLACES = re.compile(
    rf"(?:please )?(?:(?P<count>{_COUNTS})|{_LISTS}) {_OF}"
    rf"(?:(?P<files>{_FILES})|(?P<lines>{_LINES})|(?P<noun>[^\W\d_]\w+)(?= {_LINK}(?:{_HOLD})\b))"
    rf"(?: (?:are there|exist|we have|i have))? {_LINK}(?:{_HOLD}|{_WITH})\b ?(?P<what>\S.*)",
    re.IGNORECASE,
)
# "In how many notes is garlic mentioned?"
_PASSIVE = re.compile(
    rf"(?:in )(?:(?P<count>how many|wie ?vielen)|which|welchen) {_OF}(?:(?P<files>{_FILES})|(?P<lines>{_LINES})) "
    rf"(?:is|are|was|were|do|does|wird|werden) (?:there )?(?P<what>.+?) (?:{_SAID}|appear|occur|stand)",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"(?:how (?:often|many times)|wie oft) (?:is|are|was|were|has|have|do|does|did|wird|werden|kommt|kommen) "
    rf"(?P<what>.+?) (?:been |be )?(?:{_SAID}|appears?|occurs?|come up|show up|referred to|vor)(?P<where> in .+)?"
    r"|(?:how (?:often|many times) (?:do|does|did|have|has) (?:i|we|it|they|the \w+|my \w+) mention(?:ed)?"
    r"|combien de fois (?:apparaît|est mentionnée?)|cu[aá]ntas veces (?:aparece|se menciona)"
    r"|сколько раз (?:упоминается|встречается)) (?P<object>.+)"
    rf"|(?:{_COUNTS}) (?:of |the |all )*(?:occurrences?|mentions|instances|appearances|uses) of (?P<uses>.+?)"
    r"(?: (?:are|were) there)?(?P<place> in .+)?",
    re.IGNORECASE,
)
# "How many notes are there in the kitchen folder?"
_IN_FOLDER = re.compile(
    rf"(?:please )?(?:(?P<count>{_COUNTS})|{_LISTS}) {_OF}(?:{_FILES}) (?:(?:are|is|exist|lie|there|do we have|have we)"
    r" )*(?:in|under|inside) (?:the |my |our )?(?:(?:folder|directory) (?P<a>[\w./-]+)|(?P<b>[\w./-]+) "
    r"(?:folder|directory))",
    re.IGNORECASE,
)
_DAY = (
    r"(?:(?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?,?)?(?: (?:of )?\d{4})?|\d{4}(?:-\d{2}){0,2})"
)
_CONDITION = re.compile(
    r"\s(?:(?:dated|written|made|held|created|due) )?(?:(?P<date>in|on|during|from|before|until|after|since|later than"
    rf"|earlier than) (?P<day>{_DAY})|(?P<amount>over|above|more than|at least|under|below|less than|at most|exactly) "
    r"(?P<size>[$€£¥]?\s?\d[\d.,]*\s?(?:[%$€£¥]|[A-Za-z]+)?))$",
    re.IGNORECASE,
)
_RELATIONS = {
    "<": ("before", "until", "earlier than", "under", "below", "less than"),
    ">": ("after", "later than", "over", "above", "more than"),
    ">=": ("since", "at least"),
    "<=": ("at most",),
    "=": ("exactly",),
    "in": ("in", "on", "during", "from"),
}
_RELATION = {word: sign for sign, words in _RELATIONS.items() for word in words}
_WHERE = re.compile(
    r"\s(?:in|inside|under|within) (?:the |my |our )?(?:(?:folder|directory|file|note|chapter|page|document) "
    r"(?P<a>[\w./-]+)|(?P<b>[\w./-]+) (?:folder|directory|file|notes?|document)|(?P<c>[\w-]+(?:[./][\w-]+)+/?))$",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    r"\s(?:in|inside|within|across) (?:(?:all|the|these|this|my|our) )*(?:notes?|files?|docs|documents|documentation"
    r"|folders?|workspace|vault|repository|repo|project|corpus|book|collection)$",
    re.IGNORECASE,
)
_WORD = re.compile(
    r"(?:(?:both|the|a|an|any|der|die|das|den|dem|le|la|les|el|los|las) |l['’])*"
    r"(?:(?:word|term|phrase|string|tag|keyword|name|topic|das wort)s? )?",
    re.IGNORECASE,
)
_FIELD = re.compile(rf"^({_FIELDS})(?: is| are|:| =)(?= )", re.IGNORECASE)
_JOINED = re.compile(r",? (?:and|und|et|y|и) |, ")
_QUOTED = re.compile(r"[\"“„«`].*[\"”“»`]")
_VAGUE = re.compile(r"\b(?:or|neither|nor|not|without|oder|ou|или|ohne|sans|sin|без)\b", re.IGNORECASE)
_MOST_PHRASES = 4


@dataclass(frozen=True, slots=True)
class ExactQuestion:
    """Whether the places are counted or listed, and which they are."""

    kind: Combination
    rule: MatchRule


def exact_question(question: str) -> ExactQuestion | None:
    """What a question counts or lists exactly; None for any other."""
    asked = re.sub(r"\s+", " ", question).strip(_END)
    often = _OFTEN.fullmatch(asked)
    if often is not None:
        where = often["where"] or often["place"] or ""
        what = (often["what"] or often["object"] or often["uses"]) + where
        return _exact(Combination.COUNT, what, Unit.MATCH)
    match = _IN_FOLDER.fullmatch(asked)
    if match is not None:
        rule = MatchRule((), files=(f"{key(match['a'] or match['b'])}/",))
        return ExactQuestion(Combination.COUNT if match["count"] else Combination.LIST, rule)
    match = _PASSIVE.fullmatch(asked) or _PLACES.fullmatch(asked)
    if match is None:
        return None
    noun = match.groupdict().get("noun")
    unit = Unit.LINE if match["lines"] else Unit.FILE
    kind = Combination.COUNT if match["count"] else Combination.LIST
    return _exact(kind, match["what"], unit, files=(f"{key(noun)}/",) if noun else ())


def _exact(kind: Combination, what: str, unit: Unit, *, files: tuple[str, ...] = ()) -> ExactQuestion | None:
    """The places that hold ``what``; None where words alone cannot say it ("A or B")."""
    what = _ANYWHERE.sub("", what)
    where = _WHERE.search(what)
    if where is not None:
        what = what[: where.start()]
        files = (*files, *key(where["a"] or where["b"] or where["c"]).split())
    what, condition = _condition(what)
    what = _WORD.sub("", what.strip(_END), count=1)
    if _VAGUE.search(what) and not _QUOTED.fullmatch(what):
        return None
    parts = [what] if unit is Unit.MATCH or _QUOTED.fullmatch(what) else _JOINED.split(what)
    phrases = tuple(key(_FIELD.sub(r"\1", _WORD.sub("", part, count=1))) for part in parts)
    if not all(phrases) or len(parts) > _MOST_PHRASES:
        return None
    return ExactQuestion(kind, MatchRule(tuple(dict.fromkeys(phrases)), unit, condition, tuple(dict.fromkeys(files))))


def _condition(text: str) -> tuple[str, Condition | None]:
    """A text without the comparison with a date or an amount at its end, and that comparison."""
    match = _CONDITION.search(text)
    if match is None:
        return text, None
    relation = _RELATION[(match["date"] or match["amount"]).lower()]
    value = match["day"] or match["size"].strip()
    if match["amount"] and re.fullmatch(r"[1-9]\d{3}", value):
        value = f"{int(value):,}"  # "over 2000" are more than 2,000, and no years
    return text[: match.start()], Condition(relation, value)
