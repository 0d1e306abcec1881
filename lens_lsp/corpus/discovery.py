"""What a look at a root found."""

from __future__ import annotations

from dataclasses import dataclass, field

from lens_lsp.corpus.listings import FileEntry
from lens_lsp.model.documents import Part, Skip


@dataclass(frozen=True, slots=True)
class Discovery:
    """What lies under a root, sorted by path. ``Skip.path`` is printable, and ends in ``/`` for a folder."""

    files: list[FileEntry]
    skips: list[Skip]
    complete: bool = True
    """``False`` when it was cancelled: what was found until then."""
    parts: list[Part] = field(default_factory=list)
    """Ignore files that could not be used, or only in part."""


@dataclass(frozen=True, slots=True)
class Names:
    """What lies under a root by path alone, sorted; otherwise as `Discovery`."""

    paths: list[str]
    skips: list[Skip]
    complete: bool = True
    parts: list[Part] = field(default_factory=list)
