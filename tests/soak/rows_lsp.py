"""The rows of the soak about how the server ends, writes and survives its own faults."""

from __future__ import annotations

from tests.soak.rows import Row

SERVER = (
    Row(
        "endings",
        ("L02",),
        "a server ends in each of five ways, idle, asking or with answers unread: its status, its answers",
        "0 wrong, 0 there after 5 s",
        "bare pygls ends with 0 without a shutdown",
        "lsp_endings",
        "--n 5",
        "--n 100",
        "--n 1000",
        tells=("flushed", "cancelled", "p50_s", "worst_s"),
    ),
    Row(
        "paused-reader",
        ("L10",),
        "while a client does not read, the server reads on, heeds a cancel and loses nothing; beyond a bound it leaves",
        "0 lost, 0 deadlocks: all taken within 10 s",
        "a server that writes where it reads",
        "lsp_paused_reader",
        "--n 4",
        "--n 100",
        "--n 1000",
        tells=("answers", "leftUnread", "mostUnread_mb", "worst_s"),
        seeded=True,
    ),
    Row(
        "handler-faults",
        ("L12",),
        "a handler that fails, whichever and however, is answered once by an incident without its words; a feature that"
        " keeps failing is switched off",
        "0 exits, 0 words, 0 unanswered",
        "a server without the guard around its handlers",
        "lsp_handler_faults",
        "--n 700",
        "--n 20000",
        "--n 200000",
        tells=("handlers", "kinds", "switchedOff"),
        seeded=True,
    ),
)
