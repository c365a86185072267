"""What a hook is told, and how its exit code and its words are read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tools.contract import Verdict
from tools.hooks.wire import SILENT, WORD_CHARS, Word, input_text, read_word


def said(data: Any, event: str = "PreToolUse") -> Word:
    return read_word(event, 0, json.dumps(data), "")


def specific(event: str = "PreToolUse", **fields: Any) -> Word:
    return said({"hookSpecificOutput": {"hookEventName": event, **fields}}, event)


def test_the_input_is_one_json_object_on_one_line() -> None:
    text = input_text("PreToolUse", {"session_id": "s"}, {"tool_input": {"command": "a\nb"}})
    assert text.count("\n") == 1
    assert json.loads(text) == {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_input": {"command": "a\nb"},
    }


@pytest.mark.parametrize("out", ["", "\n", "checked 3 files", "[1, 2]", "true"])
def test_exit_0_is_fine_and_plain_text_says_nothing(out: str) -> None:
    assert read_word("PreToolUse", 0, out, "chatter") == SILENT


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_what_is_printed_at_a_start_or_for_a_message_is_for_the_model(event: str) -> None:
    assert read_word(event, 0, "The branch is red.\n", "").context == "The branch is red."


def test_exit_2_blocks_with_stderr_as_the_reason_and_json_is_not_read() -> None:
    out = json.dumps({"hookSpecificOutput": {"permissionDecision": "allow"}})
    assert read_word("PreToolUse", 2, out, " not on a Friday\n") == Word(blocked="not on a Friday")
    assert read_word("PreToolUse", 2, "", "") == Word(blocked="")


@pytest.mark.parametrize(
    ("code", "err", "told"),
    [
        (1, "no such module\nmore", "it failed with exit code 1: no such module"),
        (127, "", "it failed with exit code 127."),
        (-11, "", "it was ended by SIGSEGV."),
        (-99, "", "it was ended by signal 99."),
    ],
)
def test_any_other_exit_is_told_and_things_go_on(code: int, err: str, told: str) -> None:
    assert read_word("PreToolUse", code, "", err) == Word(problems=(told,))


def test_json_of_a_hook_that_failed_is_not_read() -> None:
    word = read_word("PreToolUse", 1, '{"decision": "block"}', "")
    assert word.blocked is None and "exit code 1" in word.problems[0]


@pytest.mark.parametrize("kind", ["allow", "ask", "deny"])
def test_a_hook_may_decide(kind: Any) -> None:
    word = specific(permissionDecision=kind, permissionDecisionReason="I know it.")
    assert word == Word(permission=Verdict(kind, "I know it."))


def test_every_field_is_read() -> None:
    word = said(
        {
            "continue": False,
            "stopReason": "enough",
            "systemMessage": "look here",
            "decision": "block",
            "reason": "no",
            "suppressOutput": True,
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "updatedInput": {"a": 1},
                "additionalContext": "more",
                "updatedToolOutput": {"b": 2},
            },
        }
    )
    assert word == Word("no", "enough", None, {"a": 1}, {"b": 2}, "more", "look here")


def test_a_question_may_be_answered_in_either_spelling() -> None:
    other = {"behavior": "deny", "message": "never", "updatedInput": {"a": 1}}
    assert specific("PermissionRequest", decision=other) == Word(
        permission=Verdict("deny", "never"), updated_input={"a": 1}
    )
    assert specific("PermissionRequest", permissionDecision="allow").permission == Verdict("allow", "")
    assert specific("PreToolUse", decision={"behavior": "allow"}).permission is None


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"decision": "approve"}, "give `permissionDecision`"),
        ({"decision": 1}, "`decision` must be a text"),
        ({"continue": "false"}, "`continue` must be true or false"),
        ({"hookSpecificOutput": []}, "`hookSpecificOutput` must be an object"),
        ({"hookSpecificOutput": {"permissionDecision": "maybe"}}, "`permissionDecision` is not allow or ask or deny"),
        ({"hookSpecificOutput": {"updatedInput": "ls"}}, "`updatedInput` must be an object"),
        ({"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "allow"}}, "is for Stop, not for Pre"),
    ],
)
def test_a_field_that_does_not_fit_is_left_out_and_told(data: Any, told: str) -> None:
    word = said({**data, "systemMessage": "the rest counts"})
    assert (word.blocked, word.stop, word.permission, word.updated_input) == (None, None, None, None)
    assert told in word.problems[0]
    assert word.message == "the rest counts"


@pytest.mark.parametrize("out", ['{"decision": "block"', '{"a": ' * 100_000, "{]"])
def test_what_only_looks_like_json_is_told_and_decides_nothing(out: str) -> None:
    word = read_word("UserPromptSubmit", 0, out, "")
    assert word.blocked is None and word.context == ""
    assert "looks like JSON and is none" in word.problems[0] and len(word.problems[0]) < 400


def test_long_words_lose_their_middle_and_what_is_no_character_is_replaced() -> None:
    assert len(read_word("PreToolUse", 2, "", "x" * 1_000_000).blocked or "") < WORD_CHARS + 100
    word = said({"hookSpecificOutput": {"additionalContext": "half \ud800 pair"}})
    assert word.context == "half ? pair"
