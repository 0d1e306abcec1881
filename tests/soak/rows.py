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
    quick: str
    first: str
    next: str
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
        words = tuple({"quick": self.quick, "first": self.first, "next": self.next}[size].split())
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


PROTOCOL = (
    Row(
        "orphans",
        ("L01",),
        "a server and all it started are gone after its client was killed: idle, asking, with its input held open",
        "0 there after 3 s",
        "bare pygls, its input held open",
        "lsp_kills",
        "--n 4",
        "--n 200",
        "--n 1000",
        tells=("p50_s", "worst_s"),
    ),
    Row(
        "framing",
        ("L03",),
        "a damaged stream of bytes is understood, refused, or the reason to leave; never met by silence",
        "0 deaf",
        "bare pygls is deaf",
        "lsp_framing",
        "--n 200",
        "--n 5000",
        "--n 50000",
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
        "--n 4000",
        "--n 100000",
        "--n 1000000",
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
        "--n 96",
        "--n 1024",
        "--n 10240",
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
        "--n 6000",
        "--n 20000",
        "--n 100000",
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
        "--n 80",
        "--n 5000",
        "--n 50000",
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
        "--n 150",
        "--n 2000",
        "--n 20000",
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
        "--n 20000 --without-node",
        "--n 1000000",
        "--n 10000000",
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
        "--n 2 --typed 8",
        "--n 500 --typed 200",
        "--n 5000 --typed 2000",
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
        "--n 6",
        "--n 500",
        "--n 5000",
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
        "--n 18",
        "--n 1000",
        "--n 10000",
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
        "--asks 90 --seconds 20",
        "--asks 2000 --seconds 1800",
        "--asks 32000 --seconds 28800",
        n=("asks",),
        caught=("controlDriftMb",),
        tells=("driftPercent", "edits", "cancels", "minutes"),
        seeded=True,
    ),
)

EVIDENCE = (
    Row(
        "citations",
        ("D05", "D06", "T08"),
        "after a random change of its file a citation stands where its quote stands, or is withdrawn",
        "0 false; 99 of 100 kept by changes outside",
        "two matchers that guess",
        "citation_mutations",
        "--n 300",
        "--n 100000",
        "--n 1000000",
        n=("trials",),
        bad=("false",),
        caught=("controls.first_occurrence", "controls.most_similar"),
        tells=("kept",),
        seeded=True,
    ),
    Row(
        "open-source-edits",
        ("D01", "D03"),
        "a citation of an open text is followed through every edit, undo, cut and paste",
        "0 elsewhere, 0 lost that were left alone",
        "the first occurrence of the words",
        "open_source_edits",
        "--n 150",
        "--n 4000",
        "--n 40000",
        seeded=True,
    ),
    Row(
        "altered-quotes",
        ("E06",),
        "a quote with one figure, word or negation changed is never found",
        "0 accepted; all unaltered found",
        "nine tenths of likeness, as fuzzy matchers take it",
        "altered_quotes",
        "--n 500",
        "--n 10000",
        "--n 100000",
        caught=("control.bad",),
        data=".",
    ),
    Row(
        "newer-notes",
        ("T08", "T09"),
        "an old answer is not repeated without naming the newer note",
        "0 passed over",
        "a memory that forgets which documents were seen",
        "newer_notes",
        "--folders 20",
        "--folders 1000",
        "--folders 10000",
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
        "--questions 40 --most 40",
        "--questions 500",
        "--questions 5000",
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
        "--opens 20000",
        "--opens 1000000",
        "--opens 10000000",
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
        "--mutations 200 --bombs 6",
        "--mutations 30000 --bombs 40",
        "--mutations 300000 --bombs 400",
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
        "--n 300",
        "--n 20000",
        "--n 200000",
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
        "--n 6000",
        "--n 300000",
        "--n 3000000",
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
        "--asks 6",
        "--asks 100",
        "--asks 1000",
    ),
)
