"""What to do about a failed call, in one sentence that names the endpoint and the next step.

What a server says is shown, shortened and without control characters, never followed; never when it repeats a key.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from email.utils import parsedate_to_datetime

from lens_lsp.judge.llm.chat_model import CALL_SECONDS, ChatRequest, ModelError, ModelFailure, TimeLimit
from lens_lsp.judge.llm.endpoint import ApiKey, Endpoint
from lens_lsp.model.lazy_regex import regex

MOST_WORDS = 200
"""Code points of a server's own words that are shown."""
_SERVERS = {
    11434: "Ollama with `ollama serve`",
    1234: "LM Studio's server with `lms server start`",
    8000: "vLLM with `vllm serve MODEL`",
    8080: "llama.cpp with `llama-server -m MODEL.gguf`",
}
_RETRYABLE = {408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_SECONDS = regex(r"\d{1,9}(\.\d{1,9})?")
IN_GENERAL = {
    ModelFailure.PAUSED: "the endpoint was not asked, its last calls failed",
    ModelFailure.UNREACHABLE: "no connection to the endpoint; start it, check the network and the model's base URL",
    ModelFailure.UNTRUSTED: "the endpoint, its certificate or a redirect is not to be trusted; check the base URL",
    ModelFailure.UNAUTHORISED: "the endpoint does not accept the key; set a valid one in LENS_API_KEY",
    ModelFailure.BUSY: "the endpoint takes no request now; try again, or look into its log",
    ModelFailure.REJECTED: "the endpoint does not take the request; check the model's name and the URL (ends in /v1)",
    ModelFailure.DEADLINE: "no complete reply in time; set model.callSeconds higher, or name a smaller model",
    ModelFailure.TOO_LARGE: "the endpoint sent more than any reply has; see its log",
    ModelFailure.UNREADABLE: "what the endpoint sent is no reply of a chat model; check the base URL",
    ModelFailure.CUT_OFF: "the reply ended before its end; see the endpoint's log",
    ModelFailure.NO_TEXT: "a reply without text",
}
"""The same by the kind of failure, for who must not be told where the endpoint is or what it said."""


def unreachable(endpoint: Endpoint) -> ModelError:
    """Nothing listens: say what to start."""
    if endpoint.loopback:
        likely = _SERVERS.get(endpoint.port)
        others = ", or ".join(f"{what} (port {port})" for port, what in _SERVERS.items() if port != endpoint.port)
        start = f"{likely}, or {others}" if likely else others
        text = f"nothing listens at {endpoint.origin}; start {start}, or change the model's base URL"
    else:
        text = f"no connection to {endpoint.origin}; check the network, any VPN it needs, and the model's base URL"
    return ModelError(text, retryable=True, failure=ModelFailure.UNREACHABLE)


def unknown_host(endpoint: Endpoint) -> ModelError:
    """The name does not resolve."""
    text = f"the host {endpoint.host} is not known; check the network and the model's base URL"
    return ModelError(text, retryable=True, failure=ModelFailure.UNREACHABLE)


def dropped(endpoint: Endpoint) -> ModelError:
    """The line went dead before any answer."""
    text = f"{endpoint.origin} closed the connection without an answer; see its log, it may have run out of memory"
    return ModelError(text, retryable=True, failure=ModelFailure.UNREACHABLE)


def no_http(endpoint: Endpoint) -> ModelError:
    """Whatever listens there speaks another protocol."""
    text = f"what listens at {endpoint.origin} does not speak HTTP; check scheme and port of the model's base URL"
    return ModelError(text, failure=ModelFailure.UNREADABLE)


def untrusted(endpoint: Endpoint, reason: str) -> ModelError:
    """The certificate does not hold, or TLS is not spoken."""
    text = (
        f"{endpoint.origin} could not prove who it is ({clean(reason, None) or 'no TLS'}); nothing was sent. This check"
        " cannot be switched off: correct the certificate or the base URL, or let this system trust its authority"
    )
    return ModelError(text, failure=ModelFailure.UNTRUSTED)


def forbidden_address(endpoint: Endpoint) -> ModelError:
    """A name that resolves to what is never a model."""
    text = (
        f"{endpoint.host} leads to an address that may not be contacted (this machine, link-local or metadata);"
        " nothing was sent: check the model's base URL"
    )
    return ModelError(text, failure=ModelFailure.UNTRUSTED)


def other_host(endpoint: Endpoint) -> ModelError:
    """A request that was about to leave for another origin."""
    return ModelError(f"a request to another place than {endpoint.origin} was stopped", failure=ModelFailure.UNTRUSTED)


def redirected(endpoint: Endpoint, status: int) -> ModelError:
    """Redirects are never followed: the key and the text were meant for this origin."""
    text = f"{endpoint.origin} redirects elsewhere (HTTP {status}), which is never followed; set the final base URL"
    return ModelError(text, failure=ModelFailure.UNTRUSTED)


def paused(origin: str, failures: int, last: ModelFailure | None, seconds: float) -> ModelError:
    """The endpoint failed too often of late; ``seconds`` until it is tried again, 0 while it is being tried."""
    kind = "" if last is None else f" ({last.value})"
    again = f"it is tried again in {math.ceil(seconds)} s" if seconds > 0 else "it is being tried again now"
    text = f"{origin} was not asked, its last {failures} calls failed{kind}: {again}, until then rules answer"
    return ModelError(text, failure=ModelFailure.PAUSED)


def late(who: str, request: ChatRequest, waited: TimeLimit) -> ModelError:
    """A limit of time ran out: which one, and the setting that raises it. ``who`` is an origin or a model."""
    patience, least = request.patience, request.patience.call
    if waited is not TimeLimit.CALL:
        # The limits of a token are shares of a longest call that is above the default.
        least = max(least, CALL_SECONDS)
    where = "" if patience.option else " in your own settings"
    setting = f"{patience.option or 'model.callSeconds'} above {least:g}{where}"
    if waited is TimeLimit.FIRST:
        what = f"sent no token within {patience.first:g} s"
    elif waited is TimeLimit.NEXT:
        what = f"sent no further token for {patience.next:g} s in the middle of its reply"
    elif request.seconds < patience.call:
        what = f"gave no complete reply in the {request.seconds:.3g} s that were left"
        setting = "budget.seconds higher in your own settings"
    else:
        what = f"gave no complete reply within {patience.call:g} s"
    text = f"{who} {what}. Set {setting}, or name a smaller model"
    return ModelError(text, failure=ModelFailure.DEADLINE)


def too_large(endpoint: Endpoint, cap: int) -> ModelError:
    """More bytes than any reply has."""
    text = f"{endpoint.origin} sent more than {cap >> 10} KiB for one reply; the rest was not read: see its log"
    return ModelError(text, failure=ModelFailure.TOO_LARGE)


def compressed(endpoint: Endpoint) -> ModelError:
    """A reply in an encoding that was not asked for."""
    text = f"{endpoint.origin} sent a compressed reply though none was asked for; switch that off in it or its proxy"
    return ModelError(text, failure=ModelFailure.UNREADABLE)


def of_status(endpoint: Endpoint, status: int, words: str, retry_after: float | None) -> ModelError:
    """An HTTP status that says no. ``words`` are the server's own, cleaned."""
    said = f" ({words})" if words else ""
    origin = endpoint.origin
    if status in (401, 403, 407):
        text = f"{origin} does not accept the key (HTTP {status}); set a valid one for it in LENS_API_KEY"
        return ModelError(text, failure=ModelFailure.UNAUTHORISED)
    if status == 429:
        wait = "" if retry_after is None else f" for {retry_after:g} s"
        text = f"{origin} takes no more requests{wait} (HTTP 429){said}; wait, or raise the limit of your account"
        return ModelError(text, retryable=True, retry_after=retry_after, failure=ModelFailure.BUSY)
    if status in _RETRYABLE:
        text = f"{origin} cannot answer now (HTTP {status}){said}; try again, or look into its log"
        return ModelError(text, retryable=True, retry_after=retry_after, failure=ModelFailure.BUSY)
    if status == 404:
        text = f"{origin} does not have that model or path (HTTP 404){said}; check the name and the URL (ends in /v1)"
        return ModelError(text)
    if status == 413 or re.search(r"context.{0,20}(length|window|size)|too (long|many tokens)", words, re.IGNORECASE):
        text = f"the request is larger than the model takes (HTTP {status}){said}; set model.contextTokens to its size"
        return ModelError(text)
    return ModelError(f"{origin} does not take the request (HTTP {status}){said}; check the model's name and settings")


def error_words(body: bytes, key: ApiKey | None) -> str:
    """What a server says about an error, cleaned; empty when it says nothing readable."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.lstrip().startswith("<") else clean(text, key)
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    return clean(found if isinstance(found, str) else json.dumps(found)[: 4 * MOST_WORDS], key)


def clean(text: str, key: ApiKey | None, most: int = MOST_WORDS) -> str:
    """One line of at most ``most`` code points without control, format or surrogate characters; empty when a part of
    the key stands in it."""
    kinds = ((char, unicodedata.category(char)) for char in text[: 8 * most])
    kept = "".join(
        " " if kind in ("Zl", "Zp", "Cc") else char for char, kind in kinds if kind == "Cc" or kind[0] != "C"
    )
    shown = " ".join(kept.split())
    # What was taken out may have stood between parts of the key.
    if key is not None and (key.is_in(text) or key.is_in("".join(shown.split()))):
        return ""
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds that a Retry-After header asks to wait, by number or date; None for none and for nonsense."""
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        wait = parsedate_to_datetime(text).timestamp() - now
    except (ValueError, TypeError, OverflowError, IndexError, OSError):
        return None
    return max(0.0, wait) if math.isfinite(wait) else None
