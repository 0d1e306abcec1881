"""What a search looked at, in words: the closing line, why nothing was found, and what ``--explain`` prints.

`put_summary` prints it, apart from the result. `Trace` is the ``--explain`` of a question, built from nothing but its
events; beliefs are printed with ten decimals, so that they can be compared with those that
``benchmarks/verify_beliefs.py`` computes from the logged priors and observations.
"""

from __future__ import annotations

import math
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lens_lsp.cli.renderers import Places, Style, clipped, fenced, place
from lens_lsp.cli.terminal import coloured, is_terminal, note, printable, printable_path, put, tell
from lens_lsp.model.answer import (
    Admitted,
    AdmittedDocument,
    Answer,
    Answered,
    Belief,
    Covered,
    Event,
    EvidenceFound,
    Observed,
    Planned,
    Proposed,
    ProposedRegion,
    RequirementResult,
    RequirementStatus,
    Scanned,
    Stopped,
    StopReason,
)
from lens_lsp.model.documents import Coverage, Evidence, Findings, Part, PartReason, Skip, SkipReason
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import AnswerType, Plan, Requirement
from lens_lsp.model.sanitize import printable_line
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
_WORD = regex(r"[^\W_]+")
CELL = 50
"""Code points of a cell (docs/explanation/algorithm.md)."""
_REGIONS_SHOWN = 4
_ANCHORS_SHOWN = 12
_TERMS_SHOWN = 12
_STOPPED = {
    StopReason.COVERED: "every requirement is covered",
    StopReason.ROUNDS: "the rounds were used up",
    StopReason.NOWHERE: "what is missing most likely stands in none of the documents",
    StopReason.DIRECT: "everything in scope was read at once",
    StopReason.REUSED: "everything was known from earlier questions",
    StopReason.BUDGET_CALLS: "another call would have exceeded the budget of calls",
    StopReason.BUDGET_TOKENS: "another call would have exceeded the budget of tokens",
    StopReason.BUDGET_SECONDS: "the time of this question was over",
    StopReason.BUDGET_COST: "another call would have exceeded the budget of money",
    StopReason.MODEL_FAILED: "the model gave no usable reply",
    StopReason.CANCELLED: "it was interrupted",
}


@dataclass(frozen=True, slots=True)
class Summary:
    """What is said of a result beside it: why nothing was found, what was not searched, what ``--explain`` asks for."""

    result: Result
    places: Places
    shape: str
    closing: str | None
    """The line that a terminal gets last."""
    explained: str | None
    nothing: bool
    """Whether to say why there may be no result."""
    quiet: bool
    interrupted: bool = False

    def put(self) -> None:
        """Print it: on standard error, save ``explained`` where people read the result."""
        if self.explained is not None:
            if self.shape == "markdown":
                put("\n" + fenced(self.explained.rstrip("\n")) + "\n")
            elif self.shape == "text":
                put(self.explained)
            else:
                note(self.explained.rstrip("\n"))
        for sentence in self.sentences():
            tell(sentence)
        if self.closing is not None and is_terminal(sys.stderr) and not self.quiet:
            note(Style(coloured(sys.stderr, os.environ)).dim(self.closing))

    def sentences(self) -> list[str]:
        """What stands before the closing line."""
        told = [interruption(len(self.result.evidence))] if self.interrupted else []
        if self.quiet:
            return told
        coverage = self.result.coverage
        if self.nothing:
            told.append(self._nothing())
        else:
            if skipped := self._skipped():
                told.append(f"not searched: {skipped}")
            if missing := missing_words(self.result):
                told.append(f"These words occur nowhere{_where(coverage)}: {_joined(missing)}.")
        if coverage.partial:
            told.append(f"hidden or without effect: {self._named(coverage.partial)}")
        return told if self.explained is not None else [*told, *self.result.warnings]

    def _nothing(self) -> str:
        """Why there may be nothing, and what to try next."""
        result = self.result
        skipped = f"; skipped {skips}" if (skips := self._skipped()) else ""
        if not result.coverage.scanned:
            where = ", ".join(printable_path(self.places.of(root)) for root in result.roots[:_NAMED])
            return f"nothing to search in {where}: no readable file{skipped}"
        shown = printable_line(result.query if isinstance(result, Findings) else result.question, 60)
        missing = missing_words(result)
        verb = "occurs" if len(missing) == 1 else "occur"
        why = f"{_joined(missing)} {verb} nowhere{_where(result.coverage)}" if missing else "try other or fewer words"
        return f"nothing found for “{shown}” in {some(result.coverage.scanned, 'file')}{skipped}; {why}"

    def _skipped(self) -> str:
        """What was skipped, but for what a warning counts beside the command that installs its reader, and our own
        folder."""
        return self._named([skip for skip in self.result.coverage.skipped if not _untold(skip)])

    def _named(self, items: Sequence[LeftOut]) -> str:
        """The first few with their reasons, what nobody meant to leave out in front; the others counted."""
        first = sorted(items, key=lambda item: item.reason in _ORDINARY)
        paths = (_place(item, self.result, self.places) for item in first[:_NAMED])
        named = ", ".join(
            f"{clipped(path, _LONGEST_PATH, at_start=True)} ({item.reason.value})"
            for path, item in zip(paths, first, strict=False)
        )
        rest = first[_NAMED:]
        if not rest:
            return named
        counts = sorted(Counter(item.reason.value for item in rest).items(), key=heaviest)
        reasons = [f"{count:,} {reason}" for reason, count in counts[:_REASONS_TOLD]]
        if others := sum(count for _, count in counts[_REASONS_TOLD:]):
            reasons.append(f"{others:,} for other reasons")
        return f"{named} and {len(rest):,} more ({', '.join(reasons)})"


