"""A second process that reads files of a very large folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.descriptions import heads_of
from lens_lsp.corpus.intake import Buffer, Intake, ReadBatch, read_batches
from lens_lsp.corpus.reading_process import ReadingProcess, ReadingTask, shared_batches
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover

BUDGET = 1 << 30
FILES = 6_000
MIXED = {
    "answer.md": "---\nlens: answer/2\nquestion: Who?\n---\n\n# Who?\n\nNobody.\n",
    "binary.txt": "a\0b",
    "empty.txt": "",
    "front.md": "---\ntitle: Quays\naliases: [Piers]\ntags: [harbour]\nowner: Morrow\n---\n\nText.\n",
    "greek.md": "# Λιμάνι\n\nΗ προβλήτα είναι παλιά.\n",
    "latin.txt": "caf\xe9",
    "page.html": "<title>Docks</title><p>The dock is long.</p>",
    "paper.pdf": "%PDF-1.4",
    "question.md": "# Notes\n\n?? Who built the quay?\n\nNobody knows.\n",
    "titled.md": "# Quay\n\nThe quay is old.\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for number in range(FILES):
        (folder / f"{number:05d}.md").write_text(f"# Note {number}\n\nA quiet day.\n", "utf-8")
    for at, (name, text) in enumerate(MIXED.items()):
        for number in (0, FILES):
            (folder / f"{number + at:05d}-{name}").write_text(text, "latin-1" if name == "latin.txt" else "utf-8")
    for path in folder.iterdir():
        os.utime(path, (1e9, 1e9))  # none is young by the time that it is read
    return folder


@pytest.fixture
def root(folder: Path) -> Iterator[Root]:
    with Root(str(folder)) as root:
        yield root


@pytest.fixture
def paths(root: Root) -> list[str]:
    return discover(root, CorpusRules(), names_only=True).paths


@pytest.fixture
def process(root: Root, paths: list[str]) -> Iterator[ReadingProcess]:
    process = started(root, paths)
    yield process
    process.close()


def started(root: Root, paths: Sequence[str], inode: int | None = None) -> ReadingProcess:
    status = os.stat(root.path)
    folder = status.st_dev, inode or status.st_ino
    process = ReadingProcess(ReadingTask(root.path, folder, "cp1252", BUDGET, paths))
    assert process.begun.wait(60)
    return process


def told(reads: Sequence[ReadBatch]) -> dict[str, object]:
    """All that batches say, whatever batch a file is in."""
    said: dict[str, object] = {}
    for batch, folded, heads in reads:
        if folded is not None:
            found = heads_of(batch.readers, batch.beginnings()) if heads is None else heads
            for at, path in enumerate(batch.paths):
                text = folded.data[folded.starts[at] : folded.ends[at]].tobytes()
                points = None if folded.maps is None or (own := folded.maps.of(at)) is None else own.point.tolist()
                said[path] = text, points, batch.identities[at], found[at], path in batch.young
        said |= {path: reason for path, _, reason in batch.refused}
        said |= dict.fromkeys(batch.documents, "document")
        said |= {f"{path}:{line}": reason for path, line, reason in batch.parts}
    return said


def received(process: ReadingProcess) -> list[ReadBatch]:
    found: list[ReadBatch] = []
    while process.reads and not process.left():
        found += process.sent(wait=True)
    return found


def test_it_reads_what_is_read_here(root: Root, paths: list[str], process: ReadingProcess) -> None:
    process.ask(3_000, len(paths))
    process.ask(0, 3_000)
    there = received(process)
    assert all(read.heads is not None for read in there)
    assert told(there) == told(list(read_batches(root, Intake("cp1252", BUDGET), paths, {})))


def test_what_it_did_not_send_before_it_died_is_left(paths: list[str], process: ReadingProcess) -> None:
    process.ask(0, len(paths))
    first = next(iter(process.sent(wait=True)))
    process.process.kill()
    found = [first, *received(process)]
    done = sum(read.batch.files for read in found)
    assert done < len(paths) or not process.left()
    process.ask(0, len(paths))
    assert not received(process), "who is dead reads nothing"


def test_a_folder_that_was_replaced_is_not_read(root: Root, paths: list[str]) -> None:
    process = started(root, paths, inode=1)
    process.ask(0, len(paths))
    assert not list(process.sent(wait=True))
    assert process.left() == [(0, len(paths))]
    process.close()


def test_together_they_read_every_file_once(root: Root, paths: list[str]) -> None:
    reads = list(shared_batches(root, Intake("cp1252", BUDGET), paths, fallback="cp1252", budget=BUDGET))
    assert sum(read.batch.files for read in reads) == len(paths)
    assert told(reads) == told(list(read_batches(root, Intake("cp1252", BUDGET), paths, {})))


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="processes tell their environment on Linux")
def test_it_gets_no_key(root: Root, paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENS_API_KEY", "sk-secret")
    monkeypatch.setenv("LENS_OTHER", "is handed on")
    process = started(root, paths)
    environment = Path(f"/proc/{process.process.pid}/environ").read_bytes()
    process.close()
    assert b"is handed on" in environment
    assert b"sk-secret" not in environment


def test_it_ends_with_whoever_asked(root: Root, paths: list[str]) -> None:
    process = started(root, paths)
    process.ask(0, len(paths))
    process.close()
    assert process.process.returncode is not None
    assert not process.takes()


def test_a_store_is_the_same_whoever_read(root: Root, paths: list[str]) -> None:
    typed = {(0, paths[7]): Buffer(paths[7], "# Typed\n\nJust now.\n")}
    alone, shared = TextStore(), TextStore(shared_from=1)
    skipped = [store.fill(root, paths, typed) for store in (alone, shared)]
    assert sorted(skipped[0]) == sorted(skipped[1])
    assert sorted(alone.parts()) == sorted(shared.parts())
    assert alone.files == shared.files
    for path in paths:
        one, other = alone.texts((0, path)), shared.texts((0, path))
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            assert alone.folded(mine.slot).tobytes() == shared.folded(theirs.slot).tobytes()
            assert alone.names(mine.slot) == shared.names(theirs.slot)
            assert alone.entry(mine.key) == shared.entry(theirs.key)
