"""What is offered for what was typed, in which order, and how it is drawn."""

import time

from tui.commands.catalog import COMMANDS
from tui.prompt.completion import Candidate, Completion, Trigger, best, command_menu, menu_lines, trigger_at
from tui.render.look import Look


def test_signs_ask_for_the_menu_only_where_they_mean_something() -> None:
    assert trigger_at("/mo", first_line=True) == Trigger("command", 0, "mo")
    assert trigger_at("/mo", first_line=False) is None
    assert trigger_at(" /mo", first_line=True) is None
    assert trigger_at("/mode plan", first_line=True) is None
    assert trigger_at("see @tide/c", first_line=False) == Trigger("file", 4, "tide/c")
    assert trigger_at("(@a", first_line=True) == Trigger("file", 1, "a")
    assert trigger_at("@", first_line=True) == Trigger("file", 0, "")
    assert trigger_at("me@example.org", first_line=True) is None
    assert trigger_at("@a.py done", first_line=True) is None


def test_the_name_of_a_file_counts_more_than_its_folders() -> None:
    paths = ["cache/other.py", "src/test_cache.py", "src/cache.py", "src/mycache.py", "c/a/c/h/e"]
    assert best(paths, "cache") == [
        "src/cache.py",
        "src/test_cache.py",
        "src/mycache.py",
        "cache/other.py",
        "c/a/c/h/e",
    ]


def test_letters_in_between_may_be_left_out_but_not_turned_round() -> None:
    assert best(["tests/test_cache.py", "README.md"], "tcp") == ["tests/test_cache.py"]
    assert best(["abc"], "cb") == []


def test_what_is_typed_is_never_a_pattern() -> None:
    assert best(["a^b", "a]b", "axb", "a-b", "a\\b"], "a]") == ["a]b"]
    assert best(["a^b"], "^b") == ["a^b"]
    assert best(["a\\b"], "\\") == ["a\\b"]


def test_with_nothing_typed_the_files_at_the_top_come_first() -> None:
    assert best(["a/b/c", "z", "a/b", "b"], "") == ["b", "z", "a/b", "a/b/c"]


def test_a_name_made_to_be_slow_is_not() -> None:
    began = time.process_time()
    best(["a" * 4_000] * 100, "a" * 40 + "b")
    assert time.process_time() - began < 1.0


def test_commands_that_begin_with_what_was_typed_come_first() -> None:
    menu = command_menu(COMMANDS, Trigger("command", 0, "co"))
    assert menu is not None
    assert [candidate.name for candidate in menu.candidates][:3] == ["/copy", "/cost", "/context"]
    assert command_menu(COMMANDS, Trigger("command", 0, "xyz")) is None


def test_a_command_with_an_argument_leaves_room_for_it() -> None:
    menu = command_menu(COMMANDS, Trigger("command", 0, "mode"))
    assert menu is not None and menu.choice is not None
    assert menu.choice.put == "/mode "


def test_after_the_last_one_comes_the_first() -> None:
    menu = _menu(3)
    assert [menu.moved(1).chosen, menu.moved(-1).chosen, menu.moved(3).chosen] == [1, 2, 0]
    assert _menu(0).moved(1) == _menu(0)


def test_at_most_eight_lines_are_drawn_and_the_chosen_one_is_among_them() -> None:
    look = Look(60)
    for chosen in range(20):
        lines = menu_lines(_menu(20, chosen), look)
        picked = [line.text for line in lines if line.ground == "on $pick"]
        assert len(lines) == 8
        assert len(picked) == 1 and picked[0].startswith(f"   file{chosen} ")
        assert f"{chosen + 1} of 20" in picked[0]
        assert all(line.width == 60 for line in lines)


def test_remarks_stand_under_each_other() -> None:
    candidates = (
        Candidate("", "tidewatch/cache.py", ("changed by me 2m ago", "$dim")),
        Candidate("", "a.py", ("≢ changed outside", "$other")),
    )
    lines = menu_lines(Completion("file", 0, "", candidates), Look(80))
    assert lines[0].text.rstrip() == "   tidewatch/cache.py   changed by me 2m ago"
    assert lines[1].text.rstrip() == "   a.py                 ≢ changed outside"
    assert lines[0].pieces[1] == ("tidewatch/cache.py", "bold")
    assert (lines[0].ground, lines[1].ground) == ("on $pick", "on $sheet")


def test_no_line_is_wider_than_the_screen_and_nothing_foreign_gets_through() -> None:
    candidates = (Candidate("", "very/" * 30 + "name\x1b[2J.py", ("remark " * 20, "$dim")), Candidate("", "文" * 80))
    for width in (1, 5, 20, 60):
        for line in menu_lines(Completion("file", 0, "", candidates), Look(width)):
            assert line.width <= width
            assert "\x1b" not in line.text


def test_in_ascii_the_chosen_one_has_a_mark() -> None:
    assert menu_lines(_menu(2), Look(40, ascii=True))[0].text.startswith(" > file0")


def test_an_empty_menu_says_so() -> None:
    assert menu_lines(_menu(0), Look(40))[0].text.strip() == "nothing fits"


def _menu(count: int, chosen: int = 0) -> Completion:
    return Completion("file", 0, "", tuple(Candidate(f"@file{n}", f"file{n}") for n in range(count)), chosen)
