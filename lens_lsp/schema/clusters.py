"""The JSON shapes of clusters and of answers that were called wrong: ``lens.clusters/1``, ``lens.wrong/1``."""

from __future__ import annotations

from collections.abc import Sequence

from lens_lsp.memory.clusters import short_of, value_of, words_of
from lens_lsp.model.answer import Answer
from lens_lsp.model.cluster import Asked, Citation, Cluster, KnownFact, WrongAnswer
from lens_lsp.schema.answer import moment, shape

SCHEMA = "lens.clusters/1"
WRONG_SCHEMA = "lens.wrong/1"


def clusters_json(clusters: Sequence[Cluster]) -> dict[str, object]:
    """The whole of ``lens clusters list --json`` and ``show --json``; equal clusters give equal bytes."""
    return {"schema": SCHEMA, "clusters": [cluster_json(cluster) for cluster in clusters]}


def cluster_json(cluster: Cluster) -> dict[str, object]:
    """One cluster; times are UTC, spans code points."""
    return {
        **shape(cluster, "id", "title", "archived", "confidence", "hits"),
        "created": moment(cluster.created),
        "used": moment(cluster.used),
        "questions": [asked_json(asked, cluster) for asked in cluster.asked],
        "facts": [_fact(fact, cluster) for fact in cluster.facts],
        "citations": [citation_json(id_, citation) for id_, citation in cluster.citations],
        "links": shape(cluster.links),
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


def asked_json(asked: Asked, cluster: Cluster) -> dict[str, object]:
    """A question with its answer; in quotes where a model worded it."""
    citations = dict(cluster.citations)
    return {
        "question": asked.question,
        "asked": moment(asked.at),
        **shape(asked, "mode", "oracle", "status"),
        "answer": words_of(asked, citations),
        "shortAnswer": short_of(asked, citations),
        **shape(asked, "facts", "evidence"),
    }


def citation_json(id_: str, citation: Citation) -> dict[str, object]:
    """A citation under its id."""
    return {"id": id_, **shape(citation, "root", "path", "sha256", "span", "quote", "heading", "locator")}


def _fact(fact: KnownFact, cluster: Cluster) -> dict[str, object]:
    return {
        "id": fact.id,
        "text": fact.requirement.text,
        "status": fact.status.value,
        "value": value_of(fact, cluster),
        **shape(fact, "confidence", "evidence"),
        "proven": moment(fact.at),
        "retired": fact.retired,
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
