"""Folders of object stores (``s3://bucket/prefix``), by fsspec: listed, looked at, and read into a cache here. So are
the folders of other machines by `corpus.ssh`, where a question needs all of their text.

A store is listed at every question, and what the listing says of an object, its size, its time and its ETag, is the
identity that a file has by its status. Bytes are asked for in blocks of `BLOCK`, many at a time. A block belongs to the
listed object only where its hash is the object's, or a later look at the store says the same of it: then it is kept,
and no question asks for it again. Before something of an object is cited, the store is asked once more.

The host, the credentials and how often is tried again are those of fsspec and of the store's own library, by the user's
environment and files; here stands only for how long is waited. Nothing is ever written to a store.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import sqlite3
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

from lens_lsp.corpus.safe_open import (
    Handle,
    Identity,
    Reading,
    RemoteFolder,
    Root,
    Skipped,
    TimedCalls,
    check_name,
)
from lens_lsp.disk import OBJECT_STORES, SSH, absolute, is_ssh_url
from lens_lsp.model.documents import Fetched, SkipReason
from lens_lsp.model.errors import HostUnusable, LensError, MissingExtra, PathNotFound, PathRefused
from lens_lsp.model.sanitize import printable

T = TypeVar("T")
BLOCK = 4 << 20
"""Bytes of an object that are asked for at once."""
MOST = 2 << 30
"""Bytes that the cache holds unless the user says otherwise."""
_AT_ONCE, _BYTES = 128, 8 << 20
"""Objects, and bytes of them, that are asked for together."""
_CALL = 20.0
"""Seconds that one answer of a store may take; a listing may take as long as there is."""
_AHEAD = 4
"""Blocks of one object that are asked for together."""
_DIGEST = 16
_HOUR = 3600
_LEFT = 0.9
"""Share of the bound that is left when blocks go."""
_NAME = "objects.db"
_TABLE = """CREATE TABLE IF NOT EXISTS blocks(
    object BLOB, block INTEGER, size INTEGER, used INTEGER, sure INTEGER, data BLOB, PRIMARY KEY(object, block)
)"""
_S3 = {
    "use_listings_cache": False,
    "config_kwargs": {
        "connect_timeout": 5,
        "read_timeout": 10,
        "retries": {"max_attempts": 1},
        "max_pool_connections": 32,
    },
}
_NOT_FOUND = (FileNotFoundError, NotADirectoryError)
_NO_CREDENTIALS = frozenset({"NoCredentialsError", "PartialCredentialsError", "TokenRetrievalError"})


class StoreObject(NamedTuple):
    """An object as the store last spoke of it."""

    name: str
    """Its whole name, with the bucket."""
    identity: Identity
    version: str
    """What the store calls this content: its version where it says one, else its ETag."""
    content: bytes
    """What its blocks are kept by."""
    etag: str
    """Of most objects the MD5 of their bytes; where it is not, it proves nothing."""


class BlockCache:
    """Blocks of objects on the disk, for the user alone; at most ``most`` bytes. Safe for threads and for other
    processes. It is a cache: what is wrong with it raises nothing, and a damaged file is begun anew."""

    def __init__(self, folder: str, most: int) -> None:
        self._path, self._most = os.path.join(folder, _NAME), most
        self._turn = threading.RLock()
        self._size = 0
        self._db: sqlite3.Connection | None = None
        if most:
            with suppress(OSError, sqlite3.Error):
                os.makedirs(folder, mode=0o700, exist_ok=True)
                self._open()

    def _open(self) -> None:
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
        db = sqlite3.connect(self._path, timeout=5, isolation_level=None, check_same_thread=False)
        try:
            for pragma in ("synchronous=OFF", "journal_mode=MEMORY"):  # what a crash leaves is damaged, and begun anew
                db.execute(f"PRAGMA {pragma}")
            db.execute(_TABLE)
            self._size = db.execute("SELECT coalesce(sum(size), 0) FROM blocks").fetchone()[0]
        except sqlite3.Error:
            db.close()
            raise
        self._db = db

    def _tried(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._turn:
            if self._db is None:
                return None
            try:
                return work(self._db)
            except sqlite3.OperationalError:  # busy, or the disk is full
                return None
            except sqlite3.Error:
                self._db.close()
                self._db = None
                with suppress(OSError, sqlite3.Error):
                    os.unlink(self._path)
                    self._open()
                return None

    def get(self, content: bytes, block: int) -> bytes | None:
        """A block that surely belongs to a content."""
        now = int(time.time()) // _HOUR

        def found(db: sqlite3.Connection) -> bytes | None:
            where = "object=? AND block=?"
            row = db.execute(f"SELECT data, used FROM blocks WHERE {where} AND sure", (content, block)).fetchone()
            if row is None:
                return None
            data: bytes = row[0][_DIGEST:]
            if _digest(data) != row[0][:_DIGEST]:
                db.execute(f"DELETE FROM blocks WHERE {where}", (content, block))
                return None
            if row[1] < now:
                db.execute(f"UPDATE blocks SET used=? WHERE {where}", (now, content, block))
            return data

        return self._tried(found)

    def put(self, blocks: Sequence[tuple[bytes, int, bytes, bool]]) -> None:
        """Keep blocks of contents: those that are not sure are given by `get` once they are `confirm`-ed."""
        now, size = int(time.time()) // _HOUR, sum(len(data) for _, _, data, _ in blocks)

        def kept(db: sqlite3.Connection) -> None:
            if self._size + size > self._most and not self._make_room(db, size, now):
                return
            rows = [(name, at, len(data), now, sure, _digest(data) + data) for name, at, data, sure in blocks]
            with db:
                db.execute("BEGIN IMMEDIATE")
                db.executemany("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._size += size

        if blocks:
            self._tried(kept)

    def confirm(self, contents: Iterable[bytes], *, sure: bool = True) -> None:
        """Blocks of contents are what they were kept as, or not."""

        names = [(content,) for content in contents]

        def settled(db: sqlite3.Connection) -> None:
            change = "UPDATE blocks SET sure=1" if sure else "DELETE FROM blocks"
            with db:
                db.execute("BEGIN IMMEDIATE")
                db.executemany(f"{change} WHERE object=?", names)

        if names:
            self._tried(settled)

    def _make_room(self, db: sqlite3.Connection, size: int, now: int) -> bool:
        """Whether there is room: what was not used within this hour goes, the oldest first."""
        self._size = db.execute("SELECT coalesce(sum(size), 0) FROM blocks").fetchone()[0]
        gone: list[tuple[int]] = []
        for row, taken in db.execute("SELECT rowid, size FROM blocks WHERE used < ? ORDER BY used", (now,)):
            if self._size + size <= _LEFT * self._most:
                break
            gone.append((row,))
            self._size -= taken
        db.executemany("DELETE FROM blocks WHERE rowid=?", gone)
        return self._size + size <= self._most


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


_LOCK = threading.Lock()
_STORES: dict[str, ObjectStore] = {}
_CACHES: dict[int, BlockCache] = {}
_most = MOST


def use_cache(most: int) -> None:
    """How many bytes the cache may hold from now on; 0 keeps nothing."""
    global _most
    _most = most


def _cache() -> BlockCache:
    with _LOCK:
        if _most not in _CACHES:
            from platformdirs import user_cache_path

            _CACHES[_most] = BlockCache(str(user_cache_path("lens-lsp") / "objects"), _most)
        return _CACHES[_most]


class ObjectStore:
    """What is known of the objects below one URL, from one question to the next."""

    def __init__(self, url: str) -> None:
        scheme, _, self.prefix = url.partition("://")
        self.url, self._endpoint = url, ""
        self.objects: dict[str, StoreObject] = {}
        self.folders: dict[str, tuple[set[str], list[str]]] = {}
        """By path with a slash at its end, what a folder holds: folders, and objects."""
        self.refused: list[tuple[str, SkipReason]] = []
        """What is not listed: keys that are no plain paths, what another machine leaves out."""
        self.fs: Any
        if scheme == SSH:
            from lens_lsp.corpus.ssh import SshFiles  # what no store needs

            self.fs = SshFiles(url)
            self._endpoint = self.fs.machine
            return
        if importlib.util.find_spec("fsspec") is None or importlib.util.find_spec(OBJECT_STORES[scheme]) is None:
            extra = "'lens-lsp[objects]'" if scheme == "s3" else f"fsspec {OBJECT_STORES[scheme]}"
            raise MissingExtra(f"{printable(url)} is read by packages that are not installed: pip install {extra}")
        import fsspec

        self.fs = fsspec.filesystem(scheme, **_options(scheme))
        if scheme == "s3":
            self.fs.retries = 2

    @property
    def endpoint(self) -> str:
        """Who is asked."""
        return self._endpoint or self.url.partition("://")[0]

    def connect(self) -> None:
        """Learn who is asked; nothing is sent but what finding credentials takes."""
        if not self._endpoint and self.url.startswith("s3://"):
            self.fs.connect()
            self._endpoint = str(self.fs.s3.meta.endpoint_url)

    def take(self, listing: Mapping[str, Mapping[str, Any]]) -> None:
        """What a listing says."""
        self.objects, self.folders, self.refused = {}, {"": (set(), [])}, list(getattr(self.fs, "skips", ()))
        for name, info in listing.items():
            if info.get("type") != "file" or name.rstrip("/") == self.prefix:
                continue
            rel = name[len(self.prefix) + 1 :]
            try:
                for part in rel.split("/"):
                    check_name(part, rel)
            except PathRefused:
                if not rel.endswith("/"):  # that is what stands for a folder
                    self.refused.append((rel, SkipReason.IRREGULAR))
                continue
            self.objects[rel] = self.object_of(name, info)
            self._enter(rel)

    def _enter(self, rel: str) -> None:
        folder, _, name = rel.rpartition("/")
        folder += "/" if folder else ""
        known = folder in self.folders
        self.folders.setdefault(folder, (set(), []))[1].append(name)
        while folder and not known:
            above, _, name = folder[:-1].rpartition("/")
            folder = above + "/" if above else ""
            known = folder in self.folders
            self.folders.setdefault(folder, (set(), []))[0].add(name)

    def object_of(self, name: str, info: Mapping[str, Any]) -> StoreObject:
        """An object by what is said of it. The identity takes its time for that of a file, and what else tells one
        content from another for its inode."""
        size, etag = int(info.get("size") or 0), str(info.get("ETag") or info.get("etag") or "").strip('"')
        moment = info.get("LastModified") or info.get("mtime") or info.get("last_modified") or info.get("updated")
        if isinstance(moment, str):
            with suppress(ValueError):
                moment = datetime.fromisoformat(moment)
        at = int(moment.timestamp()) if isinstance(moment, datetime) else 0
        said = f"{self.endpoint}\0{name}\0{etag}\0{size}\0{'' if etag else at}"
        content = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
        own = info.get("VersionId") or info.get("generation") or info.get("version_id")
        version = str(own) if own and own != "null" else etag or str(at)
        inode = int.from_bytes(content[:7], "big")
        return StoreObject(name, (size, at * 10**9, at * 10**9, inode, _number(self.endpoint)), version, content, etag)


def _options(scheme: str) -> dict[str, Any]:
    """How long is waited; what the user's own configuration of fsspec says comes first."""
    if scheme != "s3":
        return {"use_listings_cache": False}
    from fsspec.config import conf

    said = conf.get("s3", {}).get("config_kwargs", {})
    return {**_S3, "config_kwargs": {**cast("dict[str, Any]", _S3["config_kwargs"]), **said}}


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "big")


