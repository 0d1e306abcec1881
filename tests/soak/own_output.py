"""What lens wrote is never evidence, whatever became of it; what its user wrote beside it is.

Each round trip takes a text that one of our writers gave (the commands themselves, answer files, blocks), does to it
and to the note around it what people and tools do (quote, indent, fence, fill anew, format, CRLF, front matter, another
name, a notebook), and puts it where its source is not. Then the question is asked and searched for again: no word of a
quote may come from ours, and both sentences that the user wrote around it must be found. The control takes the stamps
off, as earlier builds wrote: it must be cited.

    python -m tests.soak.own_output --n 300 --seed 1
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import sys
import tempfile
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.cli import main as lens_main
from lens_lsp.memory.answer_files import NotePlace, as_short
from lens_lsp.memory.notes import MARKDOWN
from lens_lsp.model.answer import Answer, answer_of
from lens_lsp.model.documents import Evidence
from tests.soak.harness import Options, Verdict, harness

_SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "xe", "ya", "zu")
_STAMP = re.compile(r'[ \t>]*(?:%% )?<!-- lens:(?:begin \w+ \{"lens":"output/1"\}|end w\w+) -->\n?')
_FRONT = re.compile(r"^---\n[\s\S]*?\n---\n+")
_WORD = re.compile(r"\w+")
BEFORE = "The keeper of the tower is called Marabel Ostrin."
BEHIND = "Every autumn the gardener Tobias Fennwick prunes the quince hedge."
"""What the user wrote, with a question for each."""
MINE = ((BEFORE, "Who is the keeper of the tower?"), (BEHIND, "Who prunes the quince hedge?"))


@dataclass(frozen=True, slots=True)
class Output:
    """A text of a writer, the question it answers, and the file it would be."""

    writer: str
    text: str
    question: str
    suffix: str = ".md"


def _name(rng: random.Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(3)).capitalize()


def _said(path: Path, *arguments: str) -> str:
    """What a command writes into a file."""
    with path.open("w+", encoding="utf-8") as file:
        with contextlib.redirect_stdout(file), contextlib.redirect_stderr(sys.stderr):
            lens_main([*arguments])
        file.seek(0)
        return file.read()


def outputs(rng: random.Random, facts: int, place: Path) -> Iterator[Output]:
    """What every writer makes of some questions, each about a fact of its own."""
    for number in range(facts):
        person, word = _name(rng), _name(rng).lower()
        folder, store, told = (place / f"{kind}-{number}" for kind in ("notes", "store", "out"))
        folder.mkdir()
        question = f"What is the port of the {word} of {person}?"
        fact = f"The port of the {word} of {person} is {rng.randint(1_000, 9_999)}."
        (folder / "port.md").write_text(f"# Ports\n\n{fact} It is new.\n", "utf-8")
        ask = ("ask", question, str(folder), "--store", str(store), "--quiet")
        find = ("find", question, str(folder), "--quiet")
        known = ("--path", str(folder), "--store", str(store))
        shapes: dict[str, tuple[tuple[str, ...], str]] = {
            "ask text": (ask, ".txt"),
            "ask markdown": ((*ask, "--format", "markdown"), ".md"),
            "ask json": ((*ask, "--json"), ".json"),
            "ask events": ((*ask, "--events"), ".jsonl"),
            "find text": (find, ".txt"),
            "find markdown": ((*find, "--format", "markdown"), ".md"),
            "find json": ((*find, "--json"), ".json"),
            "clusters list": (("clusters", "list", "--json", *known), ".json"),
            "clusters verify": (("clusters", "verify", "--json", *known), ".json"),
        }
        for writer, (arguments, suffix) in shapes.items():
            yield Output(writer, _said(place / "said", *arguments), question, suffix)
        _said(place / "said", "clusters", "export", str(told), *known)
        for path in sorted(told.iterdir()):
            yield Output(f"clusters export {path.suffix}", path.read_text("utf-8"), question, path.suffix)
        (answer,) = store.rglob("answers/*.md")
        text = answer.read_text("utf-8")
        yield Output("answer file", text, question)
        yield Output("copied answer", _FRONT.sub("", text), question)  # what the extension puts on the clipboard
        block = as_short(text, str(answer), NotePlace(MARKDOWN, "q1x", None, None))
        assert block is not None
        yield Output("block", block.text, question)


def without_stamp(output: Output) -> Output:
    """The text as builds before the stamp wrote it: without marks, its schema under a name that no reader knew."""
    text = _STAMP.sub("", output.text).replace('"schema"', '"shape"')
    return Output(output.writer, text, output.question, output.suffix)


def _each_line(mark: str, further: str | None = None) -> Callable[[str, random.Random], str]:
    def change(text: str, _: random.Random) -> str:
        first, *others = text.rstrip("\n").split("\n")
        behind = mark if further is None else further
        return "\n".join([mark + first, *(behind + line if line or behind.strip() else "" for line in others)]) + "\n"

    return change


def _fenced(text: str, _: random.Random) -> str:
    return f"````text\n{text.rstrip()}\n````\n"


def _filled(text: str, rng: random.Random) -> str:
    """Paragraphs filled anew, as `fmt` and editors do, with the quote marks they share."""
    width = rng.randint(50, 110)
    done = []
    for paragraph in re.split(r"\n(?:[ \t>]*\n)+", text.strip("\n")):
        lines = paragraph.split("\n")
        if lines[0].lstrip(" >").startswith(("```", "~~~")):
            done.append(paragraph)
            continue
        mark = min((re.match(r"[ >]*", line) or [""])[0] for line in lines)
        words = " ".join(line[len(mark) :].strip() for line in lines)
        done.append(
            textwrap.fill(
                words,
                width,
                initial_indent=mark,
                subsequent_indent=mark,
                break_long_words=False,
                break_on_hyphens=False,
            )
        )
    return "\n\n".join(done) + "\n"


def _formatted(text: str, _: random.Random) -> str:
    """What formatters of Markdown change: emphasis, bullets, blank lines, spaces at line ends."""
    text = re.sub(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])", r"_\1_", text)
    text = re.sub(r"(?m)^(\s*)- ", r"\1* ", text)
    text = re.sub(r"(?m)^(#+ .*|<!--.*-->)$", r"\n\1\n", text)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"(?m)[ \t]+$", "", text)).strip("\n") + "\n"


def _spaced(text: str, rng: random.Random) -> str:
    return "".join(line + rng.choice(("", " ", "  ", "\t")) + "\n" for line in text.split("\n"))


def _squeezed(text: str, _: random.Random) -> str:
    return re.sub(r"\n\n+", "\n\n", text)


def _sorted(text: str, rng: random.Random) -> str:
    """JSON laid out by another program; other texts as they are."""
    try:
        values = [
            json.loads(line) for line in ([text] if not text.startswith('{"schema": "lens.ev') else text.splitlines())
        ]
    except ValueError:
        return text
    indent = rng.choice((None, 1, 2, 4))
    return "\n".join(json.dumps(value, indent=indent, sort_keys=True, ensure_ascii=False) for value in values) + "\n"


Change = Callable[[str, random.Random], str]
OF_OURS: Mapping[str, Change] = {
    "as it is": lambda text, _: text,
    "quoted": _each_line("> "),
    "quoted twice": _each_line("> > "),
    "indented": _each_line("    "),
    "indented by a tab": _each_line("\t"),
    "in a list": _each_line("- ", "  "),
    "in a fence": _fenced,
    "filled": _filled,
    "formatted": _formatted,
    "sorted": _sorted,
}
"""What is done to our text before it is put into a note."""
OF_NOTE: Mapping[str, Change] = {
    "as it is": lambda text, _: text,
    "filled": _filled,
    "formatted": _formatted,
    "spaces at line ends": _spaced,
    "blank lines squeezed": _squeezed,
    "CRLF": lambda text, _: text.replace("\n", "\r\n"),
    "front matter": lambda text, _: f"---\ntitle: Mine\ntags: [a, b]\n---\n\n{text}",
    "no last line end": lambda text, _: text.rstrip("\n"),
}
"""What is done to the note then."""
NAMES = (".md", ".txt", ".markdown", ".rst", ".org", ".adoc", "", ".html", ".ipynb")
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16")


@dataclass(frozen=True, slots=True)
class Trip:
    """What was done to an output, and the folder's only file."""

    output: Output
    done: tuple[str, ...]
    name: str
    text: str
    encoding: str
    mine: tuple[tuple[str, str], ...]

    @property
    def told(self) -> str:
        return " · ".join((self.output.writer, *self.done, self.name, self.encoding))

    def write(self, folder: Path) -> None:
        path = folder / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = self.text
        if path.suffix == ".ipynb":
            cell = {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}
            text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        path.write_bytes(text.encode(self.encoding if path.suffix != ".ipynb" else "utf-8"))


