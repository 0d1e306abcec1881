"""The answer of a chat model while it streams: what may be shown of it, piece by piece.

The reader sees the text while it is written, so what must not be shown is held back until it is clear what it is: the
trailer for machines, markers that point at no evidence, and what a renderer would make live.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from lens_lsp.judge.answer_markdown import MARKER, NUMBER, without_addresses
from lens_lsp.judge.llm.chat_prompts import TRAILER
from lens_lsp.judge.llm.replies import LONGEST_REPLY
from lens_lsp.judge.oracle import Answerable
from lens_lsp.judge.redaction import visible

_BEGUN = r"(?:" + "|".join(re.escape(TRAILER[:length]) for length in range(len(TRAILER), 0, -1)) + r")"
# A trailer may stand in a code fence; the fence is then no part of the answer.
_UNDECIDED = re.compile(rf"(?:[\s`]*(?:(?<=`)j(?:s(?:o(?:n\s*)?)?)?)?{_BEGUN}?|\[[0-9\s,;^]{{0,160}})\Z")
_BEGUN_MARKER = re.compile(r"\[[0-9\s,;^]{0,160}\Z")
_LONGEST_TRAILER = 8_000
_LONGEST_HELD = 200
_LONGEST_WORD = 2_000
_WORD_CHARS = "".join(map(chr, range(33, 127)))
MOST_QUOTES = 60
"""Quotes of one reply that are looked at."""
_ANSWERABLE = re.compile(r'"answerable"\s*:\s*"(\w+)"')
_NO_COMPUTATION = re.compile(r'"computation"\s*:\s*null')
ANSWER = re.compile(r'"answer"\s*:\s*"')
"""Where the answer begins."""
_NO_ITEMS = re.compile(r'"items"\s*:\s*\[\s*\]')
_DIRECT = {'"computation"': _NO_COMPUTATION, '"items"': _NO_ITEMS}
"""What the answer may be waiting for, and how it looks where it does not."""
_MARKER = re.compile(rf"[ \t]*{MARKER.pattern}")
_MARKER_BEGUN = re.compile(r"(?:[ \t]*\[[0-9\s,;^]{0,60}\]?|[ \t]+)\Z")
_LONGEST_KEY = 40
_STRING = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)
BEGUN_ESCAPE = re.compile(
    r"(?<!\\)((?>(?:\\\\)*))"
    r"(?:\\(?:u[0-9a-fA-F]{0,3})?|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)\Z"
)
"""At the end of what came: an escape that goes on, or the first half of a character whose other half is to come; and
in its group the escaped backslashes before it, which stay."""


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


class AnswerStream:
    """The words of ``answer`` in a reply that is still coming, without its markers: what they point at is not known to
    stand anywhere yet. Nothing comes out of a reply that says "no", nor of one with a computation or a list: its result
    is not known yet."""

    def __init__(self) -> None:
        self._head = ""
        self._words = ""
        """What may begin a marker."""
        self._raw = ""
        """What of the answer's string was not decoded yet."""
        self._begun = False
        self._ended = False

    def feed(self, piece: str) -> str:
        """The next words of the answer, may be empty."""
        if self._ended:
            return ""
        if self._begun:
            self._raw += piece
        else:
            self._head += piece
            if len(self._head) > LONGEST_REPLY:
                self._ended = True
                return ""
            found = ANSWER.search(self._head, max(0, len(self._head) - len(piece) - _LONGEST_KEY))
            if found is None:
                return ""
            before = self._head[: found.start()]
            said = _ANSWERABLE.search(before)
            direct = all(key not in before or none.search(before) for key, none in _DIRECT.items())
            if said is None or said[1] == Answerable.NO or not direct:
                self._ended = True
                return ""
            self._begun, self._raw = True, self._head[found.end() :]
        return self._decoded()

    def _decoded(self) -> str:
        body = _STRING.match(self._raw)
        written = BEGUN_ESCAPE.sub(r"\1", "" if body is None else body[0])
        self._ended = len(written) < len(self._raw) and self._raw[len(written)] == '"'
        self._raw = self._raw[len(written) :]
        try:
            words: str = json.loads(f'"{written}"', strict=False)
        except ValueError:
            self._ended = True
            return ""
        self._words += visible(words)
        begun = _MARKER_BEGUN.search(self._words)
        cut = len(self._words) if begun is None or self._ended else begun.start()
        shown, self._words = self._words[:cut], self._words[cut:]
        return _MARKER.sub("", shown)
