"""Which folders sources may lie in: by names alone, and never all of a disk or a home."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import ANYWHERE, NOWHERE, OUTSIDE, TOO_WIDE, Allowed, too_wide


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
