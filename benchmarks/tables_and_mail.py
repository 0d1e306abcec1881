"""How good the answers of ``lens ask`` are, without a language model, over folders of tables and mail.

    python -m benchmarks.tables_and_mail --folders DIR [--questions FILE.jsonl] [--half visible|held]
        [--only ID …] [--out FILE.jsonl]
    python -m benchmarks.tables_and_mail --folders DIR --check

Questions are of six kinds: a look-up, a filter ("which … are …"), a count, a sum or mean, a minimum or maximum, a fact
of a mail; and some look answerable and are not. `benchmarks.asking` puts them, `benchmarks.table_folders` brings the
folders. Each question says how its answer was computed (``how``): ``--check`` reads the files without the engine's
readers, computes every answer again, and compares it with what is written down.

Right is an answer that is *answered*, whose short answer or text holds an expected value, and that cites the row:

* Words are compared as `benchmarks.docsqa_answers` does. Numbers are equal when they agree in the decimals that are
  asked for; ``66.1 %`` is 0.661. Dates are equal in any notation.
* Without a short answer the first cited sentence is what is said. A list is right when all of its members stand in the
  text, one in the short answer if there is one, and no other key of the table does.
* A row is cited when a cited quote of its file holds its cells. A list needs all of its rows, a count, a sum and a mean
  a quote of the file.
* What is answered though there is no answer is false.

Each folder is read by ``lens read`` before its first question.
"""

from __future__ import annotations

import argparse
import csv
import email
import email.policy
import email.utils
import io
import json
import mailbox
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fnmatch import fnmatch
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pypdfium2
from python_calamine import CalamineWorkbook

from benchmarks.asking import ask_timed
from benchmarks.docsqa_answers import around, cited, holds, said, tokens
from benchmarks.questions.wording import date_in
from lens_lsp.corpus.extraction import DocumentOptions, use_for_documents
from lens_lsp.model.answer import Answer, Status
from lens_lsp.model.documents import Evidence

QUESTIONS = Path(__file__).parent / "questions/tables_and_mail.jsonl"
KINDS = ("lookup", "filter", "count", "sum", "extreme", "mail")
_NUMBER = re.compile(r"[-−–]?\d+(?:[.,'’\u00a0\u202f]\d+)*")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its key. ``rows``: the cells that prove it, a row each; ``others``: keys of the table that are no
    part of the answer."""

    id: str
    folder: str
    half: str
    kind: str
    format: str
    question: str
    answers: tuple[str, ...]
    number: float | None
    decimals: int
    path: str
    sheet: str | None
    rows: tuple[tuple[str, ...], ...]
    others: tuple[str, ...]
    how: Mapping[str, Any]

    @property
    def answerable(self) -> bool:
        return self.kind != "none"


def read_questions(path: Path) -> list[Question]:
    """All questions of the file."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [question_of(line) for line in lines]


def question_of(line: Mapping[str, Any]) -> Question:
    return Question(
        **{name: line[name] for name in ("id", "folder", "half", "kind", "format", "question")},
        answers=tuple(line.get("answers", ())),
        number=line.get("number"),
        decimals=line.get("decimals", 0),
        path=line.get("path", ""),
        sheet=line.get("sheet"),
        rows=tuple(tuple(row) for row in line.get("rows", ())),
        others=tuple(line.get("others", ())),
        how=line.get("how", {}),
    )


# ---- The tables, read without the engine


Record = dict[str, str]


def records(folder: Path, how: Mapping[str, Any]) -> Iterator[Record]:
    """The rows of a table of ``folder``, cells by column. The keys of ``how``: ``path`` (mail: a pattern), ``sheet``;
    ``head``: the line of the head, from 0; ``from``, ``to``: the first column and the one behind the last; ``pattern``:
    what a line of a PDF page must match, its groups are the columns; ``pages``: from 1."""
    path = str(how["path"])
    kind = path.rpartition(".")[2]
    if kind in ("eml", "mbox"):
        yield from _mails(folder, path)
    elif kind == "pdf":
        with pypdfium2.PdfDocument(folder / path) as document:
            for page in how.get("pages", range(1, len(document) + 1)):
                for line in document[page - 1].get_textpage().get_text_range().splitlines():
                    if found := re.fullmatch(how["pattern"], line.strip()):
                        yield {name.replace("_", " "): cell for name, cell in found.groupdict().items()}
    else:
        lines = _sheet(folder / path, how.get("sheet")) if kind.startswith("xls") else _lines(folder / path)
        head, *body = lines[how.get("head", 0) :]
        chosen = slice(how.get("from", 0), how.get("to"))
        for row in body:
            yield dict(zip(head[chosen], row[chosen], strict=False))


