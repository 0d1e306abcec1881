"""A workspace in parts that others read: each part, a shard, answers the two steps `count` and `score`.

A question goes through rounds of the two. `Count` asks how often terms stand in each text; the counts of all shards are
the totals. A `Step` holds totals, and is scored by the shard that holds the texts: phrases, headings, the neighbourhood
of terms, regions with links, windows, passages, quotes. Counts are added, of scores the best are kept, so the result
over any split is that over the whole, bit by bit: every float comes from the same integers, in the same order, by the
same code. Ties are broken by root and path, never by the number of a text.

On the wire a request or reply is JSON, of the types of this module alone (`encoded`, `decoded`): nothing in it is run,
and no request holds a path. What a shard reads is said where it is started.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from typing import Any, Protocol, TypeVar, cast, get_type_hints

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.pipes import PROTOCOL
from lens_lsp.corpus.safe_open import Key, Root, display_path
from lens_lsp.corpus.scan import Counts, Hits, Literal, Unlisted, distinct
from lens_lsp.corpus.text_store import TextStore, TextTable
from lens_lsp.corpus.workspace import Searched, Snapshot, Workspace
from lens_lsp.model.documents import Evidence, Stage
from lens_lsp.model.errors import HostUnusable, LensError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span
from lens_lsp.search.corpus_view import Corpus, DocumentAccess, Ints, Phrase, Step, never
from lens_lsp.search.localisation import PassageStep, Quoted, QuoteStep, WindowStep
from lens_lsp.search.passages import ScoredPassage, Totals, Weights, Windows, count
from lens_lsp.search.prior import HeadingStep, PhraseStep, ProximityStep, RegionStep, SourceRegion
from lens_lsp.search.question import ScanQuestion

NO_HITS = Hits(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int32))
_NO_REPLY = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What reading one that is none may raise."""
_SHA256 = regex(r"[0-9a-f]{64}")
Reply = TypeVar("Reply")
Item = TypeVar("Item")
Result = TypeVar("Result")
_Terms = tuple[tuple[Literal, ...], ...]


@dataclass(frozen=True, slots=True)
class Open:
    """Begin a question: the shard brings its texts in line with the disk, and holds them still until the next one."""

    question: str
    seconds: float
    """How long that may take."""
    known: str = ""
    """The version of the table that whoever asks has."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A shard as a question finds it, and its part of the coverage."""

    version: str
    """Of the table: the same texts, the same version."""
    table: TextTable | None
    """None where it is known."""
    searched: Searched


