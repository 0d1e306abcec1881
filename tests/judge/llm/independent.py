"""Checks an answer against the bytes on disk, by other code than ours: the invariants of evidence.

I1 a quote is what stands at its place in the file whose hash it names. I3 it was read when it was published. I4 a
client that counts lines finds it there. I5 it is what the model quoted, not something like it. I6 nothing lies outside
the roots. I7 what is rendered does nothing. I8 no more calls and tokens than the bound.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

from lens_lsp.cli.answer_printer import grep_answer, markdown_answer, text_answer
from lens_lsp.cli.renderers import Places, Style
from lens_lsp.model.answer import Answer, Status
from lens_lsp.model.documents import Evidence
from lens_lsp.schema.answer_shapes import answer_json

_BOMS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
_LINE_END = re.compile(r"\r\n|\r|\n")
_TARGET = re.compile(r"\]\([^)\n]*\)")
_MARKER = re.compile(r"(?<!\\)\[([0-9]+)\]")
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass
class Said:
    """What a model said and was asked: its quotes, and how many requests it got and took."""

    quotes: list[str] = field(default_factory=list)
    requests: int = 0
    refused: int = 0

    @property
    def calls(self) -> int:
        return self.requests - self.refused


def violations(
    root: Path, answer: Answer, published: Sequence[Evidence], said: Said, *, bound: int, tokens: int
) -> list[str]:
    """The invariants that an answer breaks, each with what breaks it; ``published`` is all that was ever shown."""
    quotes = [form for quote in said.quotes if (form := letters(quote))]
    found = [f"{rule}: {item.path} {item.span}" for item in published for rule in _misplaced(root, item)]
    found += [
        f"I5: {item.path} {item.span} {item.quote[:60]!r}"
        for item in published
        if item.verdict is not None and not any(quote in letters(item.quote) for quote in quotes)
    ]
    found += [f"I6: {path!r}" for path in _outside(root, answer)]
    found += [f"I7: {what}" for what in _active(root, answer)]
    account = answer.account
    if said.calls > bound or sum(account.calls.values()) != said.calls or account.retries > 2:
        found.append(f"I8: {said.calls} calls of {bound}, {account.calls} and {account.retries} retries in the ledger")
    if account.tokens_in + account.tokens_out > tokens:
        found.append(f"I8: {account.tokens_in} + {account.tokens_out} tokens of {tokens}")
    return found + _incoherent(answer)


def letters(text: str) -> str:
    """A text down to its letters and figures: what a quote may not change."""
    plain = unicodedata.normalize("NFC", _TARGET.sub("]", text)).casefold()
    return "".join(char for char in plain if char.isalnum())


def _misplaced(root: Path, item: Evidence) -> list[str]:
    """Which of I1, I3 and I4 an item breaks."""
    raw = (root / item.path).read_bytes()
    if hashlib.sha256(raw).hexdigest() != item.origin.sha256:
        return ["I3"]
    encoding = item.origin.encoding
    bom = _BOMS.get(encoding, b"")
    body = raw[len(bom) :] if bom and raw.startswith(bom) else raw
    text = body.decode(encoding, "replace")
    first = len(text[: item.span.start].encode(encoding))
    last = first + len(text[item.span.start : item.span.end].encode(encoding))
    broken = []
    if not item.quote or body[first:last].decode(encoding) != item.quote:
        broken.append("I1")
    if _at(text, item.span.start) != (item.start.line, item.start.column):
        broken.append("I4")
    return broken


def _at(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    ends = [match.end() for match in _LINE_END.finditer(text) if match.end() <= offset]
    return len(ends) + 1, offset - (ends[-1] if ends else 0) + 1


def _outside(root: Path, answer: Answer) -> list[str]:
    paths = {item.path for item in answer.evidence} | {document.path for document in answer.documents}
    paths |= {sent.path for sent in answer.account.sent}
    inside = os.path.realpath(root) + os.sep
    return [
        path
        for path in sorted(paths)
        if os.path.isabs(path) or ".." in Path(path).parts or not os.path.realpath(root / path).startswith(inside)
    ]


def _active(root: Path, answer: Answer) -> list[str]:
    """What in the rendered answer could do something."""
    places = Places([str(root)])
    found = [f"{kind} in the answer" for kind in live(answer.text)]
    found += [f"{kind} in the note" for kind in live(markdown_answer(answer, places)) if "#L" not in kind]
    shown = {
        "text": text_answer(answer, places, Style()),
        "markdown": markdown_answer(answer, places),
        "grep": grep_answer(answer, places, Style()),
    }
    for door, text in shown.items():
        found += [f"{char!r} in {door}" for char in sorted(set(text)) if _drives(char)]
    own = answer.text + (answer.short or "") + "".join(fact.text for fact in answer.requirements)
    if any(char in _BIDI or unicodedata.category(char) == "Cs" for char in own):
        found.append("text that is reordered")
    json.dumps(answer_json(answer)).encode("ascii")
    return found


def _drives(char: str) -> bool:
    """Whether a character is a command to a terminal."""
    return char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs")


def live(markdown: str) -> list[str]:
    """What a renderer makes of a text that is more than words: links by where they lead."""
    found = []
    for block in _MARKDOWN.parse(markdown):
        for token in (block, *(block.children or ())):
            if token.type == "link_open":
                found.append(f"link to {token.attrGet('href')}")
            elif token.type in ("image", "html_inline", "html_block"):
                found.append(token.type)
    return found


def _incoherent(answer: Answer) -> list[str]:
    """Numbers that lead nowhere, and an answer that claims more than it shows."""
    numbers = {item.n for item in answer.evidence}
    cited = {int(match[1]) for match in _MARKER.finditer(answer.text)}
    found = [f"marker [{n}] without evidence" for n in sorted(cited - numbers)]
    found += [f"{fact.id} cites what is not there" for fact in answer.requirements if not {*fact.evidence} <= numbers]
    if answer.status is Status.ANSWERED and not all(fact.evidence for fact in answer.requirements):
        found.append("answered without evidence")
    return found


def held(found: Iterable[str]) -> set[str]:
    """The rules that were broken."""
    return {one.partition(":")[0] for one in found}
