"""What is asked, frozen in the moment of the request."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.domain.errors import PathRefused, UsageError
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.text import Span
from lens_lsp.lsp.convert import Encoding, Ranges
from lens_lsp.lsp.uris import UriRefused, inside
from lens_lsp.lsp.wire import AskParams, Scope

if TYPE_CHECKING:
    from lens_lsp.corpus.rules import CorpusRules
    from lens_lsp.lsp.session import Session
    from lens_lsp.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of what, as it was in the moment of the request: nothing in it changes with the editor."""

    text: str
    paths: tuple[str, ...]
    """Absolute; empty means the workspace folders and what is always searched beside them."""
    workspaces: tuple[str, ...]
    globs: tuple[str, ...]
    buffers: Mapping[str, Buffer]
    asking: Mapping[str, Span]
    unsynced: int
    """Open texts that could not be used."""
    encoding: Encoding
    texts: bool
    """Whether places in extracted formats count in their texts."""
    home: str
    """The workspace whose store remembers the answer."""


def frozen(session: Session, params: AskParams) -> Question:
    """The question with everything the editor holds now. Raises `UsageError` and `PathRefused` for its scope."""
    asking = {}
    scope = params.scope
    document = None if scope.uri is None else session.documents.get(scope.uri)
    if scope.range is not None and document is not None and document.path is not None:
        ranges = Ranges(document.text, session.encoding)
        asking[session.allowed(document.uri)] = ranges.span(scope.range.start, scope.range.end)
    paths = _paths(session, scope)
    around = session.workspaces() or tuple(dict.fromkeys(os.path.dirname(os.path.realpath(path)) for path in paths))
    return Question(
        text=params.question,
        paths=paths,
        workspaces=around,
        globs=scope.globs or (),
        buffers=session.buffers(),
        asking=asking,
        unsynced=len(session.unsynced()),
        encoding=session.encoding,
        texts=session.reads_texts,
        home=next((folder for folder in around if document is not None and _holds(folder, document.path)), around[0]),
    )


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


def searched(session: Session, question: Question, settings: Settings) -> tuple[tuple[str, ...], CorpusRules]:
    """The paths that a question is asked of, and what of them is looked at."""
    rules = replace(settings.rules, scopes=question.globs) if question.globs else settings.rules
    return question.paths or (*(folder.path for folder in session.folders), *settings.extra_roots), rules
