"""What a secret looks like, kind by kind: the shapes that issuers give their keys, and words that announce one.

Shapes, not entropy: a commit hash or a checksum in a note is what people ask for. Every pattern begins with
something literal and repeats within bounds, so that looking through a text stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_lsp.domain.regexes import regex
from lens_lsp.domain.text import Span

_START = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"
_LETTERS = r"[A-Za-z0-9_\-]"


def _shape(pattern: str, *, flags: int = 0) -> re.Pattern[str]:
    return re.compile(_START + pattern, flags)


PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private-key",
        regex(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r".*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
    ),
    # The middle of such a key, when a region holds only that: lines filled with base64.
    (
        "private-key",
        regex(r"^[ \t>]{0,8}(?P<secret>[A-Za-z0-9+/]{60,76}(?:\s{1,8}[A-Za-z0-9+/=]{8,76})+)$", re.MULTILINE),
    ),
    ("aws-key", _shape(r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}" + _END)),
    (
        "aws-secret",
        regex(
            r"(?:aws|secret|access)[\w .\-]{0,24}key[\w\"' ]{0,8}[:=>\s]{1,6}[\"']?"
            r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
            re.IGNORECASE,
        ),
    ),
    ("github", _shape(r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})")),
    ("gitlab", _shape(r"gl(?:pat|dt|rt|ptt|cbt|oas)-[A-Za-z0-9_\-]{20,255}")),
    ("slack", _shape(r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9\-]{10,255}")),
    ("slack", regex(r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/]{20,120})")),
    ("jwt", _shape(r"eyJ[A-Za-z0-9_\-]{8,4000}\.eyJ[A-Za-z0-9_\-]{4,8000}\.[A-Za-z0-9_\-]{0,2000}")),
    ("anthropic", _shape(rf"sk-ant-{_LETTERS}{{20,255}}")),
    ("openai", _shape(rf"sk-(?=[A-Za-z_\-]{{0,60}}[0-9]){_LETTERS}{{20,255}}")),
    ("google", _shape(rf"(?:AIza{_LETTERS}{{35}}|GOCSPX-{_LETTERS}{{20,64}}|ya29\.{_LETTERS}{{20,2000}})")),
    ("stripe", _shape(r"(?:(?:sk|rk|pk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,255}")),
    ("twilio", _shape(r"SK[0-9a-f]{32}" + _END)),
    ("sendgrid", _shape(rf"SG\.{_LETTERS}{{16,64}}\.{_LETTERS}{{16,128}}")),
    ("npm", _shape(r"npm_[A-Za-z0-9]{36}" + _END)),
    ("pypi", _shape(rf"pypi-{_LETTERS}{{50,1000}}")),
    ("huggingface", _shape(r"hf_[A-Za-z]{30,64}" + _END)),
    ("telegram", _shape(rf"[0-9]{{8,10}}:AA{_LETTERS}{{33}}" + _END)),
    ("azure", regex(r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,100}={0,2})")),
    (
        "url-password",
        regex(r"[A-Za-z][A-Za-z0-9+.\-]{1,20}://[^\s/:@\"'<>]{0,64}:(?P<secret>[^\s/:@\"'<>{}$*]{4,128})@[\w\[]"),
    ),
    (
        "password",
        regex(
            r"(?:passw(?:or)?d|passphrase|pwd|secret|api[_\- ]?key|(?:access|auth|bearer|refresh)[_\- ]?token"
            r"|client[_\- ]?secret|private[_\- ]?key)[\"'`*]{0,3}\s{0,4}(?::=|=>|:|=)\s{0,4}[\"'`*]{0,3}"
            r"(?P<secret>(?=[^\s\"'`]{0,60}[0-9])(?=[^\s\"'`]{0,60}[A-Za-z])[^\s\"'`,;(){}<>\[\]$]{8,255})",
            re.IGNORECASE,
        ),
    ),
    ("password", regex(r"\bBearer\s{1,4}(?P<secret>(?=[A-Za-z_.~+/\-]{0,60}[0-9])[A-Za-z0-9_.~+/\-]{20,2000}=*)")),
)
"""Kinds and shapes; the more telling kind first. The group ``secret``, where there is one, is what must not leave."""

_EXAMPLES = frozenset({"password", "passwd", "pass", "secret", "token", "user", "pwd", "pw", "port", "xxxx"})
_MIXED = regex(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])", re.DOTALL)


def secrets(text: str) -> Iterator[tuple[Span, str]]:
    """Where secrets stand in a text, with their kinds, in order and apart."""
    found: list[tuple[Span, str]] = []
    for kind, pattern in PATTERNS:
        group = "secret" if "secret" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            if _is_example(kind, match[group]):
                continue
            span = Span(*match.span(group))
            if not any(span.overlaps(other) for other, _ in found):
                found.append((span, kind))
    return iter(sorted(found))


def _is_example(kind: str, written: str) -> bool:
    """Whether something of the right shape only stands for a secret, or is ordinary data."""
    if kind == "url-password":
        return written.lower() in _EXAMPLES or written.isdigit()
    if kind in ("private-key", "aws-secret"):
        return _MIXED.match(written) is None
    return False
