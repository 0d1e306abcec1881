"""A question as a program asks it that keeps nothing of its own: bad input, settings, and what it does meanwhile."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest

from lens_lsp.app import Request, ask, find
from lens_lsp.domain.errors import UsageError
from lens_lsp.domain.events import answer_of
from lens_lsp.settings.settings import CommandLine


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A note, under the settings of nobody."""
    for name in ("LENS_BASE_URL", "LENS_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "lease.md").write_text("The lease of the workshop ends on 30 June 2031.\n")
    return tmp_path / "notes"


@pytest.mark.parametrize("model", [False, True], ids=["without a model", "with a model"])
def test_a_mode_that_there_is_none_of_is_refused_with_those_there_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, model: bool
) -> None:
    if model:
        monkeypatch.setenv("LENS_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("LENS_MODEL", "any")
    for request in (
        Request("When does it end?", (str(folder),), mode="nonsense"),
        Request("When does it end?", (str(folder),), options=CommandLine(mode="nonsense")),
    ):
        with pytest.raises(UsageError, match="no mode 'nonsense'; choose from auto, evidence, fast, deep"):
            asyncio.run(answer_of(ask(request)))


def test_settings_and_store_are_those_of_the_process_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second set of variables would hold for the settings, and not for the store, the consents and the usage."""
    (folder.parent / "lens.toml").write_text('exclude = ["lease.md"]\n')
    request = Request("When does the lease end?", (str(folder),))
    assert [each.path for each in find(request).evidence] == ["lease.md"]
    monkeypatch.setenv("LENS_CONFIG", str(folder.parent / "lens.toml"))
    assert find(request).evidence == ()
    for function in (ask, find):
        assert "environment" not in inspect.signature(function).parameters
