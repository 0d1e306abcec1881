"""What one scan tells about the whole workspace: term and document frequencies, and their weights.

All of it is measured at query time from the hits of one pass; nothing was stored before (paper, Layer 1).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.scan import Hits, Places
from lens_lsp.domain.records import dataclass

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_K1 = 1.2
_B = 0.6


@dataclass(frozen=True, slots=True)
class Measures:
    """One question's measurements. ``slot``, ``term`` and ``count`` are parallel: one entry per text and term in it."""

    slot: Ints
    term: Ints
    count: Ints
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

    def only(self, terms: Ints) -> Measures:
        """The measurements of some terms, renumbered in the given order."""
        number = np.full(len(self.idf), -1, np.int64)
        number[terms] = np.arange(len(terms))
        keep = number[self.term] >= 0
        return replace(
            self,
            slot=self.slot[keep],
            term=number[self.term[keep]],
            count=self.count[keep],
            frequency=self.frequency[terms],
            idf=self.idf[terms],
        )

    def saturation(self) -> Floats:
        """tf / (tf + norm) for each entry: how fully a text speaks of a term, from 0 to 1."""
        return self.count / (self.count + self.norm[self.slot])

    def coverage(self) -> Floats:
        """Per slot, the share of the question's idf mass it covers (BM25, scaled to [0, 1])."""
        weights = self.idf[self.term] * self.saturation()
        return np.bincount(self.slot, weights=weights, minlength=len(self.norm)) / self.total

    def rows(self, slots: Ints) -> Floats:
        """Saturation as a dense table: one row per given slot, one column per term."""
        row = np.full(len(self.norm), -1, np.int64)
        row[slots] = np.arange(len(slots))
        table = np.zeros((len(slots), len(self.idf)))
        chosen = row[self.slot] >= 0
        table[row[self.slot[chosen]], self.term[chosen]] = self.saturation()[chosen]
        return table


def measure(hits: Hits, terms: int, lengths: Ints, texts: int) -> Measures:
    """Count the hits. ``lengths`` are bytes per slot, 0 where a slot is empty; ``texts`` the number of live ones."""
    slots = len(lengths)
    narrow = slots * terms < 1 << 31
    keys = hits.slot * np.int32(terms) + hits.term if narrow else hits.slot.astype(np.int64) * terms + hits.term
    more = np.array(hits.thinned, np.int64).reshape(-1, 3)
    if slots * terms <= len(keys):  # a table of all counts is no larger than the keys, and quicker than sorting them
        table = np.bincount(keys, minlength=slots * terms)
        unique = np.flatnonzero(table)
        count = table[unique]
    else:
        unique, count = counted(keys)
    count[np.searchsorted(unique, more[:, 0] * terms + more[:, 1])] += more[:, 2]
    slot, term = np.divmod(unique, max(terms, 1))
    frequency = np.bincount(term, minlength=terms)
    average = float(lengths.sum()) / max(texts, 1) or 1.0
    return Measures(
        slot=slot,
        term=term,
        count=count,
        frequency=frequency,
        idf=inverse_frequency(frequency, texts),
        norm=np.asarray(_K1 * (1 - _B + _B * lengths / average), np.float64),
        lengths=lengths,
        texts=texts,
    )


def distinct(values: Ints | Places) -> Ints:
    """The different values in order. `numpy.unique` does as much, and first imports masked arrays."""
    return counted(values)[0]


def counted(values: Ints | Places) -> tuple[Ints, Ints]:
    """The different values in order, and how often each is there."""
    ordered = np.sort(values)
    first = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    return ordered[first].astype(np.int64), np.diff(first, append=len(ordered))


def inverse_frequency(frequency: Ints | Floats, texts: float) -> Floats:
    """Robertson's idf, kept positive: ln(1 + (N − df + ½) / (df + ½)); 0 for what is nowhere."""
    weights = np.log1p((texts - frequency + 0.5) / (frequency + 0.5))
    return np.where(frequency > 0, weights, 0.0)
