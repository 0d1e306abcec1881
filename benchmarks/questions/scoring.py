"""What an answer is worth against the key of its question: scores from 0 to 1 by name, only those that apply.

An answer is the JSON object that ``lens ask --json`` prints. The key is read here and never leaves: `score` is called
when the answer is there. Shares no code with the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.questions.arithmetic import evaluate
from benchmarks.questions.wording import date_in, equals, names, number_in, plain, stands_in
from benchmarks.verify_quotes import complaint, decoded

Row = dict[str, Any]
Answer = dict[str, Any]
Scores = dict[str, float]

UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class Place:
    """A passage of a file, in code points."""

    path: str
    start: int
    end: int


def group_of(row: Row) -> str:
    """The intent, or that there is no answer."""
    return str(row["intent"]) if row["answerable"] else UNANSWERABLE


def score(row: Row, answer: Answer, folder: Path) -> Scores:
    """All scores of one answer over the files of ``folder``. ``right`` is the one that sums up the intent."""
    answered = answer["status"] == "answered"
    scores: Scores = {}
    if answer["evidence"]:
        scores["verbatim"] = float(not complaints(answer, folder))
    if answered:
        scores["quoteShown"] = float(shows_a_quote(answer))
    if not row["answerable"]:
        return scores | {"falseAnswer": float(answered)}
    scores |= {"answered": float(answered), "intentRight": float(answer["intent"] == row["intent"])}
    return scores | {name: float(value) for name, value in _BY_INTENT[row["intent"]](row, answer, folder).items()}


def complaints(answer: Answer, folder: Path) -> list[str]:
    """What an independent reading of the files finds wrong with the quotes."""
    found = ((item, complaint(item, folder)) for item in answer["evidence"])
    return [f"[{item['n']}] {item['path']}: {text}" for item, text in found if text is not None]


def shows_a_quote(answer: Answer) -> bool:
    """Whether the text points at a passage that is there."""
    return any(item["quote"] and f"[{item['n']}]" in answer["answer"] for item in answer["evidence"])


def _lookup(row: Row, answer: Answer, folder: Path) -> Scores:
    cited = _gold_cited(row, answer, folder)
    quoted = any(stands_in(key, item["quote"]) for key in row["answers"] for item in answer["evidence"])
    if plain(row["answer"]) in ("yes", "no"):  # no quote says so by itself
        quoted = cited == 1.0
    return {
        "right": answer["status"] == "answered" and quoted,
        "keyQuoted": quoted,
        "shortRight": equals(answer["shortAnswer"], row["answers"]),
        "shortGiven": answer["shortAnswer"] is not None,
        "documentCited": _documents_cited(row, answer),
        "goldCited": cited,
    }


def _computation(row: Row, answer: Answer, folder: Path) -> Scores:
    computed = answer["computation"]
    value_right = computed is not None and is_value(row, computed["value"])
    gold = [{"path": operand["path"], "quote": operand["quote"]} for operand in row["operands"]]
    operands = all(any(_overlap(item, answer) > 0 for item in _places(folder, one)) for one in gold)
    return {
        "right": value_right and operands,
        "valueRight": value_right,
        "valueGiven": computed is not None,
        "shortRight": is_value(row, answer["shortAnswer"]),
        "operandsCited": operands,
        "documentCited": _documents_cited(row, answer),
    }


def is_value(row: Row, said: str | None) -> bool:
    """Whether a value is the key's: computed anew, within half a unit of its last decimal, or an accepted form."""
    if said is None:
        return False
    if equals(said, row["answers"]):
        return True
    exact = evaluate(row["expression"])
    if isinstance(exact, date):
        return date_in(said) == exact
    number = number_in(said)
    if number is None:
        return False
    within = abs(number - exact) <= Fraction(1, 2) / 10 ** row["decimals"]
    return within or any(number == number_in(form) for form in row["answers"] if _is_bare(form, row.get("unit")))


def _is_bare(form: str, unit: str | None) -> bool:
    """Whether an accepted form is a number in the key's own unit."""
    rest = plain(form).lstrip("-0123456789.").strip()
    return rest in ("", "%", plain(unit or ""))


