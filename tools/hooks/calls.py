"""The hooks around a call: what several of them said is one word, and the strictest counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tools.contract import Verdict
from tools.hooks import SILENT_AFTER, SILENT_BEFORE, AfterWord, BeforeWord, HookedCall
from tools.hooks.runner import HookRunner, Occasion, Said, sentence
from tools.permissions.decide import STRICTNESS

_VERBS = {"deny": "denies it", "ask": "asks", "allow": "allows it"}


class CallHooks:
    """`tools.hooks.Hooks` for the calls of one conversation. `folder` is where that one stands just now."""

    def __init__(self, runner: HookRunner, folder: Callable[[], str]) -> None:
        self._runner = runner
        self._folder = folder

    async def before(self, call: HookedCall) -> BeforeWord:
        return before_word(await self._fire("PreToolUse", call))

    async def on_question(self, call: HookedCall) -> BeforeWord:
        return before_word(await self._fire("PermissionRequest", call))

    async def after(self, call: HookedCall, output: Mapping[str, Any]) -> AfterWord:
        return after_word(await self._fire("PostToolUse", call, tool_response=output))

    async def after_failure(self, call: HookedCall, error: str) -> AfterWord:
        return after_word(await self._fire("PostToolUseFailure", call, error=error, is_interrupt=False))

    async def _fire(self, event: str, call: HookedCall, **more: Any) -> tuple[Said, ...]:
        fields = {"tool_name": call.tool, "tool_input": call.input, "tool_use_id": call.call_id, **more}
        return await self._runner.fire(Occasion(event, self._folder(), fields, call.tool))


def before_word(said: Sequence[Said]) -> BeforeWord:
    if not said:
        return SILENT_BEFORE
    verdicts = [verdict for one in said if (verdict := _verdict(one)) is not None]
    strictest = max(verdicts, key=_strictness, default=None)
    agreed = " ".join(verdict.reason for verdict in verdicts if strictest and verdict.kind == strictest.kind)
    changed = [one.word.updated_input for one in said if one.word.updated_input is not None]
    return BeforeWord(
        verdict=strictest._replace(reason=agreed) if strictest is not None else None,
        # Each of them saw the input as it was before: of several changes the last one in the settings is used.
        updated_input=changed[-1] if changed else None,
        context=contexts(said),
        stop=any(one.word.stop is not None for one in said),
    )


def _strictness(verdict: Verdict) -> int:
    return STRICTNESS[verdict.kind]


def after_word(said: Sequence[Said]) -> AfterWord:
    if not said:
        return SILENT_AFTER
    changed = [one.word.updated_output for one in said if one.word.updated_output is not None]
    objections = [sentence(one, "objects", one.word.blocked) for one in said if one.word.blocked is not None]
    return AfterWord(
        updated_output=changed[-1] if changed else None,
        context="\n".join(filter(None, [*objections, contexts(said)])),
        stop=stop_of(said),
    )


def contexts(said: Iterable[Said]) -> str:
    """What hooks want the model to know, each named, so that nobody takes it for the person's or a tool's words."""
    return "\n".join(sentence(one, "says", one.word.context) for one in said if one.word.context)


def stop_of(said: Iterable[Said]) -> str:
    """Why the turn is to end; empty when no hook wants that."""
    return " ".join(sentence(one, "ends the turn", one.word.stop) for one in said if one.word.stop is not None)


def _verdict(said: Said) -> Verdict | None:
    """To block, or to end the turn, is to deny; else what it decided, if it did."""
    _, word = said
    if word.stop is not None:
        return Verdict("deny", sentence(said, "ends the turn", word.stop))
    if word.blocked is not None:
        return Verdict("deny", sentence(said, _VERBS["deny"], word.blocked))
    if word.permission is None:
        return None
    kind, reason = word.permission
    return Verdict(kind, sentence(said, _VERBS[kind], reason))
