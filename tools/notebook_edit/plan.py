"""What a NotebookEdit would do, after its checks, cheapest first: of the file only the cell in question changes.

bad_path, not_a_notebook - file_missing, is_directory, not_regular, too_large - binary, undecodable, not_read, stale,
cell_missing, no_change.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from tools.changing.change import Change
from tools.changing.target import Target, is_stale, last_seen, named, opened, refuse_stale, size_of
from tools.context import ToolContext
from tools.contract import ToolError
from tools.ledger.seen import SeenFile
from tools.notebook import NOTEBOOK_BYTES, is_notebook_name, parse_notebook, text_of
from tools.notebook_edit.layout import CELL_DEPTH, Layout, layout_of
from tools.notebook_edit.spans import Span
from tools.textfile import Replacement, refuse_no_characters, with_lf

Mode = Literal["replace", "insert", "delete"]
CellType = Literal["code", "markdown", "raw"]
# The first minor version of the format in which cells must have ids.
IDS_SINCE = 5
IDS_NAMED = 8
_ONLY_CODE: dict[str, Any] = {"execution_count": None, "outputs": []}


@dataclass(frozen=True, slots=True)
class Wish:
    """`number` counts from 1. An insert goes behind the cell that is named, or to the top where none is."""

    path: str
    mode: Mode
    id: str | None = None
    number: int | None = None
    source: str = ""
    cell_type: CellType | None = None


def plan_cell(wish: Wish, ctx: ToolContext) -> Change:
    target = named(wish.path, ctx, wish.source)
    refuse_no_characters(wish.source, "The source")
    if not is_notebook_name(target.path):
        raise ToolError(f"{target.path} is no notebook by its name; change it with Edit.", "not_a_notebook")
    size = size_of(target)
    if size is None:
        raise ToolError(
            f"{target.path} does not exist. Look for it with Glob, or create it with Write.", "file_missing"
        )
    if size > NOTEBOOK_BYTES:
        raise ToolError(f"{target.path} is larger than {NOTEBOOK_BYTES >> 20} MiB; use a command.", "too_large")
    target = opened(target)
    seen = last_seen(target, ctx)
    notebook = parse_notebook(target.text, target.path)
    layout = layout_of(target.text)
    rebased = is_stale(target, seen)
    if rebased and not _is_apart(wish, layout, seen):
        raise refuse_stale(target, seen, ctx, "the cell you mean is no longer surely the one you read")
    new_id = _new_id(layout, f"{ctx.call_id} {target.hash}") if _needs_ids(notebook) else ""
    made, done = _made(wish, layout, new_id)
    change = _change(target, made, done)
    theirs = "Somebody else had changed other parts of the notebook; their change stays."
    return replace(change, note=theirs, rebased=True) if rebased else change


def _change(target: Target, made: Iterable[Replacement], done: str) -> Change:
    assert target.file is not None, "an existing file was opened"
    after = target.file.replaced(sorted(made, key=lambda one: one.start))
    if after == target.file:
        raise ToolError("The cell is already like this; there is nothing to change.", "no_change")
    return Change(target, after, done=done)


def _is_apart(wish: Wish, now: Layout, seen: SeenFile) -> bool:
    """Whether the cell in question is still the one the model saw, whatever else somebody changed."""
    if seen.snapshot.text is None:
        return False
    try:
        parse_notebook(seen.snapshot.text, wish.path)
        before = layout_of(seen.snapshot.text)
        old, new = _cell(wish, before), _cell(wish, now)
    except ToolError:
        return False
    return old is None or new is None or before.raw(old) == now.raw(new)


def _cell(wish: Wish, layout: Layout) -> Span | None:
    """The cell that is meant; None only where none is named."""
    cells = layout.cells
    if wish.id is not None:
        found = [number for number, cell in enumerate(cells, 1) if cell.value.get("id") == wish.id]
        if not found:
            raise ToolError(f"There is no cell with the id {wish.id}. {_known(cells)}", "cell_missing")
        if len(found) > 1:
            which = " and ".join(map(str, found))
            raise ToolError(f"The id {wish.id} is that of the cells {which}; say which by cell_number.", "not_unique")
        return cells[found[0] - 1]
    if wish.number is None:
        return None
    if not 1 <= wish.number <= len(cells):
        raise ToolError(f"There is no cell {wish.number}; the notebook has {len(cells)}.", "cell_missing")
    return cells[wish.number - 1]


def _made(wish: Wish, layout: Layout, new_id: str) -> tuple[list[Replacement], str]:
    """The pieces of text that change, and what that does in words."""
    cell = _cell(wish, layout)
    if wish.mode == "insert":
        return _inserted(wish, layout, cell, new_id)
    assert cell is not None, "the input names a cell"
    number = layout.cells.index(cell) + 1
    if wish.mode == "delete":
        return [_deleted(layout, number - 1)], f"Deleted cell {number}; the ones after it moved up by one."
    return _replaced(wish, layout, cell), f"Replaced cell {number}."


def _replaced(wish: Wish, layout: Layout, cell: Span) -> list[Replacement]:
    """The source, and what an old source had put out; a cell of another type is written anew."""
    new_type = wish.cell_type or cell.value.get("cell_type")
    if new_type != cell.value.get("cell_type"):
        return [_in_place(layout, cell, _of_type(cell.value, str(new_type), wish.source), CELL_DEPTH)]
    if text_of(cell.value.get("source")) == with_lf(wish.source):
        return []
    changed = {"source": _lines(wish.source, like=cell.value.get("source"))}
    if new_type == "code":
        changed |= _ONLY_CODE
    there = layout.members_of(cell).values
    return [
        _in_place(layout, there[key], value, CELL_DEPTH + 1)
        for key, value in changed.items()
        if key in there and there[key].value != value
    ]


def _inserted(wish: Wish, layout: Layout, before: Span | None, new_id: str) -> tuple[list[Replacement], str]:
    cell: dict[str, Any] = {"cell_type": wish.cell_type or "code", "metadata": {}, "source": _lines(wish.source)}
    if cell["cell_type"] == "code":
        cell |= _ONLY_CODE
    if new_id:
        cell["id"] = new_id
    style = layout.style
    written = style.written(dict(sorted(cell.items())), CELL_DEPTH)
    number = layout.cells.index(before) + 2 if before is not None else 1
    done = f"Inserted cell {number}{', id ' + new_id if new_id else ''}; the ones after it moved down by one."
    if not layout.cells:
        inner = style.new_line(CELL_DEPTH) + written + style.new_line(CELL_DEPTH - 1)
        return [Replacement(layout.array.start, layout.array.end, f"[{inner}]")], done
    if before is None:
        first = layout.cells[0].start
        return [Replacement(first, first, written + style.between_cells)], done
    return [Replacement(before.end, before.end, style.between_cells + written)], done


def _deleted(layout: Layout, index: int) -> Replacement:
    cells = layout.cells
    if len(cells) == 1:
        return Replacement(layout.array.start, layout.array.end, "[]")
    if index + 1 < len(cells):
        return Replacement(cells[index].start, cells[index + 1].start, "")
    return Replacement(cells[index - 1].end, cells[index].end, "")


def _of_type(cell: dict[str, Any], new_type: str, source: str) -> dict[str, Any]:
    """The same cell as another kind: only code has outputs. Its keys stay in order, if they were."""
    made = {key: value for key, value in cell.items() if key not in _ONLY_CODE}
    made |= {"cell_type": new_type, "source": _lines(source, like=cell.get("source"))}
    if new_type == "code":
        made |= _ONLY_CODE
    return dict(sorted(made.items())) if list(cell) == sorted(cell) else made


def _in_place(layout: Layout, old: Span, new: Any, depth: int) -> Replacement:
    return Replacement(old.start, old.end, layout.style.written(new, depth))


def _lines(source: str, like: object = None) -> list[str] | str:
    """As the notebook writes its sources: as lines, or as one string where this one was."""
    text = with_lf(source)
    if isinstance(like, str):
        return text
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _needs_ids(notebook: Any) -> bool:
    minor = notebook.get("nbformat_minor")
    return notebook["nbformat"] > 4 or (isinstance(minor, int) and minor >= IDS_SINCE)


def _new_id(layout: Layout, seed: str) -> str:
    """As unlike others as a random one, but the same each time this call is looked at."""
    taken = {cell.value.get("id") for cell in layout.cells}
    ids = (hashlib.sha256(f"{seed} {count}".encode()).hexdigest()[:8] for count in itertools.count())
    return next(id for id in ids if id not in taken)


def _known(cells: tuple[Span, ...]) -> str:
    ids = [str(cell.value["id"]) for cell in cells if cell.value.get("id")]
    if not ids:
        return "Its cells have none; give cell_number."
    more = f" and {len(ids) - IDS_NAMED} more" if len(ids) > IDS_NAMED else ""
    return f"There are {', '.join(ids[:IDS_NAMED])}{more}."
