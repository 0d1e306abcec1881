"""What a question asks for, by rules: its terms and names, what it refers to, what it counts, lists or compares.

No model and no document is involved. The same analysis serves ``lens find`` and the oracles. `phrases` finds what
``lens find`` ranks with, as it was measured; `names` says which names a proof must hold, and which new ones a passage
brings: it knows the capitals of Latin, Greek and Cyrillic and the quotation marks of East Asia.

Of a plan the question itself is the fact to find. What can be counted or listed exactly (files, lines, occurrences) has
a rule, and every match of the scan is checked. A summary is one of a document. Where two named things are compared,
there is a fact for each: the question without the other one. A follow-up is made whole first (coreference): "And when
was it released?" after "Who wrote Dune?" is searched as "When was Dune released?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.plan import (
    Anchor,
    AnchorKind,
    AnswerType,
    Combination,
    Condition,
    Intent,
    MatchRule,
    Plan,
    Requirement,
    Transformation,
    Unit,
)
from lens_lsp.model.words import STOP_WORDS, bigrams, content, fold, key, runs

_QUOTED_PHRASE = regex(r'["“„«]([^"”“»]{2,80})["”“»]')
_CAPITAL_WORD = r"[A-Z0-9][\w’'&.\-]*"
_JOINERS = "of|the|and|in|de|la|du|von|van|for|to|on|at|&|a|an|del|der|y|et|da|with|from|or"
NAME = regex(rf"{_CAPITAL_WORD}(?:,? (?:(?:{_JOINERS}) ){{0,3}}{_CAPITAL_WORD})*")
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
_LONGEST_NAME = 80
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
_PLACES = regex(
    rf"(?:please )?(?:(?P<count>{_COUNTS})|{_LISTS}) {_OF}"
    rf"(?:(?P<files>{_FILES})|(?P<lines>{_LINES})|(?P<noun>[^\W\d_]\w+)(?= {_LINK}(?:{_HOLD})\b))"
    rf"(?: (?:are there|exist|we have|i have))? {_LINK}(?:{_HOLD}|{_WITH})\b ?(?P<what>\S.*)",
    re.IGNORECASE,
)
# "In how many notes is garlic mentioned?"
_PASSIVE = regex(
    rf"(?:in )(?:(?P<count>how many|wie ?vielen)|which|welchen) {_OF}(?:(?P<files>{_FILES})|(?P<lines>{_LINES})) "
    rf"(?:is|are|was|were|do|does|wird|werden) (?:there )?(?P<what>.+?) (?:{_SAID}|appear|occur|stand)",
    re.IGNORECASE,
)
_OFTEN = regex(
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
_IN_FOLDER = regex(
    rf"(?:please )?(?:(?P<count>{_COUNTS})|{_LISTS}) {_OF}(?:{_FILES}) (?:(?:are|is|exist|lie|there|do we have|have we)"
    r" )*(?:in|under|inside) (?:the |my |our )?(?:(?:folder|directory) (?P<a>[\w./-]+)|(?P<b>[\w./-]+) "
    r"(?:folder|directory))",
    re.IGNORECASE,
)
_DAY = (
    r"(?:(?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?,?)?(?: (?:of )?\d{4})?|\d{4}(?:-\d{2}){0,2})"
)
_CONDITION = regex(
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
_WHERE = regex(
    r"\s(?:in|inside|under|within) (?:the |my |our )?(?:(?:folder|directory|file|note|chapter|page|document) "
    r"(?P<a>[\w./-]+)|(?P<b>[\w./-]+) (?:folder|directory|file|notes?|document)|(?P<c>[\w-]+(?:[./][\w-]+)+/?))$",
    re.IGNORECASE,
)
_ANYWHERE = regex(
    r"\s(?:in|inside|within|across) (?:(?:all|the|these|this|my|our) )*(?:notes?|files?|docs|documents|documentation"
    r"|folders?|workspace|vault|repository|repo|project|corpus|book|collection)$",
    re.IGNORECASE,
)
_WORD = regex(
    r"(?:(?:both|the|a|an|any|der|die|das|den|dem|le|la|les|el|los|las) |l['’])*"
    r"(?:(?:word|term|phrase|string|tag|keyword|name|topic|das wort)s? )?",
    re.IGNORECASE,
)
_FIELD = regex(rf"^({_FIELDS})(?: is| are|:| =)(?= )", re.IGNORECASE)
_JOINED = regex(r",? (?:and|und|et|y|и) |, ")
_QUOTED = regex(r"[\"“„«`].*[\"”“»`]")
_NOT_EXACT = regex(r"\b(?:or|neither|nor|not|without|oder|ou|или|ohne|sans|sin|без)\b", re.IGNORECASE)
_MOST_PARTS = 4
_LONGEST = 600
"""Code points of a question that is looked at; what is longer is a pasted text and looked up as it is."""
_ARTICLES = "the|a|an|my|our|this|these|der|die|das|den|le|la|les|el|los|las"
_SUMMARY = regex(
    r"(?:(?:please|can you|could you) )*(?:(?:summari[sz]e|sum up|outline|recap|tl;?dr(?: of)?|fasse|résume[rz]?|resume"
    r"|resumir|подведи итог|кратко изложи)\b|总结|概括|要約|(?:(?:give|write|show)(?: me| us)? |what(?:'s| is) )?"
    r"(?:an? |the )?(?:(?:short|brief|quick) )*(?:(?:summary|overview|outline|gist|recap|synopsis|rundown|überblick"
    r"|zusammenfassung|résumé|resumen)\b|(?:(?:what are|list) )?(?:the )?(?:key|main) (?:points|ideas|takeaways)\b)"
    r"(?: (?:of|for|on|about|in|über|von|du|de|del|sobre)\b)?)\s*(?P<what>.*)"
    r"|what(?: is|'s) (?P<about>.+) about",
    re.IGNORECASE | re.DOTALL,
)
_LENGTH = regex(
    r"[,;]?\s+(?:(?:in|within) (?:(?:a|about|at most|few|two|three|four|five|one|\d+|short) )*(?:sentences?|lines?"
    r"|words|bullets?|bullet points|paragraphs?|short|brief)|briefly|please|for me|zusammen|bitte)$",
    re.IGNORECASE,
)
_DOCUMENT = "document|file|note|page|chapter|section|article|book|paper|post|dokument|datei|notiz|seite|kapitel|fichier"
_VAGUE_WORDS = """
this these it that those everything all my our notes note file files the folder document documents workspace here
"""
_VAGUE = frozenset(_VAGUE_WORDS.split())
"""Words that name no document: "this", "my notes"."""
_JOINT = r",? (?:or|versus|vs\.?|and|oder|und|ou|et|o|y|или|и) "
_BETWEEN_NAMES = regex(rf"{_JOINT}(?:(?:{_ARTICLES}) )?", re.IGNORECASE)
_LAST_TWO = regex(rf"(?P<a>[^\s,:][^,:]{{0,60}}?){_JOINT}(?P<b>[^,:]{{1,60}})")
_BETWEEN = regex(rf"\b(?:between|zwischen|entre|между) (?P<a>.{{1,80}}?){_JOINT}(?P<b>.{{1,80}})", re.IGNORECASE)
_WITH_ARTICLES = regex(
    rf"\b(?P<a>(?:{_ARTICLES}) \S+(?: \S+){{0,2}}?){_JOINT}(?P<b>(?:{_ARTICLES}) \S+)", re.IGNORECASE
)
_DIFFERENCE = regex(
    r"\bdifference in\b|\b(?:how (?:many|much)\b.*\b(?:between|more|less|fewer|longer|later|older|higher|larger))\b"
    r"|\b(?!the\b|a\b|any\b|main\b)\w+ difference\b|\b(?:wie ?viele?|unterschied|differenz)\b.*\bzwischen\b"
    r"|\bcombien\b.*\bentre\b|\bcuánt[oa]s\b.*\bentre\b",
    re.IGNORECASE,
)
_SUM = regex(r"\b(?:total|sum of|together|combined|altogether|zusammen|insgesamt)\b", re.IGNORECASE)
_SAME = regex(r"\b(?:the same|equal|equally|differ|das ?selbe|dieselbe|den ?selben|gleich\w*)\b", re.IGNORECASE)
_LEAST = regex(
    r"\b(?:less|least|fewer|fewest|(?:short|small|low|light|cheap|slow|earli|narrow|near|clos|warm)e(?:r|st)|first"
    r"|weniger|kleiner|kürzer|leichter|früher|billiger|günstiger|moins|menos)\b",
    re.IGNORECASE,
)
_GREATEST = regex(
    r"\b(?:more|most|(?:long|larg|bigg|high|tall|heavi|great|lat|new|wid|deep|fast|far)e(?:r|st)|farther|last|mehr"
    r"|größer|grösser|länger|höher|schwerer|später|plus|más)\b",
    re.IGNORECASE,
)
_COMPARES = regex(r"^compare\b|\b(?:versus|vs\.?|compared? (?:to|with)|vergleiche)\b", re.IGNORECASE)
_ELAPSED = regex(r"\bhow many (?P<unit>days|weeks|months|years)\b", re.IGNORECASE)
_LEADING = regex(r"^(?:and|but|so|also|then|ok|okay|now)\b[,\s]*", re.IGNORECASE)
_WHAT_ABOUT = regex(r"^(?:(?:what|how) about|and for|and in|and)\s+(?P<rest>[^?]{1,80})\?*$", re.IGNORECASE)
_BARE = regex(
    r"^(?:when|where|why|how|who|which one|by whom|since when|how (?:much|many|long|often))\s*\?*$", re.IGNORECASE
)
_POINTS_BACK = regex(
    r"^(?P<asks>since when|until when|when|where|why|how)(?: (?:was|is|did|does) (?:that|this)(?: happen(?:ed)?)?)?\s*"
    r"\?*$",
    re.IGNORECASE,
)
_OPENS_QUESTION = regex(
    r"^(?:(?:by|until|till|since|from|to|at|in|on|for|with|of|under|after|before|about) )?(?:who|whom|whose|what|which"
    r"|when|where|why|how|is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|list|count"
    r"|summari[sz]e|show|find|compare|explain)\b",
    re.IGNORECASE,
)
_OWNED = regex(r"\b(?P<word>its|their|his|her(?=\s+[a-z]))\b", re.IGNORECASE)
_PERSON = regex(r"\b(?:he|she|him|his|her|hers)\b", re.IGNORECASE)
# "that file" and "this one" point at a noun of their own; "that" before a clause is no pronoun.
_POINTS = regex(
    r"\b(?P<word>it|they|them|he|she|him|her|this|these|those)\b(?!\s+(?:file|one|ones|page|section|chapter|version)\b)",
    re.IGNORECASE,
)
_POINTED = regex(
    r"(?:(?P<before>\b(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|must|may|of|in|on|at|for"
    r"|to|from|with|by|about|under|after|before|since) )that|\b(?:this|these|those|the same)) "
    r"(?P<noun>[^\W\d_][\w-]+)\b",
    re.IGNORECASE,
)
# What the noun is for or with: "the contract for the lamps", "the lease with Orbis".
_FURTHER = regex(
    r" (?:for|with|from|about|between|at) (?:(?i:the) [\w-]+(?: [a-z][\w-]*)?|[A-Z][\w-]*(?: [A-Z][\w-]*)*)"
)
_OWN_NOUNS = """
file files folder folders note notes page pages document documents section chapter one ones version way case time day
week month year morning evening moment happen
"""
_OWN_NOUN = frozenset(_OWN_NOUNS.split())
"""Nouns that "this" and "that" name by themselves, or no noun at all."""
# "How many people came?", but not "How many people did it carry?": there the subject is another.
_SUBJECT = regex(r"^(?:who|(?P<many>how many|how much)) (?!.*\b(?:do|does|did)\b)(?P<rest>.+)$", re.IGNORECASE)
_EMPTY_IT = regex(r"\bit\s+(?:possible|necessary|true|allowed|safe|important|take|takes|rain\w*)\b", re.IGNORECASE)
_A_YEAR = regex(r"\b1\d{3}\b|\b20\d\d\b")
_THE = regex(r"\bthe ((?:[^\W_][\w-]*)(?: (?:of (?:the )?)?[^\W_][\w-]*){0,6})", re.IGNORECASE)
# "When does the lease end?": behind such a word the subject comes, and then its verb.
_VERB_LATER = regex(r"\b(?:do|does|did|can|could|will|would|shall|should|must|may|might)\s+$", re.IGNORECASE)
_LAST_THE = regex(r"\bthe [^\W_][\w-]*", re.IGNORECASE)
_WHO_WAS = regex(r"^who (?P<verb>is|are|was|were) (?P<rest>.+?)[?!. ]*$", re.IGNORECASE)
_WHO = regex(r"^(?:who|whom|whose|which (?:person|author|actor|director|president))\b", re.IGNORECASE)


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
    found = [match.group(1) for match in _QUOTED_PHRASE.finditer(question)]
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
    words = written[:_LONGEST_NAME].split(" ")
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
    if _NOT_EXACT.search(what) and not _QUOTED.fullmatch(what):
        return None
    parts = [what] if unit is Unit.MATCH or _QUOTED.fullmatch(what) else _JOINED.split(what)
    phrases = tuple(key(_FIELD.sub(r"\1", _WORD.sub("", part, count=1))) for part in parts)
    if not all(phrases) or len(parts) > _MOST_PARTS:
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


def offline_plan(question: str, *, apart: bool = True) -> Plan:
    """The plan of a question. Unless the facts of a comparison are wanted ``apart``, the question is the only one."""
    plan = analyse(question)
    fact = Requirement("f1", question, answer_type=plan.answer_type)
    plan = replace(plan, requirements=(fact,))
    text = re.sub(r"\s+", " ", question).strip()
    if not text or len(text) > _LONGEST:
        return plan
    exact = exact_question(text)
    if exact is not None:
        fact = Requirement("f1", question, many=True, rule=exact.rule)
        rule = Transformation(exact.kind)
        return replace(plan, requirements=(fact,), intent=Intent.AGGREGATION, transformation=rule)
    summary = _SUMMARY.fullmatch(text.strip(_END))
    if summary is not None:
        document = _document(summary["what"] if summary["about"] is None else summary["about"])
        return replace(plan, requirements=(replace(fact, many=apart),), intent=Intent.SUMMARIZE, document=document)
    compared = _compared(plan, text)
    if compared is None or apart:
        return compared or plan
    return replace(plan, intent=compared.intent)


def question_plan(question: str) -> Plan:
    """The plan of a judge that reads first: the question is the only fact. Where it asks for files, lines or matches of
    words, the exact rule that counts them stays; a document that is to be summarised is named."""
    return offline_plan(question, apart=False)


def _document(what: str) -> str | None:
    """The folded name of what is to be summarised; None for "this note" and the like."""
    what = what.strip(_END)
    while (shorter := _LENGTH.sub("", what)) != what:
        what = shorter
    bare = re.sub(rf"^(?:(?:{_ARTICLES}) )*", "", what, flags=re.IGNORECASE)
    named = re.sub(
        rf"^(?:{_DOCUMENT})s? (?:(?:called|named|about|on) )?|\s(?:{_DOCUMENT})$", "", bare, flags=re.IGNORECASE
    )
    folded = key(bare if re.fullmatch(r"[\d.]*", named) else named)
    return None if not folded or _VAGUE.issuperset(folded.split()) else folded


def _compared(plan: Plan, question: str) -> Plan | None:
    """A plan with a fact for each of two things; None where nothing compares them or no word tells them apart."""
    rule = _rule(question)
    if rule is None and _COMPARES.search(question) is None:
        return None
    pair = _pair(question)
    if pair is None:
        return None
    labels, questions = pair
    mine, other = ({term for term, _ in terms(fold(POSSESSIVE.sub(" ", label)))} for label in labels)
    if mine <= other or other <= mine:
        return None
    facts = tuple(Requirement(f"f{n}", asked, answer_type=plan.answer_type) for n, asked in enumerate(questions, 1))
    return replace(
        plan,
        requirements=facts,
        anchors=tuple(_serving(anchor, labels, mine, other) for anchor in plan.anchors),
        intent=Intent.COMPUTATION if rule is not None and rule.expression else Intent.COMPARISON,
        transformation=None if rule is None else replace(rule, labels=labels),
    )


def _rule(question: str) -> Transformation | None:
    """What becomes of two values, by the words of the question."""
    if _DIFFERENCE.search(question):
        unit = _ELAPSED.search(question)
        between = "f1 - f2" if unit is None else f"{unit['unit'].lower()}(f1, f2)"
        return Transformation(Combination.EXPRESSION, f"abs({between})")
    if _SUM.search(question):
        return Transformation(Combination.EXPRESSION, "f1 + f2")
    for kind, words in ((Combination.SAME, _SAME), (Combination.LEAST, _LEAST), (Combination.GREATEST, _GREATEST)):
        if words.search(question):
            return Transformation(kind)
    return None


def _pair(question: str) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """The two things that a question joins, as written, and the question without the second and without the first:
    those behind "between" or its last comma or colon, names, or with articles."""
    text = question.rstrip(_END)
    end = question[len(text) :]
    tail = max(text.rfind(", ", 0, text.rfind(",")), text.rfind(": "), text.rfind(", "))
    match = _BETWEEN.search(text)
    if match is None and tail > 0:
        match = _LAST_TWO.fullmatch(text, tail + 2)
    spans = None if match is None else (match.span("a"), match.span("b"))
    if spans is None:
        found = names(text)
        spans = next(filter(None, (_joined(text, one, other) for one, other in pairwise(found))), None)
    if spans is None and (match := _WITH_ARTICLES.search(text)) is not None:
        extra = len(match["a"].split()) - 2  # as many words as the first one has
        more = re.match(rf"(?: [^\s,]+){{{extra}}}", text[match.end() :])
        spans = (match.span("a"), (match.start("b"), match.end() + (0 if more is None else more.end())))
    if spans is None:
        return None
    (a, a_end), (b, b_end) = spans
    first, second = text[:a_end] + text[b_end:] + end, text[:a] + text[b:] + end
    return (text[a:a_end].strip(), text[b:b_end].strip()), (first, second)


def _joined(text: str, one: Name, other: Name) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where two names stand that only a joint parts."""
    joint = _BETWEEN_NAMES.fullmatch(text, one.start + len(one.text), other.start)
    if joint is None:
        return None
    return (one.start, one.start + len(one.text)), (other.start, other.start + len(other.text))


