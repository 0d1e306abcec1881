"""What a search looked at, told in words: the closing line, the reasons for nothing, and ``--explain`` of a finding.

`give` prints it, apart from the result. The trace of a question that was asked is told in :mod:`lens_lsp.cli.trace`;
the sections on files and time are shared.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence

from lens_lsp.cli.layout import clipped
from lens_lsp.cli.render import Places, Style, fenced
from lens_lsp.cli.terminal import coloured, is_terminal, note, printable, printable_path, put, tell
from lens_lsp.model.answer import Answer
from lens_lsp.model.documents import Findings, Part, PartReason, RankedDocument, Skip, SkipReason
from lens_lsp.model.words import STOP_WORDS, fold

Result = Findings | Answer
LeftOut = Skip | Part

_ORDINARY = frozenset(
    {
        SkipReason.ANSWER,
        SkipReason.BINARY,
        SkipReason.DENIED,
        SkipReason.IGNORED,
        SkipReason.OUT_OF_SCOPE,
        SkipReason.UNSUPPORTED,
        PartReason.BLOCK,
        PartReason.COMMENT,
        PartReason.QUESTION,
    }
)
"""What is left out as it was meant to be: named after all else."""
_NAMED = 3
"""How many paths a sentence names; the rest it counts."""
_REASONS_TOLD = 3
"""How many reasons a sentence gives for what it only counts."""
_LONGEST_PATH = 40
"""Columns of a path in a sentence."""
_DOCUMENTS_SHOWN = 20
_WORDS_NAMED = 10
_OTHER_WORDS = "try other or fewer words"
_WORD = re.compile(r"[^\W_]+")


def give(
    result: Result,
    places: Places,
    *,
    shape: str,
    closing: str | None,
    explained: str | None,
    nothing: bool,
    quiet: bool,
    interrupted: bool = False,
) -> None:
    """Print everything but the result: on standard error, save ``explained`` where people read the result.

    ``closing`` is the line that a terminal gets last; ``nothing`` asks for the reasons why there may be no result.
    """
    if explained is not None:
        _put_explained(explained, shape)
    for sentence in sentences(
        result, places, nothing=nothing, warned=explained is not None, quiet=quiet, interrupted=interrupted
    ):
        tell(sentence)
    if closing is not None and is_terminal(sys.stderr) and not quiet:
        note(Style(coloured(sys.stderr, os.environ)).dim(closing))


def sentences(
    result: Result, places: Places, *, nothing: bool, warned: bool, quiet: bool, interrupted: bool
) -> list[str]:
    """What is told of a result before the closing line; ``warned``: the warnings stand elsewhere."""
    told = [interruption(len(result.evidence))] if interrupted else []
    if quiet:
        return told
    if nothing:
        told.append(nothing_found(result, places))
    else:
        if skips := _untold(result):
            told.append(f"not searched: {_named(skips, result, places)}")
        if missing := missing_words(result):
            told.append(f"These words occur nowhere: {_quoted(missing)}.")
    if result.coverage.partial:
        told.append(f"hidden or without effect: {_named(result.coverage.partial, result, places)}")
    return told if warned else [*told, *result.warnings]


def _put_explained(text: str, shape: str) -> None:
    if shape == "markdown":
        put("\n" + fenced(text.rstrip("\n")) + "\n")
    elif shape == "text":
        put(text)
    else:
        note(text.rstrip("\n"))


def explained_style(shape: str) -> Style:
    """How what ``--explain`` asks for is coloured: as the stream that `give` prints it to, plain inside Markdown."""
    if shape == "markdown":
        return Style()
    return Style(coloured(sys.stdout if shape == "text" else sys.stderr, os.environ))


def interruption(found: int) -> str:
    """The sentence about a search that was interrupted."""
    return f"interrupted; {some(found, 'passage')} found so far"


def summary(findings: Result, seconds: float) -> str:
    """The closing line: how much was found, in how much, how fast."""
    passages = some(len(findings.evidence), "passage")
    files = len({(item.root, item.path) for item in findings.evidence})
    parts = [
        f"{passages} from {files:,} of {some(findings.coverage.scanned, 'file')}",
        f"{seconds:.2f} s",
    ]
    return " · ".join(parts)


def nothing_found(findings: Result, places: Places) -> str:
    """Why there may be nothing, and what to try next."""
    coverage = findings.coverage
    skips = _untold(findings)
    skipped = f"; skipped {_named(skips, findings, places)}" if skips else ""
    if not coverage.scanned:
        where = ", ".join(printable_path(places.of(root)) for root in findings.roots[:_NAMED])
        return f"nothing to search in {where}: no readable file{skipped}"
    asked = findings.query if isinstance(findings, Findings) else findings.question
    question = " ".join(printable(asked).split())
    shown = question if len(question) <= 60 else question[:59] + "…"
    missing = missing_words(findings)
    why = f"{_quoted(missing)} {'occurs' if len(missing) == 1 else 'occur'} nowhere" if missing else _OTHER_WORDS
    return f"nothing found for “{shown}” in {some(coverage.scanned, 'file')}{skipped}; {why}"


def missing_words(result: Result) -> list[str]:
    """Words of the question that occur nowhere, as they were typed. Nobody looked for those of an answer."""
    if isinstance(result, Answer):
        return []
    typed = {fold(run): run for run in _WORD.findall(printable(result.query))}
    return [printable(typed.get(word, word)) for word in result.missing if word not in STOP_WORDS]


def _quoted(words: Sequence[str]) -> str:
    """ "“a”, “b” and “c”"; the first ten of many."""
    names = [f"“{word}”" for word in words[:_WORDS_NAMED]]
    if len(words) > _WORDS_NAMED:
        names.append(f"{len(words) - _WORDS_NAMED} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def explanation(findings: Findings, places: Places, style: Style, seconds: float) -> str:
    """Everything behind a result, for people: documents and signals, skips, time, warnings."""
    parts = [
        _documents(findings.documents, places, style),
        coverage_section(findings, style),
        skips_section(findings, places, style),
        time_section(findings, seconds, style),
        warnings_section(findings, style),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def coverage_section(findings: Result, style: Style) -> str:
    """How many files were found, scanned, admitted, read."""
    coverage = findings.coverage
    documents = f"{coverage.scanned:,} scanned, {coverage.admitted:,} admitted, {coverage.read:,} read"
    lines = [
        style.bold("Coverage"),
        f"  {some(coverage.found, 'file')} found, {documents}",
        f"  {some(coverage.matches_unread, 'match', 'matches')} in documents that were not admitted",
    ]
    if coverage.pictures:
        lines.append(f"  {some(coverage.pictures, 'picture')} in scanned documents, of which nothing was read")
    if findings.compression is not None:
        lines.append(f"  windows considered: {findings.compression:.2g} of all")
    return "\n".join(lines)


def skips_section(findings: Result, places: Places, style: Style) -> str:
    """What was left out, by reason; empty when nothing was."""
    coverage = findings.coverage
    sections: dict[str, Sequence[LeftOut]] = {
        "Skipped": coverage.skipped,
        "Hidden or without effect": coverage.partial,
    }
    return "\n\n".join(_left_out(title, items, findings, places, style) for title, items in sections.items() if items)


def _left_out(title: str, items: Sequence[LeftOut], findings: Result, places: Places, style: Style) -> str:
    by_reason: dict[str, list[LeftOut]] = {}
    for item in items:
        by_reason.setdefault(item.reason.value, []).append(item)
    lines = [style.bold(title)]
    for reason, of_it in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
        names = ", ".join(_place(item, findings, places) for item in of_it[:_NAMED])
        lines.append(f"  {len(of_it):6,}  {reason:12} {names}{' …' if len(of_it) > _NAMED else ''}")
    return "\n".join(lines)


def time_section(findings: Result, seconds: float, style: Style) -> str:
    """Where the time went; ``seconds`` is the whole of it, "other" what of it no stage took: starting, printing."""
    stages = [(stage.name, stage.seconds) for stage in findings.stages]
    other = max(0.0, seconds - math.fsum(took for _, took in stages))
    lines = [f"  {name:12} {took * 1000:9,.1f} ms" for name, took in (*stages, ("other", other), ("total", seconds))]
    return "\n".join([style.bold("Time"), *lines])


def warnings_section(findings: Result, style: Style) -> str:
    """The warnings; empty without any."""
    if not findings.warnings:
        return ""
    return "\n".join([style.bold("Warnings"), *(f"  {printable(warning)}" for warning in findings.warnings)])


def some(count: int, one: str, many: str | None = None) -> str:
    """A number of things in words: ``1 file``, ``2 files``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def shares(signals: Mapping[str, float]) -> str:
    """What each signal gave to a score, the strongest first; empty when none gave anything."""
    return " ".join(f"{name} {share:.2f}" for name, share in sorted(signals.items(), key=heaviest) if share)


