"""Asking again: how many rewordings are recognised, how many look-alikes are not, and what the second time costs.

    python -m benchmarks.reuse [--folder NOTES] [--questions 20]

The pairs are ``questions/reuse.jsonl``, frozen before the matcher. Seconds are beside those of the scan of the same
question, for an answer that is known still needs the scan.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from lens_lsp.app.lens import Lens
from lens_lsp.app.question_memory import Memory
from lens_lsp.memory.matching import question_key
from lens_lsp.memory.store import Store
from lens_lsp.model.answer import StopReason, answer_of

_PAIRS = Path(__file__).with_name("questions") / "reuse.jsonl"
_SHARED_STAGES = {"walk", "read", "scan", "prior"}


def recognised() -> dict[str, object]:
    """How many pairs of the frozen set have one normal form."""
    pairs = [json.loads(line) for line in _PAIRS.read_text("utf-8").splitlines()]
    equal = [pair for pair in pairs if question_key(pair["asked"]) == question_key(pair["again"])]
    same = sum(pair["same"] for pair in pairs)
    return {
        "rewordings": same,
        "recognised": sum(pair["same"] for pair in equal),
        "lookalikes": len(pairs) - same,
        "confused": sum(not pair["same"] for pair in equal),
    }


def cost(folder: Path, questions: int) -> dict[str, object]:
    """Milliseconds of a reused answer beyond walk, read, scan and prior; the questions are made from file names."""
    lens = Lens([folder])
    lens.find("warm up")
    titles = [path.stem.replace("_", " ").replace("-", " ") for path in sorted(folder.rglob("*.md"))]
    beyond, whole = [], []
    with tempfile.TemporaryDirectory() as place, Store.open(Path(place) / "store") as store:
        memory = Memory(store, str(folder))
        for title in titles:
            question = f"What is {title}?"
            asyncio.run(answer_of(lens.ask(question, memory=memory)))
            started = time.perf_counter()
            again = asyncio.run(answer_of(lens.ask(question, memory=memory)))
            seconds = time.perf_counter() - started
            if again.stopped is StopReason.REUSED:
                shared = sum(stage.seconds for stage in again.stages if stage.name in _SHARED_STAGES)
                beyond.append(1000 * (seconds - shared))
                whole.append(1000 * seconds)
            if len(beyond) == questions:
                break
    if not beyond:
        return {"n": 0}
    return {
        "n": len(beyond),
        "beyond the scan, median ms": round(statistics.median(beyond), 1),
        "beyond the scan, most ms": round(max(beyond), 1),
        "whole, median ms": round(statistics.median(whole), 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parents[1] / "docs")
    parser.add_argument("--questions", type=int, default=20)
    options = parser.parse_args()
    result = {"pairs": recognised(), "again": cost(options.folder, options.questions)}
    print(json.dumps(result, indent=2))
    return int(bool(result["pairs"]["confused"]))  # type: ignore[index]


if __name__ == "__main__":
    sys.exit(main())
