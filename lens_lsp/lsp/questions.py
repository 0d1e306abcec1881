"""What is asked, frozen in the moment of the request."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lens_lsp.app.configuration import searched
from lens_lsp.app.request import Request
from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.judge.ledger import Limits
from lens_lsp.lsp.convert import Encoding, Ranges
from lens_lsp.lsp.uris import UriRefused
from lens_lsp.lsp.wire import AskParams, Scope
from lens_lsp.model.errors import PathRefused, UsageError

if TYPE_CHECKING:
    from lens_lsp.app.settings.settings import Settings
    from lens_lsp.corpus.corpus_rules import CorpusRules
    from lens_lsp.lsp.requests import FindParams
    from lens_lsp.lsp.session import Session


@dataclass(frozen=True, slots=True)
class Question:
    """A request, with what it was made about: nothing in it changes with the editor."""

    request: Request
    folders: tuple[str, ...]
    """Absolute paths of the workspace folders, which are searched where the request names no path."""
    unsynced: int
    """Open texts that could not be used."""
    encoding: Encoding
    texts: bool
    """Whether places in extracted formats count in their texts."""
    home: str
    """The workspace whose store remembers the answer."""

    def searched(self, settings: Settings) -> tuple[tuple[str, ...], CorpusRules]:
        """The paths that it is asked of, and what of them is looked at."""
        return searched(self.request, settings, self.folders)

    def consenting(self, settings: Settings) -> tuple[str, ...]:
        """The folders that consent is needed for: of what is searched, and of the store whose thread is continued.
        Waits for the disk."""
        from lens_lsp.app.consent import folders_of

        paths, _ = self.searched(settings)
        return folders_of(paths if self.request.thread is None else (*paths, self.home), self.folders)


def frozen(session: Session, params: AskParams | FindParams) -> Question:
    """The question with everything the editor holds now. Raises `UsageError` and `PathRefused` for its scope."""
    excluded = {}
    scope = params.scope
    document = None if scope.uri is None else session.documents.get(scope.uri)
    if scope.range is not None and document is not None and document.path is not None:
        ranges = Ranges(document.text, session.encoding)
        excluded[session.allowed(document.uri)] = ranges.span(scope.range.start, scope.range.end)
    paths = _paths(session, scope)
    around = session.workspaces() or tuple(dict.fromkeys(os.path.dirname(os.path.realpath(path)) for path in paths))
    request = Request("", paths, scope.globs or (), buffers=session.buffers(), exclude_spans=excluded)
    return Question(
        request=_worded(request, params),
        folders=tuple(folder.path for folder in session.folders),
        unsynced=len(session.unsynced()),
        encoding=session.encoding,
        texts=session.reads_texts,
        home=next((folder for folder in around if document is not None and _holds(folder, document.path)), around[0]),
    )


def _worded(request: Request, params: AskParams | FindParams) -> Request:
    """With what is asked, and what the client wants it to cost at most."""
    if not isinstance(params, AskParams):
        return replace(request, question=params.query, limit=params.limit, rerank=params.rerank)
    limits = Limits(params.budget.calls, params.budget.tokens, params.budget.seconds, params.budget.cost)
    return replace(request, question=params.question, mode=params.mode, limits=limits, thread=params.thread)


def _holds(folder: str, path: str | None) -> bool:
    return path is not None and inside(os.path.realpath(path), folder)


def _paths(session: Session, scope: Scope) -> tuple[str, ...]:
    uris = scope.folders if scope.uri is None or scope.range is not None else (scope.uri,)
    try:
        if uris:
            return tuple(session.allowed(uri) for uri in uris)
    except UriRefused as error:
        raise PathRefused(f"the scope cannot be searched: {error}") from error
    if session.folders:
        return ()
    paths = tuple(sorted(path for path in session.buffers() if os.path.exists(path)))
    if not paths:
        raise UsageError("there is nothing to search: open a folder")
    return paths
