"""The reader as it is trained: a BERT encoder of MiniLM's size with two heads, on torch.

Parameters have the names of the checkpoint it starts from (all-MiniLM-L6-v2), so that its file is read as it is.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, LAYERS, HEADS, INNER, VOCABULARY, POSITIONS = 384, 6, 12, 1536, 30522, 512
LONGEST = 304
"""Tokens of an input at most: 64 of the question, 32 of headings, 192 of the passage, and what separates them."""


class Reader(nn.Module):
    """Token numbers, shape (rows, tokens), to: the log odds that the passage states what is asked, shape (rows,); and
    scores of each token as the first and last of the answer, shape (rows, tokens) each."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.kinds = nn.Embedding(2, WIDTH)
        self.normal = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(_Layer(dropout) for _ in range(LAYERS))
        self.states = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Dropout(dropout), nn.Linear(WIDTH, 1))
        self.span = nn.Linear(WIDTH, 2)
        self.dropout = dropout

    def forward(self, ids: Tensor, kinds: Tensor, real: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """``kinds``: 0 for the question, 1 for the passage and what stands above it; ``real``: not padding."""
        x = self.words(ids) + self.positions.weight[: ids.shape[1]] + self.kinds(kinds)
        x = functional.dropout(self.normal(x), self.dropout, self.training)
        mask = real[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        start, end = self.span(x).unbind(-1)
        return self.states(x[:, 0]).squeeze(-1), start, end


class _Layer(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.first = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.second = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = dropout

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        rows, tokens, _ = x.shape
        q, k, v = self.qkv(x).view(rows, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        if self.training and not self.dropout and not x.is_cuda:  # torch's own takes twice as long there
            odds = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2) + torch.where(mask, 0.0, -1e4).to(q.dtype)
            seen = odds.softmax(-1) @ v
        else:
            seen = functional.scaled_dot_product_attention(
                q, k, v, attn_mask=mask, dropout_p=self.dropout if self.training else 0.0
            )
        seen = self.out(seen.transpose(1, 2).reshape(rows, tokens, WIDTH))
        x = self.first(x + functional.dropout(seen, self.dropout, self.training))
        inner = self.down(functional.gelu(self.up(x)))
        return self.second(x + functional.dropout(inner, self.dropout, self.training))


def started(folder: Path) -> dict[str, Tensor]:
    """The encoder's parameters from ``model.safetensors`` of all-MiniLM-L6-v2; the heads are left to chance."""
    stored = read_safetensors(folder / "model.safetensors")
    found = {
        "words.weight": stored["embeddings.word_embeddings.weight"],
        "positions.weight": stored["embeddings.position_embeddings.weight"],
        "kinds.weight": stored["embeddings.token_type_embeddings.weight"],
        **_both("normal", "embeddings.LayerNorm", stored),
    }
    for n in range(LAYERS):
        old, new = f"encoder.layer.{n}", f"layers.{n}"
        for part in ("weight", "bias"):
            found[f"{new}.qkv.{part}"] = torch.cat(
                [stored[f"{old}.attention.self.{name}.{part}"] for name in ("query", "key", "value")]
            )
        found |= _both(f"{new}.out", f"{old}.attention.output.dense", stored)
        found |= _both(f"{new}.first", f"{old}.attention.output.LayerNorm", stored)
        found |= _both(f"{new}.up", f"{old}.intermediate.dense", stored)
        found |= _both(f"{new}.down", f"{old}.output.dense", stored)
        found |= _both(f"{new}.second", f"{old}.output.LayerNorm", stored)
    return found


def _both(new: str, old: str, stored: dict[str, Tensor]) -> dict[str, Tensor]:
    return {f"{new}.{part}": stored[f"{old}.{part}"] for part in ("weight", "bias")}


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """A file of the safetensors format, in 32-bit floats."""
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    kinds = {"F32": torch.float32, "F16": torch.float16}
    return {
        name: torch.frombuffer(
            data, dtype=kinds[entry["dtype"]], offset=8 + size + entry["data_offsets"][0], count=_size(entry["shape"])
        )
        .reshape(entry["shape"])
        .float()
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] in kinds
    }


def _size(shape: list[int]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size
