"""Looks at everything the session rests on, for the health page: model, watcher, sandbox, tools, record, terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tools.bash.environment import find_program
from tools.search.ripgrep import find_rg
from tools.short import counted
from tui.clipboard import desktop_program
from tui.editor import editor_command
from tui.glance import is_connected, speaks_utf8
from tui.screens.health import Item

if TYPE_CHECKING:
    from tui.stage import Stage

LITTLE_SPACE = 200 << 20


def checkup(stage: Stage, faults: Sequence[str]) -> list[Item]:
    """`faults`: what of ours did not work. Looks at disks and programs: not for the event loop."""
    return [
        *_model(stage),
        _watcher(stage),
        _sandbox(stage),
        *_settings(stage),
        *_hooks(stage),
        *_programs(stage),
        _terminal(),
        _record(stage),
        *_faults(faults),
    ]


def _model(stage: Stage) -> Iterator[Item]:
    if not is_connected(os.environ):
        yield Item("look", "model", "the built-in tour answers", "set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL")
        return
    where = os.environ.get("ANTHROPIC_BASE_URL", "") or "the maker's own endpoint"
    tokens = stage.transcript.tally.tokens
    asked = tokens.input + tokens.cache_read + tokens.cache_write
    cached = f", {round(100 * tokens.cache_read / asked)}% of the input cached" if asked else ", not asked yet"
    yield Item("well", "model", f"{stage.session.about.model} at {where}{cached}")


def _watcher(stage: Stage) -> Item:
    watcher = stage.session.watcher
    if watcher.problem:
        return Item("look", "watcher", watcher.problem)
    if not watcher.following:
        return Item("well", "watcher", "ready, no file was read or changed yet")
    return Item("well", "watcher", f"{counted(watcher.following, 'file')} in {counted(watcher.folders, 'folder')}")


def _sandbox(stage: Stage) -> Item:
    state = stage.session.sandbox.state
    return Item("look" if state.lacks else "well", "sandbox", state.sentence)


def _settings(stage: Stage) -> Iterator[Item]:
    policy = stage.session.policy
    for problem in policy.problems:
        yield Item("look", "settings", stage.kinds.ctx.in_words(problem))
    if not policy.trusted:
        yield Item("look", "folder", "not trusted", "its hooks, servers, allow rules and instructions are not used")


def _hooks(stage: Stage) -> Iterator[Item]:
    for hook, last, _ in stage.session.hooks.listed():
        name = stage.kinds.ctx.in_words(hook.name)
        if hook.broken:
            yield Item("look", "hook", name, hook.idle)
        elif last is not None and last.failed:
            how = f"exit {last.exit_code}" if last.exit_code is not None else last.line
            yield Item("look", "hook", name, f"its last run failed, {how}; /hooks")


def _programs(stage: Stage) -> Iterator[Item]:
    roots = (stage.folder,)
    rg = find_rg(roots)
    yield (
        Item("well", "ripgrep", rg) if rg else Item("look", "ripgrep", "not found", "searches take our own, slower way")
    )
    git = find_program("git", os.environ, roots)
    yield (
        Item("well", "git", git) if git else Item("look", "git", "not found", "branch and changed files are not shown")
    )
    if editor_command(os.environ, "x") is None:
        yield Item("look", "editor", "none is named", "set VISUAL or EDITOR for Ctrl+G and e")


def _terminal() -> Item:
    deep = os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit")
    copy = desktop_program()
    parts = ["24-bit colour" if deep else "256 colours or fewer", f"copies by {copy[0] if copy else 'OSC 52'}"]
    if not speaks_utf8(os.environ):
        return Item("look", "terminal", ", ".join(parts), "the locale is not UTF-8, so marks are shown in ASCII")
    return Item("well", "terminal", ", ".join(parts))


def _record(stage: Stage) -> Item:
    folder = os.path.dirname(str(stage.session.results.folder))
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Item("broken", "session", f"its folder cannot be used: {error.strerror}", "nothing of it can be resumed")
    if free < LITTLE_SPACE:
        return Item("look", "session", f"only {free >> 20} MB are free where it is kept", "make room, or it is lost")
    return Item("well", "session", f"{stage.session.id}, Python {sys.version.split()[0]}")


def _faults(faults: Sequence[str]) -> Iterator[Item]:
    for told in faults:
        yield Item("broken", "agent-tui", f"a fault, {told}", "the calls are not affected; please report it")
