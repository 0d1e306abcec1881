"""What forgetting takes out besides the clusters: what rests on them in the tables, copies of the file, answer files.

Copies are deleted whatever they hold: nobody can say of a broken file that something is not in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lens_lsp.disk import PART
from lens_lsp.memory.store.files import StoreFiles
from lens_lsp.memory.store.reading import Knowledge
from lens_lsp.memory.store.writing import Changes, Removal
from lens_lsp.model.cluster import Cluster

ANSWERS = "answers"
"""The folder of answer files, in the store's folder."""

_HEAD = b"---\nlens: answer/"
_QUESTION = b"question:"
_MOST_HEAD = 65_536
"""Bytes in which an answer file has named its question."""


@dataclass(frozen=True, slots=True)
class Oblivion:
    """The clusters that have to go, what goes with them, and the questions that no answer file may answer any more."""

    clusters: tuple[Cluster, ...]
    changes: Changes
    removal: Removal
    questions: frozenset[str] | None
    """None for all: no cluster stays."""


def oblivion(knowledge: Knowledge, ids: Iterable[str]) -> Oblivion:
    """All rows that hold something of these clusters, their turns and the summaries of what they cite among them."""
    wanted = frozenset(ids)
    clusters = knowledge.clusters()
    going = [cluster for cluster in clusters if cluster.id in wanted]
    keys = {asked.key for cluster in going for asked in cluster.asked}
    wrong = [answer for answer in knowledge.wrong() if answer.id in wanted or answer.key in keys]
    staying = [cluster for cluster in clusters if cluster.id not in wanted]
    questions = plain(asked.question for cluster in going for asked in cluster.asked)
    cited = {(citation.root, citation.path) for cluster in going for _, citation in cluster.citations}
    turns = [turn for turn in knowledge.all_turns() if turn.cluster in wanted or _plain(turn.question) in questions]
    return Oblivion(
        tuple(going),
        Changes(
            clusters=tuple(unlinked for each in staying if (unlinked := _without_links(each, wanted)) != each),
            removed=tuple(cluster.id for cluster in going),
        ),
        Removal(
            summaries=tuple(sorted(cited)),
            turns=tuple((turn.thread, turn.n) for turn in turns),
            wrong=tuple(answer.id for answer in wrong),
        ),
        questions if staying else None,
    )


def delete_copies(files: StoreFiles) -> tuple[str, ...]:
    """Delete every file with an older state of the store; returns their names. Raises OSError."""
    copies = (*files.corrupt(), *files.backups(), *(path for path in (files.copy, files.part) if path.exists()))
    for path in copies:
        files.discard(path)
    return tuple(path.name for path in copies)


def is_answer(head: bytes) -> bool:
    """Whether a file is an answer of ours, by its first bytes."""
    return head.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").startswith(_HEAD)


def delete_answers(folder: Path, questions: frozenset[str] | None) -> tuple[str, ...]:
    """Delete the answer files of some questions, None for all; returns their names below the store's folder.

    Raises OSError.
    """
    answers = folder / ANSWERS
    if answers.is_symlink() or not answers.is_dir():  # nothing of ours was ever written through a link
        return ()
    gone = [path for path in sorted(answers.glob("*.md")) if questions is None or _answered(path) in questions]
    gone += sorted(answers.glob(f".*{PART}"))  # half of an answer that a killed process was writing, to any question
    for path in gone:
        os.unlink(path)
    return tuple(f"{ANSWERS}/{path.name}" for path in gone)


def plain(questions: Iterable[str]) -> frozenset[str]:
    """Questions as the files of their answers are known by."""
    return frozenset(map(_plain, questions))


def _answered(path: Path) -> str | None:
    """The question of an answer file; None when it names none."""
    with open(path, "rb") as file:
        head = file.read(_MOST_HEAD)
    for line in head.splitlines():
        if line.startswith(_QUESTION):
            written = line.removeprefix(_QUESTION).strip().decode("utf-8", "replace")
            with suppress(ValueError):
                written = str(json.loads(written))
            return _plain(written)
    return None


def _without_links(cluster: Cluster, ids: frozenset[str]) -> Cluster:
    return replace(cluster, links=tuple(link for link in cluster.links if link.cluster not in ids))


def _plain(question: str) -> str:
    return " ".join(question.split()).casefold()
