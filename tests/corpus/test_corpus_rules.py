"""What may be searched: the deny list, ignore files, scopes, rules of projects, folders of sources."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.app.composition import find
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.corpus.corpus_rules import (
    ANYWHERE,
    CLUTTER,
    DENIED,
    GLOB_LIMIT,
    NOWHERE,
    OUTSIDE,
    SIZE_LIMIT,
    TOO_WIDE,
    AllowedFolders,
    CorpusRules,
    Patterns,
    ProjectRules,
    clutter_name,
    denied_name,
    denied_path,
    denied_root,
    left_out,
    some_denied,
    too_wide,
)
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import discover
from lens_lsp.model.documents import Part, PartReason, Skip, SkipReason
from lens_lsp.model.errors import PathNotFound, PathRefused, UsageError
from lens_lsp.schema.answer_shapes import shape
from tests.soak.coverage import control, judged
from tests.soak.left_out import QUESTION, lay_out


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.production",
        ".envrc",
        "server.pem",
        "SERVER.PEM",
        "id_rsa",
        "id_rsa.pub",
        "id_ed25519_work",
        "id_ecdsa",
        "id_dsa",
        "vault.kdbx",
        "cert.p12",
        "cert.pfx",
        ".netrc",
        ".Ssh",
        ".ſsh",
        ".aws",
        ".gnupg",
        ".git",
        ".hg",
        ".svn",
    ],
)
def test_secrets_are_denied_by_name_in_any_case(name: str) -> None:
    assert denied_name(name)
    assert denied_path(f"deep/{name}/inside.md")
    assert denied_path(f"deep/{name}")


@pytest.mark.parametrize(
    "name",
    ["env.md", "environment", "rsa.md", "pem", "identity.md", ".gitignore", ".github", "keynote.md", "", "_"],
)
def test_names_that_only_look_similar_are_not_denied(name: str) -> None:
    assert not denied_name(name)
    assert not denied_path(f"notes/{name}x.md")


def test_every_line_of_the_deny_list_denies_what_it_says() -> None:
    for line in DENIED:
        assert denied_path(line.removesuffix("/").replace("*", "x")), line


def test_every_line_of_the_clutter_list_is_a_folder_that_is_known() -> None:
    for line in CLUTTER:
        assert line.endswith("/")
        assert clutter_name(line[:-1])
    assert not clutter_name("src")


def test_a_root_inside_a_secret_folder_is_denied() -> None:
    assert denied_root("/home/someone/.ssh")
    assert denied_root("/home/someone/.aws/sso/cache")
    assert denied_root("/home/someone/work/.env")


def test_a_root_below_a_folder_that_merely_starts_like_a_secret_file_is_not_denied() -> None:
    assert not denied_root("/home/someone/.environments/work")
    assert not denied_root("/")


def test_a_link_to_a_secret_folder_is_denied_by_what_it_leads_to(tmp_path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / "notes").symlink_to(".ssh")
    assert denied_root(str(tmp_path / "notes"))


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis", "gb18030", "latin-1", "utf-8"])
def test_text_encodings_are_accepted_as_fallback(encoding: str) -> None:
    assert CorpusRules(fallback_encoding=encoding).fallback_encoding == encoding


@pytest.mark.parametrize(
    "encoding",
    ["no-such", "rot13", "hex", "unicode_escape", "Unicode-Escape", "raw-unicode-escape", "utf-7", "u7", "", "a\0b"],
)
def test_a_fallback_that_reads_no_text_is_refused(encoding: str) -> None:
    with pytest.raises(UsageError, match="not a text encoding"):
        CorpusRules(fallback_encoding=encoding)


NAMES = st.one_of(
    st.sampled_from([name for line in DENIED for name in line.replace("*", "").strip("/").split("/")]),
    st.text("aiIİıſKßﬁ._-pemkyEM9", min_size=1, max_size=9),
    st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=6),
)
SPELLINGS = st.sampled_from([str, str.upper, str.title, lambda name: name.replace("s", "ſ").replace("k", "K")])


@given(
    st.lists(st.builds(lambda name, spell, end: spell(name) + end, NAMES, SPELLINGS, st.sampled_from(["", "_x"]))),
    st.sampled_from(["", "notes", ".docker", ".Config", "gh"]),
)
def test_many_names_are_asked_about_at_once_as_one_by_one(names: list[str], above: str) -> None:
    assert some_denied(names, above) == any(denied_name(name, above) for name in names)


@pytest.mark.parametrize(
    "path", ["home/.docker/config.json", ".Docker/config.json.bak", ".config/op/config", "gh/hosts.yml"]
)
def test_some_names_are_secrets_in_one_folder_alone(path: str) -> None:
    assert denied_path(path)
    assert not denied_path(path.replace("/", "-folder/"))


def test_what_a_name_is_for_may_be_said_by_the_root_alone() -> None:
    assert denied_path("config.json", "/home/someone/.docker")
    assert not denied_path("config.json", "/home/someone/notes")
    assert denied_root("/home/someone/.config/op/deep")


@pytest.mark.parametrize("name", ["prod.env.bak", ".netrc~", "#id_rsa#", ".npmrc.old", ".prod.env.swp", "a.pem.orig"])
def test_copies_of_secrets_are_denied_too(name: str) -> None:
    assert denied_name(name)
    assert not denied_name("notes.md.bak")


def test_a_place_is_a_folder_given_and_the_way_down(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "alias").symlink_to("ws")
    named, real = str(tmp_path / "alias"), str(tmp_path.resolve() / "ws")
    allowed = AllowedFolders.below([named])
    assert allowed.place(named) == (named, "")
    assert allowed.place(f"{named}/a/../b/c/") == (named, "b/c")
    assert allowed.place(f"{real}/b") == (named, "b")
    for outside in (f"{named}/..", f"{named}-evil", f"{named}/b/../../x", "/", str(tmp_path), f"{named}\0"):
        assert allowed.place(outside) is None, outside
    assert allowed.why == OUTSIDE


def test_the_innermost_folder_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    allowed = AllowedFolders.below([str(tmp_path), str(inner)])
    assert allowed.place(f"{inner}/c") == (str(inner), "c")


def test_a_disk_and_homes_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "people" / "me"
    (home / "notes").mkdir(parents=True)
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(home))
    for wide in ("/", str(home), f"{home}/", str(tmp_path / "people"), str(tmp_path / "link"), "/home", "/home/who"):
        assert too_wide(wide), wide
        assert AllowedFolders.below([wide]) == AllowedFolders((), TOO_WIDE), wide
    assert not too_wide(str(home / "notes"))
    assert AllowedFolders.below([str(home), str(home / "notes")]).place(str(home / "notes")) is not None


def test_what_is_our_own_lies_anywhere_and_an_untrusted_window_has_nothing() -> None:
    assert ANYWHERE.place("/a/../b") == ("/b", "")
    assert NOWHERE.place("/b") is None


def write(base: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_bytes(os.fsencode(text))
    return base


def found(base: Path, **rules) -> list[str]:
    with Root(str(base)) as root:
        return [entry.path for entry in discover(root, CorpusRules(**rules)).files]


def verdict(lines: list[str], path: str, folder: bool = False) -> bool | None:
    return Patterns(lines).verdict(path.rpartition("/")[2], path, folder)


@pytest.mark.parametrize(
    ("lines", "path", "folder", "expected"),
    [
        (["foo"], "a/foo", False, True),
        (["foo"], "food", False, None),
        (["foo"], "foo\n", False, None),
        (["/foo"], "foo", False, True),
        (["/foo"], "a/foo", False, None),
        (["foo/"], "foo", False, None),
        (["foo/"], "a/foo", True, True),
        (["a/foo"], "a/foo", False, True),
        (["a/foo"], "b/a/foo", False, None),
        (["*.md", "!keep.md"], "keep.md", False, False),
        (["!keep.md", "*.md"], "keep.md", False, True),
        (["**/foo"], "foo", False, True),
        (["**/foo"], "a/b/foo", False, True),
        (["a/**/foo"], "a/foo", False, True),
        (["a/**/foo"], "a/b/c/foo", False, True),
        (["a/**"], "a", True, None),
        (["a/**"], "a/b/c", False, True),
        (["/**"], "a/b", False, True),
        (["**/"], "a", True, True),
        (["**/"], "a", False, None),
        (["f?o"], "fxo", False, True),
        (["a/f?o"], "a/f/o", False, None),
        (["a*b"], "a/b", False, None),
        (["[a-c]x"], "bx", False, True),
        (["[!a-c]x"], "bx", False, None),
        (["[^a-c]x"], "dx", False, True),
        (["[]a]"], "]", False, True),
        (["[[:digit:]]x"], "7x", False, True),
        (["[[:nonsense:]]x"], "7x", False, None),
        (["[z-a]"], "z", False, True),
        (["[a"], "[a", False, None),
        (["a\\"], "a\\", False, None),
        (["\\!a"], "!a", False, True),
        (["\\#a"], "#a", False, True),
        (["# a"], "# a", False, None),
        (["a  "], "a", False, True),
        (["a\\  "], "a ", False, True),
        (["/"], "a", True, None),
        (["!"], "!", False, None),
        ([""], "", False, None),
    ],
)
def test_a_line_means_what_it_means_in_git(lines, path, folder, expected) -> None:
    assert verdict(lines, path, folder) is expected


@pytest.mark.parametrize(
    "line",
    ["*a" * 20 + "*b*", "/" + "**/a*/" * 20 + "b*", "[!b]*" * 20 + "b?", "/" + "**/*a*a*a/" * 9 + "?b"],
)
def test_no_line_takes_long_however_many_stars_it_has(line: str) -> None:
    patterns = Patterns([line])
    started = time.process_time()
    for path in ("a" * 255, "a/" * 500 + "a", ("a" * 100 + "/") * 20 + "a"):
        assert patterns.verdict(path.rpartition("/")[2], path, False) is None
    assert time.process_time() - started < 2  # backtracking would take years


@pytest.mark.parametrize(
    "line", ["/" + "[" * 20_000, "a/" + "[a" * 10_000, "/[[:x:]" + "[" * 20_000, "**/" + "[!" * 10_000]
)
def test_brackets_that_never_end_are_looked_at_once(line: str) -> None:
    started = time.process_time()
    assert not Patterns([line])
    assert time.process_time() - started < 2  # each looked at to the end of the line takes minutes


def test_the_later_kind_of_file_wins_over_the_earlier(tmp_path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "one.md\ntwo.md\nthree.md\n",
            ".ignore": "!one.md\n!two.md\nfour.md\n",
            ".lensignore": "two.md\n!four.md\n",
            "sub/.gitignore": "four.md\n",
            **{f"{folder}{name}.md": "" for folder in ("", "sub/") for name in ("one", "two", "three", "four")},
        },
    )
    assert [path for path in found(tmp_path) if path.endswith(".md")] == [
        "four.md",
        "one.md",
        "sub/four.md",
        "sub/one.md",
    ]


def test_a_deeper_file_overrides_a_higher_one(tmp_path) -> None:
    write(tmp_path, {".gitignore": "*.log\n/sub/x\n", "sub/.gitignore": "!keep.log\n/y\n"})
    write(tmp_path, {f"sub/{name}": "" for name in ("keep.log", "other.log", "x", "y", "deep/y", "deep/x")})
    assert found(tmp_path) == [".gitignore", "sub/.gitignore", "sub/deep/x", "sub/deep/y", "sub/keep.log"]


def test_what_lies_in_an_ignored_folder_cannot_be_brought_back(tmp_path) -> None:
    write(tmp_path, {".gitignore": "out/\n!out/keep.md\n", "out/keep.md": "", "out/.gitignore": "!keep.md\n"})
    assert found(tmp_path) == [".gitignore"]


def test_a_white_list_keeps_the_folders_it_reaches_into(tmp_path) -> None:
    write(tmp_path, {".gitignore": "*\n!*/\n!*.md\n", "a/b/c.md": "", "a/b/c.txt": "", "d.md": ""})
    assert found(tmp_path) == ["a/b/c.md", "d.md"]


def test_the_files_of_other_assistants_only_add(tmp_path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "a.md\n",
            ".lensignore": "!c.md\n",
            ".cursorignore": "!a.md\nb.md\n!c.md\n",
            ".aiignore": "c.md\nd.md\n!d.md\n",
            **{f"{name}.md": "" for name in "abcd"},
        },
    )
    assert [path for path in found(tmp_path) if path.endswith(".md")] == ["d.md"]


def test_user_exclusions_add_and_cannot_be_undone_by_the_workspace(tmp_path) -> None:
    write(tmp_path, {".lensignore": "!a.md\n", "a.md": "", "b.md": "", "c.md": ""})
    assert found(tmp_path, exclude=("*.md", "!b.md")) == [".lensignore", "b.md"]


def test_exclusions_hold_when_ignore_files_are_not_respected(tmp_path) -> None:
    write(tmp_path, {".gitignore": "a.md\n", "a.md": "", "b.md": ""})
    assert found(tmp_path, exclude=("b.md",), respect_ignore_files=False) == [".gitignore", "a.md"]


def test_nothing_brings_back_a_denied_name(tmp_path) -> None:
    undo = "!.env\n!*.pem\n!.ssh/\n!.ssh/**\n!node_modules/\n"
    write(
        tmp_path,
        dict.fromkeys((".gitignore", ".ignore", ".lensignore", ".cursorignore", ".aiignore"), undo),
    )
    write(tmp_path, {".env": "", "k.pem": "", ".ssh/config": "", "node_modules/a/b.md": "", "a.md": ""})
    assert found(tmp_path, exclude=("!.env",)) == [
        ".aiignore",
        ".cursorignore",
        ".gitignore",
        ".ignore",
        ".lensignore",
        "a.md",
    ]


def test_ignore_files_above_the_root_hold_up_to_the_repository(tmp_path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "b.md\n",
            "repo/.git/info/exclude": "/docs/deep/a.md\n",
            "repo/.gitignore": "/docs/deep/c.md\n*.tmp\n",
            "repo/docs/.gitignore": "!keep.tmp\n",
            **{f"repo/docs/deep/{name}": "" for name in ("a.md", "b.md", "c.md", "x.tmp", "keep.tmp")},
        },
    )
    assert found(tmp_path / "repo" / "docs" / "deep") == ["b.md", "keep.tmp"]


def test_ignore_files_above_the_root_say_nothing_without_a_repository(tmp_path) -> None:
    write(tmp_path, {".gitignore": "*.md\n", "docs/a.md": ""})
    assert found(tmp_path / "docs") == ["a.md"]


def test_a_repository_inside_another_starts_anew(tmp_path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "*.log\n",
            ".lensignore": "*.tmp\n",
            "inner/.git/info/exclude": "b.log\n",
            **{f"{folder}{name}": "" for folder in ("", "inner/") for name in ("a.log", "b.log", "c.tmp")},
        },
    )
    assert found(tmp_path) == [".gitignore", ".lensignore", "inner/a.log"]


@pytest.mark.skipif(sys.platform != "linux", reason="file systems here refuse names that are no text")
def test_bad_lines_and_bad_bytes_spoil_no_other_line(tmp_path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfa.md\r\n[\n[z-\n\\\n\xff\xfe*.x\n\0\n" + b"b.md")
    write(tmp_path, {"a.md": "", "b.md": "", "c.md": ""})
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfey.x"))).write_text("")
    assert found(tmp_path) == [".gitignore", "c.md"]


def test_an_ignore_file_that_is_a_link_or_a_pipe_says_nothing(tmp_path) -> None:
    write(tmp_path, {"rules": "*.md\n", "a.md": "", "sub/b.md": ""})
    (tmp_path / ".gitignore").symlink_to("rules")
    os.mkfifo(tmp_path / "sub" / ".gitignore")
    assert found(tmp_path) == ["a.md", "rules", "sub/b.md"]


def test_an_ignore_file_counts_up_to_its_size_limit(tmp_path) -> None:
    padding = "#" * 99 + "\n"
    lines = "a.md\n" + padding * (SIZE_LIMIT // 100 + 1) + "b.md\n" + padding * 10
    write(tmp_path, {".gitignore": lines, "a.md": "", "b.md": ""})
    assert found(tmp_path) == [".gitignore", "b.md"]


def test_a_flood_of_globs_is_cut_off_and_plain_names_still_count(tmp_path) -> None:
    globs = "".join(f"x*q{number}q*y\n" for number in range(GLOB_LIMIT + 5))
    last = f"xq{GLOB_LIMIT + 4}qy"
    write(tmp_path, {".gitignore": globs + "a.md\n*.tmp\n", "a.md": "", "b.tmp": "", "xq0qy": "", last: ""})
    assert found(tmp_path) == [".gitignore", last]


def test_the_same_lines_make_equal_patterns_and_others_do_not() -> None:
    assert Patterns(["*.md", "# comment", "!a.md"]) == Patterns(["*.md", "!a.md"])
    assert Patterns(["*.md", "!a.md"]) != Patterns(["!a.md", "*.md"])
    assert Patterns(["build/"]) != Patterns(["build"])
    assert Patterns([]) != "no patterns"


FILES = (
    "a.md",
    ".env",
    "id_rsa.pub",
    "notes/b.md",
    "notes/draft.md",
    "notes/keep/draft.md",
    "notes/keep/c.md",
    "build/out.md",
    "node_modules/x/readme.md",
    ".git/config",
    "sub/.git/info/x.md",
    "sub/vendored.md",
    "deep/er/secret.pem",
    "deep/er/d.md",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text")
    (tmp_path / ".gitignore").write_text("build/\ndraft.md\n")
    (tmp_path / "notes" / "keep" / ".ignore").write_text("!draft.md\n")
    (tmp_path / "notes" / ".lensignore").write_text("b.md\n")
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    return tmp_path


@pytest.mark.parametrize(
    "rules",
    [
        CorpusRules(),
        CorpusRules(respect_ignore_files=False),
        CorpusRules(exclude=("deep/", "!a.md")),
        CorpusRules(scopes=("notes/", "*.pem")),
        CorpusRules(scopes=("deep/**/d.md",)),
    ],
    ids=["all", "unignored", "excluded", "folder", "glob"],
)
def test_it_agrees_with_a_walk(folder: Path, rules: CorpusRules) -> None:
    with Root(str(folder)) as root:
        found = {entry.path for entry in discover(root, rules).files}
        every = {
            os.path.relpath(os.path.join(where, name), folder).replace(os.sep, "/")
            for where, _, names in os.walk(folder, followlinks=True)
            for name in names
        } - {"link.md"}  # links at the end are refused when they are opened
        assert found
        assert {path for path in every if left_out(root, path, rules) is None} == found


def test_it_says_why(folder: Path) -> None:
    with Root(str(folder)) as root:
        assert left_out(root, ".env", CorpusRules()) is SkipReason.DENIED
        assert left_out(root, "build/out.md", CorpusRules()) is SkipReason.IGNORED
        assert left_out(root, "link/b.md", CorpusRules()) is SkipReason.LINK
        for path in ("../a.md", "/a.md", "a//b", ""):
            with pytest.raises(PathRefused):
                left_out(root, path, CorpusRules())


def test_each_kind_is_named_and_nothing_sound(tmp_path: Path) -> None:
    made = lay_out(tmp_path, 40, seed=2)
    coverage = shape(find(Request(QUESTION, tuple(map(str, made.roots)))).coverage)
    assert judged(made, coverage, "find") == []
    assert made.kinds >= 20
    assert control(made, coverage) > 10, "an account without hidden parts, scopes and missing folders is caught"


def test_a_second_look_names_the_same_and_what_was_mended_no_more(tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text("The bridge is old.\n")
    (tmp_path / "note.md").write_text("# N\n\n<!-- lens:begin x -->\nrest\n")
    (tmp_path / ".ignore").symlink_to("bridge.md")
    lens = Lens([tmp_path])
    linked, block = Part(".ignore", 0, PartReason.IGNORE_LINK), Part("note.md", 3, PartReason.OPEN_BLOCK)
    for _ in range(2):
        assert lens.find("bridge").coverage.partial == (linked, block)
    (tmp_path / "note.md").write_text("# N\n\nmended\n")
    (tmp_path / ".ignore").unlink()
    assert lens.find("bridge").coverage.partial == ()


def test_a_folder_that_goes_and_comes_back_is_named_while_it_is_gone(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.md").write_text(f"The bridge of {name}.\n")
    lens = Lens([tmp_path / "a", tmp_path / "b"])
    shutil.move(tmp_path / "a", tmp_path / "away")
    found = lens.find("bridge")
    assert [(item.root, item.path) for item in found.evidence] == [(1, "note.md")]
    assert found.coverage.skipped == (Skip(str(tmp_path / "a"), SkipReason.MISSING, 0),)
    shutil.move(tmp_path / "b", tmp_path / "gone")
    with pytest.raises(PathNotFound, match="none of the 2 paths"):
        lens.find("bridge")
    shutil.move(tmp_path / "away", tmp_path / "a")
    shutil.move(tmp_path / "gone", tmp_path / "b")
    found = lens.find("bridge")
    assert {item.root for item in found.evidence} == {0, 1}
    assert found.coverage.skipped == ()


def test_what_scopes_leave_out_is_told_by_the_highest_folder_without_any_in_scope(tmp_path: Path) -> None:
    for name in ("docs/a.md", "docs/b.txt", "src/deep/c.py", "src/d.md", "top.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("bridge\n")
    skipped = Lens([tmp_path], rules=CorpusRules(scopes=("*.md",))).find("bridge").coverage.skipped
    assert [skip.path for skip in skipped] == ["docs/b.txt", "src/deep/", "top.txt"]


PROJECT_FILES = ("a.md", "docs/a.md", "docs/deep/b.md", "docs/deep/c.txt", "other/a.md")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in PROJECT_FILES:
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    return tmp_path / "project"


def found_in(root: Path, project: Path, exclude: tuple[str, ...]) -> list[str]:
    rules = CorpusRules(projects=(ProjectRules(str(project), exclude),))
    with Root(str(root)) as opened:
        files = [entry.path for entry in discover(opened, rules).files]
        assert sorted(discover(opened, rules, names_only=True).paths) == files
    return files


def test_patterns_are_from_the_projects_folder_wherever_the_root_is(project: Path) -> None:
    exclude = ("/docs/a.md", "docs/deep/*.txt")
    assert found_in(project, project, exclude=exclude) == ["a.md", "docs/deep/b.md", "other/a.md"]
    assert found_in(project / "docs", project, exclude=exclude) == ["deep/b.md"]
    assert found_in(project / "docs" / "deep", project, exclude=exclude) == ["b.md"]
    assert found_in(project / "other", project, exclude=("/a.md",)) == ["a.md"]


def test_a_project_has_no_say_outside_its_folder(project: Path) -> None:
    other = project.parent / "project two"
    other.mkdir()
    (other / "a.md").write_text("text")
    assert found_in(other, project, exclude=("*",)) == ["a.md"]
    assert found_in(project.parent, project, exclude=("*.md",)) == sorted(
        ["project two/a.md", *(f"project/{name}" for name in PROJECT_FILES)]
    )


def test_a_project_brings_nothing_back(project: Path) -> None:
    (project / ".lensignore").write_text("other/\n")
    rules = CorpusRules(exclude=("docs/",), projects=(ProjectRules(str(project), ("!docs/", "!other/", "!.env")),))
    (project / ".env").write_text("SECRET=1")
    with Root(str(project)) as opened:
        assert [entry.path for entry in discover(opened, rules).files] == [".lensignore", "a.md"]


def test_scopes_are_from_the_projects_folder_and_the_users_replace_them(project: Path) -> None:
    def rules(*scopes: str) -> CorpusRules:
        return CorpusRules(projects=(ProjectRules(str(project), scopes=scopes),))

    def of(root: Path, chosen: CorpusRules) -> list[str]:
        with Root(str(root)) as opened:
            return [entry.path for entry in discover(opened, chosen).files]

    assert of(project, rules("docs/deep/", "other")) == ["docs/deep/b.md", "docs/deep/c.txt", "other/a.md"]
    assert of(project / "docs", rules("docs/deep/")) == ["deep/b.md", "deep/c.txt"]
    assert of(project / "docs" / "deep", rules("docs/")) == ["b.md", "c.txt"], "the root lies in a scope"
    assert of(project / "docs", rules("/docs/a.md")) == ["a.md"]
    assert of(project, CorpusRules(scopes=("*.txt",), projects=rules("other").projects)) == ["docs/deep/c.txt"]


def test_a_root_that_is_reached_by_a_link_is_in_its_project(project: Path) -> None:
    link = project.parent / "link"
    link.symlink_to(project / "docs", target_is_directory=True)
    assert found_in(link, project, exclude=("/docs/deep/",)) == ["a.md"]


@pytest.mark.parametrize(("folder", "root"), list(itertools.product(["", "docs"], ["", "docs", "docs/deep", "other"])))
def test_the_way_down_to_a_root(project: Path, folder: str, root: str) -> None:
    above = ProjectRules(str(project / folder)).above(str(project / root))
    if above is None:
        assert not (project / root).is_relative_to(project / folder)
    else:
        assert (project / folder / above).resolve() == (project / root).resolve()
        assert above == "" or above.endswith("/")
