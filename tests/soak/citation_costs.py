"""What a look at citations costs: a thousand of them, and sources that are missing from a large folder.

``python -m tests.soak.citation_costs --n 1000 --files 20000`` prints one JSON line. It exits with 1 if a thousand
citations, all of them drifted, take more than a second of the processor, by a check or by an editor's diagnostics; if
a check or one of eight hovers on missing sources takes as long, or reads more than 50 MB, the hovers on average; or if
the controls, places that are looked for in the whole text each time and a search without a budget, are not caught.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from lens_lsp.corpus.corpus_rules import AllowedFolders, CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import HashBudget, RenamedFiles
from lens_lsp.lsp.diagnostics import citation_diagnostics
from lens_lsp.lsp.document_snapshot import DocumentSnapshot, MarkdownPage, locate_citations
from lens_lsp.memory.answer_files import one_line
from lens_lsp.memory.answer_parser import source_json
from lens_lsp.memory.check import Report, check
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import TextSource
from lens_lsp.model.text import Span
from tests.lsp.lsp_client import environment
from tests.lsp.lsp_editor import CAPABILITIES, Editor
from tests.memory.old_blocks import footnote
from tests.soak.harness import Options, Verdict, harness

SECONDS, BYTES = 1.0, 50_000_000
HOVERS = 8
MOST_GROWTH = 8.0
"""Of the calls for four times as many citations."""
_PER_SOURCE = 50


@dataclass
class Cost:
    """Of one piece of work; ``processor`` is what it took where nobody else runs."""

    seconds: float = 0.0
    processor: float = 0.0
    read: int = 0


@contextmanager
def counted(pid: int | str = "self") -> Iterator[Cost]:
    """What a process does until the block ends."""
    cost = Cost()
    began, used, read = time.monotonic(), processor(pid), bytes_read(pid)
    yield cost
    cost.seconds, cost.processor = time.monotonic() - began, processor(pid) - used
    cost.read = bytes_read(pid) - read


def processor(pid: int | str) -> float:
    """Seconds of the processor that a process has used so far."""
    if pid == "self":
        return time.process_time()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bytes_read(pid: int | str) -> int:
    """All that a process has read so far, from the page cache, too."""
    return int(Path(f"/proc/{pid}/io").read_text().split()[1])


def cited(n: int, path: str, text: str, quote: str) -> tuple[int, Citation]:
    """A citation of a quote that stands once."""
    at = text.index(quote)
    digest = hashlib.sha256(text.encode()).hexdigest()
    span = Span(at, at + len(quote))
    return n, Citation(".", path, TextSource.DISK, digest, "utf-8", "markdown/1", span, quote, count=1)


def answer(citations: Sequence[tuple[int, Citation]]) -> str:
    """An answer file."""
    sources = "".join(f"- {one_line(source_json(n, 0, each))}\n" for n, each in citations)
    words = "".join(f"It is told. [^{n}]\n\n" for n, _ in citations)
    notes = "".join(f"{footnote(str(n), each, 3, each.path)}\n" for n, each in citations)
    head = (
        f'---\nlens: answer/1\nquestion: "What?"\nstatus: answered\nroots: ["."]\nsources:\n{sources}---\n# What?\n\n'
    )
    return f"{head}{words}{notes}"


def cite_many(folder: Path, n: int) -> Path:
    """An answer of so many citations whose sources all say something else by now; its path."""
    folder.mkdir()
    citations = []
    for first in range(0, n, _PER_SOURCE):
        quotes = [f"Lamp {k} of the harbour was lit in the year {1000 + k}." for k in range(first, first + _PER_SOURCE)]
        name, text = f"source-{first}.md", "# Lamps\n\n" + "\n\n".join(quotes) + "\n"
        citations += [cited(k, name, text, quote) for k, quote in enumerate(quotes, first + 1)]
        (folder / name).write_text(text.replace("was lit", "went out"))
    path = folder / "answer.md"
    path.write_text(answer(citations))
    return path


def looked_at(path: Path) -> tuple[DocumentSnapshot, MarkdownPage]:
    """An answer as an editor has it open."""
    snapshot = DocumentSnapshot(
        uri=path.as_uri(),
        path=str(path),
        text=path.read_text(),
        version=1,
        encoding=types.PositionEncodingKind.Utf16,
        rules=CorpusRules(),
        buffers={},
        uris={},
        workspaces=(),
        texts=False,
        allowed=AllowedFolders.below([str(path.parent)]),
    )
    return snapshot, MarkdownPage(snapshot.text, snapshot.path)


def diagnosed(path: Path) -> int:
    """Its diagnostics, counted."""
    snapshot, page = looked_at(path)
    return len(
        citation_diagnostics(snapshot, page, locate_citations(snapshot, page, page.written.values()), related=True)
    )


def checked(path: Path) -> Report:
    """A check of a folder, or of one file."""
    report = Report()
    check((path,), report)
    return report


def scanned(path: Path) -> None:
    """The control: for each citation the whole text is looked through for its place."""
    _, page = looked_at(path)
    for each in page.written.values():
        assert [mark.span for mark in page.marks() if mark.label == each.label]


def calls(work: Callable[[Path], object], path: Path) -> int:
    """How often some work calls a function or returns from one.

    It does not depend on what else the machine does; how long one call takes is not in it.
    """
    events = 0

    def count(*_: object) -> None:
        nonlocal events
        events += 1

    sys.setprofile(count)
    try:
        work(path)
    finally:
        sys.setprofile(None)
    return events


def ratio(work: Callable[[Path], object], few: Path, many: Path) -> float:
    """How many times more calls the one takes than the other."""
    return calls(work, many) / calls(work, few)


def fill(folder: Path, files: int) -> None:
    """A tree of many small notes and of many large ones, which take no room: each has a hole."""
    for number in range(files):
        below = folder / f"d{number // 200}"
        if number % 200 == 0:
            below.mkdir()
        (below / f"note-{number}.md").write_text(f"# Note {number}\n")
    (folder / "large").mkdir()
    for number in range(200):
        with open(folder / "large" / f"log-{number}.md", "wb") as file:
            file.truncate(2 << 20)


def unbounded(folder: Path) -> None:
    """The control: the search for a renamed file, whatever it costs."""
    with Root(str(folder)) as root:
        RenamedFiles(root, CorpusRules(), HashBudget(files=1 << 40, size=1 << 50, seconds=1e9)).holders(
            "gone.md", "0" * 64
        )


@harness(n=1000, files=20_000)
def main(options: Options) -> Verdict:
    base = options.place
    many, few = cite_many(base / "many", options.n), cite_many(base / "few", options.n // 4)
    diagnosed(few)  # brings what is imported late
    with counted() as checking:
        found = checked(many.parent)
    with counted() as diagnosing:
        told = diagnosed(many)
    grows = ratio(diagnosed, few, many)
    control_grows = ratio(scanned, cite_many(base / "hundred", 100), cite_many(base / "four hundred", 400))

    tree = base / "tree"
    tree.mkdir()
    fill(tree, options.files)
    gone = [cited(k, f"gone/{k}.md", f"It said {k} times that it would go.", f"It said {k}") for k in range(1, 101)]
    gone_answer = tree / "answer.md"
    gone_answer.write_text(answer(gone))
    with counted() as missing:
        lost = checked(gone_answer)
    hovers = []
    with Editor(environment(base / "home")) as editor:
        editor.begin(tree, capabilities=CAPABILITIES)
        uri = editor.show(gone_answer)
        editor.wait(lambda: editor.codes(uri).count("lens.citation-broken") == 100)
        for label in range(1, HOVERS + 1):
            with counted(editor.process.pid) as hover:
                said = editor.result("textDocument/hover", editor.at(uri, f"[^{label}]"))
            assert said is not None
            hovers.append(hover)
    with counted() as control:
        unbounded(tree)
    late = {
        "check": checking.processor > SECONDS,
        "diagnostics": diagnosing.processor > SECONDS,
        "growth": grows > MOST_GROWTH,
        "missing": missing.processor > SECONDS or missing.read > BYTES,
        **{f"hover {n}": each.processor > SECONDS for n, each in enumerate(hovers, 1)},
        # Together: a check of the server's own, with a search of its own, may fall into any of them.
        "hovers": sum(each.read for each in hovers) > HOVERS * BYTES,
        "nothing found": len(found.findings) != options.n or told < options.n or len(lost.findings) != 100,
    }
    row = {
        "n": options.n + 100 + HOVERS,
        "bad": sum(late.values()),
        "wrong": [name for name, is_late in late.items() if is_late],
        "check_s": round(checking.processor, 3),
        "diagnostics_s": round(diagnosing.processor, 3),
        "growth": round(grows, 1),
        "missing_s": round(missing.seconds, 2),
        "missing_mb": round(missing.read / 1e6, 1),
        "hover_processor_s": round(max(each.processor for each in hovers), 2),
        "hover_s": round(max(each.seconds for each in hovers), 2),
        "hover_mb": round(sum(each.read for each in hovers) / HOVERS / 1e6, 1),
        "controlGrowth": round(control_grows, 1),
        "control_mb": round(control.read / 1e6, 1),
        "controlBad": int(control_grows > MOST_GROWTH) + int(control.read > BYTES),
    }
    return row, row["controlBad"] == 2


if __name__ == "__main__":
    sys.exit(main())
