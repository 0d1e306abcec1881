"""Answer files and blocks: answers as Markdown that people read, keep and paste, and that `lens check` can check.

All that came out of a note or a model is made inert. A text holds what a person would write; what it takes to check it
is kept as records beside it (`lens_lsp.memory.citation_records`), for a file of its own (`write_answer`) as in a note
of the user's (`write_short`, `as_short`), and blocks of earlier versions can be made so (`shortened`). Clusters are
written as Markdown, one file each, and as Mermaid for all; equal clusters give equal text.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePath
from types import MappingProxyType
from urllib.parse import quote as percent_encoded

from lens_lsp.disk import replace_whole
from lens_lsp.memory.answer_parser import VERSION, quoted_on_one_line, read_citing, read_footnotes
from lens_lsp.memory.citation_records import add_records, read_records, records_above, short_id
from lens_lsp.memory.citations import record_blind
from lens_lsp.memory.clusters import value_of, words_of
from lens_lsp.memory.notes import MARKDOWN, Syntax, begin_mark, end_mark, note, read_note
from lens_lsp.model.answer import Answer
from lens_lsp.model.cluster import Citation, Cluster, KnownFact
from lens_lsp.model.documents import Evidence, link_fragment
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import stamp_of, stamped
from lens_lsp.model.sanitize import (
    UNSAFE,
    json_escape,
    markdown_without_links,
    printable,
    printable_path,
    sanitize_json,
    sanitize_markdown,
)
from lens_lsp.model.text import SourceText

_MARKER = regex(r"(?<!\\)\[(\d+)\](?![(:])")
_WIKI_LINK = regex(r"(?<!\\)\[(?=\[)")
_KEPT_BACK = "*This answer rests on private notes (`lens: private`) and is not kept; ask again to see it.*"
_FILE = regex(r"---\n(?P<front>.*?)\n---\n(?P<body>.*)", re.DOTALL)
_TITLE = regex(r"\s*# [^\n]*\n")
_STAMP = regex(r"<!-- lens:(?:begin|end) ")
_ANY_MARK = regex(r"\[\^([^\]\s]{1,200})\]")
_PARAGRAPHS = regex(r"\n[ \t]*\n")
_REMARK = regex(r"\*[^*\n]+\*")
_UNREAD = regex(r"Not read yet: [\d,]+ of [\d,]+ documents\.\n*")
"""What stands first in an answer that came before all documents were read: of the moment, and nothing for a note."""
_GAPS = regex(r"\n(?:[ \t]*\n){2,}")
_EMPHASIS = regex(r"(?<!\\)(\*\*|\*)(?=\S)((?:(?!\1).)+?)(?<=\S)\1")
_ESCAPE = regex(r"\\([!-/:-@\[-`{-~])")
MOST_BESIDE = 400
"""Bytes of an inserted answer beside its own words and the paths that it cites."""
_SHORTEST_SHOWN = 24
_MOST_UNNAMED = 3
# A byte order mark and the last two points of a plane are no printable characters to YAML. Editors make a link of
# whatever looks like an address or like Markdown's own, even here.
_ESCAPED = regex(f"[<>{UNSAFE}\ufeff\ufffe\uffff\ud800-\udfff]|:(?=//)|(?<=\\])[(\\[:]|(?<=[wW]{{3}})\\.")
ANSWERS = "answers"
"""The folder of answer files, in the store's folder."""
_HEAD = b"---\nlens: answer/"
_QUESTION = b"question:"
_MOST_HEAD = 65_536
"""Bytes in which an answer file has named its question."""
_STAMPS = (b"<!-- lens:begin w", b"%% <!-- lens:begin w", b'{\n  "schema": "lens.clusters/')
_SLUG = regex(r"[^a-z0-9]+")
_LONGEST_SLUG = 40
_LONGEST_LABEL = 60
_MOST_QUOTED = 300
_MERMAID_UNSAFE = regex(r"[^\w .,:/()+%€$-]")
Taken = Mapping[str, tuple[Citation, ...]]
"""Records by their ids."""


