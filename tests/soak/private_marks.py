"""Documents that say in any spelling, in any format, that they are private; and ordinary ones, which are not.

Every document is a file that is read as a question reads it. ``open`` counts marked ones that are not private, and
those spelled in a way of their own that do not say how they were understood; ``closed`` counts ordinary ones that are.
The control reads the documented spelling alone, ``lens: private`` between fences, and must leave many open.

    python -m tests.soak.private_marks --typos 2000 --ordinary 3000 --seed 1
"""

from __future__ import annotations

import io
import json
import random
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.model.documents import Structure
from tests.documents.outlook_files import container as outlook
from tests.documents.outlook_files import properties, words
from tests.documents.pdf_files import PageMaking, PdfMaking, text
from tests.documents_made import docx, zipped
from tests.soak.harness import Options, Verdict, harness

DATA = ("json", "json5", "jsonl", "yaml", "toml", "ini", "csv")
NOTES = ("md", "txt", "rst", "adoc", "org", "html", "qmd", "typ", "")
BODY = "\n# Ledger\n\nThe vault in Brandt opens with a word that is not told.\n"
EXACT = ("lens: private", 'lens: "private"', "lens: [private]")
SPELLED: Mapping[str, Any] = json.loads((Path(__file__).parent / "private_spellings.json").read_text("utf-8"))
"""Lines of front matter (``front``, ``toml``) and what stands around it (``fences``), what documents of other formats
begin with by their suffix (``heads``); of ordinary documents what they begin with and hold, and whole ``files``."""
_CORE = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
_CUSTOM = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" xmlns:vt="http://schemas'
    '.openxmlformats.org/officeDocument/2006/docPropsVTypes"><property name="{}" pid="2"><vt:{}>{}</vt:{}></property>'
    "</Properties>"
)
_META = (
    '<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"><office:meta>{}</office:meta></office:document-meta>'
)
_ODT = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>'
    "<text:p>The vault in Brandt.</text:p></office:text></office:body></office:document-content>"
)
_OPF = (
    '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{}</metadata>'
    '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
    '<spine><itemref idref="a"/></spine></package>'
)
_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf"/>'
    "</rootfiles></container>"
)
_XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/">{}</rdf:Description></rdf:RDF></x:xmpmeta>'
)


def _with_parts(document: bytes, parts: Mapping[str, str]) -> bytes:
    held = io.BytesIO(document)
    with zipfile.ZipFile(held, "a") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return held.getvalue()


def _core(text: str) -> dict[str, str]:
    return {"docProps/core.xml": f'<cp:coreProperties xmlns:cp="{_CORE}">{text}</cp:coreProperties>'}


def _custom(name: str, value: str, kind: str = "lpwstr") -> dict[str, str]:
    return {"docProps/custom.xml": _CUSTOM.format(name, kind, value, kind)}


def _pdf(**info: str) -> bytes:
    return PdfMaking([PageMaking(text("The vault in Brandt opens with a word.", 72, 72))], info).written()


