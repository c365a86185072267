"""The keys of the prompt, pressed in a real app."""

from textual import events
from textual.pilot import Pilot

from tests.tui.prompt.host import Host, names, play
from tui.prompt.box import PromptBox
from tui.prompt.history import History


def test_enter_sends_and_empties_the_box() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"hello", "enter")
        assert host.sent == ["hello"]
        assert host.box.text == ""

    play(host, steps)


def test_enter_sends_nothing_blank() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("enter", "space", "enter")
        assert host.sent == []

    play(host, steps)


def test_every_key_a_terminal_sends_for_a_new_line_makes_one() -> None:
    for key in ("ctrl+j", "shift+enter", "alt+enter", "ctrl+enter", "shift+\r"):
        host = Host()

        async def steps(pilot: Pilot[None], key: str = key, host: Host = host) -> None:
            await pilot.press("a", key, "b", "enter")
            assert host.sent == ["a\nb"], key

        play(host, steps)


def test_a_backslash_before_enter_makes_a_new_line() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("a", "backslash", "enter", "b", "enter")
        assert host.sent == ["a\nb"]

    play(host, steps)


def test_keys_the_box_has_no_use_for_reach_the_app() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        wanted = ["escape", "tab", "ctrl+c", "ctrl+d", "ctrl+o", "f2", "pageup", "pagedown", "end", "ctrl+z", "ctrl+t"]
        for key in wanted:
            host.box.focus()
            await pilot.press(key)
        assert host.heard == [key for key in wanted if key != "tab"]
        assert host.box.text == ""

    play(host, steps)


def test_with_text_ctrl_d_deletes_right_and_end_moves() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"abc", "home", "ctrl+d")
        assert host.box.text == "bc"
        await pilot.press("end", "d")
        assert host.box.text == "bcd"
        assert host.heard == []

    play(host, steps)


def test_a_question_mark_in_an_empty_box_asks_for_the_keys_and_elsewhere_is_typed() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("question_mark")
        assert host.box.text == ""
        assert [type(message) for message in host.said] == [PromptBox.Keys]
        await pilot.press("w", "question_mark")
        assert host.box.text == "w?"

    play(host, steps)


def test_readline_keys_edit_and_bring_back_what_they_took() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"one two three", "ctrl+w")
        assert host.box.text == "one two "
        await pilot.press("ctrl+a", "ctrl+k")
        assert host.box.text == ""
        await pilot.press("ctrl+y")
        assert host.box.text == "one two "
        await pilot.press("alt+b", "ctrl+u")
        assert host.box.text == "two "
        await pilot.press("alt+f", "ctrl+e", "x")
        assert host.box.text == "two x"

    play(host, steps)


def test_a_key_with_alt_is_never_typed() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        host.box.post_message(events.Key("alt+q", "q"))
        await pilot.pause()
        assert host.box.text == ""

    play(host, steps)


def test_ctrl_underscore_undoes() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"abc")
        await pilot.press("ctrl+underscore")
        assert host.box.text == ""

    play(host, steps)


def test_the_draft_is_put_aside_and_comes_back_with_its_cursor() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"later", "left", "ctrl+s")
        assert host.box.text == ""
        await pilot.press(*"now", "enter", "ctrl+s", "X")
        assert host.sent == ["now"]
        assert host.box.text == "lateXr"
        asides = [message.away for message in host.said if isinstance(message, PromptBox.PutAside)]
        assert asides == [True, False]

    play(host, steps)


def test_ctrl_g_hands_the_whole_draft_to_the_editor() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        host.box.paste("line\n" * 20)
        await pilot.press("ctrl+g")
        message = host.said[-1]
        assert isinstance(message, PromptBox.EditOutside)
        assert message.text == "line\n" * 20

    play(host, steps)


def test_up_and_down_move_in_the_draft_and_then_through_the_history() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"first", "enter", *"sec", "ctrl+j", *"ond", "enter", *"new")
        await pilot.press("up")
        assert host.box.text == "sec\nond"
        assert host.box.cursor_location == (0, 3)
        await pilot.press("up")
        assert host.box.text == "first"
        await pilot.press("up", "down", "up", "down", "down", "down")
        assert host.box.text == "new"

    play(host, steps)


def test_a_wrapped_line_is_walked_through_before_the_history() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"sent", "enter")
        host.box.add_text("word " * 30)
        await pilot.pause()
        await pilot.press("up")
        assert host.box.text == "word " * 30
        await pilot.press("up", "up")
        assert host.box.text == "sent"

    play(host, steps)


def test_up_takes_queued_messages_back_before_the_history() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"sent", "enter")
        host.box.queued = True
        await pilot.press("up")
        assert isinstance(host.said[-1], PromptBox.TakeBack)
        assert host.box.text == ""

    play(host, steps)


def test_a_cleared_draft_is_in_the_history() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"nearly")
        assert host.box.clear_to_history() == "nearly"
        assert host.box.text == ""
        await pilot.press("up")
        assert host.box.text == "nearly"

    play(host, steps)


def test_ctrl_r_searches_what_was_sent_and_enter_takes_it_without_sending() -> None:
    history = History()
    for text in ("fix the cache", "bump the version", "cache again"):
        history.add(text)
    host = Host(history)

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"draft", "ctrl+r")
        assert names(host.box.menu) == ["cache again", "bump the version", "fix the cache"]
        await pilot.press(*"cache")
        assert names(host.box.menu) == ["cache again", "fix the cache"]
        await pilot.press("ctrl+r", "enter")
        assert host.box.text == "fix the cache"
        assert host.box.menu is None
        assert host.sent == []

    play(host, steps)


def test_escape_leaves_the_search_with_the_draft_as_it_was() -> None:
    history = History()
    history.add("earlier")
    host = Host(history)

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"draft", "left", "ctrl+r", *"zz", "escape")
        assert host.box.menu is None
        assert host.heard == []
        await pilot.press("X")
        assert host.box.text == "drafXt"

    play(host, steps)
