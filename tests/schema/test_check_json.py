"""The shapes of a check: what scripts, code scanning and pull requests are given."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from lens_lsp.memory.check import Cited, Finding, Report, Unreadable
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import TextSource
from lens_lsp.model.text import Position, Span
from lens_lsp.schema.memory_shapes import check_annotations, check_json, check_sarif

QUOTE = "The lease ends on 30 June 2031."
CITATION = Citation("..", "house/a b, c.md", TextSource.DISK, "0" * 64, "utf-8", "markdown/1", Span(3, 34), QUOTE)
NOW = Span(10, 41)


def finding(line: int, state: CitationState, why: str = "", **now: object) -> Finding:
    stands = state in (CitationState.VERIFIED, CitationState.MOVED)
    checked = Checked(CITATION, state, NOW if stands else None, "1" * 64 if stands else None, why, **now)  # type: ignore[arg-type]
    return Finding(Cited("/notes/answers/a.md", line, str(line), "/notes/answers", CITATION), checked, place(stands))


def place(stands: bool) -> Position | None:
    return Position(7, 2) if stands else None


REPORT = Report(
    [
        finding(1, CitationState.VERIFIED),
        finding(2, CitationState.MOVED, "the file has another name now", path="b.md", gone=True),
        finding(3, CitationState.WITHDRAWN, "the quote is no longer in the file"),
        finding(4, CitationState.WITHDRAWN, "the file is gone", gone=True),
        finding(5, CitationState.UNVERIFIABLE, "the reader that extracted the text has another version now"),
    ],
    [Unreadable("/notes/100%.md", 0, "it cannot be read (permission)")],
    answers=2,
)


def shown(path: str) -> str:
    return path.removeprefix("/notes/")


def test_json_says_where_what_and_how_many() -> None:
    document = json.loads(json.dumps(check_json(REPORT, shown)))
    assert document["schema"] == "lens.check/1"
    assert document["counts"] == {"verified": 1, "moved": 1, "withdrawn": 2, "unverifiable": 1, "unreadable": 1}
    assert [each["state"] for each in document["citations"]] == [
        "verified",
        "moved",
        "withdrawn",
        "withdrawn",
        "unverifiable",
    ]
    moved = document["citations"][1]
    assert (moved["where"], moved["path"], moved["label"]) == ("answers/a.md:2", "house/a b, c.md", "2")
    assert moved["now"] == {
        "path": "b.md",
        "span": [10, 41],
        "start": {"line": 7, "column": 2},
        "sha256": "1" * 64,
        "locator": None,
    }
    assert document["citations"][2]["now"] is None
    assert document["unreadable"] == [
        {"where": "100%.md", "file": "100%.md", "line": 0, "why": "it cannot be read (permission)"}
    ]


# What SARIF 2.1.0 (OASIS standard, section 3) requires of the objects that are used here: their properties, those that
# must be there, and values. Written by hand: the schema itself is under its own terms.
OBJECTS: Mapping[str, tuple[set[str], set[str]]] = {
    "log": ({"$schema", "version", "runs"}, {"version", "runs"}),
    "run": ({"tool", "results", "columnKind"}, {"tool"}),
    "tool": ({"driver"}, {"driver"}),
    "driver": ({"name", "version", "informationUri", "rules"}, {"name"}),
    "rule": ({"id", "name", "shortDescription", "defaultConfiguration"}, {"id"}),
    "result": (
        {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"},
        {"message"},
    ),
    "physicalLocation": ({"artifactLocation", "region"}, {"artifactLocation"}),
}
LEVELS = {"none", "note", "warning", "error"}


def sarif_faults(log: dict[str, object]) -> list[str]:
    """What a log has that no SARIF log may have."""
    faults: list[str] = []

    def is_object(name: str, value: object) -> dict[str, object]:
        allowed, required = OBJECTS[name]
        assert isinstance(value, dict), name
        faults.extend(f"{name}.{key}" for key in value.keys() - allowed)
        faults.extend(f"no {name}.{key}" for key in required - value.keys())
        return value

    runs = is_object("log", log).get("runs")
    assert isinstance(runs, list)
    for run in runs:
        driver = is_object("driver", is_object("tool", is_object("run", run)["tool"])["driver"])
        rules = [is_object("rule", rule) for rule in driver["rules"]]  # type: ignore[attr-defined]
        faults += [f"level {rule}" for rule in rules if rule["defaultConfiguration"].keys() != {"level"}]  # type: ignore[attr-defined]
        for each in run["results"]:
            result = is_object("result", each)
            if rules[result["ruleIndex"]]["id"] != result["ruleId"]:  # type: ignore[index]
                faults.append("ruleIndex")
            if result["level"] not in LEVELS:
                faults.append("level")
            if not isinstance(result["message"], dict) or result["message"].keys() != {"text"}:
                faults.append("message")
            for location in result["locations"]:  # type: ignore[attr-defined]
                where = is_object("physicalLocation", location["physicalLocation"])
                if not re.fullmatch(r"[A-Za-z0-9%/._~:-]+", where["artifactLocation"]["uri"]):  # type: ignore[index]
                    faults.append("uri")
                if where["region"]["startLine"] < 1:  # type: ignore[index]
                    faults.append("startLine")
    return faults if log.get("version") == "2.1.0" else [*faults, "version"]


def test_sarif_has_the_shape_of_the_standard() -> None:
    log = json.loads(json.dumps(check_sarif(REPORT, "0.1.0", shown)))
    assert sarif_faults(log) == []
    results = log["runs"][0]["results"]
    assert [(each["ruleId"], each["level"]) for each in results] == [
        ("lens.citation-moved", "note"),
        ("lens.citation-drifted", "warning"),
        ("lens.citation-broken", "error"),
        ("lens.citation-drifted", "note"),
        ("lens.answer-unreadable", "error"),
    ]
    location = results[0]["locations"][0]["physicalLocation"]
    assert (location["artifactLocation"]["uri"], location["region"]["startLine"]) == ("answers/a.md", 2)
    assert results[-1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "100%25.md"
    assert len({each["partialFingerprints"]["lensCitation/v1"] for each in results}) == len(results)


def test_a_log_that_is_none_is_told_by_the_same_check() -> None:
    log = json.loads(json.dumps(check_sarif(REPORT, "0.1.0", shown)))
    for break_it in (
        lambda: log.update(version="2.0"),
        lambda: log["runs"][0]["results"][0].update(extra=1),
        lambda: log["runs"][0]["results"][0].update(level="bad"),
        lambda: log["runs"][0]["tool"]["driver"].pop("name"),
    ):
        before = len(sarif_faults(log))
        break_it()
        assert len(sarif_faults(log)) == before + 1


def test_a_place_outside_the_current_folder_is_an_absolute_uri() -> None:
    log = check_sarif(REPORT, "0.1.0", lambda path: path)
    assert '"uri": "file:///notes/answers/a.md"' in json.dumps(log)


def test_annotations_are_one_line_each_and_escaped() -> None:
    name = "/notes/a,b:c%\n.md"
    report = Report([], [Unreadable(name, 3, "100% of it\nis broken")], 1)
    assert list(check_annotations(report, shown)) == [
        "::error file=a%2Cb%3Ac%25%0A.md,line=3,title=lens.answer-unreadable::100%25 of it%0Ais broken"
    ]
    kinds = [line.split(" ")[0] for line in check_annotations(REPORT, shown)]
    assert kinds == ["::notice", "::warning", "::error", "::notice", "::error"]
