"""Bills of materials (CycloneDX): what comes along with each artefact, with versions, hashes and where known licences.

Python packages are told from the locks, so for every system at once; JavaScript from what esbuild says that it put in.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from release.locks import LOCKS
from release.running import EXTENSION, PAGE, ReleaseError, python, run

TOLD = ("documents", "ocr", "desktop", "window", "mcp", "objects", "cluster", "evaluation", "dense")
"""The extras that users install; the others are for who works on lens-lsp."""
_CYCLONEDX = EXTENSION / "node_modules" / ".bin" / "cyclonedx-esbuild"


def python_bills(out: Path, stem: str, version: str) -> None:
    """One bill for the wheel alone and one for it with each of `TOLD`. Needs cyclonedx-bom. Raises `ReleaseError`."""
    for extra in (None, *TOLD):
        name = stem if extra is None else f"{stem}-{extra}"
        bill_of_lock(LOCKS / f"{extra or 'runtime'}.txt", out / f"{name}.cdx.json", version)


def extension_bills(out: Path, stem: str, version: str) -> None:
    """Of what is bundled into the extension, and of the environment that it sets up. Raises `ReleaseError`."""
    _of_bundle(EXTENSION, out / f"{stem}.cdx.json", version)
    bill_of_lock(EXTENSION / "requirements.txt", out / f"{stem}-server.cdx.json", version)


def page_bill(out: Path, stem: str, version: str) -> None:
    """Of the page of `lens desktop`, which is inside of the wheel. Raises `ReleaseError`."""
    _of_bundle(PAGE, out / f"{stem}-page.cdx.json", version)


def bill_of_lock(lock: Path, to: Path, version: str) -> None:
    """Write the bill of lens-lsp with all that a lock lists. Needs cyclonedx-bom. Raises `ReleaseError`."""
    options = ("--pyproject", "pyproject.toml", "--mc-type", "application", "--output-reproducible", "--of", "JSON")
    # The root's own dependencies are not told by a lock; the library warns of that each time.
    python("-W", "ignore", "-m", "cyclonedx_py", "requirements", str(lock), *options, "-o", str(to))
    bill = json.loads(to.read_bytes())
    for component in bill["components"]:
        # Says where in the lock it stands, hashes and all, which the fields say already.
        component.pop("description", None)
    _write(to, bill, version)


def _drop_own(metafile: Path) -> None:
    """Take what the page shares with the extension out of a metafile: it is part of this repository, no package."""
    told = json.loads(metafile.read_bytes())
    own = {path for path in told["inputs"] if path.startswith("..") and "node_modules" not in path}
    told["inputs"] = {path: value for path, value in told["inputs"].items() if path not in own}
    for output in told["outputs"].values():
        output["inputs"] = {path: value for path, value in output["inputs"].items() if path not in own}
    metafile.write_text(json.dumps(told), "utf-8")


def _of_bundle(folder: Path, to: Path, version: str) -> None:
    if not _CYCLONEDX.exists() or not (folder / "node_modules").is_dir():
        raise ReleaseError(f"what is bundled cannot be told: run `npm ci` in vscode-extension and in {folder.name}")
    with tempfile.TemporaryDirectory() as scratch:
        metafile = Path(scratch) / "metafile.json"
        # The page's result is committed, so it is built aside; the extension's is made anew for the package anyway.
        aside = [str(Path(scratch) / "built")] if folder == PAGE else []
        run(["node", "esbuild.mjs", *aside, f"--metafile={metafile}"], folder)
        _drop_own(metafile)
        options = ("--output-reproducible", "--bwd", str(folder), "-o", str(to), str(metafile))
        run([str(_CYCLONEDX), *options], folder)
    _write(to, json.loads(to.read_bytes()), version)


def _write(to: Path, bill: dict[str, object], version: str) -> None:
    """The bill with the release's version, which neither tool finds where it stands."""
    metadata = bill["metadata"]
    assert isinstance(metadata, dict)
    metadata["component"]["version"] = version
    to.write_text(json.dumps(bill, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
