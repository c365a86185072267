"""What is typed and sent: messages, the queue, taking back, and lines for the shell."""

from __future__ import annotations

import json
from pathlib import Path

from agent.events import MessageTakenBack, UserMessage
from agent.model.base import Request
from agent.model.scripted import ScriptedModel, text, tool_use
from agent.settings.merge import Flags
from tests.support.seat import Seat, sit
from tests.support.sessions import HeldAfter
from tools.events import ToolStarted

# Runs until the test lets it end.
SLOW = tool_use("slow", "Bash", command="until [ -e go ]; do sleep 0.02; done")
ALLOWED = Flags(trusted=True, allowed_tools=("Bash",))


def heard(request: Request) -> str:
    return json.dumps(list(request.messages))


def test_a_message_is_sent_and_the_answer_stands_below_it(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("say hello")
        await seat.sees("   Hello there.")
        await seat.is_idle()
        assert seat.draft == ""
        lines = seat.lines()
        assert lines.index("   say hello") < lines.index("   Hello there.") < lines.index(seat.line("turn 1"))

    sit(tmp_path, [[text("Hello there.")]], body)


def test_enter_in_an_empty_box_sends_nothing(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.press("enter")
        await seat.types("   ")
        await seat.press("enter")
        await seat.settled()
        assert not seat.said(UserMessage) and not seat.model.requests

    sit(tmp_path, [], body)


def test_lines_are_broken_by_ctrl_j_and_by_a_backslash(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("one\ntwo\\")
        await seat.press("enter")
        await seat.send("three")
        await seat.is_idle()
        assert seat.said(UserMessage) == [UserMessage("one\ntwo\nthree")]

    sit(tmp_path, [[text("fine")]], body)


def test_what_is_sent_before_there_is_a_session_waits_for_it_in_order(tmp_path: Path) -> None:
    async def early(seat: Seat) -> None:
        await seat.send("first")
        await seat.send("second")
        await seat.sees("◦ queued  first", "◦ queued  second")

    async def body(seat: Seat) -> None:
        await seat.until(lambda: len(seat.model.requests) > 0)
        await seat.is_idle()
        said = heard(seat.model.requests[-1])
        assert "first" in said and said.index("first") < said.index("second")
        assert "◦ queued" not in seat.text()

    sit(tmp_path, [[text("a")], [text("b")]], body, early=early)


def test_the_task_of_the_command_line_is_the_first_message(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.sees("   mend the test", "   Mended.")
        await seat.is_idle()

    sit(tmp_path, [[text("Mended.")]], body, start={"first_task": "mend the test"})


def test_messages_while_the_agent_works_are_queued_and_delivered_after_the_current_calls(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("begin")
        await seat.until(lambda: seat.said(ToolStarted))
        await seat.send("and bump the version")
        await seat.sees("◦ queued  and bump the version")
        assert "Up takes it back" in seat.line("queued")
        (tmp_path / "go").touch()
        await seat.is_idle()
        assert "◦ queued" not in seat.text() and "   and bump the version" in seat.lines()
        assert "bump" not in heard(seat.model.requests[0]) and "bump" in heard(seat.model.requests[1])

    sit(tmp_path, [[SLOW], [text("done")]], body, flags=ALLOWED)


def test_at_most_three_queued_messages_have_a_line(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("begin")
        await seat.until(lambda: seat.said(ToolStarted))
        for number in range(5):
            await seat.send(f"message {number}")
        await seat.settled()
        assert sum("◦ queued" in line for line in seat.lines()) <= 3
        await seat.press("escape")

    sit(tmp_path, [[SLOW], [text("x")]], body, flags=ALLOWED)


def test_up_takes_queued_messages_back_and_the_model_never_hears_them(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("begin")
        await seat.until(lambda: seat.said(ToolStarted))
        await seat.send("bump it")
        await seat.send("and tag it")
        await seat.types("draft")
        await seat.press("up")
        await seat.until(lambda: seat.draft == "bump it\nand tag it\ndraft")
        assert "◦ queued" not in seat.text() and len(seat.said(MessageTakenBack)) == 2
        (tmp_path / "go").touch()
        await seat.is_idle()
        assert not any("bump" in heard(request) for request in seat.model.requests)

    sit(tmp_path, [[SLOW], [text("done")]], body, flags=ALLOWED)


def test_up_brings_the_message_before_and_down_the_draft(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("first words")
        await seat.is_idle()
        await seat.types("draft")
        await seat.press("up")
        assert seat.draft == "first words"
        await seat.press("down")
        assert seat.draft == "draft"

    sit(tmp_path, [[text("x")]], body)


def test_a_draft_can_be_put_aside_and_brought_back(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.types("half a thought")
        await seat.press("ctrl+s")
        assert seat.draft == ""
        await seat.sees("draft put aside, Ctrl+S brings it back")
        await seat.press("ctrl+s")
        assert seat.draft == "half a thought"

    sit(tmp_path, [], body)


def test_a_shell_line_is_run_unasked_and_the_model_sees_its_output(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("!touch made && echo written")
        await seat.sees("   ! touch made && echo written", " ╎ written")
        assert (tmp_path / "made").exists()
        lines = seat.lines()
        assert lines.index("   ! touch made && echo written") < lines.index(" ╎ written")
        await seat.is_idle()
        await seat.send("go on")
        await seat.is_idle()
        assert "written" in heard(seat.model.requests[0])

    sit(tmp_path, [[text("I see.")]], body)


def test_a_shell_line_that_has_to_wait_stays_in_the_box(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("begin")
        await seat.until(lambda: seat.said(ToolStarted))
        await seat.send("!make lint")
        await seat.until(lambda: "has to wait" in seat.activity)
        assert seat.draft == "!make lint"
        (tmp_path / "go").touch()
        await seat.is_idle()

    sit(tmp_path, [[SLOW], [text("x")]], body, flags=ALLOWED)


def test_a_long_paste_is_one_word_in_the_box_and_whole_in_the_message(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        pasted = "\n".join(f"line {number}" for number in range(42))
        await seat.types("see ")
        await seat.pastes(pasted)
        await seat.sees("[pasted 42 lines]")
        await seat.press("enter")
        await seat.is_idle()
        assert seat.said(UserMessage) == [UserMessage(f"see {pasted}")]
        assert "more" in seat.line("34 lines more")

    sit(tmp_path, [[text("x")]], body)


def test_keys_typed_while_an_answer_streams_go_into_the_box(tmp_path: Path) -> None:
    async def body(seat: Seat) -> None:
        await seat.send("go")
        await seat.sees("word word")
        await seat.types("next: tests")
        assert seat.draft == "next: tests" and seat.session.busy
        held.go.set()
        await seat.is_idle()
        assert seat.draft == "next: tests"

    held = HeldAfter(20)
    sit(tmp_path, ScriptedModel([[text("word " * 40)]], pause=held), body)
