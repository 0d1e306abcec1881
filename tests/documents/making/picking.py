"""Picks the running text of the samples from SQuAD's articles, with questions that people asked of them.

Run once, where the data lies: ``python -m tests.documents.making.picking DATA`` writes ``stories.json``. A story is
one document: parts, each with paragraphs, some with the questions they answer and the words of the answer. The
text is Wikipedia's and the questions are SQuAD's, both CC BY-SA.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

STORIES = Path(__file__).parent / "stories.json"

ARTICLES = {
    "kenya": "Kenya",
    "rhine": "Rhine",
    "oxygen": "Oxygen",
    "black-death": "Black_Death",
    "warsaw": "Warsaw",
    "normans": "Normans",
    "apollo-program": "Apollo_program",
    "steam-engine": "Steam_engine",
    "jacksonville": "Jacksonville,_Florida",
    "packet-switching": "Packet_switching",
    "nikola-tesla": "Nikola_Tesla",
    "martin-luther": "Martin_Luther",
    "doctor-who": "Doctor_Who",
    "european-union-law": "European_Union_law",
    "economic-inequality": "Economic_inequality",
    "university-of-chicago": "University_of_Chicago",
    "scottish-parliament": "Scottish_Parliament",
    "pharmacy": "Pharmacy",
    "teacher": "Teacher",
    "ctenophora": "Ctenophora",
    "islamism": "Islamism",
    "imperialism": "Imperialism",
    "prime-number": "Prime_number",
    "harvard-university": "Harvard_University",
    "tesla-later-years": "Nikola_Tesla",
}
PARTS = 5
SHORT = 420
"""Code points of a paragraph that fits on a slide."""
SLIDES = frozenset({"prime-number", "harvard-university", "tesla-later-years"})
LEAST_QUOTE = 24
UNCLEAR = frozenset(
    {
        "How was this possible",
        "What happened to his lab?",
        "When did Tesla make these claims?",
        "_____ Helps the biospher from UV.",
        "WHat does UserDatagram Protocol gaurentee",
        "What is the major US city that the is the university located?",
    }
)
"""Questions that say nothing about what they ask for, or that are garbled."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="the folder of the data sets")
    folder = parser.parse_args().data / "squad"
    bodies = {row["path"]: row["body"] for row in _rows(folder / "corpus.jsonl.gz")}
    asked: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(folder / "questions.jsonl.gz"):
        if row["answerable"]:
            asked[row["doc_path"]].append(row)
    stories = {name: _story(name, article, bodies[article], asked[article]) for name, article in ARTICLES.items()}
    STORIES.write_text(json.dumps(stories, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _story(name: str, article: str, body: str, asked: list[dict[str, Any]]) -> dict[str, Any]:
    by_paragraph: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for question in asked:
        by_paragraph[tuple(question["para"])].append(question)
    places = sorted(by_paragraph)
    if article == "Nikola_Tesla":
        half = len(places) // 2
        places = places[half:] if name == "tesla-later-years" else places[:half]
    if name in SLIDES:
        places.sort(key=lambda place: place[1] - place[0])
    chosen = sorted(places[:PARTS] if name in SLIDES else places[:: max(1, len(places) // PARTS)][:PARTS])
    parts = []
    for number, (start, end) in enumerate(chosen, 1):
        best = max(by_paragraph[start, end], key=lambda question: len(question["question"]))
        answer = tuple(best["answer_spans"][0])
        paragraphs = [" ".join(body[start:end].split())]
        if name not in SLIDES and (other := _other(body, end, set(by_paragraph))):
            paragraphs.append(other)
        quote = _quote(body, answer, start, end)
        query = _about(best["question"].strip(), body.split("\n", 1)[0])
        items = [] if best["question"] in UNCLEAR else [{"query": query, "quote": quote}]
        parts.append({"heading": f"Part {number}", "paragraphs": paragraphs, "items": items})
    return {"title": body.split("\n", 1)[0], "article": article, "parts": parts}


def _about(question: str, title: str) -> str:
    """The question with the subject that its asker saw above it, unless it names that itself."""
    named = any(word[:5].lower() in question.lower() for word in title.split() if len(word) > 3)
    return question if named else f"{title}: {question}"


def _other(body: str, end: int, asked: set[tuple[int, int]]) -> str | None:
    """The paragraph after a place, unless something is asked of it."""
    start = end + len(body[end:]) - len(body[end:].lstrip())
    stop = body.find("\n", start)
    following = (start, len(body) if stop < 0 else stop)
    if following in asked or following[1] - following[0] > 1200:
        return None
    return " ".join(body[slice(*following)].split()) or None


def _quote(body: str, answer: tuple[int, ...], start: int, end: int) -> str:
    """The answer with the words around it until it is long enough to stand for its place."""
    first, last = answer[0], answer[1]
    while last - first < LEAST_QUOTE and (first > start or last < end):
        before = body.rfind(" ", start, max(start, first - 1))
        first = before + 1 if before >= 0 else start
        after = body.find(" ", last + 1, end)
        last = after if after >= 0 else end
    return " ".join(body[first:last].split())


if __name__ == "__main__":
    main()
