"""The colour themes: ours from `themes/`, the person's own from their configuration folder, one TOML file each.

A theme that lacks a word of ours gets slate's. Only what is shown is loaded: the others when somebody looks for them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.theme import Theme

OURS = Path(__file__).parent.parent / "themes"
DEFAULT = "slate"


class ThemeError(Exception):
    """A theme that cannot be used: a sentence that says why and what to do."""


def theme_names() -> list[str]:
    """Every theme that can be chosen by name; the person's own may take the place of ours."""
    return sorted({file.stem for folder in (OURS, own_folder()) for file in _files(folder)})


def own_folder() -> Path:
    from agent.settings.locations import config_folder

    return config_folder() / "themes"


def default_variables() -> dict[str, str]:
    return dict(_read(OURS / f"{DEFAULT}.toml")["variables"])


def load_theme(name: str) -> Theme:
    """Raises ThemeError."""
    from textual.theme import Theme

    ours = OURS / f"{name}.toml"
    # Our own are found without asking where the person keeps theirs, which takes longer than reading them.
    file = ours if name == DEFAULT and not _may_be_replaced(name) else _find(name)
    try:
        told: dict[str, Any] = {**_read(file), "name": name}
        return Theme(**told)
    except (OSError, ValueError, TypeError) as error:
        raise ThemeError(f"The theme {file} cannot be used: {error}. Mend the file or choose another theme.") from None


def _may_be_replaced(name: str) -> bool:
    chosen = os.environ.get("XDG_CONFIG_HOME", "")
    base = chosen if os.path.isabs(chosen) else os.path.expanduser("~/.config")
    return os.path.exists(f"{base}/agent-tui/themes/{name}.toml")


def _find(name: str) -> Path:
    for folder in (own_folder(), OURS):
        for file in _files(folder):
            if file.stem == name:
                return file
    raise ThemeError(f"There is no theme {name!r}; there are {', '.join(theme_names())}.")


def _files(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(file for file in folder.iterdir() if file.suffix == ".toml")
    except OSError:
        return


def _read(file: Path) -> dict[str, Any]:
    with open(file, "rb") as opened:
        return tomllib.load(opened)
