"""``python docs/build_site.py``: the documentation as a site that needs no network, to be read or to be searched.

The pages are written for the repository: they link to its README, to pictures of the extension, to tests. Here they are
laid out anew, with links that lead to the same things within the site, and handed to zensical, which fails on any link
or heading that is not there.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[1]
_DOCS = _REPOSITORY / "docs"
_THEME = _DOCS / "theme"
_BROUGHT = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Pages of the repository's own folder, and what they are called here."""
_PICTURES = "vscode-extension/images/"
_ELSEWHERE = "https://unpkg.com/iframe-worker/shim"
"""What zensical loads from another host so that pages opened from the disk can search; here a file of the site."""
_LINK_OR_CODE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,}).*?^(?P=indent)(?P=fence) *$|(?P<ticks>`+)(?:(?!(?P=ticks)).)+(?P=ticks)"
    r"|(?P<mark>!?)\[(?P<label>(?:[^\[\]`]|`[^`]*`)*)\]\((?P<target>[^()\s]+)\)",
    re.MULTILINE | re.DOTALL,
)
_LISTED = re.compile(r"\]\(([^()\s#]+\.md)\)")


def build(out: Path) -> None:
    """Build the site into a new folder. Raises `subprocess.CalledProcessError` when a link is broken."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        _lay_out(place / "docs")
        settings = (_THEME / "zensical.toml").read_text(encoding="utf-8")
        (place / "zensical.toml").write_text(
            settings.replace("[project]\n", f"[project]\n{_order()}\n", 1), encoding="utf-8"
        )
        zensical = [sys.executable, "-m", "zensical", "build", "--strict"]
        subprocess.run(zensical, cwd=place, env=os.environ | {"NO_COLOR": "1"}, check=True)
        _close(place / "site")
        shutil.move(place / "site", out)


def _order() -> str:
    """The navigation: what `index.md` lists, in its order and below its own words."""
    sections: list[tuple[str, list[str]]] = []
    for line in (_DOCS / "index.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("* "):
            name = re.match(r"\* \[?([\w ]+)", line)
            sections.append((name[1] if name else line[2:], []))
        if sections:
            listed = (_there(posixpath.normpath(f"docs/{page}")) for page in _LISTED.findall(line))
            sections[-1][1].extend(page for page in listed if page is not None)
    entries = ["index.md", "readme.md"]
    for name, pages in sections:
        entries += [f"{json.dumps(name)} = {json.dumps(pages)}"] if len(pages) > 1 else pages
    entries += ["changelog.md", "security.md"]
    written = (f"{{ {entry} }}" if " = " in entry else json.dumps(entry) for entry in entries)
    return f"nav = [{', '.join(written)}]"


def _lay_out(to: Path) -> None:
    """Every page with links that hold in the site, and every picture."""
    shutil.copytree(_DOCS, to, ignore=shutil.ignore_patterns("*.py", "*.jsonl", "__pycache__", "theme"))
    (to / "pictures" / "vscode").mkdir()
    for picture in (_REPOSITORY / _PICTURES).glob("*.png"):
        shutil.copy(picture, to / "pictures" / "vscode")
    shutil.copy(_THEME / "iframe-worker.js", to)
    for name, here in _BROUGHT.items():
        shutil.copy(_REPOSITORY / name, to / here)
    known = {here: name for name, here in _BROUGHT.items()}
    for page in to.rglob("*.md"):
        here = page.relative_to(to).as_posix()
        text = page.read_text(encoding="utf-8")
        page.write_text(_led(text, here, known.get(here, f"docs/{here}")), encoding="utf-8")


def _led(text: str, here: str, own: str) -> str:
    """A page's text with its links as they are at ``here`` in the site; ``own`` is where it is in the repository.

    Of a link to a source file its words are left.
    """

    def led(match: re.Match[str]) -> str:
        target = match["target"]
        if target is None or re.match(r"[a-z]+:|#", target):
            return match[0]
        path, mark, fragment = target.partition("#")
        there = _there(posixpath.normpath(posixpath.join(posixpath.dirname(own), path)))
        if there is None:
            return match["label"]
        relative = posixpath.relpath(there, posixpath.dirname(here) or ".")
        return f"{match['mark']}[{match['label']}]({relative}{mark}{fragment})"

    return _LINK_OR_CODE.sub(led, text)


def _there(meant: str) -> str | None:
    """Where a file of the repository is in the site, ``None`` when it is not in it."""
    if meant in _BROUGHT:
        return _BROUGHT[meant]
    if meant.startswith(_PICTURES):
        return f"pictures/vscode/{posixpath.basename(meant)}"
    return meant.removeprefix("docs/") if meant.startswith("docs/") else None


def _close(site: Path) -> None:
    """Take the one script of another host from the site itself."""
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(_ELSEWHERE, f"{up}iframe-worker.js"), encoding="utf-8")


def main() -> None:
    """Build into ``--out``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=_REPOSITORY / "site", help="a folder; what is there is replaced (site)"
    )
    out = parser.parse_args().out
    shutil.rmtree(out, ignore_errors=True)
    build(out)


if __name__ == "__main__":
    main()
