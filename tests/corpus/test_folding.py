"""TODO."""

from __future__ import annotations

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.corpus.folding import SEPARATOR, Arena, blank, chunk_of, fold_batch, fold_text
from lens_lsp.model.text import Span
from lens_lsp.model.words import FOLDED, fold

TELLING = "aZ9 \n.ßẞæŒøŁéÅı\u0301\u0308İЖйΣς語カﾞ서\u1112\u1161\u11ab😀𝒜𠮷ＦｕＬｌ１\u200b\u00ad\ufeff…“Ꭰ\u2028ﬁ\ud800"
TEXT = st.text(st.one_of(st.sampled_from(TELLING), st.characters()), max_size=60)


def by_character(text: str) -> tuple[bytes, list[int]]:
    """The folded bytes of a text and the code point each of them came from, one character at a time."""
    parts = [FOLDED[char].encode("utf-8", "replace") for char in text]
    return b"".join(parts), [point for point, part in enumerate(parts) for _ in part]


def check(text: str) -> None:
    folded = fold_text(text)
    data, points = by_character(text)
    assert folded.data == data
    if folded.offsets is None:
        assert points == list(range(len(data)))
    else:
        assert folded.offsets.points(np.arange(len(data))).tolist() == points


@given(TEXT)
def test_every_folded_byte_leads_back_to_the_character_it_came_from(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "é",
        "aé",
        "éa",
        "\u200b",
        "\u200b\u200ba",
        "a\u200b",
        "ßa",
        "ß" * 5 + "é" * 3,
        "語é😀",
        "e\u0301e\u0301",
        "한국어",
        "ＡＢ",
    ],
)
def test_the_corners_of_the_map_hold(text: str) -> None:
    check(text)


