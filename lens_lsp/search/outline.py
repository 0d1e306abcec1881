"""Where an offset stands in the outline of its document."""

from __future__ import annotations

from bisect import bisect_right

from lens_lsp.model.documents import Document


def heading_path(document: Document, offset: int) -> tuple[str, ...]:
    """The headings an offset stands under, outermost first."""
    headings = document.structure.headings
    path: list[str] = []
    level: int | None = None
    for index in range(bisect_right(headings, offset, key=lambda heading: heading.span.start) - 1, -1, -1):
        heading = headings[index]
        if level is None or heading.level < level:
            path.append(heading.text)
            level = heading.level
            if level <= 1:
                break
    return tuple(reversed(path))
