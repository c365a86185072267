"""What a notebook's file holds: JSON of a known shape, checked before anybody relies on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from tools.contract import ToolError

# Above this a notebook is only a text: taking its JSON apart would hold up everything else.
NOTEBOOK_BYTES = 32 << 20
OLDEST_FORMAT = 4

Plain = Mapping[str, Any]


def is_notebook_name(path: str) -> bool:
    return path.lower().endswith(".ipynb")


def parse_notebook(text: str, name: str) -> Plain:
    """The notebook as data, its cells known to be objects; a ToolError that says why it is none."""
    try:
        found: object = json.loads(text)
    except RecursionError:
        raise _no_notebook(name, "it is nested without end") from None
    except ValueError as error:
        raise _no_notebook(name, f"it is not JSON ({error})") from None
    notebook = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    format, cells = notebook.get("nbformat"), notebook.get("cells")
    if isinstance(format, int) and format < OLDEST_FORMAT:
        raise _no_notebook(name, f"its format {format} is too old; save it with Jupyter")
    if not isinstance(format, int) or not isinstance(cells, list):
        raise _no_notebook(name, "it has no format or no cells")
    if not all(isinstance(cell, dict) for cell in cast("list[object]", cells)):
        raise _no_notebook(name, "one of its cells is no object")
    return notebook


def cells_of(notebook: Plain) -> list[Plain]:
    return cast("list[Plain]", notebook["cells"])


def text_of(value: object) -> str:
    """A notebook writes a text as one string or as its lines."""
    if isinstance(value, list):
        return "".join(str(line) for line in cast("list[object]", value))
    return value if isinstance(value, str) else ""


def _no_notebook(name: str, why: str) -> ToolError:
    return ToolError(f"{name} is no notebook: {why}.", "not_a_notebook")
