"""What people install: wheel, source distribution and extension; the same bytes from the same sources."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from release.running import EXTENSION, ReleaseError, python, run

SUMS = "SHA256SUMS"


def build_wheel(out: Path) -> Path:
    """Build the wheel into a folder. Needs hatchling. Raises `ReleaseError`."""
    python("-m", "hatchling", "build", "-t", "wheel", "-d", str(out.resolve()))
    return _only(out, "lens_lsp-*.whl")


def build_source(out: Path) -> Path:
    """Build the source distribution into a folder. Needs hatchling. Raises `ReleaseError`."""
    python("-m", "hatchling", "build", "-t", "sdist", "-d", str(out.resolve()))
    return _only(out, "lens_lsp-*.tar.gz")


def build_extension(out: Path, wheel: Path) -> Path:
    """Package the extension around a wheel. Needs node, and ``npm ci`` in its folder. Raises `ReleaseError`."""
    if not (EXTENSION / "node_modules").is_dir():
        raise ReleaseError("the extension cannot be built: run `npm ci` in vscode-extension")
    run(["npm", "run", "--silent", "package"], EXTENSION, LENS_WHEEL=str(wheel.resolve()))
    made = _only(EXTENSION, "lens-[0-9]*.vsix")
    return Path(shutil.copy(made, out / made.name))


def write_sums(folder: Path, name: str) -> None:
    """Write what ``sha256sum --check`` reads, over all files of a folder, by name."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != name)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / name).write_text("".join(lines), encoding="utf-8")


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise ReleaseError(f"{folder} has {len(found)} files {pattern}, not one: remove the old ones")
    return found[0]
