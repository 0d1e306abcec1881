"""A folder of wheels from which lens-lsp is installed where there is no network."""

from __future__ import annotations

from pathlib import Path

from release.artefacts import SUMS, build_wheel, write_sums
from release.locks import LOCKS
from release.running import ReleaseError, python


def wheelhouse(out: Path, extras: list[str], wheel: Path | None) -> None:
    """Fill ``out`` with our wheel, built unless one is given, and with all that it and these extras need here.

    "Here" is this system and this version of Python: some wheels are for one of each. Every file is checked against the
    locks' hashes. Raises `ReleaseError`.
    """
    if out.exists() and any(out.iterdir()):
        raise ReleaseError(f"{out} is not empty: a wheelhouse is made anew")
    out.mkdir(parents=True, exist_ok=True)
    if wheel is None:
        build_wheel(out)
    else:
        (out / wheel.name).write_bytes(wheel.read_bytes())
    for name in ["runtime", *extras]:
        lock = LOCKS / f"{name}.txt"
        if not lock.is_file():
            raise ReleaseError(f"there is no extra {name!r}: {LOCKS} has a lock for each")
        quiet = ("--quiet", "--disable-pip-version-check")
        checked = ("--require-hashes", "--only-binary", ":all:", "--no-deps")
        python("-m", "pip", "download", *quiet, *checked, "-r", str(lock), "-d", str(out))
    write_sums(out, SUMS)
