"""Editors in a terminal, set up as their pages say: each key of a page's table is pressed, and the screen is read."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.availability import unavailable
from tests.lsp.editors import LEASE, editor, lease_notes, page_block, surroundings
from tests.lsp.lsp_client import wait_until
from tests.lsp.neovim import version
from tests.lsp.screens import PATIENCE, Screen, keys_of

pytestmark = pytest.mark.long
ALE = Path("/usr/share/vim-ale")
NOTE = "# Note\n\nThe lease of the workshop ends some day.\n\n?? When does the lease of the workshop end?\n"
WITHDRAWN = "contract.md: withdrawn"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return lease_notes(tmp_path / "notes")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path / "home")


@pytest.fixture
def slow(env: dict[str, str]) -> Iterator[dict[str, str]]:
    """Surroundings in which a model is asked that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        yield env | {"LENS_BASE_URL": endpoint, "LENS_MODEL": "silent"}


def changed(notes: Path) -> None:
    """The contract says something else now."""
    (notes / "house" / "contract.md").write_text("# Contract\n")


def named(variable: str, program: str) -> str:
    """An editor that a variable names, or the one of that name."""
    found = os.environ.get(variable) or shutil.which(program)
    if found is None:
        unavailable("editors-long", f"{variable} names no {program}")
    return found


def plugin(variable: str, name: str) -> Path:
    """The folder of a plugin that a variable names."""
    found = os.environ.get(variable)
    if found is None:
        unavailable(name, f"{variable} names no folder of {name}")
    return Path(found)


# --- Helix

HELIX = "helix.md"


@contextmanager
def helix(notes: Path, env: dict[str, str]) -> Iterator[Screen]:
    settings = Path(env["HOME"], ".config", "helix")
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "languages.toml").write_text(page_block(HELIX, "toml"))
    with Screen([named("LENS_HX", "hx"), "note.md"], notes, env) as screen:
        screen.sees("NOR")
        yield screen


def helix_keys(screen: Screen, deed: str) -> None:
    keys = keys_of(HELIX, deed)
    if keys.startswith(":"):
        screen.type(keys)
        screen.press("Enter")
    else:
        screen.type(keys.replace("space ", " "))


def test_helix(notes: Path, env: dict[str, str]) -> None:
    (notes / "note.md").write_text(
        "# Note\n\nThe lease of the workshop ends some day.\n\n?? When does the lease end?\n"
    )
    with helix(notes, env) as screen:
        screen.type("5gg")
        screen.until(["Escape", "Space", "a"], "^ +~? *Ask *$")  # once the server is there
        screen.press("Enter")
        screen.sees("The lease of the workshop ends on 30 June 2031")
        screen.type("3ggw")
        helix_keys(screen, "ask about a sentence")
        screen.sees("Ask about this", "Find evidence for this sentence")
        screen.press("Escape")
        helix_keys(screen, "pick among passages")
        screen.type("workshop lease")
        screen.sees("house/contract.md", LEASE)
        screen.press("Enter")
        screen.sees(r"house/contract\.md .*5:1")
        helix_keys(screen, "ask")
        screen.sees(r"answers/when-does.* 1[0-9]:1$", "^.*> The lease of the workshop ends on 30 June 2031")
        helix_keys(screen, "list the evidence of a claim")
        screen.sees(r"house/contract\.md .*5:1")  # one place: it goes there
        screen.press("C-o")
        screen.sees("answers/when-does")
        screen.type("%s\\^1\\]")  # the marks: the first of them
        screen.press("Enter")
        screen.type(",")
        helix_keys(screen, "jump to a quote")
        screen.sees(r"house/contract\.md .*5:1")
        screen.press("C-o")
        screen.sees("answers/when-does")
        helix_keys(screen, "read a quote")
        screen.sees("✓ still says so")
        screen.press("Escape")
        changed(notes)
        screen.type(":reload-all")
        screen.press("Enter")
        screen.sees("●")
        helix_keys(screen, "see what no longer holds")
        screen.sees(WITHDRAWN)


def test_helix_cancels(notes: Path, slow: dict[str, str]) -> None:
    with helix(notes, slow) as screen:
        screen.type("3gg")
        screen.until(["Escape", "Space", "a"], "^ +~? *Ask *$")
        screen.press("Escape")
        helix_keys(screen, "ask")
        helix_keys(screen, "cancel")
        screen.sees("cancelled: 1")


