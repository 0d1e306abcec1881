"""Results of the language server in the shapes that the tools give."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from lens_lsp.lsp.locations import path_of
from lens_lsp.mcp.bounds import Bounds
from lens_lsp.mcp.results import (
    AskGiven,
    BesideQuote,
    CheckedGiven,
    CheckGiven,
    CitationGiven,
    ClusterFact,
    ClusterGiven,
    ClustersGiven,
    ContextGiven,
    CoverageGiven,
    FactGiven,
    FindGiven,
    HiddenPart,
    NotRead,
    QuestionGiven,
    ReadGiven,
)
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.inert import printable_path
from lens_lsp.model.places_shown import has_own_places, shown_place

_NAMED = 50
"""Files that are named among those that were not read."""
STATES = ("verified", "moved", "drifted", "broken")


def ask_given(result: Mapping[str, Any], bounds: Bounds, warnings: Sequence[str]) -> AskGiven:
    """Of ``lens/ask``; ``warnings`` come before its own."""
    ledger = result["ledger"]
    uri = result["answerUri"]
    return AskGiven(
        question=result["question"],
        status=result["status"],
        mode=result["mode"],
        stopped=result["stopped"],
        answer=result["answer"],
        short_answer=result["shortAnswer"],
        facts=[
            FactGiven(
                id=each["id"],
                text=each["text"],
                status=each["status"],
                value=each["value"],
                confidence=each["confidence"],
                citations=each["evidence"],
            )
            for each in result["requirements"]
        ],
        citations=[citation_given(each, result["roots"], bounds) for each in result["evidence"]],
        coverage=_coverage(result["coverage"], result["roots"], bounds),
        warnings=[*warnings, *result["warnings"]],
        sent_to=ledger["endpoint"] if ledger["sent"] else None,
        sent_passages=len(ledger["sent"]),
        resource=None if uri is None else answer_resource(uri),
    )


def find_given(result: Mapping[str, Any], bounds: Bounds) -> FindGiven:
    """Of ``lens/find``."""
    return FindGiven(
        query=result["query"],
        citations=[citation_given(each, result["roots"], bounds) for each in result["evidence"]],
        missing=list(result["missing"]),
        coverage=_coverage(result["coverage"], result["roots"], bounds),
        warnings=result["warnings"],
    )


def citation_given(item: Mapping[str, Any], roots: Sequence[str], bounds: Bounds) -> CitationGiven:
    """Evidence of a result, or of an event."""
    folder, path = bounds.placed(os.path.join(roots[item["root"]], *item["path"].split("/")))
    beside = item.get("beside")
    alone = beside is None or (beside["before"] == "" and beside["after"] == "")
    lines = _lines(item)
    return CitationGiven(
        n=item["n"],
        where=_where(path, lines, item["locator"]),
        path=path,
        folder=folder,
        lines=lines,
        quote=item["quote"],
        cut=list(item["cut"]),
        context=[
            ContextGiven(role=part["role"], text=part["text"], span=tuple(part["span"]), cut=list(part["cut"]))
            for part in item["context"]
        ],
        sha256=item["sha256"],
        span=tuple(item["span"]),
        locator=item["locator"],
        heading=list(item["heading"]),
        facts=list(item["requirements"]),
        reader=item["reader"],
        beside=None if beside is None or alone else BesideQuote(**beside),
        cleaned=bool(item.get("cleaned", False)),
    )


def read_given(result: Mapping[str, Any]) -> ReadGiven:
    """Of ``lens/passage``."""
    lines = None if result["extracted"] else tuple(result["lines"])
    return ReadGiven(
        where=_where(result["path"], lines, result["locator"]),
        path=result["path"],
        folder=result["folder"],
        lines=lines,
        total_lines=None if result["extracted"] else result["totalLines"],
        text=result["text"],
        span=tuple(result["span"]),
        sha256=result["sha256"],
        reader=result["reader"],
        locator=result["locator"],
        cleaned=result["cleaned"],
        page=result["page"],
        pages=result["pages"],
        total=result["total"],
        truncated=result["truncated"],
    )


def check_given(numbered: Sequence[tuple[int, Mapping[str, Any]]]) -> CheckGiven:
    """Of ``lens/check``, each with its number."""
    citations = [_checked(n, each) for n, each in numbered]
    counts = {state: sum(each.state == state for each in citations) for state in STATES}
    return CheckGiven(citations=citations, counts=counts)


def clusters_given(clusters: Sequence[Mapping[str, Any]], limit: int) -> ClustersGiven:
    """Of ``lens/clusters``, the first ones."""
    return ClustersGiven(clusters=[cluster_given(each) for each in clusters[:limit]], total=len(clusters))


def cluster_given(cluster: Mapping[str, Any]) -> ClusterGiven:
    """One of ``lens/clusters``."""
    questions = [
        QuestionGiven(
            question=each["question"],
            asked=each["asked"],
            status=each["status"],
            short_answer=each["shortAnswer"],
            resource=None if each["answerUri"] is None else answer_resource(each["answerUri"]),
        )
        for each in cluster["questions"]
    ]
    facts = [
        ClusterFact(text=each["text"], status=each["status"], value=each["value"], retired=each["retired"])
        for each in cluster["facts"]
    ]
    return ClusterGiven(
        id=cluster["id"],
        title=cluster["title"],
        folder=cluster["workspace"],
        used=cluster["used"],
        resource=cluster_resource(cluster["id"]),
        questions=questions,
        facts=facts,
        citations=len(cluster["citations"]),
        fresh=cluster["freshness"],
    )


def answer_resource(uri: str) -> str:
    """The resource of an answer, by the URI of its file."""
    return f"lens://answer/{os.path.splitext(os.path.basename(path_of(uri)))[0]}"


def cluster_resource(id_: str) -> str:
    """The resource of a cluster."""
    return f"lens://cluster/{id_}"


def _checked(n: int, item: Mapping[str, Any]) -> CheckedGiven:
    lines = None if item["lines"] is None else tuple(item["lines"])
    return CheckedGiven(
        n=n,
        state=item["state"],
        why=item["why"],
        where=None if item["path"] is None else _where(item["path"], lines, item["locator"]),
        path=item["path"],
        folder=item["folder"],
        lines=lines,
        span=None if item["span"] is None else tuple(item["span"]),
        sha256=item["sha256"],
        locator=item["locator"],
    )


def _coverage(coverage: Mapping[str, Any], roots: Sequence[str], bounds: Bounds) -> CoverageGiven:
    skipped, partial = coverage["skipped"], coverage["partial"]
    not_read = [NotRead(path=path, folder=None, reason=SkipReason.MISSING.value) for path in bounds.missing]
    not_read += [
        NotRead(
            path=each["path"],
            folder=None if os.path.isabs(each["path"]) else roots[each["root"]],
            reason=each["reason"],
        )
        for each in skipped[:_NAMED]
    ]
    hidden = [
        HiddenPart(path=each["path"], folder=roots[each["root"]], line=each["line"], reason=each["reason"])
        for each in partial[:_NAMED]
    ]
    return CoverageGiven(
        files=coverage["found"],
        searched=coverage["scanned"],
        read_closely=coverage["read"],
        matches_unread=coverage["matchesUnread"],
        pictures=coverage["pictures"],
        not_read=not_read,
        not_read_total=len(skipped) + len(bounds.missing),
        hidden=hidden,
        hidden_total=len(partial),
    )


def _lines(item: Mapping[str, Any]) -> tuple[int, int] | None:
    """First and last line of a quote; None where its document has other places, or it has no place now."""
    if has_own_places(item["locator"]) or item["encoding"] == "binary":
        return None
    if "start" in item:
        return item["start"]["line"], item["end"]["line"]
    place = item["range"]
    if place is None or place["start"] == place["end"]:
        return None
    first, last = place["start"]["line"] + 1, place["end"]["line"] + 1
    return first, max(first, last - 1) if place["end"]["character"] == 0 else last


def _where(path: str, lines: tuple[int, ...] | None, locator: Mapping[str, Any] | None) -> str:
    shown = printable_path(path)
    if lines is None or has_own_places(locator):
        return shown_place(shown, locator)
    return f"{shown}:{lines[0]}-{lines[1]}"