@given(TEXT)
def test_the_map_never_runs_backwards_and_ends_at_the_end(text: str) -> None:
    folded = fold_text(text)
    if folded.offsets is not None:
        points = folded.offsets.points(np.arange(len(folded.data) + 1)).tolist()
        assert points == sorted(points)
        assert points[-1] == len(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_lowered_in_place_and_needs_no_map(text: str) -> None:
    folded = fold_text(text)
    assert folded.offsets is None
    assert folded.data == text.lower().encode()


@given(TEXT)
def test_questions_and_documents_fold_alike(text: str) -> None:
    assert fold_text(text).data == fold(text).encode("utf-8", "replace")


@given(TEXT)
def test_the_separator_of_texts_is_never_in_one(text: str) -> None:
    assert b"\xff" not in fold_text(text).data


@given(st.text(st.sampled_from("ab<é語\n"), max_size=30), st.data())
def test_blanking_hides_the_spans_and_moves_nothing(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6).filter(lambda ends: len(ends) % 2 == 0)))
    spans = [Span(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    hidden = {index for span in spans for index in range(span.start, span.end)}
    assert blank(text, spans) == "".join(" " if index in hidden else char for index, char in enumerate(text))


TELLING_IN_BATCH = (
    "aZ@[`{9 \n.ßẞæŒøŁéÅı\u0301\u0308İЖйΣς語カﾞ서\u1112\u1161\u11ab😀𝒜𠮷ＦｕＬｌ１\u200b\u00ad\ufeff…“Ꭰ\u2028ﬁ\ufdfa"
)
CHARACTERS = st.one_of(st.sampled_from(TELLING_IN_BATCH), st.characters(exclude_categories=["Cs"]))
BATCHED = st.text(CHARACTERS, max_size=40)


def check_batch(*texts: str) -> None:
    """The batch holds what folding each text alone gives: the bytes, and the way back from each of them."""
    batch = fold_batch([text.encode() for text in texts])
    data = batch.data.tobytes()
    end = -1
    for index, text in enumerate(texts):
        folded = fold_text(text)
        assert int(batch.starts[index]) == end + 1
        start, end = int(batch.starts[index]), int(batch.ends[index])
        assert data[start:end] == folded.data
        assert data[end] == SEPARATOR
        places = np.arange(len(folded.data) + 1)
        expected = places if folded.offsets is None else folded.offsets.points(places)
        offsets = None if batch.maps is None else batch.maps.of(index)
        assert (places if offsets is None else offsets.points(places)).tolist() == expected.tolist()
    assert len(data) == end + 1


@given(st.lists(BATCHED, min_size=1, max_size=8))
@settings(max_examples=400)
def test_texts_fold_together_as_they_fold_alone(texts: list[str]) -> None:
    check_batch(*texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("",),
        ("", "", ""),
        ("PLAIN",),
        ("é", "plain", "é"),
        ("\u200b",),
        ("\u200b\u200ba", "b"),
        ("a\u200b", "\u200b"),
        ("ß" * 5 + "é" * 3, "語é😀"),
        ("Ünïcode at the start", "at the end ü"),
        ("\ufdfa", "ﬁ\ufdfaﬁ", "x"),
        ("e\u0301e\u0301", "ＡＢ"),
    ],
)
def test_the_corners_hold(texts: tuple[str, ...]) -> None:
    check_batch(*texts)


def test_every_character_folds_in_a_batch_as_it_does_alone() -> None:
    codes = [code for code in range(1, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    # Of the million that are not assigned every hundredth will do: they all fold to themselves.
    characters = [chr(code) for code in codes if code % 100 == 0 or unicodedata.category(chr(code)) not in ("Cn", "Co")]
    step = 1 << 15
    for start in range(0, len(characters), step):
        part = characters[start : start + step]
        check_batch("".join(part), "between", " ".join(part[::7]))


def test_a_text_in_ascii_needs_no_map_wherever_it_stands() -> None:
    batch = fold_batch([b"plain", "größe".encode(), b"PLAIN"])
    assert batch.maps is not None
    assert [batch.maps.of(index) is None for index in range(3)] == [True, False, True]
    assert fold_batch([b"plain", b"PLAIN"]).maps is None


ARENA_TEXT = st.one_of(
    st.binary(max_size=12).map(lambda data: data.replace(b"\xff", b"")),
    st.integers(1, 700_000).map(lambda size: b"t" * size),
)
ADD = st.tuples(st.just("add"), ARENA_TEXT)
REMOVE = st.tuples(st.just("remove"), st.integers(0, 1_000))


def in_chunks(arena: Arena) -> dict[int, bytes]:
    """The texts as the chunks hold them, each up to its separator or, removed, as nothing."""
    texts: dict[int, bytes] = {}
    for chunk in arena.chunks():
        data = chunk.data.tobytes()
        ends = [*chunk.starts[1:].tolist(), len(data)]
        for slot, start, end in zip(chunk.slots.tolist(), chunk.starts.tolist(), ends, strict=True):
            assert data[end - 1] == SEPARATOR
            texts[slot] = data[start:end].rstrip(b"\xff")
    return texts


@given(st.lists(st.one_of(ADD, REMOVE), max_size=25))
@settings(max_examples=60)
def test_an_arena_holds_what_a_dictionary_would(operations: list[tuple[str, bytes | int]]) -> None:
    arena, model, removed = Arena(), {}, 0
    for kind, value in operations:
        if kind == "add":
            assert isinstance(value, bytes)
            slot = arena.add(value)
            assert slot == len(model)
            model[slot] = value
        elif model:
            assert isinstance(value, int)
            slot = value % len(model)
            removed += len(model[slot])
            arena.remove(slot)
            model[slot] = b""
        if len(operations) < 8:  # chunks are kept between changes
            assert in_chunks(arena) == model
    assert in_chunks(arena) == model
    assert len(arena) == len(model)
    assert {slot: arena.text(slot).tobytes() for slot in model} == model
    assert arena.lengths().tolist() == [len(model[slot]) for slot in range(len(model))]
    assert arena.size == sum(map(len, model.values()))
    assert arena.blank == removed


def test_a_removed_text_leaves_no_byte_behind() -> None:
    arena = Arena()
    slots = [arena.add(data) for data in (b"one", b"secret", b"three")]
    arena.remove(slots[1])
    assert all(b"secret" not in chunk.data.tobytes() for chunk in arena.chunks())
    assert [arena.text(slot).tobytes() for slot in slots] == [b"one", b"", b"three"]


def test_texts_are_cut_into_chunks_of_about_a_megabyte() -> None:
    arena = Arena()
    for _ in range(50):
        arena.add(b"x" * 100_000)
    assert [len(chunk.slots) for chunk in arena.chunks()] == [11, 11, 11, 11, 6]


def test_a_text_never_spans_two_chunks_however_large_it_is() -> None:
    arena = Arena()
    for size in (10, 40 << 20, 10, 3 << 20):
        arena.add(b"x" * size)
    assert sorted(len(text) for text in in_chunks(arena).values()) == [10, 10, 3 << 20, 40 << 20]


def test_large_chunks_hold_the_same_texts_in_fewer_pieces() -> None:
    arena = Arena()
    for number in range(50):
        arena.add(b"%02d" % number * 100_000)
    arena.remove(7)
    large = arena.large_chunks()
    assert len(large) < len(arena.chunks())
    assert [slot for chunk in large for slot in chunk.slots.tolist()] == list(range(50))
    assert b"".join(chunk.data.tobytes() for chunk in large) == b"".join(c.data.tobytes() for c in arena.chunks())


def test_some_texts_together_are_a_chunk_of_their_own() -> None:
    chunk = chunk_of(np.array([2, 0]), [b"three", b"one"])
    assert chunk.data.tobytes() == b"three\xffone\xff"
    assert (chunk.slots.tolist(), chunk.starts.tolist()) == ([2, 0], [0, 6])
