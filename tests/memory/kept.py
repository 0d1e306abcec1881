"""Clusters to keep: each a function of its number, so that what comes back can be compared with what was saved."""

from __future__ import annotations

import random

from lens_lsp.model.answer import Computation, Mode, RequirementStatus, Status
from lens_lsp.model.cluster import (
    Asked,
    Citation,
    Cluster,
    ClusterLink,
    DocumentSummary,
    KnownFact,
    Seen,
    Turn,
    WrongAnswer,
)
from lens_lsp.model.documents import Locator, TextSource
from lens_lsp.model.plan import (
    Anchor,
    AnchorKind,
    AnswerType,
    Combination,
    Condition,
    Intent,
    MatchRule,
    Plan,
    Requirement,
    Transformation,
    Unit,
)
from lens_lsp.model.text import Span

WORDS = ("harbour", "Ölpreis", "価格", "lathe 🛠", 'the "old" mill', "line\nbreak", "nul\0byte", "naïve")


def kept(n: int, *, revision: int = 0, parts: int = 3) -> Cluster:
    """The ``n``-th cluster with ``parts`` facts, as it is after some revisions."""
    draw = random.Random(n * 1_000 + revision)
    citations = tuple((f"c{n}-{i}", _citation(draw, n, i)) for i in range(parts + 1))
    facts = tuple(_fact(draw, n, i, revision) for i in range(parts))
    return Cluster(
        id=f"k{n}",
        title=question(n),
        asked=tuple(_asked(draw, n, i, facts) for i in range(1 + n % 2)),
        facts=facts,
        citations=citations,
        links=tuple(ClusterLink(f"k{n + i}", draw.random()) for i in range(1, n % 3)),
        hits=revision,
        created=float(n),
        used=1.7e9 + n + draw.random(),
        confidence=draw.choice([None, 0.5, draw.random()]),
        archived=n % 7 == 6,
    )


def question(n: int) -> str:
    """What was asked for the ``n``-th cluster."""
    return f"What is the width of item {n} at the {WORDS[n % len(WORDS)]}?"


def question_key(n: int) -> str:
    """Its normal form."""
    return f"width item {n}"


def fact_key(n: int, i: int = 0) -> str:
    """The normal form of a requirement of the ``n``-th cluster."""
    return f"width of part {i} of item {n}"


def kept_summary(n: int) -> DocumentSummary:
    """A summary of a document that the ``n``-th cluster cites."""
    return DocumentSummary("", _path(n, 0), f"{n:064x}", f"Item {n} is wide. " * (1 + n % 40))


def kept_turn(n: int, thread: str = "main") -> Turn:
    """The ``n``-th question of a thread."""
    return Turn(thread, n, "and its width?", question(n), f"k{n}" if n % 4 else None, 1.7e9 + n)


def kept_wrong(n: int) -> WrongAnswer:
    """The ``n``-th answer that was called wrong."""
    word = WORDS[n % len(WORDS)]
    facts = tuple(f"f{n}-{i}-0" for i in range(n % 3))
    return WrongAnswer(
        f"w{n}", question(n), question_key(n), f"It is {word}.", word if n % 2 else None, "offline", facts, 1.7e9 + n
    )


def _path(n: int, i: int) -> str:
    return f"notes/{WORDS[(n + i) % len(WORDS)]}/{n}-\udcff.md" if n % 5 == 0 else f"notes/{n}-{i}.md"


def _citation(draw: random.Random, n: int, i: int) -> Citation:
    quote = f"Item {n} has part {i}, {draw.randrange(10**9)} wide: {WORDS[i % len(WORDS)]}. " * draw.choice(
        [1, 1, 2, 60]
    )
    locator: Locator | None = draw.choice([None, {"row": i, "sheet": "prices"}])
    return Citation(
        root=draw.choice(["", "../other", "/srv/notes"]),
        path=_path(n, i),
        source=draw.choice(list(TextSource)),
        sha256=f"{draw.getrandbits(256):064x}",
        encoding="utf-8",
        reader="markdown/1",
        span=Span(i * 1_000, i * 1_000 + len(quote)),
        quote=quote,
        match=draw.choice(["exact", "normalised"]),
        left=draw.choice([None, "", "before it stood this"]),
        right=draw.choice([None, "", "and behind it that"]),
        heading=draw.choice([(), ("Items", f"Item {n}")]),
        locator=locator,
        count=draw.choice([None, 1, 3]),
    )


def _requirement(draw: random.Random, n: int, i: int) -> Requirement:
    condition = draw.choice([None, Condition(">=", "7 mm")])
    rule = draw.choice([None, MatchRule(("width", "mm"), draw.choice(list(Unit)), condition, ("items",))])
    kind = draw.choice(list(AnswerType))
    template = "the width of {f1}" if i == 2 else None
    text = f"the width of part {i} of item {n}"
    return Requirement(f"f{i + 1}", text, rule is not None, kind, ("item",), rule, template)


def _fact(draw: random.Random, n: int, i: int, revision: int) -> KnownFact:
    return KnownFact(
        id=f"f{n}-{i}-{revision}",
        key=fact_key(n, i),
        requirement=_requirement(draw, n, i),
        status=draw.choice(list(RequirementStatus)),
        value=draw.choice([None, "7 mm", "−3.5 µm"]),
        confidence=draw.choice([None, draw.random()]),
        evidence=(f"c{n}-{i}", f"c{n}-{i + 1}"),
        at=1.7e9 + i + draw.random(),
        retired=draw.random() < 0.1,
    )


def _asked(draw: random.Random, n: int, i: int, facts: tuple[KnownFact, ...]) -> Asked:
    requirements = tuple(fact.requirement for fact in facts)
    combination = Transformation(draw.choice(list(Combination)), draw.choice([None, "f1 - f2"]), ("one", "other"))
    return Asked(
        id=f"q{n}-{i}",
        question=question(n),
        key=question_key(n),
        plan=Plan(
            question(n),
            requirements,
            (Anchor("width", draw.choice(list(AnchorKind)), draw.random(), ("f1", "f2")), Anchor("item")),
            draw.choice(list(AnswerType)),
            draw.choice(list(Intent)),
            draw.choice([None, combination]),
            draw.choice([None, "items"]),
        ),
        mode=draw.choice(list(Mode)),
        oracle="offline",
        at=1.7e9 + i + draw.random(),
        status=draw.choice(list(Status)),
        text=f"It is 7 mm wide [1]. {WORDS[i % len(WORDS)]}",
        short=draw.choice([None, "7 mm"]),
        facts=tuple(draw.choice([None, fact.id]) for fact in facts),
        evidence=tuple(dict.fromkeys(id_ for fact in facts for id_ in fact.evidence)),
        seen=tuple(Seen("", _path(n, j), f"{draw.getrandbits(256):064x}") for j in range(draw.randrange(4))),
        computation=draw.choice([None, Computation("10 mm - 3 mm", (1, 2), "7", draw.choice([None, "mm"]))]),
    )
