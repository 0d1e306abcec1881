"""The reader's network on onnxruntime, a cross-encoder: from a question and passages to what it makes of each.

A folder holds it: ``reader.onnx``, ``vocab.txt`` and ``reader.json`` (which network it is, and what was fitted for it).
It is loaded at its first use, from this machine's disk alone; its file runs no code of its own. Its input is
``[CLS] question [SEP] name of the file and headings [SEP] passage [SEP]`` in the tokens of an uncased WordPiece
vocabulary (Devlin et al. 2019), equal to what the library tokenizers makes of BERT's uncased models. Logistic
regression, fitted on labelled passages, turns its scores into probabilities that mean what they say.
"""

from __future__ import annotations

import json
import math
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from operator import mul
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lens_lsp.model.errors import LensError, OracleFailed
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import ConfidenceMap

FEATURES = ("bias", "states", "span", "scan", "behind", "ahead", "scan_ahead")
"""What the probability of a passage rests on, in the order of `features`."""
_LEAST_SPAN = 1e-4
_MOST_SURE = 8.0
"""Log odds beyond which the reader counts no more where passages are ranked."""
_NONE = -9.0
"""The log odds of a rival where there is none."""
_LONGEST_WORD = 100
"""Code points of a word beyond which it is one unknown token."""
_MOST_KEPT = 50_000
"""Words whose tokens are remembered."""
# Chinese characters stand alone; punctuation (all of ASCII's symbols, and Unicode's class P) does too. Other symbols
# (×, √) are letters.
_HAN = "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b81f\uf900-\ufaff\U0002f800-\U0002fa1f"
_WORD = regex(rf"[{_HAN}]|[^\s!-/:-@\[-`{{-~{_HAN}]+|\S")
QUESTION_TOKENS = 64
"""Of a longer question the first ones count."""
ABOVE_TOKENS = 32
"""Of longer headings the first ones count."""
PASSAGE_TOKENS = 192
"""A longer passage is read in pieces that share ``OVERLAP`` tokens."""
OVERLAP = 48
_APART = regex(r"[\W_]+")
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
_NOTHING_SENT_HOME = "ORT_DISABLE_TELEMETRY"
"""From 1.29 on onnxruntime sends what it does to its makers and keeps a number of the machine below the home folder,
unless this is 1 before it is imported (docs/Privacy.md of onnxruntime)."""
_PROVIDER = ("CPUExecutionProvider", {"arena_extend_strategy": "kSameAsRequested"})
"""Memory by what passages take: by powers of two it would be 20 MB more, and 100 MB by a heap for each thread."""
_LOADING = Lock()


