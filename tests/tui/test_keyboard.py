"""What a terminal sends becomes keys, pastes and clicks, in whatever pieces it comes; the rest of it is nobody's key."""

from __future__ import annotations

import random

import pytest
from textual import events
from textual.message import Message

from tui.keyboard import REST_SECONDS, Keyboard


def heard(*parts: str) -> list[str]:
    """Each part as it came, then quiet."""
    keyboard = Keyboard()
    messages: list[Message] = []
    for part in parts:
        messages += keyboard.heard(part)
    return [said(message) for message in (*messages, *keyboard.waited())]


def said(message: Message) -> str:
    match message:
        case events.Key():
            return message.key
        case events.Paste():
            return f"paste {message.text}"
        case _:
            return type(message).__name__


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("a\r", ["a", "enter"]),
        ("\x1b", ["escape"]),
        ("\x1b\x1b", ["escape", "escape"]),
        ("\x1bq\x1bbx", ["alt+q", "ctrl+left", "x"]),
        ("\x1b[", ["left_square_bracket"]),
        ("\x1b]", ["right_square_bracket"]),
        ("\x1bO", ["alt+shift+o"]),
        ("\x1b[A\x1bOB\x1b[1;5C\x1b[3~\x1b[3$", ["up", "down", "ctrl+right", "delete", "shift+delete"]),
        ("\x1b\x1b[A", ["escape", "up"]),
        ("\x1b[13;2u\x1b[27;2;13~\x1b[97;5u", ["shift+enter", "shift+\r", "ctrl+a"]),
        ("\x1b[121;;121u\x1b[97;2;65u\x1b[57441;2u\x1b[32;;32u", ["y", "A", "left_shift", "space"]),
        ("\x1b[<0;5;5M\x1b[<0;5;5mx\x1b[M !!y", ["MouseDown", "MouseUp", "x", "y"]),
        ("\x1b[I\x1b[O", ["AppFocus", "AppBlur"]),
        ("漢é", ["漢", "é"]),
    ],
)
def test_what_a_person_did_is_heard(sent: str, keys: list[str]):
    assert heard(sent) == keys
    # However it comes apart.
    assert heard(*sent) == keys


@pytest.mark.parametrize("sent", ["\x1b\r", "\x1b\n", "\x1b[13;3u"])
def test_alt_and_enter_are_one_key_and_no_enter(sent: str):
    assert heard(f"a{sent}b") == ["a", "alt+enter", "b"]


@pytest.mark.parametrize(
    "text", ["", "one\rtwo\n", "\x1b[31mred\x1b[0m\ry\r", "\x1b", "a\x1b[200~b\x1b]0;c\x07", "\x1b[20"]
)
def test_a_paste_stays_whole_whatever_it_holds(text: str):
    sent = f"a\x1b[200~{text}\x1b[201~b"
    assert heard(sent) == heard(*sent) == ["a", f"paste {text}", "b"]


@pytest.mark.parametrize(
    "sent",
    [
        # Answers that were asked for by somebody else.
        "\x1b[?62;4c",
        "\x1b]11;rgb:0000/0000/0000\x1b\\",
        "\x1b]52;c;eQ0=\x07",
        "\x1bP>|term 1.2\x1b\\",
        "\x1b_Gi=1;OK\x1b\\",
        # Keys nobody knows, and what no key is.
        "\x1b[57~",
        "\x1b[32~",
        "\x1b[5A",
        "\x1b[1;2;3;4;5z",
        "\x1b[13;2:3u",
        "\x1b[9999999999u",
        "\x1b[1114112u",
        "\x1b[48;0;0;0;0t\x1b[<99999;0;0M",
        "\x1b[201~",
    ],
)
def test_what_nobody_typed_types_nothing_and_ends_nothing(sent: str):
    kept = ["a", "b"]
    assert [key for key in heard(f"a{sent}b") if key != "Resize"] == kept
    assert [key for key in heard("a", *sent, "b") if key != "Resize"] == kept


@pytest.mark.parametrize(
    ("sent", "key"),
    [("\x1b[13;2:1u", "shift+enter"), ("\x1b[97:65;5:2u", "ctrl+a"), ("\x1b[1;1:1A", "up"), ("\x1b[97;:1u", "a")],
)
def test_a_key_told_at_length_is_the_same_key(sent: str, key: str):
    assert heard(sent) == [key]


def test_the_mouse_is_still_known_after_something_nobody_understands():
    keyboard = Keyboard()
    messages = [*keyboard.heard("\x1b[48;40;120;800;1200t\x1b[57~\x1b[<35;600;400M")]
    moved = messages[-1]
    assert isinstance(moved, events.MouseMove) and (moved.screen_x, moved.screen_y) == (59, 19)


def test_the_rest_of_what_nobody_can_have_typed_is_waited_for_longer():
    keyboard = Keyboard()
    assert keyboard.patience is None
    assert list(keyboard.heard("\x1b")) == [] and keyboard.patience is not None and keyboard.patience < REST_SECONDS
    assert list(keyboard.heard("[<0;1")) == [] and keyboard.patience == REST_SECONDS
    assert [said(message) for message in keyboard.heard("0;5M")] == ["MouseDown"] and keyboard.patience is None


def test_a_number_without_an_end_is_no_key_either():
    assert heard(f"a\x1b[{'9' * 5000}ub") == ["a", "b"]


def test_no_noise_ends_it_and_what_is_typed_afterwards_is_heard():
    pieces = [
        "\x1b",
        "[",
        "O",
        "]",
        "P",
        "<",
        "?",
        ";",
        ":",
        "0",
        "13",
        "99999999",
        "M",
        "u",
        "~",
        "t",
        "$",
        "y",
        "R",
        "é",
        "\x07",
        "\x00",
    ]
    rolled = random.Random(7)
    for _ in range(2000):
        noise = [rolled.choice(pieces) for _ in range(rolled.randrange(1, 12))]
        keyboard = Keyboard()
        for part in noise:
            list(keyboard.heard(part))
        list(keyboard.waited())
        assert [said(message) for message in keyboard.heard("xy")] == ["x", "y"], noise
