"""The language server behind the tools, and the answers and clusters that it keeps, as resources of the protocol."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import mcp_types as types

from lens_lsp.client import Client, Refused, ServerGone, unhandled
from lens_lsp.lsp.locations import uri_of
from lens_lsp.mcp.calls import Bounds
from lens_lsp.mcp.tool_schema import (
    SCHEMA,
    CitationGiven,
    answer_resource,
    citation_given,
    cluster_given,
    cluster_resource,
)
from lens_lsp.model.errors import LensError, PathRefused, UsageError
from lens_lsp.model.lazy_dataclass import dataclass

_CAPABILITIES: Mapping[str, object] = {
    "general": {"positionEncodings": ["utf-32"]},
    "window": {"showMessage": {"messageActionItem": {}}},
    "workspace": {"workspaceFolders": True},
}
_PROMPT = "window/showMessageRequest"
_ANSWER, _CLUSTER, _FOUND = "lens://answer/", "lens://cluster/", "lens://found/"
_MOST_FOUND = 20
_MARKDOWN, _JSON = "text/markdown", "application/json"
TEMPLATES = (
    types.ResourceTemplate(
        name="answer", uri_template=_ANSWER + "{name}", mime_type=_MARKDOWN, description="An earlier answer, cited."
    ),
    types.ResourceTemplate(
        name="cluster", uri_template=_CLUSTER + "{id}", mime_type=_JSON, description="What earlier questions proved."
    ),
)


class Unavailable(LensError):
    """The language server cannot answer now; the message says why."""

    code = "lens.unavailable"


class QuestionObserver(Protocol):
    """Who is told how a question goes on."""

    def progressed(self, words: str) -> None:
        """Something is being done."""

    def happened(self, event: Mapping[str, Any]) -> None:
        """An event of the search."""

    async def prompted(self, words: str) -> str | None:
        """The user is to be asked; what is chosen, None where nobody can be asked."""


class Backend:
    """The language server behind the tools, one process at a time: started when it is first needed and again when it
    has ended, told of the folders that hold now. What it says is handed to the calls that it is about.

    On the event loop only. Implements `ServerListener`.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._client: Client | None = None
        self._served: tuple[str, ...] = ()
        self._lock = asyncio.Lock()
        self._heard: dict[str, QuestionObserver] = {}
        self._tokens = itertools.count(1)

    async def result(self, method: str, params: Mapping[str, object], bounds: Bounds) -> Any:
        """The result of a request about these folders. Raises `Refused` and `Unavailable`."""
        client = await self._served_for(bounds)
        try:
            return await client.request(method, params)
        except ServerGone as gone:
            raise Unavailable(f"{gone}; it is started again by the next call") from None

    async def ask(self, params: Mapping[str, object], bounds: Bounds, heard: QuestionObserver) -> Any:
        """The result of a question, of which ``heard`` hears. Raises as `result`."""
        token = f"mcp-{next(self._tokens)}"
        self._heard[token] = heard
        try:
            return await self.result("lens/ask", {**params, "workDoneToken": token}, bounds)
        finally:
            del self._heard[token]

    async def close(self) -> None:
        """Have the language server leave; its process is gone afterwards."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def notification(self, method: str, params: Any) -> None:
        """What the language server tells."""
        heard = self._heard.get(str(params.get("token"))) if isinstance(params, dict) else None
        if heard is None:
            return
        if method == "lens/event":
            heard.happened(params)
        elif method == "$/progress" and (words := params["value"].get("message")):
            heard.progressed(str(words))

    async def request(self, method: str, params: Any) -> object:
        """What the language server asks: whether text may be sent to a model. One call is asked for all that wait."""
        if method != _PROMPT:
            raise unhandled(method)
        for heard in list(self._heard.values()):
            choice = await heard.prompted(str(params["message"]))
            if choice is not None:
                return {"title": choice}
        return None

    async def _served_for(self, bounds: Bounds) -> Client:
        async with self._lock:
            client = self._client
            if client is not None and not client.listening:
                await client.close()  # it has ended, or will answer nothing any more
                client = None
            if client is None:
                client = await self._started(bounds)
            elif self._served != bounds.paths:
                added = [{"uri": uri_of(path), "name": path} for path in bounds.paths if path not in self._served]
                removed = [{"uri": uri_of(path), "name": path} for path in self._served if path not in bounds.paths]
                event = {"event": {"added": added, "removed": removed}}
                client.notify("workspace/didChangeWorkspaceFolders", event)
            self._client, self._served = client, bounds.paths
            return client

    async def _started(self, bounds: Bounds) -> Client:
        try:
            return await Client.start(
                bounds.paths,
                self,
                options={"events": True, "settings": {}},
                capabilities=_CAPABILITIES,
                env=self._environment,
            )
        except (ServerGone, Refused, OSError) as error:
            raise Unavailable(f"the language server could not be started: {error}") from None


@dataclass(frozen=True, slots=True)
class CancelledQuestion:
    """What was found for a question until it was cancelled."""

    question: str
    citations: tuple[CitationGiven, ...]


class Resources:
    """The resources of a server. ``announce`` tells clients that there are others now."""

    def __init__(self, backend: Backend, announce: Callable[[], Awaitable[None]]) -> None:
        self._backend = backend
        self._announce = announce
        self._answers: dict[str, tuple[str, str]] = {}
        """The question and the file's URI of each answer of this server; not every one joins a cluster."""
        self._found: dict[str, CancelledQuestion] = {}
        self._count = 0

    async def answered(self, question: str, uri: str) -> None:
        """An answer was kept: there is one resource more."""
        self._answers[answer_resource(uri)] = (question, uri)
        await self._announce()

    def interrupted(
        self, question: str, evidence: Sequence[Mapping[str, Any]], bounds: Bounds, searched: Sequence[str]
    ) -> None:
        """Keep what a cancelled question found, for as long as the server runs; the 20 last ones."""
        given = [citation_given(each, searched, bounds) for each in evidence if each["root"] < len(searched)]
        once = {(each.folder, each.path, each.span): each for each in given}
        citations = [each.model_copy(update={"n": n}) for n, each in enumerate(once.values(), 1)]
        self._count += 1
        self._found[f"{_FOUND}{self._count}"] = CancelledQuestion(question, tuple(citations))
        while len(self._found) > _MOST_FOUND:
            del self._found[next(iter(self._found))]

    async def listed(self, bounds: Bounds | None) -> list[types.Resource]:
        """All there are; without bounds only what this server keeps itself."""
        found = [
            types.Resource(uri=uri, name=f"found until cancelled: {each.question}", mime_type=_JSON)
            for uri, each in self._found.items()
        ]
        found += [
            types.Resource(uri=uri, name=question, mime_type=_MARKDOWN) for uri, (question, _) in self._answers.items()
        ]
        for cluster in [] if bounds is None else await self.clusters(bounds):
            uri, name = cluster_resource(cluster["id"]), f"cluster: {cluster['title']}"
            found.append(types.Resource(uri=uri, name=name, mime_type=_JSON))
            found += [
                types.Resource(uri=answer_resource(place), name=question, mime_type=_MARKDOWN)
                for question, place in _answers_of(cluster)
            ]
        return list({each.uri: each for each in found}.values())

    async def read(self, uri: str, bounds: Bounds) -> types.TextResourceContents:
        """One of them. Raises `UsageError` for what is none."""
        if uri in self._found:
            found = self._found[uri]
            citations = [each.model_dump(mode="json", exclude_defaults=True) for each in found.citations]
            return _as_json(uri, {"question": found.question, "stopped": "cancelled", "citations": citations})
        if uri.startswith(_CLUSTER):
            for cluster in await self.clusters(bounds):
                if cluster_resource(cluster["id"]) == uri:
                    return _as_json(uri, cluster_given(cluster).model_dump(mode="json"))
        if uri.startswith(_ANSWER):
            answer = await self._answer(uri, bounds)
            return types.TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=answer["text"])
        raise UsageError("there is no such resource; list them")

    async def checked(self, answer: str, bounds: Bounds) -> list[tuple[int, Mapping[str, Any]]]:
        """What became of each citation of an answer, with its number. Raises `UsageError` for what is no answer."""
        cited = (await self._answer(answer, bounds))["citations"]
        if not cited:
            return []
        held = [{key: each[key] for key in each if key not in ("label", "altered")} for each in cited]
        params = {"citations": held, "forModel": True}
        found = (await self._backend.result("lens/check", params, bounds))["citations"]
        told = []
        for n, (each, checked) in enumerate(zip(cited, found, strict=True), 1):
            drifted = {**checked, "state": "drifted", "why": each["altered"]} if each["altered"] else checked
            told.append((int(each["label"]) if each["label"].isdecimal() else n, drifted))
        return told

    async def _answer(self, uri: str, bounds: Bounds) -> Mapping[str, Any]:
        kept = [*self._answers.values()]
        kept += [answer for cluster in await self.clusters(bounds) for answer in _answers_of(cluster)]
        place = next((place for _, place in kept if answer_resource(place) == uri), None)
        if place is None:
            raise UsageError("there is no such answer; resources and list_clusters name them")
        params = {"answer": place, "forModel": True}
        answer: Mapping[str, Any] = await self._backend.result("lens/answer", params, bounds)
        if not all(bounds.holds(cited["uri"]) for cited in answer["citations"]):
            raise PathRefused(f"this answer rests on files outside of {bounds.told()}")
        return answer

    async def clusters(
        self, bounds: Bounds, ids: Sequence[str] | None = None, *, fresh: bool = False
    ) -> list[Mapping[str, Any]]:
        """What earlier questions left, all of it or these; nothing of what rests on files elsewhere."""
        params = {"ids": ids, "fresh": fresh, "forModel": True}
        result = await self._backend.result("lens/clusters", params, bounds)
        return [each for each in result["clusters"] if all(bounds.holds(cited["uri"]) for cited in each["citations"])]


def _answers_of(cluster: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The questions of a cluster whose answers are kept, with the URIs of these."""
    return [(asked["question"], asked["answerUri"]) for asked in cluster["questions"] if asked["answerUri"] is not None]


def _as_json(uri: str, value: Mapping[str, Any]) -> types.TextResourceContents:
    return types.TextResourceContents(
        uri=uri, mime_type=_JSON, text=json.dumps({"schema": SCHEMA, **value}, ensure_ascii=True, indent=1)
    )
