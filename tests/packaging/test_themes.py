"""Every theme has a colour for every word the screen uses, and what is text can be read on whatever it stands on."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
THEMES = sorted((ROOT / "themes").glob("*.toml"))
READABLE_CONTRAST = 4.5
# What text stands on, and what stands on it.
GROUNDS = ("background", "block", "sheet", "side")
TEXTS = ("foreground", "dim", "run", "ok", "ask", "bad", "other", "syn-key", "syn-str", "syn-num", "syn-note")
ON_A_GROUND_OF_THEIR_OWN = (
    *(("on-ask", "ask-fill"), ("foreground", "add-word"), ("foreground", "del-word"), ("foreground", "pick")),
    *((text, ground) for ground in ("add-bg", "del-bg") for text in ("foreground", "syn-key", "syn-str", "syn-num")),
)


def theme(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def colours(file: Path) -> dict[str, str]:
    found = theme(file)
    return {**{name: value for name, value in found.items() if isinstance(value, str)}, **found["variables"]}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def words_of_the_screen() -> set[str]:
    """Every `$word` in a style of the screen's code."""
    found: set[str] = set()
    for file in (ROOT / "tui").rglob("*.py"):
        found |= set(re.findall(r"\$([a-z]+(?:-[a-z]+)*)", file.read_text(encoding="utf-8")))
    return {word for word in found if not word.startswith("mode")}


def test_there_is_a_dark_and_a_light_theme():
    assert {theme(file)["dark"] for file in THEMES} == {True, False}


@pytest.mark.parametrize("file", THEMES, ids=lambda file: file.stem)
def test_a_theme_is_named_as_its_file_and_knows_every_word(file: Path):
    assert theme(file)["name"] == file.stem
    missing = words_of_the_screen() - set(colours(file))
    assert not missing


@pytest.mark.parametrize("file", THEMES, ids=lambda file: file.stem)
def test_all_themes_know_the_same_words(file: Path):
    assert set(colours(file)) == set(colours(THEMES[0]))


@pytest.mark.parametrize("file", THEMES, ids=lambda file: file.stem)
def test_text_can_be_read_on_whatever_it_stands_on(file: Path):
    known = colours(file)
    pairs = [(text, ground) for text in TEXTS for ground in GROUNDS] + list(ON_A_GROUND_OF_THEIR_OWN)
    pairs += [(name, "background") for name in known if name.startswith("mode-")]
    weak = {(text, ground): contrast(known[text], known[ground]) for text, ground in pairs}
    assert {pair for pair, value in weak.items() if value < READABLE_CONTRAST} == set()
