"""The list of files, kept up from events as the tools and the watcher send them."""

from __future__ import annotations

from collections.abc import Sequence

from agent.events import Event, ExternalEdit, Stamped
from tools.changing.change import FileChanged
from tools.diffs import diff_of
from tools.events import ToolFinished, ToolInputStarted
from tools.inputs import ToolOutput
from tools.read.shown import ReadOutput, Text
from tools.view import ViewContext
from tui.panels.files import FileFact, Files

FOLDER = "/code/tidewatch"
CACHE, README, FETCH = (f"{FOLDER}/{name}" for name in ("cache.py", "README.md", "fetch.py"))


def heard(*events: Event) -> Files:
    files = Files(ViewContext(FOLDER, "/home/me").short)
    for number, event in enumerate(events):
        files.heard(Stamped(number, float(number), "main", event))
    return files


def call(tool: str, output: ToolOutput, id: str = "c1") -> Sequence[Event]:
    return (ToolInputStarted(id, tool), ToolFinished(id, "ok", data=output.model_dump(mode="json")))


def read(path: str) -> Sequence[Event]:
    return call("Read", ReadOutput(file_path=path, answer=Text(lines=("x",))))


def changed(
    path: str, before: str = "a\n", after: str = "b\nc\n", kind: str = "changed", tool: str = "Edit"
) -> Sequence[Event]:
    output = FileChanged(file_path=path, kind=kind, diff=diff_of(path, before, after))  # type: ignore[arg-type]
    return call(tool, output)


def outside(path: str, attribution: str = "external") -> Event:
    return ExternalEdit(path, diff_of(path, "a\n", "b\nc\n"), attribution)


def only(files: Files) -> FileFact:
    (fact,) = files.facts()
    return fact


def test_a_read_file_is_listed_by_its_short_name():
    fact = only(heard(*read(CACHE)))
    assert (fact.path, fact.own, fact.changed, fact.real) == ("cache.py", "r", False, CACHE)


def test_changes_of_one_file_add_up_whichever_tool_made_them():
    fact = only(heard(*changed(CACHE), *changed(CACHE, tool="NotebookEdit")))
    assert (fact.own, fact.added, fact.removed) == ("M", 4, 2)


def test_a_new_file_stays_new_when_it_is_changed_again():
    fact = only(heard(*changed(CACHE, "", "a\n", "created"), *changed(CACHE)))
    assert (fact.own, fact.added) == ("A", 3)


def test_a_write_of_what_was_there_changes_nothing():
    assert only(heard(*changed(CACHE, "a\n", "a\n", "unchanged"))).own == "r"


def test_a_change_by_somebody_else_is_kept_apart_from_ours():
    fact = only(heard(*changed(CACHE), outside(CACHE)))
    assert (fact.own, fact.added, fact.removed) == ("M", 2, 1)
    assert (fact.theirs, fact.their_added, fact.their_removed) == ("outside", 2, 1)


def test_git_is_named_where_it_is_known():
    assert only(heard(outside(CACHE, "git checkout"))).theirs == "git"
    assert only(heard(outside(CACHE, "while `git pull` ran"))).theirs == "git"
    assert only(heard(outside(CACHE, "while `gitk` ran"))).theirs == "outside"


def test_a_file_that_somebody_removed_is_gone_until_it_is_there_again():
    gone = ExternalEdit(CACHE, None, "external", "deleted")
    assert only(heard(*read(CACHE), gone)).gone
    assert not only(heard(*read(CACHE), gone, *changed(CACHE, "", "a\n", "created"))).gone


def test_changed_files_come_first_and_the_latest_on_top():
    files = heard(*read(FETCH), *changed(CACHE), *read(f"{FOLDER}/a.py"), outside(README), *read(CACHE))
    assert [fact.path for fact in files.facts()] == ["README.md", "cache.py", "a.py", "fetch.py"]


def test_files_changed_by_others_are_counted():
    assert heard(outside(CACHE), outside(CACHE), outside(README), *read(FETCH)).outside == 2


def test_a_failed_call_lists_nothing():
    assert heard(ToolInputStarted("c1", "Edit"), ToolFinished("c1", "failed", error="no")).facts() == ()


def test_other_tools_list_nothing_whatever_their_data_looks_like():
    data = {"file_path": CACHE, "kind": "changed"}
    assert heard(ToolInputStarted("c1", "mcp__x__y"), ToolFinished("c1", "ok", data=data)).facts() == ()


def test_data_that_is_no_output_of_the_tool_is_left_alone():
    files = heard(ToolInputStarted("c1", "Edit"), ToolFinished("c1", "ok", data={"file_path": 7}))
    assert files.facts() == ()
    odd = {"file_path": CACHE, "kind": "changed", "diff": {"hunks": [{"lines": "x"}, 3]}}
    assert only(heard(ToolInputStarted("c1", "Edit"), ToolFinished("c1", "ok", data=odd))).added == 0


def test_it_tells_when_the_list_has_changed():
    files = Files()
    assert not files.heard(Stamped(1, 1.0, "main", ToolInputStarted("c1", "Read")))
    finished = ToolFinished("c1", "ok", data={"file_path": CACHE})
    assert files.heard(Stamped(2, 2.0, "main", finished))
    assert not files.heard(Stamped(3, 3.0, "main", finished))