def trip(output: Output, rng: random.Random) -> Trip:
    """An output on its own under another name, or within a note."""
    if rng.random() < 0.2:
        changes = [name for name in ("spaces at line ends", "CRLF", "formatted") if rng.random() < 0.3]
        text = output.text
        if output.suffix not in (".json", ".jsonl"):
            for name in changes:
                text = OF_NOTE[name](text, rng)
        else:
            changes, text = ["sorted"], _sorted(text, rng)
        return Trip(output, ("alone", *changes), f"moved/{_name(rng)}{output.suffix}", text, "utf-8", ())
    ours, *others = (rng.choice(sorted(OF_OURS)), *rng.sample(sorted(OF_NOTE), rng.choice((1, 1, 2))))
    body = OF_OURS[ours](output.text.rstrip("\n") + "\n", rng).strip("\n")
    apart = rng.choice(("\n\n", "\n\n", "\n")) if ours != "in a fence" else "\n\n"
    text = f"# Journal\n\n{BEFORE}{apart}{body}{rng.choice((apart, chr(10) * 2))}{BEHIND}\n"
    for name in others:
        text = OF_NOTE[name](text, rng)
    suffix = rng.choice(NAMES)
    encoding = "utf-8" if suffix == ".ipynb" else rng.choice(ENCODINGS)
    glued = ("glued",) if apart == "\n" else ()
    return Trip(output, (ours, *glued, *others), f"{_name(rng)}{suffix}", text, encoding, MINE)


