from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.permissions import bash, command, edit, read, world
from tools.permissions.decide import Call, decide
from tools.permissions.rules import Source, parse_rule
from tools.permissions.subjects import DomainSubject, NamedSubject, PathSubject
from tools.permissions.suggest import suggest_rules, suggest_stops


def test_F6_what_is_saved_is_exactly_what_was_shown() -> None:
    assert suggest_rules(bash("npm publish"), world()) == ("Bash(npm publish)",)
    assert suggest_rules(edit("src/a.py"), world()) == ("Edit(//home/u/proj/src/a.py)",)
    assert suggest_rules(read("/etc/hosts"), world()) == ("Read(//etc/hosts)",)
    assert suggest_rules(Call("WebFetch", (), (DomainSubject("a.b"),)), world()) == ("WebFetch(domain:a.b)",)
    assert suggest_rules(Call("mcp__s__t", (), (NamedSubject("mcp__s__t"),)), world()) == ("mcp__s__t",)
    assert suggest_rules(Call("Skill", (), (NamedSubject("review"),)), world()) == ("Skill(review)",)
    assert suggest_rules(Call("WebSearch"), world()) == ("WebSearch",)


def test_F6_a_compound_command_saves_one_rule_per_part_and_five_at_most() -> None:
    parts = [f"make t{number}" for number in range(6)]
    reading = command("ls", read_only=True)
    assert suggest_rules(bash(reading, *parts[:2]), world()) == ("Bash(make t0)", "Bash(make t1)")
    assert len(suggest_rules(bash(*parts[:5]), world())) == 5
    assert suggest_rules(bash(*parts), world()) == ()


@pytest.mark.parametrize(
    "text",
    [
        "python3 x.py",
        "/usr/bin/python3.11 x.py",
        "bash -c ls",
        "sudo ls",
        "env ls",
        "xargs rm",
        "npx vite",
        "node a.js",
        "find . -name *.py",
        "echo a*",
    ],
)
def test_F6_never_for_what_runs_anything_or_reads_as_a_pattern(text: str) -> None:
    assert suggest_rules(bash(text), world()) == ()


def test_F6_never_behind_a_wrapper_for_an_interpreter_nor_for_the_destructive() -> None:
    assert (
        suggest_rules(bash(command("timeout 5 python x", spellings=("timeout 5 python x", "python x"))), world()) == ()
    )
    assert suggest_rules(bash(command("git reset --hard", destructive=True)), world()) == ()
    assert suggest_rules(edit("a", destructive=True), world()) == ()
    assert suggest_rules(bash(command("$X", understood=False)), world()) == ()


def test_always_is_offered_only_if_it_then_allows_this_very_call() -> None:
    assert suggest_rules(edit(".git/config"), world()) == ()
    assert suggest_rules(bash("git push"), world(ask=("Bash(git push)",))) == ()
    assert suggest_rules(bash("make"), world(trusted=False)) == ()
    assert suggest_rules(bash("make"), world(trusted=False), scope="user") == ("Bash(make)",)
    assert suggest_rules(bash("make"), world(allow=("Bash",))) == ()
    assert suggest_rules(bash(command("rm -rf ~", removes=("~",))), world()) == ()


def test_a_saved_rule_means_a_strange_name_literally() -> None:
    strange = edit("we[i]rd*.py")
    (rule,) = suggest_rules(strange, world())
    saved = replace(world(), rules=world().rules.plus(parse_rule(rule, "allow", Source("local", "/home/u/proj"))))
    assert decide(strange, saved).kind == "allow"
    assert decide(edit("weird.py"), saved).kind == "ask"


def test_a_link_needs_a_rule_for_its_target_too() -> None:
    linked = world(links={"/home/u/proj/out": "/srv/www"})
    assert suggest_rules(edit("out/a"), linked) == ("Edit(//home/u/proj/out/a)", "Edit(//srv/www/a)")


def test_a_commands_path_outside_is_saved_as_a_path() -> None:
    call = bash(command("cat /etc/hosts", read_only=True), PathSubject("/etc/hosts", "read", "cat"), read_only=True)
    assert suggest_rules(call, world()) == ("Read(//etc/hosts)",)


