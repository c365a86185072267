"""The wire format of hooks: JSON on their stdin; an exit code, and perhaps JSON on their stdout, for an answer.

Exit 0: fine, JSON on stdout is read. Exit 2: it blocks, stderr is the reason. Any other: shown, and things go on. A
field that does not fit is left out and told; what else the hook said counts.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from tools.contract import Verdict
from tools.results import preview_of, readable

BLOCKS = 2
# What is told of an output that could not be understood.
TOLD_CHARS = 200
# A reason or a context that is longer loses its middle.
WORD_CHARS = 10_000
# Events whose hooks speak to the model by what they print, without any JSON.
PRINTS_TO_THE_MODEL = frozenset({"SessionStart", "UserPromptSubmit"})
# Events that have happened whatever their hooks say.
CANNOT_BLOCK = frozenset({"SessionStart", "Notification", "FileChanged", "SessionEnd"})

Kind = Literal["allow", "ask", "deny"]
_KINDS: tuple[Kind, ...] = ("allow", "ask", "deny")


@dataclass(frozen=True, slots=True)
class Word:
    """What one hook said. `blocked` and `stop` hold the reason, perhaps an empty one; None where it did neither."""

    blocked: str | None = None
    # `continue` was false: the turn ends.
    stop: str | None = None
    permission: Verdict | None = None
    updated_input: Mapping[str, Any] | None = None
    updated_output: Mapping[str, Any] | None = None
    # For the model.
    context: str = ""
    # For the person.
    message: str = ""
    problems: tuple[str, ...] = ()


SILENT = Word()


def input_text(event: str, *parts: Mapping[str, Any]) -> str:
    """What a hook finds on its stdin."""
    whole: dict[str, Any] = {"hook_event_name": event}
    for part in parts:
        whole |= part
    return json.dumps(whole) + "\n"


def read_word(event: str, exit_code: int, out: str, err: str) -> Word:
    if exit_code == BLOCKS:
        return Word(blocked=bounded(err))
    if exit_code != 0:
        said = first_line(err) or first_line(out)
        return Word(problems=(f"it {_failure(exit_code)}" + (f": {said}" if said else "."),))
    text = out.strip()
    if not text.startswith("{"):
        return Word(context=bounded(text)) if event in PRINTS_TO_THE_MODEL else SILENT
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Word(problems=(f"what it printed looks like JSON and is none ({error}): {first_line(text)}",))
    return _word_of(event, cast("dict[str, Any]", found))


def first_line(text: str) -> str:
    """The beginning of what was printed, to be shown."""
    line = text.strip().split("\n", 1)[0].strip()
    return line if len(line) <= TOLD_CHARS else line[:TOLD_CHARS] + "⋯"


def bounded(text: str) -> str:
    return preview_of(readable(text.strip()), WORD_CHARS)


def _failure(exit_code: int) -> str:
    if exit_code > 0:
        return f"failed with exit code {exit_code}"
    try:
        return f"was ended by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"was ended by signal {-exit_code}"


@dataclass(slots=True)
class _Fields:
    """The fields of an answer, each taken only if it is of its kind."""

    data: Mapping[str, Any]
    problems: list[str] = field(default_factory=list[str])

    def text(self, name: str) -> str:
        return self._of(name, str, "a text") or ""

    def object(self, name: str) -> Mapping[str, Any] | None:
        return self._of(name, dict, "an object")

    def is_false(self, name: str) -> bool:
        return self._of(name, bool, "true or false") is False

    def one_of(self, name: str, choices: Sequence[str], hint: str = "") -> str:
        found = self.text(name)
        if found and found not in choices:
            self.problems.append(f"`{name}` is not {' or '.join(choices)} but {first_line(found)}{hint}.")
            return ""
        return found

    def below(self, name: str) -> _Fields:
        return _Fields(self.object(name) or {}, self.problems)

    def _of(self, name: str, kind: type, words: str) -> Any:
        found = self.data.get(name)
        if found is None or isinstance(found, kind):
            return found
        self.problems.append(f"`{name}` must be {words} and was left out.")
        return None


def _word_of(event: str, data: Mapping[str, Any]) -> Word:
    fields = _Fields(data)
    hint = "; to allow a call, give `permissionDecision`"
    blocks = fields.one_of("decision", ("block",), hint) == "block"
    specific = _specific(event, fields)
    return Word(
        blocked=bounded(fields.text("reason")) if blocks else None,
        stop=bounded(fields.text("stopReason")) if fields.is_false("continue") else None,
        permission=_permission(specific) or _decision_on_question(event, specific),
        updated_input=_updated_input(event, specific),
        updated_output=specific.object("updatedToolOutput"),
        context=bounded(specific.text("additionalContext")),
        message=bounded(fields.text("systemMessage")),
        problems=tuple(dict.fromkeys(fields.problems)),
    )


def _specific(event: str, fields: _Fields) -> _Fields:
    """What it says of this very event; said of another one, it does not count."""
    specific = fields.below("hookSpecificOutput")
    meant = specific.text("hookEventName")
    if meant and meant != event:
        fields.problems.append(f"`hookSpecificOutput` is for {first_line(meant)}, not for {event}, and was left out.")
        return _Fields({}, fields.problems)
    return specific


def _permission(specific: _Fields) -> Verdict | None:
    kind = specific.one_of("permissionDecision", _KINDS)
    return _verdict(kind, specific.text("permissionDecisionReason")) if kind else None


def _updated_input(event: str, specific: _Fields) -> Mapping[str, Any] | None:
    found = specific.object("updatedInput")
    if found is None and event == "PermissionRequest":
        return specific.below("decision").object("updatedInput")
    return found


def _decision_on_question(event: str, specific: _Fields) -> Verdict | None:
    """The other spelling that hooks of PermissionRequest have: `"decision": {"behavior": "allow"}`."""
    if event != "PermissionRequest":
        return None
    decision = specific.below("decision")
    kind = decision.one_of("behavior", ("allow", "deny"))
    return _verdict(kind, decision.text("message")) if kind else None


def _verdict(kind: str, reason: str) -> Verdict:
    return Verdict(cast("Kind", kind), bounded(reason))
