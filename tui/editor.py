"""Opens the person's own editor, at a line, on a file of the project or on a draft."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

# Editors that take +LINE before the file; others get the file alone.
_PLUS = frozenset({"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "micro", "joe", "ne", "mg", "hx", "ed"})


def editor_command(environ: Mapping[str, str], path: str, line: int | None = None) -> list[str] | None:
    """The command that opens the file, or None where no editor is named."""
    named = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        words = shlex.split(named)
    except ValueError:
        # A quote without its other half: it is then the name of a program, and nobody has that one.
        words = [named]
    if not words:
        return None
    name = os.path.basename(words[0])
    if line is None:
        return [*words, path]
    if name in ("code", "codium", "code-insiders", "cursor"):
        return [*words, "--goto", f"{path}:{line}"]
    if name == "hx":
        return [*words, f"{path}:{line}"]
    return [*words, f"+{line}", path] if name in _PLUS else [*words, path]


def edit_text(text: str, command: Sequence[str], path: str) -> str:
    """Run the editor on a draft and read it back. Raises OSError where the editor cannot be started."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(command, check=False)
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().removesuffix("\n")


def draft_file() -> str:
    handle, path = tempfile.mkstemp(prefix="agent-tui-", suffix=".md")
    os.close(handle)
    return path