# --- Neovim

NEOVIM = "neovim.md"


def neovims() -> list[str]:
    """The one that is installed, and the newest that is named."""
    return list(filter(None, (shutil.which("nvim"), os.environ.get("LENS_NVIM11"))))


@contextmanager
def neovim(program: str, notes: Path, env: dict[str, str], more: str = "") -> Iterator[Screen]:
    settings = Path(env["HOME"], ".config", "nvim", "init.lua")
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(page_block(NEOVIM, "lua", number=1 if version(program) >= (0, 11) else 0) + more)
    with Screen([program, "note.md"], notes, env) as screen:
        screen.sees("# Note")
        yield screen


def vim_keys(screen: Screen, page: str, deed: str, number: int = 0) -> None:
    keys = keys_of(page, deed, number)
    screen.type(re.sub("<leader>", r"\\", keys, flags=re.IGNORECASE))
    if keys.startswith(":"):
        screen.press("Enter")


def vim_line(screen: Screen, command: str) -> None:
    screen.press("Escape")
    screen.type(f":{command}")
    screen.press("Enter")


@pytest.mark.parametrize("program", neovims() or ["nvim"], ids=os.path.basename)
def test_neovim(notes: Path, env: dict[str, str], program: str) -> None:
    if shutil.which(program) is None:
        unavailable("editors", "nvim is not installed")
    (notes / "note.md").write_text(NOTE)
    with neovim(program, notes, env) as screen:
        screen.type("5G")
        screen.until(["Escape", "\\", "a"], "1[.:] Ask")
        screen.type("1")
        screen.press("Enter")
        screen.sees("The lease of the workshop ends on 30 June 2031")
        vim_line(screen, "write")
        screen.type("3G4w")
        vim_keys(screen, NEOVIM, "ask about a sentence")
        screen.sees("Ask about this", "Find evidence for this sentence")
        screen.press("Escape", "Enter")
        vim_keys(screen, NEOVIM, "ask")
        screen.sees("answer/2", "# When does the lease")
        screen.type("/^# When")
        screen.press("Enter")
        vim_keys(screen, NEOVIM, "list the evidence of a claim")
        screen.sees(r"contract\.md\|5 col 1")
        vim_line(screen, "cclose")
        screen.type("/\\[^q")
        screen.press("Enter")
        vim_keys(screen, NEOVIM, "read a quote")
        screen.sees("✓ still says so")
        vim_keys(screen, NEOVIM, "jump to a quote")
        screen.sees("^## Term")
        vim_line(screen, "bdelete")
        changed(notes)
        screen.sees("W:?1|W ")
        screen.press("Escape")
        vim_keys(screen, NEOVIM, "see what no longer holds")
        screen.sees(WITHDRAWN)


@pytest.mark.parametrize("program", neovims() or ["nvim"], ids=os.path.basename)
def test_neovim_picks_and_cancels(notes: Path, slow: dict[str, str], program: str) -> None:
    with neovim(program, notes, slow) as screen:
        screen.type("3G")
        screen.until(["Escape", "\\", "a"], "1[.:] Ask")
        screen.press("Escape", "Enter")
        vim_keys(screen, NEOVIM, "pick among passages")
        screen.sees(r"contract\.md\|5 col 1.*The lease of the workshop")
        vim_line(screen, "cclose")
        vim_keys(screen, NEOVIM, "ask")
        vim_keys(screen, NEOVIM, "cancel")
        screen.sees("cancelled: 1")
        vim_line(screen, r"set grepprg=lens\ find\ --quiet\ --format\ grep grepformat=%f:%l:%c:%m")
        vim_line(screen, 'grep "lease of the workshop"')
        screen.press("Enter")
        vim_line(screen, "copen")
        screen.sees(r"contract\.md\|5 col 1")


def test_neovim_picks_in_telescope(notes: Path, env: dict[str, str]) -> None:
    plugins = plugin("LENS_TELESCOPE", "telescope.nvim"), plugin("LENS_PLENARY", "plenary.nvim")
    paths = "".join(f"vim.opt.runtimepath:append({json.dumps(str(each))})\n" for each in plugins)
    with neovim(named("LENS_NVIM11", "nvim"), notes, env, paths) as screen:
        screen.type("3G")
        screen.until(["Escape", "\\", "a"], "1[.:] Ask")
        screen.press("Escape", "Enter")
        screen.type(keys_of(NEOVIM, "pick among passages", nth=1))
        screen.press("Enter")
        screen.sees("LSP Dynamic Workspace Symbols")
        screen.type("lease of the workshop")
        screen.sees(r"house/contract\.md +The lease of the", LEASE)  # the list, and what stands there
        screen.press("Enter")
        screen.sees("^## Term", "5,1")