def _untold(skip: LeftOut) -> bool:
    own = skip.reason is SkipReason.DENIED and skip.path.rstrip("/").rpartition("/")[2] == ".lens"
    return own or skip.reason is SkipReason.NO_READER


def explained_style(shape: str) -> Style:
    """Colours of what ``--explain`` asks for: those of the stream that it goes to, none inside Markdown."""
    if shape == "markdown":
        return Style()
    return Style(coloured(sys.stdout if shape == "text" else sys.stderr, os.environ))


def interruption(found: int) -> str:
    """The sentence about a search that was interrupted."""
    return f"interrupted; {some(found, 'passage')} found so far"


def closing_line(result: Result, seconds: float) -> str:
    """How much was found, in how much, how fast."""
    files = len({(item.root, item.path) for item in result.evidence})
    found = f"{some(len(result.evidence), 'passage')} from {files:,} of {some(result.coverage.scanned, 'file')}"
    return f"{found} · {seconds:.2f} s"


def _where(coverage: Coverage) -> str:
    """Of what it can be said that words occur nowhere."""
    return " in what was read" if coverage.unread else ""


def missing_words(result: Result) -> list[str]:
    """Words of the question that occur nowhere, as they were typed. Nobody looked for those of an answer."""
    if isinstance(result, Answer):
        return []
    typed = {fold(run): run for run in _WORD.findall(printable(result.query))}
    return [printable(typed.get(word, word)) for word in result.missing if word not in STOP_WORDS]


