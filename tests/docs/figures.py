"""The numbers that docs/figures.md lists, read from the code; `python -m tests.docs.figures` writes the page's table anew."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "figures.md"
HEADING = "## Named numbers\n\n| where and name | value |\n|---|---|\n"


def named_numbers() -> Iterator[tuple[str, float]]:
    for folder in ("agent", "tools", "tui"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "workspace" not in file.parts:
                module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
                yield from _numbers_in(module, ast.parse(file.read_text(encoding="utf-8")))


def plain(value: float | None) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _numbers_in(module: str, tree: ast.Module) -> Iterator[tuple[str, float]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name.isupper() and not name.startswith("_"):
                value = getattr(importlib.import_module(module), name)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield f"{module}.{name}", value


if __name__ == "__main__":
    written = PAGE.read_text(encoding="utf-8").partition(HEADING)[0] + HEADING
    rows = sorted((name, plain(value)) for name, value in named_numbers())
    PAGE.write_text(written + "".join(f"| `{name}` | {value} |\n" for name, value in rows), encoding="utf-8")
