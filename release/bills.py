"""Bills of materials (CycloneDX): what comes along with each artefact, with versions, hashes and where known licences.

Python packages are told from the locks, so for every system at once; JavaScript from what esbuild says that it put in.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
    """Of what is bundled into the extension, the page of its view included, and of the environment that it sets up.
    Raises `ReleaseError`."""
    _of_bundles((EXTENSION, PAGE), out / f"{stem}.cdx.json", version)
    bill_of_lock(EXTENSION / "requirements.txt", out / f"{stem}-server.cdx.json", version)


def page_bill(out: Path, stem: str, version: str) -> None:
    """Of the page of `lens desktop`, which is inside of the wheel. Raises `ReleaseError`."""
    _of_bundles((PAGE,), out / f"{stem}-page.cdx.json", version)


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


def _bundled(folder: Path, scratch: Path, seen_from: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The inputs and outputs of a bundle, by their paths from another folder. What the page and the extension share is
    part of this repository and no package: it is left out."""
    metafile = scratch / f"{folder.name}.json"
    # The page's result is committed, so it is built aside; the extension's is made anew for the package anyway.
    aside = [str(scratch / "built")] if folder == PAGE else []
    run(["node", "esbuild.mjs", *aside, f"--metafile={metafile}"], folder)
    told = json.loads(metafile.read_bytes())

    def packed(inputs: dict[str, Any]) -> dict[str, Any]:
        seen = {Path(os.path.relpath(folder / path, seen_from)).as_posix(): value for path, value in inputs.items()}
        return {path: value for path, value in seen.items() if not path.startswith("..") or "node_modules" in path}

    outputs = {path: {**output, "inputs": packed(output["inputs"])} for path, output in told["outputs"].items()}
    return packed(told["inputs"]), outputs


def _of_bundles(folders: Sequence[Path], to: Path, version: str) -> None:
    """Write one bill of the bundles of some folders; it is the first one's."""
    folder = folders[0]
    if not _CYCLONEDX.exists() or not all((each / "node_modules").is_dir() for each in folders):
        raise ReleaseError(f"what is bundled cannot be told: run `npm ci` in vscode-extension and in {PAGE.name}")
    with tempfile.TemporaryDirectory() as scratch:
        inputs, outputs = dict[str, Any](), dict[str, Any]()
        for each in folders:
            own = _bundled(each, Path(scratch), folder)
            inputs |= own[0]
            outputs |= own[1]
        metafile = Path(scratch) / "metafile.json"
        metafile.write_text(json.dumps({"inputs": inputs, "outputs": outputs}), "utf-8")
        options = ("--output-reproducible", "--bwd", str(folder), "-o", str(to), str(metafile))
        run([str(_CYCLONEDX), *options], folder)
    _write(to, json.loads(to.read_bytes()), version)


def _write(to: Path, bill: dict[str, object], version: str) -> None:
    """The bill with the release's version, which neither tool finds where it stands."""
    metadata = bill["metadata"]
    assert isinstance(metadata, dict)
    metadata["component"]["version"] = version
    to.write_text(json.dumps(bill, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
