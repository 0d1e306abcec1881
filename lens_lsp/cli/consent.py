"""Consent to send text to an endpoint that is not on this machine: once for each workspace and origin.

Kept in ``consent.json`` in our folder of user data, which no searched folder can write to.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_data_path

from lens_lsp.cli.terminal import is_terminal, printable_path, tell
from lens_lsp.domain.errors import UsageError

_SCHEMA = "lens.consent/1"
_YES = frozenset({"y", "yes"})


def consent_file() -> Path:
    """Where consents are kept."""
    return user_data_path("lens-lsp") / "consent.json"


@dataclass(frozen=True, slots=True)
class Consents:
    """What was consented to. ``problem`` says why a file was ignored, None when there was nothing wrong with it."""

    path: Path
    given: frozenset[tuple[str, str]] = field(default=frozenset())
    """Pairs of workspace and origin."""
    problem: str | None = None

    @classmethod
    def read(cls, path: Path) -> Consents:
        """Read the file; one that is missing holds nothing, and neither does one that is broken."""
        try:
            found = json.loads(path.read_bytes())
            if found["schema"] != _SCHEMA:
                raise ValueError("another schema")
            given = frozenset((str(each["workspace"]), str(each["origin"])) for each in found["given"])
        except FileNotFoundError:
            return cls(path)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return cls(path, problem=f"{path} cannot be read and is ignored: consent has to be given again")
        return cls(path, given)

    def record(self, workspace: str, origin: str) -> None:
        """Keep one more consent: the file is replaced as a whole, readable by its owner only. Raises OSError."""
        pairs = sorted({*self.given, (workspace, origin)})
        entries = [{"workspace": where, "origin": to} for where, to in pairs]
        folder = self.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix="consent-", suffix=".tmp", dir=folder)  # mode 0600
        try:
            with open(descriptor, "w", encoding="ascii") as file:
                json.dump({"schema": _SCHEMA, "given": entries}, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise


def require_consent(workspace: str, origin: str, model: str, *, yes: bool, quiet: bool = False) -> None:
    """Return if text of a workspace may be sent to an origin. ``yes``: it was given on the command line.

    On a terminal it is asked for, once; a yes is remembered. Raises `UsageError` without it.
    """
    consents = Consents.read(consent_file())
    if (workspace, origin) in consents.given:
        return
    if consents.problem is not None and not quiet:
        tell(consents.problem)
    if not yes and not _asked(workspace, origin, model):
        raise UsageError(f"nothing was sent to {origin}; --mode evidence answers without a model")
    try:
        consents.record(workspace, origin)
    except OSError as error:
        if not quiet:
            tell(f"consent holds for this question and could not be remembered in {consents.path}: {error.strerror}")


def _asked(workspace: str, origin: str, model: str) -> bool:
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise UsageError(
            f"questions and passages would be sent to {origin}, which needs consent: give it with --yes,"
            " look first with --dry-run, or use --mode evidence"
        )
    sys.stderr.write(
        printable_path(
            f"lens: the question and passages of files in {workspace} would be sent to {origin} (model {model});"
            " --dry-run shows them."
        )
        + "\nSend them, now and for later questions about this workspace? [y/N] "
    )
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES
