"""Pattern lines as in ``.gitignore``: what each matches, by the rules of ``gitignore(5)``.

The last matching line decides, and a line is matched against the entry itself, never against a folder above
it. The matcher is our own rather than ``pathspec``'s ``GitIgnoreSpec``, which answers for whole file paths:
asked about folders, as a walk that prunes must, it ignores every folder under ``*``, ``!*/``, ``!*.md``; and
one line of five stars costs it seconds per file name. Here no line costs more than the length of the path
times that of the line.

Where git's program and its manual differ (``foo**/x``), this follows the manual. Characters are code points.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

GLOB_LIMIT = 1000
"""Lines of one list with real globs (not just ``name``, ``*.end``, ``start*``) that are honoured."""

_POSIX_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_SPECIAL = re.compile(r"[*?\[\\]")
_POSIX_CLASS = re.compile(r"\[:([^\]:]*):\]")


class _Rule(NamedTuple):
    """One line. Matches the name, or with ``whole`` the path from the ignore file's folder."""

    negated: bool
    folders_only: bool
    whole: bool
    literal: str | None
    regex: str

    def matches(self, name: str, path: str) -> bool:
        text = path if self.whole else name
        if self.literal is not None:
            return text == self.literal
        return _compiled(self.regex).fullmatch(text) is not None


class Patterns:
    """The lines of one ignore file, or of one list of globs, compiled."""

    __slots__ = ("_ends", "_name_globs", "_names", "_path_globs", "_rules", "_starts")

    def __init__(self, lines: Iterable[str]) -> None:
        rules: list[_Rule] = []
        names: set[str] = set()
        starts: set[str] = set()
        ends: set[str] = set()
        name_globs: list[str] = []
        path_globs: list[str] = []
        for line in lines:
            rule = _parse(line)
            if rule is None:
                continue
            # What follows only says where a match is possible at all; the rules then say who matches last.
            body = _body(line)
            last = body if "[" in body else body.rpartition("/")[2]  # a slash may stand in brackets
            if not _SPECIAL.search(last):
                names.add(last)
            elif not rule.whole and not _SPECIAL.search(last[1:]) and last[0] == "*":
                ends.add(last[1:])
            elif not rule.whole and not _SPECIAL.search(last[:-1]) and last[-1] == "*":
                starts.add(last[:-1])
            elif len(name_globs) + len(path_globs) < GLOB_LIMIT:
                (path_globs if rule.whole else name_globs).append(rule.regex)
            else:
                continue
            rules.append(rule)
        self._rules = tuple(reversed(rules))
        self._names = frozenset(names)
        self._starts = tuple(starts)
        self._ends = tuple(ends)
        self._name_globs = _any_of(name_globs)
        self._path_globs = _any_of(path_globs)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Patterns) and self._rules == other._rules

    __hash__ = None  # type: ignore[assignment]

    def verdict(self, name: str, path: str, folder: bool, cut: int = 0, above: str = "") -> bool | None:
        """``True``: matched. ``False``: matched last by a ``!`` line. ``None``: nothing here speaks of it.

        ``above + path[cut:]`` is the path from the folder the lines belong to; it ends in ``name``.
        """
        if (
            name not in self._names
            and not name.endswith(self._ends)
            and not name.startswith(self._starts)
            and (self._name_globs is None or not self._name_globs.fullmatch(name))
            and (self._path_globs is None or not self._path_globs.fullmatch(above + path[cut:]))
        ):
            return None
        path = above + path[cut:]
        for rule in self._rules:
            if (folder or not rule.folders_only) and rule.matches(name, path):
                return not rule.negated
        return None


