"""Keys and what they do, on one line: the key bold, its words dim."""

from __future__ import annotations

from tui.render.lines import Drawn, Part, drawn


def hints(*keys: tuple[str, str]) -> Drawn:
    """`hints(("r", "check again"), ("Esc", "back"))`"""
    parts: list[Part] = []
    for number, (key, words) in enumerate(keys):
        parts += ["   " if number else "", (key, "bold"), (f" {words}", "$dim")]
    return drawn(*parts)
