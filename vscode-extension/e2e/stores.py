"""``python stores.py FOLDER KIND…``: stores of a folder as years of use, or an older version, would have left them.

``many N``: N threads of one question each, every second one proven by a line of the folder's notes. ``long BYTES PATH
QUOTE``: a thread whose answer has as many bytes, and cites the quote. ``old FILE QUESTION``: the store in FILE, of an
older version, with the question of its first cluster as a thread. The interpreter is one that has Lens; the store is
that of its user.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from lens_lsp.judge.rules.question_plan import question_plan
from lens_lsp.memory.answer_files import Saved, file_name
from lens_lsp.memory.clusters import citation_id, identify
from lens_lsp.memory.matching import question_key
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import store_folder
from lens_lsp.memory.store_rows import CLUSTERS, TURNS, Changes, encode_row
from lens_lsp.model.answer import Account, Answer, Coverage, Mode, RequirementStatus, Status, StopReason
from lens_lsp.model.cluster import OFFLINE, Asked, Citation, Cluster, KnownFact, Turn
from lens_lsp.model.documents import Evidence, Origin, TextSource
from lens_lsp.model.plan import Intent
from lens_lsp.model.text import Position, Span

BEGUN = 1_700_000_000.0
"""When the first question was asked, in seconds since the epoch."""
APART = 3_600.0
"""Seconds between two questions."""
SHORT = 60
"""Characters of a line that is no passage."""
CUT = 12
"""Characters that a passage may lack at either end, and one more."""
PARAGRAPH = """## Part {n}

The queue of part {n} was looked at: **four** run, `sixty-four` wait [1]. {words}

| part | runs | waits |
| ---: | ---: | ----: |
| {n} | 4 | 64 |

* one of {n}
* two of {n}

"""
WORDS = "A question that comes later waits for its turn, and a client that leaves gives its place to the next one. "


def cluster(n: int, question: str, text: str, citation: Citation) -> Cluster:
    """The proven answer to a question: one fact, one citation."""
    key, at, id_ = question_key(question), BEGUN + n * APART, citation_id(citation)
    plan = question_plan(question)
    fact = KnownFact(
        f"fact{n}", key, plan.requirements[0], RequirementStatus.COVERED, "four", 0.9, (id_,), at, retired=False
    )
    asked = Asked(
        id=identify("asked", key, OFFLINE),
        question=question,
        key=key,
        plan=plan,
        mode=Mode.EVIDENCE,
        oracle=OFFLINE,
        at=at,
        status=Status.ANSWERED,
        text=text,
        short="four",
        facts=(fact.id,),
        evidence=(id_,),
    )
    return Cluster(f"cluster{n}", question, (asked,), (fact,), ((id_, citation),), created=at, used=at)


def cited(folder: Path, path: str, quote: str) -> Citation:
    """A passage of a file of the folder."""
    content = (folder / path).read_bytes()
    start = content.decode().index(quote)
    digest = hashlib.sha256(content).hexdigest()
    span = Span(start, start + len(quote))
    return Citation("", path, TextSource.DISK, digest, "utf-8", "markdown/1", span, quote, count=1)


def passages(folder: Path) -> list[Citation]:
    """Stretches of the longer lines of the folder's notes: what shares a citation is linked, and few answers do."""
    lines = []
    for file in sorted(folder.rglob("*.md")):
        path = file.relative_to(folder).as_posix()
        lines += [(path, line) for line in file.read_text("utf-8").splitlines() if len(line) > SHORT]
    cuts = product(range(CUT), range(CUT), lines)
    return [cited(folder, path, line[before : len(line) - after]) for before, after, (path, line) in cuts]


def many(store: Store, count: int, known: Sequence[Citation]) -> None:
    """Threads of before."""
    clusters, turns = [], []
    for n in range(count):
        question = f"How many carts crossed bridge {n} of the county?"
        proven = n % 2 == 0
        if proven:
            citation = known[n // 2 % len(known)]
            clusters.append(cluster(n, question, f"> {citation.quote} [1]", citation))
        turns.append(Turn(f"window {n}", 1, question, question, f"cluster{n}" if proven else None, BEGUN + n * APART))
    store.save(Changes(tuple(clusters), turns=tuple(turns)))


def long(store: Store, folder: Path, size: int, citation: Citation) -> None:
    """A thread with a long answer, and the answer's file."""
    question = "What became of every part of the queue?"
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(PARAGRAPH.format(n=len(parts) + 1, words=WORDS * 8))
        length += len(parts[-1])
    text = "".join(parts) + "The very end of the answer."
    n = 20_000
    known = cluster(n, question, text, citation)
    turn = Turn("window long", 1, question, question, known.id, BEGUN + n * APART)
    store.save(Changes((known,), turns=(turn,)))
    line = Position(1, 1)
    evidence = Evidence(
        n=1,
        root=0,
        path=citation.path,
        start=line,
        end=line,
        span=citation.span,
        quote=citation.quote,
        origin=Origin(citation.sha256, citation.encoding),
        reader=citation.reader,
        locator=None,
        heading=(),
        score=1.0,
    )
    answer = Answer(
        question=question,
        mode=Mode.EVIDENCE,
        intent=Intent.LOOKUP,
        seed=0,
        roots=(str(folder),),
        status=Status.ANSWERED,
        stopped=StopReason.COVERED,
        text=text,
        short=None,
        requirements=(),
        evidence=(evidence,),
        computation=None,
        documents=(),
        coverage=Coverage(0, 0),
        account=Account(),
        compression=None,
    )
    saved = Saved(answer, {1: citation}, datetime.fromtimestamp(turn.at, UTC), None, private=False)
    store.keep_answer(file_name(question, known.asked[0].id), saved)


def old(place: Path, file: Path, question: str) -> None:
    """A store as an older version left it, with a thread."""
    place.mkdir(parents=True, mode=0o700)
    shutil.copy(file, place / "knowledge.db")
    with closing(sqlite3.connect(place / "knowledge.db", isolation_level=None)) as connection:
        (id_,) = connection.execute(f'SELECT id FROM "{CLUSTERS.name}"').fetchone()
        values = encode_row(Turn("window of old", 1, question, question, id_, BEGUN))
        connection.execute(TURNS.insert, (*values, TURNS.row_sum(values)))


def main(folder: Path, kind: str, *given: str) -> None:
    """Make one."""
    place = store_folder(str(folder))
    if kind == "old":
        old(place, Path(given[0]), given[1])
        return
    with Store.open(place) as store:
        if kind == "many":
            many(store, int(given[0]), passages(folder))
        else:
            long(store, folder, int(given[0]), cited(folder, *given[1:]))


main(Path(sys.argv[1]), *sys.argv[2:])