def documents() -> Iterator[tuple[str, bytes]]:
    """Marked documents that are no text files, by the end of their names."""
    word = docx("The vault in Brandt opens with a word.")
    for parts in (
        _core("<cp:keywords>lens: private</cp:keywords>"),
        _core("<cp:keywords>x; Lens/Private; y</cp:keywords>"),
        _core("<cp:category>lens-private</cp:category>"),
        _core("<cp:contentStatus>lens: private</cp:contentStatus>"),
        _custom("lens", "private"),
        _custom("Lens", "Private"),
        _custom("lens.private", "true", "bool"),
        _custom("private", "true", "bool"),
    ):
        yield "docx", _with_parts(word, parts)
    yield "docx", docx("lens: private", "The vault in Brandt opens with a word.")
    for said in (
        "<meta:keyword>lens: private</meta:keyword>",
        '<meta:user-defined meta:name="lens">private</meta:user-defined>',
        '<meta:user-defined meta:name="Lens">Private</meta:user-defined>',
    ):
        yield "odt", zipped({"content.xml": _ODT, "meta.xml": _META.format(said)})
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>The vault in Brandt.</p></body></html>'
    for said in (
        '<meta name="lens" content="private"/>',
        "<dc:subject>lens: private</dc:subject>",
        '<meta property="lens">private</meta>',
    ):
        yield "epub", zipped({"META-INF/container.xml": _CONTAINER, "a.opf": _OPF.format(said), "a.xhtml": page})
    for said in (r"{\info{\keywords lens: private}}", r"{\*\userprops{\propname lens}\proptype30{\staticval private}}"):
        yield "rtf", rf"{{\rtf1\ansi{said} The vault in Brandt.\par}}".encode()
    head = "From: a@example.org\nTo: b@example.org\nDate: Mon, 1 Mar 2021 10:00:00 +0000\nSubject: x\n"
    for said in (
        "Lens: private",
        "X-Lens: private",
        "x-lens: Private",
        "Keywords: x, lens: private",
        "X-Lens-Private: yes",
        "Sensitivity: Private",
    ):
        yield "eml", f"{head}{said}\n\nThe vault in Brandt.\n".encode()
    yield "eml", f"{head}\nlens: private\n\nThe vault in Brandt.\n".encode()
    yield (
        "mbox",
        f"From a@example.org Mon Mar 1 10:00:00 2021\n{head}X-Lens: private\n\nThe vault in Brandt.\n".encode(),
    )
    said = words(p001A="IPM.Note", p0037="vault", p1000="The vault in Brandt.")
    yield "msg", outlook({**properties(32, p00360003=2), **said})
    yield "msg", outlook({**properties(32), **said, **words(p007D="X-Lens: private\r\n")})
    for info in (
        {"Keywords": "x, lens: private"},
        {"lens": "private"},
        {"Lens": "Private"},
        {"Subject": "lens: private"},
    ):
        yield "pdf", _pdf(**info)
    yield "pdf", _pdf(Keywords="word, " * 400 + "lens: private")
    for said in (
        "<dc:subject><rdf:Bag><rdf:li>lens: private</rdf:li></rdf:Bag></dc:subject>",
        "<x:lens>private</x:lens>",
    ):
        yield "pdf", _pdf() + _XMP.format(said).encode()


