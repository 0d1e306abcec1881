"""The tools: what each is for, what it takes and gives, and who does it. None of them changes a file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import mcp_types as types
from pydantic import BaseModel

from lens_lsp.client import Refused
from lens_lsp.lsp.locations import uri_of
from lens_lsp.mcp.arguments import (
    Arguments,
    AskArguments,
    CheckArguments,
    CitationArgument,
    ClustersArguments,
    FindArguments,
    ReadArguments,
)
from lens_lsp.mcp.backing import Backing
from lens_lsp.mcp.bounds import Bounds
from lens_lsp.mcp.calling import Call
from lens_lsp.mcp.kept import Kept
from lens_lsp.mcp.results import (
    AskGiven,
    CheckGiven,
    ClustersGiven,
    FindGiven,
    ReadGiven,
)
from lens_lsp.mcp.shaping import ask_given, check_given, clusters_given, find_given, read_given
from lens_lsp.mcp.wording import ask_text, check_text, clusters_text, find_text, read_text
from lens_lsp.model.errors import LensError
from lens_lsp.model.inert import printable_path

A = TypeVar("A", bound=Arguments)
G = TypeVar("G", bound=BaseModel)

_CONSENT = "lens.consent"
_WITH_LINES = re.compile(r"(?P<path>.+?):(?P<first>[1-9]\d{0,8})(?:-(?P<last>[1-9]\d{0,8}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Desk:
    """What the tools work with."""

    backing: Backing
    kept: Kept


Doing = Callable[[Desk, Call, A], Awaitable[G]]


@dataclass(frozen=True, slots=True)
class ReadOnlyTool(Generic[A, G]):
    """A tool. ``open_world``: it may send text to the model that the user configured."""

    name: str
    title: str
    description: str
    takes: type[A]
    gives: type[G]
    doing: Doing[A, G]
    worded: Callable[[G], str]
    open_world: bool = field(default=False)

    def told(self) -> types.Tool:
        """As clients list it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.takes.model_json_schema(),
            output_schema=self.gives.model_json_schema(mode="serialization"),
            annotations=types.ToolAnnotations(
                title=self.title, read_only_hint=True, destructive_hint=False, open_world_hint=self.open_world
            ),
        )


async def ask(desk: Desk, call: Call, arguments: AskArguments) -> AskGiven:
    """Of `ask`: by rules where text may not be sent to the model that is configured, which a warning says."""
    bounds = await call.bounds()
    params: dict[str, object] = {
        "question": arguments.question,
        "scope": _scope(bounds, arguments.paths, arguments.globs),
        "mode": arguments.mode,
        "thread": arguments.thread,
        "budget": {"seconds": arguments.max_seconds},
        "forModel": True,
    }
    warnings = []
    try:
        async with call.told():
            result = await desk.backing.asked(params, bounds, call)
    except asyncio.CancelledError:
        desk.kept.interrupted(arguments.question, call.found, bounds, _searched(bounds, arguments.paths))
        raise
    except Refused as refused:
        if refused.name != _CONSENT:
            raise
        if call.prompt is not None:
            raise call.again(call.prompt) from None
        warnings.append(_without_consent(bounds))
        async with call.told():
            result = await desk.backing.asked({**params, "mode": "evidence"}, bounds, call)
    if result["answerUri"] is not None:
        await desk.kept.answered(arguments.question, result["answerUri"])
    return ask_given(result, bounds, warnings)


async def find_evidence(desk: Desk, call: Call, arguments: FindArguments) -> FindGiven:
    """Of `find_evidence`."""
    bounds = await call.bounds()
    params = {
        "query": arguments.query,
        "scope": _scope(bounds, arguments.paths, arguments.globs),
        "limit": arguments.limit,
        "forModel": True,
    }
    return find_given(await desk.backing.request("lens/find", params, bounds), bounds)


async def read_evidence(desk: Desk, call: Call, arguments: ReadArguments) -> ReadGiven:
    """Of `read_evidence`."""
    bounds = await call.bounds()
    path, first, last = arguments.path, arguments.start_line, arguments.end_line
    named = _WITH_LINES.fullmatch(path)
    if named is not None and first is None and last is None:
        path = named["path"]
        first, last = (None, None) if arguments.span else (int(named["first"]), int(named["last"] or named["first"]))
    params: dict[str, object] = {"uri": uri_of(bounds.resolved(path, arguments.folder)), "forModel": True}
    if arguments.span is not None and not arguments.context:
        params["span"] = arguments.span
    elif arguments.span is not None:
        within = await desk.backing.request("lens/passage", {**params, "span": arguments.span}, bounds)
        first, last = within["lines"]
    if first is not None or last is not None:
        start = max(1, (first or 1) - arguments.context)
        params["lines"] = (start, max(start, (last if last is not None else _LAST_LINE) + arguments.context))
    params["page"] = arguments.page
    return read_given(await desk.backing.request("lens/passage", params, bounds))


