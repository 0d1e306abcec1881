"""Ignore files: which entries of a folder the people who keep it do not want searched.

Semantics are git's own: the lines mean what ``globs`` says, and nothing inside an ignored folder is brought
back. Stronger files win: ``.gitignore`` < ``.ignore`` < ``.lensignore``, and in each of them the deeper
folder. ``.cursorignore`` and ``.aiignore`` only add. None of them reaches the deny list (``rules``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from lens_lsp.corpus.corpus_rules import CorpusRules, clutter_name, denied_name, denied_root, name_of
from lens_lsp.corpus.safe_open import (
    Handle,
    Root,
    Skipped,
    check_name,
    close_folder,
    is_there,
    open_folder_at,
    read_head_at,
)
from lens_lsp.model.documents import PartReason, SkipReason
from lens_lsp.model.errors import PathNotFound

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


ORDERED_FILES = (".gitignore", ".ignore", ".lensignore")
"""Ignore files, weakest first."""
ADDING_FILES = (".cursorignore", ".aiignore")
"""Ignore files that only add."""
MARKERS = frozenset((*ORDERED_FILES, *ADDING_FILES, ".git"))
"""Names whose presence in a folder changes the rules inside it."""
SIZE_LIMIT = 1 << 20
"""Bytes of an ignore file that are read; what comes after counts for nothing."""
_EXCLUDE = ".git/info/exclude"
_UNKNOWN = frozenset({SkipReason.PERMISSION, SkipReason.UNREADABLE})
_UNUSED = {
    SkipReason.IRREGULAR: PartReason.IGNORE_IRREGULAR,
    SkipReason.LINK: PartReason.IGNORE_LINK,
    SkipReason.PERMISSION: PartReason.IGNORE_PERMISSION,
}
Told = Callable[[str, PartReason], object]
"""Told the path, from the root, of an ignore file that has no effect, or only in part."""


def _nobody(path: str, reason: PartReason) -> None:
    """Nobody wants to know."""


class _Layer(NamedTuple):
    """Patterns of one folder, as seen from the walk.

    The path they see is ``above + path[cut:]``: ``cut`` code points of the path from the root lead to their
    folder, or their folder is above the root and ``above`` leads down to it.
    """

    patterns: Patterns
    cut: int
    above: str


class IgnoreRules:
    """All rules in force in one folder; immutable, extended on the way down."""

    __slots__ = ("_adding", "_deciding", "_kinds", "silent")

    def __init__(self, kinds: Sequence[tuple[_Layer, ...]], adding: Sequence[tuple[_Layer, ...]]) -> None:
        self._kinds = tuple(kinds)  # as ORDERED_FILES
        self._adding = tuple(adding)  # the user's patterns, then as ADDING_FILES, then those of projects
        ordered = tuple(layer for kind in reversed(self._kinds) for layer in kind)
        # In each of these the first that speaks decides, and one that says yes is enough.
        self._deciding = tuple(layers for layers in (*self._adding, ordered) if layers)
        self.silent = not self._deciding
        """Whether no rule is in force, so that nothing needs to be asked."""

    def __eq__(self, other: object) -> bool:
        """Whether two sets of rules say the same of every entry."""
        if self is other:
            return True
        return isinstance(other, IgnoreRules) and self._kinds == other._kinds and self._adding == other._adding

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of_root(cls, root_path: str, rules: CorpusRules, told: Told = _nobody) -> IgnoreRules:
        """What holds before the root is read: the user's patterns, the projects', the repository's files above it.
        ``told`` hears of those of these files that cannot be used.

        Raises `Skipped` where one of these files cannot be read, as `inside` does.
        """
        own = _added((), list(rules.exclude), "", "")
        projects = [
            _added((), list(project.exclude), "", above)
            for project in rules.projects
            if (above := project.above(root_path)) is not None
        ]
        start = cls([()] * len(ORDERED_FILES), [own, *[()] * len(ADDING_FILES), *projects])
        return _from_above(start, os.path.realpath(root_path), told) if rules.respect_ignore_files else start

    def ignores(self, name: str, path: str, folder: bool) -> bool:
        """Whether an entry is ignored; ``path`` is from the root and ends in ``name``."""
        for layers in self._deciding:
            for patterns, cut, above in layers:
                verdict = patterns.verdict(name, path, folder, cut, above)
                if verdict is not None:
                    if verdict:
                        return True
                    break
        return False

    def inside(
        self, handle: Handle, names: Container[str], prefix: str, above: str = "", told: Told = _nobody
    ) -> IgnoreRules:
        """The rules inside an open folder that holds ``names``; the very same object when it adds none. ``told`` hears
        of ignore files that cannot be used.

        A folder with a ``.git`` of its own starts anew with its ``.gitignore`` files, as in git. Raises `Skipped` where
        an ignore file cannot be read: what it hides must not be searched, and may be everything.
        """
        present = [name for name in (*ORDERED_FILES, *ADDING_FILES) if name in names]
        repository = ".git" in names
        if not present and not repository:
            return self
        kinds = list(self._kinds)
        adding = list(self._adding)
        if repository:
            exclude = _lines(_repository_exclude(handle, prefix, told), prefix + _EXCLUDE, told)
            kinds[0] = _added((), exclude, prefix, above)
        for name in present:
            lines = _lines(_content(handle, name, prefix + name, told), prefix + name, told)
            if name in ORDERED_FILES:
                at = ORDERED_FILES.index(name)
                kinds[at] = _added(kinds[at], lines, prefix, above)
            else:
                at = 1 + ADDING_FILES.index(name)
                adding[at] = _added(adding[at], lines, prefix, above)
        return IgnoreRules(kinds, adding)


def _added(layers: tuple[_Layer, ...], lines: list[str], prefix: str, above: str) -> tuple[_Layer, ...]:
    patterns = Patterns(lines)
    return (_Layer(patterns, len(prefix), above), *layers) if patterns else layers


def _from_above(rules: IgnoreRules, real_path: str, told: Told) -> IgnoreRules:
    """Add the ignore files above the root, up to and in the nearest folder that holds ``.git``."""
    folder = real_path
    between: list[str] = []
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return rules
        folder = parent
        between.append(folder)
    for folder in reversed(between):
        above = os.path.relpath(real_path, folder).replace(os.sep, "/") + "/"
        up = "../" * above.count("/")

        def tell(path: str, reason: PartReason, up: str = up) -> None:
            told(up + path, reason)

        names = {name for name in MARKERS if os.path.lexists(os.path.join(folder, name))}
        try:
            with Root(folder) as opened:
                rules = rules.inside(opened.handle, names, "", above, tell)
        except PathNotFound:
            continue  # a folder that may be passed through but not be read
    return rules


def _content(handle: Handle, name: str, path: str, told: Told) -> bytes:
    """What an ignore file says: nothing where it is a link, as for git, or gone. Raises `Skipped` if nobody knows."""
    try:
        return read_head_at(handle, name, SIZE_LIMIT + 1)
    except Skipped as error:
        unknown = error.reason in _UNKNOWN and is_there(handle, name)
        if unknown:
            raise Skipped(SkipReason.IGNORE_FILE) from error
        if error.reason in _UNUSED:
            told(path, _UNUSED[error.reason])
        return b""


def _repository_exclude(handle: Handle, prefix: str, told: Told) -> bytes:
    """``.git/info/exclude``. Where ``.git`` is a file, the repository lies elsewhere and is not followed."""
    opened: list[Handle] = []
    try:
        for name in (".git", "info"):
            handle = open_folder_at(handle, name)
            opened.append(handle)
        return read_head_at(handle, "exclude", SIZE_LIMIT + 1)
    except Skipped as error:
        if error.reason in _UNUSED and opened:
            told(prefix + _EXCLUDE, _UNUSED[error.reason])
        return b""
    finally:
        for folder in opened:
            close_folder(folder)


def _lines(data: bytes, path: str, told: Told) -> list[str]:
    """The lines as git sees them; names with bytes that are no text keep them, as the walk does."""
    if len(data) > SIZE_LIMIT:
        data = data[: data.rfind(b"\n", 0, SIZE_LIMIT) + 1]
        told(path, PartReason.IGNORE_CUT)
    if b"\0" in data:  # UTF-16 mostly: its bytes are no pattern that any name has
        told(path, PartReason.IGNORE_NO_TEXT)
    return [os.fsdecode(line.removesuffix(b"\r")) for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


class Scopes:
    """The user's scopes from the root; without any those of the projects around it, from their folders."""

    __slots__ = ("_sets", "hold_all")

    def __init__(self, root_path: str, rules: CorpusRules) -> None:
        sets = [(Patterns(rules.scopes), "")] if rules.scopes else _of_projects(root_path, rules)
        self._sets = [(patterns, above) for patterns, above in sets if patterns]
        self.hold_all = not self._sets or any(_holds_root(patterns, above) for patterns, above in self._sets)
        """Whether everything below the root is in scope."""

    def name(self, name: str, path: str, folder: bool) -> bool:
        """Whether a scope names an entry; ``path`` is from the root and ends in ``name``."""
        return any(patterns.verdict(name, path, folder, 0, above) is True for patterns, above in self._sets)


