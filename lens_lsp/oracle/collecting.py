"""English questions about many places at once: how many files mention X, list all Y, summarise Z.

Where the places can be said exactly (files or lines that hold given words, dates within a period), a `MatchRule`
says so and the engine checks every match of the scan; else the requirement just wants all matching windows.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lens_lsp.computation.nouns import looks_plural, singular
from lens_lsp.domain.plan import AnswerType, Combination, Condition, Intent, MatchRule, Unit
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import key, stem
from lens_lsp.oracle.overviews import VAGUE, overview
from lens_lsp.oracle.reading import Reading, items, over, trimmed

_FILE_WORDS = """
files notes documents docs pages chapters articles posts papers books journals letters emails readmes texts memos
reports transcripts
"""
_LINE_WORDS = "lines rows records entries items bullets paragraphs"
_FILES = frozenset(map(stem, _FILE_WORDS.split()))
_LINES = frozenset(map(stem, _LINE_WORDS.split()))
_COUNTED = "occurrences?|mentions|instances|appearances|uses"
_STRONG = (
    r"(?:mention(?:s|ing)?|contain(?:s|ing)?|refer(?:s|ring)? to|references?|discuss(?:es|ing)?|cit(?:es?|ing)"
    r"|talks? about|speaks? (?:of|about)|includ(?:es?|ing) the (?:word|term|phrase)|(?:are |is )?tagged(?: with)?)"
)
_WEAK = (
    r"(?:include[sd]?|includ(?:ing)|have|has|had|use[sd]?|using|need|describe[sd]?|describing|cover[s]?"
    r"|covering|are about|is about|about|with|on)"
)
_LINK = r"(?:that |which |where |in which )?(?:(?:do|does|did|is|are|was|were|there|i|we|you|people|it) )*"
_NOUN = (
    r"(?:of (?:the|my|our|these|those) |the |my |our |all |different |distinct |separate )*(?P<noun>[\w.-]+"
    r"(?: [\w.-]+){0,2}?)(?: (?:of|in|from|on) (?:the|my|our|this|these|those|all)(?: [\w.-]+){1,2}?)?"
)
_HOW_MANY = (
    r"(?:(?:in |across )?how many|count(?: up)?(?: how many)?|(?:what is |what's |give me )?the number of|number of)"
)
_COUNT = regex(
    (
        rf"^{_HOW_MANY} {_NOUN} (?:are there |exist |were there )?{_LINK}(?:(?P<strong>{_STRONG})|"
        rf"(?P<weak>{_WEAK}))\b ?(?P<what>.*)$"
    ),
    re.IGNORECASE,
)
# "pages for Lyon", "How many notes are there in the kitchen folder?"
_KEPT = regex(
    (
        r"^(?:(?P<count>how many)|(?:list|show|name|find|give me|which|what)) (?:of |all |every "
        r"|each |the |my |our )*"
        r"(?P<noun>[\w-]+) (?:(?:are|is|exist|lie|do we have|have we|do i have) ?)?(?:there )?"
        r"(?:for|in|under|inside|of) "
        r"(?:the |my |our )?(?P<folder>(?:folder|directory) )?(?P<where>[\w.-]+(?: [\w.-]+)?)"
        r"(?P<called> (?:folder|directory))?$"
    ),
    re.IGNORECASE,
)
# "In which city folders is there a note about trams?"
_FOLDERS = regex(
    (
        r"^(?:in|under|inside) (?:which|what) (?:[\w-]+ )?(?:folders|directories|subfolders) (?:is"
        r"|are|do|does) "
        r"(?:there |we |i |have )*(?:a |an |any |the )?(?P<noun>[\w-]+) (?:for|called|named|on"
        r"|about) "
        r"(?P<where>[\w.-]+(?: [\w.-]+)?)$"
    ),
    re.IGNORECASE,
)
# "Which letters have a posting date in May 1911?", "… were posted in May 1911?"
_WITH_DATE = regex(
    (
        r"^(?P<ask>how many|which|what|list|show|find|name|give me) (?:of |all |every |each |the "
        r"|my |our )*"
        r"(?P<noun>[\w-]+(?: [\w-]+)?) (?:(?:whose|where the|with an?|with the|with|have an?"
        r"|having an?|that have an?) "
        r"(?P<field>[a-z-]+(?: [a-z-]+){0,2}?)|(?:(?:that|which) )?(?:were|was|are|is|got|have"
        r" been|has been|had been) "
        r"(?P<done>[a-z]+))(?: (?:is|was|are|were|lies|falls))?$"
    ),
    re.IGNORECASE,
)
_ENTRIES = regex(
    (
        r"^how many (?:entries|items|rows|steps|points|bullets|bullet points|lines|names|options"
        r"|values|members) "
        r"(?:(?:does|do|are|is|has|have|can)\b ?)(?:there )?(?:(?:listed |named )?(?:in|on|under)"
        r" )?(?:the |our |my )?"
        r"(?P<what>[^?]*\b(?:list|table|index|glossary|agenda|checklist|inventory|legend)\b[^?]*?)"
        r"(?: (?:have|has|contain|hold|list|include))?$"
    ),
    re.IGNORECASE,
)
_ALL_OF_THEM = regex(r",? (?:all of (?:them|it)|every one of them|each of them|all \w+ of them)$", re.IGNORECASE)
_FIELDS = {"started": "start date", "begun": "start date", "ended": "end date", "finished": "end date"}
_COUNT_OF = regex(
    rf"^{_HOW_MANY} (?:of |the |all )*(?:{_COUNTED}) (?:of )?(?P<what>.+?)(?: (?:are|were) there)?(?P<where> in .+)?$",
    re.IGNORECASE,
)
_HOW_OFTEN = regex(
    (
        r"^how (?:often|many times) (?:(?:is|are|was|were|has|have|does|do|did) )(?P<what>.+?) "
        r"(?:been |be )?(?:mentioned|appear(?:s|ed)?|occur(?:s|red)?|come up|show up|cited|named"
        r"|referenced"
        r"|referred to)(?P<where> in .+)?$"
        r"|^how (?:often|many times) (?:do|does|did|have|has) (?:i|we|it|they|he|she|the \w+|my"
        r" \w+) mention"
        r"(?:ed)? (?P<object>.+)$"
    ),
    re.IGNORECASE,
)
_LIST = regex(
    (
        r"^(?:please )?(?:(?P<plain>list|enumerate)(?: me)?|(?:name|show|give|find|get|tell"
        r"|collect)(?: me| us)?"
        r"(?= (?:all|every|each)\b)|"
        r"(?:what|which|who) (?:are|were)(?= all\b)|(?:what|which)(?= (?:all|of all)\b)) "
        r"(?P<rest>.+)$"
    ),
    re.IGNORECASE,
)
_WHICH = regex(
    rf"^(?:what|which) {_NOUN} {_LINK}(?:(?P<strong>{_STRONG})|(?P<weak>{_WEAK}))\b ?(?P<what>.*)$", re.IGNORECASE
)
_NAMES = regex(r"^(?:name|show|give(?: me)?|tell me|find|what are|which are|who are) ", re.IGNORECASE)
_WHICH_PLURAL = regex(
    (
        r"^(?:which|what) (?!(?:kind|type|sort)s? of\b|(?:two|three|four)\b)(?:[\w-]+ ){0,2}"
        r"(?!does|is|was|has|its|this|his)[\w-]*[a-rt-z]s "
        r"(?:are|were|can|could|have|do|did|must|should|may|will|would|need)\b"
    ),
    re.IGNORECASE,
)
_WHICH_WHEN = regex(
    (
        r"^(?:what|which|how many) (?P<noun>[a-z]+(?: [a-z]+)?s) (?:(?:are|were|was|is|do|did|have"
        r"|had|has|happened"
        r"|took place|i|we|there|"
        r"dated|held|due|planned|scheduled|listed|made|cost|costs) ?)*$"
    ),
    re.IGNORECASE,
)
_QUALIFIED = regex(
    (
        rf"^(?:all |every |each |of |the |my |our |single )*(?P<noun>[\w.-]+(?: [\w.-]+){{0,2}}?)"
        rf" {_LINK}(?:"
        rf"(?P<strong>{_STRONG})|(?P<weak>{_WEAK}))\b ?(?P<what>.*)$"
    ),
    re.IGNORECASE,
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = (
    rf"(?:(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?,?)?(?: "
    rf"(?:of )?\d{{4}})?|\d{{4}}(?:-\d{{2}}){{0,2}}|q[1-4] \d{{4}})"
)
_WHEN = regex(
    (
        r"(?:^|\s)(?:(?:(?:dated|written|made|held|from|happened|created|due)\s+)?(?P<on>in|on"
        r"|during|of|from"
        r"|before|until|prior to|earlier than|after|since"
        rf"|later than|from)\s+(?P<date>{_DATE}))$"
    ),
    re.IGNORECASE,
)
_AMOUNT = regex(
    (
        r"(?:^|\s)(?:(?:that |which )?(?:cost(?:s|ing)?|are|is|weigh(?:s|ing)?|worth) )?"
        r"(?P<on>over|above|more than|greater than|exceeding|larger than|longer than|at least"
        r"|under|below|less than"
        r"|fewer than|at most|"
        r"smaller than|cheaper than|shorter than|exactly) (?P<amount>[$€£¥]?\s?\d[\d.,]*\s?"
        r"(?:[%$€£¥]|[A-Za-z]+)?)$"
    ),
    re.IGNORECASE,
)
_YEAR = regex(r"[1-9]\d{3}")
_SAYS_YEAR = regex(r"\b(?:years?|dates?|dated)\b|\b(?:in|since)$", re.IGNORECASE)
_RELATIONS = {
    "<": "before|until|prior to|earlier than|under|below|less than|fewer than|smaller than|cheaper than|shorter than",
    ">": "after|later than|over|above|more than|greater than|exceeding|larger than|longer than",
    ">=": "since|at least",
    "<=": "at most",
    "=": "exactly",
    "in": "in|on|during|of|from",
}
_RELATION = {word: sign for sign, words in _RELATIONS.items() for word in words.split("|")}
_WHERE = regex(
    (
        r"\s+(?:in|inside|under|within)\s+(?:(?:the|my|our)\s+)?(?:(?:folder|directory|file|note"
        r"|chapter|page"
        r"|document)\s+(?P<a>[\w./-]+(?: [\w./-]+)?)"
        r"|(?P<b>[\w./-]+)\s+(?:folder|directory|file|note|notes|document)|(?P<c>[\w-]+"
        r"(?:[./][\w-]+)+/?))$"
    ),
    re.IGNORECASE,
)
_ANYWHERE = regex(
    (
        r"\s+(?:in|inside|within|across)\s+(?:(?:all|the|these|this|my|our)\s+)*"
        r"(?:notes?|files?|docs|documents|documentation|folders?|workspace|vault|repository|repo"
        r"|project|corpus"
        r"|book|collection)$"
    ),
    re.IGNORECASE,
)
_WORD = regex(
    (
        r"^(?:(?:both|either|the|a|an|any|der|die|das|den|dem|le|la|les|el|los|las) |l['’])*"
        r"(?:(?:word|term|phrase|string|tag|keyword|name|topic|subject)s? )?"
    ),
    re.IGNORECASE,
)


def collect(question: str) -> Reading | None:
    """The reading of a question that counts, lists or summarises; None for any other."""
    for read in (overview, _kept, _dated, _often, _count, _listed, _plural_which):
        reading = read(question)
        if reading is not None:
            return reading
    return None


def condition_of(text: str) -> tuple[str, Condition | None]:
    """A text without the comparison with a date or an amount at its end, and that comparison."""
    match = _WHEN.search(text)
    if match is not None:
        return text[: match.start()], Condition(_RELATION[match["on"].lower()], match["date"])
    match = _AMOUNT.search(text)
    if match is None:
        return text, None
    before, amount = text[: match.start()], match["amount"].strip()
    if _YEAR.fullmatch(amount) and not _SAYS_YEAR.search(before):
        amount = f"{int(amount):,}"  # "over 2000" are more than 2,000, and no years
    return before, Condition(_RELATION[match["on"].lower()], amount)


def aggregation(kind: Combination, rule: MatchRule | None) -> Reading:
    """The reading of a count or list."""
    return Reading(
        Intent.AGGREGATION,
        answer_type=AnswerType.ANY,
        transformation=over(kind),
        rule=rule,
        many=True,
    )


def rule_for(what: str, unit: Unit, *, files: tuple[str, ...] = ()) -> MatchRule | None:
    """The exact rule for places that hold ``what``; None where words alone cannot say it ("A or B")."""
    what = _ANYWHERE.sub("", trimmed(what))
    where = _WHERE.search(what)
    if where is not None:
        what = what[: where.start()]
        files = (*files, *key(where["a"] or where["b"] or where["c"]).split())
    what, condition = condition_of(what)
    if re.search(r"\bor\b|\bnot\b|\bwithout\b", what):
        return None
    both = re.match(r"^both\b", what, re.IGNORECASE)
    parts = items(_WORD.sub("", what)) if both or unit is not Unit.MATCH else (what,)
    phrases = tuple(key(_WORD.sub("", part)) for part in parts)
    if not all(phrases) or len(parts) > 4:
        return None
    return MatchRule(tuple(dict.fromkeys(phrases)), unit, condition, tuple(dict.fromkeys(files)))


def _count(question: str) -> Reading | None:
    match = _COUNT.match(question)
    if match is not None:
        rule, exact = _places(match["noun"], bool(match["strong"]), match["what"])
        if exact:
            return aggregation(Combination.COUNT, rule)
    match = _COUNT_OF.match(question)
    if match is not None:
        return aggregation(Combination.COUNT, rule_for(match["what"] + (match["where"] or ""), Unit.MATCH))
    rest, condition = condition_of(question)
    match = _WHICH_WHEN.match(rest)
    if condition is None or match is None:
        return None
    kind = Combination.COUNT if rest.lower().startswith("how many") else Combination.LIST
    return aggregation(kind, _bare(match["noun"], condition))


def _places(noun: str, strong: bool, what: str) -> tuple[MatchRule | None, bool]:
    """The rule for "NOUN that mention WHAT" and whether the words mean places in files at all."""
    last = noun.split(" ")[-1]
    unit = Unit.LINE if stem(last.lower()) in _LINES else Unit.FILE
    generic = unit is Unit.LINE or stem(last.lower()) in _FILES or re.fullmatch(r"[A-Z]{2,}s", last) is not None
    if not (strong or generic) or not trimmed(what):
        return None, False
    files = () if generic else (f"{singular(last)}/",)
    return rule_for(what, unit, files=files), True


def _kept(question: str) -> Reading | None:
    """ "List all pages for Lyon": the files of a folder, or those that are called so."""
    match = _KEPT.match(question)
    if match is not None:
        if stem(match["noun"].lower()) not in _FILES or not match["noun"].lower().endswith("s"):
            return None
        kind = Combination.COUNT if match["count"] else Combination.LIST
        name = key(re.sub(r" (?:folder|directory)$", "", match["where"], flags=re.IGNORECASE))
        if name in VAGUE or condition_of(f" in {name}")[1] is not None:
            return None
        return aggregation(kind, MatchRule((), files=(f"{name}/",)))
    match = _FOLDERS.match(question)
    if match is None or stem(match["noun"].lower()) not in _FILES:
        return None
    return aggregation(Combination.LIST, MatchRule((), files=(key(match["where"]),)))


def _dated(question: str) -> Reading | None:
    """ "Which letters were posted in May 1911?": the lines or files that say when."""
    rest, condition = condition_of(question)
    match = _WITH_DATE.match(rest)
    if condition is None or match is None:
        return None
    last = match["noun"].split(" ")[-1]
    if not looks_plural(last.lower()):
        return None
    field = key(match["field"] or _FIELDS.get(match["done"].lower(), match["done"]))
    filed = stem(last.lower()) in _FILES or re.fullmatch(r"[A-Z]{2,}s", last) is not None
    phrases = (field,) if filed or match["field"] else (singular(last), field)
    rule = MatchRule(phrases, Unit.FILE if filed else Unit.LINE, condition)
    return aggregation(Combination.COUNT if match["ask"].lower() == "how many" else Combination.LIST, rule)


def _often(question: str) -> Reading | None:
    match = _HOW_OFTEN.match(question)
    if match is None:
        return None
    what = match["object"] or match["what"] + (match["where"] or "")
    return aggregation(Combination.COUNT, rule_for(what, Unit.MATCH))


def _plural_which(question: str) -> Reading | None:
    """ "Which rivers can freeze over?": a list that no exact rule finds; one place may hold all of it."""
    if _ENTRIES.match(question):
        return replace(aggregation(Combination.COUNT, None), many=False)
    if not _WHICH_PLURAL.match(question) or re.search(r"\b(?:or|most|least|than|first|last|\w+est)\b", question):
        return None
    return replace(aggregation(Combination.LIST, None), many=False)


def _listed(question: str) -> Reading | None:
    whole = _ALL_OF_THEM.sub("", question)
    match = _LIST.match(whole) or (_LIST.match(f"list {_NAMES.sub('', whole)}") if whole != question else None)
    if match is not None:
        rest = match["rest"]
        if match["plain"] and not _plural(rest):
            return None
        qualified = _QUALIFIED.match(rest)
        if qualified is not None:
            rule, exact = _places(qualified["noun"], bool(qualified["strong"]), qualified["what"])
            if exact:
                return aggregation(Combination.LIST, rule)
        noun, condition = condition_of(rest)
        bare = re.sub(r"^(?:all|every|each|of|the|my|our|single)\b ?", "", noun).split(" ")
        rule = _bare(bare[-1], condition) if condition and len(bare) == 1 else None
        wants_all = re.match(r"(?:all|every|each)\b", rest, re.IGNORECASE) is not None
        return replace(aggregation(Combination.LIST, rule), many=rule is not None or wants_all)
    match = _WHICH.match(question)
    if match is None or not looks_plural(match["noun"].split(" ")[-1].lower()):
        return None
    rule, exact = _places(match["noun"], bool(match["strong"]), match["what"])
    return aggregation(Combination.LIST, rule) if exact else None


def _bare(noun: str, condition: Condition) -> MatchRule | None:
    """Lines that name the thing and hold a value within the condition."""
    last = noun.split(" ")[-1].lower()
    if stem(last) in _LINES | _FILES:
        return None
    return MatchRule((singular(last),), Unit.LINE, condition)


def _plural(text: str) -> bool:
    words = text.lower().split()
    return bool(words) and (
        words[0] in ("all", "every", "each") or any(w.endswith("s") and len(w) > 3 for w in words[:4])
    )
