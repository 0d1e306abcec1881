"""English questions that set two or more things side by side: which is larger, are both, how do they differ."""

from __future__ import annotations

import re

from lens_lsp.domain.plan import AnswerType, Combination, Intent
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import key, stem
from lens_lsp.oracle.equality import equal
from lens_lsp.oracle.forms import AUX
from lens_lsp.oracle.lexicon import MEASURABLE
from lens_lsp.oracle.names import names
from lens_lsp.oracle.reading import Reading, combined, items, over, trimmed

_NUMBER, _DATE, _ANY = AnswerType.NUMBER, AnswerType.DATE, AnswerType.ANY
_LEAST, _GREATEST = Combination.LEAST, Combination.GREATEST

_MORE = """
larger largest bigger biggest longer longest taller tallest higher highest heavier heaviest faster fastest wider widest
deeper deepest hotter hottest warmer warmest richer richest greater greatest farther farthest further stronger strongest
busier busiest quicker quickest pricier costlier louder thicker brighter steeper
"""
_LESS = """
smaller smallest shorter shortest lower lowest lighter lightest slower slowest cheaper cheapest narrower narrowest
shallower colder coldest cooler coolest poorer closer closest nearer nearest thinner weaker
"""
_ORDERS: tuple[tuple[Combination | None, AnswerType, str], ...] = (
    (_LEAST, _DATE, "older oldest earlier earliest first sooner soonest"),
    (_GREATEST, _DATE, "younger youngest later latest newer newest last"),
    (_GREATEST, _NUMBER, _MORE),
    (_LEAST, _NUMBER, _LESS),
    (None, _ANY, "better best worse worst"),
)
_ORDER = {word: (combination, kind) for combination, kind, words in _ORDERS for word in words.split()}
_COMPARATIVE = regex(
    (
        r"\b(?:(?P<more>more|most)(?: (?P<recent>recent(?:ly)?))?|(?P<less>less|fewer|least"
        r"|fewest)|"
        rf"(?P<word>{'|'.join(_ORDER)}))\b"
    ),
    re.IGNORECASE,
)
_TAIL = regex(r"[,:;]\s+|\s+[–—-]\s+")
_AMONG = regex(
    (
        r"^(?:which|who|what)(?: \w+)? of (?:these |the two |the )?(?P<list>.+? (?:and|or) .+?) "
        rf"(?P<rest>(?:{AUX}|came|comes|happened|started|began|died|weighs?|costs?|ran|lasted"
        r"|won)\b.*)$"
    ),
    re.IGNORECASE,
)
_BETWEEN = regex(
    r"^(?:between|of|out of|among) (?P<list>[^?]+? (?:and|or) [^,]+?), (?P<rest>(?:which|who|what)\b.+)$", re.IGNORECASE
)
_SUPERLATIVE = regex(
    r"^(?P<rest>(?:which|who|what)\b.+?) (?:of|between|among|out of|from) (?P<list>.+ (?:and|or) .+)$", re.IGNORECASE
)
_THAN = regex(rf"^{AUX} (?P<a>[^,]+?) than (?P<b>[^,]+)$", re.IGNORECASE)
_BEFORE = regex(r"^(?:did|was|were) (?P<a>[^,]+?) (?P<order>before|after) (?P<b>[^,]+)$", re.IGNORECASE)
_BOTH = regex(
    (
        rf"^(?P<aux>{AUX}) (?P<list>.+? and .+?) (?P<rest>(?:both|all|each) .+|(?:(?:share|have"
        r"|has|had|of|in|from"
        r"|at|on|by) )?(?:the )?same\b.*)$"
    ),
    re.IGNORECASE,
)
_SAME_AS = regex(
    rf"^{AUX} (?P<a>.+?) (?:(?:have|has|had|share|use|in|of|from|at|on) )?the same (?P<rest>.+?) as (?P<b>.+)$",
    re.IGNORECASE,
)
# "Is the fee the same in Bern and Basel?", "Is the fee the same in Bern as in Basel?"
_SAME_IN = regex(
    (
        rf"^{AUX} (?P<rest>.+?) (?:the same|identical|equal) (?:in|for|on|at|under|with|by|to) "
        r"(?:both )?(?P<a>.+?)"
        r"(?: as (?:in |for |on |at |under |with )?| and (?:in |for |on |at |under |with )?)"
        r"(?P<b>.+)$"
    ),
    re.IGNORECASE,
)
_SAME_LIST = regex(
    r"^(?P<list>[^?:]{2,80}? and [^?:]{2,60}): (?:the |do they (?:have|use) the )?same (?P<rest>.+)$", re.IGNORECASE
)
# "Oak or ash: which burns longer?"
_LIST_FIRST = regex(
    (
        r"^(?P<list>[^?:;,]{2,60}? (?:or|and|vs\.?|versus) [^?:;,]{2,60})(?:[:;,]| [-–—]) "
        r"(?P<rest>(?:which|who|what)(?: one| of (?:them|the two|these))?\b.+)$"
    ),
    re.IGNORECASE,
)
_BOTH_WHAT = regex(
    r"^(?:both )?(?P<list>.+? and .+?) (?:are|were|is|have|had|has|share|shared)\b (?P<rest>.*\b(?:what|which)\b.*)$",
    re.IGNORECASE,
)
_BOTH_FIRST = regex(rf"^(?P<aux>{AUX}) both (?P<list>.+? and .+)$", re.IGNORECASE)
_COMPARE = regex(
    (
        r"^(?:please )?(?:compare|contrast|compare and contrast)\s+"
        r"(?P<list>.+?(?: and | with | to | against |,| vs\.? | versus ).+?)"
        r"(?:\s+(?:in terms of|with respect to|with regard to|regarding|by|for) (?P<aspect>.+))?$"
    ),
    re.IGNORECASE,
)
_DIFFER = regex(
    (
        r"^how (?:does|do|did|is|are) (?P<a>.+?)(?: differ(?:s|ent)?| compare[sd]?) (?:from|to"
        r"|with) (?P<b>.+)$"
        r"|^how (?:do|did|are) (?P<list>.+? and .+?) (?:differ|different|compare)(?P<in> in .+)?$"
        r"|^(?:what(?:'s| is| are| were)? )?(?:the |some )?(?:main |key |major )?(?:differences?"
        r"|similarit(?:y|ies)"
        r"|distinctions?) between (?P<between>.+)$"
        r"|^what (?P<noun>.*?)\b(?:do|did|does|are|were)(?: both)? (?P<common>.+? and .+?) "
        r"(?:(?:both )?(?:have in common|share(?: in common)?)|both \w+)$"
    ),
    re.IGNORECASE,
)
_VERSUS = regex(r"^(?P<list>[^?]{2,60} (?:vs\.?|versus) [^?]{2,60})$", re.IGNORECASE)
_FIGURE = regex(r"^(?:[$€£]?\d|(?:a|an|one|two|three|ten|half|that|this|it|usual|expected|before)\b)", re.IGNORECASE)
_DATED_WORDS = "year date day month birthday century"
_NUMBERED_WORDS = "period level port default limit threshold timeout interval maximum minimum"
_DATED = frozenset(map(stem, _DATED_WORDS.split()))
_NUMBERED = frozenset(map(stem, _NUMBERED_WORDS.split()))
_LITERALS = frozenset(map(stem, ("flag", "option", "switch", "version")))
_BEHIND_NOUN = regex(r"(?<=\w) (?:for|of|to|in|on|with|by|when|that|which)\b.*$", re.IGNORECASE)
_FEW_WORDS = 3
_OF = regex(r"^(?P<what>.+?) of (?P<whose>.+)$")
# "the north team usually serve for" the same period.
_VERB_ENDS = regex(r"^(?P<subject>.+?)(?: \w+ly)? (?P<verb>\w+) (?:for|to|with|under|into|against|until)$")
_SWAPS = regex(r"\s+(?:with|to|against|vs\.?|versus)\s+", re.IGNORECASE)
_ARTICLE = regex(r"\b(?:the|my|our|his|her|their|a|an)\s", re.IGNORECASE)


