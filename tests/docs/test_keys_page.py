"""docs/keys.md lists every key of the program, in the groups of its own help."""

from __future__ import annotations

from pathlib import Path

from tui.keys import GROUPS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "keys.md").read_text(encoding="utf-8")


def test_the_page_lists_every_key_as_the_help_does() -> None:
    for group in GROUPS:
        section = PAGE.split(f"## {group.title}\n", 1)[1].split("\n## ", 1)[0]
        rows = [line for line in section.splitlines() if line.startswith("| `")]
        assert rows == [f"| `{key}` | {words} |" for key, words in group.keys]
