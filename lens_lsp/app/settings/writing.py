"""Changes of the user's own file of settings: what else stands in it, comments among it, stays as it is."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from lens_lsp.app.settings.options import UserOptions
from lens_lsp.app.settings.sources import MOST_BYTES, Unreadable, flat, read_user_file, user_file
from lens_lsp.memory.userdata import change_kept
from lens_lsp.model.errors import UsageError


def written_settings(environment: Mapping[str, str]) -> dict[str, object]:
    """What the user's file says, by the names of the keys; what has no meaning there is left out.

    Raises `UsageError` for a file that cannot be used.
    """
    path = user_file(environment)
    try:
        sent = read_user_file(path, named=False) or {}
    except Unreadable as why:
        raise UsageError(f"{path} {why}") from None
    names = frozenset(UserOptions.names())
    return {name: value for name, value in flat(sent, names) if name in names}


def change_settings(environment: Mapping[str, str], changes: Mapping[str, object]) -> None:
    """Set keys of the user's file, or take those away that are None. Raises `UsageError` for what cannot be meant and
    for a file that cannot be changed, and OSError."""
    _check(changes)
    path = user_file(environment)
    if path == os.devnull:
        raise UsageError("LENS_CONFIG says that there is no file of settings; name one there")

    def changed(data: bytes | None) -> bytes:
        try:
            text = (data or b"").decode("utf-8-sig")
            document = tomlkit.parse(text)
            for name, value in changes.items():
                _set(document, name, value)
            new = tomlkit.dumps(document)
            _compare(text, new, changes)
        except (UnicodeDecodeError, TOMLKitError, tomllib.TOMLDecodeError, TypeError, KeyError) as error:
            raise UsageError(f"{path} cannot be changed here ({type(error).__name__}): change it by hand") from error
        return new.encode("utf-8")

    target = os.path.realpath(path)  # where a link leads: the user's own files may lie elsewhere
    if os.path.islink(path) and not os.path.isfile(target):
        raise UsageError(f"{path} is a link that leads to no file: make that file, or remove the link")
    change_kept(Path(target), changed)


def _check(changes: Mapping[str, object]) -> None:
    """Raise `UsageError` for the first key that there is not, or that does not take its value."""
    names = UserOptions.names()
    if unknown := changes.keys() - set(names):
        raise UsageError(f"there is no setting {', '.join(sorted(unknown))}")
    _, wrong = UserOptions.lenient({name: value for name, value in changes.items() if value is not None})
    for name, why in wrong.items():
        told = UserOptions.told(name)
        raise UsageError(f"{name} cannot be used: {why}" if why else f"{name} is not {told['wanted']}")


def _set(document: tomlkit.TOMLDocument, name: str, value: object) -> None:
    """Change a key where it stands, however it is written there; else put it into its table."""
    found = list(_found(cast("MutableMapping[str, Any]", document), name))
    for table, key in found[1:] if value is not None else found:
        del table[key]
    if value is None:
        return
    if found:
        table, key = found[0]
        table[key] = value
        return
    *above, key = name.split(".")
    table = cast("MutableMapping[str, Any]", document)
    for part in above:
        if part not in table:
            table[part] = tomlkit.table()
        table = table[part]
    table[key] = value


def _found(table: MutableMapping[str, Any], name: str, above: str = "") -> list[tuple[MutableMapping[str, Any], str]]:
    """Every place that says a key: with dots, in tables, with an editor's prefix."""
    found: list[tuple[MutableMapping[str, Any], str]] = []
    for part, value in table.items():
        here = (above + part).removeprefix("lens.")
        if here == name:
            found.append((table, part))
        elif isinstance(value, MutableMapping) and (here == "lens" or name.startswith(here + ".")):
            found += _found(value, name, here + ".")
    return found


def _compare(old: str, new: str, changes: Mapping[str, object]) -> None:
    """Raise KeyError unless the new text says what the old one did, but for the changes."""
    if len(new.encode("utf-8")) > MOST_BYTES:
        raise UsageError(f"the file of settings would be larger than {MOST_BYTES >> 10} KiB")
    names = frozenset(UserOptions.names())
    wanted = dict(flat(tomllib.loads(old), names)) | dict(changes)
    if dict(flat(tomllib.loads(new), names)) != {name: value for name, value in wanted.items() if value is not None}:
        raise KeyError("another meaning")
