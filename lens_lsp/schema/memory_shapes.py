"""The JSON shapes of what is kept and of checks of it: ``lens.clusters/1``, ``lens.wrong/1``, ``lens.check/1``, SARIF
2.1.0, and annotations of GitHub workflows."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote as percent_encoded

from lens_lsp.memory.check import Cited, Finding, Report, Understood, Unreadable
from lens_lsp.memory.clusters import short_of, value_of, words_of
from lens_lsp.model.answer import Answer
from lens_lsp.model.cluster import Asked, Citation, CitationState, Cluster, KnownFact, WrongAnswer
from lens_lsp.model.documents import has_own_places, place_text
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.sanitize import printable_path
from lens_lsp.schema.answer_shapes import moment, shape

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_RULES = {
    "lens.citation-moved": ("note", "The quote stands elsewhere in its source, or its source has another name."),
    "lens.citation-drifted": ("warning", "The source no longer says what was quoted, or cannot tell any more."),
    "lens.citation-broken": ("error", "The source of a quote is gone."),
    "lens.answer-unreadable": ("error", "A place that should hold citations cannot be read."),
    "lens.private-spelling": ("note", "A document is private and does not say so as documented."),
}
"""What can be wrong: how bad it is, and what it means."""


@dataclass(frozen=True, slots=True)
class _Problem:
    """Something to tell about one line of one file; ``line`` is 0 for all of a file."""

    rule: str
    level: str
    where: str
    line: int
    message: str
    fingerprint: str


def check_json(report: Report, shown: Callable[[str], str]) -> dict[str, object]:
    """The whole of ``lens check --json``. ``shown`` makes of an absolute path what is printed."""
    return {
        "schema": "lens.check/1",
        "answers": report.answers,
        "citations": [_citation(finding, shown) for finding in report.findings],
        "unreadable": [_place(item, shown) | {"why": item.why} for item in report.unreadable],
        "understood": [_place(item, shown) | {"as": item.message} for item in report.understood],
        "counts": report.counts,
    }


def check_sarif(report: Report, version: str, shown: Callable[[str], str]) -> dict[str, object]:
    """All that did not stay as it was, as a SARIF log of one run."""
    names = list(_RULES)
    rules = [
        {
            "id": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": level},
        }
        for name, (level, text) in _RULES.items()
    ]
    results = [
        {
            "ruleId": problem.rule,
            "ruleIndex": names.index(problem.rule),
            "level": problem.level,
            "message": {"text": problem.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(shown(problem.where))},
                        "region": {"startLine": max(problem.line, 1)},
                    }
                }
            ],
            "partialFingerprints": {"lensCitation/v1": problem.fingerprint},
        }
        for problem in _problems(report)
    ]
    driver = {"name": "lens", "version": version, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def check_annotations(report: Report, shown: Callable[[str], str]) -> Iterator[str]:
    """The same as commands that GitHub's runners turn into annotations, one a line."""
    names = {"note": "notice"}
    for problem in _problems(report):
        place = f"file={_property(shown(problem.where))},line={max(problem.line, 1)},title={_property(problem.rule)}"
        yield f"::{names.get(problem.level, problem.level)} {place}::{_data(problem.message)}"


def message(finding: Finding) -> str:
    """One sentence about a citation: its number, its source, what became of it."""
    citation, checked = finding.cited.citation, finding.checked
    text = f"[{finding.cited.label}] {printable_path(citation.path)}: {checked.state.value}"
    if checked.why:
        text += f": {checked.why}"
    if checked.state is CitationState.MOVED and finding.at is not None:
        path = printable_path(checked.path or citation.path)
        own = has_own_places(checked.locator)
        place = place_text(path, checked.locator) if own else f"{path}:{finding.at.line}:{finding.at.column}"
        text += f" ({place})"
    return text


def _citation(finding: Finding, shown: Callable[[str], str]) -> dict[str, object]:
    cited, checked = finding.cited, finding.checked
    citation, now = cited.citation, None
    if checked.span is not None:
        path = checked.path or citation.path
        now = {"path": path, "span": shape(checked.span), "start": shape(finding.at)}
        now |= shape(checked, "sha256", "locator")
    return {
        **_place(cited, shown),
        "label": cited.label,
        **shape(citation, "root", "path"),
        **shape(checked, "state", "why"),
        **shape(citation, "quote", "span", "sha256"),
        "now": now,
    }


