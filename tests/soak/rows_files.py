"""The rows of the soak about disks and file systems."""

from __future__ import annotations

from tests.soak.rows import Row

FILES = (
    Row(
        "failing-disk",
        ("F06",),
        "what fails with EIO, ESTALE, ENOENT or EACCES is named, the rest is searched, and it is found when it is back",
        "0 questions without an answer, 0 facts of sound files unproven, 0 unnamed",
        "a server that lets the system's errors through",
        "failing_disk",
        "--asks 20",
        "--asks 200",
        "--asks 2000",
        tells=("failed", "named"),
        seeded=True,
    ),
    Row(
        "burst",
        ("F09",),
        "files made, rewritten and removed by the ten thousand: the server answers, says nothing too often and is quiet"
        " 5 s later",
        "0 diagnostics within 250 ms of the last, below half a core, memory within 5 %, 99 of 100 within 500 ms",
        "a server that checks at every hint",
        "lsp_burst",
        "--n 3000",
        "--n 60000",
        "--n 200000",
        caught=("controlCrowded",),
        tells=("burst_s", "p99_ms", "published", "processorShare", "memory_mb"),
    ),
)
