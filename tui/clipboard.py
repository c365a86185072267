"""Copies text: through the terminal, and through a program of the desktop where there is one."""

from __future__ import annotations

import asyncio
import os
import shutil

# Terminals cut longer ones off, some without a word.
LONGEST = 70_000
_PROGRAMS = (("pbcopy",), ("wl-copy",), ("xclip", "-selection", "clipboard"), ("xsel", "-ib"))


def desktop_program() -> tuple[str, ...] | None:
    """What puts text on the desktop's clipboard; none without a desktop, where the terminal is the only way."""
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "__CFBundleIdentifier")):
        return None
    return next((program for program in _PROGRAMS if shutil.which(program[0])), None)


async def copy_by_program(text: str) -> bool:
    program = desktop_program()
    if program is None:
        return False
    quiet = asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            *program, stdin=asyncio.subprocess.PIPE, stdout=quiet, stderr=quiet
        )
        async with asyncio.timeout(2):
            await process.communicate(text.encode(errors="replace"))
    except (OSError, TimeoutError):
        return False
    return process.returncode == 0
