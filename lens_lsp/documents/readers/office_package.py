"""The parts of office files, which are zips of XML, and what is asked of their elements.

Only the parts that are asked for are unpacked, each within a bound; pictures never are. Names of elements have the
prefixes that everybody gives their namespaces, so that files of the ISO-strict kind read alike.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from lxml import etree

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composer import TextComposer, head_of
from lens_lsp.model.documents import Head
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.marks import of_metadata

Element: TypeAlias = etree._Element
MOST_PART = 64_000_000
"""Bytes of one unpacked part."""
MOST_PARTS = 128_000_000
"""Bytes of all parts that are unpacked for one document."""
_NAMES = ("name", "property")
_LONGEST_PROPERTY = 2000
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How a file in the container of the old binary kinds begins."""
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_PROPERTIES = (
    ("core-properties", "docProps/core.xml"),
    ("", "meta.xml"),
    ("custom-properties", "docProps/custom.xml"),
    ("extended-properties", "docProps/app.xml"),
)
"""Parts with metadata: the kind of relation that names one, and where it is without such a relation."""
_OFFICE, _STRICT = "http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_MAIN = {"wordprocessingml": "w", "presentationml": "p", "spreadsheetml": "x", "drawingml": "a"}
_DRAWN = {
    "diagram": "dgm",
    "chart": "c",
    "wordprocessingDrawing": "wp",
    "spreadsheetDrawing": "xdr",
}
_PREFIXES = {
    **{f"{_OFFICE}{name}/2006/main": prefix for name, prefix in _MAIN.items()},
    **{f"{_STRICT}{name}/main": prefix for name, prefix in _MAIN.items()},
    **{f"{base}/math": "m" for base in (f"{_OFFICE}officeDocument/2006", f"{_STRICT}officeDocument")},
    **{f"{_OFFICE}drawingml/2006/{name}": prefix for name, prefix in _DRAWN.items()},
    **{f"{_STRICT}drawingml/{name}": prefix for name, prefix in _DRAWN.items()},
    "http://schemas.microsoft.com/office/drawing/2014/chartex": "cx",
    "http://schemas.microsoft.com/office/powerpoint/2018/8/main": "p188",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "xt",
    f"{_OFFICE}markup-compatibility/2006": "mc",
    **{
        f"{_ODF}{name}:1.0": name
        for name in ("office", "text", "table", "presentation", "style", "meta", "form", "chart")
    },
    f"{_ODF}drawing:1.0": "draw",
    f"{_ODF}svg-compatible:1.0": "svg",
    "http://purl.org/dc/elements/1.1/": "dc",
    f"{_OFFICE}package/2006/metadata/core-properties": "cp",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part of an Office file names: ``kind`` is the last word of its type, ``target`` a part's name."""

    kind: str
    target: str


class Package:
    """The parts of one file. Raises `Unextracted` for what is no such file, needs a password or unpacks to too much."""

    def __init__(self, data: bytes) -> None:
        refuse_encrypted(data)
        if data.startswith(OLE):
            raise Unextracted(Failure.BROKEN, "a file of the old binary kind; save it in the format that its name says")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except zipfile.BadZipFile as error:
            raise Unextracted(Failure.BROKEN, "it is no zip archive") from error
        # Names of parts are equal in either case; some writers begin them with a slash or write them with backslashes.
        self._members = {_part_name(member.filename): member for member in self._zip.infolist()}
        self._left = MOST_PARTS
        self.notices: dict[str, None] = {}
        """What was not read of it, in order."""

    def part(self, name: str) -> bytes | None:
        """The bytes of a part, ``None`` when there is none of this name."""
        member = self._members.get(_part_name(name))
        if member is None:
            return None
        if member.flag_bits & 1:
            raise Unextracted(Failure.ENCRYPTED)
        most = min(MOST_PART, self._left)
        with self._zip.open(member) as stream:
            data = stream.read(most + 1)
        if len(data) > most:
            raise Unextracted(Failure.TOO_LARGE, f"{name} unpacks to more than is read")
        self._left -= len(data)
        return data

    def has(self, name: str) -> bool:
        """Whether there is a part of this name."""
        return _part_name(name) in self._members

    def xml(self, name: str) -> Element | None:
        """The root of a part, ``None`` when there is none of this name; raises what lxml raises on broken XML."""
        data = self.part(name)
        return None if data is None else parsed(data)

    def aside(self, name: str | None) -> Element | None:
        """The root of a part that stands beside the text; where it is damaged or too large it is named instead."""
        if name is None:
            return None
        try:
            return self.xml(name)
        except (etree.LxmlError, zipfile.BadZipFile, zlib.error, Unextracted):
            self.notices[f"{posixpath.basename(name)} could not be read: it is damaged or too large"] = None
            return None

    def relations(self, name: str = "") -> dict[str, Relation]:
        """What a part names, by identifier; what the package itself names without a name."""
        folder, base = posixpath.split(name)
        root = self.xml(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, Relation] = {}
        for element in root if root is not None else ():
            if attribute(element, "TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, attribute(element, "Target")))
                found[attribute(element, "Id")] = Relation(attribute(element, "Type").rpartition("/")[2], target)
        return found

    def pictures(self, name: str) -> int:
        """How many pictures a part of an Office file shows; one that comes again counts once."""
        named = {_part_name(found.target) for found in self.relations(name).values() if found.kind == "image"}
        return sum(part in self._members for part in named)

    def related(self, name: str, kind: str) -> str | None:
        """The first part of a kind that a part names, ``None`` when there is none."""
        targets = (relation.target for relation in self.relations(name).values() if relation.kind == kind)
        return next((target for target in targets if _part_name(target) in self._members), None)

    def refuse_password(self) -> None:
        """Raise `Unextracted` when parts of an OpenDocument file are encrypted."""
        if b"encryption-data" in (self.part("META-INF/manifest.xml") or b""):
            raise Unextracted(Failure.ENCRYPTED)

    def head(self) -> Head:
        """What its metadata says about the document."""
        return _head(next(iter(self._metadata()), None))

    def private(self) -> str | None:
        """How its properties, its own and those of users, say ``lens: private``."""
        return of_metadata(pair for root in self._metadata() for pair in properties(root))

    def name_embedded(self, name: str) -> None:
        """Name each file that a part embeds, which nobody reads."""
        for found in self.relations(name).values():
            if found.kind in ("package", "oleObject") and self.has(found.target):
                self.notices[f"embedded {posixpath.basename(found.target)}: not read"] = None

    def extracted(self, composer: TextComposer, pictures: int, notices: Iterable[str] = ()) -> Extracted:
        """The text of the document with its title, else its first heading, and what its metadata says."""
        found = composer.extracted(self.head(), [*notices, *self.notices], titled=True)
        return replace(found, pictures=pictures, private=self.private())

    def _metadata(self) -> Iterator[Element]:
        """The roots of its metadata: the core properties or the OpenDocument ones first, then those of users."""
        for kind, name in _PROPERTIES:
            root = self.xml((kind and self.related("", kind)) or name)
            if root is not None:
                yield root


def refuse_encrypted(data: bytes) -> None:
    """Raise `Unextracted` for an Office file with a password, which comes in the container of the old binary kinds."""
    if data.startswith(OLE) and _ENCRYPTED_STREAM in data:
        raise Unextracted(Failure.ENCRYPTED)


def parsed(data: bytes) -> Element:
    """The root of some XML. Nothing outside is fetched, and what declares its own entities is refused."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(data, parser)
    if root.getroottree().docinfo.doctype:
        raise Unextracted(Failure.BROKEN, "it declares a document type of its own")
    return root


@lru_cache(maxsize=4096)
def prefixed(tag: str) -> str:
    """The name of an element with the prefix that everybody gives its namespace, ``"w:p"``; strict files alike."""
    namespace, _, name = tag[1:].rpartition("}")
    return f"{_PREFIXES.get(namespace, '')}:{name}" if namespace else tag


def attribute(element: Element, name: str) -> str:
    """The attribute of this name in whatever namespace, empty when there is none."""
    for key, value in element.attrib.items():
        if key == name or (key.endswith(name) and key[-len(name) - 1] == "}"):
            return str(value)
    return ""


def number(element: Element, name: str, default: int) -> int:
    """The attribute as a whole number, the default when it is none."""
    value = attribute(element, name)
    return int(value) if value.lstrip("-").isdecimal() and len(value) < 16 else default


def inside(element: Element | None) -> Iterator[Element]:
    """All elements right below one."""
    yield from element if element is not None else ()


def children(element: Element | None, name: str) -> Iterator[Element]:
    """The elements of a name right below one."""
    for inner in element if element is not None else ():
        if prefixed(inner.tag) == name:
            yield inner


def child(element: Element | None, *names: str) -> Element | None:
    """The element at the end of a way down through first children of these names."""
    for name in names:
        element = next(children(element, name), None)
    return element


def every(element: Element | None, name: str) -> Iterator[Element]:
    """All elements of a name below one, in document order."""
    for inner in element.iter() if element is not None else ():
        if prefixed(inner.tag) == name:
            yield inner


def properties(root: Element) -> Iterator[tuple[str, str]]:
    """Names and values of metadata: elements with a text, named by an attribute where they have one that names."""
    for element in root.iter():
        if isinstance(element.tag, str):
            named = next((attribute(element, key) for key in _NAMES if attribute(element, key)), "")
            value = (
                attribute(element, "content") or "".join(str(text) for text in element.itertext())[:_LONGEST_PROPERTY]
            )
            yield named or element.tag.rpartition("}")[2], value


def _part_name(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _head(root: Element | None) -> Head:
    said: dict[str, list[str]] = {}
    for element in root.iter() if root is not None else ():
        said.setdefault(prefixed(element.tag), []).append(element.text or "")
    keywords = [*said.get("cp:keywords", ()), *said.get("meta:keyword", ())]
    title = next(iter(said.get("dc:title", ())), None)
    return head_of(title, [*said.get("dc:subject", ()), *said.get("dc:description", ())], ",".join(keywords))
