"""Blocks as versions before ``.lens/citations.jsonl`` wrote them into notes: read for ever, and written here alone."""

from __future__ import annotations

import json
import re

from lens_lsp.memory.answer_files import Saved, one_line, write_answer

_SOURCE = "  - "
_LABEL = re.compile(r"(?<!\\)\[\^(\d+)\](?!\\)")


def old_block(saved: Saved, name: str) -> str:
    """The block of an answer: the front matter of its file as a line of JSON, then its words and footnotes."""
    front, _, rest = write_answer(saved).removeprefix("---\n").partition("\n---\n")
    lines = front.split("\n")
    head: dict[str, object] = dict(line.partition(": ")[::2] for line in lines if not line.startswith(_SOURCE))
    head |= {"question": saved.answer.question, "roots": json.loads(str(head["roots"]))}
    head["sources"] = [json.loads(line.removeprefix(_SOURCE)) for line in lines if line.startswith(_SOURCE)]
    head.pop("sources:", None)
    stamped = rest.partition("\n# ")[2].partition("\n\n")[2].rpartition("\n\n<!-- lens:end ")[0]
    body = _LABEL.sub(rf"[^{name}-\1]", stamped)
    return f"<!-- lens:begin {name} {one_line(head)} -->\n{body}\n\n<!-- lens:end {name} -->\n"
