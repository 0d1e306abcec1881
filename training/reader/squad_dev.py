"""SQuAD 2.0's development questions, from its explorer's pages (CC BY-SA 4.0): to measure by, never to train on."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PARAGRAPH = re.compile(r'<div class="para-wrap">.*?<pre>(.*?)</pre>(.*?)(?=<div class="para-wrap">|\Z)', re.DOTALL)
_QUESTION = re.compile(
    r'<div class="qa-wrap" data-id="(\w+)">.*?<strong class="question">(.*?)</strong>(.*?)(?=<div class="qa-wrap"|\Z)',
    re.DOTALL,
)
_ANSWER = re.compile(r'<span class="answer">(.*?)</span>', re.DOTALL)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


@dataclass(frozen=True)
class DevQuestion:
    """A question on a paragraph, and the answers people gave; none where the paragraph does not answer it."""

    id: str
    title: str
    paragraph: str
    question: str
    answers: tuple[str, ...]


def questions(folder: Path) -> list[DevQuestion]:
    """All questions of the pages in a folder."""
    found = []
    for page in sorted(folder.glob("*.html")):
        for paragraph, asked in _PARAGRAPH.findall(page.read_text("utf-8")):
            for name, question, given in _QUESTION.findall(asked):
                said = [html.unescape(answer) for answer in _ANSWER.findall(given)]
                answers = tuple(answer for answer in said if "No Answer" not in answer)
                text = html.unescape(paragraph)
                found.append(DevQuestion(name, page.stem.replace("_", " "), text, html.unescape(question), answers))
    return found


def scores(given: str, answers: Sequence[str]) -> tuple[float, float]:
    """Exact match and F1 of an answer, as SQuAD scores them: the best over what people answered."""
    tokens = _normal(given)
    return max(float(tokens == _normal(answer)) for answer in answers), max(_f1(tokens, _normal(a)) for a in answers)


def _normal(text: str) -> list[str]:
    return _ARTICLES.sub(" ", re.sub(r"[^\w\s]|_", "", text.lower())).split()


def _f1(given: list[str], answer: list[str]) -> float:
    same = sum((Counter(given) & Counter(answer)).values())
    return 2 * same / (len(given) + len(answer)) if same else 0.0


def auroc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The share of pairs of a true and a false one in which the true one scores higher."""
    ranked = sorted(zip(scores, labels, strict=True), key=lambda pair: pair[0])
    positive, below, total = 0, 0.0, 0
    at = 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        true = sum(label for _, label in ranked[at:end])
        false = end - at - true
        below += true * (total - positive + false / 2)
        positive, total, at = positive + true, total + end - at, end
    return below / (positive * (total - positive))
