"""Where text from outside meets a matcher of ours, and how much processor time a place may take for one text."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lens_lsp.app.lens import Lens
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import discover
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.judge.llm.replies import Sifter
from lens_lsp.judge.redaction import redacted, redacted_whole, veils
from lens_lsp.memory.answer_parser import read_citing
from lens_lsp.model.errors import LensError
from lens_lsp.model.sanitize import markdown_without_links, printable, sanitize_markdown
from lens_lsp.search.resolution import resolve
from tests.memory.old_blocks import old_answer, old_block
from tests.memory.test_answer_files import hostile, saved
from tests.soak.altered_quotes import view
from tests.soak.evil_texts import Pattern
from tests.soak.fuzz_targets import replies_read

LEAST_SECONDS, SECONDS_EACH = 0.25, 1e-4
"""What any text may take, and what each of its code points may take beyond that."""
FLOOR, SLACK = 0.05, 2.0
"""Seconds that are noise, and by how much a longer text may take more than its length says."""
ATTEMPTS = 3
"""A text is too slow when one of its length is at each of so many attempts."""
RUNS = ("a", "a ", "ab", "(a+)+", "*", "[", "1,", "e\u0301", "the ", "A or ", "-", "a\n")
NAMES = ("a" * 200 + ".md", "ab" * 100 + ".txt", "/".join(["a" * 20] * 30) + "/a.md", "b/a/b/a.md")
SUFFIXES = ("md", "txt", "html", "rst", "tex", "org", "adoc", "csv", "py", "yaml")

Call = Callable[[str], object]


@dataclass(frozen=True)
class Place:
    """What is done with a text, and two lengths of it in code points."""

    name: str
    lengths: tuple[int, int]
    call: Call


def slow(place: Place, pattern: Pattern) -> tuple[float, str]:
    """The processor seconds that the longer text took, and what was too slow; nothing of that is empty."""
    worst, why = 0.0, ""
    for attempt in range(ATTEMPTS):  # each time another length: what is kept of the last one is of no use
        short, long = (length + attempt for length in place.lengths)
        first, last = spent(place.call, pattern.of(short)), spent(place.call, pattern.of(long))
        worst = max(worst, last)
        if last > LEAST_SECONDS + SECONDS_EACH * long:
            why = f"{last:.2f} s for {long}"
        elif last > FLOOR + SLACK * long / short * first:
            why = f"{first:.3f} s for {short}, {last:.3f} s for {long}"
        else:
            return last, ""
    return worst, why


def spent(call: Call, text: str) -> float:
    """The processor seconds of one call; what we refuse with a sentence is done with."""
    started = time.process_time()
    with suppress(LensError):
        call(text)
    return time.process_time() - started


def folder_of_runs(folder: Path) -> Path:
    """Notes that are long runs of the same, under names that are such runs."""
    folder.mkdir(parents=True)
    for number, run in enumerate(RUNS):
        (folder / f"run-{number}.md").write_text(f"# Run {number}\n\n{run * (8_000 // len(run))}!\n", encoding="utf-8")
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("Nothing of the kind.\n", encoding="utf-8")
    return folder


def places(base: Path) -> Sequence[Place]:
    """All places; ``base`` is an empty folder."""
    folder = folder_of_runs(base / "notes")
    lens = Lens([folder])

    async def ask(text: str) -> None:
        async for _ in lens.ask(text):
            pass

    return (
        Place("find", (2_000, 8_000), lens.find),
        Place("ask", (1_500, 6_000), lambda text: asyncio.run(ask(text))),
        Place("a model's quote", (2_000, 8_000), _quoted),
        Place("a model's reply", (2_000, 8_000), _replied),
        Place("what a model is sent and what it writes", (2_000, 8_000), _passed_on),
        Place("a line of an ignore file", (250, 1_000), Ignoring(base / "ignoring")),
        Place("globs of a scope", (250, 1_000), Scoped(folder)),
        Place("a note", (2_000, 8_000), Noted(base / "noted")),
        Place("an answer file", (2_000, 8_000), _cited),
    )


def _quoted(text: str) -> None:
    resolve(text, view("Some text is here to be quoted. " + "a" * 4_000 + "!", "a.txt"))
    resolve(text[:-1] + "x", view(text, "a.txt"))
    resolve(text[1:], view(text, "a.md"))


def _replied(text: str) -> None:
    found = [{"region": 1, "fact": "f1", "verdict": "full", "quote": text, "value": text}]
    replies_read(json.dumps({"found": found, "terms": {"f1": [text]}, "anchors": [text], "short": text}))
    replies_read(text)
    replies_read(f"```json\n{text}")


def _passed_on(text: str) -> None:
    redacted(text)
    redacted_whole(text, "settings.yaml")
    veils(text)
    sanitize_markdown(printable(text))
    markdown_without_links(printable(text), str)
    sifter = Sifter((1,))
    sifter.feed(text[: len(text) // 2])
    sifter.feed(text[len(text) // 2 :])
    sifter.finish()


def _cited(text: str) -> None:
    for whole in (old_answer(saved(hostile(text))), old_block(saved(hostile(text)), "q1")):
        read_citing(whole)
        read_citing(whole.replace("[^1]: ", f"[^1]: {text} ").replace("[^q1-1]: ", f"[^q1-1]: {text} "))
    read_citing(f"---\nlens: answer/1\nsources:\n  - {text}\n---\n\n[^1]: {text}\n{text}[^1]\n")


class Ignoring:
    """A folder whose ignore files are the text, as one line and with its own lines."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder_of_runs(folder)

    def __call__(self, text: str) -> None:
        (self._folder / ".gitignore").write_text(text.replace("\n", " "), encoding="utf-8")
        (self._folder / ".lensignore").write_text(text, encoding="utf-8")
        with Root(os.fspath(self._folder)) as root:
            discover(root, CorpusRules(), names_only=True)


class Scoped:
    """A folder of which the text says what is searched, and what is not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, text: str) -> None:
        for rules in (CorpusRules(scopes=(text,)), CorpusRules(exclude=(text, f"/{text}/**/{text}"))):
            with Root(os.fspath(self._folder)) as root:
                discover(root, rules, names_only=True)


class Noted:
    """A note of which the text is heading, item, link, table, comment and question; its format is another each time."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._calls = 0

    def __call__(self, text: str) -> None:
        name = f"note.{SUFFIXES[self._calls // 2 % len(SUFFIXES)]}"  # the two lengths of one text alike
        self._calls += 1
        note = (
            f"---\ntitle: {text}\n---\n# {text}\n\n- {text}\n\n[{text}]({text}) ![a]({text})\n\n"
            f"|{text}|\n|-|\n|{text}|\n\n<!-- {text} -->\n?? {text}\n\n{text}"
        )
        (self._folder / name).write_text(note, encoding="utf-8")
        with Root(os.fspath(self._folder)) as root:
            Snapshot([root], {}, CorpusRules()).document(0, name)
