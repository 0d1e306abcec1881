"""Check printed evidence against the files it names, by nothing but the published contract.

Shares no code with the package on purpose: it reads the bytes, decodes them, counts lines and columns itself.
For every evidence item of a ``rows.jsonl`` (``lens eval run``) or of a ``lens find --json`` document:

* ``sha256`` is that of the file's bytes;
* with the text ``bytes.decode(encoding, "replace")`` after removing a byte order mark, line ends untouched,
  ``text[span[0]:span[1]]`` is ``quote``;
* the same holds for the span and text of each part of its ``context``, and none of them overlaps the quote;
* ``start`` and ``end`` are the line and column of the span's ends: from 1, columns in code points, lines
  ending at LF, CRLF or a lone CR; ``end`` is the place just after the quote.

Evidence from an editor's buffer, or from a reader that extracts text (its locator names a page, sheet or
cell), has no such bytes on disk; it is counted as unchecked. Exit status 0 when at least one item was checked
and all agree, 1 otherwise, 2 for wrong input.

    python benchmarks/verify_quotes.py --rows RUN/lens.rows.jsonl CORPUS_DIR [--rows …]
    lens find QUERY PATH --json | python benchmarks/verify_quotes.py --find -
    python benchmarks/verify_quotes.py --mutant 200 --rows RUN/lens.rows.jsonl CORPUS_DIR

``--mutant N`` then damages one thing at a time in each of N items and requires that every damage is noticed.
"""

from __future__ import annotations

import argparse
import codecs
import copy
import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

MARKS = {
    "utf-8": (codecs.BOM_UTF8,),
    "utf-16-le": (codecs.BOM_UTF16_LE,),
    "utf-16-be": (codecs.BOM_UTF16_BE,),
    "utf-32-le": (codecs.BOM_UTF32_LE,),
    "utf-32-be": (codecs.BOM_UTF32_BE,),
}
SCHEMAS = ("lens.evidence/1", "lens.evidence/2")
"""Version 1 has no context."""
EXTRACTED = {"page", "sheet", "cell"}

Item = dict[str, Any]


class WrongInputError(Exception):
    """The input is not rows or a find document."""


@lru_cache(maxsize=256)
def read(path: Path) -> tuple[bytes, str]:
    data = path.read_bytes()
    return data, hashlib.sha256(data).hexdigest()


@lru_cache(maxsize=256)
def decoded(path: Path, encoding: str) -> tuple[str, list[int]]:
    """The text and where each of its lines starts."""
    data, _ = read(path)
    name = codecs.lookup(encoding).name
    if name in ("utf-8-sig", "utf-16", "utf-32"):
        name = {"utf-8-sig": "utf-8", "utf-16": utf_16(data), "utf-32": utf_32(data)}[name]
    for mark in MARKS.get(name, ()):
        data = data.removeprefix(mark)
    text = data.decode(name, "replace")
    return text, line_starts(text)


def utf_16(data: bytes) -> str:
    return "utf-16-be" if data.startswith(codecs.BOM_UTF16_BE) else "utf-16-le"


def utf_32(data: bytes) -> str:
    return "utf-32-be" if data.startswith(codecs.BOM_UTF32_BE) else "utf-32-le"


def line_starts(text: str) -> list[int]:
    starts = [0]
    for place, character in enumerate(text):
        if character == "\n" or (character == "\r" and text[place + 1 : place + 2] != "\n"):
            starts.append(place + 1)
    return starts


def line_and_column(starts: list[int], offset: int) -> dict[str, int]:
    low, high = 0, len(starts)
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= offset:
            low = middle
        else:
            high = middle
    return {"line": low + 1, "column": offset - starts[low] + 1}


def complaint(item: Item, root: Path) -> str | None:
    """What is wrong with an item, or ``None``."""
    path = root / item["path"]
    if Path(item["path"]).is_absolute() or ".." in Path(item["path"]).parts:
        return "the path leads out of its root"
    try:
        _, digest = read(path)
        text, starts = decoded(path, item["encoding"])
    except (OSError, LookupError) as error:
        return f"cannot be read: {error}"
    start, end = item["span"]
    if digest != item["sha256"]:
        return "sha256 is not that of the file"
    if not 0 <= start < end <= len(text):
        return f"span [{start}, {end}) is empty or lies outside a text of {len(text)} code points"
    if text[start:end] != item["quote"]:
        return "the text at the span is not the quote"
    for part in item.get("context", ()):
        first, last = part["span"]
        if not 0 <= first < last <= len(text) or text[first:last] != part["text"]:
            return f"the text at the span of the {part['role']} context is not that context"
        if first < end and start < last:
            return f"the {part['role']} context overlaps the quote"
    for name, offset in (("start", start), ("end", end)):
        place = line_and_column(starts, offset)
        if place != item[name]:
            return f"{name} is {place}, not {item[name]}"
    return None


