"""Everything a folder or an argument can be that it should not: a clear sentence, the right status, no hang.

Each test runs the real command with a time limit. One bad file must never spoil a result.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lens_process import TIMEOUT, Command, Outcome, assert_one_sentence

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")


def skipped(outcome: Outcome) -> dict[str, str]:
    """Path to reason, of a ``--json`` result."""
    return {skip["path"]: skip["reason"] for skip in json.loads(outcome.out)["coverage"]["skipped"]}


def assert_lease_found(outcome: Outcome) -> None:
    """The one good passage came first, whatever stood beside it."""
    assert outcome.status == 0, outcome.complaint
    assert "Traceback" not in outcome.complaint
    first = json.loads(outcome.out)["evidence"][0]
    assert first["path"] == "house/contract.md"
    assert "30 June 2031" in first["quote"]


# Arguments


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\u3000"])
def test_an_empty_query_is_refused(lens_here: Command, notes: Path, query: str) -> None:
    assert_one_sentence(lens_here("find", query, "notes"), 2)


@pytest.mark.parametrize(
    "query", ["???", "\u200b", "—", "\x1b[2J", "😀", "%s%n{}", "a" * 10_000, "(" * 1000, "é\u0301"]
)
def test_a_strange_query_is_searched_or_refused(lens_here: Command, notes: Path, query: str) -> None:
    outcome = lens_here("find", query, "notes")
    assert outcome.status in (0, 1, 2)
    if outcome.status:
        assert_one_sentence(outcome, outcome.status)


@posix
def test_a_query_that_is_no_text_finds_nothing(lens: Command, notes: Path) -> None:
    assert_one_sentence(lens("find", b"zeppelin\xff\xfe", "notes"), 1)


@pytest.mark.parametrize("path", ["missing", "notes/missing.md", "notes/garden.md/inside", "a\nb", "x" * 300])
def test_a_missing_path_is_named(lens: Command, notes: Path, path: str) -> None:
    outcome = lens("find", "lease", path)
    assert_one_sentence(outcome, 2)
    assert path.split("/")[0].split("\n")[0] in outcome.complaint


@pytest.mark.parametrize("verb", ["ask", "find"])
def test_one_missing_path_among_good_ones_is_named(lens: Command, notes: Path, verb: str) -> None:
    outcome = lens(verb, "lease", "notes", "gone", "away.md")
    assert outcome.complaint == "lens: not searched: away.md (missing), gone (missing)\n"
    told = json.loads(lens(verb, "lease", "notes", "gone", "--json").out)
    assert told["evidence"]
    assert told["coverage"]["skipped"] == [{"path": told["roots"][1], "reason": "missing", "root": 1, "size": 0}]


@pytest.mark.parametrize("verb", ["ask", "find"])
def test_only_missing_paths_are_an_error_that_names_them(lens: Command, notes: Path, verb: str) -> None:
    outcome = lens(verb, "lease", "gone", "away.md")
    assert_one_sentence(outcome, 2)
    assert "gone, away.md" in outcome.complaint


def test_a_path_given_twice_is_searched_once(lens: Command, notes: Path) -> None:
    once = json.loads(lens("find", "lease", "notes", "--json").out)["evidence"]
    twice = json.loads(lens("find", "lease", "notes", "notes", "--json").out)["evidence"]
    assert [item["quote"] for item in once] == [item["quote"] for item in twice]


@posix
def test_a_current_folder_that_was_deleted_is_told(notes: Path, environment: dict[str, str]) -> None:
    gone = notes.parent / "gone"
    gone.mkdir()
    command = [
        "sh",
        "-c",
        'cd "$1" && rmdir "$1" && exec "$0" -m lens_lsp find lease',
        sys.executable,
        str(gone),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=TIMEOUT, check=False)
    outcome = Outcome(done.returncode, done.stdout, done.stderr)
    assert_one_sentence(outcome, 2)
    assert "the current folder was deleted" in outcome.complaint


# Folders


def test_an_empty_folder_has_nothing_to_search(lens: Command, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    outcome = lens("find", "lease", "empty")
    assert_one_sentence(outcome, 1)
    assert "no readable file" in outcome.complaint


def test_an_empty_file_is_searched_and_holds_nothing(lens: Command, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_bytes(b"")
    assert_one_sentence(lens("find", "lease"), 1)


def test_a_very_deep_folder_is_searched(lens: Command, notes: Path) -> None:
    deep = notes.joinpath(*["d"] * 150)
    deep.mkdir(parents=True)
    (deep / "deep.md").write_text("The zeppelin is moored here.\n")
    outcome = lens("find", "zeppelin", "notes", "--format", "grep")
    assert outcome.status == 0
    assert outcome.text.endswith("deep.md:1:1:The zeppelin is moored here.\n")


# Nodes that are no plain files


def make_socket(path: Path) -> None:
    # The name of a socket is short by definition, so it is bound from inside its folder.
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


NODES: dict[str, tuple[Callable[[Path], None], str]] = {
    "fifo": (os.mkfifo, "irregular") if hasattr(os, "mkfifo") else (Path.touch, ""),
    "socket": (make_socket, "irregular"),
    "device link": (lambda path: path.symlink_to("/dev/zero"), "link"),
    "dangling link": (lambda path: path.symlink_to("nowhere"), "link"),
    "link to itself": (lambda path: path.symlink_to(path.name), "link"),
    "link to the folder above": (lambda path: path.symlink_to(".."), "link"),
    "link to a file": (lambda path: path.symlink_to("house/contract.md"), "link"),
}


@posix
@pytest.mark.parametrize("kind", NODES)
def test_a_node_that_is_no_file_is_skipped_with_its_reason(lens: Command, notes: Path, kind: str) -> None:
    make, reason = NODES[kind]
    make(notes / "node.md")
    outcome = lens("find", "lease", "notes", "--json")
    assert_lease_found(outcome)
    assert skipped(outcome) == {"node.md": reason}


@posix
@pytest.mark.parametrize("kind", ["fifo", "socket", "device link", "dangling link", "link to itself"])
def test_a_named_node_that_is_no_file_is_refused(lens: Command, notes: Path, kind: str) -> None:
    NODES[kind][0](notes / "node.md")
    outcome = lens("find", "lease", "notes/node.md")
    assert_one_sentence(outcome, 2)
    assert "node.md" in outcome.complaint


@posix
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_named_device_is_refused(lens: Command, device: str) -> None:
    outcome = lens("find", "lease", device)
    assert_one_sentence(outcome, 2)
    assert device in outcome.complaint


@posix
def test_folders_that_link_to_each_other_end(lens: Command, notes: Path) -> None:
    (notes / "a").mkdir()
    (notes / "b").mkdir()
    (notes / "a" / "b").symlink_to("../b")
    (notes / "b" / "a").symlink_to("../a")
    assert_lease_found(lens("find", "lease", "notes", "--json"))


# Content


BINARY = {
    "nul first": b"\0lease of the workshop ends",
    "nul last": b"The lease of the workshop ends.\0",
    "nul after 8 KiB": b"lease " * 2000 + b"\0" + b"lease " * 10,
    "nul after 64 KiB": b"lease " * 11_000 + b"\0\0\0" + b"lease",
    "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR lease of the workshop ends" + bytes(range(256)),
    "nothing but nul": bytes(4096),
}


SUFFIXES = [".md", ".txt", ".py", ".html", ".json", ".ipynb", ".csv", ".yaml", ".tex", ".rst", ""]


@pytest.mark.parametrize("kind", BINARY)
def test_binary_under_a_text_name_is_skipped(lens_here: Command, notes: Path, kind: str) -> None:
    for suffix in SUFFIXES:
        (notes / f"blob{suffix}").write_bytes(BINARY[kind])
    outcome = lens_here("find", "lease of the workshop ends", "notes", "--json")
    assert_lease_found(outcome)
    assert skipped(outcome) == {f"blob{suffix}": "binary" for suffix in SUFFIXES}
    assert {item["path"] for item in json.loads(outcome.out)["evidence"]} == {"house/contract.md"}


def test_a_named_binary_file_is_told(lens: Command, notes: Path) -> None:
    (notes / "blob.md").write_bytes(b"lease\0lease")
    outcome = lens("find", "lease", "notes/blob.md")
    assert_one_sentence(outcome, 1)
    assert "blob.md (binary)" in outcome.complaint


INVALID = {
    "one bad byte": (b"The lease of the \xff zeppelin ends.\n", "zeppelin"),
    "cut in a character": ("The zeppelin café".encode()[:-1], "zeppelin"),
    "latin-1": ("Der Pächter zahlt für den Zeppelin.\n".encode("latin-1"), "Pächter"),
    "surrogates in utf-8": (b"zeppelin \xed\xa0\x80\xed\xb0\x80 moored\n", "zeppelin"),
    "overlong": (b"zeppelin \xc0\xaf moored\n", "zeppelin"),
    "utf-16 with mark": ("The zeppelin is moored.\n".encode("utf-16"), "zeppelin"),
    "utf-16 without mark": ("The zeppelin is moored.\n".encode("utf-16-le"), "zeppelin"),
    "utf-8 with mark": (b"\xef\xbb\xbfzeppelin\n", "zeppelin"),
}


@pytest.mark.parametrize("shape", ["json", "text", "grep", "markdown"])
@pytest.mark.parametrize("kind", INVALID)
def test_text_in_other_encodings_is_found(lens_here: Command, notes: Path, kind: str, shape: str) -> None:
    data, query = INVALID[kind]
    (notes / "odd.txt").write_bytes(data)
    outcome = lens_here("find", query, "notes", *(["--json"] if shape == "json" else ["--format", shape]))
    assert outcome.status == 0, outcome.complaint
    assert "odd.txt" in outcome.text
    if shape == "json":
        item = json.loads(outcome.out)["evidence"][0]
        decoded = data.decode(item["encoding"], "replace").removeprefix("\ufeff")
        assert decoded[slice(*item["span"])] == item["quote"]


BROKEN = {
    "broken.json": b'{"lease": [1, 2, {"zeppelin": ',
    "deep.json": b"[" * 100_000 + b'"zeppelin"',
    "broken.ipynb": b'{"cells": [{"cell_type": 5, "source": {"zeppelin": null}}], "nbformat": "x"}',
    "scalar.ipynb": b'"zeppelin"',
    "broken.yaml": b"a: [zeppelin\n\t- }: &x *x\n",
    "broken.toml": b"[[[zeppelin\n=",
    "broken.csv": b'a,"zeppelin\n"",,\r,"\n',
    "broken.html": b"<html><body><p <b zeppelin </i></div><![CDATA[ <!-- ",
    "deep.html": b"<div>" * 50_000 + b"zeppelin",
    "broken.md": b"---\nlens: [zeppelin\n# no end of front matter\n```\nunclosed\n[[ [ ]( <",
    "broken.tex": b"\\begin{document}{{{{ zeppelin \\end{",
    "one-line.txt": b"zeppelin " + b"x" * 3_000_000,
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_malformed_file_never_spoils_a_result(lens_here: Command, notes: Path, name: str) -> None:
    (notes / name).write_bytes(BROKEN[name])
    assert_lease_found(lens_here("find", "lease of the workshop ends", "notes", "--json"))
    outcome = lens_here("find", "zeppelin", "notes")
    assert outcome.status in (0, 1)
    assert "Traceback" not in outcome.complaint


def test_a_large_text_is_searched_to_its_last_line(lens: Command, tmp_path: Path) -> None:
    line = b"Nothing happened on this day of the journey, and nothing was expected.\n"
    count = 64 * 1024 * 1024 // len(line)
    with (tmp_path / "log.txt").open("wb") as log:
        for _ in range(count // 1000):
            log.write(line * 1000)
        log.write(b"The zeppelin was moored at last.\n")
    outcome = lens("find", "zeppelin", "--json")
    assert outcome.status == 0, outcome.complaint
    item = json.loads(outcome.out)["evidence"][0]
    assert "The zeppelin was moored at last." in item["quote"]
    assert item["start"]["line"] <= count // 1000 * 1000 + 1 <= item["end"]["line"]


@posix
def test_a_large_file_of_holes_is_binary(lens: Command, notes: Path) -> None:
    with (notes / "sparse.txt").open("wb") as sparse:
        sparse.truncate(64 * 1024 * 1024)
    outcome = lens("find", "lease", "notes", "--json")
    assert_lease_found(outcome)
    assert skipped(outcome) == {"sparse.txt": "binary"}


# Names


NAMES = {
    "newline": b"two\nlines.md",
    "escape": b"\x1b[31mred\x1b[0m.md",
    "bell and title": b"\x1b]0;owned\x07.md",
    "bytes that are no text": b"caf\xe9.md",
    "c1 control": "x\x9b31m.md".encode(),
    "bidirectional": "x\u202edm.md".encode(),
    "space": b"with space.md",
    "colon": b"a:1:2:b.md",
    "leading dash": b"-n.md",
    "percent": b"%41%ff.md",
    "backslash": b"a\\b.md",
    "quotes": b"\"'`$(x).md",
    "longest": b"x" * 252 + b".md",
}


@pytest.fixture
def strange_files(notes: Path) -> list[bytes]:
    """A file of each name, as absolute paths."""
    if os.name != "posix":
        pytest.skip("other systems refuse such names")
    paths = [os.path.join(os.fsencode(notes), name) for name in NAMES.values()]
    made = []
    for path in paths:
        try:
            Path(os.fsdecode(path)).write_text("The zeppelin is moored.\n")
        except OSError:  # macOS refuses names that are no text
            continue
        made.append(path)
    assert len(made) > len(paths) // 2
    return made


@pytest.mark.parametrize("shape", ["json", "text", "grep", "markdown"])
def test_files_of_any_name_are_found_and_shown_safely(
    lens_here: Command, strange_files: list[bytes], shape: str
) -> None:
    option = ["--json"] if shape == "json" else ["--format", shape, "--explain"]
    outcome = lens_here("find", "zeppelin", *map(os.fsdecode, strange_files), *option, "-n", "100")
    assert outcome.status == 0, outcome.complaint
    text = outcome.text
    assert not re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text + outcome.complaint)
    if shape == "json":
        assert json.loads(text)["coverage"]["scanned"] == len(strange_files)
    if shape == "grep":
        assert all(line.endswith(":1:1:The zeppelin is moored.") for line in text.splitlines())


@posix
@pytest.mark.parametrize("kind", NAMES)
def test_a_file_of_any_name_can_be_named(lens_here: Command, strange_files: list[bytes], kind: str) -> None:
    path = next((path for path in strange_files if path.endswith(b"/" + NAMES[kind])), None)
    if path is None:
        pytest.skip("this file system refuses the name")
    outcome = lens_here("find", "--format", "grep", "--", "zeppelin", os.fsdecode(path))
    assert (outcome.status, outcome.complaint) == (0, "")
    assert outcome.text.count("\n") == 1
    assert outcome.text.endswith(":1:1:The zeppelin is moored.\n")


# Permissions


# Root may read everything, so root becomes someone else; by then everything must have been imported, because
# the other user may not be allowed to read this installation.
AS_SOMEONE = """
import contextlib, os, sys
from lens_lsp.cli import main
with open(os.devnull, "w") as void, contextlib.redirect_stdout(void), contextlib.redirect_stderr(void):
    main(["find", "lease", "."])
    main(["find", "lease", ".", "--json"])
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def open_folder(notes: Path) -> Iterator[Path]:
    """A folder that any user may enter, with the notes in it."""
    if os.name != "posix":
        pytest.skip("needs POSIX permissions")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    shutil.copytree(notes, folder / "notes")
    yield folder
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def as_someone(environment: dict[str, str], open_folder: Path) -> Command:
    """Run ``lens`` in the open folder as a user whom permissions bind."""

    def run(*arguments: str) -> Outcome:
        command = [sys.executable, "-c", AS_SOMEONE, *arguments]
        done = subprocess.run(
            command, cwd=open_folder, env=environment, capture_output=True, timeout=TIMEOUT, check=False
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


def test_an_unreadable_file_is_named_and_spoils_nothing(as_someone: Command, open_folder: Path) -> None:
    secret = open_folder / "notes" / "secret.md"
    secret.write_text("The lease of the workshop ends in secret.\n")
    secret.chmod(0)
    outcome = as_someone("find", "lease", "notes", "--json")
    assert_lease_found(outcome)
    assert skipped(outcome) == {"secret.md": "permission"}
    assert outcome.complaint == f"lens: not searched: {os.path.join('notes', 'secret.md')} (permission)\n"


def test_an_unreadable_folder_is_named_and_spoils_nothing(as_someone: Command, open_folder: Path) -> None:
    closed = open_folder / "notes" / "closed"
    closed.mkdir()
    closed.chmod(0)
    outcome = as_someone("find", "lease", "notes", "--json")
    assert_lease_found(outcome)
    assert skipped(outcome) == {"closed/": "permission"}


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_named_path_that_may_not_be_read_is_told(as_someone: Command, open_folder: Path, kind: str) -> None:
    closed = open_folder / "closed"
    if kind == "file":
        closed.write_text("lease")
    else:
        closed.mkdir()
    closed.chmod(0)
    outcome = as_someone("find", "lease", "closed")
    assert outcome.status in (1, 2)
    assert_one_sentence(outcome, outcome.status)
    assert "closed" in outcome.complaint
    assert "ermission" in outcome.complaint
