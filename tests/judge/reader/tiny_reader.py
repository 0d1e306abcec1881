"""A reader that a test can write: real files in the real format, for which a passage states what is asked if it holds
one of some words, which it marks."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
PROOF = "quartz"
YEARS = tuple(map(str, range(1000, 10_000)))
"""What the reader of the tests that bring none marks: figures of four digits."""


def write_reader(
    folder: Path, *, marks: Sequence[str] = (PROOF,), known: int | None = None, high: float = 10.0
) -> Path:
    """The folder, with the three files; ``known`` of the vocabulary's tokens have a score; those it ``marks`` are
    ``high``."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = [*SPECIAL, "garden", *marks]
    scores = [0.0] * (len(vocabulary) - len(marks)) + [high] * len(marks)
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", "utf-8")
    (folder / "reader.json").write_text(json.dumps({"schema": "lens.reader/1"}), "utf-8")
    (folder / "reader.onnx").write_bytes(_network(scores[:known]))
    return folder


def _network(scores: list[float]) -> bytes:
    """start = end = scores[ids], states = max(start) - 5, as a ModelProto (onnx.proto3)."""
    nodes = [
        _node("Gather", ["scores", "ids"], "start"),
        _node("Identity", ["start"], "end"),
        _node("ReduceMax", ["start"], "most", _ints("axes", [1]), _int("keepdims", 0)),
        _node("Sub", ["most", "five"], "states"),
    ]
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"tiny")
    graph += _field(5, _floats("scores", scores, [len(scores)])) + _field(5, _floats("five", [5.0], []))
    graph += b"".join(_field(11, _value(name, 7, ["n", "w"])) for name in ("ids", "kinds", "real"))
    outputs = (("states", ["n"]), ("start", ["n", "w"]), ("end", ["n", "w"]))
    graph += b"".join(_field(12, _value(name, 1, shape)) for name, shape in outputs)
    return _number(1, 8) + _field(7, graph) + _field(8, _number(2, 13))


def _node(kind: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    named = b"".join(_field(1, name.encode()) for name in inputs) + _field(2, output.encode())
    return named + _field(4, kind.encode()) + b"".join(_field(5, each) for each in attributes)


def _int(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _number(3, value) + _number(20, 2)


def _ints(name: str, values: list[int]) -> bytes:
    return _field(1, name.encode()) + b"".join(_number(8, value) for value in values) + _number(20, 7)


def _floats(name: str, values: list[float], dims: list[int]) -> bytes:
    data = struct.pack(f"<{len(values)}f", *values)
    return b"".join(_number(1, dim) for dim in dims) + _number(2, 1) + _field(8, name.encode()) + _field(9, data)


def _value(name: str, kind: int, shape: list[str]) -> bytes:
    dims = b"".join(_field(1, _field(2, dim.encode())) for dim in shape)
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, dims)))


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


if __name__ == "__main__":  # python tests/judge/reader/tiny_reader.py FOLDER WORD …
    write_reader(Path(sys.argv[1]), marks=sys.argv[2:])
