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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lens_lsp.disk.whole import ORDINARY, replace_whole
from lens_lsp.domain.errors import EvaluationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lens_lsp.models.embeddings import Embeddings

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

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text, in order."""


class EndpointEmbedder:
    """An embedding model behind an endpoint; its vectors are brought to length 1."""

    def __init__(self, model: Embeddings) -> None:
        self._model = model
        self.name = model.name
        """What the endpoint calls the model."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text, in order. Raises `ModelError`."""
        import numpy as np

        rows: Floats = np.array(asyncio.run(self._model.embed(texts)), np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors of some texts in order; ``earlier`` are the seconds that making those took that were kept."""

    rows: Floats
    earlier: float

    def nearest(self, query: Floats, count: int) -> list[int]:
        """The places of the ``count`` rows nearest to a vector, by cosine; equal ones in order."""
        import numpy as np

        alike = self.rows @ query
        best = np.argpartition(-alike, count)[:count] if count < len(alike) else np.arange(len(alike))
        return [int(place) for place in best[np.lexsort((best, -alike[best]))]]


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

        known, rows, seconds = self._read()
        digests = [hashlib.sha256(text.encode("utf-8", "replace")).digest()[:_DIGEST_BYTES] for text in texts]
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        fresh = list(missing.items())
        kept = set(digests) - missing.keys() - self._told
        earlier = sum(seconds[known[digest]] for digest in kept)
        saved = time.perf_counter()
        try:
            for first in range(0, len(fresh), _BATCH):
                batch = fresh[first : first + _BATCH]
                began = time.perf_counter()
                made = self._embedder.embed([text for _, text in batch])
                took = (time.perf_counter() - began) / len(batch)
                for (digest, _), row in zip(batch, made, strict=True):
                    known[digest] = len(rows)
                    rows.append(row)
                    seconds.append(took)
                if time.perf_counter() - saved > _SAVE_SECONDS:
                    self._write(known, rows, seconds)
                    saved = time.perf_counter()
        finally:
            if fresh:
                self._write(known, rows, seconds)
        self._told.update(digests)
        return Vectors(np.array([rows[known[digest]] for digest in digests], np.float32), earlier)

    def _read(self) -> tuple[dict[bytes, int], list[Floats], list[float]]:
        import numpy as np

        if self._path is None or not self._path.exists():
            return {}, [], []
        try:
            with np.load(io.BytesIO(self._path.read_bytes()), allow_pickle=False) as kept:
                known = {digest.tobytes(): place for place, digest in enumerate(kept["digests"])}
                return known, list(kept["vectors"]), kept["seconds"].tolist()
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise EvaluationError(f"{self._path} cannot be read: delete it, and its vectors are made anew") from error

    def _write(self, known: dict[bytes, int], rows: list[Floats], seconds: list[float]) -> None:
        import numpy as np

        if self._path is None:
            return
        data = io.BytesIO()
        np.savez(
            data,
            digests=np.frombuffer(b"".join(known), np.uint8).reshape(-1, _DIGEST_BYTES),
            vectors=np.array(rows, np.float32),
            seconds=np.array(seconds, np.float32),
        )
        replace_whole(self._path, data.getvalue(), ORDINARY)
