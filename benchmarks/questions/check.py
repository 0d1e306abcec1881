"""Check the frozen questions: form, arithmetic and checksums always, quotes and rules where the texts are.

    python -m benchmarks.questions.check                   what needs no data
    python -m benchmarks.questions.check --data DATA       everything; DATA holds workspaces/*.tar.xz
    python -m benchmarks.questions.check --data DATA --freeze 2

``--freeze`` writes ``frozen.json`` for a new version; CHANGELOG.md must already have its heading. Exit status
0 when nothing is wrong, 1 otherwise. The key is read here and by the scorer, never by an engine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.questions.arithmetic import ExpressionError, evaluate, literals, rendered
from benchmarks.questions.corpora import (
    ARCHIVES,
    FOLDERS,
    NOTES,
    Corpus,
    archive_path,
    digest,
    from_archive,
    from_folder,
    items,
)

HERE = Path(__file__).resolve().parent
INTENTS, LANGUAGES, FROZEN, CHANGES = "intents.jsonl", "languages.jsonl", "frozen.json", "CHANGELOG.md"
KINDS = ("lookup", "computation", "comparison", "aggregation", "summarize")
LEAST_PER_KIND = 22
"""Answerable questions of each intent, and unanswerable ones, over the English corpora."""
PER_LANGUAGE = 6
FIELDS = ("id", "corpus", "intent", "question", "answerable", "answer", "answers", "gold", "documents", "note")

Row = dict[str, Any]


def read(name: str, folder: Path = HERE) -> list[Row]:
    """The questions of one file, in their frozen order; none when the file is not in this distribution."""
    path = folder / name
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def form_problems(rows: Sequence[Row]) -> list[str]:
    """What is wrong with the questions themselves; needs no text."""
    problems = [f"{row_id}: {n} questions have this id" for row_id, n in _counted(rows, "id") if n > 1]
    problems += [f"{text!r} is asked {n} times" for text, n in _counted(rows, "question") if n > 1]
    for row in rows:
        missing = [field for field in FIELDS if field not in row]
        found = [f"no field {field}" for field in missing] or list(_row_problems(row))
        problems += [f"{row.get('id')}: {text}" for text in found]
    return problems


def count_problems(english: Sequence[Row], others: Sequence[Row]) -> list[str]:
    """Whether each intent, the unanswerable ones and each language have enough questions."""
    groups = Counter(row["intent"] if row["answerable"] else "unanswerable" for row in english)
    problems = [
        f"{groups[kind]} questions are {kind}, at least {LEAST_PER_KIND} are wanted"
        for kind in (*KINDS, "unanswerable")
        if groups[kind] < LEAST_PER_KIND
    ]
    spread = {(row["intent"], row["corpus"]) for row in english if row["answerable"]}
    problems += [
        f"no {kind} question over {corpus}" for kind in KINDS for corpus in ARCHIVES if (kind, corpus) not in spread
    ]
    for corpus in FOLDERS if others else ():
        own = [row for row in others if row["corpus"] == corpus]
        if len(own) != PER_LANGUAGE or sum(not row["answerable"] for row in own) != 1:
            problems.append(f"{corpus}: {PER_LANGUAGE} questions are wanted, one of them unanswerable")
    return problems


def text_problems(rows: Iterable[Row], corpora: Mapping[str, Corpus]) -> list[str]:
    """What does not agree with the texts: quotes, rules, and facts that should be absent."""
    problems = []
    for row in rows:
        corpus = corpora.get(row["corpus"])
        if corpus:
            problems += [f"{row['id']}: {text}" for text in _text_problems(row, corpus)]
    return problems


def gold_digests(rows: Iterable[Row], corpora: Mapping[str, Corpus]) -> dict[str, dict[str, str]]:
    """Corpus → path → SHA-256 of every file that the key quotes."""
    quoted: dict[str, dict[str, str]] = {}
    for row in rows:
        corpus = corpora.get(row["corpus"], {})
        for path in row["documents"]:
            if path in corpus:
                quoted.setdefault(row["corpus"], {})[path] = digest(corpus[path])
    return {name: dict(sorted(paths.items())) for name, paths in sorted(quoted.items())}


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def own_digests(folder: Path = HERE) -> dict[str, str]:
    """SHA-256 of the question files and of our notes."""
    paths = [folder / INTENTS, folder / LANGUAGES, *sorted((folder / NOTES.name).glob("*/*.md"))]
    return {path.relative_to(folder).as_posix(): file_digest(path) for path in paths if path.is_file()}


def frozen_problems(
    frozen: Mapping[str, Any], own: Mapping[str, str], gold: Mapping[str, Mapping[str, str]], changes: str
) -> list[str]:
    """What differs from ``frozen.json``. Files that are not in this distribution are not compared."""
    problems = []
    if f"## {frozen['version']}\n" not in changes:
        problems.append(f"{CHANGES} has no heading for version {frozen['version']}")
    pairs: list[tuple[str, str | None, str | None]]
    pairs = [(name, frozen["files"].get(name), value) for name, value in own.items()]
    for corpus, paths in gold.items():
        known = frozen["gold"].get(corpus, {})
        pairs += [(f"{corpus}: {path}", known.get(path), value) for path, value in paths.items()]
        pairs += [(f"{corpus}: {path}", value, None) for path, value in known.items() if path not in paths]
    problems += [f"{name} is not as frozen in version {frozen['version']}" for name, old, new in pairs if old != new]
    return problems


def load_corpora(data: Path | None) -> dict[str, Corpus]:
    """The texts that are at hand, by corpus name: the folders of this repository, and the archives of ``data``."""
    found: dict[str, Corpus] = {name: from_folder(folder) for name, folder in FOLDERS.items()}
    if data is not None:
        found |= {name: from_archive(archive_path(data, name)) for name in ARCHIVES}
    return {name: corpus for name, corpus in found.items() if corpus}


def all_problems(data: Path | None) -> list[str]:
    """Everything that can be checked with the texts at hand."""
    english, others = read(INTENTS), read(LANGUAGES)
    rows = english + others
    problems = form_problems(rows)
    if problems:
        return problems
    corpora = load_corpora(data)
    frozen = json.loads((HERE / FROZEN).read_text("utf-8"))
    problems += count_problems(english, others) + text_problems(rows, corpora)
    problems += frozen_problems(frozen, own_digests(), gold_digests(rows, corpora), (HERE / CHANGES).read_text("utf-8"))
    if data is not None:
        known = frozen["archives"]
        problems += [
            f"the archive of {name} is another one"
            for name in ARCHIVES
            if file_digest(archive_path(data, name)) != known[name]
        ]
    return problems


def freeze(data: Path, version: int) -> None:
    """Write ``frozen.json``. Raises ValueError unless the version is new and stands in the change log."""
    path = HERE / FROZEN
    old = json.loads(path.read_text("utf-8"))["version"] if path.is_file() else 0
    if version <= old:
        raise ValueError(f"version {old} is frozen: a change needs a higher version")
    if f"## {version}\n" not in (HERE / CHANGES).read_text("utf-8"):
        raise ValueError(f"{CHANGES} has no heading for version {version}")
    rows = read(INTENTS) + read(LANGUAGES)
    corpora = load_corpora(data)
    frozen = {
        "version": version,
        "files": own_digests(),
        "archives": {name: file_digest(archive_path(data, name)) for name in ARCHIVES},
        "gold": gold_digests(rows, corpora),
    }
    path.write_text(json.dumps(frozen, indent=1) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the evaluation data")
    parser.add_argument("--freeze", type=int, metavar="VERSION", help="write frozen.json; needs --data")
    given = parser.parse_args(arguments)
    if given.freeze is not None:
        if given.data is None:
            parser.error("--freeze needs --data")
        freeze(given.data, given.freeze)
    problems = all_problems(given.data)
    for problem in problems:
        print(problem)
    rows = read(INTENTS) + read(LANGUAGES)
    print(f"{len(rows)} questions, {sum(len(row['gold']) for row in rows)} quotes, {len(problems)} problems")
    return 1 if problems else 0


def _counted(rows: Sequence[Row], field: str) -> list[tuple[Any, int]]:
    return Counter(row.get(field) for row in rows).most_common()


def _row_problems(row: Row) -> Iterator[str]:
    if row["intent"] not in KINDS:
        yield f"no such intent: {row['intent']}"
    if row["corpus"] not in (*ARCHIVES, *FOLDERS):
        yield f"no such corpus: {row['corpus']}"
    if row["documents"] != list(dict.fromkeys(gold["path"] for gold in row["gold"])):
        yield "documents are not the paths of the gold quotes"
    if any(not gold["quote"].strip() for gold in row["gold"]):
        yield "an empty quote"
    yield from _key_problems(row) if row["answerable"] else _absence_problems(row)


def _absence_problems(row: Row) -> Iterator[str]:
    if row["gold"] or row["answer"] or row["answers"] or row.get("items") or row.get("operands"):
        yield "unanswerable, but it has a key"
    if not row.get("absent") or not row.get("present"):
        yield "unanswerable, but nothing shows that the fact is absent and the topic present"


def _key_problems(row: Row) -> Iterator[str]:
    if not row["gold"]:
        yield "answerable, but it has no gold quote"
    if row["answer"] != next(iter(row["answers"]), None):
        yield "the answer is not the first of the accepted ones"
    if row["answer"] is None and row["intent"] in ("lookup", "computation", "comparison"):
        yield "no answer"
    if row["intent"] == "computation":
        yield from _computation_problems(row)
    if row["intent"] == "aggregation":
        yield from _aggregation_problems(row)
    if row["intent"] == "summarize" and not 3 <= len(row["gold"]) <= 6:
        yield "a summary has three to six quotes"


def _computation_problems(row: Row) -> Iterator[str]:
    try:
        value = rendered(evaluate(row["expression"]), row["decimals"])
    except (ExpressionError, ValueError) as error:
        yield f"its expression cannot be computed ({error})"
        return
    if value != row["answer"]:
        yield f"the expression gives {value}, the key says {row['answer']}"
    values = {operand["value"] for operand in row["operands"]}
    if literals(row["expression"]) != values | set(row["constants"]):
        yield "the expression's literals are not its operands and constants"
    for operand in row["operands"]:
        if operand.get("written", operand["value"]) not in operand["quote"]:
            yield f"operand {operand['value']} is not written in its quote"
        if {"path": operand["path"], "quote": operand["quote"]} not in row["gold"]:
            yield f"the quote of operand {operand['value']} is not among the gold quotes"


def _aggregation_problems(row: Row) -> Iterator[str]:
    if row["form"] not in ("list", "count", "value"):
        yield f"no such form: {row['form']}"
    if not row["items"]:
        yield "it has no items"
    if row["form"] == "list" and len(set(row["items"])) != len(row["items"]):
        yield "an item of its list occurs twice"
    if row["form"] == "count" and not (row["count"] == len(row["items"]) and row["answer"] == str(row["count"])):
        yield "its count is not the number of its items"


def _text_problems(row: Row, corpus: Corpus) -> Iterator[str]:
    for gold in row["gold"]:
        if gold["quote"] not in corpus.get(gold["path"], ""):
            yield f"not verbatim in {gold['path']}: {gold['quote']!r}"
    if row["intent"] == "aggregation" and row["answerable"]:
        found = items(row["rule"], corpus)
        if found != row["items"]:
            yield f"the rule gives {found}"
    if row["answerable"]:
        return
    texts = [corpus[row["within"]]] if row["within"] else list(corpus.values())
    for pattern in row["absent"]:
        if any(re.search(pattern, text) for text in texts):
            yield f"it can perhaps be answered: {pattern!r} occurs"
    for word in row["present"]:
        if not any(word in text for text in texts):
            yield f"{word!r} does not occur, the question is off topic"


if __name__ == "__main__":
    sys.exit(main())
