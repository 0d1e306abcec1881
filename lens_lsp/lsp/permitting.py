"""Who may judge a question: settled before it waits for its turn, with the user's consent where text would leave."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lens_lsp.app.oracle_factory import OracleFactory, decide, of_endpoint
from lens_lsp.app.request import Request
from lens_lsp.lsp.previewing import previewed
from lens_lsp.lsp.turns import Busy
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import LensError
from lens_lsp.model.sanitize import printable_path

if TYPE_CHECKING:
    from lens_lsp.lsp.progress import Progress
    from lens_lsp.lsp.questions import Question
    from lens_lsp.lsp.server import LensServer

logger = logging.getLogger(__name__)


async def permitted(ls: LensServer, question: Question, progress: Progress) -> OracleFactory:
    """Who may judge a question; the user may be asked first. Raises `UsageError` for a model that is not configured,
    `ModelError` where the editor offers none, `ConsentMissing`."""
    factory = await chosen(ls, question.request)
    destination = factory.destination
    if destination is None:
        return factory
    progress.report(f"may text be sent to {destination.endpoint}?")
    folders = await asyncio.get_running_loop().run_in_executor(None, question.consenting, factory.settings)
    if await ls.desk.consenting.agreed(destination, folders, partial(_in_words, ls, question, factory, folders)):
        return factory
    return replace(factory, mode=Mode.EVIDENCE, model=None)


async def chosen(ls: LensServer, request: Request) -> OracleFactory:
    """What the settings and a request come to; no user is asked. Raises as `permitted`, but for consent."""
    loaded = await ls.session.settings(fresh=True)
    settings, mode, model = decide(request, loaded, editor=ls.session.offers_model)
    if model is None:
        return OracleFactory(mode, settings=settings)
    if model.of_editor:
        from lens_lsp.lsp.editor_model import editor_chat

        return OracleFactory(mode, await editor_chat(ls, model), settings)
    return await asyncio.get_running_loop().run_in_executor(None, of_endpoint, mode, settings)


async def _in_words(ls: LensServer, question: Question, factory: OracleFactory, folders: Sequence[str]) -> str:
    """What the user is asked: what of how much would be sent where, to begin with."""
    what = "excerpts"
    try:
        async with ls.session.turns.taken(lambda _: None):
            preview = await previewed(ls, question, factory)
        prompts = [prompt for _, prompt in preview.requests]
        tokens = sum(prompt.tokens for prompt in prompts)
        size = sum(len(message.text.encode("utf-8", "replace")) for prompt in prompts for message in prompt.messages)
        excerpts = len(preview.sent)
        if excerpts:
            what = f"{excerpts} {'excerpt' if excerpts == 1 else 'excerpts'} ({size:,} bytes, about {tokens:,} tokens)"
    except (LensError, Busy) as error:  # the question itself will tell
        logger.info("a prompt says no number: %s", type(error).__name__)
    named = ", ".join(map(printable_path, folders))
    return (
        f"Lens: send your question and {what} from {named} to {printable_path(str(factory.destination))}, and more as"
        " it reads on? Send holds for later questions about this workspace, too."
    )
