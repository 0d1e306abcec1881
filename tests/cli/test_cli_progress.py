from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lens_process import on_a_terminal

SEARCH = """
import sys
from lens_lsp.cli.terminal import ProgressBar
bar = ProgressBar(shown=sys.argv[1] == "shown", patience=float(sys.argv[2]))
bar.update("scan", 3, 70)
bar.update("unheard-of", 1, None)
bar.close()
bar.update("scan", 70, 70)
print("done")
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_long_search_shows_a_bar_and_clears_it(tmp_path: Path, environment: dict[str, str]) -> None:
    status, shown = on_a_terminal(
        ["-c", SEARCH, "shown", "0"], tmp_path, environment | {"TERM": "xterm", "COLUMNS": "100"}
    )
    text = shown.decode("utf-8")
    assert status == 0
    assert "70/70" not in text, "progress after the end"
    assert "\x1b[2K" in text, "the bar was not cleared"
    assert "Scanning" in text
    assert "3/70" in text
    assert text.endswith("\r\x1b[2Kdone\r\n")


@pytest.mark.parametrize("arguments", [["shown", "3600"], ["hidden", "0"]])
def test_a_short_or_silent_search_shows_none(environment: dict[str, str], arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("done\n", "")
