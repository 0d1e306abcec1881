"""Keys of models in the system's own keyring, one for each origin. Which origins have one is kept in ``keys.json``.

That list holds no secret. It is what is looked at first: who keeps no key here never imports the keyring's library and
is never asked by the system to unlock anything.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lens_lsp.memory.userdata import change_userdata, read_userdata, userdata_folder
from lens_lsp.model.errors import LensError, UsageError

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_SCHEMA = "lens.keys/1"
_SERVICE = "lens-lsp"
_LEAST_PRIORITY = 1
"""Of a keyring that is one: below are those that keep plain files, keep nothing, or fail."""


class KeyringFailed(LensError):
    """The system's keyring gives or takes no key; the message says what to do."""

    code = "lens.keyring"


def available() -> bool:
    """Whether this system can keep a key."""
    return _backend() is not None


def has_key(origin: str) -> bool:
    """Whether a key was put into the keyring for an origin; the keyring is not touched.

    A list that cannot be read names none: a question goes on without a key, and its endpoint says if it wants one.
    """
    try:
        return origin in _origins(read_userdata(_file()))
    except OSError:
        return False


def key_for(origin: str) -> str | None:
    """The key of an origin, None if there is none. Waits for the keyring, which may ask the user to unlock it.

    Raises `KeyringFailed` when there should be one.
    """
    if not has_key(origin):
        return None
    import keyring.errors

    try:
        key = _required().get_password(_SERVICE, origin)
    except (keyring.errors.KeyringError, OSError, RuntimeError) as error:
        raise _failed("gave no key", error) from error
    if key is None:
        raise KeyringFailed(f"the keyring has no key for {origin} any more: set it again, or LENS_API_KEY")
    return key


def keep(origin: str, key: str) -> None:
    """Put a key into the keyring for an origin, in place of another. Raises `KeyringFailed` and OSError."""
    backend = _required()
    import keyring.errors

    try:
        backend.set_password(_SERVICE, origin, key)
    except (keyring.errors.KeyringError, OSError, RuntimeError) as error:
        raise _failed("did not take the key", error) from error
    change_userdata(_file(), lambda data: _written(_origins(data) | {origin}))


def drop(origin: str) -> None:
    """Take the key of an origin away, if there is one. Raises `KeyringFailed` and OSError."""
    if not has_key(origin):
        return
    import keyring.errors

    try:
        backend = _required()
        if backend.get_password(_SERVICE, origin) is not None:
            backend.delete_password(_SERVICE, origin)
    except (keyring.errors.KeyringError, OSError, RuntimeError) as error:
        raise _failed("did not give the key up", error) from error
    change_userdata(_file(), lambda data: _written(_origins(data) - {origin}))


def _file() -> Path:
    return userdata_folder() / "keys.json"


def _origins(data: bytes | None) -> frozenset[str]:
    """The origins that a file names; none where it is no such file."""
    try:
        found = json.loads(data or b"null")
        return frozenset(map(str, found["origins"])) if found and found["schema"] == _SCHEMA else frozenset()
    except (ValueError, KeyError, TypeError, RecursionError):
        return frozenset()


def _written(origins: frozenset[str]) -> bytes:
    return json.dumps({"schema": _SCHEMA, "origins": sorted(origins)}, indent=1).encode("ascii")


def _backend() -> KeyringBackend | None:
    """The system's keyring, None where there is none that keeps a secret."""
    if find_spec("keyring") is None:
        return None
    import keyring

    backend = keyring.get_keyring()
    return backend if backend.priority >= _LEAST_PRIORITY else None


def _required() -> KeyringBackend:
    backend = _backend()
    if backend is None:
        raise UsageError(
            "there is no keyring of the system here that could hold a key: set LENS_API_KEY in the environment instead"
        )
    return backend


def _failed(what: str, error: Exception) -> KeyringFailed:
    return KeyringFailed(f"the keyring {what} ({type(error).__name__}): unlock it, or set LENS_API_KEY")
