"""What a check of an answer tells about other files: that one could not be read, or hides text from who reads it.

Nothing is decided here. That a file cannot be read is what reading it says; that text was taken out of what a model was
sent is what the oracle noted (`lens_lsp.judge.redaction`). Both are told for as long as they are so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from lsprotocol import types

from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.workspace import Snapshot, overlay
from lens_lsp.judge.redaction import veils
from lens_lsp.lsp.convert import Ranges
from lens_lsp.lsp.diagnostics import SOURCE
from lens_lsp.lsp.evidence import Found
from lens_lsp.lsp.sight import TOP, Sight
from lens_lsp.model.answer import Answer
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.errors import LensError

Told = Mapping[str, Sequence[types.Diagnostic]]
"""By the path of the file that it is about."""

_NOT_READ = frozenset(
    {
        SkipReason.BINARY,
        SkipReason.BROKEN,
        SkipReason.DIED,
        SkipReason.ENCRYPTED,
        SkipReason.NO_READER,
        SkipReason.NO_TEXT,
        SkipReason.PERMISSION,
        SkipReason.TIMED_OUT,
        SkipReason.TOO_LARGE,
        SkipReason.UNREADABLE,
        SkipReason.UNSUPPORTED,
    }
)
"""Why a file that a question means is not read although nobody asked for that."""
_MOST_FILES = 20
_MOST_VEILS = 20


def told_elsewhere(sight: Sight, base: str, found: Sequence[Found]) -> Told:
    """What is to be told about files that a checked text cites, or that its question named; ``base`` is its folder."""
    told: dict[str, list[types.Diagnostic]] = {}
    for each in found:
        unread = each.finding.checked.unread
        if unread is not None and unread is not SkipReason.LINK:  # where it leads is nobody's business
            citation = each.finding.checked.citation
            path = os.path.abspath(os.path.join(base, citation.root, *citation.path.split("/")))
            told[path] = [_failed(unread, f"[{each.written.label}] cites it")]
    if sight.known is not None:
        for path, reason in _named(sight, sight.known):
            told.setdefault(path, [_failed(reason, "the question means it")])
        for path, places in _hiding(sight, sight.known):
            told.setdefault(path, []).extend(places)
    return told


def _failed(reason: SkipReason, why: str) -> types.Diagnostic:
    said = f"lens cannot read this file ({reason.value}): {why}"
    return types.Diagnostic(TOP, said, types.DiagnosticSeverity.Information, "lens.extract-failed", source=SOURCE)


def _named(sight: Sight, answer: Answer) -> Iterator[tuple[str, SkipReason]]:
    """The files that a question named and that cannot be read: by their names, or since there was nothing else."""
    coverage = answer.coverage
    meant = [
        skip.path
        for skip in coverage.skipped
        if skip.reason in _NOT_READ and (not coverage.scanned or _in_words(skip.path, answer.question))
    ]
    for root in answer.roots:
        for path in meant[:_MOST_FILES]:
            whole = os.path.join(root, *path.split("/"))
            reason = _read(sight, root, path) if os.path.lexists(whole) else None
            if isinstance(reason, SkipReason):
                yield whole, reason


def _in_words(path: str, question: str) -> bool:
    name = re.escape(path.rpartition("/")[2])
    return re.search(rf"(?<![\w.-]){name}(?![\w-])", question, re.IGNORECASE) is not None


def _hiding(sight: Sight, answer: Answer) -> Iterator[tuple[str, list[types.Diagnostic]]]:
    """The documents of which a model was sent less than stands there, with the places as they are now."""
    for root, path in dict.fromkeys((sent.root, sent.path) for sent in answer.account.sent if sent.veiled):
        text = _read(sight, answer.roots[root], path)
        if isinstance(text, str):
            ranges = Ranges(text, sight.encoding)
            found = [
                types.Diagnostic(
                    ranges.range(span),
                    f"characters that nobody sees ({len(span)}): they were taken out of what the model was sent",
                    types.DiagnosticSeverity.Warning,
                    "lens.hidden-text",
                    source=SOURCE,
                )
                for span in veils(text)[:_MOST_VEILS]
            ]
            yield os.path.join(answer.roots[root], *path.split("/")), found


def _read(sight: Sight, root: str, path: str) -> str | SkipReason | None:
    """The text of a document now, or why there is none; None where the folder is gone."""
    try:
        with Root(root) as opened:
            return Snapshot([opened], overlay([opened], sight.buffers), sight.rules).document(0, path).text
    except Skipped as skipped:
        return skipped.reason
    except LensError:
        return None