def compare(question: str) -> Reading | None:
    """The reading of a comparison, or None. ``question`` has no punctuation at its end."""
    for read in (_choice, _both, _than, _differ):
        reading = read(question)
        if reading is not None:
            return reading
    return None


def order_of(text: str) -> tuple[Combination | None, AnswerType, re.Match[str]] | None:
    """What the first comparative of a text asks for: least or greatest, of what type, and where it stands."""
    match = _COMPARATIVE.search(text)
    if match is None:
        return None
    if match["word"]:
        combination, kind = _ORDER[match["word"].lower()]
        return combination, kind, match
    if match["recent"]:
        return _GREATEST, _DATE, match
    return (_GREATEST if match["more"] else _LEAST), _NUMBER, match


def _choice(question: str) -> Reading | None:
    """ "Which is larger, A or B?" in its many orders of words."""
    for pattern in (_AMONG, _BETWEEN):
        match = pattern.match(question)
        if match is not None and order_of(match["rest"]) is not None:
            return _ordered(items(match["list"]), match["rest"])
    match = _LIST_FIRST.match(question)
    subjects = items(_SWAPS.sub(" and ", match["list"])) if match is not None else ()
    if match is not None and all(len(subject.split()) <= _FEW_WORDS for subject in subjects):
        rest = re.sub(r"^(\w+) (?:one|of (?:them|the two|these))\b", r"\1", match["rest"], flags=re.IGNORECASE)
        return _ordered(subjects, rest) or combined(Intent.COMPARISON, subjects, aspect_of(rest), _ANY, None)
    if re.match(r"(?:which|who|what|whose)\b", question, re.IGNORECASE) is None and not re.match(
        r"(?:in|on|at|by) (?:which|what)\b", question, re.IGNORECASE
    ):
        return _either(question)
    if " or " in question:
        for tail in _TAIL.finditer(question):
            head, rest = question[: tail.start()], question[tail.end() :]
            if " or " in rest and order_of(head) is not None:
                return _ordered(items(rest), head)
        return _unmarked(question) or _named_choice(question)
    match = _SUPERLATIVE.match(question)
    if match is not None and order_of(match["rest"]) is not None and _named(items(match["list"])):
        return _ordered(items(match["list"]), match["rest"])
    return None


