"""One HTML page of what an arm failed at: question, gold, what was said, what was shown, and how it came about.

A page that may hold any text of any corpus: everything is escaped, there is no script, no form, no link but to places
of the page itself, and a policy that forbids the browser to load anything at all.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from evaluation.data.datasets import Gold, GoldSpan
from evaluation.data.records import ShownRecord, TracedRowRecord
from evaluation.reporting.reading import Withheld
from evaluation.scoring.taxonomy import Outcome

_LONGEST = 4_000
"""Code points of a text that are shown."""
_LISTED = 10
"""Documents of a ranking that are shown."""
FALSE_ANSWER = "answered-without-an-answer"
UNPROVEN = "gold-not-shown"
_CLASSES = (*(one.value for one in Outcome), FALSE_ANSWER, UNPROVEN)

# What a browser would not show, or would let reorder what stands around it.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
article{border:1px solid #ccc;border-radius:6px;padding:0 1.2rem 1rem;margin:1.5rem 0}
h2{margin-top:3rem}h3{margin-bottom:.3rem}
dt{font-weight:600;margin-top:.7rem}dd{margin:0 0 0 1rem}
blockquote,pre{margin:.4rem 0;padding:.4rem .8rem;background:#f5f5f5;border-left:4px solid #bbb;
white-space:pre-wrap;overflow-wrap:anywhere}
pre{font:14px/1.45 ui-monospace,monospace}
blockquote.gold{border-color:#2e7d32}
mark{background:#c8e6c9}.path{font-family:ui-monospace,monospace;font-size:.9em}.found{color:#1b5e20;font-weight:600}
.missing{color:#b71c1c;font-weight:600}.quiet{color:#555;font-size:.9em}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}article{border-color:#444}
blockquote,pre{background:#222;border-color:#555}mark{background:#1b5e20;color:#fff}.found{color:#81c784}
.missing{color:#ef9a9a}.quiet{color:#aaa}a{color:#90caf9}}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A question that was failed: its gold with the text of its supporting spans, and the row of what was done."""

    question: str
    gold: Gold
    sentences: tuple[str, ...]
    row: TracedRowRecord
    why: str
    """Its class: one of the taxonomy's, or what else there is to fail at."""


def failure_of(row: TracedRowRecord, gold: Gold, hidden: Withheld | None = None) -> str | None:
    """What a question was failed at, ``None`` when it was not. ``hidden``: scores of the run that say nothing."""
    if not gold.answerable:
        return FALSE_ANSWER if row.scores.get("falseAnswers") else None
    if row.outcome is not None and (hidden is None or not hidden.covers("em")):
        return None if row.outcome == Outcome.CORRECT.value else row.outcome
    proven = row.scores.get("evidenceRecall.strict", row.scores.get("allGold10", 1.0))
    return None if proven == 1.0 else UNPROVEN


def failures_page(title: str, cases: Sequence[Case], asked: int, note: str | None = None) -> str:
    """The page of the failed ones of ``asked`` questions, by class. ``note`` says what of the figures is left out."""
    groups = {why: [case for case in cases if case.why == why] for why in _CLASSES}
    held = {why: group for why, group in groups.items() if group}
    contents = "".join(f'<li><a href="#{why}">{_words(why)}</a>: {len(group)}</li>' for why, group in held.items())
    body = "".join(
        f'<h2 id="{why}">{_words(why)} ({len(group)})</h2>{"".join(map(_case, group))}' for why, group in held.items()
    )
    said = "" if note is None else f"<p><strong>{_text(note)}</strong></p>"
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{_text(title)}</h1>\n{said}"
        f"<p>{len(cases)} of {asked} questions failed.</p>\n<ul>{contents}</ul>\n{body}</body>\n</html>\n"
    )


def _case(case: Case) -> str:
    parts = (
        f"<h3>{_inline(case.question)}</h3>",
        f'<p class="quiet">{_text(case.row.id)}{_spent(case.row)}</p>',
        f"<dl>{_gold(case)}{_said(case.row)}{_documents(case)}</dl>",
        _shown(case),
        _trace(case.row.trace),
    )
    return f"<article>{''.join(parts)}</article>\n"


