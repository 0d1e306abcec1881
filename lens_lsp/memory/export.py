"""Clusters as files that people read, compare and keep without us: Markdown for each, Mermaid for all.

Equal clusters give equal text, stamped as ours. All that came out of a note, a model or a question is made inert.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from lens_lsp.memory.clusters import value_of, words_of
from lens_lsp.model.cluster import Citation, Cluster, KnownFact
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import stamp_of, stamped
from lens_lsp.model.sanitize import markdown_without_links, printable, printable_path, sanitize_json, sanitize_markdown

_STAMPS = (b"<!-- lens:begin w", b"%% <!-- lens:begin w", b'{\n  "schema": "lens.clusters/')
_SLUG = regex(r"[^a-z0-9]+")
_LONGEST_SLUG = 40
_LONGEST_LABEL = 60
_MOST_QUOTED = 300
_MERMAID_UNSAFE = regex(r"[^\w .,:/()+%€$-]")


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
        lines += [f"## {_line(asked.question)}", "", f"Asked {_moment(asked.at)}, {asked.status.value}.", ""]
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
    used = "never used again" if not cluster.hits else f"used again {cluster.hits} times, last {_moment(cluster.used)}"
    return f"{cluster.id}; {live}{sure}; first asked {_moment(cluster.created)}; {used}"


def _fact(fact: KnownFact, value: str | None, citations: Mapping[str, Citation]) -> list[str]:
    found = "" if value is None else f": **{_line(value)}**"
    state = "retired" if fact.retired else fact.status.value
    lines = [f"- {_line(fact.requirement.text)}{found} ({state}, {_moment(fact.at)})"]
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


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
