"""How much of what stands beside the running text of documents is read: form values, comments, charts, headers, mail.

    python -m benchmarks.document_parts FOLDER [--misses] [--out parts.json]

Every document in the folder counts, as a public suite of tests has them: those of Apache POI, Apache Tika, pdf.js
and pandoc give 2,900. What stands in each is told by other programs than the readers': of PDF by pypdf, of Office and
OpenDocument by the standard library's XML, of mail by its parser, of Outlook's by python-oxmsg, if it is installed. An
item is recovered when its words stand in the text, one after the other; items of fewer than three letters and digits
are left out. Files that the readers refuse count under *refused* with their reasons, but for those that are said to be
empty, and a file with losses that has no notice under *silent*.

Ends with 1 below 95 % for form values, comments, charts, headers and footers, 2 if something is missing.
"""

from __future__ import annotations

import argparse
import email
import email.policy
import io
import json
import posixpath
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import Failure, Unextracted, kind_for

SCHEMA = "lens.document-parts/1"
SHARE = 0.95
GATED = ("form values", "comments", "charts", "headers and footers")
LEAST = 3
"""Letters and digits of an item."""
SECONDS = 20.0
Item = tuple[str, str]
"""The kind of a part and its words."""
_WORDS = re.compile(r"[^\W_]+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_PRINT_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d+|[A-Za-z])')
_MARKUP_SUBTYPES = """
/Text /FreeText /Highlight /Underline /Squiggly /StrikeOut /Stamp /Caret /Ink /Line /Square /Circle /Polygon /PolyLine
/FileAttachment
"""
_MARKUP = frozenset(_MARKUP_SUBTYPES.split())
_HIDDEN = 2 | 32
_THREAD = "[Threaded comment]"
_FIRST_LINES = ("from", "to", "cc", "date", "subject")


@dataclass
class Tally:
    """Items of one kind of part: how many there are, how many were recovered, the files they are in, what was lost."""

    items: int = 0
    recovered: int = 0
    files: set[str] = field(default_factory=set)
    lossy: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    refused: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)


def folded(text: str) -> str:
    """The words of a text in small letters, a blank around each; controls are nothing."""
    return f" {' '.join(_WORDS.findall(_CONTROLS.sub('', text).casefold()))} "


def items_of(path: Path) -> set[Item]:
    """What an independent program finds in a file; raises whatever it raises."""
    suffix = path.suffix.lower().lstrip(".")
    return set(_ORACLES[suffix](path.read_bytes())) if suffix in _ORACLES else set()


def measured(paths: Sequence[Path]) -> dict[str, Tally]:
    """Read all files, and compare."""
    tallies: dict[str, Tally] = {}
    with Extractor() as extractor:
        for path in paths:
            try:
                found = items_of(path)
            except Exception:  # noqa: BLE001 - suites hold damaged files: what the other program cannot read says nothing
                continue
            items = sorted({(part, words) for part, words in found if sum(map(len, _WORDS.findall(words))) >= LEAST})
            kind = kind_for(path.name)
            if items and kind is not None:
                try:
                    extracted = extractor.extract(kind, path.read_bytes(), seconds=SECONDS)
                    text, named, refusal = folded(extracted.text), bool(extracted.notices), ""
                except Unextracted as reason:
                    text, named, refusal = "", True, reason.failure.value
                    refusal = "" if reason.failure is Failure.EMPTY else refusal
                _count(tallies, path.name, items, text, named=named, refusal=refusal)
    return tallies


def _count(
    tallies: dict[str, Tally], name: str, items: Sequence[Item], text: str, *, named: bool, refusal: str
) -> None:
    for part, words in items:
        tally = tallies.setdefault(f"{name.rpartition('.')[2].lower()} {part}", Tally())
        if refusal:
            tally.refused[refusal] += 1
            continue
        tally.items += 1
        tally.files.add(name)
        if folded(words) in text:
            tally.recovered += 1
        else:
            tally.lossy.add(name)
            tally.lost.append(f"{name}: {words[:100]!r}")
            if not named:
                tally.silent.add(name)


def _of_pdf(data: bytes) -> Iterator[Item]:
    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(data))
    for page in reader.pages:
        for pointer in page.get("/Annots") or ():
            annotation = pointer.get_object()
            if int(annotation.get("/F", 0)) & _HIDDEN:
                continue
            if annotation.get("/Subtype") == "/Widget":
                yield from _of_widget(annotation)
            elif annotation.get("/Subtype") in _MARKUP and isinstance(annotation.get("/Contents"), str):
                yield "comments", str(annotation["/Contents"])
    for attached in reader.attachment_list:
        yield "attachments", attached.alternative_name or attached.name


def _of_widget(widget: Any) -> Iterator[Item]:
    owner, kind, value = widget, None, None
    for _ in range(8):
        kind = owner.get("/FT") if kind is None else kind
        value = owner.get("/V") if value is None else value
        if "/Parent" not in owner:
            break
        owner = owner["/Parent"].get_object()
    if kind in ("/Tx", "/Ch") and isinstance(value, str):
        flags = int(widget.get("/Ff", owner.get("/Ff", 0)))
        if not (kind == "/Tx" and flags & 1 << 13):
            yield "form values", str(value)


