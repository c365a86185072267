"""Looking for a line in what a task goes on writing. A linear engine does it, or one that can be ended."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from io import BytesIO

from tools.contract import ToolError
from tools.search.child import DEADLINE_SECONDS, our_own, run
from tools.search.ripgrep import find_rg
from tools.threads import in_thread

LONGEST_LINE = 2_000
# A line is looked at again once it is whole; of one longer than this only the end.
_LINE_BYTES = 64 * 1024
# The exit code of ripgrep, and of our own program, when something could not be done.
_FAILED = 2


class Lookout:
    """`line` is the first that matched, None before; `at` is up to where was looked, in bytes."""

    def __init__(self, path: str, pattern: str, after: int, workspace: Sequence[str]) -> None:
        self.line: str | None = None
        self.at = after
        self._path = path
        self._pattern = pattern
        self._looked = -1
        rg = find_rg(workspace)
        options = ("--no-config", "--text", "--max-count=1", "--byte-offset", "--no-line-number", "--color=never")
        self._argv = [rg, *options, f"--regexp={pattern}", "-"] if rg else our_own("tools.monitor.matching", pattern)

    async def look(self) -> bool:
        """Whether a line matched. What was looked at is not looked at again."""
        size = await in_thread(os.path.getsize, self._path)
        if size == self._looked:
            return False
        self._looked = size
        found = BytesIO()

        def take(chunk: bytes) -> bool:
            found.write(chunk)
            return found.tell() < _LINE_BYTES

        file = await in_thread(open, self._path, "rb")
        with file:
            file.seek(self.at)
            ended = await run(self._argv, "/", take, DEADLINE_SECONDS, stdin=file.fileno())
        if ended.exit_code == _FAILED:
            said = ended.message.removeprefix("rg: ")
            raise ToolError(f"The pattern cannot be used: {said}", "invalid_input")
        if ended.timed_out or ended.exit_code < 0:
            raise ToolError("Looking for the pattern took too long; give a simpler one.", "timed_out")
        offset, colon, text = found.getvalue().partition(b":")
        if not colon:
            self.at = await in_thread(_last_line_start, self._path, self.at, size)
            return False
        line = text.partition(b"\n")[0]
        self.at += int(offset) + len(line) + 1
        self.line = line[:LONGEST_LINE].decode(errors="replace").rstrip("\r")
        return True


def _last_line_start(path: str, first: int, end: int) -> int:
    """Where the line begins that is not whole yet."""
    start = max(first, end - _LINE_BYTES)
    with open(path, "rb") as file:
        file.seek(start)
        return start + file.read(end - start).rfind(b"\n") + 1


def main(arguments: Sequence[str]) -> None:
    """Where there is no ripgrep: the same, line by line, in a process that can be ended."""
    try:
        pattern = re.compile(arguments[0].encode())
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(f"regex parse error: {error}")
        sys.exit(_FAILED)
    offset = 0
    for line in sys.stdin.buffer:
        if pattern.search(line.rstrip(b"\n")):
            sys.stdout.buffer.write(b"%d:%s" % (offset, line))
            return
        offset += len(line)
    sys.exit(1)