def heaviest(item: tuple[str, float]) -> tuple[float, str]:
    """A key to sort by: the greatest number first, then by name."""
    return -item[1], item[0]


def _documents(documents: Sequence[RankedDocument], places: Places, style: Style) -> str:
    if not documents:
        return ""
    lines = [style.bold("Documents"), f"  {'prior':>6}  admitted  signals (share of the score) and path"]
    for document in documents[:_DOCUMENTS_SHOWN]:
        signals = shares(document.signals) or "-"
        path = printable_path(places.path(document.root, document.path))
        lines += [f"  {document.prior:6.3f}  {'yes' if document.admitted else 'no':8}  {style.path(path)}"]
        lines += [f"  {'':6}  {'':8}  {style.dim(signals)}"]
    if len(documents) > _DOCUMENTS_SHOWN:
        lines.append(f"  and {len(documents) - _DOCUMENTS_SHOWN:,} more")
    return "\n".join(lines)


def _untold(findings: Result) -> list[Skip]:
    """What was skipped, but for what a warning counts beside the command that installs its reader."""
    return [skip for skip in findings.coverage.skipped if skip.reason is not SkipReason.NO_READER]


def _named(items: Sequence[LeftOut], findings: Result, places: Places) -> str:
    """The first few with their reasons, what nobody meant to leave out in front; the others counted."""
    first = sorted(items, key=lambda item: item.reason in _ORDINARY)
    named = ", ".join(
        f"{clipped(_place(item, findings, places), _LONGEST_PATH, at_start=True)} ({item.reason.value})"
        for item in first[:_NAMED]
    )
    rest = first[_NAMED:]
    return f"{named} and {len(rest):,} more ({_reasons(rest)})" if rest else named


def _place(item: LeftOut, findings: Result, places: Places) -> str:
    """Where it is; a root that could not be opened knows its own path."""
    if os.path.isabs(item.path):
        path = places.of(item.path)
    else:
        path = places.of(findings.roots[item.root]) if item.path == "./" else places.path(item.root, item.path)
    return printable_path(path) + (f":{item.line}" if isinstance(item, Part) and item.line else "")


def _reasons(items: Sequence[LeftOut]) -> str:
    counts = sorted(Counter(item.reason.value for item in items).items(), key=lambda each: (-each[1], each[0]))
    told = [f"{count:,} {reason}" for reason, count in counts[:_REASONS_TOLD]]
    others = sum(count for _, count in counts[_REASONS_TOLD:])
    return ", ".join([*told, f"{others:,} for other reasons"] if others else told)
