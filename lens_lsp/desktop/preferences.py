"""The user's own settings and key, as the page shows and changes them. All of it waits for the disk or the system.

The key goes one way: the page can set it and take it away, and learns only whether there is one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from lens_lsp.app.configuration import change_settings, read_settings, written_settings
from lens_lsp.app.consent import ConsentMissing, ask_again
from lens_lsp.app.settings import ModelSettings
from lens_lsp.judge.llm.endpoint import ApiKey, Endpoint
from lens_lsp.memory import userdata
from lens_lsp.model.errors import UsageError


def preferences() -> dict[str, object]:
    """What the user's file says, and how it is about the key. Raises `UsageError` for a file that cannot be used."""
    model = _model()
    return {
        "settings": written_settings(os.environ),
        "key": {
            "origin": _origin(model),
            "stored": model.key_in_keyring,
            "available": userdata.keyring_available(),
            "environment": model.key is not None and model.key_withheld is None and not model.key_in_keyring,
        },
    }


def prefer(changes: Mapping[str, object], agreed: object = None) -> dict[str, object]:
    """Change keys of the user's file, None takes one away; what holds then. Raises `UsageError` and OSError.

    Who changes the model's address is asked again whether text may go there: where that is another machine by the next
    question, as if that had never been allowed; where it is this one, which no question asks about, by `ConsentMissing`
    until ``agreed`` is the address.
    """
    address = changes.get("model.baseUrl")
    if isinstance(address, str) and address != written_settings(os.environ).get("model.baseUrl"):
        endpoint = Endpoint.of(address)
        if not endpoint.loopback:
            ask_again(endpoint.origin)
        elif agreed != address:
            raise ConsentMissing(
                f"questions and passages would go to whatever program of this machine listens at {endpoint.origin}, and"
                " no question would ask about it: agree to that, or leave the address as it is"
            )
    change_settings(os.environ, changes)
    return preferences()


def keep_key(key: str) -> dict[str, object]:
    """Keep the key for the origin of the model that is configured. Raises `UsageError`, `KeyringFailed`, OSError."""
    ApiKey(key)  # refuses what could not be sent
    userdata.keep_key(_required(), key)
    return preferences()


def drop_key() -> dict[str, object]:
    """Take the key of that origin away. Raises as `keep_key`."""
    userdata.drop_key(_required())
    return preferences()


def _model() -> ModelSettings:
    return read_settings((), os.environ).model


def _origin(model: ModelSettings) -> str | None:
    if model.base_url is None:
        return None
    try:
        return Endpoint.of(model.base_url).origin
    except UsageError:
        return None


def _required() -> str:
    origin = _origin(_model())
    if origin is None:
        raise UsageError("a key belongs to the address of a model: set model.baseUrl first")
    return origin
