"""One call of a tool: who calls, where that client lets us look, what it is told meanwhile, what its user consents to.

The protocol has two ways to ask a client something. Up to 2025-11-25 the server sends a request of its own while the
call waits; from 2026-07-28 on the call ends with what is needed and comes again with the answers. What comes again is
the client's word, as every answer of its is: it decides where we may look and what its user said.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.lsp.locations import UriRefused, path_of
from lens_lsp.model.errors import PathRefused, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.sanitize import printable_path

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mcp.server.context import ServerRequestContext

SEND, EVIDENCE = "Send", "Evidence only"
"""What the user may choose, as the language server words it."""
_ROOTS_SECONDS = 10.0
_CHOICE: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "choice": {
            "type": "string",
            "title": "May this text be sent?",
            "enum": [SEND, EVIDENCE],
            "default": EVIDENCE,
        }
    },
    "required": ["choice"],
}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that may be read; ``real`` is its path without links."""

    path: str
    real: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """The folders of one moment. Nothing outside of them is looked at, nothing inside is reached through a link."""

    folders: tuple[Folder, ...]
    missing: tuple[str, ...] = ()
    """Folders that were named and are not there, or are none."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The folders, absolute."""
        return tuple(folder.path for folder in self.folders)

    def resolved(self, named: str, folder: str | None = None) -> str:
        """The absolute path of what an agent names: a path from a folder, an absolute one, or a ``file:`` URI.

        Raises `PathRefused` for what lies outside, leads there through a link, or is no plain path.
        """
        path = self._absolute(named, folder)
        for each in self.folders:
            for start in dict.fromkeys((each.path, each.real)):
                if inside(path, start):
                    below = os.path.relpath(path, start)
                    if os.path.realpath(path) != os.path.normpath(os.path.join(each.real, below)):
                        raise PathRefused(f"{printable_path(named)} is not read: a link is on the way to it")
                    return os.path.normpath(os.path.join(each.path, below))
        raise PathRefused(f"{printable_path(named)} is not read: it lies outside of {self.told()}")

    def holds(self, uri: str) -> bool:
        """Whether a ``file:`` URI names something in one of the folders, by its name."""
        try:
            path = path_of(uri)
        except UriRefused:
            return False
        return any(inside(path, each.path) or inside(path, each.real) for each in self.folders)

    def placed(self, path: str) -> tuple[str, str]:
        """The folder that an absolute path lies in, and the way from there; its own folder where it is in none."""
        for each in self.folders:
            if inside(path, each.path) and path != each.path:
                return each.path, os.path.relpath(path, each.path).replace(os.sep, "/")
        return os.path.dirname(path), os.path.basename(path)

    def told(self) -> str:
        """The folders in words."""
        return ", ".join(printable_path(path) for path in self.paths) or "any folder that may be searched"

    def _absolute(self, named: str, folder: str | None) -> str:
        if named.lower().startswith("file:"):
            try:
                return path_of(named)
            except UriRefused as error:
                raise PathRefused(f"{printable_path(named)} is not read: {error}") from error
        if "\0" in named or os.pardir in named.replace("\\", "/").split("/"):
            raise PathRefused(f"{printable_path(named)!r} is not a plain path")
        if os.path.isabs(named):
            return os.path.normpath(named)
        starts = self.paths if folder is None else (self.resolved(folder),)
        tried = [os.path.normpath(os.path.join(start, named)) for start in starts]
        if not tried:
            raise PathRefused(f"{printable_path(named)} is not read: there is no folder to look in")
        return next((path for path in tried if os.path.lexists(path)), tried[0])


def bounds_of(named: Sequence[str], roots: Sequence[str] | None) -> Bounds:
    """What the folders that the command line names, none for any, and the client's roots, None for a client that has no
    such thing, come to. Without both it is the current folder. Folders are absolute or from the current one."""
    asked = named or (() if roots is not None else (os.getcwd(),))
    allowed, missing = _folders(asked), _missing(asked)
    if roots is None:
        return Bounds(_outermost(allowed), missing)
    paths = [path for root in roots if (path := _path(root)) is not None]
    offered, missing = _folders(paths), tuple(dict.fromkeys((*missing, *_missing(paths))))
    if not named:
        return Bounds(_outermost(offered), missing)
    both = [root for root in offered if any(inside(root.real, folder.real) for folder in allowed)]
    both += [folder for folder in allowed if any(inside(folder.real, root.real) for root in offered)]
    return Bounds(_outermost(both), missing)


def required_folders(paths: Sequence[str]) -> tuple[str, ...]:
    """The arguments of the command line as absolute paths. Raises `UsageError` where none of them is a folder."""
    missing = [path for path in paths if not os.path.isdir(path)]
    if missing and len(missing) == len(paths):
        raise UsageError(
            f"{printable_path(missing[0])!r} is no folder; name folders that an agent may search"
            if len(missing) == 1
            else f"none of these is a folder: {', '.join(map(printable_path, missing))}; name folders that an agent may"
            " search"
        )
    return tuple(os.path.abspath(path) for path in paths)


def _missing(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.path.abspath(path) for path in paths if not os.path.isdir(path)))


def _path(uri: str) -> str | None:
    try:
        return path_of(uri)
    except UriRefused:
        return None


def _folders(paths: Iterable[str]) -> list[Folder]:
    absolute = [os.path.abspath(path) for path in paths]
    return [Folder(path, os.path.realpath(path)) for path in absolute if os.path.isdir(path)]


