"""Source code: definitions as headings, comment blocks and code apart at blank lines.

Definitions are found line by line with light patterns, not parsed: a heading too few or too many does no
harm, and one broken file never stops a search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_lsp.corpus.encoding import with_plain_breaks
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH, Outline, TextReader
from lens_lsp.model.documents import BlockKind, Head, Heading, Structure
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span

_MODIFIERS = (
    r"(?>(?:(?:export|default|public|private|protected|internal|static|abstract|final|sealed|async|unsafe|extern"
    r"|virtual|override|partial|data|open|inline|declare|local|const(?=[ \t]+(?:fn|unsafe|async|class)\b)"
    r"|pub(?:\([^()\n]*+\))?|@\w++)[ \t]++)*)"
)
_NO_HEADS = """
if else for foreach while switch catch return throw new delete case using typedef goto do sizeof
await yield assert not and or in is import from print with try elif when until unless lock
synchronized
"""
_NOT_HEADS = frozenset(_NO_HEADS.split())
_CALL_HEAD = regex(r"^([ \t]*+)([A-Za-z_~@][^;(){}=\"'#\n/]*+)\([^;\n{]*+(\{)?", re.MULTILINE)
_LABELS = regex(r"@\w+|[*&]")
_LICENCE = regex(r"copyright|spdx|licen[sc]e|all rights reserved|-\*-|coding[:=]|vim:|eslint|@ts-", re.IGNORECASE)
_STRINGS = ('"""', "'''")
_OPENERS = regex(r"[rRuUbB]{0,2}(?:\"\"\"|'''|\"|')|/\*+!?|\(\*|\{-|<!--|--\[\[|///?!?|##?!?|--+|;+|%+|\"")
_LONGEST_TITLE = 120
_TITLE_LINES = 30
_IS_FUNCTION = r"(?=[ \t]+[\w$]+[ \t]*=[ \t]*(?:async\b[ \t]*)?(?:function\b|\(|[\w$]+[ \t]*=>))"
_C_COMMENTS = ("//", "/*", "*")