# --- Emacs

EMACS = "emacs.md"
QUIET = "(setq native-comp-async-report-warnings-errors nil)\n"


@contextmanager
def emacs(notes: Path, env: dict[str, str]) -> Iterator[Screen]:
    init = Path(env["HOME"], "init.el")
    init.write_text(QUIET + page_block(EMACS, "elisp"))
    with Screen([editor("emacs"), "-nw", "-q", "-l", str(init), "note.md"], notes, env) as screen:
        screen.sees(r"\[eglot:notes")
        yield screen


def emacs_keys(screen: Screen, deed: str) -> None:
    command, *keys = keys_of(EMACS, deed).replace("M-x ", "M-x:").split()
    for key in (command, *keys):
        press, _, name = key.partition(":")
        screen.press(press)
        if name:
            screen.sees("M-x")
            screen.type(name)
            screen.press("Enter")


def emacs_to(screen: Screen, words: str) -> None:
    screen.press("M-<", "C-s")
    screen.sees("I-search")
    screen.type(words)
    screen.sees(f"I-search: {re.escape(words)}")
    screen.press("Enter")


def test_emacs(notes: Path, env: dict[str, str]) -> None:
    (notes / "note.md").write_text(NOTE)
    with emacs(notes, env) as screen:
        emacs_to(screen, "?? When")
        emacs_keys(screen, "ask in a note")
        screen.sees(r"Pick an action \(default Ask\)")
        screen.press("Enter")
        screen.sees(r"Proceed\? \(y or n\)")
        screen.type("y")
        screen.sees("^> The lease of the workshop ends on 30 June 2031")
        emacs_to(screen, "some day")
        emacs_keys(screen, "ask about a sentence")
        screen.sees(r"Pick an action \(default Ask about this\)")
        screen.press("C-g")
        screen.does_not_see("Pick an action")
        emacs_keys(screen, "ask")
        screen.sees("^Ask:")
        screen.type("When does the lease of the workshop end?")
        screen.press("Enter")
        screen.sees("answer/2", "^# When does the lease")
        emacs_keys(screen, "pick among passages")
        screen.sees("Search for pattern")
        screen.type("lease of the workshop")
        screen.press("Enter")
        screen.sees(r"house/contract\.md", "5: The lease of the workshop ends")
        screen.type("q")
        screen.does_not_see("XREF")
        emacs_to(screen, "# When")
        emacs_keys(screen, "list the evidence of a claim")
        screen.sees("XREF", r"house/contract\.md", "5: The lease of the workshop ends")
        screen.type("q")
        screen.does_not_see("XREF")
        emacs_to(screen, "[^q")
        emacs_keys(screen, "read a quote")
        screen.sees("still says so")
        emacs_keys(screen, "jump to a quote, and back")
        screen.sees("^## Term", "contract.md +All L5")
        screen.press("M-,")
        screen.sees("answer/2")
        screen.press("C-x", "k")
        screen.sees("Kill buffer")
        screen.type("contract.md")
        screen.press("Enter")
        screen.does_not_see("Kill buffer")
        changed(notes)
        emacs_keys(screen, "see what no longer holds")
        screen.sees("Flymake diagnostics", r"warning .* lens \[lens\.citation-drifted\]")


def test_emacs_cancels(notes: Path, slow: dict[str, str]) -> None:
    with emacs(notes, slow) as screen:
        emacs_to(screen, "?? When")
        emacs_keys(screen, "ask in a note")
        screen.sees(r"Pick an action \(default Ask\)")
        screen.press("C-g")
        screen.does_not_see("Pick an action")
        emacs_keys(screen, "ask")
        screen.sees("^Ask:")
        screen.type("When does the lease of the workshop end?")
        screen.press("Enter")
        screen.until(["C-g"], "Quit")
        screen.press("M-x")
        screen.sees("M-x")
        screen.type("lens-cancel")
        screen.press("Enter")
        screen.sees("cancelled: 1|no question runs")


# --- Vim

VIM = "vim.md"


