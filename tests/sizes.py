"""The check that keeps files and functions small: no source file above 400 lines, no function above 60.

Every terminal agent has grown one file nobody wants to open; a written rule did not help them, so ours is a check.
Run as a program: prints what is too long and exits 1.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("tools", "agent", "tui", "tests", "benchmarks", "screenshots", "bin")
NOT_OURS_TO_CHECK = ("tests/vectors", "agent/tour/workspace")


def too_long() -> Iterator[str]:
    for folder in SOURCES:
        for file in sorted((ROOT / folder).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            if not name.startswith(NOT_OURS_TO_CHECK):
                yield from _in_file(name, file.read_text(encoding="utf-8"))


def _in_file(name: str, source: str) -> Iterator[str]:
    lines = source.count("\n")
    if lines > MAX_FILE_LINES:
        yield f"{name}: {lines} lines, at most {MAX_FILE_LINES}: find the second idea in it and give it a file"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                yield f"{name}:{node.lineno}: {node.name} has {length} lines, at most {MAX_FUNCTION_LINES}"


if __name__ == "__main__":
    found = list(too_long())
    print("\n".join(found) or "sizes: every file and function is small")
    sys.exit(1 if found else 0)
