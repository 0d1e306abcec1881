"""What the writers are given, and what they say about where they put it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Locator = dict[str, int | str]

_STORIES = Path(__file__).parent / "stories.json"


@dataclass(frozen=True)
class Item:
    """A question and the words that answer it."""

    query: str
    quote: str


@dataclass(frozen=True)
class Part:
    """What stands together: a page, a section, a chapter or a slide."""

    heading: str
    paragraphs: tuple[str, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Story:
    """The contents of one document."""

    title: str
    parts: tuple[Part, ...]


@dataclass
class Gold:
    """What was written, by what, and where each item stands in it."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    writers: dict[str, str] = field(default_factory=dict)

    def wrote(self, file: str, writer: str) -> None:
        self.writers[file] = writer

    def add(self, file: str, item: Item, locator: Locator, heading: str | None = None) -> None:
        """``heading`` is that of the section, for kinds whose documents have neither pages nor cells."""
        row: dict[str, Any] = {"file": file, "query": item.query, "quote": item.quote, "locator": locator}
        self.rows.append(row if heading is None else row | {"heading": heading})

    def parts(self, file: str, story: Story, key: str, numbers: Iterable[int]) -> None:
        """The items of each part stand at the part's number."""
        for part, number in zip(story.parts, numbers, strict=True):
            for item in part.items:
                self.add(file, item, {key: number})

    def sections(self, file: str, story: Story) -> None:
        """The items of each part stand under the part's heading."""
        for part in story.parts:
            for item in part.items:
                self.add(file, item, {}, part.heading)

    def keep(self, before: dict[str, Any]) -> None:
        """Take over what an earlier run said of files that were not written now."""
        old = [row for row in before["items"] if row["file"] not in self.writers]
        self.rows = sorted(old + self.rows, key=lambda row: str(row["file"]))
        self.writers = dict(sorted((before["writers"] | self.writers).items()))

    def save(self, folder: Path) -> None:
        text = json.dumps({"writers": self.writers, "items": self.rows}, ensure_ascii=False, indent=1)
        (folder / "gold.json").write_text(text + "\n", "utf-8")


@dataclass(frozen=True)
class Workshop:
    """Where samples go, where to work, and where Node finds its packages."""

    out: Path
    work: Path
    node: Path
    gold: Gold

    def target(self, kind: str, file: str) -> Path:
        folder = self.out / kind
        folder.mkdir(parents=True, exist_ok=True)
        return folder / file

    def scratch(self, name: str) -> Path:
        """An empty folder."""
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def soffice(self, source: Path, target: Path, convert: str) -> None:
        """Let LibreOffice convert a file; ``convert`` is its ``--convert-to``."""
        folder = self.scratch("soffice")
        command = ["soffice", f"-env:UserInstallation=file://{self.work / 'soffice-profile'}", "--headless"]
        run([*command, "--convert-to", convert, "--outdir", str(folder), str(source)])
        (made,) = folder.iterdir()
        shutil.move(made, target)

    def javascript(self, program: str, *arguments: str) -> None:
        script = self.scratch("node") / "write.js"
        script.write_text(program, "utf-8")
        run(["node", str(script), *arguments], environment={"NODE_PATH": str(self.node / "node_modules")})

    def perl(self, program: str, *arguments: str) -> None:
        script = self.scratch("perl") / "write.pl"
        script.write_text("use strict; use warnings; use utf8;\n" + program, "utf-8")
        # By its name alone: RTF::Writer puts the name of the program into the document.
        run(["perl", script.name, *arguments], cwd=script.parent)


def run(
    command: Sequence[str], *, cwd: Path | None = None, environment: dict[str, str] | None = None, given: str = ""
) -> str:
    """What a program prints; fails with its complaints."""
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | (environment or {}), input=given.encode(), capture_output=True, check=False
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace")[-2000:]
        raise RuntimeError(f"{command[0]} gave {done.returncode}: {said}")
    return done.stdout.decode(errors="replace")


def stories() -> dict[str, Story]:
    """All of them, by the name their file gets."""
    return {
        name: Story(
            story["title"],
            tuple(
                Part(
                    f"{story['title']}, part {number}",
                    tuple(part["paragraphs"]),
                    tuple(Item(item["query"], item["quote"]) for item in part["items"]),
                )
                for number, part in enumerate(story["parts"], 1)
            ),
        )
        for name, story in json.loads(_STORIES.read_text("utf-8")).items()
    }
