"""Recompute every printed belief of one question from what was logged, by nothing but the published arithmetic.

Shares no code with the package on purpose: plain floats and ``math.fsum`` over the event lines of

    lens ask QUESTION PATH --events --explain > events.jsonl 2> trace.txt
    python benchmarks/verify_beliefs.py events.jsonl [--trace trace.txt]

For each requirement j, over the cells c of every document d admitted so far and the hypothesis "nowhere":

* log-prior: log(0.9 · file_j[d] · position_j[d][c]) for a cell, log 0.1 for "nowhere";
* ℓ_j(c) = sum over the regions judged so far. Cells that a resolved quote touches add the verdict's ratio, every other
  cell of that region adds that of ``none``; a verdict without a quote adds its own to every cell of the region. A judge
  that gives log odds has these in place of the verdict's ratio;
* ℓ_j(nowhere) = 0, and belief = softmax(log-prior + ℓ_j).

Documents that join later change the log-priors (a new ``file`` vector over all admitted) and keep ℓ. Compared, to 1e-9:
"nowhere" and every printed cell, and that no cell left out has more belief than one that is printed. With ``--trace``
the numbers in the text of ``--explain`` are compared too, to the ten decimals printed there.

``--mutant`` flips one observation first: then the numbers must not agree. Exit status 0 when at least one belief was
checked and all agree, 1 otherwise, 2 for wrong input.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

CELLS, NOWHERE = 0.9, 0.1
TOLERANCE = 1e-9
PRINTED = 0.5e-10
"""Half of the last decimal that the trace prints."""
QUOTING = ("full", "partial")

Event = dict[str, Any]
Cell = tuple[int, int]
Beliefs = tuple[float, dict[Cell, float]]
"""In "nowhere", and in each cell: document by order of admission, cell in it."""
Computed = dict[tuple[int, int, str], Beliefs]
"""By search (the one without a model may follow another), round and requirement."""

_ROUND = re.compile(r"Round (\d+)\s*")
_STANDING = re.compile(r"  (\S+) (?:open|covered)\b.*; P\(nowhere\) ([\d.]+)\s*")
_BEST = re.compile(r"      ([\d.]+)  \[(\d+)\] cell (\d+)\b.*")


class WrongInputError(Exception):
    """The input is not the event lines of a question asked with ``--explain``."""


class Search:
    """What the log says so far: documents in order of admission, their priors, ℓ of every cell."""

    def __init__(self) -> None:
        self.table: dict[str, float] = {}
        self.documents: list[Event] = []
        self.file: dict[str, list[float]] = {}
        self.ratios: dict[str, defaultdict[Cell, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.regions: dict[int, Event] = {}

    def take(self, event: Event) -> None:
        if event["type"] == "planned":
            self.table = event["table"]
        elif event["type"] == "admitted":
            self.documents += event["joined"]
            self.file = event["file"]
        elif event["type"] == "proposed":
            self.regions = {region["number"]: region for region in event["regions"]}
        elif event["type"] == "observed":
            for judged in event["judgements"]:
                self.observe(judged)

    def observe(self, judged: Event) -> None:
        region = self.regions[judged["region"]]
        touched = range(*(judged["cells"] or (0, 0)))
        quoted = judged["verdict"] in QUOTING and judged["cells"] is not None
        for cell in range(*region["cells"]):
            told = not quoted or cell in touched
            ratio = self.table[judged["verdict"] if told else "none"]
            if told and judged.get("logOdds") is not None:
                ratio = judged["logOdds"]
            self.ratios[judged["requirement"]][region["document"], cell].append(ratio)

    def beliefs(self, requirement: str) -> Beliefs:
        """The belief in "nowhere" and in every cell."""
        shares = self.file[requirement]
        if len(shares) != len(self.documents):
            raise WrongInputError(f"{len(shares)} shares of π_file for {len(self.documents)} documents")
        logs: dict[Cell, float] = {}
        for number, document in enumerate(self.documents):
            position = document.get("position", {}).get(requirement)
            if position is None:
                raise WrongInputError("no position vectors: ask with --events --explain")
            if len(position) != document["cells"]:
                raise WrongInputError(f"{len(position)} positions for {document['cells']} cells of {document['path']}")
            for cell, share in enumerate(position):
                mass = CELLS * shares[number] * share
                prior = math.log(mass) if mass > 0 else -math.inf
                logs[number, cell] = math.fsum([prior, *self.ratios[requirement].get((number, cell), ())])
        nowhere = math.log(NOWHERE)
        top = max(nowhere, *logs.values()) if logs else nowhere
        total = math.fsum([math.exp(nowhere - top), *(math.exp(value - top) for value in logs.values())])
        return math.exp(nowhere - top) / total, {cell: math.exp(value - top) / total for cell, value in logs.items()}


def differences(events: Iterable[Event], checked: Computed) -> Iterator[str]:
    """What does not agree; ``checked`` is filled with what was computed."""
    search, number = Search(), 0
    for event in events:
        if event["type"] == "planned":
            search, number = Search(), number + 1
        search.take(event)
        if event["type"] != "covered":
            continue
        for printed in event["beliefs"]:
            name = printed["requirement"]
            nowhere, cells = checked[number, event["round"], name] = search.beliefs(name)
            where = f"round {event['round']}, {name}"
            if not abs(printed["nowhere"] - nowhere) <= TOLERANCE:
                yield f"{where}: P(nowhere) printed {printed['nowhere']!r}, computed {nowhere!r}"
            best = {(item["document"], item["cell"]): item["belief"] for item in printed["best"]}
            for cell, belief in best.items():
                if not abs(cells.get(cell, math.nan) - belief) <= TOLERANCE:
                    yield f"{where}, cell {cell}: printed {belief!r}, computed {cells.get(cell)!r}"
            left_out = max((belief for cell, belief in cells.items() if cell not in best), default=0.0)
            if best and left_out > min(best.values()) + TOLERANCE:
                yield f"{where}: a cell with belief {left_out!r} is not among the best"


def text_differences(trace: str, checked: Computed, counted: list[int]) -> Iterator[str]:
    """What the text of ``--explain`` prints otherwise; ``counted`` gets a 1 for every number looked at."""
    search, number, cells = 0, 0, dict[Cell, float]()
    for line in trace.split("\n"):
        if line == "Plan":
            search += 1
        elif found := _ROUND.fullmatch(line):
            number = int(found[1])
        elif found := _STANDING.fullmatch(line):
            nowhere, cells = checked[search, number, found[1]]
            counted.append(1)
            if not abs(float(found[2]) - nowhere) <= PRINTED + TOLERANCE:
                yield f"trace, round {number}, {found[1]}: P(nowhere) {found[2]}, computed {nowhere!r}"
        elif found := _BEST.fullmatch(line):
            belief = cells.get((int(found[2]), int(found[3])), math.nan)
            counted.append(1)
            if not abs(float(found[1]) - belief) <= PRINTED + TOLERANCE:
                yield f"trace, round {number}: {line.strip()}, computed {belief!r}"


def flip(events: list[Event]) -> str:
    """Make one observation say the opposite; preferred is one with a quote, which weighs most."""
    judgements = [judged for event in events if event["type"] == "observed" for judged in event["judgements"]]
    if not judgements:
        raise WrongInputError("no observation to flip")
    chosen = max(judgements, key=lambda judged: (judged["verdict"] in QUOTING, judged["verdict"] == "full"))
    before = chosen["verdict"]
    chosen["verdict"] = "none" if before in QUOTING else "full"
    if chosen.get("logOdds") is not None:
        chosen["logOdds"] = -chosen["logOdds"]
    return f"region {chosen['region']}, {chosen['requirement']}: {before} became {chosen['verdict']}"


def read(name: str) -> list[Event]:
    text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
    events = [json.loads(line) for line in text.split("\n") if line]
    if not events or any(event.get("schema") != "lens.event/1" for event in events):
        raise WrongInputError(f"{name}: not lines of schema lens.event/1")
    if [event["seq"] for event in events] != list(range(events[0]["seq"], events[0]["seq"] + len(events))):
        raise WrongInputError(f"{name}: event lines are missing or out of order")
    return events


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("events", metavar="FILE", help="the event lines; - is standard input")
    parser.add_argument("--trace", metavar="FILE", help="the text that --explain printed on standard error")
    parser.add_argument("--mutant", action="store_true", help="flip one observation: must then fail")
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    arguments = parse(argv)
    checked: Computed = {}
    counted: list[int] = []
    try:
        events = read(arguments.events)
        if arguments.mutant:
            print(f"flipped: {flip(events)}")
        wrong = list(differences(events, checked))
        if arguments.trace:
            wrong += text_differences(Path(arguments.trace).read_text("utf-8"), checked, counted)
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, WrongInputError) as error:
        print(f"wrong input: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    for line in wrong[:20]:
        print(f"DIFFERENT {line}")
    printed = sum(1 + len(belief["best"]) for event in events for belief in event.get("beliefs", ()))
    text = f", {len(counted)} numbers of the trace" if arguments.trace else ""
    print(f"{printed} beliefs of {len(checked)} rounds and requirements checked{text}, {len(wrong)} differences")
    return 0 if checked and not wrong and (counted or not arguments.trace) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
