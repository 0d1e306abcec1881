"""What leaves in place of a text: no secrets, nothing unseen, and a way back for every quote."""

from __future__ import annotations

import base64
import json
import random
import string
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.redaction import redacted
from lens_lsp.judge.secret_shapes import secrets
from lens_lsp.model.text import Span

SAMPLES = 100
_WORD = string.ascii_letters + string.digits
_URL = _WORD + "_-"


def _some(rng: random.Random, alphabet: str, least: int, most: int | None = None) -> str:
    """Letters, a digit always among them."""
    size = rng.randint(least, most or least)
    text = [rng.choice(alphabet) for _ in range(size)]
    if set(alphabet) & set(string.digits):
        text[size // 2] = rng.choice("23456789")
    if set(string.ascii_lowercase) <= set(alphabet):
        text[0], text[1] = rng.choice(string.ascii_lowercase), rng.choice(string.ascii_uppercase)
    return "".join(text)


def _part(rng: random.Random, claims: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


def _jwt(rng: random.Random) -> str:
    return f"{_part(rng, {'alg': 'HS256'})}.{_part(rng, {'sub': _some(rng, _WORD, 8)})}.{_some(rng, _URL, 43)}"


def _pem(rng: random.Random) -> str:
    kind = rng.choice(("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""))
    body = "\n".join(_some(rng, _WORD + "+/", 64) for _ in range(rng.randint(3, 25)))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


_UPPER = string.ascii_uppercase + "234567"
MAKE: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "private-key": lambda r: ("{}", _pem(r)),
    "aws-key": lambda r: ("key id {}", r.choice(("AKIA", "ASIA")) + _some(r, _UPPER, 16)),
    "aws-secret": lambda r: (
        r.choice(("aws_secret_access_key = {}", 'AWS_SECRET_ACCESS_KEY="{}"', "secret access key: {}")),
        _some(r, _WORD + "/+", 40),
    ),
    "github": lambda r: (
        "{}",
        r.choice((f"gh{r.choice('pousr')}_" + _some(r, _WORD, 36), "github_pat_" + _some(r, _WORD + "_", 82))),
    ),
    "gitlab": lambda r: ("{}", "glpat-" + _some(r, _URL, 20)),
    "slack": lambda r: ("{}", f"xox{r.choice('bpoas')}-{_some(r, string.digits, 11)}-{_some(r, _WORD, 24)}"),
    "jwt": lambda r: ("{}", _jwt(r)),
    "anthropic": lambda r: ("{}", "sk-ant-api03-" + _some(r, _URL, 93)),
    "openai": lambda r: ("{}", r.choice(("sk-", "sk-proj-", "sk-svcacct-")) + _some(r, _WORD, 48)),
    "google": lambda r: (
        "{}",
        r.choice(("AIza" + _some(r, _URL, 35), "GOCSPX-" + _some(r, _URL, 28), "ya29." + _some(r, _URL, 60))),
    ),
    "stripe": lambda r: ("{}", f"{r.choice(('sk', 'rk'))}_{r.choice(('live', 'test'))}_{_some(r, _WORD, 24, 99)}"),
    "twilio": lambda r: ("{}", "SK" + _some(r, "0123456789abcdef", 32)),
    "sendgrid": lambda r: ("{}", f"SG.{_some(r, _URL, 22)}.{_some(r, _URL, 43)}"),
    "npm": lambda r: ("{}", "npm_" + _some(r, _WORD, 36)),
    "pypi": lambda r: ("{}", "pypi-AgEIcHlwaS5vcmc" + _some(r, _URL, 150)),
    "huggingface": lambda r: ("{}", "hf_" + _some(r, string.ascii_letters, 34)),
    "telegram": lambda r: ("{}", f"{_some(r, string.digits, 10)}:AA{_some(r, _URL, 32)}x"),
    "azure": lambda r: ("AccountName=n;AccountKey={};EndpointSuffix=x", _some(r, _WORD + "+/", 86) + "=="),
    "url-password": lambda r: ("postgres://admin:{}@db.internal:5432/app", _some(r, _WORD, 10, 30)),
    "password": lambda r: (
        r.choice(("password: {}", "API_KEY={}", 'client_secret = "{}"', "`token`: Bearer {}", "'passwd' => '{}'")),
        _some(r, _WORD, 24),
    ),
}
KINDS = tuple(MAKE)
FRAMES = ("{}", "The one to use is {}, says the page.", "export X={}", "- old: `{}`\n", "密钥是{}。", '{{"v": "{}"}}')


def samples(kind: str) -> Iterator[tuple[str, str]]:
    """Texts and the secrets in them."""
    rng = random.Random(kind)
    for _ in range(SAMPLES):
        announced, secret = MAKE[kind](rng)
        frame = "{}" if announced != "{}" or kind == "private-key" else rng.choice(FRAMES)
        yield frame.format(announced.format(secret)), secret


@pytest.mark.parametrize("kind", KINDS)
def test_secrets_of_every_kind_are_taken_out(kind: str) -> None:
    missed = [text for text, secret in samples(kind) if secret in redacted(text).text]
    assert len(missed) <= SAMPLES // 100, missed[:3]


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_characters_do_not_hide_a_secret(kind: str) -> None:
    for text, secret in list(samples(kind))[:20]:
        veiled = "\u200b".join(secret)
        assert redacted(text.replace(secret, veiled)).kinds, veiled


def test_the_middle_of_a_private_key_is_one_too() -> None:
    key = _pem(random.Random(7)).split("\n")
    middle = "\n".join(key[1:4])
    assert middle not in redacted(f"before\n{middle}\nafter").text


def test_ordinary_documents_are_left_alone(data_dir: Path) -> None:
    lines = wrong = 0
    for corpus in ("cpp-docs", "rust-book", "rust-rfcs", "tldr-en"):
        for text in texts(data_dir, corpus):
            lines += text.count("\n") + 1
            wrong += sum(text.count("\n", span.start, span.end) + 1 for span, _ in secrets(text))
    assert lines > 20_000
    assert wrong <= lines / 1_000


def texts(data_dir: Path, workspace: str) -> Iterator[str]:
    """Documents of a workspace of the data, at most a few megabytes."""
    size = 0
    with tarfile.open(data_dir / "workspaces" / f"{workspace}.tar.xz", "r|xz") as archive:
        for member in archive:
            handle = archive.extractfile(member) if member.isfile() else None
            if handle is None:
                continue
            text = handle.read().decode("utf-8", "replace")
            size += len(text)
            yield text
            if size > 2_000_000:
                return


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed it",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "The password must have 8 characters.",
        "http://user:password@host/ is the form",
        "ask-me-anything-about-sk-learn-and-more",
        "secret: see the other page",
    ],
)
def test_what_only_looks_long_is_no_secret(text: str) -> None:
    assert redacted(text).text == text


def test_the_same_secret_has_the_same_number_everywhere() -> None:
    numbers: dict[str, int] = {}
    one, other = "ghp_" + "a1B2" * 9, "ghp_" + "c3D4" * 9
    assert redacted(f"{one} {other}", numbers).text == "[[SECRET:github:1]] [[SECRET:github:2]]"
    assert redacted(other, numbers).text == "[[SECRET:github:2]]"


def test_a_quote_comes_back_in_the_words_of_the_source() -> None:
    source = f"The ga\u200bte opens at ni\u202ene. Key: ghp_{'a1B2' * 9}. Then it closes."
    shown = redacted(source)
    assert shown.text == "The gate opens at nine. Key: [[SECRET:github:1]]. Then it closes."
    assert shown.unredacted("gate opens at nine") == "ga\u200bte opens at ni\u202ene"
    assert shown.unredacted("Then it closes.") == "Then it closes."
    for touching in ("Key: [[SECRET:github:1]]", "SECRET:github", "]]. Then", "key: [[secret:github:1]]"):
        assert shown.unredacted(touching) is None
    assert shown.unredacted("It never stood here") == "It never stood here"


_PARTS = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="\u200b\u200d\u202e\u2066\ufeff\U000e0041\ufe0f\x1b", max_size=3),
    st.sampled_from(["ghp_" + "a1B2" * 9, " AKIA" + "ABCD2345" * 2 + " ", "hf_" + "abcdeFGHIJ" * 4, " "]),
)