def _of_projects(root_path: str, rules: CorpusRules) -> list[tuple[Patterns, str]]:
    return [
        (Patterns(project.scopes), above)
        for project in rules.projects
        if project.scopes and (above := project.above(root_path)) is not None
    ]


def _holds_root(patterns: Patterns, above: str) -> bool:
    """Whether a folder on the way down to the root, or the root itself, is named."""
    steps = above.split("/")[:-1]
    return any(patterns.verdict(step, "/".join(steps[: at + 1]), True) is True for at, step in enumerate(steps))


def left_out(root: Root, path: str, rules: CorpusRules) -> SkipReason | None:
    """Why a walk from the root would not come to a path below it; None where it would, if there is such a file.

    Folders on the way are opened one from the other, as a walk does. Raises `PathRefused` for a path that is not plain.
    """
    names = path.split("/")
    for name in names:
        check_name(name, path)
    if denied_root(root.path):
        return SkipReason.DENIED
    handle: Handle = root.handle
    try:
        here = IgnoreRules.of_root(root.path, rules)
        scopes = Scopes(root.path, rules)
        in_scope = scopes.hold_all
        for depth, name in enumerate(names):
            here = _inside(here, handle, "".join(f"{step}/" for step in names[:depth]), rules)
            reached, folder = "/".join(names[: depth + 1]), depth < len(names) - 1
            if denied_name(name, names[depth - 1] if depth else name_of(root.path)):
                return SkipReason.DENIED
            if (folder and clutter_name(name)) or here.ignores(name, reached, folder):
                return SkipReason.IGNORED
            in_scope = in_scope or scopes.name(name, reached, folder)
            if folder:
                above, handle = handle, open_folder_at(handle, name)
                if above != root.handle:
                    close_folder(above)
        return None if in_scope else SkipReason.OUT_OF_SCOPE
    except Skipped as error:
        return error.reason
    finally:
        if handle != root.handle:
            close_folder(handle)


def _inside(here: IgnoreRules, handle: Handle, prefix: str, rules: CorpusRules) -> IgnoreRules:
    """The rules inside an open folder. Raises `Skipped` where one of its ignore files cannot be read."""
    if not rules.respect_ignore_files:
        return here
    markers = frozenset(name for name in MARKERS if is_there(handle, name))
    return here.inside(handle, markers, prefix) if markers else here
