"""How the prompt looks: bar, chevron, height and colours."""

import pytest
from textual.pilot import Pilot

from tests.tui.prompt.host import COLOURS, Host, play


def test_bar_chevron_and_text_stand_in_their_columns() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"hi", "ctrl+j", "y")
        assert host.row(0).rstrip() == " ❯ hi"
        assert host.row(1).rstrip() == "   y"
        assert host.colours(0, 0)[1] == host.colours(1, 0)[1] == COLOURS["mode-default"]
        assert host.colours(0, 1) == (COLOURS["mode-default"], COLOURS["block"])
        assert len(host.row(0)) == 80

    play(host, steps)


def test_the_bar_has_the_colour_of_the_mode() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        for mode, word in (("plan", "plan"), ("acceptEdits", "edits"), ("bypassPermissions", "bypass")):
            host.box.mode = mode
            await pilot.pause()
            assert host.colours(0, 0)[1] == COLOURS[f"mode-{word}"]
            assert host.colours(0, 1)[0] == COLOURS[f"mode-{word}"]

    play(host, steps)


def test_without_colours_the_bar_is_grey_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        for colour in (*host.colours(0, 0), *host.colours(0, 1)):
            red, green, blue = colour[1:3], colour[3:5], colour[5:7]
            assert red == green == blue, colour

    play(host, steps)


def test_a_shell_line_turns_the_chevron() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("exclamation_mark", *"ls")
        assert host.row(0).rstrip() == " ! !ls"

    play(host, steps)


def test_it_grows_to_eight_lines_and_then_scrolls() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        assert host.box.region.height == 1
        for number in range(1, 12):
            await pilot.press("x", "ctrl+j")
            await pilot.pause()
            assert host.box.region.height == min(number + 1, 8)
        assert host.row(0).rstrip() == " ⋯ x"
        await pilot.press(*["up"] * 11)
        assert host.row(0).rstrip() == " ❯ x"
        assert host.row(7).rstrip() == " ⋯ x"
        assert all(len(host.row(y)) == 80 for y in range(8))

    play(host, steps)


def test_a_tall_terminal_gives_it_a_line_above_and_below_and_a_low_one_takes_them() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        assert host.box.region.height == 3
        assert [host.row(y).rstrip() for y in range(3)] == ["", " ❯", ""]
        assert {host.colours(y, 0)[1] for y in range(3)} == {COLOURS["mode-default"]}
        await pilot.resize_terminal(80, 29)
        await pilot.pause()
        assert host.box.region.height == 1
        await pilot.resize_terminal(80, 30)
        await pilot.pause()
        assert host.box.region.height == 3
        assert host.box.region.bottom == 30

    play(host, steps, size=(80, 30))


def test_quiet_it_is_one_grey_line() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"a", "ctrl+j", *"b")
        host.box.add_class("quiet")
        await pilot.pause()
        assert host.box.region.height == 1
        assert host.colours(0, 0)[1] == COLOURS["line"]
        host.box.remove_class("quiet")
        await pilot.pause()
        assert host.box.region.height == 4

    play(host, steps, size=(80, 40))


def test_without_other_characters_than_ascii_the_bar_is_drawn() -> None:
    host = Host(ascii=True)

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("x")
        assert host.row(0).rstrip() == "|> x"

    play(host, steps)


def test_the_placeholder_stands_where_the_text_will() -> None:
    host = Host(placeholder="Ask for something")

    async def steps(pilot: Pilot[None]) -> None:
        assert host.row(0).rstrip() == " ❯ Ask for something"
        assert host.colours(0, 6) == (COLOURS["dim"], COLOURS["block"])
        assert host.colours(0, 60)[1] == COLOURS["block"]
        await pilot.press("x")
        assert host.row(0).rstrip() == " ❯ x"

    play(host, steps)


def test_a_part_of_the_box_is_drawn_as_the_whole_is() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"hello")
        whole = host.box.render_lines(host.box.region.reset_offset)[0].text
        for x in range(5):
            part = host.box.region.reset_offset.shrink((0, 70, 0, x))
            assert host.box.render_lines(part)[0].text == whole[x : x + part.width]

    play(host, steps)


def test_nothing_blinks() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        assert host.box.cursor_blink is False
        await pilot.press("x")
        assert host.colours(0, 4) == (COLOURS["block"], host.theme_variables["foreground"].lower())

    play(host, steps)
