from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.permissions import bash, command, edit, read, says, world
from tools.permissions.decide import Call, decide, denied_by_rule
from tools.permissions.subjects import DomainSubject, Lead, NamedSubject, PathSubject


def test_the_strictest_word_counts_for_each_subject() -> None:
    both = world(allow=("Bash(git *)",), ask=("Bash(git push *)",), deny=("Bash(git push --force *)",))
    assert decide(bash("git fetch"), both).kind == "allow"
    assert decide(bash("git push"), both).kind == "ask"
    assert decide(bash("git push --force"), both).kind == "deny"


def test_the_call_gets_the_verdict_of_its_strictest_subject() -> None:
    allowed = world(allow=("Bash(npm test *)",), deny=("Bash(curl *)",))
    assert decide(bash("npm test", "make"), allowed).kind == "ask"
    assert decide(bash("npm test", "make", "curl x"), allowed).kind == "deny"


def test_an_allow_counts_only_for_what_it_covers() -> None:
    redirect = bash(command("echo x"), PathSubject("/etc/cron.d/x", "edit", "redirect"))
    assert decide(redirect, world(allow=("Bash(echo *)",))).kind == "ask"
    assert decide(redirect, world(allow=("Bash(echo *)", "Edit(//etc/cron.d/**)"))).kind == "allow"
    assert decide(redirect, world(allow=("Bash",))).kind == "allow"


def test_nobody_spoke_is_an_ask_by_default_and_a_rule_s_ask_is_not() -> None:
    assert decide(bash("make"), world()).by_default
    assert not decide(bash("make"), world(ask=("Bash(make *)",))).by_default
    assert not decide(bash("make", "ls"), world(ask=("Bash(ls *)",))).by_default


@pytest.mark.parametrize("hook", ["allow", "ask", "deny"])
def test_a_hook_s_word_joins_the_others(hook: str) -> None:
    assert decide(bash("npm publish"), world(hook=says(hook))).kind == hook
    assert decide(bash("rm x"), world(deny=("Bash(rm *)",), hook=says(hook))).kind == "deny"
    stricter = "deny" if hook == "deny" else "ask"
    assert decide(bash("rm x"), world(ask=("Bash(rm *)",), hook=says(hook))).kind == stricter


def test_a_tool_s_own_word_joins_the_others() -> None:
    assert decide(bash("make", verdict=says("deny")), world(allow=("Bash",))).kind == "deny"
    assert decide(bash("make", verdict=says("allow")), world()).kind == "allow"


def test_reading_in_the_workspace_is_allowed_and_elsewhere_asks() -> None:
    assert decide(read("src/a.py"), world()).kind == "allow"
    assert decide(read("/home/u/proj-evil/x"), world()).kind == "ask"
    assert decide(read("../proj2/x"), world()).kind == "ask"
    assert decide(read("/home/u/extra/x"), world(additional_directories=("/home/u/extra",))).kind == "allow"


def test_a_stored_result_may_be_read_and_nothing_beside_it() -> None:
    stored = world(readable_files=frozenset({"/state/results/1.txt"}))
    assert decide(read("/state/results/1.txt"), stored).kind == "allow"
    assert decide(read("/state/results/2.txt"), stored).kind == "ask"


def test_B3_a_link_is_allowed_only_if_its_target_is() -> None:
    linked = {"/home/u/proj/key": "/home/u/.ssh/id_rsa"}
    assert decide(read("key"), world(links=linked)).kind == "ask"
    assert decide(read("key"), world(allow=("Read(~/.ssh/**)",), links=linked)).kind == "allow"
    assert decide(read("key"), world(allow=("Read(./**)",), deny=("Read(~/.ssh/**)",), links=linked)).kind == "deny"
    assert decide(read("key"), world(deny=("Read(./key)",), links=linked)).kind == "deny"


def test_B4_a_new_file_below_a_linked_folder_lies_where_the_link_leads() -> None:
    linked = {"/home/u/proj/out": "/srv/www"}
    accepting = world(mode="acceptEdits", links=linked)
    assert decide(edit("out/new.html"), accepting).kind == "ask"
    assert decide(edit("src/new.html"), accepting).kind == "allow"


