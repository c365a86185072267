"""Where a search starts, checked before it does, and how the names it finds are written."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass

from tools.context import Place
from tools.contract import ToolError
from tools.paths import resolve
from tools.regular import ANSWER_SECONDS, does_not_answer, is_secret_pseudo_file, refuse_os_error
from tools.threads import in_own_thread

# Folders of the system that are no files at all; a search of everything goes around them.
NO_REAL_FILES = ("proc", "sys", "dev")

# Control and format characters, separators of lines, bytes that are no text, and a blank at the very end.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]| \\Z")


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to search, or the one file. `real` is what is opened, `shown` what its names are put after."""

    real: str
    shown: str
    is_file: bool

    @property
    def folder(self) -> str:
        """Where the searching program stands."""
        return os.path.dirname(self.real) if self.is_file else self.real

    @property
    def target(self) -> str:
        """What it is told to search: never an absolute path, and never anything that looks like an option."""
        return f"./{os.path.basename(self.real)}" if self.is_file else "./"

    def show(self, name: str) -> str:
        """A found name as the person and the model read it: from the working folder when it lies in there."""
        path = self.shown if self.is_file else os.path.join(self.shown, name)
        return escaped(f"./{path}" if path[:1] in "-~" else path)


async def looked_up(path: str | None, place: Place) -> Root:
    """`find_root` off the loop, and for no longer than a disk may take to answer."""
    try:
        return await in_own_thread(lambda: find_root(path, place), ANSWER_SECONDS)
    except TimeoutError:
        raise does_not_answer(escaped(resolve(path or place.folder, place))) from None


def find_root(path: str | None, place: Place) -> Root:
    """The root, or a ToolError that says why there is nothing to search there. Touches the disk."""
    asked = resolve(path or place.folder, place)
    try:
        real = os.path.realpath(asked, strict=True)
        kind = os.stat(real).st_mode
    except FileNotFoundError:
        raise ToolError(f"{escaped(asked)} does not exist. Search a folder above it.", "file_missing") from None
    except OSError as error:
        refuse_os_error(escaped(asked), error)
    if not (stat.S_ISDIR(kind) or stat.S_ISREG(kind)):
        raise ToolError(f"{escaped(asked)} is neither a file nor a folder, so it is not searched.", "not_regular")
    if _is_secret(real, is_folder=stat.S_ISDIR(kind)):
        raise ToolError(f"{escaped(asked)} shows secrets of running programs and is never searched.", "bad_path")
    return Root(real, _from(place.folder, asked), stat.S_ISREG(kind))


def escaped(name: str) -> str:
    """The name on one line, with everything that is not plainly text spelled out."""
    return _UNSAFE.sub(_spelled_out, name)


def _spelled_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was no text
        code -= 0xDC00
    return {9: r"\t", 10: r"\n", 13: r"\r"}.get(code, f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def _from(folder: str, path: str) -> str:
    if path == folder:
        return ""
    base = folder.rstrip("/") + "/"
    return path.removeprefix(base) if path.startswith(base) else path


def _is_secret(real: str, is_folder: bool) -> bool:
    """In a folder below /proc the next one searched would be somebody's environment."""
    return is_secret_pseudo_file(real) or (is_folder and real.split("/")[1] == "proc")
