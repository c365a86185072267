"""Answering what asks: each key of the sheet, what it does to the call, to the rules and to the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent.model.scripted import text, tool_use
from agent.settings.merge import Flags
from tests.support.seat import Seat, sit
from tests.support.sessions import results_of
from tools.events import PermissionDecided, PermissionRequested, ToolFinished, ToolStarted


def touch(name: str, id: str = "") -> dict[str, Any]:
    return tool_use(id or name, "Bash", command=f"touch {name}")


async def begin(seat: Seat) -> None:
    """Without typing, after which the sheet would wait a second before it takes the keys."""
    seat.app.turns.submit("go")


async def is_asked(seat: Seat, words: str = "Run this command?") -> None:
    await begin(seat)
    await seat.until(lambda: words in "\n".join(seat.sheet), "nothing asked")


def outcomes(seat: Seat) -> dict[str, str]:
    return {event.id: event.outcome for event in seat.said(ToolFinished)}


def test_the_sheet_shows_question_subject_trace_and_answers_and_nothing_runs_before(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        shown = [line.strip() for line in seat.sheet if line.strip()]
        assert shown[0].startswith("? Run this command? ") and shown[1] == "touch made && ls"
        assert shown[2].startswith("? touch made") and "no rule" in shown[2]
        assert shown[3].startswith("✓ ls") and "only reads" in shown[3]
        keys = [line.split()[0] for line in shown[4:7]]
        assert keys == ["y", "a", "n"]
        assert not seat.said(ToolStarted) and not (tmp_path / "made").exists()
        await seat.press("escape")
        await seat.is_idle()

    sit(tmp_path, [[tool_use("c", "Bash", command="touch made && ls")]], body)


def test_what_a_rule_denies_says_where_the_rule_is_written(tmp_path: Path) -> None:
    (tmp_path / ".agent-tui").mkdir()
    (tmp_path / ".agent-tui" / "settings.json").write_text('{"permissions": {\n"deny": [\n"Bash(touch *)"]}}')

    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.is_idle()
        assert "⊖ Bash    touch made  denied by Bash(touch *)  .agent-tui/settings.json:3" in seat.text()

    sit(tmp_path, [[tool_use("c", "Bash", command="touch made")], [text("x")]], body)


@pytest.mark.parametrize("key", ["y", "1"])
def test_yes_runs_this_call_once(tmp_path: Path, key: str) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.answers(key)
        await seat.until(lambda: len(seat.said(PermissionRequested)) == 2)
        assert (tmp_path / "made").exists(), "the first has run, the same call again asks again"
        await seat.answers("n")
        await seat.is_idle()
        assert not (tmp_path / ".agent-tui").exists()

    sit(tmp_path, [[touch("made", "a")], [touch("made", "b")], [text("x")]], body)


@pytest.mark.parametrize("key", ["n", "3"])
def test_no_denies_this_call_and_the_turn_goes_on(tmp_path: Path, key: str) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.answers(key)
        await seat.sees("   I do without.")
        await seat.is_idle()
        assert "⊖ Bash" in seat.text() and not (tmp_path / "made").exists()
        answer = results_of(seat.session.main.messages)["made"]
        assert answer["is_error"] and "denied" in answer["content"]
        assert not seat.said(ToolStarted)

    sit(tmp_path, [[touch("made")], [text("I do without.")]], body)


def test_escape_denies_and_stops_the_turn_at_once(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.until(lambda: seat.sheet_has_keys)
        await seat.press("escape")
        await seat.is_idle()
        assert not (tmp_path / "made").exists() and not seat.said(ToolStarted)
        assert results_of(seat.session.main.messages)["made"]["is_error"]
        assert len(seat.model.requests) == 1 and "stopped" in seat.line("turn 1")
        assert not seat.sheet

    sit(tmp_path, [[touch("made"), touch("other")], [text("never said")]], body)


def test_always_saves_the_chosen_rule_and_lets_the_next_through(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.until(lambda: seat.sheet_has_keys)
        await seat.press("right", "right", "right")
        await seat.answers("a")
        await seat.is_idle()
        saved = json.loads((tmp_path / ".agent-tui" / "settings.local.json").read_text())
        assert saved == {"permissions": {"allow": ["Bash(touch *)"]}}
        assert (tmp_path / "one").exists() and (tmp_path / "two").exists()
        assert len(seat.said(PermissionRequested)) == 1

    sit(tmp_path, [[touch("one")], [touch("two")], [text("x")]], body)


def test_left_narrows_the_rule_again(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.until(lambda: seat.sheet_has_keys)
        await seat.press("right", "right", "left", "left", "left")
        await seat.answers("a")
        await seat.is_idle()
        saved = json.loads((tmp_path / ".agent-tui" / "settings.local.json").read_text())
        assert saved == {"permissions": {"allow": ["Bash(touch one)"]}}

    sit(tmp_path, [[touch("one")], [text("x")]], body)


def test_for_this_turn_asks_again_in_the_next_and_saves_nothing(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.answers("t")
        await seat.is_idle()
        assert len(seat.said(PermissionRequested)) == 1, "the second call of the turn was not asked about"
        await seat.send("again")
        await seat.until(lambda: len(seat.said(PermissionRequested)) == 2)
        assert not (tmp_path / ".agent-tui").exists()
        await seat.press("escape")
        await seat.is_idle()

    sit(tmp_path, [[touch("a", "1")], [touch("a", "2")], [text("x")], [touch("a", "3")]], body)


def test_a_comment_on_the_no_reaches_the_model_and_the_row(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.answers("tab")
        assert "n with:" in "\n".join(seat.sheet)
        await seat.types("use make clean, y?")
        await seat.press("backspace", "backspace", "backspace", "backspace", "enter")
        await seat.is_idle()
        assert "you said no: use make clean" in seat.line("⊖ Bash")
        assert "use make clean" in results_of(seat.session.main.messages)["made"]["content"]
        assert seat.draft == ""

    sit(tmp_path, [[touch("made")], [text("x")]], body)


def test_a_comment_on_the_yes_comes_after_the_result(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.answers("tab")
        await seat.press("tab")
        assert "y with:" in "\n".join(seat.sheet)
        await seat.types("then the tests")
        await seat.press("enter")
        await seat.is_idle()
        assert (tmp_path / "made").exists()
        said = json.dumps(seat.session.main.messages)
        assert "then the tests" in said and said.index("tool_result") < said.index("then the tests")

    sit(tmp_path, [[touch("made")], [text("x")]], body)


def test_after_a_comment_the_next_question_has_keys_that_count(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await begin(seat)
        await seat.until(lambda: len(seat.session.gate.waiting) == 2)
        await seat.answers("tab")
        await seat.types("not yet")
        await seat.press("enter")
        await seat.until(lambda: "touch two" in seat.sheet[3], "the next one is not asked about")
        await seat.answers("y")
        await seat.is_idle()
        assert outcomes(seat) == {"one": "denied", "two": "ok"}

    sit(tmp_path, [[touch("one"), touch("two")], [text("x")]], body)


def test_escape_in_the_comment_only_closes_it(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.answers("tab")
        await seat.types("hm")
        await seat.press("escape")
        assert seat.session.gate.waiting and "n with:" not in "\n".join(seat.sheet)
        await seat.answers("y")
        await seat.is_idle()
        assert (tmp_path / "made").exists() and seat.draft == ""

    sit(tmp_path, [[touch("made")], [text("x")]], body)


def test_several_questions_come_one_after_the_other_each_with_its_place(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await begin(seat)
        await seat.until(lambda: len(seat.session.gate.waiting) == 3)
        await seat.settled()
        assert "1 of 3" in seat.sheet[1] and any(line.split()[:1] == ["then"] for line in seat.sheet)
        assert "asks next" in seat.line("touch two") and "asks next" in seat.line("touch three")
        await seat.answers("y")
        await seat.until(lambda: "1 of 2" in "\n".join(seat.sheet))
        await seat.answers("n")
        await seat.until(lambda: "touch three" in "\n".join(seat.sheet))
        await seat.answers("y")
        await seat.is_idle()
        assert outcomes(seat) == {"one": "ok", "two": "denied", "three": "ok"}
        assert [(tmp_path / name).exists() for name in ("one", "two", "three")] == [True, False, True]
        assert not seat.sheet and not seat.sheet_has_keys

    sit(tmp_path, [[touch("one"), touch("two"), touch("three")], [text("x")]], body)


@pytest.mark.parametrize(("key", "outcome"), [("A", "ok"), ("N", "denied")])
def test_one_key_answers_all_that_wait_of_this_kind(tmp_path: Path, key: str, outcome: str) -> None:
    async def body(seat: Seat) -> None:
        await begin(seat)
        await seat.until(lambda: len(seat.session.gate.waiting) == 4)
        await seat.answers(key)
        await seat.until(lambda: "new.txt" in "\n".join(seat.sheet), "what is of another kind still asks")
        await seat.answers("n")
        await seat.is_idle()
        assert outcomes(seat) == {"one": outcome, "two": outcome, "three": outcome, "w": "denied"}

    calls = [touch("one"), touch("two"), touch("three"), tool_use("w", "Write", file_path="new.txt", content="x")]
    sit(tmp_path, [calls, [text("x")]], body)


def test_a_rule_saved_for_one_withdraws_the_questions_it_answers(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await begin(seat)
        await seat.until(lambda: len(seat.session.gate.waiting) == 2)
        await seat.answers("a")
        await seat.is_idle()
        assert outcomes(seat) == {"1": "ok", "2": "ok"}
        decided = {event.call_id: event.answered for event in seat.said(PermissionDecided)}
        assert decided == {"1": True, "2": False}

    sit(tmp_path, [[touch("made", "1"), touch("made", "2")], [text("x")]], body)


def test_why_and_the_whole_are_looked_at_without_answering(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{number}\n" for number in range(60)))

    async def body(seat: Seat) -> None:
        await is_asked(seat, "a.txt?")
        await seat.answers("w")
        assert any("a saves in" in line for line in seat.sheet)
        await seat.answers("w")
        await seat.press("pagedown", "down", "up", "pageup")
        assert seat.session.gate.waiting and seat.keys_count and (tmp_path / "a.txt").stat().st_size > 4
        await seat.answers("y")
        await seat.is_idle()
        assert (tmp_path / "a.txt").read_text() == "new\n"

    script = [
        [tool_use("r", "Read", file_path="a.txt")],
        [tool_use("w", "Write", file_path="a.txt", content="new\n")],
        [text("x")],
    ]
    sit(tmp_path, script, body)


def test_what_would_remove_the_workspace_wants_two_presses_and_offers_no_always(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "keep").touch()

    async def body(seat: Seat) -> None:
        await is_asked(seat)
        assert not any(line.split()[:1] == ["a"] and "always" in line and "off" not in line for line in seat.sheet)
        await seat.answers("y")
        assert seat.session.gate.waiting and "press again" in "\n".join(seat.sheet)
        await seat.answers("n")
        await seat.is_idle()
        assert (tmp_path / "work" / "keep").exists()

    sit(tmp_path / "work", [[tool_use("c", "Bash", command=f"rm -rf {tmp_path}/work")], [text("x")]], body)


def test_the_mode_can_be_changed_under_an_open_question(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat, "new.txt?")
        await seat.press("shift+tab")
        await seat.is_idle()
        assert (tmp_path / "new.txt").exists() and "accept edits" in seat.lines()[-1] and not seat.sheet

    sit(tmp_path, [[tool_use("w", "Write", file_path="new.txt", content="x")], [text("x")]], body)


def test_a_command_can_be_written_anew_before_it_runs(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.answers("e")
        await seat.until(lambda: seat.draft == "touch made")
        await seat.looks()
        await seat.types(" other")
        await seat.press("enter")
        await seat.is_idle()
        assert (tmp_path / "other").exists() and seat.draft == ""
        assert "touch made other" in results_of(seat.session.main.messages)["made"]["content"]

    sit(tmp_path, [[touch("made")], [text("x")]], body)


def test_escape_leaves_a_command_as_it_was(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await is_asked(seat)
        await seat.answers("e")
        await seat.types("xx")
        await seat.press("escape")
        assert seat.draft == "" and seat.session.gate.waiting
        await seat.answers("y")
        await seat.is_idle()
        assert (tmp_path / "made").exists() and not (tmp_path / "madexx").exists()

    sit(tmp_path, [[touch("made")], [text("x")]], body, flags=Flags(trusted=True))