def checkable(item: Item) -> bool:
    return item["source"] == "disk" and not EXTRACTED & set(item["locator"] or {})


def items_of_rows(path: Path, root: Path) -> Iterator[tuple[Item, Path]]:
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if line:
            row = json.loads(line)
            if not isinstance(row, dict) or "evidence" not in row:
                raise WrongInputError(f"{path}, line {number}: not a row of an evaluation")
            for item in row["evidence"]:
                yield item, root


def items_of_find(name: str) -> Iterator[tuple[Item, Path]]:
    document = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text("utf-8"))
    if not isinstance(document, dict) or document.get("schema") not in SCHEMAS:
        raise WrongInputError(f"{name}: not a document of schema {' or '.join(SCHEMAS)}")
    for item in document["evidence"]:
        yield item, Path(document["roots"][item["root"]])


def other_character(item: Item) -> None:
    middle = len(item["quote"]) // 2
    wrong = "x" if item["quote"][middle] != "x" else "y"
    item["quote"] = item["quote"][:middle] + wrong + item["quote"][middle + 1 :]


def shifted_span(item: Item) -> None:
    item["span"] = [item["span"][0] + 1, item["span"][1] + 1]


def shorter_span(item: Item) -> None:
    item["span"] = [item["span"][0], item["span"][1] - 1]


def other_column(item: Item) -> None:
    item["start"] = item["start"] | {"column": item["start"]["column"] + 1}


def other_line(item: Item) -> None:
    item["end"] = item["end"] | {"line": item["end"]["line"] + 1}


def other_hash(item: Item) -> None:
    item["sha256"] = ("1" if item["sha256"][0] == "0" else "0") + item["sha256"][1:]


def other_context(item: Item) -> None:
    start, end = item["span"]
    item["context"] = [{"role": "before", "span": [start, end], "text": item["quote"], "cut": []}]


DAMAGES: tuple[Callable[[Item], None], ...] = (
    other_character,
    shifted_span,
    shorter_span,
    other_column,
    other_line,
    other_hash,
    other_context,
)


def escaped_mutants(items: list[tuple[Item, Path]], count: int, seed: int) -> tuple[int, list[str]]:
    """How many damaged items were shown to the check, and those it let pass."""
    sample = random.Random(seed).sample(items, min(count, len(items)))
    escaped = []
    for item, root in sample:
        for damage in DAMAGES:
            mutant = copy.deepcopy(item)
            damage(mutant)
            if complaint(mutant, root) is None:
                escaped.append(f"{item['path']} [{item['n']}]: {damage.__name__}")
    return len(sample) * len(DAMAGES), escaped


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rows", nargs=2, action="append", default=[], metavar=("FILE", "CORPUS_DIR"))
    parser.add_argument("--find", action="append", default=[], metavar="FILE", help="- is standard input")
    parser.add_argument("--mutant", type=int, default=0, metavar="N", help="damage N items, one thing at a time")
    parser.add_argument("--seed", type=int, default=0, help="of the sample of mutants")
    arguments = parser.parse_args(argv)
    if not arguments.rows and not arguments.find:
        parser.error("give --rows or --find")
    return arguments


def main(argv: list[str]) -> int:
    arguments = parse(argv)
    try:
        items = [pair for file, root in arguments.rows for pair in items_of_rows(Path(file), Path(root))]
        items += [pair for name in arguments.find for pair in items_of_find(name)]
        checked = [(item, root) for item, root in items if checkable(item)]
        verdicts = [complaint(item, root) for item, root in checked]
        wrong = [(item, found) for (item, _), found in zip(checked, verdicts, strict=True) if found]
        right = [pair for pair, found in zip(checked, verdicts, strict=True) if not found]
        mutants, escaped = escaped_mutants(right, arguments.mutant, arguments.seed)
    except (OSError, ValueError, KeyError, TypeError, IndexError, WrongInputError) as error:
        print(f"wrong input: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    for item, found in wrong[:20]:
        print(f"MISMATCH {item['path']} [{item['n']}]: {found}")
    for line in escaped[:20]:
        print(f"ESCAPED {line}")
    print(f"{len(checked)} passages checked, {len(wrong)} mismatches, {len(items) - len(checked)} unchecked")
    if arguments.mutant:
        print(f"{mutants} mutants, {mutants - len(escaped)} caught")
    proven = bool(checked) and (not arguments.mutant or mutants > 0)
    return 0 if proven and not wrong and not escaped else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
