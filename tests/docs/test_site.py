"""The documentation as a site: built strictly, whole, with its pictures, and searched without a network."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from documentation import DOCS, PAGES, REPOSITORY

from tests.availability import unavailable

SCRIPT = DOCS / "build_site.py"
IMAGES = REPOSITORY / "vscode-extension" / "images"
MODULES = REPOSITORY / "lens_lsp" / "desktop" / "page"
BROWSER = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PATIENCE = 900


class Html(HTMLParser):
    """What a page links to, what it loads, and the fragments it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "modulepreload"):
            self.loads.append(given["href"])
        elif "src" in given:
            self.loads.append(given["src"])


def build(script: Path, out: Path) -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec("zensical") is None:
        unavailable("site", "the extra `docs` is not installed: there is no zensical")
    command = [sys.executable, str(script), "--out", str(out)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("documentation") / "site"
    outcome = build(SCRIPT, out)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return out


def test_every_page_is_there_and_reached_from_every_other(site: Path) -> None:
    built = {page.relative_to(site).as_posix() for page in site.rglob("*.html")} - {"404.html"}
    outside = {
        "README.md": "readme.html",
        "CONTRIBUTING.md": "contributing.html",
        "CHANGELOG.md": "changelog.html",
        "SECURITY.md": "security.html",
    }
    pages = {
        page.relative_to(DOCS).with_suffix(".html").as_posix() if page.is_relative_to(DOCS) else outside[page.name]
        for page in PAGES
    }
    assert built == pages
    for page in (site / "index.html", site / "how-to" / "vscode.html"):
        reached = {(page.parent / link.partition("#")[0]).resolve() for link in Html(page).links if ":" not in link}
        assert {(site / name).resolve() for name in pages} <= reached | {page.resolve()}


def test_every_link_and_picture_leads_to_a_file_and_a_heading_of_the_site(site: Path) -> None:
    pages = {page.resolve(): Html(page) for page in site.rglob("*.html") if page.name != "404.html"}
    broken: list[str] = []
    for page, html in pages.items():
        for link in (*html.links, *html.loads):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, fragment = link.partition("#")
            target = (page.parent / unquote(path.partition("?")[0])).resolve() if path else page
            if not target.is_file() or (fragment and target in pages and unquote(fragment) not in pages[target].ids):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert broken == []


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    loads = {load for page in site.rglob("*.html") for load in Html(page).loads}
    assert len(loads) > 10
    assert [load for load in loads if re.match(r"(?:[a-z]+:)?//", load)] == []


def test_the_pictures_are_those_that_the_extension_s_stories_took(site: Path) -> None:
    shown = {load for load in Html(site / "how-to" / "vscode.html").loads if "/pictures/vscode/" in load}
    assert len(shown) >= 4
    for picture in shown:
        assert (site / "how-to" / picture).read_bytes() == (IMAGES / Path(picture).name).read_bytes()


def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    """The control: the same script on a few pages, first whole, then with a link to a heading that is not there."""
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        (tmp_path / name).write_text("# Outside\n", encoding="utf-8")
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "docs")
    shutil.copytree(DOCS / "theme", tmp_path / "docs" / "theme")
    index, page = tmp_path / "docs" / "index.md", tmp_path / "docs" / "page.md"
    index.write_text("# Index\n\n* [Page](page.md): a page\n", encoding="utf-8")
    page.write_text("# Page\n\n[back](index.md), [out](../README.md), [source](../tests/x.py)\n", encoding="utf-8")
    whole = build(tmp_path / "docs" / "build_site.py", tmp_path / "whole")
    assert whole.returncode == 0, whole.stdout + whole.stderr
    for link in ("index.md#nowhere", "nowhere.md"):
        page.write_text(f"# Page\n\n[broken]({link})\n", encoding="utf-8")
        broken = build(tmp_path / "docs" / "build_site.py", tmp_path / "broken")
        assert broken.returncode != 0
        assert "page.md:3" in broken.stdout + broken.stderr


def searched(page: Path, word: str) -> dict[str, Any]:
    if not ((MODULES / "node_modules" / "playwright-core").is_dir() and Path(BROWSER).exists()):
        unavailable("browser", "there is no Chromium, or npm ci was not run in lens_lsp/desktop/page")
    script = DOCS.parent / "tests" / "docs" / "search_site.mjs"
    outcome = subprocess.run(
        ["node", str(script), str(MODULES), BROWSER, str(page), word],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    found: dict[str, Any] = json.loads(outcome.stdout)
    return found


def test_the_search_works_from_the_disk_without_a_network(site: Path) -> None:
    found = searched(site / "how-to" / "vscode.html", "keyring")
    assert any(title.startswith("What is kept here\nExplanation\nPrivacy") for title in found["titles"])
    assert found["elsewhere"] == []
    nothing = searched(site / "how-to" / "vscode.html", "qzxvyy")
    assert (nothing["count"], nothing["titles"]) == ("No results", [])
