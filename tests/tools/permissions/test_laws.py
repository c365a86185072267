"""What holds of every decision, whatever the rules and the call: found by trying many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.permissions import FOLDER, HOME, edit, read, rules, says, world
from tools.bash.subjects import subjects_of
from tools.permissions.decide import STRICTNESS, Call, World, decide
from tools.permissions.modes import Mode
from tools.permissions.rules import Kind, Source, parse_rule

RULES = st.sampled_from(
    [
        "Bash",
        "Bash(*)",
        "Bash(git *)",
        "Bash(git push *)",
        "Bash(* --force)",
        "Bash(npm test *)",
        "Bash(rm *)",
        "Bash(cat *)",
        "Bash(rm *",
        "Edit",
        "Edit(src/**)",
        "Edit(**)",
        "Edit(.git/**)",
        "Edit(//etc/**)",
        "Read",
        "Read(.env)",
        "Read(~/.ssh/**)",
        "Read(src/*)",
        "Read([x)",
        "Write",
        "Write(docs/**)",
        "mcp__a",
        "mcp__a__b",
        "mcp__*",
        "*",
        "WebFetch(domain:a.b)",
        "Agent(x)",
        "Nope",
        "Nope(x)",
        "(",
        "Bash()",
        "",
    ]
)
LINES = st.sampled_from(
    [
        "ls",
        "cat .env",
        "cat src/a",
        "git status",
        "git push",
        "git push --force",
        "npm test",
        "rm x",
        "rm -rf ~",
        "echo x > src/a",
        "echo x > .git/config",
        "npm test && rm x",
        "$X",
        "eval x",
        "bash -c 'rm x'",
        "cd src && rm a",
        "cat .e*",
        "sed -i s/a/b/ src/a",
        "cp .env x",
    ]
)
PATHS = st.sampled_from(["src/a", ".env", ".git/config", "/etc/hosts", "~/.ssh/id", "../x", "src/../.env", "link/a"])
MODES = st.sampled_from(["default", "acceptEdits", "plan", "auto", "bypassPermissions", "dontAsk"])


def bash_call(line: str) -> Call:
    subjects = subjects_of(line)
    return Call("Bash", ("run_shell",), subjects)


CALLS = st.one_of(LINES.map(bash_call), PATHS.map(read), PATHS.map(edit))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    lists = {kind: tuple(draw(st.lists(RULES, max_size=3))) for kind in ("allow", "ask", "deny")}
    return world(
        **lists,
        mode=draw(MODES),
        trusted=draw(st.booleans()),
        hook=draw(st.sampled_from([None, says("allow"), says("ask"), says("deny")])),
        links={f"{FOLDER}/link": f"{HOME}/.ssh"},
        case_insensitive=draw(st.booleans()),
    )


def with_rule(before: World, text: str, kind: Kind) -> World:
    return replace(before, rules=before.rules.plus(parse_rule(text, kind, Source("user", FOLDER))))


@given(CALLS, worlds(), RULES, st.sampled_from(["ask", "deny"]))
def test_a_rule_that_restricts_never_makes_a_decision_laxer(call: Call, before: World, text: str, kind: Any) -> None:
    after = with_rule(before, text, kind)
    assert STRICTNESS[decide(call, after).kind] >= STRICTNESS[decide(call, before).kind]


@given(CALLS, worlds(), RULES)
def test_a_rule_that_allows_lifts_no_denial_and_no_demanded_question(call: Call, before: World, text: str) -> None:
    was, now = decide(call, before), decide(call, with_rule(before, text, "allow"))
    assert STRICTNESS[now.kind] <= STRICTNESS[was.kind], "and makes nothing stricter"
    if before.mode != "dontAsk" and (was.kind == "deny" or (was.kind == "ask" and not was.by_default)):
        assert now.kind == was.kind


@given(CALLS, worlds(), MODES)
def test_modes_keep_their_word(call: Call, before: World, mode: Mode) -> None:
    here = replace(before, mode=mode)
    now, plain = decide(call, here), decide(call, replace(before, mode="default"))
    match mode:
        case "dontAsk":
            assert now.kind == ("deny" if plain.kind == "ask" else plain.kind)
        case "bypassPermissions":
            assert now.kind == ("allow" if plain.by_default else plain.kind)
        case "plan":
            assert STRICTNESS[now.kind] >= STRICTNESS[plain.kind]
        case "auto":
            assert now == plain
        case _:
            assert STRICTNESS[now.kind] <= STRICTNESS[plain.kind]


@given(CALLS, worlds())
def test_every_decision_says_what_decided_and_of_what(call: Call, before: World) -> None:
    decision = decide(call, before)
    assert decision.reason
    assert decision.trace
    assert decision.kind == "allow" or decision.trace[0].verdict in ("ask", "deny")
    assert decision.by_default <= (decision.kind == "ask")


@given(worlds(), st.lists(PATHS, min_size=1, max_size=2))
def test_another_spelling_of_a_path_is_the_same_path(before: World, paths: list[str]) -> None:
    for path in paths:
        full = path.replace("~", HOME) if path.startswith("~") else f"{FOLDER}/{path}"
        spelled = path if path.startswith("/") else full
        for other in (spelled, f"/x/..{spelled}", spelled.replace("/", "//").removeprefix("/"), f"{spelled}/."):
            for call in (read, edit):
                assert decide(call(other), before).kind == decide(call(path), before).kind


# What stands before a simple command, and what stands around any.
PREFIXES = st.sampled_from(
    [
        "timeout 5",
        "nice",
        "nohup",
        "command",
        "sudo",
        "env A=1",
        "FOO=1",
        "setsid",
        "xargs",
        "flock l",
        "strace -f",
        "doas",
        "stdbuf -oL",
        "time",
    ]
)
AROUND = st.sampled_from(
    [
        "( {} )", "{{ {}; }}", "! {}", "ls; {}", "ls && {}", "ls | {}", "{} &", "if true; then {}; fi", "cat <({})",
        "for i in 1; do {}; done", "while {}; do true; done", "case x in x) {};; esac", "echo $({})", 'echo "$({})"',
        "X=$({})", "cat <<E\n$({})\nE", "cd src && {}", "true\n{}",
    ]
)  # fmt: skip
RUN_A_LINE = st.sampled_from(
    ["bash -c {}", "sh -ec {}", "eval {}", "trap {} EXIT", "watch {}", "su -c {}", "env -S {}"]
)
SPELLINGS = st.sampled_from(
    ["rm x", "'rm' x", '"rm" x', "r\\m x", "r''m x", "$'rm' x", "/bin/rm x", "rm\tx", "\\rm x", "$'\\x72m' x"]
)
LAYERS = st.lists(st.tuples(st.lists(PREFIXES, max_size=2), st.lists(AROUND, max_size=2)), min_size=1, max_size=3)


@st.composite
def wrapped(draw: st.DrawFn, command: str) -> str:
    """The command behind prefixes and inside of other statements; and that as a line which another command runs."""
    for number, (prefixes, around) in enumerate(draw(LAYERS)):
        if number:
            command = draw(RUN_A_LINE).format("'" + command.replace("'", "'\\''") + "'")
        command = " ".join([*prefixes, command])
        for statement in around:
            command = statement.format(command)
    return command


@settings(max_examples=300)
@given(st.data(), SPELLINGS)
def test_a_denied_command_is_never_allowed_however_it_is_wrapped(data: st.DataObject, command: str) -> None:
    line = data.draw(wrapped(command))
    everything = World(FOLDER, HOME, (FOLDER,), rules=rules(("Bash",), (), ("Bash(rm *)",)), links={}, trusted=True)
    assert decide(bash_call(line), everything).kind != "allow", line


@settings(max_examples=300)
@given(wrapped("rm -rf ~"))
def test_removing_home_always_asks_however_it_is_wrapped(line: str) -> None:
    everything = world(allow=("Bash",), mode="bypassPermissions", hook=says("allow"))
    assert decide(bash_call(line), everything).kind == "ask", line
