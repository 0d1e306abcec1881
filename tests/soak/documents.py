"""Documents that were damaged, and documents made to kill: every one ends in time, and good ones in between are read.

``python -m tests.soak.documents --mutations 30000 --bombs 46 --seed 1`` reads as many damaged documents and bombs in
the product's own worker, good documents after every bomb and every tenth damaged one, and prints one JSON line. It
exits with 1 if a document was late (a hang), if anything but a text or a reason came back (a fault), if a good document
did not give its text, or if this process grew beyond bounds. The control reads some of the bombs as the product must
not: in a process that nobody kills. If it reads them all in time the bombs are too weak, and it exits with 1, too.
"""

from __future__ import annotations

import gc
import io
import random
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

from lens_lsp.documents.extractor import GRACE, SECONDS, Extractor
from lens_lsp.documents.kinds import Extracted, Unextracted, kind_for, kind_named
from tests.documents.outlook_files import container as outlook
from tests.documents.outlook_files import properties, words
from tests.soak.document_bombs import BOMBS, docx, epub, office, open_document, page, pdf, related, sheet, workbook
from tests.soak.harness import Options, Verdict, harness

LATE = 2.0
"""Seconds after its time at which a document that is not given up is a hang; a large process does not go at once."""
PATIENCE = 10.0
"""Seconds for a good document: it is to be read, however busy the machine is."""
MOST_GROWTH = 400_000_000
BETWEEN = 10
"""Damaged documents between two good ones."""
LARGEST_SAMPLE = 100_000
CONTROL = ("a-gibibyte-in-a-run", "three-million-paragraphs", "nine-million-operators", "braces")
CONTROL_SECONDS = 15.0
CONTROL_MEMORY = 2 << 30
_TESTS = Path(__file__).resolve().parent.parent
_SAMPLES = _TESTS / "documents" / "samples"

_UNKILLED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
from importlib import import_module
from lens_lsp.documents.kinds import kind_named
from tests.soak.document_bombs import BOMBS
name, bomb = BOMBS[sys.argv[1]]
data = bomb()
kind = kind_named(name)
reader = getattr(import_module(kind.module), kind.reader)()
print("ready", flush=True)
reader.extract(data)
"""


@dataclass
class Tally:
    """What came of a number of documents."""

    documents: int = 0
    hangs: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    good: int = 0
    bad_good: list[str] = field(default_factory=list)
    worst: float = 0.0
    worst_of: str = ""
    worst_good: float = 0.0
    ends: Counter[str] = field(default_factory=Counter)
    of_bombs: dict[str, str] = field(default_factory=dict)


def made() -> dict[str, bytes]:
    """A small good document of each kind, by a name that ends as its kind's do."""
    rows = '<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row></sheetData>'
    mail = b"Subject: lamps\nFrom: a@lamp.example\nDate: Fri, 1 Mar 2024 10:00:00 +0000\n\nLit.\n\nAgain.\n"
    return beside() | {
        "a.pdf": page(b"BT /F 12 Tf 10 700 Td (The lamps are lit) Tj 0 -20 Td (again) Tj ET"),
        "a.docx": docx("<w:p><w:r><w:t>The lamps</w:t></w:r></w:p><w:p><w:r><w:t>are lit.</w:t></w:r></w:p>"),
        "a.xlsx": workbook(sheet(rows)),
        "a.odt": open_document("text", "<text:h>Lamps</text:h><text:p>are lit.</text:p>"),
        "a.epub": epub(b"<html><body><h1>Lamps</h1><p>are <b>lit</b>.</p></body></html>"),
        "a.rtf": rb"{\rtf1\ansi\ansicpg1252 {\pard The l\'e4mps\par}{\pard are lit.\par}}",
        "a.eml": mail,
        "a.msg": outlook({**properties(32), **words(p001A="IPM.Note", p0037="lamps", p1000="Lit.\n\nAgain.")}),
        "a.mbox": b"From a Fri Mar  1 10:00:00 2024\n" + mail + b"\nFrom b Fri Mar  1 11:00:00 2024\n" + mail,
    }


