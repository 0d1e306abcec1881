"""The sentences of an answer beside the evidence they cite: what of them does not stand there, and which of them a
judge should look at again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lens_lsp.judge import claims
from lens_lsp.judge.answer_markdown import cited_sentences, plain
from lens_lsp.judge.claim_text import Passage
from lens_lsp.judge.oracle import Claim, Fault
from lens_lsp.model.answer import Doubt
from lens_lsp.model.documents import Evidence
from lens_lsp.model.words import key
from lens_lsp.search.consolidate import Item

MOST_CLAIMS = 20
"""Sentences of one answer that a judge is asked about."""
_MOST_NAMED = 12
_GAP = re.compile(r" +(?=[.,;:!?](?: |\Z))")
"""Where a marker stood before a mark."""
_LABEL = re.compile(r"\A[ \t]*\*\*[^*\n]{1,80}(?::\*\*|\*\*[ \t]*:)")
"""What an item of a list begins with that names it."""
_TOLD = frozenset({claims.Reason.NEGATION, claims.Reason.LIMIT})
"""What rules say of these is told beside the answer and decides nothing: most of it was unfounded
over the answers of a capable reader."""


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer beside its evidence."""

    doubts: tuple[Doubt, ...]
    arguable: tuple[Claim, ...]
    """Sentences that rules tell too little of; none once they were judged."""

    @property
    def decisive(self) -> list[Doubt]:
        """The doubts that keep the text from being called an answer."""
        return [doubt for doubt in self.doubts if doubt.decisive]


def passages_of(items: Sequence[Item], shown: Sequence[Evidence], question: str) -> dict[int, Passage]:
    """The evidence by its numbers, as a sentence that cites it is compared with it; what the question says is no claim
    of the judge's."""
    return {
        part.n: passage_of(part, item.document.structure.head.title or "", question)
        for item, part in zip(items, shown, strict=True)
    }


def passage_of(item: Evidence, title: str, *known: str) -> Passage:
    """An item of evidence as rules see it, from a document with a ``title``; what is ``known`` need not stand there."""
    return Passage(item.quote, item.before, item.after, (*item.heading, *known), title, item.path)


def compare(
    text: str,
    passages: Mapping[int, Passage],
    shown: Sequence[Evidence],
    ours: Sequence[Passage],
    verdict: Mapping[str, Sequence[Fault]] | None = None,
) -> Compared:
    """Compare each sentence with what it cites; what is ``ours`` is known by our own arithmetic. ``verdict`` holds the
    faults that a judge found in sentences, by their text: it takes the place of what rules say of them, except of
    figures, which are compared letter by letter."""
    found: list[Doubt] = []
    arguable: list[Claim] = []
    for sentence in cited_sentences(text):
        near = [passages[n] for n in sentence.citations if n in passages]
        if not near:
            continue
        said = _LABEL.sub(lambda label: " " * len(label.group()), sentence.text)
        written = text[sentence.span.start : sentence.span.end]
        cited = tuple(item for item in shown if item.n in sentence.citations)
        claim = Claim(_GAP.sub("", " ".join(sentence.text.split())), cited)
        ruled = claims.check(said, [*near, *ours])
        judged = None if verdict is None else verdict.get(claim.text)
        if judged is not None:
            ruled = tuple(doubt for doubt in ruled if doubt.reason in claims.LITERAL)
        elif (
            verdict is None
            and not claim.text.endswith((":", "："))  # what leads into a list is nothing without it
            and (any(doubt.reason not in claims.LITERAL for doubt in ruled) or claims.is_arguable(said, near))
        ):
            arguable.append(claim)
        own = [
            Doubt(written, said[doubt.span.start : doubt.span.end], doubt.reason.value, doubt.reason not in _TOLD)
            for doubt in ruled
        ]
        found += own
        for fault in judged or ():
            words = fault.words if key(fault.words) and key(fault.words) in key(written) else claim.text
            if not any(key(doubt.words) in key(words) for doubt in own):
                found.append(Doubt(written, words, fault.reason))
    return Compared(tuple(found), tuple(arguable[:MOST_CLAIMS]))


def beyond(short: str, passages: Sequence[Passage]) -> list[Doubt]:
    """What of a short answer stands in no passage."""
    return [
        Doubt(short, short[doubt.span.start : doubt.span.end], doubt.reason.value)
        for doubt in claims.check_short(short, passages)
    ]


def named(doubts: Sequence[Doubt]) -> str:
    """The words in doubt, as a person is told them."""
    parts = list(dict.fromkeys(f"“{plain(one.words)}”{_kind(one)}" for one in doubts))
    more = f"; and {len(parts) - _MOST_NAMED:,} more" if len(parts) > _MOST_NAMED else ""
    return f"*What is cited does not state: {'; '.join(parts[:_MOST_NAMED])}{more}.*"


def _kind(doubt: Doubt) -> str:
    return "" if doubt.reason == claims.Reason.MEANING else f" ({doubt.reason})"