def _foreign(items: Sequence[Evidence], said: str) -> list[str]:
    """What in evidence and answer is no word of the user's."""
    mine = set(_WORD.findall(f"{BEFORE} {BEHIND} Journal Mine title tags a b".casefold()))
    texts = [part for item in items for part in (item.quote, *(c.text for c in getattr(item, "context", ())))]
    found = [word for text in texts for word in _WORD.findall(text.casefold()) if word not in mine]
    return found + ([said] if said else [])


def cited(trip: Trip, folder: Path) -> list[str]:
    """What of ours is evidence, of a question and of a search; and what of the user's words is none."""
    lens = Lens([folder])
    wrong = _foreign(lens.find(Request(trip.output.question)).evidence, "")
    answer: Answer = asyncio.run(answer_of(lens.ask(Request(trip.output.question))))
    short = answer.short or ""
    known = trip.output.text
    wrong += _foreign(answer.evidence, short if short and short in known else "")
    for sentence, question in trip.mine:
        words = _WORD.findall(sentence)
        quotes = [_WORD.findall(item.quote) for item in lens.find(Request(question)).evidence]
        if not any(_holds(quote, words) for quote in quotes):
            wrong.append(f"lost: {sentence}")
    return wrong


def _holds(quote: Sequence[str], words: Sequence[str]) -> bool:
    return any(list(quote[at : at + len(words)]) == list(words) for at in range(len(quote) - len(words) + 1))


def run(n: int, seed: int, *, facts: int = 3, control: int = 0) -> dict[str, Any]:
    """The harness: ``n`` round trips, and ``control`` of them again with the stamps taken off."""
    rng = random.Random(seed)
    wrong, caught, writers, changes = [], 0, Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as base:
        place = Path(base) / "made"
        place.mkdir()
        made = list(outputs(rng, facts, place))
        kinds = sorted({output.writer for output in made})
        for number in range(n):
            output = rng.choice([one for one in made if one.writer == kinds[number % len(kinds)]])
            state = rng.getstate()
            one = trip(output, rng)
            folder = Path(base) / f"trip-{number}"
            one.write(folder)
            writers[output.writer] += 1
            changes.update(one.done)
            found = cited(one, folder)
            if found:
                wrong.append(f"{number}: {one.told}: {found[:6]}")
            if number < control:
                after = rng.getstate()
                rng.setstate(state)
                bare = trip(without_stamp(output), rng)
                rng.setstate(after)
                bare.write(Path(base) / f"control-{number}")
                caught += any(not each.startswith("lost") for each in cited(bare, Path(base) / f"control-{number}"))
    return {
        "figure": "own-output",
        "n": n,
        "bad": len(wrong),
        "wrong": wrong[:20],
        "controlN": min(n, control),
        "controlBad": caught,
        "writers": dict(sorted(writers.items())),
        "changes": dict(sorted(changes.items())),
    }


@harness(n=300, facts=3, control=60, seed=1)
def main(options: Options) -> Verdict:
    report = run(options.n, options.seed, facts=options.facts, control=options.control)
    return report, report["controlBad"]


if __name__ == "__main__":
    sys.exit(main())
