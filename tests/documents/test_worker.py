"""What the process that reads documents has: nothing but its code, the bytes it is given and two pipes."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import KINDS, DocumentKind, Failure, Unextracted, missing
from tests.availability import unavailable
from tests.documents.hostile_readers import kind

CODE = [str(Path(__file__).parent)]


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    with Extractor(code=CODE) as made:
        yield made


@pytest.fixture
def listener() -> Iterator[tuple[socket.socket, int]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield server, server.getsockname()[1]


def told(extractor: Extractor) -> dict[str, object]:
    value: dict[str, object] = json.loads(extractor.extract(kind("Tells"), b"x").text)
    return value


def reach(extractor: Extractor, what: str) -> str:
    return extractor.extract(kind("Reaches"), what.encode()).text


def need(extractor: Extractor, protection: str) -> None:
    extractor.extract(kind("Echo"), b"x")
    if protection not in extractor.kept:
        unavailable("confinement", f"this system does not keep {protection} from a process")


def test_nothing_of_the_environment_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LENS_API_KEY", "OPENAI_API_KEY", "HTTPS_PROXY", "PYTHONPATH"):
        monkeypatch.setenv(name, "canary-8c1f")
    with Extractor(code=CODE) as extractor:
        there = told(extractor)
    if sys.platform == "linux":
        raw = there["environment"]
        assert isinstance(raw, dict)
        # Python itself names its locale there.
        assert set(raw) <= {"LC_CTYPE"}
    assert "canary" not in json.dumps(there)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux shows what a process was started with")
def test_what_it_was_started_with_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENS_API_KEY", "canary-8c1f")
    with Extractor(code=CODE) as extractor:
        process = told(extractor)["process"]
        assert Path(f"/proc/{process}/environ").read_bytes() == b""
        assert b"canary" not in Path(f"/proc/{process}/cmdline").read_bytes()


def test_it_is_isolated_and_stands_in_no_folder_of_anybody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Python would run these from the folder it stands in, or from one that the environment names.
    for name in ("sitecustomize.py", "json.py", "lens_lsp.py", "lxml.py"):
        (tmp_path / name).write_text("raise SystemExit('a module of the workspace was run')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Extractor(code=CODE) as extractor:
        there = told(extractor)
    assert there["isolated"] == 1
    assert there["folder"] == os.path.abspath(os.sep)
    assert str(tmp_path) not in json.dumps(there)


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are numbered otherwise on Windows")
def test_it_has_no_open_file_but_its_pipes(tmp_path: Path) -> None:
    secret = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(secret, True)
    try:
        with Extractor(code=CODE) as extractor:
            opened = told(extractor)["open"]
    finally:
        os.close(secret)
    assert isinstance(opened, list)
    assert len(opened) == 6, "standard input, output and error, which lead nowhere, and three pipes"


def test_it_cannot_connect(extractor: Extractor, listener: tuple[socket.socket, int]) -> None:
    need(extractor, "network")
    server, port = listener
    assert reach(extractor, f"connect {port}").startswith("refused")
    with pytest.raises(BlockingIOError):
        server.accept()


def test_it_cannot_send_a_datagram(extractor: Extractor) -> None:
    need(extractor, "network")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(0)
        assert reach(extractor, f"send {receiver.getsockname()[1]}").startswith("refused")
        with pytest.raises(BlockingIOError):
            receiver.recv(1)


def test_it_cannot_open_a_file_or_list_a_folder(extractor: Extractor, tmp_path: Path) -> None:
    need(extractor, "files")
    (tmp_path / "notes.md").write_text("private")
    for what in (f"read {tmp_path}/notes.md", f"list {tmp_path}", "read /etc/passwd", "list /", "read /proc/1/environ"):
        assert reach(extractor, what) == "refused: PermissionError", what


def test_it_cannot_write_anything(extractor: Extractor, tmp_path: Path) -> None:
    need(extractor, "files")
    target = tmp_path / "new"
    assert reach(extractor, f"write {target}") == "refused: PermissionError"
    assert reach(extractor, f"write {__file__}") == "refused: PermissionError"
    assert not target.exists()


def test_it_cannot_start_a_program(extractor: Extractor) -> None:
    need(extractor, "programs")
    assert reach(extractor, f"run {sys.executable}") == "refused: PermissionError"


def test_this_linux_keeps_everything_from_it(extractor: Extractor) -> None:
    if sys.platform != "linux":
        unavailable("confinement", "only Linux has all of it")
    for protection in ("memory", "files", "network", "programs"):
        need(extractor, protection)


@pytest.mark.parametrize("read", KINDS, ids=lambda one: one.name)
def test_every_reader_can_be_imported_where_it_runs(extractor: Extractor, read: DocumentKind) -> None:
    if missing(read):
        unavailable("documents", f"{missing(read)} is not installed")
    with pytest.raises(Unextracted) as raised:
        extractor.extract(read, b"nothing of the kind")
    assert raised.value.failure is Failure.BROKEN
    assert "ImportError" not in raised.value.detail
    assert "ModuleNotFoundError" not in raised.value.detail
