"""Answer files and blocks with their sources in them, as earlier versions wrote them: read for ever."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace

from lens_lsp.memory.answer_files import Saved, link_to, one_line
from lens_lsp.memory.answer_parser import quoted_on_one_line, source_json
from lens_lsp.memory.citations import record_blind
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import Evidence, link_fragment
from lens_lsp.model.marks import stamp_of, stamped
from lens_lsp.model.sanitize import markdown_without_links, printable, printable_path, sanitize_markdown

_SOURCE = "  - "
_LABEL = re.compile(r"(?<!\\)\[\^(\d+)\](?!\\)")
_MARKER = re.compile(r"(?<!\\)\[(\d+)\](?![(:])")
_WIKI_LINK = re.compile(r"(?<!\\)\[(?=\[)")
_KEPT_BACK = "*This answer rests on private notes (`lens: private`) and is not kept; ask again to see it.*"


def old_answer(saved: Saved) -> str:
    """An answer file of the first version: front matter with its sources, then stamped the answer and its footnotes."""
    answer = saved.answer
    shown = [item for item in answer.evidence if saved.private or not item.private]
    sources = [source_json(item.n, item.root, _citation(saved, item)) for item in shown]
    head = [
        "---",
        "lens: answer/1",
        f"question: {one_line(answer.question)}",
        f"asked: {saved.asked:%Y-%m-%dT%H:%M:%SZ}",
        f"mode: {answer.mode.value}",
        f"status: {answer.kept_as.value}",
        f"roots: {one_line([_holding(saved.folder, root) for root in answer.roots])}",
        "sources:" if sources else "sources: []",
        *(f"{_SOURCE}{one_line(source)}" for source in sources),
        "---",
    ]
    title = sanitize_markdown(" ".join(printable(answer.question).split()))
    body = "\n".join([f"# {title}", "", *_text(saved, shown)])
    return "\n".join([*head, "", stamped(body, stamp_of(answer.question))])


def _citation(saved: Saved, item: Evidence) -> Citation:
    found = saved.citations.get(item.n)
    root = saved.answer.roots[item.root]
    return record_blind(item, root=root) if found is None else replace(found, root=root)


def _text(saved: Saved, shown: list[Evidence]) -> list[str]:
    answer = saved.answer
    numbers = {item.n for item in shown}

    def with_footnotes(text: str) -> str:
        text = _WIKI_LINK.sub(r"\\\g<0>", text)
        return _MARKER.sub(lambda found: f"[^{found[1]}]" if int(found[1]) in numbers else found.group(), text)

    whole = len(shown) == len(answer.evidence)
    words = markdown_without_links(printable(answer.text), with_footnotes).strip("\n") if whole else _KEPT_BACK
    words = words.replace("<!--", r"<\!--")
    notes = []
    for item in shown:
        root = answer.roots[item.root]
        near = _holding(saved.folder, root) != root
        link = link_to(os.path.join(root, *item.path.split("/")), saved.folder if near else None)
        notes.append(footnote(str(item.n), _citation(saved, item), item.start.line, link))
    return [*([words, ""] if words else []), *notes, *([""] if notes else [])]


def footnote(label: str, citation: Citation, line: int, link: str) -> str:
    """The line of a citation; ``line`` is where the quote begins in its file, from 1."""
    name = sanitize_markdown(printable_path(citation.path), in_link=True)
    target = f"{link}#{link_fragment(citation.locator, line)}"
    return f'[^{label}]: [{name}:{line}]({target}) "{sanitize_markdown(quoted_on_one_line(citation.quote))}"'


def _holding(folder: str | None, root: str) -> str:
    near = folder is not None and (folder + os.sep).startswith(root.rstrip(os.sep) + os.sep)
    return os.path.relpath(root, folder).replace(os.sep, "/") if near else root


def old_block(saved: Saved, name: str) -> str:
    """The block of an answer: the front matter of its file as a line of JSON, then its words and footnotes."""
    front, _, rest = old_answer(saved).removeprefix("---\n").partition("\n---\n")
    lines = front.split("\n")
    head: dict[str, object] = dict(line.partition(": ")[::2] for line in lines if not line.startswith(_SOURCE))
    head |= {"question": saved.answer.question, "roots": json.loads(str(head["roots"]))}
    head["sources"] = [json.loads(line.removeprefix(_SOURCE)) for line in lines if line.startswith(_SOURCE)]
    head.pop("sources:", None)
    stamped_text = rest.partition("\n# ")[2].partition("\n\n")[2].rpartition("\n\n<!-- lens:end ")[0]
    body = _LABEL.sub(rf"[^{name}-\1]", stamped_text)
    return f"<!-- lens:begin {name} {one_line(head)} -->\n{body}\n\n<!-- lens:end {name} -->\n"
