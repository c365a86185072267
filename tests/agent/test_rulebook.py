"""The rules of a session as the person looks after them: listed, tried, added, taken out, and what "always" reaches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from agent.policy import Ground, SessionPolicy
from agent.rulebook import Reach, Rulebook
from agent.settings.merge import Flags, load_settings
from tests.support.permissions import bash, edit
from tools.context import Place
from tools.permissions.decide import Call, decide
from tools.permissions.gate import Answer
from tools.permissions.past import MOST_KEPT, PastCall


class Desk:
    """A project with settings, the policy made from them, and its rulebook."""

    def __init__(self, tmp_path: Path, trusted: bool = True, **permissions: Any) -> None:
        self.home = tmp_path / "home"
        self.root = self.home / "project"
        self.project = self.root / ".agent-tui" / "settings.json"
        self.local = self.root / ".agent-tui" / "settings.local.json"
        self.project.parent.mkdir(parents=True, exist_ok=True)
        self.project.write_text(json.dumps({"permissions": permissions}, indent=2))
        settings = load_settings(str(self.root), str(self.home), Flags(trusted=trusted, disallowed_tools=("WebFetch",)))
        ground = Ground(str(self.root), str(self.home), read_only=False, git_safe=lambda _: True)
        self.policy = SessionPolicy(settings, ground, frozenset)
        self.place = Place(str(self.root), str(self.home))
        self.told: list[str] = []
        self.book = Rulebook(self.policy, self.told.append)

    def decide(self, call: Call) -> str:
        return decide(call, self.policy.world(self.place)).kind

    def happened(self, id: str, call: Call, summary: str = "") -> None:
        decision = decide(call, self.policy.world(self.place))
        self.policy.decided(PastCall(id, call, self.place, summary or id, decision))

    def do(self, work: Coroutine[Any, Any, Any]) -> None:
        asyncio.run(work)

    def times(self) -> dict[str, int]:
        return {entry.rule.text: entry.decided for entry in self.book.entries()}


@pytest.fixture(autouse=True)
def nobodys_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


def test_every_rule_is_listed_with_its_place_and_how_often_it_decided(tmp_path: Path) -> None:
    desk = Desk(tmp_path, allow=["Bash(npm *)", "Bash(npm test *)"], ask=["Bash(git push *)"], deny=["Bash(rm *)"])
    desk.happened("1", bash("npm test"))
    desk.happened("2", bash("npm ci", "ls x"))
    desk.happened("3", bash("git push"))
    desk.happened("4", bash("npm ci", "rm x"))
    desk.happened("5", bash("make"))
    assert desk.times() == {
        "Bash(npm *)": 1,
        "Bash(npm test *)": 1,
        "Bash(git push *)": 1,
        "Bash(rm *)": 1,
        "WebFetch": 0,
    }
    places = {entry.rule.text: entry.rule.where for entry in desk.book.entries()}
    assert places["Bash(npm *)"] == f"{desk.project}:4"
    assert places["WebFetch"] == "flag rules"


def test_a_call_that_comes_to_the_gate_again_counts_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path, allow=["Bash(npm *)"])
    for _ in range(3):
        desk.happened("1", bash("npm ci"))
    assert desk.times()["Bash(npm *)"] == 1


def test_what_does_not_count_says_why(tmp_path: Path) -> None:
    desk = Desk(tmp_path, trusted=False, allow=["Bash(npm *)"], deny=["Bash(rm *)", "Write(docs/**)"])
    idle = {entry.rule.text: entry.idle for entry in desk.book.entries()}
    assert idle["Bash(npm *)"] == "the folder that brings it is not trusted"
    assert idle["Bash(rm *)"] == ""
    assert idle["Write(docs/**)"].startswith("it cannot work: ")


def test_the_places_say_where_a_rule_is_kept_and_what_it_is_worth_there(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    places = {place.scope: place for place in desk.book.places()}
    assert list(places) == ["user", "project", "local", "session"]
    assert places["local"].path == str(desk.local)
    assert places["user"].path == str(desk.home / ".config" / "agent-tui" / "settings.json")
    assert (places["session"].path, places["session"].note) == ("", "until you quit")
    untrusted = {place.scope: place.note for place in Desk(tmp_path, trusted=False).book.places()}
    assert untrusted["local"] == untrusted["project"] == "counts in later sessions once the folder is trusted"
    assert untrusted["user"] == ""


def test_a_stop_of_always_tells_which_calls_of_this_session_it_would_have_allowed(tmp_path: Path) -> None:
    desk = Desk(tmp_path, allow=["Bash(npm ci)"])
    desk.happened("1", bash("npm ci"), "npm ci")
    desk.happened("2", bash("npm run build"), "npm run build")
    desk.happened("3", bash("npm run test"), "npm run test")
    desk.happened("4", bash("npm run build"), "npm run build")
    desk.happened("5", bash("npm run build", "make"), "build and make")
    desk.happened("6", edit("src/a.py"), "a.py")
    assert desk.book.reach(["Bash(npm run build)"]) == Reach(2, ("npm run build",))
    assert desk.book.reach(["Bash(npm run *)"]) == Reach(3, ("npm run build", "npm run test"))
    assert desk.book.reach(["Bash(npm run *)", "Bash(make)"]).calls == 4
    assert desk.book.reach(["Edit(src/**)"]) == Reach(1, ("a.py",))
    assert desk.book.reach(["Bash(nothing)"]) == Reach()
    desk.do(desk.book.add("Bash(npm *)", "allow", "session"))
    assert desk.book.reach(["Edit(src/**)"]) == Reach(1, ("a.py",)), "what another rule allows by now is not its doing"


def test_a_rule_can_be_tried_before_it_is_added(tmp_path: Path) -> None:
    desk = Desk(tmp_path, allow=["Bash(npm *)"])
    desk.happened("1", bash("npm publish"), "npm publish")
    desk.happened("2", bash("make"), "make")
    (changed,) = desk.book.try_rule("Bash(npm publish *)", "deny").changed
    assert (changed.summary, changed.before.kind, changed.after.kind) == ("npm publish", "allow", "deny")
    (changed,) = desk.book.try_rule("Bash(make)", "allow").changed
    assert (changed.summary, changed.before.kind, changed.after.kind) == ("make", "ask", "allow")
    assert desk.book.try_rule("Bash(make", "allow").rule.problem
    before, after = desk.book.try_on(bash("make all"), desk.place, "Bash(make *)", "allow")
    assert (before.kind, after.kind) == ("ask", "allow")
    assert desk.times() == {"Bash(npm *)": 0 + 1, "WebFetch": 0}, "trying counts for nothing"


@pytest.mark.parametrize("scope", ["session", "local", "project", "user"])
def test_a_rule_is_added_in_each_scope_counts_at_once_and_can_be_taken_out_again(tmp_path: Path, scope: Any) -> None:
    desk = Desk(tmp_path, deny=["Bash(rm *)"])
    version = desk.policy.version
    desk.do(desk.book.add(" Bash(make *) ", "allow", scope))
    assert desk.decide(bash("make all")) == "allow"
    assert desk.policy.version > version, "what is open is decided again"
    assert desk.told == ["the allow rule Bash(make *) was added"]
    (entry,) = [entry for entry in desk.book.entries() if entry.rule.text == "Bash(make *)"]
    file = next(place.path for place in desk.book.places() if place.scope == scope)
    assert entry.rule.source.file == file
    if file:
        assert entry.rule.line
        assert "Bash(make *)" in Path(file).read_text()
    desk.do(desk.book.remove(entry.rule))
    assert desk.decide(bash("make all")) == "ask"
    assert desk.decide(bash("rm x")) == "deny", "the others stay"
    assert not file or "Bash(make *)" not in Path(file).read_text()


def test_a_rule_that_cannot_work_or_be_saved_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.local.write_text("{ broken")
    for text, scope, says in (
        ("Bash(make", "session", "cannot work"),
        ("Nope(x)", "local", "no tool named Nope"),
        ("Bash(make)", "local", "not valid JSON"),
    ):
        with pytest.raises(ValueError, match=says):
            desk.do(desk.book.add(text, "allow", scope))  # type: ignore[arg-type]  # one of the scopes
    assert desk.local.read_text() == "{ broken"
    assert desk.decide(bash("make")) == "ask"
    assert desk.told == []


def test_a_rule_from_the_command_line_stays(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (entry,) = desk.book.entries()
    with pytest.raises(ValueError, match="command line"):
        desk.do(desk.book.remove(entry.rule))
    assert desk.book.entries() == (entry,)


def test_where_the_folder_is_not_trusted_the_persons_own_rule_counts_in_this_session(tmp_path: Path) -> None:
    desk = Desk(tmp_path, trusted=False)
    desk.do(desk.book.add("Bash(make)", "allow", "local"))
    assert desk.decide(bash("make")) == "allow"
    assert "Bash(make)" in desk.local.read_text()


@pytest.mark.parametrize("kind", ["allow", "ask", "deny"])
def test_where_the_folder_is_not_trusted_a_rule_that_is_taken_out_is_gone(tmp_path: Path, kind: Any) -> None:
    desk = Desk(tmp_path, trusted=False)
    desk.do(desk.book.add("Bash(make)", kind, "local"))
    assert desk.decide(bash("make")) == kind
    entry = next(entry for entry in desk.book.entries() if entry.rule.source.file)
    desk.do(desk.book.remove(entry.rule))
    assert not [entry for entry in desk.book.entries() if entry.rule.text == "Bash(make)"]
    assert desk.decide(bash("make")) == "ask"


def test_rules_that_somebody_else_wrote_are_taken_over_and_the_gate_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path, allow=["Bash(make)"])
    desk.do(desk.book.reread())
    assert desk.told == [], "nothing has changed"
    desk.project.write_text('{"permissions": {"deny": ["Bash(make)"]}}')
    desk.do(desk.book.reread())
    assert desk.decide(bash("make")) == "deny"
    assert desk.told == [f"the rules in {desk.project} have changed"]
    desk.project.write_text("{ half writ")
    desk.do(desk.book.reread())
    assert desk.decide(bash("make")) == "deny", "what was known of it stays while it cannot be read"
    desk.project.unlink()
    desk.do(desk.book.reread())
    assert desk.decide(bash("make")) == "ask"


@pytest.mark.parametrize(("kind", "lasts"), [("once", ""), ("turn", "turn"), ("always", "for ever")])
def test_a_yes_lasts_as_long_as_it_says(tmp_path: Path, kind: Any, lasts: str) -> None:
    desk = Desk(tmp_path)
    desk.do(desk.policy.grant(Answer(kind), ("Bash(make)", "Bash(ls x)")))
    assert desk.decide(bash("make", "ls x")) == ("allow" if lasts else "ask")
    desk.policy.turn_ended()
    assert desk.decide(bash("make", "ls x")) == ("allow" if lasts == "for ever" else "ask")
    assert desk.local.exists() == (lasts == "for ever")


def test_always_only_for_this_session_writes_no_file(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.do(desk.policy.grant(Answer("always", scope="session"), ("Bash(make)",)))
    desk.policy.turn_ended()
    assert desk.decide(bash("make")) == "allow"
    assert not desk.local.exists()


def test_only_the_last_calls_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    desk = Desk(tmp_path, allow=["Bash(npm *)"])
    for number in range(MOST_KEPT + 5):
        desk.happened(str(number), bash("npm ci"))
    assert len(list(desk.policy.past)) == MOST_KEPT
    assert desk.times()["Bash(npm *)"] == MOST_KEPT + 5