def _outermost(folders: Sequence[Folder]) -> tuple[Folder, ...]:
    """Folders without those inside of others, each once."""
    once = {folder.real: folder for folder in reversed(folders)}
    kept = [folder for folder in once.values() if not any(inside(folder.real, o) for o in once if o != folder.real)]
    return tuple(sorted(kept, key=lambda folder: folder.path))


class AnswersNeeded(Exception):
    """The call has to come again with answers to these requests (2026-07-28)."""

    def __init__(self, requests: dict[str, types.InputRequest], state: str | None) -> None:
        super().__init__(", ".join(requests))
        self.result = types.InputRequiredResult(input_requests=requests, request_state=state)


@dataclass(slots=True)
class Roots:
    """The roots of a client of the earlier protocol, asked for again when it says that they changed."""

    known: tuple[str, ...] | None = None
    last: tuple[str, ...] | None = None
    """What any call was given last."""


@dataclass(slots=True)
class Call:
    """A call of a tool, or another request of a client."""

    context: ServerRequestContext[Any, Any]
    named: Sequence[str]
    """The folders of the command line."""
    use_roots: bool
    roots: Roots
    given: types.InputResponseRequestParams | None = None
    """What came with the call, where it may come again."""
    found: list[Mapping[str, Any]] = field(default_factory=list)
    """Evidence that was told of while the question ran."""
    prompt: str | None = None
    """What the user is to be asked before the call can go on."""
    _named_roots: tuple[str, ...] | None = None
    _said: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    @property
    def _modern(self) -> bool:
        return self.context.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def bounds(self) -> Bounds:
        """Where this call may look. Raises `AnswersNeeded`, and `PathRefused` where that is nowhere."""
        bounds = bounds_of(self.named, await self._roots())
        if not bounds.folders:
            raise PathRefused(
                "there is no folder to search: the client names no root that is a folder"
                + (" within the folders of the command line" if self.named else "")
                + "; open a folder in the client, or start the server as `lens mcp --no-roots FOLDER`"
            )
        return bounds

    async def _roots(self) -> tuple[str, ...] | None:
        capabilities = self.context.session.client_capabilities
        if not self.use_roots or capabilities is None or capabilities.roots is None:
            return None
        if self._modern:
            self.roots.last = self._named_roots = self._roots_given()
        else:
            if self.roots.known is None:
                self.roots.known = await self._roots_asked()
            self.roots.last = self.roots.known
        return self.roots.last

    async def _roots_asked(self) -> tuple[str, ...]:
        try:
            result = await self.context.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, request_read_timeout_seconds=_ROOTS_SECONDS
            )
        except (MCPError, ValidationError) as error:
            raise PathRefused("nothing is searched: the client has roots and does not say which") from error
        return tuple(str(root.uri) for root in result.roots)

    def _roots_given(self) -> tuple[str, ...]:
        if self.given is None:  # a request that cannot come again
            return self.roots.last or ()
        answer = (self.given.input_responses or {}).get("roots")
        if isinstance(answer, types.ListRootsResult):
            return tuple(str(root.uri) for root in answer.roots)
        kept = self._state().get("roots")
        if isinstance(kept, list):
            return tuple(str(each) for each in kept)
        raise AnswersNeeded({"roots": types.ListRootsRequest()}, None)

    @asynccontextmanager
    async def progress_reported(self) -> AsyncGenerator[None]:
        """While what is being done is told to the client, where it wants to know."""
        telling = asyncio.get_running_loop().create_task(self._tell())
        try:
            yield
        finally:
            telling.cancel()

    async def _tell(self) -> None:
        count = 0
        while True:
            words = await self._said.get()
            count += 1
            await self.context.session.report_progress(count, None, words)

    def progressed(self, words: str) -> None:
        """Something is being done."""
        self._said.put_nowait(words)

    def happened(self, event: Mapping[str, Any]) -> None:
        """An event of the search: passages are kept, should the call be cancelled."""
        if event["type"] == "evidenceFound":
            self.found.append(event["evidence"])

    async def prompted(self, words: str) -> str | None:
        """What the user says; None where the client cannot ask, or has to be asked by coming again."""
        if not self._asks_by_forms():
            return None
        if self._modern:
            return self._choice_given(words)
        try:
            answer = await self.context.session.elicit_form(words, dict(_CHOICE))
        except (MCPError, ValidationError):
            return None
        return _chosen(answer)

    def _asks_by_forms(self) -> bool:
        capabilities = self.context.session.client_capabilities
        offered = None if capabilities is None else capabilities.elicitation
        return offered is not None and (offered.form is not None or offered.url is None)

    def _choice_given(self, words: str) -> str | None:
        answer = None if self.given is None else (self.given.input_responses or {}).get("consent")
        if isinstance(answer, types.ElicitResult) and self._state().get("prompt") == _digest(words):
            return _chosen(answer)
        self.prompt = words
        return None

    def again(self, prompt: str) -> AnswersNeeded:
        """What the call needs to come again with: what the user says to a prompt."""
        params = types.ElicitRequestFormParams(message=prompt, requested_schema=dict(_CHOICE))
        state = json.dumps({"prompt": _digest(prompt), "roots": self._named_roots})
        return AnswersNeeded({"consent": types.ElicitRequest(params=params)}, state)

    def _state(self) -> Mapping[str, Any]:
        try:
            state = json.loads((self.given and self.given.request_state) or "{}")
        except (ValueError, RecursionError):
            return {}
        return state if isinstance(state, dict) else {}


def _chosen(answer: types.ElicitResult) -> str:
    content = answer.content or {}
    return SEND if answer.action == "accept" and content.get("choice") == SEND else EVIDENCE


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
