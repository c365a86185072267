"""How far "always" reaches."""

from __future__ import annotations

from tests.tui.sheet.asked import CTX, bash, fetch, read
from tools.events import PermissionRequest
from tui.sheet.slider import Stop, chosen, slider, stops_of


def labels(request: PermissionRequest) -> list[str]:
    return [stop.label for stop in stops_of(request, CTX)]


def test_the_stops_are_the_gate_s_in_the_words_of_a_person() -> None:
    assert labels(bash("npm ci")) == ["npm ci", "npm ci *", "npm *"]
    assert labels(read("/home/me/notes/t.csv"))[0] == "~/notes/t.csv"
    assert labels(fetch("https://vite.dev", "vite.dev"))[0] == "vite.dev"
    assert stops_of(bash("npm ci"), CTX)[1].rules == ("Bash(npm ci *)",)


def test_several_rules_are_saved_together() -> None:
    request = bash("npm ci > out.txt && make test")
    assert stops_of(request, CTX)[0] == Stop("Bash npm ci, Bash make test, Edit out.txt", request.stops[0])


def test_where_always_is_not_offered_there_is_no_stop() -> None:
    assert stops_of(bash("sudo make install"), CTX) == () and chosen(bash("sudo make install"), CTX, 3) == ()


def test_where_the_stops_have_no_room_the_chosen_one_stands_alone() -> None:
    stops = stops_of(bash(f"npm ci {'x' * 60}"), CTX)
    assert slider(stops, 1, 40).text == "◂  npm ci *  ▸  2 of 3"
    assert slider(stops, 0, 40).width <= 40


def test_the_arrows_say_which_way_is_open() -> None:
    stops = stops_of(bash("make"), CTX)
    narrow, wide = slider(stops, 0, 60), slider(stops, 1, 60)
    assert (narrow.pieces[0], narrow.pieces[-1]) == (("◂", "$line"), ("▸", "$ask"))
    assert (wide.pieces[0], wide.pieces[-1]) == (("◂", "$ask"), ("▸", "$line"))
