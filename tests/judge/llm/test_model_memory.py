"""A reply without end costs no memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.judge.llm.attempts import EXPECTED
from tests.judge.llm.chat_faults import Fault

REPOSITORY = Path(__file__).resolve().parents[2]
MOST_GROWTH = 5_000_000

# Peak memory of a process of its own, after good calls have made everything that stays.
MEASURED = """
import asyncio, json, sys
from resource import RUSAGE_SELF, getrusage
from tests.judge.llm.attempts import asking, attempt, whole
from tests.judge.llm.chat_faults import Fault, _bomb
from tests.judge.llm.chat_server import ChatServer
from lens_lsp.judge.llm.openai_client import OpenAIChat

UNIT = 1 if sys.platform == "darwin" else 1024

async def run(fault):
    async with ChatServer("x" * 200_000) as server:
        _bomb()
        for stream in (False, True):
            server.fault = None
            await whole(OpenAIChat(server.base_url, "any"), asking(60), stream=stream)
            await attempt(server, Fault.WEB_PAGE, stream=stream)
        before = getrusage(RUSAGE_SELF).ru_maxrss * UNIT
        outcomes = [await attempt(server, fault, stream=stream) for stream in (False, True) for _ in range(3)]
        after = getrusage(RUSAGE_SELF).ru_maxrss * UNIT
    failures = sorted({outcome.failure or outcome.shown for outcome in outcomes})
    print(json.dumps({"growth": after - before, "failures": failures, "closed": all(o.closed for o in outcomes)}))

asyncio.run(run(Fault(sys.argv[1])))
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read the POSIX way")
@pytest.mark.parametrize("fault", [Fault.ENDLESS, Fault.ENDLESS_EVENTS, Fault.GZIP_BOMB], ids=str)
def test_memory_stays_bounded(fault: Fault) -> None:
    command = [sys.executable, "-c", MEASURED, fault]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120)
    told = json.loads(done.stdout)
    assert told["growth"] < MOST_GROWTH
    assert told["closed"]
    assert told["failures"] == sorted(EXPECTED[fault])
