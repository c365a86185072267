"""What the walls are, and how each mechanism is told, as data."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from tests.support.sandbox import Ground
from tools.sandbox import bubblewrap, seatbelt
from tools.sandbox.blame import blame
from tools.sandbox.seccomp import AF_UNIX, AF_VSOCK, socket_filter
from tools.sandbox.walls import Places, Walls, temporary_folder, walls_for

FEW = Walls(
    writable=("/w", "/tmp", "/state/results/1.txt"),
    hidden=("/home/u/.ssh", "/state"),
    shown=("/state/results",),
    fixed=("/w/.git/hooks",),
    missing=("/w/.agent-tui",),
    pinned=("/w/.git",),
)


def test_only_what_is_there_is_walled_off_and_by_its_real_path(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    (ground.work / ".git" / "hooks").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(ground.work)
    places = Places(str(ground.home), (str(ground.state), str(tmp_path / "no-such")))
    walls = walls_for((str(link),), (), places, {"TMPDIR": str(ground.temp)}, network=False)
    assert walls.writable == (str(ground.work), str(ground.temp))
    assert walls.hidden == (str(ground.home / ".ssh"), str(ground.state))
    assert walls.fixed == (str(ground.work / ".git" / "hooks"),)
    assert walls.missing == (str(ground.work / ".claude"), str(ground.work / ".agent-tui"))
    assert (walls.pinned, walls.unwanted) == ((str(ground.work / ".git"),), (str(ground.work / ".git" / "commondir"),))


@pytest.mark.parametrize(("environ", "folder"), [({}, "/tmp"), ({"TMPDIR": "/t"}, "/t"), ({"TMPDIR": "here"}, "/tmp")])
def test_the_temporary_folder_is_where_programs_look_for_it(environ: dict[str, str], folder: str) -> None:
    assert temporary_folder(environ) == folder


def test_bubblewrap_mounts_from_the_outside_in_so_that_the_deeper_wall_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "isdir", lambda path: path != "/home/u/.ssh")
    told = bubblewrap.arguments(FEW)
    assert told[:2] == ["--unshare-all", "--die-with-parent"]
    assert told[2:9] == ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    assert told[-2:] == ["--seccomp", "3"]
    assert told[9:-2] == [
        "--bind", "/w", "/w", "--bind", "/tmp", "/tmp", "--tmpfs", "/state",
        "--ro-bind", "/state/results", "/state/results", "--bind", "/w/.git", "/w/.git", "--tmpfs", "/w/.agent-tui",
        "--bind", "/state/results/1.txt", "/state/results/1.txt", "--ro-bind", "/w/.git/hooks", "/w/.git/hooks",
        "--ro-bind", os.devnull, "/home/u/.ssh",
    ]  # fmt: skip
    assert "--share-net" not in told
    assert "--share-net" in bubblewrap.arguments(Walls(("/w",), network=True))


def test_the_seatbelt_profile_says_all_of_it_and_the_last_word_counts() -> None:
    lines = seatbelt.profile(FEW).splitlines()
    assert lines[0] == "(version 1)"
    deny_all = lines.index("(deny file-write*)")
    writable = lines.index('(allow file-write* (subpath "/w") (subpath "/tmp") (subpath "/state/results/1.txt"))')
    fixed = lines.index('(deny file-write* (subpath "/w/.git/hooks") (subpath "/w/.agent-tui"))')
    hidden = lines.index('(deny file-read* file-write* (subpath "/home/u/.ssh") (subpath "/state"))')
    shown = lines.index('(allow file-read* (subpath "/state/results"))')
    assert deny_all < writable < fixed < hidden < shown
    assert writable < lines.index('(deny file-write-unlink (literal "/w/.git"))')
    assert "(deny network*)" in lines


def test_the_seatbelt_profile_opens_the_network_when_it_is_to() -> None:
    assert "(deny network*)" not in seatbelt.profile(Walls(("/w",), network=True)).splitlines()


def test_D8_a_path_cannot_say_anything_in_the_profile() -> None:
    profile = seatbelt.profile(Walls(('/w") (allow default) ("', "/back\\slash")))
    assert '(subpath "/w\\") (allow default) (\\"") (subpath "/back\\\\slash")' in profile
    assert seatbelt.argv(Walls(("/w",)), ("/bin/bash", "-c", "$(x)"))[-3:] == ("/bin/bash", "-c", "$(x)")


def answers(program: bytes, number: int, argument: int, architecture: int = 0xC000003E) -> int:
    """Runs the filter as the kernel does; what it answers."""
    data = {0: number, 4: architecture, 16: argument}
    steps = list(struct.iter_unpack("=HBBI", program))
    at = held = 0
    while True:
        code, if_so, if_not, value = steps[at]
        at += 1
        if code == 0x20:
            held = data[value]
        elif code == 0x06:
            return value
        else:
            holds = held == value if code == 0x15 else held >= value
            at += if_so if holds else if_not


ALLOW = 0x7FFF0000
SOCKET, READ, IO_URING_SETUP = 41, 0, 425


@pytest.mark.parametrize("families", [None, (AF_UNIX, AF_VSOCK), ()])
def test_the_filter_refuses_sockets_of_the_families_named_and_no_other_call(families: tuple[int, ...] | None) -> None:
    program = socket_filter(families=families, machine="x86_64")
    for family in (AF_UNIX, 2, 10, 16, AF_VSOCK):
        refused = families is None or family in families
        assert (answers(program, SOCKET, family) != ALLOW) == refused, family
    assert answers(program, READ, AF_UNIX) == ALLOW
    assert answers(program, IO_URING_SETUP, 0) != ALLOW, "it can open sockets, too"
    assert answers(program, SOCKET | 0x40000000, 2) != ALLOW, "nor by other numbers"
    assert answers(program, READ, 0, architecture=0x40000003) != ALLOW, "nor as a program for another machine"


def test_a_machine_whose_numbers_are_not_known_has_no_filter() -> None:
    assert socket_filter(families=None, machine="vax") == b""


@pytest.mark.parametrize(
    ("output", "word"),
    [
        ("bash: /etc/x: Permission denied", "writing"),
        ("touch: cannot touch '/x': Read-only file system", "writing"),
        ("Error: EACCES: open '/x'", "writing"),
        ("curl: (6) Could not resolve host: x", "the network"),
        ("getaddrinfo EAI_AGAIN registry.npmjs.org", "the network"),
        ("E   AssertionError: 1 != 2", ""),
        ("", ""),
    ],
)
def test_what_a_command_was_kept_from_is_told_by_what_it_says(output: str, word: str) -> None:
    assert blame(output, network=False).startswith(word) and bool(blame(output, network=False)) == bool(word)


def test_with_the_network_open_nobody_blames_the_sandbox_for_it() -> None:
    assert blame("curl: (6) Could not resolve host: x", network=True) == ""
