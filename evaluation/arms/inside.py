"""What a run has to know of an arm, whatever arms lie around it: whose vectors it uses, whether a program answers."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from evaluation.arms.answering import ChatArm
from evaluation.arms.base import Arm
from evaluation.arms.lens import AskingArm
from evaluation.arms.rag import PassageArm, PassageIndex, Rag


@runtime_checkable
class Around(Protocol):
    """An arm around another one."""

    @property
    def arm(self) -> Arm:
        """The other one."""


def embedding_of(arm: Arm) -> str | None:
    """The model that makes an arm's vectors and where it is, as a run is bound to them; None without vectors."""
    index = _index(arm)
    if index is None or index.embedder is None:
        return None
    return f"{index.embedder.name} at {index.embedder.endpoint or 'this process'}"


def indexed_tokens(arm: Arm) -> int:
    """Tokens that an endpoint was sent for the vectors of an arm's index, whenever that was."""
    index = _index(arm)
    return 0 if index is None else index.tokens


def asks_a_program(arm: Arm) -> bool:
    """Whether its chat model is reached nowhere: then it is a part of this process, and no model."""
    inner = _innermost(arm)
    factory = inner.factory if isinstance(inner, AskingArm | ChatArm) else None
    model = None if factory is None else factory.model
    return model is not None and model.endpoint is None


def _index(arm: Arm) -> PassageIndex | None:
    inner = _innermost(arm)
    if isinstance(inner, PassageArm):
        return inner.index
    return inner.way.index if isinstance(inner, ChatArm) and isinstance(inner.way, Rag) else None


def _innermost(arm: Arm) -> Arm:
    while isinstance(arm, Around):
        arm = arm.arm
    return arm
