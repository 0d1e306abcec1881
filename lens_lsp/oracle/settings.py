"""What was fitted for the offline oracle on labelled runs, read once from ``offline.json`` beside this module."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from lens_lsp.domain.observation import ConfidenceMap, ObservationTable
from lens_lsp.domain.records import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where one verdict ends and the next begins. Masses are shares of a requirement's idf mass, from 0 to 1."""

    full_mass: float = 0.8
    full_lack: float = 0.7
    """How heavy a term a proof may lack, as a share of the heaviest one."""
    full_units: int = 2
    """How many units a proof may take."""
    full_fit: float = 0.5
    """How well a value must fit the expected type of answer (`oracle.answers`)."""
    full_relation: float = 0.6
    """What a proof needs of the terms that are part of no name."""
    full_reach: int = 60
    """Code points within which a value must follow or precede one of them."""
    full_spread: int = 400
    """Code points within which the terms must stand together."""
    full_link: float = 0.5
    """How closely the names must be tied to the statement (`Features.link`)."""
    full_terms: int = 2
    """How many telling terms a proof holds, unless it opens as a definition of the only one."""
    partial_mass: float = 0.5
    nameless_mass: float = 0.7
    """What a region needs for `partial` when it holds none of the names."""
    bridge_mass: float = 0.2
    """What a region needs for `partial` when it holds a name that an earlier passage brought."""
    related_mass: float = 1 / 3
    context: float = 0.7
    """What a term is worth that stands in the title or a heading only and is part of no name."""


@dataclass(frozen=True, slots=True)
class OfflineSettings:
    """Thresholds, the observation table and the confidence map of the offline oracle."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    table: ObservationTable = field(default_factory=ObservationTable)
    confidence: ConfidenceMap = field(default_factory=ConfidenceMap)

    def dumps(self) -> str:
        """The settings as ``offline.json`` holds them."""
        return json.dumps(asdict(self), indent=2) + "\n"


def settings_of(data: Mapping[str, Any]) -> OfflineSettings:
    """Settings from the parsed JSON; what is left out keeps its default, unknown keys raise TypeError."""
    confidence = dict(data.get("confidence", {}))
    steps = tuple((float(score), float(share)) for score, share in confidence.get("steps", ()))
    return OfflineSettings(
        Thresholds(**data.get("thresholds", {})),
        ObservationTable(**data.get("table", {})),
        ConfidenceMap(steps, int(confidence.get("n", 0)), confidence.get("error")),
    )


@lru_cache(maxsize=1)
def fitted() -> OfflineSettings:
    """The committed settings."""
    return settings_of(json.loads(Path(__file__).with_name("offline.json").read_text("utf-8")))
