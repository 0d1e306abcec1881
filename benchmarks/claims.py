"""Claims over quotes: how many false ones the checker of an answer's sentences marks, and how many true ones.

    python -m benchmarks.claims --data DATA [--half first|second|both] [--missed] [--work FOLDER] [--judge URL]

The claims are `benchmarks/questions/claims.jsonl`. Each quote is looked up in its document and gets the context and the
headings that the evidence of an answer has. The half ``first`` is for fitting, the half ``second`` for reporting:
``--missed`` lists what went wrong in the first half and never in the second. A checker that marks nothing is the
control: each claim cites a quote, so nothing else marks it. With ``--judge``, the base URL of an endpoint, a model
looks again at the sentences that rules tell too little of, as it does when a question is asked, eight in a call.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.passages.corpora import docsqa_folders, text_of
from benchmarks.passages.metadata import HALVES, parser_of, read
from evaluation.reporting.markdown import table
from lens_lsp.corpus.formats import reader_for
from lens_lsp.judge.claim_text import CitedPassage
from lens_lsp.judge.claims import LITERAL, Mismatch, check, is_arguable
from lens_lsp.judge.ledger import Budget, Ledger
from lens_lsp.judge.llm.chat_model import ChatModel
from lens_lsp.judge.llm.chat_oracle import ChatOracle
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.judge.oracle import Claim
from lens_lsp.model.answer import Mode
from lens_lsp.model.documents import Document, Evidence, Origin
from lens_lsp.model.errors import OracleFailed
from lens_lsp.model.text import SourceText, Span
from lens_lsp.search.boundaries import context_of, heading_path
from lens_lsp.search.consolidation import passage_of as evidence_passage

CLAIMS = Path(__file__).resolve().parent / "questions" / "claims.jsonl"
_AT_ONCE = 4
_PER_CALL = 8
KINDS = ("number", "name", "date", "unit", "negation", "limit")
"""What makes a claim false, apart from ``other``, which is reported by itself."""

Row = Mapping[str, Any]
Checker = Callable[[str, Sequence[CitedPassage]], Sequence[Mismatch]]


@cache
def document_of(file: Path, path: str) -> Document:
    """A text file as the corpus reads it."""
    reader = reader_for(file.name)
    text = text_of(file)
    return Document(0, path, text, f"{reader.name}/{reader.version}", Origin("", "utf-8"), reader.structure(text))


def evidence_of(row: Row, folder: Path, n: int) -> Evidence:
    """The quote of a claim as evidence. Raises ValueError where it does not stand in its file."""
    document = document_of(folder / row["path"], row["path"])
    at = -1
    while True:
        at = document.text.find(row["quote"], at + 1)
        if at < 0:
            raise ValueError(f"{row['id']}: the quote does not stand in {row['path']}")
        span = Span(at, at + len(row["quote"]))
        if document.text[span.end :].lstrip().startswith((row.get("after") or "").strip()):
            break
    source = SourceText(document.text)
    return Evidence(
        n=n,
        root=0,
        path=f"{folder.name}/{row['path']}",
        start=source.position(span.start),
        end=source.position(span.end),
        span=span,
        quote=row["quote"],
        origin=document.origin,
        reader=document.reader,
        locator=None,
        heading=heading_path(document, span.start),
        score=1.0,
        context=context_of(document, span),
    )


def passage_of(row: Row, folder: Path) -> CitedPassage:
    """The quote of a claim as the rules see it. Raises ValueError where it does not stand in its file."""
    title = document_of(folder / row["path"], row["path"]).structure.head.title or ""
    return evidence_passage(evidence_of(row, folder, 1), title)


def is_open(row: Row, passage: CitedPassage, found: Sequence[Mismatch]) -> bool:
    """Whether a judge looks again at a claim."""
    return any(doubt.reason not in LITERAL for doubt in found) or is_arguable(row["claim"], [passage])


async def judged(model: ChatModel, rows: Sequence[Row], folders: Mapping[str, Path]) -> tuple[list[bool], Ledger]:
    """Whether a model finds each claim wrong, and what that cost. Raises `OracleFailed`."""
    oracle = ChatOracle(model, Mode.FAST)
    ledger = Ledger(Budget(calls=len(rows) + 1, rounds=len(rows), tokens=10**9, seconds=10**9, call_seconds=36_000))
    limit = asyncio.Semaphore(_AT_ONCE)

    async def wrong(some: Sequence[Row]) -> list[bool]:
        asked = [
            Claim(row["claim"], (evidence_of(row, folders[row["workspace"]], n),)) for n, row in enumerate(some, 1)
        ]
        async with limit:
            faults = await oracle.verify("What do these passages say?", asked, ledger)
        if faults is None:
            raise OracleFailed("the reply of the model cannot be read")
        return [bool(faults.get(at)) for at in range(len(some))]

    groups = [rows[at : at + _PER_CALL] for at in range(0, len(rows), _PER_CALL)]
    return [one for group in await asyncio.gather(*map(wrong, groups)) for one in group], ledger


def mark_nothing(_sentence: str, _passages: Sequence[CitedPassage]) -> Sequence[Mismatch]:
    """The control."""
    return ()


def share(rows: Sequence[Row], marked: Sequence[bool], kinds: Sequence[str], half: str) -> str:
    """How many claims of these kinds of a half are marked."""
    own = [bad for row, bad in zip(rows, marked, strict=True) if row["half"] == half and row["kind"] in kinds]
    return f"{sum(own)} of {len(own)} ({100 * sum(own) / len(own):.1f} %)" if own else "–"


def shares(rows: Sequence[Row], marked: Sequence[bool], halves: Sequence[str]) -> str:
    """The claims that are marked, by kind and half."""
    groups = [*((kind, (kind,)) for kind in KINDS), ("false, six kinds", KINDS), ("true", ("paraphrase",))]
    groups.append(("other (false)", ("other",)))
    body = [[name, *(share(rows, marked, kinds, half) for half in halves)] for name, kinds in groups]
    return table(["claims marked", *halves], body)


def reasons(rows: Sequence[Row], doubts: Sequence[Sequence[Mismatch]], halves: Sequence[str]) -> str:
    """The true claims that are marked, by the reason that is given; one may be marked for several."""
    body = []
    for reason in sorted({doubt.reason for found in doubts for doubt in found}):
        cells = [reason]
        for half in halves:
            own = [found for row, found in zip(rows, doubts, strict=True) if row["half"] == half and row["supported"]]
            cells.append(str(sum(any(doubt.reason == reason for doubt in found) for found in own)))
        body.append(cells)
    return table(["true claims marked for", *halves], body)


def missed(rows: Sequence[Row], passages: Sequence[CitedPassage], doubts: Sequence[Sequence[Mismatch]]) -> list[str]:
    """What went wrong in the first half: the false ones that are not marked and the true ones that are."""
    lines = []
    for row, passage, found in zip(rows, passages, doubts, strict=True):
        if row["half"] == "first" and row["supported"] == bool(found):
            what = "; ".join(f"{row['claim'][doubt.span.start : doubt.span.end]} ({doubt.reason})" for doubt in found)
            lines.append(f"{row['id']} {row['kind']}: {row['claim']}  -> {what or 'not marked'}")
            lines.append(f"    quote: {' '.join(passage.quote.split())}")
            lines.append(f"    context: {' '.join(passage.before.split())} … {' '.join(passage.after.split())}")
            lines.append(f"    above: {passage.path} | {passage.title} | {' > '.join(passage.headings)}")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--judge", metavar="URL", help="base URL of an endpoint whose model looks again at some")
    given = parser.parse_args(arguments)
    halves = HALVES if given.half == "both" else (given.half,)
    rows = [row for row in read(CLAIMS) if row["half"] in halves]
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        folders = docsqa_folders(given.data, work)
        passages = [passage_of(row, folders[row["workspace"]]) for row in rows]
        times, doubts = [], []
        for row, passage in zip(rows, passages, strict=True):
            began = time.perf_counter()
            doubts.append(check(row["claim"], [passage]))
            times.append(1000 * (time.perf_counter() - began))
        looked_at = [at for at, row in enumerate(rows) if is_open(row, passages[at], doubts[at])]
        if given.judge:
            model = OpenAIChat(given.judge, "any")
            wrong, ledger = asyncio.run(judged(model, [rows[at] for at in looked_at], folders))
    print(shares(rows, [bool(found) for found in doubts], halves))
    print(reasons(rows, doubts, halves))
    if given.judge:
        marked = [any(doubt.reason in LITERAL for doubt in found) for found in doubts]
        for at, bad in zip(looked_at, wrong, strict=True):
            marked[at] |= bad
        spent = ledger.account()
        print(f"\nWith a judge, who looked at {len(looked_at)} of {len(rows)} in {ledger.calls} calls, ", end="")
        print(f"{spent.tokens_in + spent.tokens_out:,} tokens:\n")
        print(shares(rows, marked, halves))
    print("\nThe control, which marks nothing:\n")
    print(shares(rows, [bool(mark_nothing(row["claim"], [])) for row in rows], halves))
    print(f"\nA claim takes {statistics.median(times):.2f} ms (median), {max(times[1:]):.2f} ms at most.")
    if given.missed:
        print("", *missed(rows, passages, doubts), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
