"""The JSON shape of a dry run: schema ``lens.dry-run/1``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_lsp.model.answer import Mode

if TYPE_CHECKING:
    from lens_lsp.judge.llm.conversation import Preview

SCHEMA = "lens.dry-run/1"


def preview_json(preview: Preview | None, mode: Mode) -> dict[str, object]:
    """The whole of ``lens ask --dry-run --json``; without a preview the mode calls no model."""
    requests = () if preview is None else preview.requests
    return {
        "schema": SCHEMA,
        "mode": mode.value,
        "endpoint": None if preview is None else preview.endpoint,
        "requests": [
            {
                "stage": stage.value,
                "tokens": prompt.tokens,
                "replyTokens": prompt.reply_tokens,
                "messages": [{"role": message.role.value, "text": message.text} for message in prompt.messages],
            }
            for stage, prompt in requests
        ],
        "sent": [
            {"path": each.path, "root": each.root, "span": [each.span.start, each.span.end]}
            for each in (() if preview is None else preview.sent)
        ],
    }
