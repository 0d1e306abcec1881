"""A synthesis as it streams in: what may be shown of it, which markers hold, what nothing supports.

The reader sees the text while it is written, so what must not be shown is held back until it is clear what it is: the
trailer for machines, markers that point at no evidence, and what a renderer would make live.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from lens_lsp.judge.links import without_addresses
from lens_lsp.judge.llm.prompts import TRAILER
from lens_lsp.judge.redaction import visible
from lens_lsp.model.text import Span, sentences

MARKER = re.compile(r"(?<!\\)\[\^?([0-9]{1,6}(?:\s{0,2}[,;]\s{0,2}\^?[0-9]{1,6}){0,20})\]")
"""A citation in an answer: ``[1]``, ``[1, 2]``, ``[^3]``."""
NUMBER = re.compile(r"[0-9]+")
"""A number in it."""
_BEGUN = r"(?:" + "|".join(re.escape(TRAILER[:length]) for length in range(len(TRAILER), 0, -1)) + r")"
# A trailer may stand in a code fence; the fence is then no part of the answer.
_UNDECIDED = re.compile(rf"(?:[\s`]*(?:(?<=`)j(?:s(?:o(?:n\s*)?)?)?)?{_BEGUN}?|\[[0-9\s,;^]{{0,160}})\Z")
_BEGUN_MARKER = re.compile(r"\[[0-9\s,;^]{0,160}\Z")
_LONGEST_TRAILER = 8_000
_LONGEST_HELD = 200
_LONGEST_WORD = 2_000
_WORD_CHARS = "".join(map(chr, range(33, 127)))

_LINE = re.compile(r"[^\n]+")
_TRAILING_MARKERS = re.compile(r"([.!?。！？][\"'”’)*_]{0,4})((?:[ \t]*\[[0-9]{1,6}\])+)")
LEAD = re.compile(r"[ \t>]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+")
"""What a line begins with that is an item of a list."""
NO_CLAIM = re.compile(r"[ \t]*(?:#{1,6} |\|?[ \t]*:?-{3,}|```|---)")
"""What a line begins with that is a heading, a rule or a fence."""
_WORDS = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_ABSENT = re.compile(
    r"\b(?:not? (?:found|given|stated|mentioned|specified|evidence|information|answer|proof|passage|clear)|cannot|can't"
    r"|could not|unable|unknown|do(?:es)? not (?:say|state|mention|give|hold|contain|specify|answer|prove|show|tell)"
    r"|don't|doesn't|missing|insufficient)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\s*(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?\s*\Z")
"""A line in bold that is a heading."""
_FEWEST = 3
"""Words of a sentence that can claim something by itself."""


def cited_numbers(text: str) -> list[int]:
    """The numbers that the markers of a text name, each once, in order."""
    return list(dict.fromkeys(int(number) for named in MARKER.findall(text) for number in NUMBER.findall(named)))


class Sifter:
    """Takes a synthesis piece by piece and gives back what may be shown; ``trailer`` is what may not.

    Markers of ``numbers`` hold, and addresses that stand in one of the ``texts`` of the evidence.
    """

    def __init__(self, numbers: Collection[int], texts: Collection[str] = ()) -> None:
        self._numbers = numbers
        self._texts = texts
        self._held = ""
        self._ended = False
        self.trailer = ""
        self.dropped = 0
        """Markers that pointed at no evidence."""

    def feed(self, piece: str) -> str:
        """The next text to show, may be empty."""
        if self._ended:
            self.trailer = (self.trailer + piece)[:_LONGEST_TRAILER]
            return ""
        self._held += visible(piece)
        at = self._held.find(TRAILER)
        if at >= 0:
            self._ended = True
            self.trailer = self._held[at + len(TRAILER) :][:_LONGEST_TRAILER]
            before = self._held[:at]
            self._held = ""
            return self._clean(before[: _undecided(before)])
        end = _undecided(self._held)
        cut = min(end, _last_word(self._held))
        # Too long for a word: it is let go, and what follows does not continue it.
        cut, gap = (cut, "") if len(self._held) - cut <= _LONGEST_WORD else (end, " ")
        shown, self._held = self._held[:cut], self._held[cut:]
        return self._clean(shown) + gap

    def finish(self) -> str:
        """What was held back and turned out to be text."""
        rest, self._held = self._held, ""
        return self._clean(rest.rstrip())

    def _clean(self, text: str) -> str:
        return without_addresses(MARKER.sub(self._resolved, text), self._texts)

    def _resolved(self, match: re.Match[str]) -> str:
        numbers = [int(number) for number in NUMBER.findall(match[1])]
        kept = [number for number in numbers if number in self._numbers]
        self.dropped += len(numbers) - len(kept)
        return "".join(f"[{number}]" for number in kept)


def _undecided(text: str) -> int:
    """Where what may become a trailer or a marker begins: at the end, if nothing does."""
    return next(_UNDECIDED.finditer(text, max(0, len(text) - _LONGEST_HELD))).start()


def _last_word(text: str) -> int:
    """Where the last word begins, with the markers that stand in it: the next piece may continue it."""
    at = len(text)
    while True:
        at = len(text[:at].rstrip(_WORD_CHARS))
        marker = _BEGUN_MARKER.search(text, max(0, at - _LONGEST_HELD), at)
        if marker is None:
            return at
        at = marker.start()


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
