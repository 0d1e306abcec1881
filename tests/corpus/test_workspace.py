from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.encoding import cut
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root, Skipped, identity_of
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.model.documents import Origin, SkipReason, TextSource
from lens_lsp.model.errors import PathRefused


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def buffer(path: Path, text: str, version: int | None = None) -> Buffer:
    return Buffer(str(path), text, version)


def test_a_file_is_read_as_it_is_on_disk_now(tmp_path) -> None:
    path = tmp_path / "a.md"
    with Root(str(tmp_path)) as root:
        snapshot = Snapshot([root], {}, CorpusRules())
        for text in ("one\r\n", "two"):
            path.write_bytes(text.encode())
            source = snapshot.read(0, "a.md")
            assert source.text == text
            assert source.origin == Origin(sha256(text.encode()), "utf-8")


def test_an_open_buffer_wins_over_the_disk(tmp_path) -> None:
    (tmp_path / "a.md").write_text("on disk")
    with Root(str(tmp_path)) as root:
        buffers = {(0, "a.md"): buffer(tmp_path / "a.md", "in the editor: é", 7)}
        source = Snapshot([root], buffers, CorpusRules()).read(0, "a.md")
    assert source.text == "in the editor: é"
    assert source.origin == Origin(sha256("in the editor: é".encode()), "utf-8", source=TextSource.BUFFER, version=7)


def test_a_buffer_that_was_never_saved_can_be_read(tmp_path) -> None:
    with Root(str(tmp_path)) as root:
        snapshot = Snapshot([root], {(0, "new/b.md"): buffer(tmp_path / "new/b.md", "# New")}, CorpusRules())
        assert snapshot.document(0, "new/b.md").structure.headings[0].text == "New"


def test_the_editor_going_on_changes_nothing_for_the_question(tmp_path) -> None:
    buffers = {(0, "a.md"): buffer(tmp_path / "a.md", "then", 1)}
    with Root(str(tmp_path)) as root:
        snapshot = Snapshot([root], buffers, CorpusRules())
        buffers[0, "a.md"] = buffer(tmp_path / "a.md", "later", 2)
        buffers[0, "b.md"] = buffer(tmp_path / "b.md", "later", 1)
        assert snapshot.read(0, "a.md").text == "then"
        assert snapshot.buffer(0, "b.md") is None


def test_a_buffer_belongs_to_its_root(tmp_path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(name)
    with Root(str(tmp_path / "one"), 0) as one, Root(str(tmp_path / "two"), 1) as two:
        snapshot = Snapshot([one, two], {(1, "a.md"): buffer(tmp_path / "two/a.md", "buffer")}, CorpusRules())
        assert snapshot.read(0, "a.md").text == "one"
        assert snapshot.read(1, "a.md").text == "buffer"


@pytest.mark.parametrize("rel", [".env", "keys/id_rsa", ".git/config", "a/.SSH/notes.md", "server.pem"])
def test_a_secret_is_refused_even_when_it_is_open_in_the_editor(tmp_path, rel) -> None:
    (tmp_path / rel).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / rel).write_text("secret")
    with Root(str(tmp_path)) as root:
        for buffers in ({}, {(0, rel): buffer(tmp_path / rel, "secret")}):
            snapshot = Snapshot([root], buffers, CorpusRules())
            for read in (snapshot.read, snapshot.document):
                with pytest.raises(Skipped) as caught:
                    read(0, rel)
                assert caught.value.reason is SkipReason.DENIED


def test_nothing_below_a_secret_folder_is_read_when_it_is_the_root(tmp_path) -> None:
    (tmp_path / ".ssh" / "sub").mkdir(parents=True)
    (tmp_path / ".ssh" / "sub" / "notes.md").write_text("secret")
    with Root(str(tmp_path / ".ssh" / "sub")) as root:
        snapshot = Snapshot([root], {(0, "notes.md"): buffer(tmp_path, "secret")}, CorpusRules())
        with pytest.raises(Skipped) as caught:
            snapshot.read(0, "notes.md")
    assert caught.value.reason is SkipReason.DENIED


@pytest.mark.parametrize("rel", ["../a.md", "/etc/passwd", "a/../a.md", ""])
def test_a_path_outside_the_root_is_refused_even_with_a_buffer(tmp_path, rel) -> None:
    with Root(str(tmp_path)) as root:
        snapshot = Snapshot([root], {(0, rel): buffer(tmp_path, "text")}, CorpusRules())
        with pytest.raises(PathRefused):
            snapshot.read(0, rel)


def test_the_fallback_encoding_is_the_users_and_is_marked_as_guessed(tmp_path) -> None:
    text = "こんにちは、世界。"
    (tmp_path / "a.txt").write_bytes(text.encode("shift_jis"))
    with Root(str(tmp_path)) as root:
        source = Snapshot([root], {}, CorpusRules(fallback_encoding="shift_jis")).read(0, "a.txt")
    assert source.text == text
    assert source.origin == Origin(sha256(text.encode("shift_jis")), "shift_jis", guessed=True)


