"""The plan of a question that no language model plans: the question itself is the fact to find.

Three kinds of questions are told apart, by short lists of words in a few languages. What can be counted or listed
exactly has a rule (`oracle.exact`). A summary is one of a document. Where two named things are compared, there is a
fact for each: the question without the other one. Their values are then put in order, subtracted or added.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from lens_lsp.judge.analysis import POSSESSIVE, analyse, terms
from lens_lsp.judge.proper_names import Name, names
from lens_lsp.judge.rules.exact import exact_question
from lens_lsp.model.plan import Anchor, AnchorKind, Combination, Intent, Plan, Requirement, Transformation
from lens_lsp.model.words import fold, key

_LONGEST = 600
"""Code points of a question that is looked at; what is longer is a pasted text and looked up as it is."""
_ARTICLES = "the|a|an|my|our|this|these|der|die|das|den|le|la|les|el|los|las"
_SUMMARY = re.compile(
    r"(?:(?:please|can you|could you) )*(?:(?:summari[sz]e|sum up|outline|recap|tl;?dr(?: of)?|fasse|résume[rz]?|resume"
    r"|resumir|подведи итог|кратко изложи)\b|总结|概括|要約|(?:(?:give|write|show)(?: me| us)? |what(?:'s| is) )?"
    r"(?:an? |the )?(?:(?:short|brief|quick) )*(?:(?:summary|overview|outline|gist|recap|synopsis|rundown|überblick"
    r"|zusammenfassung|résumé|resumen)\b|(?:(?:what are|list) )?(?:the )?(?:key|main) (?:points|ideas|takeaways)\b)"
    r"(?: (?:of|for|on|about|in|über|von|du|de|del|sobre)\b)?)\s*(?P<what>.*)"
    r"|what(?: is|'s) (?P<about>.+) about",
    re.IGNORECASE | re.DOTALL,
)
_LENGTH = re.compile(
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
_BETWEEN_NAMES = re.compile(rf"{_JOINT}(?:(?:{_ARTICLES}) )?", re.IGNORECASE)
_LAST_TWO = re.compile(rf"(?P<a>[^\s,:][^,:]{{0,60}}?){_JOINT}(?P<b>[^,:]{{1,60}})")
_BETWEEN = re.compile(rf"\b(?:between|zwischen|entre|между) (?P<a>.{{1,80}}?){_JOINT}(?P<b>.{{1,80}})", re.IGNORECASE)
_WITH_ARTICLES = re.compile(
    rf"\b(?P<a>(?:{_ARTICLES}) \S+(?: \S+){{0,2}}?){_JOINT}(?P<b>(?:{_ARTICLES}) \S+)", re.IGNORECASE
)
_DIFFERENCE = re.compile(
    r"\bdifference in\b|\b(?:how (?:many|much)\b.*\b(?:between|more|less|fewer|longer|later|older|higher|larger))\b"
    r"|\b(?!the\b|a\b|any\b|main\b)\w+ difference\b|\b(?:wie ?viele?|unterschied|differenz)\b.*\bzwischen\b"
    r"|\bcombien\b.*\bentre\b|\bcuánt[oa]s\b.*\bentre\b",
    re.IGNORECASE,
)
_SUM = re.compile(r"\b(?:total|sum of|together|combined|altogether|zusammen|insgesamt)\b", re.IGNORECASE)
_SAME = re.compile(r"\b(?:the same|equal|equally|differ|das ?selbe|dieselbe|den ?selben|gleich\w*)\b", re.IGNORECASE)
_LEAST = re.compile(
    r"\b(?:less|least|fewer|fewest|(?:short|small|low|light|cheap|slow|earli|narrow|near|clos|warm)e(?:r|st)|first"
    r"|weniger|kleiner|kürzer|leichter|früher|billiger|günstiger|moins|menos)\b",
    re.IGNORECASE,
)
_GREATEST = re.compile(
    r"\b(?:more|most|(?:long|larg|bigg|high|tall|heavi|great|lat|new|wid|deep|fast|far)e(?:r|st)|farther|last|mehr"
    r"|größer|grösser|länger|höher|schwerer|später|plus|más)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"^compare\b|\b(?:versus|vs\.?|compared? (?:to|with)|vergleiche)\b", re.IGNORECASE)
_ELAPSED = re.compile(r"\bhow many (?P<unit>days|weeks|months|years)\b", re.IGNORECASE)
_EDGES = " \t\r\n.,;:?!¿¡？。！，、"


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two things that a question joins, as written, and the question without the second and without the first."""

    labels: tuple[str, str]
    asked: tuple[str, str]


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
    summary = _SUMMARY.fullmatch(text.strip(_EDGES))
    if summary is not None:
        document = _document(summary["what"] if summary["about"] is None else summary["about"])
        return replace(plan, requirements=(replace(fact, many=apart),), intent=Intent.SUMMARIZE, document=document)
    compared = _compared(plan, text)
    if compared is None or apart:
        return compared or plan
    return replace(plan, intent=compared.intent)


def _document(what: str) -> str | None:
    """The folded name of what is to be summarised; None for "this note" and the like."""
    what = what.strip(_EDGES)
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
    mine, other = ({term for term, _ in terms(fold(POSSESSIVE.sub(" ", label)))} for label in pair.labels)
    if mine <= other or other <= mine:
        return None
    facts = tuple(Requirement(f"f{n}", asked, answer_type=plan.answer_type) for n, asked in enumerate(pair.asked, 1))
    return replace(
        plan,
        requirements=facts,
        anchors=tuple(_serving(anchor, pair.labels, mine, other) for anchor in plan.anchors),
        intent=Intent.COMPUTATION if rule is not None and rule.expression else Intent.COMPARISON,
        transformation=None if rule is None else replace(rule, labels=pair.labels),
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


def _pair(question: str) -> _Pair | None:
    """The two things that a question joins: behind "between" or its last comma or colon, names, or with articles."""
    text = question.rstrip(_EDGES)
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
    return _Pair((text[a:a_end].strip(), text[b:b_end].strip()), (first, second))


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