@dataclass(frozen=True, slots=True)
class Saved:
    """An answer and all that its text does not say.

    ``citations`` are by the numbers of the evidence, recorded from the documents; evidence without one holds only
    while its file does not change at all. ``folder`` is where the text will lie, absolute, None for nowhere yet.
    ``private`` says whether what rests on private documents may be written: into no store, ever.
    """

    answer: Answer
    citations: Mapping[int, Citation]
    asked: datetime
    folder: str | None
    private: bool


def write_answer(saved: Saved, root: str | None = None, taken: Taken = MappingProxyType({})) -> ShortBlock:
    """An answer file: front matter with its facts and their states, then stamped the answer and a footnote for each
    passage. Its records belong into those of the folder ``root``, which has some that are ``taken``."""
    answer = saved.answer
    shown = _shown(saved)
    whole = len(shown) == len(answer.evidence)
    cited = {str(item.n): (_citation(saved, item), item.start.line) for item in shown}
    place = NotePlace(MARKDOWN, "", saved.folder, root, taken)
    words, notes, records = _cited(printable(answer.text) if whole else _KEPT_BACK, _MARKER, cited, place, most=None)
    ids = _ids(cited, place)
    facts = [
        {
            "fact": fact.text,
            "state": fact.status.value,
            "cites": [ids[str(n)] for n in fact.evidence if str(n) in ids],
        }
        for fact in (answer.requirements if whole else ())
    ]
    head = [
        "---",
        f"lens: {VERSION}",
        f"question: {one_line(answer.question)}",
        f"asked: {_moment(saved.asked)}",
        f"mode: {answer.mode.value}",
        f"status: {answer.kept_as.value}",
        "facts:" if facts else "facts: []",
        *(f"  - {one_line(fact)}" for fact in facts),
        "---",
    ]
    title = sanitize_markdown(" ".join(printable(answer.question).split()))
    body = "\n".join([f"# {title}", "", *([words, ""] if words else []), *notes, *([""] if notes else [])])
    text = "\n".join([*head, "", stamped(body, stamp_of(answer.question))])
    private = {ids[str(item.n)] for item in shown if item.private}
    return ShortBlock(text, {id_: each for id_, each in records.items() if id_ not in private})


def put_answer(path: Path, saved: Saved, root: str | None, mode: int, below: Path) -> None:
    """Write an answer file over one of ours, whole or not at all, then what it cites into the records of the folder
    ``root``, None for no records. ``mode`` and ``below`` are those of `replace_whole`: where that refuses, a link may
    lead elsewhere, and nothing else is written either. Raises OSError."""
    known = None if root is None else read_records(root)
    kept = write_answer(replace(saved, folder=str(path.parent)), root, {} if known is None else known.by_id)
    replace_whole(path, kept.text.encode("utf-8"), mode, made=is_answer, below=below)
    if root is not None:
        add_records(root, kept.records, mode=mode)


def _shown(saved: Saved) -> list[Evidence]:
    """The evidence that may be written."""
    return [item for item in saved.answer.evidence if saved.private or not item.private]


def _citation(saved: Saved, item: Evidence) -> Citation:
    root = saved.answer.roots[item.root]
    found = saved.citations.get(item.n)
    return record_blind(item, root=root) if found is None else replace(found, root=root)


def _lies_in(folder: str | None, root: str) -> bool:
    return folder is not None and (folder + os.sep).startswith(root.rstrip(os.sep) + os.sep)


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class ShortBlock:
    """An answer as it stands in a note, and the records of what it cites, by id: those belong beside it."""

    text: str
    records: Mapping[str, Citation]


@dataclass(frozen=True, slots=True)
class NotePlace:
    """Where an answer goes: in which syntax, as which block, into the note of which ``folder`` (absolute, None for a
    note that was never saved), and into the records of which workspace ``root``, with those that are ``taken``."""

    syntax: Syntax
    block: str
    folder: str | None
    root: str | None
    taken: Taken = field(default_factory=dict)
    whole: bool = False
    """Quotes stand whole, however long they are: there will be no records."""


Cited = Mapping[str, tuple[Citation, int]]
"""Citations with an absolute root and the line where each quote begins, by the number in the words."""


