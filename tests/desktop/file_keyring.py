"""A keyring for processes of tests: a file, and every use of it noted beside it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

NAME = "tests.desktop.file_keyring.FileKeyring"


class FileKeyring(KeyringBackend):
    """In the folder that HOME names."""

    priority = 5  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        self._note(f"get {username}")
        return self._all().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._note(f"set {username}")
        _file().write_text(json.dumps(self._all() | {f"{service} {username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        self._note(f"delete {username}")
        kept = self._all()
        if kept.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError(username)
        _file().write_text(json.dumps(kept))

    def _all(self) -> dict[str, str]:
        kept: dict[str, str] = json.loads(_file().read_text()) if _file().exists() else {}
        return kept

    def _note(self, use: str) -> None:
        with (_file().parent / "uses").open("a") as file:
            file.write(use + "\n")


class PlainKeyring(FileKeyring):
    """One that says of itself that it is none to rely on, as those do that keep plain files."""

    priority = 0.5  # type: ignore[assignment]


def _file() -> Path:
    return Path(os.environ["HOME"]) / "keyring.json"


def uses(home: Path) -> list[str]:
    """What a keyring was used for."""
    noted = home / "uses"
    return noted.read_text().splitlines() if noted.exists() else []