def features(readings: Sequence[PassageScore], scan: Sequence[float], answers: Sequence[str]) -> list[list[float]]:
    """Of each passage of a question, in nats: the reader's log odds; the logarithm of how probable the marked words
    are; the share that the scan gives the passage; how far the log odds are behind and ahead of the best passage that
    answers otherwise; how far its share is ahead of the best other one's.

    ``scan`` are shares from 0 to 1, ``answers`` the marked words, which are the same where two passages agree.
    """
    said = [" ".join(answer.lower().split()) for answer in answers]
    rows = []
    for k, (reading, share) in enumerate(zip(readings, scan, strict=True)):
        others = [other.log_odds for other, answer in zip(readings, said, strict=True) if answer != said[k]]
        lead = reading.log_odds - max(others, default=_NONE)
        best = max((other for at, other in enumerate(scan) if at != k), default=0.0)
        span = math.log(max(reading.span, _LEAST_SPAN))
        rows.append([1.0, reading.log_odds, span, share, min(lead, 0.0), max(lead, 0.0), share - best])
    return rows


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic regression of "this passage states what is asked" on `features`.

    ``answered``: the log odds, in nats, from which on a passage counts as proof. ``fusion``: where passages are ranked,
    how much a nat of the reader's log odds counts beside the scan's share.
    """

    weights: tuple[float, ...] = (0.0, 1.0, *(0.0,) * (len(FEATURES) - 2))
    answered: float = 2.2
    fusion: float = 0.08
    confidence: ConfidenceMap = ConfidenceMap()

    def log_odds(self, readings: Sequence[PassageScore], scan: Sequence[float], answers: Sequence[str]) -> list[float]:
        """Of each passage of a question, in nats: how probable it is that it states what is asked."""
        return [sum(map(mul, self.weights, row)) for row in features(readings, scan, answers)]

    def rank(self, reading: PassageScore, share: float) -> float:
        """What a passage is ranked by: reader and scan together."""
        return share + self.fusion * max(-_MOST_SURE, min(_MOST_SURE, reading.log_odds))


def calibration_of(data: Mapping[str, Any]) -> Calibration:
    """The calibration in the parsed ``reader.json``; unknown keys and another number of weights raise an error."""
    fitted = data.get("calibration")
    if fitted is None:
        return Calibration()
    confidence = fitted["confidence"]
    steps = tuple((float(score), float(share)) for score, share in confidence["steps"])
    weights = tuple(float(fitted["weights"][name]) for name in FEATURES)
    map_ = ConfidenceMap(steps, int(confidence["n"]), confidence["error"])
    return Calibration(weights, float(fitted["answered"]), float(fitted["fusion"]), map_)


@dataclass(frozen=True, slots=True)
class PieceTokens:
    """The tokens of a text: their numbers, and where each begins and ends, in code points of the text.

    ``whole`` is False at a token that goes on with a word: a text is cut only before those where it is True.
    """

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    whole: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ids)


class WordPiece:
    """A vocabulary, one token a line as in ``vocab.txt``; a line's number is the token's. Raises KeyError where one
    of the special tokens is missing."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._numbers: Mapping[str, int] = {token: number for number, token in enumerate(vocabulary)}
        self.start = self._numbers["[CLS]"]
        self.end = self._numbers["[SEP]"]
        self.pad = self._numbers["[PAD]"]
        self._unknown = self._numbers["[UNK]"]
        self._kept: dict[str, tuple[tuple[int, int, int], ...]] = {}

    def __call__(self, text: str, most: int | None = None) -> PieceTokens:
        """The tokens of a text, the first ``most`` of them."""
        found: list[tuple[int, int, int]] = []
        whole: list[bool] = []
        for word, start, end in _words(text):
            pieces = self._kept.get(word)
            if pieces is None:
                if len(self._kept) >= _MOST_KEPT:
                    self._kept.clear()
                pieces = self._kept[word] = tuple(self._pieces(word))
            exact = len(word) == end - start  # else letters were lost or won in folding: the word stands for its pieces
            for index, (number, first, last) in enumerate(pieces):
                found.append((number, start + first, start + last) if exact else (number, start, end))
                whole.append(index == 0)
            if most is not None and len(found) >= most:
                break
        table: NDArray[np.int64] = np.array(found[:most], np.int64).reshape(-1, 3)
        return PieceTokens(table[:, 0], table[:, 1], table[:, 2], np.array(whole[:most], np.bool_))

    def _pieces(self, word: str) -> list[tuple[int, int, int]]:
        """The longest pieces of a word, from its beginning on."""
        if len(word) > _LONGEST_WORD:
            return [(self._unknown, 0, len(word))]
        pieces, at = [], 0
        while at < len(word):
            for end in range(len(word), at, -1):
                number = self._numbers.get(word[at:end] if at == 0 else f"##{word[at:end]}")
                if number is not None:
                    break
            else:
                return [(self._unknown, 0, len(word))]
            pieces.append((number, at, end))
            at = end
        return pieces


def _words(text: str) -> Sequence[tuple[str, int, int]]:
    """Words and punctuation, folded, with where they stand in the text."""
    words = []
    for match in _WORD.finditer(text):
        written, start = match.group(), match.start()
        if written.isascii():
            words.append((written.lower(), start, match.end()))
        else:
            words += _folded(written, start)
    return words


def _folded(written: str, start: int) -> list[tuple[str, int, int]]:
    """A word that is not plain: without accents and control characters, apart at what Unicode calls punctuation."""
    words: list[tuple[str, int, int]] = []
    letters, begin = "", start
    for at, character in enumerate(written, start):
        kind = unicodedata.category(character)
        if kind[0] == "C":
            continue
        plain = "".join(
            part for part in unicodedata.normalize("NFD", character.lower()) if unicodedata.category(part) != "Mn"
        )
        if kind[0] == "P":
            if letters:
                words.append((letters, begin, at))
            words.append((plain, at, at + 1))
            letters, begin = "", at + 1
        else:
            begin = begin if letters else at
            letters += plain
    if letters:
        words.append((letters, begin, start + len(written)))
    return words


