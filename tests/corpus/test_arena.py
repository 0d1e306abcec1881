from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.corpus.folding import SEPARATOR, Arena, chunk_of

TEXT = st.one_of(
    st.binary(max_size=12).map(lambda data: data.replace(b"\xff", b"")),
    st.integers(1, 700_000).map(lambda size: b"t" * size),
)
ADD = st.tuples(st.just("add"), TEXT)
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