def write_short(saved: Saved, place: NotePlace, *, remarks: bool = False) -> ShortBlock:
    """An answer for a note: its words, and a footnote for each passage that they cite. ``remarks`` keeps what is said
    of the answer as a whole, such as who judged it."""
    answer = saved.answer
    shown = _shown(saved)
    whole = len(shown) == len(answer.evidence)
    words = _UNREAD.sub("", printable(answer.text), count=1) if whole else _KEPT_BACK
    parts = _PARAGRAPHS.split(words.strip("\n"))
    kept = [part for part in parts if remarks or not _REMARK.fullmatch(part.strip())]
    words = "\n\n".join(kept) or words.strip("\n")
    named = set(_MARKER.findall(words))
    chosen = [item for item in shown if str(item.n) in named] or shown[:_MOST_UNNAMED]
    cited = {str(item.n): (_citation(saved, item), item.start.line) for item in chosen}
    block = _short(words, _MARKER, cited, place, most=None if place.whole else MOST_BESIDE)
    private = {str(item.n) for item in chosen if item.private}
    ids = _ids(cited, place)
    return replace(
        block, records={id_: each for n, id_ in ids.items() if n not in private for each in (block.records[id_],)}
    )


def as_short(text: str, path: str, place: NotePlace) -> ShortBlock | None:
    """The answer of an answer file of any version for a note; None for a text that is none, or that was changed since,
    or whose records are gone. ``path`` is the file's, absolute."""
    text, folder = text.replace("\r\n", "\n"), os.path.dirname(path)
    whole, citing = _FILE.fullmatch(text), read_note(text, path, records_above(folder))
    changed = any(each.altered or each.unrecorded for each in citing.written)
    if whole is None or citing.parts != 1 or citing.faults or changed:
        return None
    lines = {note.label: int(note.name.rpartition(":")[2] or 1) for note in read_footnotes(text.split("\n"))}
    cited = {each.label: (_absolute(each.citation, folder), lines.get(each.label, 0)) for each in citing.written}
    if not all(line for _, line in cited.values()):
        return None
    words = _UNREAD.sub("", _words(whole["body"], set(cited)), count=1)
    return _short(words, _ANY_MARK, cited, place, most=None if place.whole else MOST_BESIDE)


def shortened(text: str, folder: str, root: str, taken: Taken) -> ShortBlock:
    """A note of the absolute ``folder`` with its blocks in the short form, and the records of all that they cite. A
    block that cannot be read, or was changed, stays as it is."""
    citing = read_citing(text)
    lines = SourceText(text).line_starts
    known = dict(taken)
    records: dict[str, Citation] = {}
    parts: list[str] = []
    at = 0
    for held in citing.held:
        prefix = f"{held.block}-"
        mine = [each for each in citing.written if held.block and each.label.startswith(prefix)]
        broken = any(held.first <= fault.line <= held.last for fault in citing.faults)
        if not held.block or broken or any(each.altered for each in mine):
            continue
        first = lines[held.first]  # behind the line that begins it
        last = lines[held.last - 1]
        body = text[first:last].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        notes = {note.label: note for note in read_footnotes(body)}
        cited = {}
        for each in mine:
            number = notes[each.label].name.rpartition(":")[2] if each.label in notes else ""
            cited[each.label] = (_absolute(each.citation, folder), int(number) if number.isdecimal() else 0)
        place = NotePlace(MARKDOWN, held.block, folder, root, known)
        block = _short(_words("\n".join(body), set(cited)), _ANY_MARK, cited, place, most=None)
        end = text.find("-->", last) + len("-->")
        written = block.text.rstrip("\n")
        parts += text[at : lines[held.first - 1]], written.replace("\n", "\r\n") if "\r\n" in text else written
        at = end
        records |= block.records
        known |= {id_: (each,) for id_, each in block.records.items()}
    return ShortBlock("".join([*parts, text[at:]]), records)


