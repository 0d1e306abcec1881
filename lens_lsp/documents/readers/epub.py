"""E-books: the chapters of an EPUB in reading order. A chapter is a file of the spine, counted from 1."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from urllib.parse import unquote

from lxml.etree import _Element as Element

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composing import Composer, head_of
from lens_lsp.documents.readers.hypertext import compose, root_of
from lens_lsp.documents.readers.package import Package, parsed, properties
from lens_lsp.model.documents import Head
from lens_lsp.model.marks import of_metadata

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = {"application/xhtml+xml", "text/html"}


class EpubReader:
    """EPUB 2 and 3. The table of contents is no chapter; notices name chapters that are missing."""

    def extract(self, data: bytes) -> Extracted:
        """All chapters; raises `Unextracted` for what is no book, or one that is locked."""
        package = Package(data)
        where = _opf(package)
        contents = package.part(where)
        if contents is None:
            raise Unextracted(Failure.BROKEN, "it does not say what is in it")
        book = parsed(contents)
        locked = _locked(package)
        composer = Composer()
        absent = 0
        for number, part in enumerate(_spine(book, where), start=1):
            if part.lower() in locked:
                raise Unextracted(Failure.ENCRYPTED)
            page = package.part(part)
            root = root_of(page) if page is not None else None
            composer.place({"chapter": number})
            if root is not None:
                compose(root, composer)
            else:
                absent += 1
        notices = [f"chapters that are missing or damaged: {absent}"] if absent else []
        return replace(composer.extracted(_head(book), notices), private=of_metadata(properties(book)))


def _opf(package: Package) -> str:
    """The part that lists the others."""
    container = package.part(_CONTAINER)
    if container is None:
        raise Unextracted(Failure.BROKEN, "it is no e-book")
    for element in _all(parsed(container), "rootfile"):
        if path := element.get("full-path"):
            return posixpath.normpath(str(path))
    raise Unextracted(Failure.BROKEN, "it does not say what is in it")


def _spine(book: Element, where: str) -> list[str]:
    """The parts of the chapters, in reading order."""
    items = {item.get("id"): item for item in _all(book, "item")}
    parts = []
    for reference in _all(book, "itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _PAGES or "nav" in (item.get("properties") or "").split():
            continue
        parts.append(_inside(where, item.get("href") or ""))
    return parts


def _locked(package: Package) -> set[str]:
    """The parts that are encrypted, lower case; fonts often are, in books that anybody may read."""
    listed = package.part(_ENCRYPTION)
    if listed is None:
        return set()
    return {_inside("", element.get("URI") or "").lower() for element in _all(parsed(listed), "CipherReference")}


def _inside(base: str, reference: str) -> str:
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path))


def _head(book: Element) -> Head:
    said: dict[str, list[str]] = {}
    for element in book.iter():
        if isinstance(element.tag, str) and element.text:
            said.setdefault(_local(element), []).append(element.text)
    title = next(iter(said.get("title", ())), None)
    return head_of(title, [*said.get("creator", ()), *said.get("description", ())], ",".join(said.get("subject", ())))


def _all(root: Element, name: str) -> list[Element]:
    return [element for element in root.iter() if isinstance(element.tag, str) and _local(element) == name]


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]