def _named_choice(question: str) -> Reading | None:
    """ "Which band is from Cornwall, A or B?": both are looked up, nothing orders them."""
    tails = [tail for tail in _TAIL.finditer(question) if " or " in question[tail.end() :]]
    if not tails:
        return None
    # Of "…, A, B or C" the list begins where every member is a name.
    for tail in tails:
        subjects = items(question[tail.end() :])
        if all(names(f"x {subject}") for subject in subjects):
            return combined(Intent.COMPARISON, subjects, aspect_of(question[: tail.start()]), _ANY, None)
    return None


def _either(question: str) -> Reading | None:
    """ "Is A or B larger?" """
    match = re.match(rf"^{AUX} (?P<list>.+? or .+)$", question, re.IGNORECASE)
    order = order_of(question)
    if match is None or order is None or re.search(r"\b(?:than|most|least)\b", question):
        return None
    cut = order[2].start() - match.start("list")
    if cut <= 0:
        return None
    *others, last = items(match["list"][:cut])
    last, verb = _subject(last) if names(f"x {last}") else (re.sub(r" (?:the|a|an)$", "", last), "")
    return _ordered((*others, last), f"{verb} {question[order[2].start() :]}")


def _unmarked(question: str) -> Reading | None:
    """ "Which was started first Arthur's Magazine or First for Women?": no comma before the two."""
    order = order_of(question)
    if order is None or " or " not in question[order[2].end() :]:
        return None
    begin = order[2].end()
    left = question[begin : question.index(" or ", begin)]
    named = names("x " + left)
    if named:
        cut = max(0, named[0].start - 2)
        before = _ARTICLE.search(left[:cut])
        cut = before.start() if before is not None and before.end() == cut else cut
    else:
        articles = list(_ARTICLE.finditer(left))
        cut = articles[-1].start() if articles else 0 if len(left.split()) <= 2 else -1
    if cut < 0:
        return None
    return _ordered(items(question[begin + cut :]), question[: begin + cut])


