"""What is asked, of what, and within which limits: the same plain value for every front end."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import field

from lens_lsp.app.settings import CommandLine
from lens_lsp.corpus.intake import Buffer
from lens_lsp.judge.ledger import Limits
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import Span

RERANKED = 24
"""Passages that the reader reads where it orders them."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question, or a query of `find`.

    ``paths`` are folders and files; none mean the current folder and the user's ``extraRoots``. ``globs`` narrow them,
    instead of the scopes of a project. ``options`` are what the user typed or chose for this question: only they may be
    above the default of a limit. ``mode`` and ``limits`` are what a program says for its user (an editor, an agent, the
    page): its limits only lower. ``thread`` names the conversation in the store that the question continues.

    ``buffers`` are texts open in an editor, by absolute path, which win over the disk; ``exclude_spans`` are the spans,
    in code points and by absolute path, that hold the question itself and are never evidence. ``limit`` is how many
    passages `find` gives; where ``rerank``, the reader orders the best of them; ``documents`` how many ranked documents
    an answer lists, at least ten. ``ablate`` names parts of the search that are off; ``trace`` adds to the events what
    recomputing the beliefs needs; ``admitted`` is how many documents the search admits first, by default ten in the
    mode `deep` and else those of the first 50 passages.

    A `Lens` is asked of its own paths: it uses what stands from ``thread`` on.
    """

    question: str
    paths: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    options: CommandLine = CommandLine()
    mode: str | None = None
    limits: Limits = Limits()
    thread: str | None = None
    seed: int = 0
    limit: int = 10
    rerank: bool = False
    buffers: Mapping[str, Buffer] = field(default_factory=dict)
    exclude_spans: Mapping[str, Span] = field(default_factory=dict)
    ablate: Set[str] = frozenset()
    trace: bool = False
    documents: int = 10
    admitted: int | None = None
