"""Ways in which the file of a store comes to hold what was never written there."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from lens_lsp.memory.store_rows import PAGE_SIZE

Corruption = Callable[[Path, bytes, random.Random], None]
"""Damages a file; given an older state of the same file, and what to draw from."""
SECTOR = 512

# Changes pages of the file it is given, is about to commit, and dies with its journal full.
DYING_WRITER = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=TRUNCATE")
connection.execute("PRAGMA cache_size=1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE facts SET key = key || '!'")
connection.execute("UPDATE citations SET quote = quote || '!'")
connection.execute("UPDATE clusters SET title = title || '!'")
os._exit(9)
"""


def flipped_bits(path: Path, older: bytes, draw: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(draw.choice([1, 1, 1, 2, 8])):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def overwritten(path: Path, older: bytes, draw: random.Random) -> None:
    _put(path, draw, draw.randbytes(draw.choice([1, 16, SECTOR, PAGE_SIZE])), aligned=False)


def lost_sector(path: Path, older: bytes, draw: random.Random) -> None:
    _put(path, draw, bytes(draw.choice([SECTOR, PAGE_SIZE])), aligned=True)


def header_hit(path: Path, older: bytes, draw: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[draw.randrange(draw.choice([100, 108, PAGE_SIZE]))] ^= draw.randrange(1, 256)
    path.write_bytes(content)


def page_header_hit(path: Path, older: bytes, draw: random.Random) -> None:
    """A byte at the top of a page says how many rows there are and where."""
    content = bytearray(path.read_bytes())
    page = draw.randrange(1, len(content) // PAGE_SIZE) * PAGE_SIZE
    content[page + draw.randrange(24)] ^= draw.randrange(1, 256)
    path.write_bytes(content)


def truncated(path: Path, older: bytes, draw: random.Random) -> None:
    size = path.stat().st_size
    os.truncate(path, draw.choice([draw.randrange(size), draw.randrange(size // PAGE_SIZE) * PAGE_SIZE]))


def swapped_pages(path: Path, older: bytes, draw: random.Random) -> None:
    content = bytearray(path.read_bytes())
    pages = len(content) // PAGE_SIZE
    one, other = (PAGE_SIZE * n for n in draw.sample(range(1, pages), 2))
    first, second = content[one : one + PAGE_SIZE], content[other : other + PAGE_SIZE]
    content[one : one + PAGE_SIZE], content[other : other + PAGE_SIZE] = second, draw.choice([first, second])
    path.write_bytes(content)


def old_pages(path: Path, older: bytes, draw: random.Random) -> None:
    """Writes that never came: some pages are those of an earlier day."""
    content = bytearray(path.read_bytes())
    for _ in range(draw.choice([1, 1, 2, 5])):
        page = draw.randrange(1, min(len(older), len(content)) // PAGE_SIZE) * PAGE_SIZE
        content[page : page + PAGE_SIZE] = older[page : page + PAGE_SIZE]
    path.write_bytes(content)


def nothing_left(path: Path, older: bytes, draw: random.Random) -> None:
    path.write_bytes(draw.choice([b"", bytes(path.stat().st_size), bytes(PAGE_SIZE), b"no database at all\n" * 300]))


def another_application(path: Path, older: bytes, draw: random.Random) -> None:
    _run(path, f"PRAGMA application_id={draw.randrange(1, 1 << 30)}")


def hostile_schema(path: Path, older: bytes, draw: random.Random) -> None:
    """Triggers and views that act on what we do, and tables that are not what their name says."""
    _run(
        path,
        draw.choice(
            [
                "CREATE TRIGGER t AFTER INSERT ON facts BEGIN UPDATE facts SET value = 'forged'; END",
                "CREATE TRIGGER t AFTER DELETE ON asked BEGIN DELETE FROM citations; END",
                "CREATE VIEW v AS SELECT * FROM facts",
                "ALTER TABLE facts RENAME TO f; CREATE VIEW facts AS SELECT * FROM f WHERE retired = 0",
                "CREATE TABLE more(x)",
                "CREATE INDEX more ON facts(value)",
                "DROP INDEX facts_key",
                "DROP TABLE links",
            ]
        ),
    )


def tampered_rows(path: Path, older: bytes, draw: random.Random) -> None:
    """Well-formed changes that are not ours."""
    n = draw.randrange(8)
    stray = f"CREATE TEMP TABLE t AS SELECT * FROM facts WHERE cluster = 'k{n}'; UPDATE t SET cluster = 'k100';"
    whole = "".join(
        f"DELETE FROM {table} WHERE cluster = 'k{n}';" for table in ("asked", "facts", "citations", "links")
    )
    changes = [
        f"UPDATE facts SET value = '8 mm' WHERE cluster = 'k{n}'",
        f"UPDATE facts SET retired = 1 - retired WHERE cluster = 'k{n}'",
        f"UPDATE citations SET start = start + 1 WHERE cluster = 'k{n}'",
        f"UPDATE citations SET cluster = 'k{n + 100}' WHERE cluster = 'k{n}'",
        f"UPDATE asked SET key = (SELECT key FROM asked WHERE cluster = 'k{n + 1}') WHERE cluster = 'k{n}'",
        f"DELETE FROM facts WHERE cluster = 'k{n}' AND position = 0",
        f"DELETE FROM asked WHERE cluster = 'k{n}'",
        f"DELETE FROM clusters WHERE id = 'k{n}'",
        f"DELETE FROM clusters WHERE id = 'k{n}'; {whole}",
        "DELETE FROM summaries WHERE rowid = (SELECT max(rowid) FROM summaries)",
        "DELETE FROM turns WHERE rowid = (SELECT max(rowid) FROM turns)",
        f"{stray} INSERT INTO facts SELECT * FROM t",
    ]
    _run(path, draw.choice(changes))


def foreign_journal(path: Path, older: bytes, draw: random.Random) -> None:
    """The journal of another store, left by a process that died."""
    other = path.parent / "another.db"
    other.write_bytes(older)
    subprocess.run([sys.executable, "-I", "-c", DYING_WRITER, str(other)], check=False, timeout=60)
    journal = Path(f"{other}-journal")
    os.replace(journal, Path(f"{path}-journal"))
    other.unlink()


def made_up_journal(path: Path, older: bytes, draw: random.Random) -> None:
    """Something that looks like a journal from its first bytes on."""
    magic = bytes.fromhex("d9d505f920a163d7")
    head = magic + draw.choice([b"\xff" * 4, (3).to_bytes(4, "big")]) + draw.randbytes(4)
    pages = (path.stat().st_size // PAGE_SIZE).to_bytes(4, "big")
    sizes = SECTOR.to_bytes(4, "big") + PAGE_SIZE.to_bytes(4, "big")
    Path(f"{path}-journal").write_bytes((head + pages + sizes).ljust(SECTOR, b"\0") + draw.randbytes(3 * PAGE_SIZE))


def untouched(path: Path, older: bytes, draw: random.Random) -> None:
    """Nothing happens."""


def own_journal(path: Path, older: bytes, draw: random.Random) -> None:
    """A writer dies before its commit: its journal holds what the file was."""
    subprocess.run([sys.executable, "-I", "-c", DYING_WRITER, str(path)], check=False, timeout=60)


def rewritten(path: Path, older: bytes, draw: random.Random) -> None:
    """Another program writes the same rows anew."""
    _run(path, draw.choice(["VACUUM", "REINDEX", "ANALYZE; DROP TABLE sqlite_stat1"]))


HARMLESS: tuple[Corruption, ...] = (untouched, own_journal, rewritten)
"""What leaves a store a sound one."""
CORRUPTIONS: tuple[Corruption, ...] = (
    flipped_bits,
    overwritten,
    lost_sector,
    header_hit,
    page_header_hit,
    truncated,
    swapped_pages,
    old_pages,
    nothing_left,
    another_application,
    hostile_schema,
    tampered_rows,
    foreign_journal,
    made_up_journal,
)


def _put(path: Path, draw: random.Random, data: bytes, *, aligned: bool) -> None:
    content = bytearray(path.read_bytes())
    place = draw.randrange(len(content))
    place -= place % SECTOR if aligned else 0
    content[place : place + len(data)] = data[: len(content) - place]
    path.write_bytes(content)


def _run(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.IntegrityError):
        connection.executescript(script)
