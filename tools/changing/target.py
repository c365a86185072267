"""The file a call is about to change, as it is now and as the model last saw it. Blocking; called in a thread."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial

from tools.context import ToolContext
from tools.contract import ToolError
from tools.diffs import diff_of, unified
from tools.files import hash_bytes, missing_parents
from tools.ledger.seen import SeenFile, Snapshot
from tools.paths import real, resolve_file
from tools.regular import look, read_whole
from tools.short import shortened
from tools.textfile import TextFile, count_lines, decode

ARGUMENT_BYTES = 10_000_000
FILE_BYTES = 1 << 30
DIFF_CHARS = 4_000
OF_SESSION = "another call of this session"


@dataclass(frozen=True, slots=True)
class Target:
    """`file` and `snapshot` are None where there is no file yet."""

    path: str
    real_path: str
    file: TextFile | None = None
    snapshot: Snapshot | None = None

    @property
    def hash(self) -> str | None:
        return self.snapshot.hash if self.snapshot is not None else None

    @property
    def text(self) -> str:
        return self.file.text if self.file is not None else ""


def named(path: str, ctx: ToolContext, argument: str) -> Target:
    """The target by its name alone; bad paths and arguments too large are refused before anything is opened."""
    whole = resolve_file(path, ctx.place)
    if len(argument.encode(errors="replace")) > ARGUMENT_BYTES:
        raise ToolError(
            f"The text is larger than {ARGUMENT_BYTES} bytes; change the file in smaller steps.", "too_large"
        )
    return Target(whole, real(whole))


def size_of(target: Target) -> int | None:
    """The size of the regular file that is there, None where nothing is; anything else is refused."""
    found = look(target.path)
    return found.st_size if found is not None else None


def refuse_too_large(target: Target, size: int) -> None:
    if size > FILE_BYTES:
        raise ToolError(f"{target.path} is larger than 1 GiB; change it with a command.", "too_large")


def refuse_no_folder(target: Target, ctx: ToolContext) -> None:
    """A new file needs a folder that is there, or one we may make, which is only inside the workspace."""
    missing = missing_parents(target.real_path)
    there = os.path.dirname(missing[0] if missing else target.real_path)
    if not os.path.isdir(there):
        raise ToolError(f"{there} is not a folder, so nothing can be below it; give another path.", "bad_path")
    roots = [real(root).rstrip("/") + "/" for root in ctx.workspace.roots]
    if missing and not target.real_path.startswith(tuple(roots)):
        message = f"{missing[0]} does not exist, and folders are made only inside the workspace."
        raise ToolError(f"{message} Make it with a command first.", "folder_missing")


def opened(target: Target) -> Target:
    """With what the file holds now."""
    data, stat = read_whole(target.path)
    file = decode(data, target.path)
    return Target(target.path, target.real_path, file, snapshot_of(data, file, stat))


def snapshot_of(data: bytes, file: TextFile, stat: os.stat_result) -> Snapshot:
    text = file.text
    identity = (stat.st_mtime_ns, len(data), stat.st_dev, stat.st_ino)
    return Snapshot(hash_bytes(data), *identity, text=text, lines=count_lines(text))


def last_seen(target: Target, ctx: ToolContext) -> SeenFile:
    seen = ctx.seen.get(target.real_path, ctx.parent_message)
    if seen is None and target.snapshot is not None:
        seen = ctx.seen.under_another_name(target.snapshot, partial(_leads_to, target.snapshot))
    if seen is None:
        raise ToolError(f"{target.path} has not been read yet; read it first, then change it.", "not_read")
    return seen


def _leads_to(snapshot: Snapshot, path: str) -> bool:
    """Without a link on the way: when it was shown there was none."""
    if real(path) != path:
        return False
    try:
        found = os.stat(path)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (snapshot.dev, snapshot.ino)


def is_stale(target: Target, seen: SeenFile) -> bool:
    if target.snapshot is None:
        return False
    return not seen.snapshot.same_content(target.snapshot) or not seen.shown_lines_stand_in(target.text)


def credited_to(target: Target, ctx: ToolContext) -> str:
    """The command of this conversation that ran while the file became what it is; empty where somebody else did it."""
    return shortened(ctx.seen.credited(target.real_path, target.hash or ""))


def is_persons(target: Target, ctx: ToolContext) -> bool:
    """Whether the person made the file what it is, in a view of ours."""
    return ctx.seen.is_persons(target.real_path, target.hash or "")


def is_of_session(target: Target, ctx: ToolContext) -> bool:
    """Whether another conversation of this session wrote it last, or an earlier run of this one."""
    return target.hash is not None and ctx.seen.wrote_last(target.real_path, target.hash)


def _how_changed(target: Target, ctx: ToolContext) -> str:
    if is_persons(target, ctx):
        return "was changed by the person"
    command = credited_to(target, ctx)
    if command:
        return f"changed while your command `{command}` ran,"
    return f"was changed by {OF_SESSION if is_of_session(target, ctx) else 'somebody else'}"


def refuse_stale(target: Target, seen: SeenFile, ctx: ToolContext, why: str) -> ToolError:
    """The refusal shows what somebody else changed, so from the next message on it counts as seen."""
    message = f"{target.path} {_how_changed(target, ctx)} since you read it, and {why}. Nothing was written."
    before = seen.snapshot.text
    if before is None or target.snapshot is None:
        return ToolError(f"{message} Read it again.", "stale")
    shown = unified(diff_of(target.path, before, target.text)) or "only its line ends or its encoding"
    if len(shown) > DIFF_CHARS:
        return ToolError(f"{message} The change is large: read it again.", "stale")
    ctx.seen.refresh(target.real_path, target.snapshot, ctx.parent_message)
    return ToolError(f"{message} What changed:\n{shown}", "stale")
