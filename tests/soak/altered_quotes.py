"""Quotes with one thing changed that matters are never found, whatever they are like.

A quote is cut from a real text, then a figure, a negation, a word or the order of two words is changed so that the text
no longer says it. Unaltered it must be found, altered it must not. The control accepts nine tenths of likeness, as
fuzzy matchers do: it must be fooled by most.

    python -m tests.soak.altered_quotes DATA --n 10000
"""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from lens_lsp.corpus.formats import reader_for
from lens_lsp.model.documents import Document, Origin
from lens_lsp.model.observation import RegionView
from lens_lsp.model.text import Span
from lens_lsp.search.boundaries import shown
from lens_lsp.search.resolution import normalise, resolve
from tests.soak.harness import Options, Verdict, harness

NEGATIONS = re.compile(r"\b(?:not|no|never|nothing|none|cannot|without|nor)\b ?")


def altered(quote: str, vocabulary: list[str], chance: random.Random) -> str:
    """The quote with one thing changed that matters."""
    words = quote.split(" ")
    at = chance.randrange(1, len(words) - 1)
    figures = [match.start() for match in re.finditer(r"\d", quote)]
    kind = chance.randrange(8)
    if kind == 0 and figures:
        place = chance.choice(figures)
        return quote[:place] + str((int(quote[place]) + chance.randrange(1, 10)) % 10) + quote[place + 1 :]
    if kind == 1 and NEGATIONS.search(quote):
        return NEGATIONS.sub("", quote, count=1)
    if kind == 2:
        return " ".join([*words[:at], "not", *words[at:]])
    if kind == 3:
        return " ".join([*words[:at], *words[at + 1 :]])
    if kind == 4:
        return " ".join([*words[:at], "...", *words[at + 1 :]])
    if kind == 5:
        return " ".join([*words[: at - 1], words[at], words[at - 1], *words[at + 1 :]])
    if kind == 6:
        return " ".join([*words[:at], words[at] + "s", *words[at + 1 :]])
    return " ".join([*words[:at], chance.choice(vocabulary), *words[at + 1 :]])


def alterations(paragraphs: list[str], count: int) -> Iterator[tuple[str, str, str]]:
    """Paragraph, a quote from it, and the quote altered, so that the paragraph no longer says it."""
    chance = random.Random(7)
    vocabulary = sorted({word for paragraph in paragraphs for word in re.findall(r"[a-z]{3,12}", paragraph)})
    while count:
        paragraph = chance.choice(paragraphs)
        words = list(re.finditer(r"\S+", paragraph))
        first = chance.randrange(len(words) - 8)
        last = min(first + chance.randrange(7, 40), len(words) - 1)
        quote = paragraph[words[first].start() : words[last].end()]
        other = altered(quote, vocabulary, chance)
        if normalise(other).text.strip() not in normalise(paragraph).text and other not in paragraph:
            count -= 1
            yield paragraph, quote, other


def similar(quote: str, text: str) -> bool:
    """What a fuzzy matcher would accept: nine tenths of the quote in order around its longest common stretch."""
    matcher = SequenceMatcher(None, text, quote, autojunk=False)
    longest = matcher.find_longest_match()
    start = max(0, longest.a - longest.b)
    return SequenceMatcher(None, text[start : start + len(quote)], quote, autojunk=False).ratio() >= 0.9


def document(text: str, name: str = "a.md") -> Document:
    reader = reader_for(name)
    assert reader is not None
    return Document(0, name, text, f"{reader.name}/1", Origin("", "utf-8"), reader.structure(text))


def view(text: str, name: str = "a.md") -> RegionView:
    """All of a text as an oracle would see it."""
    return shown(document(text, name), Span(0, len(text)))


def articles(data: Path, most: int = 300) -> list[str]:
    """The beginnings of real articles that are long enough to quote from."""
    with gzip.open(data / "hotpotqa" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        bodies = [json.loads(next(lines))["body"][:1200] for _ in range(most)]
    return [body for body in bodies if len(body.split()) > 40]


def run(paragraphs: list[str], count: int, controls: int) -> dict[str, object]:
    accepted, found, fooled = [], 0, 0
    for number, (paragraph, quote, other) in enumerate(alterations(paragraphs, count)):
        whole = view(paragraph)
        found += resolve(quote, whole) is not None
        if resolve(other, whole) is not None:
            accepted.append(other)
        if number < controls:
            fooled += similar(other, paragraph)
    return {"n": count, "bad": len(accepted), "unaltered found": found, "control": {"n": controls, "bad": fooled}}


@harness(data=Path, n=10_000)
def main(options: Options) -> Verdict:
    result = run(articles(options.data, 3_000), options.n, controls=200)
    caught = result["control"]["bad"] > 100  # type: ignore[index]
    return {"figure": "altered quotes accepted", **result}, result["unaltered found"] == options.n and caught


if __name__ == "__main__":
    sys.exit(main())
