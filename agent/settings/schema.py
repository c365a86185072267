"""What a settings file may say, and how one that says it wrong is read all the same.

A value that does not fit is left out and named with its line; everything else in the file holds, above all the deny
rules. Keys nobody knows are tolerated with a notice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.settings.lines import JsonPath, lines_of
from agent.settings.locations import is_settings_file
from tools.permissions.modes import Mode


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", frozen=True)


class Permissions(_Part):
    allow: list[str] = []
    ask: list[str] = []
    deny: list[str] = []
    defaultMode: Mode | None = None
    additionalDirectories: list[str] = []


class Hook(_Part):
    type: str
    command: str = ""
    timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    # What is shown while it runs; we show the command.
    statusMessage: Any = None


class HookGroup(_Part):
    # Judged where hooks are made of it: one that is left out here would match everything.
    matcher: Any = ""
    hooks: list[Hook]


class Bash(_Part):
    autoBackground: bool | None = None
    # auto-allow: on, and what stays inside is not asked about. True and false are on and off.
    sandbox: Literal["off", "on", "auto-allow", True, False] | None = None
    # Whether commands in the sandbox reach the network.
    sandboxNetwork: bool | None = None
    # Names of variables that commands must not see, besides our own credentials.
    hideEnvironment: list[str] = []


class Agents(_Part):
    autoBackground: bool | None = None


class Classifier(_Part):
    # The model that judges calls in auto mode.
    model: str | None = None


class SettingsText(_Part):
    """One file."""

    permissions: Permissions = Permissions()
    hooks: dict[str, list[HookGroup]] = {}
    env: dict[str, str] = {}
    model: str | None = None
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    theme: str | None = None
    vim: bool | None = None
    features: list[str] | dict[str, bool] = []
    bash: Bash = Bash()
    agents: Agents = Agents()
    classifier: Classifier = Classifier()


READ_FROM_OTHERS = ("permissions", "hooks", "env")
_KEYS_WITHOUT_MEANING = ("$schema",)


@dataclass(frozen=True, slots=True)
class ParsedSettings:
    """What could be read of a file. Its problems and notices do not name it; `lines` tell where its values stand."""

    values: SettingsText
    problems: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    lines: dict[JsonPath, int] = field(default_factory=dict[JsonPath, int])


def parse_settings(text: str, ours: bool = True) -> ParsedSettings:
    try:
        found: Any = json.loads(text)
    except json.JSONDecodeError as error:
        return ParsedSettings(SettingsText(), (f"line {error.lineno}: it is not valid JSON, {error.msg}.",))
    except RecursionError:
        return ParsedSettings(SettingsText(), ("it is nested too deeply.",))
    if not isinstance(found, dict):
        return ParsedSettings(SettingsText(), ("line 1: it must be an object, `{...}`.",))
    lines = lines_of(text)
    raw = cast("dict[str, Any]", found)
    if not ours:
        raw = {key: value for key, value in raw.items() if key in READ_FROM_OTHERS}
    values, problems = _what_fits(raw, lines)
    unknown = [*(_unknown_keys(values, lines) if ours else ()), *_unknown_in_hooks(values, lines)]
    return ParsedSettings(values, problems, tuple(unknown), lines)


def check_settings(path: str, text: str) -> str | None:
    """Why this text must not become the settings file at `path`; None where it may, or where it is no such file."""
    if not is_settings_file(path):
        return None
    problems = parse_settings(text).problems
    return f"{path} would not be valid settings: {' '.join(problems)}" if problems else None


def _what_fits(raw: dict[str, Any], lines: dict[JsonPath, int]) -> tuple[SettingsText, tuple[str, ...]]:
    problems: list[str] = []
    while True:
        try:
            return SettingsText.model_validate(raw), tuple(problems)
        except ValidationError as error:
            # The last of several in one list goes first, so that the places of the others stay right.
            wrong = {_known_path(raw, item["loc"]): item["msg"] for item in error.errors(include_url=False)}
            for path in sorted(wrong, key=lambda path: [str(part).zfill(9) for part in path], reverse=True):
                name = ".".join(str(part) for part in path)
                problems.append(
                    f"line {lines.get(path, 1)}: `{name}` is left out, {wrong[path][0].lower()}{wrong[path][1:]}."
                )
                _leave_out(raw, path, lines)


def _known_path(raw: Any, location: tuple[str | int, ...]) -> JsonPath:
    """The place of an error as far as it exists in the file: a missing field is its parent's fault."""
    path: list[str | int] = []
    for part in location:
        if isinstance(raw, dict) and part in raw:
            raw = cast("dict[Any, Any]", raw)[part]
        elif isinstance(raw, list) and isinstance(part, int) and part < len(cast("list[Any]", raw)):
            raw = cast("list[Any]", raw)[part]
        else:
            break
        path.append(part)
    return tuple(path)


def _leave_out(raw: Any, path: JsonPath, lines: dict[JsonPath, int]) -> None:
    *parents, last = path
    for part in parents:
        raw = raw[part]
    del raw[last]
    if isinstance(last, int):
        _move_up(lines, tuple(parents), last)


def _move_up(lines: dict[JsonPath, int], parents: JsonPath, gone: int) -> None:
    """An entry of a list is gone: those after it, with all that is in them, stand one place further up."""
    depth = len(parents)
    inside = {path: line for path, line in lines.items() if len(path) > depth and path[:depth] == parents}
    for path in inside:
        del lines[path]
    for path, line in inside.items():
        place = path[depth]
        assert isinstance(place, int), "a list's entries are numbered"
        if place != gone:
            lines[(*parents, place - (place > gone), *path[depth + 1 :])] = line


def _unknown_keys(values: SettingsText, lines: dict[JsonPath, int]) -> list[str]:
    parts: tuple[tuple[str, _Part], ...] = (
        ("", values),
        ("permissions", values.permissions),
        ("bash", values.bash),
        ("agents", values.agents),
        ("classifier", values.classifier),
    )
    unknown = [
        (*([name] if name else []), key)
        for name, part in parts
        for key in part.model_extra or {}
        if key not in _KEYS_WITHOUT_MEANING
    ]
    return [_unknown(f"`{'.'.join(path)}`", path, lines) for path in unknown]


def _unknown_in_hooks(values: SettingsText, lines: dict[JsonPath, int]) -> list[str]:
    """Said of everybody's files: a hook that runs although a condition of it was not understood is a surprise."""
    return [
        _unknown(f"`{key}` of a hook for {event}", ("hooks", event, number, "hooks", place, key), lines)
        for event, groups in values.hooks.items()
        for number, group in enumerate(groups)
        for place, hook in enumerate(group.hooks)
        for key in hook.model_extra or {}
    ]


def _unknown(name: str, path: JsonPath, lines: dict[JsonPath, int]) -> str:
    return f"line {lines.get(path, 1)}: {name} is not known and has no effect."
