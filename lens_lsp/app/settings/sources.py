"""Where options come from: read safely, taken apart, and what is wrong with them told once.

A file is never followed through a link inside a project, never waited for, and never shown: what is told names the key,
not its value, which could be a secret in the wrong place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lens_lsp.corpus.safe_open import Root, Skipped, read_head_at
from lens_lsp.model.errors import LensError

if TYPE_CHECKING:
    from lens_lsp.app.settings.options import Options

PROJECT_FILE = ".lens.toml"
MOST_BYTES = 64 << 10
"""A file of settings that is larger is none."""

_DEEPEST = 3
_MOST_NAMED = 5
_LONGEST_NAME = 60

O = TypeVar("O", bound="Options")  # noqa: E741


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about settings that the user is told once. ``limiting``: a limit they meant may not be in force."""

    text: str
    limiting: bool = False


class Unreadable(Exception):
    """A file of settings is there and cannot be used; the message says why."""


def user_file(environment: Mapping[str, str]) -> str:
    """Where the user's file is: ``LENS_CONFIG``, else ``config.toml`` in the folder for configuration."""
    named = environment.get("LENS_CONFIG")
    if named:
        return os.path.abspath(named)
    from platformdirs import user_config_path

    return str(user_config_path("lens-lsp") / "config.toml")


def read_user_file(path: str, *, named: bool) -> dict[str, object] | None:
    """What the user's file says; None without one. ``named``: it was asked for by name. Raises `Unreadable`."""
    if path == os.devnull:
        return None
    if not os.path.lexists(path):
        if named:
            raise Unreadable("does not exist; correct LENS_CONFIG")
        return None
    return _parsed(*os.path.split(os.path.realpath(path)))


def read_project_file(folder: str) -> dict[str, object] | None:
    """What a project's file says; None without one. Raises `Unreadable`, also for a link: it could lead anywhere."""
    return _parsed(folder, PROJECT_FILE) if os.path.lexists(os.path.join(folder, PROJECT_FILE)) else None


def taken(kind: type[O], sent: Mapping[str, object], where: str, notices: list[Notice]) -> O:
    """The options that a sender's words make; what is wrong with them is added to ``notices``."""
    from lens_lsp.app.settings.options import LIMITING, UserOptions

    names = frozenset(kind.names())
    said = {name: value for name, value in flat(sent, names.union(UserOptions.names())) if value is not None}
    notices += _unknown(kind, [name for name in said if name not in names], where)
    options, wrong = kind.lenient({name: value for name, value in said.items() if name in names})
    for name, why in wrong.items():
        told = kind.told(name)
        problem = f"{name} cannot be used: {why}" if why else f"{name} is not {told['wanted']}"
        notices.append(Notice(f"{where}: {problem}; write {name} = {told['example']}", name in LIMITING))
    return options


def flat(sent: Mapping[str, object], known: frozenset[str], above: str = "") -> Iterator[tuple[str, object]]:
    """Keys with dots instead of tables; an editor's prefix is taken off."""
    for part, value in sent.items():
        name = (above + str(part)).removeprefix("lens.")
        if isinstance(value, Mapping) and name not in known and name.count(".") < _DEEPEST:
            yield from flat(value, known, name + ".")
        else:
            yield name, value


def _unknown(kind: type[Options], names: Sequence[str], where: str) -> Iterator[Notice]:
    """One notice for all keys that mean nothing here."""
    from lens_lsp.app.settings.options import EDITOR_ONLY, LIMITING, UserOptions

    told, limiting = [], False
    for name in names:
        if name in EDITOR_ONLY:
            continue
        if name in UserOptions.names():
            told.append(f"{name} (only the user's own file says that)")
            continue
        shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
        near = _nearest(name, kind.names())
        limiting = limiting or near in LIMITING
        told.append(f"{shown} (did you mean {near}?)" if near else shown)
    if told:
        more = f" and {len(told) - _MOST_NAMED} more" if len(told) > _MOST_NAMED else ""
        yield Notice(f"{where}: ignored what has no meaning here: {', '.join(told[:_MOST_NAMED])}{more}", limiting)


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The known key that an unknown one resembles, written whole or without its table."""
    from difflib import get_close_matches

    forms = {_plain(form): key for key in known for form in (key.rpartition(".")[2], key)}
    near = get_close_matches(_plain(name), forms, n=1, cutoff=0.75) or get_close_matches(
        _plain(name.rpartition(".")[2]), forms, n=1, cutoff=0.75
    )
    return forms[near[0]] if near else None


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _parsed(folder: str, name: str) -> dict[str, object]:
    import tomllib

    try:
        with Root(folder) as root:
            data = read_head_at(root.handle, name, MOST_BYTES + 1)
    except Skipped as skip:
        raise Unreadable(f"cannot be used ({skip.reason.value}); make it a plain file that can be read") from skip
    except LensError as error:
        raise Unreadable("cannot be read") from error
    if len(data) > MOST_BYTES:
        raise Unreadable(f"is larger than {MOST_BYTES >> 10} KiB")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8; save it as that") from None
    except (ValueError, RecursionError) as error:
        line = re.search(r"\(at line (\d+)", str(error))
        raise Unreadable(f"is not TOML{f' (line {line[1]})' if line else ''}; correct it") from None
