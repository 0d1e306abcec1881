"""How much a model takes is asked of the servers that say so, quickly, and assumed safely of those that do not."""

from __future__ import annotations

import asyncio
import time

import pytest

from lens_lsp.judge.llm.openai_client import LOCAL_CONTEXT, OLLAMA_CONTEXT, OpenAIChat
from tests.judge.llm.attempts import KEY
from tests.judge.llm.chat_server import ChatServer


def probed(routes: dict[str, object], *, name: str = "m", told: int | None = None) -> tuple[int, ChatServer]:
    async def run() -> tuple[int, ChatServer]:
        async with ChatServer(routes=routes) as server:
            model = OpenAIChat(server.base_url, name, KEY, context_tokens=told)
            size = await model.probe()
            assert model.context_tokens == size
            await server.idle()
            return size, server

    return asyncio.run(run())


N_CTX = {"default_generation_settings": {"n_ctx": 8_192}}
TRAINED = {"model_info": {"general.name": "m", "qwen3.context_length": 40_960}}


@pytest.mark.parametrize(
    ("routes", "size"),
    [
        ({"/v1/models": {"data": [{"id": "m", "max_model_len": 32_768}]}}, 32_768),
        ({"/v1/models": {"data": [{"id": "other", "max_model_len": 9_000}]}}, LOCAL_CONTEXT),
        ({"/v1/models": {"data": [{"id": "m", "context_length": 131_072}]}}, 131_072),
        ({"/props": N_CTX}, 8_192),
        ({"/api/v0/models": {"data": [{"id": "m", "loaded_context_length": 6_000}]}}, 6_000),
        ({"/api/show": TRAINED, "/api/ps": {"models": []}}, OLLAMA_CONTEXT),
        ({"/api/show": TRAINED | {"parameters": "stop x\nnum_ctx                        16384\n"}}, 16_384),
        ({"/api/show": TRAINED | {"parameters": "num_ctx 99999"}}, 40_960),
        ({"/api/show": TRAINED, "/api/ps": {"models": [{"name": "m:latest", "context_length": 12_000}]}}, 12_000),
        ({"/api/show": {"model_info": {"bert.context_length": 512}}}, 512),
        (
            {"/v1/models": {"data": [{"id": "m", "meta": {"n_ctx": 8_192, "n_ctx_train": 40_960}}]}},
            8_192,
        ),
        (
            {
                "/api/v0/models": {"data": [{"id": "other"}, {"id": "m", "loaded_context_length": 12_288}]},
                "/v1/models": {"data": [{"id": "m"}]},
            },
            12_288,
        ),
        ({}, LOCAL_CONTEXT),
        (
            {"/v1/models": [1], "/props": 5, "/api/show": {"model_info": 3}, "/api/v0/models": {"data": 7}},
            LOCAL_CONTEXT,
        ),
        ({"/v1/models": {"data": [{"id": "m", "max_model_len": -5}]}}, LOCAL_CONTEXT),
    ],
)
def test_the_size_in_force_is_found(routes: dict[str, object], size: int) -> None:
    assert probed(routes)[0] == size


SMALL, LARGE = 134_515_008, 8_190_735_360


@pytest.mark.parametrize(
    ("routes", "small"),
    [
        ({"/api/show": {"model_info": {"general.parameter_count": SMALL}}}, True),
        ({"/api/show": {"model_info": {"general.parameter_count": LARGE}}}, False),
        ({"/api/show": {"model_info": {"general.parameter_count": "134M"}}}, False),
        ({"/props": N_CTX, "/v1/models": {"data": [{"id": "a.gguf", "meta": {"n_params": SMALL}}]}}, True),
        ({"/props": N_CTX, "/v1/models": {"data": [{"id": "a.gguf", "meta": {"n_params": LARGE}}]}}, False),
        ({"/props": N_CTX, "/v1/models": {"data": [{"meta": {"n_params": SMALL}}, {"id": "b"}]}}, False),
        ({"/v1/models": {"data": [{"id": "m", "meta": {"n_params": SMALL}}]}}, True),
        ({}, False),
    ],
)
def test_a_small_model_is_one_whose_server_says_so(routes: dict[str, object], small: bool) -> None:
    async def run() -> bool:
        async with ChatServer(routes=routes) as server:
            model = OpenAIChat(server.base_url, "m", KEY)
            assert not model.small
            await model.probe()
            return model.small

    assert asyncio.run(run()) is small


def test_a_server_of_several_models_is_not_made_to_load_one() -> None:
    _, server = probed({"/props": N_CTX}, name="a model/of:mine")
    assert [request.path for request in server.requests][1] == "/props?model=a+model%2Fof%3Amine&autoload=false"


def test_what_an_unloaded_model_could_hold_is_no_promise() -> None:
    unloaded = {"id": "m", "state": "not-loaded", "max_context_length": 131_072}
    assert probed({"/api/v0/models": {"data": [unloaded]}})[0] == LOCAL_CONTEXT
    assert probed({"/v1/models": {"data": [{"id": "m", "meta": {"n_ctx_train": 131_072}}]}})[0] == LOCAL_CONTEXT


def test_what_the_user_says_is_not_asked() -> None:
    size, server = probed({"/v1/models": {"data": [{"id": "m", "max_model_len": 32_768}]}}, told=5_000)
    assert (size, server.connections) == (5_000, 0)


def test_only_the_name_of_the_model_is_sent() -> None:
    _, server = probed({})
    assert {request.body for request in server.requests} == {b"", b'{"model":"m"}'}


@pytest.mark.long
def test_a_silent_server_costs_the_short_deadline_only() -> None:
    async def run() -> float:
        async with ChatServer() as server:
            server.silent = True
            model = OpenAIChat(server.base_url, "m")
            started = time.monotonic()
            assert await model.probe(0.2) == LOCAL_CONTEXT
            await server.idle()
            return time.monotonic() - started

    assert asyncio.run(run()) < 0.45


def test_no_server_at_all_is_no_error() -> None:
    async def port() -> int:
        async with ChatServer() as server:
            return server.port

    assert asyncio.run(OpenAIChat(f"http://127.0.0.1:{asyncio.run(port())}", "m").probe()) == LOCAL_CONTEXT
