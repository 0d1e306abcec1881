"""What secrets look like, by kind, and the search for them.

A secret is known by the prefix that its issuer gives to keys (`ISSUED`), by a block that names itself such as a private
key, by a shape of its own (`_SHAPES`), or by a name before it that announces a value, such as ``password``. The facts
come from the issuers' pages and from what the rule sets of gitleaks (MIT) and detect-secrets (Apache 2.0) look for; the
patterns are our own.

One search finds all words of interest in a text (`lens_lsp.corpus.scan.Words`). Only their places are looked at; each
look is bounded, and no further look is made inside a secret that was found. So the time is linear in the length of the
text, and a text without such words costs just that search.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import numpy as np

from lens_lsp.corpus.scan import Words
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span

# The alphabets of keys, for use inside [...].
_W = "A-Za-z0-9"
_L = r"A-Za-z0-9_\-"
_B = "A-Za-z0-9+/="
_H = "0-9a-f"
_U = "A-Z0-9"
_D = r"A-Za-z0-9_\-.="
_LOOKED_AT = 300
"""The first code points of a value, which decide whether it is a secret. A secret may be longer."""
_ANNOUNCED_BY = """
password | passwd | passphrase | passcode | pwd | pass | secret | token | apikey | key | credential | authorization |
bearer | identified by | auth | cookie | session | seed phrase | mnemonic | webhook | recovery phrase | license |
signature | sig= | salt | pin | dsn | jwt | sid | access_code | nonce
"""
"""The words that announce a secret, parted by ``|``."""
_ANNOUNCING = tuple(" ".join(_ANNOUNCED_BY.split()).split(" | "))
_SERVICE_NAMES = """
datadog heroku algolia okta discord mailchimp asana cloudflare linode vultr hetzner codecov travis jenkins sonarqube
splunk pagerduty opsgenie rollbar bugsnag twitch spotify reddit dropbox zendesk freshdesk intercom mailjet postmark
sumologic logdna coinbase kraken binance messagebird plivo vonage nexmo openweather shodan virustotal todoist bitly
etsy yelp fastly confluent snowflake elastic wandb cohere mistral assemblyai deepgram mattermost gitea drone auth0
docusign squarespace rapidapi ipinfo
"""
_SERVICES = frozenset(_SERVICE_NAMES.split())
"""Services whose keys have no prefix; the name of one announces a key."""
_VAGUE = frozenset({"password", "service-key", "entropy"})
"""Kinds that do not say whose secret it is."""
_ALWAYS = frozenset({"-----begin ", "---- begin ssh2 encrypted", "private-lines:"})
"""Words of the vocabulary that are looked at even inside a secret that was found."""
_DIGIT = regex("[0-9]")
_ESCAPED = frozenset("nrtbfv")
_SAME = regex(r"(.)\1*\Z", re.DOTALL)
_STANDS_FOR = regex(
    r"(?<![A-Za-z0-9\-])(?:your|my|the|some|an?)[_\-](?!.*[0-9]{3})|example|placeholder|changeme|change-me|replace|redacted|xxxx"
    r"|\*{3}|\.{3}|<[a-z_ \-]{1,40}>|dummy|notreal|secret_here|_here\b",
    re.IGNORECASE,
)
_LONG_KEY = 60
_LOWER = regex("[a-z]")
_UPPER = regex("[A-Z]")
_HEX = regex("[0-9a-fA-F]+")
_WORDS = regex(r"[A-Za-z]{4,}|[A-Z]?[a-z]{3,}")
# The rest of a name (_TAIL), and what stands between it and its value (_BETWEEN).
_TAIL = regex(r"(?:(?!://)[\w.\-]){0,40}[\"'`*)\]]{0,4}")
_BETWEEN = regex(
    r"[ \t]{0,16}(?:=>|:=|\?=|->|={1,3}|:(?!:)|>|,|\|)[ \t]{0,8}\\?(?:\n[ \t]{1,12})?[\"'`*(<|]{0,4}[ \t]{0,2}[|>]?"
    r"|[ \t]{1,4}(?:is|was|are|equals|to|of|be|being|as|reads|value|ist)[ \t]{0,2}:?[ \t]{1,3}[\"'`*(<]{0,4}"
    r"|[ \t]{0,2}\([ \t]{0,2}[\"'`]{1,3}"
    r"|[ \t]{1,4}[\"'`*(<]{0,4}",
    re.IGNORECASE,
)
_SCHEME = regex(r"(?:Bearer|Basic|Token|Bot|token|bearer|basic|ApiKey|Digest)[ \t]{1,3}")
_UNTIL_BLANK = regex(r"[^\s\"'`<>|\\]+")
_IN_QUOTES = {mark: regex(rf"[^{mark}\r\n]{{1,4000}}") for mark in "\"'`"}
_NOT_VALUE = regex(
    r"[$%&]?[({\[]|\$[A-Za-z_{(]|%[A-Za-z_]{2,}%|(?:https?|file|s3|gs)://|[./~]{1,2}/|@|arn:|/[A-Za-z]{2,}/"
)
_CODE = regex(r"[A-Za-z_][\w.]*(?:\(|\[)|[A-Za-z_]+(?:\.[A-Za-z_]\w*)+\Z|[A-Za-z_]\w*(?:::\w+)+")
_STRONG = frozenset({"password", "passwd", "passphrase", "passcode", "pwd", "secret", "identified by"})
_WEAK = frozenset(
    {"pass", "auth", "cookie", "session", "license", "salt", "pin", "sid", "signature", "nonce", "webhook"}
)
_BEFORE_KEY = regex(
    r"(?:api|access|secret|auth|private|encrypt\w*|sign\w*|master|license|account|storage|consumer|app|application"
    r"|client|service|session|shared|subscription|write|admin|integration|project|deploy|ingest|rest|server|user|root"
    r"|webhook|hmac|crypt\w*|aes|jwt|security|primary|secondary|live|prod|production|test|[A-Z0-9]{2,}_[A-Z0-9_]{0,30})"
    r"[ _.\-]{0,2}\Z",
    re.IGNORECASE,
)
_HARMLESS = regex(
    r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))(?:public|partition|sort|foreign|primary|cache|row|hot|idempotency|object|map|index|license|publish\w*|short|arrow"
    r"|host|composite|unique|natural|surrogate|tree|json|i18n|lang|message|registry|product)[ _.\-]{0,2}\Z",
    re.IGNORECASE,
)
_HASHES = regex(
    r"sha\d|md5|hash|digest|checksum|integrity|commit|revision|\brev\b|uuid|guid|etag|fingerprint|version|resolved|image"
    r"|\burls?\b|path|href|\bsrc\b|email|public|thumbprint|locale|font|color",
    re.IGNORECASE,
)
_UUID = regex(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_BLANK = regex(r"\s")
_LETTER = regex(r"[^\W\d_]")
_BRACKETS = regex("[(){}]")
_PHRASES = frozenset({"seed phrase", "mnemonic", "recovery phrase"})
_OPENS = {")": "(", "]": "[", "}": "{"}
_ORDINARY = regex(
    r"(?:[a-z]+[0-9]{0,4}|[A-Z][a-z]+[0-9]{0,4}|[A-Z]+[0-9]{0,4}|[0-9]{1,4})(?:[._\-/:+,#@]+(?:[a-z]+[0-9]{0,4}|[A-Z][a-z]+[0-9]{0,4}|[A-Z]+[0-9]{0,4}|[0-9]{1,4}))*[.\-_/:]?"
    r"|(?:[A-Z]?[a-z]+[0-9]{0,2}){2,12}"
)
_PART = regex("[A-Za-z0-9]+")
_PHRASE = regex(r"(?:[\"'`*(]{0,3})((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})")
# Blocks that name themselves: private keys.
_BEGIN = regex(r"-----BEGIN (?P<of>[A-Z0-9 ]{0,60}?(?:PRIVATE KEY(?: BLOCK)?|STATIC KEY V\d))-----")
_END = regex(r"-----END [A-Z0-9 ]{0,60}?(?:PRIVATE KEY(?: BLOCK)?|STATIC KEY V\d)-----")
_LONGEST_BLOCK = 200_000
_BREAK = r"(?:[\s\"'>+,|#*`;.&]|\\{1,3}[nrt\"])"
_LINES = regex(
    rf"(?:{_BREAK}{{0,24}}(?:[A-Za-z0-9+/=]{{8,}}|(?:Proc-Type|DEK-Info|Comment|Version|Hash):[^\r\n\\]{{0,200}}"
    r"|=[A-Za-z0-9+/]{4}))+"
)
_BACK_LINE = regex(rf"[A-Za-z0-9+/=]{{8,}}{_BREAK}{{0,24}}\Z")
_LAST_LINES = 20_000
# The first part may be long, so it never backtracks.
_JSON_WEB = regex(
    r"eyJ[A-Za-z0-9_\-]{8,8000}+\.(?:eyJ)?[A-Za-z0-9_\-]{4,}\.[A-Za-z0-9_\-]*(?:\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+)?"
)
_URL_PASSWORD = regex(
    r"://(?P<user>[^\s/:@\"'<>]{0,200}):(?P<secret>[^\s/@\"'<>]{3,2000}(?:@[^\s/@\"'<>:.]{0,40})?)@(?=[\w\[%$])"
)
_URL_TOKEN = regex(r"://(?P<secret>[A-Za-z0-9_\-]{20,300})@[\w\[]")
_EXAMPLE_PASSWORDS = "password passwd pass secret token user pwd pw port xxxx pass123 mypassword passw0rd"
_EXAMPLES = frozenset(_EXAMPLE_PASSWORDS.split())
# A line of a settings file: a name, a sign and a value.
_SETTING = regex(
    r"^[ \t]{0,64}(?:(?:export|set|-)[ \t]{1,8})?[\"']?(?P<name>[A-Za-z_][\w.\-]{0,80})[\"']?[ \t]{0,40}[:=][ \t]{0,8}"
    r"[\"']?(?P<secret>[A-Za-z0-9+/_\-=.~!@#^&*]{20,400})[\"']?,?[ \t]*(?:[#;].{0,200})?\r?$",
    re.MULTILINE,
)
# For texts that were cut out of others which are not at hand.
_MIDDLE = regex(r"^[ \t>]{0,8}(?P<secret>[A-Za-z0-9+/]{60,76}(?:\s{1,8}[A-Za-z0-9+/=]{8,76})+)$", re.MULTILINE)
_MIXED = regex(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])", re.DOTALL)
_AT_START = regex(r"\A[A-Za-z0-9+/_\-=.]{12,}")
_AT_END = regex(r"[A-Za-z0-9+/_\-=.]{12,}\Z")


@dataclass(frozen=True, slots=True)
class _Issued:
    """A kind of key: it begins with one of ``prefixes``, and at least ``least`` characters of ``alphabet`` follow."""

    kind: str
    prefixes: str
    alphabet: str
    least: int
    digit: bool = False
    """Whether what follows must look random (`_drawn`): for prefixes that may begin ordinary text."""


ISSUED: tuple[_Issued, ...] = (
    # clouds and hosts
    _Issued("aws-key", "AKIA ASIA ABIA ACCA", _U, 16),
    _Issued("aws-session", "FwoGZXIvYXdz FQoGZXIvYXdz IQoJb3JpZ2lu", _B, 60),
    _Issued("aws-bedrock", "ABSKQmVkcm9ja0FQSUtleS bedrock-api-key-", _B, 60),
    _Issued("aws-mws", "amzn.mws.", _L, 32),
    _Issued("google", "AIza", _L, 35),
    _Issued("google", "GOCSPX- ya29.", _D, 20),
    _Issued("google", "1//0", _L, 40),
    _Issued("google", "GOOG1", _U, 40),
    _Issued("alibaba", "LTAI", _W, 16),
    _Issued("tencent", "AKID", _W, 20, digit=True),
    _Issued("yandex", "AQVN", _L, 35),
    _Issued("yandex", "t1.9eu", _D, 60),
    _Issued("digitalocean", "dop_v1_ doo_v1_ dor_v1_", _H, 40),
    _Issued("fly", "fo1_ fm1_ fm1a_ fm1r_ fm2_", _D + "+/", 40),
    _Issued("render", "rnd_", _W, 20, digit=True),
    _Issued("heroku", "HRKU-", _L, 36),
    _Issued("netlify", "nfp_ nfc_ nfo_ nfu_", _W, 36),
    _Issued("vercel", "vcp_ vci_ vca_ vcr_ vck_", _W, 24),
    _Issued("cloudflare", "v1.0-", _H + "-", 60),
    _Issued("supabase", "sbp_ sb_secret_ sb_publishable_", _L, 20),
    _Issued("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", _D, 32),
    _Issued("neon", "napi_", _W, 40),
    _Issued("databricks", "dapi dkea dose", _H + "-", 32),
    _Issued("prefect", "pnu_ pnb_", _W, 36),
    _Issued("pulumi", "pul-", _H, 40),
    _Issued("vault", "hvs. hvb. hvr.", _L, 24),
    _Issued("doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", _D, 40),
    _Issued("one-password", "ops_eyJ", _B + "_-", 40),
    _Issued("age", "AGE-SECRET-KEY-1", _U, 58),
    _Issued("openshift", "sha256~", _L, 43),
    _Issued("scalingo", "tk-us-", _L, 48),
    _Issued("tailscale", "tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-", _L, 16),
    _Issued("defined-networking", "dnkey-", _L + "=", 40),
    # source code and packages
    _Issued("github", "ghp_ gho_ ghu_ ghs_ ghr_", _D, 36),
    _Issued("github", "github_pat_", _W + "_", 22),
    _Issued(
        "gitlab",
        "glpat- gldt- glrt- glptt- glcbt- gloas- glsoat- glimt- glft- glffct- glagent- GR1348941",
        _D,
        20,
    ),
    _Issued("atlassian", "ATATT3 ATCTT3 ATBB", _L + "=", 28),
    _Issued("trello", "ATTA", _W, 60),
    _Issued("circleci", "CCIPAT_ CCIPRJ_", _L, 20),
    _Issued("buildkite", "bkua_ bkaj_ bkct_ bkpt_", _W, 36),
    _Issued("sonar", "sqp_ squ_ sqa_", _H, 40),
    _Issued("snyk", "snyk_uat. snyk_sat.", _D, 30),
    _Issued("docker", "dckr_pat_ dckr_oat_", _L, 20),
    _Issued("artifactory", "AKCp cmVmdGtu", _W, 50),
    _Issued("nuget", "oy2", "a-z0-9", 43),
    _Issued("npm", "npm_", _W, 36),
    _Issued("pypi", "pypi-", _L, 50),
    _Issued("rubygems", "rubygems_", _H, 40),
    _Issued("crates", "cio", _W, 32, digit=True),
    _Issued("clojars", "CLOJARS_", "a-z0-9", 60),
    _Issued("packagist", "packagist_ort_ packagist_ack_ packagist_out_ packagist_uut_", _H, 60),
    _Issued("readme", "rdme_", "a-z0-9", 60),
    _Issued("postman", "PMAK-", _H + "-", 50),
    _Issued("sourcegraph", "sgp_ sgph_ slk_", _W + "_", 40),
    _Issued("octopus", "API-", _U, 26, digit=True),
    _Issued("harness", "pat. sat.", _D, 60),
    _Issued("settlemint", "sm_aat_ sm_pat_ sm_sat_", _W, 16),
    # messages and mail
    _Issued(
        "slack", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xoxe.xoxb- xoxe.xoxp-", _D + "%/+", 10
    ),
    _Issued("twilio", "SK", _H, 32),
    _Issued("sendgrid", "SG.", _D, 50),
    _Issued("mailgun", "key- pubkey-", _H, 32),
    _Issued("brevo", "xkeysib- xsmtpsib-", _L, 60),
    _Issued("resend", "re_", _W + "_", 24, digit=True),
    _Issued("frame-io", "fio-u-", _L + "=", 40),
    _Issued("ntfy", "tk_", "a-z0-9", 29, digit=True),
    # models
    _Issued("anthropic", "sk-ant-", _L, 20),
    _Issued("openai", "sk-", _L, 20, digit=True),
    _Issued("huggingface", "hf_ api_org_", _W, 30),
    _Issued("replicate", "r8_", _W, 30),
    _Issued("perplexity", "pplx-", _W, 40),
    _Issued("groq", "gsk_", _W, 40),
    _Issued("xai", "xai-", _W, 60),
    _Issued("nvidia", "nvapi-", _L, 50),
    _Issued("fireworks", "fw_", _W, 20, digit=True),
    _Issued("together", "tgp_v1_", _L, 30),
    _Issued("langsmith", "lsv2_pt_ lsv2_sk_", _W + "_", 32),
    _Issued("pinecone", "pcsk_", _L, 40),
    _Issued("elevenlabs", "sk_", _H, 40, digit=True),
    _Issued("jina", "jina_", _L, 40),
    _Issued("tavily", "tvly-", _L, 24, digit=True),
    _Issued("cerebras", "csk-", _W, 40),
    _Issued("anyscale", "esecret_", _W, 20),
    _Issued("voyage", "pa-", _L, 40, digit=True),
    _Issued("wandb", "wandb_v1_", _L, 40),
    # payment and trade
    _Issued("stripe", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ sk_prod_ whsec_", _B + "_-", 16),
    _Issued("square", "sq0atp- sq0csp- sq0idp-", _L, 22),
    _Issued("square", "EAAA", _L, 56),
    _Issued("paypal", "access_token$", _W + "$", 40),
    _Issued("plaid", "access-sandbox- access-development- access-production-", _H + "-", 36),
    _Issued("razorpay", "rzp_live_ rzp_test_", _W, 14),
    _Issued("shopify", "shpat_ shpca_ shppa_ shpss_ shptka_", _W, 32),
    _Issued("flutterwave", "FLWSECK- FLWSECK_TEST- FLWPUBK- FLWPUBK_TEST-", _L, 12),
    _Issued("duffel", "duffel_test_ duffel_live_", _L + "=", 40),
    _Issued("easypost", "EZAK EZTK", _W, 54),
    _Issued("shippo", "shippo_live_ shippo_test_", _H, 40),
    _Issued("mollie", "live_ test_", _L + "=", 30, digit=True),
    # watching
    _Issued("new-relic", "NRAK- NRJS- NRII- NRIQ- NRRA-", _L, 19),
    _Issued("sentry", "sntrys_ sntryu_", _B + "_-", 40),
    _Issued("grafana", "glc_", _B, 32),
    _Issued("grafana", "glsa_", _W + "_", 40),
    _Issued("dynatrace", "dt0c01. dt0s01. dt0s02. dt0s16.", "A-Z0-9.", 60),
    _Issued("honeycomb", "hcaik_ hcxik_ hcamk_ hcxmk_ hcxlk_ hcalk_", _W, 40),
    _Issued("posthog", "phc_ phx_ phs_", _W, 32),
    _Issued("launchdarkly", "sdk- mob- api-", _H + "-", 36, digit=True),
    _Issued("statsig", "secret- console-", _W, 40, digit=True),
    # services
    _Issued("airtable", "pat", _D, 70),
    _Issued("notion", "secret_ ntn_", _W, 40, digit=True),
    _Issued("linear", "lin_api_ lin_oauth_ lin_wh_", _W, 32),
    _Issued("figma", "figd_ figo_ figu_", _L, 36),
    _Issued("typeform", "tfp_", _D, 40),
    _Issued("contentful", "CFPAT-", _L, 40),
    _Issued("hubspot", "pat-na1- pat-na2- pat-eu1- pat-ap1-", _H + "-", 36),
    _Issued("dropbox", "sl.", _L + "=", 80),
    _Issued("adobe", "p8e- s8e-", _L, 30),
    _Issued("clickup", "pk_", _W + "_", 36, digit=True),
    _Issued("mapbox", "sk.eyJ pk.eyJ tk.eyJ", _D, 40),
    _Issued("twitter", "AAAAAAAAAAAAAAAAAAAAA", _W + "%", 60),
    _Issued("facebook", "EAA", _W, 80),
    _Issued("instagram", "IGQV", _L, 60),
    _Issued("adafruit", "aio_", _W, 28),
    _Issued("intra", "s-s4t2ud- s-s4t2af-", _H, 60),
    _Issued("endor", "endr+", _L, 16),
    _Issued("firebase", "AAAA", _L + ":", 120),
)
"""The kinds of keys with a prefix. Of several that fit at a place, the longest match counts."""


def secrets(text: str, *, config: bool = False) -> Iterator[tuple[Span, str]]:
    """The secrets in a text with their kinds, in order; spans do not overlap.

    ``config`` says that the text is a settings file. There, a value that looks random is a secret too, unless its name
    says that it is a hash or the like.
    """
    found: list[tuple[Span, str]] = []
    ends = 0
    issued = _issuers()
    for at, word in _words(text):
        if at < ends and word not in _ALWAYS and not (word in issued and found[-1][0].start == at):
            continue  # an issuer's prefix at the start still names the kind
        for span, kind in _look(text, at, word):
            found.append((span, kind))
            ends = max(ends, span.end)
    if config:
        found += _settings(text)
    return iter(_apart(found))


def _apart(found: list[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """Join spans that overlap. The kind is that of the longest one, but a kind in `_VAGUE` gives way to any other."""
    joined: list[tuple[Span, str]] = []
    for span, kind in sorted(found):
        if joined and span.start < joined[-1][0].end:
            last, was = joined[-1]
            both = Span(last.start, max(last.end, span.end))
            telling = kind not in _VAGUE and (was in _VAGUE or len(span) > len(last))
            joined[-1] = both, kind if telling else was
        else:
            joined.append((span, kind))
    return joined


@cache
def _issuers() -> dict[str, list[tuple[str, _Issued]]]:
    """By lower-case prefix: each spelling of the prefix, and its kind of key."""
    found: dict[str, list[tuple[str, _Issued]]] = {}
    for each in ISSUED:
        for prefix in each.prefixes.split():
            found.setdefault(prefix.lower(), []).append((prefix, each))
    return found


@cache
def _vocabulary() -> tuple[tuple[str, ...], Words]:
    """All words that are looked for, and the search for them in a text."""
    words = tuple(dict.fromkeys([*_issuers(), *_ANNOUNCING, *_SERVICES, *_LOOKS]))
    return words, Words([word.encode() for word in words])


def _words(text: str) -> Iterator[tuple[int, str]]:
    """The words of the vocabulary in a text with their places, by place; ASCII case is ignored."""
    words, finder = _vocabulary()
    data = text.encode("utf-8", "surrogatepass").lower()  # of bytes, so that no length changes
    found = finder.find(data)
    if len(data) == len(text):
        yield from ((at, words[index]) for at, index in found)
    elif found:
        begins = np.cumsum((np.frombuffer(data, np.uint8) & 0xC0) != 0x80, dtype=np.int64)
        places = begins[np.fromiter((at for at, _ in found), np.int64, len(found))] - 1
        yield from ((at, words[index]) for at, (_, index) in zip(places.tolist(), found, strict=True))


def _look(text: str, at: int, word: str) -> Iterator[tuple[Span, str]]:
    """The secrets that a word at a place announces or begins, with their kinds."""
    found = [span for prefix, each in _issuers().get(word, ()) for span in _of_issuer(text, at, prefix, each)]
    yield from sorted(found, key=lambda one: -len(one[0]))[:1]
    if word in _SERVICES or word in _ANNOUNCING:
        yield from _announced(text, at, word)
    if word in _LOOKS:
        yield from _LOOKS[word](text, at)


@cache
def _run(alphabet: str) -> re.Pattern[str]:
    return re.compile(f"[{alphabet}]+")


def _of_issuer(text: str, at: int, prefix: str, each: _Issued) -> Iterator[tuple[Span, str]]:
    if not text.startswith(prefix, at) or not _begins(text, at):
        return
    run = _run(each.alphabet)
    start = at + len(prefix)
    found = run.match(text, start, start + _LOOKED_AT)
    if found is None:
        return
    value = found[0].rstrip(".")  # the end of a sentence
    if len(value) < each.least or _is_example(value) or (each.digit and not _drawn(value)):
        return
    if each.kind == "aws-key" and len(value) != each.least:
        return
    end = start + len(value)
    if len(found[0]) == _LOOKED_AT and (rest := run.match(text, start)) is not None:
        end = start + len(rest[0].rstrip("."))
    yield Span(at, end), each.kind


def _begins(text: str, at: int) -> bool:
    """Whether a key may begin at a place: not inside a word, except after an escape of JSON or of a URL."""
    if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
        return True
    if at >= 2 and text[at - 2] == "\\" and text[at - 1] in _ESCAPED:
        return True
    return (at >= 3 and text[at - 3] == "%") or (at >= 6 and text[at - 6 : at - 4] == "\\u")


def _is_example(value: str) -> bool:
    """Whether a value of the right shape is only a placeholder for a secret.

    In a long one that looks random, a word such as ``_a-`` comes by chance.
    """
    if _SAME.match(value) is not None:
        return True
    return _STANDS_FOR.search(value) is not None and not (len(value) >= _LONG_KEY and _drawn(value))


def _entropy(value: str) -> float:
    """The entropy of the characters of a value, in bits per character."""
    value = value[:_LOOKED_AT]
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values())


def _drawn(value: str) -> bool:
    """Whether a value looks random: it has digits among its characters, and its entropy is high enough."""
    if not _DIGIT.search(value):
        return False
    if _HEX.fullmatch(value):
        return len(value) >= 16 and _entropy(value) >= 2.8
    return _entropy(value) >= min(3.2, math.log2(max(2, len(value))) - 0.9)


def _changes(value: str) -> int:
    """How often the kind of character changes between upper case, digit and other."""
    kinds = [(each.isupper(), each.isdigit()) for each in value]
    return sum(left != right for left, right in pairwise(kinds))


def _announced(text: str, at: int, word: str) -> Iterator[tuple[Span, str]]:
    """The secret that a name announces; ``word`` is a word of the vocabulary in that name."""
    before = text[max(0, at - 32) : at]
    if word in ("key", "pass", "sid", "pin", "auth", "dsn", "salt") and not _joined(word, text, at, before):
        return
    if word in ("key", "signature", "license", "nonce") and _HARMLESS.search(before):
        return
    tail = _TAIL.match(text, at + len(word))
    assert tail is not None
    if _HASHES.search(tail[0]) and word not in _STRONG:
        return
    between = _BETWEEN.match(text, tail.end())
    if between is not None:
        weak = word in _WEAK or (word == "key" and _BEFORE_KEY.search(before) is None)
        yield from _value(text, between, word, weak)


def _joined(word: str, text: str, at: int, before: str) -> bool:
    """Whether a short word stands alone or ends a name; else it is part of another word."""
    after = text[at + len(word) : at + len(word) + 1]
    left = not before or not before[-1].isalpha() or (before[-1].islower() and text[at].isupper())
    return left and not (after.isalpha() and after.islower() and not text[at + len(word) - 1].isupper())


def _value(text: str, between: re.Match[str], word: str, weak: bool) -> Iterator[tuple[Span, str]]:
    """The secret that stands after the sign ``between``. After a ``weak`` word, only a longer value is one."""
    start = between.end()
    sign = between[0].strip(" \t\r\n\\")
    scheme = _SCHEME.match(text, start)
    if scheme is not None:
        start = scheme.end()
    quote = next((mark for mark in reversed(between[0]) if mark in "\"'`"), "")
    if word in _PHRASES:
        yield from _phrase(text, start)
        return
    value, quoted = _written(text, start, "" if scheme is not None else quote, sign)
    firm = sign[:1] in {"=", ":", ">", "?", "(", "-"} or scheme is not None
    if _may_be(value, quoted) and (_is_password if word in _STRONG else _is_key)(value, firm, quoted, weak):
        end = start + len(value)
        if len(value) >= _LOOKED_AT - 2 and not quoted and (rest := _UNTIL_BLANK.match(text, start)) is not None:
            end = start + len(_trimmed(rest[0], sign))
        yield Span(start, end), "service-key" if word in _SERVICES else "password"


def _written(text: str, start: int, quote: str, sign: str) -> tuple[str, bool]:
    """The value at a place, as far as it is looked at, and whether it stands in quotes that are closed."""
    if quote:
        found = _IN_QUOTES[quote].match(text, start)
        if found is not None and text[found.end() : found.end() + 1] == quote:
            return found[0], True
    found = _UNTIL_BLANK.match(text, start, start + _LOOKED_AT)
    return ("" if found is None else _trimmed(found[0], sign)), False


def _may_be(value: str, quoted: bool) -> bool:
    """Whether a value may be a secret: it is not a reference to one, not code and not a placeholder."""
    if (
        len(value) < 6
        or _BLANK.search(value)
        or not value.isprintable()
        or _is_example(value)
        or _NOT_VALUE.match(value)
    ):
        return False
    return _CODE.match(value) is None or (quoted and _DIGIT.search(value) is not None)


def _is_password(value: str, firm: bool, quoted: bool, weak: bool) -> bool:
    if len(value) < 8 or not _DIGIT.search(value) or not _LETTER.search(value):
        return False
    if not firm and not _drawn(value):
        return False
    return (firm and quoted) or not _ordinary(value)


def _is_key(value: str, firm: bool, quoted: bool, weak: bool) -> bool:
    if not quoted and _BRACKETS.search(value):
        return False
    least = (20 if _MIXED.match(value) else 24) if weak else 16 if firm else 20
    return len(value) >= least and _LETTER.search(value) is not None and _drawn(value) and not _ordinary(value)


def _trimmed(value: str, sign: str) -> str:
    """A value without the punctuation at its end that belongs to the sentence or the list around it."""
    while (value and value[-1] in ",;") or ((sign == "" or sign[-1:].isalpha()) and value and value[-1] in ".!?:)*"):
        value = value[:-1]
    while value.endswith((")", "]", "}", "*", ".")) and (
        value[-1] in "*." or value.count(value[-1]) > value.count(_OPENS[value[-1]])
    ):
        value = value[:-1]
    return value


def _ordinary(value: str) -> bool:
    """Whether a value is made of words and small numbers: a name, a version, a path."""
    if len(value) > 200 or _UUID.fullmatch(value):
        return False
    if _ORDINARY.fullmatch(value) is None or any(len(re.findall("[0-9]+", each)) > 2 for each in _PART.findall(value)):
        return False
    words = [len(word) for word in re.findall("[A-Za-z]+", value)]
    return not words or sum(words) / len(words) >= 3


def _phrase(text: str, start: int) -> Iterator[tuple[Span, str]]:
    found = _PHRASE.match(text, start)
    if found is not None:
        yield Span(*found.span(1)), "seed-phrase"


def _block(text: str, at: int) -> Iterator[tuple[Span, str]]:
    """A private key from its first line to its last; without a last line, as far as lines of key data go."""
    begin = _BEGIN.match(text, at)
    if begin is None:
        return
    end = _END.search(text, begin.end(), min(len(text), begin.end() + _LONGEST_BLOCK))
    again = text.find("-----BEGIN ", begin.end(), begin.end() + _LONGEST_BLOCK)
    if end is not None and (again < 0 or again > end.start()):
        yield Span(at, end.end()), "private-key"
        return
    lines = _LINES.match(text, begin.end())
    if lines is not None:
        yield Span(at, lines.end()), "private-key"


def _block_end(text: str, at: int) -> Iterator[tuple[Span, str]]:
    """The lines above the last line of a private key whose first line is missing."""
    if _END.match(text, at) is None:
        return
    start = at
    first = max(0, at - _LAST_LINES)
    while start > first:
        line = _BACK_LINE.search(text[max(first, start - 120) : start])
        if line is None or not len(line[0]):
            break
        start = max(first, start - 120) + line.start()
    if start < at:
        yield Span(start, at), "private-key"


def _json_web(text: str, at: int) -> Iterator[tuple[Span, str]]:
    """A JSON web token, of three or five parts, or else an old key of Grafana, which begins alike."""
    if not text.startswith("eyJ", at) or not _begins(text, at):
        return
    found = _JSON_WEB.match(text, at)
    if found is not None:
        yield Span(*found.span()), "jwt"
    elif text.startswith("eyJrIjoi", at):
        run = _run(_B).match(text, at)
        if run is not None and len(run[0]) >= 60:
            yield Span(*run.span()), "grafana"


def _url_password(text: str, at: int) -> Iterator[tuple[Span, str]]:
    found = _URL_PASSWORD.match(text, at)
    if found is not None:
        said = found["secret"]
        if (
            said.lower() in _EXAMPLES
            or said.isdigit()
            or _STANDS_FOR.search(said)
            or (said[0] in "{$<*[%" and not said.startswith("%4"))
        ):
            return
        if said == found["user"] or _is_example(said):
            return
        yield Span(*found.span("secret")), "url-password"
        return
    alone = _URL_TOKEN.match(text, at)
    if alone is not None and _DIGIT.search(alone["secret"]) and _drawn(alone["secret"]):
        yield Span(*alone.span("secret")), "url-password"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled on first use: to compile all of them takes a tenth of a second."""
    return re.compile(pattern)