def _comparison(row: Row, answer: Answer, folder: Path) -> Scores:
    computed = answer["computation"]
    said = answer["shortAnswer"] or (None if computed is None else computed["value"])
    value_right = names(said, row["answers"])
    sides = _gold_cited(row, answer, folder) == 1.0
    return {
        "right": value_right and sides,
        "valueRight": value_right,
        "valueGiven": said is not None,
        "sidesCited": sides,
        "documentCited": _documents_cited(row, answer),
    }


def _aggregation(row: Row, answer: Answer, folder: Path) -> Scores:
    listed = list(_claimed(answer))
    scores: Scores = {"goldCited": _gold_cited(row, answer, folder)}
    if row["form"] == "value":
        right = names(answer["shortAnswer"], row["answers"])
        return scores | {"right": right, "valueRight": right}
    precision, recall = _list_quality(row["items"], listed)
    exact = recall == 1.0 and precision == 1.0
    scores |= {"listRecall": recall} | ({} if precision is None else {"listPrecision": precision})
    if row["form"] == "list":
        return scores | {"right": exact, "listExact": exact}
    right = _count(answer) == row["count"]
    return scores | {"right": right, "countExact": right}


def _list_quality(items: list[str], listed: list[Row]) -> tuple[float | None, float]:
    """Precision (None when nothing is listed) and recall: of paths where the items are paths, else of quotes that
    hold an item."""
    wanted = set(items)
    if all(item.endswith(".md") for item in wanted):
        paths = {item["path"] for item in listed}
        return (len(paths & wanted) / len(paths) if paths else None), len(paths & wanted) / len(wanted)
    shown = [f"{item['path']}\n{item['quote']}" for item in listed]
    recall = sum(any(stands_in(item, text) for text in shown) for item in wanted) / len(wanted)
    hits = sum(any(stands_in(item, text) for item in wanted) for text in shown)
    return (hits / len(shown) if shown else None), recall


def _count(answer: Answer) -> Fraction | None:
    """The number that the answer says."""
    if answer["shortAnswer"] is not None:
        return number_in(answer["shortAnswer"])
    values = [result["value"] for result in answer["requirements"] if result["status"] != "missing"]
    return number_in(values[0]) if len(values) == 1 else None


def _summarize(row: Row, answer: Answer, folder: Path) -> Scores:
    cited = _gold_cited(row, answer, folder)
    paths = Counter(item["path"] for item in answer["evidence"])
    most = max(paths, key=lambda path: (paths[path], path), default=None)
    return {"right": cited, "goldCited": cited, "documentRight": most in row["documents"]}


_BY_INTENT: dict[str, Callable[[Row, Answer, Path], Scores]] = {
    "lookup": _lookup,
    "computation": _computation,
    "comparison": _comparison,
    "aggregation": _aggregation,
    "summarize": _summarize,
}


def _claimed(answer: Answer) -> Iterator[Row]:
    """The evidence of the requirements that are met: what the answer stands for, without what merely comes near."""
    numbers = {n for result in answer["requirements"] if result["status"] != "missing" for n in result["evidence"]}
    return (item for item in answer["evidence"] if item["n"] in numbers)


def _documents_cited(row: Row, answer: Answer) -> float:
    cited = {item["path"] for item in answer["evidence"]}
    return sum(path in cited for path in row["documents"]) / len(row["documents"])


def _gold_cited(row: Row, answer: Answer, folder: Path) -> float:
    """The share of the gold quotes of which at least half stands in one cited passage."""
    cited = sum(any(_overlap(place, answer) >= 0.5 for place in _places(folder, gold)) for gold in row["gold"])
    return cited / len(row["gold"])


def _overlap(place: Place, answer: Answer) -> float:
    """The largest share of a place that one cited passage covers."""
    shares = [
        (min(item["span"][1], place.end) - max(item["span"][0], place.start)) / (place.end - place.start)
        for item in answer["evidence"]
        if item["path"] == place.path
    ]
    return max([0.0, *shares])


def _places(folder: Path, gold: Row) -> list[Place]:
    """Every place of its file where a gold quote stands."""
    text, _ = decoded(folder / gold["path"], "utf-8")
    places = []
    at = text.find(gold["quote"])
    while at >= 0:
        places.append(Place(gold["path"], at, at + len(gold["quote"])))
        at = text.find(gold["quote"], at + 1)
    return places
