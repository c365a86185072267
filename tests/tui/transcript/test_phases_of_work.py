"""A call while it runs and when it is over: `▸ ✓ ✗ ⊖ ∎`, its outcome, its time and what stays below it."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from tests.tui.sheet.asked import NEW, OLD, WORLD
from tests.tui.transcript.told import Told, at
from tools.bash.data import BashOutput, BashProgress
from tools.bash.subjects import subjects_of
from tools.changing.change import FileChanged
from tools.diffs import diff_of
from tools.events import PermissionDecided, ToolFinished, ToolInputDelta, ToolInputStarted, ToolStarted
from tools.glob.found import GlobOutput
from tools.grep.found import FoundFile, FoundLine, GrepOutput
from tools.permissions.decide import decide
from tools.permissions.decision import Decision
from tools.permissions.world import Call as PermissionCall
from tools.read.shown import ReadOutput, Text
from tools.todo_write.view import TodoWriteOutput


def output(text: str, exit_code: int = 0, **more: Any) -> BashOutput:
    lines = text.count("\n") + 1 if text else 0
    told = {"total_bytes": len(text), "total_lines": lines, "truncated": False, "stored": "", "folder": "/"}
    return BashOutput(output=text, exit_code=exit_code, **{**told, **more})


def tail(*lines: str) -> BashProgress:
    return BashProgress(lines=lines, total_lines=len(lines), total_bytes=1, seconds=3)


def changed(path: str, before: str, after: str, kind: Literal["created", "changed"] = "changed") -> FileChanged:
    return FileChanged(file_path=at(path), kind=kind, diff=diff_of(at(path), before, after))


def test_for_two_seconds_a_running_call_has_neither_clock_nor_tail() -> None:
    story = Told().turn().runs("c", "Bash", command="pytest -q").says("c", tail(".."), after=1.9)
    assert story.frame() == [" ▸ Bash    pytest -q"]


def test_from_two_seconds_on_it_has_both() -> None:
    story = Told().turn().runs("c", "Bash", command="pytest -q")
    story.says("c", tail("tests/test_fetch.py ......", "tests/test_cache.py ..."), after=14.4)
    assert story.frame() == [
        " ▸ Bash    pytest -q                                                        14s",
        " ╎ tests/test_fetch.py ......",
        " ╎ tests/test_cache.py ...",
    ]
    first, second, *_ = story.styles()
    assert first[0] == ("▸", "bold $run") and first[-1] == ("14s", "$run") and second[0] == ("╎", "bold $run")


def test_a_live_tail_is_five_lines_at_most_and_never_shrinks() -> None:
    story = Told().turn().runs("c", "Bash", command="x")
    story.says("c", tail("1", "2", "3", "4", "5", "6", "7"), after=3)
    assert story.frame()[1:] == [" ╎ 3", " ╎ 4", " ╎ 5", " ╎ 6", " ╎ 7"]
    story.says("c", tail("8"), after=1)
    assert len(story.frame()) == 6
    assert len(story.done("c", output("only this")).frame()) == 6, (
        "what stood there gives way to the result, not to less"
    )


def test_terminal_codes_in_a_tail_are_neither_obeyed_nor_lost() -> None:
    story = Told().turn().runs("c", "Bash", command="x")
    story.says("c", tail("\x1b[31mred\x1b[0m\x1b]0;title\x07 plain\tend"), after=3)
    shown = story.frame()[1]
    assert "\x1b" not in shown and "\x07" not in shown and "red" in shown and "plain" in shown


def test_a_command_that_is_done_says_how_long_it_took_and_shows_its_last_lines() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 213))
    story = Told().turn().runs("c", "Bash", command="npm run build").done("c", output(text), after=18.4)
    assert story.frame() == [
        " ✓ Bash    npm run build  212 lines                                       18.4s",
        *(f" ╎ line {number}" for number in range(208, 213)),
        " ╎ 207 lines more, Enter shows them",
    ]
    head, body, *_ = story.styles()
    assert head[0] == ("✓", "$ok") and ("Bash", "$dim") in head and body[0] == ("╎", "$line")
    assert story.styles()[-1][-1] == ("207 lines more, Enter shows them", "$dim")


def test_a_command_without_output_is_one_line() -> None:
    story = Told().turn().runs("c", "Bash", command="touch a").done("c", output(""), after=0.04)
    assert story.frame() == [" ✓ Bash    touch a  no output                                              0.0s"]


def test_a_command_that_ended_with_an_error_keeps_the_lines_that_speak_of_it() -> None:
    noise = [f"tests/test_{number}.py ...." for number in range(40)]
    text = "\n".join([*noise, "E   AssertionError: a touched file went stale", "1 failed, 47 passed in 14.02s"])
    story = Told().turn().runs("c", "Bash", command="pytest -q").done("c", output(text, 1), after=14.2)
    assert story.frame() == [
        " ✗ Bash    pytest -q  exit 1: 1 failed, 47 passed in 14.02s               14.2s",
        " ╎ E   AssertionError: a touched file went stale",
        " ╎ 1 failed, 47 passed in 14.02s",
        " ╎ 40 lines more, Enter shows them",
    ]
    head = story.styles()[0]
    assert [piece for piece in head if "$bad" in piece[1]] == [("✗", "$bad")], "only the mark is red"


def test_an_exit_code_that_only_says_that_nothing_was_found_is_no_failure() -> None:
    story = Told().turn().runs("c", "Bash", command="grep x a").done("c", output("", 1, meaning="nothing found"))
    assert story.frame()[0].startswith(" ✓ Bash    grep x a  nothing found")


@pytest.mark.parametrize(
    ("name", "input", "data", "shown"),
    [
        (
            "Read",
            {"file_path": at("a/cache.py")},
            ReadOutput(file_path=at("a/cache.py"), answer=Text(lines=("x", "y", "z"), total_lines=3)),
            "Read    a/cache.py  3 lines",
        ),
        (
            "Grep",
            {"pattern": "st_mtime", "path": "src"},
            GrepOutput(mode="content", files=(FoundFile(path="a.py", lines=(FoundLine(number=4, text="st_mtime"),)),)),
            "Grep    st_mtime in src  1 line in a.py",
        ),
        ("Glob", {"pattern": "*.py"}, GlobOutput(files=("a.py", "b.py"), total=2), "Glob    *.py  2 files"),
        ("TodoWrite", {"todos": []}, TodoWriteOutput(total=4, completed=2, in_progress=1), "Todo    2 of 4 done"),
        ("mcp__github__list_issues", {"repo": "tide"}, {"count": 7}, "github  list_issues  tide  count 7"),
        ("Nonsense", {"a": 1}, {}, "Nonsense a 1  done"),
    ],
)
def test_what_is_done_is_one_line_with_the_fewest_words(
    name: str, input: dict[str, Any], data: Any, shown: str
) -> None:
    story = Told().turn().runs("c", name, **input).done("c", data)
    assert story.frame() == [f" ✓ {shown}".ljust(75) + "0.1s"]


def test_an_edit_shows_its_diff() -> None:
    story = Told().turn().runs("c", "Edit", file_path=at("tidewatch/cache.py"), old_string="x", new_string="y")
    story.done("c", changed("tidewatch/cache.py", OLD, NEW))
    assert story.frame(width=100) == [
        " ✓ Edit    tidewatch/cache.py  +2 -2".ljust(95) + "0.1s",
        " ╎    2           entry = self.entries[path]",
        " ╎    3 -         if path.stat().st_mtime == entry.mtime:",
        " ╎    3 +         if path.stat().st_mtime_ns == entry.mtime_ns:",
        " ╎    4               return False",
        " ╎    5 -         return True",
        " ╎    5 +         return moved(path)",
    ]


def test_a_narrow_screen_goes_without_context() -> None:
    story = Told().turn().runs("c", "Edit", file_path=at("a.py")).done("c", changed("a.py", OLD, NEW))
    assert [line[8:9] for line in story.frame()[1:]] == ["-", "+", "", "-", "+"]
    assert story.frame()[3] == " ╎    ⋯"


def test_a_new_file_shows_its_first_eight_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 22))
    story = Told().turn().runs("c", "Write", file_path=at("new.py"), content=text)
    story.done("c", changed("new.py", "", text, "created"))
    assert story.frame() == [
        " ✓ Write   new.py  +21, new file                                           0.1s",
        *(f" ╎    {number} + line {number}" for number in range(1, 9)),
        " ╎ 13 lines more, Enter shows them",
    ]


def test_a_large_change_shows_twenty_lines_and_opened_all_of_it() -> None:
    before, after = ("".join(f"{word} {number}\n" for number in range(60)) for word in ("old", "new"))
    story = Told().turn().runs("c", "Edit", file_path=at("a.py")).done("c", changed("a.py", before, after))
    assert len(story.frame()) == 1 + 20 + 1 and story.frame()[-1] == " ╎ 100 lines more, Enter shows them"
    story.call("c").opened = True
    assert len(story.frame()) >= 1 + 120


def test_what_is_over_two_hundred_lines_is_bounded_and_says_so() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 1001))
    story = Told().turn().runs("c", "Bash", command="seq 1000").done("c", output(text))
    full = story.frame(verbose=True)
    assert " ╎ line 1000" in full, "of output the end is kept"
    assert "800 lines before these" in full[1] or "801 lines before these" in full[1]
    assert len(full) <= 1 + 200


def test_one_line_more_is_one() -> None:
    story = Told().turn().runs("c", "Bash", command="seq 6").done("c", output("1\n2\n3\n4\n5\n6"))
    assert story.frame()[-1] == " ╎ 1 line more, Enter shows it"


def test_opened_too_colours_are_dropped_and_of_a_line_written_over_its_last_state_is_left() -> None:
    story = Told().turn().runs("c", "Bash", command="make")
    story.done("c", output("\x1b[31mred\x1b[0m\r\n10%\r100%\nend"))
    assert story.frame(verbose=True)[1:] == [" ╎ red", " ╎ ⋯100%", " ╎ end"]


def test_a_failed_call_says_why_in_a_clause_and_verbose_all_the_model_was_told() -> None:
    story = Told().turn().runs("c", "Read", file_path="tests/test_cahce.py")
    told = f"{at('tests/test_cahce.py')} does not exist. Did you mean {at('tests/test_cache.py')}?"
    story.failed("c", told, after=0.0)
    assert story.frame(width=90) == [
        " ✗ Read    tests/test_cahce.py  no such file, nearest: tests/test_cache.py           0.0s"
    ]
    assert "does not exist. Did you mean" in "\n".join(story.frame(verbose=True))


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("The person denied Bash and said: use make clean", "you said no: use make clean"),
        ("The person denied Bash and stopped the turn.", "you said no and stopped the turn"),
    ],
)
def test_a_call_the_person_denied_says_so_in_their_words(told: str, shown: str) -> None:
    story = Told().turn().called("c", "Bash", command="rm -rf build/")
    story.hear(ToolFinished("c", "denied", "denied", error=told))
    assert story.frame() == [f" ⊖ Bash    rm -rf build/  {shown}"]
    assert {style for _, style in story.styles()[0]} == {"$dim"}


def test_a_call_a_rule_denied_names_the_rule_and_where_it_is_written() -> None:
    told = "Read was denied: The deny rule `Read(.env*)` matches (/home/me/.config/agent-tui/settings.json:9)."
    story = Told().turn().called("c", "Read", file_path=".env").hear(ToolFinished("c", "denied", "denied", error=told))
    assert story.frame() == [" ⊖ Read    .env  denied by Read(.env*)  ~/.config/agent-tui/settings.json:9"]


def test_a_call_that_was_stopped_keeps_what_it_had_said() -> None:
    story = Told().turn().runs("c", "Bash", command="npm run build")
    story.says("c", tail("vite build", "transforming"), after=30)
    assert len(story.frame()) == 3
    told = "Cancelled: stopped by the person. It had started, and what it did so far stays."
    story.hear(ToolFinished("c", "cancelled", "cancelled", error=told, duration=31.0), after=1)
    assert story.frame() == [
        " ∎ Bash    npm run build  stopped by you, what it did so far stays          31s",
        " ╎ vite build",
        " ╎ transforming",
    ]
    assert story.styles()[1][-1] == ("vite build", "$dim")


def test_a_call_that_never_started_says_so() -> None:
    story = Told().turn().called("c", "Read", file_path="web/vite.config.ts")
    told = "Cancelled: the turn was stopped by the person. It was not executed."
    story.hear(ToolFinished("c", "cancelled", "cancelled", error=told))
    assert story.frame() == [" ∎ Read    web/vite.config.ts  not run: you stopped the turn"]


def test_progress_of_a_tool_without_a_view_stands_on_its_line() -> None:
    story = Told().turn().runs("c", "Nonsense", url="docs.python.org")
    story.says("c", {"done": 84}, after=3)
    assert story.frame()[0].startswith(" ▸ Nonsense url docs.python.org") and story.frame()[0].endswith("3s")


def test_verbose_says_first_why_it_was_allowed() -> None:
    allowed = decide(PermissionCall("Bash", subjects=subjects_of("npm run build")), WORLD)
    story = Told().turn().called("c", "Bash", command="npm run build")
    story.hear(PermissionDecided("c", allowed, False), ToolStarted("c")).done("c", output("a\nb"))
    assert story.frame(verbose=True)[1] == " ╎ allowed by Bash(npm run *)  .agent-tui/settings.json:7"


def test_verbose_says_when_the_person_said_yes() -> None:
    story = Told().turn().called("c", "Bash", command="ls")
    story.call("c").asked_at = story.now
    story.hear(PermissionDecided("c", Decision("allow", "", ()), True), ToolStarted("c"), after=9)
    assert story.done("c", output("a")).frame(verbose=True)[1] == " ╎ you said yes, after 9s"


def test_a_call_whose_reply_broke_off_was_not_run() -> None:
    from agent.events import ModelWaiting

    story = Told().turn().hear(ToolInputStarted("c", "Write"), ToolInputDelta("c", '{"file_path": "a.txt", "con'))
    story.hear(ModelWaiting("the stream broke off", 1, 2.0))
    assert story.frame() == [" ∎ Write   a.txt  not run: the reply broke off"]


@pytest.mark.parametrize("width", [20, 40, 60, 79, 80, 100, 120, 200])
def test_a_subject_is_cut_before_its_outcome_and_no_line_is_too_long(width: int) -> None:
    path = at("a/very/long/way/down/to/a/file/with/quite/a/name/cache.py")
    story = Told().turn().runs("c", "Edit", file_path=path, old_string="x", new_string="y")
    story.done("c", changed("a.py", OLD, NEW))
    for line in story.rows[-1].lines(story.look(width=width)):
        assert line.width <= width
    if width >= 60:
        assert "+2 -2" in story.frame(width=width)[0] and "cache.py" in story.frame(width=width)[0]


def test_data_that_does_not_fit_the_tool_any_more_is_shown_by_its_fields() -> None:
    story = Told().turn().runs("c", "Read", file_path="a.py").done("c", {"something": "older"})
    assert story.frame()[0].startswith(" ✓ Read    a.py  something older") and not story.faults
