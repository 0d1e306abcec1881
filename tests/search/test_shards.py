"""A workspace in parts: the result over any split is the one over the whole, and a shard that misbehaves is caught."""

from __future__ import annotations

import base64
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lens_lsp.app.lens import Lens, findings_of
from lens_lsp.app.settings import Request, Settings
from lens_lsp.model.documents import Evidence, Findings
from lens_lsp.model.text import Span
from lens_lsp.search.passages import ScoredPassage
from lens_lsp.search.shards import (
    Count,
    Counted,
    LocalShard,
    Open,
    PlacedShard,
    RemoteShard,
    ShardLost,
    ShardServer,
    ShardSet,
    _SentTexts,
    decoded,
    decoded_request,
    encoded,
    encoded_request,
)

WORDS = (
    *("copper", "kettle", "kestrel", "tin", "silver", "museum", "harbour", "harbor"),
    *("river", "Anna", "Berg", "Mercury", "1234", "1,234", "running", "ran"),
)
NAMES = ("Copper Kettle", "Anna Berg", "Kestrel", "river notes", "Mercury (planet)", "tin")
QUERIES = (
    "where is the copper kettle",
    "what is Mercury?",
    "who wrote the river notes",
    "notes of March 2024",
    "tagged silver",
    'the "Anna Berg" museum',
    "latest kestrel notes",
    "harbuor with 1234 kestrels",
)

words = st.sampled_from(WORDS)
sentences = st.lists(words, min_size=1, max_size=12).map(lambda found: " ".join(found).capitalize() + ".")
links = st.sampled_from(NAMES).map(lambda name: f"See [[{name}]] and {name}.")
paragraphs = st.lists(sentences | links, min_size=1, max_size=8).map(" ".join)
heads = st.sampled_from(
    (
        "",
        "---\ntitle: River notes\ntags: [silver, tin]\nauthor: Anna Berg\n---\n",
        "---\ndate: 2024-03-05\naliases: [Kestrel]\n---\n",
        "---\ndate: 2024-03-05\ndescription: copper kettle of the museum\n---\n",
    )
)
headings = st.sampled_from(("", "# Copper kettle\n\n", "# Mercury\n\n## silver harbour\n\n"))
texts = st.builds(
    lambda head, heading, body: head + heading + "\n\n".join(body) + "\n",
    heads,
    headings,
    st.lists(paragraphs, min_size=1, max_size=4),
)
paths = st.builds(
    lambda folder, name: folder + name,
    st.sampled_from(("", "a/", "b/c/")),
    st.sampled_from((*NAMES, "one", "two", "2024-03-09 kestrel", "größe")).map(lambda name: f"{name}.md"),
)


def over(folder: Path, shards: int, request: Request, wrap: Callable[[bytes], bytes] = lambda reply: reply) -> Findings:
    """The findings over a folder in so many parts, each behind a connection."""
    locals_ = [LocalShard([str(folder)], part=(number, shards), name=f"part {number}") for number in range(shards)]
    try:
        remote = [
            RemoteShard(shard.name, lambda data, server=ShardServer(shard): wrap(server.handle(data)))
            for shard in locals_
        ]
        with closing(ShardSet(remote, Open(request.question, 60.0))) as found:
            return findings_of(request, found.reading(), found.searched, _Silent(), None, Settings())
    finally:
        for shard in locals_:
            shard.close()


class _Silent:
    def progress(self, stage: str, done: int, total: int | None) -> None: ...

    def evidence(self, item: object) -> None: ...


def told(found: Findings) -> tuple[object, ...]:
    """All that is found, times apart."""
    return (
        found.evidence,
        found.documents,
        found.coverage,
        found.compression,
        found.missing,
        sorted(found.warnings),
        found.roots,
    )


def written(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(paths, texts, min_size=1, max_size=14),
    st.integers(1, 7),
    st.sampled_from(QUERIES),
    st.integers(1, 30),
)
def test_any_split_gives_what_the_whole_gives(files: Mapping[str, str], shards: int, query: str, limit: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, files)
        request = Request(query, limit=limit)
        assert told(over(folder, shards, request)) == told(Lens([folder]).find(request))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    written(tmp_path, {f"{name}.md": f"# {name}\n\nThe copper kettle of {name}.\n" for name in NAMES})
    return tmp_path


def test_split_that_leaves_a_part_out_is_told_from_the_whole(small: Path) -> None:
    """The comparison above would notice: without one of its parts the folder gives something else."""
    request = Request("copper kettle")
    shard = LocalShard([str(small)], part=(0, 2))
    with closing(shard), closing(ShardSet([shard], Open(request.question, 60.0))) as found:
        part = findings_of(request, found.reading(), found.searched, _Silent(), None, Settings())
    assert told(part) != told(over(small, 2, request)) == told(Lens([small]).find(request))


@pytest.mark.parametrize("spoilt", [b"", b"{}", b"[]", b'{"of":{"slot":["<i8","<i8","AAAAAAAAAAA="]}}', b"\xff"])
def test_reply_that_is_none_loses_the_shard(small: Path, spoilt: bytes) -> None:
    with pytest.raises(ShardLost, match="part 0"):
        over(small, 1, Request("copper kettle"), lambda _: spoilt)


