"""What went wrong with a request, in a sentence that says what to do, and whether asking again may help.

Judged by the status and the API's own error type, never by an SDK's class names.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable, Mapping

from agent.model.base import ErrorKind, ModelError

RETRIES = 5


def error_of_type(error_type: str, detail: str) -> ModelError:
    """For an `error` event in a stream that had begun well: there is no status to judge by."""
    status = _STATUS_OF_TYPE.get(error_type)
    if status is None:
        return ModelError(_sentence("The API reported an error", detail or error_type), "server", RETRIES)
    error = error_of_status(status, error_type, detail, {})
    # A stream gives no time to wait; the reply had been accepted, so this is no spent account.
    if error.kind == "rate":
        error.retries = RETRIES
    return error


def error_of_status(
    status: int, error_type: str, detail: str, headers: Mapping[str, str], now: Callable[[], float] = time.time
) -> ModelError:
    retry_after = _retry_after(headers, now)
    if status in (400, 422):
        return _bad_request(detail)
    if status in _REFUSED or 300 <= status < 400:
        kind, sentence = _REFUSED.get(status, _REDIRECTED)
        return ModelError(_sentence(sentence, detail), kind)
    if status == 429 or error_type == "rate_limit_error":
        if retry_after is None:
            # No time to wait for means a spent account more often than a crowd: asking again only hammers.
            return ModelError(_sentence("The API takes no more requests for now", detail), "rate")
        return ModelError(_sentence("Too many requests", detail), "rate", RETRIES, retry_after)
    if status == 409:
        return ModelError(_sentence("The API reports a conflict", detail), "conflict", 1)
    if status == 529 or error_type == "overloaded_error":
        sentence = "The model is overloaded; try again later or choose another with --model or /model"
        return ModelError(_sentence(sentence, detail), "overloaded", RETRIES, retry_after)
    if status == 408 or status >= 500:
        return ModelError(_sentence(f"The API failed (HTTP {status})", detail), "server", RETRIES, retry_after)
    return ModelError(_sentence(f"The API refused the request (HTTP {status})", detail), "bad_request")


_REDIRECTED: tuple[ErrorKind, str] = (
    "redirect",
    "The endpoint redirects elsewhere and the key is not sent there; check ANTHROPIC_BASE_URL",
)
_REFUSED: dict[int, tuple[ErrorKind, str]] = {
    401: ("auth", "The API does not accept the key; check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"),
    402: ("billing", "The account of this key cannot pay for the request"),
    403: ("auth", "The key may not be used for this; check the key and the model"),
    404: (
        "not_found",
        "The endpoint or the model was not found; check ANTHROPIC_BASE_URL and the model (--model or /model)",
    ),
    413: ("too_large", "The request is larger than the API takes; large results must go out of it"),
}

_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}

_TOO_LONG = ("prompt is too long", "context limit", "context window", "too many tokens")


def _bad_request(detail: str) -> ModelError:
    text = detail.lower()
    kind: ErrorKind = "bad_request"
    if any(words in text for words in _TOO_LONG):
        kind = "too_long"
    elif "tool_use" in text and "tool_result" in text:
        kind = "unpaired"
    elif "thinking" in text and any(words in text for words in ("bound to", "modified", "signature")):
        kind = "thinking"
    sentence = (
        "The conversation is longer than the model takes" if kind == "too_long" else "The API refused the request"
    )
    return ModelError(_sentence(sentence, detail), kind)


def _retry_after(headers: Mapping[str, str], now: Callable[[], float]) -> float | None:
    """Seconds to wait, from either header and either form of it."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        return max(0.0, email.utils.parsedate_to_datetime(headers["retry-after"]).timestamp() - now())
    except (KeyError, ValueError):
        return None


def _sentence(what: str, detail: str) -> str:
    detail = " ".join(detail.split())[:500]
    return f"{what}: {detail}" if detail else f"{what}."
