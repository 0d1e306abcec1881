"""``python -m release``: everything that a release is made of, by one command (docs/how-to/release.md)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import lens_lsp
from release.artefacts import SUMS, build_extension, build_source, build_wheel, write_sums
from release.bills import extension_bills, page_bill, python_bills
from release.locks import lock
from release.running import ReleaseError
from release.wheelhouse import wheelhouse

PARTS = ("python", "extension", "bills")


def build(out: Path, parts: list[str]) -> None:
    """Wheel and source distribution, and of the other parts those that are asked for. Raises `ReleaseError`."""
    if out.exists() and any(out.iterdir()):
        raise ReleaseError(f"{out} is not empty: a release is made anew")
    out.mkdir(parents=True, exist_ok=True)
    version = lens_lsp.__version__
    wheel = build_wheel(out)
    build_source(out)
    stem = f"lens_lsp-{version}"
    if "extension" in parts:
        build_extension(out, wheel)
    if "bills" in parts:
        python_bills(out, stem, version)
        page_bill(out, stem, version)
        extension_bills(out, f"lens-{version}", version)
    write_sums(out, SUMS)


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("build", help="wheel, source distribution, extension, bills of materials, checksums")
    make.add_argument("--out", type=Path, default=Path("dist"), help="an empty folder (dist)")
    make.add_argument("--only", action="append", choices=PARTS, help="not all; more than once; python is always made")
    house = commands.add_parser("wheelhouse", help="all wheels for an installation without a network")
    house.add_argument("--out", type=Path, default=Path("wheelhouse"), help="an empty folder (wheelhouse)")
    house.add_argument("--extra", action="append", default=[], help="with what this extra needs; more than once")
    house.add_argument("--wheel", type=Path, help="of lens-lsp; built unless given")
    locks = commands.add_parser("lock", help="the locks anew")
    locks.add_argument("names", nargs="*", help="build, runtime, extension or an extra; all unless given")
    chosen = parser.parse_args()
    try:
        if chosen.command == "build":
            build(chosen.out, chosen.only or list(PARTS))
        elif chosen.command == "wheelhouse":
            wheelhouse(chosen.out, chosen.extra, chosen.wheel)
        else:
            lock(chosen.names)
    except ReleaseError as error:
        sys.stderr.write(f"release: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
