"""Ask the frozen questions of the five intents over their folders and score the answers, intent by intent.

    python -m benchmarks.intents --data DATA --work WORK --out FILE.json
    python -m benchmarks.intents --data DATA --work WORK --out FILE.json --half second --intent computation
    python -m benchmarks.intents --data DATA --work WORK --out FILE.json --ablate exploration,arm-local+arm-global
    python -m benchmarks.intents --languages --out FILE.json

The tables go to FILE.md, too. `benchmarks.asking` puts the questions: it is handed their texts and a folder, and what
it hands back meets the key in `benchmarks.questions.scoring`.

Within each intent (the unanswerable are a group of their own) the first, third, fifth … question in frozen order are
the first half, to choose by; the second, fourth … are the second half, to report by.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.asking import ask_all
from benchmarks.questions import check
from benchmarks.questions.corpora import ARCHIVES, FOLDERS, archive_path
from benchmarks.questions.scoring import UNANSWERABLE, Answer, Row, Scores, complaints, group_of, score
from evaluation.arms.lens import lens_name
from evaluation.arms.making import parse_ablation
from evaluation.data.snapshots import prepare
from evaluation.reporting.markdown import table
from evaluation.scoring.statistics import Figure, mean

SCHEMA = "lens.intents/1"
ALL = "all questions"
GROUPS = (*check.KINDS, UNANSWERABLE)

FIGURES = {
    "lookup": {
        "right": "answered, and the key stands in a quote",
        "keyQuoted": "the key stands in a quote",
        "shortRight": "the short answer is the key",
        "shortGiven": "a short answer is given",
        "documentCited": "gold documents cited",
        "goldCited": "gold quotes cited",
    },
    "computation": {
        "right": "right value and all operands cited",
        "valueRight": "right value",
        "valueGiven": "a value is computed",
        "shortRight": "the short answer is the value",
        "operandsCited": "all operands cited",
        "documentCited": "gold documents cited",
    },
    "comparison": {
        "right": "right and both sides cited",
        "valueRight": "right winner, yes or no",
        "valueGiven": "a result is given",
        "sidesCited": "both sides cited",
        "documentCited": "gold documents cited",
    },
    "aggregation": {
        "right": "exact list, count or value",
        "countExact": "count exact",
        "listExact": "list exact",
        "valueRight": "value right",
        "listPrecision": "precision of lists",
        "listRecall": "recall of lists",
        "goldCited": "gold quotes cited",
    },
    "summarize": {"goldCited": "gold quotes cited", "documentRight": "most passages from the right document"},
    UNANSWERABLE: {"falseAnswer": "false answers"},
    ALL: {
        "answered": "answerable questions answered",
        "intentRight": "intent recognised",
        "quoteShown": "answered questions that show a quote",
        "verbatim": "questions whose quotes all stand in their files",
    },
}
"""Group → score → what it says. All are means over the questions that have the score."""


@dataclass(slots=True)
class Run:
    """One way of asking: the questions' records and their scores."""

    records: list[dict[str, Any]] = field(default_factory=list)
    scores: list[tuple[str, Scores]] = field(default_factory=list)

    def add(self, row: Row, half: str, answer: Answer, folder: Path) -> None:
        scores = score(row, answer, folder)
        self.records.append(record(row, half, answer, scores, complaints(answer, folder)))
        self.scores.append((group_of(row), scores))

    def figures(self, seed: int) -> dict[str, dict[str, Figure]]:
        """Group → score → mean with its interval."""
        found: dict[str, dict[str, Figure]] = {}
        for group, names in FIGURES.items():
            own = [scores for name, scores in self.scores if group in (ALL, name)]
            for name in names:
                values = [scores[name] for scores in own if name in scores]
                if values:
                    found.setdefault(group, {})[name] = mean(values, seed=seed)
        return found


def halves(rows: Sequence[Row]) -> list[str]:
    """Each question's half, by its place within its intent."""
    seen: Counter[str] = Counter()
    found = []
    for row in rows:
        found.append(("first", "second")[seen[group_of(row)] % 2])
        seen[group_of(row)] += 1
    return found


def record(row: Row, half: str, answer: Answer, scores: Scores, wrong: list[str]) -> dict[str, Any]:
    """One question as error analysis wants it."""
    results = ("id", "text", "status", "value", "confidence", "matching", "evidence")
    return {
        "id": row["id"],
        "corpus": row["corpus"],
        "half": half,
        "question": row["question"],
        "intent": row["intent"],
        "answerable": row["answerable"],
        "planned": {"intent": answer["intent"], "requirements": len(answer["requirements"])},
        "status": answer["status"],
        "stopped": answer["stopped"],
        "key": row.get("items") if row["answer"] is None else row["answer"],
        "shortAnswer": answer["shortAnswer"],
        "computation": answer["computation"],
        "requirements": [{name: result[name] for name in results} for result in answer["requirements"]],
        "documents": row["documents"],
        "evidence": [
            {"n": item["n"], "path": item["path"], "span": item["span"], "quote": item["quote"][:400]}
            for item in answer["evidence"]
        ],
        "answer": answer["answer"],
        "wrongQuotes": wrong,
        "scores": scores,
        "seconds": answer["ledger"]["seconds"],
    }


def chosen(rows: Sequence[Row], half: str, intent: str | None) -> list[tuple[Row, str]]:
    """The selected questions with their halves, in frozen order."""
    return [
        (row, own)
        for row, own in zip(rows, halves(rows), strict=True)
        if half in ("all", own) and intent in (None, group_of(row))
    ]


