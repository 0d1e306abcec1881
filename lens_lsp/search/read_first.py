"""Search by reading first: a judge reads the best passages, quotes them and answers in one call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from lens_lsp.judge.answer_markdown import MARKER, NUMBER
from lens_lsp.judge.oracle import Answerable, ReadReply
from lens_lsp.search.rounds import Quote

_MARKER = re.compile(rf"([ \t]*){MARKER.pattern}")


def joined(
    first: ReadReply, said: Mapping[int, Quote], second: ReadReply, more: Mapping[int, Quote]
) -> tuple[ReadReply, dict[int, Quote]]:
    """Two replies over two pieces of one document as one, and their quotes that stand: those of the second are numbered
    on, its answer follows. A piece that says nothing of what is asked leaves what was said."""
    if second.answerable is Answerable.NO:
        first.shown, first.withheld, first.broken_off = second.shown, second.withheld, second.broken_off
        return first, dict(said)
    behind = max((quote.number for quote in first.quotes), default=0)

    def renumbered(match: re.Match[str]) -> str:
        return f"{match[1]}[{', '.join(str(int(number) + behind) for number in NUMBER.findall(match[2]))}]"

    answerable = min(first.answerable, second.answerable, key=list(Answerable).index)
    parts = first.answer, _MARKER.sub(renumbered, second.answer)
    reply = ReadReply(
        answerable,
        (*first.quotes, *(replace(quote, number=quote.number + behind) for quote in second.quotes)),
        (*first.items, *(replace(item, quote=item.quote + behind) for item in second.items)),
        missing=() if answerable is Answerable.YES else tuple(dict.fromkeys((*first.missing, *second.missing))),
        terms=second.terms,
        answer="\n\n".join(part for part in parts if part),
        short=first.short or second.short,
        shown=second.shown,
        withheld=second.withheld,
        broken_off=second.broken_off,
    )
    return reply, {**said, **{number + behind: quote for number, quote in more.items()}}
