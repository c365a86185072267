from __future__ import annotations

import pytest

from tests.support.permissions import bash, command, edit, read, world
from tools.permissions.decide import decide
from tools.permissions.protected import protected_part
from tools.permissions.removals import removal_problem
from tools.permissions.subjects import PathSubject


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit",
        ".Git/config",
        "vendor/deep/.git/config",
        ".git",
        ".vscode/tasks.json",
        ".husky/pre-commit",
        ".claude/settings.json",
        ".agent-tui/settings.local.json",
        "~/.config/agent-tui/settings.json",
        "~/.bashrc",
        "~/.ZSHRC",
        ".mcp.json",
        ".envrc",
        ".npmrc",
        "/srv/config/agent-tui/settings.json",
        ".git ./config",
        ".g\u200cit/config",
        "git~1/config",
        ".pnp.loader.mjs",
        ".bunfig.toml",
        ".bazelversion",
        ".bazeliskrc",
        "wrapper/maven-wrapper.properties",
    ],
)
def test_B23_a_protected_path_always_asks(path: str) -> None:
    for mode in ("default", "acceptEdits", "bypassPermissions"):
        everything = world(allow=("Edit", "Edit(**)", "Edit(//**)"), mode=mode)
        assert decide(edit(path, "Write"), everything).kind == "ask"


def test_B23_a_protected_path_is_seen_through_a_link() -> None:
    linked = world(allow=("Edit",), links={"/home/u/proj/innocent": "/home/u/proj/.git"})
    assert decide(edit("innocent/config"), linked).kind == "ask"


def test_B23_a_glob_that_may_mean_a_protected_path_asks() -> None:
    redirect = bash(command("echo x", read_only=True), PathSubject(".g*t/config", "edit", "redirect"))
    assert decide(redirect, world(allow=("Bash",))).kind == "ask"


def test_a_glob_that_does_not_spell_how_a_name_begins_is_not_written_for_its_sake() -> None:
    assert protected_part("/home/u/proj/build/*", shell_glob=True) is None
    assert protected_part("/home/u/proj/build/bun*.toml", shell_glob=True) == "bunfig.toml"


def test_a_deny_on_a_protected_path_stays_a_deny() -> None:
    assert decide(edit(".git/config"), world(deny=("Edit(.git/**)",))).kind == "deny"


@pytest.mark.parametrize(
    "path", [".gitignore", "src/git/config", ".github/workflows/a.yml", ".claude/worktrees/a/b.py", "gitx"]
)
def test_what_only_looks_similar_is_not_protected(path: str) -> None:
    assert protected_part(f"/home/u/proj/{path}") is None


def test_reading_a_protected_path_is_reading() -> None:
    assert decide(read(".git/config"), world()).kind == "allow"


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/*",
        "~",
        "~/",
        "~/*",
        "$HOME",
        "${HOME}/",
        "/usr",
        "/home",
        "/home/u",
        "/home/*",
        ".",
        "..",
        "./*",
        "../proj",
        "/home/u/proj",
        "/h*",
        "/{usr,x}",
        "~root",
        "$DIR/",
        "`pwd`",
        "/home/u/proj/../..",
        "/home//u/",
        ".*",
        "$PWD",
        "~+",
        "{/,x}",
        "/home/{a..z}",
        "{a,b}" * 12,
        "/home/*/proj",
        "~/*/*",
        "*/",
        "[a-z]*",
    ],
)
def test_removing_what_nobody_gets_back_always_asks(target: str) -> None:
    removal = bash(command(f"rm -rf {target}", removes=(target,)))
    assert removal_problem(target, world()) is not None
    assert decide(removal, world(allow=("Bash",), mode="bypassPermissions")).kind == "ask"


@pytest.mark.parametrize(
    "target",
    [
        "build",
        "./build/*",
        "~/tmp/x",
        "/usr/local/foo",
        "*.pyc",
        "{a,b}",
        "src/.cache",
        "/tmp/x",
        "src/*/build",
        "f{1..3}",
    ],
)
def test_other_removals_are_left_to_the_rules(target: str) -> None:
    assert removal_problem(target, world()) is None


def test_a_link_to_home_is_home() -> None:
    assert removal_problem("mine", world(links={"/home/u/proj/mine": "/home/u"})) is not None


def test_where_case_does_not_count_home_has_many_spellings() -> None:
    assert removal_problem("/HOME/U", world(case_insensitive=True)) is not None
    assert removal_problem("/HOME/U", world()) is None
