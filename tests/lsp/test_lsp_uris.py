"""Paths and URIs, both ways, and the URIs that name nothing we may look at."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.allowed import inside
from lens_lsp.lsp.locations import UriRefused, path_of, uri_of

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
        ("file:///a%5C..%5Cb", "/a\\..\\b"),
        ("file:///a//b", "/a//b"),
    ],
)
def test_what_editors_write_is_understood(uri: str, path: str) -> None:
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/a%20b.md", "c:\\Users\\a b.md"),
        ("file:///C:/x/", "C:\\x"),
        ("file:///c%3A/", "c:\\"),
        ("file:///c:", "c:\\"),
        ("file:///c:/a%5Cb", "c:\\a\\b"),
    ],
)
def test_a_path_of_windows_has_its_drive_and_a_drive_its_root(uri: str, path: str) -> None:
    assert path_of(uri, windows=True) == path


@pytest.mark.parametrize(("path", "uri"), [("c:\\Users\\a b.md", "file:///c:/Users/a%20b.md"), ("C:\\", "file:///C:/")])
def test_a_path_of_windows_becomes_one_with_slashes(path: str, uri: str) -> None:
    assert uri_of(path, windows=True) == uri


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("file:///a/b", "no drive"),
        ("file:///1:/b", "no drive"),
        ("file:///c:x", "no drive"),
        ("file:///cc:/x", "no drive"),
        ("file:////host/share", "no drive"),
        ("file:///c:/a/../b", "a path that is not plain"),
        ("file:///c:/a%5C..%5Cb", "a path that is not plain"),
        ("file:///c:/.", "a path that is not plain"),
    ],
)
def test_windows_has_no_path_for(uri: str, why: str) -> None:
    with pytest.raises(UriRefused) as caught:
        path_of(uri, windows=True)
    assert str(caught.value) == why


def test_only_what_uris_keep_for_themselves_is_escaped() -> None:
    path = "/a (b)!$&'*+,;=:@-._~/#?%[]é.md"
    assert uri_of(path, windows=False) == "file:///a%20(b)!$&'*+,;=:@-._~/%23%3F%25%5B%5D%C3%A9.md"


NO_FILE, ANOTHER_HOST, NOT_PLAIN = "not a file: URI", "a file on another host", "a path that is not plain"


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("", NO_FILE),
        ("x", NO_FILE),
        ("/a", NO_FILE),
        ("file:", NO_FILE),
        ("file:a", NO_FILE),
        ("file://", NOT_PLAIN),
        ("file://host/share/a", ANOTHER_HOST),
        ("file://10.0.0.1/a", ANOTHER_HOST),
        ("file:////host/share", NOT_PLAIN),
        ("file:///%2Fhost/share", NOT_PLAIN),
        ("file:///a/../b", NOT_PLAIN),
        ("file:///a/%2e%2e/b", NOT_PLAIN),
        ("file:///./a", NOT_PLAIN),
        ("file:///a%00b", "a NUL in a path"),
        ("file:///a\0b", "a NUL in a path"),
        ("file:///a%zz", "a % that escapes nothing"),
        ("file:///a?b", NO_FILE),
        ("file:///\ud800", "half a surrogate pair"),
        ("untitled:Untitled-1", NO_FILE),
        ("vscode-notebook-cell:/a.ipynb#c1", NO_FILE),
        ("http://h/a", NO_FILE),
        ("git:/a", NO_FILE),
        (" file:///a", NO_FILE),
    ],
)
def test_what_names_no_file_of_ours_is_refused(uri: str, why: str) -> None:
    with pytest.raises(UriRefused) as caught:
        path_of(uri, windows=False)
    assert str(caught.value) == why


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
