"""A census of what a search would read: how many files, in which encodings, what is left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from time import monotonic

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.encoding import decode
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.privacy_markers import privacy_of_file
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.walk import FileEntry, discover
from lens_lsp.documents.kinds import kind_for, missing
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.privacy import Privacy

_LARGE = 16 << 20
"""Bytes from which a file is counted without looking into it."""


@dataclass(frozen=True, slots=True)
class Census:
    """Figures about a folder: files and folders a search would look into, bytes, seconds of wall time."""

    files: int
    folders: int
    size: int
    skipped: Mapping[str, int]
    """Number of files and folders left out, by reason."""
    encodings: Mapping[str, int]
    """Number of files by encoding, of documents by kind; a guessed one says so."""
    seconds: float
    private: int
    """Text files that say ``lens: private``."""
    misspelled: int
    """Those of them that do not say it as documented."""
    complete: bool
    """False: the time was up, and the figures are a part."""


def take_census(folder: str, rules: CorpusRules = CorpusRules(), *, limit: float = 10.0) -> Census:
    """Count for at most about ``limit`` seconds. Raises PathNotFound if the folder cannot be opened."""
    started = monotonic()

    def late() -> bool:
        return monotonic() - started > limit

    with Root(folder) as root:
        found = discover(root, rules, cancelled=late)
        skipped = Counter(skip.reason.value for skip in found.skips)
        marks: list[Privacy] = []
        encodings, unread, complete = _encodings(root, found.files, rules.fallback_encoding, late, marks)
    return Census(
        files=len(found.files) - unread.total(),
        folders=len(_folders(entry.path for entry in found.files)),
        size=sum(entry.size for entry in found.files),
        skipped=_by_count(skipped + unread),
        encodings=_by_count(encodings),
        seconds=monotonic() - started,
        private=len(marks),
        misspelled=sum(not mark.exact for mark in marks),
        complete=found.complete and complete,
    )


def _encodings(
    root: Root, files: Iterable[FileEntry], fallback: str, late: Callable[[], bool], marks: list[Privacy]
) -> tuple[Counter[str], Counter[str], bool]:
    """Files by encoding, files by the reason they cannot be read, and whether time allowed to see all. How those that
    are private say so is added to ``marks``."""
    encodings: Counter[str] = Counter()
    unread: Counter[str] = Counter()
    for entry in files:
        if late():
            return encodings, unread, False
        try:
            encodings[_encoding(root, entry, fallback, marks)] += 1
        except Skipped as reason:
            unread[reason.reason.value] += 1
    return encodings, unread, True


def _encoding(root: Root, entry: FileEntry, fallback: str, marks: list[Privacy]) -> str:
    kind = kind_for(entry.path)
    if kind is not None:
        if missing(kind):
            raise Skipped(SkipReason.NO_READER)
        return f"{kind.name} (a document)"
    if reader_for(entry.path) is None:
        raise Skipped(SkipReason.UNSUPPORTED)
    if entry.size > _LARGE:
        return "not looked at (large)"
    decoded = decode(root.read(entry.path), fallback)
    mark = privacy_of_file(entry.path, decoded.text)
    marks.extend([mark] if mark is not None else [])
    if decoded.guessed:
        return f"{decoded.encoding} (guessed)"
    return f"{decoded.encoding} (byte order mark)" if decoded.bom else decoded.encoding


def _folders(paths: Iterable[str]) -> set[str]:
    """Every folder on the way to a file, the root as an empty string."""
    folders = {""}
    for path in paths:
        at = path.rfind("/")
        while at > 0 and path[:at] not in folders:
            folders.add(path[:at])
            at = path.rfind("/", 0, at)
    return folders


def _by_count(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
