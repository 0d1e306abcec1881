"""Who may judge a question: settled before it waits for its turn, with the user's consent where text would leave."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lens_lsp.domain.answer import Mode
from lens_lsp.domain.errors import LensError
from lens_lsp.domain.inert import printable_path
from lens_lsp.domain.records import dataclass
from lens_lsp.lsp.previewing import previewed
from lens_lsp.lsp.turns import Busy
from lens_lsp.oracle.ledger import Limits
from lens_lsp.settings.settings import Settings, Source

if TYPE_CHECKING:
    from lens_lsp.lsp.progress import Progress
    from lens_lsp.lsp.questions import Question
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.wire import AskParams, WireBudget
    from lens_lsp.models.editor import EditorChat
    from lens_lsp.models.openai import OpenAIChat
    from lens_lsp.settings.model import ModelSettings

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Permit:
    """How a question may be answered: by rules, or by a model to which its text may be sent."""

    settings: Settings
    mode: Mode
    model: OpenAIChat | EditorChat | None


async def permitted(ls: LensServer, question: Question, params: AskParams, progress: Progress) -> Permit:
    """What a question may use; the user may be asked first. Raises `UsageError` for a model that is not configured,
    `ModelError` where the editor offers none, `ConsentMissing`."""
    permit = await chosen(ls, params.mode, params.budget)
    if permit.model is None or permit.model.loopback:
        return permit
    endpoint = permit.model.endpoint
    permit.settings.require_sound(endpoint)
    progress.report(f"may text be sent to {endpoint}?")
    worded = partial(_in_words, ls, question, params.thread, permit)
    if await ls.desk.consenting.agreed(endpoint, question.workspaces, worded):
        return permit
    return replace(permit, mode=Mode.EVIDENCE, model=None)


async def chosen(ls: LensServer, mode: str | None, budget: WireBudget) -> Permit:
    """What the settings and a request's mode and budget come to; no user is asked. Raises as `permitted`, but for
    consent."""
    settings = await ls.session.settings(fresh=True)
    if mode is not None:
        settings = replace(settings, mode=mode, sources={**settings.sources, "mode": Source.EDITOR})
    limits = Limits(budget.calls, budget.tokens, budget.seconds, budget.cost)
    settings = settings.lowered(limits, Source.REQUEST)
    seat, model = settings.seat(editor=ls.session.offers_model)
    settings.require_prices(calling=model is not None)
    return Permit(settings, seat, None if model is None else await _model(ls, model))


async def _model(ls: LensServer, settings: ModelSettings) -> OpenAIChat | EditorChat:
    if not settings.of_editor:
        return await asyncio.get_running_loop().run_in_executor(None, settings.chat)
    from lens_lsp.lsp.editor_model import editor_chat

    return await editor_chat(ls, settings)


async def _in_words(ls: LensServer, question: Question, thread: str | None, permit: Permit) -> str:
    """What the user is asked: what of how much would be sent where, to begin with."""
    assert permit.model is not None
    what = "excerpts"
    try:
        async with ls.session.turns.taken(lambda _: None):
            preview = await previewed(ls, question, permit, thread)
        prompts = [prompt for _, prompt in preview.requests]
        tokens = sum(prompt.tokens for prompt in prompts)
        size = sum(len(message.text.encode("utf-8", "replace")) for prompt in prompts for message in prompt.messages)
        excerpts = len(preview.sent)
        if excerpts:
            what = f"{excerpts} {'excerpt' if excerpts == 1 else 'excerpts'} ({size:,} bytes, about {tokens:,} tokens)"
    except (LensError, Busy) as error:  # the question itself will tell
        logger.info("a prompt says no number: %s", type(error).__name__)
    model, host = permit.model, permit.model.endpoint
    where = f"the editor's model {model.name}" if host.startswith("editor:") else f"{host} (model {model.name})"
    named = ", ".join(printable_path(workspace) for workspace in question.workspaces)
    return (
        f"Lens: send your question and {what} from {named} to {printable_path(where)}, and more as it reads on?"
        " Send holds for later questions about this workspace, too."
    )
