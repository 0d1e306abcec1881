"""What one scan tells about the whole workspace: term and document frequencies, and their weights.

All of it is measured at query time from the hits of one pass; nothing was stored before (paper, Layer 1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.scan import Counts, Hits

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_K1 = 1.2
_B = 0.6


@dataclass(frozen=True, slots=True)
class Measures:
    """One question's measurements."""

    counts: Counts
    frequency: Ints
    """Texts that contain each term."""
    idf: Floats
    norm: Floats
    """BM25's length normalisation of each slot."""
    lengths: Ints
    """Folded bytes of each slot; 0 where it is empty."""
    texts: int
    """How many texts there are."""

    @property
    def total(self) -> float:
        """The idf mass of all terms; never 0."""
        return float(self.idf.sum()) or 1.0

    def only(self, terms: Ints, counts: Counts) -> Measures:
        """The measurements of some terms, renumbered in the given order; ``counts`` are theirs."""
        return replace(self, counts=counts, frequency=self.frequency[terms], idf=self.idf[terms])

    def saturation(self) -> Floats:
        """tf / (tf + norm) for each count: how fully a text speaks of a term, from 0 to 1."""
        count = self.counts.count
        return count / (count + self.norm[self.counts.slot])

    def coverage(self) -> Floats:
        """Per slot, the share of the question's idf mass it covers (BM25, scaled to [0, 1])."""
        weights = self.idf[self.counts.term] * self.saturation()
        return np.bincount(self.counts.slot, weights=weights, minlength=len(self.norm)) / self.total

    def rows(self, slots: Ints) -> Floats:
        """Saturation as a dense table: one row per given slot, one column per term."""
        row = np.full(len(self.norm), -1, np.int64)
        row[slots] = np.arange(len(slots))
        table = np.zeros((len(slots), len(self.idf)))
        chosen = row[self.counts.slot] >= 0
        table[row[self.counts.slot[chosen]], self.counts.term[chosen]] = self.saturation()[chosen]
        return table


def measure(hits: Hits, terms: int, lengths: Ints, texts: int) -> Measures:
    """What the counts of a scan say. ``lengths`` are bytes per slot, 0 where a slot is empty; ``texts`` the number of
    live ones."""
    counts = hits.counts
    frequency = np.bincount(counts.term, minlength=terms)
    average = float(lengths.sum()) / max(texts, 1) or 1.0
    return Measures(
        counts=counts,
        frequency=frequency,
        idf=inverse_frequency(frequency, texts),
        norm=np.asarray(_K1 * (1 - _B + _B * lengths / average), np.float64),
        lengths=lengths,
        texts=texts,
    )


def joined(size: int, *numbers: Ints) -> Ints:
    """All numbers below ``size`` that are in any of some arrays, in order; NumPy's own would import masked arrays."""
    among = np.zeros(size, bool)
    for each in numbers:
        among[each] = True
    return np.flatnonzero(among)


def inverse_frequency(frequency: Ints | Floats, texts: float) -> Floats:
    """Robertson's idf, kept positive: ln(1 + (N − df + ½) / (df + ½)); 0 for what is nowhere."""
    weights = np.log1p((texts - frequency + 0.5) / (frequency + 0.5))
    return np.where(frequency > 0, weights, 0.0)
