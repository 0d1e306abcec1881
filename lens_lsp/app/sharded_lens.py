"""A workspace in parts that others read, and the lookups in it: those of `Lens.find`, with the same result."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest

from lens_lsp.app.lens import FindObserver, checked, findings_of, quiet
from lens_lsp.app.settings import Request, Settings
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import WAIT, Root, open_named, set_deadline
from lens_lsp.corpus.workspace import QUESTION
from lens_lsp.disk import absolute, is_ssh_url
from lens_lsp.model.documents import Findings, ShardCoverage, Skip, SkipReason
from lens_lsp.model.errors import PathNotFound, PathRefused, UsageError
from lens_lsp.search.corpus_view import never
from lens_lsp.search.executors import DaskCluster, Machines, Processes, ShardExecutor, ShardPool, parts_of
from lens_lsp.search.shards import ShardLost, ShardSet


class ShardedLens:
    """Folders and files that several readers search together. Not safe for threads: one question at a time."""

    def __init__(
        self,
        executor: ShardExecutor,
        paths: Sequence[str | os.PathLike[str]],
        parts: int = 1,
        *,
        rules: CorpusRules = CorpusRules(),
        memory: int | None = None,
        seconds: float = QUESTION,
    ) -> None:
        """``memory`` is that of one part, ``seconds`` how long a question may take. Where some paths are folders of
        other machines, the parts are these, and the other paths together. Raises `UsageError`."""
        self._paths = [absolute(os.fspath(path)) for path in paths]
        self._seconds = seconds
        self._pool = ShardPool(executor, parts_of(self._paths, rules, memory, parts))

    def find(
        self,
        request: Request | str,
        *,
        observer: FindObserver | None = None,
        cancelled: Callable[[], bool] | None = None,
        settings: Settings = Settings(),
    ) -> Findings:
        """As `Lens.find`, over the parts that answer; those that do not are named in the coverage.

        Raises `UsageError` also for texts that are open in an editor, which no other reader sees, and `ShardLost` where
        no part answers.
        """
        request = checked(request)
        if request.buffers or request.exclude_spans:
            raise UsageError("texts that are open in an editor are searched on this machine alone")

        until = time.monotonic() + self._seconds

        def over(shards: ShardSet, missing: Sequence[ShardLost]) -> Findings:
            with contextlib.ExitStack() as stack:
                reading = shards.reading(self._roots(stack, until), cancelled or never)
                found = findings_of(request, reading, shards.searched, observer or quiet(), cancelled, settings)
            return _named(found, shards, missing, self._paths)

        return self._pool.run(request.question, self._seconds, over)

    def _roots(self, stack: contextlib.ExitStack, until: float) -> list[Root]:
        """The folders, where they lie on this machine too, or on one that is connected to; waited for until a moment of
        `time.monotonic`."""
        roots = []
        for n, path in enumerate(self._paths):
            try:
                roots.append(stack.enter_context(open_named(path, n)[0]))
                set_deadline(roots[-1].handle, until, WAIT)
            except (PathNotFound, PathRefused) as error:
                roots.append(Root.absent(path, n, error))
        return roots

    def close(self) -> None:
        """End who reads."""
        self._pool.close()


def _named(found: Findings, shards: ShardSet, missing: Sequence[ShardLost], paths: Sequence[str]) -> Findings:
    """What was found, with each part by name in its coverage, and each root by what its path was called if it is
    missing."""
    parts = [
        ShardCoverage(shard.name, opened.searched.found, opened.searched.scanned, len(opened.searched.skipped))
        for shard, opened in zip(shards.shards, shards.opened, strict=True)
    ]
    parts += [ShardCoverage(lost.name, 0, 0, 0, lost.why) for lost in missing]
    skipped = [*found.coverage.skipped, *(Skip(lost.name, SkipReason.NO_ANSWER) for lost in missing)]
    told = [f"{lost.name} was not searched: {lost.why}" for lost in missing]
    coverage = replace(found.coverage, skipped=tuple(sorted(skipped)), shards=tuple(parts))
    roots = tuple(root or path for root, path in zip_longest(found.roots, paths, fillvalue=""))
    return replace(found, roots=roots, coverage=coverage, warnings=(*found.warnings, *told))


def sharded(
    paths: Sequence[str | os.PathLike[str]], rules: CorpusRules, settings: Settings, parts: int | None
) -> ShardedLens | None:
    """Who reads some paths by the settings and the number of ``parts`` asked for: other machines, where some of their
    folders are among the paths, the user's cluster, else processes of this machine; None where one process does. Raises
    `UsageError`."""
    if any(is_ssh_url(os.fspath(path)) for path in paths):
        if parts is not None:
            raise UsageError("--parts is for folders of this machine: leave it out, each machine reads its own")
        return ShardedLens(Machines(), paths, rules=rules, memory=settings.memory)
    if settings.cluster is not None:
        cluster = DaskCluster(settings.cluster)
        return ShardedLens(cluster, paths, parts or max(1, len(cluster.workers)), rules=rules, memory=settings.memory)
    if parts is None or parts < 2:
        return None
    return ShardedLens(Processes(), paths, parts, rules=rules, memory=settings.memory)
