"""The reader's network on onnxruntime: from a question and passages to what it makes of each.

A folder holds it: ``reader.onnx``, ``vocab.txt`` and ``reader.json`` (which network it is, and what was fitted for it).
It is loaded at its first use, from this machine's disk alone; its file runs no code of its own.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lens_lsp.judge.reader.calibration import calibration_of
from lens_lsp.judge.reader.inputs import ABOVE_TOKENS, QUESTION_TOKENS, Shown, above, encoded, pieces
from lens_lsp.judge.reader.wordpiece import WordPiece
from lens_lsp.model.errors import LensError, OracleFailed

SHIPPED = Path(__file__).with_name("model")
"""The folder of the reader that comes with the package."""
SCHEMA = "lens.reader/1"
ANSWER_TOKENS = 40
"""An answer is marked in at most so many tokens."""
LONGEST_PASSAGE = 20_000
"""Code points of a passage that are read; of a longer one the first ones."""
MOST_PASSAGES = 400
"""Passages that one call reads; of more, those before."""

_FILES = ("reader.onnx", "vocab.txt", "reader.json")
_MOST_THREADS = 4
_LONGEST_REASON = 200


class ReaderUnavailable(LensError):
    """There is no reader to judge by; the message says why and what helps."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader makes of a passage. ``log_odds`` (nats, not calibrated) that it states what is asked; the answer
    as code points [start, end) of the passage, and how probable these bounds are."""

    log_odds: float
    start: int
    end: int
    span: float


class ReaderModel:
    """The network of a folder. Raises `ReaderUnavailable` where it cannot be had: a file is missing or damaged, or of
    another network, or onnxruntime has no package for this machine."""

    def __init__(self, folder: Path) -> None:
        for name in _FILES:
            if not os.path.isfile(folder / name):
                raise ReaderUnavailable(f"the reader is off: there is no {name} in {folder}")
        try:
            about: dict[str, Any] = json.loads((folder / "reader.json").read_text("utf-8"))
            schema = about.get("schema") if isinstance(about, dict) else None
            self.calibration = calibration_of(about if schema == SCHEMA else {})
            vocabulary = (folder / "vocab.txt").read_text("utf-8").splitlines()
            piece = WordPiece(vocabulary)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ReaderUnavailable(f"the reader is off: {folder} is damaged ({error!r})") from error
        if schema != SCHEMA:
            raise ReaderUnavailable(f"the reader is off: {folder} is of the kind {schema!r}, not {SCHEMA!r}")
        self._piece = piece
        self._session = _session(folder / "reader.onnx")
        self._try(folder, len(vocabulary) - 1)

    def read(self, question: str, passages: Sequence[Shown], stop: Callable[[], None] = lambda: None) -> list[Reading]:
        """What it makes of each passage, in their order; a long one is read in pieces, and the best piece stands for
        it. ``stop`` is called before each piece, on several threads, and ends the call by raising. Raises
        `OracleFailed` where the network cannot go on."""

        def run(one: _Input) -> tuple[int, Reading]:
            stop()
            return one.passage, self._run(one)

        best: dict[int, Reading] = {}
        # Each piece alone, as many at once as there are processors: in a batch it would be padded, and rounded by the
        # scale of the others.
        with ThreadPoolExecutor(_processors()) as pool:
            for passage, reading in pool.map(run, self._inputs(question, passages[:MOST_PASSAGES])):
                if passage not in best or reading.log_odds > best[passage].log_odds:
                    best[passage] = reading
        nothing = Reading(-20.0, 0, 0, 0.0)
        return [best.get(k, nothing) for k in range(len(passages))]

    def _try(self, folder: Path, last: int) -> None:
        """Read one input that holds the last token of the vocabulary: the files may be of two readers."""
        place = np.zeros(1, np.int64)
        try:
            self._run(_Input(0, [self._piece.start, last], 1, 1, place, place + 1))
        except OracleFailed as error:
            raise ReaderUnavailable(f"the reader is off: the files in {folder} do not fit together") from error

    def _inputs(self, question: str, passages: Sequence[Shown]) -> Iterator[_Input]:
        asked = self._piece(question, QUESTION_TOKENS)
        for number, passage in enumerate(passages):
            tokens = self._piece(passage.text[:LONGEST_PASSAGE])
            heading = self._piece(above(passage.path, passage.headings), ABOVE_TOKENS)
            for begin, end in pieces(tokens):
                if begin < end:
                    ids, offset = encoded(self._piece, asked, heading, tokens.ids[begin:end].tolist())
                    second = ids.index(self._piece.end) + 1
                    yield _Input(number, ids, second, offset, tokens.starts[begin:end], tokens.ends[begin:end])

    def _run(self, one: _Input) -> Reading:
        ids = np.array([one.ids], np.int64)
        kinds = np.zeros_like(ids)
        kinds[:, one.second :] = 1
        try:
            stated, starts, ends = self._session.run(None, {"ids": ids, "kinds": kinds, "real": np.ones_like(ids)})
        except Exception as error:
            raise OracleFailed(f"the reader failed ({_brief(error)})") from error
        if (stated.shape, starts.shape, ends.shape) != ((1,), ids.shape, ids.shape):
            raise OracleFailed("the reader failed: its results have another shape")
        if not (np.isfinite(stated).all() and np.isfinite(starts).all() and np.isfinite(ends).all()):
            raise OracleFailed("the reader failed: its results are no numbers")
        shown = slice(one.offset, one.offset + len(one.starts))
        first, last, span = _best(starts[0, shown], ends[0, shown])
        return Reading(float(stated[0]), int(one.starts[first]), int(one.ends[last]), span)


@dataclass(frozen=True, slots=True)
class _Input:
    """One input of the network: of which passage, where its second part and the passage begin, and where each token
    of the passage stands in it."""

    passage: int
    ids: list[int]
    second: int
    offset: int
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def _best(starts: NDArray[np.float32], ends: NDArray[np.float32]) -> tuple[int, int, float]:
    """The most probable answer: its first and last token, and how probable it is."""
    start, end = _log_softmax(starts), _log_softmax(ends)
    pairs = start[:, None] + end[None, :]
    at = np.arange(len(start))
    pairs[(at[None] < at[:, None]) | (at[None] >= at[:, None] + ANSWER_TOKENS)] = -np.inf
    place = int(pairs.argmax())
    first, last = divmod(place, len(start))
    return first, last, math.exp(float(pairs[first, last]))


def _log_softmax(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    high = scores.astype(np.float64) - float(scores.max())
    return np.asarray(high - math.log(float(np.exp(high).sum())), np.float64)


_NOTHING_SENT_HOME = "ORT_DISABLE_TELEMETRY"
"""From 1.29 on onnxruntime sends what it does to its makers and keeps a number of the machine below the home folder,
unless this is 1 before it is imported (docs/Privacy.md of onnxruntime)."""


_PROVIDER = ("CPUExecutionProvider", {"arena_extend_strategy": "kSameAsRequested"})
"""Memory by what passages take: by powers of two it would be 20 MB more, and 100 MB by a heap for each thread."""


def _session(path: Path) -> Any:
    os.environ[_NOTHING_SENT_HOME] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        raise ReaderUnavailable(
            "the reader is off: onnxruntime is not installed, or has no package for this machine"
        ) from error
    onnxruntime.disable_telemetry_events()  # on Windows, where the variable says nothing
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # passages are of all lengths
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=[_PROVIDER])
        names = {item.name for item in session.get_inputs()}, [item.name for item in session.get_outputs()]
    except Exception as error:
        raise ReaderUnavailable(f"the reader is off: {path} cannot be loaded ({_brief(error)})") from error
    if names != ({"ids", "kinds", "real"}, ["states", "start", "end"]):
        raise ReaderUnavailable(f"the reader is off: {path} is another network, with {names}")
    return session


def _brief(error: Exception) -> str:
    """What onnxruntime says, in one line."""
    return " ".join(str(error).split())[:_LONGEST_REASON]


def _processors() -> int:
    """How many passages are read at once."""
    return min(_MOST_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


_LOADING = Lock()


def load(folder: Path | None = None) -> ReaderModel:
    """The reader of a folder, by default the shipped one; loaded once. Raises `ReaderUnavailable`."""
    with _LOADING:
        return _load(folder or SHIPPED)


@lru_cache(maxsize=2)
def _load(folder: Path) -> ReaderModel:
    return ReaderModel(folder)