def notebooks() -> Iterator[str]:
    """Marked notebooks: in their metadata, in those of a cell, in the first cell."""
    cell = {"cell_type": "markdown", "metadata": {}, "source": BODY}
    for metadata in (
        {"lens": "private"},
        {"lens": {"private": True}},
        {"Lens": ["private"]},
        {"private": True},
        {"tags": ["lens/private"]},
    ):
        yield json.dumps({"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
        yield json.dumps(
            {"cells": [cell], "lens": "private", "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
        )
    for metadata in ({"tags": ["lens-private"]}, {"lens": "private"}):
        yield json.dumps({"cells": [cell, cell | {"metadata": metadata}], "metadata": {}, "nbformat": 4})
    for source in ("---\nlens: private\n---\n", "<!-- lens: private -->\n", "lens: private\n"):
        yield json.dumps(
            {"cells": [cell | {"cell_type": "raw", "source": source}, cell], "metadata": {}, "nbformat": 4}
        )


def marked(typos: int, chance: random.Random) -> Iterator[tuple[str, bytes, bool]]:
    """Private documents: the end of their name, their bytes, and whether they are written as documented."""
    for suffix in NOTES:
        for line in SPELLED["front"]:
            yield suffix, f"---\ntitle: x\n{line}\n---\n{BODY}".encode(), line in EXACT
    for suffix in ("md", "txt", "org"):
        for line in SPELLED["toml"]:
            yield suffix, f"+++\n{line}\n+++\n{BODY}".encode(), line == 'lens = "private"'
    for fence in SPELLED["fences"]:
        for line in ("lens: private", "Lens : 'Private'", "lens:\n  - private"):
            note = fence.format(line) + BODY
            by_breaks = (note, note.replace("\n", "\r\n"), note.replace("\n", "\r"))
            for data in (*(each.encode() for each in by_breaks), note.encode("utf-16")):
                yield "md", data, False
    for suffix, heads in SPELLED["heads"].items():
        for head in heads:
            body = "" if suffix in DATA else BODY
            yield suffix, (head + body).encode(), False
            yield suffix, ("\ufeff" + (head + body).replace("\n", "\r\n")).encode(), False
    yield from _others()
    for _ in range(typos):
        name, value = chance.choice([("lens", edited("private", chance)), (edited("lens", chance), "private")])
        line = chance.choice(["{}: {}", "{}={}", "{} : '{}'", "{}:\n  - {}", "{}: [{}]"]).format(name, value)
        yield chance.choice(NOTES), f"---\n{line}\n---\n{BODY}".encode(), line in EXACT


def _others() -> Iterator[tuple[str, bytes, bool]]:
    """Those that are no notes."""
    for notebook in notebooks():
        yield "ipynb", notebook.encode(), False
    for suffix, data in documents():
        yield suffix, data, False


def edited(word: str, chance: random.Random) -> str:
    """The word with one letter more, less, another, or two swapped; in any case."""
    at = chance.randrange(1, len(word) - 1)
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
    kinds = (word[:at] + word[at + 1 :], word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :])
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return chance.choice((str.lower, str.title, str.upper))(chance.choice((*kinds, swapped)))


def ordinary(count: int, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Documents that speak of lenses and of what is private, and mean neither: name and text."""
    yield from SPELLED["files"]
    for number in range(count - len(SPELLED["files"])):
        suffix = chance.choice(("md", "md", "md", "txt", "rst", "adoc", "org", "html"))
        front = chance.choice(SPELLED["fronts"])
        words = "Some words come first, as they do on a page.\n"
        parts = "\n".join([words, *chance.sample(SPELLED["parts"], chance.randint(2, 6)), "And some words end it.\n"])
        yield f"note-{number}.{suffix}", front + parts


def documented(data: bytes) -> bool:
    """The control: the documented spelling alone."""
    return re.match(rb"---\n(?:.*\n)*?lens: private\n(?:.*\n)*?---\n", data) is not None


@harness(typos=2_000, ordinary=3_000, seed=1)
def main(options: Options) -> Verdict:
    chance = random.Random(options.seed)
    left_open: list[str] = []
    closed: list[str] = []
    untold: list[str] = []
    spellings = control = 0
    with tempfile.TemporaryDirectory() as folder, Root(folder) as root:

        def read(name: str, data: bytes) -> Structure:
            (Path(folder) / name).write_bytes(data)
            return Snapshot([root], {}, CorpusRules()).document(0, name).structure

        for suffix, data, exact in marked(options.typos, chance):
            spellings += 1
            name = f"marked-{spellings}.{suffix}" if suffix else f"marked-{spellings}"
            structure = read(name, data)
            control += not documented(data)
            said = getattr(structure, "privacy", None)
            if not structure.private:
                left_open.append(f"{suffix}: {data[:80]!r}")
            elif said is None or (exact and not said.exact):
                untold.append(f"{suffix}: {data[:80]!r} is as documented")
            elif not said.message.startswith("understood as private: `"):
                untold.append(f"{suffix}: {data[:80]!r}")
        plain = 0
        for name, words in ordinary(options.ordinary, chance):
            plain += 1
            if read(name, words.encode()).private:
                closed.append(f"{name}: {words[:120]!r}")
    return {
        "figure": "private",
        "n": spellings,
        "open": len(left_open),
        "untold": len(untold),
        "ordinary": plain,
        "closed": len(closed),
        "controlN": spellings,
        "controlBad": control,
        "first": (left_open + untold + closed)[:12],
    }, not left_open and not untold and not closed and control > spellings // 2


if __name__ == "__main__":
    sys.exit(main())
