"""Our figures in the layout of the paper's tables, beside the paper's own. Rows of ours name their run.

The two are not of one experiment: model, background articles and machine differ. What the paper's code counts
as evidence recall and ground stands in the columns called paper-compatible; it has no strict ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evaluation.reporting import paper
from evaluation.reporting.comparing import tested_em
from evaluation.reporting.markdown import NONE, plain, section, shown, signed, table
from evaluation.reporting.paper import Quality
from evaluation.reporting.reading import ReportRow, figure_of, withheld

PAPER = "paper"
_STALE = "-stale"
_ABLATED = "lens-without-"
_LENS, _REACT = "lens", "react"
_FULLWIKI = "fullwiki"
_RECALLS = ((", paper-compatible", "evidenceRecall.compatible"), (", strict", "evidenceRecall.strict"))

Places = Sequence[tuple[str, str]]
"""What is said of a way to count, and the place of its figure."""
_QUALITY = ("EM", "F1", "Ev.Rec (paper-compatible)", "Ground (paper-compatible)")
_STRICT = ("Ev.Rec, strict", "Ground, strict", "R@10", "calls")
_PLACES = ("em", "f1", "evidenceRecall.compatible", "ground.compatible", "evidenceRecall.strict", "ground.strict")


def paper_tables(rows: Sequence[ReportRow], audits: Mapping[str, Any]) -> str:
    """Every table of the paper that the runs say something about."""
    of_hotpot = [row for row in rows if "hotpot" in row.summary.dataset.casefold() and not row.summary.hidden_titles]
    plain_runs = [row for row in of_hotpot if row.summary.control is None]
    kept = [row for row in plain_runs if not row.arm.startswith(_ABLATED)]
    largest = [row for row in kept if row.summary.snapshot == "D_500" and not row.summary.shards]
    sized = [row for row in kept if row.summary.snapshot in paper.SCALES and not row.summary.shards]
    parts = [
        _snapshots(sized),
        _quality("Controlled evaluation, D_500", paper.CONTROLLED, largest, _system),
        _scales("Evidence recall across scales", paper.RECALL_BY_SCALE, sized, _RECALLS),
        _scales("Exact match across scales", paper.EM_BY_SCALE, sized, (("", "em"),)),
        _quality("Raw Wikipedia dump", paper.FULLWIKI, [row for row in kept if row.summary.shards], _system),
        _quality("Sample-context control", paper.IN_CONTEXT, _controlled(of_hotpot), _system),
        _quality("Ablations", paper.ABLATION, _ablations(plain_runs), _ablated),
        _staleness(of_hotpot),
        _lifecycle(audits.get("lifecycle"), largest),
        _judged(largest),
        _mcnemar(kept),
    ]
    return "\n".join(part for part in parts if part)


def _mcnemar(rows: Sequence[ReportRow]) -> str:
    """LENS against ReAct Search by exact match, where one run has both."""
    lines = []
    for lens in (row for row in rows if row.arm == _LENS):
        react = next((row for row in rows if row.folder == lens.folder and row.arm == _REACT), None)
        tested = None if react is None else tested_em(lens.scores, react.scores)
        if tested is not None:
            snapshot = _FULLWIKI if lens.summary.shards else lens.summary.snapshot
            lines.append(
                [snapshot, source_of(lens), str(tested.only_first), str(tested.only_second), f"{tested.p:.4f}"]
            )
    printed = [[snapshot, PAPER, NONE, NONE, f"{p:.4f}"] for snapshot, p in paper.MCNEMAR.items()]
    heads = ["snapshot", "from", "only LENS", "only ReAct Search", "p"]
    return section("McNemar, exact match, LENS against ReAct Search", table(heads, printed + lines) if lines else "")


def system_of(arm: str) -> str:
    """The paper's name of an arm, ours where it has none."""
    return paper.SYSTEMS.get(arm, arm)


def source_of(row: ReportRow) -> str:
    """Which run it is and who judged in it: ``run-500 (deep, chat)``."""
    oracle = "" if row.summary.oracle is None or not row.arm.startswith("lens") else f", {row.summary.oracle}"
    return f"{row.run} ({row.summary.mode}{oracle})"


def _quality(
    title: str,
    printed: Mapping[str, Quality],
    rows: Sequence[ReportRow],
    name: Callable[[ReportRow], str],
) -> str:
    if not rows:
        return ""
    named: dict[str, list[list[str]]] = {system: [_printed(system, quality)] for system, quality in printed.items()}
    for row in rows:
        named.setdefault(name(row), []).append(_ours(name(row), row))
    body = table(["system", "from", "n", *_QUALITY, *_STRICT], [line for lines in named.values() for line in lines])
    return section(title, body)


def _printed(system: str, quality: Quality) -> list[str]:
    figures = (quality.em, quality.f1, quality.evidence_recall, quality.ground)
    return [system, PAPER, "", *map(plain, figures), NONE, NONE, NONE, plain(quality.calls, 2)]


def _ours(system: str, row: ReportRow) -> list[str]:
    record = row.record
    cells = [shown(figure_of(record, place)) for place in _PLACES]
    calls = record.calls.mean
    recall = shown(figure_of(record, "documentRecall.10"))
    return [system, source_of(row), str(record.n), *cells, recall, plain(None if calls is None else calls.value, 2)]


def _snapshots(rows: Sequence[ReportRow]) -> str:
    files = {row.summary.snapshot: row.summary.corpus.files for row in rows if row.summary.corpus is not None}
    known = [scale for scale in paper.SCALES if scale in files]
    lines = [[scale, f"{paper.ARTICLES[scale]:,}", f"{files[scale]:,}"] for scale in known]
    return section("Snapshots", table(["snapshot", "articles, paper", "articles"], lines) if lines else "")