@dataclass(frozen=True, slots=True)
class _Shaped:
    """A look for a pattern, which begins at a place or up to ``back`` characters of the class ``over`` before it.

    The characters before the place are ASCII. If the pattern has a group ``secret``, only that group is the secret.
    """

    kind: str
    pattern: str
    back: int = 0
    over: str = ""

    def __call__(self, text: str, at: int) -> Iterator[tuple[Span, str]]:
        start = at
        while start > max(0, at - self.back) and text[start - 1].isascii() and _run(self.over).match(text[start - 1]):
            start -= 1
        found = _compiled(self.pattern).match(text, start)
        if found is not None:
            group = "secret" if "secret" in found.re.groupindex else 0
            if not _is_example(found[group]):
                yield Span(*found.span(group)), self.kind


_SHAPES: tuple[tuple[str, _Shaped], ...] = (
    (
        "private-lines:",
        _Shaped(
            "private-key", rf"(?i:Private-Lines): ?\d{{1,4}}(?P<secret>(?:{_BREAK}{{1,24}}[A-Za-z0-9+/=]{{8,100}})+)"
        ),
    ),
    (
        "---- begin ssh2 encrypted",
        _Shaped(
            "private-key",
            r"(?s:---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----.{0,20000}?---- END SSH2 ENCRYPTED PRIVATE KEY ----)",
        ),
    ),
    (
        "hooks.slack.com",
        _Shaped("slack", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/]{20,200})"),
    ),
    (
        "discord.com/api/webhooks|discordapp.com/api/webhooks",
        _Shaped("discord", rf"[a-zA-Z./]{{20,40}}/\d{{10,24}}/(?P<secret>[{_L}]{{50,100}})"),
    ),
    ("webhook.office.com", _Shaped("teams", rf"webhook\.office\.com/webhookb2/(?P<secret>[{_L}@./]{{40,400}})")),
    ("open-apis/bot", _Shaped("lark", r"open-apis/bot/v2/hook/(?P<secret>[0-9a-fA-F\-]{20,60})")),
    (
        "chat.googleapis.com",
        _Shaped("google", rf"chat\.googleapis\.com/[^\s\"']{{1,120}}[?&]key=(?P<secret>[{_L}%&=]{{30,300}})"),
    ),
    (
        "qyapi.weixin.qq.com",
        _Shaped("wecom", r"qyapi\.weixin\.qq\.com/[^\s\"']{1,60}key=(?P<secret>[0-9a-fA-F\-]{20,60})"),
    ),
    (
        "oapi.dingtalk.com",
        _Shaped("dingtalk", r"oapi\.dingtalk\.com/[^\s\"']{1,60}access_token=(?P<secret>[0-9a-zA-Z]{20,100})"),
    ),
    (":aa", _Shaped("telegram", rf"(?<![0-9])[0-9]{{8,11}}:AA[{_L}]{{32,36}}(?![A-Za-z0-9])", 11, "0-9")),
    (".atlasv1.", _Shaped("terraform", rf"[{_W}]{{10,20}}\.atlasv1\.[{_L}=]{{40,120}}", 20, _W)),
    ("q~", _Shaped("azure", r"[A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,34}", 4, r"A-Za-z0-9_~.\-")),
    ("-us", _Shaped("mailchimp", r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])", 32, _H)),
    ("_mmk", _Shaped("maxmind", rf"[{_W}]{{6}}_[{_W}]{{29}}_mmk", 36, _W + "_")),
    ("nral", _Shaped("new-relic", r"[0-9a-f]{36}NRAL", 36, _H)),
    ("a3-", _Shaped("one-password", r"(?<![A-Za-z0-9])A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}")),
    (
        "accountkey=|sharedaccesskey=",
        _Shaped("azure", r"(?i:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,100}={0,2})"),
    ),
    ("ls0tls1crudj", _Shaped("private-key", rf"LS0tLS1CRUdJ[{_B}_\-]{{40,32000}}")),
    (
        "b3blbnnzac1rzxktdj",
        _Shaped("private-key", r"b3BlbnNzaC1rZXktdj(?:[A-Za-z0-9+/=]{1,32000}(?:[\s\"'>+,]|\\[nr]){0,12})+"),
    ),
    (
        "ewogicj0exbl|eyj0exblijogin|eyj0exblijoic2",
        _Shaped("service-account", rf"(?:ewogICJ0eXBlIjog|eyJ0eXBlIjogIn|eyJ0eXBlIjoic2)[{_B}_\-]{{80,32000}}"),
    ),
    ('d":|d\\":|d" :', _Shaped("private-key", rf"d\\?\" ?:\s{{0,8}}\\?\"(?P<secret>[{_L}]{{40,4000}})")),
    (" -u |--user ", _Shaped("password", r" -{1,2}u(?:ser)? [\"']?[\w.@+\-]{1,80}:(?P<secret>[^\s\"'$]{6,200})")),
    (
        "client-key-data",
        _Shaped("private-key", rf"client-key-data[\"']?: {{0,4}}[\"']?(?P<secret>[{_B}]{{40,32000}})"),
    ),
    ("sig=", _Shaped("azure", r"sig=(?P<secret>[A-Za-z0-9%+/=]{40,120})")),
)
"""Secrets with a shape of their own, each with the words (parted by ``|``) where it is looked for."""
_LOOKS: dict[str, Callable[[str, int], Iterator[tuple[Span, str]]]] = {
    "-----begin ": _block,
    "-----end ": _block_end,
    "eyj": _json_web,
    "://": _url_password,
    **{word: shape for words, shape in _SHAPES for word in words.split("|")},
}