def _ids(cited: Cited, place: NotePlace) -> dict[str, str]:
    """The id of each citation. Equal ones have the same."""
    taken = dict(place.taken)
    found = {}
    for n, (citation, _) in cited.items():
        kept = _in_root(citation, place.root)
        found[n] = short_id(kept.path, kept.quote, kept.span.start, taken)
        taken[found[n]] = (kept,)
    return found


def _short(words: str, marker: re.Pattern[str], cited: Cited, place: NotePlace, *, most: int | None) -> ShortBlock:
    body, notes, records = _cited(words, marker, cited, place, most=most)
    frame = begin_mark(place.syntax, place.block), end_mark(place.syntax, place.block)
    return ShortBlock("\n\n".join(filter(None, [frame[0], body, *notes, frame[1]])) + "\n", records)


def _cited(
    words: str, marker: re.Pattern[str], cited: Cited, place: NotePlace, *, most: int | None
) -> tuple[str, list[str], dict[str, Citation]]:
    """The words with marks in the syntax of a note, the footnotes that stand below them, and the records."""
    syntax, ids = place.syntax, _ids(cited, place)
    records = {ids[n]: _in_root(citation, place.root) for n, (citation, _) in cited.items()}
    targets: dict[str, tuple[str, int, str, str]] = {}
    for n, (citation, line) in cited.items():
        path = os.path.join(citation.root, *citation.path.split("/"))
        near = place.folder is not None and place.root is not None and _lies_in(path, place.root)
        link = link_to(path, place.folder if near else None)
        targets[ids[n]] = (
            records[ids[n]].path,
            line,
            f"{link}#{link_fragment(citation.locator, line)}",
            citation.quote,
        )
    frame = [begin_mark(syntax, place.block), end_mark(syntax, place.block)]
    shown = _fitting(targets, syntax, frame, most)
    notes = {id_: note(syntax, id_, path, line, link, shown[id_]) for id_, (path, line, link, _) in targets.items()}
    used: set[str] = set()

    def mark(found: re.Match[str]) -> str:
        id_ = ids.get(found[1])
        if id_ is None:
            return found.group()
        first = id_ not in used
        used.add(id_)
        return notes[id_] if syntax.inline and first else syntax.mark.replace("{id}", id_)

    body = _said_in(words, syntax, marker, mark)
    return body, [each for id_, each in notes.items() if not syntax.inline or id_ not in used], records


