"""The rows of the soak: what each harness promises, by which figure, within which bound, and which control must fail.

A row covers lines of the tables of faults and attacks (`tests.soak.faults`). Sizes are `quick` (for every change),
`first` (for the first release) and `next`; each is the arguments that the harness of the row gets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SIZES = ("quick", "first", "next")


@dataclass(frozen=True, slots=True)
class Row:
    """One harness as the soak runs it."""

    name: str
    covers: tuple[str, ...]
    """Lines of the tables of faults."""
    means: str
    bound: str
    control: str
    """What is broken on purpose and has to be caught by the same harness."""
    module: str
    """Below ``tests.soak``."""
    sizes: tuple[str, str, str]
    """The arguments at each of `SIZES`."""
    n: tuple[str, ...] = ("n",)
    """Keys of the harness's JSON line that say how much was tried; ``a.b`` is a key in a key."""
    bad: tuple[str, ...] = ("bad",)
    """Keys that count what was wrong; a list counts its items."""
    caught: tuple[str, ...] = ("controlBad",)
    """Keys that say what the control was caught at."""
    tells: tuple[str, ...] = ()
    """Keys whose values the page shows beside the figure."""
    figure: str | None = None
    """Which line of several is meant."""
    seeded: bool = False
    """Takes ``--seed``; the others have seeds of their own, counted from 0 or 1."""
    data: str = ""
    """A folder below ``LENS_DATA`` that comes before the other arguments; ``.`` is ``LENS_DATA`` itself."""

    def arguments(self, size: str, seed: int) -> tuple[str, ...]:
        """What the harness is started with, apart from its data."""
        words = tuple(self.sizes[SIZES.index(size)].split())
        return (*words, "--seed", str(seed)) if self.seeded else words

    def command(self, size: str, seed: int) -> str:
        """What to type for this row alone."""
        place = {"": "", ".": ' "$LENS_DATA"'}.get(self.data, f' "$LENS_DATA/{self.data}"')
        return " ".join((f"python -m tests.soak.{self.module}{place}", *self.arguments(size, seed)))


def count(report: Mapping[str, Any], keys: tuple[str, ...]) -> int:
    """The sum of what some keys hold: numbers, truths, and the items of lists and tables."""
    total = 0
    for key in keys:
        value: Any = report
        for part in key.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        total += len(value) if isinstance(value, list | dict | str) else int(value or 0)
    return total