def _lines(path: Path) -> list[list[str]]:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    first = text.partition("\n")[0]
    mark = max("\t;,", key=first.count)
    return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), delimiter=mark)]


def _sheet(path: Path, name: str | None) -> list[list[str]]:
    book = CalamineWorkbook.from_path(path)
    rows = book.get_sheet_by_name(name or book.sheet_names[0]).to_python(skip_empty_area=False)
    return [[_plain(cell) for cell in row] for row in rows]


def _plain(cell: Any) -> str:
    if isinstance(cell, (datetime, date)):
        return cell.isoformat()[:10]
    if isinstance(cell, float) and cell == int(cell):
        return str(int(cell))
    return str(cell)


def _mails(folder: Path, pattern: str) -> Iterator[Record]:
    if pattern.endswith("mbox"):
        found = [(pattern, mail.as_bytes()) for mail in mailbox.mbox(folder / pattern, create=False)]
    else:
        found = [(file.relative_to(folder).as_posix(), file.read_bytes()) for file in sorted(folder.glob(pattern))]
    for file_name, data in found:
        mail = email.message_from_bytes(data)
        read = email.message_from_bytes(data, policy=email.policy.default)
        sender = email.utils.parseaddr(str(read["From"]))
        files = [name for part in read.walk() if (name := part.get_filename())]
        yield {
            "File": file_name,
            "From": str(read["From"]),
            "Name": sender[0],
            "To": " ".join(str(mail["To"] or "").split()),
            "Date": email.utils.parsedate_to_datetime(str(mail["Date"])).date().isoformat(),
            "Subject": " ".join(str(read["Subject"]).split()),
            "Attachments": "; ".join(files),
        }


# ---- Computing


def numbers_of(cell: str) -> set[float]:
    """What a number may mean: ``4.451`` is 4451 in German, ``4,451`` in English."""
    plain = cell.replace("\u2212", "-").replace("–", "-").replace("’", "").replace("'", "")
    plain = re.sub(r"[\u00a0\u202f]", "", plain)
    read = set[float]()
    for point, group in ((".", ","), (",", ".")):
        whole = rf"-?\d{{1,3}}(?:{re.escape(group)}\d{{3}})+(?:{re.escape(point)}\d+)?|-?\d*(?:{re.escape(point)}\d+)?"
        if plain and re.fullmatch(whole, plain) and re.search(r"\d", plain):
            read.add(float(plain.replace(group, "").replace(point, ".")))
    return read


def amount(cell: str, german: bool = False) -> float | None:
    """The number that a cell begins with, its unit left out; None where it holds none."""
    point, group = (",", ".") if german else (".", ",")
    found = re.match(rf"[$€£]?\s*(-?[\d{group}]*(?:\{point}\d+)?)(?![\d.,]*\d)", cell)
    if found is None or not re.search(r"\d", found[1]):
        return None
    return float(found[1].replace(group, "").replace(point, "."))


def _meets(cell: str, op: str, value: str | float, german: bool) -> bool:
    if op == "==":
        return cell == str(value)
    if op == "has":
        return str(value).casefold() in cell.casefold()
    if op == "starts":
        return cell.startswith(str(value))
    number = amount(cell, german)
    if number is None:
        return False
    limit = float(value)
    return {">": number > limit, ">=": number >= limit, "<": number < limit, "<=": number <= limit}[op]


def compute(folder: Path, how: Mapping[str, Any]) -> tuple[list[str], float | None, list[Record], list[Record]]:
    """The answers, the number, the rows that prove it, and all rows of the table. ``where``: conditions of ``column,
    operator, value``; ``fold``: what is done with the ``column`` of the rows that are left; ``key``: the column that
    names a row."""
    every = list(records(folder, how))
    german = bool(how.get("german"))
    rows = [
        row
        for row in every
        if all(_meets(row.get(column, ""), op, value, german) for column, op, value in how.get("where", ()))
    ]
    column, key = how.get("column", ""), how.get("key", how.get("column", ""))
    fold = how["fold"]
    if fold == "value":
        values = list(dict.fromkeys(row[column] for row in rows))
        number = (
            amount(values[0], german) if len(values) == 1 and re.match(r"[$€£]?\s*-?[\d.,]*\d", values[0]) else None
        )
        return values, number, rows, every
    if fold == "list":
        return list(dict.fromkeys(row[key] for row in rows)), None, rows, every
    if fold == "count":
        return [str(len(rows))], float(len(rows)), rows, every
    found = [(number, row) for row in rows if (number := amount(row[column], german)) is not None]
    if fold in ("max", "min"):
        best = (max if fold == "max" else min)(number for number, _ in found)
        winners = [row for number, row in found if number == best]
        return [row[key] for row in winners], None, winners, every
    value = (sum if fold == "sum" else fmean)(number for number, _ in found)
    return [f"{value:.10g}"], value, [row for _, row in found], every


