"""What a `sed -i` would do to the one file it edits: found by letting sed do it to its own output instead."""

from __future__ import annotations

import os
from io import BytesIO
from typing import NamedTuple

from tools.bash.environment import find_program, is_within
from tools.bash.parse import parse
from tools.bash.subjects import subjects_of
from tools.blocks import Block, line
from tools.context import ToolContext
from tools.contract import Ground, ToolError
from tools.diffs import diff_of
from tools.files import hash_bytes
from tools.paths import resolve
from tools.permissions.subjects import CommandSubject, PathSubject
from tools.regular import read_whole
from tools.search.child import run
from tools.textfile import decode
from tools.threads import in_thread

DEADLINE_SECONDS = 2.0
LARGEST_BYTES = 1024 * 1024


class SedEdit(NamedTuple):
    """`arguments` are those of the same sed without editing in place."""

    arguments: tuple[str, ...]
    path: str


async def foreseen(command: str, ctx: ToolContext) -> tuple[tuple[Block, ...], tuple[Ground, ...]]:
    """The diff the command makes, and the file that rests on; nothing where that cannot be told."""
    edit = sed_edit(command)
    sed = find_program("sed", os.environ, ctx.workspace.roots)
    if edit is None or sed is None:
        return (), ()
    try:
        real = os.path.realpath(resolve(edit.path, ctx.place))
        if not is_within(real, ctx.workspace.roots):
            return (), ()
        before = (await in_thread(read_whole, real))[0]
        after = await _edited(sed, edit, ctx.folder) if len(before) <= LARGEST_BYTES else None
        if after is None:
            return (), ()
        diff = diff_of(real, decode(before, real).text, decode(after, real).text)
    except ToolError:  # no file, or no text: the command itself will say so
        return (), ()
    return (diff if diff.hunks else line(("It changes nothing there.", "quiet")),), (Ground(real, hash_bytes(before)),)


def sed_edit(command: str) -> SedEdit | None:
    """The edit, where the whole line is one `sed -i` of one file, whose script does nothing else."""
    script = parse(command)
    if "sed" not in command or len(script.commands) != 1 or script.redirects:
        return None
    (only,) = script.commands
    subjects = subjects_of(command)
    edits = any(isinstance(one, CommandSubject) and one.only_edits for one in subjects)
    paths = [one for one in subjects if isinstance(one, PathSubject)]
    plain = (
        only.name == "sed" and not only.assignments and not only.redirects and all(word.fixed for word in only.words)
    )
    if not edits or not plain or len(paths) != 1 or paths[0].access != "edit":
        return None
    arguments = tuple(word.path for word in only.words[1:] if word.text not in ("-i", "--in-place"))
    return SedEdit(arguments, paths[0].path)


async def _edited(sed: str, edit: SedEdit, folder: str) -> bytes | None:
    """What sed makes of the file; None where it does not, or takes too long. It may not write or run anything."""
    made = BytesIO()

    def take(chunk: bytes) -> bool:
        made.write(chunk)
        return made.tell() <= 2 * LARGEST_BYTES

    ended = await run([sed, "--sandbox", *edit.arguments], folder, take, DEADLINE_SECONDS)
    whole = ended.exit_code == 0 and not ended.stopped and not ended.timed_out
    return made.getvalue() if whole else None
