"""Reading the input of a call, strictly: what does not parse as a whole, finite, plain JSON object is never run.

Repairing or completing a cut text would turn `rm -rf build/x` into `rm -rf build`, so nothing here guesses.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, cast

INPUT_CHARS = 10_000_000
INPUT_DEPTH = 64
NUMBER_CHARS = 400
INVALID_SHOWN_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Invalid:
    """Why an input cannot be used, and what is kept of it: an object the API takes back in the history."""

    problem: str
    kept: dict[str, Any]


def parse_input(raw: str) -> dict[str, Any] | Invalid:
    """The object that `raw` spells, or Invalid. No text at all is an empty object; its schema decides."""
    if not raw.strip():
        return {}
    if len(raw) > INPUT_CHARS:
        return invalid(f"its input is longer than {INPUT_CHARS} characters; split the work", raw)
    try:
        value = strict_json(raw)
        problem = trouble_in(value)
    except RecursionError:
        problem = "its input is nested too deeply"
    except ValueError as error:
        problem = f"its input is not valid JSON ({error})"
    else:
        if not problem and isinstance(value, dict):
            return cast("dict[str, Any]", value)
        problem = problem or f"its input must be a JSON object, not {_json_name(value)}"
    return invalid(problem, raw)


def strict_json(raw: str) -> Any:
    """The value, without what Python takes besides JSON. Raises ValueError or RecursionError."""
    return json.loads(whole_text(raw), parse_constant=_no_constant, parse_float=_finite, parse_int=_short_number)


def invalid(problem: str, raw: str) -> Invalid:
    shown = mended_text(raw[:INVALID_SHOWN_CHARS])
    return Invalid(f"The call was not run: {problem}.", {"INVALID_JSON": shown})


def trouble_in(value: Any, depth: int = 1) -> str:
    """What makes a parsed value unfit to be kept and sent again; empty when it is fit."""
    if isinstance(value, str):
        return "" if is_text(value) else "a string of its input holds half a surrogate pair"
    if isinstance(value, float):
        return "" if math.isfinite(value) else "a number of its input is none that JSON knows"
    if not isinstance(value, dict | list):
        return ""
    if depth > INPUT_DEPTH:
        return f"its input is nested more than {INPUT_DEPTH} deep"
    if isinstance(value, list):
        parts = cast("list[Any]", value)
    else:
        fields = cast("dict[str, Any]", value)
        parts = [*fields, *fields.values()]
    return next((trouble for part in parts if (trouble := trouble_in(part, depth + 1))), "")


def fit_to_send(value: Any, depth: int = 1) -> Any:
    """What a reply holds besides inputs, with a mark for half a character. ValueError: it can never be sent again."""
    if isinstance(value, str):
        return mended_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number that JSON does not know")
    if not isinstance(value, dict | list):
        return value
    if depth > INPUT_DEPTH:
        raise ValueError("something nested too deeply")
    if isinstance(value, list):
        return [fit_to_send(part, depth + 1) for part in cast("list[Any]", value)]
    fields = cast("dict[str, Any]", value)
    return {mended_text(key): fit_to_send(part, depth + 1) for key, part in fields.items()}


def is_text(text: str) -> bool:
    """Whether a text can be written as UTF-8."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def whole_text(text: str) -> str:
    """Halves of a surrogate pair that arrived in two pieces joined; a half without its other raises ValueError."""
    return text if is_text(text) else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def mended_text(text: str) -> str:
    """As `whole_text`, with a replacement mark in place of a lone half."""
    return text if is_text(text) else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


def _short_number(text: str) -> int:
    if len(text) > NUMBER_CHARS:
        raise ValueError(f"a number has {len(text)} digits")
    return int(text)


def _json_name(value: Any) -> str:
    if value is None:
        return "null"
    return {str: "a string", bool: "a boolean", list: "a list"}.get(cast("type[Any]", type(value)), "a number")