ROWS = (
    Row(
        "orphans",
        ("L01",),
        "a server and all it started are gone after its client was killed: idle, asking, with its input held open",
        "0 there after 3 s",
        "bare pygls, its input held open",
        "lsp_kills",
        ("--n 4", "--n 200", "--n 1000"),
        tells=("p50_s", "worst_s"),
    ),
    Row(
        "framing",
        ("L03",),
        "a damaged stream of bytes is understood, refused, or the reason to leave; never met by silence",
        "0 deaf",
        "bare pygls is deaf",
        "lsp_framing",
        ("--n 200", "--n 5000", "--n 50000"),
        caught=("controlOutcomes.deaf",),
        tells=("outcomes",),
        seeded=True,
    ),
    Row(
        "messages",
        ("L04", "L05"),
        "each request is answered once, whatever is wrong with it, and nothing ends the server",
        "0 unanswered, 0 exits",
        "bare pygls leaves requests unanswered",
        "lsp_messages",
        ("--n 4000", "--n 100000", "--n 1000000"),
        caught=("controlUnanswered",),
        tells=("requests", "memoryMiB"),
        seeded=True,
    ),
    Row(
        "large-message",
        ("L06",),
        "a message of so many MiB is drained and refused",
        "below 200 MB of memory",
        "bare pygls takes it all in",
        "lsp_large",
        ("--n 96", "--n 1024", "--n 10240"),
        caught=("control_mb",),
        tells=("before_mb", "most_mb"),
    ),
    Row(
        "flood",
        ("L07",),
        "requests, changes and events as fast as they are taken: nothing is lost, a request is answered soon",
        "0 lost, 99 of 100 within 500 ms",
        "a server that takes messages without bound",
        "lsp_flood",
        ("--n 6000", "--n 20000", "--n 100000"),
        caught=("control_p99_ms",),
        tells=("requestsPerSecond", "p99_ms", "events"),
    ),
    Row(
        "cancels",
        ("L08",),
        "a cancelled question is answered once and leaves no task, turn or connection",
        "0 lost, 99 of 100 within 200 ms",
        "questions that nobody cancels leave something",
        "lsp_cancels",
        ("--n 80", "--n 5000", "--n 50000"),
        caught=("controlLeft",),
        tells=("p50_ms", "p99_ms"),
    ),
    Row(
        "load",
        ("L09",),
        "the server answers while four questions run and 50 wait",
        "99 of 100 within 200 ms, 0 lost",
        "a server whose questions are worked on where messages are handled",
        "lsp_load",
        ("--n 150", "--n 2000", "--n 20000"),
        caught=("control_p99_ms",),
        tells=("p50_ms", "p99_ms"),
    ),
    Row(
        "edits",
        ("D02",),
        "an edited text is what the editor has: LF, CR, U+2028, emoji, places that do not exist",
        "0 differ",
        "pygls' own document differs",
        "lsp_edits",
        ("--n 20000 --without-node", "--n 1000000", "--n 10000000"),
        tells=("comparedInNode",),
        seeded=True,
    ),
    Row(
        "drift",
        ("D05", "F08"),
        "what another process changes shows in an open answer, whoever watches",
        "0 later than 2 s; 99 of 100 typed changes within 500 ms",
        "a server that neither watches nor looks",
        "lsp_drift",
        ("--n 2 --typed 8", "--n 500 --typed 200", "--n 5000 --typed 2000"),
        n=("n", "typed"),
        caught=("controlMissed",),
        seeded=True,
    ),
    Row(
        "blind",
        ("F08",),
        "answers are right though the watch is dead",
        "0 stale",
        "a server that trusts what it read once",
        "lsp_blind",
        ("--n 6", "--n 500", "--n 5000"),
        caught=("controlStale",),
        seeded=True,
    ),
    Row(
        "races",
        ("D01", "D04"),
        "no place is stale that is told while files are edited, saved, moved and deleted",
        "0 stale",
        "a server that does not look again",
        "lsp_races",
        ("--n 18", "--n 1000", "--n 10000"),
        caught=("controlStale",),
        tells=("places", "withdrawn"),
        seeded=True,
    ),
    Row(
        "endurance",
        ("L01", "L08", "D01"),
        "one server, questions with edits and cancels: memory and descriptors stay, it never leaves by itself",
        "memory drifts by less than 5 %, 0 descriptors, 0 exits",
        "a server that keeps half a MiB of each question",
        "lsp_endurance",
        ("--asks 90 --seconds 20", "--asks 2000 --seconds 1800", "--asks 32000 --seconds 28800"),
        n=("asks",),
        caught=("controlDriftMb",),
        tells=("driftPercent", "edits", "cancels", "minutes"),
        seeded=True,
    ),
    Row(
        "endings",
        ("L02",),
        "a server ends in each of five ways, idle, asking or with answers unread: its status, its answers",
        "0 wrong, 0 there after 5 s",
        "bare pygls ends with 0 without a shutdown",
        "lsp_endings",
        ("--n 5", "--n 100", "--n 1000"),
        tells=("flushed", "cancelled", "p50_s", "worst_s"),
    ),
    Row(
        "paused-reader",
        ("L10",),
        "while a client does not read, the server reads on, heeds a cancel and loses nothing; beyond a bound it leaves",
        "0 lost, 0 deadlocks: all taken within 10 s",
        "a server that writes where it reads",
        "lsp_paused_reader",
        ("--n 4", "--n 100", "--n 1000"),
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
        ("--n 700", "--n 20000", "--n 200000"),
        tells=("handlers", "kinds", "switchedOff"),
        seeded=True,
    ),
    Row(
        "citations",
        ("D05", "D06", "T08"),
        "after a random change of its file a citation stands where its quote stands, or is withdrawn",
        "0 false; 99 of 100 kept by changes outside",
        "two matchers that guess",
        "citation_mutations",
        ("--n 300", "--n 100000", "--n 1000000"),
        n=("trials",),
        bad=("false",),
        caught=("controls.first_occurrence", "controls.most_similar"),
        tells=("kept",),
        seeded=True,
    ),
    Row(
        "moved-notes",
        ("D05", "D06"),
        "notes and sources are moved, copied, cloned, formatted and edited: what stands is kept, what does not is told",
        "0 false; 99 of 100 kept, 99 of 100 changed ones reported",
        "notes with the blocks of earlier versions",
        "moved_notes",
        ("--n 80", "--n 2000", "--n 20000"),
        tells=("shareKept", "shareReported", "citations"),
        seeded=True,
    ),
    Row(
        "open-source-edits",
        ("D01", "D03"),
        "a citation of an open text is followed through every edit, undo, cut and paste",
        "0 elsewhere, 0 lost that were left alone",
        "the first occurrence of the words",
        "open_source_edits",
        ("--n 150", "--n 4000", "--n 40000"),
        seeded=True,
    ),
    Row(
        "altered-quotes",
        ("E06",),
        "a quote with one figure, word or negation changed is never found",
        "0 accepted; all unaltered found",
        "nine tenths of likeness, as fuzzy matchers take it",
        "altered_quotes",
        ("--n 500", "--n 10000", "--n 100000"),
        caught=("control.bad",),
        data=".",
    ),
    Row(
        "passage-places",
        ("D10",),
        "passages out of tables, slides, mails and pages are whole cells of one sheet, slide or mail, a row has its"
        " header, and page, row and cell are the match's",
        "0 faults",
        "windows of the text, called by the place where they begin",
        "passage_places",
        (
            "--n 150 --asked 10 --rounds 1",
            "--n 3000 --asked 150 --rounds 6",
            "--n 30000 --asked 1500 --rounds 30",
        ),
        n=("n", "asked"),
        caught=("controlBad",),
        tells=("passages", "cut"),
        seeded=True,
    ),
    Row(
        "newer-notes",
        ("T08", "T09"),
        "an old answer is not repeated without naming the newer note",
        "0 passed over",
        "a memory that forgets which documents were seen",
        "newer_notes",
        ("--folders 20", "--folders 1000", "--folders 10000"),
        caught=("control.bad",),
        tells=("reused",),
        seeded=True,
    ),
    Row(
        "look-alikes",
        ("T09",),
        "a question that only looks like an answered one is searched",
        "0 answered from what is known",
        "a memory that goes by likeness",
        "reuse_negatives",
        ("--questions 40 --most 40", "--questions 500", "--questions 5000"),
        caught=("control.bad",),
        data="squad",
    ),
    Row(
        "safe-open",
        ("F02", "S08"),
        "no byte from outside while another process swaps folders for links",
        "0 escapes",
        "check, then open",
        "safe_open",
        ("--opens 20000", "--opens 1000000", "--opens 10000000"),
        n=("n", "bulk_n"),
        bad=("bad", "bulk_bad"),
        caught=("control_escapes",),
    ),
    Row(
        "documents",
        ("S15", "S16"),
        "damaged documents and bombs end in time, and good ones in between are read",
        "0 hangs, 0 faults",
        "a process that nobody kills",
        "documents",
        (
            "--mutations 200 --bombs 6 --scans 6",
            "--mutations 30000 --bombs 63 --scans 200",
            "--mutations 300000 --bombs 400 --scans 2000",
        ),
        bad=("hangs", "faults", "goodFailed"),
        caught=("controlCaught",),
        tells=("worst_s", "growth_mb"),
        seeded=True,
    ),
    Row(
        "fuzzing",
        ("L03", "D03", "D06", "D07", "D09", "T04", "E05", "S08", "S14"),
        "readers, encodings, framing, URIs, paths, replies, stored rows and renderings take any bytes",
        "0 broken properties",
        "one seeded fault in each target",
        "fuzzing",
        ("--n 300", "--n 20000", "--n 200000"),
        caught=("controlsCaught",),
        tells=("byTarget",),
        seeded=True,
    ),
    Row(
        "hostile-markdown",
        ("S05", "S06", "T09"),
        "no text of a note or a model acts where Markdown is rendered, nor where renderers guess addresses (linkify)",
        "0 active elements",
        "the same texts without escapes",
        "hostile_markdown",
        ("--n 6000", "--n 300000", "--n 3000000"),
        caught=("controlActive", "controlGuessed"),
        tells=("guessing", "guessed"),
        seeded=True,
    ),
    Row(
        "few-descriptors",
        ("F12",),
        "questions with hardly a descriptor to spare are answered, and with none to spare end in a sentence",
        "0 tracebacks, 0 wrong answers",
        "a search that keeps every file open",
        "few_descriptors",
        ("--asks 6", "--asks 100", "--asks 1000"),
    ),
    Row(
        "own-output",
        ("T09",),
        "what lens wrote is never evidence, whatever was done to it, and what its user wrote around it is",
        "0 words of ours cited, 0 sentences of the user's lost",
        "the same texts without their stamps",
        "own_output",
        ("--n 45 --facts 1 --control 15", "--n 300 --facts 3 --control 60", "--n 3000 --facts 12 --control 60"),
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
        ("--n 200", "--n 4000", "--n 40000"),
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
        ("--n 4000 --without-node", "--n 100000", "--n 1000000"),
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
        ("--typos 300 --ordinary 300", "--typos 20000 --ordinary 20000", "--typos 200000 --ordinary 200000"),
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
        ("--n 8", "--n 1000", "--n 10000"),
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
        (
            "--documents 1 --windows 300 --asked 3 --lines 4000",
            "--documents 5 --windows 20000 --asked 24 --lines 20000",
            "--documents 50 --windows 200000 --asked 200 --lines 200000",
        ),
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
        ("--spellings 1", "--spellings 6", "--spellings 60"),
        n=("n", "ordinary"),
        tells=("names", "ways"),
        seeded=True,
    ),
    Row(
        "failing-disk",
        ("F06",),
        "what fails with EIO, ESTALE, ENOENT or EACCES is named, the rest is searched, and it is found when it is back",
        "0 questions without an answer, 0 facts of sound files unproven, 0 unnamed",
        "a server that lets the system's errors through",
        "failing_disk",
        ("--asks 20", "--asks 200", "--asks 2000"),
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
        ("--n 200 --kills 20", "--n 5000 --kills 500", "--n 100000 --kills 10000"),
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
        ("--n 4", "--n 200", "--n 2000"),
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
        ("--mb 100 --large 100 --stops 1", "--mb 400 --large 1000 --stops 2", "--mb 400 --large 4000 --stops 10"),
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
        ("--n 3000", "--n 60000", "--n 200000"),
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
        ("--things 40 --faults few", "--things 100 --faults all", "--things 1000 --faults all"),
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
        ("--n 40", "--n 500", "--n 5000"),
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
        ("--n 1000 --files 5000", "--n 1000 --files 20000", "--n 4000 --files 100000"),
        tells=("check_s", "diagnostics_s", "growth", "missing_s", "missing_mb", "hover_s", "hover_mb", "control_mb"),
    ),
    Row(
        "store-kills",
        ("T01",),
        "a killed writer loses nothing that it acknowledged",
        "0 lost, partial or corrupt",
        "writers without transactions",
        "store_kills",
        ("--n 20", "--n 1000", "--n 10000"),
        tells=("acknowledged", "journals"),
    ),
    Row(
        "store-power",
        ("T02",),
        "a power cut loses nothing that was acknowledged; no operation of the disk fails unnoticed",
        "0 lost or damaged",
        "a store that waits for no sync",
        "store_power",
        ("--n 60 --histories 0", "--n 5000", "--n 20000 --histories 4"),
        n=("n", "faults"),
        bad=("bad", "faultsBad"),
    ),
    Row(
        "store-writers",
        ("T03",),
        "four processes that change the same clusters lose nothing",
        "0 lost, 0 told to wait",
        "processes that look first and save later",
        "store_writers",
        ("--n 25", "--n 400", "--n 2000"),
        tells=("medianMs", "worstMs"),
    ),
    Row(
        "store-corruptions",
        ("T04",),
        "nothing is believed of a damaged store, which is set aside and named; a sound one never is",
        "0 believed, 0 unusable, 0 sound ones set aside",
        "reads without checksums",
        "store_corruptions",
        ("--n 84", "--n 5000", "--n 20000"),
        bad=("bad", "unusable", "soundAside"),
        tells=("aside", "unnoticed", "harmless"),
    ),
    Row(
        "store-migrations",
        ("T05",),
        "a migration that is killed is finished by the next program",
        "0 lost",
        "a migration without transactions",
        "store_migrations",
        ("--n 20", "--n 200", "--n 2000"),
        bad=("bad", "fourAtOnceBad"),
    ),
    Row(
        "store-full",
        ("F10",),
        "a full disk costs what was refused, and nothing else",
        "0 damaged",
        "a store that keeps a full disk to itself",
        "store_full",
        ("--n 12", "--n 200", "--n 1000"),
        tells=("refused",),
    ),
    Row(
        "document-store",
        ("T01", "T03", "T04", "F10"),
        "texts of documents that are kept are as they were put, or not there: two writers of whom one is killed, full"
        " disks, damaged files",
        "0 other texts, structures or pages, 0 lost that were acknowledged, 0 unusable",
        "a file of lines that nobody checks",
        "document_store",
        ("--n 24", "--n 240", "--n 4000"),
        tells=("acknowledged", "gone"),
    ),
    Row(
        "model-faults",
        ("E04", "E05"),
        "16 kinds of faults of an endpoint end typed and in time",
        "0 untyped, 0 late by 250 ms, 0 connections, +5 MB",
        "the SDK without our transport",
        "model_faults",
        ("--rounds 1", "--rounds 100", "--rounds 1000"),
        bad=("bad", "late", "left_open", "led_astray"),
        caught=("control_mishandled",),
        tells=("worst_overrun_ms", "growth_mb"),
        figure="model-faults",
    ),
    Row(
        "unreachable-endpoints",
        ("E01",),
        "eight ways not to be an endpoint, or not the one that was meant: each question says what to do next and ends"
        " in verified quotes, and nothing of it is sent",
        "0 without evidence, next step or typed error, 0 requests, 0 late by 250 ms",
        "a client that checks no certificate",
        "unreachable_endpoints",
        ("--n 16", "--n 160", "--n 1600"),
        bad=("bad", "late"),
        tells=("worst_overrun_ms", "controlReached"),
    ),
    Row(
        "failing-endpoint",
        ("E03", "E09"),
        "each question ends in an answer though one request in five fails and the endpoint dies for a while",
        "0 without an answer",
        "a model that lets its exceptions through",
        "failing_endpoint",
        ("--asks 40", "--asks 500", "--asks 5000"),
        caught=("controlCaught",),
        tells=("leftAlone", "recovered", "worst_overrun_ms"),
        seeded=True,
    ),
    Row(
        "stopping",
        ("E08",),
        "a stopped question closes its connection and keeps its evidence",
        "0 later than 100 ms",
        "a question that nobody stops keeps it open",
        "cancelling",
        ("--stops 12", "--stops 100", "--stops 1000"),
        caught=("controlOpen",),
        tells=("median_ms", "p99_ms"),
    ),
    Row(
        "call-bounds",
        ("E07", "S17"),
        "no more calls than 4 + 2L (deep) and 2 + L (fast), whatever the model says",
        "0 over the bound",
        "a ledger that allows one call more",
        "chat_bounds",
        ("--sessions 40", "--sessions 1000", "--sessions 10000"),
        n=("sessions",),
        bad=("deep.wrong", "fast.wrong"),
        caught=("deep.mutantCaught", "fast.mutantCaught"),
    ),
    Row(
        "hostile-replies",
        ("E06", "E10", "S05"),
        "a model that is the attacker breaks no invariant of evidence",
        "0 broken invariants",
        "an oracle whose quotes are not checked",
        "hostile_replies",
        ("--replies 800", "--replies 50000", "--replies 500000"),
        caught=("mutantCaught",),
        tells=("sessions", "accepted", "rejected"),
        seeded=True,
    ),
    Row(
        "disclosure",
        ("S11", "S12"),
        "all that leaves is listed, and nothing leaves that is denied, private or secret",
        "0 unlisted, 0 unfound, 0 canaries",
        "ledgers short and long of a file; canaries where they may be read",
        "disclosure",
        ("--prompts 40", "--prompts 1000", "--prompts 10000"),
        n=("prompts", "canaryPrompts"),
        bad=("unlisted", "unfound", "leaked"),
        caught=("controls.shortLedger", "controls.longLedger"),
    ),
    Row(
        "half-open",
        ("S22",),
        "connections that never become requests stand before `lens desktop`: silent, half a head, half a body, a drip,"
        " all together, opened again when they are dropped; n requests of the owner are answered meanwhile",
        "0 wrong, 0 later than 1 s, 5 MB logged, no descriptor left",
        "bare uvicorn leaves its owner waiting",
        "half_open",
        ("--n 400 --asks 8", "--n 2000 --asks 200", "--n 5000 --asks 1000"),
        bad=("bad", "late", "left"),
        tells=("connections", "worst_ms", "logged_bytes", "most_descriptors", "controlLogged_bytes"),
    ),
)
