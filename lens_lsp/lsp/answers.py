"""Answers as files: written where the workspace keeps them, with citations that anyone can check."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lens_lsp.corpus.allowed import ANYWHERE
from lens_lsp.disk import ORDINARY, replace_whole
from lens_lsp.memory.answer_files import ANSWERS, Saved, is_answer, write_answer
from lens_lsp.memory.answer_parser import Held, read_citing
from lens_lsp.memory.clusters import identify
from lens_lsp.memory.export import file_name
from lens_lsp.memory.matching import question_key
from lens_lsp.memory.sources import Sources
from lens_lsp.memory.store_file import NotSaved, NotSavedReason
from lens_lsp.model.answer import Answer, Status, StopReason
from lens_lsp.model.cluster import OFFLINE, Citation

if TYPE_CHECKING:
    from lens_lsp.corpus.rules import CorpusRules
    from lens_lsp.corpus.snapshot import Buffer
    from lens_lsp.memory.store import Store


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where answers are kept: a folder of the workspace, else its store; nowhere without either."""

    folder: str | None
    store: Store | None

    @property
    def place(self) -> str | None:
        """The folder of the files."""
        if self.folder is not None or self.store is None:
            return self.folder
        return str(self.store.path.parent / ANSWERS)


def recorded(answer: Answer, roots: Sequence[str], rules: CorpusRules, buffers: Mapping[str, Buffer]) -> Saved:
    """An answer with its citations, ready to be written anywhere. ``roots`` are absolute. Reads the sources."""
    with Sources(ANYWHERE, rules=rules, buffers=buffers) as sources:
        ordered = sorted(answer.evidence, key=lambda item: (item.root, item.path))
        citations: dict[int, Citation] = {item.n: sources.record(item, roots[item.root]) for item in ordered}
    return Saved(replace(answer, roots=tuple(roots)), citations, datetime.now(UTC), None, private=False)


_LARGEST = 4 << 20
"""Characters of an answer's file that are looked into."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The file of an answer; ``new`` unless a better one stayed there."""

    path: str
    new: bool = True


def keep(saved: Saved, shelf: Shelf) -> Kept | None:
    """Write an answer to its file, over an earlier one of its question. A whole one is not written over by one that was
    stopped.

    None for one that rests on private documents, and where there is no shelf. Raises `NotSaved`.
    """
    answer = saved.answer
    if any(item.private for item in answer.evidence):
        return None
    oracle = answer.account.endpoint or OFFLINE
    name = file_name(answer.question, identify("asked", question_key(answer.question), oracle))
    folder = shelf.place
    if folder is None:
        return None
    path = os.path.join(folder, name)
    if answer.stopped is StopReason.CANCELLED and _is_whole(path):
        return Kept(path, new=False)
    text = write_answer(replace(saved, folder=folder))
    if shelf.folder is None and shelf.store is not None:
        return Kept(str(shelf.store.keep_answer(name, text)))
    return Kept(_written(path, text))


def held_in(path: str) -> Sequence[Held]:
    """The answers that a file holds; none where there is no file that can be read."""
    try:
        if not os.path.isfile(path):  # a pipe would be waited for
            return ()
        with open(path, encoding="utf-8", errors="replace") as file:
            return read_citing(file.read(_LARGEST)).held
    except OSError:
        return ()


def _is_whole(path: str) -> bool:
    """Whether a file holds an answer to all of its question."""
    return any(held.status == Status.ANSWERED.value and not held.block for held in held_in(path))


def _written(path: str, text: str) -> str:
    """Write a file whole or not at all, into a folder whose path had no link. Raises `NotSaved`."""
    try:
        target = Path(path)
        replace_whole(target, text.encode("utf-8"), ORDINARY, made=is_answer, below=Path(target.anchor))
    except OSError as error:
        why = f"the answer was not saved in {os.path.dirname(path)}: {error.strerror or error}"
        raise NotSaved(NotSavedReason.IO, why) from error
    return path
