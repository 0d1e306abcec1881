"""Consent to send text to an endpoint on another machine: for which folders it is needed, and where it is kept.

How the user is asked is the front end's: on a terminal, by an editor's message, by an agent's form. Every function
waits for the disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lens_lsp.app.configuration import folder_of, workspace_of
from lens_lsp.disk import is_object_url
from lens_lsp.memory.userdata import Consent, Consents, consent_file
from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.sanitize import printable_path

if TYPE_CHECKING:
    from lens_lsp.app.settings import Settings


class ConsentMissing(LensError):
    """Text may not be sent to a model; the message says how that is allowed, and what works without."""

    code = "lens.consent"

    @classmethod
    def of(cls, endpoint: str, folders: Iterable[str], how: str) -> ConsentMissing:
        """That text of folders may not be sent to an endpoint; ``how`` says how it is allowed."""
        named = ", ".join(map(printable_path, folders))
        return cls(f"text of {named} may not be sent to {endpoint} yet: {how}, or ask with mode evidence")


@dataclass(frozen=True, slots=True)
class Destination:
    """A model on another machine that text would be sent to, under some settings."""

    endpoint: str
    """The origin, or ``editor:ID`` for the editor's own model."""
    model: str
    settings: Settings

    def __str__(self) -> str:
        """As the user is asked about it."""
        if self.endpoint.startswith("editor:"):
            return f"the editor's model {self.model}"
        return f"{self.endpoint} (model {self.model})"


def folders_of(paths: Iterable[str], opened: Iterable[str] = ()) -> tuple[str, ...]:
    """The folders that consent is needed for, to send text of paths: of each the innermost of the folders that a front
    end has ``opened`` and that holds it; else itself, or the folder that a file lies in. Real paths."""
    held = sorted(map(os.path.realpath, opened), key=len, reverse=True)

    def holding(path: str) -> str:
        if is_object_url(path):
            return folder_of(path)
        real = Path(os.path.realpath(path))
        return next((folder for folder in held if real.is_relative_to(folder)), folder_of(path))

    return tuple(dict.fromkeys(map(holding, paths)))


def unconsented(destination: Destination | None, folders: Sequence[str]) -> tuple[str, ...]:
    """The folders (real paths) whose text may not be sent yet; none where nothing leaves this machine.

    Raises `UsageError` where a limit that the user meant may not be in force: then nothing is sent, whoever consents.
    """
    if destination is None:
        return ()
    destination.settings.require_sound(destination.endpoint)
    return missing(destination.endpoint, folders)


def missing(endpoint: str, folders: Sequence[str]) -> tuple[str, ...]:
    """The folders that no consent to an endpoint covers: one covers its folder and what lies in the same workspace
    below it, so that what is said for a workspace holds for a part of it that an editor has open."""
    given = {folder for folder, origin in Consents.read(consent_file()).given if origin == endpoint}
    return tuple(folder for folder in dict.fromkeys(folders) if given.isdisjoint(_around(folder)))


def record(endpoint: str, folders: Iterable[str]) -> str | None:
    """Keep consent; why that could not be remembered, None where it was."""
    consents = Consents.read(consent_file())
    try:
        for folder in folders:
            consents.record(folder, endpoint)
    except OSError as error:
        why = error.strerror or type(error).__name__
        return f"consent holds for this question and could not be remembered in {consents.path}: {why}"
    return None


def revoke(consents: Consents, path: str | None = None, origin: str | None = None) -> frozenset[Consent]:
    """Take back the consents for a path, to an origin; None stands for all. Gives what was taken back; raises OSError.

    Those for a path are all that were given for its workspace or for anything in it: nothing that would be counted for
    the path remains, nor what an editor was told for a part of it. A path that is gone has no workspace any more.
    """
    top = None if path is None else Path(workspace_of(path) if os.path.exists(path) else os.path.realpath(path))

    def concerns(consent: Consent) -> bool:
        folder, to = consent
        return (origin is None or to == origin) and (top is None or Path(folder).is_relative_to(top))

    return consents.revoke(concerns)


def ask_again(origin: str) -> None:
    """Have the next question ask about an origin, as if no consent had ever been given. Raises OSError."""
    revoke(Consents.read(consent_file()), origin=origin)


def _around(folder: str) -> list[str]:
    """A folder and those above it, up to its workspace."""
    if not os.path.exists(folder):
        return [folder]
    here, workspace = Path(folder_of(folder)), Path(workspace_of(folder))
    return [str(each) for each in (here, *here.parents) if each == workspace or workspace in each.parents]
