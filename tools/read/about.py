"""A file in a few words, for whoever is asked about reading it: how large it is, and what."""

from __future__ import annotations

import os

from tools.contract import ToolError
from tools.notebook import is_notebook_name
from tools.read.kinds import kind_of
from tools.regular import open_regular

# A NUL this far from the beginning makes it no text.
LOOKED_AT = 8192
_WORDS = {"image": "a picture", "pdf": "a PDF"}


def about(path: str) -> str:
    """`18 KB, text`; empty where it cannot be told. Blocking."""
    try:
        with open_regular(path) as opened:
            head = os.pread(opened.fd, LOOKED_AT, 0)
            size = opened.stat.st_size
    except (ToolError, OSError):
        return ""
    other = "a notebook" if is_notebook_name(path) else "binary" if b"\0" in head else "text"
    return f"{size_in_words(size)}, {_WORDS.get(kind_of(head), other)}"


def size_in_words(size: int) -> str:
    if size < 1000:
        return f"{size} bytes"
    for unit in ("KB", "MB"):
        size = round(size / 1000)
        if size < 1000:
            return f"{size} {unit}"
    return f"{round(size / 1000)} GB"
