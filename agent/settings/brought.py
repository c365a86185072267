"""What a folder brings that counts only once it is trusted: what the question about trust lists.

Everything here is read as data, and nothing of it is used. Only the folder itself is looked at: a repository inside it
is a folder of its own, and so is whatever a package manager put there.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple, cast

from agent.context.instructions import read_instructions
from agent.settings.files import read_text
from agent.settings.hooks import hooks_of
from agent.settings.lines import lines_of
from agent.settings.locations import SettingsFile, settings_files
from agent.settings.merge import never_from_a_project, single_values
from agent.settings.schema import ParsedSettings, parse_settings
from tools.permissions.rules import FROM_THE_FOLDER

MOST_FILES = 500
SERVERS_FILE = ".mcp.json"
# Where each kind of text for the model lies, and how deep the folders below are looked through.
_TEXTS = (
    ("skill", ".agents/skills", "SKILL.md", 1),
    ("skill", ".claude/skills", "SKILL.md", 1),
    ("command", ".claude/commands", ".md", 3),
    ("agent", ".agent-tui/agents", ".md", 0),
    ("agent", ".claude/agents", ".md", 0),
)


class Brought(NamedTuple):
    """One thing: what it is, the file (from the folder) and line, and what it says."""

    what: str
    where: str
    detail: str = ""


def what_folder_brings(folder: str, home: str) -> tuple[Brought, ...]:
    """What runs code, allows, or speaks to the model. Nothing: there is nothing to ask the person about."""
    theirs = {os.path.realpath(file.path) for file in settings_files(folder, home) if file.scope == "user"}
    own = [file for file in settings_files(folder, home) if os.path.realpath(file.path) not in theirs]
    return (
        *(brought for file in own for brought in _of_settings(file, folder)),
        *_servers(folder),
        *_instructions(folder, home),
        *_texts(folder),
    )


# -- settings files


def _of_settings(file: SettingsFile, folder: str) -> Iterator[Brought]:
    text = _text_of(file.path) if file.scope in FROM_THE_FOLDER else None
    if text is None:
        return
    parsed = parse_settings(text, file.ours)
    place = os.path.relpath(file.path, folder)
    for hook in hooks_of(file, parsed, usable=True):
        when = f"{hook.event} {hook.matcher}".strip()
        yield Brought("hook", f"{place}:{hook.line}", f"{when}: {hook.command}")
    for what, path, detail in (*_permissions(parsed, file), *_values(parsed, file)):
        yield Brought(what, f"{place}:{parsed.lines.get(path, 1)}", detail)


_Found = Iterator[tuple[str, tuple[str | int, ...], str]]


def _permissions(parsed: ParsedSettings, file: SettingsFile) -> _Found:
    permissions = parsed.values.permissions
    for number, rule in enumerate(permissions.allow):
        yield "allow rule", ("permissions", "allow", number), rule
    for number, entry in enumerate(permissions.additionalDirectories):
        yield "folder", ("permissions", "additionalDirectories", number), entry
    # A project never chooses the mode; its local settings may, once it is trusted.
    if permissions.defaultMode is not None and file.scope == "local":
        yield "mode", ("permissions", "defaultMode"), permissions.defaultMode


def _values(parsed: ParsedSettings, file: SettingsFile) -> _Found:
    for name, value in parsed.values.env.items():
        if not never_from_a_project(name):
            yield "variable", ("env", name), f"{name}={value}"
    if file.ours:
        for name in parsed.values.features:
            yield "feature", ("features",), name
        for name, value in single_values(parsed.values).items():
            yield "setting", tuple(name.split(".")), f"{name} = {json.dumps(value)}"


# -- servers


def _servers(folder: str) -> Iterator[Brought]:
    text = _text_of(os.path.join(folder, SERVERS_FILE))
    try:
        found: Any = json.loads(text or "{}")
    except (ValueError, RecursionError):  # nothing can be started from it
        return
    servers = cast("dict[str, Any]", found).get("mcpServers") if isinstance(found, dict) else None
    lines = lines_of(text or "{}")
    for name, definition in cast("dict[str, Any]", servers).items() if isinstance(servers, dict) else ():
        line = lines.get(("mcpServers", name), 1)
        yield Brought("server", f"{SERVERS_FILE}:{line}", f"{name}: {_started_how(definition)}")


def _started_how(definition: Any) -> str:
    """The command as a shell would take it, and whatever else it is given; as it stands where it has no such shape."""
    fields = cast("dict[str, Any]", definition) if isinstance(definition, dict) else {}
    args: Any = fields.get("args", [])
    words = [fields.get("command"), *(cast("list[Any]", args) if isinstance(args, list) else [None])]
    if not all(isinstance(word, str) for word in words):
        return json.dumps(definition)
    rest = {key: value for key, value in fields.items() if key not in ("command", "args")}
    return shlex.join(cast("list[str]", words)) + (f"  {json.dumps(rest)}" if rest else "")


# -- words for the model


def _instructions(folder: str, home: str) -> Iterator[Brought]:
    for file in read_instructions(folder, home, trusted=True).files:
        yield Brought("instructions", os.path.relpath(file.path, folder), _begins(file.text))


def _texts(folder: str) -> Iterator[Brought]:
    found = 0
    for what, place, ending, depth in _TEXTS:
        for path in _files_below(os.path.join(folder, place), ending, depth):
            found += 1
            if found > MOST_FILES:
                yield Brought("more", place, f"than {MOST_FILES} files with words for the model")
                return
            yield Brought(what, os.path.relpath(path, folder), _begins(_text_of(path) or ""))


def _files_below(place: str, ending: str, depth: int) -> Iterator[str]:
    try:
        with os.scandir(place) as found:
            entries = sorted(islice(found, MOST_FILES + 1), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir() and depth > 0:
            yield from _files_below(entry.path, ending, depth - 1)
        elif entry.name.endswith(ending):
            yield entry.path


def _begins(text: str) -> str:
    """How long it is and how it begins; of front matter the description says it best."""
    lines = [line.strip() for line in text.splitlines() if line.strip().strip("-#")]
    described = next((line for line in lines if line.startswith("description:")), lines[0] if lines else "")
    count = len(text.splitlines())
    return f"{count} line{'' if count == 1 else 's'}: {described.removeprefix('description:').lstrip('# ')}"


def _text_of(path: str) -> str | None:
    """None where there is nothing to read: what cannot be read is told with the settings' problems."""
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError):
        return None
