"""What the language server asks of the user: shown to the questions that may wait for it, answered once."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from typing import Any

Tell = Callable[[Mapping[str, object]], None]
"""Tells every question that may wait."""


class Prompts:
    """Those that wait for an answer. On the event loop only."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._open: dict[str, tuple[Mapping[str, object], asyncio.Future[str | None]]] = {}

    @property
    def waiting(self) -> tuple[Mapping[str, object], ...]:
        """As they are told."""
        return tuple(told for told, _ in self._open.values())

    async def put(self, params: Any) -> object:
        """The result of ``window/showMessageRequest``: what the user chose; cancelled when it is taken back."""
        number = secrets.token_hex(8)
        actions = [str(action["title"]) for action in params.get("actions") or ()]
        told = {"type": "consent", "id": number, "message": str(params["message"]), "actions": actions}
        chosen: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._open[number] = (told, chosen)
        self._tell(told)
        try:
            action = await chosen
        finally:
            del self._open[number]
            self._tell({"type": "consent-over", "id": number})
        return {"title": action} if action in actions else None

    def answer(self, number: str, action: str | None) -> bool:
        """The user has chosen, None to close it; False if nobody waits for that."""
        _, chosen = self._open.get(number, (None, None))
        if chosen is None or chosen.done():
            return False
        chosen.set_result(action)
        return True
