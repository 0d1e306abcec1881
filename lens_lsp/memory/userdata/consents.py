"""What was consented to: sending text of a workspace to an origin. Kept in ``consent.json``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lens_lsp.memory.userdata.folder import change_kept, kept_folder, read_kept

_SCHEMA = "lens.consent/1"

Consent = tuple[str, str]
"""A workspace, by its real path, and an origin."""


def consent_file() -> Path:
    """Where consents are kept."""
    return kept_folder() / "consent.json"


@dataclass(frozen=True, slots=True)
class Consents:
    """All of them. ``problem`` says why a file was ignored, None when there was nothing wrong with it."""

    path: Path
    given: frozenset[Consent] = field(default=frozenset())
    problem: str | None = None

    @classmethod
    def read(cls, path: Path) -> Consents:
        """Read the file; one that is missing holds nothing, and neither does one that is broken."""
        try:
            return cls(path, _parsed(read_kept(path)))
        except (OSError, ValueError):
            return cls(path, problem=f"{path} cannot be read and is ignored: consent has to be given again")

    def record(self, workspace: str, origin: str) -> None:
        """Keep one more consent. Raises OSError."""
        self._change(lambda given: given | {(workspace, origin)})

    def revoke(self, concerns: Callable[[Consent], bool]) -> frozenset[Consent]:
        """Take back what ``concerns`` says; gives what was taken back. Raises OSError."""
        taken: set[Consent] = set()

        def without(given: frozenset[Consent]) -> frozenset[Consent]:
            taken.update(filter(concerns, given))
            return given - taken

        if any(map(concerns, self.given)):
            self._change(without)
        return frozenset(taken)

    def _change(self, change: Callable[[frozenset[Consent]], frozenset[Consent]]) -> None:
        def changed(data: bytes | None) -> bytes:
            try:
                given = _parsed(data)
            except ValueError:
                given = frozenset()
            entries = [{"workspace": where, "origin": to} for where, to in sorted(change(given))]
            return json.dumps({"schema": _SCHEMA, "given": entries}, indent=1).encode("ascii")

        change_kept(self.path, changed)


def _parsed(data: bytes | None) -> frozenset[Consent]:
    """The consents a file holds. Raises ValueError for what is no such file."""
    if data is None:
        return frozenset()
    try:
        found = json.loads(data)
        if found["schema"] != _SCHEMA:
            raise ValueError("another schema")
        return frozenset((str(each["workspace"]), str(each["origin"])) for each in found["given"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError("not a list of consents") from error