def _ordered(subjects: tuple[str, ...], rest: str) -> Reading | None:
    order = order_of(rest)
    if order is None:
        return None
    combination, kind, _ = order
    transformation = over(combination, subjects) if combination is not None else None
    return combined(Intent.COMPARISON, subjects, aspect_of(rest), kind, transformation)


def _than(question: str) -> Reading | None:
    """ "Is A larger than B?": who wins is the answer, and shows whether the question is right."""
    match = _THAN.match(question)
    order = None if match is None else order_of(match["a"])
    if match is None or order is None or _FIGURE.match(match["b"]):
        return _before(question)
    combination, kind, comparative = order
    before, after = match["a"][: comparative.start()], match["a"][comparative.start() :]
    verb = ""
    if after.lower() in ("more", "less") or comparative["more"] or names(f"x {before}"):
        before, verb = _subject(before)
    if not before:
        return None
    labels = (before, match["b"])
    transformation = over(combination, labels) if combination is not None else None
    return combined(Intent.COMPARISON, labels, aspect_of(f"{verb} {after}"), kind, transformation)


def _before(question: str) -> Reading | None:
    """ "Did A happen before B?" """
    match = _BEFORE.match(question)
    if match is None or _FIGURE.match(match["b"]):
        return None
    subject, verb = _subject(match["a"])
    if not verb:
        return None
    labels = (subject, match["b"])
    least = match["order"].lower() == "before"
    transformation = over(_LEAST if least else _GREATEST, labels)
    aspect = "" if re.fullmatch(r"happen|occur|come|take place", verb.strip()) else aspect_of(verb)
    return combined(Intent.COMPARISON, labels, aspect, _DATE, transformation)


def _subject(text: str) -> tuple[str, str]:
    """A subject and the verb that follows it: a name, or words up to the last one."""
    text = trimmed(text)
    named = names(f"x {text}")
    if named:
        end = named[0].start - 2 + len(named[0].text)
        return text[:end], text[end:]
    words = text.split(" ")
    if len(words) < 2 or (words[0].lower() in ("the", "my", "our", "a", "an") and len(words) == 2):
        return text, ""
    return " ".join(words[:-1]), words[-1]


