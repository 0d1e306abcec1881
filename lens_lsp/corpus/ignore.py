"""Ignore files: which entries of a folder the people who keep it do not want searched.

Semantics are git's own: the lines mean what ``globs`` says, and nothing inside an ignored folder is brought
back. Stronger files win: ``.gitignore`` < ``.ignore`` < ``.lensignore``, and in each of them the deeper
folder. ``.cursorignore`` and ``.aiignore`` only add. None of them reaches the deny list (``rules``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from lens_lsp.corpus.globs import Patterns
from lens_lsp.corpus.opening import Handle, Root, Skipped, close_folder, is_there, open_folder_at, read_head_at
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.model.documents import PartReason, SkipReason
from lens_lsp.model.errors import PathNotFound

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