def _scales(title: str, printed: Mapping[str, Sequence[float]], rows: Sequence[ReportRow], places: Places) -> str:
    """A figure by the size of the corpus, counted in one way or in several."""
    lines = [[system, PAPER, *map(plain, values)] for system, values in printed.items()]
    for label, place in places:
        for (arm, how), held in _by_scale(rows).items():
            cells = [shown(figure_of(held[scale].record, place)) if scale in held else NONE for scale in paper.SCALES]
            if any(cell != NONE for cell in cells):
                lines.append([system_of(arm), f"{how}{label}", *cells])
    if len(lines) == len(printed):
        return ""
    order = {system: at for at, system in enumerate(printed)}
    lines.sort(key=lambda line: order.get(line[0], len(order)))
    return section(title, table(["system", "from", *paper.SCALES], lines))


def _by_scale(rows: Sequence[ReportRow]) -> dict[tuple[str, str], dict[str, ReportRow]]:
    found: dict[tuple[str, str], dict[str, ReportRow]] = {}
    for row in rows:
        oracle = "" if row.summary.oracle is None else f", {row.summary.oracle}"
        error = "" if row.summary.error is None else f" ε {row.summary.error:g}"
        found.setdefault((row.arm, f"{row.summary.mode}{oracle}{error}"), {})[row.summary.snapshot] = row
    return found


def _staleness(rows: Sequence[ReportRow]) -> str:
    """Fresh and stale of each arm that was run both ways."""
    lines = [
        [system, PAPER, *_gap(*em), *_gap(*recall), *[NONE] * 6] for system, (em, recall) in paper.STALENESS.items()
    ]
    ours = []
    for fresh in rows:
        stale = next((row for row in rows if row.folder == fresh.folder and row.arm == fresh.arm + _STALE), None)
        if stale is not None:
            places = ("em", "evidenceRecall.compatible", "evidenceRecall.strict", "documentRecall.5")
            cells = [cell for place in places for cell in _gap(_value(fresh, place), _value(stale, place))]
            ours.append([system_of(fresh.arm), source_of(fresh), *cells])
    if not ours:
        return ""
    figures = ("EM", "Ev.Rec (paper-compatible)", "Ev.Rec, strict", "R@5")
    heads = [f"{figure}{part}" for figure in figures for part in (" fresh", " stale", " Δ")]
    note = "An index of the small snapshot meets the questions that the larger one added.\n\n"
    return section("Staleness", table(["system", "from", *heads], [*lines, *ours]), note)


def _value(row: ReportRow, place: str) -> float | None:
    figure = figure_of(row.record, place)
    return None if figure is None else figure.value


def _gap(fresh: float | None, stale: float | None, change: float | None = None) -> list[str]:
    """Both and the change between them, which is that of the two when it is not printed."""
    if change is None and fresh is not None and stale is not None:
        change = stale - fresh
    return [plain(fresh), plain(stale), NONE if change is None else signed(change)]


def _lifecycle(measured: Any, rows: Sequence[ReportRow]) -> str:
    if not measured:
        return ""
    lines = [[system, PAPER, *cells] for system, cells in paper.LIFECYCLE.items()]
    asked = {row.arm: row for row in rows if row.record.calls.total and withheld(row.summary) is None}
    for one in measured:
        arm = str(one["arm"])
        keeps = not one["found_at_once"]
        index = f"{one['ready']:.1f}" if keeps else "0.0"
        megabytes = f"{one['stored'] / 1e6:.1f}MB" if one["stored"] else "0"
        cost = _spent(asked.get(arm))
        lines.append(
            [system_of(arm), "audit", "no" if keeps else "yes", "yes" if keeps else "no", index, megabytes, *cost]
        )
    heads = ["system", "from", "ready", "rebuild", "index s", "storage", "tokens a question", "s a question"]
    note = "Ready: a document that was added is found without doing anything.\n\n"
    return section("Lifecycle, D_500", table(heads, lines), note)


def _spent(row: ReportRow | None) -> list[str]:
    if row is None or row.record.tokens is None or row.record.tokens.mean is None:
        return [NONE, NONE]
    return [f"{row.record.tokens.mean.value / 1000:.1f}K", plain(row.record.seconds.median.value)]


def _judged(rows: Sequence[ReportRow]) -> str:
    lines = [
        [system, PAPER, plain(paper.CONTROLLED[system].em), plain(value)] for system, value in paper.JUDGED.items()
    ]
    ours = []
    for row in rows:
        verdicts = row.verdicts
        if verdicts is not None:
            judged = shown(verdicts.figure(row.summary.seed))
            ours.append([system_of(row.arm), source_of(row), shown(figure_of(row.record, "em")), judged])
    return section("Judged correctness, D_500", table(["system", "from", "EM", "judged"], lines + ours)) if ours else ""


def _controlled(rows: Sequence[ReportRow]) -> list[ReportRow]:
    return [row for row in rows if row.summary.control == "in-context"]


def _ablations(rows: Sequence[ReportRow]) -> list[ReportRow]:
    """Of runs that hold an ablation of the paper: that, and all of LENS beside it."""
    with_one = [row for row in rows if any(arm in row.summary.arms for arm in list(paper.ABLATED)[1:])]
    return [row for row in with_one if row.arm in paper.ABLATED]


def _system(row: ReportRow) -> str:
    return system_of(row.arm.removesuffix("-in-context"))


def _ablated(row: ReportRow) -> str:
    return paper.ABLATED[row.arm]
