"""What a model may send, row by row: right or answered, never guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from tests.support.pipeline import Fake, FakeInput, Rig, fake, one_call, text_of
from tools.contract import Tool, ToolError, ToolResult, Validation, build_tool
from tools.inputs import ToolInput, ToolOutput
from tools.parse import ARGUMENT_CHARS
from tools.pipeline import Answered, ToolUse


class Inner(ToolInput):
    times: int


class AllKinds(ToolInput):
    name: str
    flag: bool = False
    count: int = 1
    share: float = 0.5
    names: list[str] = Field(default_factory=list)
    either: int | str = 0
    limit: Annotated[int, Field(ge=1, le=600)] | None = None
    offset: int = Field(default=0, ge=0)
    inner: Inner | None = None


class Got(ToolOutput):
    got: dict[str, Any]


class Kinds(Tool[AllKinds, Got]):
    name = "Kinds"
    search_hint = "takes every kind of value"
    Input = AllKinds
    Output = Got
    max_result_chars = 10_000
    touches_nothing = True

    async def call(self, input: AllKinds, ctx: Any) -> ToolResult[Got]:
        return ToolResult(Got(got=input.model_dump()))


def _send(folder: Path, **input: Any) -> Any:
    """The values the tool got, or the sentence of the refusal."""
    answered = one_call(Rig(folder, build_tool(Kinds)), "Kinds", {"name": "n", **input})
    if answered.outcome == "ok":
        return json.loads(text_of(answered))["got"]
    assert answered.code == "invalid_input"
    return text_of(answered)


def test_T1_an_unknown_name_is_answered_with_those_that_exist(tmp_path: Path) -> None:
    for name in ("bash_", "Bas", "Bash ", ""):
        answered = one_call(Rig(tmp_path, fake(name="Bash"), fake(name="Read")), name)
        assert (answered.outcome, answered.code) == ("failed", "no_such_tool")
        assert "Available: Bash, Read." in text_of(answered)


def test_T2_the_wrong_case_is_another_name(tmp_path: Path) -> None:
    tool = fake(name="Bash")
    assert one_call(Rig(tmp_path, tool), "bash").code == "no_such_tool"
    assert tool.seen_inputs == []


def test_T3_a_tool_that_was_taken_away_is_as_if_it_had_never_been(tmp_path: Path) -> None:
    rig = Rig(tmp_path, fake(name="Read"))
    rig.policy.add_rule("Bash", "deny")
    assert text_of(one_call(rig, "Bash")) == "There is no tool named Bash. Available: Read."


@pytest.mark.parametrize("raw", [[], "x", 7, True, 1.5, [{"text": "x"}]])
def test_T6_an_input_that_is_no_object_is_answered(tmp_path: Path, raw: Any) -> None:
    tool = fake()
    answered = one_call(Rig(tmp_path, tool), raw=raw)
    assert answered.code == "invalid_input"
    assert f"Expected an object for the input, got {type(raw).__name__}." in text_of(answered)
    assert tool.seen_inputs == []


def test_T5_a_call_that_must_not_be_looked_at_is_answered_with_why(tmp_path: Path) -> None:
    tool = fake()
    rig = Rig(tmp_path, tool)
    talk = rig.talk()
    cut = ToolUse("c1", "Fake", {"text": "c1"}, Validation("Its input was cut.", "invalid_input"))
    answered = talk.pipeline.open(cut, talk.context(cut))
    assert isinstance(answered, Answered)
    assert (answered.outcome, answered.code, text_of(answered)) == ("failed", "invalid_input", "Its input was cut.")
    assert tool.seen_inputs == []


def test_T6_null_is_no_object_either() -> None:
    with pytest.raises(ToolError, match="Expected an object for the input, got NoneType"):
        fake().parse_input(None)


@pytest.mark.parametrize(
    ("field", "sent", "taken"),
    [
        ("flag", "true", True),
        ("flag", "false", False),
        ("count", "5", 5),
        ("count", "-5", -5),
        ("share", "0.25", 0.25),
        ("share", "3", 3.0),
        ("share", 3, 3.0),
        ("limit", "600", 600),
        ("either", "5", "5"),
        ("name", "true", "true"),
        ("inner", {"times": "3"}, {"times": 3}),
    ],
)
def test_T8_exact_spellings_of_booleans_and_numbers_are_let_through(
    tmp_path: Path, field: str, sent: Any, taken: Any
) -> None:
    got = _send(tmp_path, **{field: sent})[field]
    assert got == taken
    assert type(got) is type(taken)


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        ("flag", "True"),
        ("flag", "yes"),
        ("flag", "0"),
        ("flag", ""),
        ("flag", "null"),
        ("count", "5.0"),
        ("count", 5.0),
        ("count", " 5"),
        ("count", "+5"),
        ("count", "1e3"),
        ("count", "0x10"),
        ("count", "1_000"),
        ("count", "٣"),
        ("count", ""),
        ("count", "9" * 30),
        ("share", "nan"),
        ("share", "inf"),
        ("share", ".5"),
        ("count", None),
    ],
)
def test_T8_nothing_else_is_coerced(tmp_path: Path, field: str, sent: Any) -> None:
    refused = _send(tmp_path, **{field: sent})
    assert isinstance(refused, str)
    assert f"`{field}`" in refused


@pytest.mark.parametrize(
    ("field", "sent"),
    [("flag", 1), ("flag", 0), ("count", True), ("count", False), ("share", True), ("limit", True), ("name", True)],
)
def test_T9_a_number_is_no_boolean_and_a_boolean_no_number(tmp_path: Path, field: str, sent: Any) -> None:
    refused = _send(tmp_path, **{field: sent})
    assert f"`{field}`" in refused
    assert f"got {type(sent).__name__}" in refused


@pytest.mark.parametrize("sent", ['["a", "b"]', "[]", "a", {"0": "a"}])
def test_T10_a_list_sent_as_a_string_is_refused_naming_what_was_expected(tmp_path: Path, sent: Any) -> None:
    assert "`names`: input should be a valid list" in _send(tmp_path, names=sent)


def test_T10_what_is_in_a_list_is_not_coerced_either(tmp_path: Path) -> None:
    assert "`names.0`" in _send(tmp_path, names=[5])


def test_T11_a_missing_field_is_named(tmp_path: Path) -> None:
    answered = one_call(Rig(tmp_path, build_tool(Kinds)), "Kinds", {})
    assert text_of(answered) == "Kinds was not run: its input is not valid. `name` is required."


def test_T12_extra_fields_are_refused_and_change_nothing(tmp_path: Path) -> None:
    tool = fake()
    answered = one_call(Rig(tmp_path, tool), says="ask", dangerouslyDisableSandbox=True)
    assert "`dangerouslyDisableSandbox` is not a field of this tool." in text_of(answered)
    assert tool.seen_inputs == []
    assert "is not a field" in _send(tmp_path, inner={"times": 1, "more": 2})


def test_T13_what_is_judged_is_the_very_object_that_runs(tmp_path: Path) -> None:
    tool = fake()
    twice = json.loads('{"text": "judged", "text": "run"}')
    assert text_of(one_call(Rig(tmp_path, tool), raw=twice)) == "did run"
    assert len(tool.seen_inputs) >= 4, "subjects, validation, preview and call have all seen it"
    assert all(input is tool.seen_inputs[0] for input in tool.seen_inputs)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_T14_what_is_no_number_is_refused(tmp_path: Path, value: float) -> None:
    assert "`share`" in _send(tmp_path, share=value)


def test_T14_an_integer_beyond_all_bounds_is_refused(tmp_path: Path) -> None:
    assert isinstance(_send(tmp_path, count=10**5000), str)


def test_T15_nesting_beyond_all_bounds_is_answered(tmp_path: Path) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert "cannot be read" in _send(tmp_path, names=deep)


def test_T16_half_a_surrogate_pair_is_answered_and_the_answer_can_be_sent(tmp_path: Path) -> None:
    refused = _send(tmp_path, name="half \ud83d")
    refused.encode()
    assert "cannot be read" in refused


def test_T17_a_huge_argument_is_refused_before_anything_looks_at_it(tmp_path: Path) -> None:
    tool = fake()
    answered = one_call(Rig(tmp_path, tool), text="x" * (ARGUMENT_CHARS + 1))
    assert answered.code == "too_large"
    assert "split the work" in text_of(answered)
    assert tool.seen_inputs == []


@pytest.mark.parametrize(
    ("field", "sent", "bound"),
    [
        ("limit", 0, "greater than or equal to 1, got int 0"),
        ("limit", -1, "greater than or equal to 1, got int -1"),
        ("limit", 601, "less than or equal to 600, got int 601"),
        ("limit", 10**30, "less than or equal to 600"),
        ("limit", "601", "less than or equal to 600, got int 601"),
        ("offset", -1, "greater than or equal to 0, got int -1"),
    ],
)
def test_T18_a_number_out_of_its_bounds_is_refused_naming_the_bound(
    tmp_path: Path, field: str, sent: Any, bound: str
) -> None:
    refused = _send(tmp_path, **{field: sent})
    assert f"`{field}" in refused
    assert bound in refused


def test_many_problems_are_named_in_part_and_counted(tmp_path: Path) -> None:
    refused = _send(tmp_path, names=[1] * 1_000)
    assert refused.count("`names.") == 5
    assert refused.endswith("And 995 more.")


def test_what_a_tool_says_of_its_own_input_is_its_own_sentence() -> None:
    from pydantic import model_validator

    class Picky(ToolInput):
        one: int = 0

        @model_validator(mode="after")
        def _one(self) -> Picky:
            if self.one != 1:
                raise ValueError("one must be one")
            return self

    class PickyTool(Fake):
        Input = Picky  # type: ignore[assignment]  # another input than the other fakes'

    with pytest.raises(ToolError, match="`the input`: one must be one"):
        build_tool(PickyTool).parse_input({"one": 2})


def test_an_input_cannot_be_changed_after_it_was_judged() -> None:
    with pytest.raises(ValueError, match="frozen"):
        FakeInput(text="a").text = "b"  # type: ignore[misc]  # that is the point
