"""``lens/model``: replies of the editor's own model, for the work of a question that runs aside."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pydantic import ValidationError
from pygls.exceptions import JsonRpcException

from lens_lsp.judge.llm.chat_model import Message, ModelError, ModelFailure
from lens_lsp.judge.llm.editor_model import EditorChat, Said
from lens_lsp.lsp.aside import homeward
from lens_lsp.lsp.wire import ModelMessage, ModelParams, ModelResult
from lens_lsp.model.sanitize import printable

if TYPE_CHECKING:
    from lens_lsp.app.settings.model import ModelSettings
    from lens_lsp.lsp.server import LensServer


_PROBE_SECONDS = 10.0
_MOST_WORDS = 200


async def editor_chat(ls: LensServer, settings: ModelSettings) -> EditorChat:
    """The model that the editor offers, asked which one it is; no text of any document is sent.

    On the server's loop; what it gives works on any. Raises `ModelError`.
    """

    async def ask(messages: tuple[Message, ...], most: int) -> Said:
        return await _said(ls, settings.family, messages, most)

    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            offer = await ask((), 0)
    except TimeoutError:
        text = f"the editor did not say within {_PROBE_SECONDS:.0f} s which model it offers; ask again"
        raise ModelError(text, failure=ModelFailure.DEADLINE) from None
    return EditorChat(homeward(ask), offer, context_tokens=settings.context_tokens)


async def _said(ls: LensServer, family: str | None, messages: tuple[Message, ...], most: int) -> Said:
    told = tuple(ModelMessage(role=message.role.value, text=message.text) for message in messages)
    params = ModelParams(family=family, messages=told, max_tokens=most)
    try:
        result = await ls.protocol.inquire("lens/model", params.model_dump(by_alias=True))
        found = ModelResult.model_validate(result)
    except JsonRpcException as error:
        words = " ".join(printable(error.message).split())[:_MOST_WORDS]
        raise ModelError(f"the editor's model gave no reply ({words}); choose another in the editor") from None
    except ValidationError:
        text = "the editor answered with something that is no reply of a model; update its extension"
        raise ModelError(text, failure=ModelFailure.UNREADABLE) from None
    return Said(**found.model_dump())
