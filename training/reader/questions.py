"""Questions on folders of documents with the passages that a search shows for each, which the reader has to tell apart.

A passage states what is asked where it holds a quote that proves it. The questions of the folder ``questions`` were
written for this; those of DocsQA are its visible ones, of which the first half is trained on.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.oracle import ObserveRequest
from lens_lsp.judge.reader.reader_oracle import PASSAGES, heads
from lens_lsp.judge.rules.offline_oracle import OfflineOracle
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.observation import ObservationReply, Region
from lens_lsp.model.plan import Plan, Requirement

_LONGEST = 600


@dataclass(frozen=True)
class Passage:
    """A passage as it is shown. ``answer`` are its code points that answer; ``near``: it looks like a proof and is
    none; ``part``: it holds a part of a proof."""

    text: str
    path: str
    headings: tuple[str, ...]
    states: bool
    answer: tuple[int, int] | None = None
    near: bool = False
    part: bool = False
    prior: float = 0.0
    """What the scan gives it, as a share of the best passage's score."""


@dataclass(frozen=True)
class Example:
    """A question, and passages that answer it or do not."""

    id: str
    folder: str
    question: str
    passages: tuple[Passage, ...]
    half: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)
    """The question as its data set has it."""


def on_folders(path: Path, folders: Path, missing: Callable[[str], None] = lambda folder: None) -> Iterator[Example]:
    """Our questions on real folders, a line each: the file, where the quote that proves the answer stands in its text
    and where the answer does, in code points; without an answer the quote only looks like a proof.

    The search shows what stands beside the proof, unless the line says ``"search": false``. Lines of a folder that is
    not there, or of a file that is another one, are left out; ``missing`` is told of the folder.
    """
    lenses: dict[str, Lens] = {}
    absent: set[str] = set()
    for number, record in enumerate(_lines(path)):
        file = folders / record["folder"] / record["path"]
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest()[: len(record["sha"])] != record["sha"]:
            if record["folder"] not in absent:
                missing(record["folder"])
            absent.add(record["folder"])
            continue
        search = record.get("search", True)
        if search and record["folder"] not in lenses:
            lenses[record["folder"]] = Lens([folders / record["folder"]])
        text = file.read_text("utf-8", errors="replace")
        yield _on_folder(record, f"folders-{number}", text, lenses[record["folder"]] if search else None)


def on_texts(path: Path) -> Iterator[Example]:
    """Our questions on texts that were written for this, a text a line."""
    for number, record in enumerate(_lines(path)):
        headings = (record["heading"],) if record["heading"] else ()
        for k, asked in enumerate(record["questions"]):
            place = _place(record["text"], asked["quote"], asked["span"])
            passage = Passage(record["text"], record["path"], headings, place is not None, place, place is None)
            yield Example(f"written-{number}-{k}", "", asked["question"], (passage,))


def lookalikes(path: Path) -> dict[str, list[str]]:
    """Questions that a paragraph of SQuAD looks as if it answered and does not, by article and number."""
    return {record["para"]: record["questions"] for record in _lines(path)}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def docsqa(data: Path, work: Path) -> Iterator[Example]:
    """The visible questions of DocsQA, of both halves, with what the search shows for them."""
    from evaluation.data.docsqa import open_docsqa, unpack

    dataset = open_docsqa(data)
    lenses: dict[str, Lens] = {}
    with gzip.open(data / "questions.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            name = record["workspace"]
            if name not in lenses:
                lenses[name] = Lens([unpack(dataset, name, work)])
            proofs = [(gold["path"], gold["quote"]) for gold in (*record["gold"], *record.get("also", ()))]
            passages = tuple(_found(lenses[name], record["question"], proofs, record.get("span")))
            yield Example(record["id"], name, record["question"], passages, record["half"], record)


def _on_folder(record: Mapping[str, Any], name: str, text: str, lens: Lens | None) -> Example:
    start, end = record["quote"]
    quote = text[start:end]
    span = text[slice(*record["answer"])] if "answer" in record else None
    found = [
        passage if span is not None or not passage.states else replace(passage, states=False, answer=None, near=True)
        for passage in (() if lens is None else _found(lens, record["question"], [(record["path"], quote)], span))
    ]
    if not any(passage.states or passage.near for passage in found):
        around = _around(text, start, end)
        place = _place(around, quote, span)
        found.append(Passage(around, record["path"], (), place is not None, place, place is None))
    return Example(name, record["folder"], record["question"], tuple(found))


class _Recorder(OfflineOracle):
    """Takes every question for a look-up, and notes what it is shown."""

    __slots__ = ("shown",)
    passages = PASSAGES

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        return replace(analyse(question), requirements=(Requirement("f1", question),))

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        shown = [(region, request.prior.get(region.number, 0.0)) for region in request.regions]
        object.__setattr__(self, "shown", shown)
        return ObservationReply(())


def shown(lens: Lens, question: str) -> list[tuple[Region, float]]:
    """The regions that an oracle is shown for a question, and what the scan gives each."""
    recorder = _Recorder()
    object.__setattr__(recorder, "shown", [])

    async def ask() -> None:
        async for _ in lens.ask(question, Terms(oracle=recorder)):
            pass

    asyncio.run(ask())
    return list(recorder.shown)


def _found(lens: Lens, question: str, proofs: Iterable[tuple[str, str]], span: str | None) -> Iterator[Passage]:
    """What the search shows."""
    held = [(path, quote, _folded(quote)) for path, quote in proofs]
    for region, prior in shown(lens, question):
        text, above = _folded(region.text), heads(region)
        proof = next((quote for path, quote, folded in held if path == region.path and folded in text), None)
        if proof is not None:
            yield Passage(region.text, region.path, above, True, _place(region.text, proof, span), prior=prior)
            continue
        part = any(path == region.path and (folded[:60] in text or folded[-60:] in text) for path, _, folded in held)
        yield Passage(region.text, region.path, above, False, part=part, prior=prior)


def _place(text: str, quote: str, span: str | None) -> tuple[int, int] | None:
    """Where the answer stands in a passage; None where it is not marked."""
    if span is None:
        return None
    begin = text.find(quote)
    at = text.find(span, max(begin, 0))
    return None if at < 0 else (at, at + len(span))


def _around(text: str, begin: int, end: int) -> str:
    """The paragraphs around a quote, up to the size of a passage."""
    while end - begin < _LONGEST:
        low = text.rfind("\n\n", 0, max(0, begin - 2))
        high = text.find("\n\n", end + 2)
        if 0 <= high <= begin + _LONGEST:
            end = high
        elif low >= 0 and end - low <= _LONGEST:
            begin = low + 2
        else:
            break
    return text[begin:end]


def _folded(text: str) -> str:
    return " ".join(text.split())


def kept(examples: Iterable[Example], path: Path) -> int:
    """Write examples, one a line; how many."""
    count = 0
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for example in examples:
            file.write(json.dumps(asdict(example), ensure_ascii=False) + "\n")
            count += 1
    return count


def examples(path: Path) -> Iterator[Example]:
    """Read what `kept` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            passages = tuple(
                Passage(**{**one, "headings": tuple(one["headings"]), "answer": one["answer"] and tuple(one["answer"])})
                for one in record.pop("passages")
            )
            yield Example(**{**record, "passages": passages})