# ---- Scoring


@dataclass(frozen=True, slots=True)
class Row:
    """A question, its answer and what that is worth."""

    key: Question
    answer: Answer
    seconds: float
    answered: bool
    holds: bool
    proven: bool

    @property
    def right(self) -> bool:
        return self.answered and self.holds and self.proven


def _numbers(text: str) -> list[tuple[set[float], bool]]:
    found = []
    for match in _NUMBER.finditer(text):
        share = text[match.end() : match.end() + 2].lstrip().startswith("%")
        found.append((numbers_of(match[0]), share))
    found += [({float(token)}, False) for token in tokens(text) if re.fullmatch(r"\d+", token)]
    return found


def says_number(text: str, number: float, decimals: int) -> bool:
    """Whether a text holds a number, to the decimals that are asked for; a share may be told in per cent."""
    within = 0.5 * 10.0**-decimals + 1e-9 * abs(number)
    for values, share in _numbers(text):
        if any(abs(value - number) <= within for value in values):
            return True
        if share and any(abs(value / 100 - number) <= max(within, 0.0006) for value in values):
            return True
    return False


def says(text: str, form: str) -> bool:
    """Whether a text holds a form of the answer, as words or as the same day."""
    day = date_in(form) if re.fullmatch(r"\d{4}-\d\d-\d\d", form) else None
    if day is not None and day in _days(text):
        return True
    return holds(text, form)


_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def _days(text: str) -> set[date]:
    found = set[date]()
    names = "|".join(_MONTHS)
    for pattern in (
        r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})",
        r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})",
        r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})",
        rf"(?P<d>\d{{1,2}})\.? (?P<m>{names})[a-z]*\.?,? (?P<y>\d{{4}})",
        rf"(?P<m>{names})[a-z]*\.? (?P<d>\d{{1,2}}),? (?P<y>\d{{4}})",
    ):
        for match in re.finditer(pattern, text.casefold()):
            month = match["m"] if match["m"].isdigit() else str(_MONTHS.index(match["m"][:3]) + 1)
            try:
                found.add(date(int(match["y"]), int(month), int(match["d"])))
            except ValueError:
                continue
    return found


def _told(answer: Answer) -> str:
    return answer.short if answer.short is not None else answer.text


def holds_answer(key: Question, answer: Answer) -> bool:
    """Whether the answer says what is expected."""
    if key.kind == "filter":
        text = f"{answer.short or ''}\n{answer.text}"
        named = answer.short is None or any(says(answer.short, form) for form in key.answers)
        other = any(says(text, form) for form in key.others)
        return named and not other and all(says(text, form) for form in key.answers)
    short = said(answer)
    text = short if key.kind in ("count", "sum", "extreme") else _told(answer)
    if key.number is not None and key.kind != "extreme":
        return says_number(text, key.number, key.decimals)
    return any(says(text, form) for form in key.answers)


def _holds_cell(quote: str, cell: str) -> bool:
    if says(quote, cell):
        return True
    number = amount(cell) if re.fullmatch(r"[\d.,-]+", cell) else None
    return number is not None and says_number(quote, number, 6 if number != int(number) else 0)


def _quotes(item: Evidence, key: Question, row: Iterable[str]) -> bool:
    return fnmatch(item.path, f"*{key.path}") and all(_holds_cell(item.quote, cell) for cell in row)


def proves(key: Question, answer: Answer) -> bool:
    """Whether the cited quotes prove the answer: the row, each row of a list, or the table of a count or sum."""
    quotes = cited(answer) or list(answer.evidence)
    if key.kind in ("count", "sum") or key.how.get("fold") == "count":
        return any(fnmatch(item.path, f"*{key.path}") for item in quotes)
    found = [any(_quotes(item, key, row) for item in quotes) for row in key.rows]
    return all(found) if key.kind == "filter" else any(found)


def score(key: Question, answer: Answer, seconds: float) -> Row:
    answered = answer.status is Status.ANSWERED
    if not key.answerable:
        return Row(key, answer, seconds, answered, False, False)
    return Row(key, answer, seconds, answered, holds_answer(key, answer), proves(key, answer))


# ---- Reporting