def _serving(anchor: Anchor, labels: tuple[str, str], mine: set[str], other: set[str]) -> Anchor:
    """An anchor that serves the fact whose thing it names; both where it names both or neither."""
    if anchor.kind is AnchorKind.PHRASE:
        held = tuple(f" {anchor.text} " in f" {key(POSSESSIVE.sub(' ', label))} " for label in labels)
    else:
        held = (anchor.text in mine, anchor.text in other)
    if held[0] == held[1]:
        return replace(anchor, requirements=("f1", "f2"))
    return replace(anchor, requirements=("f1",) if held[0] else ("f2",))


@dataclass(frozen=True, slots=True)
class EarlierQuestion:
    """A question of the thread as it was searched, and its short answer."""

    question: str
    short: str | None = None


def resolve_references(question: str, thread: Sequence[EarlierQuestion]) -> str:
    """The question with what it refers to in the thread put in; itself when it refers to nothing."""
    if not thread:
        return question
    typed = question.strip()
    about = _WHAT_ABOUT.match(typed)
    if about is not None and not _OPENS_QUESTION.match(about["rest"]):
        return _instead(thread[-1].question, about["rest"].strip())
    plain = _LEADING.sub("", typed)
    back = _POINTS_BACK.match(plain)
    if back is not None:
        return _of_the_same(thread[-1], back["asks"])
    if _BARE.match(plain):
        return f"{thread[-1].question.rstrip('?!. ')}, and {plain[:1].lower()}{plain[1:]}"
    plain = plain[:1].upper() + plain[1:]
    pointed = _POINTED.search(plain)
    if pointed is not None and fold(pointed["noun"]) not in _OWN_NOUN | STOP_WORDS:
        return _named(plain, pointed, thread)
    topic = _topic(thread, person=bool(_PERSON.search(plain)))
    if topic is None or _EMPTY_IT.search(plain):
        return plain if plain != typed[:1].upper() + typed[1:] else question
    owned = _OWNED.sub(_owner(topic), plain, count=1)
    if owned != plain:
        return owned
    return (
        _POINTS.sub(lambda _: topic, plain, count=1) if _POINTS.search(plain) else question if plain == typed else plain
    )


