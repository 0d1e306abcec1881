"""What would be sent to a model for a question, with no call made and nothing kept."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from lens_lsp.app.question import preview
from lens_lsp.lsp.lenses import in_time
from lens_lsp.lsp.questions import Question
from lens_lsp.lsp.uris import uri_of

if TYPE_CHECKING:
    from lens_lsp.app.history import Memory
    from lens_lsp.app.lens import Lens
    from lens_lsp.app.oracle_factory import OracleFactory
    from lens_lsp.judge.llm.conversation import Preview
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.model.answer import Sent


async def previewed(ls: LensServer, question: Question, factory: OracleFactory) -> Preview:
    """The first requests to a model; to be asked in a turn. Raises what `Lens.ask` raises."""
    paths, rules = question.searched(factory.settings)
    memory = await asyncio.get_running_loop().run_in_executor(None, _known, ls, question.home)
    async with in_time(), ls.session.lenses.lent(paths, rules, factory.settings.memory) as loan:
        found = [each async for each in loan.aside(lambda: _preview(loan.lens, question, factory, memory))]
    return found[0]


async def _preview(
    lens: Lens, question: Question, factory: OracleFactory, memory: Memory | None
) -> AsyncGenerator[Preview]:
    yield await preview(lens, question.request, factory, memory=memory)


def _known(ls: LensServer, workspace: str) -> Memory | None:
    """What a workspace remembers, to be read and not added to."""
    from lens_lsp.app.history import Memory

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
