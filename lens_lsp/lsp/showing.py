"""Files shown in the editor, by the means that it has."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

from lens_lsp.lsp.uris import uri_of
from lens_lsp.model.sanitize import printable, printable_path

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.model.answer import Answer

_PATIENCE = 10.0
_LONGEST = 500
_MOST_PLACES = 5


async def show(ls: LensServer, path: str, told: str) -> bool:
    """Open a file in the editor; where that fails say ``told`` and the file's place instead. Whether it was opened."""
    if get_capability(ls.client_capabilities, "window.show_document.support", False):
        params = types.ShowDocumentParams(uri_of(path), external=False, take_focus=True)
        try:
            async with asyncio.timeout(_PATIENCE):
                if (await ls.window_show_document_async(params)).success:
                    return True
        except (JsonRpcException, TimeoutError):
            pass  # it is told below
    say(ls, f"{told} ({printable_path(path)}:1)")
    return False


def say(ls: LensServer, text: str) -> None:
    """Tell the user something that is no warning."""
    ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))


def in_short(answer: Answer) -> str:
    """An answer as one message."""
    text = " ".join(printable(answer.short or answer.text).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def with_places(answer: Answer) -> str:
    """An answer that is in no file, with the places that prove it."""
    places = [f"{printable_path(item.path)}:{item.start.line}" for item in answer.evidence[:_MOST_PLACES]]
    return " ".join([in_short(answer), *places])
