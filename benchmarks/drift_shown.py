"""How soon an editor shows that a source says no longer what a note cites: by its screen, with default settings.

    python -m benchmarks.drift_shown [--editors neovim,helix,vscode] [--n 54] [--out FILE]

A note with ``--n`` citations is open. Its sources are changed by another process one at a time, all at once, and in
another buffer of the editor; the clock runs from the change until the screen marks the line of the citation. As a
control the server is stopped by a signal while sources are changed: none of them may count as shown within the limit.
Prints a JSON line for each editor and kind of change, and ends with 1 where fewer than 99 % were shown within 2
seconds or the control was not late.

Helix and Neovim are those that ``LENS_HX`` and ``LENS_NVIM11`` name, or on the path, and run in tmux, set up by the
blocks of their pages. Visual Studio Code is the packaged extension in its workbench (``npm run package`` and
``npm run e2e:setup`` in ``vscode-extension``).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from benchmarks.measuring import REPOSITORY
from lens_lsp.memory.citation_records import add_records, short_id
from lens_lsp.memory.notes import MARKDOWN, note
from lens_lsp.model.cluster import Citation
from tests.lsp.editors import page_block, surroundings
from tests.lsp.lsp_client import wait_until
from tests.lsp.screens import Screen
from tests.soak.citation_costs import cited

WITHIN = 2.0
"""Seconds."""
SHARE = 0.99
PATIENCE = 60.0
"""Seconds after which a change counts as never shown."""
STOPPED = 3.0
"""Seconds for which the control's server is stopped: longer than the limit."""
CONTROLS = 6
_SIZE = 200, 150
"""Columns and rows of a terminal that shows the whole note."""
_FIRST = 3
"""The line of the note with the first citation, from 1."""


class Window(Protocol):
    """An editor that shows the note."""

    home: Path
    """The home of the editor and of the server that it starts."""

    def marked(self) -> set[int]:
        """The lines of the note that are marked on the screen, from 1."""

    def change(self, name: str) -> None:
        """Change a file in another buffer, and save nothing."""

    def back(self) -> None:
        """Throw that buffer away."""


def made(folder: Path, n: int) -> list[Path]:
    """A note that cites so many sources, one on each line; the sources."""
    (folder / "sources").mkdir(parents=True)
    (folder / ".git").mkdir()
    sources, marks, notes = [], [], []
    records: dict[str, tuple[Citation, ...]] = {}
    for number in range(n):
        quote = f"Lamp {number} of the harbour was lit in the year {1800 + number}."
        text = f"# Lamp {number}\n\n{quote}\n"
        name = f"sources/lamp-{number}.md"
        sources.append(folder / name)
        sources[-1].write_text(text)
        at = text.index(quote)
        label = short_id(name, quote, at, records)
        records[label] = (cited(1, name, text, quote)[1],)
        marks.append(f"Lamp {number} has a date. [^{label}]")
        notes.append(note(MARKDOWN, label, name, 3, f"{name}#L3", quote))
    add_records(str(folder), {label: each for label, (each,) in records.items()})
    (folder / "note.md").write_text("\n".join(["# Lamps", "", *marks, "", *notes, ""]))
    return sources


class Terminal:
    """Neovim or Helix in a terminal."""

    def __init__(self, screen: Screen, home: Path, sign: str, opening: str, editing: str, closing: str) -> None:
        self.home = home
        self._screen = screen
        self._sign = re.compile(sign, re.MULTILINE)
        self._opening, self._editing, self._closing = opening, editing, closing

    def marked(self) -> set[int]:
        return {int(number) for number in self._sign.findall(self._screen.text())}

    def change(self, name: str) -> None:
        self._line(self._opening.format(name))
        self._screen.sees(f"# {Path(name).stem.replace('-', ' ').capitalize()}$")
        if self._editing.startswith(":"):
            self._line(self._editing)
        else:
            self._screen.type(self._editing)

    def back(self) -> None:
        self._screen.press("Escape")
        self._line(self._closing)

    def _line(self, command: str) -> None:
        self._screen.type(command)
        self._screen.press("Enter")


@contextmanager
def neovim(folder: Path, home: Path) -> Iterator[Window]:
    env = surroundings(home)
    settings = home / ".config" / "nvim" / "init.lua"
    settings.parent.mkdir(parents=True)
    settings.write_text(page_block("neovim.md", "lua", number=1) + "vim.o.number = true\nvim.o.splitright = true\n")
    program = os.environ.get("LENS_NVIM11") or shutil.which("nvim") or "nvim"
    with Screen([program, "note.md"], folder, env, _SIZE) as screen:
        screen.sees("# Lamps")
        yield Terminal(screen, home, r"^W +(\d+) ", ":vsplit {}", ":%s/was lit/went out/", ":bwipeout!")


@contextmanager
def helix(folder: Path, home: Path) -> Iterator[Window]:
    env = surroundings(home)
    settings = home / ".config" / "helix" / "languages.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(page_block("helix.md", "toml"))
    program = os.environ.get("LENS_HX") or shutil.which("hx") or "hx"
    with Screen([program, "note.md"], folder, env, _SIZE) as screen:
        screen.sees("NOR")
        screen.type(":vsplit note.md")
        screen.press("Enter")
        yield Terminal(screen, home, r"^ *● *(\d+) ", ":open {}", "%cIt went out.", ":buffer-close!")


