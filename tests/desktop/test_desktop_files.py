"""What the page may see of the disk: the folders that are searched, through no link, and nothing else."""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from lens_lsp.desktop.folders import NoEditor, open_file
from tests.desktop.conftest import LEASE, OUTSIDE, PROOF, filled
from tests.desktop.desktop_process import Desktop
from tests.lsp.lsp_client import environment, wait_until

HOSTILE = (
    "a<script>alert(1)<script>.md",
    'b"onload="x.md',
    "c\nd.md",
    "e\u202egpj.md",
    "%2e%2e%2fetc.md",
    "ｆ;rm -rf.md",
)


def outside(notes: Path) -> list[str]:
    """URIs of what must not be read, and of what is no file of ours."""
    above = notes.parent
    return [
        (above / "outside.md").as_uri(),
        (notes / "link.md").as_uri(),
        (notes / "up" / "outside.md").as_uri(),
        (notes / "up" / "notes" / "contract.md").as_uri(),
        notes.as_uri() + "/../outside.md",
        notes.as_uri() + "/%2e%2e/outside.md",
        notes.as_uri() + "/x%00.md",
        notes.as_uri() + "-other/contract.md",
        (notes / ".env").as_uri(),
        notes.as_uri(),
        "file:///etc/passwd",
        "file://evil.example/share/x.md",
        "http://evil.example/x.md",
        str(notes / "contract.md"),
        "\udc80",
        "",
    ]


def test_no_text_comes_from_outside_of_the_folders(shared: Desktop, shared_notes: Path) -> None:
    for uri in outside(shared_notes):
        for confined in (True, False):  # what the page says of it does not count
            params = {"uri": uri, "confined": confined}
            reply = shared.send("POST", "/api/rpc", {"method": "lens/text", "params": params})
            assert reply.status == 422, uri
            assert OUTSIDE.encode() not in reply.body
    assert LEASE in shared.rpc("lens/text", uri=(shared_notes / "contract.md").as_uri())["text"]


def test_no_page_and_no_editor_for_what_lies_outside(shared: Desktop, shared_notes: Path) -> None:
    pdfs = [uri.replace(".md", ".pdf") for uri in outside(shared_notes)]
    for uri in (*outside(shared_notes), *pdfs):
        asked = quote(uri, errors="surrogatepass")
        assert shared.send("GET", f"/api/page?uri={asked}&page=1").status in (400, 404), uri
        if uri != (shared_notes / "up" / "notes" / "contract.md").as_uri():  # that leads back inside
            assert shared.send("POST", "/api/open", {"uri": uri}).status in (400, 404), uri


def test_the_control_links_and_dots_do_lead_outside(shared_notes: Path) -> None:
    assert (shared_notes / "link.md").read_text() == OUTSIDE
    assert (shared_notes / "up" / "outside.md").read_text() == OUTSIDE
    assert Path(f"{shared_notes}/../outside.md").read_text() == OUTSIDE


