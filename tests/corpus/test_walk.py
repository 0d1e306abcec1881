"""The walk finds every file that no rule excludes, names what it passed over, and finds renamed files."""

from __future__ import annotations

import hashlib
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import (
    Discovery,
    FileEntry,
    HashBudget,
    Listings,
    RenamedFiles,
    discover,
    file_entry,
    in_part,
)
from lens_lsp.model.documents import Skip, SkipReason
from lens_lsp.model.errors import PathRefused
from tests.availability import unavailable

DEEP = 5000


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may list everything, so where the tests run as root they step down for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def walked_with_64_descriptors(top: Path) -> dict[str, Any]:
    """What a process of its own finds that may open no more: this one holds what other tests left open."""
    script = (
        "import json, os, resource, sys\n"
        "from lens_lsp.corpus.safe_open import Root\n"
        "from lens_lsp.corpus.corpus_rules import CorpusRules\n"
        "from lens_lsp.corpus.walk import discover\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "with Root(sys.argv[1]) as root:\n"
        "    before = len(os.listdir('/dev/fd'))\n"
        "    found = discover(root, CorpusRules())\n"
        "    left = len(os.listdir('/dev/fd')) - before\n"
        "files = [entry.path for entry in found.files]\n"
        "print(json.dumps({'files': files, 'skips': len(found.skips), 'left': left}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(top)], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@contextmanager
def deep_tree(base: Path, depth: int, files_every: int, siblings: bool) -> Iterator[Path]:
    """A chain of folders longer than any path the system accepts and than ``rmtree`` can follow."""
    top = base / "deep"
    top.mkdir()
    handle = os.open(top, os.O_RDONLY)
    for level in range(depth):
        if level % files_every == 0:
            os.close(os.open("f.md", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
        if siblings:
            os.mkdir("b", dir_fd=handle)
            os.close(os.open("b/g.md", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
        os.mkdir("d", dir_fd=handle)
        child = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = child
    os.close(handle)
    try:
        yield top
    finally:
        subprocess.run(["rm", "-rf", str(top)], check=True)


def put(base: Path, *paths: str) -> None:
    for path in paths:
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_text(path)


def walk(base: Path, index: int = 0, descriptors: bool = True, explicit: str | None = None, **rules) -> Discovery:
    with Root(str(base), index, descriptors=descriptors) as root:
        return discover(root, CorpusRules(**rules), explicit_file=explicit)


def paths(discovery: Discovery) -> list[str]:
    return [entry.path for entry in discovery.files]


both_ways = pytest.mark.parametrize("descriptors", [True, False])


@both_ways
def test_every_file_is_found_in_the_order_of_its_path(tmp_path, descriptors) -> None:
    put(tmp_path, "b.md", "a/z.md", "a.md", "a/b/c.md", "a-b/c.md", ".hidden/x", ".github/y.yml", "é.md")
    found = walk(tmp_path, descriptors=descriptors)
    assert paths(found) == sorted(
        ["b.md", "a/z.md", "a.md", "a/b/c.md", "a-b/c.md", ".hidden/x", ".github/y.yml", "é.md"]
    )
    assert found.skips == []
    assert found.complete


@both_ways
def test_an_entry_identifies_its_content(tmp_path, descriptors) -> None:
    put(tmp_path, "a/b.md")
    status = (tmp_path / "a" / "b.md").stat()
    assert walk(tmp_path, 3, descriptors).files == [
        FileEntry(3, "a/b.md", status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)
    ]


@both_ways
def test_what_is_no_plain_file_is_skipped_with_its_reason(tmp_path, descriptors) -> None:
    put(tmp_path, "in/f.md")
    os.mkfifo(tmp_path / "pipe.md")
    links = {
        "file": "in/f.md",
        "folder": "in",
        "up": "..",
        "self": "self",
        "nowhere": "x/y",
        "zero": "/dev/zero",
    }
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    (tmp_path / "in" / "loop").symlink_to("../in")
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(os.path.relpath(tmp_path / "socket"))
        found = walk(tmp_path, descriptors=descriptors)
    assert paths(found) == ["in/f.md"]
    reasons = {skip.path: skip.reason for skip in found.skips}
    assert reasons == {
        **dict.fromkeys([*links, "in/loop"], SkipReason.LINK),
        "pipe.md": SkipReason.IRREGULAR,
        "socket": SkipReason.IRREGULAR,
    }


def test_a_device_is_irregular() -> None:
    reasons = {skip.path: skip.reason for skip in walk(Path("/dev")).skips}
    assert reasons["null"] is SkipReason.IRREGULAR


def test_hard_links_are_files_of_their_own(tmp_path) -> None:
    put(tmp_path, "a/one.md")
    for number in range(50):
        os.link(tmp_path / "a" / "one.md", tmp_path / f"{number}.md")
    assert len(walk(tmp_path).files) == 51


@pytest.mark.parametrize("name", [".gitignore", ".lensignore", ".aiignore"])
def test_a_folder_whose_ignore_file_cannot_be_read_is_not_searched_and_named(tmp_path, name) -> None:
    put(tmp_path, "a.md", "sub/b.md", "sub/deeper/c.md", "z/d.md")
    (tmp_path / "sub" / name).write_text("b.md\n")
    tmp_path.chmod(0o755)
    (tmp_path / "sub" / name).chmod(0)
    rules, lax = CorpusRules(), CorpusRules(respect_ignore_files=False)
    with Root(str(tmp_path)) as root, ordinary_user():
        found, names, without = discover(root, rules), discover(root, rules, names_only=True), discover(root, lax)
    assert paths(found) == names.paths == ["a.md", "z/d.md"]
    assert found.skips == names.skips == [Skip("sub/", SkipReason.IGNORE_FILE)]
    assert "sub/b.md" in paths(without)


def test_below_an_ignore_file_that_cannot_be_read_nothing_is_searched() -> None:
    with tempfile.TemporaryDirectory() as name:  # where everybody may pass through, unlike ``tmp_path``
        top = Path(name)
        (top / ".git").mkdir()
        put(top, "sub/b.md")
        (top / ".gitignore").write_text("b.md\n")
        top.chmod(0o755)
        (top / ".gitignore").chmod(0)
        rules = CorpusRules()
        with Root(str(top / "sub")) as root, ordinary_user():
            found = discover(root, rules)
    assert (found.files, found.skips) == ([], [Skip("./", SkipReason.IGNORE_FILE)])


def test_an_ignore_file_that_is_a_link_or_a_folder_says_nothing_as_for_git(tmp_path) -> None:
    put(tmp_path, "a.md", "b/a.md", "b/.gitignore/rules")
    (tmp_path / "rules").write_text("a.md\n")
    (tmp_path / ".gitignore").symlink_to(tmp_path / "rules")
    assert {"a.md", "b/a.md"} <= set(paths(walk(tmp_path)))


def test_a_folder_one_may_not_list_is_skipped_and_the_rest_is_found(tmp_path) -> None:
    put(tmp_path, "a.md", "closed/b.md", "listed/c.md", "z/d.md")
    tmp_path.chmod(0o755)
    (tmp_path / "closed").chmod(0)
    (tmp_path / "listed").chmod(0o444)
    rules = CorpusRules()  # made by who may read Python's own modules
    try:
        with Root(str(tmp_path)) as root, ordinary_user():
            found = discover(root, rules)
    finally:
        for name in ("closed", "listed"):
            (tmp_path / name).chmod(0o700)
    assert paths(found) == ["a.md", "z/d.md"]
    assert found.skips == [
        Skip("closed/", SkipReason.PERMISSION),
        Skip("listed/c.md", SkipReason.PERMISSION),
    ]


@both_ways
def test_each_excluded_entry_is_named_once_and_never_entered(tmp_path, descriptors) -> None:
    put(tmp_path, "out/a/b.md", "out/c.md", "x.log", "node_modules/p/q.md", ".env", ".ssh/id_rsa", "keep.md")
    (tmp_path / ".gitignore").write_text("out/\n*.log\n")
    found = walk(tmp_path, descriptors=descriptors)
    assert paths(found) == [".gitignore", "keep.md"]
    assert found.skips == [
        Skip(".env", SkipReason.DENIED),
        Skip(".ssh/", SkipReason.DENIED),
        Skip("node_modules/", SkipReason.IGNORED),
        Skip("out/", SkipReason.IGNORED),
        Skip("x.log", SkipReason.IGNORED),
    ]


def test_a_tool_folder_is_searched_when_it_is_what_was_named(tmp_path) -> None:
    put(tmp_path, "node_modules/p/readme.md", "node_modules/p/node_modules/q/readme.md")
    assert paths(walk(tmp_path / "node_modules")) == ["p/readme.md"]
    assert paths(walk(tmp_path / "node_modules" / "p" / "node_modules")) == ["q/readme.md"]


def test_a_secret_folder_is_not_searched_even_when_it_is_what_was_named(tmp_path) -> None:
    put(tmp_path, ".ssh/config", ".ssh/deep/notes.md")
    for folder in (".ssh", ".ssh/deep"):
        assert walk(tmp_path / folder) == Discovery([], [Skip("./", SkipReason.DENIED)])


def test_a_file_named_directly_is_found_though_it_is_ignored(tmp_path) -> None:
    put(tmp_path, "a.md", "b.md")
    (tmp_path / ".gitignore").write_text("*.md\n")
    assert paths(walk(tmp_path, explicit="a.md", exclude=("a.md",), scopes=("*.txt",))) == ["a.md"]


def test_a_file_named_directly_is_refused_if_it_is_a_secret_or_no_file(tmp_path) -> None:
    put(tmp_path, "id_rsa", "d/a.md")
    (tmp_path / "link.md").symlink_to("d/a.md")
    for name, reason in (
        ("id_rsa", SkipReason.DENIED),
        ("link.md", SkipReason.LINK),
        ("d", SkipReason.IRREGULAR),
        ("gone.md", SkipReason.UNREADABLE),
    ):
        assert walk(tmp_path, explicit=name) == Discovery([], [Skip(name, reason)])
    with pytest.raises(PathRefused):
        walk(tmp_path, explicit="../a.md")


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        (("docs/",), ["docs/a.md", "docs/b/c.txt"]),
        (("*.md",), ["docs/a.md", "src/b/d.md", "top.md"]),
        (("/docs", "/top.md"), ["docs/a.md", "docs/b/c.txt", "top.md"]),
        (("docs/**/*.txt",), ["docs/b/c.txt"]),
        (("b",), ["docs/b/c.txt", "src/b/d.md"]),
        (("nothing",), []),
    ],
)
def test_a_scope_keeps_what_it_matches_or_what_lies_below(tmp_path, scopes, expected) -> None:
    put(tmp_path, "docs/a.md", "docs/b/c.txt", "src/b/d.md", "src/e.py", "top.md")
    found = walk(tmp_path, scopes=scopes)
    assert paths(found) == expected
    assert {skip.reason for skip in found.skips} == {SkipReason.OUT_OF_SCOPE}


def test_a_scope_opens_nothing_that_is_ignored(tmp_path) -> None:
    put(tmp_path, "out/a.md", "b.md")
    (tmp_path / ".gitignore").write_text("out/\n")
    assert paths(walk(tmp_path, scopes=("out/", "*.md"))) == ["b.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="file systems here refuse names that are no text")
def test_names_that_are_no_text_are_found_read_and_shown(tmp_path) -> None:
    raw = os.fsencode(tmp_path) + b"/d\xff"
    os.mkdir(raw)
    for name in (b"/\xfe.md", b"/a\nb.md", b"/" + b"x" * 255, b"/%ff#?.md"):
        Path(os.fsdecode(raw + name)).write_bytes(name)
    os.mkfifo(raw + b"/\xfd")
    with Root(str(tmp_path)) as root:
        found = discover(root, CorpusRules())
        assert [root.read(path) for path in paths(found)] == [os.fsencode(path)[2:] for path in paths(found)]
    assert len(found.files) == 4
    assert found.skips == [Skip("d\ufffd/\ufffd", SkipReason.IRREGULAR)]


def test_an_empty_folder_has_nothing_and_says_so(tmp_path) -> None:
    assert walk(tmp_path) == Discovery([], [])


def test_progress_is_told_and_a_walk_can_be_cancelled(tmp_path) -> None:
    for folder in range(30):
        put(tmp_path, *(f"{folder:02}/{number}.md" for number in range(100)))
    told: list[int] = []
    with Root(str(tmp_path)) as root:
        found = discover(root, CorpusRules(), on_progress=told.append)
        assert len(found.files) == 3000
        assert told == sorted(told)
        assert 2 <= len(told) <= 3
        stopped = discover(root, CorpusRules(), on_progress=told.append, cancelled=lambda: len(told) > 3)
    assert not stopped.complete
    assert 1000 <= len(stopped.files) < 3000
    assert stopped.files == sorted(stopped.files)


def test_a_folder_deeper_than_any_path_is_walked_and_read(tmp_path) -> None:
    with deep_tree(tmp_path, DEEP, files_every=500, siblings=False) as top, Root(str(top)) as root:
        found = discover(root, CorpusRules())
        assert [entry.path.count("/") for entry in found.files] == list(range(DEEP - 500, -1, -500))
        assert found.skips == []
        assert root.read(found.files[0].path) == b""


def test_a_deep_tree_with_branches_needs_few_descriptors(tmp_path) -> None:
    with deep_tree(tmp_path, 600, files_every=600, siblings=True) as top:
        found = walked_with_64_descriptors(top)
    assert found["skips"] == found["left"] == 0
    assert len(found["files"]) == 601


def test_a_wide_and_deep_tree_is_walked_with_64_descriptors(tmp_path) -> None:
    names = [
        f"{a}/{b}/{c}/{d}/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/x.md"
        for a in "abc"
        for b in "abc"
        for c in "ab"
        for d in "ab"
    ]
    put(tmp_path, *names)
    found = walked_with_64_descriptors(tmp_path)
    assert sorted(found["files"]) == sorted(names)
    assert found["skips"] == found["left"] == 0


def test_a_folder_that_is_bound_into_itself_ends(tmp_path) -> None:
    put(tmp_path, "a/b/f.md")
    script = (
        "mount --bind $1 $1/a/b && exec $2 -c '"
        "import sys; from lens_lsp.corpus.safe_open import Root; "
        "from lens_lsp.corpus.corpus_rules import CorpusRules; from lens_lsp.corpus.walk import discover\n"
        "print(len(discover(Root(sys.argv[1]), CorpusRules()).files))' $1"
    )
    command = ["unshare", "-m", "-r", "sh", "-c", script, "sh", str(tmp_path), sys.executable]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except FileNotFoundError:
        pytest.skip("no unshare here")
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip("no private mounts here")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "0"


def test_a_tree_that_changes_during_the_walk_is_walked_to_its_end(tmp_path) -> None:
    for folder in range(40):
        put(tmp_path, *(f"{folder:02}/sub/{number}.md" for number in range(50)))

    def disturb(found: int) -> None:
        for folder in range(40):
            here = tmp_path / f"{folder:02}"
            if here.exists() and folder % 2:
                here.rename(tmp_path / f"moved{folder:02}")

    with Root(str(tmp_path)) as root:
        found = discover(root, CorpusRules(), on_progress=disturb)
    gone = [skip for skip in found.skips if skip.reason is SkipReason.UNREADABLE]
    assert len(found.files) + 50 * len(gone) >= 40 * 50
    assert gone


FOLDERS = ("", "a/", "a/b/", "a/foo/", "b/", "b/a/", "b/a/b/", "foo/", "foo/a/", "foo/a/b/", "a b/")
NAMES = ("a.md", "ab", "b.txt", "abab", "[x]", "a*", "#c", "!d", "e ", "x\\y", "9", "Z", "n\nl")
IDIOMS = (
    "*", "!*/", "!*.md", "*.txt", "/a", "a/", "!a/", "a/**", "!a/b", "**/a", "a/**/b", "/*", "!/a", "**",
    "**/", "*/", "a/*", "!a/*/", "/**", "foo/**/b/", "!foo/a/a.md", "*b", "b*", "!b*", "**/foo/**", "a*b",
    "/**/b", "a b", "e\\ ", "***/[ab]*", "[a/b]", "a//b", "foo//", "//**", "a/**//b", "# *", "", "  ",
    "\\#c", "\\!d", "!", "/", "x\\\\y",
)  # fmt: skip
PIECES = (
    "a", "b", "ab", "foo", "md", "txt", "*", "**", "?", "[ab]", "[!a]", "[^b-z]", "[]x]", "[a", "\\*", "\\",
    "/", "/", "!", "#", " ", ".", "-", "[[:alpha:]]", "[[:digit:]Z]", "[a-]", "[z-a]", "[\\]x]", "[x\\]",
    "c", "x", "\\ ", "\t", "\r",
)  # fmt: skip


def git(*arguments: str, cwd: Path) -> bytes:
    nothing = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "XDG_CONFIG_HOME": str(cwd / ".git"),
    }
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")} | nothing
    return subprocess.run(["git", *arguments], cwd=cwd, env=environment, capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Path:
    base: Path = tmp_path_factory.mktemp("repository")
    try:
        git("init", "--quiet", cwd=base)
    except (FileNotFoundError, subprocess.CalledProcessError):
        unavailable("git", "no git here to compare with")
    put(base, *(folder + name for folder in FOLDERS for name in NAMES))
    return base


def assert_as_git(base: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (base / path).write_bytes(os.fsencode(text))
    try:
        listed = git("ls-files", "-co", "--exclude-standard", "-z", cwd=base).split(b"\0")
        assert paths(walk(base)) == sorted(os.fsdecode(name) for name in listed if name)
    finally:
        for path in files:
            (base / path).unlink()


def as_in_the_manual(line: str) -> bool:
    """Git reads ``foo**/x`` as ``foo`` and any folders; its manual, and we, see one star there."""
    return all(set(segment) == {"*"} or "**" not in segment for segment in line.removeprefix("!").split("/"))


lines = st.one_of(
    st.sampled_from(IDIOMS),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).filter(as_in_the_manual),
)
ignore_file = st.lists(lines, min_size=1, max_size=5).map(lambda found: "\n".join(found) + "\n")
ignore_files = st.fixed_dictionaries(
    {".gitignore": ignore_file},
    optional={
        ".git/info/exclude": ignore_file,
        "a/.gitignore": ignore_file,
        "b/a/.gitignore": ignore_file,
        "foo/.gitignore": ignore_file,
        "foo/a/b/.gitignore": ignore_file,
    },
)


@settings(max_examples=150)
@given(files=ignore_files)
def test_the_walk_keeps_what_git_keeps(repository, files) -> None:
    assert_as_git(repository, files)


@pytest.mark.parametrize("line", IDIOMS)
def test_each_idiom_means_what_it_means_in_git(repository, line) -> None:
    assert_as_git(repository, {".gitignore": line + "\n", "b/.gitignore": "*.md\n" + line})


@pytest.mark.long
def test_many_files_under_many_ignore_files_are_walked_in_no_time(tmp_path) -> None:
    rows = random.Random(3)
    for folder in range(50):
        here = tmp_path / f"pack{folder:02}"
        for sub in range(4):
            (here / f"s{sub}").mkdir(parents=True)
            for number in range(105):
                (here / f"s{sub}" / f"note-{rows.randrange(10**9)}-{number}.md").touch()
        (here / "build" / "x").mkdir(parents=True)
        (here / "build" / "x" / "out.md").touch()
        (here / ".gitignore").write_text("build/\n*.log\n/tmp\n!keep.log\n*.py[co]\n")
    (tmp_path / ".gitignore").write_text(
        "\n".join(f"name{number}\n*.ext{number}" for number in range(30)) + "\ndocs/_build/\n"
    )
    best = 9.0
    for _ in range(3):
        started = time.process_time()
        found = walk(tmp_path)
        best = min(best, time.process_time() - started)
    assert len(found.files) == 50 * 4 * 105 + 51
    assert len(found.skips) == 50
    assert best < 1.0  # about 0.12 s where it was written: this catches a cost per rule and file, not a slow machine


@both_ways
@pytest.mark.parametrize("rules", [{}, {"exclude": ("*.txt",)}, {"scopes": ("in/",)}, {"respect_ignore_files": False}])
def test_names_alone_are_those_of_what_is_found_with_its_status(tmp_path, descriptors, rules) -> None:
    put(tmp_path, "b.md", "a.txt", "in/c.md", "in/.env", "in/deep/e.txt", "node_modules/x.md", "build/f.md", "é.md")
    (tmp_path / ".gitignore").write_text("build/\n/a.txt\n")
    os.mkfifo(tmp_path / "in" / "pipe")
    (tmp_path / "in" / "link.md").symlink_to("c.md")
    with Root(str(tmp_path), descriptors=descriptors) as root:
        found = discover(root, CorpusRules(**rules))
        names = discover(root, CorpusRules(**rules), names_only=True)
    assert names.paths == paths(found)
    assert names.skips == found.skips
    assert names.complete


@both_ways
@pytest.mark.parametrize("names_only", [False, True])
def test_parts_share_the_files_and_none_is_asked_for_its_status_by_two(tmp_path, descriptors, names_only) -> None:
    """A pipe is known as one by its status alone, so who names it has asked."""
    put(tmp_path, *(f"{folder}/note {n}.md" for folder in ("a", "b/c") for n in range(20)), "a/.env")
    for number in range(20):
        os.mkfifo(tmp_path / "a" / f"pipe {number}")
    with Root(str(tmp_path), descriptors=descriptors) as root:
        whole = discover(root, CorpusRules(), names_only=names_only)
        parts = [discover(root, CorpusRules(), names_only=names_only, part=(number, 3)) for number in range(3)]
    assert sorted(path for part in parts for path in part.paths or paths(part)) == (whole.paths or paths(whole))
    pipes = [skip for part in parts for skip in part.skips if skip.reason is SkipReason.IRREGULAR]
    assert sorted(pipes) == [skip for skip in whole.skips if skip.reason is SkipReason.IRREGULAR]
    assert len(pipes) == 20
    for number, part in enumerate(parts):
        assert all(in_part(path, number, 3) for path in part.paths or paths(part))
        assert Skip("a/.env", SkipReason.DENIED) in part.skips, "what is left out by name costs nothing to say"


def test_where_scopes_choose_a_part_is_all_that_they_let_be_found(tmp_path) -> None:
    put(tmp_path, "in/a.md", "in/b.md", "out/c.md")
    with Root(str(tmp_path)) as root:
        rules = CorpusRules(scopes=("in/",))
        assert discover(root, rules, part=(0, 3)) == discover(root, rules)


def test_looking_for_names_can_be_followed_and_stopped(tmp_path) -> None:
    for number in range(3000):
        (tmp_path / str(number)).touch()
    told: list[int] = []
    with Root(str(tmp_path)) as root:
        assert len(discover(root, CorpusRules(), on_progress=told.append, names_only=True).paths) == 3000
        assert told == sorted(told)
        assert len(told) >= 2
        stopped = discover(root, CorpusRules(), cancelled=lambda: True, names_only=True)
    assert not stopped.complete
    assert 0 < len(stopped.paths) < 3000


def test_nothing_of_a_secret_folder_is_listed_by_name(tmp_path) -> None:
    put(tmp_path, ".ssh/known.md")
    with Root(str(tmp_path / ".ssh")) as root:
        assert discover(root, CorpusRules(), names_only=True).paths == []


LATER = 10_000_000_000


@contextmanager
def folders_listed() -> Iterator[list[str]]:
    """Who asked the system to list a folder, once for each time."""
    listed: list[str] = []

    def watch(frame: FrameType, event: str, called: object) -> None:
        if event == "c_call" and called is os.scandir:
            listed.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield listed
    finally:
        sys.setprofile(before)


class Looks:
    """A tree that is looked at again and again by one who believes that it is old enough to be relied on."""

    def __init__(self, top: Path, first_by_name: bool) -> None:
        self.top = top
        self.listings = Listings(lambda: time.time_ns() + LATER)
        self.listed = 0
        """How many folders the last look had to list."""
        self._first_by_name = first_by_name

    def again(self, rules: CorpusRules = CorpusRules()) -> Discovery:
        """What a look with memory finds; it must be what one without finds."""
        with Root(str(self.top)) as root:
            if self._first_by_name:
                self._first_by_name = False
                discover(root, rules, listings=self.listings, names_only=True)
            with folders_listed() as listed:
                found = discover(root, rules, listings=self.listings)
            self.listed = len(listed)
            assert found == discover(root, rules)
        self._let_the_clock_move_on()
        return found

    def _let_the_clock_move_on(self) -> None:
        """The file system's clock may tick only some hundred times a second: wait for what two seconds ensure."""
        probe = self.top.parent / "probe"
        newest = max(max(status.st_mtime_ns, status.st_ctime_ns) for status in self._folders())
        while True:
            probe.touch()
            if probe.stat().st_ctime_ns > newest:
                return

    def _folders(self) -> list[os.stat_result]:
        return [self.top.stat(), *(path.stat() for path in self.top.rglob("*") if path.is_dir())]


@pytest.fixture(params=[False, True], ids=["first with status", "first by name"])
def looks(tmp_path: Path, request: pytest.FixtureRequest) -> Looks:
    top = tmp_path / "top"
    for path in ("a.md", "b.md", "in/c.md", "in/d.md", "in/deeper/e.md", "in/build/f.md"):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(path)
    (top / "in" / ".gitignore").write_text("build/\n")
    (top / "in" / "link.md").symlink_to("c.md")
    looks = Looks(top, request.param)
    looks.again()
    looks.again()
    if looks.listed:
        pytest.skip("this file system's folders are not relied on")
    return looks


FOUND = ["a.md", "b.md", "in/.gitignore", "in/c.md", "in/d.md", "in/deeper/e.md"]


def new_file(top: Path) -> list[str]:
    (top / "in" / "new.md").write_text("new")
    return [*FOUND, "in/new.md"]


def removed_file(top: Path) -> list[str]:
    (top / "in" / "c.md").unlink()
    return [path for path in FOUND if path != "in/c.md"]


def renamed_file(top: Path) -> list[str]:
    (top / "in" / "c.md").rename(top / "in" / "z.md")
    return [path for path in FOUND if path != "in/c.md"] + ["in/z.md"]


def exchanged_files(top: Path) -> list[str]:
    for old, new in (("in/c.md", "spare"), ("in/d.md", "in/c.md"), ("spare", "in/d.md")):
        (top / old).rename(top / new)
    return FOUND


def changed_ignore_file(top: Path) -> list[str]:
    (top / "in" / ".gitignore").write_text("deeper\n")  # rewritten in place: the folder does not show it
    return ["a.md", "b.md", "in/.gitignore", "in/build/f.md", "in/c.md", "in/d.md"]


def new_ignore_file(top: Path) -> list[str]:
    (top / ".ignore").write_text("c.md\n")
    return [".ignore", *(path for path in FOUND if path != "in/c.md")]


def replaced_folder(top: Path) -> list[str]:
    (top / "in" / "deeper").rename(top.parent / "away")
    (top / "in" / "deeper").mkdir()
    (top / "in" / "deeper" / "other.md").write_text("other")
    return [path for path in FOUND if path != "in/deeper/e.md"] + ["in/deeper/other.md"]


def replaced_by_one_with_the_same_names(top: Path) -> list[str]:
    (top / "in" / "deeper").rename(top.parent / "away")
    (top / "in" / "deeper").mkdir()
    (top / "in" / "deeper" / "e.md").write_text("another")
    return FOUND


def file_that_became_a_link(top: Path) -> list[str]:
    (top / "in" / "c.md").unlink()
    (top / "in" / "c.md").symlink_to("d.md")
    return [path for path in FOUND if path != "in/c.md"]


def file_that_became_a_pipe(top: Path) -> list[str]:
    (top / "in" / "c.md").unlink()
    os.mkfifo(top / "in" / "c.md")
    return [path for path in FOUND if path != "in/c.md"]


def link_that_became_a_file(top: Path) -> list[str]:
    (top / "in" / "link.md").unlink()
    (top / "in" / "link.md").write_text("file now")
    return sorted([*FOUND, "in/link.md"])


def new_folder(top: Path) -> list[str]:
    (top / "in" / "more").mkdir()
    (top / "in" / "more" / "g.md").write_text("more")
    return [*FOUND, "in/more/g.md"]


def edited_in_place(top: Path) -> list[str]:
    was = (top / "in" / "c.md").stat()
    (top / "in" / "c.md").write_text("in/C.md")
    os.utime(top / "in" / "c.md", ns=(was.st_atime_ns, was.st_mtime_ns))
    return FOUND


CHANGES = [
    new_file,
    removed_file,
    renamed_file,
    exchanged_files,
    changed_ignore_file,
    new_ignore_file,
    replaced_folder,
    replaced_by_one_with_the_same_names,
    file_that_became_a_link,
    file_that_became_a_pipe,
    link_that_became_a_file,
    new_folder,
    edited_in_place,
]


def test_a_folder_that_did_not_change_is_not_listed_again(looks: Looks) -> None:
    assert paths(looks.again()) == FOUND
    assert looks.listed == 0


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_found_though_the_rest_is_not_listed(looks: Looks, change: Callable[[Path], list[str]]) -> None:
    before = looks.again()
    expected = change(looks.top)
    after = looks.again()
    assert paths(after) == sorted(expected)
    assert after != before
    assert paths(looks.again()) == sorted(expected)


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_just_after_a_look_is_found(tmp_path: Path, change: Callable[[Path], list[str]]) -> None:
    """With the clock as it is: everything is young, so nothing is relied on."""
    top = tmp_path / "top"
    (top / "in" / "deeper").mkdir(parents=True)
    (top / "in" / "build").mkdir()
    for path in ("a.md", "b.md", "in/c.md", "in/d.md", "in/deeper/e.md", "in/build/f.md"):
        (top / path).write_text(path)
    (top / "in" / ".gitignore").write_text("build/\n")
    (top / "in" / "link.md").symlink_to("c.md")
    listings = Listings()
    with Root(str(top)) as root:
        before = discover(root, CorpusRules(), listings=listings)
        expected = change(top)
        with folders_listed() as listed:
            after = discover(root, CorpusRules(), listings=listings)
        assert paths(after) == sorted(expected)
        with folders_listed() as all_of_them:
            assert after == discover(root, CorpusRules())
        assert listed == all_of_them
        assert after != before


def test_an_edited_file_is_found_without_listing_its_folder(looks: Looks) -> None:
    edited_in_place(looks.top)
    looks.again()
    assert looks.listed == 0


def test_a_file_that_was_read_after_a_look_by_name_is_the_same_object_at_the_next(looks: Looks) -> None:
    listings = Listings(lambda: time.time_ns() + LATER)
    with Root(str(looks.top)) as root:
        discover(root, CorpusRules(), listings=listings, names_only=True)
        read = {path: file_entry(root.index, path, (looks.top / path).stat()) for path in FOUND}
        (looks.top / "a.md").write_text("changed since")
        listings.enter(read.get)
        found = {entry.path: entry for entry in discover(root, CorpusRules(), listings=listings).files}
    assert [path for path in FOUND if found[path] is not read[path]] == ["a.md"]
    assert found["a.md"].size == len("changed since")


def test_other_rules_are_obeyed_at_once(looks: Looks) -> None:
    assert paths(looks.again(CorpusRules(exclude=("*.md",)))) == ["in/.gitignore"]
    assert paths(looks.again(CorpusRules(respect_ignore_files=False))) == sorted([*FOUND, "in/build/f.md"])
    assert paths(looks.again(CorpusRules(scopes=("deeper/",)))) == ["in/deeper/e.md"]
    assert paths(looks.again()) == FOUND


def test_a_look_that_was_cancelled_leaves_nothing_wrong_behind(looks: Looks) -> None:
    with Root(str(looks.top)) as root:
        stopped = discover(root, CorpusRules(), listings=looks.listings, cancelled=lambda: True)
        assert not stopped.complete
    new_file(looks.top)
    assert paths(looks.again()) == [*FOUND, "in/new.md"]


TEXT = "The bell buoy was replaced.\n"
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Forty notes, one of them the one that is looked for, none of them young."""
    for n in range(40):
        path = tmp_path / f"d{n % 4}" / f"{n}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{n:030}\n" if n != 33 else TEXT)
        os.utime(path, (1e9, 1e9))
    return tmp_path


def holders(tree: Path, budget: HashBudget, path: str = "gone.md") -> list[str] | None:
    with Root(str(tree)) as root:
        return RenamedFiles(root, CorpusRules(), budget).holders(path, SHA256)


def test_the_files_of_a_hash_are_all_named(tree: Path) -> None:
    assert holders(tree, HashBudget()) == ["d1/33.md"]
    (tree / "copy.md").write_text(TEXT)
    assert holders(tree, HashBudget()) == ["copy.md", "d1/33.md"]


@pytest.mark.parametrize("name", [".33.md.part", "33.md.tmp", ".33.md.swp", "33.md~", ".hidden.md"])
def test_a_file_that_is_being_written_is_no_new_name(tree: Path, name: str) -> None:
    (tree / "d1" / name).write_text(TEXT)
    assert holders(tree, HashBudget()) == ["d1/33.md"]
    (tree / "d1" / "33.md").unlink()
    assert holders(tree, HashBudget()) == []


def test_a_text_is_found_among_texts_and_a_document_among_those_of_its_kind(tree: Path) -> None:
    assert holders(tree, HashBudget(), "gone.txt") == ["d1/33.md"], "a note that is Markdown now"
    (tree / "of the same bytes.docx").write_text(TEXT)
    assert holders(tree, HashBudget(), "gone.txt") == ["d1/33.md"]
    assert holders(tree, HashBudget(), "gone.docx") == ["of the same bytes.docx"]
    assert holders(tree, HashBudget(), "gone.pdf") == []


@pytest.mark.parametrize("budget", [{"files": 39}, {"size": 39 * 28}, {"seconds": 0.0}])
def test_a_search_ends_with_its_budget(tree: Path, budget: dict[str, float]) -> None:
    for path in tree.glob("*/*.md"):  # another status: what is known of them from before counts no more
        path.touch()
    assert holders(tree, HashBudget(**budget)) is None  # type: ignore[arg-type]


def test_one_budget_holds_for_all_folders(tree: Path) -> None:
    budget = HashBudget(files=45)
    assert holders(tree, budget) == ["d1/33.md"]
    assert holders(tree / "d1", budget) is None


def test_what_was_read_is_not_read_again(tree: Path) -> None:
    budget = HashBudget()
    holders(tree, budget)
    left = budget.size
    assert left < 32 << 20
    assert holders(tree, budget) == ["d1/33.md"]
    assert budget.size == left
    (tree / "d1" / "33.md").write_text(TEXT.upper())
    assert holders(tree, budget) == []


def test_a_file_without_end_ends_the_search() -> None:
    with Root("/dev") as root:
        assert RenamedFiles(root, CorpusRules(), HashBudget()).holders("gone.md", SHA256) in ([], None)
