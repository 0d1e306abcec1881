"""Questions for a definition: which subject they name, and which block of a document introduces it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lens_lsp.model.documents import Document
from lens_lsp.model.text import Span
from lens_lsp.model.words import key

_ASKS = re.compile(
    r"\s*(?:what(?:['’]s|\s+(?:is|are|does))|who\s+(?:is|was)|define|definition\s+of|meaning\s+of|explain)\s+"
    r"(?:an?\s+|the\s+)?(?P<subject>[^?!.,;:]{1,80}?)(?:\s+(?:mean|stand\s+for))?\s*[?.!]*\s*",
    re.IGNORECASE,
)
_LONGEST = 6
"""Words of a subject; more are no name."""
_INTRODUCED = 0.6
"""What the block counts, in shares of the question, that opens what is titled with the subject."""
_DOCUMENT = 0.2
"""What it counts besides at the beginning of its document."""
_BEGINNING = 3000
"""Code points of a document in which its beginning stands, metadata and headings included."""
_DEFINED = 0.5
"""What a sentence counts that says what the subject is."""
UNDEFINING = -0.5
"""What a document's metadata count where a definition is asked for: they never define anything."""
_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(frozen=True, slots=True)
class Definition:
    """A subject whose definition is asked for: its words, folded, and how a sentence that defines it begins."""

    names: frozenset[str]
    pattern: re.Pattern[str]

    def proof(self, document: Document, span: Span, opens: Iterable[str]) -> float:
        """What a unit counts; ``opens`` are the titles and headings that it is the first prose under."""
        if any(_names(title) & self.names for title in opens):
            return _INTRODUCED + (_DOCUMENT if span.start < _BEGINNING else 0.0)
        return _DEFINED if self.pattern.match(document.text, span.start, span.end) else 0.0


def definition_of(question: str) -> Definition | None:
    """The subject of a question like "What is X?"; None for any other question."""
    match = _ASKS.fullmatch(question)
    if match is None:
        return None
    subject = match["subject"].strip(" '\"“”`*")
    folded = key(subject)
    if not folded or len(folded.split(" ")) > _LONGEST:
        return None
    written = r"\W+".join(map(re.escape, folded.split(" ")))
    pattern = re.compile(
        rf"\W*(?:(?:an?|the)\s+)?\W*{written}s?\W*(?:\([^()]*\)|,[^,.]{{1,60}},)?\W*"
        r"\b(?:is|are|means?|refers?\s+to|denotes?|stands?\s+for|describes?|consists?\s+of)\b",
        re.IGNORECASE,
    )
    return Definition(_forms(folded), pattern)


def _names(title: str) -> frozenset[str]:
    return _forms(key(title)) | _forms(key(_PARENTHESIS.sub("", title)))


def _forms(folded: str) -> frozenset[str]:
    """A name and its singular."""
    return frozenset({folded, folded.removesuffix("s")}) if len(folded) > 3 else frozenset({folded})