def _roots(data: bytes, wanted: str) -> Iterator[ElementTree.Element]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if re.fullmatch(wanted, name):
                yield ElementTree.fromstring(archive.read(name))


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _texts(root: ElementTree.Element, name: str, text: str = "t") -> Iterator[str]:
    """The text of each element of a name: that of the elements ``text`` in it."""
    for element in root.iter():
        if _name(element) == name:
            yield "".join(each.text or "" for each in element.iter() if _name(each) == text)


def _of_charts(data: bytes, folder: str) -> Iterator[Item]:
    for root in _roots(data, rf"{folder}/charts/chart\d*\.xml"):
        for paragraph in _texts(root, "p"):
            yield "charts", paragraph
        for cache in root.iter():
            dated = any(_name(each) == "formatCode" and re.search("[ymdh]", each.text or "") for each in cache)
            if _name(cache) in ("strCache", "strLit", "numCache", "numLit") and not dated:
                for value in cache.iter():
                    if _name(value) == "v" and value.text:
                        plain = _name(cache).startswith("str")
                        yield "charts", value.text if plain else _number(value.text)


def _number(text: str) -> str:
    try:
        return f"{float(text):.15g}"
    except ValueError:
        return text


def _of_diagrams(data: bytes, folder: str) -> Iterator[Item]:
    for root in _roots(data, rf"{folder}/diagrams/data\d*\.xml"):
        for paragraph in _texts(root, "p"):
            yield "diagrams", paragraph


def _of_word(data: bytes) -> Iterator[Item]:
    parts = (("comments", "comments"), ("headers and footers", r"(?:header|footer)\d*"), ("notes", "(?:foot|end)notes"))
    for part, wanted in parts:
        for root in _roots(data, rf"word/{wanted}\.xml"):
            for paragraph in root.iter():
                if _name(paragraph) == "p":
                    yield part, "".join(_of_runs(paragraph))
    yield from _of_charts(data, "word")
    yield from _of_diagrams(data, "word")


def _of_runs(element: ElementTree.Element) -> Iterator[str]:
    """The text of a paragraph without that of boxes in it."""
    for below in element:
        if _name(below) == "t":
            yield below.text or ""
        elif _name(below) in ("tab", "br", "cr", "ptab"):
            yield " "
        elif _name(below) == "noBreakHyphen":
            yield "-"
        elif _name(below) not in ("txbxContent", "Fallback", "del"):
            yield from _of_runs(below)


def _of_deck(data: bytes) -> Iterator[Item]:
    for root in _roots(data, r"ppt/comments/(?:comment|modernComment)[\w]*\.xml"):
        for text in root.iter():
            if _name(text) == "text" and text.text:
                yield "comments", text.text
        for paragraph in _texts(root, "p"):
            yield "comments", paragraph
    for root in _roots(data, r"ppt/notesSlides/notesSlide\d+\.xml"):
        for shape in root.iter():
            kinds = [each.get("type") for each in shape.iter() if _name(each) == "ph"] if _name(shape) == "sp" else []
            for paragraph in _texts(shape, "p") if kinds == ["body"] else ():
                yield "notes", paragraph
    for root in _roots(data, r"ppt/slides/slide\d+\.xml"):
        for shape in root.iter():
            kinds = [each.get("type") for each in shape.iter() if _name(each) == "ph"] if _name(shape) == "sp" else []
            for paragraph in _texts(shape, "p") if kinds in (["ftr"], ["hdr"]) else ():
                yield "headers and footers", paragraph
    yield from _of_charts(data, "ppt")
    yield from _of_diagrams(data, "ppt")


def _of_workbook(data: bytes) -> Iterator[Item]:
    for root in _roots(data, r"xl/comments\d*\.xml"):
        for comment in _texts(root, "comment"):
            # What old versions of Excel say in place of a thread stands before its words.
            yield "comments", comment.partition("Comment:")[2] if comment.startswith(_THREAD) else comment
    for root in _roots(data, r"xl/threadedComments/threadedComment\d*\.xml"):
        for text in root.iter():
            if _name(text) == "text" and text.text:
                yield "comments", text.text
    for root in _roots(data, r"xl/(?:worksheets|chartsheets)/sheet\d*\.xml"):
        for element in root.iter():
            if _name(element) in ("oddHeader", "oddFooter", "firstHeader", "firstFooter"):
                for piece in _PRINT_CODE.sub("\n", (element.text or "").replace("&&", "\0")).split("\n"):
                    yield "headers and footers", piece.replace("\0", "&")
    for root in _roots(data, r"xl/drawings/drawing\d*\.xml"):
        for paragraph in _texts(root, "p"):
            yield "text boxes", paragraph
    yield from _of_charts(data, "xl")