def test_after_a_link_dotdot_is_taken_both_ways() -> None:
    linked = {"/home/u/proj/d": "/srv/deep", "/home/u/proj/x": "/etc/passwd"}
    assert decide(read("d/../x"), world(links=linked)).kind == "ask"
    assert decide(read("d/../y"), world(links=linked)).kind == "ask"


def test_a_read_deny_also_denies_editing() -> None:
    assert decide(edit("secrets/a"), world(deny=("Read(./secrets/**)",))).kind == "deny"


def test_a_rule_for_edit_covers_every_tool_that_edits() -> None:
    allowed = world(allow=("Edit(docs/**)",))
    for tool in ("Edit", "Write", "NotebookEdit"):
        assert decide(edit("docs/a.md", tool), allowed).kind == "allow"
    assert decide(edit("docs/a.md", "Write"), world(allow=("Write(docs/**)",))).kind == "ask"


def test_a_search_in_a_denied_folder_is_denied() -> None:
    search = Call("Grep", (), (PathSubject("secrets", "read"),), read_only=True)
    assert decide(search, world(deny=("Read(./secrets/**)",))).kind == "deny"


def test_a_glob_of_the_shell_that_may_mean_a_denied_file_is_not_allowed() -> None:
    def cat(path: str) -> Call:
        return bash(command(f"cat {path}", read_only=True), PathSubject(path, "read", "cat"), read_only=True)

    denied = world(deny=("Read(.env)",))
    assert decide(cat(".e*"), denied).kind == "ask"
    assert decide(cat(".e*"), replace(denied, mode="bypassPermissions")).kind == "ask"
    assert decide(cat("*.md"), denied).kind == "allow"
    assert not decide(cat("$FILE"), denied).by_default
    assert decide(cat("$FILE"), world()).by_default
    assert decide(cat("~root/x"), world()).kind == "ask"


def test_what_is_decided_only_at_run_time_is_allowed_by_no_pattern() -> None:
    hidden = bash(command("$X foo", understood=False))
    assert decide(hidden, world(allow=("Bash(* foo)",))).kind == "ask"
    assert decide(hidden, world(allow=("Bash",))).kind == "allow"
    assert decide(hidden, world(allow=("Bash",), deny=("Bash(rm *)",))).kind == "ask"


@pytest.mark.parametrize("text", ["watch ls", "flock f rm x", "find . -delete", "find . -exec rm {} +"])
def test_a_pattern_does_not_cover_a_command_that_runs_what_follows(text: str) -> None:
    word = text.split(maxsplit=1)[0]
    assert decide(bash(text), world(allow=(f"Bash({word} *)",))).kind == "ask"
    assert decide(bash(text), world(allow=(f"Bash({text})",))).kind == "allow"


def test_a_read_only_git_command_is_allowed_only_where_the_repository_is_safe() -> None:
    status = bash(command("git status", read_only=True), read_only=True)
    assert decide(status, world()).kind == "allow"
    assert decide(status, world(git_safe=False)).kind == "ask"
    assert decide(bash(command("ls", read_only=True), read_only=True), world(git_safe=False)).kind == "allow"


def test_E4_allow_rules_of_an_untrusted_folder_are_inert_and_its_denies_hold() -> None:
    for scope in ("project", "local"):
        untrusted = world(allow=("Bash(npm *)",), deny=("Bash(rm *)",), scope=scope, trusted=False)
        assert decide(bash("npm test"), untrusted).kind == "ask"
        assert decide(bash("rm x"), untrusted).kind == "deny"
    assert decide(bash("npm test"), world(allow=("Bash(npm *)",), scope="user", trusted=False)).kind == "allow"


@pytest.mark.parametrize("broken", ["Bash(cat *", "Bash(:*)", "Bash(command:cat *)"])
def test_a_restriction_that_cannot_be_read_asks_for_the_whole_tool(broken: str) -> None:
    reading = bash(command("cat README.md", read_only=True), read_only=True)
    assert decide(reading, world(deny=(broken,), allow=("Bash",))).kind == "ask"
    assert decide(read("README.md"), world(deny=(broken,))).kind == "allow"


def test_a_pattern_that_would_take_back_a_denial_changes_nothing() -> None:
    taken_back = world(deny=("Read(.env*)", "Read(!.env.example)"))
    assert decide(read(".env.example"), taken_back).kind == "deny"
    assert decide(read("README.md"), taken_back).kind == "allow"