async def check_citations(desk: Desk, call: Call, arguments: CheckArguments) -> CheckGiven:
    """Of `check_citations`."""
    bounds = await call.bounds()
    if arguments.answer is not None:
        return check_given(await desk.kept.checked(arguments.answer, bounds))
    broken: dict[int, Mapping[str, Any]] = {}
    held: list[dict[str, object]] = []
    numbers = []
    for n, citation in enumerate(arguments.citations or (), 1):
        try:
            held.append(_held(citation, bounds))
            numbers.append(n)
        except LensError as refused:
            broken[n] = {**_NOWHERE, "state": "broken", "why": str(refused)}
    found = dict(broken)
    if held:
        params = {"citations": held, "forModel": True}
        result = await desk.backing.request("lens/check", params, bounds)
        found.update(zip(numbers, result["citations"], strict=True))
    return check_given(sorted(found.items()))


async def list_clusters(desk: Desk, call: Call, arguments: ClustersArguments) -> ClustersGiven:
    """Of `list_clusters`."""
    bounds = await call.bounds()
    clusters = await desk.kept.clusters(bounds, arguments.ids, fresh=arguments.fresh)
    return clusters_given(clusters, arguments.limit)


_LAST_LINE = 2**31 - 1 - 1_000
_NOWHERE: Mapping[str, Any] = dict.fromkeys(("uri", "folder", "path", "span", "lines", "sha256", "locator"))


def _scope(bounds: Bounds, paths: Sequence[str] | None, globs: Sequence[str] | None) -> dict[str, object]:
    return {"folders": [uri_of(path) for path in _searched(bounds, paths)], "globs": globs}


def _searched(bounds: Bounds, paths: Sequence[str] | None) -> list[str]:
    """What is named, or all there is: never what the user's settings add elsewhere."""
    return [bounds.resolved(path) for path in paths] if paths else list(bounds.paths)


def _held(citation: CitationArgument, bounds: Bounds) -> dict[str, object]:
    beside = None if citation.beside is None else citation.beside.model_dump()
    lines = None if citation.lines is None else sorted(citation.lines)
    return {
        "uri": uri_of(bounds.resolved(citation.path, citation.folder)),
        "quote": citation.quote,
        "sha256": citation.sha256,
        "span": None if citation.span is None else sorted(citation.span),
        "lines": lines,
        "reader": citation.reader,
        "beside": beside,
    }


def _without_consent(bounds: Bounds) -> str:
    folders = " ".join(f"'{printable_path(path)}'" for path in bounds.paths)
    return (
        "answered by rules, without the configured model: the user has not consented to sending it text of "
        f"{bounds.told()}; to allow that once and for all, the user runs: lens ask --yes QUESTION {folders}"
    )


TOOLS: Mapping[str, ReadOnlyTool[Any, Any]] = {
    tool.name: tool
    for tool in (
        ReadOnlyTool(
            "ask",
            "Answer with proof",
            "Answer a question from the user's files. Gives the answer with [n] citations, the status of every fact "
            "that the question needs (covered, missing, contested), each citation as path:first-last lines with its "
            "verbatim quote and the file's sha256, and what was not read. Facts that are missing were not found: "
            "say so instead of guessing.",
            AskArguments,
            AskGiven,
            ask,
            ask_text,
            open_world=True,
        ),
        ReadOnlyTool(
            "find_evidence",
            "Find passages",
            "Find the passages of the user's files that come nearest to a query, ranked, each verbatim with its lines "
            "and sha256 and with what stands around it, and say which words of the query occur nowhere. No model is "
            "used and nothing leaves the machine. Needs no index and sees files as they are.",
            FindArguments,
            FindGiven,
            find_evidence,
            find_text,
        ),
        ReadOnlyTool(
            "read_evidence",
            "Read a passage",
            "Read lines of a file as they are now, around a citation or anywhere. Also reads the text of PDF, Office "
            "files and the like by `span`. Long text comes in pages.",
            ReadArguments,
            ReadGiven,
            read_evidence,
            read_text,
        ),
        ReadOnlyTool(
            "check_citations",
            "Check citations",
            "Compare citations, as the other tools gave them, with the files as they are this second: verified (stands "
            "verbatim at its place), moved (stands elsewhere, with the place now), drifted (the file no longer says "
            "it), broken (no such file). Do this before you show a citation to the user.",
            CheckArguments,
            CheckGiven,
            check_citations,
            check_text,
        ),
        ReadOnlyTool(
            "list_clusters",
            "List what is known",
            "List what earlier questions about these folders proved: questions, facts with status, and with `fresh` "
            "how many of their citations still stand.",
            ClustersArguments,
            ClustersGiven,
            list_clusters,
            clusters_text,
        ),
    )
}
"""By name."""
