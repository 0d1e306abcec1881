"""An answer as Markdown: its citations and sentences, the quotes it shows, and nothing that a renderer makes live.

A renderer fetches images and a person clicks on links, and either tells whoever is named there what the model read and
put into the address. A space at the right place is enough, and is the same in a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from lens_lsp.model.documents import Evidence
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import fold, key, stem

_MOST_SECTIONS = 20
_PLAIN_MARKER = regex(r"\[(\^?\d+)\]")
_BLANKS = regex(r"\s+")
_STRUCTURE = regex(r"^(?:[-*+>|]\s+|#{1,6}\s+|\d+[.)]\s+)+")
_TAGS = regex(r"<!--.*?-->|</?[a-zA-Z][\w-]*\s+[\w-]+=[^<>]*>|</(?:span|div|p|a|img|figure|[A-Z]\w{3,})>", re.DOTALL)
_FENCE = regex(r"\s*(?:```|~~~)[\w,+ -]*\s*")
_LINK_TARGET = regex(r"\s*\[[^\]]+\]:\s*\S+\s*")
_TABLE_RULE = regex(r"[\s|:=\-]*")
LONGEST = 320
"""Code points of a quote in an answer; the evidence holds all of it."""
_ITEM = 160
# Between "]" and "(" of a link, "]" and ":" of a link's definition, "<" and the name of a tag or an address.
_LIVE = regex(r"(?<=\])(?=[(:])|(?<=<)(?=[A-Za-z/!?])")
_ADDRESS = regex(r"([A-Za-z][A-Za-z0-9+.\-]{1,31}:(?=//)|www(?=\.))([^\s<>]+)")
_BEHIND = ".,;:!?)]}\"'*_`"
"""What may follow an address in a sentence."""
MARKER = regex(r"(?<!\\)\[\^?([0-9]{1,6}(?:\s{0,2}[,;]\s{0,2}\^?[0-9]{1,6}){0,20})\]")
"""A citation in an answer: ``[1]``, ``[1, 2]``, ``[^3]``."""
NUMBER = regex(r"[0-9]+")
"""A number in it."""
_LINE = regex(r"[^\n]+")
_TRAILING_MARKERS = regex(r"([.!?。！？][\"'”’)*_]{0,4})((?:[ \t]*\[[0-9]{1,6}\])+)")
LEAD = regex(r"[ \t>]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+")
"""What a line begins with that is an item of a list."""
NO_CLAIM = regex(r"[ \t]*(?:#{1,6} |\|?[ \t]*:?-{3,}|```|---)")
"""What a line begins with that is a heading, a rule or a fence."""
_WORDS = regex(r"[^\W_]+")
_CJK = regex("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_ABSENT = regex(
    r"\b(?:not? (?:found|given|stated|mentioned|specified|evidence|information|answer|proof|passage|clear)|cannot|can't"
    r"|could not|unable|unknown|do(?:es)? not (?:say|state|mention|give|hold|contain|specify|answer|prove|show|tell)"
    r"|don't|doesn't|missing|insufficient)\b",
    re.IGNORECASE,
)
_LABEL = regex(r"\s*(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?\s*\Z")
"""A line in bold that is a heading."""
_FEWEST = 3
"""Words of a sentence that can claim something by itself."""
_WHOLE_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_ROW = regex(r"[ \t]*\|")


def marker(*numbers: int) -> str:
    """``[1][3]``."""
    return "".join(f"[{number}]" for number in dict.fromkeys(numbers))


def plain(text: str) -> str:
    """Text of a document on one line, its own ``[1]`` disarmed; "·" stands between items, rows and paragraphs.

    Tags, comments, fences of code and addresses of links are left out: they are no reading in a terminal.
    """
    parts: list[str] = []
    fresh = True
    for line in _TAGS.sub("", text).strip().splitlines():
        if _FENCE.fullmatch(line) or _LINK_TARGET.fullmatch(line):
            fresh = True
            continue
        bare = _STRUCTURE.sub("", line.strip())
        if bare and not _TABLE_RULE.fullmatch(line):
            apart = parts and (fresh or bare != line.strip())
            parts.append(f"· {bare}" if apart else bare)
            fresh = False
        else:
            fresh = True
    joined = _BLANKS.sub(" ", " ".join(parts)).rstrip("|").rstrip()
    return _PLAIN_MARKER.sub(r"\\[\1]", joined)


def excerpt(
    evidence: Evidence, value: str | None = None, most: int = LONGEST, asked: frozenset[str] = frozenset()
) -> str:
    """The sentences of a quote that hold the value, or most of the stems ``asked`` for, or its first ones, on one line.

    "…" stands where it was cut.
    """
    quote = evidence.quote
    if len(quote) <= most and (not asked or not _broken(quote)):
        return plain(quote)
    parts = [span for span in sentences(quote, Span(0, len(quote))) if len(span)]
    at = quote.find(value) if value else -1
    first = next((i for i, span in enumerate(parts) if span.start <= at < span.end), 0)
    if at < 0 and asked and parts:
        first = max(range(len(parts)), key=lambda i: (_told(quote[parts[i].start : parts[i].end], asked), -i))
    last = first
    while last + 1 < len(parts) and parts[last + 1].end - parts[first].start <= most:
        last += 1
    if not parts:
        return ""
    start, end = parts[first].start, parts[last].end
    if end - start > most:
        start, end = _around(quote, Span(start, end), max(at, start), most)
    before, after = "… " if quote[:start].strip() else "", " …" if quote[end:].strip() else ""
    return before + plain(quote[start:end]) + after


def _broken(text: str) -> bool:
    """Whether a text begins inside a sentence."""
    return text[:1].islower() or text[:1] in ",;:)]"


def _told(text: str, asked: frozenset[str]) -> float:
    """How many of the stems a sentence holds; a fragment is worth one less."""
    return len({stem(word) for word in key(text).split()} & asked) - _broken(text.lstrip())


def _around(quote: str, span: Span, at: int, most: int) -> tuple[int, int]:
    """A stretch of a long sentence around a place, from word to word."""
    start = max(span.start, min(at - most // 3, span.end - most))
    end = min(span.end, start + most)
    if start > span.start:
        blank = quote.find(" ", start, at)
        start = blank + 1 if blank >= 0 else start
    if end < span.end:
        blank = quote.rfind(" ", at + 1, end)
        end = blank if blank > start else end
    return start, end


def block(evidence: Evidence, value: str | None = None) -> str:
    """A quote as a block, with its marker."""
    return f"> {excerpt(evidence, value)} {marker(evidence.n)}\n"


def item(evidence: Evidence, value: str | None = None, label: str = "", asked: frozenset[str] = frozenset()) -> str:
    """A quote as a list item, with its marker."""
    return f"- {label}{excerpt(evidence, value, _ITEM, asked)} {marker(evidence.n)}\n"


def holds(evidence: Evidence, text: str) -> bool:
    """Whether a quote holds a text, case and accents aside."""
    return fold(text) in fold(evidence.quote)


def differing(sides: Sequence[tuple[str, int]], newer: int | None) -> str:
    """The values of a contested fact with the numbers of their evidence, in one line without an end."""
    beside = "; ".join(f"{plain(value)} {marker(n)}" for value, n in sides)
    return f"The sources differ: {beside}" + ("" if newer is None else f"; the newer one is {marker(newer)}")


def not_read(sections: Sequence[str], said: str = "Not read") -> str:
    """The sections of a summarised document that did not fit; nothing where there are none."""
    named = "; ".join(plain(section) for section in sections[:_MOST_SECTIONS])
    more = len(sections) - _MOST_SECTIONS
    return f"{said}: {named}{f' and {more:,} more' if more > 0 else ''}." if named else ""


def unlinked(text: str) -> str:
    """The text without links, images and tags."""
    return _LIVE.sub(" ", text)


def without_addresses(text: str, known: Collection[str] = ()) -> str:
    """The text without these and without addresses, but for those that stand in one of the ``known`` texts."""

    def broken(match: re.Match[str]) -> str:
        written = match[0].rstrip(_BEHIND)
        return match[0] if any(written in one for one in known) else f"{match[1]} {match[2]}"

    return _ADDRESS.sub(broken, unlinked(text))


def cited_numbers(text: str) -> list[int]:
    """The numbers that the markers of a text name, each once, in order."""
    return list(dict.fromkeys(int(number) for named in MARKER.findall(text) for number in NUMBER.findall(named)))


def unsupported(text: str, numbers: Collection[int]) -> tuple[str, ...]:
    """The sentences that claim something and cite no evidence.

    Headings (a line in bold is one), questions, lead-ins of lists and sentences that say what is not there claim
    nothing.
    """
    return tuple(said for said in _said(text) if _claims(said) and not _cites(said, numbers))


def _said(text: str) -> Iterator[str]:
    """The sentences of an answer, line by line, with the markers that follow their full stops."""
    fenced = False
    for line in _LINE.finditer(_TRAILING_MARKERS.sub(r"\2\1", text)):
        if line.group().lstrip().startswith("```"):
            fenced = not fenced
        if fenced or NO_CLAIM.match(line.group()):
            continue
        lead = LEAD.match(line.group())
        written = line.group() if lead is None else line.group()[lead.end() :]
        for span in sentences(written, Span(0, len(written))):
            yield written[span.start : span.end]


def _claims(sentence: str) -> bool:
    bare = MARKER.sub("", sentence).strip().rstrip("*_")
    if bare.endswith((":", "?", "？", "：")) or _ABSENT.search(bare) or _LABEL.match(sentence):
        return False
    words = _WORDS.findall(bare)
    return len(words) >= _FEWEST or any(char.isdigit() for char in bare) or len(_CJK.findall(bare)) > _FEWEST


def _cites(sentence: str, numbers: Collection[int]) -> bool:
    return any(number in numbers for number in cited_numbers(sentence))


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer."""

    span: Span
    """Where it stands in the answer, in code points."""
    text: str
    """Its words, with a space for each character of a citation in it: its offsets count from ``span.start``."""
    citations: tuple[int, ...]
    """The numbers in it and right behind it, in order, each once."""


