"""Measure what the set-up downloads and takes on disk, for every platform: `python3 scripts/sizes.py`.

The wheels that pip would choose there are downloaded for real, and what they hold is counted; writes `sizes.json`. With
`--split FOLDER` nothing is measured: the lists of packages are written there as the extension ships them.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pip._vendor.packaging.markers import Marker

HERE = Path(__file__).resolve().parent.parent
REQUIREMENTS = HERE / "requirements.txt"
PYTHON = "3.12"
"""The Python that wheels are chosen for: those for others are as large, but for a few per cent."""
OPTIONAL = re.compile(r"(ahocorasick-rs|onnxruntime)==")
"""What the server does without where there is no wheel of it: equally but slower, and judging by rules."""
DOCUMENTS = re.compile(r"(lxml|pypdfium2|python-calamine|striprtf)==")
"""What reads documents that are no text."""
LINUX = [*range(5, 40)]
PLATFORMS = {
    "linux-x64": ("linux", "Linux", "x86_64", [f"manylinux_2_{n}_x86_64" for n in LINUX] + ["manylinux2014_x86_64"]),
    "linux-arm64": (
        "linux",
        "Linux",
        "aarch64",
        [f"manylinux_2_{n}_aarch64" for n in LINUX] + ["manylinux2014_aarch64"],
    ),
    "darwin-x64": ("darwin", "Darwin", "x86_64", ["macosx_14_0_x86_64"]),
    "darwin-arm64": ("darwin", "Darwin", "arm64", ["macosx_14_0_arm64"]),
    "win32-x64": ("win32", "Windows", "AMD64", ["win_amd64"]),
    "win32-arm64": ("win32", "Windows", "ARM64", ["win_arm64"]),
}


def requirements() -> Iterator[tuple[str, str]]:
    """Each requirement with its hashes, and the list that it belongs to."""
    each = [one for one in re.split(r"^(?=\S)", REQUIREMENTS.read_text(), flags=re.MULTILINE) if one.strip()]
    agents = needed_by_agents_only(each)
    for one in each:
        name = one.partition("==")[0]
        yield (
            one,
            "documents"
            if DOCUMENTS.match(one)
            else "optional"
            if OPTIONAL.match(one)
            else "agents"
            if name in agents
            else "needed",
        )


def needed_by_agents_only(listed: list[str]) -> set[str]:
    """Names of what nothing but the server for agents needs, as the comments below each requirement say."""
    needers = {}
    for one in listed:
        comment = one.partition("# via")[2]
        needers.setdefault(one.partition("==")[0], set()).update(re.findall(r"[\w.-]+(?= \(|\s|$)", comment))
    found = {"mcp"}
    while more := {name for name, by in needers.items() if by and by <= found} - found:
        found |= more
    return found


def split(folder: Path) -> None:
    """Write the lists that a set-up installs."""
    lists = listed()
    if len(lists["optional"]) != 2 or len(lists["documents"]) != 4 or len(lists["agents"]) < 2:
        raise SystemExit("requirements.txt does not list what is optional, what reads documents, or what agents need")
    for name, each in lists.items():
        (folder / f"{name}.txt").write_text("".join(each))


def listed(platform: tuple[str, str, str] | None = None) -> dict[str, list[str]]:
    """The lists, whole or as far as they concern a platform."""
    lists: dict[str, list[str]] = {"needed": [], "optional": [], "agents": [], "documents": []}
    for each, name in requirements():
        line = each if platform is None else wanted(each, *platform)
        if line is not None:
            lists[name].append(line)
    return lists


def wanted(requirement: str, system: str, name: str, machine: str) -> str | None:
    """The requirement without its marker; None where the platform does without it."""
    first, _, rest = requirement.partition("\n")
    pinned, _, marker = first.removesuffix("\\").partition(";")
    environment = {
        "sys_platform": system,
        "platform_system": name,
        "platform_machine": machine,
        "python_version": PYTHON,
        "python_full_version": f"{PYTHON}.0",
        "os_name": "nt" if system == "win32" else "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    if marker.strip() and not Marker(marker.strip()).evaluate(environment):
        return None
    return f"{pinned.strip()} \\\n{rest}"


def measured(listed: list[str], tags: list[str], *, optional: bool = False) -> tuple[int, int]:
    """Bytes of the wheels, and of what they hold. Where an optional one has no wheel there, it counts as nothing."""
    if not listed:
        return 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "list.txt").write_text("".join(listed))
        options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--python-version", PYTHON]
        options += ["--implementation", "cp", "--disable-pip-version-check", "--quiet"]
        for abi in (f"cp{PYTHON.replace('.', '')}", "abi3", "none"):
            options += ["--abi", abi]
        for tag in tags:
            options += ["--platform", tag]
        command = [sys.executable, "-m", "pip", "download", *options, "-d", name, "-r", str(folder / "list.txt")]
        if subprocess.run(command, check=not optional).returncode:
            return 0, 0
        wheels = [*folder.glob("*.whl")]
        if len(wheels) != len(listed):
            raise SystemExit(f"{len(wheels)} wheels for {len(listed)} requirements")
        return sum(each.stat().st_size for each in wheels), sum(map(unpacked, wheels))


def unpacked(wheel: Path) -> int:
    """Bytes of what a wheel holds."""
    with zipfile.ZipFile(wheel) as held:
        return sum(each.file_size for each in held.infolist())


def environment() -> int:
    """Bytes of an environment with nothing in it but pip."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([sys.executable, "-m", "venv", name], check=True)
        return sum(each.stat().st_size for each in Path(name).rglob("*") if each.is_file() and not each.is_symlink())


def main() -> None:
    """Measure every platform."""
    if sys.argv[1:2] == ["--split"]:
        split(Path(sys.argv[2]))
        return
    bare = environment()
    platforms = {}
    for platform, (system, name, machine, tags) in PLATFORMS.items():
        lists = listed((system, name, machine))
        search = [
            measured(lists["needed"], tags),
            *(measured([each], tags, optional=True) for each in lists["optional"]),
            measured(lists["agents"], tags, optional=True),
        ]
        documents = measured(lists["documents"], tags)
        platforms[platform] = {
            "search": {
                "download": sum(size for size, _ in search),
                "disk": bare + sum(size for _, size in search),
            },
            "documents": {"download": documents[0], "disk": documents[1]},
        }
        print(platform, platforms[platform], flush=True)
    made = {
        "requirements": hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest(),
        "python": PYTHON,
        "platforms": platforms,
    }
    (HERE / "sizes.json").write_text(json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main()
