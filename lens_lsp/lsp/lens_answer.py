"""``lens/answer``: an earlier answer and what it cites; and the files that answers are kept in.

Answers are written where the workspace keeps them, with citations that anyone can check.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lens_lsp.corpus.corpus_rules import ANYWHERE, inside
from lens_lsp.corpus.safe_open import Skipped
from lens_lsp.corpus.text_marks import find_generated
from lens_lsp.disk import ORDINARY
from lens_lsp.judge.redaction import Fragments, redacted, rests, secrets_of
from lens_lsp.lsp.lens_text import document_at, workspace_path
from lens_lsp.lsp.locations import UriRefused, path_of, uri_of
from lens_lsp.lsp.model_view import beside
from lens_lsp.lsp.request_handler import RequestFailed, RequestHandler
from lens_lsp.memory.answer_files import ANSWERS, Saved, file_name, is_answer, put_answer, question_of
from lens_lsp.memory.answer_parser import Held, Written, read_citing
from lens_lsp.memory.citation_records import records_above, records_root
from lens_lsp.memory.clusters import identify
from lens_lsp.memory.matching import question_key
from lens_lsp.memory.notes import read_note
from lens_lsp.memory.sources import Sources
from lens_lsp.memory.store_file import NotSaved, NotSavedReason
from lens_lsp.model.answer import Answer, Status, StopReason
from lens_lsp.model.cluster import OFFLINE, Citation
from lens_lsp.model.documents import Document
from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.schema.protocol_params import AnswerParams, Beside
from lens_lsp.schema.protocol_results import AnswerCitation, KeptAnswer

if TYPE_CHECKING:
    from lens_lsp.corpus.corpus_rules import CorpusRules
    from lens_lsp.corpus.intake import Buffer
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.server_state import ServerState, Stores
    from lens_lsp.memory.store import Store
    from lens_lsp.model.cluster import Asked, Cluster

_ID_AND_ENDING = 8 + len(".md")
"""Characters at the end of the name of an answer's file."""
_HEAD_BYTES = 64
_LARGEST = 4 << 20
"""Characters of an answer's file that are looked into."""


@dataclass(frozen=True, slots=True)
class AnswerDestination:
    """Where answers are kept: a folder of one of the ``workspaces``, else its store; nowhere without either."""

    folder: str | None
    store: Store | None
    workspaces: tuple[str, ...] = ()

    @property
    def place(self) -> str | None:
        """The folder of the files."""
        if self.folder is not None or self.store is None:
            return self.folder
        return str(self.store.path.parent / ANSWERS)


def record_citations(answer: Answer, roots: Sequence[str], rules: CorpusRules, buffers: Mapping[str, Buffer]) -> Saved:
    """An answer with its citations, ready to be written anywhere. ``roots`` are absolute. Reads the sources."""
    with Sources(ANYWHERE, rules=rules, buffers=buffers) as sources:
        ordered = sorted(answer.evidence, key=lambda item: (item.root, item.path))
        citations: dict[int, Citation] = {item.n: sources.record(item, roots[item.root]) for item in ordered}
    return Saved(replace(answer, roots=tuple(roots)), citations, datetime.now(UTC), None, private=False)


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """The file of an answer; ``new`` unless a better one stayed there."""

    path: str
    new: bool = True


def write_answer_file(saved: Saved, destination: AnswerDestination) -> WrittenFile | None:
    """Write an answer to its file, over an earlier one of its question. A whole one is not written over by one that was
    stopped.

    None for one that rests on private documents, and where there is no destination. Raises `NotSaved`.
    """
    answer = saved.answer
    if any(item.private for item in answer.evidence):
        return None
    oracle = answer.account.endpoint or OFFLINE
    name = file_name(answer.question, identify("asked", question_key(answer.question), oracle))
    folder = destination.place
    if folder is None:
        return None
    path = os.path.join(folder, name)
    if answer.stopped is StopReason.CANCELLED and _is_whole(path):
        return WrittenFile(path, new=False)
    if destination.folder is None and destination.store is not None:
        return WrittenFile(str(destination.store.keep_answer(name, saved)))
    root, target = records_root(folder, destination.workspaces), Path(path)
    try:  # into a folder whose path has no link
        put_answer(target, saved, root, ORDINARY, Path(target.anchor))
    except OSError as error:
        why = f"the answer was not saved in {folder}: {error.strerror or error}"
        raise NotSaved(NotSavedReason.IO, why) from error
    return WrittenFile(path)


