"""Consents: what is kept, what becomes of a broken file, and how they are taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_lsp.memory.userdata import Consents

ORIGIN, OTHER = "https://models.invalid", "https://other.invalid"
BROKEN = [b"", b"{", b"[]", b"\xff", b'{"schema": "lens.consent/1"}', b'{"schema": "x", "given": []}', b"[" * 99_999]


def test_what_is_recorded_is_read_again_beside_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "consent.json"
    before = Consents.read(path)
    before.record("/notes", ORIGIN)
    before.record("/n\udcff", OTHER)
    assert Consents.read(path).given == {("/notes", ORIGIN), ("/n\udcff", OTHER)}


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_file_consents_to_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "consent.json"
    path.write_bytes(content)
    consents = Consents.read(path)
    assert consents.given == frozenset()
    assert "is ignored" in (consents.problem or "")
    consents.record("/notes", ORIGIN)
    assert Consents.read(path) == Consents(path, frozenset({("/notes", ORIGIN)}))


def test_a_consent_can_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "consent.json"
    for workspace in ("/a", "/b"):
        for origin in (ORIGIN, OTHER):
            Consents.read(path).record(workspace, origin)
    taken = Consents.read(path).revoke(lambda consent: consent[0] == "/a")
    assert taken == {("/a", ORIGIN), ("/a", OTHER)}
    assert Consents.read(path).given == {("/b", ORIGIN), ("/b", OTHER)}
    assert Consents.read(path).revoke(lambda consent: consent[0] == "/a") == frozenset()


def test_taking_back_what_was_never_given_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "none" / "consent.json"
    assert Consents.read(path).revoke(lambda consent: True) == frozenset()
    assert not path.parent.exists()
