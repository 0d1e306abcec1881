"""Finding the file of an earlier answer."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from lens_lsp.knowledge.export import file_name
from lens_lsp.knowledge.matching import question_key
from lens_lsp.lsp.uris import UriRefused, inside, path_of
from lens_lsp.store.forgetting import ANSWERS

if TYPE_CHECKING:
    from lens_lsp.domain.cluster import Asked, Cluster
    from lens_lsp.lsp.stores import Stores
    from lens_lsp.store.store import Store


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


def answers_of(store: Store, cluster: Cluster) -> Iterator[tuple[float, str]]:
    """When each question of a cluster was answered, and the answer's file where it is there."""
    for asked in cluster.asked:
        path = path_of_answer(store, asked)
        if path is not None:
            yield asked.at, path


def path_of_answer(store: Store, asked: Asked, folder: str | None = None) -> str | None:
    """The file of an answer where it is there: in the ``folder`` of answers, else in that of the store."""
    name = file_name(asked.question, asked.id)
    places = (folder, str(store.path.parent / ANSWERS))
    paths = (os.path.join(place, name) for place in places if place is not None)
    return next(filter(os.path.isfile, paths), None)
