"""What the page on installing says, in a clean environment without a network: install, ask, serve, upgrade, remove."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from tests.conftest import REPOSITORY
from tests.docs.documentation import DOCS, blocks, command_lines, table_rows
from tests.lsp.lsp_client import LspProcess
from tests.release.released import PATIENCE, made, tools

PAGE = DOCS / "how-to" / "install.md"
HOUSE = "python -m release wheelhouse --extra documents"
LINES = [line for block in blocks(PAGE) for line in command_lines(block)]
STORES = REPOSITORY / "tests" / "fixtures" / "stores"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheelhouse, made as the page says, and the notes that it asks."""
    if os.name == "nt":
        pytest.skip("the commands of the page are for Linux and macOS")
    assert HOUSE in LINES
    place = tmp_path_factory.mktemp("offline")
    made(*HOUSE.split()[3:], "--out", str(place / "wheelhouse"))
    (place / "notes").mkdir()
    (place / "notes" / "contract.md").write_text("# Contract\n\nThe lease of the workshop ends on 30 June 2031.\n")
    programs = place / "programs"
    programs.mkdir()
    for name, command in {"python3": "", "uv": "-m uv", "pipx": "-m pipx"}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n')
        (programs / name).chmod(0o755)
    return place


def environment(place: Path, home: Path) -> dict[str, str]:
    """An empty home, the system's programs and ours, and a network that refuses everything."""
    home.mkdir(exist_ok=True)
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    return nowhere | {
        "HOME": str(home),
        "PATH": f"{place / 'programs'}:{os.defpath}:/usr/local/bin",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_CONFIG": "1",
        "LANG": "C.UTF-8",
    }


def typed(line: str, place: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Type a line there, whatever comes of it."""
    return subprocess.run(
        ["sh", "-ec", line],
        cwd=place,
        env=environment(place, home),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


def done(line: str, place: Path, home: Path) -> str:
    """Type a line of the page that must work; what it printed."""
    assert line in LINES, f"the page does not say: {line}"
    outcome = typed(line, place, home)
    assert outcome.returncode == 0, f"{line}\n{outcome.stdout}\n{outcome.stderr}"
    return outcome.stdout


def starting(text: str) -> list[str]:
    """The lines of the page that begin so, in order."""
    return [line for line in LINES if line.startswith(text)]


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_clean_environment_installs_asks_serves_upgrades_and_leaves_only_its_store(place: Path) -> None:
    home = place / "home"
    (check,) = starting("(cd wheelhouse")
    (create,) = starting("python3 -m venv")
    install, upgrade, uninstall = starting("~/lens/bin/pip")
    (ask,) = starting("~/lens/bin/lens ask")
    for line in (check, create, install):
        done(line, place, home)
    assert "The lease of the workshop ends on 30 June 2031. [1]" in done(ask, place, home)
    serves(home / "lens" / "bin" / "lens", place, home)
    stores_of_every_version_are_read(place, home)
    done(upgrade, place, home)
    assert "used again 0 times" in typed("~/lens/bin/lens clusters list --path notes", place, home).stdout
    done(uninstall, place, home)
    left = below(home)
    assert {name for name in left if "lens_lsp" in name or name in ("lens/bin/lens", "lens/bin/lens-lsp")} == set()
    (data,) = {
        cells[1].strip("`").removeprefix("~/") for cells in table_rows(PAGE, "## Remove") if "stores" in cells[0]
    }
    kept = {name for name in left if not name.startswith("lens/")}
    assert any(name.endswith("/knowledge.db") for name in kept)
    assert {name for name in kept if not name.startswith(f"{data}/")} == set()


def serves(program: Path, place: Path, home: Path) -> None:
    """A server starts, says which it is, and ends when it is told to."""
    with LspProcess(environment(place, home), (str(program), "serve"), cwd=place) as server:
        begun = server.result("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, PATIENCE)
        assert begun["serverInfo"]["name"] == "lens"
        assert server.leave() == 0


def stores_of_every_version_are_read(place: Path, home: Path) -> None:
    for store in STORES.iterdir():
        folder = place / f"store-{store.stem}"
        folder.mkdir()
        shutil.copy(store, folder / "knowledge.db")
        outcome = typed(f"~/lens/bin/lens clusters list --store {folder}", place, home)
        assert "When does the lease of the workshop end?" in outcome.stdout, outcome.stderr


@pytest.mark.parametrize("tool", ["pipx", "uv tool"])
def test_a_tool_installs_the_wheel_and_removes_it(place: Path, tool: str) -> None:
    tools()
    home = place / tool.replace(" ", "-")
    (install,) = starting(f"{tool} install")
    (remove,) = starting(f"{tool} uninstall")
    done(install, place, home)
    asked = typed('~/.local/bin/lens ask "When does the lease of the workshop end?" notes', place, home)
    assert "[1] notes/contract.md:3:1" in asked.stdout, asked.stderr
    done(remove, place, home)
    assert not list((home / ".local" / "bin").glob("lens*"))


def test_nothing_was_reached_that_is_not_in_the_wheelhouse(place: Path, tmp_path: Path) -> None:
    """The control: there is no index in this environment, and a wheel that is missing is missed."""
    tools()
    home, lone = tmp_path / "home", tmp_path / "lone"
    lone.mkdir()
    for wheel in (place / "wheelhouse").glob("lens_lsp-*.whl"):
        shutil.copy(wheel, lone)
    unreached = typed("UV_HTTP_RETRIES=0 uv tool install --find-links wheelhouse hatchling", place, home)
    assert "127.0.0.1" in unreached.stderr or "Failed to fetch" in unreached.stderr, unreached.stderr
    missed = typed(f"uv tool install --no-index --find-links {lone} lens-lsp", place, home)
    assert "No solution found" in missed.stderr, missed.stderr


def test_the_page_names_the_folders_that_are_used() -> None:
    rows = {
        cells[0].partition(",")[0]: [cell.strip("`") for cell in cells[1:]] for cells in table_rows(PAGE, "## Remove")
    }
    for column, folders in enumerate((Unix("lens-lsp"), MacOS("lens-lsp"))):
        named = [
            os.path.expanduser(rows[what][column])
            for what in ("stores and answers", "your settings", "texts of documents")
        ]
        assert named == [folders.user_data_dir, folders.user_config_dir, folders.user_cache_dir]
