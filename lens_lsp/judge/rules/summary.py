"""Summaries: the opening statement of a document and of each of its sections, never more than a dozen or so.

A statement is a sentence of prose or a list item; code, link definitions, tags and fields such as "Status: draft" are
none. Sections whose heading and opening carry the words that the document itself uses most come first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from lens_lsp.judge.proper_names import quoted
from lens_lsp.model.observation import Judgement, Observation, Region, Verdict
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span, sentences, trim
from lens_lsp.model.words import STOP_WORDS, fold, is_function, key, runs, stem

MOST = 14
"""Statements of one summary."""
_ROOM = 2200
"""Code points that the statements of a summary may come to when there are few of them."""
_LONGEST = 700
_SHORTEST = 30
_SHORTEST_UNSPACED = 10
_CODE = re.compile(r"\s*(?:```|~~~|`[^`]*`\s*$|\{\{|\$ |<!--|\+[-=]+\+)")
_LINK = re.compile(r"\s*(?:[-*+] )?\[[^\]]+\]:\s|\s*!\[|\s*(?:[-*+] )?\[[^\]]*\]\([^)]*\)[\s,;.]*$")
_TAG = re.compile(r"\s*</?[a-zA-Z][^>]*>[\s,;.]*$")
# "- Start Date: 2015-03-14", "More information: <https://…>": a label, and no sentence after it.
_FIELD = re.compile(r"\s*(?:[-*+>|] +)*[\w*_`][^:.!?\n]{0,38}?[*_`]*:\s+(?P<value>\S.*)", re.DOTALL)
_SENTENCE = re.compile(r"\b[a-z]{2,}\b.*\b[a-z]{2,}\b.*\b[a-z]{2,}\b")
_URL = re.compile(r"<?https?://\S+")
_LEADS_IN = re.compile(r"[:：]\W*$")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_BESIDES = re.compile(
    r"\s*(?:for example|for instance|consider|see |note that|in this (?:chapter|section|page)|as (?:we|you) |let['’]s"
    r"|however|also|finally|but |and )",
    re.IGNORECASE,
)
_PART = re.compile(r"\b(?:sections?|abschnitt\w*|sección|раздел\w*|kapitel)\b|章节|章節|小节", re.IGNORECASE)
_EXTENSIONS = frozenset(("md", "markdown", "txt", "rst", "org", "tex", "html", "pdf", "adoc", "ipynb", "csv", "json"))
_ANAPHORS = """
it he she they this that these those its his her their there both one which who
er sie es dieser diese dieses sein seine ihr ihre il elle ils elles ce cette ces son sa ses ella ello ellos ellas
este esta estos estas su sus он она оно они это этот эта его ее их
"""
_OPENS_ON_ANOTHER = frozenset(_ANAPHORS.split())
"""Words that begin a sentence about what the sentence before it was about."""
_LONGEST_UNIT = 400
_LINE = re.compile(r"[^\r\n]+")
_HEADING = re.compile(r"(?:#{1,6}|=+)\s[^\n]*|\S[^\n]*\n(?:=+|-+)\s*")
_MARKUP = re.compile(
    r"\s*(?:(?:<!--.*?-->|</?[a-zA-Z][^<>]*[\s/\"'][^<>]*>|</?[a-z]+>)\s*)+|\s*\[[^\]]+\]:\s*\S+\s*", re.DOTALL
)
_QUESTION = re.compile(r"[?？][\"'”’»)\]*_]*$")
_LONGEST_TITLE = 120
_PARTS = re.compile(r"[^\W\d_]+|\d+")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A place that may stand for its region: units in a row, and how telling they are."""

    region: Region
    span: Span
    score: float


