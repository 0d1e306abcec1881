"""Settings as the pages show them: what is written there is taken, without a word."""

from __future__ import annotations

from pathlib import Path

from documentation import DOCS, blocks, text_of

from lens_lsp.app.configuration import settings_of
from lens_lsp.memory.userdata import KEPT_DAYS

MODELS = DOCS / "how-to" / "models-and-keys.md"
PRIVACY = DOCS / "explanation" / "privacy.md"


def test_the_file_of_the_guide_is_taken_whole(tmp_path: Path) -> None:
    (shown,) = [block for block in blocks(MODELS) if block.language == "toml"]
    path = tmp_path / "config.toml"
    path.write_text("\n".join(shown.lines), encoding="utf-8")
    settings = settings_of((), {"LENS_CONFIG": str(path), "LENS_API_KEY": "sk-any"})
    assert settings.notices == ()
    assert settings.model.key_withheld is None
    settings.require_prices(calling=True)
    keys = [line.partition("=")[0].strip() for line in shown.lines if "=" in line]
    assert len(settings.sources) + len(["exclude", "keyOrigin"]) == len(keys)


def test_the_days_that_are_kept_are_as_many_as_the_page_says() -> None:
    assert f"of the last {KEPT_DAYS} days" in text_of(PRIVACY)
