"""Where the passages of `lens find` begin and end, and whether they say under which heading they stand.

    python -m benchmarks.passages.boundaries --data DATA --out FILE.jsonl
    python -m benchmarks.passages.boundaries --data DATA --out FILE.jsonl --work FOLDER --limit 20 --gate 100

Every question of DocsQA and a sample of the gate's are asked; every distinct passage (path and span) is judged from
the raw file alone: `benchmarks.passages.judgement` says what counts as a fault, `benchmarks.passages.sentences` what
as the end of a sentence.

Read by eye, on the build before passages were whole units: of 120 faults drawn by chance (two seeds) 118 were faults;
the other two, ends of sentences inside a fence of plain text, are no longer counted. Of 120 passages called clean all
were. Of 90 faults inside a sentence with punctuation beside them, where a splitter errs most, 86 were; three of the
other causes were mended, one (``.. image`` cut behind its dots) is a fault of another name. Of 64 passages called clean
that begin in lower case or end without punctuation all were clean.

One line of FILE.jsonl is one fault; the tables go to FILE.md, too.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from benchmarks.passages.corpora import docsqa_folders, docsqa_questions, gate_questions, text_of
from benchmarks.passages.judgement import BEGIN, END, KINDS, WHOLE, Fault, judge
from benchmarks.passages.outline import LONGEST, Outline
from benchmarks.passages.reading import outline
from evaluation.reporting.markdown import table
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.model.documents import Evidence

FORMATS = (".md", ".mdx", ".rst", ".txt", "extensionless", "other")
ENDS = ("token", "sentence", "item", "row", "code", "cut-claim")
COLUMNS = (
    *((kind, where) for where in (BEGIN, END) for kind in ENDS),
    *((kind, WHOLE) for kind in KINDS if kind not in ENDS),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A distinct passage and what is wrong with it."""

    workspace: str
    path: str
    start: int
    end: int
    cut: tuple[str, ...]
    faults: tuple[Fault, ...]

    @property
    def format(self) -> str:
        suffix = PurePosixPath(self.path).suffix.lower()
        known = suffix in FORMATS or not suffix
        return (suffix or "extensionless") if known else "other"


class Checker:
    """Judges the passages of one folder, each once; one that is shown under several headings has the faults of all."""

    def __init__(self, workspace: str, folder: Path) -> None:
        self.workspace, self.folder = workspace, folder
        self.passages: dict[tuple[str, int, int], Passage] = {}
        self._outlines: dict[str, Outline] = {}
        self._shown: set[tuple[str, int, int, tuple[str, ...]]] = set()

    def add(self, item: Evidence) -> None:
        key = (item.path, item.span.start, item.span.end)
        shown = (*key, tuple(item.heading))
        if shown in self._shown:
            return
        self._shown.add(shown)
        if item.path not in self._outlines:
            self._outlines[item.path] = outline(item.path, text_of(self.folder / item.path))
        found = self._outlines[item.path]
        cut = tuple(getattr(item, "cut", None) or ())
        faults = judge(
            found,
            item.span.start,
            item.span.end,
            item.heading,
            quote=item.quote,
            cut=cut,
            context=list(_context(item)),
        )
        before = self.passages[key].faults if key in self.passages else ()
        self.passages[key] = Passage(self.workspace, *key, cut, tuple(dict.fromkeys((*before, *faults))))

    def lines(self) -> Iterator[dict[str, Any]]:
        """Each fault with 60 characters on either side of it."""
        for passage in self.passages.values():
            text = self._outlines[passage.path].text
            for fault in passage.faults:
                yield {
                    "workspace": passage.workspace,
                    "path": passage.path,
                    "span": [passage.start, passage.end],
                    "kind": fault.kind,
                    "where": fault.where,
                    "unit": fault.unit,
                    "around": _around(text, passage, fault.where),
                }


def _context(item: Evidence) -> Iterator[tuple[int, int, str]]:
    """The parts of the context, where the evidence has any: each with a span and the text that should stand there."""
    for part in getattr(item, "context", None) or ():
        text = str(getattr(part, "text", None) or getattr(part, "quote", ""))
        yield part.span.start, part.span.end, text


def _around(text: str, passage: Passage, where: str) -> str:
    """The text around an end of a passage, ``⟦`` where it begins and ``⟧`` where it ends."""
    start, end = passage.start, passage.end
    first = f"{text[max(0, start - 60) : start]}⟦{text[start : min(end, start + 60)]}"
    last = f"{text[max(start, end - 60) : end]}⟧{text[end : end + 60]}"
    return {BEGIN: first, END: last}.get(where, f"{first} … {last}")


