"""The JSON shape of clusters: schema ``lens.clusters/1``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from lens_lsp.memory.clusters import short_of, value_of, words_of
from lens_lsp.model.answer import Answer
from lens_lsp.model.citation import Citation
from lens_lsp.model.cluster import Asked, Cluster, KnownFact, WrongAnswer

SCHEMA = "lens.clusters/1"
WRONG_SCHEMA = "lens.wrong/1"


def clusters_json(clusters: Sequence[Cluster]) -> dict[str, object]:
    """The whole of ``lens clusters list --json`` and ``show --json``; equal clusters give equal bytes."""
    return {"schema": SCHEMA, "clusters": [cluster_json(cluster) for cluster in clusters]}


def cluster_json(cluster: Cluster) -> dict[str, object]:
    """One cluster; times are UTC, spans code points."""
    return {
        "id": cluster.id,
        "title": cluster.title,
        "archived": cluster.archived,
        "confidence": cluster.confidence,
        "hits": cluster.hits,
        "created": moment(cluster.created),
        "used": moment(cluster.used),
        "questions": [asked_json(asked, cluster) for asked in cluster.asked],
        "facts": [_fact(fact, cluster) for fact in cluster.facts],
        "citations": [citation_json(id_, citation) for id_, citation in cluster.citations],
        "links": [{"cluster": link.cluster, "weight": link.weight} for link in cluster.links],
    }


def wrong_json(wrong: Sequence[WrongAnswer]) -> dict[str, object]:
    """Answers that were called wrong: schema ``lens.wrong/1``."""
    return {"schema": WRONG_SCHEMA, "checks": [_wrong(each) for each in wrong]}


def asked_again_json(asked: Sequence[tuple[WrongAnswer, Answer, bool]]) -> dict[str, object]:
    """The same, each with what its question is answered now and whether that is still the wrong answer."""
    return {
        "schema": WRONG_SCHEMA,
        "checks": [
            _wrong(wrong)
            | {"now": {"status": now.status.value, "answer": now.text, "shortAnswer": now.short}, "given": given}
            for wrong, now, given in asked
        ],
    }


def _wrong(wrong: WrongAnswer) -> dict[str, object]:
    return {
        "id": wrong.id,
        "question": wrong.question,
        "answer": wrong.text,
        "shortAnswer": wrong.short,
        "oracle": wrong.oracle,
        "called": moment(wrong.at),
    }


def moment(at: float, precision: Literal["seconds", "milliseconds"] = "seconds") -> str:
    """A time in seconds since the epoch as ISO 8601, in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec=precision)


def asked_json(asked: Asked, cluster: Cluster) -> dict[str, object]:
    """A question with its answer; in quotes where a model worded it."""
    citations = dict(cluster.citations)
    return {
        "question": asked.question,
        "asked": moment(asked.at),
        "mode": asked.mode.value,
        "oracle": asked.oracle,
        "status": asked.status.value,
        "answer": words_of(asked, citations),
        "shortAnswer": short_of(asked, citations),
        "facts": list(asked.facts),
        "evidence": list(asked.evidence),
    }


def _fact(fact: KnownFact, cluster: Cluster) -> dict[str, object]:
    return {
        "id": fact.id,
        "text": fact.requirement.text,
        "status": fact.status.value,
        "value": value_of(fact, cluster),
        "confidence": fact.confidence,
        "evidence": list(fact.evidence),
        "proven": moment(fact.at),
        "retired": fact.retired,
    }


def citation_json(id_: str, citation: Citation) -> dict[str, object]:
    """A citation under its id."""
    return {
        "id": id_,
        "root": citation.root,
        "path": citation.path,
        "sha256": citation.sha256,
        "span": [citation.span.start, citation.span.end],
        "quote": citation.quote,
        "heading": list(citation.heading),
        "locator": None if citation.locator is None else dict(citation.locator),
    }
