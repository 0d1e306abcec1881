"""Reader of Rich Text Format (RTF): paragraphs, items of lists, rows of tables, and headings with an outline level."""

from __future__ import annotations

import codecs
import re
from dataclasses import replace

from striprtf.striprtf import rtf_to_text

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composer import TableComposer, TextComposer, head_of
from lens_lsp.model.documents import Head
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import of_metadata

_START = regex(rb"\s*\{\\rtf")
_CODE_PAGE = regex(rb"\\ansicpg(\d{1,5})")
_OUTLINE = regex(r"\\outlinelevel(\d) ?")
_MARK = 0xE900
"""A private character: the paragraph it stands in is a heading of the first level, with the next one of the second."""
_MARKS = regex(f"[{chr(_MARK)}-{chr(_MARK + 8)}]")
_LINK = regex(r"(\\fldinst[^{}]{0,80}\{?[^{}]{0,80})HYPERLINK")
_ITEM = regex(r"\s*(?:[•·▪◦‣\uf0b7o-]|\w{1,4}[.)])\t(.*)", re.DOTALL)
_INFORMATION = regex(r"\{\\(title|subject|keywords)\s([^{}]{1,2000})\}")
_SAID = regex(r"\{\\(subject|keywords|category|doccomm)\s([^{}]{1,2000})\}")
_PROPERTY = regex(r"\{\\propname\s([^{}]{1,200})\}[^{}]{0,100}\{\\staticval\s([^{}]{1,200})\}")
_INFORMATION_WITHIN = 200_000
"""Characters from the start that the information of a file stands in."""


class RtfReader:
    """Notes, headers and footers are left out; so are the addresses of links."""

    def extract(self, data: bytes) -> Extracted:
        """All of it; raises `Unextracted` for what is no RTF."""
        if not _START.match(data):
            raise Unextracted(Failure.BROKEN, "it is no RTF")
        encoding = _encoding(data)
        # It is told the code page; one that does not exist it would take for UTF-8. It counts bytes as characters.
        written = _CODE_PAGE.sub(b"", data).decode("latin-1" if b"\\bin" in data else encoding, "replace")
        composer = TextComposer()
        table: TableComposer | None = None
        for line in _text(_OUTLINE.sub(_marked, _LINK.sub(r"\1", written)), encoding).split("\n"):
            cells = line.rstrip().split("|")
            if len(cells) > 1 and not cells.pop():
                table = table or composer.table()
                table.row(cells)
            elif line.strip():
                table = None
                _compose(line, composer)
        return replace(composer.extracted(_head(written, encoding)), private=_private(written, encoding))


def _compose(line: str, composer: TextComposer) -> None:
    """A paragraph, an item of a list or a heading."""
    mark = _MARKS.search(line)
    if mark:
        composer.heading(_MARKS.sub("", line), ord(mark[0]) - _MARK + 1)
    elif item := _ITEM.match(line):
        composer.item(item[1])
    else:
        composer.paragraph(line)


def _text(written: str, encoding: str) -> str:
    """What the library reads, with characters beyond the first plane made whole."""
    text: str = rtf_to_text(written, encoding=encoding, errors="replace")  # type: ignore[no-untyped-call]
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _marked(outline: re.Match[str]) -> str:
    level = int(outline[1])
    return f"{{\\uc0\\u{_MARK + level} }}" if level < 9 else ""


def _encoding(data: bytes) -> str:
    """The code page that a file names, that of Western Windows when it names none that exists."""
    named = _CODE_PAGE.search(data)
    encoding = f"cp{int(named[1])}" if named else "cp1252"
    try:
        codecs.lookup(encoding)
    except LookupError:
        return "cp1252"
    return encoding


def _private(written: str, encoding: str) -> str | None:
    """How its information, or a property that a user gave it, says ``lens: private``."""
    start = written[:_INFORMATION_WITHIN]
    pairs = [*_PROPERTY.findall(start), *_SAID.findall(start)]
    return of_metadata(
        (_text(f"{{\\rtf1 {name}}}", encoding).strip(), _text(f"{{\\rtf1 {value}}}", encoding).strip())
        for name, value in pairs
    )


def _head(written: str, encoding: str) -> Head:
    said = {
        name: _text(f"{{\\rtf1 {words}}}", encoding)
        for name, words in _INFORMATION.findall(written[:_INFORMATION_WITHIN])
    }
    return head_of(said.get("title"), [said.get("subject")], said.get("keywords"))
