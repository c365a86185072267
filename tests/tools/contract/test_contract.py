"""The contract of a tool: what it is without a word of its own, and what is refused when one is built."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import context
from tools.context import Cancellation, Place
from tools.contract import VALID, Preview, PromptOptions, Tool, ToolError, ToolResult, Validation, build_tool
from tools.footprint import Footprint, footprint_of
from tools.inputs import NoProgress, ToolInput, ToolOutput
from tools.permissions.subjects import PathSubject, Subject

HERE = Place("/project", "/home/ada")


class PlainInput(ToolInput):
    path: str = ""
    note: str | None = None


class PlainOutput(ToolOutput):
    done: bool = True


class Plain(Tool[PlainInput, PlainOutput]):
    """The least a tool can be."""

    name = "Plain"
    search_hint = "the least a tool can be"
    Input = PlainInput
    Output = PlainOutput
    max_result_chars = 1_000

    async def call(self, input: PlainInput, ctx: Any) -> ToolResult[PlainOutput]:
        return ToolResult(PlainOutput())


def test_whatever_could_do_harm_defaults_to_no() -> None:
    tool, input = build_tool(Plain), PlainInput()
    assert not tool.is_read_only(input)
    assert not tool.is_concurrency_safe(input)
    assert not tool.is_destructive(input)
    assert tool.is_enabled()
    assert tool.interrupt_behavior == "block"
    assert not tool.should_defer and not tool.always_load and not tool.strict
    assert not tool.touches_nothing and not tool.may_touch_anything
    assert tool.classifier_text(input) == "", "empty text can never yield an allow"
    assert tool.check_permissions(input, HERE) is None, "the general system decides"
    assert tool.permission_subjects(input, HERE) == ()


def test_the_other_defaults_say_something_sensible(tmp_path: Path) -> None:
    tool, input = build_tool(Plain), PlainInput(path="a")
    assert tool.user_facing_name(input) == tool.summary(input) == "Plain"
    assert tool.description(PromptOptions()) == "the least a tool can be"
    assert tool.prompt(PromptOptions()) == ""
    assert tool.Progress is NoProgress
    assert tool.aliases == () and tool.input_examples == ()
    assert asyncio.run(tool.validate_input(input, context(tmp_path))) == VALID
    preview = asyncio.run(tool.preview(input, context(tmp_path)))
    assert isinstance(preview, Preview) and preview.ground == () and len(preview.blocks) == 1
    assert tool.to_result_block(PlainOutput()) == '{"done":true}'
    assert not tool.is_result_truncated(PlainOutput())
    assert tool.observable_input(input, HERE) == {"path": "a"}
    assert tool.input_schema()["additionalProperties"] is False


def test_a_tool_whose_work_is_not_written_fails_in_words(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="has no work to do"):
        asyncio.run(Tool.call(Plain(), PlainInput(), context(tmp_path)))


def test_the_prose_for_the_model_comes_from_the_folder_of_the_tool(tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("\nUse it well: über alles.\n", encoding="utf-8")

    class Prosaic(Plain):
        prompt_file = tmp_path / "prompt.md"

    assert build_tool(Prosaic).prompt(PromptOptions()) == "Use it well: über alles."


def without(*parts: str) -> type[Plain]:
    """The same tool with parts of its definition left out."""
    kept = {name: value for name, value in vars(Plain).items() if name not in (*parts, "__dict__", "__weakref__")}
    return type("Partial", (Tool,), kept)


@pytest.mark.parametrize(
    ("left_out", "named"),
    [
        (("name",), "name"),
        (("Input",), "Input"),
        (("Output",), "Output"),
        (("max_result_chars",), "max_result_chars"),
        (("call",), "call"),
        (("search_hint",), "search_hint or description"),
        (("name", "call"), "name, call"),
    ],
)
def test_an_incomplete_tool_is_refused_naming_what_is_missing(left_out: tuple[str, ...], named: str) -> None:
    with pytest.raises(ToolError) as refused:
        build_tool(without(*left_out))
    assert refused.value.message == f"Partial is not complete: {named} missing."
    assert refused.value.code == "incomplete_tool"


def test_a_complete_one_passes_the_same_check() -> None:
    assert build_tool(without()).name == "Plain"


def test_a_description_of_its_own_does_for_the_hint() -> None:
    class Described(without("search_hint")):  # type: ignore[misc]  # made on the spot
        def description(self, options: PromptOptions) -> str:
            return "Said here."

    assert build_tool(Described).description(PromptOptions()) == "Said here."


def test_a_tool_with_a_json_schema_of_its_own_needs_no_model() -> None:
    class FromServer(without("Input")):  # type: ignore[misc]  # made on the spot
        def input_schema(self) -> dict[str, Any]:
            return {"type": "object"}

        def parse_input(self, raw: Any) -> Any:
            return raw

    assert build_tool(FromServer).input_schema() == {"type": "object"}


def test_ports_are_handed_over_and_a_missing_one_is_named() -> None:
    class WithPort(Plain):
        def __init__(self, board: object) -> None:
            self.board = board

    port = object()
    assert build_tool(WithPort, board=port).board is port
    with pytest.raises(ToolError, match=r"WithPort cannot be built: .*board"):
        build_tool(WithPort)  # type: ignore[call-arg]  # that is the point


def test_no_bound_at_all_is_said_and_not_forgotten() -> None:
    class Unbounded(without("max_result_chars")):  # type: ignore[misc]  # made on the spot
        max_result_chars = None

    assert build_tool(Unbounded).max_result_chars is None


def test_only_a_code_makes_a_validation_fail() -> None:
    assert VALID.ok and Validation().ok
    assert not Validation("There is no such file.", "file_missing").ok


def test_values_of_the_contract_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        VALID.code = "failed"  # type: ignore[misc]  # that is the point


def test_the_first_reason_of_a_cancellation_stays() -> None:
    cancellation = Cancellation()
    assert not cancellation.requested
    cancellation.request("interrupted")
    cancellation.request("again")
    assert (cancellation.requested, cancellation.reason) == (True, "interrupted")


# -- what a call may touch


class Touching(Plain):
    def __init__(self, *subjects: Subject, reads: bool = False) -> None:
        self.subjects = subjects
        self.reads = reads

    def is_read_only(self, input: PlainInput) -> bool:
        return self.reads

    def permission_subjects(self, input: PlainInput, place: Place) -> tuple[Subject, ...]:
        return self.subjects


def test_without_a_word_a_call_may_change_anything() -> None:
    assert footprint_of(build_tool(Plain), PlainInput(), HERE) == Footprint((), known=False, writes=True)


def test_paths_are_known_when_all_subjects_are_paths() -> None:
    tool = build_tool(Touching, PathSubject("a", "edit"), PathSubject("~/b", "read"))
    print_of = footprint_of(tool, PlainInput(), HERE)
    assert print_of == Footprint(("/project/a", "/home/ada/b"), known=True, writes=True)


def test_subjects_that_cannot_be_named_may_be_anything() -> None:
    class Doubtful(Plain):
        def permission_subjects(self, input: PlainInput, place: Place) -> tuple[Subject, ...]:
            raise ToolError("That is no path.", "bad_path")

    assert not footprint_of(build_tool(Doubtful), PlainInput(), HERE).known


def test_what_touches_nothing_is_apart_from_everything() -> None:
    class Board(Plain):
        touches_nothing = True

    nothing = footprint_of(build_tool(Board), PlainInput(), HERE)
    assert nothing.surely_apart(Footprint(("/",), known=True, writes=True))
    assert not nothing.writes


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("/a", "/a", False),
        ("/a", "/a/b", False),
        ("/a", "/ab", True),
        ("/", "/a", False),
        ("/a/b", "/a/c", True),
    ],
)
def test_paths_are_apart_when_neither_holds_the_other(one: str, other: str, apart: bool) -> None:
    mine, theirs = Footprint((one,), True, True), Footprint((other,), True, False)
    assert mine.surely_apart(theirs) == theirs.surely_apart(mine) == apart
    assert not mine.surely_apart(Footprint((other,), False, False))
