"""What the first frame has to know, at a glance: which theme, mode and model, and whether a question comes first.

It imports nothing and parses nothing, because every millisecond here is one before the prompt. Settings are read
properly a moment later; a glance that errs costs a wrong colour for a fifth of a second.
"""

from __future__ import annotations

import os

# As in `typing`, whose import alone would cost more than everything here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# What agent.assemble takes where nothing is said; importing that takes longer than Textual.
MODEL = "claude-opus-5-5"
# The permission modes and the theme's word for each.
MODES = {
    "default": "default",
    "acceptEdits": "edits",
    "plan": "plan",
    "auto": "auto",
    "dontAsk": "dontask",
    "bypassPermissions": "bypass",
}
CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")

_SWITCHES = ("-c", "--continue", "--ascii", "--trust", "--read-only", "--simple")
_WITH_VALUE = (
    *("-r", "--resume", "--theme", "--model", "--effort", "--permission-mode", "--add-dir", "--max-turns"),
    *("--append-system-prompt", "--allowed-tools", "--allowedTools", "--disallowed-tools", "--disallowedTools"),
)
# What makes a folder one that must be trusted first.
_BROUGHT = (".agent-tui", ".claude", ".agents", ".mcp.json", "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md")
_MOST_BYTES = 1 << 16


class Glance:
    """`deep`: the terminal shows any colour, not only those of the palette of 256."""

    __slots__ = ("ascii", "deep", "folder", "mode", "model", "theme")

    def __init__(self, folder: str = "", deep: bool = True, ascii: bool = False) -> None:
        self.folder = folder
        self.deep = deep
        self.ascii = ascii
        self.theme = "slate"
        self.mode = "default"
        self.model = MODEL


def glance(args: Sequence[str], environ: Mapping[str, str]) -> Glance | None:
    """None where no first frame is to be shown: the line asks for something else, or a question comes first."""
    flags = _flags(args)
    deep = _depth(environ)
    if flags is None or deep is None or "NO_COLOR" in environ or environ.get("TERM") in ("dumb", "linux"):
        return None
    try:
        folder = os.getcwd()
    except OSError:
        return None
    brings = _brings(folder)
    if brings and "--trust" not in flags and not _is_trusted(folder, environ):
        return None
    seen = Glance(folder, deep, "--ascii" in flags or not speaks_utf8(environ))
    for path in _settings(folder if brings else "", environ):
        _read(path, seen)
    seen.theme = flags.get("--theme", seen.theme)
    seen.model = flags.get("--model", seen.model)
    seen.mode = flags.get("--permission-mode", seen.mode)
    if not is_connected(environ):
        seen.model = "tour"
    return seen if seen.mode in MODES else None


def shown_model(name: str) -> str:
    """As a person calls it."""
    return name.removeprefix("claude-")


def speaks_utf8(environ: Mapping[str, str]) -> bool:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        if environ.get(name):
            return "utf8" in environ[name].lower().replace("-", "")
    return True


def _flags(args: Sequence[str]) -> dict[str, str] | None:
    """The options of a line that starts the screen; None for any other, and for one that may be wrong."""
    flags: dict[str, str] = {}
    words = iter(args)
    for word in words:
        name, equals, value = word.partition("=")
        if name in _SWITCHES and not equals:
            flags[name] = ""
        elif name in _WITH_VALUE:
            flags[name] = value if equals else next(words, "")
        elif word.startswith("-") or " " not in word or "task" in flags:
            return None
        else:
            flags["task"] = word
    return flags


def _depth(environ: Mapping[str, str]) -> bool | None:
    """Whether all colours are there; None where not even 256 are. As Rich sees it, so that nothing changes later."""
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return True
    return False if environ.get("TERM", "").lower().endswith(("-256color", "-kitty")) else None


def is_connected(environ: Mapping[str, str]) -> bool:
    return any(environ.get(name, "").strip() for name in CREDENTIALS)


def _brings(folder: str) -> bool:
    """Whether this folder, or one above it in the same repository, has something to say."""
    while True:
        try:
            names = set(os.listdir(folder))
        except OSError:
            return False
        if not names.isdisjoint(_BROUGHT):
            return True
        parent = os.path.dirname(folder)
        if ".git" in names or parent == folder or not os.path.exists(os.path.join(parent, ".git")):
            return False
        folder = parent


def _is_trusted(folder: str, environ: Mapping[str, str]) -> bool:
    chosen = environ.get("XDG_STATE_HOME", "")
    base = chosen if os.path.isabs(chosen) else os.path.expanduser("~/.local/state")
    return f'"{os.path.realpath(folder)}"' in _text(f"{base}/agent-tui/trust.json")


def _settings(folder: str, environ: Mapping[str, str]) -> Iterator[str]:
    chosen = environ.get("XDG_CONFIG_HOME", "")
    yield f"{chosen if os.path.isabs(chosen) else os.path.expanduser('~/.config')}/agent-tui/settings.json"
    if folder:
        yield f"{folder}/.agent-tui/settings.json"
        yield f"{folder}/.agent-tui/settings.local.json"


def _read(path: str, seen: Glance) -> None:
    text = _text(path)
    seen.theme = _said(text, "theme") or seen.theme
    seen.model = _said(text, "model") or seen.model
    mode = _said(text, "defaultMode")
    # A project does not choose the mode, and no file this one.
    if mode and not path.endswith("/.agent-tui/settings.json") and mode != "bypassPermissions":
        seen.mode = mode


def _said(text: str, key: str) -> str:
    """The string after `"key":`, or nothing."""
    rest = text.partition(f'"{key}"')[2].lstrip()
    value = rest[1:].lstrip() if rest.startswith(":") else ""
    return value[1:].partition('"')[0] if value.startswith('"') else ""


def _text(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(descriptor, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