class Workbench:
    """Visual Studio Code's, which a program of its stories drives: a line in, a line out."""

    def __init__(self, process: subprocess.Popen[str], home: Path) -> None:
        self.home = home
        self._process = process
        self._told()

    def marked(self) -> set[int]:
        return set(self._asked("marked"))

    def change(self, name: str) -> None:
        self._asked(f"change {name}")

    def back(self) -> None:
        self._asked("back")

    def _asked(self, line: str) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._told()

    def _told(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the workbench is gone")
        return json.loads(line)


@contextmanager
def vscode(folder: Path, home: Path) -> Iterator[Window]:
    command = ["node", "e2e/noteWindow.mjs", str(folder), "note.md", str(home)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=REPOSITORY / "vscode-extension", **pipes) as process:
        yield Workbench(process, home)
        assert process.stdin is not None
        process.stdin.close()


EDITORS: dict[str, Callable[[Path, Path], AbstractContextManager[Window]]] = {
    "neovim": neovim,
    "helix": helix,
    "vscode": vscode,
}


def measured(name: str, n: int, place: Path) -> list[dict[str, object]]:
    """The rows of one editor."""
    folder, home = place / "notes", place / "home"
    home.mkdir(parents=True)
    sources = made(folder, n)
    with EDITORS[name](folder, home) as window:
        _warmed(window, sources[-1], _FIRST + n - 1)
        kinds = {
            "on disk": [seconds for at, source in enumerate(sources) for seconds in _on_disk(window, {at: source})],
            "all at once": _on_disk(window, dict(enumerate(sources))),
        }
        control = _control(window, sources[:CONTROLS])
        kinds["in a buffer"] = [_in_a_buffer(window, at, source) for at, source in enumerate(sources)]
    rows = [_row(name, kind, seconds) for kind, seconds in kinds.items()]
    rows.append(_row(name, "all", [each for some in kinds.values() for each in some]))
    return [*rows, _row(name, "control: the server is stopped", control)]


def _warmed(window: Window, source: Path, line: int) -> None:
    """The server runs, has checked the note and watches: the last source's change shows, and is taken back."""
    kept = source.read_text()
    source.write_text("gone\n")
    assert wait_until(lambda: window.marked() == {line}, 2 * PATIENCE), "the editor shows no drift at all"
    source.write_text(kept)
    assert wait_until(lambda: not window.marked(), PATIENCE), "the editor takes no mark back"


def _on_disk(window: Window, changed: dict[int, Path]) -> list[float]:
    """Seconds until each of some changes on disk is shown; then they are taken back."""
    kept = {source: source.read_text() for source in changed.values()}
    begun = {}
    for at, source in changed.items():
        source.write_text(kept[source].replace("was lit", "went out"))
        begun[_FIRST + at] = time.monotonic()
    seconds = _shown(window, begun)
    for source, text in kept.items():
        source.write_text(text)
    _clean(window)
    return seconds


def _in_a_buffer(window: Window, at: int, source: Path) -> float:
    window.change(f"sources/{source.name}")
    [seconds] = _shown(window, {_FIRST + at: time.monotonic()})
    window.back()
    _clean(window)
    return seconds


def _control(window: Window, sources: Iterable[Path]) -> list[float]:
    """Changes that the server cannot see for longer than the limit."""
    seconds = []
    for at, source in enumerate(sources):
        servers = list(_servers(window.home))
        assert servers, "there is no server"
        try:
            for each in servers:
                os.kill(each, signal.SIGSTOP)
            kept = source.read_text()
            source.write_text("gone\n")
            begun = {_FIRST + at: time.monotonic()}
            wait_until(lambda: bool(window.marked()), STOPPED)
        finally:
            for each in servers:
                os.kill(each, signal.SIGCONT)
        seconds += _shown(window, begun)
        source.write_text(kept)
        _clean(window)
    return seconds


def _servers(home: Path) -> Iterator[int]:
    """The processes of the server that has this home, or one below it."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            about, environment = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:
            continue
        if b"lens_lsp" in about and f"HOME={home}".encode() in environment:
            yield int(process.name)


def _shown(window: Window, begun: dict[int, float]) -> list[float]:
    """Seconds from the change of each line's source until it is marked; infinite where it never is."""
    seconds: dict[int, float] = {}

    def look() -> bool:
        marked, now = window.marked(), time.monotonic()
        for line in begun.keys() & marked - seconds.keys():
            seconds[line] = now - begun[line]
        return len(seconds) == len(begun)

    wait_until(look, PATIENCE)
    return [seconds.get(line, float("inf")) for line in begun]


def _clean(window: Window) -> None:
    assert wait_until(lambda: not window.marked(), PATIENCE), f"still marked: {window.marked()}"


def _row(editor: str, kind: str, seconds: Sequence[float]) -> dict[str, object]:
    ordered = sorted(seconds)
    return {
        "editor": editor,
        "change": kind,
        "n": len(ordered),
        "within2s": sum(each <= WITHIN for each in ordered),
        "never": sum(each == float("inf") for each in ordered),
        "median_s": round(statistics.median(ordered), 3),
        "p90_s": round(ordered[int(0.9 * (len(ordered) - 1))], 3),
        "p99_s": round(ordered[int(0.99 * (len(ordered) - 1))], 3),
        "max_s": round(ordered[-1], 3),
        "load": round(os.getloadavg()[0], 1),
    }


def _holds(row: dict[str, Any]) -> bool:
    if row["change"].startswith("control"):
        return bool(row["within2s"] == 0)
    return row["change"] != "all" or bool(row["within2s"] >= SHARE * row["n"])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--editors", default=",".join(EDITORS))
    parser.add_argument("--n", type=int, default=54, help="citations of the note")
    parser.add_argument("--out", type=Path, help="a file that gets the lines, too")
    args = parser.parse_args(arguments)
    rows = []
    for name in args.editors.split(","):
        with tempfile.TemporaryDirectory() as place:
            rows += measured(name, args.n, Path(place))
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    print(lines, end="")
    if args.out is not None:
        args.out.write_text(lines)
    return 0 if all(map(_holds, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
