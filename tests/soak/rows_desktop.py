"""The rows of the soak about `lens desktop`."""

from __future__ import annotations

from tests.soak.rows import Row

DESKTOP = (
    Row(
        "half-open",
        ("S22",),
        "connections that never become requests stand before `lens desktop`: silent, half a head, half a body, a drip,"
        " all together, opened again when they are dropped; n requests of the owner are answered meanwhile",
        "0 wrong, 0 later than 1 s, 5 MB logged, no descriptor left",
        "bare uvicorn leaves its owner waiting",
        "half_open",
        "--n 400 --asks 8",
        "--n 2000 --asks 200",
        "--n 5000 --asks 1000",
        bad=("bad", "late", "left"),
        tells=("connections", "worst_ms", "logged_bytes", "most_descriptors", "controlLogged_bytes"),
    ),
)
