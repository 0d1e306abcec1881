"""The page of a run over questions that people ask of documents: tables, with differences to plain BM25."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from evaluation import results
from evaluation.arms.indexes import WINDOW
from evaluation.data.docsqa import DocsQa, DocsRow, QuestionRecord
from evaluation.docsqa import CUTS, DEPTH, FIGURES, REFERENCE, DocsResult, folded, percents, within
from evaluation.reporting.markdown import plain, shown, table
from evaluation.scoring.comparing import difference
from lens_lsp.model.errors import EvaluationError

PAGE = "docsqa.md"
SEED = 0
"""Of the bootstrap intervals."""

_Group = Mapping[str, Sequence[QuestionRecord]]
"""Questions by what a line of a table says of them."""


def write_page(result: DocsResult, out: Path) -> str:
    """Write the tables to ``docsqa.md`` in the folder ``out``; returns them."""
    text = page(result)
    results.write_page(out / PAGE, text)
    return text


def page(result: DocsResult) -> str:
    """The tables, Markdown."""
    questions = result.questions
    by_arm: dict[str, dict[str, DocsRow]] = {}
    for row in result.rows:
        by_arm.setdefault(row.arm, {})[row.id] = row
    sections: dict[str, _Group] = {
        "By half": _halves(result.dataset, questions),
        "By intent": _by(questions, lambda question: question.intent),
        "By style": _by(questions, lambda question: question.style),
        "By workspace": _by(questions, lambda question: question.workspace),
        "With one workspace left out": _left_out(questions),
    }
    head = (
        f"# Questions of documents\n\nHalf: {result.plan.half}; questions with an answer: {len(questions)}. Percent; "
        f"first {DEPTH} passages of at most {WINDOW} code points. file@k: some gold file is among the first k; "
        "quote@k: some gold quote stands whole in one of the first k passages.\n"
    )
    return head + "".join(
        f"\n## {title}\n\n{_figures(groups, by_arm)}{_differences(groups, by_arm)}"
        for title, groups in sections.items()
        if groups
    )


def _halves(dataset: DocsQa, questions: Sequence[QuestionRecord]) -> _Group:
    parts = _by(questions, lambda question: question.half)
    if len(parts) > 1:
        parts["both"] = list(questions)
    groups: dict[str, list[QuestionRecord]] = {}
    for label, part in parts.items():
        groups[label] = part
        spoken = {dataset.language(question) for question in part}
        if "en" in spoken:
            for language in sorted(spoken - {"en"}):
                kept = [question for question in part if dataset.language(question) != language]
                groups[f"{label}, without {language}"] = kept
    return groups


def _left_out(questions: Sequence[QuestionRecord]) -> _Group:
    names = sorted({question.workspace for question in questions})
    if len(names) < 2:
        return {}
    return {f"without {name}": [question for question in questions if question.workspace != name] for name in names}


def _by(questions: Iterable[QuestionRecord], label: Callable[[QuestionRecord], str]) -> dict[str, list[QuestionRecord]]:
    groups: dict[str, list[QuestionRecord]] = {}
    for question in sorted(questions, key=label):
        groups.setdefault(label(question), []).append(question)
    return groups


def _figures(groups: _Group, by_arm: Mapping[str, Mapping[str, DocsRow]]) -> str:
    lines = []
    for label, questions in groups.items():
        for arm, rows in by_arm.items():
            found = [rows[question.id] for question in questions]
            means = [sum(percents(found, figure)) / len(found) for figure in FIGURES]
            lines.append([label, arm, str(len(found)), *map(plain, means)])
    return table(["", "arm", "n", *FIGURES], lines)


def _differences(groups: _Group, by_arm: Mapping[str, Mapping[str, DocsRow]]) -> str:
    """Points above the reference with 95 % intervals; nothing where it was not asked, or alone."""
    others = [arm for arm in by_arm if arm != REFERENCE]
    if REFERENCE not in by_arm or not others:
        return ""
    lines = []
    for label, questions in groups.items():
        for arm in others:
            ours, theirs = ([by_arm[name][question.id] for question in questions] for name in (arm, REFERENCE))
            changes = [
                shown(difference(percents(theirs, figure), percents(ours, figure), seed=SEED)) for figure in FIGURES
            ]
            lines.append([label, f"{arm} − {REFERENCE}", str(len(questions)), *changes])
    note = f"\nPoints above {REFERENCE}, 95 % bootstrap intervals over questions:\n\n"
    return note + table(["", "arms", "n", *FIGURES], lines)


def missed(result: DocsResult) -> str:
    """Questions of the first half whose quote the first arm does not have among its first five passages.

    None of the second: what is reported on it must not have been fitted to its questions one by one.
    """
    arm = result.rows[0].arm
    rows = {row.id: row for row in result.rows if row.arm == arm}
    lines = [
        f"* {question.id} ({question.intent}, {question.style}; file {_rank(row.file)}, quote {_rank(row.quote)}): "
        f"{question.question}\n" + "".join(f"    * `{proof.path}`: {folded(proof.quote)}\n" for proof in question.gold)
        for question in result.questions
        if question.half == "first" and not within((row := rows[question.id]).quote, CUTS[-1])
    ]
    return f"\n## Not among the first {CUTS[-1]} passages of {arm}, first half\n\n{''.join(lines) or 'None.'}\n"


def crossed(before: Iterable[DocsRow], result: DocsResult) -> str:
    """The questions of both runs whose quote came among the first 1, 3 or 5 passages of an arm, or is there no more.

    Raises EvaluationError when the runs have no question of an arm in common.
    """
    then = {(row.arm, row.id): row for row in before}
    asked = {question.id: question for question in result.questions}
    common = [row for row in result.rows if (row.arm, row.id) in then]
    if not common:
        raise EvaluationError("the two runs have no question of an arm in common")
    lines, counts = [], []
    for arm in dict.fromkeys(row.arm for row in common):
        rows = [row for row in common if row.arm == arm]
        better, worse = dict.fromkeys(CUTS, 0), dict.fromkeys(CUTS, 0)
        for row in rows:
            old, cuts = then[arm, row.id].quote, []
            for cut in CUTS:
                if within(row.quote, cut) != within(old, cut):
                    (better if within(row.quote, cut) else worse)[cut] += 1
                    cuts.append(("+" if within(row.quote, cut) else "−") + str(cut))
            if cuts:
                change = f"{_rank(old)} → {_rank(row.quote)}"
                lines.append([row.id, arm, change, " ".join(cuts), asked[row.id].question.replace("|", "\\|")])
        gained = [f"+{better[cut]} −{worse[cut]}" for cut in CUTS]
        counts.append([arm, str(len(rows)), *gained])
    heads = [f"quote@{cut}" for cut in CUTS]
    return (
        f"\n## Against the other run\n\n{table(['arm', 'n', *heads], counts)}\n"
        f"{table(['question', 'arm', 'quote rank', 'crossed', 'text'], lines) if lines else 'No rank crossed.'}\n"
    )


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
