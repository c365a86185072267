"""All settings files and flags made into one: lists are joined, of single values the nearest wins.

Flag over local over project over user; the mode never comes from the project. Of a folder that is not trusted
only what restricts is used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from agent.settings.files import read_text, why_unreadable
from agent.settings.locations import SettingsFile, settings_files
from agent.settings.trust import is_trusted
from tools.permissions.modes import Mode
from tools.permissions.rules import FROM_THE_FOLDER, Kind, Rule, RuleSet, Source, parse_rule, parse_rules

if TYPE_CHECKING:
    from agent.settings.schema import ParsedSettings, SettingsText
    from tools.hooks.configured import Hook

FEATURES_VARIABLE = "AGENT_TUI_FEATURES"
KINDS: tuple[Kind, ...] = ("deny", "ask", "allow")

# Variables with which a repository could load code into every program, or send the key elsewhere.
_NEVER_FROM_A_PROJECT = ("LD_", "DYLD_", "GIT_", "ANTHROPIC_", "AGENT_TUI_", "BASH_FUNC_")
_NEVER_FROM_A_PROJECT_NAMES = frozenset(
    {"BASH_ENV", "ENV", "PROMPT_COMMAND", "PS4", "IFS", "PATH", "HOME", "SHELL", "PYTHONPATH", "NODE_OPTIONS"}
    | {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "PYTHONSTARTUP"}
)


# What a project could open: whether commands run in a sandbox is the person's choice.
_NEVER_A_PROJECTS = frozenset({"bash.sandbox", "bash.sandboxNetwork", "bash.autoBackground"})
# Lists of which every file may add its own.
_JOINED = frozenset({"bash.hideEnvironment"})


@dataclass(frozen=True, slots=True)
class Flags:
    """What the command line said about settings. `trusted` None: as the person has said of this folder before."""

    mode: Mode | None = None
    model: str | None = None
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    additional_directories: tuple[str, ...] = ()
    trusted: bool | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything settled. `problems` name what is broken and where, `notices` what has no effect."""

    rules: RuleSet = field(default_factory=RuleSet)
    mode: Mode = "default"
    # Started with bypassPermissions, so that the mode may be chosen.
    bypass_allowed: bool = False
    trusted: bool = False
    features: frozenset[str] = frozenset()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    # All that are written somewhere, also those that do not run, with the reason.
    hooks: tuple[Hook, ...] = ()
    additional_directories: tuple[str, ...] = ()
    # Single values under their dotted names: "model", "theme", "bash.autoBackground", ...
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    problems: list[str] = field(default_factory=list[str])
    notices: list[str] = field(default_factory=list[str])

    @property
    def model(self) -> str | None:
        return self.values.get("model")


class _Read(NamedTuple):
    """A file that was there, with what could be read of it."""

    file: SettingsFile
    parsed: ParsedSettings
    # False: it lies in a folder that is not trusted, so only what restricts counts.
    usable: bool


def load_settings(folder: str, home: str, flags: Flags | None = None) -> Settings:
    flags = flags or Flags()
    trusted = is_trusted(folder) if flags.trusted is None else flags.trusted
    files, unreadable = _read_all(folder, home, trusted)
    rules = RuleSet(tuple(rule for read in files for rule in _rules(read))).plus(*_flag_rules(flags, folder))
    mode, mode_notices = _mode(files, flags)
    env, env_notices = _env(files)
    hooks, hook_problems = _hooks(files)
    return Settings(
        rules=rules,
        mode=mode,
        bypass_allowed=flags.mode == "bypassPermissions",
        trusted=trusted,
        features=_features(files, flags),
        env=env,
        hooks=hooks,
        additional_directories=_directories(files, flags, folder, home),
        values=_values(files, flags),
        problems=[
            *unreadable,
            *_told(files, "problems"),
            *rules.problems,
            *hook_problems,
            *_missing(flags, folder, home),
        ],
        notices=[*_told(files, "notices"), *mode_notices, *env_notices, *_not_a_projects(files)],
    )


def rules_in(file: SettingsFile) -> tuple[Rule, ...] | None:
    """The rules of one file as it is now; None where it cannot be read, so that those known of it stay."""
    try:
        with open(file.path, encoding="utf-8-sig") as opened:
            text = opened.read()
        json.loads(text)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, RecursionError):
        return None
    from agent.settings.schema import parse_settings

    return tuple(_rules(_Read(file, parse_settings(text, file.ours), usable=True)))


