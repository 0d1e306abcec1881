"""Counting and listing by an exact rule: every place in the workspace is checked, none is estimated.

What the scan sees it sees everywhere, so for a rule that says which lines or files match, "how many" and "list all"
need no oracle and no sample (docs/explanation/algorithm.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lens_lsp.arithmetic.condition import meets
from lens_lsp.corpus.scan import counted, exact_literal, scan
from lens_lsp.model.plan import MatchRule, Unit
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, key, stem
from lens_lsp.search.outline import heading_path
from lens_lsp.search.reading import Reading

_SHOWN = 1000
"""Lines that are kept of the matches; all are counted."""
_GAP = rb"[^a-z0-9\n\r]{1,3}"


@dataclass(frozen=True, slots=True)
class Match:
    """One match: a line of a slot's document, in code points."""

    slot: int
    line: Span


@dataclass(frozen=True, slots=True)
class Matches:
    """All matches of a rule: ``total`` of what it counts, in ``files`` files; ``shown`` holds the first by path.

    ``unread`` are slots that could not be read again to make sure.
    """

    total: int
    files: int
    shown: tuple[Match, ...]
    unread: int = 0


def matches_of(reading: Reading, rule: MatchRule, *, cancelled: Callable[[], bool] | None = None) -> Matches:
    """Every match of a rule in the workspace as it is now."""
    patterns = [_pattern(phrase) for phrase in rule.phrases]
    total = unread = 0
    files: set[tuple[int, str]] = set()
    shown: list[Match] = []
    for slot in _called(reading, _holding(reading, rule.phrases) if patterns else _slots(reading), rule):
        if cancelled is not None and cancelled():
            break
        text = reading.text(slot)
        found = list(_lines(reading, slot, patterns, rule))
        if not found:
            continue
        if reading.document(slot) is None:
            unread += 1
            continue
        lines = [(line, count) for line, count in found if _meets(reading, slot, line, rule)]
        if not lines:
            continue
        new = text.key not in files
        files.add(text.key)
        if rule.unit is Unit.FILE:
            total += new
            shown += [Match(slot, lines[0][0])] if new else []
        else:
            total += sum(count for _, count in lines) if rule.unit is Unit.MATCH else len(lines)
            shown += [Match(slot, line) for line, _ in lines[: max(0, _SHOWN - len(shown))]]
    return Matches(total, len(files), tuple(shown), unread)


def _pattern(phrase: str) -> re.Pattern[bytes]:
    words = _GAP.join(re.escape(word.encode()) for word in phrase.split(" "))
    return re.compile(rb"(?<![a-z0-9])" + words + rb"(?![a-z0-9])")


def _holding(reading: Reading, phrases: Sequence[str]) -> list[int]:
    """The slots that hold every telling word of the phrases, in order of path."""
    words = {word for phrase in phrases for word in phrase.split(" ")}
    telling = sorted(words - STOP_WORDS) or sorted(words)
    cache = reading.corpus.cache
    found = scan(cache.chunks(), [(exact_literal(word),) for word in telling], cancelled=reading.corpus.late)
    slots, counts = counted(found.counts.slot)
    full = [int(slot) for slot in slots[counts == len(telling)]]
    return sorted(full, key=lambda slot: (reading.text(slot).key, reading.before(slot)))


def _slots(reading: Reading) -> list[int]:
    """All slots in order of path."""
    slots = np.flatnonzero(reading.corpus.cache.arena.lengths()).tolist()
    return sorted(slots, key=lambda slot: (reading.text(slot).key, reading.before(slot)))


def _called(reading: Reading, slots: Sequence[int], rule: MatchRule) -> list[int]:
    """The slots whose file is called as a rule says: by a folder's name, by its own, or by words of path and titles.

    Of a rule that says nothing but a name, the files that are called just that come before those that hold the word.
    """
    if not rule.files:
        return list(slots) if rule.phrases else []
    names = [word.removesuffix("/") for word in rule.files]
    inside = [slot for slot in slots if all(_folds(name) & _folders(reading, slot) for name in names)]
    if any(word.endswith("/") for word in rule.files) and (inside or rule.phrases):
        return inside
    if not rule.phrases:
        own = [slot for slot in slots if key(_stem_of(reading, slot)) in names]
        if own:
            return own
    return [slot for slot in slots if all(name in _titles(reading, slot) for name in names)]


def _folds(name: str) -> frozenset[str]:
    return frozenset((name, stem(name)))


def _folders(reading: Reading, slot: int) -> frozenset[str]:
    parts = [key(part) for part in reading.text(slot).key[1].split("/")[:-1]]
    return frozenset(form for part in parts for form in (part, stem(part)))


def _stem_of(reading: Reading, slot: int) -> str:
    return reading.text(slot).key[1].rsplit("/", 1)[-1].rsplit(".", 1)[0]


def _titles(reading: Reading, slot: int) -> str:
    return " ".join((key(reading.text(slot).key[1]), *reading.corpus.cache.names(slot)))


def _lines(
    reading: Reading, slot: int, patterns: Sequence[re.Pattern[bytes]], rule: MatchRule
) -> Iterator[tuple[Span, int]]:
    """The lines that match, with how often the first phrase stands in each.

    In a file-wise rule the phrases may stand in different lines; those of the first are given.
    """
    folded = reading.corpus.cache.folded(slot).tobytes()
    apart = rule.unit is Unit.FILE and rule.condition is None
    if not patterns:
        first_line = re.search(rb"[^\s#>*-][^\n]*", folded)
        if first_line is not None:
            points = reading.corpus.points(slot, np.array(_line(folded, first_line.start()), np.int64))
            yield Span(int(points[0]), int(points[1])), 1
        return
    if apart and not all(pattern.search(folded) for pattern in patterns):
        return
    first, *others = patterns
    counted: dict[tuple[int, int], int] = {}
    for match in first.finditer(folded):
        line = _line(folded, match.start())
        if apart or all(pattern.search(folded, *line) for pattern in others):
            counted[line] = counted.get(line, 0) + 1
    for (start, end), count in counted.items():
        points = reading.corpus.points(slot, np.array([start, end], np.int64))
        yield Span(int(points[0]), int(points[1])), count


def _line(folded: bytes, at: int) -> tuple[int, int]:
    start = folded.rfind(b"\n", 0, at) + 1
    end = folded.find(b"\n", at)
    return start, len(folded) if end < 0 else end


def _meets(reading: Reading, slot: int, line: Span, rule: MatchRule) -> bool:
    """Whether a line may be evidence and a value in it meets the rule's condition."""
    document = reading.document(slot)
    if document is None or any(span.overlaps(line) for span in document.structure.ours):
        return False
    if rule.condition is None:
        return True
    names = (*reading.corpus.cache.names(slot), *heading_path(document, line.start))
    above = "\n".join((*names, reading.text(slot).key[1], _stem_of(reading, slot)))
    return meets(rule.condition, document.text[line.start : line.end], above)