def _spent(row: TracedRowRecord) -> str:
    ledger = row.ledger
    calls = ", ".join(f"{_text(stage)} {count}" for stage, count in ledger.calls.items() if stage != "total")
    made = f"; calls {ledger.calls.get('total', 0)}{f' ({calls})' if calls else ''}" if row.answer is not None else ""
    tokens = sum(ledger.tokens.values())
    return f"{made}{f'; tokens {tokens:,}' if tokens else ''}; {ledger.seconds:.2f} s"


def _gold(case: Case) -> str:
    answers = " · ".join(map(_inline, case.gold.answers)) or "none: the question has no answer"
    held = [_holds(case.row.evidence, span) for span in case.gold.support]
    quotes = "".join(
        f'<blockquote class="gold">{_found(shown)} {_path(span.path)}<br>{_inline(text)}</blockquote>'
        for span, text, shown in zip(case.gold.support, case.sentences, held, strict=True)
    )
    paths = " · ".join(map(_path, case.gold.paths))
    return f"<dt>Gold answer</dt><dd>{answers}</dd><dt>Gold documents</dt><dd>{paths}{quotes}</dd>"


def _said(row: TracedRowRecord) -> str:
    if row.answer is None:
        return ""
    short = _inline(row.answer.short) if row.answer.short else "no short answer"
    ended = f'<span class="quiet">({_text(row.answer.status)}, stopped: {_text(row.answer.stopped)})</span>'
    text = f"<blockquote>{_inline(row.answer.text)}</blockquote>" if row.answer.text.strip() else ""
    return f"<dt>Said</dt><dd>{short} {ended}{text}</dd>"


def _documents(case: Case) -> str:
    gold = set(case.gold.paths)
    listed = [f"{_path(path)}{' <b>gold</b>' if path in gold else ''}" for path in case.row.documents[:_LISTED]]
    ranks = {path: at for at, path in enumerate(case.row.documents, 1)}
    late = [f"{_path(path)} at {ranks[path]}" for path in case.gold.paths if ranks.get(path, 0) > _LISTED]
    absent = [f'<span class="missing">{_path(path)} nowhere</span>' for path in case.gold.paths if path not in ranks]
    return f"<dt>First {_LISTED} documents</dt><dd>{' · '.join([*listed, *late, *absent])}</dd>"


def _shown(case: Case) -> str:
    if not case.row.evidence:
        return "<p>No passage was shown.</p>"
    quotes = "".join(
        f"<blockquote>[{one.n}] {_path(one.path)}<br>{_marked(one, case.gold.spans)}</blockquote>"
        for one in case.row.evidence
    )
    return f"<details><summary>{len(case.row.evidence)} passages</summary>{quotes}</details>"


def _trace(trace: Sequence[str]) -> str:
    steps = "".join(f"<pre>{_inline(step)}</pre>" for step in trace)
    return f"<details><summary>How it came about</summary>{steps}</details>" if trace else ""


def _marked(shown: ShownRecord, gold: Iterable[GoldSpan]) -> str:
    """A passage with what of it is gold marked."""
    start, end = shown.span
    inside = sorted(
        (max(span.start, start) - start, min(span.end, end) - start) for span in gold if span.path == shown.path
    )
    pieces, at = [], 0
    for first, last in inside:
        if max(first, at) < min(last, _LONGEST):
            pieces += [
                _text(shown.quote[at : max(first, at)]),
                f"<mark>{_text(shown.quote[max(first, at) : last])}</mark>",
            ]
            at = last
    return "".join([*pieces, _inline(shown.quote[at:])])


def _holds(evidence: Iterable[ShownRecord], span: GoldSpan) -> bool:
    return any(one.path == span.path and one.span[0] <= span.start and span.end <= one.span[1] for one in evidence)


def _found(shown: bool) -> str:
    return '<span class="found">shown</span>' if shown else '<span class="missing">not shown</span>'


def _path(path: str) -> str:
    return f'<span class="path">{_text(path)}</span>'


def _words(why: str) -> str:
    return why.replace("-", " ").capitalize()


def _inline(text: str) -> str:
    """A text of unknown length, isolated in its direction."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return f'<bdi dir="auto">{_text(cut)}</bdi>'


def _text(text: str) -> str:
    """A text as it may stand anywhere in the page, in an attribute, too."""
    return escape(_UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text), quote=True)
