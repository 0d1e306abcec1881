"""Everything that can go wrong on purpose: `LensError` and what is below it.

A file that cannot be *read* is never an error here: it is a :class:`~lens_lsp.model.documents.Skip`, counted and
named in the coverage of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # every command imports the errors, few need the answer
    from lens_lsp.model.answer import StopReason


class LensError(Exception):
    """Base of all our errors. ``str(error)`` is one sentence for the user; ``code`` never changes."""

    code = "lens.error"


class UsageError(LensError):
    """The request makes no sense as put; the message says how to put it."""

    code = "lens.usage"


class PathNotFound(LensError):
    """A path the user named does not exist or cannot be looked at."""

    code = "lens.path-not-found"


class PathRefused(LensError):
    """A path leads outside its root or is neither a plain file nor a folder."""

    code = "lens.path-refused"


class EvaluationError(LensError):
    """A data set, corpus folder or run folder is not what the evaluation protocol needs."""

    code = "lens.evaluation"


class MissingExtra(LensError):
    """An optional package is needed and missing; the message names the command that installs it."""

    code = "lens.missing-extra"


class HostUnusable(LensError):
    """A folder of another machine cannot be searched, and asking again changes nothing; the message says what does."""

    code = "lens.host-unusable"


class BudgetSpent(LensError):
    """A call to an oracle was refused before it was made. ``reason`` says which limit it would have exceeded."""

    code = "lens.budget-spent"

    def __init__(self, reason: StopReason) -> None:
        super().__init__(f"the budget of this question is spent ({reason.value})")
        self.reason = reason


class OracleFailed(LensError):
    """An oracle gave no usable reply; the message says what to do about it."""

    code = "lens.oracle-failed"


class ComputationError(LensError):
    """An expression cannot be computed; the message says which part and why."""

    code = "lens.computation"
