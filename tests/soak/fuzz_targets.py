"""What is fuzzed: of each target what must hold of whatever comes in, and a naive reader that breaks it."""

from __future__ import annotations

import io
import json
import os
import re
import time
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from lens_lsp.corpus.encoding import Decoded, decode
from lens_lsp.corpus.formats import readers
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.documents.frames import Damaged, extracted_from, result_of
from lens_lsp.documents.kinds import Extracted
from lens_lsp.judge.llm import replies
from lens_lsp.judge.llm.chat_model import ModelError
from lens_lsp.judge.llm.openai_client import EventStream, whole_reply
from lens_lsp.lsp.locations import UriRefused, path_of, uri_of
from lens_lsp.lsp.transport import BrokenFraming, read_message
from lens_lsp.memory.answer_parser import read_citing
from lens_lsp.memory.store_file import StoreDamaged
from lens_lsp.memory.store_rows import decode_json
from lens_lsp.model.documents import Structure
from lens_lsp.model.errors import LensError
from lens_lsp.model.plan import Plan
from lens_lsp.model.sanitize import printable, printable_path, sanitize_json

SECONDS = 5.0
"""A single input of a few KiB that takes longer is a hang; most of it is room for a busy machine."""
_NAIVE_LENGTH = re.compile(rb"Content-Length: (.*)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]")
_FACTS = ("f1", "f2")


class Broken(Exception):
    """A property that did not hold."""


@dataclass(frozen=True, slots=True)
class Target:
    """``check`` raises whatever it likes when ``subject`` broke something: only typed refusals are taken."""

    name: str
    seeds: tuple[bytes, ...]
    check: Callable[[bytes, Callable[..., Any]], None]
    ours: Callable[..., Any]
    naive: Callable[..., Any]


def held(condition: bool, what: str) -> None:
    """Raise `Broken` unless something is so."""
    if not condition:
        raise Broken(what)


def _encoding(data: bytes, subject: Callable[..., Any]) -> None:
    try:
        found: Decoded = subject(data)
    except Skipped:
        return
    held(found.text == data[found.bom :].decode(found.encoding, "replace"), "not what its encoding makes of the bytes")
    held("\0" not in found.text, "a NUL in a text")
    found.text.encode("utf-8")


def _reader(data: bytes, subject: Callable[..., Any]) -> None:
    text = data.decode("utf-8", "replace")
    for reader in readers():
        structure: Structure = subject(reader, text)
        spans = [block.span for block in structure.blocks]
        held(all(span.start < span.end <= len(text) for span in spans), f"{reader.name}: a block outside")
        held(all(one.end <= other.start for one, other in pairwise(spans)), f"{reader.name}: blocks overlap")
        locators = reader.locators(text)
        held(all(0 <= start <= len(text) for start in locators.starts), f"{reader.name}: a place outside")


def _framing(data: bytes, subject: Callable[..., Any]) -> None:
    stream = io.BytesIO(data)
    try:
        while (message := subject(stream)) is not None:
            held(not isinstance(message, bytes) or len(message) <= len(data), "more than there was")
    except BrokenFraming:
        return
    held(stream.read() == b"", "something was left unread")


def _naive_framing(stream: io.BytesIO) -> bytes | None:
    line = stream.readline()
    found = _NAIVE_LENGTH.match(line)
    return stream.read(int(found[1])) if found else None


def _uri(data: bytes, subject: Callable[..., Any]) -> None:
    text = data.decode("utf-8", "surrogateescape")
    try:
        path = subject(text)
    except UriRefused:
        return
    held(path.startswith("/") and "\0" not in path and not path.startswith("//"), f"no plain path: {path!r}")
    held(not {".", ".."} & set(path.split("/")), f"a path that leads up: {path!r}")
    held(path_of(uri_of(path)) == path, "another path comes back")


def _naive_uri(uri: str) -> str:
    return urllib.parse.unquote(urllib.parse.urlsplit(uri).path)


class Outside:
    """A root with links that lead outside, made once; what stands outside is known by its words."""

    def __init__(self, base: Path) -> None:
        self.root = base / "root"
        (self.root / "a" / "b").mkdir(parents=True)
        (self.root / "a" / "f.md").write_text("IN")
        (base / "out").mkdir()
        (base / "out" / "f.md").write_text("OUT")
        (self.root / "a" / "l").symlink_to("../../out")
        (self.root / "l.md").symlink_to("../out/f.md")
        os.mkfifo(self.root / "a" / "p")

    def check(self, data: bytes, subject: Callable[..., Any]) -> None:
        try:
            found = subject(str(self.root), os.fsdecode(data))
        except (Skipped, LensError):
            return
        held(found in (b"IN", b""), f"bytes from outside: {found!r}")

    @staticmethod
    def ours(root: str, rel: str) -> bytes:
        with Root(root) as opened:
            return opened.read(rel)

    @staticmethod
    def naive(root: str, rel: str) -> bytes:
        fd = os.open(os.path.join(root, rel), os.O_RDONLY | os.O_NONBLOCK)
        try:
            return os.read(fd, 64)
        finally:
            os.close(fd)


def _reply(data: bytes, subject: Callable[..., Any]) -> None:
    try:
        text = subject(data)
    except ModelError:
        return
    text.encode("utf-8")


