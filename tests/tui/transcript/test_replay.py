"""A saved session on the screen again: the same lines as while it happened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.model.scripted import ScriptedModel, text, thinking, tool_use
from agent.session import Session
from agent.store.codec import from_plain
from tests.support.sessions import play, session_in, turn
from tools.events import PermissionRequest, PermissionRequested
from tools.permissions.gate import Answer
from tui.render.look import Look
from tui.stage import Stage

LOOK = Look(100, 40)


def stage_of(session: Session) -> Stage:
    def fail(fault: Exception) -> None:
        raise fault

    stage = Stage(session, "claude-opus-5-5", lambda stamped, chars: None, fail)
    for _ in stage.catch_up(session.past()):
        pass
    return stage


def lines_of(stage: Stage, verbose: bool = False) -> list[str]:
    """Without the empty lines that only keep the height of what stood there while it ran."""
    look = Look(LOOK.width, LOOK.height, verbose, False, 0.0)
    stage.transcript.settle()
    drawn = [line.text.rstrip() for row in stage.arrangement.rows for line in row.lines(look)]
    return [line for line in drawn if line.strip(" ╎")]


def answer(request: PermissionRequest) -> Answer:
    return Answer("no", comment="use make clean") if "rm" in str(request.input.get("command")) else Answer("once")


SCRIPT = [
    [
        thinking("First I look."),
        text("I look at **both** files."),
        tool_use("r1", "Read", file_path="a.py"),
        tool_use("r2", "Read", file_path="missing.py"),
        tool_use("g", "Grep", pattern="one"),
    ],
    [
        tool_use("e", "Edit", file_path="a.py", old_string="one", new_string="ONE"),
        tool_use("w", "Write", file_path="new/b.txt", content="x\n" * 30),
        tool_use("no", "Bash", command="rm -rf build/"),
        tool_use("b", "Bash", command="seq 1 9; exit 3"),
        tool_use("t", "TodoWrite", todos=[{"content": "Look", "status": "in_progress", "active_form": "Looking"}]),
        tool_use("u", "Unheard", of="it"),
    ],
    [text("Done.\n\n- one\n- two")],
]


def test_saved_events_give_the_same_lines_as_live_ones_in_both_styles(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\n")

    async def body() -> None:
        async with session_in(tmp_path, ScriptedModel(SCRIPT), answer) as (session, _):
            stage = stage_of(session)
            session.bus.listen(lambda _: lines_of(stage))  # drawn after every event, as the screen does
            await turn(session, "Mend a.py")
            await session.run_shell("echo by hand")
            live, in_full = lines_of(stage), lines_of(stage, verbose=True)
        async with session_in(tmp_path, ScriptedModel([]), resume=session.id) as (resumed, _):
            past = stage_of(resumed)
            assert lines_of(past) == live
            assert lines_of(past, verbose=True) == in_full
            assert past.todos() == stage.todos() and past.files.facts() == stage.files.facts()
        assert any("you said no: use make clean" in line for line in live)
        assert any(line.startswith(" ✗ Bash    seq 1 9; exit 3  exit 3") for line in live)

    play(body)


def test_a_session_that_was_ended_in_the_middle_of_a_turn_is_shown_as_ended(tmp_path: Path) -> None:
    async def body() -> None:
        model = ScriptedModel([[text("I wait."), tool_use("b", "Bash", command="touch made")]])
        async with session_in(tmp_path, model) as (session, seen):
            session.submit("go")
            await seen.first(PermissionRequested)
            records = Path(session.results.folder).parent / "events.jsonl"
            saved = records.read_text()
        events = [from_plain(json.loads(line)) for line in saved.splitlines()]
        async with session_in(tmp_path, ScriptedModel([]), keep=False) as (other, _):
            other.past = lambda: [one for one in events if one is not None]
            shown = lines_of(stage_of(other))
        assert any("the program ended meanwhile" in line for line in shown)
        assert not any(line.startswith((" ?", " ▸")) for line in shown)

    play(body)


def test_the_end_of_a_long_past_alone_gives_the_last_rows_of_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.stage.LAST_EVENTS", 10)

    async def body() -> None:
        replies = [[text(f"answer {number}"), tool_use(f"c{number}", "Glob", pattern="*")] for number in range(6)]
        script = [one for reply in replies for one in (reply, [text("That is all.")])]
        async with session_in(tmp_path, ScriptedModel(script)) as (session, _):
            for number in range(6):
                await turn(session, f"question {number}")
        async with session_in(tmp_path, ScriptedModel([]), resume=session.id) as (resumed, _):
            past = resumed.past()
            stage = Stage(resumed, "", lambda stamped, chars: None, lambda fault: None)
            end = [line.text for row in stage.end_of(past) for line in row.lines(LOOK)]
            for _ in stage.catch_up(past):
                pass
            whole = [line.text for row in stage.arrangement.rows for line in row.lines(LOOK)]
        assert "   question 5" in end and len(end) < len(whole) and whole[-len(end) :] == end

    play(body)