@contextmanager
def vim(notes: Path, env: dict[str, str], plugins: list[Path], number: int) -> Iterator[Screen]:
    settings = Path(env["HOME"], "vimrc")
    paths = "".join(f"set runtimepath+={each}\n" for each in plugins)
    settings.write_text(f"set nocompatible\n{paths}filetype plugin on\n{page_block(VIM, 'vim', number=number)}")
    with Screen([editor("vim"), "-u", str(settings), "-i", "NONE", "-n", "note.md"], notes, env) as screen:
        screen.sees("# Note")
        yield screen


def test_vim_with_vim_lsp(notes: Path, env: dict[str, str]) -> None:
    (notes / "note.md").write_text(NOTE)
    with vim(notes, env, [plugin("LENS_VIM_LSP", "vim-lsp")], 0) as screen:
        screen.type("5G")
        screen.until(["Escape", "\\", "a"], r"\[lens\] Ask \(")
        screen.press("Enter")
        screen.sees("The lease of the workshop ends on 30 June 2031")
        vim_line(screen, "write")
        screen.type("3G4w")
        vim_keys(screen, VIM, "ask about a sentence")
        screen.sees("Ask about this", "Find evidence for this sentence")
        screen.press("Escape", "Escape")
        screen.does_not_see("quickpick")
        vim_keys(screen, VIM, "ask")
        screen.sees("answer/2", "# When does the lease")
        vim_keys(screen, VIM, "list the evidence of a claim")
        screen.sees(r"contract\.md\|5 col 1|^## Term")
        vim_line(screen, "cclose")
        vim_line(screen, "edit .lens/answers/when*")
        screen.type("/\\[^q")
        screen.press("Enter")
        vim_keys(screen, VIM, "read a quote")
        screen.sees("✓ still says so")
        vim_keys(screen, VIM, "jump to a quote")
        screen.sees("^## Term")
        vim_line(screen, "bwipeout")
        vim_line(screen, "edit .lens/answers/when*")
        changed(notes)
        keys = keys_of(VIM, "see what no longer holds")
        screen.until(["Escape", *keys.replace(" ", ""), "Enter"], WITHDRAWN)


def test_vim_with_vim_lsp_picks_and_cancels(notes: Path, slow: dict[str, str]) -> None:
    with vim(notes, slow, [plugin("LENS_VIM_LSP", "vim-lsp")], 0) as screen:
        screen.type("3G")
        screen.until(["Escape", "\\", "a"], r"\[lens\] Ask \(")
        screen.press("Escape", "Escape")
        screen.does_not_see("quickpick")
        vim_keys(screen, VIM, "pick among passages")
        screen.sees(r"contract\.md\|5 col 1.*The lease of the workshop")
        vim_line(screen, "cclose")
        vim_keys(screen, VIM, "ask")
        vim_keys(screen, VIM, "cancel")
        screen.sees("cancelled: 1")


def test_vim_with_ale(notes: Path, env: dict[str, str]) -> None:
    if not ALE.exists():
        unavailable("editors", "ALE is not installed")
    (notes / "note.md").write_text(NOTE)
    with vim(notes, env, [ALE], 1) as screen:
        screen.type("5G")
        screen.until(["Escape", "\\", "a"], r"1[:.)] Ask")
        screen.type("1")
        screen.press("Enter")
        assert wait_until(lambda: any(notes.glob("answers/when-does*.md")), PATIENCE)
        screen.until(["Escape", "\\", "a"], r"1[:.)] Put the answer here")
        screen.type("1")
        screen.press("Enter")
        screen.sees("The lease of the workshop ends on 30 June 2031")
        vim_line(screen, "write")
        screen.type("3G4w")
        vim_keys(screen, VIM, "ask about a sentence", 1)
        screen.sees(r"1[:.)] Ask about this", r"2[:.)] Find evidence for this sentence")
        screen.press("Enter")
        vim_keys(screen, VIM, "pick among passages", 1)
        screen.sees(r"contract\.md:5")
        vim_line(screen, "pclose")
        vim_line(screen, "only")
        vim_line(screen, f"edit {next(notes.glob('answers/when-does-the-*')).relative_to(notes)}")
        screen.type("/^# When")
        screen.press("Enter")
        vim_keys(screen, VIM, "list the evidence of a claim", 1)
        screen.sees(r"\(1 of 1\)", "^## Term")  # the list, and its one place