def _ours_reply(data: bytes) -> str:
    events = EventStream("http://localhost:1", None)
    try:
        shown = "".join([*events.feed(data[: len(data) // 2]), *events.feed(data[len(data) // 2 :]), *events.end()])
        held(shown == events.reply().text, "the pieces are not the reply")
    except ModelError:
        return whole_reply(data, "http://localhost:1", None).text
    return shown


def _naive_reply(data: bytes) -> str:
    return str(json.loads(data)["choices"][0]["message"]["content"])


def _said(data: bytes, subject: Callable[..., Any]) -> None:
    for found in subject(data.decode("utf-8", "replace")):
        repr(found).encode("utf-8")


def replies_read(text: str) -> list[object]:
    """What each of our parsers of a model's reply makes of one."""
    found: list[object] = []
    for parse in (
        replies.parse_anchors,
        replies.parse_decomposition,
        lambda said: replies.parse_observation(said, (1, 2), _FACTS, covering=True),
        lambda said: replies.parse_coverage(said, _FACTS),
        replies.parse_short,
        lambda said: replies.parse_trailer(said, _FACTS),
    ):
        try:
            found.append(parse(text))
        except replies.MalformedReply:
            continue
    return found


def _naive_said(text: str) -> list[object]:
    return [each["quote"] for each in json.loads(text)["found"]]


def _document(data: bytes, subject: Callable[..., Any]) -> None:
    head, _, body = data.partition(b"\0")
    try:
        said = json.loads(head)
    except (ValueError, RecursionError):
        return
    if not isinstance(said, dict):
        return
    try:
        found: Extracted = subject(said, body)
    except Damaged:
        return
    size = len(found.text)
    held(all(block.span.end <= size for block in found.structure.blocks), "a block outside")
    held(all(start <= size for start in found.locators.starts), "a place outside")


def _naive_document(head: dict[str, Any], body: bytes) -> Extracted:
    return Extracted(body.decode("utf-8"), head["places"])


def _answer(data: bytes, subject: Callable[..., Any]) -> None:
    text = data.decode("utf-8", "replace")
    lines = text.count("\n") + text.count("\r") + 1
    found = subject(text)
    held(all(1 <= each.line <= lines for each in (*found.written, *found.faults)), "a line that is not there")


def _naive_answer(text: str) -> Any:
    front = text.split("---\n")[1]
    return json.loads(next(line for line in front.splitlines() if line.startswith("  - "))[4:])


def _stored(data: bytes, subject: Callable[..., Any]) -> None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    try:
        plan = subject(Plan, value)
    except StoreDamaged:
        return
    held(isinstance(plan, Plan) and all(isinstance(each.text, str) for each in plan.requirements), "no plan")


def _naive_stored(kind: type, value: Any) -> Plan:
    return Plan(value["question"], tuple(value["requirements"]), tuple(value["anchors"]))


def _shown(data: bytes, subject: Callable[..., Any]) -> None:
    text = data.decode("utf-8", "surrogateescape")
    for shown in subject(text):
        held(not _CONTROL.search(shown), f"what drives a terminal: {shown!r}")
        shown.encode("utf-8")


def _ours_shown(text: str) -> Sequence[str]:
    value = sanitize_json(json.dumps({"t": text}, ensure_ascii=False))
    held(json.loads(value)["t"] == re.sub("[\ud800-\udfff]", "\ufffd", text), "other JSON")
    return printable(text), printable_path(text), value


def _naive_shown(text: str) -> Sequence[str]:
    return (text.replace("\x1b", ""),)


def timed(target: Target, data: bytes, subject: Callable[..., Any]) -> str | None:
    """What broke, if anything did."""
    started = time.process_time()
    try:
        target.check(data, subject)
    except Exception as error:  # noqa: BLE001 - whatever else is raised is a finding
        return f"{type(error).__name__}: {error}"
    spent = time.process_time() - started
    return f"{spent:.1f} s" if spent > SECONDS else None


def targets(base: Path) -> tuple[Target, ...]:
    """All targets; ``base`` is an empty folder."""
    from tests.soak import fuzz_seeds as seeds

    outside = Outside(base)
    return (
        Target(
            "encodings",
            seeds.texts(),
            _encoding,
            decode,
            lambda data: Decoded(data.decode("latin-1"), "utf-8", False, 0),
        ),
        Target(
            "readers",
            seeds.notes(),
            _reader,
            lambda reader, text: reader.structure(reader.extract(text).text) if not reader.extracted else Structure(),
            lambda reader, text: json.loads(text),
        ),
        Target("framing", seeds.messages(), _framing, read_message, _naive_framing),
        Target("uris", seeds.uris(), _uri, path_of, _naive_uri),
        Target("paths", seeds.paths(), outside.check, outside.ours, outside.naive),
        Target("endpoint replies", seeds.streams(), _reply, _ours_reply, _naive_reply),
        Target("model replies", seeds.said(), _said, replies_read, _naive_said),
        Target("worker replies", seeds.extracted(result_of), _document, extracted_from, _naive_document),
        Target("answer files", seeds.answers(), _answer, read_citing, _naive_answer),
        Target("stored values", seeds.stored(), _stored, decode_json, _naive_stored),
        Target("shown texts", seeds.texts(), _shown, _ours_shown, _naive_shown),
    )
