"""The fast share of the harness about a disk that is slow or hangs, with the control that shows that it can fail."""

from __future__ import annotations

import pytest

from tests.availability import unavailable
from tests.soak import slow_disk
from tests.soak.faulty_disk import Unmountable
from tests.soak.slow_disk import Tally

pytestmark = pytest.mark.long

ONE_HANGS = 2
"""A seed by which one file hangs."""


def tried(asks: int, *, inline: bool = False) -> Tally:
    try:
        return slow_disk.run(asks, ONE_HANGS, inline=inline)
    except Unmountable as error:
        unavailable("mount", str(error))


def test_a_question_over_a_disk_that_hangs_ends_with_what_was_read() -> None:
    tally = tried(4)
    assert tally.wrong == []
    assert dict(tally.asked) == {"slow": 1, "hanging": 1, "cancelled": 1, "sound": 1}
    assert (tally.hung, tally.named, tally.partial) == (0, 1, 1)


def test_a_server_that_reads_where_it_handles_messages_does_not_pass() -> None:
    assert tried(1, inline=True).wrong != []
