"""A quote with enough beside it to find it again, or to know that it is gone.

The selectors are those of the W3C web annotation model (text position and text quote with prefix and suffix) and the
hash of the source, so that a citation can be checked by anyone who has the file and without us.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lens_lsp.model.documents import Locator, SkipReason, TextSource
from lens_lsp.model.text import Span


class CitationState(StrEnum):
    """What a look at the source says about a citation. Only `VERIFIED` and `MOVED` may be shown as proof."""

    VERIFIED = "verified"
    """The source has the recorded hash, or still says the same at the span."""
    MOVED = "moved"
    """The source changed and the quote stands elsewhere, at one place without doubt."""
    WITHDRAWN = "withdrawn"
    """The quote is gone, or its place is in doubt, or the source is."""
    UNVERIFIABLE = "unverifiable"
    """The reader that extracted the text has another version now."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A verbatim quote of one source. Spans count code points of the decoded or extracted text.

    ``root`` is the folder that ``path`` is relative to: itself relative to the workspace where it lies inside, else
    absolute. ``sha256`` is that of the file's bytes, or of the buffer's UTF-8 text when ``source`` is ``BUFFER``.
    ``left`` and ``right`` are the shortest text (16 to 512 code points) before and behind the quote that makes its
    place unique in the source: empty when the quote is unique by itself, None on a side where no such text is. A quote
    of fewer than 16 code points is never unique by itself: it says too little to be known again elsewhere.
    """

    root: str
    path: str
    source: TextSource
    sha256: str
    encoding: str
    reader: str
    span: Span
    quote: str
    match: str = "exact"
    left: str | None = ""
    right: str | None = ""
    heading: tuple[str, ...] = ()
    locator: Locator | None = None
    count: int | None = None
    """How often the quote stands in the source; None when nobody counted."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A citation after a look at its source: ``span`` and ``sha256`` are those of now, None unless it stands.

    ``path`` is set when the file has another name now, below the same root; ``gone`` when there is no such file;
    ``unread`` when there is one that cannot be read.
    """

    citation: Citation
    state: CitationState
    span: Span | None = None
    sha256: str | None = None
    why: str = ""
    """For a person: what became of it; empty when it is verified."""
    path: str | None = None
    gone: bool = False
    unread: SkipReason | None = None
    locator: Locator | None = None
    """Where a person would open the quote now; None where line and column say it."""
