"""What can be taken over from a broken file: rows by their checksums, put together to what they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lens_lsp.memory.store.assembly import Damage, Row, assemble, decoded, headless, listed_parts, name_of
from lens_lsp.memory.store.pages import rows_in
from lens_lsp.memory.store.rows import PART_BYTES, summary_of, turn_of, wrong_of
from lens_lsp.memory.store.schema import CLUSTERS, PARTS, SUMMARIES, TOTALS, TURNS, WRONG
from lens_lsp.memory.store.writing import Changes
from lens_lsp.model.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was found. ``damaged`` clusters lost something, ``lost`` ones are gone: None when nothing counts them."""

    content: Changes
    damaged: int
    lost: int | None


def salvage(data: bytes) -> Salvaged:
    """All that stands in the bytes of a file and is what was written."""
    heads: dict[str, list[Row]] = {}
    parts: dict[str, list[Row]] = {}
    others: dict[str, dict[tuple[object, ...], Row]] = {table.name: {} for table in (SUMMARIES, TURNS, WRONG, TOTALS)}
    for row in rows_in(data):
        if row.table is CLUSTERS:
            heads.setdefault(name_of(row.values), []).append(row)
        elif row.table in PARTS:
            parts.setdefault(name_of(row.values), []).append(row)
        else:
            others[row.table.name][row.values[: row.table.keys]] = row
    clusters: list[Cluster] = []
    damaged = 0
    for name in sorted({*heads, *parts}):
        damage: list[Damage] = []
        cluster = _cluster(name, heads.get(name, []), parts.get(name, []), damage)
        if cluster is not None:
            clusters.append(cluster)
            damaged += bool(damage)
    counted = others[TOTALS.name].get((CLUSTERS.name.encode(),))
    expected = counted.values[1] if counted is not None else None
    content = Changes(
        clusters=tuple(clusters),
        summaries=tuple(decoded(summary_of, others[SUMMARIES.name].values(), [])),
        turns=tuple(decoded(turn_of, others[TURNS.name].values(), [])),
        wrong=tuple(decoded(wrong_of, others[WRONG.name].values(), [])),
    )
    return Salvaged(content, damaged, max(0, expected - len(clusters)) if isinstance(expected, int) else None)


def _cluster(name: str, heads: Sequence[Row], parts: Sequence[Row], damage: list[Damage]) -> Cluster | None:
    """A cluster from all that names it. Of several states the one that most is left of, then the one used last."""
    present = {row.checksum[:PART_BYTES] for row in parts}

    def remains(head: Row) -> tuple[float, float]:
        listed, used = listed_parts(head), head.values[4]
        return len(listed & present) / max(1, len(listed)), used if isinstance(used, float) else 0.0

    if heads:
        chosen = max(heads, key=remains)
        listed = listed_parts(chosen)
        return assemble(chosen, [row for row in parts if row.checksum[:PART_BYTES] in listed], damage)
    damage.append(Damage(CLUSTERS.name, name, "its own row is missing"))
    return headless(name, parts, damage)
