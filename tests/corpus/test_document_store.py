"""Texts of documents on the disk: of the same content and reader or none, whole or none, private, bounded, removed."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.corpus.document_store import DAYS, NAME, DocumentStore, kept, remove
from lens_lsp.documents.frames import joined
from lens_lsp.documents.kinds import Extracted, Failure, StoredText
from lens_lsp.model.documents import Block, BlockKind, Head, Heading, LocatorMap, Structure
from lens_lsp.model.text import Span

posix = pytest.mark.skipif(os.name != "posix", reason="needs modes and links")
READER, CONTENT = "pdf/1+pypdfium2.5.0", "ab" * 32
DAY = 24 * 3600.0
TEXT = Extracted(
    "Harbour\n\nThe cräne lifts forty tonnes. 🏗",
    LocatorMap((0, 9), ({"page": 1}, {"page": 2})),
    Structure(
        head=Head(title="Harbour", tags=("crane",), fields=(("to", "a"), ("from", "b"))),
        headings=(Heading(Span(0, 7), 1, "Harbour"),),
        blocks=(Block(BlockKind.PARAGRAPH, Span(9, 38)),),
        hidden=(Span(9, 12),),
    ),
    ("some of it is hidden",),
    pages=(3,),
    pictures=1,
)
SAVED = replace(TEXT, structure=replace(TEXT.structure, head=replace(TEXT.structure.head, fields=())))
"""What comes back: fields are those of the text's own lines."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "documents"


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def store(folder: Path, told: list[str]) -> Iterator[DocumentStore]:
    made = DocumentStore(folder, told.append)
    yield made
    made.close()


def test_what_was_kept_comes_back_as_it_was(store: DocumentStore, folder: Path) -> None:
    assert store.extracted(READER, CONTENT) is None
    store.put(READER, CONTENT, TEXT)
    for one in (store, DocumentStore(folder)):
        assert one.extracted(READER, CONTENT) == SAVED
        assert one.text(READER, CONTENT) == StoredText(TEXT.text, TEXT.gist)
        one.close()


@pytest.mark.parametrize(("reader", "content"), [(READER, "cd" * 32), ("pdf/2+pypdfium2.5.0", CONTENT)])
def test_another_content_or_reader_finds_nothing(store: DocumentStore, reader: str, content: str) -> None:
    store.put(READER, CONTENT, TEXT)
    assert store.extracted(reader, content) is None
    assert store.text(reader, content) is None


def test_parts_come_back_as_one_document(store: DocumentStore) -> None:
    first, second = replace(TEXT, read=2, left=2), replace(TEXT, read=4)
    store.put(READER, CONTENT, second, first=2)
    store.put(READER, CONTENT, first)
    whole = store.extracted(READER, CONTENT)
    assert isinstance(whole, Extracted)
    assert whole == joined([replace(SAVED, read=2, left=2), replace(SAVED, read=4)])
    found = store.text(READER, CONTENT)
    assert isinstance(found, StoredText)
    assert (found.text, found.gist.left) == (whole.text, 0)
    assert found.gist.headings == whole.gist.headings
    places = [whole.text[block.span.start : block.span.end] for block in whole.structure.blocks]
    assert places == [TEXT.text[9:38]] * 2


def test_why_there_is_no_text_is_kept_until_it_is_dropped(store: DocumentStore) -> None:
    store.put_failure(READER, CONTENT, Failure.ENCRYPTED)
    assert store.text(READER, CONTENT) is store.extracted(READER, CONTENT) is Failure.ENCRYPTED
    store.drop(READER, CONTENT)
    assert store.text(READER, CONTENT) is None


def test_a_content_is_known_by_what_identified_its_file(store: DocumentStore, folder: Path) -> None:
    identity = (5, 1, 1, 2**64 - 1, 3)
    store.put(READER, CONTENT, TEXT)
    store.identify(identity, CONTENT)
    store.close()
    again = DocumentStore(folder)
    assert again.sha256(identity) == CONTENT
    assert again.sha256((6, *identity[1:])) is None
    again.close()


def test_where_it_is_kept_is_told_by_who_makes_it(store: DocumentStore, folder: Path, told: list[str]) -> None:
    assert (store.text(READER, CONTENT), told, folder.exists()) == (None, [], False)
    store.put(READER, CONTENT, TEXT)
    assert len(told) == 1
    assert "documents.store = false" in told[0]
    later: list[str] = []
    other = DocumentStore(folder, later.append)
    other.put(READER, "cd" * 32, TEXT)
    other.close()
    assert later == []