def _of_open_document(data: bytes) -> Iterator[Item]:
    for root in _roots(data, r"content\.xml"):
        for element in root.iter():
            if _name(element) == "annotation":
                yield "comments", _all_of(element)
            elif _name(element) == "note-body":
                yield "notes", _all_of(element)
            elif _name(element) in ("text", "textarea", "formatted-text") and ":form:" in str(element.tag):
                value = next((v for k, v in element.attrib.items() if k.endswith("}current-value")), "")
                yield "form values", value
    for root in _roots(data, r"styles\.xml"):
        for page in root.iter():
            if _name(page) == "master-page":
                yield from _of_master_page(page)
    yield from _of_open_charts(data)


def _of_master_page(page: ElementTree.Element) -> Iterator[Item]:
    for element in page:
        if _name(element) in ("header", "footer", "header-left", "footer-left", "header-first", "footer-first"):
            for paragraph in element.iter():
                if _name(paragraph) in ("p", "h"):
                    yield "headers and footers", "".join(paragraph.itertext())


def _of_open_charts(data: bytes) -> Iterator[Item]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if re.fullmatch(r"Object \d+/content\.xml", name):
                root = ElementTree.fromstring(archive.read(name))
                if any(_name(element) == "chart" for element in root.iter()):
                    for element in root.iter():
                        if _name(element) == "p":
                            words = "".join(element.itertext())
                            yield "charts", _number(words)


def _all_of(element: ElementTree.Element) -> str:
    return " ".join("".join(each.itertext()) for each in element.iter() if _name(each) == "p")


def _of_mail(data: bytes) -> Iterator[Item]:
    message = email.message_from_bytes(data, policy=email.policy.default)
    plain = email.message_from_bytes(data, policy=email.policy.compat32)
    for name in _FIRST_LINES:
        if message[name]:
            yield "headers", (written if name == "date" and (written := plain[name]) else str(message[name])[:500])
    for part in message.walk():
        if part.get_filename():
            yield "attachments", posixpath.basename(str(part.get_filename()))
            if part.get_content_type() == "text/plain":
                text = part.get_content()
                for line in text.splitlines() if isinstance(text, str) else ():
                    yield "attached texts", line


def _of_outlook(data: bytes) -> Iterator[Item]:
    from oxmsg import Message

    message = Message.load(io.BytesIO(data))
    yield "subjects", message.subject or ""
    for line in (message.body or "").splitlines():
        yield "lines", line
    for attached in message.attachments:
        yield "attachments", attached.file_name or ""


_ORACLES: dict[str, Callable[[bytes], Iterator[Item]]] = {
    "pdf": _of_pdf,
    **dict.fromkeys(("docx", "docm"), _of_word),
    **dict.fromkeys(("pptx", "pptm"), _of_deck),
    **dict.fromkeys(("xlsx", "xlsm"), _of_workbook),
    **dict.fromkeys(("odt", "odp", "ods"), _of_open_document),
    "eml": _of_mail,
    "msg": _of_outlook,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.document_parts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", action="store_true", help="show what was lost")
    parser.add_argument("--only", default="", help="files whose names hold this")
    parser.add_argument("--out", type=Path, help="the JSON file to write")
    options = parser.parse_args(arguments)
    try:
        import pypdf  # noqa: F401
    except ImportError:
        print("document_parts: pypdf is not installed: pip install pypdf", file=sys.stderr)
        return 2
    paths = sorted(path for path in options.folder.rglob("*") if path.is_file() and options.only in path.name)
    tallies = measured(paths)
    if not tallies:
        print(f"document_parts: nothing to measure in {options.folder}", file=sys.stderr)
        return 2
    print("| kind of file and part | files | items | recovered | share | files with losses | silent | refused |")
    print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | :--- |")
    for name, tally in sorted(tallies.items()):
        share = f"{100 * tally.recovered / tally.items:.1f} %" if tally.items else "–"
        refused = ", ".join(f"{count} {reason}" for reason, count in sorted(tally.refused.items()))
        counts = f"{len(tally.files)} | {tally.items} | {tally.recovered} | {share}"
        print(f"| {name} | {counts} | {len(tally.lossy)} | {len(tally.silent)} | {refused} |")
    passed = True
    for part in GATED:
        own = [tally for name, tally in tallies.items() if name.partition(" ")[2] == part]
        items, recovered = sum(each.items for each in own), sum(each.recovered for each in own)
        passed = passed and recovered >= SHARE * items
        print(f"{part}: {recovered} of {items} ({100 * recovered / max(items, 1):.1f} %)")
    for name, tally in sorted(tallies.items()) if options.misses else ():
        for lost in tally.lost:
            print(f"LOST {name} {lost}")
    if options.out:
        rows = {
            name: [tally.items, tally.recovered, len(tally.files), len(tally.silent)] for name, tally in tallies.items()
        }
        said = {"schema": SCHEMA, "passed": passed, "files": len(paths), "parts": rows}
        options.out.write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