def _named(question: str, pointed: re.Match[str], thread: Sequence[EarlierQuestion]) -> str:
    """A question with what "that contract" in it names: the phrase of an earlier question that holds the noun, and what
    that is for or with; else the topic beside it."""
    before = question[: pointed.start()] + (pointed["before"] or "")
    behind = question[pointed.end() :]
    noun = content(pointed["noun"])
    for earlier in reversed(thread):
        for match in _THE.finditer(earlier.question):
            phrase = _noun(match[1], verb_last=_is_verb_later(earlier.question, match.start()))
            if noun and noun <= content(phrase):
                more = _FURTHER.match(earlier.question, match.start(1) + len(phrase))
                return f"{before}the {phrase}{'' if more is None else more[0]}{behind}"
    topic = _topic(thread, person=False)
    about = "" if topic is None else f" ({topic})"
    return f"{before}the {pointed['noun']}{behind.rstrip(' ?!.')}{about}?"


def _of_the_same(earlier: EarlierQuestion, asks: str) -> str:
    """When, where, why or how what the question before is about was. Where that asks who did something or how many
    did, the answer is the subject: it is put in, or its number left out, so that what is asked now stands alone."""
    asked = earlier.question.strip(" ?!.")
    who = _WHO_WAS.match(asked)
    if who is not None and earlier.short is not None:
        return f"{asks.capitalize()} {who['verb']} {earlier.short} {who['rest']}?"
    subject = _SUBJECT.match(asked)
    name = None if earlier.short is None or re.search(r"\d", earlier.short) else earlier.short
    if subject is not None and (subject["many"] or name is not None):
        did = subject["rest"] if subject["many"] else f"{name} {subject['rest']}"
        return f"{asks.capitalize()} was it that {did}?"
    return f"{asked}, and {asks.lower()}?"


