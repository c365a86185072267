"""A history the API accepts: every call has its one answer in the very next message, and nothing is empty.

Pure functions. A message that is already right is returned as the same object, so what was sent before is sent again
byte for byte; running it twice changes nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from agent.model.base import Plain
from agent.model.inputs import is_text, mended_text
from agent.model.stream import unique_id

INTERRUPTED = "The call was interrupted; whether it had any effect is not known."
_THINKING = ("thinking", "redacted_thinking")


def normalized(messages: Sequence[Plain]) -> list[Plain]:
    """`messages`, mended where the API would refuse them."""
    filled = [full for message in messages if (full := _without_blanks(message)) is not None]
    made: list[Plain] = []
    taken: set[str] = set()
    position = 0
    while position < len(filled):
        message = filled[position]
        position += 1
        if message.get("role") != "assistant":
            made += _without_results(message)
            continue
        run_end = position
        while run_end < len(filled) and filled[run_end].get("role") == "user":
            run_end += 1
        made += _answered(message, filled[position:run_end], taken)
        position = run_end
    return made


def interrupted_results(assistant: Plain) -> Plain | None:
    """The message that answers every call of `assistant` as interrupted; None when it holds no call."""
    results = [_interrupted(call["id"]) for call in _blocks(assistant) if call.get("type") == "tool_use"]
    return {"role": "user", "content": results} if results else None


def without_old_thinking(messages: Sequence[Plain]) -> list[Plain]:
    """Thinking taken out of all turns but the latest, whose calls may still be open."""
    latest = max((at for at, message in enumerate(messages) if _speaks_anew(message)), default=0)
    return [*without_thinking(messages[:latest]), *messages[latest:]]


def without_thinking(messages: Sequence[Plain]) -> list[Plain]:
    """For another model: it cannot read the thoughts of the one before."""
    stripped = [_without_thinking(message) for message in messages]
    return [message for message in stripped if message.get("content")]


# -- calls and their answers


def _answered(assistant: Plain, following: list[Plain], taken: set[str]) -> list[Plain]:
    """The assistant's message and the user messages after it, with the calls' results first in the first of them."""
    calls = [block for block in _blocks(assistant) if block.get("type") == "tool_use"]
    old_ids = [str(call.get("id", "")) for call in calls]
    new_ids: list[str] = []
    for old in old_ids:
        new_ids.append(unique_id(old, taken))
        taken.add(new_ids[-1])
    if new_ids != old_ids:
        assistant = _with_ids(assistant, new_ids)
    if not calls:
        return [assistant, *(kept for message in following for kept in _without_results(message))]
    if new_ids == old_ids and following and _results_fit(following[0], old_ids):
        return [assistant, following[0], *(kept for message in following[1:] for kept in _without_results(message))]
    found = _pool(following)
    results = [_result_for(old, new, found) for old, new in zip(old_ids, new_ids, strict=True)]
    rest = [block for block in _blocks(following[0]) if not _is_result(block)] if following else []
    later = [kept for message in following[1:] for kept in _without_results(message)]
    return [assistant, {"role": "user", "content": [*results, *rest]}, *later]


def _results_fit(message: Plain, ids: list[str]) -> bool:
    blocks = _blocks(message)
    first = blocks[: len(ids)]
    return sorted(str(block.get("tool_use_id")) for block in first if _is_result(block)) == sorted(ids) and not any(
        map(_is_result, blocks[len(ids) :])
    )


def _pool(messages: Iterable[Plain]) -> dict[str, list[Plain]]:
    found: dict[str, list[Plain]] = {}
    for message in messages:
        for block in filter(_is_result, _blocks(message)):
            found.setdefault(str(block.get("tool_use_id")), []).append(block)
    return found


def _result_for(old: str, new: str, found: dict[str, list[Plain]]) -> Plain:
    waiting = found.get(old) or found.get(new)
    if not waiting:
        return _interrupted(new)
    result = waiting.pop(0)
    return result if result.get("tool_use_id") == new else {**result, "tool_use_id": new}


def _interrupted(call_id: str) -> Plain:
    return {"type": "tool_result", "tool_use_id": call_id, "content": INTERRUPTED, "is_error": True}


def _with_ids(assistant: Plain, ids: list[str]) -> Plain:
    left = iter(ids)
    content = [
        {**block, "id": next(left)} if block.get("type") == "tool_use" else block for block in _blocks(assistant)
    ]
    return {**assistant, "content": content}


def _without_results(message: Plain) -> list[Plain]:
    """A message that answers no call, freed of results; none at all if it held nothing else."""
    blocks = _blocks(message)
    kept = [block for block in blocks if not _is_result(block)]
    if len(kept) == len(blocks):
        return [message]
    return [{**message, "content": kept}] if kept else []


# -- what may not be empty, and what cannot be written


def _without_blanks(message: Plain) -> Plain | None:
    content = message.get("content")
    if isinstance(content, str):
        if not content.strip():
            return None
        return message if is_text(content) else {**message, "content": mended_text(content)}
    blocks = _blocks(message)
    kept = [_clean(block) for block in blocks if not _is_blank(block)]
    if not kept:
        return None
    same = len(kept) == len(blocks) and all(a is b for a, b in zip(kept, blocks, strict=True))
    return message if same else {**message, "content": kept}


def _clean(block: Plain) -> Plain:
    """The block with texts that can be sent; its own texts, and those of a result."""
    changes: Plain = {}
    for key in ("text", "content"):
        value = block.get(key)
        if isinstance(value, str) and not is_text(value):
            changes[key] = mended_text(value)
    inner = block.get("content")
    if _is_result(block) and isinstance(inner, list):
        parts = cast("list[Plain]", inner)
        kept = [_clean(part) for part in parts if not _is_blank(part)]
        if len(kept) != len(parts) or any(a is not b for a, b in zip(kept, parts, strict=True)):
            changes["content"] = kept
    return {**block, **changes} if changes else block


def _is_blank(block: Plain) -> bool:
    return block.get("type") == "text" and not str(block.get("text") or "").strip()


def _without_thinking(message: Plain) -> Plain:
    blocks = _blocks(message)
    kept = [block for block in blocks if block.get("type") not in _THINKING]
    return message if len(kept) == len(blocks) else {**message, "content": kept}


def _speaks_anew(message: Plain) -> bool:
    """Whether a message begins a turn: the person speaks and no results come with it."""
    return message.get("role") == "user" and not any(map(_is_result, _blocks(message)))


def _is_result(block: Plain) -> bool:
    return block.get("type") == "tool_result"


def _blocks(message: Plain) -> list[Plain]:
    """The content as blocks, also where it is written as one text."""
    content: Any = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content.strip() else []
    return cast("list[Plain]", content) if isinstance(content, list) else []