@dataclass(frozen=True, slots=True)
class Count:
    """The first step: how often do terms stand in each text? ``phrases`` and ``words`` as in `Corpus.count`."""

    terms: _Terms
    words: tuple[str, ...] = ()
    phrases: tuple[Phrase, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts by slot, each text's in order of its terms, and per term in how many stretches it stands."""

    slot: Ints
    term: Ints
    count: Ints
    stretches: Ints


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that could not be met, and why in one sentence."""

    message: str


STEPS: Mapping[type[Any], Any] = {
    PhraseStep: list[Ints],
    HeadingStep: tuple[Ints, Ints],
    ProximityStep: tuple[Ints, Ints],
    RegionStep: list[SourceRegion],
    WindowStep: Windows,
    PassageStep: list[ScoredPassage],
    QuoteStep: Quoted,
}
"""The second step in all its kinds, and what the reply to each is."""
_REPLIES: Mapping[type[Any], Any] = {Open: Opened, Count: Counted, **STEPS}
_BY_NAME = {kind.__name__: kind for kind in _REPLIES}


class ShardLost(LensError):
    """A shard that does not answer, or not as it must: its name, and why."""

    def __init__(self, name: str, why: str, *, final: bool = False) -> None:
        """``final``: asking again is no use."""
        super().__init__(f"{name}: {why}")
        self.name = name
        self.why = why
        self.final = final
        self.also: tuple[ShardLost, ...] = ()
        """Others that were asked the same and are lost, too."""


class Shard(Protocol):
    """A part of a workspace. All its methods raise `ShardLost`."""

    @property
    def name(self) -> str:
        """Who it is, in the coverage."""
        ...

    def open(self, request: Open) -> Opened:
        """Begin a question."""
        ...

    def count(self, request: Count) -> Counted:
        """The first step."""
        ...

    def score(self, step: Step[Reply]) -> Reply:
        """The second step."""
        ...


class LocalShard:
    """The shard whose texts are here: it reads some paths, or its part of them, and answers one question at a time."""

    def __init__(
        self,
        paths: Sequence[str],
        rules: CorpusRules = CorpusRules(),
        memory: int | None = None,
        *,
        part: tuple[int, int] | None = None,
        name: str = "here",
    ) -> None:
        """``part`` are its number, from 0, and how many parts the files of the paths are in; None for all of them."""
        self.name = name
        self._workspace = Workspace(paths, rules, memory, part=part)
        self._session = contextlib.ExitStack()
        self._reading: DocumentAccess | None = None
        self._version: tuple[int, str] | None = None
        """That of the table, and after how many changes."""
        self._terms: _Terms = ()
        self._hits = NO_HITS

    def open(self, request: Open) -> Opened:
        """See `Shard`."""
        self.close()
        workspace, store = self._workspace, self._workspace.cache
        opened = self._session.enter_context(workspace.open())
        ready = workspace.bring_up(opened, _Silent(), {}, None, request.question, request.seconds)
        self._reading = DocumentAccess(store, ready.snapshot)
        store.describe()  # which enters what was read
        table = None
        if self._version is None or self._version[0] != store.changes:
            table = store.table()
            self._version = store.changes, hashlib.sha256(_json(table)).hexdigest()
        version = self._version[1]
        known = version == request.known
        return Opened(version, None if known else table or store.table(), workspace.searched(ready))

    def count(self, request: Count) -> Counted:
        """See `Shard`. What was scanned for with words is kept for the second step."""
        corpus = self._texts.corpus
        hits = corpus.count(request.terms, words=request.words, phrases=request.phrases)
        if request.words:
            self._terms, self._hits = request.terms, hits
        stretches = count(hits, len(request.terms), corpus.cache.arena.lengths()).places
        slot, term, times = (
            column.astype(np.int64) for column in (hits.counts.slot, hits.counts.term, hits.counts.count)
        )
        return Counted(slot, term, times, stretches)

    def score(self, step: Step[Reply]) -> Reply:
        """See `Shard`."""
        texts: DocumentAccess | Corpus = self._texts
        if not isinstance(step, (PassageStep, QuoteStep)):
            texts = self._texts.corpus
        return step.of(texts, self._hits_of(tuple(map(tuple, step.terms))))

    def knows(self, path: str) -> bool:
        """Whether a path below the first folder is one of the texts."""
        return self._workspace.cache.entry((0, path)) is not None

    def close(self) -> None:
        """Let the files go; the texts stay warm."""
        self._session.close()
        self._reading = None

    @property
    def _texts(self) -> DocumentAccess:
        if self._reading is None:
            raise ShardLost(self.name, "no question was begun")
        return self._reading

    def _hits_of(self, terms: _Terms) -> Hits:
        """The hits of terms that were scanned for: all of the last scan, or some of its terms."""
        if terms == self._terms or not terms:
            return self._hits
        number = {term: at for at, term in enumerate(self._terms)}
        if not all(term in number for term in terms):
            raise ShardLost(self.name, "these terms were not counted")
        return self._hits.only(np.array([number[term] for term in terms], np.int64))


class _Silent:
    def progress(self, stage: str, done: int, total: int | None) -> None:
        """Told of progress, and tells nobody."""


class ShardServer:
    """The far end of a connection: requests as bytes in, replies as bytes out."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    def handle(self, data: bytes) -> bytes:
        """The reply to one request; every failure is a `Refused`."""
        try:
            request = decoded_request(data)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            return encoded(Refused(f"not a request of this version ({type(error).__name__})"))
        try:
            if isinstance(request, Open):
                return encoded(self._shard.open(request))
            if isinstance(request, Count):
                return encoded(self._shard.count(request))
            return encoded(self._shard.score(request))
        except (LensError, OSError, ValueError, KeyError, TypeError, IndexError, AssertionError, MemoryError) as error:
            return encoded(Refused(str(error) if isinstance(error, LensError) else f"{type(error).__name__}: {error}"))


class RemoteShard:
    """The near end: ``send`` takes the bytes of a request to the shard and gives those of the reply back.

    It raises OSError, TimeoutError, EOFError or `HostUnusable` where there is no reply.
    """

    def __init__(self, name: str, send: Callable[[bytes], bytes]) -> None:
        self.name = name
        self._send = send
        self._known: Opened | None = None
        self._live = np.empty(0, np.bool_)
        """Which slots hold a text."""

    def open(self, request: Open) -> Opened:
        """See `Shard`."""
        known = self._known
        opened: Opened = self._ask(replace(request, known="" if known is None else known.version))
        if opened.table is None:
            if known is None or known.version != opened.version:
                raise ShardLost(self.name, "it sent no table of its texts")
            opened = replace(opened, table=known.table)
        table = cast(TextTable, opened.table)
        live = np.array([key is not None for key in table.keys], np.bool_)
        fits = len(table.keys) == len(table.lengths) == len(table.heads)
        if not fits or (table.lengths < 0).any() or table.lengths[~live].any() or not _below(table.pieces, len(live)):
            raise ShardLost(self.name, "its table of texts does not fit together")
        self._known, self._live = opened, live
        return opened

    def count(self, request: Count) -> Counted:
        """See `Shard`."""
        counted: Counted = self._ask(request)
        fits = len(counted.slot) == len(counted.term) == len(counted.count)
        fits = fits and len(counted.stretches) == len(request.terms) and _below(counted.term, len(request.terms))
        if not fits or not _held(counted.slot, self._live) or (counted.count < 1).any():
            raise ShardLost(self.name, "its counts are of texts or terms that there are not")
        return counted

    def score(self, step: Step[Reply]) -> Reply:
        """See `Shard`."""
        reply = self._ask(step)
        if not _fits(step, reply, self._live):
            raise ShardLost(self.name, "its scores are of texts that there are not")
        return cast(Reply, reply)

    def _ask(self, request: Any) -> Any:
        try:
            return decoded(_REPLIES[type(request)], self._send(encoded_request(request)))
        except ShardRefused as error:
            raise ShardLost(self.name, str(error)) from error
        except HostUnusable as error:
            raise ShardLost(self.name, str(error), final=True) from error
        except (OSError, EOFError) as error:
            raise ShardLost(self.name, str(error) or type(error).__name__) from error
        except _NO_REPLY as error:
            raise ShardLost(self.name, f"its reply is none of this version ({type(error).__name__})") from error


class PlacedShard:
    """A shard that reads some of a question's folders, which are numbered here as the question numbers them.

    With a ``machine``, another one's, its evidence says so, and what contradicts itself is left out: a quote that is
    not as long as its place or that nobody asked for, texts of one file that differ where they overlap.
    """

    def __init__(self, shard: Shard, roots: Sequence[int], paths: Sequence[str], machine: str | None = None) -> None:
        """``roots`` are the numbers of its folders, ``paths`` what they are called here."""
        self.name = shard.name
        self._shard, self._roots, self._paths, self._machine = shard, tuple(roots), tuple(paths), machine
        self._keys: tuple[Key | None, ...] = ()

    def open(self, request: Open) -> Opened:
        """See `Shard`."""
        opened = self._shard.open(request)
        table, searched = cast(TextTable, opened.table), opened.searched
        shown = searched.roots if self._machine is None else self._paths
        roots = [""] * (max(self._roots) + 1)
        for own, root in enumerate(self._roots):
            roots[root] = shown[own]
        self._keys = tuple(None if key is None else (self._root(key[0]), key[1]) for key in table.keys)
        searched = replace(
            searched,
            roots=tuple(roots),
            skipped=tuple(replace(skip, root=self._root(skip.root)) for skip in searched.skipped),
            partial=tuple(replace(part, root=self._root(part.root)) for part in searched.partial),
        )
        return replace(opened, table=replace(table, keys=self._keys), searched=searched)

    def count(self, request: Count) -> Counted:
        """See `Shard`."""
        return self._shard.count(request)

    def score(self, step: Step[Reply]) -> Reply:
        """See `Shard`."""
        reply = self._shard.score(step)
        if not isinstance(step, QuoteStep) or not isinstance(reply, Quoted):
            return reply
        found = [
            (one, replace(item, root=self._root(item.root), machine=self._machine)) for one, item in reply.evidence
        ]
        warnings = list(reply.warnings)
        if self._machine is not None:
            sent = _SentTexts()
            asked = set(step.passages)
            kept = [(one, item) for one, item in found if one in asked and sent.fits(one, item, self._keys[one.slot])]
            left = {item.path for _, item in found} - {item.path for _, item in kept}
            warnings += [f"{path}: a quote that does not stand there was left out" for path in sorted(left)]
            found = kept
        comments = tuple(replace(part, root=self._root(part.root)) for part in reply.comments)
        return cast(Reply, replace(reply, evidence=tuple(found), comments=comments, warnings=tuple(warnings)))

    def _root(self, own: int) -> int:
        if not 0 <= own < len(self._roots):
            raise ShardLost(self.name, "it speaks of folders that it was not asked for")
        return self._roots[own]


class _SentTexts:
    """What another machine sent of its files, in code points of each."""

    def __init__(self) -> None:
        self._hashes: dict[str, str] = {}
        self._texts: dict[str, list[tuple[Span, str]]] = {}

    def fits(self, passage: ScoredPassage, item: Evidence, key: Key | None) -> bool:
        """Whether evidence is of the passage that was asked for and agrees with what was sent before."""
        texts = [(item.span, item.quote), *((part.span, part.text) for part in item.context)]
        known = self._texts.setdefault(item.path, [])
        right = (
            key is not None
            and not {"", ".", ".."} & set(key[1].split("/"))
            and item.path == display_path(key[1])
            and len(item.span) == len(passage.span)
            and all(len(span) == len(text) for span, text in texts)
            and _SHA256.fullmatch(item.origin.sha256) is not None
            and self._hashes.setdefault(item.path, item.origin.sha256) == item.origin.sha256
            and all(_agree(one, other) for one in texts for other in known)
        )
        if right:
            known += texts
        return right


def _agree(one: tuple[Span, str], other: tuple[Span, str]) -> bool:
    """Whether two stretches of a text say the same where they overlap."""
    start, end = max(one[0].start, other[0].start), min(one[0].end, other[0].end)
    said, known = (text[start - span.start : end - span.start] if start < end else "" for span, text in (one, other))
    return said == known


def _below(numbers: Ints, end: int) -> bool:
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < end)


