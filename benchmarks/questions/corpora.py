"""The texts that the questions are asked of, and the rules by which lists and counts follow from them.

English corpora come from the archives of the workspaces data set; the other languages from folders of this
repository. Paths are those of a prepared corpus: below the archive's top folder, ``/`` between parts.
"""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections import Counter
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
NOTES = Path(__file__).resolve().parent / "notes"
HANDBOOK = REPOSITORY / "tests" / "fixtures" / "languages"

ARCHIVES = ("rust-book", "rust-rfcs", "tldr-en")
FOLDERS = {
    **{f"handbook-{language}": HANDBOOK / language for language in ("zh", "ja", "de", "fr")},
    **{f"notes-{language}": NOTES / language for language in ("ko", "ru", "es")},
}

Corpus = Mapping[str, str]
"""Path → text, line ends untouched."""


def archive_path(data: Path, name: str) -> Path:
    """Where the archive of an English corpus lies in the data folder."""
    return data / "workspaces" / f"{name}.tar.xz"


def from_archive(path: Path) -> dict[str, str]:
    """Every file of a workspace archive, without its top folder."""
    texts = {}
    with tarfile.open(path, "r:xz") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isreg() else None
            if stream is not None:
                texts[member.name.split("/", 1)[1]] = stream.read().decode("utf-8")
    return texts


def from_folder(folder: Path) -> dict[str, str]:
    """The Markdown files directly in a folder; nothing when it is not part of this distribution."""
    return {path.name: path.read_bytes().decode("utf-8") for path in sorted(folder.glob("*.md"))}


def digest(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, which are the file's bytes."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def items(rule: Mapping[str, Any], corpus: Corpus) -> list[str]:
    """What an aggregation rule yields over a corpus. ``kind`` is one of:

    * ``files``: paths that match ``glob`` and, if there is a ``pattern``, contain it;
    * ``names``: the group that ``pattern`` captures in each path matching ``glob``;
    * ``matches``: the groups captured by ``pattern`` in one file, only ``between`` two texts and only on lines
      that match ``lines``, where given;
    * ``least``: the path whose captured text sorts first; ``mode``: the captured text that occurs most often.

    ``least`` and ``mode`` look at the first match of each file and raise ValueError on a tie.
    """
    paths = [path for path in sorted(corpus) if _matches(path, rule["glob"])]
    kind, pattern = rule["kind"], re.compile(rule.get("pattern", ""))
    if kind == "files":
        return [path for path in paths if pattern.search(corpus[path])]
    if kind == "names":
        return [match[1] for path in paths if (match := pattern.search(path))]
    if kind == "matches":
        (path,) = paths
        return _in_one_file(rule, pattern, corpus[path])
    captured = [(match[1], path) for path in paths if (match := pattern.search(corpus[path]))]
    if kind == "least":
        first, second = sorted(captured)[:2]
        if first[0] == second[0]:
            raise ValueError(f"{first[1]} and {second[1]} share the least value")
        return [first[1]]
    if kind == "mode":
        most, next_one = Counter(text for text, _ in captured).most_common(2)
        if most[1] == next_one[1]:
            raise ValueError(f"{most[0]} and {next_one[0]} are equally frequent")
        return [most[0]]
    raise ValueError(f"no such kind of rule: {kind}")


def _in_one_file(rule: Mapping[str, Any], pattern: re.Pattern[str], text: str) -> list[str]:
    begin, end = rule.get("between", ("", ""))
    start = text.index(begin) + len(begin)
    part = text[start : text.index(end, start) if end else len(text)]
    wanted = re.compile(rule.get("lines", ""))
    return [match[1] for match in pattern.finditer(part) if wanted.search(_line(part, match.start()))]


def _line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _matches(path: str, glob: str) -> bool:
    if glob == "**":
        return True
    parts, globs = path.split("/"), glob.split("/")
    return len(parts) == len(globs) and all(map(fnmatchcase, parts, globs))
