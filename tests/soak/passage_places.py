"""Passages out of tables, slides, mail and PDF files hold whole cells, and their place is the match's.

Files are made in which it is known where every word stands (`tests.soak.made_tables`), and words drawn from them are
asked for: of one cell, of two cells of a row, of a header and a cell, of two rows, and of the two sides of a border
between sheets, slides or mails. Every passage that `lens find` and `lens ask` show is compared with the file
(`benchmarks.passages.places`). The control is the same question answered by free windows, with the place where each
begins: what any search of plain text does.

    python -m tests.soak.passage_places --n 3000 --asked 100 --seed 1
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.passages.places import Truth, words_of
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import kind_for
from lens_lsp.model.answer import answer_of
from lens_lsp.model.documents import Evidence
from lens_lsp.model.text import Span
from tests.soak.harness import Options, Verdict, harness
from tests.soak.made_tables import Made, made_files

QUERIES = 40
"""Questions to each file of a kind, of all sizes."""
SHOWN = 5
WINDOW = 600


def questions(made: Sequence[Made], chance: random.Random, count: int) -> Iterator[tuple[Made, str]]:
    """Words that stand in a file, in an order in which a person may type them."""
    for _ in range(count):
        one = chance.choice(made)
        yield one, " ".join(_asked(one.truth, chance))


def _asked(truth: Truth, chance: random.Random) -> list[str]:
    index = chance.randrange(len(truth.leaves))
    first = truth.leaves[index]
    words = chance.sample(first.words, min(len(first.words), chance.choice([1, 1, 2, 3])))
    draw = chance.random()
    if draw < 0.4:
        return words
    if draw < 0.6 and first.row is not None:
        row = [one for one in truth.leaves if one.row == first.row and one is not first]
        return [*words, *(chance.choice(chance.choice(row).words) for _ in range(bool(row)))]
    if draw < 0.7 and first.row is not None:
        headers = [one for one in truth.leaves if one.header and one.row and one.row[0] == first.row[0]]
        return [*words, *(chance.choice(chance.choice(headers).words) for _ in range(bool(headers)))]
    if draw < 0.85:
        other = truth.leaves[min(len(truth.leaves) - 1, index + chance.randint(1, 8))]
        return [*words, chance.choice(other.words)]
    borders = [at for at in range(1, len(truth.leaves)) if truth.leaves[at].holder != truth.leaves[at - 1].holder]
    if not borders:
        return words
    at = chance.choice(borders)
    return [chance.choice(truth.leaves[at - 1].words), chance.choice(truth.leaves[at].words)]


class Tally:
    """What was looked at, and what was wrong with it."""

    def __init__(self) -> None:
        self.passages = self.cut = 0
        self.kinds: Counter[str] = Counter()
        self.formats: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._seen: set[tuple[object, ...]] = set()

    def add(self, item: Evidence, truth: Truth, question: str, *, row_only: bool = False) -> None:
        self.passages += 1
        self.cut += bool(item.cut)
        for fault in truth.judged(item, question.split(), row_only=row_only):
            self.kinds[fault.kind] += 1
            self.formats[item.path.rpartition(".")[2]] += 1
            self.wrong.append(f"{fault.kind} {item.path} {item.locator} {item.span}: {question!r}: {fault.why}")


def windows(lens_folder: Path, made: Made, items: Sequence[Evidence], question: str) -> Iterator[Evidence]:
    """The control: a window of the text around each passage, called by the place where it begins."""
    data = (lens_folder / made.name).read_bytes()
    kind = kind_for(made.name)
    if kind is not None:
        with Extractor() as extractor:
            found = extractor.extract(kind, data)
        text, locators = found.text, found.locators
    else:
        reader = reader_for(made.name)
        assert reader is not None
        text = data.decode()
        locators = reader.locators(text)
    for item in items:
        if item.path == made.name:
            start = max(0, item.span.start - WINDOW // 3)
            end = min(len(text), start + WINDOW)
            yield replace(
                item, span=Span(start, end), quote=text[start:end], locator=locate(locators, start), context=(), cut=()
            )


@harness(n=3000, asked=100, rounds=3, seed=1, misses=Path)
def main(options: Options) -> Verdict:
    chance = random.Random(options.seed)
    folder = options.place / "files"
    folder.mkdir()
    made = list(made_files(chance, options.rounds))
    for one in made:
        (folder / one.name).write_bytes(one.data)
    lens = Lens([folder])
    lens.find(Request("warm"))
    lens.read_on(lambda: False)
    by_name = {one.name: one for one in made}
    found, answered, control = Tally(), Tally(), Tally()
    drawn = list(questions(made, chance, options.n))
    for number, (one, question) in enumerate(drawn):
        items = lens.find(Request(question, limit=SHOWN)).evidence
        for item in items:
            found.add(item, by_name[item.path].truth, question)
        if number % max(1, options.n // 50) == 0:
            for item in windows(folder, one, items, question):
                control.add(item, one.truth, question)
    for _, question in drawn[: options.asked]:
        answer = asyncio.run(answer_of(lens.ask(Request(question))))
        for item in answer.evidence:
            values = " ".join(fact.value or "" for fact in answer.requirements if item.n in fact.evidence)
            match = values if set(words_of(values)) & set(words_of(item.quote)) else question
            answered.add(item, by_name[item.path].truth, match, row_only=True)
    wrong = [*found.wrong, *answered.wrong]
    if options.misses:
        options.misses.write_text("\n".join(wrong), "utf-8")
    return {
        "n": options.n,
        "files": len(made),
        "passages": found.passages,
        "cut": found.cut,
        "kinds": dict(found.kinds),
        "formats": dict(found.formats),
        "asked": options.asked,
        "cited": answered.passages,
        "kindsAsked": dict(answered.kinds),
        "wrong": wrong,
        "controlN": control.passages,
        "controlBad": len(control.wrong),
    }, len(control.wrong) > control.passages // 2


if __name__ == "__main__":
    sys.exit(main())