def _held(slots: Ints, live: NDArray[np.bool_]) -> bool:
    return _below(slots, len(live)) and bool(live[slots].all())


def _fits(step: Any, reply: Any, live: NDArray[np.bool_]) -> bool:
    """Whether a reply to a step is of slots that hold a text, and its parts are as many as each other."""
    match reply:
        case Windows():
            return len(reply.slot) == len(reply.at) == len(reply.score) and _held(reply.slot, live)
        case Quoted():
            slots = {*reply.read, *(one.slot for one, _ in reply.evidence)}
        case tuple():  # of each slot that was asked for a number, which is 0 where there is no text
            own, values = reply
            return len(own) == len(values) and _below(own, len(live)) and not values[~live[own]].any()
        case [SourceRegion(), *_]:
            regions = cast("list[SourceRegion]", reply)
            slots = {one.slot for one in regions}
            terms = len(step.terms)
            if not all(len(one.terms) == len(one.places) and _below(one.terms, terms) for one in regions):
                return False
            if not all(len(places) for one in regions for places in one.places):
                return False
        case [ScoredPassage(), *_]:
            slots = {one.slot for one in reply}
        case _:  # arrays
            return all(_held(one, live) for one in reply)
    return all(0 <= slot < len(live) and live[slot] for slot in slots)