def _keywords(words: str, name: str = r"[\w$.:?!-]+") -> re.Pattern[str]:
    return regex(rf"^([ \t]*+){_MODIFIERS}(?:{words})[ \t]++[*&]?({name})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Language:
    """What the reader must know of a language: how comments begin and how definitions do."""

    comments: tuple[str, ...]
    definitions: re.Pattern[str]
    calls: bool = False
    """Functions are written ``type name(…)`` or ``name(…) {`` without a keyword."""


PYTHON = Language(("#",), _keywords("def|class", r"\w+"))
SCRIPT = Language(
    _C_COMMENTS,
    _keywords(rf"function\*?|class|interface|enum|namespace|type|(?:const|let|var){_IS_FUNCTION}", r"[\w$]+"),
    calls=True,
)
C_FAMILY = Language(
    _C_COMMENTS,
    _keywords("class|struct|interface|enum(?: class)?|namespace|trait|union|record|object|module", r"[\w:.]+"),
    calls=True,
)
GO = Language(_C_COMMENTS, _keywords(r"func(?:[ \t]*\([^()\n]*\))?|type|package", r"\w+"))
RUST = Language(_C_COMMENTS, _keywords(r"fn|struct|enum|trait|mod|union|type|macro_rules!|impl(?:<[^<>\n]*>)?"))
KOTLIN = Language(_C_COMMENTS, _keywords("fun|func|def|class|interface|object|protocol|struct|enum|trait|extension"))
PHP = Language(("#", *_C_COMMENTS), _keywords("function|class|interface|trait|namespace|enum", r"[\w\\]+"))
RUBY = Language(("#",), _keywords("def|class|module"))
SHELL = Language(("#",), regex(r"^([ \t]*+)(?:function[ \t]++)?([\w:.-]++)[ \t]*+(?:\(\))", re.MULTILINE))
LUA = Language(("--",), _keywords("function"))
SQL = Language(
    ("--", "/*", "*"),
    regex(
        r"^([ \t]*+)create[ \t]++(?:or[ \t]++replace[ \t]++)?"
        r"(?:table|view|function|procedure|index|trigger|type)[ \t]++"
        r"(?:if not exists[ \t]++)?([\w.\"`\[\]]+)",
        re.MULTILINE | re.IGNORECASE,
    ),
)
HASH = Language(("#",), _keywords("def|sub|function|package|class|module|proc|defmodule|defp|macro"))
LISP = Language((";",), regex(r"^([ \t]*+)\(def\w*[ \t]++\(?([^\s()]+)", re.MULTILINE))
DASHED = Language(("--", "{-"), _keywords("module|data|newtype|class|instance|type|entity|architecture|package"))


class CodeReader(TextReader):
    """One language's source files."""

    name = "code"

    def __init__(self, language: Language) -> None:
        self._language = language

    def head(self, start: str) -> Head:
        """The first line of the leading comment or module docstring, behind shebangs and licences."""
        if start[:1].isalnum() and not start.startswith(("package", "r", "R", "u")):
            return Head()
        return Head(_title(with_plain_breaks(start), self._language))

    def structure(self, text: str) -> Structure:
        """Blocks between blank lines; a definition begins a block of its own."""
        flat = with_plain_breaks(text)
        outline = Outline(flat)
        _blocks(outline, self._language, dict(_definitions(flat, self._language)))
        return outline.structure(self.head(text[:HEAD_LENGTH]))


def _definitions(flat: str, language: Language) -> Iterator[tuple[int, tuple[int, int, str]]]:
    """By the offset of their line: indentation, where the name starts, the name."""
    if language.calls:
        for match in _CALL_HEAD.finditer(flat):
            words = _LABELS.sub(" ", match[2][-400:]).split()
            if not words or not _NOT_HEADS.isdisjoint((words[0], words[-1])):
                continue
            closed = match[3] is not None or flat[match.end() : match.end() + 1] in ("\n", "")
            typed = len(words) > 1 or "::" in words[0]
            if closed and (typed or (match[3] is not None and match[1])):
                at = match.start(2) + match[2].rfind(words[-1])
                yield match.start(), (len(match[1]), at, words[-1])
    for match in language.definitions.finditer(flat):
        yield match.start(), (len(match[1]), match.start(2), match[2])


class _Comments:
    """Tells line by line whether a line is a comment only."""

    def __init__(self, language: Language) -> None:
        self._marks = language.comments
        self._until = ""

    def holds(self, body: str) -> bool:
        """Whether the line, without outer blanks, is nothing but comment."""
        if self._until:
            if self._until in body:
                self._until = ""
            return True
        if body.startswith(_STRINGS) and "#" in self._marks:
            if body.find(body[:3], 3) < 0:
                self._until = body[:3]
            return True
        if body.startswith("/*") and "/*" in self._marks:
            if "*/" not in body[2:]:
                self._until = "*/"
            return True
        return body.startswith(self._marks)


def _blocks(outline: Outline, language: Language, found: dict[int, tuple[int, int, str]]) -> None:
    comments = _Comments(language)
    indents: list[int] = []
    only_comments = True
    pos = 0
    for line in outline.text.split("\n"):
        end = pos + len(line)
        body = line.strip()
        if not body:
            outline.close()
        else:
            comment = comments.holds(body)
            definition = None if comment else found.get(pos)
            # A decorator or a comment right above a definition belongs to it.
            if outline.kind is None or (definition is not None and not only_comments):
                outline.begin(BlockKind.PARAGRAPH, end - len(line.lstrip()), end)
                only_comments = True
            outline.extend(end)
            only_comments &= comment or body[0] == "@"
            outline.kind = BlockKind.PARAGRAPH if only_comments else BlockKind.CODE
            if definition is not None:
                _heading(outline, indents, *definition)
        pos = end + 1
    outline.close()


def _heading(outline: Outline, indents: list[int], indent: int, start: int, name: str) -> None:
    while indents and indents[-1] >= indent:
        indents.pop()
    indents.append(indent)
    outline.headings.append(Heading(Span(start, start + len(name)), len(indents), name))


def _title(start: str, language: Language) -> str | None:
    comments = _Comments(language)
    for line in start.split("\n", _TITLE_LINES)[:_TITLE_LINES]:
        body = line.strip()
        if not body or body.startswith(("#!", "<?php", "package ", '"use ', "'use ")):
            continue
        if not comments.holds(body.lstrip("rRuUbB") if body[1:4] in _STRINGS else body):
            return None
        if _LICENCE.search(body[:400]) is None:
            opener = _OPENERS.match(body)
            words = body[opener.end() :] if opener is not None else body.lstrip("*")
            words = words.removesuffix("*/").rstrip("\"'*-=#/ ").strip(" *-=#/")
            if words:
                return words[:_LONGEST_TITLE]
    return None
