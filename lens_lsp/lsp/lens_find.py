"""``lens/find``: the passages that come nearest, ranked; no loop and no model."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lens_lsp.app.settings import Settings
from lens_lsp.judge.cancellation import QuestionTasks
from lens_lsp.lsp.editor_window import WorkDoneProgress
from lens_lsp.lsp.lens_answer import AnswerDestination
from lens_lsp.lsp.lens_ask import AnsweredQuestion, FrozenQuestion, SearchObserver, freeze, write_down
from lens_lsp.lsp.model_view import for_model
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.lsp.workspace_pool import WorkspaceLease, in_time
from lens_lsp.model.answer import Account, Answer, Mode, Status, StopReason
from lens_lsp.model.documents import Findings
from lens_lsp.model.plan import Intent
from lens_lsp.schema.answer import findings_json
from lens_lsp.schema.protocol import FindParams

if TYPE_CHECKING:
    from lens_lsp.app.lens import FindObserver
    from lens_lsp.app.settings import Request
    from lens_lsp.lsp.server import LensServer


async def find(ls: LensServer, params: FindParams) -> dict[str, object]:
    """The ranked passages, schema ``lens.evidence/2`` with locations. Raises as `find_passages`."""
    found = await find_passages(ls, params)
    if not params.for_model:
        return found.result
    return for_model(found.result, found.saved.answer.evidence, found.saved.citations)


async def find_passages(ls: LensServer, params: FindParams, *, listed: bool = False) -> AnsweredQuestion:
    """Passages, and where ``listed`` the file that lists them. Raises `RequestFailed` when too many wait, and as
    `Lens.find`."""
    question = freeze(ls.state, params)
    with WorkDoneProgress(ls, params.work_done_token, "Lens") as progress:
        async with progress.turn():
            return await _find(ls, question, progress, listed=listed)


async def rank_passages(
    lease: WorkspaceLease, request: Request, observer: FindObserver, settings: Settings = Settings()
) -> Findings:
    """The passages that come nearest; who is cancelled tells the search to end, and the lease lasts until it has.
    Raises as `Lens.find`."""

    async def search() -> Findings:
        async with QuestionTasks() as work:
            return await work.start(
                lambda: lease.lens.find(request, observer=observer, cancelled=work.cancelled, settings=settings)
            )

    return await lease.call(search)


async def _find(
    ls: LensServer, question: FrozenQuestion, progress: WorkDoneProgress, *, listed: bool
) -> AnsweredQuestion:
    state = ls.state
    settings = await state.settings(fresh=True)
    paths, rules = question.searched(settings)
    async with in_time(), state.pool.lent(paths, rules, settings.memory) as lease:
        observer = SearchObserver(progress.from_thread())
        findings = await rank_passages(lease, question.request, observer, settings)
    nowhere = destination = AnswerDestination(None, None)
    if listed:
        folder = state.editor_options.answers
        destination = AnswerDestination(
            folder, None if folder else await asyncio.to_thread(state.stores.made, question.home)
        )
    answer, shape = as_answer(findings), findings_json(findings)
    look = partial(write_down, answer, shape, findings.warnings, question, state.buffers(), paths, rules, strict=True)
    return await asyncio.to_thread(look, destination if findings.evidence else nowhere)


def as_answer(findings: Findings) -> Answer:
    """Passages as an answer that claims nothing: a list of where to read on."""
    lines = [f"{n}. {' › '.join(item.heading) or item.path} [{item.n}]" for n, item in enumerate(findings.evidence, 1)]
    return Answer(
        question=findings.query,
        mode=Mode.EVIDENCE,
        intent=Intent.LOOKUP,
        seed=0,
        roots=findings.roots,
        status=Status.PARTIAL if findings.evidence else Status.UNANSWERED,
        stopped=StopReason.DIRECT,
        text="\n".join(lines) or "Nothing was found.",
        short=None,
        requirements=(),
        evidence=findings.evidence,
        computation=None,
        documents=findings.documents,
        coverage=findings.coverage,
        account=Account(),
        compression=findings.compression,
    )


FIND = RequestHandler(find, FindParams)
