"""Whether a file is there, without waiting for the disk."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import wait_until
from tui.transcript.presence import Presence


def test_what_is_there_is_known_soon_and_until_then_nothing_is_claimed(tmp_path: Path) -> None:
    (tmp_path / "here.txt").touch()
    presence = Presence(str(tmp_path))
    assert presence("here.txt") in (None, True) and presence("not.txt") in (None, False)
    wait_until(lambda: presence("here.txt") is True and presence("not.txt") is False)
    (tmp_path / "not.txt").touch()
    assert presence("not.txt") is False, "as it was when it was asked about"
    presence.forget()
    wait_until(lambda: presence("not.txt") is True)


def test_a_path_nobody_can_look_for_is_not_there(tmp_path: Path) -> None:
    presence = Presence(str(tmp_path))
    wait_until(lambda: presence("x" * 5_000) is False and presence("a\0b") is not None)
