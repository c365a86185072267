"""All hooks of an event: together, in their order, each heard, none able to harm the others."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.support.commands import is_alive, pids_in, wait_for
from tests.support.hooks import Told, says, specific, with_runner
from tools.contract import Verdict
from tools.hooks import SILENT_AFTER, SILENT_BEFORE, AfterWord, BeforeWord, HookedCall
from tools.hooks import run as running
from tools.hooks.calls import CallHooks
from tools.hooks.configured import Hook
from tools.hooks.runner import HookRunner, Listed, Occasion, Said

CALL = HookedCall("c1", "Bash", {"command": "make"})


def hook(command: str, event: str = "PreToolUse", **more: object) -> Hook:
    return Hook(event, command)._replace(**more)  # type: ignore[arg-type]  # a test names fields by hand


def fired(folder: Path, *hooks: Hook, subject: str | None = None) -> tuple[tuple[Said, ...], list[str]]:
    async def work(runner: HookRunner, told: Told) -> tuple[tuple[Said, ...], list[str]]:
        said = await runner.fire(Occasion(hooks[0].event, str(folder), {}, subject))
        return said, told.texts

    return with_runner(list(hooks), work)


def before(folder: Path, *hooks: Hook) -> BeforeWord:
    return with_runner(list(hooks), lambda runner, _: CallHooks(runner, lambda: str(folder)).before(CALL))


def after(folder: Path, *hooks: Hook) -> AfterWord:
    return with_runner(list(hooks), lambda runner, _: CallHooks(runner, lambda: str(folder)).after(CALL, {"out": "x"}))


def test_matching_hooks_run_at_the_same_time_and_are_heard_in_their_order(tmp_path: Path) -> None:
    meet = "touch {0}; while [ ! -e {1} ]; do sleep 0.01; done; cat <<< '{2}'"
    first = meet.format("a", "b", json.dumps({"systemMessage": "first"}))
    second = meet.format("b", "a", json.dumps({"systemMessage": "second"}))
    said, told = fired(tmp_path, hook(first), hook(second), hook("touch other", matcher="Edit"), subject="Bash")
    assert [one.word.message for one in said] == ["first", "second"]
    assert len(told) == 2 and not (tmp_path / "other").exists()


def test_an_idle_hook_does_not_run(tmp_path: Path) -> None:
    said, _ = fired(tmp_path, hook("touch ran", idle="this folder is not trusted"))
    assert said == () and not (tmp_path / "ran").exists()


def test_a_hook_is_told_the_session_the_folder_and_the_call(tmp_path: Path) -> None:
    before(tmp_path, hook("cat > got.json; pwd > where"))
    assert json.loads((tmp_path / "got.json").read_text()) == {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "transcript_path": "/t",
        "permission_mode": "plan",
        "cwd": str(tmp_path),
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
        "tool_use_id": "c1",
    }
    assert (tmp_path / "where").read_text() == f"{tmp_path}\n"


def test_after_a_call_a_hook_is_also_told_what_came_of_it(tmp_path: Path) -> None:
    after(tmp_path, hook("cat > got.json", "PostToolUse"))
    assert json.loads((tmp_path / "got.json").read_text())["tool_response"] == {"out": "x"}

    async def failed(runner: HookRunner, _: Told) -> AfterWord:
        return await CallHooks(runner, lambda: str(tmp_path)).after_failure(CALL, "No such host.")

    with_runner([hook("cat > failed.json", "PostToolUseFailure")], failed)
    assert json.loads((tmp_path / "failed.json").read_text())["error"] == "No such host."


def test_no_hook_says_nothing_and_starts_no_process(tmp_path: Path) -> None:
    assert before(tmp_path, hook("touch ran", matcher="Edit")) is SILENT_BEFORE
    assert after(tmp_path) is SILENT_AFTER


def test_the_strictest_word_counts_and_the_reasons_of_all_who_agree(tmp_path: Path) -> None:
    allow = hook(says(specific("PreToolUse", permissionDecision="allow", permissionDecisionReason="mine")))
    deny = hook("echo 'first reason' >&2; exit 2")
    block = hook(says({"decision": "block", "reason": "second reason"}))
    ask = hook(says(specific("PreToolUse", permissionDecision="ask")))
    word = before(tmp_path, allow, deny, ask, block)
    assert word.verdict is not None and word.verdict.kind == "deny"
    assert "first reason" in word.verdict.reason and "second reason" in word.verdict.reason
    assert "mine" not in word.verdict.reason
    assert before(tmp_path, allow, ask).verdict == Verdict("ask", f"The hook {ask.name} asks.")
    assert before(tmp_path, allow).verdict == Verdict("allow", f"The hook {allow.name} allows it: mine")


def test_of_several_changes_the_last_one_in_the_settings_is_used(tmp_path: Path) -> None:
    first = hook("sleep 0.05; " + says(specific("PreToolUse", updatedInput={"command": "first"})))
    second = hook(says(specific("PreToolUse", updatedInput={"command": "second"}, additionalContext="Mind the gap.")))
    word = before(tmp_path, first, second)
    assert word.updated_input == {"command": "second"}
    assert word.context == f"The hook {second.name} says: Mind the gap."


def test_continue_false_denies_and_ends_the_turn(tmp_path: Path) -> None:
    stops = hook(says({"continue": False, "stopReason": "enough for today"}))
    word = before(tmp_path, stops)
    assert word.stop and word.verdict is not None and word.verdict.kind == "deny"
    assert "enough for today" in word.verdict.reason


def test_after_a_call_a_block_is_told_and_the_output_may_be_changed(tmp_path: Path) -> None:
    changes = hook(says(specific("PostToolUse", updatedToolOutput={"out": "y"})), "PostToolUse")
    objects = hook("echo 'tests are red' >&2; exit 2", "PostToolUse")
    stops = hook(says({"continue": False, "stopReason": "enough"}), "PostToolUse")
    word = after(tmp_path, changes, objects, stops)
    assert word.updated_output == {"out": "y"}
    assert word.context == f"The hook {objects.name} objects: tests are red"
    assert word.stop == f"The hook {stops.name} ends the turn: enough"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("exit 1", "it failed with exit code 1."),
        ("kill -SEGV $$", "it was ended by SIGSEGV."),
        ("echo '{'", "looks like JSON and is none"),
        ("sleep 300", "it was ended after 0.3 s."),
        ("yes", "printed more than"),
    ],
)
def test_a_bad_hook_is_told_and_decides_nothing(tmp_path: Path, command: str, told: str) -> None:
    bad = hook(command, timeout=0.3 if command == "sleep 300" else 10.0, file="/p/settings.json", line=3)
    good = hook(says(specific("PreToolUse", permissionDecision="deny")))
    said, texts = fired(tmp_path, bad, good, subject="Bash")
    assert [one.word.permission for one in said] == [None, Verdict("deny", "")]
    (text,) = texts
    assert text.startswith(f"warning: The hook `{command}` (/p/settings.json:3) for PreToolUse: ") and told in text


def test_where_nothing_can_be_blocked_the_person_hears_the_objection(tmp_path: Path) -> None:
    _, told = fired(tmp_path, hook("echo 'too late' >&2; exit 2", "SessionEnd"))
    assert "objects: too late" in told[0]


def test_a_list_of_hooks_says_when_each_runs_and_what_it_last_said(tmp_path: Path) -> None:
    fine = hook("echo 'all good'; echo more")
    blocks = hook("echo ignored; echo 'not today' >&2; exit 2")
    hangs = hook("sleep 300", timeout=0.1)
    idle = hook("true", idle="this folder is not trusted")

    async def work(runner: HookRunner, _: Told) -> tuple[tuple[Listed, ...], tuple[Listed, ...]]:
        before = runner.listed()
        await runner.fire(Occasion("PreToolUse", str(tmp_path)))
        return before, runner.listed()

    unheard, listed = with_runner([fine, blocks, hangs, idle], work)
    assert [one.last for one in unheard] == [None] * 4
    last = [one.last for one in listed]
    assert [(run.exit_code, run.line) if run else None for run in last] == [
        (0, "all good"),
        (2, "not today"),
        (None, "it was ended after 0.1 s."),
        None,
    ]
    assert all(run is None or run.seconds > 0 for run in last)
    assert [one.hook.idle for one in listed][-1] == "this folder is not trusted"


def test_cancelling_ends_all_of_them(tmp_path: Path) -> None:
    async def work(runner: HookRunner, _: Told) -> None:
        firing = asyncio.ensure_future(runner.fire(Occasion("PreToolUse", str(tmp_path))))
        await wait_for(lambda: len(pids_in(tmp_path)) == 2)
        assert [one.running for one in runner.listed()] == [1, 1]
        firing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await firing
        assert not any(is_alive(pid) for pid in pids_in(tmp_path))
        assert [(one.running, one.last and one.last.line) for one in runner.listed()] == [
            (0, "it was interrupted.")
        ] * 2

    with_runner([hook("echo $$ > a.pid; sleep 300"), hook("echo $$ > b.pid; exec sleep 300")], work)


def test_the_person_is_told_which_slow_hook_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SLOW_SECONDS", 0.05)

    async def work(runner: HookRunner, told: Told) -> None:
        firing = asyncio.ensure_future(runner.fire(Occasion("PreToolUse", str(tmp_path))))
        assert "is waited for; Esc ends it" in await told.first()
        (tmp_path / "go").touch()
        await firing

    with_runner([hook("while [ ! -e go ]; do sleep 0.01; done")], work)


def test_a_hook_that_fails_each_time_is_told_once_until_it_fails_otherwise_or_works_again(tmp_path: Path) -> None:
    async def work(runner: HookRunner, told: Told) -> list[int]:
        counts: list[int] = []
        for exit_code in "1", "1", "3", "3", "0", "3":
            (tmp_path / "code").write_text(exit_code)
            await runner.fire(Occasion("PreToolUse", str(tmp_path)))
            counts.append(len(told.texts))
        return counts

    assert with_runner([hook("exit $(cat code)")], work) == [1, 1, 2, 2, 2, 3]