def widths(call: Call, **more: Any) -> list[str]:
    """The stops in short: the rules of each, without what every rule of the call begins with."""
    return [" and ".join(stop) for stop in suggest_stops(call, world(**more))]


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("npm ci", ["npm ci", "npm ci *", "npm *"]),
        ("npm run build", ["npm run build", "npm run *", "npm *"]),
        ("make", ["make", "make *"]),
        ("pytest -q", ["pytest -q", "pytest *"]),
        ("git commit -m x", ["git commit -m x", "git commit *"]),
        ("npm exec vite", ["npm exec vite", "npm *"]),
        ("uv run pytest", ["uv run pytest"]),
        ("uv sync", ["uv sync", "uv sync *"]),
        ("rm a.txt", ["rm a.txt"]),
        ("curl example.org", ["curl example.org"]),
        ("/bin/rm a.txt", ["/bin/rm a.txt"]),
        ("FOO=1 make", ["FOO=1 make"]),
    ],
)
def test_a_command_widens_by_its_subcommand_then_by_its_program(text: str, stops: list[str]) -> None:
    assert widths(bash(text)) == [f"Bash({stop})" for stop in stops]


def test_a_wider_rule_is_for_the_program_and_never_for_its_wrapper() -> None:
    spellings = ("timeout 5 npm test", "npm test")
    wrapped = bash(command("timeout 5 npm test", spellings=spellings, allow_spellings=spellings))
    assert widths(wrapped) == ["Bash(timeout 5 npm test)", "Bash(npm test *)", "Bash(npm *)"]
    assert widths(bash("timeout 5 npm test")) == ["Bash(timeout 5 npm test)"]


def test_a_path_widens_to_its_folder_but_not_to_home_or_all_there_is() -> None:
    assert widths(edit("src/a.py")) == ["Edit(//home/u/proj/src/a.py)", "Edit(//home/u/proj/src/**)"]
    assert widths(read("/etc/hosts")) == ["Read(//etc/hosts)", "Read(//etc/**)"]
    assert widths(read("/home/u/notes")) == ["Read(//home/u/notes)"]
    assert widths(read("/home/notes")) == ["Read(//home/notes)"]
    assert widths(read("/notes")) == ["Read(//notes)"]


def test_a_link_widens_together_with_its_target() -> None:
    assert widths(edit("out/a"), links={"/home/u/proj/out": "/srv/www"}) == [
        "Edit(//home/u/proj/out/a) and Edit(//srv/www/a)",
        "Edit(//home/u/proj/out/**) and Edit(//srv/www/**)",
    ]


def test_a_host_widens_to_those_below_it_and_a_bare_number_does_not() -> None:
    assert suggest_stops(Call("WebFetch", (), (DomainSubject("a.b"),)), world()) == (
        ("WebFetch(domain:a.b)",),
        ("WebFetch(domain:a.b)", "WebFetch(domain:*.a.b)"),
    )
    assert len(suggest_stops(Call("WebFetch", (), (DomainSubject("10.0.0.1"),)), world())) == 1
    assert len(suggest_stops(Call("WebFetch", (), (DomainSubject("localhost"),)), world())) == 1


def test_a_servers_tool_widens_to_the_server() -> None:
    assert widths(Call("mcp__s__t", (), (NamedSubject("mcp__s__t"),))) == ["mcp__s__t", "mcp__s"]
    assert widths(Call("Skill", (), (NamedSubject("review"),))) == ["Skill(review)"]


def test_the_parts_of_a_compound_command_widen_together() -> None:
    assert widths(bash("make a", "make b", "npm ci")) == [
        "Bash(make a) and Bash(make b) and Bash(npm ci)",
        "Bash(make a *) and Bash(make b *) and Bash(npm ci *)",
        "Bash(make *) and Bash(npm *)",
    ]


@pytest.mark.parametrize(
    "call",
    [bash("npm ci"), bash("make a", "npm ci"), edit("src/a.py"), edit("we[i]rd*/a"), read("/etc/hosts")],
)
def test_every_stop_allows_the_call_and_the_first_is_what_always_saves(call: Call) -> None:
    stops = suggest_stops(call, world())
    assert len(stops) > 1 and stops[0] == suggest_rules(call, world())
    for stop in stops:
        saved = world().rules.plus(*(parse_rule(rule, "allow", Source("local", "/home/u/proj")) for rule in stop))
        assert decide(call, replace(world(), rules=saved)).kind == "allow"


def test_no_stop_is_offered_where_always_is_not() -> None:
    assert suggest_stops(bash("git push"), world(ask=("Bash(git push)",))) == ()
    assert suggest_stops(bash(command("git reset --hard", destructive=True)), world()) == ()
    assert suggest_stops(bash("python x.py"), world()) == ()