class ShardSet:
    """The shards of one question, which are asked at once. Its slots are theirs one behind the other."""

    def __init__(self, shards: Sequence[Shard], request: Open, rules: CorpusRules = CorpusRules()) -> None:
        """Begins a question with all of them. This and all that follows raises `ShardLost` for the first that does not
        answer."""
        self.shards = tuple(shards)
        self._rules = rules
        self._pool = ThreadPoolExecutor(len(shards), "shard")
        try:
            self.opened = self._all(lambda shard: shard.open(request), shards)
        except BaseException:
            self.close()
            raise
        sizes = [len(cast(TextTable, opened.table).keys) for opened in self.opened]
        self._bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64).tolist()

    def reading(self, roots: Sequence[Root] = (), cancelled: Callable[[], bool] = never) -> DocumentAccess:
        """The texts of all, which are known here and read there. ``roots`` are the folders, where they lie here, too:
        quotes are compared with their files then."""
        store = TextStore.of(cast(TextTable, opened.table) for opened in self.opened)
        return DocumentAccess(store, Snapshot(roots, {}, self._rules), late=cancelled, over=cancelled, shards=self)

    def searched(self) -> Searched:
        """What all found; a stage takes as long as in the slowest."""
        parts = [opened.searched for opened in self.opened]
        stages: dict[str, float] = {}
        for stage in (stage for part in parts for stage in part.stages):
            stages[stage.name] = max(stages.get(stage.name, 0.0), stage.seconds)
        roots = [""] * max(len(part.roots) for part in parts)
        for part in parts:
            roots = [root or known for root, known in zip_longest(part.roots, roots, fillvalue="")]
        return Searched(
            tuple(roots),
            sum(part.found for part in parts),
            sum(part.scanned for part in parts),
            tuple(sorted({skip for part in parts for skip in part.skipped})),
            tuple(sorted({one for part in parts for one in part.partial})),
            sum(part.pictures for part in parts),
            sum(part.documents for part in parts),
            sum(part.unread for part in parts),
            tuple(Stage(name, seconds) for name, seconds in stages.items()),
        )

    def count(self, terms: Sequence[Sequence[Literal]], words: Sequence[str], phrases: Sequence[Phrase]) -> Hits:
        """See `Shards`."""
        request = Count(tuple(map(tuple, terms)), tuple(words), tuple(phrases))
        parts = self._all(lambda shard: shard.count(request), self.shards)
        firsts = self._bounds[:-1]
        slot = np.concatenate([part.slot + first for part, first in zip(parts, firsts, strict=True)]).astype(np.int32)
        term = np.concatenate([part.term for part in parts]).astype(np.int32)
        times = np.concatenate([part.count for part in parts]).astype(np.int32)
        stretches = np.asarray(np.sum([part.stretches for part in parts], axis=0), np.int64)
        held = distinct(slot).astype(np.int32) if len(slot) else slot
        return replace(NO_HITS, counts=Counts(slot, term, times), unlisted=Unlisted(held, stretches))

    def score(self, step: Step[Reply]) -> list[tuple[int, Reply]]:
        """See `Shards`."""
        bounds = zip(self.shards, self._bounds[:-1], self._bounds[1:], strict=True)
        asked = [(shard, first, step.within(first, last)) for shard, first, last in bounds]
        wanted = [(shard, first, part) for shard, first, part in asked if part is not None]
        replies = self._all(lambda one: one[0].score(one[2]), wanted)
        return [(first, reply) for (_, first, _), reply in zip(wanted, replies, strict=True)]

    def _all(self, call: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """What a call gives for each of some items, all at once."""
        asked = [self._pool.submit(call, item) for item in items]
        lost = [error for one in asked if isinstance(error := one.exception(), ShardLost)]
        if lost:
            lost[0].also = tuple(lost[1:])
            raise lost[0]
        return [one.result() for one in asked]

    def close(self) -> None:
        """Let the threads go; one that waits for a shard ends when that answers or its time is over."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class ShardRefused(LensError):
    """A shard could not meet a request."""


def encoded_request(request: Any) -> bytes:
    """A request on the wire: its kind, the version of the protocol, what it holds."""
    return _json({"protocol": PROTOCOL, "kind": type(request).__name__, "of": request})


def decoded_request(data: bytes) -> Any:
    """A request from the wire. Raises ValueError, KeyError or TypeError for anything else."""
    said = json.loads(data)
    if said["protocol"] != PROTOCOL:
        raise ValueError("another version of the protocol")
    return _converter().structure(said["of"], _BY_NAME[said["kind"]])


def encoded(reply: Any) -> bytes:
    """A reply on the wire."""
    return _json({"refused": reply} if isinstance(reply, Refused) else {"of": reply})


def decoded(kind: Any, data: bytes) -> Any:
    """A reply of a ``kind`` from the wire. Raises `ShardRefused` where the request was refused, ValueError, KeyError or
    TypeError for anything that is no such reply."""
    said = json.loads(data)
    if "refused" in said:
        raise ShardRefused(_converter().structure(said["refused"], Refused).message)
    return _converter().structure(said["of"], kind)


def _json(value: Any) -> bytes:
    return json.dumps(_converter().unstructure(value), separators=(",", ":")).encode()


@cache
def _converter() -> Any:
    from cattrs.preconf.json import make_converter  # brings attrs, which a search of one machine never needs

    converter = make_converter(detailed_validation=False)
    converter.register_unstructure_hook_func(_is_array, _written)
    converter.register_structure_hook_func(_is_array, lambda said, _: _array(said))
    converter.register_structure_hook_func(
        lambda kind: isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"), _named_tuple
    )
    converter.register_unstructure_hook_func(
        lambda kind: isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"),
        lambda values: list(map(converter.unstructure, values)),
    )
    converter.register_unstructure_hook(
        Weights, lambda weights: converter.unstructure([weights.question, weights.totals])
    )
    converter.register_structure_hook(
        Weights,
        lambda said, _: Weights(converter.structure(said[0], ScanQuestion), converter.structure(said[1], Totals)),
    )
    return converter


def _named_tuple(said: Any, kind: Any) -> Any:
    fields = zip(said, get_type_hints(kind).values(), strict=True)
    return kind(*(_converter().structure(value, of) for value, of in fields))


def _is_array(kind: Any) -> bool:
    return np.ndarray in (kind, getattr(kind, "__origin__", None))


_DTYPES = frozenset({"<i8", "<i4", "<f8", "|b1"})
_NARROW = ("|u1", "<u2", "<i4")


def _written(values: Any) -> list[str]:
    """An array as its type, the type on the wire, and data: whole numbers are sent in as few bytes as hold them all,
    for most are small."""
    sent = values.dtype.str
    if sent in ("<i8", "<i4") and len(values):
        least, most = int(values.min()), int(values.max())
        for narrow in _NARROW:
            if np.iinfo(narrow).min <= least and most <= np.iinfo(narrow).max:
                sent = narrow
                break
    return [values.dtype.str, sent, base64.b64encode(np.ascontiguousarray(values, sent).tobytes()).decode()]


def _array(said: Any) -> Any:
    dtype, sent, data = said
    if dtype not in _DTYPES or sent not in (dtype, *_NARROW):
        raise ValueError(f"no array of {dtype}")
    return np.frombuffer(base64.b64decode(data, validate=True), sent).astype(dtype, copy=False)
