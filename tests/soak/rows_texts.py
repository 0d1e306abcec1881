"""The rows of the soak about what texts are made of: bytes, places, and what looks like a pattern."""

from __future__ import annotations

from tests.soak.rows import Row

TEXTS = (
    Row(
        "own-output",
        ("T09",),
        "what lens wrote is never evidence, whatever was done to it, and what its user wrote around it is",
        "0 words of ours cited, 0 sentences of the user's lost",
        "the same texts without their stamps",
        "own_output",
        "--n 45 --facts 1 --control 15",
        "--n 300 --facts 3 --control 60",
        "--n 3000 --facts 12 --control 60",
        tells=("controlN", "writers"),
        seeded=True,
    ),
    Row(
        "encodings",
        ("D06", "F05"),
        "a quote from a file in any of 20 encodings, with and without a mark, mixed and broken, is the bytes at its"
        " place; a guess is said to be one",
        "0 other bytes, 0 not found, 0 quotes of what is no text",
        "a reader that takes all for UTF-8, and one that guesses by statistics",
        "encodings",
        "--n 200",
        "--n 4000",
        "--n 40000",
        caught=("controls.all_utf_8", "controls.by_statistics"),
        tells=("encodings", "quotes", "guessed", "binary"),
        seeded=True,
    ),
    Row(
        "position-encodings",
        ("D08",),
        "the range of a quote in UTF-8, UTF-16 and UTF-32, cut out by an independent client, is the quote, and leads"
        " back to its span",
        "0 others",
        "ranges that take code points for UTF-16 units",
        "position_encodings",
        "--n 4000 --without-node",
        "--n 100000",
        "--n 1000000",
        tells=("quotes", "client"),
        seeded=True,
    ),
    Row(
        "private",
        ("S11",),
        "a document that says in any spelling, in any format, that it is private, is, and it is told how it was"
        " understood; one that only speaks of it is not",
        "0 open, 0 untold; 0 ordinary ones closed",
        "a reader that knows the documented spelling alone",
        "private_marks",
        "--typos 300 --ordinary 300",
        "--typos 20000 --ordinary 20000",
        "--typos 200000 --ordinary 200000",
        n=("n", "ordinary"),
        bad=("open", "untold", "closed"),
        tells=("ordinary",),
        seeded=True,
    ),
    Row(
        "evil-patterns",
        ("S14",),
        "texts that would take an expression for ever take time by their length wherever they come in, and the server"
        " answers meanwhile",
        "0.25 s and 0.1 ms per code point of processor time, 4 times the length in 8 times the time; 0 stalls of 50 ms,"
        " each tried three times",
        "an expression that backtracks, in the process and in a server's thread",
        "evil_patterns",
        "--n 8",
        "--n 1000",
        "--n 10000",
        tells=("texts", "worst_ms", "pings", "p99_stall_ms", "stall_ms"),
        seeded=True,
    ),
    Row(
        "secrets",
        ("S12",),
        "of secrets of 222 kinds in prose, JSON, settings and code nothing is in what may leave: whole documents,"
        " regions cut anywhere, requests to a model, `lens/*` for models, tools for agents, kept answers; ordinary"
        " lines stay as they are",
        "97 of 100 documents masked, 0 of the long kinds and of all regions, 0 at any front end; 5 of 1,000 ordinary"
        " lines masked",
        "regions of which each is looked at by itself; a word beside each secret, seen at each front end",
        "secret_leaks",
        "--documents 1 --windows 300 --asked 3 --lines 4000",
        "--documents 5 --windows 20000 --asked 24 --lines 20000",
        "--documents 50 --windows 200000 --asked 200 --lines 200000",
        n=("documents", "windows", "lines"),
        caught=("controls.windowsAlone", "controls.model", "controls.lens", "controls.mcp"),
        tells=("kinds", "masked", "windowsLeaked", "frontEnds", "falseShare", "megabytesPerSecond"),
        seeded=True,
        data=".",
    ),
    Row(
        "names",
        ("S11",),
        "files that hold secrets by their names are refused, found, named, open in an editor or asked for; names that"
        " only look like them are read",
        "0 read, 0 of the others refused",
        "a list of the twenty best-known patterns",
        "secret_names",
        "--spellings 1",
        "--spellings 6",
        "--spellings 60",
        n=("n", "ordinary"),
        tells=("names", "ways"),
        seeded=True,
    ),
)
