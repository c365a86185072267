"""Which editor saved a file is told from what lies beside it, or passed by there; and only from that."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.watching.editors import editor_of
from agent.watching.hands import trace_of
from tools.files import hash_file

NOBODY_RUNS = 2**22 + 1


def swap_file(path: Path, process: int = 0, unsaved: bool = False, who: bytes = b"VIM 9.0") -> None:
    """As vim, neovim and nano write it."""
    head = bytearray(4_096)
    head[:2] = b"b0"
    head[2 : 2 + len(who)] = who
    head[24:28] = (process or os.getpid()).to_bytes(4, "little")
    head[1_007] = ord("U") if unsaved else 0
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head)


def who_saved(folder: Path, *passed: str) -> str:
    """`passed` are names of what came and went while the file was saved."""
    file = folder / "a.py"
    file.write_text("saved\n")
    found = editor_of(trace_of(str(file), hash_file(str(file)), frozenset(str(folder / name) for name in passed)))
    return found.words if found is not None else ""


@pytest.mark.parametrize(
    ("passed", "who"),
    [
        (("a.py", ".a.py.swp"), "saved in vim"),
        ((".#a.py",), "saved in emacs"),
        (("#a.py#",), "saved in emacs"),
        (("a.py___jb_tmp___", "a.py___jb_old___"), "saved in a JetBrains editor"),
        (("a.py.vsctmp",), "saved in VS Code"),
        ((".goutputstream-A1B2C3",), "saved in a GNOME editor"),
        (("a.py~",), "probably an editor"),
        (("a.py", "a.py.new", ".b.py.swp", ".#b.py", "b.py~", "4913"), ""),
        ((), ""),
    ],
)
def test_what_passed_by_while_it_was_saved_tells(tmp_path: Path, passed: tuple[str, ...], who: str) -> None:
    assert who_saved(tmp_path, *passed) == who


@pytest.mark.parametrize(
    ("make", "who"),
    [
        (swap_file, "saved in vim"),
        (lambda swap: swap_file(swap, who=b"nano 7.2"), "saved in nano"),
        (lambda swap: swap_file(swap, unsaved=True), "probably vim"),
        # It was left by one that crashed, is none, or belongs to a vim that did nothing just now.
        (lambda swap: swap_file(swap, process=NOBODY_RUNS), ""),
        (lambda swap: swap.write_text("b0 nothing"), ""),
        (lambda swap: (swap_file(swap), os.utime(swap, (1, 1))), ""),
        (os.mkfifo, ""),
    ],
)
def test_a_swap_file_speaks_for_a_vim_that_runs_and_has_just_saved(
    tmp_path: Path, make: Callable[[Path], object], who: str
) -> None:
    make(tmp_path / ".a.py.swp")
    assert who_saved(tmp_path) == who


def test_neovim_keeps_its_swap_files_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    name = str(tmp_path / "a.py").replace("/", "%") + ".swp"
    swap_file(tmp_path / "state" / "nvim" / "swap" / name)
    assert who_saved(tmp_path) == "saved in neovim"


def test_a_lock_that_is_still_there_is_an_emacs_that_has_not_saved(tmp_path: Path) -> None:
    (tmp_path / ".#a.py").symlink_to("me@here.1:1")
    assert who_saved(tmp_path, ".#a.py") == ""