def held_in(path: str) -> Sequence[Held]:
    """The answers that a file holds; none where there is no file that can be read."""
    try:
        if not os.path.isfile(path):  # a pipe would be waited for
            return ()
        with open(path, encoding="utf-8", errors="replace") as file:
            return read_citing(file.read(_LARGEST)).held
    except OSError:
        return ()


def first_line(path: str) -> int:
    """The line, from 1, at which the words of an answer file begin: behind its front matter and its question."""
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        asked = False
        for number, line in enumerate(file, 1):
            if asked and line.strip():
                return number
            asked = asked or line.startswith("# ")
    return 1


def _is_whole(path: str) -> bool:
    """Whether a file holds an answer to all of its question."""
    return any(held.status == Status.ANSWERED.value and not held.block for held in held_in(path))


def answer_file(stores: Stores, workspaces: Sequence[str], wanted: str | None, folder: str | None = None) -> str | None:
    """The answer file that is meant by its URI, the id of its cluster or its question; the last one for None.
    ``folder`` is where the editor's answers are kept, None for the store's.

    Waits for the disk.
    """
    if wanted is not None:
        with suppress(UriRefused):
            path = path_of(wanted)
            places = [*workspaces, *map(str, stores.answers(workspaces))]
            return path if os.path.isfile(path) and any(inside(path, place) for place in places) else None
    known = [(store, cluster) for _, store in stores.existing(workspaces) for cluster in store.clusters()]
    if wanted is not None:
        key = question_key(wanted)
        known = [(store, each) for store, each in known if wanted == each.id or key in {a.key for a in each.asked}]
    files = [found for store, cluster in known for found in answers_of(store, cluster, folder)]
    return max(files, default=(0.0, None), key=lambda each: each[0])[1]


def kept_answer(stores: Stores, workspaces: Sequence[str], wanted: str | None, folder: str | None = None) -> str | None:
    """As `answer_file`, but no file that a link leads to from there to elsewhere."""
    path = answer_file(stores, workspaces, wanted, folder)
    places = [*workspaces, *(os.path.realpath(place) for place in stores.answers(workspaces))]
    return path if path is not None and any(inside(os.path.realpath(path), place) for place in places) else None


def answers_of(store: Store, cluster: Cluster, folder: str | None = None) -> Iterator[tuple[float, str]]:
    """When each question of a cluster was answered, and the answer's file where it is there."""
    for asked in cluster.asked:
        path = path_of_answer(store, asked, folder)
        if path is not None:
            yield asked.at, path


def path_of_answer(store: Store, asked: Asked, folder: str | None = None) -> str | None:
    """The file of an answer where it is there: in the ``folder`` of answers, else in that of the store."""
    name = file_name(asked.question, asked.id)
    paths = (os.path.join(place, name) for place in _places(store, folder))
    return next(filter(os.path.isfile, paths), None)


class AnswerPaths:
    """The files of answers that are there now, in the ``folder`` of answers, else in that of the store; what lies there
    is looked at once. All methods wait for the disk."""

    def __init__(self, store: Store, folder: str | None = None) -> None:
        self._names = {place: _names_in(place) for place in _places(store, folder)}
        self._stems: dict[str, list[str]] = {}
        for place, names in self._names.items():
            for name in names:
                self._stems.setdefault(name[:-_ID_AND_ENDING], []).append(os.path.join(place, name))

    def of(self, question: str, id_: str) -> str | None:
        """The file of an answer."""
        name = file_name(question, id_)
        return next((os.path.join(place, name) for place, names in self._names.items() if name in names), None)

    def unproven(self, question: str) -> str | None:
        """The file of an answer that proved nothing: no cluster knows it. The latest of several."""
        stem = file_name(question, "").removesuffix(".md")
        found = [path for path in self._stems.get(stem, ()) if _answers(path, question)]
        return max(found, default=None, key=_written_at)


def _answers(path: str, question: str) -> bool:
    """Whether a file is an answer of its own, to this question."""
    try:
        with open(path, "rb") as file:
            return is_answer(file.read(_HEAD_BYTES)) and question_of(Path(path)) == question
    except OSError:  # it went just now
        return False


