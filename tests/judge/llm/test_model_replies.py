"""Replies are read to the end or refused, however they are cut into parts and whatever stands in them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.llm.chat_model import MOST_WHOLE, ChatReply, ModelError, ModelFailure
from lens_lsp.judge.llm.openai_client import EventStream, media_type, whole_reply
from tests.judge.llm.chat_wire import completion, delta

ORIGIN = "http://localhost:1"


def read(*parts: bytes) -> ChatReply:
    """A stream in parts; its pieces must make up its reply."""
    events = EventStream(ORIGIN, None)
    texts: list[str] = []
    for part in parts:
        texts += events.feed(part)
    texts += events.end()
    reply = events.reply()
    assert "".join(texts) == reply.text
    return reply


def stream(*events: object, ending: str = "\n\n") -> bytes:
    lines = (event if isinstance(event, str) else json.dumps(event) for event in events)
    return "".join(f"data: {line}{ending}" for line in lines).encode()


GOOD = stream(
    delta("Grüße "), delta("🙂 "), delta("end", "stop"), {"choices": [], "usage": {"prompt_tokens": 3}}, "[DONE]"
)


@given(st.lists(st.integers(0, len(GOOD)), max_size=12))
def test_the_cuts_of_the_network_change_nothing(cuts: list[int]) -> None:
    at = [0, *sorted(cuts), len(GOOD)]
    parts = [GOOD[start:end] for start, end in pairwise(at)]
    assert read(*parts) == ChatReply("Grüße 🙂 end", tokens_in=3)


@pytest.mark.parametrize("ending", ["\n\n", "\r\n\r\n"])
def test_comments_other_fields_and_both_line_ends_are_understood(ending: str) -> None:
    data = b": hello\n\nevent: x\nid: 3\nretry: 5\n" + stream(delta("ok", "stop"), "[DONE]", ending=ending)
    assert read(data).text == "ok"


def test_an_event_may_have_several_lines_and_no_space() -> None:
    assert read(b'data:{"choices":\ndata: [{"delta": {"content": "ok"}, "finish_reason": "stop"}]}\n\n').text == "ok"


def test_an_end_mark_without_an_empty_line_counts() -> None:
    assert read(stream(delta("ok")) + b"data: [DONE]").text == "ok"


def test_nothing_after_the_end_mark_counts() -> None:
    assert read(stream(delta("ok"), "[DONE]", delta(" not this"))).text == "ok"


@given(st.integers(1, len(stream(delta("Grüße "), delta("end", "stop"))) - 3))
def test_a_stream_that_is_cut_before_its_end_is_never_taken_for_a_reply(at: int) -> None:
    with pytest.raises(ModelError) as caught:
        read(stream(delta("Grüße "), delta("end", "stop"))[:at])
    assert caught.value.failure in (ModelFailure.CUT_OFF, ModelFailure.UNREADABLE)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["choices", "delta", "message", "content", "finish_reason", "usage", "error", "text", "tool_calls", "refusal"]
    ), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_any_json_is_a_reply_or_a_typed_failure(value: Any) -> None:
    for take in (lambda: whole_reply(json.dumps(value).encode(), ORIGIN, None), lambda: read(stream(value, "[DONE]"))):
        try:
            assert take().text.strip()
        except ModelError:
            continue


@given(st.binary(max_size=200))
def test_any_bytes_are_a_reply_or_a_typed_failure(data: bytes) -> None:
    for take in (lambda: whole_reply(data, ORIGIN, None), lambda: read(data), lambda: read(b"data: " + data + b"\n\n")):
        with pytest.raises(ModelError):
            take()


@given(st.text(max_size=40), st.text(max_size=200))
def test_any_content_type_is_accepted_or_refused(header: str, more: str) -> None:
    for value in (header, f"application/json;{more}", f"text/event-stream; charset={more}"):
        try:
            assert media_type(value, ORIGIN) in ("application/json", "text/event-stream")
        except ModelError:
            continue


def test_half_a_character_of_utf_16_never_enters() -> None:
    body = completion("x").replace(b'"x"', b'"a\\ud800b \\ud83d\\ude42"')
    assert whole_reply(body, ORIGIN, None).text == "a\ufffdb 🙂"


def test_content_in_parts_is_joined() -> None:
    content = [{"type": "text", "text": "one "}, {"type": "image"}, 7, {"type": "text", "text": "two"}]
    assert whole_reply(completion(content), ORIGIN, None).text == "one two"


@pytest.mark.parametrize("usage", [None, 5, {}, {"prompt_tokens": -1}, {"prompt_tokens": True}, {"prompt_tokens": "9"}])
def test_usage_that_cannot_be_is_none(usage: object) -> None:
    body = json.loads(completion("x")) | {"usage": usage}
    assert whole_reply(json.dumps(body).encode(), ORIGIN, None).tokens_in is None


def read_all(parts: Iterable[bytes]) -> None:
    events = EventStream(ORIGIN, None)
    for part in parts:
        assert not list(events.feed(part))


def test_an_event_without_end_is_refused_before_it_is_held() -> None:
    block = b"data: " + b"x" * 65_536
    with pytest.raises(ModelError) as caught:
        read_all(block for _ in range(2 * MOST_WHOLE // len(block)))
    assert caught.value.failure is ModelFailure.TOO_LARGE


def test_a_text_that_no_reply_has_is_refused_before_it_is_held() -> None:
    piece = stream(delta("x" * 50_000))
    with pytest.raises(ModelError) as caught:
        read(*[piece] * (2 * MOST_WHOLE // 50_000))
    assert caught.value.failure is ModelFailure.TOO_LARGE


def test_data_lines_without_end_are_refused_before_they_are_held() -> None:
    with pytest.raises(ModelError) as caught:
        read_all(b"data: " + b"x" * 1_000 + b"\n" for _ in range(2 * MOST_WHOLE // 1_000))
    assert caught.value.failure is ModelFailure.TOO_LARGE


REPOSITORY = Path(__file__).resolve().parents[2]
MODEL_PACKAGES = ("openai", "httpx2", "httpcore2", "anyio")


def loaded(code: str, *arguments: str) -> list[str]:
    """Which packages of the model's door a new interpreter has loaded after some code."""
    code += f"\nimport json, sys; print(json.dumps([name for name in {MODEL_PACKAGES!r} if name in sys.modules]))"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "code",
    [
        "import lens_lsp; lens_lsp.Lens; lens_lsp.LensError",
        "import lens_lsp.judge.llm.chat_model, lens_lsp.judge.llm.endpoint",
        "from lens_lsp.judge.llm.openai_client import OpenAIChat; OpenAIChat('http://localhost:11434', 'any', 'key')",
    ],
)
def test_naming_a_model_loads_no_sdk(code: str) -> None:
    assert loaded(code) == []


def test_asking_without_a_model_loads_no_sdk(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("The harbour of Lisbon opened in 1887.\n")
    code = "import sys; from lens_lsp.cli import main; code = main(sys.argv[1:]); assert code in (0, 1), code"
    assert loaded(code, "ask", "When did the harbour of Lisbon open?", str(tmp_path), "--mode", "evidence") == []


def test_the_first_call_loads_it() -> None:
    code = """
import asyncio
from lens_lsp.judge.llm.chat_model import ChatRequest, Message, ModelError, Role
from lens_lsp.judge.llm.openai_client import OpenAIChat
try:
    asyncio.run(OpenAIChat("http://127.0.0.1:9", "any").complete(ChatRequest((Message(Role.USER, "x"),), 5)))
except ModelError:
    pass
"""
    assert loaded(code) == list(MODEL_PACKAGES)
