"""Train the reader on packed rows: on the processor or an accelerator, stopped and resumed at will.

The learning rate rises, stays, and falls linearly over the last part of the run. What is kept is a running mean of the
parameters. Everything random comes from the seed and the step: a resumed run sees what one without a break sees.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.reader.model import LONGEST, Reader
from training.reader.packed import Rows

CLS, SEP, PAD = 101, 102, 0
_BLOCK = 64
"""Batches that are sorted by length together."""


@dataclass(frozen=True)
class Recipe:
    """How to train. ``seconds`` and ``steps``: whichever is over first ends the run; ``fall`` is its last part, in
    which the learning rate falls to 0, and ``late`` the sources whose rows come in that part alone."""

    seconds: float = 7200.0
    steps: int = 1_000_000
    batch: int = 32
    rate: float = 1e-4
    head_rate: float = 5e-4
    warm: int = 500
    fall: float = 0.16
    late: int = 3
    """The first source that is shown in the fall alone; all after it are too."""
    without: tuple[int, ...] = ()
    seed: int = 1
    mean: float = 0.998
    """How much of the running mean of the parameters a step keeps."""
    spans: float = 1.0
    """What the loss of the marked words counts beside that of the judgement."""
    smooth: float = 0.02


class Arena:
    """The rows on a device, and batches of them."""

    def __init__(self, rows: Rows, device: torch.device) -> None:
        self.tokens = torch.from_numpy(rows.tokens.astype(np.int32)).to(device)
        self.bounds = torch.from_numpy(rows.bounds.astype(np.int64)).to(device)
        self.rows = torch.from_numpy(rows.rows.astype(np.int64)).to(device)
        bounds = rows.bounds
        table = rows.rows
        length = np.diff(bounds)
        self.lengths = 4 + length[table[:, 0]] + length[table[:, 1]] + table[:, 4] - table[:, 3]
        self.sources = table[:, 8]

    def batch(self, chosen: np.ndarray) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Token numbers, kinds, what is real, and the targets: states, first and last token (-100 for none)."""
        rows = self.rows[torch.from_numpy(chosen).to(self.rows.device)]
        width = min(LONGEST, -(-int(self.lengths[chosen].max()) // 16) * 16)
        at = torch.arange(width, device=rows.device)[None]
        question, over, text = (self.bounds[rows[:, k]][:, None] for k in range(3))
        asked = self.bounds[rows[:, 0] + 1][:, None] - question
        above = self.bounds[rows[:, 1] + 1][:, None] - over
        shown = (rows[:, 4] - rows[:, 3])[:, None]
        second = asked + 2  # [CLS] question [SEP], headings from here on
        third = second + above + 1
        last = third + shown
        place = torch.where(
            at < second - 1,
            question + at - 1,
            torch.where(at < third - 1, over + at - second, text + rows[:, 3:4] + at - third),
        )
        ids = self.tokens[place.clamp(0, len(self.tokens) - 1)].long()
        ids = torch.where((at == second - 1) | (at == third - 1) | (at == last), SEP, ids)
        ids = torch.where(at == 0, CLS, torch.where(at > last, PAD, ids))
        marked = rows[:, 5] >= 0
        start = torch.where(marked, third[:, 0] + rows[:, 5], -100)
        end = torch.where(marked, third[:, 0] + rows[:, 6] - 1, -100)
        cut = (end >= width) & marked
        start, end = torch.where(cut, -100, start), torch.where(cut, -100, end)
        passage = (at >= third) & (at < last)
        return (
            ids,
            (at >= second).long() * (at <= last),
            at <= last,
            rows[:, 7].float(),
            torch.stack([start, end]),
            passage,
        )


def orders(arena: Arena, recipe: Recipe, fall: bool) -> Iterator[np.ndarray]:
    """Batches of one pass over the rows, those of about a length together, again and again."""
    keep = ~np.isin(arena.sources, recipe.without)
    if not fall:
        keep &= arena.sources < recipe.late
    rows = np.flatnonzero(keep)
    for number in range(1_000_000):
        random = np.random.default_rng((recipe.seed, number, fall))
        order = random.permutation(rows)
        for first in range(0, len(order), recipe.batch * _BLOCK):
            block = order[first : first + recipe.batch * _BLOCK]
            block = block[np.argsort(arena.lengths[block], kind="stable")]
            parts = [block[k : k + recipe.batch] for k in range(0, len(block), recipe.batch)]
            for k in random.permutation(len(parts)):
                yield parts[k]


class Run:
    """A run: the model, its running mean, the optimiser, and how far it came."""

    def __init__(self, arena: Arena, recipe: Recipe, device: torch.device, begin: dict[str, Tensor]) -> None:
        torch.manual_seed(recipe.seed)
        self.arena, self.recipe, self.device = arena, recipe, device
        # Dropout takes a third of the time on a processor, which sees each row once at most.
        self.model = Reader(0.1 if device.type == "cuda" else 0.0).to(device)
        self.model.load_state_dict(begin, strict=False)
        self.kept = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
        heads = ("states.", "span.")
        body = [value for name, value in self.model.named_parameters() if not name.startswith(heads)]
        head = [value for name, value in self.model.named_parameters() if name.startswith(heads)]
        self.optimiser = torch.optim.AdamW(
            [{"params": body, "rate": recipe.rate}, {"params": head, "rate": recipe.head_rate}],
            lr=recipe.rate,
            weight_decay=0.01,
            betas=(0.9, 0.98),
            fused=True,
        )
        self.step, self.spent, self.batches = 0, 0.0, {False: 0, True: 0}
        self.fell_at = 0.0

    @property
    def progress(self) -> float:
        """From 0 to 1, by time or steps, whichever is further."""
        return min(1.0, max(self.spent / self.recipe.seconds, self.step / self.recipe.steps))

    def save(self, path: Path) -> None:
        """Keep everything that going on needs; the file is never half written."""
        scratch = path.with_suffix(".part")
        torch.save(
            {
                "model": self.model.state_dict(),
                "kept": self.kept,
                "optimiser": self.optimiser.state_dict(),
                "state": {"step": self.step, "spent": self.spent, "batches": self.batches},
                "recipe": asdict(self.recipe),
            },
            scratch,
        )
        scratch.replace(path)

    def load(self, path: Path) -> None:
        """Go on from what `save` kept."""
        kept = torch.load(path, map_location=self.device, weights_only=True)
        self.model.load_state_dict(kept["model"])
        self.kept = kept["kept"]
        self.optimiser.load_state_dict(kept["optimiser"])
        self.step, self.spent, self.batches = (kept["state"][name] for name in ("step", "spent", "batches"))

    def train(
        self, log: Path | None = None, checkpoint: Path | None = None, before: Path | None = None, every: float = 300.0
    ) -> None:
        """Until the recipe is over; ``checkpoint`` is written every so many seconds and at the end, ``before`` once,
        before the learning rate falls."""
        recipe, model = self.recipe, self.model
        began, spent, saved = time.monotonic(), self.spent, time.monotonic()
        totals = torch.zeros(3, device=self.device)
        streams = {fall: orders(self.arena, recipe, fall) for fall in (False, True)}
        for fall, count in self.batches.items():
            for _ in range(count):
                next(streams[fall])
        model.train()
        while self.progress < 1:
            fall = self.progress >= 1 - recipe.fall
            if fall and before is not None and not before.exists():
                self.save(before)
            chosen = next(streams[fall])
            self.batches[fall] += 1
            falling = (1 - self.progress) / recipe.fall if recipe.fall else 1.0
            share = min(1.0, (self.step + 1) / recipe.warm, max(0.01, falling))
            for group in self.optimiser.param_groups:
                group["lr"] = group["rate"] * share
            losses = self._losses(chosen)
            self.optimiser.zero_grad(set_to_none=True)
            (losses[0] + recipe.spans * losses[1]).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            self.optimiser.step()
            self.step += 1
            totals += torch.stack([losses[0].detach(), losses[1].detach(), torch.ones((), device=self.device)])
            with torch.no_grad():
                mean = min(recipe.mean, (1 + self.step) / (10 + self.step))
                new = model.state_dict()
                torch._foreach_lerp_(list(self.kept.values()), [new[name] for name in self.kept], 1 - mean)
            self.spent = spent + time.monotonic() - began
            if self.step % 500 == 0 or self.progress >= 1:
                stated, span, count = totals.tolist()
                totals.zero_()
                line = {
                    "step": self.step,
                    "seconds": round(self.spent, 1),
                    "rows": self.step * recipe.batch,
                    "states": round(stated / max(count, 1), 4),
                    "span": round(span / max(count, 1), 4),
                }
                print(json.dumps(line), flush=True)
                if log is not None:
                    with log.open("a") as file:
                        file.write(json.dumps(line) + "\n")
                if not math.isfinite(stated):
                    raise FloatingPointError("the loss is no number any more")
            if checkpoint is not None and (time.monotonic() - saved > every or self.progress >= 1):
                self.save(checkpoint)
                saved = time.monotonic()

    def _losses(self, chosen: np.ndarray) -> tuple[Tensor, Tensor]:
        ids, kinds, real, states, span, passage = self.arena.batch(chosen)
        with torch.autocast(self.device.type, dtype=torch.bfloat16):
            stated, start, end = self.model(ids, kinds, real)
        wanted = states * (1 - 2 * self.recipe.smooth) + self.recipe.smooth
        judged = functional.binary_cross_entropy_with_logits(stated.float(), wanted)
        total = torch.zeros((), device=self.device)
        for scores, target in ((start, span[0]), (end, span[1])):
            masked = scores.float().masked_fill(~passage, -1e4)
            total = total + functional.cross_entropy(masked, target, ignore_index=-100, reduction="sum")
        return judged, total / 2 / (span[0] >= 0).sum().clamp(min=1)
