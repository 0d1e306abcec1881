"""Keys in the system's keyring: what the list of their origins decides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lens_lsp.memory.keyring import has_key
from lens_lsp.memory.userdata import userdata_folder

ORIGIN = "https://models.test"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of user data of our own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.mark.usefixtures("data")
def test_an_origin_that_is_listed_has_a_key() -> None:
    userdata_folder().mkdir(parents=True)
    (userdata_folder() / "keys.json").write_text(json.dumps({"schema": "lens.keys/1", "origins": [ORIGIN]}))
    assert has_key(ORIGIN)
    assert not has_key("https://another.test")


def test_a_list_that_cannot_be_read_names_none(data: Path) -> None:
    data.write_text("in the way")
    assert not has_key(ORIGIN)