@given(st.lists(_PARTS, max_size=12), st.data())
def test_every_stretch_leads_back_to_itself(parts: list[str], data: st.DataObject) -> None:
    source = "".join(parts)
    shown = redacted(source)
    kept = "".join(source[piece.start : piece.end] for piece in shown.pieces)
    marks = "".join(shown.text[span.start : span.end] for span in shown.placeholders)
    assert len(kept) + len(marks) == len(shown.text)
    assert sum(len(piece) for piece in shown.pieces) <= len(source)
    if not shown.text:
        return
    start = data.draw(st.integers(0, len(shown.text) - 1))
    end = data.draw(st.integers(start + 1, len(shown.text)))
    span = shown.original(Span(start, end))
    if span is None:
        assert any(place.overlaps(Span(start, end)) for place in shown.placeholders)
    else:
        assert redacted(source[span.start : span.end]).text.startswith(shown.text[start]) or shown.placeholders
        visible = "".join(
            source[max(piece.start, span.start) : min(piece.end, span.end)]
            for piece in shown.pieces
            if piece.start < span.end and span.start < piece.end
        )
        assert visible == shown.text[start:end]


def test_redaction_takes_linear_time() -> None:
    for hostile in (
        "-----BEGIN PRIVATE KEY-----\n",
        "password=",
        "a://b:",
        "A" * 64 + "\n",
        "eyJaaaaaaaa.",
        "secret key ",
    ):
        started = time.process_time()
        redacted(hostile * (100_000 // len(hostile)))
        assert time.process_time() - started < 2.0, hostile


@pytest.mark.parametrize("text", ["A heart ❤️ and a family 👨‍👩‍👧", "می‌خواهم", "soft\u00adhyphen", "zero\u200bwidth"])
def test_what_scripts_and_emoji_need_is_no_hidden_text(text: str) -> None:
    assert not redacted(text).veiled


@pytest.mark.parametrize("text", ["a\u202eb\u202c", "a\U000e0069\U000e0067", "a" + "\u200b\u200c" * 8, "\u2066x\u2069"])
def test_tags_reordering_and_long_unseen_stretches_are_hidden_text(text: str) -> None:
    assert redacted(text).veiled