def ask_and_score(
    selected: Sequence[tuple[Row, str]],
    folder_of: Callable[[str], Path],
    without: Sequence[frozenset[str]],
    seed: int,
    asked: Callable[[], None] = lambda: None,
) -> dict[str, Run]:
    """Ask every selected question in every way; runs by name."""
    runs = {lens_name(ablate): Run() for ablate in without}
    for corpus in dict.fromkeys(row["corpus"] for row, _ in selected):
        folder = folder_of(corpus)
        own = [(row, half) for row, half in selected if row["corpus"] == corpus]
        answers = ask_all(folder, [row["question"] for row, _ in own], without=without, seed=seed, asked=asked)
        for run, given in zip(runs.values(), answers, strict=True):
            for (row, half), answer in zip(own, given, strict=True):
                run.add(row, half, answer, folder)
    return runs


def markdown(runs: Mapping[str, Run], title: str, seed: int) -> str:
    figures = {name: run.figures(seed) for name, run in runs.items()}
    first = next(iter(figures.values()))
    body = [
        [
            group,
            text,
            str(first[group][name].n),
            *(_shown(found.get(group, {}).get(name)) for found in figures.values()),
        ]
        for group, names in FIGURES.items()
        for name, text in names.items()
        if name in first.get(group, {})
    ]
    statuses = ("answered", "partial", "unanswered")
    counts = [
        [group, name, *(str(counted[status]) for status in statuses), f"{counted['planned'] / total:.0%}", seconds]
        for name, run in runs.items()
        for group, counted, total, seconds in _counted(run)
    ]
    return (
        f"# The five intents\n\n{title} Percent, 95 % bootstrap intervals over questions.\n\n"
        f"{table(['questions', 'figure', 'n', *runs], body)}\n"
        f"{table(['questions', 'run', *statuses, 'intent recognised', 'median s'], counts)}"
    )


def _counted(run: Run) -> list[tuple[str, Counter[str], int, str]]:
    rows = []
    for group in GROUPS:
        own = [record for record in run.records if group_of(record) == group]
        if own:
            counted = Counter(record["status"] for record in own)
            counted["planned"] = sum(record["planned"]["intent"] == record["intent"] for record in own)
            rows.append((group, counted, len(own), f"{median(record['seconds'] for record in own):.2f}"))
    return rows


def _shown(figure: Figure | None) -> str:
    if figure is None:
        return "–"
    return f"{100 * figure.value:.1f} [{100 * figure.low:.1f}–{100 * figure.high:.1f}]"


def document(runs: Mapping[str, Run], arguments: argparse.Namespace, version: int) -> dict[str, Any]:
    """The JSON document. Equal seeds give equal documents but for the values of keys named ``seconds``."""
    return {
        "schema": SCHEMA,
        "version": version,
        "set": check.LANGUAGES if arguments.languages else check.INTENTS,
        "half": arguments.half,
        "intent": arguments.intent,
        "seed": arguments.seed,
        "runs": {
            name: {
                "figures": {
                    group: {score_name: figure.json(scale=100) for score_name, figure in own.items()}
                    for group, own in run.figures(arguments.seed).items()
                },
                "questions": run.records,
            }
            for name, run in runs.items()
        },
    }


def thawed(frozen: Mapping[str, Any], data: Path | None, *, archives: Sequence[str]) -> list[str]:
    """Files of the question set and archives that are not as frozen."""
    found = {name for name, value in check.own_digests().items() if frozen["files"].get(name) != value}
    if data is not None:
        found |= {name for name in archives if check.file_digest(archive_path(data, name)) != frozen["archives"][name]}
    return sorted(found)


def _folders(data: Path | None, work: Path | None) -> Callable[[str], Path]:
    def folder_of(corpus: str) -> Path:
        if corpus in FOLDERS:
            return FOLDERS[corpus]
        assert data is not None
        assert work is not None
        return prepare(data / "workspaces", corpus, work / f"workspaces-{corpus}").folder

    return folder_of


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the evaluation data; not needed with --languages")
    parser.add_argument("--work", type=Path, help="where the archives are unpacked; not needed with --languages")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.json", help="what to write; tables: FILE.md")
    parser.add_argument("--half", choices=["all", "first", "second"], default="all")
    parser.add_argument("--intent", choices=GROUPS, help="only these questions")
    parser.add_argument("--ablate", default="", metavar="LIST", help="once more without each; join some by +")
    parser.add_argument("--languages", action="store_true", help="the questions in seven other languages instead")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    if given.out.suffix != ".json":
        parser.error("--out must end in .json")
    if not given.languages and (given.data is None or given.work is None):
        parser.error("--data and --work are needed")
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    given = parse(arguments)
    without = [frozenset[str](), *map(parse_ablation, filter(None, given.ablate.split(",")))]
    frozen = json.loads((check.HERE / check.FROZEN).read_text("utf-8"))
    changed = thawed(frozen, given.data, archives=() if given.languages else ARCHIVES)
    if changed:
        print(f"not as frozen in version {frozen['version']}: {', '.join(changed)}", file=sys.stderr)
        return 2
    selected = chosen(check.read(check.LANGUAGES if given.languages else check.INTENTS), given.half, given.intent)
    done, total = 0, len(selected) * len(without)

    def asked() -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            print(f"\r{done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    runs = ask_and_score(selected, _folders(given.data, given.work), without, given.seed, asked)
    title = f"Question set {frozen['version']}, {len(selected)} questions ({given.half}), seed {given.seed}."
    text = markdown(runs, title, given.seed)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    written = json.dumps(document(runs, given, frozen["version"]), ensure_ascii=False, indent=1)
    given.out.write_text(f"{written}\n", "utf-8")
    given.out.with_suffix(".md").write_text(text, "utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