def _place(item: Cited | Unreadable | Understood, shown: Callable[[str], str]) -> dict[str, object]:
    where = shown(item.where)
    return {"where": f"{where}:{item.line}" if item.line else where, "file": where, "line": item.line}


def _problems(report: Report) -> Iterator[_Problem]:
    for finding in report.findings:
        rule, level = broken_rule(finding)
        if rule:
            cited = finding.cited
            key = (cited.citation.path, cited.citation.quote, cited.label)
            yield _Problem(rule, level, cited.where, cited.line, message(finding), _digest(*key))
    for item in report.unreadable:
        rule = "lens.answer-unreadable"
        yield _Problem(rule, _RULES[rule][0], item.where, item.line, item.why, _digest(item.why))
    for mark in report.understood:
        rule = "lens.private-spelling"
        yield _Problem(rule, _RULES[rule][0], mark.where, mark.line, mark.message, _digest(mark.message))


def broken_rule(finding: Finding) -> tuple[str, str]:
    """The rule that a finding breaks and how bad that is; two empty texts for one that stands as it was."""
    state = finding.checked.state
    if state is CitationState.VERIFIED:
        return "", ""
    if state is CitationState.UNVERIFIABLE:
        return "lens.citation-drifted", "note"
    if state is CitationState.MOVED:
        rule = "lens.citation-moved"
    else:
        rule = "lens.citation-broken" if finding.checked.gone else "lens.citation-drifted"
    return rule, _RULES[rule][0]


def _uri(path: str) -> str:
    name = percent_encoded(os.fsencode(path.replace(os.sep, "/")), safe="/")
    return f"file://{name}" if os.path.isabs(path) else name


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


SCHEMA = "lens.clusters/1"
WRONG_SCHEMA = "lens.wrong/1"


def clusters_json(clusters: Sequence[Cluster]) -> dict[str, object]:
    """The whole of ``lens clusters list --json`` and ``show --json``; equal clusters give equal bytes."""
    return {"schema": SCHEMA, "clusters": [cluster_json(cluster) for cluster in clusters]}


def cluster_json(cluster: Cluster) -> dict[str, object]:
    """One cluster; times are UTC, spans code points."""
    return {
        **shape(cluster, "id", "title", "archived", "confidence", "hits"),
        "created": moment(cluster.created),
        "used": moment(cluster.used),
        "questions": [asked_json(asked, cluster) for asked in cluster.asked],
        "facts": [_fact(fact, cluster) for fact in cluster.facts],
        "citations": [citation_json(id_, citation) for id_, citation in cluster.citations],
        "links": shape(cluster.links),
    }


def wrong_json(wrong: Sequence[WrongAnswer]) -> dict[str, object]:
    """Answers that were called wrong: schema ``lens.wrong/1``."""
    return {"schema": WRONG_SCHEMA, "checks": [_wrong(each) for each in wrong]}


def asked_again_json(asked: Sequence[tuple[WrongAnswer, Answer, bool]]) -> dict[str, object]:
    """The same, each with what its question is answered now and whether that is still the wrong answer."""
    return {
        "schema": WRONG_SCHEMA,
        "checks": [
            _wrong(wrong)
            | {"now": {"status": now.status.value, "answer": now.text, "shortAnswer": now.short}, "given": given}
            for wrong, now, given in asked
        ],
    }


def asked_json(asked: Asked, cluster: Cluster) -> dict[str, object]:
    """A question with its answer; in quotes where a model worded it."""
    citations = dict(cluster.citations)
    return {
        "question": asked.question,
        "asked": moment(asked.at),
        **shape(asked, "mode", "oracle", "status"),
        "answer": words_of(asked, citations),
        "shortAnswer": short_of(asked, citations),
        **shape(asked, "facts", "evidence"),
    }


def citation_json(id_: str, citation: Citation) -> dict[str, object]:
    """A citation under its id."""
    return {"id": id_, **shape(citation, "root", "path", "sha256", "span", "quote", "heading", "locator")}


def _fact(fact: KnownFact, cluster: Cluster) -> dict[str, object]:
    return {
        "id": fact.id,
        "text": fact.requirement.text,
        "status": fact.status.value,
        "value": value_of(fact, cluster),
        **shape(fact, "confidence", "evidence"),
        "proven": moment(fact.at),
        "retired": fact.retired,
    }


def _wrong(wrong: WrongAnswer) -> dict[str, object]:
    return {
        "id": wrong.id,
        "question": wrong.question,
        "answer": wrong.text,
        "shortAnswer": wrong.short,
        "oracle": wrong.oracle,
        "called": moment(wrong.at),
    }
