"""Looking for a file by the hash of its content, when it is no longer where it was: with a budget, for a folder may be
a disk.

What a search reads is remembered by what identifies a content, so that the next one reads only what it has not read.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time

from lens_lsp.corpus.away import asked
from lens_lsp.corpus.formats.table import reader_for
from lens_lsp.corpus.listings import IDENTITY, YOUNG_NS, Identity
from lens_lsp.corpus.opening import Root, Skipped
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.walk import discover_names
from lens_lsp.documents.kinds import kind_for

_PASSING = re.compile(r"(?:.*/)?(?:\.[^/]*|[^/]*(?:~|\.(?:part|tmp|temp|swp|bak)))")
"""Names of files that are there for a moment, while another program writes: no file is called so from now on."""
_MOST_KEPT = 1 << 17
_CHUNK = 1 << 20
_FEW, _PATIENCE = 1_000, 4
"""Files that are waited for so many times longer: a busy machine must not lose a note in a small folder."""
_HASHES: dict[Identity, str] = {}
"""Of files that were read; the oldest first."""
_LOCK = threading.Lock()


class Budget:
    """What all searches of one look at citations may cost together."""

    def __init__(self, *, files: int = 50_000, size: int = 32 << 20, seconds: float = 0.5) -> None:
        self.files = files
        """Files that may still be met, and how many bytes of them may still be read."""
        self.size = size
        self.seconds = seconds

    @property
    def spent(self) -> bool:
        """Whether nothing more may be looked at."""
        return self.files <= 0 or self.size <= 0 or self.seconds <= 0


class Renamed:
    """The files below one root, by what they hold."""

    def __init__(self, root: Root, rules: CorpusRules, budget: Budget) -> None:
        self._root = root
        self._rules = rules
        self._budget = budget
        self._paths: list[str] | None = None
        self._by_reader: dict[str, dict[str, list[str]] | None] = {}

    def holders(self, path: str, sha256: str) -> list[str] | None:
        """The files that have a hash, by path, of those that are read as ``path`` would be; None where there was more
        to look at than the budget allows, so that nobody knows."""
        reader = _reader(path)
        if reader not in self._by_reader:
            began = time.monotonic()
            self._by_reader[reader] = None if self._budget.spent else self._read(reader, began)
            self._budget.seconds -= time.monotonic() - began
        known = self._by_reader[reader]
        return None if known is None else known.get(sha256, [])

    def _read(self, reader: str, began: float) -> dict[str, list[str]] | None:
        met = 0

        def late() -> bool:
            few = met < _FEW and self._budget.seconds > 0
            return time.monotonic() - began > self._budget.seconds * (_PATIENCE if few else 1)

        if self._paths is None:

            def meet(count: int) -> None:
                nonlocal met
                met = count

            names = discover_names(
                self._root, self._rules, on_progress=meet, cancelled=lambda: met > self._budget.files or late()
            )
            self._budget.files -= max(met, len(names.paths))
            if not names.complete or self._budget.files < 0:
                self._budget.files = min(self._budget.files, 0)
                return None
            self._paths = names.paths
        found: dict[str, list[str]] = {}
        met = 0
        for path in self._paths:
            if _reader(path) == reader and _PASSING.fullmatch(path) is None:
                met += 1
                if late() or self._budget.size <= 0:
                    return None
                digest = self._digest(path)
                if digest is not None:
                    found.setdefault(digest, []).append(path)
        return None if self._budget.size < 0 else found

    def _digest(self, path: str) -> str | None:
        """The hash of a file; None for one that cannot be read, and one larger than the budget, which is then spent."""
        try:
            fd, status = self._root.open_with_stat(path)
        except Skipped:
            return None
        try:
            identity = IDENTITY(status)
            if identity in _HASHES:
                return _HASHES[identity]
            if status.st_size > self._budget.size:
                self._budget.size = -1
                return None
            digest = hashlib.sha256()
            while data := asked(fd, os.read, fd, min(_CHUNK, status.st_size + 1)):
                digest.update(data)
                self._budget.size -= len(data)
                if self._budget.size < 0:
                    return None
        except OSError:
            return None
        finally:
            os.close(fd)
        found = digest.hexdigest()
        if status.st_mtime_ns < time.time_ns() - YOUNG_NS:
            with _LOCK:
                if len(_HASHES) >= _MOST_KEPT:
                    del _HASHES[next(iter(_HASHES))]
                _HASHES[identity] = found
        return found


def _reader(path: str) -> str:
    """What a file of this name is read as: a text, a document of a kind, or (empty) nothing."""
    kind = kind_for(path)
    return kind.name if kind is not None else "text" if reader_for(path.rpartition("/")[2]) is not None else ""
