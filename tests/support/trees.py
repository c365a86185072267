"""Folders as people have them, made up from a number: ignore files, odd names, files that are no text."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

WORDS = (
    "needle",
    "Needle",
    "nEEdle",
    "one",
    "two",
    "grün",
    "GRÜN",
    "x_1",
    "fn main()",
    "a.b",
    "42",
    "tab\there",
    "ß",
    "…",
)
FOLDERS = (
    "src",
    "src/deep/er",
    "docs",
    ".hidden",
    "node_modules/dep",
    "build",
    "odd name",
    "ünder",
    ".git",
    "sub/repo/.git",
)
NAMES = ("a", "b", "main", ".env", "read me", "notes", "x-y", "Z", "ä", "[1]", "{2}", "new\nline")
ENDINGS = (".py", ".ts", ".tsx", ".md", ".log", ".txt", "", ".PY", ".min.js", ".bak")
RULES = (
    "*.log", "!b.log", "build/", "/a.py", "docs/*.md", "**/deep", "deep/**", "src/**/*.ts", "*", "!*.py", "!*/", "# note",
    "", "  ", "*.tx?", "[ab].md", "\\#x", "!", "node_modules", "er/", "/src/", "x-y*", "*.min.js ", "a[!b]*", "{a,b}.py",
)  # fmt: skip


def plant_tree(root: Path, random: Random) -> None:
    for _ in range(random.randint(1, 14)):
        folder = random.choice(("", *FOLDERS))
        name = random.choice(NAMES) + random.choice(ENDINGS)
        _put(root, f"{folder}/{name}".lstrip("/"), _content(random))
    for name in (".gitignore", ".ignore", ".rgignore"):
        for folder in ("", "src", "docs"):
            if random.random() < 0.2:
                lines = random.choices(RULES, k=random.randint(1, 4))
                _put(root, f"{folder}/{name}".lstrip("/"), "\n".join(lines).encode())
    if random.random() < 0.3 and not (root / "loop").exists():
        (root / "loop").symlink_to(root)


def _put(root: Path, name: str, data: bytes) -> None:
    file = root / name
    if file.is_dir() or any(parent.is_file() for parent in file.parents):
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    # Apart in age, so that there is one order only.
    count = sum(len(files) for _, _, files in os.walk(root))
    os.utime(file, (count, count))


def _content(random: Random) -> bytes:
    lines = [_line(random) for _ in range(random.randint(0, 8))]
    if random.random() < 0.1:
        lines.append("long " * random.randint(50, 600) + _line(random))
    text = "\n".join(lines)
    shapes = {
        text + "\n": 8,
        text: 4,
        "\r\n".join(lines) + "\r\n": 3,
        text + "\0\n": 1,
        f"{text}\n{'filler' * 10_000}\n{'filler' * 10_000}\0needle\n": 1,
        "caf\udce9 needle\n" + text: 1,
        "\ufeff" + text: 1,
        "": 1,
    }
    chosen = random.choices(list(shapes), weights=list(shapes.values()))[0]
    wide = chosen.startswith("\ufeff") and random.random() < 0.5
    return chosen.encode("utf-16-le") if wide else chosen.encode(errors="surrogateescape")


def _line(random: Random) -> str:
    return " ".join(random.choices(WORDS, k=random.randint(0, 5)))
