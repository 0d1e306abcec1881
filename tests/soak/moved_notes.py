"""Notes with 54 citations, and sources, moved, renamed, copied, cloned, formatted and edited; a judge of their texts.

``python -m tests.soak.moved_notes --n 2000`` does so many random edits, four to a workspace, looks at every citation
afterwards, and prints one JSON line. It exits with 1 if a citation stands where its quote does not, if fewer than 99 of
100 whose quote stands at one place are verified or moved, if fewer than 99 of 100 whose quote is nowhere are reported,
or if notes with the blocks of earlier versions pass in the same harness.

The judge knows the quotes and reads the texts; how they are filled does not count for it, nor the marks of a quotation.
The formatters are those that people run: ``prettier``, ``mdformat``, ``flowmark``, ``pandoc`` and ``vim``, as far as
they are found on the path, four at least.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from lens_lsp.memory.answer_files import NotePlace, Saved, write_short
from lens_lsp.memory.check import Report, check
from lens_lsp.memory.citation_records import FOLDER, add_records
from lens_lsp.memory.notes import MARKDOWN
from lens_lsp.model.cluster import CitationState
from tests.memory.old_blocks import old_block
from tests.memory.test_checking import answered, found_in, recorded
from tests.soak.harness import LeftOut, Options, Verdict, harness

NOTES, ASKED, CITED = 3, 6, 3
"""Notes, answers in each and citations in each of these: 54 in all."""
EDITS = 4
LEAST = 0.99
STANDING = (CitationState.VERIFIED, CitationState.MOVED)
_NAMES = ("Barobran", "Keletsu", "Monimor", "Tirubel", "Vosaling", "Quenobran", "Haretsu", "Dolimor", "Fenubel")
_THINGS = ("lantern", "quay", "orchard", "archive", "kiln", "weir", "granary", "observatory", "ferry")
_SECONDS = 60
_FORMATTERS: dict[str, tuple[list[str], bool]] = {
    "prettier": (["prettier", "--parser", "markdown", "--prose-wrap", "always"], True),
    "mdformat": (["mdformat", "--wrap", "72"], False),
    "flowmark": (["flowmark", "--inplace", "--nobackup"], False),
    "pandoc": (["pandoc", "-f", "markdown-smart", "-t", "markdown-smart"], True),
    "vim": (["vim", "-u", "NONE", "-es", "-c", "set nocp tw=60", "-c", "normal! ggVGgq", "-c", "wq"], False),
}
"""Whether each writes to standard output, or over the file that it is given."""


@dataclass
class World:
    """A workspace on disk."""

    root: Path
    draw: random.Random
    notes: list[Path]
    sources: list[Path]
    quotes: list[str]
    done: list[str] = field(default_factory=list)
    recorded: bool = True


@dataclass
class Tally:
    """What came of the citations."""

    looked: int = 0
    wrong: list[str] = field(default_factory=list)
    stands: int = 0
    kept: int = 0
    gone: int = 0
    reported: int = 0
    unknowable: int = 0
    """Their quotes stand more than once, or nothing but the beginning of one is left."""
    lost: Counter[str] = field(default_factory=Counter)
    edits: Counter[str] = field(default_factory=Counter)

    def passes(self) -> bool:
        return not self.wrong and self.kept >= LEAST * self.stands and self.reported >= LEAST * self.gone


def plain(text: str) -> str:
    """A text with one blank between two words, and without the marks of quotations."""
    return " ".join(re.sub(r"(?m)^[ \t]*(?:>[ \t]*)+(?=\s|$|\S)", "", text).split())


def shown(text: str) -> str:
    """The same without what formatters escape."""
    return re.sub(r"[\\`]", "", plain(text))


def made(root: Path, draw: random.Random, *, old: bool) -> World:
    """A workspace with its sources, and notes that cite them; with blocks of earlier versions if ``old``."""
    root.mkdir()
    (root / ".lens.toml").touch()
    quotes, sources, places = [], [], []
    for number, thing in enumerate(_THINGS):
        path = root / f"part{number % 3}" / f"{thing}.md"
        path.parent.mkdir(exist_ok=True)
        told = []
        for name in _NAMES[:6]:
            mark = draw.choice(["", "*late* ", "(again) ", "`v2` ", "5 % "])
            told.append(
                f"The {thing} of {name} was {mark}mended in {draw.randrange(1000, 2000)} by {draw.randrange(9)} men."
            )
        quotes += told
        places += [(path, quote) for quote in told]
        filler = f"Nobody knows much about any {thing}, though many people have asked about it over all these years."
        body = [f"{filler} {told[0]} {told[1]}", f"> {told[2]} {filler}", f"- {told[3]}\n- {told[4]}", told[5]]
        path.write_text(f"# The {thing}\n\n" + "\n\n".join(body) + "\n")
        sources.append(path)
    draw.shuffle(places)
    notes = []
    for number in range(NOTES):
        note = root / "notes" / f"note{number}.md"
        note.parent.mkdir(exist_ok=True)
        parts = [f"# Note {number}"]
        for block in range(ASKED):
            some = [places.pop() for _ in range(CITED)]
            items = [found_in(root, str(path.relative_to(root)), quote, n) for n, (path, quote) in enumerate(some, 1)]
            given = replace(answered(root, *items), question=f"What was mended, {number} {block}?")
            saved = Saved(given, recorded(given), datetime(2026, 3, 1, tzinfo=UTC), str(note.parent), private=True)
            if old:
                parts.append(f"?? {given.question}\n\n{old_block(saved, f'q{number}{block}')}")
            else:
                short = write_short(saved, NotePlace(MARKDOWN, f"q{number}{block}", str(note.parent), str(root)))
                parts.append(f"?? {given.question}\n\n{short.text}")
                add_records(str(root), short.records)
            parts.append(
                f"Words of my own about {number} and {block}, which are long enough to be wrapped by somebody.\n"
            )
        note.write_text("\n\n".join(parts))
        notes.append(note)
    return World(root, draw, notes, sources, quotes)


_FORMATTED: dict[tuple[str, str], str] = {}


def formatted(name: str, text: str) -> str:
    """A text as a formatter leaves it; what it was given before is remembered."""
    if (name, text) not in _FORMATTED:
        command, prints = _FORMATTERS[name]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "text.md"
            path.write_bytes(text.encode())
            given = subprocess.run(
                [*command, str(path)], capture_output=True, timeout=_SECONDS, check=True, stdin=subprocess.DEVNULL
            )
            _FORMATTED[name, text] = (given.stdout if prints else path.read_bytes()).decode()
    return _FORMATTED[name, text]


def _move(world: World, paths: list[Path], name: Callable[[Path], Path]) -> None:
    at = world.draw.randrange(len(paths))
    new = name(paths[at])
    new.parent.mkdir(parents=True, exist_ok=True)
    paths[at] = paths[at].rename(new)


def move_note(world: World) -> None:
    _move(world, world.notes, lambda path: world.root / f"deep{world.draw.randrange(9)}" / "er" / path.name)


def rename_note(world: World) -> None:
    _move(world, world.notes, lambda path: path.with_name(f"x{world.draw.randrange(99)}-{path.name}"))


def move_source(world: World) -> None:
    _move(world, world.sources, lambda path: world.root / f"other{world.draw.randrange(9)}" / path.name)


def rename_source(world: World) -> None:
    _move(world, world.sources, lambda path: path.with_name(f"y{world.draw.randrange(99)}-{path.name}"))


def copy_note(world: World) -> None:
    path = world.draw.choice(world.notes)
    new = world.root / f"copies{world.draw.randrange(999)}" / path.name
    new.parent.mkdir(exist_ok=True)
    if not new.exists():
        shutil.copy(path, new)
        world.notes.append(new)


def line_ends(world: World) -> None:
    path = world.draw.choice([*world.notes, *world.sources])
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


def clone(world: World) -> None:
    new = world.root.with_name(f"clone{world.draw.randrange(10**9)}")
    shutil.copytree(world.root, new)
    world.notes = [new / path.relative_to(world.root) for path in world.notes]
    world.sources = [new / path.relative_to(world.root) for path in world.sources]
    shutil.rmtree(world.root)
    world.root = new


def lose_records(world: World) -> None:
    shutil.rmtree(world.root / FOLDER, ignore_errors=True)
    world.recorded = False


def _change(world: World, change: Callable[[str, str], str]) -> None:
    """Edit a quote in its source, where a source has it as it was."""
    for _ in range(20):
        path, quote = world.draw.choice(world.sources), world.draw.choice(world.quotes)
        text = path.read_bytes().decode()
        if quote in text:
            path.write_bytes(change(text, quote).encode())
            return


def change_inside(world: World) -> None:
    def change(text: str, quote: str) -> str:
        at = world.draw.randrange(4, len(quote) - 1)
        while quote[at].isspace():
            at += 1
        return text.replace(quote, f"{quote[:at]}{world.draw.choice('xyz7')}{quote[at + 1 :]}")

    _change(world, change)


def join_words(world: World) -> None:
    def change(text: str, quote: str) -> str:
        first, *rest = quote.split(" ")
        at = world.draw.randrange(len(rest))
        return text.replace(quote, " ".join([first, *rest[:at]]) + " ".join(rest[at:]))

    _change(world, change)


def delete(world: World) -> None:
    _change(world, lambda text, quote: text.replace(quote, ""))


def repeat(world: World) -> None:
    _change(world, lambda text, quote: f"{text}\n\n{quote}\n")


def add_above(world: World) -> None:
    _change(world, lambda text, quote: f"Added above, number {world.draw.randrange(999)}.\n\n{text}")


EDIT_KINDS: tuple[Callable[[World], None], ...] = (
    *(move_note, rename_note, move_source, rename_source, copy_note, line_ends, clone, lose_records),
    *(change_inside, join_words, delete, repeat, add_above),
)


def edit(world: World, formatters: list[str]) -> None:
    """One random edit."""
    if world.draw.random() < 0.4:
        name = world.draw.choice(formatters)
        path = world.draw.choice([*world.notes, *world.sources])
        text = path.read_bytes().decode()
        path.write_bytes(formatted(name, text.replace("\r\n", "\n")).encode())
        world.done.append(f"{name} {'note' if path in world.notes else 'source'}")
        return
    kind = world.draw.choice(EDIT_KINDS)
    kind(world)
    world.done.append(kind.__name__.replace("_", " "))


def look(world: World, tally: Tally) -> None:
    """Check all notes, and judge what is said of each of their citations."""
    report = Report()
    check([world.root], report)
    texts = {path: path.read_bytes().decode() for path in world.sources}
    whole = {path: plain(text) for path, text in texts.items()}
    known = {shown(quote): quote for quote in world.quotes}
    seen: dict[Path, set[str]] = {path: set() for path in world.notes}
    for found in report.findings:
        words = shown(found.cited.citation.quote).removesuffix("…")
        quote = next((given for each, given in known.items() if each.startswith(words)), None)
        if quote is None:
            continue
        seen[Path(found.cited.where)].add(quote)
        _judge(world, tally, found, quote, texts, whole)
    for path in world.notes:
        text = shown(path.read_bytes().decode())
        for words, quote in known.items():
            if words in text and quote not in seen[path]:
                tally.looked += 1
                _count(tally, world, sum(each.count(plain(quote)) for each in whole.values()), state=None)


def _judge(world, tally, found, quote, texts, whole) -> None:  # type: ignore[no-untyped-def]
    tally.looked += 1
    checked = found.checked
    if checked.state in STANDING:
        root = Path(found.cited.base) / checked.citation.root
        place = Path(os.path.normpath(root / (checked.path or checked.citation.path)))
        stands = texts.get(place, "")[checked.span.start : checked.span.end] if checked.span else ""
        shortened = not world.recorded and checked.state is CitationState.MOVED
        if plain(stands) != plain(quote) and not (shortened and stands and plain(quote).startswith(plain(stands))):
            tally.wrong.append(f"{' + '.join(world.done)}: {quote!r} is said to stand as {stands!r} in {place.name}")
    if not world.recorded and found.cited.reference and found.cited.reference.quote.endswith("…"):
        tally.unknowable += 1
        return
    _count(tally, world, sum(each.count(plain(quote)) for each in whole.values()), checked.state)


def _count(tally: Tally, world: World, places: int, state: CitationState | None) -> None:
    if places > 1:
        tally.unknowable += 1
    elif places:
        tally.stands += 1
        tally.kept += state in STANDING
        if state not in STANDING:
            tally.lost[" + ".join(world.done)] += 1
    else:
        tally.gone += 1
        tally.reported += state not in STANDING and state is not None


def run(n: int, seed: int, base: Path, formatters: list[str], *, old: bool = False) -> Tally:
    """``n`` random edits."""
    tally = Tally()
    for number in range(-(-n // EDITS)):
        draw = random.Random(f"{seed} {number}")
        with tempfile.TemporaryDirectory(dir=base) as folder:
            world = made(Path(folder) / "w", draw, old=old)
            for _ in range(EDITS):
                edit(world, formatters)
            tally.edits.update(world.done)
            look(world, tally)
    return tally


@harness(n=2_000, seed=1)
def main(options: Options) -> Verdict:
    formatters = [name for name, (command, _) in _FORMATTERS.items() if shutil.which(command[0])]
    if len(formatters) < 4:
        raise LeftOut(f"four formatters of Markdown are needed on the path, here are {', '.join(formatters) or 'none'}")
    tally = run(options.n, options.seed, options.place, formatters)
    control = run(max(80, options.n // 20), options.seed, options.place, formatters, old=True)
    figures = {
        "n": sum(tally.edits.values()),
        "citations": tally.looked,
        "stands": tally.stands,
        "kept": tally.kept,
        "changed": tally.gone,
        "reported": tally.reported,
        "unknowable": tally.unknowable,
        "formatters": formatters,
        "edits": dict(sorted(tally.edits.items())),
        "lost": dict(tally.lost.most_common(5)),
        "wrong": tally.wrong,
        "shareKept": round(tally.kept / max(1, tally.stands), 5),
        "shareReported": round(tally.reported / max(1, tally.gone), 5),
        "controlBad": control.stands - control.kept,
        "controlOf": control.stands,
    }
    return figures, tally.passes() and not control.passes()


if __name__ == "__main__":
    sys.exit(main())
