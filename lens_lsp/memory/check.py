"""Checking: every citation in answer files and blocks under some folders, against the sources as they are now.

Needs no store: all that a check takes stands in the files. Citations kept elsewhere can be given along.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import cache

from lens_lsp.corpus.corpus_rules import ANYWHERE, AllowedFolders, CorpusRules
from lens_lsp.corpus.encoding import decode
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root, Skipped, display_path, open_named
from lens_lsp.corpus.text_marks import find_generated, privacy_of_file
from lens_lsp.corpus.walk import discover
from lens_lsp.memory.answer_parser import AnswerFault, Citing, Reference, Written
from lens_lsp.memory.citation_records import CitationRecords, records_above
from lens_lsp.memory.notes import MARKDOWN, is_note, leads_to, may_cite, names_file, read_note, syntax_of
from lens_lsp.memory.sources import NO_BUFFERS, Sources
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import Position

_MARKDOWN = "markdown"
_LARGEST = 64 << 20
"""Bytes of a Markdown file that is looked into."""
_BEGINNING = 1 << 16
"""Bytes of a text file in which it is looked for how it says that it is private."""
_TOLD = frozenset({SkipReason.IGNORE_FILE, SkipReason.PERMISSION, SkipReason.UNREADABLE, SkipReason.TOO_LARGE})
"""Why a file that was not read may yet hold citations."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation and where it is written.

    ``where`` is the absolute path of a file or the name of another place, ``line`` counts from 1 and is 0 where there
    are no lines. A relative root is relative to ``base``. ``altered`` says what its footnote says otherwise.
    """

    where: str
    line: int
    label: str
    base: str
    citation: Citation
    altered: str = ""
    reference: Reference | None = None
    """Its footnote, where its record stands elsewhere or is missing."""
    others: tuple[Citation, ...] = ()
    """What else may be meant by it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A citation after a look at its source; ``at`` is where its quote stands now, None unless it stands."""

    cited: Cited
    checked: Checked
    at: Position | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A place that should hold citations and cannot be read; ``line`` is 0 for all of a file."""

    where: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Understood:
    """A document that is private and does not say so as documented; ``line`` is 0 where there are none."""

    where: str
    line: int
    message: str


@dataclass(slots=True)
class Report:
    """What a check found so far, by place when it is done."""

    findings: list[Finding] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    answers: int = 0
    """Answer files and blocks."""
    understood: list[Understood] = field(default_factory=list)
    """Text files whose mark ``lens: private`` is spelled in a way of its own."""

    @property
    def counts(self) -> dict[str, int]:
        """How many citations there are of each state, and how many places cannot be read."""
        counts = {state.value: 0 for state in CitationState} | {"unreadable": len(self.unreadable)}
        for finding in self.findings:
            counts[finding.checked.state.value] += 1
        return counts

    def drifted(self, *, strict: bool) -> bool:
        """Whether something does not hold any more; ``strict`` counts what moved."""
        counts = self.counts
        standing = counts["verified"] if strict else counts["verified"] + counts["moved"]
        return standing < len(self.findings) or bool(self.unreadable)


def check(
    paths: Sequence[str | os.PathLike[str]],
    report: Report,
    *,
    rules: CorpusRules = CorpusRules(),
    kept: Iterable[Cited] = (),
    buffers: Mapping[str, Buffer] = NO_BUFFERS,
    allowed: AllowedFolders | None = None,
) -> None:
    """Check what is cited under the paths, and the citations ``kept`` elsewhere; ``report`` fills as it goes.

    What a file cites is read below the ``allowed`` folders only, by default those of the paths; what we keep ourselves
    wherever it lies. Raises `PathNotFound` or `PathRefused` for a path that cannot be searched.
    """
    cited: list[Cited] = []
    given: list[str] = []
    seen: set[str] = set()
    for path in paths:
        root, file = open_named(os.fspath(path))
        given.append(root.path)
        for name, citing in _citing(root, file, rules, buffers, seen, report):
            report.answers += citing.parts
            report.unreadable += [Unreadable(name, fault.line, fault.why) for fault in citing.faults]
            cited += cited_in(name, citing)
    for some, where in ((kept, ANYWHERE), (cited, allowed or AllowedFolders.below(given))):
        with Sources(where, rules=rules, buffers=buffers) as sources:
            for each in by_source(some):
                report.findings.append(look(each, sources))
    report.findings.sort(key=lambda finding: (finding.cited.where, finding.cited.line, finding.cited.label))


def notes_below(paths: Sequence[str], rules: CorpusRules) -> Iterator[tuple[str, str]]:
    """The Markdown notes below some paths with blocks of ours, each by its absolute path with its text as it stands on
    disk: in UTF-8, and nothing else. Raises as `check`."""
    seen: set[str] = set()
    for path in paths:
        root, file = open_named(os.fspath(path))
        with root:
            for entry in discover(root, rules, explicit_file=file).files:
                name = os.path.join(root.path, *entry.path.split("/"))
                if name in seen or syntax_of(name) is not MARKDOWN:
                    continue
                seen.add(name)
                with suppress(Skipped, UnicodeDecodeError):
                    text = root.read(entry.path, _LARGEST).decode("utf-8")
                    if "lens:begin" in text:
                        yield name, text


