"""TODO."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.corpus_rules import (
    ANYWHERE,
    CLUTTER,
    DENIED,
    NOWHERE,
    OUTSIDE,
    TOO_WIDE,
    Allowed,
    CorpusRules,
    clutter_name,
    denied_name,
    denied_path,
    denied_root,
    some_denied,
    too_wide,
)
from lens_lsp.model.errors import UsageError


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
    allowed = Allowed.below([named])
    assert allowed.place(named) == (named, "")
    assert allowed.place(f"{named}/a/../b/c/") == (named, "b/c")
    assert allowed.place(f"{real}/b") == (named, "b")
    for outside in (f"{named}/..", f"{named}-evil", f"{named}/b/../../x", "/", str(tmp_path), f"{named}\0"):
        assert allowed.place(outside) is None, outside
    assert allowed.why == OUTSIDE


def test_the_innermost_folder_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    allowed = Allowed.below([str(tmp_path), str(inner)])
    assert allowed.place(f"{inner}/c") == (str(inner), "c")


def test_a_disk_and_homes_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "people" / "me"
    (home / "notes").mkdir(parents=True)
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(home))
    for wide in ("/", str(home), f"{home}/", str(tmp_path / "people"), str(tmp_path / "link"), "/home", "/home/who"):
        assert too_wide(wide), wide
        assert Allowed.below([wide]) == Allowed((), TOO_WIDE), wide
    assert not too_wide(str(home / "notes"))
    assert Allowed.below([str(home), str(home / "notes")]).place(str(home / "notes")) is not None


def test_what_is_our_own_lies_anywhere_and_an_untrusted_window_has_nothing() -> None:
    assert ANYWHERE.place("/a/../b") == ("/b", "")
    assert NOWHERE.place("/b") is None
