"""Many PDFs of 1 to 60 pages out of real text, by four programs: a folder as people have them.

Half of the files are short (up to 8 pages), a tenth long (40 to 60). The text is that of the data sets' articles, in
their order; nothing is drawn by chance but by a seed.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from tests.documents.making import markup
from tests.documents.making.pages import chromium_print, pdflatex_article, reportlab_report
from tests.documents.making.stories import Part, Story, Workshop, run

_SEED = 10
_BATCH = 25
"""Files that LibreOffice converts in one start."""
_ON_A_PAGE = 2600
"""Code points."""
_WAYS = ("reportlab", "reportlab", "tex", "chromium", "libreoffice")
Plan = tuple[str, Story]


def write_all(shop: Workshop, data: Path, count: int) -> None:
    """``count`` PDFs into the folder. What is there already is left."""
    shop.out.mkdir(parents=True, exist_ok=True)
    chance = random.Random(_SEED)
    articles = _articles(data)
    stories = [_story(articles, _pages(chance)) for _ in range(count)]
    plans = [(f"{_slug(story.title)}-{number:03}", story) for number, story in enumerate(stories)]
    by_office: list[Plan] = []
    for way, (name, story) in zip(cycle(_WAYS), plans, strict=False):
        target = shop.out / f"{name}.pdf"
        if target.exists():
            continue
        if way == "libreoffice":
            by_office.append((name, story))
        elif way == "reportlab":
            reportlab_report(story, target)
        elif way == "tex":
            pdflatex_article(shop, story, target, "twocolumn" if len(story.parts) % 2 else "")
        else:
            chromium_print(shop, story, target)
    for start in range(0, len(by_office), _BATCH):
        _libreoffice(shop, by_office[start : start + _BATCH])


def _slug(title: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-").lower()[:40]


def _pages(chance: random.Random) -> int:
    draw = chance.random()
    if draw < 0.5:
        return chance.randint(1, 8)
    return chance.randint(9, 39) if draw < 0.9 else chance.randint(40, 60)


def _articles(data: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(data / "squad" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        long = [json.loads(line)["body"] for line in lines]
    for body in cycle(sorted(long)):
        title, _, text = body.partition("\n")
        yield title, text


def _story(articles: Iterator[tuple[str, str]], pages: int) -> Story:
    """As many articles as fill the pages; the first gives the title, each is a part."""
    parts: list[Part] = []
    left = pages * _ON_A_PAGE
    while left > 0:
        title, text = next(articles)
        paragraphs = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
        kept: list[str] = []
        while paragraphs and left > 0:
            kept.append(paragraphs.pop(0))
            left -= len(kept[-1])
        parts.append(Part(title, tuple(kept), ()))
    return Story(parts[0].heading, tuple(parts))


def _libreoffice(shop: Workshop, plans: list[Plan]) -> None:
    folder = shop.scratch("office")
    for name, story in plans:
        (folder / f"{name}.html").write_text(markup.web(story), "utf-8")
    command = ["soffice", f"-env:UserInstallation=file://{shop.work / 'soffice-profile'}", "--headless"]
    sources = [str(path) for path in sorted(folder.iterdir())]
    run([*command, "--convert-to", "pdf:writer_web_pdf_Export", "--outdir", str(shop.out), *sources])
