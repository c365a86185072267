"""The one policy for what a model may send: strict types, no extra fields, and the few spellings that are let through.

Exact "true" and "false" count as booleans and decimal strings as numbers, because models do write them; nothing else
is coerced. A boolean is no number, a number no boolean, and a list written as a string is a string.
"""

from __future__ import annotations

import functools
import re
import sys
import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

PROBLEMS_NAMED = 5
_LONGEST_NAME = 80
_DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")


def _no_plugins() -> None:
    """Pydantic would look through all installed packages for plugins: slow, and we want nobody's code in our checks."""
    loader = types.ModuleType("pydantic.plugin._loader")
    vars(loader)["get_plugins"] = tuple
    sys.modules.setdefault(loader.__name__, loader)


_no_plugins()


class ToolInput(BaseModel):
    """Base of every tool's Input."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _let_through_exact_spellings(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        values = cast("dict[str, Any]", raw)
        kinds = _kinds_of(cls)
        return {key: _spelled_out(value, kinds.get(key, ())) for key, value in values.items()}


class ToolOutput(BaseModel):
    """Base of every tool's Output and Progress: plain data that events carry and saved sessions are read back into."""

    model_config = ConfigDict(frozen=True, defer_build=True)


class NoProgress(ToolOutput):
    """For tools that are done before anybody could look."""


def sentence_for(error: ValidationError, tool: str) -> str:
    """What is wrong with an input, in words the model can act on."""
    problems = [_problem(item) for item in cast("list[dict[str, Any]]", error.errors(include_url=False))]
    more = len(problems) - PROBLEMS_NAMED
    rest = f" And {more} more." if more > 0 else ""
    return f"{tool} was not run: its input is not valid. " + " ".join(problems[:PROBLEMS_NAMED]) + rest


@functools.cache
def _kinds_of(model: type[ToolInput]) -> Mapping[str, tuple[type, ...]]:
    return {field.alias or name: _plain_types(field.annotation) for name, field in model.model_fields.items()}


def _plain_types(annotation: Any) -> tuple[type, ...]:
    if get_origin(annotation) is Annotated:
        return _plain_types(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(kind for arg in get_args(annotation) for kind in _plain_types(arg))
    return (annotation,) if annotation in (bool, int, float, str) else ()


def _spelled_out(value: Any, kinds: tuple[type, ...]) -> Any:
    if not isinstance(value, str) or str in kinds:
        return value
    if bool in kinds and value in ("true", "false"):
        return value == "true"
    if not _DECIMAL.fullmatch(value):
        return value
    if int in kinds and "." not in value:
        return int(value)
    return float(value) if float in kinds else value


def _problem(item: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in item["loc"])[:_LONGEST_NAME] or "the input"
    match item["type"]:
        case "missing":
            return f"`{where}` is required."
        case "extra_forbidden":
            return f"`{where}` is not a field of this tool."
        case "model_type" | "dict_type":
            return f"Expected an object for {where}, got {type(item['input']).__name__}."
        case "value_error" | "assertion_error":
            return f"`{where}`: {item['ctx']['error']}."
        case _:
            return f"`{where}`: {item['msg'][:1].lower()}{item['msg'][1:]}, got {_got(item['input'])}."


def _got(value: Any) -> str:
    """A number out of its bounds is told as it is; of other values the type says enough."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{type(value).__name__} {value}" if plain and abs(value) < 1e18 else type(value).__name__
