"""The menu above the prompt: when it opens, what its keys do, and when it stays away."""

from pathlib import Path

from textual.pilot import Pilot

from tests.tui.prompt.host import Host, names, play, write_files
from tui.prompt.box import PromptBox
from tui.prompt.completion import Completion
from tui.prompt.files import FileNames

PATHS = ("tidewatch/cache.py", "tests/test_cache.py", "docs/cache.md", "my notes.md")


async def settle(pilot: Pilot[None]) -> None:
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def test_a_slash_at_the_start_offers_commands_and_typing_narrows_them() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("slash")
        assert len(names(host.box.menu)) == len(host.box.commands)
        await pilot.press(*"qu")
        assert names(host.box.menu)[0] == "/quit"
        await pilot.press("enter")
        assert (host.box.text, host.box.menu, host.sent) == ("/quit", None, [])
        await pilot.press("enter")
        assert host.sent == ["/quit"]

    play(host, steps)


def test_a_command_typed_in_full_is_sent_by_the_first_enter() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"/quit", "enter")
        assert host.sent == ["/quit"]
        await pilot.press(*"/mode", "enter", "up")
        assert host.sent == ["/quit", "/mode"]
        await pilot.press("up")
        assert host.box.text == "/quit"

    play(host, steps)


def test_tab_takes_the_one_chosen_with_the_arrows() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"/mo", "down")
        assert names(host.box.menu)[:2] == ["/mode [name]", "/model [name]"]
        await pilot.press("tab")
        assert host.box.text == "/model "
        assert host.box.menu is None
        assert host.heard == []

    play(host, steps)


def test_escape_shuts_the_menu_and_it_stays_shut_for_that_word() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"/m", "escape")
        assert host.box.menu is None
        assert host.heard == []
        await pilot.press("o")
        assert host.box.menu is None
        await pilot.press("escape")
        assert host.heard == ["escape"]
        await pilot.press(*["backspace"] * 3, "slash")
        assert host.box.menu is not None

    play(host, steps)


def test_a_slash_further_on_is_only_a_slash() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"a /m")
        assert host.box.menu is None
        await pilot.press("ctrl+u", *"/usr/bin")
        assert host.box.menu is None

    play(host, steps)


def test_an_at_sign_offers_files_and_enter_puts_the_path_in(tmp_path: Path) -> None:
    write_files(tmp_path, PATHS)
    host = Host(files=FileNames(str(tmp_path)))

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"see @cac")
        await settle(pilot)
        assert names(host.box.menu) == ["docs/cache.md", "tidewatch/cache.py", "tests/test_cache.py"]
        await pilot.press("down", "enter", *"now", "enter")
        assert host.sent == ["see @tidewatch/cache.py now"]

    play(host, steps)


def test_a_path_with_a_blank_is_quoted(tmp_path: Path) -> None:
    write_files(tmp_path, PATHS)
    host = Host(files=FileNames(str(tmp_path)))

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"@notes")
        await settle(pilot)
        await pilot.press("tab")
        assert host.box.text == '@"my notes.md" '

    play(host, steps)


def test_moving_away_from_the_word_shuts_the_menu(tmp_path: Path) -> None:
    write_files(tmp_path, PATHS)
    host = Host(files=FileNames(str(tmp_path)))

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"see @c")
        await settle(pilot)
        assert host.box.menu is not None
        await pilot.press("home")
        await settle(pilot)
        assert host.box.menu is None

    play(host, steps)


def test_a_menu_a_letter_behind_is_not_taken_from() -> None:
    host = Host()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"@cache.py")
        host.box.menu = Completion("file", 0, "c", ())
        await pilot.press("enter")
        assert host.sent == ["@cache.py"]

    play(host, steps)


def test_the_app_hears_of_every_change_of_the_menu() -> None:
    heard: list[Completion | None] = []

    class Listening(Host):
        def on_prompt_box_menu_changed(self, message: PromptBox.MenuChanged) -> None:
            heard.append(message.menu)

    host = Listening()

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("slash", "down", "escape", "x")
        assert [menu.chosen if menu else None for menu in heard] == [0, 1, None]

    play(host, steps)
