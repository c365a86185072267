"""What somebody else did to a file: on the screen with what it was, who, when, and what follows from it."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from agent.events import Burst, ExternalEdit, ModelAsked, UserMessage
from tests.tui.sheet.asked import FOLDER, edit
from tests.tui.transcript.told import Told, at
from tools.blocks import Diff
from tools.diffs import diff_of
from tools.events import PermissionRequested, PermissionUpdated

HEARS = " ╎ the model hears which lines changed with its next message"
BEFORE = "one\nReadings are cached until the file's mtime changes.\nthree\n"
AFTER = "one\nReadings are cached until the file's content changes.\nA touched file stays cached.\nthree\n"


@pytest.fixture(autouse=True)
def a_known_time_zone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def changed(name: str = "README.md", before: str = BEFORE, after: str = AFTER) -> ExternalEdit:
    return ExternalEdit(at(name), diff_of(at(name), before, after), "external")


def many(count: int) -> ExternalEdit:
    """So many changes, far apart."""
    before = "".join(f"{number}\n" for number in range(count * 20))
    after = "".join(f"{number}{'!' * (number % 20 == 0)}\n" for number in range(count * 20))
    return changed("fetch.py", before, after)


def test_a_change_by_somebody_else_is_a_row_with_its_lines_and_what_follows() -> None:
    story = Told().hear(changed())
    assert story.frame() == [
        " ≢ Outside README.md  +2 -1  external, 00:16:40",
        " ╎    2 - Readings are cached until the file's mtime changes.",
        " ╎    2 + Readings are cached until the file's content changes.",
        " ╎    3 + A touched file stays cached.",
        HEARS,
    ]
    head, body, *_ = story.styles()
    assert head[:2] == [("≢", "bold $other"), ("Outside", "bold $other")] and body[0] == ("╎", "$other")
    assert head[-1] == ("external, 00:16:40", "$other")


def test_a_larger_change_is_a_count_until_it_is_opened() -> None:
    story = Told().hear(many(9))
    assert story.frame()[1:] == [" ╎ 9 hunks, Enter shows them", HEARS]
    story.entries[-1].opened = True
    assert sum(" + " in line for line in story.frame()) == 9


def test_the_first_request_after_it_tells_the_model_and_the_row_says_so() -> None:
    story = Told().hear(changed(), ModelAsked())
    assert story.frame()[-1] == " ╎ the model was told which lines changed"


def test_repeated_saves_with_nothing_between_are_one_row_that_never_shrinks() -> None:
    story = Told().hear(changed())
    height = len(story.frame())
    story.hear(changed("README.md", AFTER, AFTER.replace("three", "3")), after=7)
    assert len(story.rows) == 1
    assert story.frame()[0] == " ≢ Outside README.md  +3 -2  external, 00:16:47" and len(story.frame()) >= height
    story.hear(ExternalEdit(at("README.md"), None, "git checkout"), after=1)
    assert len(story.rows) == 1 and len(story.frame()) >= height
    assert story.frame()[0] == " ≢ Outside README.md  git checkout, 00:16:48"


def test_repeated_saves_stand_from_the_top_of_the_file_down() -> None:
    lower = BEFORE.replace("three", "3")
    story = (
        Told().hear(changed("README.md", BEFORE, lower)).hear(changed("README.md", lower, lower.replace("one", "1")))
    )
    assert [line[3:] for line in story.frame()[1:-1]] == ["   1 - one", "   1 + 1", "   ⋯", "   3 - three", "   3 + 3"]


def test_a_file_that_was_put_back_as_the_model_saw_it_says_so_and_nobody_is_told() -> None:
    put_back = replace(changed("README.md", AFTER, BEFORE), as_seen=True)
    story = Told().hear(changed(), put_back)
    assert story.frame()[-1] == " ╎ it is again as the model saw it"
    assert story.hear(ModelAsked()).frame()[-1] == " ╎ it is again as the model saw it"
    assert Told().hear(put_back, changed()).frame()[-1] == HEARS


def test_another_file_or_something_between_is_a_new_row() -> None:
    story = Told().hear(changed(), changed("b.md"), changed())
    assert len(story.rows) == 3
    story.hear(UserMessage("look"), changed())
    assert len(story.rows) == 5


def test_what_the_model_was_told_of_does_not_go_on() -> None:
    story = Told().hear(changed(), ModelAsked(), changed())
    assert len(story.rows) == 2 and story.frame(0)[-1] != story.frame(1)[-1]


def test_a_deleted_file_is_gone() -> None:
    story = Told().hear(ExternalEdit(at("a.py"), Diff(at("a.py"), ()), "external", "deleted"))
    assert story.frame() == [
        " ≢ Outside a.py  gone  external, 00:16:40",
        HEARS.replace("which lines changed", "that it is gone"),
    ]


def test_a_file_that_comes_back_shows_what_differs_from_before_it_went() -> None:
    story = Told().hear(ExternalEdit(at("README.md"), None, "external", "deleted"), changed())
    assert len(story.rows) == 1
    assert story.frame()[0] == " ≢ Outside README.md  +2 -1  external, 00:16:40"


def test_a_file_whose_text_was_not_known_is_named_without_numbers() -> None:
    story = Told().hear(ExternalEdit("/elsewhere/a.bin", None, "while `npm run format` ran"))
    assert story.frame() == [" ≢ Outside /elsewhere/a.bin  while `npm run format` ran, 00:16:40", HEARS]


def test_an_open_question_about_the_file_is_said_to_be_out_of_date() -> None:
    # A path as a model may say it.
    request = replace(edit(call_id="c"), input={"file_path": "tidewatch/cache.py"})
    story = Told().turn().called("c", "Edit", file_path="tidewatch/cache.py").hear(PermissionRequested(request, 1))
    story.hear(changed("other.py"))
    assert story.frame()[-1] == HEARS
    story.hear(changed("tidewatch/cache.py"))
    assert story.frame()[-1].startswith(" ╎ an open question is now out of date")


def test_the_question_learns_what_happened_to_its_file_with_its_next_revision() -> None:
    request = edit(call_id="c")
    story = Told().turn().called("c", "Edit", file_path="tidewatch/cache.py").hear(PermissionRequested(request, 1))
    story.hear(changed("tidewatch/cache.py"))
    assert story.transcript.calls.open_questions(story.now)[0].changed is None, "this one was shown before the change"
    story.hear(PermissionUpdated(request, 2, "the file was changed outside"), after=3)
    told = story.transcript.calls.open_questions(story.now)[0].changed
    assert told is not None and told.seconds == 3 and told.diff == diff_of(at("tidewatch/cache.py"), BEFORE, AFTER)


def test_a_question_asked_after_the_change_knows_nothing_of_it() -> None:
    request = edit(call_id="c")
    story = Told().turn().hear(changed("tidewatch/cache.py"))
    story.called("c", "Edit", file_path="tidewatch/cache.py")
    story.hear(PermissionRequested(request, 1), PermissionUpdated(request, 2, "the mode is now plan"))
    assert story.transcript.calls.open_questions(story.now)[0].changed is None


@pytest.mark.parametrize("width", [20, 30, 60, 80, 200])
def test_no_line_is_too_long_and_the_name_stays(width: int) -> None:
    path = f"{FOLDER}/a/long/way/down/to/a/file/that/has/a/name/README.md"
    story = Told().hear(ExternalEdit(path, diff_of(path, BEFORE, AFTER), "while `npm run format` ran"))
    assert all(line.width <= width for line in story.rows[0].lines(story.look(width=width)))
    if width >= 60:
        assert "README.md" in story.frame(width=width)[0]


def of_checkout(name: str, files: int, known: int, words: str = "git checkout topic") -> ExternalEdit:
    diff = diff_of(at(name), BEFORE, AFTER)
    return ExternalEdit(at(name), diff, words, evidence="the log of HEAD says: checkout", burst=Burst(7, files, known))


def test_many_files_that_git_changed_are_one_row_that_opens_to_them_with_their_changes() -> None:
    story = Told().hear(*(of_checkout(f"{number}.py", 5_000, number + 1) for number in range(12)))
    assert story.frame() == [
        " ≢ Outside git checkout topic: 5 000 files, 12 of them known  00:16:40",
        " ╎ 0.py  +2 -1",
        " ╎ 1.py  +2 -1",
        " ╎ 2.py  +2 -1",
        " ╎ 9 more, Enter shows all",
        HEARS,
    ]
    assert "5 000 files, 12 of them known to the model" in story.frame(width=100)[0]
    story.entries[-1].opened = True
    opened = story.frame()
    assert [line for line in opened if line.endswith(".py  +2 -1")] == [
        f" ╎ {number}.py  +2 -1" for number in range(12)
    ]
    assert sum("A touched file stays cached." in line for line in opened) == 12
    assert opened[-2:] == [" ╎ the log of HEAD says: checkout", HEARS]


def test_what_is_too_much_to_read_is_listed_without_its_changes() -> None:
    story = Told().hear(*(of_checkout(f"{number}.py", 500, number + 1) for number in range(300)))
    story.entries[-1].opened = True
    assert len(story.frame()) == 300 + 3


def test_a_row_of_many_takes_the_better_name_at_the_end_and_goes_on_until_the_model_was_told() -> None:
    story = Told().hear(*(of_checkout(f"{number}.py", 40, number + 1, "git") for number in range(4)))
    last = of_checkout("3.py", 5_000, 4)
    story.hear(replace(last, diff=Diff(last.path, ())))
    assert len(story.rows) == 1
    assert story.frame()[0].startswith(" ≢ Outside git checkout topic: 5 000 files, 4 of them known")
    assert story.frame()[1:5] == [" ╎ 0.py  +2 -1", " ╎ 1.py  +2 -1", " ╎ 2.py  +2 -1", " ╎ 1 more, Enter shows all"]
    story.hear(ModelAsked())
    assert story.frame(0)[-1] == " ╎ the model was told which lines changed"
    story.hear(of_checkout("5.py", 5_000, 5))
    assert len(story.rows) == 2


def test_one_file_says_on_what_its_name_rests_once_it_is_opened() -> None:
    edit = replace(changed(), attribution="saved in vim", evidence="its .README.md.swp says so")
    story = Told().hear(edit)
    assert story.frame()[0] == " ≢ Outside README.md  +2 -1  saved in vim, 00:16:40"
    assert not any(".swp" in line for line in story.frame())
    story.entries[-1].opened = True
    assert story.frame()[-2] == " ╎ its .README.md.swp says so"


@pytest.mark.parametrize("width", [20, 30, 60, 80, 200])
def test_no_line_of_many_is_too_long(width: int) -> None:
    words = "while `npm run a-long-name-of-a-script-that-goes-on` ran"
    story = Told().hear(*(of_checkout(f"a/long/way/down/{number}.py", 5_000, 9, words) for number in range(9)))
    for opened in (False, True):
        story.entries[-1].opened = opened
        assert all(line.width <= width for line in story.rows[0].lines(story.look(width=width)))
