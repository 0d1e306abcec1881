"""``lens ask --dry-run``: what would be sent to a model, with no connection made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_lsp.cli.account import some
from lens_lsp.cli.terminal import printable, printable_path, put, put_json
from lens_lsp.domain.answer import Mode

if TYPE_CHECKING:
    from lens_lsp.lens import Lens
    from lens_lsp.memory import Memory
    from lens_lsp.models.openai import OpenAIChat
    from lens_lsp.oracle.ledger import Budget
    from lens_lsp.oracle.preview import Preview

_LATER = "What follows depends on the replies: more passages in further rounds, and the proof to word the answer from."


async def preview_of(
    lens: Lens,
    question: str,
    model: OpenAIChat,
    mode: Mode,
    budget: Budget,
    *,
    seed: int,
    memory: Memory | None,
    thread: str | None,
) -> Preview:
    """Search with an oracle that writes down what it would send; ``memory`` must keep nothing."""
    from lens_lsp.oracle.chat import ChatOracle
    from lens_lsp.oracle.preview import Preview

    preview = Preview(ChatOracle(model, mode))
    async for _ in lens.ask(
        question, mode=mode, seed=seed, budget=budget, oracle=preview, memory=memory, thread=thread
    ):
        pass
    return preview


def put_nothing(mode: Mode, *, machine: bool) -> None:
    """Print that a mode sends nothing."""
    if machine:
        put_json(_document(mode, None, [], []))
    else:
        put(f"Nothing would be sent: mode {mode.value} calls no model.\n")


def put_preview(preview: Preview, model: OpenAIChat, mode: Mode, *, machine: bool) -> None:
    """Print the requests, and the spans of documents that are in them."""
    if machine:
        requests: list[object] = [
            {
                "stage": stage.value,
                "tokens": prompt.tokens,
                "replyTokens": prompt.reply_tokens,
                "messages": [{"role": message.role.value, "text": message.text} for message in prompt.messages],
            }
            for stage, prompt in preview.requests
        ]
        sent: list[object] = [
            {"path": each.path, "root": each.root, "span": [each.span.start, each.span.end]} for each in preview.sent
        ]
        put_json(_document(mode, model.endpoint, requests, sent))
        return
    put(_as_text(preview, model, mode))


def _document(mode: Mode, endpoint: str | None, requests: list[object], sent: list[object]) -> dict[str, object]:
    return {
        "schema": "lens.dry-run/1",
        "mode": mode.value,
        "endpoint": endpoint,
        "requests": requests,
        "sent": sent,
    }


def _as_text(preview: Preview, model: OpenAIChat, mode: Mode) -> str:
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
