"""What the person is asked about: the question's title, and the command, change, path, address or fields below it."""

from __future__ import annotations

import os
from dataclasses import replace
from urllib.parse import urlsplit

from tools.blocks import Block, Blocks, Code, Diff, Line
from tools.events import PermissionRequest
from tui.render.blocks import block_lines
from tui.render.diff import diff_lines, is_new_file
from tui.render.lines import BLANK, Drawn, Piece, drawn, middle_cut, wrap
from tui.render.look import Look
from tui.render.safe import exact, one_line
from tui.sheet.fields import field_lines
from tui.sheet.trace import asking_parts
from tui.sheet.unseen import FORCES
from tui.sheet.view import SheetView, runs_a_command, shown_name
from tui.sheet.within import places_of

CONTEXT = 3
FILE_TOOLS = frozenset({"Edit", "Write", "NotebookEdit"})
READING_TOOLS = {"Read": "Read a file", "Grep": "Search", "Glob": "List files", "LSP": "Look up code"}


def title(view: SheetView, width: int) -> Drawn:
    """The question and the one remark beside it."""
    question, remark = _question(view, width)
    if view.agent:
        remark = drawn(("agent ", "$dim"), one_line(view.agent))
    return drawn((question, "bold"), *(("  ", remark) if remark.pieces else ()))


def subject_lines(view: SheetView, look: Look, width: int) -> list[Drawn]:
    """What would be done, without what others did meanwhile."""
    request = view.request
    if runs_a_command(request):
        return _command_lines(view, look, width)
    if any(isinstance(block, Diff) for block in request.preview):
        # What was said of the edit was said of a file that is another by now.
        outdated = view.changed is not None and request.problem
        return _blocks(_only_diffs(request.preview) if outdated else request.preview, view, look, width)
    if request.tool in READING_TOOLS or request.tool in FILE_TOOLS:
        return _path_lines(view, width)
    if request.tool == "WebFetch":
        return _address_lines(request, width)
    if request.input:
        return field_lines(request.input, width, view.full)
    return _blocks(request.preview, view, look, width)


def _only_diffs(blocks: Blocks) -> Blocks:
    return tuple(block for block in blocks if isinstance(block, Diff))


def path_of(request: PermissionRequest) -> str:
    for name in ("file_path", "notebook_path", "path"):
        if request.input.get(name):
            return str(request.input[name])
    return ""


def folder_of(view: SheetView) -> str:
    """Where the call works."""
    return view.request.folder or view.ctx.folder


def lies_outside(view: SheetView) -> bool:
    """Whether it is asked because the path is not known to lie in the workspace."""
    trace = view.request.decision.trace
    return any(step.source == "default" and "workspace" in step.reason for step in trace)


def _question(view: SheetView, width: int) -> tuple[str, Drawn]:
    request, tool = view.request, view.request.tool
    path = middle_cut(one_line(view.ctx.short(path_of(request))), max(width - 40, 20))
    if runs_a_command(request):
        outside = " without the sandbox" if request.input.get("dangerously_disable_sandbox") else ""
        description = one_line(str(request.input.get("description") or ""))
        return f"Run this command{outside}?", drawn((description, "$dim"))
    if tool in FILE_TOOLS:
        return f"{'Write' if tool == 'Write' else 'Edit'} {path}?", _counts(request.preview)
    if tool in READING_TOOLS:
        return f"{READING_TOOLS[tool]} outside the workspace?" if lies_outside(view) else f"{tool} {path}?", BLANK
    if tool == "WebFetch":
        return "Fetch this page?", BLANK
    if tool.startswith("mcp__"):
        return f"Call {one_line(shown_name(tool))}?", drawn(("MCP server", "$dim"))
    return f"Use {one_line(tool)}?", drawn((one_line(request.summary), "$dim")) if request.summary != tool else BLANK


def _counts(preview: Blocks) -> Drawn:
    diff = next((block for block in preview if isinstance(block, Diff)), None)
    if diff is None:
        return BLANK
    added, removed = (f"+{diff.added}", "$add"), (f"-{diff.removed}", "$del")
    if is_new_file(diff):
        return drawn(("new file  ", "$dim"), added)
    shown: list[Piece] = [piece for piece, count in ((added, diff.added), (removed, diff.removed)) if count]
    return drawn(*(part for piece in shown for part in (piece, " "))) if shown else BLANK


def _command_lines(view: SheetView, look: Look, width: int) -> list[Drawn]:
    request = view.request
    command = exact(str(request.input.get("command", "")).strip("\n"))
    forced = _ranges(command, [exact(part) for part in asking_parts(request)])
    lines: list[Drawn] = []
    start = 0
    for text in command.split("\n"):
        pieces = _marked(text, [(max(a - start, 0), b - start) for a, b in forced if b > start])
        lines += wrap(drawn(*pieces), width, indent=2)
        start += len(text) + 1
    return lines + _blocks(_beside_the_command(view), view, look, width)


def _beside_the_command(view: SheetView) -> Blocks:
    """The rest of the preview; the folder stands beside the question."""
    here = f"in {folder_of(view)}"
    return tuple(
        block
        for block in view.request.preview
        if not isinstance(block, Code) and not (isinstance(block, Line) and block.text == here)
    )


def _ranges(text: str, parts: list[str]) -> list[tuple[int, int]]:
    """Where the parts stand, in order and without overlaps."""
    found = sorted((at, at + len(part)) for part in parts for at in places_of(part, text))
    apart: list[tuple[int, int]] = []
    for start, end in found:
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart


def _marked(text: str, ranges: list[tuple[int, int]]) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    for start, end in ranges:
        if start < len(text):
            pieces += [(text[at:start], ""), (text[start:end], FORCES)]
            at = min(end, len(text))
    return [*pieces, (text[at:], "")]


def _path_lines(view: SheetView, width: int) -> list[Drawn]:
    request = view.request
    path = one_line(view.ctx.short(path_of(request)))
    folder, name = os.path.split(path)
    folder = f"{folder}/" if folder and name else folder
    foreign = FORCES if lies_outside(view) else ""
    pieces: list[Piece] = [(folder, foreign), (name, "" if folder else foreign)] if path else []
    pattern = str(request.input.get("pattern") or "")
    before: tuple[str | Piece, ...] = (
        (one_line(pattern), (" in ", "$dim")) if pattern and path else (one_line(pattern),)
    )
    about = _line_of(request.preview)
    return wrap(drawn(*before, *pieces, *(("   ", (about, "$dim")) if about else ())), width, indent=2)


def _line_of(preview: Blocks) -> str:
    """What a tool says of the file beside its name, like its size."""
    return "   ".join(one_line(block.text) for block in preview if isinstance(block, Line))


def _address_lines(request: PermissionRequest, width: int) -> list[Drawn]:
    address = one_line(str(request.input.get("url", "")))
    try:
        host = urlsplit(address).netloc
    except ValueError:
        host = ""
    lines = wrap(drawn(*_marked(address, _ranges(address, [host]))), width, indent=2)
    wanted = one_line(str(request.input.get("prompt") or ""))
    return lines + (wrap(drawn((wanted, "$dim")), width) if wanted else [])


def _blocks(blocks: Blocks, view: SheetView, look: Look, width: int) -> list[Drawn]:
    seen = replace(look, width=width, verbose=view.full)
    return [line for block in blocks for line in _block(block, seen, width)]


def _block(block: Block, look: Look, width: int) -> list[Drawn]:
    if isinstance(block, Diff):
        return diff_lines(block, width, context=CONTEXT, wrap_long=look.verbose)
    return block_lines((block,), look, width)
