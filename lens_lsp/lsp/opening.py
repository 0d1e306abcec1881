"""Finding the file of an earlier answer."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from lens_lsp.corpus.allowed import inside
from lens_lsp.lsp.answers import held_in
from lens_lsp.lsp.uris import UriRefused, path_of
from lens_lsp.memory.answer_files import ANSWERS
from lens_lsp.memory.export import file_name
from lens_lsp.memory.matching import question_key

if TYPE_CHECKING:
    from lens_lsp.lsp.stores import Stores
    from lens_lsp.memory.store import Store
    from lens_lsp.model.cluster import Asked, Cluster


def answer_file(stores: Stores, workspaces: Sequence[str], wanted: str | None) -> str | None:
    """The answer file that is meant by its URI, the id of its cluster or its question; the last one for None.

    Waits for the disk.
    """
    if wanted is not None:
        with suppress(UriRefused):
            path = path_of(wanted)
            places = [*workspaces, *map(str, stores.answers(workspaces))]
            return path if os.path.isfile(path) and any(inside(path, place) for place in places) else None
    known = [(store, cluster) for _, store in stores.existing(workspaces) for cluster in store.clusters()]
    if wanted is not None:
        key = question_key(wanted)
        known = [(store, each) for store, each in known if wanted == each.id or key in {a.key for a in each.asked}]
    files = [found for store, cluster in known for found in answers_of(store, cluster)]
    return max(files, default=(0.0, None), key=lambda each: each[0])[1]


def kept_answer(stores: Stores, workspaces: Sequence[str], wanted: str | None) -> str | None:
    """As `answer_file`, but no file that a link leads to from there to elsewhere."""
    path = answer_file(stores, workspaces, wanted)
    places = [*workspaces, *(os.path.realpath(place) for place in stores.answers(workspaces))]
    return path if path is not None and any(inside(os.path.realpath(path), place) for place in places) else None


def answers_of(store: Store, cluster: Cluster) -> Iterator[tuple[float, str]]:
    """When each question of a cluster was answered, and the answer's file where it is there."""
    for asked in cluster.asked:
        path = path_of_answer(store, asked)
        if path is not None:
            yield asked.at, path


def path_of_answer(store: Store, asked: Asked, folder: str | None = None) -> str | None:
    """The file of an answer where it is there: in the ``folder`` of answers, else in that of the store."""
    name = file_name(asked.question, asked.id)
    paths = (os.path.join(place, name) for place in _places(store, folder))
    return next(filter(os.path.isfile, paths), None)


def path_of_unproven(store: Store, question: str, folder: str | None = None) -> str | None:
    """As `path_of_answer`, of an answer that proved nothing: no cluster knows it. The latest of several."""
    stem = file_name(question, "").removesuffix(".md")
    found = [
        path
        for place in _places(store, folder)
        for path in glob.iglob(os.path.join(glob.escape(place), f"{glob.escape(stem)}????????.md"))
        if any(held.question == question and not held.block for held in held_in(path))
    ]
    return max(found, default=None, key=_written_at)


def _written_at(path: str) -> float:
    try:
        return os.path.getmtime(path)
    except OSError:  # it went just now
        return 0.0


def _places(store: Store, folder: str | None) -> list[str]:
    kept = str(store.path.parent / ANSWERS)
    return [kept] if folder is None else [folder, kept]
