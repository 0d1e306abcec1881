"""Calls every fault that an endpoint may have, round after round, whole and as a stream.

``python -m tests.soak.model_faults --rounds 100`` makes 16 kinds x 100 calls of E04 and E05, then the other kinds, and
prints one JSON line for each lot. It exits with 1 if one outcome is not the typed one that must come, is later than
250 ms after its deadline, leaves a connection open, or if memory grew by 5 MB. It also exits with 1 if the SDK on its
own, without our transport, took all of the control's faults rightly: then the faults are too weak to prove anything.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import time

import openai

from lens_lsp.judge.llm.openai_client import OpenAIChat
from tests.judge.llm.attempts import OVERRUN, Outcome, asking, attempt, whole
from tests.judge.llm.chat_faults import SIXTEEN, Fault
from tests.judge.llm.chat_server import ChatServer

MOST_GROWTH = 5_000_000
CONTROL = (Fault.CUT_STREAM, Fault.NO_FINISH, Fault.WEB_PAGE, Fault.NO_CONTENT, Fault.INVALID_JSON, Fault.REDIRECT)
CONTROL_SECONDS = 3.0


def resident() -> int:
    """Bytes of memory in use now; 0 where the system does not tell."""
    gc.collect()
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


async def lot(name: str, faults: tuple[Fault, ...], rounds: int) -> dict[str, object]:
    """All calls of some kinds; the memory is compared after a first round has made everything that stays."""
    outcomes: list[Outcome] = []
    led_astray = 0
    started = time.monotonic()
    before = 0
    async with ChatServer("There.") as elsewhere, ChatServer("x" * 200_000, elsewhere=elsewhere.base_url) as server:
        for stream in (False, True):
            server.fault = None
            await whole(OpenAIChat(server.base_url, "any"), asking(60.0), stream=stream)  # 40,000 events
            for fault in faults:
                await attempt(server, fault, stream=stream)
        before = resident()
        for number in range(rounds):
            outcomes += [await attempt(server, fault, stream=number % 2 == 1) for fault in faults]
            server.requests.clear()
        led_astray = elsewhere.connections
    untyped = [outcome for outcome in outcomes if not outcome.typed]
    return {
        "figure": name,
        "n": len(outcomes),
        "bad": len(untyped),
        "late": sum(outcome.overrun > OVERRUN for outcome in outcomes),
        "worst_overrun_ms": round(1000 * max(outcome.overrun for outcome in outcomes)),
        "left_open": sum(not outcome.closed for outcome in outcomes),
        "led_astray": led_astray,
        "growth_mb": round((resident() - before) / 1e6, 1),
        "seconds": round(time.monotonic() - started, 1),
        "first_bad": f"{untyped[0].fault}: {untyped[0].shown}" if untyped else None,
    }


async def control() -> int:
    """How many of the control's faults the SDK alone takes for a good end, or answers with an error of its innards."""
    mishandled = 0
    async with ChatServer("There.") as elsewhere, ChatServer(elsewhere=elsewhere.base_url) as server:
        client = openai.AsyncOpenAI(api_key="none", base_url=server.base_url, max_retries=0, timeout=2.0)
        for fault in CONTROL:
            server.fault = fault
            try:
                async with asyncio.timeout(CONTROL_SECONDS):
                    stream = await client.chat.completions.create(
                        model="any", messages=[{"role": "user", "content": "x"}], stream=True
                    )
                    _ = [chunk async for chunk in stream]
                mishandled += 1
            except openai.OpenAIError:
                continue
            except (TimeoutError, ValueError, AttributeError):
                mishandled += 1
        await client.close()
    return mishandled


def good(row: dict[str, object]) -> bool:
    grown = row["growth_mb"]
    spared = isinstance(grown, float) and grown * 1e6 < MOST_GROWTH
    return spared and not any(row[name] for name in ("bad", "late", "left_open", "led_astray"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Calls endpoints with every fault.")
    parser.add_argument("--rounds", type=int, default=100)
    rounds: int = parser.parse_args().rounds
    others = tuple(fault for fault in Fault if fault not in SIXTEEN)
    rows = [asyncio.run(lot("model-faults", SIXTEEN, rounds)), asyncio.run(lot("model-faults-more", others, rounds))]
    mishandled = asyncio.run(control())
    for row in rows:
        print(json.dumps(row | {"control_mishandled": mishandled, "control_n": len(CONTROL)}))
    return 0 if all(map(good, rows)) and mishandled else 1


if __name__ == "__main__":
    sys.exit(main())
