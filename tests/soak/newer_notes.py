"""Folders in which a newer note contradicts an answered question: the old answer is never returned without naming it.

Each folder holds notes about made-up things. A question is asked; then another note says otherwise (a new file, an
edit of an uncited one, a buffer, in several wordings), and the question is asked again. The answer must cite the newer
note or name it as newer. The control forgets which documents were seen: it must return old answers.

    python -m tests.soak.newer_notes --folders 1000
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lens_lsp.app.lens import Lens
from lens_lsp.app.question_memory import Memory
from lens_lsp.app.settings import Request
from lens_lsp.corpus.intake import Buffer
from lens_lsp.memory.store import Store
from lens_lsp.model.answer import Answer, StopReason, answer_of
from lens_lsp.model.cluster import Asked
from lens_lsp.model.plan import Plan
from lens_lsp.search.recall import MemoryContext
from tests.soak.harness import Options, Verdict, harness

_THINGS = [
    "harbour",
    "archive",
    "pump station",
    "observatory",
    "mill",
    "library",
    "relay",
    "greenhouse",
    "kiln",
    "ferry",
]
_NAMES = ["Vell", "Orrin", "Tamsk", "Quill", "Brenna", "Isford", "Lowen", "Marrow", "Sedge", "Haldane", "Pell", "Unst"]
_PROPERTIES = [
    ("When was the {thing} of {name} built?", "The {thing} of {name} was built in {value}.", "year"),
    ("Who runs the {thing} of {name}?", "{value} runs the {thing} of {name}.", "person"),
    ("How many rooms does the {thing} of {name} have?", "The {thing} of {name} has {value} rooms.", "number"),
    ("What is the port of the {thing} of {name}?", "The port of the {thing} of {name} is {value}.", "number"),
    ("Where is the {thing} of {name} located?", "The {thing} of {name} is located in {value}.", "place"),
]  # fmt: skip
_AGAIN = [
    "{old}",
    "Correction: {old}",
    "# Update\n\nSince last week this holds: {old}",
    "Meeting notes. We looked at the plans again. {old} The earlier note is wrong.",
    "| topic | note |\n|---|---|\n| {name} | {old} |",
]
_PEOPLE = ["Ines Karr", "Tom Abel", "Rosa Lindt", "Piet Moor", "Ada Finch", "Jon Weir"]
_PLACES = ["Norden", "Skagen", "Arles", "Tavira", "Leith", "Brno"]


class Everything(Mapping[tuple[int, str], str]):
    """Whatever document is asked for was seen as it is: what a store does that keeps no record of it."""

    class _Any(str):
        def __eq__(self, other: object) -> bool:
            return True

        def __ne__(self, other: object) -> bool:
            return False

        __hash__ = str.__hash__

    def __getitem__(self, key: tuple[int, str]) -> str:
        return self._Any()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return iter(())

    def __len__(self) -> int:
        return 0


class BlindMemory(Memory):
    """The control: it verifies citations and takes no notice of newer documents."""

    def recollect(
        self,
        plan: Plan,
        asked: Asked | None,
        oracle: str,
        roots: Sequence[str],
        beside: Iterator[tuple[str, str]] | Sequence[tuple[str, str]] = (),
    ) -> MemoryContext:
        found = super().recollect(plan, asked, oracle, roots, beside)
        return replace(found, facts={id_: replace(fact, seen=Everything()) for id_, fact in found.facts.items()})


def _value(kind: str, rng: random.Random, but: str = "") -> str:
    while True:
        value = {
            "year": str(rng.randint(1700, 2020)),
            "number": str(rng.randint(2, 9999)),
            "person": rng.choice(_PEOPLE),
            "place": rng.choice(_PLACES),
        }[kind]
        if value != but:
            return value


def _ask(lens: Lens, memory: Memory, question: str, buffers: Mapping[str, Buffer]) -> Answer:
    return asyncio.run(answer_of(lens.ask(Request(question, buffers=buffers), memory=memory)))


def one_folder(folder: Path, rng: random.Random, kind: type[Memory]) -> tuple[bool, bool]:
    """Whether the first answer was reused at all when nothing changed, and whether the newer note was passed over."""
    notes = folder / "notes"
    notes.mkdir()
    asking, stating, values = rng.choice(_PROPERTIES)
    thing, name = rng.choice(_THINGS), rng.choice(_NAMES)
    value = _value(values, rng)
    long = rng.choice((1, 1, 40))  # beyond what is read as a whole
    files = {f"{rng.choice(_NAMES).lower()}-{n}.md": _filler(rng, long) for n in range(rng.randint(1, 40))}
    files["fact.md"] = f"# {name}\n\n{_filler(rng)}\n\n{stating.format(thing=thing, name=name, value=value)}\n"
    for path, text in files.items():
        (notes / path).write_text(text, "utf-8")
    question = asking.format(thing=thing, name=name)
    lens, newer = Lens([notes]), rng.choice(["new.md", "new.md", rng.choice(sorted(files.keys() - {"fact.md"}))])
    said = stating.format(thing=thing, name=name, value=_value(values, rng, value))
    text = f"{files.get(newer, '')}\n\n{rng.choice(_AGAIN).format(old=said, name=name)}\n"
    with Store.open(folder / "store") as store:
        memory = kind(store, str(notes))
        _ask(lens, memory, question, {})
        reused = _ask(lens, memory, question, {}).stopped is StopReason.REUSED
        buffers = {}
        if newer in files and rng.random() < 0.5:
            buffers[str(notes / newer)] = Buffer(str(notes / newer), text, 2)
        else:
            (notes / newer).write_text(text, "utf-8")
        again = _ask(lens, memory, question, buffers)
    known = newer in again.newer or any(item.path == newer for item in again.evidence)
    return reused, bool(again.evidence) and not known


def _filler(rng: random.Random, paragraphs: int = 1) -> str:
    thing, name = rng.choice(_THINGS), rng.choice(_NAMES)
    lines = [
        f"The road to the {thing} of {name} is closed in winter.",
        f"Letters from {rng.choice(_PEOPLE)} are kept in {rng.choice(_PLACES)}.",
        "Nothing was decided.",
        f"Salt and wool were traded in {rng.choice(_PLACES)}.",
    ]
    return "\n\n".join(" ".join(rng.choices(lines, k=rng.randint(1, 12))) for _ in range(paragraphs))


def run(folders: int, seed: int, kind: type[Memory] = Memory) -> dict[str, object]:
    rng = random.Random(seed)
    reused = passed_over = 0
    for _ in range(folders):
        with tempfile.TemporaryDirectory() as folder:
            one, bad = one_folder(Path(folder), rng, kind)
        reused, passed_over = reused + one, passed_over + bad
    return {"figure": "newer notes passed over", "n": folders, "bad": passed_over, "reused": reused, "seed": seed}


@harness(folders=1000, seed=1)
def main(options: Options) -> Verdict:
    control = run(max(20, options.folders // 20), options.seed, BlindMemory)
    return {**run(options.folders, options.seed), "control": control}, control["bad"]


if __name__ == "__main__":
    sys.exit(main())
