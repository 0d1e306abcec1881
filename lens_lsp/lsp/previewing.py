"""What would be sent to a model for a question, with no call made and nothing kept."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from lens_lsp.lsp.lenses import in_time
from lens_lsp.lsp.questions import Question, searched
from lens_lsp.lsp.uris import uri_of

if TYPE_CHECKING:
    from lens_lsp.domain.answer import Sent
    from lens_lsp.lens import Lens
    from lens_lsp.lsp.permitting import Permit
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.memory import Memory
    from lens_lsp.oracle.preview import Preview


async def previewed(ls: LensServer, question: Question, permit: Permit, thread: str | None) -> Preview:
    """The first requests to the model of a permit; to be asked in a turn. Raises what `Lens.ask` raises."""
    paths, rules = searched(ls.session, question, permit.settings)
    memory = await asyncio.get_running_loop().run_in_executor(None, _known, ls, question.home)
    async with in_time(), ls.session.lenses.lent(paths, rules, permit.settings.memory) as loan:
        found = [each async for each in loan.aside(lambda: _preview(loan.lens, question, permit, memory, thread))]
    return found[0]


async def _preview(
    lens: Lens, question: Question, permit: Permit, memory: Memory | None, thread: str | None
) -> AsyncGenerator[Preview]:
    from lens_lsp.oracle.chat import budget_for

    assert permit.model is not None
    yield await lens.preview(
        question.text,
        permit.model,
        mode=permit.mode,
        budget=permit.settings.budget(budget_for(permit.mode, permit.model.context_tokens)),
        buffers=question.buffers,
        asking=question.asking,
        memory=memory,
        thread=None if memory is None else thread,
    )


def _known(ls: LensServer, workspace: str) -> Memory | None:
    """What a workspace remembers, to be read and not added to."""
    from lens_lsp.memory import Memory

    stores = ls.desk.stores.existing([workspace])
    return Memory(stores[0][1], workspace, keeps=False) if stores else None


def sent_json(sent: tuple[Sent, ...], roots: tuple[str, ...]) -> list[dict[str, object]]:
    """Spans that were sent, or would be, each with the URI of its file. ``roots`` are absolute."""
    return [
        {
            "path": each.path,
            "root": each.root,
            "span": [each.span.start, each.span.end],
            "uri": uri_of(os.path.join(roots[each.root], *each.path.split("/"))),
        }
        for each in sent
    ]
