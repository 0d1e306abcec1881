"""``lens/find``: the passages that come nearest, ranked; no loop and no model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from lens_lsp.app.settings.settings import Settings
from lens_lsp.corpus.opening import folders_at
from lens_lsp.lsp.answers import Shelf, keep, recorded
from lens_lsp.lsp.asking import Asked, Observer, with_places
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.for_models import for_model
from lens_lsp.lsp.lenses import Loan, in_time
from lens_lsp.lsp.locations import places_of
from lens_lsp.lsp.progress import Progress
from lens_lsp.lsp.questions import Question, frozen
from lens_lsp.lsp.requests import FindParams
from lens_lsp.lsp.uris import uri_of
from lens_lsp.model.answer import Account, Answer, Mode, Status, StopReason
from lens_lsp.model.documents import Findings
from lens_lsp.model.plan import Intent
from lens_lsp.schema.answer import findings_json
from lens_lsp.search.work import Work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lens_lsp.app.lens import FindObserver, Lens
    from lens_lsp.app.request import Request
    from lens_lsp.corpus.rules import CorpusRules
    from lens_lsp.corpus.snapshot import Buffer
    from lens_lsp.lsp.server import LensServer


async def find(ls: LensServer, params: FindParams) -> dict[str, object]:
    """The ranked passages, schema ``lens.evidence/2`` with locations. Raises as `found`."""
    asked = await found(ls, params)
    if not params.for_model:
        return asked.result
    return for_model(asked.result, asked.saved.answer.evidence, asked.saved.citations)


async def found(ls: LensServer, params: FindParams, *, listed: bool = False) -> Asked:
    """Passages, and where ``listed`` the file that lists them. Raises `RequestFailed` when too many wait, and as
    `Lens.find`."""
    question = frozen(ls.session, params)
    with Progress(ls, params.work_done_token, "Lens") as progress:
        async with progress.turn():
            return await _found(ls, question, progress, listed=listed)


async def ranked(loan: Loan, request: Request, observer: FindObserver, settings: Settings = Settings()) -> Findings:
    """The passages that come nearest; who is cancelled tells the search to end, and the loan lasts until it has. Raises
    as `Lens.find`."""
    found = [each async for each in loan.aside(lambda: _ranked(loan.lens, request, observer, settings))]
    return found[0]


async def _ranked(lens: Lens, request: Request, observer: FindObserver, settings: Settings) -> AsyncGenerator[Findings]:
    """The one item of `ranked`, on an event loop of its own."""
    async with Work() as work:
        yield await work.start(
            lambda: lens.find(request, observer=observer, cancelled=work.cancelled, settings=settings)
        )


async def _found(ls: LensServer, question: Question, progress: Progress, *, listed: bool) -> Asked:
    session, desk = ls.session, ls.desk
    settings = await session.settings(fresh=True)
    paths, rules = question.searched(settings)
    run = asyncio.get_running_loop().run_in_executor
    async with in_time(), session.lenses.lent(paths, rules, settings.memory) as loan:
        observer = Observer(progress.from_thread())
        findings = await ranked(loan, question.request, observer, settings)
    shelf = Shelf(None, None)
    if listed:
        folder = desk.configuration.editor.answers
        shelf = Shelf(folder, None if folder else await run(None, desk.stores.made, question.home))
    return await run(None, _listed, findings, question, session.buffers(), paths, rules, shelf)


def _listed(
    findings: Findings,
    question: Question,
    buffers: Mapping[str, Buffer],
    paths: tuple[str, ...],
    rules: CorpusRules,
    shelf: Shelf,
) -> Asked:
    answer = as_answer(findings)
    saved = recorded(answer, folders_at(paths), rules, question.request.buffers)
    contexts = {item.n: item.context for item in answer.evidence}
    places = places_of(saved.citations, rules, buffers, question.encoding, question.texts, contexts)
    items, warnings = with_places(findings.evidence, places, question)
    kept = keep(saved, shelf) if findings.evidence else None
    path = None if kept is None else kept.path
    result = findings_json(findings) | {
        "evidence": items,
        "warnings": [*findings.warnings, *warnings],
        "answerUri": None if path is None else uri_of(path),
    }
    return Asked(result, saved, path)


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


ENDPOINT = Endpoint(find, FindParams)
