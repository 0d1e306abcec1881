"""What is kept, as resources: answers and clusters of earlier questions, and what was found until a question was
cancelled."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from lens_lsp.mcp.backing import Backing
from lens_lsp.mcp.bounds import Bounds
from lens_lsp.mcp.results import SCHEMA, CitationGiven
from lens_lsp.mcp.shaping import answer_resource, citation_given, cluster_given, cluster_resource
from lens_lsp.model.errors import PathRefused, UsageError

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


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found for a question until it was cancelled."""

    question: str
    citations: tuple[CitationGiven, ...]


class Kept:
    """The resources of a server. ``announce`` tells clients that there are others now."""

    def __init__(self, backing: Backing, announce: Callable[[], Awaitable[None]]) -> None:
        self._backing = backing
        self._announce = announce
        self._answers: dict[str, tuple[str, str]] = {}
        """The question and the file's URI of each answer of this server; not every one joins a cluster."""
        self._found: dict[str, _Found] = {}
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
        self._found[f"{_FOUND}{self._count}"] = _Found(question, tuple(citations))
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
            found.append(
                types.Resource(
                    uri=cluster_resource(cluster["id"]), name=f"cluster: {cluster['title']}", mime_type=_JSON
                )
            )
            found += [
                types.Resource(uri=answer_resource(each["answerUri"]), name=each["question"], mime_type=_MARKDOWN)
                for each in cluster["questions"]
                if each["answerUri"] is not None
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
        found = (await self._backing.request("lens/check", params, bounds))["citations"]
        told = []
        for n, (each, checked) in enumerate(zip(cited, found, strict=True), 1):
            drifted = {**checked, "state": "drifted", "why": each["altered"]} if each["altered"] else checked
            told.append((int(each["label"]) if each["label"].isdecimal() else n, drifted))
        return told

    async def _answer(self, uri: str, bounds: Bounds) -> Mapping[str, Any]:
        places = [place for _, place in self._answers.values()]
        places += [
            asked["answerUri"]
            for cluster in await self.clusters(bounds)
            for asked in cluster["questions"]
            if asked["answerUri"] is not None
        ]
        place = next((place for place in places if answer_resource(place) == uri), None)
        if place is None:
            raise UsageError("there is no such answer; resources and list_clusters name them")
        params = {"answer": place, "forModel": True}
        answer: Mapping[str, Any] = await self._backing.request("lens/answer", params, bounds)
        if not all(bounds.holds(cited["uri"]) for cited in answer["citations"]):
            raise PathRefused(f"this answer rests on files outside of {bounds.told()}")
        return answer

    async def clusters(
        self, bounds: Bounds, ids: Sequence[str] | None = None, *, fresh: bool = False
    ) -> list[Mapping[str, Any]]:
        """What earlier questions left, all of it or these; nothing of what rests on files elsewhere."""
        params = {"ids": ids, "fresh": fresh, "forModel": True}
        result = await self._backing.request("lens/clusters", params, bounds)
        return [each for each in result["clusters"] if all(bounds.holds(cited["uri"]) for cited in each["citations"])]


def _as_json(uri: str, value: Mapping[str, Any]) -> types.TextResourceContents:
    return types.TextResourceContents(
        uri=uri, mime_type=_JSON, text=json.dumps({"schema": SCHEMA, **value}, ensure_ascii=True, indent=1)
    )
