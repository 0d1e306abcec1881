"""Paths and URIs, both ways, and the URIs that name nothing we may look at."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.lsp.uris import UriRefused, inside, path_of, uri_of

part = st.binary(min_size=1, max_size=12).filter(lambda name: not set(name) & {0, 0x2F} and name not in (b".", b".."))


@given(st.lists(part, min_size=1, max_size=4))
def test_every_name_of_bytes_comes_back(names: list[bytes]) -> None:
    path = os.fsdecode(b"/" + b"/".join(names))
    uri = uri_of(path)
    assert uri.isascii()
    assert path_of(uri) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a%20b.md", "/a b.md"),
        ("file:///a b.md", "/a b.md"),
        ("FILE:///a", "/a"),
        ("file:/a/b", "/a/b"),
        ("file://localhost/a", "/a"),
        ("file:///a/", "/a"),
        ("file:///", "/"),
        ("file:///c%3A/x", "/c:/x"),
        ("file:///a%23b", "/a#b"),
        ("file:///a%3Fb", "/a?b"),
        ("file:///a.md#L3", "/a.md"),
        ("file:///%E6%BC%A2", "/漢"),
        ("file:///漢", "/漢"),
        ("file:///a%0Ab", "/a\nb"),
        ("file:///a%FFb", "/a\udcffb"),
        ("file:///a..b/...", "/a..b/..."),
    ],
)
def test_what_editors_write_is_understood(uri: str, path: str) -> None:
    assert path_of(uri) == path


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "x",
        "/a",
        "file:",
        "file:a",
        "file://",
        "file://host/share/a",
        "file://10.0.0.1/a",
        "file:////host/share",
        "file:///%2Fhost/share",
        "file:///a/../b",
        "file:///a/%2e%2e/b",
        "file:///./a",
        "file:///a%00b",
        "file:///a\0b",
        "file:///a%zz",
        "file:///a?b",
        "file:///\ud800",
        "untitled:Untitled-1",
        "vscode-notebook-cell:/a.ipynb#c1",
        "http://h/a",
        "git:/a",
        " file:///a",
    ],
)
def test_what_names_no_file_of_ours_is_refused(uri: str) -> None:
    with pytest.raises(UriRefused):
        path_of(uri)


@given(st.text(max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    for uri in (text, "file:" + text, "file:///" + text):
        try:
            path = path_of(uri)
        except UriRefused:
            continue
        assert os.path.isabs(path)
        assert "\0" not in path
        assert ".." not in path.split("/")


def test_inside_is_by_whole_names() -> None:
    assert inside("/a/b", "/a")
    assert inside("/a", "/a")
    assert inside("/a", "/")
    assert not inside("/ab", "/a")
