"""Texts of documents kept on disk from one start to the next, for users who asked for it.

Each is a file of its own in the user's cache folder, found by the hash of the document's bytes and the version of its
reader and by nothing else: a document that changed, or another reader, finds none. What is damaged is removed and read
anew. Nothing is ever kept below a folder that is searched.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from lens_lsp.disk import PART, replace_whole
from lens_lsp.documents.frames import MOST_HEAD, MOST_TEXT, Damaged, extracted_from, receive, result_of, send
from lens_lsp.documents.kinds import Extracted, Unextracted

MOST = 512 << 20
"""Bytes of all files together, about: those used longest ago go first."""

_MAGIC = b"lens.extraction/2\n"
_SUFFIX = ".extraction"
_LEFT = 0.9
"""Share of the bound that is left when files go."""
_DIGEST = hashlib.sha256().digest_size
_LARGEST = MOST_HEAD + MOST_TEXT + (1 << 10)


def cache_folder() -> Path:
    """Where they are kept, made or not."""
    return user_cache_path("lens-lsp") / "extractions"


def lies_outside(folder: Path, roots: Sequence[str]) -> bool:
    """Whether a folder is below none of some roots, wherever links lead."""
    real = Path(os.path.realpath(folder))
    return not any(real.is_relative_to(os.path.realpath(root)) for root in roots)


def kept_files(folder: Path) -> list[os.DirEntry[str]]:
    """The files of ours in a folder, parts that a killed process left among them. Raises OSError."""
    if not _usable(folder):
        return []
    with os.scandir(folder) as entries:
        return [
            entry for entry in entries if entry.name.endswith((_SUFFIX, PART)) and entry.is_file(follow_symlinks=False)
        ]


def remove_all(folder: Path) -> int:
    """Remove every file of ours, and the folder if nothing else is in it; how many there were. Raises OSError."""
    files = kept_files(folder)
    for file in files:
        Path(file.path).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
    return len(files)


class KeptExtractions:
    """The texts in a folder, at most ``most`` bytes. A folder that cannot be used keeps nothing and costs no text."""

    def __init__(self, folder: Path, *, most: int = MOST) -> None:
        self._folder = folder
        self._most = most
        self._used: int | None = None

    def get(self, reader: str, sha256: str) -> Extracted | None:
        """The text of a content by a reader, None if there is none."""
        path = self._path(reader, sha256)
        try:
            data = _read(path)
            os.utime(path)
        except OSError:
            return None
        try:
            return _opened(data, reader, sha256)
        except Damaged:
            with suppress(OSError):
                path.unlink()
            return None

    def put(self, reader: str, sha256: str, extracted: Extracted) -> None:
        """Keep a text, if that can be done."""
        with suppress(OSError, Unextracted):
            data = _closed(reader, sha256, extracted)
            _make(self._folder)
            replace_whole(self._path(reader, sha256), data)
            self._account(len(data))

    def _path(self, reader: str, sha256: str) -> Path:
        return self._folder / f"{hashlib.sha256(f'{reader} {sha256}'.encode()).hexdigest()}{_SUFFIX}"

    def _account(self, size: int) -> None:
        """Count what was written, and when it is too much, remove what was used longest ago."""
        if self._used is not None:
            self._used += size
        if self._used is None or self._used > self._most:
            found = sorted((entry.stat().st_mtime_ns, entry.stat().st_size, entry.path) for entry in self._files())
            self._used = sum(size for _, size, _ in found)
            if self._used > self._most:
                for _, size, path in found:
                    Path(path).unlink(missing_ok=True)
                    self._used -= size
                    if self._used <= _LEFT * self._most:
                        break

    def _files(self) -> list[os.DirEntry[str]]:
        return kept_files(self._folder)


def _usable(folder: Path) -> bool:
    """Whether it is a folder, no link to one, and the user's own. Raises OSError for what is there and is not."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(found.st_mode) or (sys.platform != "win32" and found.st_uid != os.getuid()):
        raise PermissionError(f"{folder} is no folder of yours")
    return True


def _make(folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    _usable(folder)


def _read(path: Path) -> bytes:
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
        return file.read(_LARGEST)


def _closed(reader: str, sha256: str, extracted: Extracted) -> bytes:
    head, text = result_of(extracted)
    frame = io.BytesIO()
    send(frame, {**head, "reader": reader, "sha256": sha256}, text)
    packed = zlib.compress(frame.getvalue(), 1)
    return _MAGIC + hashlib.sha256(packed).digest() + packed


def _opened(data: bytes, reader: str, sha256: str) -> Extracted:
    """What a file holds; raises `Damaged` unless it is whole and of this content and reader."""
    packed = data[len(_MAGIC) + _DIGEST :]
    if not data.startswith(_MAGIC) or data[len(_MAGIC) : len(_MAGIC) + _DIGEST] != hashlib.sha256(packed).digest():
        raise Damaged("not whole")
    try:
        frame = zlib.decompressobj().decompress(packed, _LARGEST)
    except zlib.error as error:
        raise Damaged("not packed") from error
    head, text = receive(io.BytesIO(frame), MOST_TEXT)
    if (head.get("reader"), head.get("sha256")) != (reader, sha256):
        raise Damaged("of another document")
    return extracted_from(head, text)