def beside() -> dict[str, bytes]:
    """Small good documents with forms, comments, headers, charts and attachments."""
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    c = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    r = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    run = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    drawn = f'<w:p><w:r><w:drawing {c} {r}><c:chart r:id="c"/></w:drawing><w:commentReference w:id="1"/></w:r></w:p>'
    point = '<c:pt idx="0"><c:v>8.2</c:v></c:pt>'
    values = f"<c:ser><c:val><c:numRef><c:numCache>{point}</c:numCache></c:numRef></c:val></c:ser>"
    word = office(
        "word/document.xml",
        f"<w:document {w}><w:body>{run.format('The lamps')}{drawn}</w:body></w:document>".encode(),
        (
            "word/_rels/document.xml.rels",
            related({"c": ("chart", "c.xml"), "h": ("header", "h.xml"), "n": ("comments", "n.xml")}),
        ),
        ("word/h.xml", f"<w:hdr {w}>{run.format('Acme')}</w:hdr>".encode()),
        ("word/n.xml", f'<w:comments {w}><w:comment w:id="1">{run.format("lit")}</w:comment></w:comments>'.encode()),
        (
            "word/c.xml",
            f"<c:chartSpace {c}><c:chart><c:plotArea><c:barChart>{values}</c:barChart></c:plotArea></c:chart>"
            "</c:chartSpace>".encode(),
        ),
    )
    form = pdf(
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>/Names<</EmbeddedFiles<</Names[(a)6 0 R]>>>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Annots[4 0 R 5 0 R]>>",
        b"<</Type/Annot/Subtype/Widget/Rect[0 0 99 9]/FT/Tx/T(a)/TU(Owner)/V(Ann)>>",
        b"<</Type/Annot/Subtype/Highlight/Rect[0 9 99 19]/QuadPoints[0 19 99 19 0 9 99 9]/T(Bo)/Contents(lit)>>",
        b"<</Type/Filespec/F(a.txt)/UF(a.txt)/EF<</F 7 0 R>>>>",
        b"<</Type/EmbeddedFile/Length 9>>\nstream\nThe lamps\nendstream",
    )
    mail = (
        b'Subject: lamps\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nLit.\n--b\n'
        b'Content-Disposition: attachment; filename="a.pdf"\n\n' + form + b"\n--b\n"
        b"Content-Type: message/rfc822\n\nSubject: again\n\nLit.\n--b--\n"
    )
    return {"b.docx": word, "b.pdf": form, "b.eml": mail}


def samples() -> dict[str, bytes]:
    """The small good documents, and those of real writers where there are some."""
    kept = sorted(path for path in _SAMPLES.rglob("*") if kind_for(path.name) and path.is_file())
    return made() | {path.name: path.read_bytes() for path in kept if path.stat().st_size <= LARGEST_SAMPLE}


def mutations(seeds: dict[str, bytes], seed: int) -> Iterator[tuple[str, bytes]]:
    """Damaged documents without end; half of those that are zips are damaged in a part, so that they still open."""
    chance = random.Random(seed)
    names = sorted(seeds)
    while True:
        name = chance.choice(names)
        data = seeds[name]
        if data.startswith(b"PK") and chance.random() < 0.5:
            yield name, _with_damaged_part(data, chance)
        else:
            yield name, _damaged(data, chance)


def _damaged(data: bytes, chance: random.Random) -> bytes:
    broken = bytearray(data)
    for _ in range(chance.choice((1, 3, 10, 40))):
        at, size, what = chance.randrange(len(broken) + 1), chance.randrange(1, 40), chance.random()
        if what < 0.5:
            broken[at : at + 1] = bytes([chance.randrange(256)])
        elif what < 0.65:
            del broken[at : at + size]
        elif what < 0.8:
            other = chance.randrange(len(broken) + 1)
            broken[at:at] = broken[other : other + size] * chance.choice((1, 2, 50))
        elif what < 0.9:
            broken[at : at + 4] = chance.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"99999999", b"-1"))
        else:
            broken[at:] = b"" if chance.random() < 0.3 else broken[at:][::-1]
    return bytes(broken)


def _with_damaged_part(data: bytes, chance: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(parts))
    parts[name] = _damaged(parts[name], chance)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for each, content in parts.items():
            archive.writestr(each, content)
    return out.getvalue()