def _names_in(place: str) -> frozenset[str]:
    try:
        with os.scandir(place) as entries:
            return frozenset(each.name for each in entries if each.name.endswith(".md") and each.is_file())
    except OSError:
        return frozenset()


def _written_at(path: str) -> float:
    try:
        return os.path.getmtime(path)
    except OSError:  # it went just now
        return 0.0


def _places(store: Store, folder: str | None) -> list[str]:
    kept = str(store.path.parent / ANSWERS)
    return [kept] if folder is None else [folder, kept]


class CitedDocuments:
    """Reads each document once, in workspace folders alone. All methods wait for the disk."""

    def __init__(self, state: ServerState, rules: CorpusRules) -> None:
        self._state = state
        self._rules = rules
        self._buffers = state.buffers()
        self._read: dict[str, Document | None] = {}

    def any_private(self, uris: Iterable[str]) -> bool:
        """Whether a document among these is private. What is not read counts as private, whatever it holds: nothing
        says that it is not."""
        documents = map(self._document, uris)
        return any(document is None or document.structure.private for document in documents)

    def secrets(self, cited: Iterable[tuple[str, str]]) -> Fragments:
        """The secrets of the documents of some URIs, each with a quote from it.

        Of a document that does not hold its quote any more, or cannot be read, what may be the rest of a secret at the
        ends of the quote counts as one.
        """
        known = Fragments()
        added: set[str] = set()
        for uri, quote in cited:
            document = self._document(uri)
            if document is not None and uri not in added:
                known.add(secrets_of(document.text, document.path))
                added.add(uri)
            if document is None or not quote or quote not in document.text:
                known.add(tuple(rests(quote)))
        return known

    def _document(self, uri: str) -> Document | None:
        if uri not in self._read:
            try:
                self._read[uri] = document_at(workspace_path(self._state, uri), self._rules, self._buffers)
            except (Skipped, LensError):
                self._read[uri] = None
        return self._read[uri]


async def answer(ls: LensServer, params: AnswerParams) -> KeptAnswer:
    """The answer. Raises `RequestFailed` where there is none, or a model is not given it."""
    rules = (await ls.state.settings()).rules
    return await asyncio.to_thread(_answer, ls.state.stores, ls.state, rules, params)


def _answer(stores: Stores, state: ServerState, rules: CorpusRules, params: AnswerParams) -> KeptAnswer:
    path = kept_answer(stores, state.workspaces, params.answer, state.editor_options.answers)
    if path is None:
        raise RequestFailed("there is no such answer; name a question that was asked")
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        raise RequestFailed("the answer's file cannot be read") from None
    if not find_generated(text).answer:
        raise RequestFailed("this file is no answer")
    written = read_note(text, path, records_above(os.path.dirname(path))).written
    known = None
    told = text
    if params.for_model:
        quoted = [(_source(path, each.citation), each.citation.quote) for each in written]
        sources = CitedDocuments(state, rules)
        if sources.any_private(uri for uri, _ in quoted):
            raise RequestFailed("this answer rests on documents that say `lens: private` or cannot be read: ask again")
        known = sources.secrets(quoted)
        told = redacted(text, also=known).text
    cited = tuple(_citation(path, each, known) for each in written)
    return KeptAnswer(schema_="lens.kept/1", uri=uri_of(path), text=told, citations=cited)


def _source(path: str, cited: Citation) -> str:
    return uri_of(os.path.abspath(os.path.join(os.path.dirname(path), cited.root, *cited.path.split("/"))))


def _citation(path: str, written: Written, known: Fragments | None) -> AnswerCitation:
    """A citation; with ``known`` secrets, without these and others."""
    cited = written.citation
    quote, around = cited.quote, Beside(before=cited.left, after=cited.right, count=cited.count)
    if known is not None:
        quote, around = redacted(cited.quote, also=known).text, beside(cited)
        if any(known.found(side) for side in (cited.left, cited.right) if side):
            around = Beside(before=None, after=None)
    return AnswerCitation(
        uri=_source(path, cited),
        quote=quote or " ",
        sha256=cited.sha256,
        span=(cited.span.start, cited.span.end),
        reader=cited.reader,
        beside=around,
        label=written.label,
        altered=written.altered,
    )


ANSWER = RequestHandler(answer, AnswerParams)
