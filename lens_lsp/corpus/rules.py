"""What may be searched: the user's choices, and the names that no choice opens.

Two lists are built in. ``DENIED`` holds what is a secret by its name or keeps one: never read, not even when
it is named on the command line or open in an editor. ``CLUTTER`` holds folders that tools fill: skipped
unless the folder itself is what the user named. Ignore files can add to both and take nothing away (design:
privacy first).
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable

from lens_lsp.domain.errors import UsageError
from lens_lsp.domain.records import dataclass

DENIED: tuple[str, ...] = (
    # keys and certificates
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".ssh/",
    ".gnupg/",
    # passwords and tokens
    ".env*",
    "*.kdb",
    "*.kdbx",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    ".password-store/",
    ".aws/",
    ".azure/",
    ".kube/",
    # version control: configuration there holds remote URLs with tokens, and every deleted secret
    ".git/",
    ".hg/",
    ".svn/",
    # what people asked and were answered, when it is kept in the workspace: private, and never evidence
    ".lens/",
)
"""Secrets by name, compared without case. One with a slash also counts above a root."""

CLUTTER: tuple[str, ...] = (
    "node_modules/",
    "bower_components/",
    "__pycache__/",
    ".venv/",
    ".tox/",
    ".nox/",
    ".eggs/",
    ".cache/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".ipynb_checkpoints/",
    ".gradle/",
    ".terraform/",
    ".parcel-cache/",
    ".next/",
    ".nuxt/",
    ".svelte-kit/",
    ".direnv/",
    ".Trash/",
)
"""Folders that tools fill: skipped below a root, searched when they are the root."""

_FOLDERS = frozenset(name[:-1].casefold() for name in DENIED if name.endswith("/"))
_NAMES = _FOLDERS | {name.casefold() for name in DENIED if not name.endswith("/") and "*" not in name}
_ENDS = tuple(name[1:].casefold() for name in DENIED if name.startswith("*"))
_STARTS = tuple(name[:-1].casefold() for name in DENIED if name.endswith("*"))
# One look instead of many: this runs for every file.
_FIRST = frozenset(name[0] for name in (*_NAMES, *_STARTS))
_CLUTTER = frozenset(name[:-1] for name in CLUTTER)

# Codecs that decode to lone surrogates, or are for other things than files; by the names Python itself gives them.
_NO_FALLBACK = frozenset({"unicode-escape", "raw-unicode-escape", "utf-7", "idna", "punycode", "undefined"})


@dataclass(frozen=True, slots=True)
class ProjectRules:
    """What the people who keep a folder say of it and everything in it, by patterns from there."""

    folder: str
    """Absolute, without links."""
    exclude: tuple[str, ...] = ()
    """More that is left out; it brings nothing back."""
    scopes: tuple[str, ...] = ()
    """What is searched when the user names no scope."""

    def above(self, root_path: str) -> str | None:
        """The way from the folder down to a root in it, each part with a slash; None for a root elsewhere."""
        way = os.path.relpath(os.path.realpath(root_path), self.folder).replace(os.sep, "/")
        return "" if way == "." else None if way == ".." or way.startswith("../") or os.path.isabs(way) else way + "/"


@dataclass(frozen=True, slots=True)
class CorpusRules:
    """What the user chose. Raises ``UsageError`` for a ``fallback_encoding`` that is no text encoding."""

    respect_ignore_files: bool = True
    exclude: tuple[str, ...] = ()
    """Patterns as in an ignore file, from the root. A ``!`` undoes earlier ones of this list only."""
    scopes: tuple[str, ...] = ()
    """Patterns as in an ignore file; when there are any, a file or a folder above it must match."""
    fallback_encoding: str = "cp1252"
    """What bytes are read as that are neither Unicode nor binary."""
    projects: tuple[ProjectRules, ...] = ()
    """What the folders say themselves that hold the roots."""

    def __post_init__(self) -> None:
        name = self.fallback_encoding
        try:
            usable = codecs.lookup(name).name not in _NO_FALLBACK and isinstance(b"a".decode(name, "replace"), str)
        except (LookupError, ValueError):
            usable = False
        if not usable:
            raise UsageError(f"{name!r} is not a text encoding; cp1252, latin-1, shift_jis or gb18030 are")


def denied_name(name: str) -> bool:
    """Whether one component of a path is on the deny list, whatever kind of node it is."""
    return _is_denied(name.casefold())  # not lower(): some file systems open ".ſsh" as ".ssh"


def _is_denied(folded: str) -> bool:
    return folded.endswith(_ENDS) or (folded[:1] in _FIRST and (folded in _NAMES or folded.startswith(_STARTS)))


def some_denied(names: Iterable[str]) -> bool:
    """Whether ``denied_name`` holds for one of many names."""
    return any(map(_is_denied, "/".join(names).casefold().split("/")))


def denied_path(rel: str) -> bool:
    """Whether any component of a path below a root is on the deny list."""
    return any(map(denied_name, rel.split("/")))


def denied_root(path: str) -> bool:
    """Whether a folder lies in a denied one or is one, by the name given and by its real name.

    Above the folder itself only the denied *folders* count: notes may live in ``~/.environments/work``.
    """
    return any(_denied_absolute(way) for way in (os.path.abspath(path), os.path.realpath(path)))


def clutter_name(name: str) -> bool:
    """Whether a folder's name is one that tools fill."""
    return name in _CLUTTER


def _denied_absolute(path: str) -> bool:
    parts: Iterable[str] = path.replace(os.sep, "/").split("/")
    *above, name = parts
    return denied_name(name) or any(part.casefold() in _FOLDERS for part in above)
