"""Pasted text in the box: short as it is, long as a label that stays whole."""

from textual import events
from textual.pilot import Pilot

from tests.tui.prompt.host import COLOURS, Host, play

BLOCK = "".join(f"line {number}\n" for number in range(42))
LABEL = "[pasted 42 lines]"


def test_a_short_paste_is_inserted_without_its_control_characters() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        host.post_message(events.Paste("a\r\n\x1b[31mb\tc\x07\x9b"))
        await pilot.pause()
        assert host.box.text == "a\n[31mb\tc"

    play(host, steps)


def test_a_long_paste_becomes_a_label_and_is_sent_in_full() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"see ")
        host.post_message(events.Paste(BLOCK))
        await pilot.pause()
        assert host.box.text == f"see {LABEL}"
        assert host.box.draft == f"see {BLOCK}"
        assert host.colours(0, 3 + 5)[0] == COLOURS["run"]
        await pilot.press("enter")
        assert host.sent == [f"see {BLOCK}"]

    play(host, steps)


def test_backspace_removes_a_label_whole_and_undo_brings_it_back() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("a")
        host.box.paste(BLOCK)
        await pilot.press("backspace")
        assert host.box.text == "a"
        await pilot.press("ctrl+underscore")
        assert host.box.draft == f"a{BLOCK}"

    play(host, steps)


def test_no_key_takes_a_label_apart() -> None:
    for key in ("backspace", "ctrl+w"):
        host = Host()

        async def steps(pilot: Pilot[None], key: str = key, host: Host = host) -> None:
            host.box.paste(BLOCK)
            await pilot.press(key)
            assert host.box.text == "", key

        play(host, steps)
    for key in ("delete", "alt+d", "ctrl+k"):
        host = Host()

        async def more_steps(pilot: Pilot[None], key: str = key, host: Host = host) -> None:
            host.box.paste(BLOCK)
            await pilot.press("home", key)
            assert host.box.text == "", key

        play(host, more_steps)


def test_the_cursor_never_stands_inside_a_label() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        host.box.paste(BLOCK)
        await pilot.press("left", "a", "right", "b")
        assert host.box.text == f"a{LABEL}b"
        await pilot.click(host.box, offset=(3 + 6, 0))
        await pilot.press("c")
        assert host.box.draft.count(BLOCK) == 1

    play(host, steps)


def test_two_blocks_of_one_length_are_told_apart() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        host.box.paste(BLOCK)
        host.box.paste(BLOCK.upper())
        await pilot.press("home", "delete")
        assert host.box.draft == BLOCK.upper()

    play(host, steps)


def test_a_label_put_aside_keeps_its_block() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        host.box.paste(BLOCK)
        await pilot.press("ctrl+s", "ctrl+s")
        assert host.box.text == LABEL
        assert host.box.draft == BLOCK

    play(host, steps)


def test_a_very_long_message_comes_back_as_a_block() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        host.box.draft = "line\n" * 5_000
        await pilot.pause()
        assert host.box.text == "[pasted 5000 lines]"
        assert host.box.draft == "line\n" * 5_000
        host.box.draft = BLOCK
        assert host.box.text == BLOCK

    play(host, steps)


def test_text_cannot_be_turned_round_or_broken_by_characters_nobody_sees() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        host.box.paste("a\u202eb\u2028c\u2066d")
        await pilot.pause()
        assert host.box.text == "ab\ncd"

    play(host, steps)


def test_one_endless_line_is_a_block_too() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        host.box.paste("x" * 20_000)
        await pilot.pause()
        assert host.box.text == "[pasted 20000 characters]"

    play(host, steps)