def _settings(text: str) -> Iterator[tuple[Span, str]]:
    """The values of a settings file that look random."""
    for found in _SETTING.finditer(text):
        value = found["secret"]
        if _HASHES.search(found["name"]) or _HASHES.match(value) or _UUID.fullmatch(value) or _HEX.fullmatch(value):
            continue
        if not (_DIGIT.search(value) and _LOWER.search(value) and _UPPER.search(value)) or _ordinary(value):
            continue
        if _entropy(value) >= 4.0 and _changes(value) * 4 >= len(value) and not _is_example(value):
            yield Span(*found.span("secret")), "entropy"


def of_a_cut(text: str) -> Iterator[tuple[Span, str]]:
    """As `secrets`, for a text cut out of a longer one: also finds lines that may be the middle of a private key."""
    found = [*secrets(text)]
    found += [
        (Span(*lines.span("secret")), "private-key")
        for lines in _MIDDLE.finditer(text)
        if _MIXED.match(lines["secret"])
    ]
    return iter(_apart(found))


def cut_ends(text: str) -> Iterator[tuple[Span, str]]:
    """The runs at the two ends of a text that was cut which look like the rest of a secret."""
    ends = _AT_START.match(text), _AT_END.search(text[-4000:])
    shift = max(0, len(text) - 4000)
    for run, at in zip(ends, (0, shift), strict=True):
        if run is not None and _MIXED.match(run[0]) and _drawn(run[0]) and not _ordinary(run[0]):
            yield Span(at + run.start(), at + run.end()), "entropy"
