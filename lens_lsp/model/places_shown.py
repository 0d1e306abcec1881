"""Places as people say them: ``report.pdf p. 12``, ``budget.xlsx Sheet1!B7``, ``deck.pptx slide 4``.

What a program recognised on a picture says so: ``scan.pdf p. 3 (OCR)``.

Whoever shows a place of a document shows it by this: the command line, a hover, the links of an answer.
"""

from __future__ import annotations

from lens_lsp.model.documents import Locator
from lens_lsp.model.inert import printable

_OPENED = ("page", "slide", "sheet", "chapter", "message")
"""What a document is opened at; its lines are those of a text that nobody sees in it."""


def has_own_places(locator: Locator | None) -> bool:
    """Whether a person would open the place by page, slide, sheet, chapter or message instead of by line."""
    return locator is not None and any(name in locator for name in _OPENED)


def shown_locator(locator: Locator | None) -> str:
    """A locator in words, on one line, with nothing in it that acts; empty for none."""
    if not locator:
        return ""
    if "sheet" in locator:
        sheet = str(locator["sheet"])
        return _inline(f"{sheet}!{locator['cell']}" if "cell" in locator else sheet)
    if "page" in locator:
        return _inline(f"p. {locator['page']}{' (OCR)' if locator.get('by') == 'ocr' else ''}")
    if "slide" in locator:
        return _inline(f"slide {locator['slide']}")
    if "message" in locator:
        return _inline(str(locator.get("date") or f"message {locator['message']}"))
    return _inline(", ".join(f"{name} {value}" for name, value in locator.items()))


def shown_place(path: str, locator: Locator | None) -> str:
    """A path with its place behind it: ``report.pdf p. 12``; the path alone without one. ``path`` is printable."""
    place = shown_locator(locator)
    return f"{path} {place}" if place else path


def link_fragment(locator: Locator | None, line: int) -> str:
    """What a link to a place ends in: ``page=12``, which programs that open PDF files know, else ``L7``."""
    if locator is not None and isinstance(locator.get("page"), int):
        return f"page={locator['page']}"
    return f"L{line}"


def _inline(text: str) -> str:
    return " ".join(printable(text).split())
