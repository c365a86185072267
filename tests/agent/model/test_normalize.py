"""Any history becomes one the API takes, and a good one is not touched."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.model.normalize import (
    INTERRUPTED,
    interrupted_results,
    normalized,
    without_old_thinking,
    without_thinking,
)
from agent.model.scripted import text, thinking, tool_use

Message = dict[str, Any]


def user(*content: Any) -> Message:
    return {
        "role": "user",
        "content": content[0] if len(content) == 1 and isinstance(content[0], str) else list(content),
    }


def assistant(*content: Any) -> Message:
    return {"role": "assistant", "content": list(content)}


def result(call_id: str, content: Any = "ok") -> Message:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def interrupted(call_id: str) -> Message:
    return {**result(call_id, INTERRUPTED), "is_error": True}


READ = tool_use("t1", "Read", path="a")
GOOD = [
    user("do it"),
    assistant(thinking("hm"), text("I look."), READ, tool_use("t2", "Read", path="b")),
    user(result("t2"), result("t1"), text("and be quick")),
    assistant(text("Done.")),
    user("thanks"),
]


def test_a_good_history_is_returned_as_the_same_objects() -> None:
    before = copy.deepcopy(GOOD)
    made = normalized(GOOD)
    assert all(a is b for a, b in zip(made, GOOD, strict=True))
    assert before == GOOD


def test_I1_a_call_at_the_end_is_answered_as_interrupted() -> None:
    assert normalized([user("x"), assistant(READ)])[-1] == user(interrupted("t1"))


def test_I1_a_call_before_the_persons_next_words_is_answered_before_them() -> None:
    made = normalized([user("x"), assistant(READ), user("never mind")])
    assert made[2:] == [user(interrupted("t1"), text("never mind"))]


def test_I1_a_call_between_two_assistant_messages_is_answered_between_them() -> None:
    made = normalized([user("x"), assistant(READ), assistant(text("y"))])
    assert made[1:] == [assistant(READ), user(interrupted("t1")), assistant(text("y"))]


def test_I1_results_come_before_text_and_from_later_messages_too() -> None:
    both = assistant(READ, tool_use("t2", "Read"))
    made = normalized([user("x"), both, user(text("note"), result("t2")), user(result("t1"))])
    assert made[2:] == [user(result("t1"), result("t2"), text("note"))]


def test_I1_a_second_answer_to_one_call_is_dropped() -> None:
    made = normalized([user("x"), assistant(READ), user(result("t1", "first"), result("t1", "second"))])
    assert made[2] == user(result("t1", "first"))


def test_I2_a_result_without_its_call_is_dropped() -> None:
    assert normalized([user(result("t9")), user(text("x"), result("t8"))]) == [user(text("x"))]
    assert normalized([user("x"), assistant(text("y")), user(result("t1"))]) == [user("x"), assistant(text("y"))]


def test_I3_T19_an_id_used_twice_in_a_turn_is_renamed_with_its_result() -> None:
    made = normalized([user("x"), assistant(READ, READ), user(result("t1", "one"), result("t1", "two"))])
    assert made[1]["content"] == [READ, {**READ, "id": "t1_2"}]
    assert made[2]["content"] == [result("t1", "one"), result("t1_2", "two")]


def test_I3_T20_an_id_of_an_earlier_turn_is_renamed_with_its_result() -> None:
    turn = [assistant(READ), user(result("t1"))]
    made = normalized([user("x"), *turn, *turn])
    assert [message["content"][0].get("id", message["content"][0].get("tool_use_id")) for message in made[1:]] == [
        "t1",
        "t1",
        "t1_2",
        "t1_2",
    ]
    assert all(a is b for a, b in zip(made[1:3], turn, strict=True))


def test_I4_thinking_is_echoed_exactly() -> None:
    thought = assistant(thinking(""), {"type": "redacted_thinking", "data": "x"}, text(" "), text("y"))
    assert normalized([user("x"), thought])[1]["content"] == [*thought["content"][:2], text("y")]


def test_I5_Z3_blank_texts_and_empty_messages_go() -> None:
    blank = [
        user(" \n"),
        user(text("")),
        assistant(text("  ")),
        assistant(),
        user("x"),
        {"role": "user", "content": None},
    ]
    assert normalized(blank) == [user("x")]
    inside = normalized([user("x"), assistant(READ), user(result("t1", [text(""), text("y")]))])
    assert inside[2] == user(result("t1", [text("y")]))


def test_T16_a_text_that_cannot_be_written_is_mended() -> None:
    made = normalized([user("a\ud800"), assistant(READ), user(result("t1", "b\udcff"), text("\ud83d\ude00\ud800"))])
    assert made == [user("a\ufffd"), assistant(READ), user(result("t1", "b\ufffd"), text("😀\ufffd"))]


def test_interrupted_results_answer_each_call_in_order() -> None:
    assert interrupted_results(assistant(text("x"), READ)) == user(interrupted("t1"))
    assert interrupted_results(assistant(text("x"))) is None


def test_H4_Z15_another_model_gets_no_thoughts_and_no_empty_message() -> None:
    assert without_thinking([user("x"), assistant(thinking("a")), assistant(thinking("b"), text("y"))]) == [
        user("x"),
        assistant(text("y")),
    ]


def test_H6_the_latest_turn_keeps_its_thoughts() -> None:
    turn = [user("two"), assistant(thinking("new"), READ), user(result("t1"))]
    assert without_old_thinking([user("one"), assistant(thinking("old"), text("y")), *turn]) == [
        user("one"),
        assistant(text("y")),
        *turn,
    ]


# -- any history at all

ids = st.sampled_from(["t1", "t2", "t3"])
texts = st.sampled_from(["", " ", "a", "b\ud800"]).map(text)
calls = ids.map(lambda call_id: tool_use(call_id, "Read"))
results = st.builds(result, ids, st.sampled_from(["", "ok", "x\udc00"]) | st.lists(texts, max_size=2))
users = st.lists(texts | results, max_size=4).map(lambda blocks: {"role": "user", "content": blocks})
spoken = st.sampled_from(["", "hello"]).map(user)
assistants = st.lists(texts | calls | st.just(thinking("t")), max_size=4).map(lambda blocks: assistant(*blocks))
histories = st.lists(users | spoken | assistants, max_size=7)


def assert_holds(messages: list[Message]) -> None:
    """I1 to I5, written apart from the code that makes them true."""
    seen: set[str] = set()
    open_calls: list[str] = []
    for message in messages:
        content = message["content"]
        assert content
        blocks = [text(content)] if isinstance(content, str) else content
        assert all(block["text"].strip() for block in blocks if block["type"] == "text")
        answers = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert sorted(answers) == sorted(open_calls)
        assert all(block["type"] == "tool_result" for block in blocks[: len(answers)])
        if open_calls:
            assert message["role"] == "user"
        open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert not seen & set(open_calls)
        assert len(set(open_calls)) == len(open_calls)
        seen |= set(open_calls)
        str(message).encode()
    assert not open_calls


@given(histories)
def test_I1_to_I5_hold_for_any_history(history: list[Message]) -> None:
    before = copy.deepcopy(history)
    made = normalized(history)
    assert_holds(made)
    assert history == before
    again = normalized(made)
    assert all(a is b for a, b in zip(again, made, strict=True))


@given(histories, histories)
def test_what_was_sent_before_is_sent_again_byte_for_byte(history: list[Message], more: list[Message]) -> None:
    sent = normalized(history)
    grown = normalized([*sent, *more])
    assert grown[: len(sent)] == sent