SEED = 30


@pytest.mark.parametrize("number", range(40))
def test_a_damaged_file_is_set_aside_and_begun_anew(folder: Path, number: int) -> None:
    """40 files with 64 bytes of chance in them, seed 30: what is served is what was put, or nothing."""
    chance = random.Random(SEED + number)
    with DocumentStoreFilled(folder, 30) as texts:
        database = folder / NAME
        data = bytearray(database.read_bytes())
        begin = 0 if number < 2 else chance.randrange(len(data) - 64)
        data[begin : begin + 64] = chance.randbytes(64)
        database.write_bytes(bytes(data[: chance.randrange(len(data))] if number % 4 == 3 else data))
    told: list[str] = []
    store = DocumentStore(folder, told.append)
    served = 0
    for content, text in texts.items():
        found = store.extracted(READER, content)
        assert found in (None, text)
        served += found is not None
    assert served == len(texts) or told
    store.put(READER, CONTENT, TEXT)
    store.put(READER, CONTENT, TEXT)
    assert store.extracted(READER, CONTENT) == SAVED
    store.close()


class DocumentStoreFilled:
    """A store with some texts, closed again."""

    def __init__(self, folder: Path, count: int) -> None:
        store = DocumentStore(folder)
        chance = random.Random(SEED)
        self.texts = {f"{n:064x}": Extracted(chance.randbytes(chance.randrange(1, 3000)).hex()) for n in range(count)}
        for content, text in self.texts.items():
            store.put(READER, content, text)
        store.close()

    def __enter__(self) -> dict[str, Extracted]:
        return self.texts

    def __exit__(self, *_: object) -> None: ...


def test_what_was_used_longest_ago_goes_first_and_nothing_of_today(folder: Path, told: list[str]) -> None:
    now = [0.0]
    store = DocumentStore(folder, told.append, most=25_000, clock=lambda: now[0])
    of = [f"{number:064x}" for number in range(12)]
    texts = [Extracted(random.Random(number).randbytes(2500).hex()) for number in range(12)]
    for day, (content, text) in enumerate(zip(of, texts, strict=True)):
        now[0] = day * DAY
        store.put(READER, content, text)
        assert store.extracted(READER, of[0]) == texts[0]
        store.flush()  # used today
    assert sum(store.extracted(READER, content) is not None for content in of) in range(4, 12)
    assert store.extracted(READER, of[-1]) == texts[-1]
    assert not store.full
    for number in range(30):
        store.put(READER, f"{100 + number:064x}", texts[0])
    assert store.full
    assert "no more texts" in told[-1]
    assert store.extracted(READER, of[-1]) == texts[-1]
    store.close()


def test_what_nobody_used_for_long_is_forgotten(folder: Path) -> None:
    now = [0.0]
    store = DocumentStore(folder, clock=lambda: now[0])
    store.put(READER, CONTENT, TEXT)
    store.identify((1, 1, 1, 1, 1), CONTENT)
    store.close()
    now[0] = DAYS * DAY
    again = DocumentStore(folder, clock=lambda: now[0])
    assert again.extracted(READER, CONTENT) is not None
    again.close()  # it was used
    now[0] = 2 * DAYS * DAY + DAY
    last = DocumentStore(folder, clock=lambda: now[0])
    assert last.extracted(READER, CONTENT) is None
    last.close()


@posix
def test_only_the_user_can_read_it(store: DocumentStore, folder: Path) -> None:
    before = os.umask(0)
    try:
        store.put(READER, CONTENT, TEXT)
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder, folder / NAME)]
    assert modes == [0o700, 0o700, 0o600]


