"""From what was measured of a region to its verdict, by thresholds that were fitted on labelled runs.

Pure on purpose: features know no thresholds. A region proves a requirement only when one window of it holds the named
entities, a value of the expected type and most of the requirement's idf mass.
"""

from __future__ import annotations

from lens_lsp.domain.observation import Verdict
from lens_lsp.domain.records import dataclass
from lens_lsp.oracle.settings import Thresholds


@dataclass(frozen=True, slots=True)
class Features:
    """What is measured of a region for one requirement, at its best window."""

    mass: float
    """Share of the idf mass in the window; names also count in title and headings."""
    context: float
    """The same with every term counting in title and headings."""
    relation: float
    """Share of the mass of what is said of the names: the terms that are part of none; 1 when there are no others."""
    names: float
    """Share of the needed names that stand in the window or above it; 1 when none is needed."""
    named: bool
    """At least one needed name stands there."""
    fit: float
    """How well the best value fits the expected type of answer; 1 when any text answers."""
    link: float
    """How closely the names are tied to the statement: 1 in its own unit, 0.8 by a pronoun or in a list or table, 0.6
    by title and headings alone, 0.3 in a unit beside it that may speak of something else."""
    reach: int
    """Code points between the value and the nearest term that is part of no name; 0 where any text answers."""
    spread: int
    """Code points of the shortest stretch that holds every term the window holds."""
    terms: int
    """How many telling terms the window and what stands above it hold."""
    defined: bool
    """The window begins like a definition of the only thing that is asked for."""
    units: int
    """How many units the window takes."""
    negated: bool
    """The window denies what the question does not."""
    bridged: bool
    """The window holds a name that an earlier passage brought."""
    lack: float = 0.0
    """The weight of the heaviest term that is missing, as a share of the heaviest one."""
    opposed: bool = False
    """The window says the opposite of a word it lacks ("decrease" for "increase"), or lacks what must be said: a
    superlative or a number of the question."""
    exact: bool | None = None
    """Whether an exact rule holds; None without one."""


NOTHING = Features(
    mass=0.0,
    context=0.0,
    relation=0.0,
    names=0.0,
    named=False,
    fit=0.0,
    link=0.0,
    reach=0,
    spread=0,
    terms=0,
    defined=False,
    units=0,
    negated=False,
    bridged=False,
)
"""What a region measures that says nothing of a requirement."""


def verdict(features: Features, thresholds: Thresholds) -> Verdict:
    """The verdict that thresholds make of features."""
    mass = features.mass + thresholds.context * (features.context - features.mass)
    if features.exact is not None:
        if features.exact:
            return Verdict.FULL
        return Verdict.RELATED if mass >= thresholds.related_mass else Verdict.NONE
    proven = features.names >= 1 and features.fit >= thresholds.full_fit and mass >= thresholds.full_mass
    firm = features.link >= thresholds.full_link and features.relation >= thresholds.full_relation
    listed = features.spread == 0 and features.reach == 0
    close = features.units <= thresholds.full_units or listed
    close = close and features.spread <= thresholds.full_spread and features.reach <= thresholds.full_reach
    enough = features.terms >= thresholds.full_terms or features.defined
    sound = features.lack <= thresholds.full_lack and not features.negated and not features.opposed
    if proven and firm and close and enough and sound:
        return Verdict.FULL
    if mass >= (thresholds.partial_mass if features.names > 0 else thresholds.nameless_mass):
        return Verdict.PARTIAL
    if features.bridged and mass >= thresholds.bridge_mass:
        return Verdict.PARTIAL
    if features.named or mass >= thresholds.related_mass:
        return Verdict.RELATED
    return Verdict.NONE