def test_hostile_file_names_are_names(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    for number, name in enumerate(HOSTILE):
        (tmp_path / name).write_text(f"The owl number {number} sleeps in the barn of the mill.\n")
    with Desktop(environment(tmp_path_factory.mktemp("home")), str(tmp_path)) as desktop:
        desktop.enter()
        for number, name in enumerate(HOSTILE):
            uri = (tmp_path / name).as_uri()
            assert f"owl number {number}" in desktop.rpc("lens/text", uri=uri)["text"]
        found = desktop.rpc("lens/find", query="owl barn mill", limit=20)["evidence"]
        assert {unquote(each["uri"]) for each in found} == {f"file://{tmp_path / name}" for name in HOSTILE}


def pixels(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and rows of a picture, each with its filter, undone by nothing of ours."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, packed, size = 8, b"", (0, 0)
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(name + body),)
        size = struct.unpack(">II", body[:8]) if name == b"IHDR" else size
        packed += body if name == b"IDAT" else b""
        at += 12 + length
    return *size, zlib.decompress(packed)


def yellow(rows: bytes) -> int:
    """How many pixels are marked."""
    return rows.count(b"\xff\xe2\x5c")


def test_a_page_of_a_pdf_is_a_picture_with_the_quote_marked(shared: Desktop, shared_notes: Path) -> None:
    uri = quote((shared_notes / "bell.pdf").as_uri())
    reply = shared.send("GET", f"/api/page?uri={uri}&page=2&quote={quote(PROOF)}")
    assert (reply.status, reply.headers["content-type"], reply.headers["x-lens-marks"]) == (200, "image/png", "1")
    width, height, rows = pixels(reply.body)
    assert (width, height) == (1400, 1811)
    assert len(rows) == height * (3 * width + 1)
    assert yellow(rows) > 1000
    for quoted in ("", "no such words on this page"):
        plain = shared.send("GET", f"/api/page?uri={uri}&page=2&quote={quote(quoted)}")
        assert (plain.headers["x-lens-marks"], yellow(pixels(plain.body)[2])) == ("0", 0)
    assert pixels(shared.send("GET", f"/api/page?uri={uri}&page=1").body)[2] != pixels(plain.body)[2]


def test_where_there_is_no_picture_it_is_not_found(shared: Desktop, shared_notes: Path) -> None:
    bell, note = quote((shared_notes / "bell.pdf").as_uri()), quote((shared_notes / "contract.md").as_uri())
    for path, status in ((f"uri={bell}&page=3", 404), (f"uri={note}&page=1", 404), (f"uri={bell}&page=0", 400)):
        assert shared.send("GET", f"/api/page?{path}").status == status
    for nonsense in ("x", "-1", "1e3", "9" * 20, "１"):
        assert shared.send("GET", f"/api/page?uri={bell}&page={quote(nonsense)}").status == 400
    assert shared.send("GET", "/api/page").status == 400


def test_folders_of_the_settings_are_searched_and_shown_too(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "far.md").write_text("The ferry leaves at six from the northern pier.\n")
    (tmp_path / "config.toml").write_text(f'extraRoots = ["{tmp_path / "more"}"]\n')
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    notes = filled(tmp_path / "work")
    env = environment(tmp_path / "home", LENS_CONFIG=str(tmp_path / "config.toml"))
    with Desktop(env, str(notes)) as desktop:
        desktop.enter()
        folders = desktop.send("GET", "/api/folders").json()["folders"]
        assert [each["uri"] for each in folders] == [notes.as_uri(), (tmp_path / "more").as_uri()]
        found = desktop.heard(desktop.ask("When does the ferry leave?"))[-1].data["result"]["evidence"]
        assert "ferry" in desktop.rpc("lens/text", uri=found[0]["uri"])["text"]


Start = Callable[..., Desktop]

OPENER = "open" if sys.platform == "darwin" else "xdg-open"


def program(folder: Path, name: str) -> Path:
    """A program that writes down what it was started with."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f'#!/bin/sh\nprintf "%s\\n" {name} "$@" >> {folder}/part && mv {folder}/part {folder}/started\n')
    file.chmod(0o755)
    return file


def started(folder: Path) -> list[str]:
    """What was started there, waited for."""
    assert wait_until((folder / "started").exists)
    return (folder / "started").read_text().splitlines()


@pytest.fixture
def bin_(tmp_path: Path) -> Path:
    return tmp_path / "bin"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("code", ["--goto", "{0}:3:7"]),
        ("codium", ["--goto", "{0}:3:7"]),
        ("subl", ["{0}:3:7"]),
        ("gvim", ["+3", "{0}"]),
        ("emacsclient", ["--no-wait", "+3:7", "{0}"]),
        ("kate", ["--line", "3", "--column", "7", "{0}"]),
    ],
)
def test_the_user_s_editor_is_told_the_place(bin_: Path, notes: Path, name: str, arguments: list[str]) -> None:
    program(bin_, name)
    file = notes / "contract.md"
    assert (
        open_file(str(file), 3, 7, [str(notes)], {"VISUAL": f"{name} --new", "PATH": f"{bin_}:/bin:/usr/bin"}) == name
    )
    assert started(bin_) == [name, "--new", *(each.format(file) for each in arguments)]


def test_visual_comes_before_editor_and_vs_code_last(bin_: Path, notes: Path) -> None:
    for name in ("gvim", "kate", "code"):
        program(bin_, name)
    path, file, env = [str(notes)], str(notes / "contract.md"), {"PATH": str(bin_)}
    assert open_file(file, 1, 1, path, env | {"VISUAL": "gvim", "EDITOR": "kate"}) == "gvim"
    assert open_file(file, 1, 1, path, env | {"EDITOR": "kate"}) == "kate"
    assert open_file(file, 1, 1, path, env | {"VISUAL": "vim", "EDITOR": "nano -w"}) == "code"  # those need a terminal
    assert open_file(file, 1, 1, path, env | {"VISUAL": '"'}) == "code"


def test_no_program_of_a_workspace_is_ever_started(bin_: Path, notes: Path) -> None:
    program(notes / "bin", "code")
    program(notes / "bin", OPENER)
    (notes.parent / "alias").symlink_to(notes / "bin")
    file = str(notes / "bell.pdf")
    for path in (f"{notes}/bin", f"{notes.parent}/alias", ".", "", "bin", f":{notes}/bin:."):
        for visual in ("code", f"{notes}/bin/code", "./bin/code"):
            with pytest.raises(NoEditor):
                open_file(file, 1, 1, [str(notes)], {"PATH": path, "VISUAL": visual})
    assert not (notes / "bin" / "started").exists()
    # The control: the same folder outside of what is searched.
    assert open_file(file, 1, 1, [str(notes / "sub")], {"PATH": f"{notes}/bin:/bin:/usr/bin"}) == "code"
    started(notes / "bin")


@pytest.mark.parametrize("name", ["run.sh", "x.desktop", "x.exe", "x.bat", "x.js", "x.html", "x.py", "x.docm", "none"])
def test_the_system_opens_documents_and_nothing_that_runs(bin_: Path, notes: Path, name: str) -> None:
    program(bin_, OPENER)
    env = {"PATH": f"{bin_}:/bin:/usr/bin"}
    with pytest.raises(NoEditor):
        open_file(str(notes / name), 1, 1, [str(notes)], env)
    assert open_file(str(notes / "bell.pdf"), 1, 1, [str(notes)], env) == OPENER
    assert started(bin_) == [OPENER, str(notes / "bell.pdf")]


def test_the_page_opens_a_passage(start: Start, bin_: Path, notes: Path) -> None:
    program(bin_, "code")
    desktop = start(notes, VISUAL="code", PATH=f"{bin_}:/bin:/usr/bin").enter()
    uri = (notes / "contract.md").as_uri()
    reply = desktop.send("POST", "/api/open", {"uri": uri, "line": 3, "column": 5})
    assert reply.json() == {"opened": "code"}
    assert started(bin_) == ["code", "--goto", f"{notes / 'contract.md'}:3:5"]
    for wrong in ({"line": 0}, {"line": "x"}, {"column": 1.5}, {"line": True}, {"line": -1}):
        assert desktop.send("POST", "/api/open", {"uri": uri, **wrong}).status == 400
