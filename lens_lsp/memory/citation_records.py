"""Records of the citations in notes: ``.lens/citations.jsonl``, one sorted line of JSON for each.

In a note stands what a person would write; what it takes to find a quote again, or to tell that it is gone, stands
here, at the root of the workspace, so that moving the note or cloning the repository loses nothing. Lines are sorted
and say all there is to say of one citation, so git merges the file by lines; where it could not, both sides are read. A
line that cannot be read is kept, named, and spoils no other.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property, lru_cache
from pathlib import Path

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.disk import ORDINARY, release_lock, replace_whole, take_lock
from lens_lsp.memory.answer_parser import AnswerFault, BrokenSource, read_source, seen, source_json
from lens_lsp.model.cluster import Citation
from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import sanitize_json

FOLDER, NAME = ".lens", "citations.jsonl"
PATH = f"{FOLDER}/{NAME}"
MARKS = (".lens.toml", ".git")
"""What a folder holds that is the root of a workspace."""
ID = r"q\d[0-9a-z]{3,10}"
"""Ids of citations: short, and no word that a person would choose."""
_ID = regex(ID)
_LARGEST = 64 << 20
"""Bytes of a file of records that is read."""
_CONFLICT = regex(r"(?:<{7}|={7}|>{7}|\|{7})(?:\s.*)?")
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_SHORTEST, _LONGEST = 4, 10
_LOCK_SECONDS = 5.0
_DEFAULTS: Mapping[str, object] = {
    "source": "disk",
    "encoding": "utf-8",
    "match": "exact",
    "left": None,
    "right": None,
    "heading": [],
    "count": None,
    "locator": None,
}
_WRITING = threading.Lock()


@dataclass(frozen=True, eq=False)
class CitationRecords:
    """The records below one folder, which their paths are relative to."""

    folder: str
    by_id: Mapping[str, tuple[Citation, ...]] = field(default_factory=dict)
    """Several for an id that two sides of a merge gave to different citations."""
    faults: tuple[AnswerFault, ...] = ()
    unread: tuple[str, ...] = field(default=(), repr=False)
    """The lines that cannot be read."""

    @cached_property
    def _by_words(self) -> Mapping[str, tuple[Citation, ...]]:
        found: dict[str, tuple[Citation, ...]] = {}
        for citations in self.by_id.values():
            for citation in citations:
                words = seen(citation.quote)
                found[words] = (*found.get(words, ()), citation)
        return found

    def quoting(self, quote: str) -> tuple[Citation, ...]:
        """The records of a quote, whatever they are called; blanks and what formatters add do not count."""
        return self._by_words.get(seen(quote), ())


def read_records(folder: str) -> CitationRecords | None:
    """The records of a workspace; None where there is no such file. Nothing is followed that is a link."""
    try:
        with Root(folder) as root:
            descriptor, status = root.open_with_stat(PATH)
            os.close(descriptor)
    except Skipped as skipped:
        if isinstance(skipped.__cause__, FileNotFoundError):
            return None
        return CitationRecords(folder, faults=(AnswerFault(0, f"{PATH} cannot be read ({skipped.reason.value})"),))
    except LensError:
        return None
    return _read(folder, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=16)
def _read(folder: str, _modified: int, _changed: int, _size: int, _inode: int) -> CitationRecords:
    try:
        with Root(folder) as root:
            data = root.read(PATH, _LARGEST)
    except Skipped as skipped:
        return CitationRecords(folder, faults=(AnswerFault(0, f"{PATH} cannot be read ({skipped.reason.value})"),))
    except LensError:
        return CitationRecords(folder)
    return _parsed(folder, data.decode("utf-8", "replace"))


def _parsed(folder: str, text: str) -> CitationRecords:
    by_id: dict[str, tuple[Citation, ...]] = {}
    faults, unread = [], []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = line.strip()
        if not line or _CONFLICT.fullmatch(line):
            continue
        try:
            name, citation = _record(line)
        except BrokenSource as error:
            faults.append(AnswerFault(number, f"{PATH}: this line is no record of a citation: {error}"))
            unread.append(line)
            continue
        if citation not in by_id.get(name, ()):
            by_id[name] = (*by_id.get(name, ()), citation)
    return CitationRecords(folder, by_id, tuple(faults), tuple(unread))


def _record(line: str) -> tuple[str, Citation]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BrokenSource(f"it is no JSON ({type(error).__name__})") from error
    name = value.get("id") if isinstance(value, dict) else None
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise BrokenSource("it has no id")
    root = value.get("root", ".")
    if not isinstance(root, str) or not (root == "." or os.path.isabs(root)) or root.startswith(("//", "\\\\")):
        raise BrokenSource("its root is no folder of this machine")
    return name, read_source({**value, "n": 1, "root": 0}, (root,), {})[1]


def records_above(folder: str) -> CitationRecords | None:
    """The records that hold for a note in a folder: those of the nearest folder at or above it, up to the root of its
    workspace; None where there are none."""
    for place in (folder, *map(str, Path(folder).parents)):
        found = read_records(place) if os.path.lexists(os.path.join(place, FOLDER, NAME)) else None
        if found is not None or any(os.path.lexists(os.path.join(place, mark)) for mark in MARKS):
            return found
    return None


def root_above(folder: str) -> str | None:
    """The root of the workspace that a folder lies in, by its marks; None where nothing marks one."""
    for place in (folder, *map(str, Path(folder).parents)):
        if any(os.path.lexists(os.path.join(place, mark)) for mark in MARKS):
            return place
    return None


def records_root(folder: str, workspaces: Iterable[str]) -> str | None:
    """The folder whose records hold for the texts of a folder: where there are some, else the workspace folder around
    it, else the root that marks show; None without any."""
    known = records_above(folder)
    if known is not None:
        return known.folder
    around = [each for each in workspaces if inside(folder, each)]
    return max(around, key=len, default=None) or root_above(folder)


def short_id(path: str, quote: str, start: int, taken: Mapping[str, Iterable[Citation]]) -> str:
    """The id of the quote that begins at a place of a file; longer where a shorter one means another citation."""
    digest = hashlib.sha256("\0".join((path, seen(quote), str(start))).encode("utf-8", "surrogatepass")).digest()
    letters = "".join(_ALPHABET[byte % 32] for byte in digest[1:])
    head = f"q{digest[0] % 10}"
    for length in range(_SHORTEST, _LONGEST):
        name = head + letters[:length]
        known = taken.get(name)
        if not known or any(each.path == path and seen(each.quote) == seen(quote) for each in known):
            return name
    return head + letters[:_LONGEST]


def add_records(
    folder: str,
    added: Mapping[str, Citation],
    *,
    replacing: bool = False,
    mode: int = ORDINARY,
) -> None:
    """Write records into the workspace ``folder``, beside those that are there; ``replacing`` those of the same ids.

    A citation whose root is ``.`` has a path relative to the folder. Both sides of a merge conflict are kept, and what
    cannot be read stays as it is. ``mode`` is that of a new file. Raises OSError.
    """

    def change(known: CitationRecords) -> CitationRecords:
        if any(fault.line == 0 for fault in known.faults):
            raise OSError(known.faults[0].why)
        by_id = dict(known.by_id)
        for name, citation in added.items():
            others = () if replacing else tuple(each for each in by_id.get(name, ()) if not _same(each, citation))
            by_id[name] = (*others, citation)
        return replace(known, by_id=by_id)

    if added:
        _write(folder, change, mode)


def keep_records(folder: str, names: Container[str], mode: int) -> None:
    """Take out of the records of a ``folder`` all but those of some ids, and what cannot be read. Raises OSError."""
    if os.path.lexists(os.path.join(folder, FOLDER, NAME)):
        _write(
            folder,
            lambda known: CitationRecords(folder, {id_: some for id_, some in known.by_id.items() if id_ in names}),
            mode,
        )


def _write(folder: str, change: Callable[[CitationRecords], CitationRecords], mode: int) -> None:
    with _WRITING:
        held = -1
        with suppress(OSError, TimeoutError):  # where a folder knows no locks, one writer is as good as it gets
            held = os.open(folder, os.O_RDONLY)
            take_lock(held, time.monotonic() + _LOCK_SECONDS)
        try:
            _read.cache_clear()
            now = change(read_records(folder) or CitationRecords(folder))
            lines = sorted({record_line(name, each) for name, some in now.by_id.items() for each in some})
            text = "".join(f"{line}\n" for line in (*lines, *sorted(now.unread)))
            replace_whole(Path(folder) / FOLDER / NAME, text.encode("utf-8", "replace"), mode, below=Path(folder))
        finally:
            if held >= 0:
                with suppress(OSError):
                    release_lock(held)
                os.close(held)


def _same(one: Citation, other: Citation) -> bool:
    """Whether two records are of one citation, looked up at different times."""
    return (one.root, one.path, one.span, seen(one.quote)) == (other.root, other.path, other.span, seen(other.quote))


def record_line(name: str, citation: Citation) -> str:
    """A record as its line: what says nothing is left out."""
    value = {
        key: given
        for key, given in source_json(1, 0, citation).items()
        if key not in ("n", "root") and not (key in _DEFAULTS and given == _DEFAULTS[key])
    }
    if citation.root not in ("", "."):
        value["root"] = citation.root
    line = json.dumps({"id": name, **value}, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    head = f'{{"id":{json.dumps(name)},'
    return sanitize_json(head + line[1:].replace(f'"id":{json.dumps(name)},', "", 1))