def _owner(topic: str) -> str:
    return (topic + ("'" if topic.endswith("s") else "'s")).replace("\\", r"\\")


def _topic(thread: Sequence[EarlierQuestion], *, person: bool) -> str | None:
    """What the last questions were about: a person they answered with, a name, or what they call "the …"."""
    for earlier in reversed(thread):
        if person and earlier.short is not None and _WHO.match(earlier.question.strip()):
            return earlier.short
        named = [name for name in names(earlier.question) if not name.key.isdigit()]
        if named:
            return _written(named[0])
        noun = _THE.search(earlier.question)
        if noun is not None and (kept := _noun(noun[1], verb_last=_is_verb_later(earlier.question, noun.start()))):
            return f"the {kept}"
        if earlier.short is not None and not person:
            return earlier.short
    return None


def _written(name: Name) -> str:
    return f'"{name.text}"' if name.quoted else name.text


def _is_verb_later(question: str, at: int) -> bool:
    return _VERB_LATER.search(question[max(0, at - 10) : at]) is not None


def _noun(phrase: str, *, verb_last: bool) -> str:
    """The words of a noun phrase up to the first that begins something else, without the verb behind them."""
    kept: list[str] = []
    for word in phrase.split():
        if fold(word) in STOP_WORDS - {"of", "the"} or fold(word).endswith(("ed", "ing")):
            break
        if fold(word) == "the" and (not kept or fold(kept[-1]) != "of"):
            break
        kept.append(word)
    if verb_last and len(kept) > 1:
        kept.pop()
    while kept and fold(kept[-1]) in STOP_WORDS:
        kept.pop()
    return " ".join(kept)


def _instead(question: str, other: str) -> str:
    """The question before, about something else: a year for a year, a name for the last name, else added."""
    if _A_YEAR.fullmatch(fold(other).removeprefix("in ")) and _A_YEAR.search(question):
        return _A_YEAR.sub(fold(other).removeprefix("in "), question, count=1)
    named = [name for name in names(question) if not name.key.isdigit()]
    other = re.sub(r"^(?:in|for|of|with)\s+", "", other, flags=re.IGNORECASE)
    if named:
        last = named[-1]
        return question[: last.start] + other + question[last.start + len(last.text) :]
    nouns = list(_LAST_THE.finditer(question))
    if nouns:
        the = "" if re.match(r"(?:the|an?|my|our)\b", other, re.IGNORECASE) else "the "
        return question[: nouns[-1].start()] + the + other + question[nouns[-1].end() :]
    return f"{question.rstrip('?. ')} ({other})?"
