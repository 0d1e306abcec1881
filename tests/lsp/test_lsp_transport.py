"""Messages out of bytes: what the headers may look like, what breaks the framing, and every bound to the byte."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.lsp import transport
from lens_lsp.lsp.transport import LARGEST, BrokenFraming, TooLarge, read_message


def broken(data: bytes) -> str:
    with pytest.raises(BrokenFraming) as caught:
        read_message(io.BytesIO(data))
    return str(caught.value)


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_bodies_come_whole_and_in_order(bodies: list[bytes]) -> None:
    stream = io.BytesIO(b"".join(b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies))
    assert [read_message(stream) for _ in bodies] == bodies
    assert read_message(stream) is None


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length:2\r\n\r\n",
        b"CONTENT-LENGTH :  2 \n\n",
        b"\r\n\r\nContent-Length: 2\r\n\r\n",
        b"Content-Type: a:b\r\nContent-Length: 2\r\nX:\r\n\r\n",
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 000000000002\r\n\r\n",
    ],
)
def test_a_head_that_gives_a_length(head: bytes) -> None:
    stream = io.BytesIO(head + b"{}rest")
    assert read_message(stream) == b"{}"
    assert stream.read() == b"rest"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"Content-Length: 3\r\n\r\n{}", "the stream ended inside a message"),
        (b"Content-Length: 3\r\n", "the stream ended inside the headers"),
        (b"Content-Length: 3", "a header line is too long or was cut off"),
        (b"X: 3\r\n\r\n", "headers without Content-Length"),
        (b"Content-Length 3\r\n\r\n", "a header line without a colon"),
        (b"Content-Length: 0000000000003\r\n\r\n", "Content-Length is no number of at most 12 digits"),
        (b"Content-Length: -1\r\n\r\n", "Content-Length is no number of at most 12 digits"),
        (b"Content-Length: \r\n\r\n", "Content-Length is no number of at most 12 digits"),
        (b"Content-Length: 2:\r\n\r\n{}", "Content-Length is no number of at most 12 digits"),
        (b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "two different values of Content-Length"),
        (b"Content-Length: %d\r\n\r\nshort" % (LARGEST + 1), "the stream ended inside a message"),
    ],
)
def test_what_breaks_the_framing_says_how(data: bytes, why: str) -> None:
    assert broken(data) == why


def test_the_bounds_of_headers_are_exact() -> None:
    line, head = transport._LONGEST_LINE, transport._LONGEST_HEAD
    longest = b"X:" + b"a" * (line - 3) + b"\n"
    assert read_message(io.BytesIO(longest + b"Content-Length: 0\n\n")) == b""
    assert broken(b"X:" + b"a" * (line - 2) + b"\nContent-Length: 0\n\n") == "a header line is too long or was cut off"
    fitting = longest * (head // line - 1)
    rest = head - len(fitting) - len(b"Content-Length: 0\n")
    last = b"Y:" + b"b" * (rest - 3) + b"\n"
    assert read_message(io.BytesIO(fitting + last + b"Content-Length: 0\n\n")) == b""
    assert broken(fitting + b"Y" + last + b"Content-Length: 0\n\n") == "the headers are too long"


class Counting(io.BytesIO):
    """A stream that gives zeros without end and remembers the most that was asked for at once."""

    most = 0

    def read(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        self.most = max(self.most, size)
        return bytes(size)


def test_a_message_beyond_the_bound_is_drained_in_small_pieces_and_not_kept() -> None:
    stream = Counting(b"Content-Length: %d\r\n\r\n" % (LARGEST + 1))
    assert read_message(stream) == TooLarge(LARGEST + 1)
    assert stream.most == transport._CHUNK
    at_the_bound = Counting(b"Content-Length: %d\r\n\r\n" % LARGEST)
    assert read_message(at_the_bound) == bytes(LARGEST)