def cited_sentences(answer: str) -> tuple[CitedSentence, ...]:
    """The sentences of an answer, in order. Headings, rules and blocks of code have none.

    A citation behind a full stop belongs to the sentence before it. Each item of a list and each row of a table is
    apart from the others.
    """
    blank = MARKER.sub(lambda match: " " * len(match.group()), answer)
    found: list[CitedSentence] = []
    for block in _blocks(answer):
        spans = sentences(blank, block)
        for at, span in enumerate(spans):
            start = block.start if at == 0 else span.start
            end = spans[at + 1].start if at + 1 < len(spans) else block.end
            found.append(CitedSentence(span, blank[span.start : span.end], tuple(cited_numbers(answer[start:end]))))
    return tuple(found)


def _blocks(answer: str) -> Iterator[Span]:
    """The paragraphs, items and rows of an answer, without what marks them."""
    fenced, start, end = False, -1, -1
    for line in _WHOLE_LINE.finditer(answer):
        text = line.group()
        fence = text.lstrip().startswith("```")
        apart = fenced or fence or not text.strip() or NO_CLAIM.match(text) is not None
        lead = LEAD.match(text)
        if start >= 0 and (apart or lead is not None or _ROW.match(text)):
            yield Span(start, end)
            start = -1
        fenced ^= fence
        if apart:
            continue
        if start < 0:
            start = line.start() + (0 if lead is None else lead.end())
        end = line.end()
        if _ROW.match(text):
            yield Span(start, end)
            start = -1
    if start >= 0:
        yield Span(start, end)