def test_counts_and_scores_of_texts_that_there_are_not_lose_the_shard(small: Path) -> None:
    far = {"slot": np.array([10**6]), "term": np.array([0]), "count": np.array([1]), "stretches": np.zeros(2, np.int64)}
    with pytest.raises(ShardLost, match="there are not"):
        over(small, 1, Request("copper kettle"), lambda reply: encoded(far) if b"stretches" in reply else reply)


@given(st.lists(st.sampled_from((0, 1, 255, 256, 65_535, 65_536, 2**31 - 1, 2**31, 2**62, -1, -(2**40)))))
def test_numbers_are_the_same_behind_the_wire(numbers: list[int]) -> None:
    array = np.array(numbers, np.int64)
    came = decoded(Counted, encoded(Counted(array, array, array, array)))
    assert came.slot.dtype == np.int64
    assert came.slot.tolist() == came.stretches.tolist() == numbers


def test_small_numbers_are_sent_in_a_byte_each() -> None:
    small, large = (np.full(30_000, number) for number in (7, 2**40))
    assert len(encoded(Counted(small, small, small, small))) < 5 * 40_000 < len(encoded(Counted(large, *[small] * 3)))


def test_request_of_another_version_or_kind_is_refused(small: Path) -> None:
    request = encoded_request(Open("kettle", 1.0))
    assert decoded_request(request) == Open("kettle", 1.0)
    server = ShardServer(LocalShard([str(small)]))
    for wrong in (request.replace(b'"protocol":2', b'"protocol":0'), request.replace(b"Open", b"eval"), b"", b"[1]"):
        assert server.handle(wrong).startswith(b'{"refused"')
    assert b"no question was begun" in server.handle(encoded_request(Count(())))


def test_texts_of_another_machine_that_contradict_each_other_are_caught(tmp_path: Path) -> None:
    lines = [f"The copper kettle of hall {number} is number {number * 7}.\n\n" for number in range(40)]
    written(tmp_path, {"notes.md": "# Kettles\n\n" + "".join(lines)})
    found = Lens([tmp_path]).find(Request("copper kettle", limit=5)).evidence
    passages = {item.n: ScoredPassage(0, item.span, item.score, ()) for item in found}
    first = found[0]

    def believed(*items: Evidence) -> list[bool]:
        sent = _SentTexts()
        return [sent.fits(passages[item.n], item, (0, "notes.md")) for item in items]

    assert believed(*found) == [True] * len(found)
    for wrong in (
        replace(first, quote=first.quote[1:]),
        replace(first, span=Span(first.span.start, first.span.end - 1)),
        replace(first, path="other.md"),
        replace(first, origin=replace(first.origin, sha256="made up")),
    ):
        assert believed(wrong) == [False]
    assert believed(first, replace(first, quote=first.quote.swapcase())) == [True, False]
    assert believed(first, replace(found[1], origin=replace(first.origin, sha256="0" * 64))) == [True, False]


ODD = (None, -1, 0, 1, 10**6, 2**70, 1e308, float("nan"), "x", "", [], {}, True, [[]], "../x.md", "\udcff")


def changed(said: Any, chance: random.Random) -> Any:
    """A reply with one thing changed in it."""
    if chance.random() > 0.1:
        if isinstance(said, list) and len(said) == 3 and said[0] in ("<i8", "<i4", "<f8", "|b1"):
            data = bytearray(base64.b64decode(said[2]))
            for at in chance.sample(range(len(data)), min(len(data), chance.choice((0, 1, 4)))):
                data[at] = chance.randrange(256)
            return [*said[:2], base64.b64encode(data[: chance.choice((len(data), -8))]).decode()]
        if said and isinstance(said, list | dict):
            where = chance.choice(list(said) if isinstance(said, dict) else range(len(said)))
            said[where] = changed(said[where], chance)
            return said
    return chance.choice(ODD)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scores may be any numbers
def test_nothing_that_a_machine_sends_breaks_a_question(small: Path) -> None:
    """It is no reply, and the machine is named, or the question is answered from what stands there."""
    (small / "one.md").write_text("---\ntitle: Mercury\n---\n# Mercury\n\nSee [[tin]]. The copper kettle of tin.\n")
    request = Request("copper kettle of Mercury", limit=30)
    shard, chance = LocalShard([str(small)]), random.Random(3)
    server, ends = ShardServer(shard), Counter[str]()
    for _ in range(60):
        left = [chance.randrange(11)]

        def send(data: bytes, left: list[int] = left) -> bytes:
            reply = server.handle(data)
            left[0] -= 1
            return json.dumps(changed(json.loads(reply), chance)).encode() if left[0] == -1 else reply

        there = PlacedShard(RemoteShard("box", send), (0,), ["ssh://box/notes"], "box")
        try:
            with closing(ShardSet([there], Open(request.question, 60.0))) as found:
                findings_of(request, found.reading(), found.searched, _Silent(), None, Settings())
            ends["answered"] += 1
        except ShardLost:
            ends["lost"] += 1
    shard.close()
    assert min(ends["answered"], ends["lost"]) > 5