def _fitting(
    targets: Mapping[str, tuple[str, int, str, str]], syntax: Syntax, frame: Sequence[str], most: int | None
) -> dict[str, str]:
    """The quotes as they are shown: the longest are cut until all that is not the answer's own fits."""
    shown = {id_: quoted_on_one_line(quote) for id_, (_, _, _, quote) in targets.items()}

    def size() -> int:
        beside = sum(len(each) + 2 for each in frame)
        for id_, (path, line, link, _) in targets.items():
            whole = len(note(syntax, id_, path, line, link, shown[id_]).encode()) + len(syntax.mark) + len(id_)
            beside += whole - len(path.encode()) - len(link.partition("#")[0].encode()) + 2
        return beside

    while most is not None and (over := size() - most) > 0:
        longest = max(shown, key=lambda id_: len(shown[id_]), default=None)
        if longest is None or len(shown[longest]) <= _SHORTEST_SHOWN:
            break
        room = max(_SHORTEST_SHOWN - 1, len(shown[longest]) - max(over, 8) - 1)
        cut = shown[longest][:room]
        shown[longest] = (cut.rpartition(" ")[0] if " " in cut[_SHORTEST_SHOWN // 2 :] else cut).rstrip(" …") + "…"
    return shown


def _said_in(words: str, syntax: Syntax, marker: re.Pattern[str], mark: Callable[[re.Match[str]], str]) -> str:
    """An answer's words, which are Markdown, in the syntax of a note, with its own marks."""
    if syntax is MARKDOWN:
        text = _WIKI_LINK.sub(r"\\\g<0>", words) if marker is _MARKER else words
        text = (
            markdown_without_links(text, lambda part: marker.sub(mark, part))
            if marker is _MARKER
            else marker.sub(mark, text)
        )
        return text.strip("\n").replace("<!--", r"<\!--")
    lines = []
    for line in words.strip("\n").split("\n"):
        bare = _EMPHASIS.sub(r"\2", line.lstrip("> ").replace("`", "")).replace("<!--", "<\u200b!--")
        parts: list[str] = []
        at = 0
        for found in marker.finditer(bare):
            parts += syntax.plain(_ESCAPE.sub(r"\1", bare[at : found.start()])), mark(found)
            at = found.end()
        lines.append("".join([*parts, syntax.plain(_ESCAPE.sub(r"\1", bare[at:]))]))
    return "\n".join(lines)


def _in_root(citation: Citation, root: str | None) -> Citation:
    """A citation with an absolute root as the records of a workspace have it."""
    path = os.path.join(citation.root, *citation.path.split("/"))
    if root is None or not _lies_in(path, root):
        return citation
    return replace(citation, root=".", path=os.path.relpath(path, root).replace(os.sep, "/"))


def _absolute(citation: Citation, folder: str) -> Citation:
    return replace(citation, root=os.path.abspath(os.path.join(folder, citation.root)))


def _words(body: str, labels: set[str]) -> str:
    """The answer's own words, without title, footnotes and stamp."""
    lines, kept, skipping = _TITLE.sub("", body, count=1).split("\n"), [], False
    for line in lines:
        skipping = (skipping and line[:1] in (" ", "\t") and bool(line.strip())) or _is_note(line, labels)
        if not skipping and not _STAMP.match(line):
            kept.append(line)
    return _GAPS.sub("\n\n", "\n".join(kept)).strip("\n")


def _is_note(line: str, labels: set[str]) -> bool:
    found = _ANY_MARK.match(line)
    return found is not None and found[1] in labels and line[found.end() : found.end() + 1] == ":"


def link_to(path: str, folder: str | None) -> str:
    """A link to the file at an absolute path: relative to ``folder``, an absolute URI without one."""
    if folder is None:
        return PurePath(path).as_uri()
    return percent_encoded(os.fsencode(os.path.relpath(path, folder).replace(os.sep, "/")), safe="/")


def one_line(value: object) -> str:
    """A value as JSON on one line that may stand in YAML and in an HTML comment."""
    return _ESCAPED.sub(json_escape, json.dumps(value, ensure_ascii=False))


def is_answer(head: bytes) -> bool:
    """Whether a file is an answer of ours, by its first bytes."""
    return head.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").startswith(_HEAD)


def question_of(path: Path) -> str | None:
    """The question that an answer file names at its head; None when it names none. Raises OSError."""
    with open(path, "rb") as file:
        head = file.read(_MOST_HEAD)
    for line in head.splitlines():
        if line.startswith(_QUESTION):
            written = line.removeprefix(_QUESTION).strip().decode("utf-8", "replace")
            with suppress(ValueError):
                written = str(json.loads(written))
            return written
    return None


def file_name(title: str, id_: str) -> str:
    """The name of the Markdown file of a cluster or an answer: words of its title, and its id."""
    slug = _SLUG.sub("-", title.casefold()).strip("-")[:_LONGEST_SLUG].strip("-")
    return f"{slug or 'untitled'}-{id_[:8]}.md"


def exported(clusters: Sequence[Cluster], whole: Mapping[str, object]) -> dict[str, str]:
    """All files of an export by their names: a page for each cluster, their graph, and ``whole`` as JSON.

    Each begins with a stamp by which `is_export` knows it again.
    """
    titles = {cluster.id: cluster.title for cluster in clusters}
    pages = {file_name(each.title, each.id): cluster_markdown(each, titles) for each in clusters}
    document = sanitize_json(json.dumps(whole, ensure_ascii=False, indent=2))
    return {**pages, "graph.mmd": graph_mermaid(clusters), "clusters.json": f"{document}\n"}


def is_export(head: bytes) -> bool:
    """Whether a file was made by an export, by its first bytes."""
    return head.replace(b"\r\n", b"\n").startswith(_STAMPS)


def cluster_markdown(cluster: Cluster, titles: Mapping[str, str]) -> str:
    """A cluster as a page: its questions with their answers, its facts with their proofs, what it is linked to.

    ``titles`` are those of all clusters, by id.
    """
    citations = dict(cluster.citations)
    lines = [f"# {_line(cluster.title)}", "", f"*{_standing(cluster)}*", ""]
    for asked in sorted(cluster.asked, key=lambda a: (a.at, a.id)):
        lines += [f"## {_line(asked.question)}", "", f"Asked {_minute(asked.at)}, {asked.status.value}.", ""]
        lines += [_quoted(markdown_without_links(printable(words_of(asked, citations)).strip(), str)), ""]
    lines += ["## Facts", ""]
    for fact in cluster.facts:
        lines += _fact(fact, value_of(fact, cluster), citations)
    if cluster.links:
        lines += ["", "## Linked", ""]
        lines += [f"- {_line(titles.get(link.cluster, link.cluster))} ({link.weight:.2f})" for link in cluster.links]
    return stamped("\n".join(lines), stamp_of("cluster", cluster.id))


def _standing(cluster: Cluster) -> str:
    live = "archived: no fact of it holds any more" if cluster.archived else "live"
    sure = "" if cluster.confidence is None else f", confidence {cluster.confidence:.2f}"
    used = "never used again" if not cluster.hits else f"used again {cluster.hits} times, last {_minute(cluster.used)}"
    return f"{cluster.id}; {live}{sure}; first asked {_minute(cluster.created)}; {used}"


def _fact(fact: KnownFact, value: str | None, citations: Mapping[str, Citation]) -> list[str]:
    found = "" if value is None else f": **{_line(value)}**"
    state = "retired" if fact.retired else fact.status.value
    lines = [f"- {_line(fact.requirement.text)}{found} ({state}, {_minute(fact.at)})"]
    for citation in (citations[id_] for id_ in fact.evidence if id_ in citations):
        quote = " ".join(printable(citation.quote).split())
        cut = quote if len(quote) <= _MOST_QUOTED else f"{quote[: _MOST_QUOTED - 1]}…"
        place = f"{printable_path(citation.path)}, characters {citation.span.start} to {citation.span.end}"
        lines.append(f"  - {sanitize_markdown(place)}: “{sanitize_markdown(cut)}”")
    return lines


def graph_mermaid(clusters: Sequence[Cluster]) -> str:
    """Clusters, the documents that prove them, and the links between, as a flowchart.

    A live cluster is a rounded box, an archived one a hexagon with a dashed line; documents are cylinders.
    """
    lines = ["flowchart LR"]
    documents: dict[tuple[str, str], str] = {}
    names = {cluster.id: f"c{n}" for n, cluster in enumerate(clusters, 1)}
    for cluster in clusters:
        label = _label(cluster.title)
        shape = f'{{{{"{label}"}}}}:::archived' if cluster.archived else f'("{label}")'
        lines.append(f"  {names[cluster.id]}{shape}")
    for cluster in clusters:
        cited: dict[str, int] = {}
        for _, citation in cluster.citations:
            place = (citation.root, citation.path)
            if place not in documents:
                documents[place] = f"d{len(documents) + 1}"
                lines.append(f'  {documents[place]}[("{_label(printable_path(citation.path))}")]')
            cited[documents[place]] = cited.get(documents[place], 0) + 1
        lines += [f"  {names[cluster.id]} -- {count} --> {name}" for name, count in cited.items()]
        for link in cluster.links:
            if link.cluster in names and cluster.id < link.cluster:
                lines.append(f"  {names[cluster.id]} -. {link.weight:.2f} .- {names[link.cluster]}")
    text = "\n".join([*lines, "  classDef archived stroke-dasharray: 4 4"])
    return stamped(text, stamp_of("graph", *names), comment="%% ")


def _label(text: str) -> str:
    plain = " ".join(_MERMAID_UNSAFE.sub(" ", printable(text)).split())
    return plain if len(plain) <= _LONGEST_LABEL else f"{plain[: _LONGEST_LABEL - 1]}…"


def _line(text: str) -> str:
    return sanitize_markdown(" ".join(printable(text).split()))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _minute(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
