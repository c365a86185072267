"""Step 3 of a call: from what was sent to the typed input. `explain` judges what would run: it takes the same step."""

from __future__ import annotations

import json
from typing import Any

from tools.contract import AnyTool, ToolError

ARGUMENT_CHARS = 10_000_000


def parse(tool: AnyTool, raw: Any) -> Any:
    """Step 3: the typed input. The same object is judged and run; nothing is parsed twice."""
    try:
        size = len(json.dumps(raw, ensure_ascii=False).encode())
    except (RecursionError, ValueError) as error:
        message = f"{tool.name} was not run: its input cannot be read ({error})."
        raise ToolError(message, "invalid_input") from None
    if size > ARGUMENT_CHARS:
        message = f"{tool.name} was not run: its input has {size} bytes, at most {ARGUMENT_CHARS}; split the work."
        raise ToolError(message, "too_large")
    return tool.parse_input(raw)
