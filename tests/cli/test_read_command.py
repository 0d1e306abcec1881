"""``lens read``: everything is read once, what is left and why, interrupted and gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from lens_process import Command, assert_one_sentence

from lens_lsp.documents.kinds import INSTALL, INSTALL_OCR, SCAN, kind_named, missing
from tests.availability import unavailable
from tests.documents.pdf_files import PageMaking, PdfMaking, text
from tests.documents_made import pdf

FACT = "The monthly rent of the workshop is 940 euros."


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    if lacking := missing(kind_named("pdf")):
        unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.pdf").write_bytes(
            pdf([f"Paper {number} of the archive."], [FACT] if number == 3 else ["."])
        )
    (folder / "locked.pdf").write_bytes(PdfMaking([PageMaking(text("secret", 60, 60))], locked=True).written())
    (folder / "torn.pdf").write_bytes(b"%PDF-1.4 torn")
    (folder / "mine.pdf").write_bytes(pdf(["lens: private"], ["Nobody else."]))
    (folder / "note.md").write_text("No document.\n")
    for path in folder.iterdir():
        os.utime(path, (1, 1))
    return folder


@pytest.mark.usefixtures("papers")
def test_everything_is_read_once_and_the_rest_is_named(lens: Command) -> None:
    told = json.loads(lens("read", "papers", "--json").out)
    assert (told["schema"], told["documents"], told["known"], told["read"]) == ("lens.read/1", 8, 0, 6)
    assert (told["private"], told["left"]) == (1, 0)
    assert [(skip["path"], skip["reason"]) for skip in told["skipped"]] == [
        ("locked.pdf", "encrypted"),
        ("torn.pdf", "broken"),
    ]
    again = lens("read", "papers")
    assert again.status == 0
    assert again.text.splitlines() == [
        "8 documents: 1 read now, 5 known before",
        "private, and so not kept: 1",
        "cannot be read: 2",
        "  locked.pdf (encrypted)",
        "  torn.pdf (broken)",
    ]
    found = json.loads(lens("find", "monthly rent", "papers", "--json").out)
    assert [one["path"] for one in found["evidence"]][:1] == ["3.pdf"], found
    assert found["coverage"]["documents"] == 6


def test_the_first_line_says_what_was_not_read(lens: Command, papers: Path) -> None:
    """A page of 4,000 lines takes longer than `find` reads for on any machine: the note is found, the rest is told."""
    lines = "\n".join(text("word " * 20, 20, 20 + number % 700) for number in range(4000))
    making = PdfMaking([PageMaking(lines)] * 4).written()
    for number in range(40):
        (papers / f"long-{number}.pdf").write_bytes(making + b"\n%% %d\n" % number)
    found = lens("find", "document", "papers", "--scope", "note.md", "--scope", "long-*")
    first = found.text.splitlines()[0]
    assert first.startswith("Not read yet: ")
    assert first.endswith(" of 40 documents.")


@pytest.mark.usefixtures("papers")
def test_without_the_store_nothing_is_read(lens: Command, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("documents.store = false\n")
    environment["LENS_CONFIG"] = str(tmp_path / "own.toml")
    assert_one_sentence(lens("read", "papers"), 2)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_interrupted_it_goes_on_where_it_was(lens: Command, environment: dict[str, str], tmp_path: Path) -> None:
    """A PDF of 1,200 pages: interrupted after the first of its twelve parts, which nobody reads again."""
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "book.pdf").write_bytes(pdf(*([f"Page {number} of the book."] * 40 for number in range(1, 1201))))
    os.utime(folder / "book.pdf", (1, 1))
    command = [sys.executable, "-m", "lens_lsp", "read", "books", "--json"]
    running = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while running.poll() is None and parts(environment) < 2:
        pass
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    if running.returncode == 0:
        pytest.skip("it was over before it could be interrupted")
    assert running.returncode == 130
    assert json.loads(out)["left"] == 1
    assert b"goes on from there" in err
    before = parts(environment)
    assert 2 <= before < 12
    found = json.loads(lens("find", "page 150 of the book", "books", "--json").out)
    unread = [{"path": "book.pdf", "line": None, "reason": "not-read", "root": 0}] if parts(environment) < 12 else []
    assert (found["coverage"]["unread"], found["coverage"]["partial"]) == (len(unread), unread)
    assert json.loads(lens("read", "books", "--json").out)["left"] == 0
    assert parts(environment) == 12
    found = json.loads(lens("find", "page 1150 of the book", "books", "--json").out)
    assert found["evidence"][0]["locator"] == {"page": 1150}
    assert (found["coverage"]["unread"], found["coverage"]["partial"]) == (0, [])


def test_a_scan_that_was_stopped_goes_on_behind_its_last_page(
    lens: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    """A scan of four pages: the process is killed after the first or second, and no page is recognised twice."""
    if lacking := missing(SCAN):
        unavailable("ocr", f"{', '.join(lacking)} not installed: {INSTALL_OCR}")
    from tests.documents.scans import scan

    folder = tmp_path / "scans"
    folder.mkdir()
    facts = ["The crane lifts forty tonnes.", "Nobody rows at night.", "The keeper signs.", "Every ship pays twice."]
    (folder / "scan.pdf").write_bytes(scan(*([fact] for fact in facts)))
    os.utime(folder / "scan.pdf", (1, 1))
    command = [sys.executable, "-m", "lens_lsp", "read", "scans"]
    running = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
    while running.poll() is None and not pages(environment):
        pass
    running.kill()
    assert running.wait() != 0, "it was over before it could be stopped"
    before = pages(environment)
    assert before[:1] == [1]
    assert len(before) < 4
    first = rows(environment, "SELECT id FROM texts WHERE reader LIKE '%/page' ORDER BY first")
    assert lens("read", "scans").status == 0
    assert pages(environment) == [1, 2, 3, 4]
    assert rows(environment, "SELECT id FROM texts WHERE reader LIKE '%/page' ORDER BY first")[: len(first)] == first
    found = json.loads(lens("find", "what does every ship pay", "scans", "--json").out)["evidence"][0]
    assert (found["quote"], found["locator"]["page"]) == (facts[3], 4)
    lens("forget", "--cache")
    (folder / "scan.pdf").write_bytes(scan(["lens: private"], ["Every ship pays twice."]))
    assert "private, and so not kept: 1" in lens("read", "scans").text
    assert pages(environment) == []


def test_what_a_password_opens_is_read_and_neither_it_nor_the_text_is_kept(
    lens: Command, environment: dict[str, str], papers: Path, tmp_path: Path
) -> None:
    making = PdfMaking([PageMaking(text("The vault holds nine hundred gold coins.", 60, 60))], password="hunter2")
    (papers / "vault.pdf").write_bytes(making.written())
    asked = ("find", "how many gold coins are in the vault?", "papers/vault.pdf")
    assert "LENS_DOCUMENT_PASSWORDS" in lens(*asked).complaint
    assert "they open with a password; write it into documents.passwords" in lens("read", "papers").complaint
    wrong = lens(*asked, env={**environment, "LENS_DOCUMENT_PASSWORDS": "hunter1"})
    assert "it opens with a password, and none that you gave fits" in wrong.complaint
    (tmp_path / "own.toml").write_text('documents.passwords = ["hunter1", "hunter2"]\n')
    own = {**environment, "LENS_CONFIG": str(tmp_path / "own.toml")}
    for env in (own, {**environment, "LENS_DOCUMENT_PASSWORDS": "hunter1\nhunter2\n"}):
        found = json.loads(lens(*asked, "--json", env=env).out)
        assert "nine hundred gold coins" in found["evidence"][0]["quote"]
    assert lens("read", "papers", env=own).status == 0
    (papers / ".lens.toml").write_text('documents.passwords = ["hunter2"]\n')
    assert "only the user's own file says that" in lens("find", "gold coins", "papers").complaint
    assert lens("doctor", "papers", "--json", env=own).text.count("hunter") == 0
    (database,) = Path(environment["HOME"]).rglob("documents.db")
    import sqlite3
    import zlib

    with sqlite3.connect(database) as connection:
        kept = [zlib.decompress(row[0]) for row in connection.execute("SELECT text FROM texts WHERE text NOT NULL")]
    connection.close()
    assert any(b"monthly rent" in each for each in kept)
    assert not any(b"gold coins" in each for each in kept)
    assert b"hunter" not in database.read_bytes()


def parts(environment: dict[str, str]) -> int:
    """How many parts of documents are kept."""
    return len(rows(environment, "SELECT id FROM texts"))


def pages(environment: dict[str, str]) -> list[int]:
    """The numbers of the pages that were recognised and kept."""
    return rows(environment, "SELECT first FROM texts WHERE reader LIKE '%/page' ORDER BY first")


def rows(environment: dict[str, str], query: str) -> list[int]:
    """What a query finds in the store of documents; nothing where there is no store."""
    import sqlite3

    for path in Path(environment["HOME"]).rglob("documents.db"):
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
        try:
            return [row[0] for row in connection.execute(query)]
        finally:
            connection.close()
    return []
