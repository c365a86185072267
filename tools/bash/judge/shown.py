"""What showing a word gives away: variables that may hold a secret, and files that are somebody's environment."""

from __future__ import annotations

import posixpath
import re

from tools.bash.script import START, Folders, SimpleCommand, is_own_name
from tools.bash.words import Word, names

# Variables that hold no secret.
SHOWN_VARIABLES = names(
    "HOME PWD OLDPWD USER LOGNAME SHELL PATH LANG LANGUAGE TERM HOSTNAME TMPDIR UID EUID RANDOM SECONDS LINENO "
    "BASH_VERSION OSTYPE HOSTTYPE MACHTYPE VIRTUAL_ENV CONDA_PREFIX NODE_ENV EDITOR VISUAL PAGER COLUMNS LINES SHLVL "
    "XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR XDG_SESSION_TYPE DISPLAY "
    "TZ NO_COLOR GOPATH GOROOT JAVA_HOME CARGO_HOME RUSTUP_HOME NVM_DIR PYENV_ROOT LC_ALL LC_CTYPE COLORTERM "
    "TERM_PROGRAM CI MANPATH CDPATH BASHPID PPID GROUPS SHELLOPTS EPOCHSECONDS PIPESTATUS ? # $ ! - _"
)  # fmt: skip
_SECRET_NAME = re.compile(r"proxy|token|secret|passw|passphrase|key|auth|cred|cookie|session|private|npm_config|pat$")

_SECRET_FOLDERS = ("/proc", "/dev/fd", "/dev/tcp", "/dev/udp")
# Of /proc, what tells about the machine and not about anybody's process.
_MACHINE = names(
    "/proc/cpuinfo /proc/meminfo /proc/version /proc/loadavg /proc/uptime /proc/filesystems /proc/mounts /proc/stat "
    "/proc/swaps /proc/partitions /proc/devices /proc/diskstats /proc/interrupts /proc/vmstat /proc/modules"
)
# A pattern in the first name of a path may become /proc.
_PATTERN_AT_ROOT = re.compile(r"/[^/]*[*?\[{]")


def gives_nothing_away(word: Word, command: SimpleCommand) -> bool:
    return (
        not word.opaque
        and all(_may_be_shown(name, command) for name in word.variables)
        and not names_secret_file(word, command.folders)
    )


def _may_be_shown(name: str, command: SimpleCommand) -> bool:
    """The line's own, and what convention keeps for the variables of a script."""
    if name in SHOWN_VARIABLES or name in command.variables:
        return True
    return name.islower() and is_own_name(name) and not _SECRET_NAME.search(name)


def names_secret_file(word: Word, folders: Folders) -> bool:
    """Whether a path in the word leads, or may lead, into the environment or memory of a process, or to a socket."""
    if "/" not in word.text and folders == START:
        return False
    paths = {word.text, word.text.partition("=")[2], word.text[word.text.find("/") :]} - {""}
    if any("environ" in path.split("/") for path in paths) or (word.globs and ".." in word.text.split("/")):
        return True
    seen = [posixpath.normpath(posixpath.join("/", folder, path)) for folder in folders or ("",) for path in paths]
    from_root = word.text.startswith("/") or any(folder.startswith("/") for folder in folders or ("/",))
    if word.globs and from_root and any(_PATTERN_AT_ROOT.match(path) for path in seen):
        return True
    return any(_is_below_secret(path) for path in (*seen, *paths))


def _is_below_secret(path: str) -> bool:
    plain = "/" + path.lstrip("/") if path.startswith("/") else path
    return plain not in _MACHINE and any(plain == top or plain.startswith(f"{top}/") for top in _SECRET_FOLDERS)
