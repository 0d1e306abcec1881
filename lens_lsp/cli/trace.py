"""``lens ask --explain``: a question's events as a trace a person can read. Built from nothing but the events.

Beliefs are printed with ten decimals, so that they can be compared with those that ``benchmarks/verify_beliefs.py``
computes from the logged priors and observations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lens_lsp.cli.account import (
    coverage_section,
    heaviest,
    shares,
    skips_section,
    some,
    time_section,
    warnings_section,
)
from lens_lsp.cli.render import Places, Style, place
from lens_lsp.cli.terminal import printable, printable_path
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
from lens_lsp.model.documents import Evidence
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import AnswerType, Plan, Requirement

CELL = 50
"""Code points of a cell (docs/explanation/algorithm.md)."""
_DOCUMENTS_SHOWN = 20
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
        match event:
            case Planned():
                self._planned(event)
            case Scanned():
                self._scanned(event)
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
            case _:
                pass  # the words of the answer and its final passages are printed as the answer

    def text(self, seconds: float) -> str:
        """The whole trace; ``seconds`` is the time of the command."""
        parts = ["\n".join(lines) for lines in self._sections]
        answer = self._answer
        if answer is not None:
            parts += [
                self._results(answer.requirements),
                coverage_section(answer, self._style),
                skips_section(answer, self._places, self._style),
                time_section(answer, seconds, self._style),
                self._ledger(answer),
                warnings_section(answer, self._style),
            ]
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

    def _scanned(self, event: Scanned) -> None:
        files = f"{event.files:,} of {some(event.found, 'file')}, {event.skipped:,} skipped"
        self._section("Scan").append(f"  {files}; {some(event.matches, 'place')} with a term")

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
            known = shares(signals.get((document.root, document.path), {}))
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
            glr = "no quote" if belief.glr is None else f"GLR {belief.glr:.4f}"
            against = ">" if belief.glr is not None and belief.glr > belief.threshold else "≤"
            passed = glr if belief.glr is None else f"{glr} {against} {belief.threshold:.4f}"
            lines.append(f"  {self._standing(belief)}; {passed}; P(nowhere) {belief.nowhere:.10f}")
            for number, cell, share in belief.best:
                lines.append(f"      {share:.10f}  {self._cell(number, cell)}")

    def _standing(self, belief: Belief) -> str:
        if not belief.covered:
            return f"{belief.requirement} open"
        return self._style.bold(f"{belief.requirement} covered") + (f" by {belief.rule}" if belief.rule else "")

    def _results(self, results: Iterable[RequirementResult]) -> str:
        lines = [self._style.bold("Requirements")]
        for result in results:
            parts = [f"  {result.id} {result.status.value}"]
            if result.value is not None:
                parts.append(f"value {_line(result.value)}")
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

    def _ledger(self, answer: Answer) -> str:
        account = answer.account
        calls = ", ".join(f"{count} {stage}" for stage, count in sorted(account.calls.items()))
        total = some(sum(account.calls.values()), "call")
        lines = [self._style.bold("Ledger"), f"  {total}{f' ({calls})' if calls else ''}, {account.retries} retried"]
        lines.append(f"  {account.tokens_in:,} tokens in, {account.tokens_out:,} out")
        if account.cost is not None:
            lines.append(f"  cost {account.cost:.4f}")
        if account.sent:
            code_points = sum(len(sent.span) for sent in account.sent)
            lines.append(f"  sent to {account.endpoint}: {some(len(account.sent), 'span')}, {code_points:,} characters")
        elif account.endpoint is not None:
            lines.append(f"  of documents nothing was sent to {account.endpoint}")
        else:
            lines.append("  nothing was sent anywhere")
        if answer.rejected_quotes:
            lines.append(f"  {some(answer.rejected_quotes, 'quote')} dropped, not found in the source")
        return "\n".join(lines)

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
    lines = [f"  {requirement.id}  {_line(requirement.text)}{_wanted(requirement.answer_type)}{all_of_it}"]
    if requirement.names:
        lines.append(f"      must name: {_listed(requirement.names, _ANCHORS_SHOWN)}")
    anchors = [
        f"{_line(anchor.text)} ({anchor.kind.value} {anchor.weight:.2f})"
        for anchor in plan.anchors
        if requirement.id in anchor.requirements
    ]
    lines.append(f"      anchors: {_listed(anchors, _ANCHORS_SHOWN) or 'none'}")
    return lines


def _wanted(answer_type: AnswerType) -> str:
    return "" if answer_type is AnswerType.ANY else f", wants a {answer_type.value}"


def _listed(words: Sequence[str], most: int) -> str:
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return ", ".join(_line(word) for word in words[:most]) + more


def _line(text: str) -> str:
    return " ".join(printable(text).split())
