"""Direct use of the one writer of files: a journal a test can act through, and system calls that fail."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.contract import ToolError
from tools.files import Files, hash_bytes
from tools.ledger.writes import Writes
from tools.taking import trade_places

OLD = b"the old content\n"
NEW = b"something new\n"


class Notes:
    """A journal that only writes down what it is told, and lets a test act in the middle of a write."""

    def __init__(self, act: Callable[[], Any] = lambda: None) -> None:
        self.act = act
        self.begun: list[tuple[str, str | None]] = []
        self.ended: list[str] = []

    def begin(self, real_path: str, temporary: str | None, data: bytes) -> str:
        self.begun.append((real_path, temporary))
        self.act()
        return f"entry-{len(self.begun)}"

    def end(self, entry: str) -> None:
        self.ended.append(entry)


def write(path: Path, data: bytes = NEW, *, files: Files | None = None, new: bool = False) -> str:
    files = files or Files(Writes())
    return files.write(str(path), data, expected=None if new else hash_bytes(OLD), call_id="call-1")


def refused(path: Path, **more: Any) -> ToolError:
    with pytest.raises(ToolError) as refusal:
        write(path, **more)
    return refusal.value


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def failing(monkeypatch: pytest.MonkeyPatch, name: str, number: int, times: int = 10**6) -> None:
    """The system call says no, to its first `times` uses."""
    if name == "replace":
        only_renames(monkeypatch)
    real_call = getattr(os, name)
    left = times

    def call(*args: Any, **named: Any) -> Any:
        nonlocal left
        if left > 0:
            left -= 1
            raise OSError(number, os.strerror(number))
        return real_call(*args, **named)

    monkeypatch.setattr(os, name, call)


def only_renames(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk on which two files cannot trade places."""
    monkeypatch.setattr("tools.taking.trade_places", lambda *_: False)


def at_the_swap(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    """Lets a test act in the last moment: after the last look at the file, just before it is replaced."""
    times: list[int] = []

    def call(*args: Any) -> bool:
        times.append(1)
        if len(times) == 1:
            act()
        return trade_places(*args)

    monkeypatch.setattr("tools.taking.trade_places", call)
