"""Consent: what is kept, and what becomes of a broken file."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_lsp.cli.consent import Consents, require_consent
from lens_lsp.domain.errors import UsageError

ORIGIN = "https://models.invalid"


def test_what_is_recorded_is_read_again_beside_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "consent.json"
    Consents.read(path).record("/notes", ORIGIN)
    Consents.read(path).record("/n\udcff", "https://other.invalid")
    assert Consents.read(path).given == {("/notes", ORIGIN), ("/n\udcff", "https://other.invalid")}


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"schema": "lens.consent/1"}', b'{"schema": "x", "given": []}', b"[" * 9999],
)
def test_a_broken_file_consents_to_nothing_and_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = tmp_path / "lens-lsp" / "consent.json"
    path.parent.mkdir()
    path.write_bytes(content)
    assert Consents.read(path).given == frozenset()
    with pytest.raises(UsageError, match="--yes"):
        require_consent("/notes", ORIGIN, "any", yes=False)
    assert capsys.readouterr().err.count("is ignored") == 1
    require_consent("/notes", ORIGIN, "any", yes=True, quiet=True)
    assert capsys.readouterr().err == ""
    require_consent("/notes", ORIGIN, "any", yes=False)
