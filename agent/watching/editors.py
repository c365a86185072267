"""Editors leave traces beside the file they save: swap files, locks, backups, files that are moved over the old one."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator

from agent.git_folder import beginning
from agent.watching.hands import PROBABLY, Hand, Trace

# A swap file of vim, of neovim and of nano: whose, its process, and whether there is text that is not saved.
_SWAP = re.compile(rb"b0(VIM|nano) [ -~]*")
_SWAP_HEAD, _SWAP_PROCESS, _SWAP_UNSAVED = 1_008, slice(24, 28), 1_007
_UNSAVED = b"U"
# Its own change and the file's are one act if they are no further apart.
_ONE_ACT_NS = 1_000_000_000
# Editors that write a new file and move it over the old one, by how they call it.
_ATOMIC: tuple[tuple[Callable[[str], re.Pattern[str]], str], ...] = (
    (lambda name: re.compile(re.escape(name) + r"___jb_(?:tmp|old|bak)___"), "a JetBrains editor"),
    (lambda name: re.compile(re.escape(name) + r"\.vsctmp"), "VS Code"),
    (lambda name: re.compile(r"\.goutputstream-\w{6}"), "a GNOME editor"),
    (lambda name: re.compile(re.escape(name) + r"\.kate-swp|\." + re.escape(name) + r"\.kate-swp"), "Kate"),
    (lambda name: re.compile(r"\." + re.escape(name) + r"\.kak\.\w{6}"), "Kakoune"),
    (lambda name: re.compile(r"\.~lock\." + re.escape(name) + "#"), "an office program"),
)


def editor_of(trace: Trace) -> Hand | None:
    """The editor whose traces lie beside the file. Blocking."""
    return next((hand for find in (_emacs, _atomic, _vim, _backup) if (hand := find(trace)) is not None), None)


def _emacs(trace: Trace) -> Hand | None:
    """Its lock is there as long as the text is not saved, and goes with the saving."""
    lock, kept = f".#{trace.name}", f"#{trace.name}#"
    for name in (lock, kept):
        if trace.moved_beside(name) and not os.path.lexists(os.path.join(trace.folder, name)):
            return Hand("saved in emacs", f"its {name} went at the same time")
    return None


def _atomic(trace: Trace) -> Hand | None:
    moved = [os.path.basename(path) for path in trace.touched if os.path.dirname(path) == trace.folder]
    for pattern_for, editor in _ATOMIC:
        pattern = pattern_for(trace.name)
        found = next((name for name in moved if pattern.fullmatch(name)), None)
        if found is not None:
            return Hand(f"saved in {editor}", f"{found} came and went beside it")
    return None


def _vim(trace: Trace) -> Hand | None:
    """Saving is noted in its swap file; leaving it at once takes that away."""
    for path, editor in _places_of_swap(trace):
        name = os.path.basename(path)
        head = beginning(path, _SWAP_HEAD)
        if not head and trace.moved_beside(name):
            return Hand(f"saved in {editor}", f"its {name} went at the same time")
        if (found := _SWAP.match(head)) and _runs(path, head) and _changed_with(path, trace):
            who = "nano" if found[1] == b"nano" else editor
            if head[_SWAP_UNSAVED:] == _UNSAVED:
                return Hand(f"{PROBABLY}{who}", f"it is being changed there: {name}")
            return Hand(f"saved in {who}", f"its {name} says so")
    return None


def _backup(trace: Trace) -> Hand | None:
    backup = f"{trace.name}~"
    if not trace.moved_beside(backup):
        return None
    return Hand(f"{PROBABLY}an editor", f"a backup {backup} was made at the same time")


def _places_of_swap(trace: Trace) -> Iterator[tuple[str, str]]:
    for ending in ("swp", "swo", "swn"):
        yield os.path.join(trace.folder, f".{trace.name}.{ending}"), "vim"
    state = os.environ.get("XDG_STATE_HOME", "") or os.path.expanduser("~/.local/state")
    yield os.path.join(state, "nvim", "swap", trace.path.replace("/", "%") + ".swp"), "neovim"


def _runs(path: str, head: bytes) -> bool:
    """A swap file left by a crash says nothing, nor does one that somebody else put there."""
    process = int.from_bytes(head[_SWAP_PROCESS], "little")
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_uid not in (os.getuid(), 0) or process <= 1:
            return False
        os.kill(process, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _changed_with(path: str, trace: Trace) -> bool:
    try:
        return abs(os.lstat(path).st_mtime_ns - trace.changed_at) < _ONE_ACT_NS
    except OSError:
        return False
