"""What holds for every test: the fast ones first, and nothing of the person's own machine in any of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# How long one example takes is the machine's affair, and what else runs on it.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those marked slow go last, so that a mistake shows early. Otherwise the order stays."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)


@pytest.fixture(autouse=True)
def a_home_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the person's settings and sessions, and none can reach a paid endpoint."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "AGENT_TUI_FEATURES"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AGENT_TUI_SIMPLE", "AGENT_TUI_COORDINATOR"):
        monkeypatch.delenv(name, raising=False)
    return home
