"""The folders that our questions are about, brought below one folder: from the data's own archives, the package index,
Debian's archive and public repositories. What cannot be had is left out, and so are its questions."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

ARCHIVES = ("rust-book", "rust-rfcs", "cpp-docs", "tldr-en")
"""``workspaces/NAME.tar.xz`` of the data. MIT or Apache-2.0, CC BY 4.0."""

SDISTS = {
    "django==5.2.19": {"django-docs": "docs"},
    "pip==26.3": {"guides/pip": "docs/html"},
    "pytest==9.2.0": {"guides/pytest": "doc/en"},
}
"""Source distributions, and which of their folders become which of ours. BSD-3-Clause, MIT, MIT."""

WIKI = "Trac==1.6"
"""BSD-3-Clause; the pages of its manual become ``trac-wiki``."""

PYTHON_DOCS = "python3.11-doc"
"""A Debian package (PSF-2.0): the sources of Python's documentation become ``python-docs``."""

REPOSITORIES = {
    "govuk": ("alphagov/govuk-developer-docs", "972d1b4410ffd165f2f3e889eda30bcf7d1cc6b3"),
    "handbook-sg": ("sourcegraph/handbook", "5752928b213a3ddbc7cee4459524f404a5b96fb4"),
    "k8s-community": ("kubernetes/community", "24e7d8f5409c1a0121394a613746e524f781e044"),
    "recipes": ("LukeSmithxyz/based.cooking", "2d8642ec41ccc6162ec3123c15024dd3d22cc33b"),
    "swift": ("swiftlang/swift-evolution", "0105e139a22938561c700cfbb89ddc3ebe402f0c"),
}
"""Public repositories on GitHub. MIT and OGL 3.0, Apache-2.0, Apache-2.0, Unlicense, Apache-2.0."""

BOOKS = {
    "complete-angler": ("The-Complete-Angler-1653_9198", "9198-8.txt"),
    "how-to-listen-to-music": (
        "How-to-Listen-to-Music-7th-ed.Hints-and-Suggestions-to-Untaught-Lovers-of-the-Art_17474",
        "17474-8.txt",
    ),
    "american-adventures": ("American-AdventuresA-Second-Trip-Abroad-at-home-_18304", "18304-8.txt"),
    "dickens-and-music": ("Charles-Dickens-and-Music_16595", "16595-8.txt"),
}
"""Repositories of GITenberg, and the file of each; Latin-1, in the public domain."""

_TEXTS = {".md", ".txt", ".rst", ".org", ".erb"}


def bring(data: Path, out: Path) -> dict[str, str]:
    """Bring the folders that are not there yet; by name, why one could not be had."""
    out.mkdir(parents=True, exist_ok=True)
    steps: list[tuple[str, Callable[[Path], None]]] = [
        *((name, lambda to, name=name: _archive(data, name, to)) for name in ARCHIVES),
        *((ours, lambda to, r=r, f=f: _sdist(r, f, to)) for r, of in SDISTS.items() for ours, f in of.items()),
        ("trac-wiki", _wiki),
        ("python-docs", _python_docs),
        *((name, lambda to, where=where: _repository(*where, to)) for name, where in REPOSITORIES.items()),
        ("books", _books),
    ]
    failed = {}
    for name, step in steps:
        if (out / name).exists():
            continue
        print(f"bringing {name}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=out) as scratch:
            try:
                step(Path(scratch, "it"))
            except (OSError, subprocess.CalledProcessError, tarfile.TarError) as error:
                failed[name] = str(error)
                continue
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            Path(scratch, "it").rename(out / name)
    return failed


def _archive(data: Path, name: str, to: Path) -> None:
    with tarfile.open(data / "workspaces" / f"{name}.tar.xz") as packed:
        packed.extractall(to.parent, filter="data")
    (to.parent / name).rename(to)


def _unpacked(requirement: str, scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", requirement]
    subprocess.run([*command, "--dest", str(scratch)], check=True)
    (packed,) = scratch.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(scratch / "sdist", filter="data")
    (only,) = (scratch / "sdist").iterdir()
    return only


def _sdist(requirement: str, folder: str, to: Path) -> None:
    shutil.copytree(_unpacked(requirement, to.parent) / folder, to)


def _wiki(to: Path) -> None:
    to.mkdir()
    for page in sorted(_unpacked(WIKI, to.parent).rglob("default-pages/*")):
        shutil.copy(page, to)


def _python_docs(to: Path) -> None:
    subprocess.run(["apt-get", "download", "-qq", PYTHON_DOCS], check=True, cwd=to.parent)
    (package,) = to.parent.glob("*.deb")
    subprocess.run(["dpkg", "-x", str(package), str(to.parent / "deb")], check=True)
    shutil.copytree(to.parent / "deb/usr/share/doc/python3.11/html/_sources", to)


def _repository(name: str, commit: str, to: Path) -> None:
    address = f"https://github.com/{name}"
    subprocess.run(["git", "init", "--quiet", str(to)], check=True)
    subprocess.run(["git", "-C", str(to), "fetch", "--quiet", "--depth", "1", address, commit], check=True)
    subprocess.run(["git", "-C", str(to), "checkout", "--quiet", "FETCH_HEAD"], check=True)
    shutil.rmtree(to / ".git")
    for file in to.rglob("*"):
        if file.is_file() and file.suffix not in _TEXTS:
            file.unlink()


def _books(to: Path) -> None:
    to.mkdir()
    for name, (repository, file) in BOOKS.items():
        _repository(f"GITenberg/{repository}", "HEAD", to.parent / name)
        text = (to.parent / name / file).read_bytes().decode("latin-1")
        (to / f"{name}.txt").write_bytes(text.encode("utf-8"))