def checked_url(url: str) -> str:
    """A URL as it is used: scheme, bucket and a plain path. Raises `PathRefused`."""
    url = absolute(url)
    scheme, _, path = url.partition("://")
    if scheme == SSH:
        from lens_lsp.corpus.ssh import SshPlace

        SshPlace.of(url)
        return url
    try:
        for part in path.split("/"):
            check_name(part, path)
    except PathRefused:
        raise PathRefused(f"{printable(url)} names no bucket and folder; write {scheme}://BUCKET/FOLDER") from None
    if not path.isprintable() or "::" in path or any(mark in path.partition("/")[0] for mark in "@:?#"):
        raise PathRefused(f"{printable(url)} is no plain name of a bucket and a folder in it")
    return url


class _Entry:
    """What a folder of a store holds under a name, as `os.scandir` gives it."""

    __slots__ = ("_folder", "name", "path", "status")

    def __init__(self, name: str, path: str, status: os.stat_result | None) -> None:
        self.name, self.path, self.status = name, path, status

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self.status is None

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self.status is not None

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result | None:
        return self.status


class ObjectFolder(RemoteFolder):
    """A folder of a root, by its path with a slash at its end."""

    _root: ObjectRoot
    _path: str

    def __new__(cls, root: ObjectRoot, path: str) -> ObjectFolder:
        """The folder; nothing is asked."""
        folder = super().__new__(cls, f"{root.path}/{path}")
        folder._root, folder._path, folder.calls = root, path, root.calls
        return folder

    def entries(self) -> list[Any]:
        """What it holds, as it was listed."""
        folders, files = self._root.store.folders.get(self._path, (set(), []))
        objects = self._root.store.objects
        known = [(name, objects[self._path + name]) for name in files if self._path + name in objects]
        found = [_Entry(name, self._path + name, _status(thing.identity)) for name, thing in known]
        return [*found, *(_Entry(name, self._path + name, None) for name in folders)]

    def status(self) -> os.stat_result:
        """What tells it from other folders."""
        return _status((0, 0, 0, _number(str(self)), _number(self._root.path)), stat.S_IFDIR)

    def below(self, name: str) -> ObjectFolder:
        """A folder in it."""
        path = f"{self._path}{name}/"
        if path not in self._root.store.folders:
            raise Skipped(SkipReason.MISSING)
        return ObjectFolder(self._root, path)

    def head(self, name: str, count: int) -> bytes:
        """The first bytes of an object."""
        return self._root.read_range(self._path + name, 0, count)

    def holds(self, name: str) -> bool:
        """Whether it holds a folder or an object of a name."""
        folders, files = self._root.store.folders.get(self._path, (set(), []))
        return name in folders or name in files