def _read_all(folder: str, home: str, trusted: bool) -> tuple[list[_Read], list[str]]:
    files: list[_Read] = []
    problems: list[str] = []
    for file in settings_files(folder, home):
        try:
            text = read_text(file.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{file.path}: it cannot be read, {why_unreadable(error)}.")
            continue
        from agent.settings.schema import parse_settings  # its models take a while to build: only where a file is there

        usable = trusted or file.scope not in FROM_THE_FOLDER
        files.append(_Read(file, parse_settings(text, file.ours), usable))
    return files, problems


def _rules(read: _Read) -> Iterator[Rule]:
    """All of them, also a folder's allow rules: `decide` leaves those out while the folder is not trusted."""
    source = Source(read.file.scope, read.file.root, read.file.path)
    permissions = read.parsed.values.permissions
    for kind in KINDS:
        for number, text in enumerate(getattr(permissions, kind)):
            line = read.parsed.lines.get(("permissions", kind, number), 0)
            yield parse_rule(text, kind, source, line)


def _flag_rules(flags: Flags, folder: str) -> tuple[Rule, ...]:
    lists: tuple[tuple[Kind, Iterable[str]], ...] = (("deny", flags.disallowed_tools), ("allow", flags.allowed_tools))
    return parse_rules(lists, Source("flag", folder)).rules


def _mode(files: list[_Read], flags: Flags) -> tuple[Mode, list[str]]:
    if flags.mode is not None:
        return flags.mode, []
    mode: Mode = "default"
    notices: list[str] = []
    for read in files:
        chosen = read.parsed.values.permissions.defaultMode
        if chosen is None:
            continue
        if read.file.scope == "project" or not read.usable:
            notices.append(f"{read.file.path}: the mode {chosen} is not taken, a project does not choose it.")
        elif chosen == "bypassPermissions":
            notices.append(f"{read.file.path}: start with `--permission-mode {chosen}` to have this mode.")
        else:
            mode = chosen
    return mode, notices


def _env(files: list[_Read]) -> tuple[dict[str, str], list[str]]:
    env: dict[str, str] = {}
    notices: list[str] = []
    for read in files:
        for name, value in read.parsed.values.env.items() if read.usable else ():
            if read.file.scope in FROM_THE_FOLDER and never_from_a_project(name):
                notices.append(f"{read.file.path}: the variable {name} is not taken from a project.")
            elif not _can_be_variable(name, value):
                notices.append(f"{read.file.path}: {name!r} cannot be a variable of the environment.")
            else:
                env[name] = value
    return env, notices


def never_from_a_project(name: str) -> bool:
    return name.upper() in _NEVER_FROM_A_PROJECT_NAMES or name.upper().startswith(_NEVER_FROM_A_PROJECT)


def _can_be_variable(name: str, value: str) -> bool:
    try:
        os.fsencode(name + value)
    except UnicodeEncodeError:
        return False
    return bool(name) and "=" not in name and "\0" not in name + value


def _hooks(files: list[_Read]) -> tuple[tuple[Hook, ...], list[str]]:
    if not any(read.parsed.values.hooks for read in files):
        return (), []
    from agent.settings.hooks import each_once, hook_problems, hooks_of

    hooks = each_once(hook for read in files for hook in hooks_of(read.file, read.parsed, read.usable))
    return hooks, list(hook_problems(hooks))


def _directories(files: list[_Read], flags: Flags, folder: str, home: str) -> tuple[str, ...]:
    named = [(entry, read.file) for read in files if read.usable for entry in _listed(read)]
    found = [_absolute(entry, folder if file.scope != "user" else file.root, home) for entry, file in named]
    found += [_absolute(entry, folder, home) for entry in flags.additional_directories]
    return tuple(dict.fromkeys(found))


def _missing(flags: Flags, folder: str, home: str) -> Iterator[str]:
    """Folders asked for on the command line that are not there; settings may name some of another machine."""
    for entry in flags.additional_directories:
        if not os.path.isdir(_absolute(entry, folder, home)):
            yield f"--add-dir {entry}: there is no such folder."


def _listed(read: _Read) -> list[str]:
    return read.parsed.values.permissions.additionalDirectories


def _absolute(entry: str, base: str, home: str) -> str:
    entry = home + entry[1:] if entry == "~" or entry.startswith("~/") else entry
    return os.path.normpath(os.path.join(base, entry))


def _features(files: list[_Read], flags: Flags) -> frozenset[str]:
    chosen: dict[str, bool] = {}
    for read in files:
        features = read.parsed.values.features if read.usable else []
        chosen.update(features if isinstance(features, dict) else dict.fromkeys(features, True))
    named = os.environ.get(FEATURES_VARIABLE, "").split(",")
    chosen.update(dict.fromkeys((name.strip() for name in (*named, *flags.features) if name.strip()), True))
    return frozenset(name for name, on in chosen.items() if on)


def _values(files: list[_Read], flags: Flags) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for read in files:
        if not read.usable or not read.file.ours:
            continue
        single = single_values(read.parsed.values)
        if read.file.scope == "project":
            single = {name: value for name, value in single.items() if name not in _NEVER_A_PROJECTS}
        for name in _JOINED & single.keys():
            single[name] = [*values.get(name, []), *single[name]]
        values.update(single)
    return values | ({"model": flags.model} if flags.model else {})


def _not_a_projects(files: list[_Read]) -> Iterator[str]:
    """Nobody is to think that a sandbox is on which is not."""
    for read in files:
        if read.usable and read.file.ours and read.file.scope == "project":
            for name in sorted(_NEVER_A_PROJECTS & single_values(read.parsed.values).keys()):
                yield f"{read.file.path}: {name} is not taken, a project does not choose it."


def single_values(settings: SettingsText) -> dict[str, Any]:
    """What one file says of single values, under their dotted names."""
    values = settings.model_dump(include={"model", "effort", "theme", "vim"}, exclude_none=True)
    parts = (("bash", settings.bash), ("agents", settings.agents), ("classifier", settings.classifier))
    for name, part in parts:
        values.update({f"{name}.{key}": value for key, value in part.model_dump(exclude_unset=True).items()})
    return values


def _told(files: list[_Read], what: str) -> Iterator[str]:
    for read in files:
        yield from (f"{read.file.path}: {sentence}" for sentence in getattr(read.parsed, what))
