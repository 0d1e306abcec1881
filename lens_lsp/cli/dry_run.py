"""``lens ask --dry-run``: what would be sent to a model, told; no connection is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_lsp.cli.account import some
from lens_lsp.cli.terminal import printable, printable_path, put, put_json
from lens_lsp.model.answer import Mode
from lens_lsp.schema.answer import preview_json

if TYPE_CHECKING:
    from lens_lsp.judge.llm.preview import Preview

_LATER = "What follows depends on the replies: more passages in further rounds, and the proof to word the answer from."


def put_preview(preview: Preview | None, mode: Mode, *, machine: bool) -> None:
    """Print the requests, and the spans of documents that are in them; without a preview nothing is sent."""
    if machine:
        put_json(preview_json(preview, mode))
    elif preview is None:
        put(f"Nothing would be sent: mode {mode.value} calls no model.\n")
    else:
        put(_as_text(preview, mode))


def _as_text(preview: Preview, mode: Mode) -> str:
    model = preview.chat.model
    lines = [
        f"Nothing was sent. In mode {mode.value}, {model.endpoint} (model {printable_path(model.name)}) would get:"
    ]
    for number, (stage, prompt) in enumerate(preview.requests, 1):
        lines += ["", f"Request {number}: {stage.value}, about {some(prompt.tokens, 'token')}"]
        for message in prompt.messages:
            lines += [f"  {message.role.value}:", *(f"    {line}" for line in printable(message.text).split("\n"))]
    lines += ["", f"Of documents, {some(len(preview.sent), 'span')} (code points):"]
    lines += [f"  {printable_path(each.path)} {each.span.start}–{each.span.end}" for each in preview.sent]
    return "\n".join([*lines, "", _LATER]) + "\n"
