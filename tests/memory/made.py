"""Clusters made for tests: small, with parts that often coincide, so that they merge, link and split."""

from __future__ import annotations

from hypothesis import strategies as st

from lens_lsp.memory.clusters import citation_id, fact_id, identify, settled
from lens_lsp.model.answer import Mode, RequirementStatus, Status
from lens_lsp.model.cluster import Asked, Citation, Cluster, KnownFact
from lens_lsp.model.documents import TextSource
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span


def citation(n: int, *, path: str = "notes.md") -> Citation:
    """The ``n``-th quote of a file."""
    quote = f"The value of item {n} is {n * 7}."
    return Citation(
        root="",
        path=path,
        source=TextSource.DISK,
        sha256=f"{n:064x}",
        encoding="utf-8",
        reader="markdown/1",
        span=Span(n * 100, n * 100 + len(quote)),
        quote=quote,
    )


def known_fact(key: str, value: str | None, evidence: list[Citation], *, at: float = 1.0) -> KnownFact:
    return KnownFact(
        id=fact_id(key, value),
        key=key,
        requirement=Requirement("f1", key),
        status=RequirementStatus.COVERED,
        value=value,
        confidence=0.9,
        evidence=tuple(sorted({citation_id(c) for c in evidence})),
        at=at,
    )


def asked_about(question: str, facts: list[KnownFact], *, at: float = 1.0) -> Asked:
    requirements = tuple(Requirement(f"f{n}", fact.key) for n, fact in enumerate(facts, 1))
    return Asked(
        id=identify("asked", question),
        question=question,
        key=question.casefold(),
        plan=Plan(question, requirements, ()),
        mode=Mode.EVIDENCE,
        oracle="offline",
        at=at,
        status=Status.ANSWERED,
        text=f"{question} [1]",
        short=None,
        facts=tuple(fact.id for fact in facts),
        evidence=tuple(dict.fromkeys(id_ for fact in facts for id_ in fact.evidence)),
    )


def cluster(
    question: str, facts: list[tuple[str, str | None, list[int]]], *, at: float = 1.0, hits: int = 0
) -> Cluster:
    known = [known_fact(key, value, [citation(n) for n in numbers], at=at) for key, value, numbers in facts]
    citations = {citation_id(citation(n)): citation(n) for _, _, numbers in facts for n in numbers}
    return settled(
        Cluster(
            id=identify("cluster", question, str(at)),
            title="",
            asked=(asked_about(question, known, at=at),),
            facts=tuple(sorted({fact.id: fact for fact in known}.values(), key=lambda fact: fact.id)),
            citations=tuple(sorted(citations.items())),
            hits=hits,
            created=at,
            used=at,
        )
    )


KEYS = st.sampled_from(["width of item", "height of item", "owner", "date of release", "price"])
FACTS = st.lists(
    st.tuples(KEYS, st.sampled_from([None, "7", "14"]), st.lists(st.integers(0, 5), min_size=1, max_size=3)),
    min_size=1,
    max_size=3,
    unique_by=lambda fact: fact[0],
)
CLUSTERS = st.builds(
    cluster,
    st.sampled_from([f"question {n}" for n in range(6)]),
    FACTS,
    at=st.sampled_from([1.0, 2.0, 3.0]),
    hits=st.integers(0, 3),
)
