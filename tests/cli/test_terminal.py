"""The terminal: no text can drive it, colours follow the usual variables, a progress bar leaves nothing behind."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lens_process import on_a_terminal

from lens_lsp.cli.terminal import coloured, printable, printable_path, sanitize_json

HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs"]),
        st.sampled_from("\x1b\x9b\x07\x00\r\n\t\x0b\x0c\x7f\x85[]0;m\u202e\u2066\u200f\u2028\U000e0041"),
    )
)

DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def drives_a_terminal(char: str) -> bool:
    control = unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t"
    return control or unicodedata.bidirectional(char) in DIRECTIONS


@given(HOSTILE)
def test_no_text_can_drive_a_terminal(text: str) -> None:
    assert not [char for char in printable(text) if drives_a_terminal(char)]


@given(HOSTILE)
def test_a_path_is_one_line_and_inert(path: str) -> None:
    shown = printable_path(path)
    assert not [char for char in shown if drives_a_terminal(char) or char in "\n\t"]


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert printable(text) == text
    assert printable_path(text) == text


@given(HOSTILE)
def test_inert_json_keeps_its_value(text: str) -> None:
    shown = sanitize_json(json.dumps({"quote": text}, ensure_ascii=False))
    assert not [char for char in shown if drives_a_terminal(char)]
    shown.encode("utf-8")
    expected = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    assert json.loads(shown) == {"quote": expected}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b1;31mred", "red"),
        ("\x1b]0;owned\x07title", "]0;ownedtitle"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "]8;;https://example.org\\link]8;;\\"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("page\x0cbreak", "page break"),
        ("user\u202etxt.exe", "usertxt.exe"),
        ("emoji 👩\u200d🚀", "emoji 👩\u200d🚀"),
    ],
)
def test_escape_sequences_are_taken_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("two\nlines.md", r"two\nlines.md"),
        ("\x1b[31m.md", r"\x1b[31m.md"),
        ("x\u202efdp.md", r"x\u202efdp.md"),
        ("caf\udce9.md", "caf\ufffd.md"),
        ("with space.md", "with space.md"),
    ],
)
def test_a_path_shows_what_would_be_invisible(path: str, shown: str) -> None:
    assert printable_path(path) == shown


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "on_screen", "on_pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"CLICOLOR": "0"}, False, False),
        ({"CLICOLOR_FORCE": "1", "TERM": "dumb"}, True, True),
    ],
)
def test_colours_follow_the_usual_variables(environment: dict[str, str], on_screen: bool, on_pipe: bool) -> None:
    assert coloured(Screen(), environment) is on_screen
    assert coloured(io.StringIO(), environment) is on_pipe


def test_a_closed_stream_is_not_coloured() -> None:
    assert not coloured(None, {})


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
