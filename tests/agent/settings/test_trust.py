from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.settings import trust as trusting
from agent.settings.trust import distrust, is_trusted, trust


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of a person who has just come; what was trusted in this run is forgotten."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(trusting, "_this_run", set())
    return tmp_path / "state/agent-tui"


def next_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trusting, "_this_run", set())


def test_trust_is_kept_for_the_folder_and_not_for_those_below(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nested = tmp_path / "repo/nested"
    nested.mkdir(parents=True)
    assert not is_trusted(str(nested.parent))
    assert trust(str(nested.parent))
    next_start(monkeypatch)
    assert is_trusted(str(nested.parent))
    assert not is_trusted(str(nested))
    distrust(str(nested.parent))
    assert not is_trusted(str(nested.parent))


def test_E7_trust_is_keyed_by_the_real_path(state: Path, tmp_path: Path) -> None:
    (tmp_path / "trusted").mkdir()
    (tmp_path / "stranger").mkdir()
    trust(str(tmp_path / "trusted"))
    (tmp_path / "link").symlink_to(tmp_path / "stranger")
    assert not is_trusted(str(tmp_path / "link"))
    (tmp_path / "stranger/back").symlink_to(tmp_path / "trusted")
    assert is_trusted(str(tmp_path / "stranger/back"))


@pytest.mark.parametrize("text", ["{", "[]", '{"trusted": 1}', '{"trusted": [1, null]}', "\udcff", "[" * 100_000])
def test_E12_a_trust_file_that_cannot_be_read_trusts_nobody(state: Path, tmp_path: Path, text: str) -> None:
    state.mkdir(parents=True)
    (state / "trust.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert not is_trusted(str(tmp_path))


def test_E13_home_and_the_root_are_trusted_for_this_run_only(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    for folder in ("/", str(tmp_path / "home")):
        assert not trust(folder)
        assert is_trusted(folder)
    next_start(monkeypatch)
    state.mkdir(parents=True)
    (state / "trust.json").write_text(json.dumps({"trusted": ["/", str(tmp_path / "home")]}))
    assert not is_trusted("/")
    assert not is_trusted(str(tmp_path / "home"))