def ask(checker: Checker, texts: Iterable[str], limit: int, asked: Callable[[], None]) -> None:
    """Ask the questions over the checker's folder and judge what comes."""
    lens = Lens([checker.folder])
    for text in texts:
        for item in lens.find(Request(text, limit=limit)).evidence:
            checker.add(item)
        asked()


def tables(passages: Sequence[Passage]) -> str:
    """Shares of faulty passages, by kind, by format and by folder."""
    kinds = [
        [kind, where, str(count), _share(count, len(passages))]
        for kind, where in COLUMNS
        if (count := sum(any((f.kind, f.where) == (kind, where) for f in one.faults) for one in passages))
        or kind != "cut-claim"
    ]
    cut = sum(bool(one.cut) for one in passages)
    longer = sum(one.end - one.start > LONGEST for one in passages)
    faulty = sum(bool(one.faults) for one in passages)
    head = (
        f"{len(passages)} distinct passages, {faulty} with a fault ({_share(faulty, len(passages))} %); "
        f"{cut} say that they were cut; {longer} are longer than {LONGEST} code points.\n"
    )
    formats = [(name, [one for one in passages if one.format == name]) for name in FORMATS]
    folders = [
        (name, [one for one in passages if one.workspace == name])
        for name in dict.fromkeys(p.workspace for p in passages)
    ]
    return "\n".join(
        [
            head,
            table(["kind", "where", "passages", "%"], kinds),
            _by("format", formats),
            _by("folder", folders),
        ]
    )


def _by(name: str, groups: Sequence[tuple[str, Sequence[Passage]]]) -> str:
    """Percent of the passages of each group with a fault of a kind, at either end."""
    names = ("token", "sentence", "item", "row", "code", "heading", "label", "verbatim", "cut-claim")
    rows = []
    for group, own in groups:
        if own:
            begin = sum(any(f.where == BEGIN for f in one.faults) for one in own)
            end = sum(any(f.where == END for f in one.faults) for one in own)
            counts = [sum(any(f.kind == kind for f in one.faults) for one in own) for kind in names]
            faulty = sum(bool(one.faults) for one in own)
            rows.append([group, str(len(own)), *(_share(count, len(own)) for count in (faulty, begin, end, *counts))])
    return table([name, "n", "any", "at begin", "at end", *names], rows)


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.1f}" if total else "–"


def read(reviewed: Sequence[Passage], folders: dict[str, Path], number: int, seed: int) -> str:
    """Some faults and some clean passages to be read by a person."""
    chance = random.Random(seed)
    faulty = [(one, fault) for one in reviewed for fault in one.faults]
    clean = [one for one in reviewed if not one.faults]
    parts = []
    for one, fault in chance.sample(faulty, min(number, len(faulty))):
        text = text_of(folders[one.workspace] / one.path)
        parts.append(
            f"## {fault.kind} {fault.where} {fault.unit} {one.path} {one.start}\n{_around(text, one, fault.where)}"
        )
    for one in chance.sample(clean, min(number, len(clean))):
        text = text_of(folders[one.workspace] / one.path)
        parts.append(f"## clean {one.path} {one.start}\n{_around(text, one, WHOLE)}")
    return "\n\n".join(parts) + "\n"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl", help="the faults; tables: FILE.md")
    parser.add_argument("--work", type=Path, help="where the archives are unpacked and kept; else a temporary folder")
    parser.add_argument("--limit", type=int, default=20, help="passages per question")
    parser.add_argument("--gate", type=int, default=100, help="questions of each data set of the gate")
    parser.add_argument("--read", type=int, default=0, metavar="N", help="N faults and N clean passages to FILE.txt")
    parser.add_argument("--seed", type=int, default=0, help="which of them")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    given = parse(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        return _run(given, work)


def _run(given: argparse.Namespace, work: Path) -> int:
    folders = docsqa_folders(given.data, work)
    rows = docsqa_questions(given.data)
    sets = [
        (name, folder, [row["question"] for row in rows if row["workspace"] == name])
        for name, folder in folders.items()
    ]
    sets += gate_questions(given.data, work, given.gate)
    done: Counter[str] = Counter()
    passages: list[Passage] = []
    lines: list[dict[str, Any]] = []
    for name, folder, texts in sets:
        checker = Checker(name, folder)
        ask(checker, texts, given.limit, lambda: done.update(["asked"]))
        passages.extend(checker.passages.values())
        lines.extend(checker.lines())
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), "utf-8")
    text = f"{done['asked']} questions, {given.limit} passages each. {tables(passages)}"
    given.out.with_suffix(".md").write_text(text, "utf-8")
    if given.read:
        places = {name: folder for name, folder, _ in sets}
        given.out.with_suffix(".txt").write_text(read(passages, places, given.read, given.seed), "utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