@dataclass(frozen=True, slots=True)
class ReaderPassage:
    """A passage, and what stands above it. ``path`` is that of its file, below its folder."""

    text: str
    path: str = ""
    headings: tuple[str, ...] = ()


def above(path: str, headings: Sequence[str]) -> str:
    """The name of the file in words, then the headings from the outermost on."""
    name = _APART.sub(" ", path.rsplit("/", 1)[-1].rsplit(".", 1)[0]).strip()
    return ". ".join(part for part in (name, *headings) if part)


def pieces(tokens: PieceTokens) -> Iterator[tuple[int, int]]:
    """The stretches of a passage's tokens that are read one by one; they begin at whole words."""
    begin, count = 0, len(tokens)
    while True:
        end = min(begin + PASSAGE_TOKENS, count)
        yield begin, end
        if end == count:
            return
        begin = end - OVERLAP
        while begin < end - 1 and not tokens.whole[begin]:
            begin += 1


def encoded(
    piece: WordPiece, question: PieceTokens, heading: PieceTokens, passage: Sequence[int]
) -> tuple[list[int], int]:
    """The token numbers of one input, and how many stand before the passage."""
    head = [piece.start, *question.ids[:QUESTION_TOKENS].tolist(), piece.end]
    over = [*heading.ids[:ABOVE_TOKENS].tolist(), piece.end]
    return [*head, *over, *passage, piece.end], len(head) + len(over)


class ReaderUnavailable(LensError):
    """There is no reader to judge by; the message says why and what helps."""


@dataclass(frozen=True, slots=True)
class PassageScore:
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

    def read(
        self, question: str, passages: Sequence[ReaderPassage], stop: Callable[[], None] = lambda: None
    ) -> list[PassageScore]:
        """What it makes of each passage, in their order; a long one is read in pieces, and the best piece stands for
        it. ``stop`` is called before each piece, on several threads, and ends the call by raising. Raises
        `OracleFailed` where the network cannot go on."""

        def run(one: _Input) -> tuple[int, PassageScore]:
            stop()
            return one.passage, self._run(one)

        best: dict[int, PassageScore] = {}
        # Each piece alone, as many at once as there are processors: in a batch it would be padded, and rounded by the
        # scale of the others.
        with ThreadPoolExecutor(_processors()) as pool:
            for passage, reading in pool.map(run, self._inputs(question, passages[:MOST_PASSAGES])):
                if passage not in best or reading.log_odds > best[passage].log_odds:
                    best[passage] = reading
        nothing = PassageScore(-20.0, 0, 0, 0.0)
        return [best.get(k, nothing) for k in range(len(passages))]

    def _try(self, folder: Path, last: int) -> None:
        """Read one input that holds the last token of the vocabulary: the files may be of two readers."""
        place = np.zeros(1, np.int64)
        try:
            self._run(_Input(0, [self._piece.start, last], 1, 1, place, place + 1))
        except OracleFailed as error:
            raise ReaderUnavailable(f"the reader is off: the files in {folder} do not fit together") from error

    def _inputs(self, question: str, passages: Sequence[ReaderPassage]) -> Iterator[_Input]:
        asked = self._piece(question, QUESTION_TOKENS)
        for number, passage in enumerate(passages):
            tokens = self._piece(passage.text[:LONGEST_PASSAGE])
            heading = self._piece(above(passage.path, passage.headings), ABOVE_TOKENS)
            for begin, end in pieces(tokens):
                if begin < end:
                    ids, offset = encoded(self._piece, asked, heading, tokens.ids[begin:end].tolist())
                    second = ids.index(self._piece.end) + 1
                    yield _Input(number, ids, second, offset, tokens.starts[begin:end], tokens.ends[begin:end])

    def _run(self, one: _Input) -> PassageScore:
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
        return PassageScore(float(stated[0]), int(one.starts[first]), int(one.ends[last]), span)


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
    # Without it processors that have AVX2 but no VNNI cut off sums of 8-bit products: other scores than elsewhere.
    options.add_session_config_entry("session.x64quantprecision", "1")
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


def load(folder: Path | None = None) -> ReaderModel:
    """The reader of a folder, by default the shipped one; loaded once. Raises `ReaderUnavailable`."""
    with _LOADING:
        return _load(folder or SHIPPED)


@lru_cache(maxsize=2)
def _load(folder: Path) -> ReaderModel:
    return ReaderModel(folder)
