"""One command makes a release: the same bytes from the same sources, and bills that name all that comes along."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lens_lsp import __version__
from tests.availability import unavailable
from tests.conftest import REPOSITORY
from tests.release.released import TIME, made, release, tools
from tests.release.test_locks import LOCKS, locked

EXTENSION = REPOSITORY / "vscode-extension"
PAGE = REPOSITORY / "lens_lsp" / "desktop" / "page"
NOT_SOURCES = shutil.ignore_patterns(
    *(".git", ".venv", "node_modules", "vscode-extension", "__pycache__", "runs", "dist", "build", "site"),
    *(".*_cache", ".hypothesis", "*.egg-info"),
)
WHEEL = f"lens_lsp-{__version__}-py3-none-any.whl"
SOURCES = f"lens_lsp-{__version__}.tar.gz"


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheel and sources, built from this tree."""
    out = tmp_path_factory.mktemp("release") / "dist"
    made("build", "--only", "python", "--out", str(out))
    return out


def test_another_copy_of_the_tree_gives_the_same_bytes_and_a_changed_one_does_not(python: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(REPOSITORY, copy, ignore=NOT_SOURCES, copy_function=shutil.copy)
    made("build", "--only", "python", "--out", str(tmp_path / "again"), tree=copy)
    assert set(digests(python)) == {WHEEL, SOURCES, "SHA256SUMS"}
    assert digests(tmp_path / "again") == digests(python)
    with (copy / "lens_lsp" / "lens.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    made("build", "--only", "python", "--out", str(tmp_path / "changed"), tree=copy)
    assert [name for name, sum_ in digests(tmp_path / "changed").items() if sum_ == digests(python)[name]] == []


def test_the_wheel_can_be_built_from_the_source_distribution(python: Path, tmp_path: Path) -> None:
    with tarfile.open(python / SOURCES) as sources:
        sources.extractall(tmp_path, filter="data")
    made("build", "--only", "python", "--out", str(tmp_path / "dist"), tree=tmp_path / SOURCES.removesuffix(".tar.gz"))
    assert digests(tmp_path / "dist")[WHEEL] == digests(python)[WHEEL]


def test_a_slim_wheel_leaves_the_measurements_out(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENS_SLIM", "1")
    made("build", "--only", "python", "--out", str(tmp_path / "slim"))
    whole, slim = (set(zipfile.ZipFile(folder / WHEEL).namelist()) for folder in (python, tmp_path / "slim"))
    assert {name for name in whole - slim if not name.startswith("evaluation/")} == set()
    assert "evaluation/command.py" in whole - slim
    assert {name for name in whole if "__pycache__" in name} == set()


def test_the_sums_are_those_of_the_files(python: Path) -> None:
    lines = (python / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    told = {name: sum_ for sum_, name in (line.split("  ") for line in lines)}
    assert told == {name: sum_ for name, sum_ in digests(python).items() if name != "SHA256SUMS"}


def test_nothing_is_mixed_with_an_older_release(python: Path) -> None:
    outcome = release("build", "--only", "python", "--out", str(python))
    assert outcome.returncode == 1
    assert f"{python} is not empty" in outcome.stderr


def bill(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(path.read_bytes())
    assert (read["bomFormat"], read["specVersion"]) == ("CycloneDX", "1.6")
    assert read["metadata"]["component"]["version"] == __version__
    assert not re.search(r"(?:/home/|/root/|/tmp/|[A-Z]:\\\\)", path.read_text(encoding="utf-8")), (
        "a path of this machine"
    )
    return read


def test_a_bill_names_all_that_a_lock_has_with_its_hashes_and_is_the_same_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools()
    from release.bills import bill_of_lock

    monkeypatch.setenv("SOURCE_DATE_EPOCH", TIME)
    for name in ("first", "second"):
        bill_of_lock(LOCKS / "build.txt", tmp_path / name, __version__)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    expected = {
        (requirement.name, next(iter(requirement.specifier)).version): set(hashes)
        for requirement, hashes in locked((LOCKS / "build.txt").read_text(encoding="utf-8"))
    }
    told: dict[tuple[str, str], set[str]] = {}
    for component in bill(tmp_path / "first")["components"]:
        hashes = {sum_["content"] for each in component["externalReferences"] for sum_ in each.get("hashes", [])}
        told[component["name"], component["version"]] = hashes
    assert told == expected


def test_every_extra_that_users_install_has_a_bill() -> None:
    from release.bills import TOLD

    assert {path.stem for path in LOCKS.glob("*.txt")} - {*TOLD, "runtime"} == {
        *("build", "docs", "local-model", "proving", "release", "test", "training"),
    }


def packages(notices: Path) -> set[str]:
    """The packages whose licences are shipped beside a bundle: each with name and version, then a rule."""
    texts = re.split(r"^-{80}$", notices.read_text(encoding="utf-8"), flags=re.MULTILINE)
    firsts = (text.strip().partition("\n")[0] for text in texts)
    return {first for first in firsts if re.fullmatch(r"\S+ \d+\.\d+\.\d+\S*", first)}


def bundled(component: dict[str, Any]) -> str:
    group = f"{component['group']}/" if component.get("group") else ""
    return f"{group}{component['name']} {component['version']}"


def test_the_extension_is_the_same_each_time_and_bills_name_what_is_bundled(python: Path, tmp_path: Path) -> None:
    if not all((folder / "node_modules").is_dir() for folder in (EXTENSION, PAGE)):
        unavailable("browser", "npm ci was not run in vscode-extension and lens_lsp/desktop/page")
    tools()
    from release.artefacts import build_extension
    from release.bills import extension_bills, page_bill

    made_twice: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", TIME)
        for name in ("first", "second"):
            (tmp_path / name).mkdir()
            made_twice.append(build_extension(tmp_path / name, python / WHEEL).read_bytes())
        bills: tuple[Callable[[Path, str, str], None], ...] = (extension_bills, page_bill)
        for write in bills:
            write(tmp_path, "lens", __version__)
    assert made_twice[0] == made_twice[1]
    for name, notices in {
        "lens.cdx.json": EXTENSION / "dist" / "ThirdPartyNotices.txt",
        "lens-page.cdx.json": REPOSITORY / "lens_lsp" / "desktop" / "static" / "ThirdPartyNotices.txt",
    }.items():
        components = bill(tmp_path / name)["components"]
        assert {bundled(component) for component in components} == packages(notices)
        assert all(component["licenses"] for component in components)
    assert len(bill(tmp_path / "lens-server.cdx.json")["components"]) > 20
