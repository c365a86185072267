"""What the screen knows beside the rows: the queue, the turn, what goes on; and a stream that begins again."""

from __future__ import annotations

from agent.events import (
    MessageQueued,
    MessageTakenBack,
    ModeChanged,
    ModelAsked,
    ModelWaiting,
    TextDelta,
    TextDone,
    ThinkingDelta,
    ThinkingDone,
    TodosChanged,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from tests.tui.sheet.asked import bash
from tests.tui.transcript.told import Told
from tools.events import PermissionRequested, ToolInputDelta, ToolInputStarted
from tui.panels.activity import Work, activity_line
from tui.transcript.doing import doing_of
from tui.transcript.entries import Answer


def activity(story: Told) -> str:
    """The words of the activity line."""
    line = activity_line(doing_of(story.transcript, story.kinds), story.look(width=100), spin=0)
    return line.text.strip()


def test_queued_messages_wait_until_they_are_said_or_taken_back() -> None:
    story = Told().turn().hear(MessageQueued("one"), MessageQueued("two"), MessageQueued("three"))
    assert story.transcript.queue.texts == ["one", "two", "three"]
    story.hear(MessageTakenBack("two"), UserMessage("one"))
    assert story.transcript.queue.texts == ["three"]


def test_mode_and_todos_are_the_last_that_were_said() -> None:
    story = Told().hear(ModeChanged("plan"), ModeChanged("acceptEdits"), TodosChanged(({"content": "Look"},)))
    assert story.transcript.mode == "acceptEdits" and story.transcript.todos[0]["content"] == "Look"


def test_an_answer_that_is_asked_for_again_begins_anew() -> None:
    story = Told().turn().hear(TextDelta("half an ans"))
    assert story.frame() == ["   half an ans"]
    story.hear(ModelWaiting("overloaded", 1, 8.0)).hear(TextDelta("The whole"), after=8)
    assert story.frame() == ["   The whole"] and len(story.rows) == 2
    story.hear(TextDone("The whole answer."))
    assert story.frame() == ["   The whole answer."]


def test_the_activity_line_says_what_goes_on() -> None:
    story = Told().hear(TurnStarted(1), UserMessage("go"), ModelAsked()).hear(after=4)
    assert activity(story).startswith("⠋ Waiting for the model  4s")
    story.hear(ThinkingDelta("hm"), after=1).hear(after=6)
    assert activity(story).startswith("⠋ Thinking  6s")
    story.hear(ThinkingDone(""), TextDelta("I"), after=1)
    assert activity(story).startswith("⠋ Answering")
    story.hear(TextDone("I will")).runs("b", "Bash", command="cd web && pytest -q")
    story.streams("w", "Write", '{"file_path": "tests/test_touch.py", "content": "x')
    story.hear(after=53)
    assert activity(story).startswith("⠋ pytest runs, test_touch.py is being written  1m 05s")
    story.done("b", {}).hear(TurnEnded("done"))
    assert activity(story) == ""


def test_a_retry_is_counted_down() -> None:
    story = Told().turn().hear(ModelWaiting("overloaded", 2, 8.0))
    assert activity(story).startswith("⠋ Retry 2 in 8s: overloaded")
    story.hear(after=5)
    assert activity(story).startswith("⠋ Retry 2 in 3s: overloaded")


def test_nothing_moves_while_all_waits_for_the_person() -> None:
    story = Told().turn().called("c", "Bash", command="npm ci")
    story.hear(PermissionRequested(bash("npm ci", call_id="c"), 1))
    assert not doing_of(story.transcript, story.kinds).moves


def test_a_command_of_the_persons_own_is_said_too() -> None:
    story = Told().runs("shell-1", "Bash", command="make lint").hear(after=3)
    assert doing_of(story.transcript, story.kinds).running == (Work("Bash", "make lint"),)
    assert activity(story).startswith("⠋ make runs  3s")


def test_a_past_that_ended_in_the_middle_has_ended() -> None:
    story = Told().turn().runs("b", "Bash", command="sleep 60")
    story.streams("w", "Write", '{"file_path": "a').hear(TextDelta("half"), MessageQueued("later"))
    story.transcript.end_of_past(story.now)
    assert not story.transcript.busy and not story.transcript.calls.open and not story.transcript.queue.texts
    assert story.frame(1) == [" ∎ Bash    sleep 60  the program ended meanwhile".ljust(77) + "0s"]
    assert story.frame(2) == [" ∎ Write   a  not run: the reply broke off"]
    assert all(entry.done for entry in story.entries if isinstance(entry, Answer))
    assert activity(story) == ""


def test_text_is_joined_once_a_frame_however_many_pieces_came() -> None:
    story = Told().turn()
    for number in range(1000):
        story.hear(TextDelta(f"{number} "))
    answer = story.entries[-1]
    assert answer.version == 0
    assert story.frame() and answer.version == 1


def test_events_of_calls_nobody_heard_begin_change_nothing() -> None:
    story = Told().turn()
    story.hear(ToolInputDelta("ghost", "x")).done("ghost", {}).says("ghost", {})
    assert len(story.rows) == 1


def test_a_call_id_that_comes_again_is_a_call_of_its_own() -> None:
    story = Told().turn().runs("c", "Bash", command="one").done("c", {"output": "x"})
    story.hear(ModelAsked(), ToolInputStarted("c", "Bash"))
    assert len(story.rows) == 3 and story.frame() == [" » Bash"]