def _status(identity: Identity, kind: int = stat.S_IFREG) -> os.stat_result:
    size, modified, changed, inode, device = identity
    seconds = (0, modified // 10**9, changed // 10**9)
    more = {"st_atime_ns": 0, "st_mtime_ns": modified, "st_ctime_ns": changed}
    return os.stat_result((kind | 0o400, inode, device, 1, 0, 0, size, *seconds), more)


class ObjectRoot(Root):
    """A folder of an object store as a root. Opening it asks nobody: `look` lists it.

    Raises ``PathRefused`` for a URL that cannot be meant, ``MissingExtra`` without the packages for it.
    """

    __slots__ = ("_dead", "_last", "calls", "fetched", "store")

    def __init__(self, url: str, index: int = 0) -> None:
        self.path = checked_url(url)
        self.index = index
        self.absence = None
        self._held = []
        with _LOCK:
            self.store = _STORES.get(self.path) or _STORES.setdefault(self.path, ObjectStore(self.path))
        self.calls = TimedCalls(_number(self.path))
        self.handle: Handle = ObjectFolder(self, "")
        self.fetched = Fetched(index, self.store.endpoint)
        self._dead = False
        self._last: tuple[bytes, int, bytes] | None = None

    def close(self) -> None:
        """Let the threads go."""
        self.calls.end()

    # ---- asking the store

    def _ask(self, call: Callable[[], T], most: float = _CALL) -> T:
        """What a call of the store gives, in time. Raises `Skipped`; after one that was not answered, all do. One that
        had less time than a call may take, for the question's was over, proves nothing of the store."""
        if self._dead:
            raise Skipped(SkipReason.NO_ANSWER)
        if time.monotonic() >= self.calls.until:
            raise Skipped(SkipReason.NOT_READ)
        self.calls.most, cut = most, time.monotonic() + most > self.calls.until
        try:
            return self.calls.result(call, None)
        except Exception as error:  # whatever its libraries raise
            reason = _reason(error)
            if reason is SkipReason.NO_ANSWER and cut and most <= _CALL and time.monotonic() >= self.calls.until:
                reason = SkipReason.NOT_READ
            self._dead = reason is SkipReason.NO_ANSWER
            raise Skipped(reason) from error

    def look(self) -> LensError | None:
        """List the store, for a question; why it cannot be searched, None where it can."""
        try:
            self._ask(self.store.connect)
            listing = self._listing()
        except Skipped as skipped:
            self.absence = skipped.reason
            return _told(self.path, self.store.endpoint, skipped)
        self.store.take(listing)
        if not listing:
            self.absence = SkipReason.MISSING
            return PathNotFound(
                f"{printable(self.path)} holds nothing: there is no such folder, or no file in it is searched"
            )
        if self.store.prefix in listing and not self.store.objects:
            self.absence = SkipReason.IRREGULAR
            return PathRefused(f"{printable(self.path)} is one object; name the folder that it lies in")
        return None

    def _listing(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self._ask(partial(self.store.fs.find, self.store.prefix, detail=True), 1e9)
        self.fetched = self.fetched.plus(endpoint=self.store.endpoint, lists=1, listed=len(found))
        return found

    def _look_at(self, rel: str) -> StoreObject:
        """An object as the store speaks of it now. Raises `Skipped`."""
        for part in rel.split("/"):
            check_name(part, rel)
        name = f"{self.store.prefix}/{rel}"
        self.fetched = self.fetched.plus(looks=1)
        try:
            info = self._ask(partial(self.store.fs.info, name))
        except Skipped as skipped:
            if skipped.reason is SkipReason.MISSING:
                self.store.objects.pop(rel, None)
            raise
        if info.get("type") != "file":
            raise Skipped(SkipReason.IRREGULAR)
        found = self.store.objects[rel] = self.store.object_of(name, info)
        return found

    def _known(self, rel: str) -> StoreObject:
        return self.store.objects.get(rel) or self._look_at(rel)

    # ---- blocks

    def _blocks(self, wanted: Sequence[tuple[StoreObject, int]]) -> tuple[list[bytes | SkipReason], set[bytes]]:
        """Blocks of objects, each or why there is none, and which contents they may not belong to."""
        cache = _cache()
        found: list[bytes | SkipReason | None] = []
        for thing, block in wanted:
            data = cache.get(thing.content, block) if thing.identity[0] else b""
            self.fetched = self.fetched.plus(from_cache=len(data or b""))
            found.append(data)
        asked, kept, lost = [at for at, data in enumerate(found) if data is None], [], set[bytes]()
        if asked:
            ranges = [_range(*wanted[at]) for at in asked]
            names, starts, ends = [wanted[at][0].name for at in asked], *map(list, zip(*ranges, strict=True))
            try:
                came = self._ask(partial(self.store.fs.cat_ranges, names, starts, ends, on_error="return"))
            except Skipped as skipped:
                came = [skipped] * len(asked)
            for at, (start, end), data in zip(asked, ranges, came, strict=True):
                if isinstance(data, bytes) and len(data) == end - start:
                    found[at] = data
                    kept.append((wanted[at][0].content, wanted[at][1], data, _is_all(wanted[at][0], data)))
                else:
                    found[at] = SkipReason.CHANGED if isinstance(data, bytes) else _reason(data)
            if all(found[at] is SkipReason.NO_ANSWER for at in asked):
                self._dead = True
            received = sum(len(data) for _, _, data, _ in kept)
            self.fetched = self.fetched.plus(reads=len(asked), received=received)
            cache.put(kept)
            lost = {wanted[at][0].content for at in asked if found[at] is SkipReason.CHANGED}
        return cast("list[bytes | SkipReason]", found), {name for name, _, _, sure in kept if not sure} | lost

    def read_files(self, paths: Sequence[str], most: int) -> Iterator[Reading]:
        """Objects in the order given. Before the last of them the store is listed once more, where that is needed to
        tell which are still what was listed."""
        asked: dict[bytes, str] = {}
        for first in range(0, len(paths), _AT_ONCE):
            group = paths[first : first + _AT_ONCE]
            wanted: list[tuple[StoreObject, int]] = []
            parts: list[tuple[StoreObject | SkipReason, int]] = []
            for rel in group:
                try:
                    thing = self._known(rel)
                except Skipped as skipped:
                    parts.append((skipped.reason, 0))
                    continue
                count = -(-thing.identity[0] // BLOCK) if thing.identity[0] <= most else 0
                parts.append((thing, count))
                wanted += [(thing, block) for block in range(count)]
            blocks: list[bytes | SkipReason] = []
            for start, end in _portions(wanted):
                came, contents = self._blocks(wanted[start:end])
                blocks += came
                asked |= {thing.content: thing.name for thing, _ in wanted[start:end] if thing.content in contents}
            if asked and first + _AT_ONCE >= len(paths):
                self._settle(asked)
            yield from _joined(parts, blocks, most)

    def _settle(self, asked: Mapping[bytes, str]) -> None:
        """Look which of the contents that were asked for are still the listed ones."""
        with suppress(Skipped):
            now = self._listing()
            same = {self.store.object_of(name, now[name]).content for name in asked.values() if name in now}
            _cache().confirm(same & asked.keys())
            _cache().confirm(asked.keys() - same, sure=False)

    def read_range(self, rel: str, start: int, end: int) -> bytes:
        """Bytes ``[start, end)`` of an object, fewer at its end. Raises ``Skipped``."""
        for _ in range(2):
            thing = self._known(rel)
            numbers = range(start // BLOCK, -(-min(end, thing.identity[0]) // BLOCK))
            if self._last is not None and list(numbers) == [self._last[1]] and self._last[0] == thing.content:
                data = self._last[2]
            else:
                blocks, asked = self._blocks([(thing, number) for number in numbers])
                changed = SkipReason.CHANGED in blocks
                if asked and not changed:
                    changed = self._look_at(rel).content != thing.content
                _cache().confirm(asked, sure=not changed)
                if changed:
                    self._look_at(rel)
                    continue
                wrong = [block for block in blocks if isinstance(block, SkipReason)]
                if wrong:
                    raise Skipped(wrong[0])
                data = b"".join(cast("list[bytes]", blocks))
                if len(numbers) == 1:
                    self._last = thing.content, numbers[0], data
            first = start // BLOCK * BLOCK
            return data[start - first : end - first]
        raise Skipped(SkipReason.CHANGED)

    # ---- as a root of files

    def read_with_stat(self, rel: str, limit: int | None = None) -> tuple[bytes, os.stat_result]:
        """All bytes of an object and its status."""
        size = self._known(rel).identity[0]
        if limit is not None and size > limit:
            raise Skipped(SkipReason.TOO_LARGE)
        data = self.read_range(rel, 0, size)
        thing = self._known(rel)
        if len(data) != thing.identity[0]:
            data = self.read_range(rel, 0, thing.identity[0])
        return data, _status(thing.identity)

    def stream(self, rel: str, chunk: int = 1 << 20) -> Iterator[bytes]:
        """The bytes of an object in pieces of at most ``chunk``. Raises ``Skipped`` where it changes meanwhile."""
        thing = self._known(rel)
        every, asked = range(-(-thing.identity[0] // BLOCK)), set[bytes]()
        for first in every[::_AHEAD]:
            blocks, contents = self._blocks([(thing, block) for block in every[first : first + _AHEAD]])
            asked |= contents
            for block in blocks:
                if isinstance(block, SkipReason):
                    raise Skipped(block)
                yield from (block[at : at + chunk] for at in range(0, len(block), chunk))
        if asked:
            same = self._look_at(rel).content == thing.content
            _cache().confirm(asked, sure=same)
            if not same:
                raise Skipped(SkipReason.CHANGED)

    def open_with_stat(self, rel: str) -> tuple[int, os.stat_result]:
        """A descriptor of a copy of an object, and the object's status."""
        data, status = self.read_with_stat(rel)
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            return os.dup(file.fileno()), status

    def open_folder(self, rel: str) -> Handle:
        """A folder below the root."""
        return ObjectFolder(self, f"{rel}/" if rel else "")

    def status(self, rel: str) -> os.stat_result:
        """The status of an object as it was listed."""
        return _status(self._known(rel).identity)

    def status_now(self, rel: str) -> os.stat_result:
        """The status of an object as the store says it now."""
        return _status(self._look_at(rel).identity)

    def version(self, rel: str) -> str | None:
        """What the store calls the content of an object; None for a file of another machine."""
        thing = self.store.objects.get(rel)
        return None if thing is None or is_ssh_url(self.path) else thing.version

    def taken(self) -> Fetched:
        """What the store was asked for so far."""
        return self.fetched

    def refused(self) -> list[tuple[str, SkipReason]]:
        """What is below the root and not listed, and why."""
        return self.store.refused


def _is_all(thing: StoreObject, data: bytes) -> bool:
    """Whether these are surely all bytes of an object."""
    return len(data) == thing.identity[0] and hashlib.md5(data, usedforsecurity=False).hexdigest() == thing.etag


def _range(thing: StoreObject, block: int) -> tuple[int, int]:
    return block * BLOCK, min((block + 1) * BLOCK, thing.identity[0])


def _portions(wanted: Sequence[tuple[StoreObject, int]]) -> Iterator[tuple[int, int]]:
    """Stretches of blocks that are asked for together."""
    start = size = 0
    for at, (thing, block) in enumerate(wanted):
        first, end = _range(thing, block)
        own = end - first
        if at > start and size + own > _BYTES:
            yield start, at
            start, size = at, 0
        size += own
    if start < len(wanted):
        yield start, len(wanted)


def _joined(
    parts: Sequence[tuple[StoreObject | SkipReason, int]], blocks: Sequence[bytes | SkipReason], most: int
) -> Iterator[Reading]:
    """Objects out of their blocks, of each so many."""
    at = 0
    for thing, count in parts:
        own, at = blocks[at : at + count], at + count
        if isinstance(thing, SkipReason):
            yield thing, None
        elif thing.identity[0] > most:
            yield None, thing.identity
        else:
            wrong = next((block for block in own if isinstance(block, SkipReason)), None)
            yield (b"".join(cast("Sequence[bytes]", own)), thing.identity) if wrong is None else (wrong, None)


def _reason(error: object) -> SkipReason:
    """Why a call of a store gave nothing: its libraries raise what Python has for files, and what they like."""
    if isinstance(error, Skipped):
        return error.reason
    if isinstance(error, HostUnusable):
        return SkipReason.NO_ANSWER
    if isinstance(error, _NOT_FOUND):
        return SkipReason.MISSING
    name = type(error).__name__
    if isinstance(error, PermissionError) or name in _NO_CREDENTIALS:
        return SkipReason.PERMISSION
    silent = isinstance(error, ConnectionError | TimeoutError) or "Timeout" in name or "Connect" in name
    if silent or (isinstance(error, OSError) and error.errno == errno.ETIMEDOUT):
        return SkipReason.NO_ANSWER
    return SkipReason.UNREADABLE


def _told(url: str, endpoint: str, skipped: Skipped) -> LensError:
    """Why a store cannot be searched, in words."""
    where, why = printable(url), printable(str(skipped.__cause__ or skipped)).strip()[:200]
    if isinstance(skipped.__cause__, HostUnusable):
        return skipped.__cause__
    match skipped.reason:
        case SkipReason.MISSING:
            return PathNotFound(f"{where} is not there: {why}")
        case SkipReason.PERMISSION:
            return PathRefused(
                f"{where} may not be listed: {why}; check the credentials that your environment gives for {endpoint}"
            )
        case SkipReason.NO_ANSWER:
            return PathNotFound(f"{where} cannot be listed: {endpoint} does not answer; ask again when it does")
        case _:
            return PathNotFound(f"{where} cannot be listed: {why or skipped.reason}")
