"""Dense vectors of passages: who makes them, where they are kept, and the ranking they give.

Making them is what an index costs, so they can be kept, one file an embedding model, by the hash of the text: a larger
snapshot finds those of the smaller one. With each vector stands how long it took, so that the time an index takes is
told in full, whoever built it.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import re
import time
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lens_lsp.disk import ORDINARY, replace_whole
from lens_lsp.model.errors import EvaluationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evaluation.embeddings import Embeddings

    Floats = NDArray[np.float32]

SUFFIX = ".vectors.npz"
"""How a file of vectors ends."""
_BATCH = 512
_SAVE_SECONDS = 60.0
_DIGEST_BYTES = 16


class Embedder(Protocol):
    """Makes vectors of length 1."""

    @property
    def name(self) -> str:
        """The model's name: vectors of two models are never mixed."""

    @property
    def endpoint(self) -> str | None:
        """The origin that texts are sent to; None when nothing leaves the process."""

    @property
    def tokens(self) -> int:
        """Tokens that an endpoint was sent so far."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text, in order."""


class EndpointEmbedder:
    """An embedding model behind an endpoint; its vectors are brought to length 1."""

    def __init__(self, model: Embeddings) -> None:
        self._model = model
        self.name = model.name
        """What the endpoint calls the model."""
        self.endpoint = model.endpoint

    @property
    def tokens(self) -> int:
        """Tokens of all texts that were sent so far."""
        return self._model.tokens

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text, in order. Raises `ModelError`."""
        import numpy as np

        rows: Floats = np.array(asyncio.run(self._model.embed(texts)), np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors of some texts in order; ``earlier`` are the seconds that making those took that were kept, ``tokens``
    what an endpoint was sent for all of them, earlier or now."""

    rows: Floats
    earlier: float
    tokens: int

    def nearest(self, query: Floats, count: int) -> list[int]:
        """The places of the ``count`` rows nearest to a vector, by cosine; equal ones in order."""
        import numpy as np

        alike = self.rows @ query
        best = np.argpartition(-alike, count)[:count] if count < len(alike) else np.arange(len(alike))
        return [int(place) for place in best[np.lexsort((best, -alike[best]))]]


@dataclass(slots=True)
class _Kept:
    """Vectors by the hashes of their texts, with the seconds and tokens that each took."""

    places: dict[bytes, int]
    rows: list[Floats]
    seconds: list[float]
    tokens: list[float]

    def add(self, digest: bytes, row: Floats, seconds: float, tokens: float) -> None:
        self.places[digest] = len(self.rows)
        self.rows.append(row)
        self.seconds.append(seconds)
        self.tokens.append(tokens)


class Embedding:
    """Vectors by one model, kept in a folder, or not at all."""

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self._embedder = embedder
        self._path = None if folder is None else folder / (re.sub(r"[^\w.-]+", "-", embedder.name) + SUFFIX)
        self._told: set[bytes] = set()

    def query(self, text: str) -> Floats:
        """The vector of a question."""
        vector: Floats = self._embedder.embed([text])[0]
        return vector

    def of(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts; those that are not kept yet are made, and kept once a minute at least.

        What a vector took earlier is told once: building the same index again costs nothing for it. Raises
        EvaluationError for a file that cannot be read.
        """
        import numpy as np

        kept = self._read()
        digests = [hashlib.sha256(text.encode("utf-8", "replace")).digest()[:_DIGEST_BYTES] for text in texts]
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in kept.places}
        untold = set(digests) - missing.keys() - self._told
        earlier = sum(kept.seconds[kept.places[digest]] for digest in untold)
        self._make(missing, kept)
        self._told.update(digests)
        tokens = sum(kept.tokens[kept.places[digest]] for digest in set(digests))
        rows = np.array([kept.rows[kept.places[digest]] for digest in digests], np.float32)
        return Vectors(rows, earlier, round(tokens))

    def _make(self, missing: Mapping[bytes, str], kept: _Kept) -> None:
        """Make the vectors of texts, batch by batch, and keep them, also when one fails."""
        fresh = list(missing.items())
        saved = time.perf_counter()
        try:
            for first in range(0, len(fresh), _BATCH):
                batch = fresh[first : first + _BATCH]
                began, sent = time.perf_counter(), self._embedder.tokens
                made = self._embedder.embed([text for _, text in batch])
                seconds = (time.perf_counter() - began) / len(batch)
                tokens = (self._embedder.tokens - sent) / len(batch)
                for (digest, _), row in zip(batch, made, strict=True):
                    kept.add(digest, row, seconds, tokens)
                if time.perf_counter() - saved > _SAVE_SECONDS:
                    self._write(kept)
                    saved = time.perf_counter()
        finally:
            if fresh:
                self._write(kept)

    def _read(self) -> _Kept:
        import numpy as np

        if self._path is None or not self._path.exists():
            return _Kept({}, [], [], [])
        try:
            with np.load(io.BytesIO(self._path.read_bytes()), allow_pickle=False) as held:
                places = {digest.tobytes(): place for place, digest in enumerate(held["digests"])}
                tokens = held["tokens"].tolist() if "tokens" in held else [0.0] * len(places)
                return _Kept(places, list(held["vectors"]), held["seconds"].tolist(), tokens)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise EvaluationError(f"{self._path} cannot be read: delete it, and its vectors are made anew") from error

    def _write(self, kept: _Kept) -> None:
        import numpy as np

        if self._path is None:
            return
        data = io.BytesIO()
        np.savez(
            data,
            digests=np.frombuffer(b"".join(kept.places), np.uint8).reshape(-1, _DIGEST_BYTES),
            vectors=np.array(kept.rows, np.float32),
            seconds=np.array(kept.seconds, np.float32),
            tokens=np.array(kept.tokens, np.float32),
        )
        replace_whole(self._path, data.getvalue(), ORDINARY)