HEADINGS = ["N", "right", "answered", "right of answered", "says it", "row among the citations", "median s"]


def _share(hits: int, of: int) -> str:
    return f"{hits} of {of} ({100 * hits / of:.0f} %)" if of else "–"


def line(name: str, rows: Sequence[Row]) -> list[str]:
    """A line of the table: of the questions that have an answer."""
    able = [row for row in rows if row.key.answerable]
    answered, right = [row for row in able if row.answered], sum(row.right for row in able)
    return [
        name,
        str(len(able)),
        _share(right, len(able)),
        str(len(answered)),
        _share(right, len(answered)),
        _share(sum(row.holds for row in able), len(able)),
        _share(sum(row.proven for row in able), len(able)),
        f"{median(row.seconds for row in rows):.2f}",
    ]


def report(rows: Sequence[Row]) -> str:
    """Tables by kind and by format, and the false answers."""
    parts = []
    for field in ("kind", "format"):
        names = sorted({getattr(row.key, field) for row in rows if row.key.answerable})
        body = [line(name, [r for r in rows if getattr(r.key, field) == name and r.key.answerable]) for name in names]
        cells = [[field, *HEADINGS], ["---"] * (len(HEADINGS) + 1), *body, line("all", rows)]
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in cells))
    none = [row for row in rows if not row.key.answerable]
    parts.append(f"False answers: {_share(sum(row.answered for row in none), len(none))}")
    return "\n\n".join(parts)


def shown(row: Row) -> dict[str, Any]:
    """A row for error analysis."""
    return {
        "id": row.key.id,
        "kind": row.key.kind,
        "format": row.key.format,
        "question": row.key.question,
        "expected": list(row.key.answers),
        "status": row.answer.status.value,
        "short": row.answer.short,
        "text": row.answer.text,
        "cited": [
            {"n": item.n, "path": item.path, "locator": item.locator, "quote": item.quote} for item in cited(row.answer)
        ],
        "evidence": [
            {"path": item.path, "locator": item.locator, "shown": around(item)[:400]}
            for item in row.answer.evidence[:5]
        ],
        "answered": row.answered,
        "holds": row.holds,
        "proven": row.proven,
        "right": row.right,
        "seconds": round(row.seconds, 2),
    }


def run(folders: Path, keys: Sequence[Question]) -> list[Row]:
    """Ask the questions, folder by folder, and score the answers."""
    rows = list[Row]()
    for name in dict.fromkeys(key.folder for key in keys):
        own = [key for key in keys if key.folder == name]
        command = [sys.executable, "-m", "lens_lsp", "read", str(folders / name)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        use_for_documents(DocumentOptions(), [str(folders / name)])
        answers = ask_timed(folders / name, [key.question for key in own])
        rows += [score(key, answer, seconds) for key, (answer, seconds) in zip(own, answers, strict=True)]
        print(f"{name}: {sum(row.right for row in rows[-len(own) :])} right", file=sys.stderr, flush=True)
    return rows


def check(folders: Path, keys: Sequence[Question]) -> list[str]:
    """What no longer comes out as it is written down."""
    wrong = []
    for key in keys:
        if not key.answerable:
            continue
        answers, number, rows, _ = compute(folders / key.folder, key.how)
        same = number is None or key.number is None or abs(number - key.number) <= 1e-6 * max(1.0, abs(number))
        named = key.number is not None or set(answers) <= {*key.answers} or any(a in key.answers for a in answers)
        if not (same and named and rows):
            wrong.append(f"{key.id}: {answers} {number}, written down {key.answers} {key.number}")
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folders", type=Path, required=True)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--half", choices=("visible", "held"))
    parser.add_argument("--only", nargs="*", default=(), metavar="ID")
    parser.add_argument("--check", action="store_true", help="compute the answers again, and ask nothing")
    parser.add_argument("--out", type=Path, help="a JSON line a question")
    options = parser.parse_args(arguments)
    keys = [key for key in read_questions(options.questions) if options.half in (None, key.half)]
    keys = [key for key in keys if not options.only or key.id in options.only]
    if options.check:
        wrong = check(options.folders, keys)
        print("\n".join(wrong) or f"{len(keys)} questions: every answer comes out again")
        return 1 if wrong else 0
    rows = run(options.folders, keys)
    if options.out:
        options.out.write_text("".join(json.dumps(shown(row), ensure_ascii=False) + "\n" for row in rows), "utf-8")
    for half in dict.fromkeys(key.half for key in keys):
        own = [row for row in rows if row.key.half == half]
        print(f"\n{half} half, {len(own)} questions\n\n{report(own)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