def test_a_byte_order_mark_is_hashed_but_is_no_part_of_the_text(tmp_path) -> None:
    data = b"\xef\xbb\xbf# Title"
    (tmp_path / "a.md").write_bytes(data)
    with Root(str(tmp_path)) as root:
        document = Snapshot([root], {}, CorpusRules()).document(0, "a.md")
    assert document.text == "# Title"
    assert document.origin.sha256 == sha256(data)
    assert document.structure.headings[0].text == "Title"


def test_a_document_names_its_reader_and_its_place(tmp_path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.md").write_text("# Title\n\nBody.\n")
    with Root(str(tmp_path), 0) as first, Root(str(tmp_path / "d"), 1) as second:
        document = Snapshot([first, second], {}, CorpusRules()).document(1, "a.md")
    assert (document.root, document.path) == (1, "a.md")
    name, version = document.reader.split("/")
    assert name == "markdown"
    assert int(version) >= 1


def test_half_a_surrogate_pair_from_an_editor_becomes_a_replacement_character(tmp_path) -> None:
    with Root(str(tmp_path)) as root:
        snapshot = Snapshot([root], {(0, "a.md"): buffer(tmp_path / "a.md", "a\ud800b😀")}, CorpusRules())
        source = snapshot.read(0, "a.md")
    assert source.text == "a\ufffdb😀"
    assert source.origin.sha256 == sha256(source.text.encode())


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.md", b"text\0text", SkipReason.BINARY),
        ("a.png", b"\x89PNG\r\n", SkipReason.UNSUPPORTED),
        ("gone.md", None, SkipReason.UNREADABLE),
    ],
)
def test_what_cannot_be_a_document_says_why(tmp_path, name, data, reason) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with Root(str(tmp_path)) as root, pytest.raises(Skipped) as caught:
        Snapshot([root], {}, CorpusRules()).document(0, name)
    assert caught.value.reason is reason


def test_every_piece_of_a_large_private_file_is_private(tmp_path: Path) -> None:
    line = "Nothing of note was written here, and nothing else either.\n"
    for name, front in (("mine.md", "---\nlens: private\n---\n"), ("open.md", "---\ntitle: Open\n---\n")):
        (tmp_path / name).write_text(front + line * (9_000_000 // len(line)), "utf-8")
    with Root(str(tmp_path)) as root:
        snapshot = Snapshot([root], {}, CorpusRules())
        for name, private in (("mine.md", True), ("open.md", False)):
            pieces, _ = cut(root, name, "cp1252")
            assert len(pieces) > 1
            found = {snapshot.piece(0, name, piece).structure.private for piece in (pieces[0], pieces[-1])}
            assert found == {private}


class Counting(Root):
    """Counts how often a file is read from its beginning."""

    streams = 0

    def stream(self, path: str, size: int = 1 << 20) -> Iterator[bytes]:
        self.streams += 1
        return super().stream(path, size)


def test_a_large_file_is_hashed_for_its_first_piece_and_again_once_it_may_be_another(tmp_path: Path) -> None:
    large, now = tmp_path / "large.md", int(time.time())
    with Counting(str(tmp_path)) as root:
        snapshot = Snapshot([root], {}, CorpusRules())
        for text, when, often in (
            (b"one line and another\n", now - 1000, False),
            (b"two line and another\n", now - 900, False),  # as many bytes, another time
            (b"six line and another\n", now + 60, True),  # so young that it could change unseen
        ):
            large.write_bytes(text * (9_000_000 // len(text)))
            os.utime(large, (when, when))
            pieces, _ = cut(root, "large.md", "cp1252")
            root.streams = 0
            found = {snapshot.piece(0, "large.md", piece).origin.sha256 for piece in pieces}
            assert found == {sha256(large.read_bytes())}
            assert root.streams == (len(pieces) if often else 1) < 100
            assert len(pieces) > 1


def test_a_large_file_that_was_hashed_while_it_was_read_is_not_hashed_again(tmp_path: Path) -> None:
    large, when = tmp_path / "large.md", int(time.time()) - 1000
    large.write_bytes(b"one line and another\n" * 450_000)
    os.utime(large, (when, when))
    with Counting(str(tmp_path)) as root:
        pieces, whole = cut(root, "large.md", "cp1252")
        known = identity_of(root, "large.md")
        assert known is not None
        root.streams = 0
        for identity, streams in ((known, 0), ((*known[:1], known[1] + 1, *known[2:]), 1)):
            snapshot = Snapshot([root], {}, CorpusRules(), large={(0, "large.md"): (identity, whole)})
            assert snapshot.piece(0, "large.md", pieces[1]).origin.sha256 == sha256(large.read_bytes())
            assert snapshot.digest(0, "large.md") == sha256(large.read_bytes())
            assert root.streams == streams
