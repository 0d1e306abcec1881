"""One point of a curve, in a process of its own so that its peak of memory is its own.

``python -m benchmarks.speed.scaling_point FOLDER --questions FILE [--memory MIB] [--cores N] [--beginning]`` prints as
JSON: seconds of the first question of the process with its stages, of later ones, until the first evidence of each
answer, and of each answer; what is held and was held at most, in bytes. With ``--beginning`` only the first question is
asked, until its first evidence: seconds until progress was told, and until then.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import peak_bytes, resident_bytes
from benchmarks.speed import asked
from benchmarks.speed.asked import seconds_of
from lens_lsp.app.lens import Lens
from lens_lsp.model.documents import Findings


def point(folder: str, texts: Sequence[str], memory: int | None) -> dict[str, Any]:
    """The figures of a folder; the first text is asked of an empty cache."""
    lens = Lens([folder], memory=memory)
    first, later = _found(lens, texts[0]), [_found(lens, text) for text in texts[1:]]
    with asyncio.Runner() as runner:
        answers = [runner.run(asked.asked(lens, text)) for text in texts[1:]]
    return {
        "files": first[1].coverage.scanned,
        "first": first[0],
        "firstStages": {stage.name: stage.seconds for stage in first[1].stages},
        "find": statistics.median(seconds for seconds, _ in later),
        "findStages": {
            stage.name: statistics.median(seconds_of(found.stages, stage.name) for _, found in later)
            for stage in later[0][1].stages
        },
        "asked": len(texts),
        "firstEvidence": [one.first for one in answers],
        "ask": [one.whole for one in answers],
        "residentBytes": resident_bytes(),
        "peakBytes": peak_bytes(),
    }


def beginning(folder: str, text: str, memory: int | None) -> dict[str, float]:
    """How the first question of an empty cache begins."""
    progress, evidence = asyncio.run(asked.beginning(Lens([folder], memory=memory), text))
    return {"progress": progress, "evidence": evidence}


def _found(lens: Lens, text: str) -> tuple[float, Findings]:
    begun = time.perf_counter()
    found = lens.find(text)
    return time.perf_counter() - begun, found


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.scaling_point")
    parser.add_argument("folder")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--memory", type=int, help="MiB")
    parser.add_argument("--cores", type=int)
    parser.add_argument("--beginning", action="store_true")
    options = parser.parse_args(arguments)
    if options.cores is not None:
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: options.cores]))
    memory = None if options.memory is None else options.memory << 20
    texts = json.loads(options.questions.read_text("utf-8"))
    ask = beginning(options.folder, texts[0], memory) if options.beginning else point(options.folder, texts, memory)
    print(json.dumps(ask))


if __name__ == "__main__":
    main(sys.argv[1:])