def summarise(plan: Plan, requirement: Requirement, regions: Sequence[Region]) -> tuple[Observation, ...]:
    """An observation of each region: with the statement that stands for it, related when it has none.

    Extracts of the one document that is named are what was asked for: full. Those of passages of many are partial.
    """
    kept = _of_document(plan, regions)
    named = plan.document is not None and len({region.path for region in regions}) == 1
    told = Verdict.FULL if named else Verdict.PARTIAL
    chosen = {statement.region.number: statement for statement in _chosen(kept)}
    room = min(_LONGEST, _ROOM // max(1, len(chosen)))
    found = []
    for region in regions:
        statement = chosen.get(region.number)
        if statement is None:
            verdict = Verdict.RELATED if region in kept else Verdict.NONE
            found.append(Observation(region.number, (Judgement(requirement.id, verdict),)))
        else:
            quote = _grown(statement, room)
            found.append(Observation(region.number, (Judgement(requirement.id, told, quote),)))
    return tuple(found)


def _of_document(plan: Plan, regions: Sequence[Region]) -> list[Region]:
    """The regions of what is to be summarised: half of its name's words stand in the title, headings or path, and all
    of its numbers. Of a named section only the regions under its heading."""
    parts = _telling(plan.document or "")
    if not parts:
        return list(regions)
    shares = [_share(parts, region) for region in regions]
    inside = [region for region, share in zip(regions, shares, strict=True) if share >= 0.5]
    titles = [name.key for name in quoted(plan.question)]
    if titles:
        under = [r for r in inside if any(title in map(key, r.headings) for title in titles)]
        return under or [r for r in inside if any(title in fold(_above(r)) for title in titles)] or inside
    if _PART.search(plan.question):
        most = max(shares, default=0.0)
        return [region for region, share in zip(regions, shares, strict=True) if 0.5 <= share >= most]
    return inside


def _share(parts: Sequence[str], region: Region) -> float:
    above = fold(_above(region))
    words = {stem(word) for word in name_parts(above)}
    held = [stem(part) in words or (not part.isascii() and part in above) for part in parts]
    numbers = [own for part, own in zip(parts, held, strict=True) if part.isdigit()]
    share = sum(held) / len(held)
    if numbers:
        return max(0.5, share) if all(numbers) else 0.0
    return share


def _above(region: Region) -> str:
    return "\n".join((region.title, *region.headings, region.path))


def name_parts(folded: str) -> list[str]:
    """The words and numbers of a name, without leading zeros: "ch04" is "ch" and "4"."""
    return [part.lstrip("0") or part for part in _PARTS.findall(folded)]


def _telling(name: str) -> list[str]:
    """The words of a document's name that tell it from others."""
    parts = name_parts(name)
    return [p for p in parts if p not in STOP_WORDS | _EXTENSIONS and not is_function(p)] or parts


def _chosen(regions: Sequence[Region]) -> list[_Statement]:
    """The statements of a summary: the opening of every section, then what else is telling."""
    frequent = _frequent(regions)
    sections: dict[tuple[str, tuple[str, ...]], list[_Statement]] = {}
    for region in regions:
        best = _statement(region, frequent)
        if best is not None:
            sections.setdefault((region.path, region.headings), []).append(best)
    openings = [own[0] for own in sections.values()]
    others = [statement for own in sections.values() for statement in own[1:]]
    first = openings[:1]
    ranked = sorted(openings[1:], key=_rank) + sorted(others, key=_rank)
    return (first + ranked)[:MOST]


def _rank(statement: _Statement) -> tuple[float, int]:
    return -statement.score, statement.region.number


def _statement(region: Region, frequent: Counter[str]) -> _Statement | None:
    """The best statement of a region; earlier ones are preferred."""
    heading = _weight(region.headings[-1] if region.headings else "", frequent)
    best: _Statement | None = None
    for place, span in enumerate(_statements(region)):
        text = region.text[span.start : span.end]
        own = _weight(text, frequent) + 0.5 * heading - 0.25 * place
        first = fold(text).lstrip("*_`>- ").split(" ", 1)[0]
        own -= 1.0 if first in _OPENS_ON_ANOTHER or _BESIDES.match(text) else 0.0
        own -= 0.7 if _LEADS_IN.search(text) and not _ITEM.match(text) else 0.0
        if best is None or own > best.score:
            best = _Statement(region, span, own)
    return best


def _statements(region: Region) -> Iterator[Span]:
    """The units of a region that say something, in order; the first sentence of a long one."""
    titles = {key(title) for title in (region.title, *region.headings)}
    fenced = False
    for span in _bounds(region):
        text = region.text[span.start : span.end]
        opens = text.lstrip().startswith(("```", "~~~"))
        if opens or fenced:
            closed = opens and text.count(text.lstrip()[:3]) % 2 == 0
            fenced = not closed if opens and not fenced else fenced and not opens
            continue
        if not _bare(text, titles) and is_statement(text):
            first = next(iter(sentences(text, Span(0, len(text)))), Span(0, len(text)))
            whole = len(text) <= _LONGEST // 2 or len(first) < _SHORTEST
            yield span if whole else Span(span.start, span.start + first.end)


def is_statement(text: str) -> bool:
    """Whether a unit is prose or a list item that says something: no code, no link alone, no tag, no field."""
    if _CODE.match(text) or _LINK.match(text) or _TAG.match(text):
        return False
    if len(text.strip()) < (_SHORTEST if text.isascii() else _SHORTEST_UNSPACED):
        return False
    field = _FIELD.match(text)
    return field is None or bool(_SENTENCE.search(_URL.sub(" ", field["value"]))) or not field["value"].isascii()


def _grown(statement: _Statement, room: int) -> str:
    """The statement with what follows it in its region, as far as there is room and it says something."""
    text, span = statement.region.text, statement.span
    end = span.end
    for following in _bounds(statement.region):
        if following.start < end:
            continue
        part = text[following.start : following.end]
        if following.end - span.start > room or (_CODE.match(part) is not None and "\n" in part.strip()):
            break
        if is_statement(part):
            end = following.end
    return text[span.start : end]


def _frequent(regions: Sequence[Region]) -> Counter[str]:
    """How often the words of some regions stand in them."""
    return Counter(word for region in regions for word in _words(region.text))


def _words(text: str) -> Iterator[str]:
    for run in runs(fold(text)):
        if not run.spaced:
            yield from (run.text[at : at + 2] for at in range(len(run.text) - 1))
        elif len(run.text) > 2 and run.text not in STOP_WORDS and not is_function(run.text):
            yield stem(run.text)


def _weight(text: str, frequent: Counter[str]) -> float:
    """How much a text carries of the words that are used most, from 0 to about 1."""
    words = set(_words(text))
    if not words:
        return 0.0
    top = math.log1p(max(frequent.values(), default=1))
    return sum(math.log1p(frequent[word] - 1) for word in words if frequent[word]) / (top * math.sqrt(9 * len(words)))


def _bounds(region: Region) -> list[Span]:
    """Spans of the region's text that may be quoted, in order, apart, without blanks at their ends."""
    given = region.units or (Span(0, len(region.text)),)
    found: list[Span] = []
    end = 0
    for unit in given:
        span = trim(region.text, Span(max(unit.start, end), max(unit.end, end)))
        if not len(span):
            continue
        end = span.end
        if len(span) <= _LONGEST_UNIT and region.units:
            found.append(span)
        else:
            found.extend(_cut(region.text, span))
    return found


def _cut(text: str, span: Span) -> list[Span]:
    """A long unit, or a region without any, by lines and sentences."""
    found: list[Span] = []
    for match in _LINE.finditer(text, span.start, span.end):
        line = trim(text, Span(match.start(), match.end()))
        found.extend(sentences(text, line))
    return found


def _bare(text: str, titles: Collection[str]) -> bool:
    """Whether a unit says nothing by itself: a heading, the document's title, a question, tags or a link's
    address."""
    if _QUESTION.search(text) or _HEADING.fullmatch(text) or _MARKUP.fullmatch(text):
        return True
    return len(text) <= _LONGEST_TITLE and key(text) in titles
