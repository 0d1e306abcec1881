"""``lens/clusters``, ``lens/threads``, ``lens/forget``, ``lens/wrong`` and ``lens/ledger``: earlier questions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, cast

from lens_lsp.app.workspace_store import call_wrong, freshness, kept_citations
from lens_lsp.judge.redaction import redacted
from lens_lsp.lsp.lens_answer import AnswerPaths, CitedDocuments, path_of_answer
from lens_lsp.lsp.lens_ask import sent_json
from lens_lsp.lsp.locations import uri_of
from lens_lsp.lsp.model_view import clean_words
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.memory.check import Report, check
from lens_lsp.memory.matching import question_key
from lens_lsp.memory.userdata import Usage, usage_file
from lens_lsp.model.errors import UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.schema.answer_shapes import account_json, moment
from lens_lsp.schema.memory_shapes import SCHEMA, asked_json, citation_json, cluster_json, wrong_json
from lens_lsp.schema.protocol_params import ClustersParams, ForgetParams, LedgerParams, ThreadsParams, WrongParams

if TYPE_CHECKING:
    from lens_lsp.corpus.corpus_rules import CorpusRules
    from lens_lsp.corpus.intake import Buffer
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.server_state import Stores
    from lens_lsp.memory.store import Store
    from lens_lsp.memory.store_rows import AnswerName
    from lens_lsp.model.cluster import Asked, Cluster, Turn


async def clusters(ls: LensServer, params: ClustersParams) -> dict[str, object]:
    """Schema ``lens.clusters/1``, the one used last first; each says its ``workspace``, and what is fresh of it where
    that is asked for."""
    settings = await ls.state.settings()
    rules = settings.rules if params.fresh else None
    answers = ls.state.editor_options.answers
    view = _StoreView(ls.state.stores, ls.state.workspaces, answers, rules, ls.state.buffers())
    found = await asyncio.to_thread(_clusters, view, params.ids)
    if params.for_model:
        sources = CitedDocuments(ls.state, settings.rules)
        found = await asyncio.to_thread(clusters_for_model, found, sources)
    return {"schema": SCHEMA, "clusters": found}


@dataclass(frozen=True, slots=True)
class _StoreView:
    """What is looked at of the stores. ``answers`` is the workspace's own folder of answers; without ``rules`` no
    source is read."""

    stores: Stores
    workspaces: Sequence[str]
    answers: str | None
    rules: CorpusRules | None = None
    buffers: Mapping[str, Buffer] = field(default_factory=dict)

    def answer_uri(self, store: Store, asked: Asked) -> str | None:
        """Where an answer can be read."""
        path = path_of_answer(store, asked, self.answers)
        return None if path is None else uri_of(path)

    def fresh(self, store: Store, workspace: str) -> dict[str, dict[str, int]]:
        """How the citations of each cluster stand, where that is asked for."""
        if self.rules is None:
            return {}
        report = Report()
        check((), report, rules=self.rules, kept=kept_citations(store, workspace), buffers=self.buffers)
        return freshness(store.clusters(), report.findings)


def _clusters(view: _StoreView, ids: Sequence[str] | None) -> list[dict[str, object]]:
    found: list[tuple[float, str, dict[str, object]]] = []
    for workspace, store in view.stores.existing(view.workspaces):
        fresh = view.fresh(store, workspace)
        named = None if ids is None else map(store.cluster, dict.fromkeys(ids))  # few of many, each read alone
        for each in store.clusters() if named is None else filter(None, named):
            shape = _cluster(each, store, workspace, view) | {"freshness": fresh.get(each.id)}
            found.append((-each.used, each.id, shape))
    return [shape for _, _, shape in sorted(found, key=lambda each: each[:2])]


def _cluster(cluster: Cluster, store: Store, workspace: str, view: _StoreView) -> dict[str, object]:
    """A cluster with the URIs of its answers and of the files that it cites."""
    questions = [asked_json(each, cluster) | {"answerUri": view.answer_uri(store, each)} for each in cluster.asked]
    citations = [
        citation_json(id_, each) | {"uri": uri_of(os.path.abspath(os.path.join(workspace, each.root, each.path)))}
        for id_, each in cluster.citations
    ]
    return {"workspace": workspace, **cluster_json(cluster), "questions": questions, "citations": citations}


def clusters_for_model(clusters: list[dict[str, object]], sources: CitedDocuments) -> list[dict[str, object]]:
    """Clusters without the secrets of what they cite, and none that cites a private document. Waits for the disk."""
    shown = [each for each in clusters if not sources.any_private(uri for uri, _ in _cited(each))]
    withheld = {each["id"] for each in clusters} - {each["id"] for each in shown}
    linked = [
        each
        | {
            "links": [
                link for link in cast("list[dict[str, object]]", each["links"]) if link["cluster"] not in withheld
            ]
        }
        for each in shown
    ]
    known = sources.secrets(sorted(cited for each in shown for cited in _cited(each)))
    numbers: dict[str, int] = {}
    return cast("list[dict[str, object]]", clean_words(linked, lambda text: redacted(text, numbers, also=known).text))


def _cited(cluster: dict[str, object]) -> list[tuple[str, str]]:
    """The URI and the quote of each citation of a cluster."""
    return [(str(each["uri"]), str(each["quote"])) for each in cast("list[dict[str, object]]", cluster["citations"])]


async def threads(ls: LensServer, _params: ThreadsParams) -> dict[str, object]:
    """Schema ``lens.threads/1``, the one asked last first."""
    view = _StoreView(ls.state.stores, ls.state.workspaces, ls.state.editor_options.answers)
    found = await asyncio.to_thread(_threads, view)
    return {"schema": "lens.threads/1", "threads": found}


def _threads(view: _StoreView) -> list[dict[str, object]]:
    found: list[tuple[float, dict[str, object]]] = []
    for workspace, store in view.stores.existing(view.workspaces):
        files = AnswerPaths(store, view.answers)
        given = {name: tuple(answers) for name, answers in groupby(store.answers(), key=lambda each: each.cluster)}
        for name, turns in groupby(store.all_turns(), key=lambda turn: turn.thread):
            known = list(turns)
            last = max(turn.at for turn in known)
            asked = moment(last, "milliseconds")
            questions = [_turn(turn, given.get(turn.cluster or ""), files) for turn in known]
            shape = {"workspace": workspace, "name": name, "asked": asked, "questions": questions}
            found.append((-last, shape))
    return [shape for _, shape in sorted(found, key=lambda each: each[0])]


def _turn(turn: Turn, answers: Sequence[AnswerName] | None, files: AnswerPaths) -> dict[str, object]:
    """A question of a thread; ``answers`` are those of its cluster, None where there is no such cluster."""
    key = question_key(turn.question)
    latest = max((each for each in answers or () if each.key == key), key=lambda each: each.at, default=None)
    path = files.unproven(turn.question) if latest is None else files.of(latest.question, latest.id)
    return {
        "typed": turn.typed,
        "question": turn.question,
        "asked": moment(turn.at, "milliseconds"),  # by which it is told from the same question asked again
        "cluster": None if answers is None else turn.cluster,
        "answerUri": path and uri_of(path),
    }


async def forget(ls: LensServer, params: ForgetParams) -> dict[str, object]:
    """Schema ``lens.forgotten/1``. Raises `UsageError` where nothing is named, and what `Store.forget` raises."""
    if bool(params.ids or params.threads) == params.all:
        raise UsageError('say what to forget: {"ids": […]} from lens/clusters, {"threads": […]}, or {"all": true}')
    result = await asyncio.to_thread(_forgotten, ls.state.stores, ls.state.workspaces, params)
    ls.state.forget_answers()
    return result


def _forgotten(stores: Stores, workspaces: Sequence[str], params: ForgetParams) -> dict[str, object]:
    gone: list[str] = []
    files: list[str] = []
    for _, store in stores.existing(workspaces):
        kept = [*(each.id for each in store.clusters()), *(each.id for each in store.wrong())]
        forgotten = store.forget([id_ for id_ in kept if params.all or id_ in params.ids], params.threads)
        gone += forgotten.clusters
        files += forgotten.files
    return {"schema": "lens.forgotten/1", "clusters": gone, "files": files}


async def wrong(ls: LensServer, params: WrongParams) -> dict[str, object]:
    """Schema ``lens.wrong/1``: clusters whose answers are wrong are withdrawn, and their questions are checks that
    ``lens clusters check`` asks again. Raises what `call_wrong` raises."""
    result = await asyncio.to_thread(_called_wrong, ls.state.stores, ls.state.workspaces, params.ids)
    ls.state.forget_answers()
    return result


def _called_wrong(stores: Stores, workspaces: Sequence[str], ids: Sequence[str]) -> dict[str, object]:
    existing = stores.existing(workspaces)
    return wrong_json([each for _, store in existing for each in call_wrong(store, ids)])


async def ledger(ls: LensServer, params: LedgerParams) -> dict[str, object]:
    """Schema ``lens.ledger/1``: what was spent today, at all models, and on the last questions of this session."""
    answers = list(ls.state.accounts)[: params.questions]
    today = await asyncio.to_thread(_today)
    return {
        "schema": "lens.ledger/1",
        "today": today,
        "questions": [
            {
                "question": each.question,
                "mode": each.mode.value,
                "answerUri": None if path is None else uri_of(path),
                "ledger": account_json(each.account) | {"sent": sent_json(each.account.sent, each.roots)},
            }
            for each, path in answers
        ],
    }


def _today() -> dict[str, object] | None:
    """The usage of the day; None where its file is broken or cannot be read."""
    try:
        spent = Usage.read(usage_file()).on(date.today())
    except (OSError, ValueError):
        return None
    return {"calls": spent.calls, "tokens": {"in": spent.tokens_in, "out": spent.tokens_out}, "cost": spent.cost}


CLUSTERS = RequestHandler(clusters, ClustersParams)
FORGET = RequestHandler(forget, ForgetParams)
LEDGER = RequestHandler(ledger, LedgerParams)
THREADS = RequestHandler(threads, ThreadsParams)
WRONG = RequestHandler(wrong, WrongParams)
