from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.ignore_files import GLOB_LIMIT, SIZE_LIMIT, Patterns
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import discover


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
