"""What stands around a call and may speak: hooks of the person's own.

The interface is the whole of it here; without configured hooks `NoHooks` is silent, and silence allows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tools.contract import Verdict


@dataclass(frozen=True, slots=True)
class HookedCall:
    """A call as hooks see it: its observable input, never the raw one."""

    call_id: str
    tool: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BeforeWord:
    """What PreToolUse hooks said, already joined: the strictest verdict, a changed input, text for the model.

    `stop`: the turn ends; the verdict then denies, and says why.
    """

    verdict: Verdict | None = None
    updated_input: Mapping[str, Any] | None = None
    context: str = ""
    stop: bool = False


@dataclass(frozen=True, slots=True)
class AfterWord:
    """What PostToolUse hooks said: a changed output (as plain data of the tool's Output), text for the model.

    `stop`: why the turn ends after this call; empty when it goes on.
    """

    updated_output: Mapping[str, Any] | None = None
    context: str = ""
    stop: str = ""


SILENT_BEFORE = BeforeWord()
SILENT_AFTER = AfterWord()


class Hooks(Protocol):
    async def before(self, call: HookedCall) -> BeforeWord: ...

    async def on_question(self, call: HookedCall) -> BeforeWord:
        """A person is about to be asked: PermissionRequest hooks may answer in their place."""
        ...

    async def after(self, call: HookedCall, output: Mapping[str, Any]) -> AfterWord: ...

    async def after_failure(self, call: HookedCall, error: str) -> AfterWord: ...


class NoHooks:
    async def before(self, call: HookedCall) -> BeforeWord:
        return SILENT_BEFORE

    async def on_question(self, call: HookedCall) -> BeforeWord:
        return SILENT_BEFORE

    async def after(self, call: HookedCall, output: Mapping[str, Any]) -> AfterWord:
        return SILENT_AFTER

    async def after_failure(self, call: HookedCall, error: str) -> AfterWord:
        return SILENT_AFTER
