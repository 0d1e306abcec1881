"""Good inputs damaged at random, for all that reads what others wrote: encodings, text formats, framing, URIs, paths,
replies of endpoints, models and workers, answer files, pages of a store, and texts on their way to a terminal.

``python -m tests.soak.fuzzing --n 20000`` gives each target of `tests.soak.fuzz_targets` as many inputs (the readers
of text formats, which all read each, a tenth) and prints one JSON line. It exits with 1 if anything but a typed refusal
was raised, a property did not hold or an input took seconds; and if one of the naive readers beside them passes.
``--target NAME`` runs one; equal seeds give equal inputs.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tests.soak.fuzz_targets import Target, targets
from tests.soak.harness import Options, Verdict, harness

CONTROL = 400
SLOW = {"readers": 10}
"""Targets whose inputs cost more: a share of them is tried."""
_WORDS = r"""
{ } [ ] : " ' < > ` --- ``` | - # [^1] .. / // % %2e %00 null true -1 1e999 9999999999999999999999 NaN Content-Length:
data: [DONE] \ud800 file://
"""
TOKENS = (
    *(word.encode() for word in _WORDS.split()),
    *(b"\0", b"\n", b"\r\n", b"\r", b" ", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1b[2J"),
    *("\u202e".encode(), "😀".encode()),
)


def damaged(draw: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A seed with a few things done to it."""
    data = bytearray(draw.choice(seeds))
    for _ in range(draw.choice((0, 1, 1, 2, 3, 6, 20))):
        at = draw.randint(0, len(data))
        kind = draw.randrange(7)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del data[at : at + draw.choice((1, 1, 2, 8, 64))]
        elif kind == 2:
            data[at:at] = draw.choice(TOKENS)
        elif kind == 3:
            data[at:at] = data[at : at + draw.choice((1, 4, 32))] * draw.choice((1, 2, 20))
        elif kind == 4:
            other = draw.choice(seeds)
            start = draw.randint(0, len(other))
            data[at : at + draw.randrange(20)] = other[start : start + draw.choice((1, 8, 64))]
        elif kind == 5:
            data[at:at] = draw.randbytes(draw.choice((1, 2, 8)))
        else:
            del data[at:]
    return bytes(data[: 1 << 15])


def fuzz(target: Target, n: int, seed: int, subject: Callable[..., Any]) -> list[str]:
    """What broke in so many inputs; at most ten."""
    from tests.soak.fuzz_targets import timed

    draw, broken = random.Random(f"{seed} {target.name}"), []
    for number in range(n):
        data = target.seeds[number] if number < len(target.seeds) else damaged(draw, target.seeds)
        if found := timed(target, data, subject):
            broken.append(f"{target.name}: {found[:300]} from {data[:300]!r}")
            if len(broken) == 10:
                break
    return broken


@harness(n=20_000, seed=1, target=str)
def main(options: Options) -> Verdict:
    broken: list[str] = []
    tried: dict[str, int] = {}
    blind: list[str] = []
    for target in targets(options.place):
        if options.target not in (None, target.name):
            continue
        tried[target.name] = max(20, options.n // SLOW.get(target.name, 1))
        broken += fuzz(target, tried[target.name], options.seed, target.ours)
        if not fuzz(target, CONTROL, options.seed, target.naive):
            blind.append(target.name)
    return {
        "n": sum(tried.values()),
        "byTarget": tried,
        "wrong": broken,
        "controlsCaught": 0 if blind else len(tried),
        "blind": blind,
    }, tried and not broken and not blind


if __name__ == "__main__":
    sys.exit(main())
