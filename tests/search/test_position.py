"""The density of terms over cells, against the same counted cell by cell."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from small_workspace import FILLER, Workspace

from lens_lsp.search.beliefs import CELL, WINDOW, Grid, PositionWeights, density_of, places_of, window_idf

Make = Callable[[Mapping[str, str]], Workspace]
WEIGHTS = PositionWeights()


def text_of(seed: int, count: int) -> str:
    generator = random.Random(seed)
    return " ".join(
        generator.choice(["copper", "kettle", "lorem", "ipsum", "größe", "dolor", "amet", "東京"]) for _ in range(count)
    )


def counted(text: str, words: list[str], idf: list[float]) -> list[float]:
    """For each cell what the window that begins there holds of the words, one occurrence after the other."""
    places = [[at for at in range(len(text)) if text.startswith(word, at)] for word in words]
    cells = max(1, math.ceil(len(text) / CELL))
    found = []
    for cell in range(cells):
        start, stop = cell * CELL, min(cells * CELL, cell * CELL + WINDOW)
        total = 0.0
        for own, at in zip(idf, places, strict=True):
            count = sum(start <= place < stop for place in at)
            total += own * count * (WEIGHTS.saturation + 1) / (count + WEIGHTS.saturation)
        best = 0.0
        for first in range(start, stop - CELL + 1, CELL):
            pair = [any(first <= place < min(first + 2 * CELL, cells * CELL) for place in at) for at in places]
            if first - start <= WINDOW - 2 * CELL:
                best = max(best, sum(own for own, held in zip(idf, pair, strict=True) if held))
        total += WEIGHTS.dense * best
        for one in range(len(words) - 1):
            follows = [
                place
                for place in places[one]
                if any(place < other and other - place < CELL // 2 for other in places[one + 1][:])
            ]
            if any(start <= place < stop for place in follows):
                total += WEIGHTS.adjacent * min(idf[one], idf[one + 1])
        found.append(total)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_density_is_what_counting_gives(workspace: Make, seed: int) -> None:
    files = {f"{number}.md": text_of(100 * seed + number, 90 * number) for number in range(4)}
    space = workspace({**files, **FILLER})
    asked = space.ask("copper kettle")
    grid = Grid(space.corpus, np.array([space.slot(path) for path in files], np.int64))
    idf = window_idf(asked.hits, asked.measures, WEIGHTS)
    places = places_of(space.corpus, grid, asked.question, asked.hits)
    expected = [value for text in files.values() for value in counted(text, ["copper", "kettle"], idf.tolist())]
    assert density_of(grid, places, idf, WEIGHTS).tolist() == pytest.approx(expected)


def test_nothing_has_no_density(workspace: Make) -> None:
    space = workspace({"empty.md": "", **FILLER})
    asked = space.ask("copper kettle")
    grid = Grid(space.corpus, np.array([space.slot("empty.md")], np.int64))
    idf = window_idf(asked.hits, asked.measures, WEIGHTS)
    places = places_of(space.corpus, grid, asked.question, asked.hits)
    assert idf.tolist() == [0.0, 0.0]
    assert density_of(grid, places, idf, WEIGHTS).tolist() == [0.0]