def _owners(subjects: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """ "the leads of the first team", "of the second team": the teams, and "the leads" that both have."""
    *others, last = subjects
    head = _OF.match(others[0]) if len(others) == 1 and last.startswith("of ") else None
    if head is None:
        return (*others, last.removeprefix("of ")), ""
    return (head["whose"], last.removeprefix("of ")), head["what"]


def _without_verb(text: str) -> tuple[str, str]:
    """A subject and the verb behind it, where a preposition that ends the text says that there is one."""
    match = _VERB_ENDS.match(text)
    return (match["subject"], match["verb"]) if match is not None else (text, "")


def _both(question: str) -> Reading | None:
    """ "Are A and B both …?", "Do A and B have the same …?" """
    level = equal(question)
    if level is not None:
        return level
    match = _SAME_IN.match(question)
    if match is not None:
        pair = (match["a"], match["b"])
        return _same(pair, match["rest"])
    match = _SAME_AS.match(question)
    if match is not None:
        pair = (match["a"], match["b"])
        return _same(pair, match["rest"])
    match = _SAME_LIST.match(question)
    if match is not None:
        subjects = items(match["list"])
        return _same(subjects, match["rest"])
    match = _BOTH_WHAT.match(question)
    if match is not None and _named(items(match["list"])):
        return combined(Intent.COMPARISON, items(match["list"]), aspect_of(match["rest"]), _ANY, None)
    match = _BOTH.match(question)
    if match is not None:
        *others, last = items(match["list"])
        last, verb = _subject(last) if names(f"x {last}") else _without_verb(last)
        subjects, shared = _owners((*others, last))
        rest = f"{verb} {match['rest']} {shared}"
    else:
        match = _BOTH_FIRST.match(question)
        if match is None:
            return None
        left, right = re.split(r" and ", match["list"], maxsplit=1)
        subject, rest = _subject(right) if names(f"x {right}") else _first_noun(right)
        subjects = (left, subject)
    aspect = re.sub(r"\b(?:both|all|each|the same|same|share|have|has|had)\b", " ", rest, flags=re.IGNORECASE)
    aspect = re.sub(r"^\s*(?:of|in|from|at|on|by|the)\b", " ", aspect, flags=re.IGNORECASE)
    return _same(subjects, aspect) if re.search(r"\bsame\b", rest, re.IGNORECASE) else _same(subjects, aspect, _ANY)


def _same(subjects: tuple[str, ...], aspect: str, kind: AnswerType | None = None) -> Reading | None:
    """Whether things agree in what is told in numbers or dates, or in words."""
    if kind is None:
        words = {stem(word) for word in key(aspect).split()}
        head = {stem(word) for word in key(_BEHIND_NOUN.sub("", trimmed(aspect))).split()}
        kind = _DATE if words & _DATED else _NUMBER if words & (MEASURABLE | _NUMBERED) else _ANY
        kind = _ANY if head & _LITERALS else kind  # the "option for the port" is no port
    return combined(Intent.COMPARISON, subjects, aspect, kind, over(Combination.SAME, subjects))


def _first_noun(text: str) -> tuple[str, str]:
    match = re.match(r"(?:(?:the|my|our|a|an) )?\S+", text)
    end = match.end() if match is not None else 0
    return text[:end], text[end:]


def _differ(question: str) -> Reading | None:
    """ "Compare A and B", "How does A differ from B?": both are laid side by side, nothing is computed."""
    match = _COMPARE.match(question)
    if match is not None:
        subjects = items(_SWAPS.sub(" and ", match["list"]))
        return combined(Intent.COMPARISON, subjects, match["aspect"] or "", _ANY, None)
    match = _DIFFER.match(question)
    if match is not None:
        if match["a"]:
            subjects, aspect = (match["a"], match["b"]), ""
        else:
            subjects = items(match["list"] or match["between"] or match["common"])
            aspect = (match["in"] or match["noun"] or "").strip().removeprefix("in ")
        return combined(Intent.COMPARISON, subjects, aspect, _ANY, None)
    match = _VERSUS.match(question)
    return combined(Intent.COMPARISON, items(match["list"]), "", _ANY, None) if match is not None else None


def _named(subjects: tuple[str, ...]) -> bool:
    """Whether members of a list look like things of their own ("of Anna and Bob", not "of salt and water")."""
    return len(subjects) > 1 and all(names(f"x {s}") or _ARTICLE.match(s) or re.search(r"\d", s) for s in subjects)


def aspect_of(text: str) -> str:
    """What a comparing question asks about, without its question words and auxiliaries."""
    text = re.sub(
        r"^\s*(?:in |on |at |by |of )?(?:which|who|what|whose|how)\b(?: of (?:them|the two|these))?",
        " ",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(rf"\b{AUX}\b", " ", text, flags=re.IGNORECASE)
    return trimmed(re.sub(r"\b(?:of|the|than|two|more|most|less|fewer|been)\b", " ", text, flags=re.IGNORECASE))
