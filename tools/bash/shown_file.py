"""What a plain `cat`, `head`, `tail`, `sed -n`, `grep` or `rg` of one file shows counts as read.

Whether it showed the file is told by the output, not by the options: it must be lines of the file as it is now.
"""

from __future__ import annotations

import re
from contextlib import suppress

from tools.bash.parse import parse
from tools.context import ToolContext
from tools.contract import ToolError
from tools.files import hash_bytes
from tools.ledger.seen import Range, Snapshot
from tools.paths import real, resolve_file
from tools.regular import read_whole
from tools.textfile import MARK, count_lines, decode

LARGEST_BYTES = 8 << 20
_WHOLE, _BLOCK, _MATCHES = frozenset(("cat",)), frozenset(("head", "tail", "sed")), frozenset(("grep", "rg"))
_NUMBERED = re.compile(r"(\d+)[:-](.*)", re.DOTALL)
_BETWEEN = "--"


def remember_shown(command: str, output: str, ctx: ToolContext) -> None:
    """After a command that went well, with all of its output. Blocking."""
    name, path = _file_of(command)
    if not path or not output:
        return
    with suppress(ToolError, OSError):
        whole = real(resolve_file(path, ctx.place))
        data, stat = read_whole(whole)
        if len(data) > LARGEST_BYTES:
            return
        text = decode(data, whole).text
        shown = _shown(name, output.removeprefix(MARK), text)
        lines = count_lines(text)
        snapshot = Snapshot(hash_bytes(data), stat.st_mtime_ns, len(data), stat.st_dev, stat.st_ino, text, lines)
        for first, last in shown:
            ctx.seen.remember(whole, snapshot, first, last, (first, last) == (1, lines), in_context=False)


def _file_of(command: str) -> tuple[str, str]:
    """The program and its one file; nothing where the line is anything else."""
    script = parse(command)
    if len(script.commands) != 1 or script.redirects or script.problems or script.gaps:
        return "", ""
    (only,) = script.commands
    if only.redirects or only.assignments or only.fed or only.problem or not all(word.fixed for word in only.words):
        return "", ""
    if only.name not in _WHOLE | _BLOCK | _MATCHES or len(only.words) < 2 or only.words[-1].text.startswith("-"):
        return "", ""
    return only.name, only.words[-1].path


def _shown(name: str, output: str, text: str) -> list[Range]:
    """Which lines of the text the output is made of; none where it is not made of them alone."""
    if name in _MATCHES:
        return _matches(output.removesuffix("\n").split("\n"), text.removesuffix("\n").split("\n"))
    block, of = output.removesuffix("\n") + "\n", text.removesuffix("\n") + "\n"
    if name in _WHOLE and block != of:
        return []
    at = 0 if of.startswith(block) else of.find("\n" + block) + 1
    if at == 0 and not of.startswith(block):
        return []
    first = of.count("\n", 0, at) + 1
    return [(first, first + block.count("\n") - 1)]


def _matches(found: list[str], lines: list[str]) -> list[Range]:
    """In their order, with or without their numbers."""
    ranges: list[Range] = []
    at = 0
    for line in found:
        if line == _BETWEEN and _BETWEEN not in lines:
            continue
        numbered = _NUMBERED.fullmatch(line)
        if numbered and 0 < int(numbered[1]) <= len(lines) and lines[int(numbered[1]) - 1] == numbered[2]:
            at = int(numbered[1])
        else:
            try:
                at = lines.index(line, at) + 1
            except ValueError:
                return []
        ranges.append((at, at))
    return ranges