def _stripped(line: str) -> str:
    """Without trailing spaces, unless the first of them is escaped."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return bare + " " if escaped and len(bare) < len(line) else bare


def _body(line: str) -> str:
    """The pattern itself: no ``!``, no slash at the end, no slash at the start."""
    return _stripped(line).removeprefix("!").removesuffix("/").removeprefix("/")


def _parse(line: str) -> _Rule | None:
    """One line; ``None`` for blank lines, comments and patterns that can match nothing."""
    line = _stripped(line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    pattern = line.removeprefix("!")
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    whole = "/" in pattern
    pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    if not _SPECIAL.search(pattern):
        return _Rule(negated, folders_only, whole, pattern, "")
    segments = _segments(pattern) if whole else None
    regex = _segment_regex(pattern) if not whole else None if segments is None else _path_regex(segments)
    return None if regex is None else _Rule(negated, folders_only, whole, None, regex)


def _segments(pattern: str) -> list[str] | None:
    """The pattern at its slashes, but for those in brackets; ``None`` if one does not end: then nothing can match."""
    segments = [""]
    at = 0
    while at < len(pattern):
        end = at + 2 if pattern[at] == "\\" else at + 1
        if pattern[at] == "[":
            found = _class_regex(pattern, at)
            if found is None:  # to look at the next ones, each to the end, would take the square of the length
                return None
            end = found[1]
        if pattern[at] == "/":
            segments.append("")
        else:
            segments[-1] += pattern[at:end]
        at = end
    return segments


def _path_regex(segments: list[str]) -> str | None:
    """A regex for segments, ``**`` among them being any number of folders; ``None`` if nothing can match.

    Runs of segments between two ``**`` may match where they first can, for good: atomic, so no line is
    exponential.
    """
    if "" in segments:  # no path has an empty part
        return None
    segments = ["**" if len(segment) > 1 and not segment.strip("*") else segment for segment in segments]
    if segments[-1] == "**":
        segments = [*segments[:-1], "**", "*"]
    runs: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            if runs[-1] or len(runs) == 1:
                runs.append([])
            continue
        regex = _segment_regex(segment)
        if regex is None:
            return None
        runs[-1].append(regex)
    first, *rest = ["/".join(run) for run in runs]
    if not rest:
        return first
    regex = first + "/" if first else ""
    for run in rest[:-1]:
        regex += f"(?>(?:.*?/)??{run}/)"
    return f"{regex}(?:.*/)?{rest[-1]}"


def _segment_regex(segment: str) -> str | None:
    """A regex for one segment; pieces between stars match where they first can, for good."""
    pieces = [""]
    at = 0
    while at < len(segment):
        character = segment[at]
        if character == "*":
            pieces.append("")
            at += 1
        elif character == "[":
            found = _class_regex(segment, at)
            if found is None:
                return None
            regex, at = found
            pieces[-1] += regex
        else:
            if character == "\\":
                at += 1
                if at == len(segment):
                    return None
            pieces[-1] += "[^/]" if character == "?" else re.escape(segment[at])
            at += 1
    first, *rest = pieces
    if not rest:
        return first
    return first + "".join(f"(?>[^/]*?{piece})" for piece in rest[:-1] if piece) + "[^/]*" + rest[-1]


def _class_regex(segment: str, start: int) -> tuple[str, int] | None:
    """A regex for the bracket expression at ``start`` and where it ends; ``None`` if it does not end."""
    at = start + 1
    negated = segment[at : at + 1] in ("!", "^") and at < len(segment)
    at += negated
    items = ""
    first = at
    while at < len(segment) and (segment[at] != "]" or at == first):
        posix = _POSIX_CLASS.match(segment, at)
        if posix:
            if posix[1] not in _POSIX_CLASSES:
                return None
            items += _POSIX_CLASSES[posix[1]]
            at = posix.end()
            continue
        low, at = _class_character(segment, at)
        if segment[at : at + 1] == "-" and segment[at + 1 : at + 2] not in ("", "]"):
            high, at = _class_character(segment, at + 1)
            # A range the wrong way round is its first character, in git.
            items += f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low)
        else:
            items += re.escape(low)
    if at >= len(segment):
        return None
    if negated:
        return f"[^/{items}]", at + 1
    return (f"(?!/)[{items}]" if items else "(?!)"), at + 1


def _class_character(segment: str, at: int) -> tuple[str, int]:
    if segment[at] == "\\" and at + 1 < len(segment):
        at += 1
    return segment[at], at + 1


def _any_of(regexes: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{regex})" for regex in regexes), re.DOTALL) if regexes else None


@lru_cache(maxsize=4096)
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex, re.DOTALL)
