"""What other programs write to us: JSON, read as strictly as a model's input is, so that no line ends a batch."""

from __future__ import annotations

from typing import Any, cast

from agent.model.inputs import strict_json, trouble_in


class Unreadable(Exception):
    """What was asked cannot be judged or run, and why. `id` is its own, where that much could be read."""

    def __init__(self, why: str, id: Any = None) -> None:
        super().__init__(why)
        self.id = id


def read_json(text: str | bytes) -> Any:
    try:
        found = strict_json(text.decode() if isinstance(text, bytes) else text)
    except UnicodeError:
        raise Unreadable("This is not UTF-8, or holds half a character.") from None
    except ValueError as error:
        raise Unreadable(f"This is not valid JSON: {error}.") from None
    except RecursionError:
        raise Unreadable("This JSON is nested too deeply.") from None
    if trouble := trouble_in(found):
        raise Unreadable(f"This cannot be used: {trouble}.", _id_of(found))
    return found


def read_object(text: str | bytes) -> dict[str, Any]:
    found = read_json(text)
    if not isinstance(found, dict):
        raise Unreadable("This must be a JSON object.")
    return cast("dict[str, Any]", found)


def _id_of(found: Any) -> Any:
    given = cast("dict[str, Any]", found).get("id") if isinstance(found, dict) else None
    return None if trouble_in(given) else given