@posix
@pytest.mark.parametrize("what", ["folder", "file"])
def test_no_link_is_followed(folder: Path, tmp_path: Path, told: list[str], what: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    if what == "folder":
        elsewhere.mkdir()
        folder.parent.mkdir()
        folder.symlink_to(elsewhere)
    else:
        elsewhere.write_bytes(b"")
        folder.mkdir(parents=True)
        (folder / NAME).symlink_to(elsewhere)
    store = DocumentStore(folder, told.append)
    store.put(READER, CONTENT, TEXT)
    assert store.extracted(READER, CONTENT) is None
    assert told
    assert (list(elsewhere.iterdir()) if what == "folder" else elsewhere.read_bytes()) in ([], b"")


def test_a_folder_that_cannot_be_made_costs_no_text(tmp_path: Path, told: list[str]) -> None:
    (tmp_path / "cache").write_text("a file")
    store = DocumentStore(tmp_path / "cache" / "documents", told.append)
    store.put(READER, CONTENT, TEXT)
    store.put(READER, CONTENT, TEXT)
    assert store.extracted(READER, CONTENT) is None
    assert len(told) == 1


def test_a_full_disk_keeps_nothing_more_and_says_so(store: DocumentStore, folder: Path, told: list[str]) -> None:
    """A database at its most pages fails as one does on a full disk."""
    store.put(READER, CONTENT, TEXT)
    assert store._connection is not None
    store._connection.execute("PRAGMA max_page_count=8")
    store.put(READER, "cd" * 32, Extracted(random.Random(SEED).randbytes(100_000).hex()))
    assert "not kept" in told[-1]
    store.put(READER, "cd" * 32, TEXT)
    assert len(told) == 2
    again = DocumentStore(folder)
    assert (again.extracted(READER, CONTENT), again.extracted(READER, "cd" * 32)) == (SAVED, None)
    again.close()


_WRITER = """
import sys
from pathlib import Path
from lens_lsp.corpus.document_store import DocumentStore
from lens_lsp.documents.kinds import Extracted
store = DocumentStore(Path(sys.argv[1]), print)
for n in range(int(sys.argv[2]), int(sys.argv[3])):
    store.put("pdf/1", f"{n:064x}", Extracted(f"text {n}"))
    print(store.text("pdf/1", f"{n:064x}").text, flush=True)
store.close()
"""


def test_processes_write_at_the_same_time_and_lose_nothing(folder: Path) -> None:
    """Three processes of 40 texts each."""
    command = [sys.executable, "-c", _WRITER, str(folder)]
    running = [
        subprocess.Popen([*command, str(at), str(at + 40)], stdout=subprocess.PIPE, text=True) for at in (0, 40, 80)
    ]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    store = DocumentStore(folder)
    for n in range(120):
        found = store.text("pdf/1", f"{n:064x}")
        assert isinstance(found, StoredText)
        assert found.text == f"text {n}"
    store.close()


def test_a_process_that_is_killed_loses_no_text_that_it_kept(folder: Path) -> None:
    """Killed at once after its 5th, 10th and 15th text."""
    kept_until = 0
    for at in (5, 10, 15):
        command = [sys.executable, "-c", _WRITER, str(folder), str(kept_until), "1000000"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        while kept_until < at:
            kept_until += process.stdout.readline().startswith("text ")
        process.kill()
        process.communicate()
        store = DocumentStore(folder)
        assert all(store.text("pdf/1", f"{n:064x}") for n in range(at))
        store.close()


def test_all_of_ours_is_removed_and_nothing_else(store: DocumentStore, folder: Path) -> None:
    store.put(READER, CONTENT, TEXT)
    store.put_failure(READER, "cd" * 32, Failure.EMPTY)
    store.close()
    (folder / f".{NAME}.0123abcd.part").write_bytes(b"x")
    (folder / "mine.txt").write_text("mine")
    assert kept(folder)[0] == 1
    assert remove(folder) == 1
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert (remove(folder), kept(folder)) == (0, (0, 0))


def test_no_name_and_no_path_is_in_the_file(store: DocumentStore, folder: Path) -> None:
    store.put(READER, CONTENT, TEXT)
    store.identify((5, 1, 1, 2, 3), CONTENT)
    store.close()
    with sqlite3.connect(folder / NAME) as connection:
        columns = [
            row[1]
            for table in ("texts", "structures", "contents")
            for row in connection.execute(f"PRAGMA table_info({table})")
        ]
    connection.close()
    assert set(columns) == {
        *("id", "reader", "sha256", "first", "size", "used", "failure", "gist", "text"),
        *("structure", "identity"),
    }


def test_a_file_of_the_version_before_keeps_its_texts(store: DocumentStore, folder: Path, told: list[str]) -> None:
    import sqlite3

    identity = (1, 2, 3, 4, 5)
    store.identify(identity, CONTENT)
    store.put(READER, CONTENT, TEXT)
    store.close()
    with sqlite3.connect(folder / NAME) as connection:
        connection.execute("UPDATE contents SET sha256=substr(sha256, 1, 32)")
        connection.execute("PRAGMA user_version=1")
    connection.close()
    said = len(told)
    again = DocumentStore(folder, told.append)
    assert (again.sha256(identity), again.extracted(READER, CONTENT)) == (None, SAVED)
    again.identify(identity, CONTENT)
    again.flush()
    assert again.sha256(identity) == CONTENT
    assert told[said:] == []
    again.close()
