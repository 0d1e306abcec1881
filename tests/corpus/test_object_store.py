"""Folders in object stores, over a real server of S3's protocol."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.corpus.safe_open import WAIT, Skipped, open_named, set_deadline
from lens_lsp.model.documents import Findings, SkipReason
from lens_lsp.model.errors import PathNotFound, PathRefused
from tests.object_server import ObjectServer, required_server

pytestmark = pytest.mark.long
_NAMES = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[ObjectServer]:
    yield from required_server()


@pytest.fixture
def bucket(server: ObjectServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    from lens_lsp.corpus import object_store

    object_store._CACHES.clear()
    return f"notes-{next(_NAMES)}"


def _notes(number: int) -> dict[str, bytes]:
    return {
        f"docs/{n % 7}/note-{n}.md": f"# Note {n}\n\nLamp number {n} costs {n} euros.\n".encode() for n in range(number)
    }


def _find(url: str | Lens, query: str) -> Findings:
    return (Lens([url]) if isinstance(url, str) else url).find(query)


def _skips(found: Findings) -> dict[str, SkipReason]:
    return {skip.path: skip.reason for skip in found.coverage.skipped}


def test_a_store_is_searched_as_the_same_folder_on_disk(server: ObjectServer, bucket: str, tmp_path: Path) -> None:
    notes = _notes(300) | {"docs/.lensignore": b"drop/\n", "docs/drop/x.md": b"Lamp number 7", "docs/.env": b"LAMP=7"}
    url = server.bucket(bucket, notes)
    for key, data in notes.items():
        path = tmp_path / "disk" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for query in ("what does lamp number 7 cost", "note 123", "euros"):
        remote, local = _find(f"{url}/docs", query), _find(str(tmp_path / "disk/docs"), query)
        assert [(e.path, e.quote, e.span, e.score) for e in remote.evidence] == [
            (e.path, e.quote, e.span, e.score) for e in local.evidence
        ]
        assert remote.documents == local.documents
        assert _skips(remote) == _skips(local) == {".env": SkipReason.DENIED, "drop/": SkipReason.IGNORED}
        assert remote.roots == (f"{url}/docs",)
        assert not local.fetched


def test_an_unchanged_object_is_fetched_once_and_a_changed_one_again(server: ObjectServer, bucket: str) -> None:
    url = server.bucket(bucket, _notes(50))
    first = _find(url, "lamp number 7")
    assert first.fetched[0].reads == 50
    again = _find(url, "lamp number 7")
    assert (again.fetched[0].reads, again.fetched[0].lists) == (0, 1)
    assert [e.quote for e in again.evidence] == [e.quote for e in first.evidence]
    server.put(bucket, "docs/0/note-7.md", b"Lamp number 7 is a wholly different lamp.\n")
    changed = _find(url, "lamp number 7")
    assert changed.fetched[0].reads == 1
    assert changed.evidence[0].quote == "Lamp number 7 is a wholly different lamp."


def test_what_is_counted_is_what_the_server_saw(server: ObjectServer, bucket: str) -> None:
    url = server.bucket(bucket, _notes(20))
    before = len(server.requests())
    taken = _find(url, "lamp number 7").fetched[0]
    seen = [line for line in server.requests()[before:] if f"/{bucket}" in line]
    assert len(seen) == taken.lists + taken.looks + taken.reads
    assert len([line for line in seen if '"HEAD ' in line]) == taken.looks
    assert not [line for line in seen if '"PUT ' in line or '"POST ' in line or '"DELETE ' in line]


def test_a_citation_names_the_version_and_is_looked_at_before_it_is_given(server: ObjectServer, bucket: str) -> None:
    url = server.bucket(bucket, {"a.md": b"The red lamp costs 40 euros.\n"}, versioned=True)
    version = server.client.head_object(Bucket=bucket, Key="a.md")["VersionId"]
    lens = Lens([url])
    assert _find(lens, "red lamp").evidence[0].origin.object_version == version

    class Meanwhile:
        """Changes the object after it was read and ranked."""

        def progress(self, stage: str, done: int, total: int | None) -> None:
            if stage == "verify":
                server.put(bucket, "a.md", b"The red lamp costs 99 euros, or more.\n")

        def evidence(self, item: object) -> None: ...

    found = lens.find("red lamp", observer=Meanwhile())
    assert not found.evidence
    assert "a.md changed while it was being searched; ask again to include it" in found.warnings
    now = _find(lens, "red lamp").evidence[0]
    assert now.quote == "The red lamp costs 99 euros, or more."
    assert now.origin.object_version not in (None, version)


def test_objects_that_vanish_after_the_listing_are_named(server: ObjectServer, bucket: str) -> None:
    url = server.bucket(bucket, _notes(200))
    gone = [f"docs/{n % 7}/note-{n}.md" for n in (3, 77)]
    root, _ = open_named(url)
    with root:
        assert root.look() is None
        for key in gone:
            server.client.delete_object(Bucket=bucket, Key=key)
        read = dict(zip(_notes(200), root.read_files(list(_notes(200)), 1 << 20), strict=True))
    assert {path: data for path, (data, _) in read.items() if not isinstance(data, bytes)} == dict.fromkeys(
        gone, SkipReason.MISSING
    )
    found = _find(url, "lamp number 3")
    assert found.coverage.found == 198


def test_an_object_that_changed_after_the_listing_is_not_kept_as_the_listed_one(
    server: ObjectServer, bucket: str
) -> None:
    url = server.bucket(bucket, {"a.md": b"old old old", "b.md": b"same"})
    root, _ = open_named(url)
    with root:
        assert root.look() is None
        server.put(bucket, "a.md", b"new new new")
        list(root.read_files(["a.md", "b.md"], 1 << 20))
        assert root.read("a.md") == b"new new new"
    kept = sqlite3.connect(Path(os.environ["XDG_CACHE_HOME"]) / "lens-lsp/objects/objects.db")
    try:
        blocks = [bytes(data)[16:] for (data,) in kept.execute("SELECT data FROM blocks WHERE sure ORDER BY data")]
    finally:
        kept.close()
    assert sorted(blocks) == [b"new new new", b"same"]


def test_a_damaged_cache_gives_no_wrong_bytes(server: ObjectServer, bucket: str) -> None:
    url = server.bucket(bucket, {"a.md": b"The red lamp costs 40 euros.\n"})
    _find(url, "red lamp")
    kept = sqlite3.connect(Path(os.environ["XDG_CACHE_HOME"]) / "lens-lsp/objects/objects.db")
    with kept:
        kept.execute("UPDATE blocks SET data = substr(data, 1, 16) || 'The red lamp costs 99 euros.' || char(10)")
    kept.close()
    found = _find(url, "red lamp")
    assert found.evidence[0].quote == "The red lamp costs 40 euros."
    assert found.fetched[0].reads == 1


def test_a_large_object_is_read_in_blocks(server: ObjectServer, bucket: str) -> None:
    lines = b"".join(b"line %d says nothing of note\n" % n for n in range(400_000))
    text = lines[: len(lines) // 2] + b"the violet lantern hangs in Oslo\n" + lines[len(lines) // 2 :]
    url = server.bucket(bucket, {"big.txt": text})
    found = _find(url, "violet lantern")
    assert "the violet lantern hangs in Oslo" in found.evidence[0].quote
    start, end = found.evidence[0].span.start, found.evidence[0].span.end
    assert text.decode()[start:end] == found.evidence[0].quote
    assert found.fetched[0].reads >= len(text) // (4 << 20)
    assert _find(url, "violet lantern").fetched[0].reads == 0


def test_names_of_every_script_are_found_and_no_plain_path_is_named(server: ObjectServer, bucket: str) -> None:
    names = [
        "béta ü.md",
        "cafe\u0301.md",
        "caf\u00e9.md",
        "日本/語.md",
        "emoji 😀.md",
        "a+b & c%20d#e?.md",
        "tab\there.md",
    ]
    url = server.bucket(bucket, {name: f"lamp {n} zanzibar".encode() for n, name in enumerate(names)})
    for odd in ("x//y.md", "/lead.md", "up/../z.md"):
        server.put(bucket, odd, b"lamp zanzibar")
    found = _find(url, "zanzibar")
    assert {e.path for e in found.evidence} == set(names)
    assert {path for path, reason in _skips(found).items() if reason is SkipReason.IRREGULAR} >= {"x//y.md"}
    assert found.coverage.found == len(names)


def test_what_cannot_be_searched_says_why(server: ObjectServer, bucket: str) -> None:
    server.bucket(bucket, {"a.md": b"lamp"})
    for url, error, word in (
        ("s3://no-such-bucket-here/x", PathNotFound, "not there"),
        (f"s3://{bucket}/nothing", PathNotFound, "holds nothing"),
        (f"s3://{bucket}/a.md", PathRefused, "one object"),
        (f"s3://{bucket}/../x", PathRefused, "no bucket and folder"),
        (f"s3://user@{bucket}/x", PathRefused, "no plain name"),
    ):
        with pytest.raises(error, match=word):
            _find(url, "lamp")


_REFUSING = (
    b"HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
)
_DENIED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"


def _in_a_process(endpoint: str, url: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """A question to another endpoint: the library keeps its connections, so it gets a process of its own."""
    environment = {**os.environ, "AWS_ENDPOINT_URL": endpoint, "XDG_CACHE_HOME": str(tmp_path / "other")}
    command = [sys.executable, "-m", "lens_lsp", "find", "lamp", url]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)


def test_a_bucket_without_permission_is_refused_with_what_to_check(server: ObjectServer, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(_REFUSING % (len(_DENIED), _DENIED))

        threading.Thread(target=refuse, daemon=True).start()
        done = _in_a_process(f"http://127.0.0.1:{listening.getsockname()[1]}", "s3://closed/docs", tmp_path)
        listening.shutdown(socket.SHUT_RDWR)
    assert done.returncode == 2
    assert "may not be listed" in done.stderr
    assert "credentials" in done.stderr


def test_a_host_that_does_not_answer_is_named_in_time(server: ObjectServer, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:  # takes connections, says nothing
        done = _in_a_process(f"http://127.0.0.1:{silent.getsockname()[1]}", "s3://silent/docs", tmp_path)
    assert done.returncode == 2
    assert "does not answer" in done.stderr


def test_what_the_time_did_not_suffice_for_proves_nothing_of_the_store(server: ObjectServer, bucket: str) -> None:
    root, _ = open_named(server.bucket(bucket, {"a.md": b"The red lamp"}))
    with root:
        assert root.look() is None
        os.kill(server.process.pid, signal.SIGSTOP)
        try:
            set_deadline(root.handle, time.monotonic() + 0.5, WAIT)
            with pytest.raises(Skipped) as raised:
                root.read("a.md")
        finally:
            os.kill(server.process.pid, signal.SIGCONT)
        assert raised.value.reason is SkipReason.NOT_READ
        set_deadline(root.handle, time.monotonic() + 60, WAIT)
        assert root.read("a.md") == b"The red lamp", "it is asked again"


def test_a_workspace_cannot_name_a_store(server: ObjectServer, bucket: str, tmp_path: Path) -> None:
    server.bucket(bucket, {"a.md": b"The hidden lamp is in the store.\n"})
    (tmp_path / "work").mkdir()
    (tmp_path / "work/note.md").write_text(f"See s3://{bucket}/a.md for the lamp.\n")
    (tmp_path / "work/.lens.toml").write_text(f'extraRoots = ["s3://{bucket}"]\nobjects.endpoint = "{server.url}"\n')
    before = len(server.requests())
    found = _find(str(tmp_path / "work"), "hidden lamp")
    assert "hidden" not in "".join(e.quote for e in found.evidence)
    assert len(server.requests()) == before
