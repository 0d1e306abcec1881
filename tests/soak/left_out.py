"""Folders with things that are hidden or cannot be used, one of many kinds each, and what an answer must name of them.

All are real files below one place: a folder of notes, one that a project file narrows, and one that is not there. Sound
files stand among them that look like the others and must not be named.
"""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lens_lsp.model.documents import PartReason, SkipReason

QUESTION = "When was the bridge at Arlen opened?"
PROOF = "The bridge at Arlen was opened on 4 May 1931."
Named = tuple[int, str, int, str]
"""Root, path, line (0 for none) and reason."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64) + "EncryptedPackage".encode("utf-16-le")


@dataclass
class Made:
    """What lies there: the folders that are asked of, and what an answer must name."""

    roots: tuple[Path, ...]
    skipped: set[Named] = field(default_factory=set)
    partial: set[Named] = field(default_factory=set)
    kinds: int = 0
    sound: int = 0

    @property
    def count(self) -> int:
        """How many things are to be named."""
        return len(self.skipped) + len(self.partial)


Lay = Callable[[Path, str], Iterator[tuple[str, int, str]]]
"""Makes a thing in a folder under a name; gives path from there, line and reason of what is to be named."""


def _skip(path: str, reason: SkipReason) -> tuple[str, int, str]:
    return path, 0, reason.value


def _text(name: str, text: str | bytes, *named: tuple[int, PartReason | SkipReason]) -> Lay:
    """A file of this content; ``named`` are lines and reasons."""

    def lay(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
        path = folder / name.format(stem)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        shown = path.relative_to(folder).as_posix()
        yield from ((shown, line, reason.value) for line, reason in named)

    return lay


def _link(target: str) -> Lay:
    def lay(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
        (folder / f"{stem}.md").symlink_to(target)
        yield _skip(f"{stem}.md", SkipReason.LINK)

    return lay


def _fifo(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
    os.mkfifo(folder / f"{stem}.txt")
    yield _skip(f"{stem}.txt", SkipReason.IRREGULAR)


def _socket(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
    here = os.getcwd()
    os.chdir(folder)  # the path of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(f"{stem}.txt")
    finally:
        os.chdir(here)
    yield _skip(f"{stem}.txt", SkipReason.IRREGULAR)


def _large(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
    path = folder / f"{stem}.pdf"
    path.touch()
    os.truncate(path, (100 << 20) + 1)  # takes no room
    yield _skip(path.name, SkipReason.TOO_LARGE)


def _denied_folder(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
    (folder / stem / ".ssh").mkdir(parents=True)
    (folder / stem / ".ssh" / "note.md").write_text("secret\n")
    yield _skip(f"{stem}/.ssh/", SkipReason.DENIED)


def _clutter(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
    (folder / stem / "node_modules").mkdir(parents=True)
    (folder / stem / "node_modules" / "note.md").write_text("words\n")
    yield _skip(f"{stem}/node_modules/", SkipReason.IGNORED)


def _ignored(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
    (folder / stem).mkdir()
    (folder / stem / ".gitignore").write_text("hidden.md\n")
    (folder / stem / "hidden.md").write_text("words\n")
    yield _skip(f"{stem}/hidden.md", SkipReason.IGNORED)


def _ignore_link(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
    (folder / stem).mkdir()
    (folder / stem / "rules").write_text("*.md\n")
    (folder / stem / ".lensignore").symlink_to("rules")
    yield f"{stem}/.lensignore", 0, PartReason.IGNORE_LINK.value
    yield _skip(f"{stem}/.lensignore", SkipReason.LINK)


def _ignore_folder(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
    (folder / stem / ".gitignore").mkdir(parents=True)
    yield f"{stem}/.gitignore", 0, PartReason.IGNORE_IRREGULAR.value


def _exclude_link(folder: Path, stem: str) -> Iterator[tuple[str, int, str]]:
    info = folder / stem / ".git" / "info"
    info.mkdir(parents=True)
    (folder / stem / "rules").write_text("*.md\n")
    (info / "exclude").symlink_to("../../rules")
    yield f"{stem}/.git/info/exclude", 0, PartReason.IGNORE_LINK.value
    yield _skip(f"{stem}/.git/", SkipReason.DENIED)


KINDS: dict[str, Lay] = {
    "link": _link("bridge.md"),
    "link out": _link("/etc/hostname"),
    "dangling link": _link("nowhere.md"),
    "linked folder": _link("sound-0"),
    "fifo": _fifo,
    "socket": _socket,
    "denied name": _text("{}.pem", "words\n", (0, SkipReason.DENIED)),
    "environment": _text(".env.{}", "words\n", (0, SkipReason.DENIED)),
    "denied folder": _denied_folder,
    "clutter": _clutter,
    "ignored": _ignored,
    "binary": _text("{}.txt", b"a\0b\0\xff\xfe\0\0c", (0, SkipReason.BINARY)),
    "picture": _text("{}.png", b"\x89PNG\r\n", (0, SkipReason.UNSUPPORTED)),
    "broken pdf": _text("{}.pdf", b"%PDF-1.7 no more", (0, SkipReason.BROKEN)),
    "broken docx": _text("{}.docx", b"PK no more", (0, SkipReason.BROKEN)),
    "locked docx": _text("{}.docx", _OLE, (0, SkipReason.ENCRYPTED)),
    "empty document": _text("{}.rtf", b"{\\rtf1 }", (0, SkipReason.NO_TEXT)),
    "too large": _large,
    "answer": _text("{}.md", "---\nlens: answer/1\n---\n\nwords\n", (0, SkipReason.ANSWER)),
    "open block": _text("{}.md", "# N\n\n<!-- lens:begin x -->\nThe rest.\n", (3, PartReason.OPEN_BLOCK)),
    "open block in a list": _text("{}.txt", "one\r\n- <!-- lens:begin y -->\r\nrest\r\n", (2, PartReason.OPEN_BLOCK)),
    "closed block": _text(
        "{}.md", "# N\n\n<!-- lens:begin x -->\nOurs.\n<!-- lens:end x -->\n\nMine.\n", (3, PartReason.BLOCK)
    ),
    "question": _text("{}.md", "# N\n\n- ?? why is it so\n", (3, PartReason.QUESTION)),
    "open script": _text(
        "{}.html", "<p>Words</p>\n<script>var a = 1;\n<p>The rest.</p>\n", (2, PartReason.OPEN_ELEMENT)
    ),
    "open style": _text("{}.html", "<p>Words</p>\n<STYLE>p { }\n<p>The rest.</p>\n", (2, PartReason.OPEN_ELEMENT)),
    "comment": _text(
        "comments/{}.md",
        f"# The bridge at Arlen\n\n{PROOF}\n\n<!-- the bridge at Arlen was painted -->\n",
        (5, PartReason.COMMENT),
    ),
    "linked ignore file": _ignore_link,
    "ignore file that is a folder": _ignore_folder,
    "ignore file in UTF-16": _text("{}/.ignore", "*.md\n".encode("utf-16"), (0, PartReason.IGNORE_NO_TEXT)),
    "ignore file too large": _text("{}/.gitignore", b"#\n" * (1 << 19) + b"*.md\n", (0, PartReason.IGNORE_CUT)),
    "linked exclude file": _exclude_link,
}
MOST = {"comment": 3, "too large": 2, "ignore file too large": 2}
"""Kinds of which there are only some: comments are named in texts that were read, and large files take time."""
SOUND: dict[str, str] = {
    "{}.md": "# A note\n\nIt is cold here. Is it?? Perhaps ?? not.\n",
    "admonition-{}.md": "??? note\n    Inside of it.\n",
    "open-comment-{}.md": "# A note\n\n<!-- never closed\n\nThe lake is deep.\n",
    "mark-in-text-{}.md": "The line `<!-- lens:begin x -->` begins a block.\n",
    "page-{}.html": "<html><head><style>p { }</style></head><body><p>Words</p><script>var a;</script></body></html>\n",
    "page-comment-{}.html": "<p>Words</p><!-- never closed <p>More words</p>\n",
    "data-{}.json": '{"a": "?? b"}\n',
    "code-{}.py": "# lens:begin is no mark\nx = 1  # ?? why\n",
    "front-{}.md": "---\ntitle: A note\n---\n\nWords.\n",
    "sub-{}/.gitignore": "*.none\n",
    "sub-{}/note.md": "Words.\n",
}


def lay_out(place: Path, count: int, seed: int) -> Made:
    """At least ``count`` things to be named of all kinds, in folders drawn by ``seed``, and sound files among them."""
    rng = random.Random(seed)
    notes, project, gone = place / "notes", place / "project", place / "gone"
    made = Made((notes, project, gone))
    (notes / "sound-0").mkdir(parents=True)
    (notes / "bridge.md").write_text(f"# Bridges\n\n{PROOF}\n")
    made.skipped.add((2, str(gone), 0, SkipReason.MISSING.value))
    _project(project, made)
    left = dict(MOST)
    number = 0
    while made.count < count or number < len(KINDS):
        kind = list(KINDS)[number] if number < len(KINDS) else rng.choice(list(KINDS))
        number += 1
        if left.get(kind, 1) <= 0:
            continue
        left[kind] = left.get(kind, count) - 1
        folder = notes / rng.choice(["", "2024", "2025/winter", "ünïcode dir"])
        folder.mkdir(parents=True, exist_ok=True)
        prefix = "" if folder == notes else folder.relative_to(notes).as_posix() + "/"
        for path, line, reason in KINDS[kind](folder, f"{rng.choice('abcdef')}{number}"):
            named = (0, prefix + path, line, reason)
            (made.partial if reason in set(PartReason) else made.skipped).add(named)
    made.kinds = len(KINDS) + 3  # a folder that is not there, and what a project file leaves out by two ways
    for name, text in SOUND.items():
        for k in range(4):
            path = notes / f"sound-{k}" / name.format(k)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            made.sound += 1
    return made


def _project(folder: Path, made: Made) -> None:
    """A folder whose own file of settings narrows it."""
    for name in ("docs/a.md", "docs/drafts/b.md", "archive/old/c.md", "archive/d.md", "top.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("Words about nothing.\n")
    (folder / ".lens.toml").write_text('scopes = ["docs/"]\nexclude = ["drafts/"]\n')
    outside = SkipReason.OUT_OF_SCOPE.value
    made.skipped |= {(1, path, 0, outside) for path in (".lens.toml", "archive/", "top.txt")}
    made.skipped.add((1, "docs/drafts/", 0, SkipReason.IGNORED.value))
