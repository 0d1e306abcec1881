"""Made-up secrets of each kind, in texts as they are written."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator

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


def pem(rng: random.Random) -> str:
    kind = rng.choice(("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""))
    body = "\n".join(_some(rng, _WORD + "+/", 64) for _ in range(rng.randint(3, 25)))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


_UPPER = string.ascii_uppercase + "234567"
MAKE: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "private-key": lambda r: ("{}", pem(r)),
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
