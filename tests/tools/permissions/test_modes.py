from __future__ import annotations

import pytest

from tests.support.permissions import bash, command, edit, read, world
from tools.permissions.decide import Call, decide
from tools.permissions.decision import Advice
from tools.permissions.modes import next_mode
from tools.permissions.subjects import NamedSubject, PathSubject


def test_accept_edits_accepts_edits_in_the_workspace_alone() -> None:
    accepting = world(mode="acceptEdits")
    assert decide(edit("src/a.py"), accepting).kind == "allow"
    assert decide(edit("/etc/hosts"), accepting).kind == "ask"
    assert decide(edit(".git/config"), accepting).kind == "ask"
    assert decide(edit("src/a.py", destructive=True), accepting).kind == "ask"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mkdir -p out/deep", "allow"),
        ("rm foo", "allow"),
        ("cp a b", "allow"),
        ("cp a /etc/b", "ask"),
        ("mv x .git/hooks/pre-commit", "ask"),
        ("rm $X", "ask"),
        ("rm *", "ask"),
        ("cp --target-directory=/etc a", "ask"),
        ("cp -t/etc a", "ask"),
        ("touch ../outside", "ask"),
        ("mkdir 'unclosed", "ask"),
        ("rm", "ask"),
        ("curl x", "ask"),
    ],
)
def test_accept_edits_accepts_plain_file_commands_in_the_workspace(text: str, kind: str) -> None:
    assert decide(bash(text), world(mode="acceptEdits")).kind == kind


def test_after_a_change_of_folder_accept_edits_accepts_no_file_command() -> None:
    moved = bash(command("cd ..", read_only=True), "touch a")
    assert decide(moved, world(mode="acceptEdits")).kind == "ask"


def test_accept_edits_never_covers_the_destructive_or_the_denied() -> None:
    assert decide(bash(command("rm -r src", destructive=True)), world(mode="acceptEdits")).kind == "ask"
    assert decide(bash("rm src/a"), world(mode="acceptEdits", deny=("Edit(src/**)",))).kind == "ask"
    glob = bash(command("echo x", read_only=True), PathSubject("*.log", "edit", "redirect"))
    assert decide(glob, world(mode="acceptEdits")).kind == "ask"


def test_plan_mode_denies_what_changes_and_leaves_reading_alone() -> None:
    planning = world(mode="plan", allow=("Bash", "Edit"))
    assert decide(edit("src/a.py"), planning).kind == "deny"
    assert decide(bash("make"), planning).kind == "deny"
    assert decide(bash(command("git status", read_only=True), read_only=True), planning).kind == "allow"
    assert decide(read("src/a.py"), planning).kind == "allow"
    assert decide(Call("TodoWrite", touches_nothing=True), planning).kind == "allow"
    assert decide(Call("mcp__x__y", (), (NamedSubject("mcp__x__y"),)), planning).kind == "deny"


def test_the_read_only_flag_denies_every_call_that_is_not() -> None:
    reading = world(read_only_flag=True, mode="bypassPermissions", allow=("Bash",))
    assert decide(bash("make"), reading).kind == "deny"
    assert decide(Call("Config"), reading).kind == "deny"
    assert decide(bash(command("ls", read_only=True)), reading).kind == "deny", "the call as a whole is not"
    assert decide(read("a"), reading).kind == "allow"


def test_bypass_turns_the_default_ask_into_allow_and_nothing_else() -> None:
    bypassing = world(mode="bypassPermissions", ask=("Bash(git push *)",), deny=("Bash(curl *)",))
    assert decide(bash("make"), bypassing).kind == "allow"
    assert decide(bash("git push"), bypassing).kind == "ask"
    assert decide(bash("curl x"), bypassing).kind == "deny"
    assert decide(edit(".git/config"), bypassing).kind == "ask"
    assert decide(bash(command("rm -rf /", removes=("/",))), bypassing).kind == "ask"
    assert decide(bash("make"), world(mode="bypassPermissions", bypass_allowed=False)).kind == "ask"


def test_dont_ask_denies_what_would_ask() -> None:
    silent = world(mode="dontAsk", allow=("Bash(npm *)",), ask=("Bash(git push *)",))
    assert decide(bash("make"), silent).kind == "deny"
    assert decide(bash("git push"), silent).kind == "deny"
    assert decide(bash("npm test"), silent).kind == "allow"
    assert not decide(bash("make"), silent).by_default


def test_auto_asks_by_default_so_that_a_classifier_may_decide() -> None:
    assert decide(bash("make"), world(mode="auto")).by_default


@pytest.mark.parametrize("harmless", [True, False])
def test_advice_turns_the_default_ask_of_auto_mode_and_nothing_else(harmless: bool) -> None:
    advice = Advice(harmless, "So it is.")
    asking = world(mode="auto", advice=advice, ask=("Bash(git push *)",), deny=("Bash(curl *)",))
    assert decide(bash("make"), asking).kind == ("allow" if harmless else "ask")
    assert decide(bash("make", "git push"), asking).kind == "ask"
    assert decide(bash("make", "curl x"), asking).kind == "deny"
    assert decide(edit(".git/config"), asking).kind == "ask"
    assert decide(bash(command("rm -rf ~", removes=("~",))), asking).kind == "ask"
    for mode in ("default", "acceptEdits"):
        assert decide(bash("make"), world(mode=mode, advice=advice)).kind == "ask"
    assert decide(bash("make"), world(mode="plan", advice=advice)).kind == "deny"


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "auto", "dontAsk"])
def test_what_touches_nothing_is_allowed_in_every_mode(mode: str) -> None:
    assert decide(Call("TodoWrite", touches_nothing=True), world(mode=mode)).kind == "allow"
    assert decide(Call("TodoWrite", touches_nothing=True), world(mode=mode, deny=("TodoWrite",))).kind == "deny"


def test_shift_tab_goes_round_and_bypass_joins_only_if_started_with_it() -> None:
    assert [next_mode(mode, False) for mode in ("default", "acceptEdits", "plan", "auto")] == [
        "acceptEdits",
        "plan",
        "auto",
        "default",
    ]
    assert next_mode("auto", True) == "bypassPermissions"
    assert next_mode("dontAsk", True) == "default"