class Soak:
    """One extractor under fire, and what became of every document that it was given."""

    def __init__(self, extractor: Extractor) -> None:
        self.tally = Tally()
        self._extractor = extractor
        seeds = made()
        self._good = cycle([(name, data, self._read(name, data)) for name, data in sorted(seeds.items())])

    def hostile(self, what: str, name: str, data: bytes) -> str:
        """Read a document that may do anything, after a glance and a later part where its kind has them; its end."""
        kind = kind_for(name) or kind_named(name)
        if kind.glances:
            self._bounded(f"glance, {what}", lambda: self._extractor.glance(kind, [data]))
        if kind.part:
            self._bounded(f"later part, {what}", lambda: self._extractor.extract(kind, data, first=1))
        end = self._bounded(what, lambda: self._extractor.extract(kind, data))
        self.tally.documents += 1
        self.tally.ends[end] += 1
        return end

    def _bounded(self, what: str, do: Callable[[], object]) -> str:
        """Do it; how it ended, and whether that was in time."""
        began = time.monotonic()
        try:
            do()
            end = "read"
        except Unextracted as reason:
            end = reason.failure.value
        except Exception as error:  # noqa: BLE001 - whatever else comes out is what is looked for
            end = "fault"
            self.tally.faults.append(f"{what}: {type(error).__name__}: {error}")
        seconds = time.monotonic() - began
        if seconds > SECONDS + GRACE + LATE:
            self.tally.hangs.append(f"{what}: {seconds:.1f} s")
        if seconds > self.tally.worst:
            self.tally.worst, self.tally.worst_of = seconds, what
        return end

    def good(self) -> None:
        """Read the next good document: it gives the text that it gave before there was any other."""
        name, data, expected = next(self._good)
        began = time.monotonic()
        try:
            if self._read(name, data) != expected:
                self.tally.bad_good.append(f"{name}: another text")
        except Unextracted as reason:
            self.tally.bad_good.append(f"{name}: {reason}")
        self.tally.worst_good = max(self.tally.worst_good, time.monotonic() - began)
        self.tally.good += 1

    def _read(self, name: str, data: bytes) -> Extracted:
        kind = kind_for(name)
        if kind is None:
            raise ValueError(f"no kind reads {name}")
        return self._extractor.extract(kind, data, seconds=PATIENCE)


def drop(soak: Soak, names: list[str]) -> None:
    """Bombs, each followed by a good document."""
    for name in names:
        kind, bomb = BOMBS[name]
        soak.tally.of_bombs[name] = soak.hostile(name, kind, bomb())
        soak.good()


def damage(soak: Soak, count: int, seed: int) -> None:
    """Damaged documents, every so often followed by a good one."""
    for number, (name, data) in enumerate(islice(mutations(samples(), seed), count)):
        soak.hostile(f"mutation {number} of {name}", name, data)
        if number % BETWEEN == 0:
            soak.good()


def control(names: tuple[str, ...] = CONTROL) -> list[str]:
    """The bombs that a process without limits of its own does not survive, or is late with."""
    caught = []
    for name in names:
        code = _UNKILLED.format(memory=CONTROL_MEMORY)
        with subprocess.Popen(
            [sys.executable, "-c", code, name],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_TESTS.parent,
            text=True,
        ) as process:
            ready = process.stdout is not None and process.stdout.readline() == "ready\n"
            began = time.monotonic()
            try:
                failed = process.wait(CONTROL_SECONDS) not in (0, 1)
            except subprocess.TimeoutExpired:
                process.kill()
                failed = True
            if ready and (failed or time.monotonic() - began > SECONDS + GRACE + LATE):
                caught.append(name)
    return caught


def resident() -> int:
    """Bytes of memory in use now; 0 where the system does not tell."""
    gc.collect()
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


@harness(mutations=30_000, bombs=len(BOMBS), seed=1)
def main(options: Options) -> Verdict:
    with Extractor() as extractor:
        soak = Soak(extractor)
        before = resident()
        drop(soak, list(islice(cycle(BOMBS), options.bombs)))
        damage(soak, options.mutations, options.seed)
        growth = resident() - before
        tally, respawns, kept = soak.tally, extractor.started - 1, sorted(extractor.kept)
    caught = control()
    row = {
        "n": tally.documents,
        "mutations": options.mutations,
        "bombs": options.bombs,
        "seed": options.seed,
        "hangs": len(tally.hangs),
        "faults": len(tally.faults),
        "good": tally.good,
        "goodFailed": len(tally.bad_good),
        "worst_s": round(tally.worst, 2),
        "worstOf": tally.worst_of,
        "worstGood_s": round(tally.worst_good, 2),
        "respawns": respawns,
        "growth_mb": round(growth / 1e6, 1),
        "kept": kept,
        "ends": dict(tally.ends),
        "ofBombs": tally.of_bombs,
        "controlCaught": caught,
        "wrong": [*tally.hangs, *tally.faults, *tally.bad_good],
    }
    clean = not (tally.hangs or tally.faults or tally.bad_good) and growth < MOST_GROWTH
    return row, clean and caught


if __name__ == "__main__":
    sys.exit(main())
