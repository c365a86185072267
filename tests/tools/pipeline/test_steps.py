"""The thirteen steps of a call, one behaviour each: take the step out and its test fails."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.pipeline import Fake, FakeInput, FakeOutput, Rig, SaidHooks, fake, one_call, settled, text_of, until
from tools.classify import Question
from tools.context import ToolContext
from tools.contract import ContextChange, Ground, Preview, ToolError, ToolResult, Validation, Verdict
from tools.events import (
    PermissionDecided,
    PermissionRequested,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from tools.files import hash_file
from tools.hooks import AfterWord, BeforeWord
from tools.permissions.decision import Advice, Decision
from tools.pipeline import Answered, GroundChanged, ToolUse


def test_step_01_a_tool_is_found_by_its_name_and_then_by_another_of_its_names(tmp_path: Path) -> None:
    rig = Rig(tmp_path, fake(name="One", aliases=("Two",)), fake(name="Two"))
    assert one_call(rig, "One").outcome == "ok"
    assert rig.tools.find("Two") is not rig.tools.find("One"), "a name goes before another's alias"
    assert one_call(Rig(tmp_path, fake(name="One", aliases=("Two",))), "Two").outcome == "ok"


def test_step_02_a_call_that_is_already_cancelled_is_not_even_parsed(tmp_path: Path) -> None:
    rig = Rig(tmp_path, fake())
    talk = rig.talk()
    use = ToolUse("c1", "Fake", {"nonsense": 1})
    ctx = talk.context(use)
    ctx.cancellation.request("the person pressed Esc")
    answered = talk.pipeline.open(use, ctx)
    assert isinstance(answered, Answered)
    assert answered.outcome == "cancelled"
    assert text_of(answered) == "Cancelled: the person pressed Esc. It was not executed."


def test_step_03_an_input_that_does_not_fit_the_schema_is_answered_and_nothing_looks_at_it(tmp_path: Path) -> None:
    tool = fake()
    answered = one_call(Rig(tmp_path, tool), text=7)
    assert (answered.outcome, answered.code) == ("failed", "invalid_input")
    assert "`text`" in text_of(answered)
    assert tool.seen_inputs == []


def test_step_03_a_deferred_tool_that_was_not_loaded_gets_the_hint_to_load_it(tmp_path: Path) -> None:
    loader = fake(name="ToolSearch", touches_nothing=True)
    answered = one_call(Rig(tmp_path, fake(name="Late", should_defer=True), loader), "Late", nonsense=1)
    assert "load it first with ToolSearch" in text_of(answered)
    assert "ToolSearch" not in text_of(one_call(Rig(tmp_path, fake(), loader), nonsense=1))
    alone = one_call(Rig(tmp_path, fake(name="Late", should_defer=True)), "Late", nonsense=1)
    assert "ToolSearch" not in text_of(alone), "no hint to a tool that is not there"


def test_step_04_a_call_that_does_not_validate_is_answered_before_anybody_is_asked(tmp_path: Path) -> None:
    async def refuse(input: FakeInput, ctx: ToolContext) -> Validation:
        return Validation("There is no such file; look with Glob.", "file_missing")

    rig = Rig(tmp_path, fake(look=refuse))
    answered = one_call(rig, says="ask")
    assert (answered.outcome, answered.code) == ("failed", "file_missing")
    assert text_of(answered) == "There is no such file; look with Glob."
    assert rig.of(PermissionRequested) == []
    assert rig.started == []


def test_step_04_a_deny_rule_speaks_before_the_tool_looks_at_files(tmp_path: Path) -> None:
    async def look(input: FakeInput, ctx: ToolContext) -> Validation:
        raise AssertionError("the file was looked at")

    rig = Rig(tmp_path, fake(name="Edit", look=look))
    rig.policy.add_rule("Edit(secret/**)", "deny")
    answered = one_call(rig, "Edit", path="secret/a")
    assert (answered.outcome, answered.code) == ("denied", "denied")


def test_step_04_the_person_is_asked_about_the_preview(tmp_path: Path) -> None:
    async def shows(input: FakeInput, ctx: ToolContext) -> Preview:
        return Preview((f"about {input.text}",))  # type: ignore[arg-type]  # any plain data does for the gate

    async def all_of_it() -> None:
        rig = Rig(tmp_path, fake(shows=shows))
        talk = rig.talk()
        talk.add("c1", says="ask")
        await until(lambda: rig.asked)
        assert rig.question("c1").request.preview == ("about c1",)
        rig.answer("c1", "no")
        await talk.answers()

    asyncio.run(all_of_it())


def test_step_05_hooks_and_the_classifier_start_together(tmp_path: Path) -> None:
    """Each waits for the other to have begun: one after the other would wait for ever."""

    async def all_of_it() -> None:
        begun = {"hook": asyncio.Event(), "classifier": asyncio.Event()}

        class Both(SaidHooks):
            async def before(self, call: object) -> BeforeWord:
                begun["hook"].set()
                await begun["classifier"].wait()
                return BeforeWord()

            async def advise(self, question: Question) -> Advice:
                begun["classifier"].set()
                await begun["hook"].wait()
                return Advice(harmless=True, reason="It only looks.")

        both = Both()
        rig = Rig(tmp_path, fake(judged_text="harmless"), hooks=both)
        rig.policy.set_mode("auto")
        rig.classifier = both
        talk = rig.talk()
        talk.add("c1", says="pass")
        assert (await talk.answers())["c1"].outcome == "ok"

    asyncio.run(all_of_it())


def test_step_06_a_hook_may_block(tmp_path: Path) -> None:
    hooks = SaidHooks([BeforeWord(Verdict("deny", "Not on a Friday."), context="See the calendar.")])
    rig = Rig(tmp_path, fake(), hooks=hooks)
    answered = one_call(rig)
    assert (answered.outcome, answered.code) == ("denied", "denied")
    assert "Not on a Friday." in text_of(answered)
    assert "See the calendar." in text_of(answered)
    assert rig.started == []


def test_step_06_a_hook_may_decide(tmp_path: Path) -> None:
    hooks = SaidHooks([BeforeWord(Verdict("allow", "Known to be fine."))])
    assert one_call(Rig(tmp_path, fake(), hooks=hooks), says="pass").outcome == "ok"


def test_step_06_T34_an_input_changed_by_a_hook_is_parsed_checked_and_judged_again(tmp_path: Path) -> None:
    changed = {"text": "other", "path": "secret/a"}
    hooks = SaidHooks([BeforeWord(Verdict("allow", "fine"), updated_input=changed)])
    rig = Rig(tmp_path, fake(name="Edit"), hooks=hooks)
    rig.policy.add_rule("Edit(secret/**)", "deny")
    assert one_call(rig, "Edit", path="open/a").outcome == "denied"

    hooks = SaidHooks([BeforeWord(updated_input={"text": 5})])
    answered = one_call(Rig(tmp_path, fake(), hooks=hooks))
    assert (answered.outcome, answered.code) == ("failed", "invalid_input")
    assert "A hook changed the input" in text_of(answered)


def test_step_06_a_hook_that_always_says_the_same_input_changes_it_once_and_the_model_is_told(tmp_path: Path) -> None:
    hooks = SaidHooks(
        [BeforeWord(Verdict("allow", "rewritten"), updated_input={"text": "grün"}, context="By the hook.")]
    )
    answered = one_call(Rig(tmp_path, fake(), hooks=hooks), says="pass")
    assert text_of(answered) == 'did grün\n\nBy the hook.\nA hook changed the input; what ran: {"text": "grün"}'


def test_step_06_hooks_that_keep_changing_the_input_are_not_followed_for_ever(tmp_path: Path) -> None:
    hooks = SaidHooks([BeforeWord(updated_input={"text": f"{n}"}) for n in range(9)])
    rig = Rig(tmp_path, fake(), hooks=hooks)
    answered = one_call(rig)
    assert (answered.outcome, answered.code) == ("failed", "ground_changed")
    assert len(hooks.heard) == 4, "three changes, and a look at the last"
    assert rig.started == []


def test_step_06_what_a_hook_denies_it_does_not_change_before(tmp_path: Path) -> None:
    hooks = SaidHooks([BeforeWord(Verdict("deny", "never"), updated_input={"text": "other"})])
    assert one_call(Rig(tmp_path, fake(), hooks=hooks)).outcome == "denied"
    assert len(hooks.heard) == 1


def test_step_07_what_must_be_asked_is_asked_and_runs_only_after_a_yes(tmp_path: Path) -> None:
    async def all_of_it() -> None:
        rig = Rig(tmp_path, fake())
        talk = rig.talk()
        talk.add("c1", says="ask")
        await until(lambda: rig.asked)
        await settled()
        assert rig.started == []
        assert rig.answer("c1", "once")
        assert (await talk.answers())["c1"].outcome == "ok"
        (decided,) = rig.of(PermissionDecided)
        assert (decided.call_id, decided.answered, decided.decision.kind) == ("c1", True, "ask")

    asyncio.run(all_of_it())


def test_step_07_what_the_rules_deny_is_denied_and_nothing_runs(tmp_path: Path) -> None:
    rig = Rig(tmp_path, fake())
    answered = one_call(rig, says="deny")
    assert (answered.outcome, answered.code) == ("denied", "denied")
    assert answered.result_block("x")["is_error"] is True
    assert rig.started == []
    (decided,) = rig.of(PermissionDecided)
    assert decided.decision.kind == "deny"


def test_step_08_a_changed_file_sends_the_call_back_to_the_gate(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one")

    async def shows(input: FakeInput, ctx: ToolContext) -> Preview:
        return Preview((), (Ground(str(file), hash_file(str(file))),))

    async def all_of_it() -> None:
        rig = Rig(tmp_path, fake(shows=shows))
        talk = rig.talk()
        use = ToolUse("c1", "Fake", {"text": "c1"})
        flight = talk.pipeline.open(use, talk.context(use))
        assert not isinstance(flight, Answered)
        await talk.pipeline.check(flight)
        assert await talk.pipeline.clear(flight) is None
        file.write_text("two")
        assert isinstance(await talk.pipeline.run(flight), GroundChanged)
        assert rig.started == []
        file.write_text("one")
        assert isinstance(await talk.pipeline.run(flight), Answered)

    asyncio.run(all_of_it())


@pytest.mark.parametrize("change", ["rules", "mode"])
def test_step_08_changed_rules_or_another_mode_send_the_call_back_to_the_gate(tmp_path: Path, change: str) -> None:
    async def all_of_it() -> None:
        rig = Rig(tmp_path, fake())
        talk = rig.talk()
        use = ToolUse("c1", "Fake", {"text": "c1"})
        flight = talk.pipeline.open(use, talk.context(use))
        assert not isinstance(flight, Answered)
        await talk.pipeline.check(flight)
        assert await talk.pipeline.clear(flight) is None
        if change == "rules":
            rig.policy.add_rule("mcp__x", "deny")
        else:
            rig.policy.set_mode("plan")
        assert isinstance(await talk.pipeline.run(flight), GroundChanged)

    asyncio.run(all_of_it())


def test_step_09_the_call_runs_and_its_progress_is_streamed(tmp_path: Path) -> None:
    async def work(input: FakeInput, ctx: ToolContext) -> str:
        ctx.progress(FakeOutput(text="half"))
        return "whole"

    rig = Rig(tmp_path, fake(work=work))
    assert text_of(one_call(rig)) == "whole"
    kinds = [type(event) for _, event in rig.events]
    assert kinds == [PermissionDecided, ToolStarted, ToolProgress, ToolFinished]
    assert rig.of(ToolProgress) == [ToolProgress("c1", {"text": "half"})]


def test_step_09_an_expected_failure_is_the_answer(tmp_path: Path) -> None:
    async def work(input: FakeInput, ctx: ToolContext) -> str:
        raise ToolError("The file has gone; read it again.", "file_missing")

    answered = one_call(Rig(tmp_path, fake(work=work)))
    assert (answered.outcome, answered.code) == ("failed", "file_missing")
    assert text_of(answered) == "The file has gone; read it again."


def test_step_10_a_hook_may_change_the_output_before_it_is_mapped(tmp_path: Path) -> None:
    hooks = SaidHooks(after_word=AfterWord(updated_output={"text": "masked"}, context="The key was masked."))
    rig = Rig(tmp_path, fake(), hooks=hooks)
    assert text_of(one_call(rig)) == "masked\n\nThe key was masked."
    assert rig.finished("c1").data == {"text": "masked"}


def test_step_10_a_changed_output_of_another_form_is_not_used_and_the_work_counts(tmp_path: Path) -> None:
    hooks = SaidHooks(after_word=AfterWord(updated_output={"other": 1}))
    answered = one_call(Rig(tmp_path, fake(), hooks=hooks))
    assert answered.outcome == "ok"
    assert text_of(answered).startswith("did c1\n\nA hook's change of the output was not used")


def test_step_10_after_a_failure_hooks_hear_of_it_and_may_add_a_word(tmp_path: Path) -> None:
    async def work(input: FakeInput, ctx: ToolContext) -> str:
        raise ToolError("No.", "failed")

    hooks = SaidHooks(failure_word=AfterWord(context="Try the other script."))
    answered = one_call(Rig(tmp_path, fake(work=work), hooks=hooks))
    assert text_of(answered) == "No.\n\nTry the other script."
    assert [(kind, said) for kind, _, said in hooks.heard] == [("before", None), ("after_failure", "No.")]


def test_step_11_the_output_becomes_the_block_the_tool_makes_of_it(tmp_path: Path) -> None:
    class Loud(Fake):
        def to_result_block(self, data: FakeOutput) -> str:
            return data.text.upper()

    answered = one_call(Rig(tmp_path, Loud()))
    assert answered.result_block(answered.fitted.content) == {
        "type": "tool_result",
        "tool_use_id": "c1",
        "content": "DID C1",
    }


def test_step_11_T38_a_tool_that_returns_nothing_still_answers(tmp_path: Path) -> None:
    async def nothing(input: FakeInput, ctx: ToolContext) -> str:
        return input.text

    assert text_of(one_call(Rig(tmp_path, fake(work=nothing)), text="")) == "(no output)"
    assert text_of(one_call(Rig(tmp_path, fake(work=nothing)), text=" \n")) == "(no output)"


def test_step_11_T39_bytes_that_are_no_text_reach_the_model_as_marks(tmp_path: Path) -> None:
    class Raw(Fake):
        def to_result_block(self, data: FakeOutput) -> str:
            return "caf\udce9\0\x1b[31m"

    async def fail(input: FakeInput, ctx: ToolContext) -> str:
        raise ToolError("No file caf\udce9.", "file_missing")

    assert text_of(one_call(Rig(tmp_path, Raw()))) == "caf?\0\x1b[31m"
    assert text_of(one_call(Rig(tmp_path, fake(work=fail)))) == "No file caf?."


def test_step_12_a_result_over_its_limit_goes_to_disk_with_a_preview(tmp_path: Path) -> None:
    rig = Rig(tmp_path, fake(max_result_chars=3_000))
    answered = one_call(rig, text="x" * 3_001)
    stored = answered.fitted.stored
    assert stored is not None
    assert Path(stored).read_text() == "did " + "x" * 3_001
    assert len(text_of(answered)) < 2_500
    assert rig.finished("c1").stored == stored
    assert one_call(rig_again := Rig(tmp_path, fake(max_result_chars=3_000)), text="x" * 2_900).fitted.stored is None
    assert rig_again.finished("c1").stored is None


def test_step_13_a_call_that_runs_alone_may_change_the_folder_and_one_that_does_not_may_not(tmp_path: Path) -> None:
    async def work(input: FakeInput, ctx: ToolContext) -> ToolResult[FakeOutput]:
        return ToolResult(FakeOutput(text="moved"), context_change=ContextChange(folder="/else"))

    async def all_of_it() -> None:
        for safe, changes in ((False, [ContextChange(folder="/else")]), (True, [])):
            talk = Rig(tmp_path, fake(work=work, safe=safe)).talk()
            talk.add("c1")
            await talk.answers()
            assert talk.changes == changes

    asyncio.run(all_of_it())


def test_step_13_the_end_is_told_with_data_and_duration_and_extra_messages_go_on(tmp_path: Path) -> None:
    async def work(input: FakeInput, ctx: ToolContext) -> ToolResult[FakeOutput]:
        rig.now += 2.5
        return ToolResult(FakeOutput(text="done"), extra_messages=("By the way.",))

    rig = Rig(tmp_path, fake(work=work))
    answered = one_call(rig)
    assert answered.extra_messages == ("By the way.",)
    assert rig.finished("c1") == ToolFinished("c1", "ok", data={"text": "done"}, duration=2.5)


def test_a_decision_without_a_question_is_told_too(tmp_path: Path) -> None:
    rig = Rig(tmp_path, fake())
    one_call(rig)
    (decided,) = rig.of(PermissionDecided)
    assert isinstance(decided.decision, Decision)
    assert (decided.decision.kind, decided.answered, decided.request_id) == ("allow", False, "")
