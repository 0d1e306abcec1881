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
        "exports",
        ("S24",),
        "all that writes to a place that was named or chosen, where a stranger's files, links, folders, pipes or"
        " devices are, without leave or room, beside others who write, or killed: nothing of others changes, no file"
        " is half",
        "0 foreign bytes changed, 0 half files, 0 writes elsewhere, 0 hung",
        'the same places written by a plain `open(path, "w")`',
        "exports",
        "--n 200 --kills 20",
        "--n 5000 --kills 500",
        "--n 100000 --kills 10000",
        n=("n", "kills"),
        tells=("places", "refused"),
        seeded=True,
    ),
    Row(
        "slow-disk",
        ("F07",),
        "questions over a disk that takes 50 ms more for everything, or hangs: each ends with what was read, the rest"
        " is named, a cancel is answered at once, and what hung is found when it is back",
        "0 hung, 0 unnamed, 0 later than their budget and 3 s; cancels within 200 ms, 99 of 100 within 100 ms",
        "a server that reads where it handles messages",
        "slow_disk",
        "--n 4",
        "--n 200",
        "--n 2000",
        tells=("named", "partial", "worst_overrun_ms", "cancel_p50_ms", "cancel_p99_ms", "cancel_worst_ms"),
        seeded=True,
    ),
    Row(
        "large-texts",
        ("F03",),
        "a log of which each line matches is searched in bounded memory; a search of a larger one, a sparse one or a"
        " single line ends soon after an interrupt, its time or a cancel, and says so",
        "at most 600 MB resident; twice the size within 1.5 GB of addresses; 0.5 s after an interrupt, 3 s with"
        " --max-seconds 2, 200 ms after a cancel",
        "a search that holds all places at once, and one that hears of no stop",
        "large_texts",
        "--mb 100 --large 100 --stops 1",
        "--mb 400 --large 1000 --stops 2",
        "--mb 400 --large 4000 --stops 10",
        caught=("controlOver",),
        tells=("peak_mb", "worst_stop_ms", "worst_limit_ms", "worst_cancel_ms", "control_mb", "control_stop_ms"),
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
    Row(
        "coverage",
        ("E01", "E04", "F01", "F05"),
        "what is hidden, out of scope, missing or cannot be used is named in each answer and nothing sound is, by"
        " command line, language server and agent; a model that fails or has nothing to spend denies nothing",
        "0 unnamed, 0 falsely named, 0 denied",
        "an account without hidden parts, scopes and missing folders, as it was given before",
        "coverage",
        "--things 40 --faults few",
        "--things 100 --faults all",
        "--things 1000 --faults all",
        tells=("things", "kinds", "sound", "surfaces", "asks", "modelFailed"),
        seeded=True,
    ),
    Row(
        "outside-reads",
        ("S25",),
        "forged answer files that name and guess what lies outside the workspace, before every front end: what is said"
        " is the same whether the guess is right, wrong, gone or renamed",
        "0 outputs that differ, 0 words of files outside, 0 front ends that miss a change inside",
        "a check that reads wherever it is told to",
        "outside_reads",
        "--n 40",
        "--n 500",
        "--n 5000",
        tells=("outputs", "differ", "words"),
        seeded=True,
    ),
    Row(
        "citation-costs",
        ("S25",),
        "a thousand drifted citations are checked and diagnosed, and sources that are missing from a large folder are"
        " looked for",
        "1 s of the processor for each check, diagnosis and hover, 50 MB read for each search",
        "places looked for in the whole text each time; a search without a budget",
        "citation_costs",
        "--n 1000 --files 5000",
        "--n 1000 --files 20000",
        "--n 4000 --files 100000",
        tells=("check_s", "diagnostics_s", "growth", "missing_s", "missing_mb", "hover_s", "hover_mb", "control_mb"),
    ),
)
