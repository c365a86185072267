"""The embedded default: a script that says so, in a scratch copy, with the real tools and a real outside edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.tour.play import play
from agent.tour.scratch import WORKSPACE
from tests.support.program import run_program
from tests.support.sessions import play as bounded

pytestmark = pytest.mark.slow


def test_the_tour_plays_to_its_end_with_real_results() -> None:
    before = {file.name: file.read_bytes() for file in WORKSPACE.iterdir() if file.is_file()}
    shown: list[str] = []
    assert bounded(lambda: play(shown.append, patient=False)) == 0
    whole = "\n".join(shown)
    assert "I am a script, not a model" in whole and "ANTHROPIC_API_KEY" in whole
    assert "thermometer.py was changed outside" in whole
    assert "FAILED (failures=2)" in whole and "The tests now say: OK" in whole
    assert "that change stays" in whole
    assert {file.name: file.read_bytes() for file in WORKSPACE.iterdir() if file.is_file()} == before


def test_without_a_key_the_command_plays_the_tour_and_leaves_the_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    ended = run_program("tour", "--quick", folder=tmp_path / "project", home=tmp_path / "home")
    assert ended.code == 0 and "I am a script" in ended.out
    assert list((tmp_path / "project").iterdir()) == []