def _joined(words: Sequence[str]) -> str:
    """ "“a”, “b” and “c”"; the first ten of many."""
    names = [f"“{word}”" for word in words[:_WORDS_NAMED]]
    if len(words) > _WORDS_NAMED:
        names.append(f"{len(words) - _WORDS_NAMED} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def some(count: int, one: str, many: str | None = None) -> str:
    """A number of things in words: ``1 file``, ``2 files``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def heaviest(item: tuple[str, float]) -> tuple[float, str]:
    """A key to sort by: the greatest number first, then by name."""
    return -item[1], item[0]


def explanation(findings: Findings, places: Places, style: Style, seconds: float) -> str:
    """``--explain`` of a search: documents and signals, coverage, skips, time, warnings."""
    sections = []
    if findings.documents:
        lines = [f"  {'prior':>6}  admitted  signals (share of the score) and path"]
        for document in findings.documents[:_DOCUMENTS_SHOWN]:
            path = printable_path(places.path(document.root, document.path))
            lines.append(f"  {document.prior:6.3f}  {'yes' if document.admitted else 'no':8}  {style.path(path)}")
            lines.append(f"  {'':6}  {'':8}  {style.dim(_shares(document.signals) or '-')}")
        if len(findings.documents) > _DOCUMENTS_SHOWN:
            lines.append(f"  and {len(findings.documents) - _DOCUMENTS_SHOWN:,} more")
        sections.append(_section("Documents", lines, style))
    return "\n\n".join([*sections, *_sections(findings, places, style, seconds)]) + "\n"


def _sections(result: Result, places: Places, style: Style, seconds: float) -> list[str]:
    """Coverage, what was left out, time, calls to a model, warnings: those that there are, each with its title.

    ``seconds`` is the time of the whole command; "other" is what of it no stage took: starting, printing.
    """
    coverage = result.coverage
    scanned = f"{coverage.scanned:,} scanned, {coverage.admitted:,} admitted, {coverage.read:,} read"
    lines = [
        f"  {some(coverage.found, 'file')} found, {scanned}",
        f"  {some(coverage.matches_unread, 'match', 'matches')} in documents that were not admitted",
    ]
    if coverage.pictures:
        lines.append(f"  {some(coverage.pictures, 'picture')} in scanned documents, of which nothing was read")
    if result.compression is not None:
        lines.append(f"  windows considered: {result.compression:.2g} of all")
    stages = [(stage.name, stage.seconds) for stage in result.stages]
    other = max(0.0, seconds - math.fsum(took for _, took in stages))
    times = [f"  {name:12} {took * 1000:9,.1f} ms" for name, took in (*stages, ("other", other), ("total", seconds))]
    sections = {
        "Coverage": lines,
        "Skipped": _left_out(coverage.skipped, result, places),
        "Hidden or without effect": _left_out(coverage.partial, result, places),
        "Time": times,
        "Object stores": _fetched(result),
        "Ledger": _ledger(result) if isinstance(result, Answer) else [],
        "Warnings": [f"  {printable(warning)}" for warning in result.warnings],
    }
    return [_section(title, each, style) for title, each in sections.items() if each]


def _section(title: str, lines: Sequence[str], style: Style) -> str:
    return "\n".join([style.bold(title), *lines])


def _left_out(items: Sequence[LeftOut], result: Result, places: Places) -> list[str]:
    """A line for each reason, the most frequent first."""
    by_reason: dict[str, list[LeftOut]] = {}
    for item in items:
        by_reason.setdefault(item.reason.value, []).append(item)
    lines = []
    for reason, of_it in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
        names = ", ".join(_place(item, result, places) for item in of_it[:_NAMED])
        lines.append(f"  {len(of_it):6,}  {reason:12} {names}{' …' if len(of_it) > _NAMED else ''}")
    return lines


def _place(item: LeftOut, result: Result, places: Places) -> str:
    """Where it is; a root that could not be opened knows its own path."""
    if os.path.isabs(item.path):
        path = places.of(item.path)
    else:
        path = places.of(result.roots[item.root]) if item.path == "./" else places.path(item.root, item.path)
    return printable_path(path) + (f":{item.line}" if isinstance(item, Part) and item.line else "")


def _fetched(result: Result) -> list[str]:
    """What of object stores was asked for, and what came."""
    taken = result.account.fetched if isinstance(result, Answer) else result.fetched
    return [
        f"  {printable(result.roots[each.root])}, asked of {printable(each.endpoint)}:"
        f" {some(each.lists, 'listing')} of {some(each.listed, 'object')}, {some(each.looks, 'look')},"
        f" {some(each.reads, 'block')} with {each.received:,} bytes; {each.from_cache:,} bytes were kept here"
        for each in taken
    ]


def _ledger(answer: Answer) -> list[str]:
    """What was asked of a model, and what of documents it was sent."""
    account = answer.account
    calls = ", ".join(f"{count} {stage}" for stage, count in sorted(account.calls.items()))
    total = some(sum(account.calls.values()), "call")
    lines = [f"  {total}{f' ({calls})' if calls else ''}, {account.retries} retried"]
    lines.append(f"  {account.tokens_in:,} tokens in, {account.tokens_out:,} out")
    if account.cost is not None:
        lines.append(f"  cost {account.cost:.4f}")
    if account.sent:
        code_points = sum(len(sent.span) for sent in account.sent)
        lines.append(f"  sent to {account.endpoint}: {some(len(account.sent), 'span')}, {code_points:,} characters")
    elif account.endpoint is not None:
        lines.append(f"  of documents nothing was sent to {account.endpoint}")
    else:
        lines.append("  no text was sent anywhere" if account.fetched else "  nothing was sent anywhere")
    if answer.rejected_quotes:
        lines.append(f"  {some(answer.rejected_quotes, 'quote')} dropped, not found in the source")
    return lines


def _shares(signals: Mapping[str, float]) -> str:
    """What each signal gave to a score, the strongest first; empty when none gave anything."""
    return " ".join(f"{name} {share:.2f}" for name, share in sorted(signals.items(), key=heaviest) if share)


class Trace:
    """Hears every event of one question and tells them in words, files and time at the end."""

    def __init__(self, places: Places, style: Style) -> None:
        self._places = places
        self._style = style
        self._sections: list[list[str]] = []
        self._documents: list[AdmittedDocument] = []
        self._round: int | None = None
        self._answer: Answer | None = None

    def add(self, event: Event) -> None:
        """Take the next event."""
        match event:  # the words of the answer and its final passages are printed as the answer
            case Planned():
                self._planned(event)
            case Scanned():
                files = f"{event.files:,} of {some(event.found, 'file')}, {event.skipped:,} skipped"
                self._section("Scan").append(f"  {files}; {some(event.matches, 'place')} with a term")
            case Admitted():
                self._admitted(event)
            case Proposed():
                self._proposed(event)
            case Observed():
                self._observed(event)
            case Covered():
                self._covered(event)
            case EvidenceFound(final=False, early=False):
                self._verified(event.evidence)
            case Answered():
                self._answer = event.answer
            case Stopped():
                self._section("Stopped").append(f"  {event.reason.value}: {_STOPPED[event.reason]}")

    def text(self, seconds: float) -> str:
        """The whole trace; ``seconds`` is the time of the command."""
        parts = ["\n".join(lines) for lines in self._sections]
        if self._answer is not None:
            parts.append(self._results(self._answer.requirements))
            parts += _sections(self._answer, self._places, self._style, seconds)
        return "\n\n".join(filter(None, parts)) + "\n"

    def _planned(self, event: Planned) -> None:
        """A search begins: the first one, or the one without a model in its place."""
        plan, self._documents = event.plan, []
        lines = self._section("Plan")
        lines.append(f"  {plan.intent.value}{_wanted(plan.answer_type)}; mode {event.mode.value}, seed {event.seed}")
        for requirement in plan.requirements:
            lines += _requirement(requirement, plan)
        if plan.transformation is not None:
            rule = plan.transformation
            lines.append(f"  combined by {rule.kind.value}" + (f": {rule.expression}" if rule.expression else ""))
        weights = ", ".join(f"{verdict.value} {event.table[verdict]:+.2f}" for verdict in reversed(Verdict))
        lines.append(f"  verdicts weigh, in nats: {weights}")

    def _admitted(self, event: Admitted) -> None:
        first = len(self._documents)
        self._documents += event.joined
        title = f"Admitted after round {event.round}" if event.round else "Admitted"
        lines = self._section(title)
        cells = sum(document.cells for document in event.joined)
        compression = "" if event.compression is None else f"; windows considered: {event.compression:.2g} of all"
        lines.append(
            f"  {some(len(event.joined), 'document')} of {some(cells, 'cell')}, "
            f"{event.reserve:,} in reserve{compression}"
        )
        signals = {(document.root, document.path): document.signals for document in event.ranking}
        for number, document in enumerate(event.joined[:_DOCUMENTS_SHOWN], first):
            priors = " ".join(f"{name} {file[number]:.3f}" for name, file in event.file.items() if number < len(file))
            path = self._style.path(self._path(document.root, document.path))
            lines.append(f"  [{number}] {path}  {self._style.dim('π ' + priors) if priors else ''}".rstrip())
            known = _shares(signals.get((document.root, document.path), {}))
            lines += [f"      {self._style.dim(known)}"] if known else []
        if len(event.joined) > _DOCUMENTS_SHOWN:
            lines.append(f"  and {len(event.joined) - _DOCUMENTS_SHOWN:,} more")

    def _proposed(self, event: Proposed) -> None:
        lines = self._in_round(event.round)
        weights = ", ".join(f"{arm} {weight:.3f}" for arm, weight in sorted(event.weights.items(), key=heaviest))
        lines += [f"  λ {weights}"] if weights else []
        by_arm: dict[str, list[ProposedRegion]] = {}
        for region in event.regions:
            by_arm.setdefault(region.arm.value, []).append(region)
        for arm, regions in by_arm.items():
            tokens = sum(region.tokens for region in regions)
            lines.append(f"  drawn {arm}: {some(len(regions), 'region')}, {some(tokens, 'token')}")
            lines += [f"      {self._region(region)}" for region in regions[:_REGIONS_SHOWN]]
            if len(regions) > _REGIONS_SHOWN:
                lines.append(f"      and {len(regions) - _REGIONS_SHOWN:,} more")

    def _observed(self, event: Observed) -> None:
        lines = self._in_round(event.round)
        verdicts: dict[str, Counter[str]] = {}
        for judged in event.judgements:
            verdicts.setdefault(judged.requirement, Counter())[judged.verdict.value] += 1
        for requirement, counts in sorted(verdicts.items()):
            told = ", ".join(f"{counts[each.value]} {each.value}" for each in reversed(Verdict) if counts[each.value])
            lines.append(f"  said of {requirement}: {told}")
        if event.rejected:
            lines.append(f"  {some(event.rejected, 'quote')} not found in the source and dropped")
        if event.terms:
            lines.append(f"  new terms: {_listed(event.terms, _TERMS_SHOWN)}")

    def _verified(self, item: Evidence) -> None:
        lines = self._sections[-1] if self._round is not None else self._in_round(item.round)
        lines.append(f"  verified {', '.join(item.requirements)}: {place(self._places, item, Style())}")

    def _covered(self, event: Covered) -> None:
        lines = self._in_round(event.round)
        for belief in event.beliefs:
            glr, threshold = belief.glr, belief.threshold
            passed = "no quote" if glr is None else f"GLR {glr:.4f} {'>' if glr > threshold else '≤'} {threshold:.4f}"
            lines.append(f"  {self._standing(belief)}; {passed}; P(nowhere) {belief.nowhere:.10f}")
            for best in belief.best:
                lines.append(f"      {best.belief:.10f}  {self._cell(best.document, best.cell)}")

    def _standing(self, belief: Belief) -> str:
        if not belief.covered:
            return f"{belief.requirement} open"
        return self._style.bold(f"{belief.requirement} covered") + (f" by {belief.rule}" if belief.rule else "")

    def _results(self, results: Iterable[RequirementResult]) -> str:
        lines = [self._style.bold("Requirements")]
        for result in results:
            parts = [f"  {result.id} {result.status.value}"]
            if result.value is not None:
                parts.append(f"value {printable_line(result.value)}")
            if result.confidence is not None:
                parts.append(f"confidence {result.confidence:.2f}")
            if result.many:
                parts.append(f"{result.read:,} of {result.matching:,} matching passages read")
            if result.evidence:
                missing = result.status is RequirementStatus.MISSING
                numbers = "".join(f"[{n}]" for n in result.evidence)
                parts.append(f"{'passages shown' if missing else 'proof'} {numbers}")
            lines.append(", ".join(parts))
        return "\n".join(lines) if len(lines) > 1 else ""

    def _section(self, title: str) -> list[str]:
        lines = [self._style.bold(title)]
        self._sections.append(lines)
        self._round = None
        return lines

    def _in_round(self, number: int) -> list[str]:
        """The lines of the round that is going on."""
        if self._round != number or not self._sections:
            lines = self._section(f"Round {number}")
            self._round = number
            return lines
        return self._sections[-1]

    def _region(self, region: ProposedRegion) -> str:
        root = self._documents[region.document].root if region.document < len(self._documents) else 0
        return f"[{region.document}] {self._path(root, region.path)} {region.span.start}–{region.span.end}"

    def _cell(self, number: int, cell: int) -> str:
        if number >= len(self._documents):
            return f"[{number}] cell {cell}"
        document = self._documents[number]
        start = document.base + cell * CELL
        end = min(start + CELL, document.base + document.length)
        return f"[{number}] cell {cell}: {self._path(document.root, document.path)} {start}–{end}"

    def _path(self, root: int, path: str) -> str:
        return printable_path(self._places.path(root, path))


def _requirement(requirement: Requirement, plan: Plan) -> list[str]:
    all_of_it = ", all of it" if requirement.many else ""
    lines = [f"  {requirement.id}  {printable_line(requirement.text)}{_wanted(requirement.answer_type)}{all_of_it}"]
    if requirement.names:
        lines.append(f"      must name: {_listed(requirement.names, _ANCHORS_SHOWN)}")
    anchors = [
        f"{printable_line(anchor.text)} ({anchor.kind.value} {anchor.weight:.2f})"
        for anchor in plan.anchors
        if requirement.id in anchor.requirements
    ]
    lines.append(f"      anchors: {_listed(anchors, _ANCHORS_SHOWN) or 'none'}")
    return lines


def _wanted(answer_type: AnswerType) -> str:
    return "" if answer_type is AnswerType.ANY else f", wants a {answer_type.value}"


def _listed(words: Sequence[str], most: int) -> str:
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return ", ".join(printable_line(word) for word in words[:most]) + more
