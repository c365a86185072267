"""A failure in any step is data: an answer the model can act on, never an exception in the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.pipeline import Fake, FakeInput, Rig, SaidHooks, exactly_one_end_each, fake, one_call, text_of
from tools.context import ToolContext
from tools.contract import ToolError
from tools.events import ToolFinished
from tools.hooks import BeforeWord

BOOM = RuntimeError("boom")


def _raises(*_: Any, **__: Any) -> Any:
    raise BOOM


@pytest.mark.parametrize(
    "part",
    [
        "parse_input",
        "is_concurrency_safe",
        "is_read_only",
        "is_destructive",
        "permission_subjects",
        "check_permissions",
        "validate_input",
        "preview",
        "observable_input",
        "call",
        "to_result_block",
    ],
)
def test_a_crash_in_any_part_of_a_tool_is_answered_with_its_kind_and_place(tmp_path: Path, part: str) -> None:
    tool = fake()
    setattr(tool, part, _raises)
    rig = Rig(tmp_path, tool)
    answered = one_call(rig)
    assert (answered.outcome, answered.code) == ("failed", "internal_error")
    assert "RuntimeError: boom (_raises, line " in text_of(answered)
    assert exactly_one_end_each(rig.of(ToolFinished), ["c1"])


def test_a_crash_of_the_summary_while_asking_is_answered(tmp_path: Path) -> None:
    tool = fake()
    tool.summary = _raises  # type: ignore[method-assign]  # as if the tool had been written so
    answered = one_call(Rig(tmp_path, tool), says="ask")
    assert (answered.outcome, answered.code) == ("failed", "internal_error")


def test_a_crash_of_the_classifiers_text_is_answered(tmp_path: Path) -> None:
    tool = fake()
    tool.classifier_text = _raises  # type: ignore[method-assign]  # as if the tool had been written so
    rig = Rig(tmp_path, tool)
    rig.policy.set_mode("auto")
    assert one_call(rig, says="pass").code == "internal_error"


def test_a_crash_of_a_hook_before_the_call_keeps_it_from_running(tmp_path: Path) -> None:
    rig = Rig(tmp_path, fake(), hooks=SaidHooks([BOOM]))
    assert one_call(rig).code == "internal_error"
    assert rig.started == []


def test_a_crash_of_a_hook_after_the_call_is_answered(tmp_path: Path) -> None:
    assert one_call(Rig(tmp_path, fake(), hooks=SaidHooks(after_word=BOOM))).code == "internal_error"


def test_a_crash_of_the_hook_after_a_failure_leaves_the_failure_as_it_was(tmp_path: Path) -> None:
    async def fail(input: FakeInput, ctx: ToolContext) -> str:
        raise ToolError("No such host.", "failed")

    answered = one_call(Rig(tmp_path, fake(work=fail), hooks=SaidHooks(failure_word=BOOM)))
    assert answered.code == "failed"
    assert text_of(answered).startswith("No such host.\n\nA hook after the failure failed unexpectedly")


def test_what_is_not_the_tools_output_is_a_failure_of_the_tool(tmp_path: Path) -> None:
    async def nonsense(input: FakeInput, ctx: ToolContext) -> Any:
        return None

    assert one_call(Rig(tmp_path, fake(work=nonsense))).code == "internal_error"


def test_a_folder_that_cannot_be_changed_to_is_a_failure_of_the_call(tmp_path: Path) -> None:
    from tests.support.pipeline import FakeOutput
    from tools.contract import ContextChange, ToolResult

    async def move(input: FakeInput, ctx: ToolContext) -> ToolResult[FakeOutput]:
        return ToolResult(FakeOutput(text="moved"), context_change=ContextChange(folder="/else"))

    async def all_of_it() -> None:
        talk = Rig(tmp_path, fake(work=move)).talk()
        talk.pipeline.apply_change = _raises
        talk.add("c1")
        assert (await talk.answers())["c1"].code == "internal_error"

    asyncio.run(all_of_it())


def test_a_file_under_the_call_that_cannot_be_hashed_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tools.contract import Ground, Preview

    async def shows(input: FakeInput, ctx: ToolContext) -> Preview:
        return Preview((), (Ground("/x", None),))

    monkeypatch.setattr("tools.pipeline.hash_file", _raises)
    rig = Rig(tmp_path, fake(shows=shows))
    assert one_call(rig).code == "internal_error"
    assert rig.started == []


def test_the_words_for_the_model_besides_the_result_are_bounded(tmp_path: Path) -> None:
    hooks = SaidHooks([BeforeWord(updated_input={"text": "y" * 100_000})])
    rig = Rig(tmp_path, fake(work=_short), hooks=hooks)
    assert len(text_of(one_call(rig))) < 11_000


def test_a_long_error_is_stored_like_any_result(tmp_path: Path) -> None:
    async def fail(input: FakeInput, ctx: ToolContext) -> str:
        raise ToolError("e" * 40_000, "failed")

    answered = one_call(Rig(tmp_path, fake(work=fail)))
    assert answered.fitted.stored is not None
    assert len(text_of(answered)) < 2_500


def test_cancellation_leaves_a_step_as_an_exception_and_nothing_swallows_it(tmp_path: Path) -> None:
    async def all_of_it(part: str) -> None:
        tool = fake()
        waiting = asyncio.Event()

        async def wait(*_: Any) -> Any:
            waiting.set()
            await asyncio.Event().wait()

        setattr(tool, part, wait)
        talk = Rig(tmp_path, tool).talk()
        talk.add("c1")
        await waiting.wait()
        assert talk.executor.cancel("c1", "enough")
        assert (await talk.answers())["c1"].outcome == "cancelled"

    for part in ("validate_input", "preview", "call"):
        asyncio.run(all_of_it(part))


async def _short(input: FakeInput, ctx: ToolContext) -> str:
    return "short"


def test_T38_blocks_of_blank_text_are_left_out(tmp_path: Path) -> None:
    class Blocks(Fake):
        def to_result_block(self, data: Any) -> Any:
            return made

    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    made: list[dict[str, Any]] = [{"type": "text", "text": "  "}, image]
    content: Callable[[], Any] = lambda: one_call(Rig(tmp_path, Blocks())).fitted.content  # noqa: E731 (said twice)
    assert content() == [image]
    made = [{"type": "text", "text": ""}]
    assert content() == "(no output)"