def test_a_rule_by_parameter_matches_only_what_was_given() -> None:
    denied = world(deny=("Bash(run_in_background:true)", "Agent(model:op*)"))
    listing = command("ls", read_only=True)
    assert decide(bash(listing, read_only=True), denied).kind == "allow"
    assert decide(bash(listing, read_only=True, parameters={"run_in_background": "true"}), denied).kind == "deny"
    agent = Call("Agent", (), (NamedSubject("explore"),), touches_nothing=True, parameters={"model": "opus"})
    assert decide(agent, denied).kind == "deny"


def test_names_of_servers_agents_and_skills_are_matched() -> None:
    tool = Call("mcp__github__get_issue", (), (NamedSubject("mcp__github__get_issue"),))
    for allowed in ("mcp__github", "mcp__github__*", "mcp__github__get_*", "mcp__github__get_issue"):
        assert decide(tool, world(allow=(allowed,))).kind == "allow"
    for other in ("mcp__git", "mcp__*", "mcp__github__create_*"):
        assert decide(tool, world(allow=(other,))).kind == "ask"
    assert decide(tool, world(deny=("mcp__*",))).kind == "deny"
    agent = Call("Agent", ("Task",), (NamedSubject("Explore"),), touches_nothing=True)
    assert decide(agent, world()).kind == "allow"
    assert decide(agent, world(deny=("Task(explore)",))).kind == "deny"


def test_domains_are_matched() -> None:
    fetch = Call("WebFetch", (), (DomainSubject("api.example.com"),), read_only=True)
    assert decide(fetch, world()).kind == "ask"
    assert decide(fetch, world(allow=("WebFetch(domain:*.example.com)",))).kind == "allow"
    assert decide(fetch, world(allow=("WebFetch",), deny=("WebFetch(domain:*.example.com)",))).kind == "deny"


def test_the_trace_tells_rule_file_line_and_part_and_what_nearly_matched() -> None:
    decision = decide(bash("npm test", "npm publish"), world(allow=("Bash(npm test *)", "Bash(npm publish --dry-run)")))
    assert decision.trace[0].subject == "npm publish"
    misses = [step.reason for step in decision.trace if step.source == "near miss"]
    assert any("`Bash(npm publish --dry-run)`: it is for exactly that command." in miss for miss in misses)
    untrusted = decide(bash("npm test"), world(allow=("Bash(npm test)",), trusted=False))
    assert any("not trusted" in step.reason for step in untrusted.trace)


def test_a_deny_rule_can_be_asked_for_alone() -> None:
    denied = world(deny=("Edit(src/**)",), mode="plan")
    word = denied_by_rule(edit("src/a.py"), denied)
    assert word is not None
    assert "`Edit(src/**)`" in word.reason
    assert denied_by_rule(edit("docs/a.md"), denied) is None


LINKED = {"/home/u/proj/notes.md": "/home/u/private/notes.md", "/home/u/proj/lib": "/home/u/proj/src"}


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("notes.md", (Lead("notes.md", "/home/u/private/notes.md", True),)),
        ("lib/new.py", (Lead("lib/new.py", "/home/u/proj/src/new.py"),)),
        ("~/proj/lib/a.py", (Lead("~/proj/lib/a.py", "/home/u/proj/src/a.py"),)),
        ("src/a.py", ()),
        ("sub/../src/a.py", ()),
        ("$WHERE/a.py", ()),
        ("/dev/stderr", ()),
    ],
)
def test_F5_a_call_says_of_its_paths_which_lead_elsewhere(path: str, leads: tuple[Lead, ...]) -> None:
    assert world(links=LINKED | {"/dev/stderr": "/proc/self/fd/2"}).leads(edit(path)) == leads


def test_F5_a_workspace_that_is_itself_behind_a_link_is_no_news_for_its_files() -> None:
    moved = world(links={"/home/u": "/disk/u", "/disk/u/proj/x": "/etc/x"})
    assert moved.leads(edit("a.py")) == ()
    assert moved.leads(edit("~/notes")) == ()
    assert moved.leads(edit("x")) == (Lead("x", "/etc/x", True),)