def cited_in(name: str, citing: Citing) -> list[Cited]:
    """What a text cites, as it was read; ``name`` is the absolute path of its file."""
    base = os.path.dirname(name)
    return [cited_as(name, base, each) for each in citing.written]


def cited_as(name: str, base: str, written: Written) -> Cited:
    """A citation in a text; a relative root is relative to ``base``."""
    return Cited(
        name, written.line, written.label, base, written.citation, written.altered, written.reference, written.others
    )


def by_source(cited: Iterable[Cited]) -> list[Cited]:
    """Citations in the order in which each of their sources is read once."""
    return sorted(
        cited, key=lambda each: (os.path.abspath(os.path.join(each.base, each.citation.root)), each.citation.path)
    )


def look(cited: Cited, sources: Sources) -> Finding:
    """What became of a citation; one whose footnote was changed is withdrawn, whatever its source says."""
    reference = cited.reference
    if cited.altered:
        return _changed(cited, cited.altered)
    if reference is None:
        return Finding(cited, *sources.check(cited.citation, cited.base))
    if not cited.citation.reader:
        found, place = sources.by_words(reference, cited.base)
        return Finding(replace(cited, citation=found.citation), found, place)
    looked = [sources.check(each, cited.base, anywhere=True) for each in (cited.citation, *cited.others)]
    checked, at = min(looked, key=lambda each: _WORST.index(each[0].state))
    cited = replace(cited, citation=checked.citation)
    paths = [checked.citation.path, *([checked.path] if checked.path else [])]
    if not names_file(reference, paths):
        return _changed(cited, "the footnote names another file than was recorded: it was changed")
    link = leads_to(reference, cited.base)
    source = os.path.normpath(os.path.join(cited.base, checked.citation.root, *paths[-1].split("/")))
    if checked.state is CitationState.VERIFIED and link not in (None, source):
        checked = replace(checked, state=CitationState.MOVED, why=_ASTRAY)
    elif checked.state is CitationState.MOVED and at is not None and link in (None, source):
        told = reference.named == at.line  # the note says where it stands now
        checked = replace(checked, state=CitationState.VERIFIED, why="") if told else checked
    return Finding(cited, checked, at)


_WORST = (CitationState.VERIFIED, CitationState.MOVED, CitationState.UNVERIFIABLE, CitationState.WITHDRAWN)
_ASTRAY = "its link leads elsewhere: the note or the source was moved"


def _changed(cited: Cited, why: str) -> Finding:
    return Finding(cited, Checked(cited.citation, CitationState.WITHDRAWN, why=why), None)


def _citing(
    root: Root, file: str | None, rules: CorpusRules, buffers: Mapping[str, Buffer], seen: set[str], report: Report
) -> Iterator[tuple[str, Citing]]:
    """The notes under a root, or the one ``file`` in it, that cite, each by its absolute path, once; closes
    the root."""
    records = cache(records_above)
    with root:
        found = discover(root, rules, explicit_file=file)
        for skip in found.skips:
            if skip.reason in _TOLD or file is not None:
                report.unreadable.append(Unreadable(os.path.join(root.path, skip.path), 0, _unread(skip.reason)))
        for entry in found.files:
            name = os.path.join(root.path, *entry.path.split("/"))
            if name in seen:
                continue
            seen.add(name)
            _understand(name, root, entry.path, rules, buffers, report)
            if file is None and not _cites(entry.path):
                continue
            try:
                text = buffers[name].text if name in buffers else _text(root, entry.path, rules)
            except Skipped as skipped:
                if skipped.reason in _TOLD or file is not None:
                    report.unreadable.append(Unreadable(display_path(name), 0, _unread(skipped.reason)))
                continue
            if may_cite(text) or "[^" in text:
                yield name, _read(text, name, records)


def _understand(
    name: str, root: Root, path: str, rules: CorpusRules, buffers: Mapping[str, Buffer], report: Report
) -> None:
    """Note how a text file that can be read says that it is private, where that is not as documented."""
    try:
        if reader_for(path.rpartition("/")[2]) is None:
            return
        if name in buffers:
            text = buffers[name].text
        else:
            beginning = next(root.stream(path, _BEGINNING), b"")[:_BEGINNING]
            text = decode(beginning, rules.fallback_encoding).text
    except Skipped:
        return
    said = privacy_of_file(path, text)
    if said is not None and not said.exact:
        report.understood.append(Understood(name, said.line, said.message))


def _read(text: str, name: str, records: Callable[[str], CitationRecords | None]) -> Citing:
    citing = read_note(text, name, records(os.path.dirname(name)))
    if not citing.parts and find_generated(text).answer:
        return Citing(faults=(AnswerFault(1, "the front matter of this answer cannot be read"),), parts=1)
    return citing


def _text(root: Root, path: str, rules: CorpusRules) -> str:
    return decode(root.read(path, _LARGEST), rules.fallback_encoding).text


def _cites(path: str) -> bool:
    """Whether texts of this name are looked into."""
    reader = reader_for(path.rpartition("/")[2])
    return reader is not None and (reader.name == _MARKDOWN or is_note(path))


def _unread(reason: SkipReason) -> str:
    return f"it cannot be read ({reason.value})"
