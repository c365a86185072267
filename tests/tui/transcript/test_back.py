"""After going back the transcript ends before the message, says so, and has all of it again when that is undone."""

from __future__ import annotations

from agent.events import Rewound, TextDelta, TextDone, TurnEnded, TurnStarted
from tests.tui.transcript.told import Told


def two_turns() -> Told:
    story = Told()
    for number, words in enumerate(("Look at it. Then tell", "change all of it"), 1):
        story.turn(words, number).runs(f"c{number}", "Read", file_path="a.py").failed(f"c{number}", "no")
        story.hear(TextDelta(f"answer {number}"), TextDone(f"answer {number}"), TurnEnded("done"))
    return story


def shown(story: Told) -> str:
    """All of it, without blank lines."""
    lines = [line.text.rstrip() for row in story.rows for line in row.lines(story.look(120))]
    return "\n".join(line for line in lines if line.strip())


def test_what_was_said_from_the_message_on_is_not_shown_any_more() -> None:
    story = two_turns().hear(Rewound(2, 1, True, 3))
    told = shown(story)
    assert "answer 1" in told and "answer 2" not in told
    assert "Went back to before “change all of it”" in told
    assert "1 message and 1 call are taken back, 3 files are as before. /rewind undoes it." in told


def test_undone_it_is_all_there_again_with_what_came_since() -> None:
    story = two_turns()
    before = shown(story)
    story.hear(Rewound(1, 1, True, 0))
    assert "Look at it. Then tell" not in shown(story).replace("“Look at it. Then tell”", "")
    story.hear(Rewound(1, 1, True, 0, undone=True))
    assert shown(story).startswith(before) and "Going back was undone" in shown(story)
    assert "Went back" not in shown(story)


def test_files_alone_leave_the_conversation() -> None:
    story = two_turns()
    before = shown(story)
    told = shown(story.hear(Rewound(2, 1, False, 1)))
    assert told.startswith(before) and "Files went back to before “change all of it”" in told
    assert "1 file is as before; the conversation stays." in told


def test_a_turn_from_before_all_that_is_shown_leaves_nothing_of_it() -> None:
    story = Told().hear(TurnStarted(7)).turn("late", 8).hear(Rewound(3, 1, True, 0))
    assert shown(story).count("\n") == 1 and "late" in shown(story)


def test_the_session_goes_on_after_it() -> None:
    story = two_turns().hear(Rewound(2, 1, True, 0)).turn("other words", 3).hear(TextDelta("new"), TextDone("new"))
    assert [line.strip() for line in shown(story).splitlines()[-2:]] == ["other words", "new"]
    story.hear(TurnEnded("done"), Rewound(3, 2, True, 0))
    assert "other words" in shown(story) and "new" not in shown(story)
