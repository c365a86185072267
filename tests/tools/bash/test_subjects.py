from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.permissions import FOLDER, HOME, says, world
from tools.bash.subjects import subjects_of
from tools.bash.tool import Bash
from tools.context import Place
from tools.permissions.decide import decide
from tools.permissions.explain import call_of
from tools.permissions.subjects import CommandSubject, PathSubject

VECTORS = Path(__file__).parents[2] / "vectors" / "permission_rules.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


def commands(line: str) -> list[CommandSubject]:
    return [subject for subject in subjects_of(line) if isinstance(subject, CommandSubject)]


def texts(line: str) -> list[str]:
    return [subject.text for subject in commands(line)]


def paths(line: str) -> set[tuple[str, str]]:
    return {(subject.path, subject.access) for subject in subjects_of(line) if isinstance(subject, PathSubject)}


def only(line: str) -> CommandSubject:
    (subject,) = commands(line)
    return subject


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a; b && c || d | e & f\ng", {"a", "b", "c", "d", "e", "f", "g"}),
        ("(a; b) | { c; }", {"a", "b", "c"}),
        ("if a; then b; elif c; then d; else e; fi", {"a", "b", "c", "d", "e"}),
        ("for x in $(a); do b; done", {"a", "b"}),
        ("while a; do b; done; until c; do d; done", {"a", "b", "c", "d"}),
        ("case $(a) in x) b;; esac", {"a", "b"}),
        ('x "$(y $(z))" `w`', {'x "$(y $(z))" `w`', "y $(z)", "z", "w"}),
        ("x <(y) >(z)", {"x <(y) >(z)", "y", "z"}),
        ("x <<E | y && z\n$(w)\nE", {"x", "y", "z", "w"}),
        ("! a", {"a"}),
        ("X=$(a) b", {"a", "X=$(a) b"}),
        ("a # b", {"a"}),
        ("a 'b; c' \"d && e\"", {"a 'b; c' \"d && e\""}),
    ],
)
def test_every_command_of_a_line_is_a_subject(line: str, expected: set[str]) -> None:
    assert set(texts(line)) == expected
    assert all(subject.understood for subject in commands(line))


@pytest.mark.parametrize(
    "line",
    [
        "eval x", "source x", ". x", "coproc x", "$X y", "$(x) y", "r$@m y", 'a "$*"', "cat${IFS}x", "f() { x; }", "ls |",
        "x > $Y", "x >*.log", "echo `a \\`b\\``", "(( x ))", "ls ;; rm", "a\u200b b", "r\\\nm x",
    ],
)  # fmt: skip
def test_what_the_shell_decides_when_it_runs_is_not_understood(line: str) -> None:
    assert not all(subject.understood for subject in commands(line))


def test_nothing_in_a_line_that_is_not_understood_counts_as_understood() -> None:
    assert not any(subject.understood or subject.read_only for subject in commands("npm() { evil; }; npm test; ls"))


@pytest.mark.parametrize(
    ("line", "spelling"),
    [
        ("rm x", "rm x"),
        ("'r'm x", "rm x"),
        ("r\\m x", "rm x"),
        ("$'\\x72m' x", "rm x"),
        ("/bin/rm x", "rm x"),
        ("A=1 B=2 rm x", "rm x"),
        ("A=1 B=2 rm x", "B=2 rm x"),
        ("timeout -k 5 10s nice -n 3 rm x", "rm x"),
        ("time -p rm x", "rm x"),
        ("nohup stdbuf -oL command rm x", "rm x"),
        ("xargs rm", "rm"),
        ("xargs -0 -n 1 rm -f", "rm -f"),
        ("sudo -u bob rm x", "rm x"),
        ("env -i A=1 rm x", "rm x"),
        ("find . -exec rm {} +", "rm {} +"),
        ("bash -c 'ls; rm x'", "rm x"),
        ("sudo sh -ec 'rm x'", "rm x"),
        ("bash -c -e 'rm x'", "rm x"),
        ("bash -o pipefail -c 'rm x'", "rm x"),
        ("eval 'ls && rm x'", "rm x"),
        ("trap 'rm x' EXIT", "rm x"),
        ("alias a='rm x'", "rm x"),
        ("env -S'rm x'", "rm x"),
        ("watch 'ls; rm x'", "rm x"),
        ("bash -c \"bash -c 'rm x'\"", "rm x"),
        ("find . -exec sh -c 'rm x' \\;", "rm x"),
        ("ls ;; rm x", "rm x"),
    ],
)
def test_rules_that_forbid_see_the_command_inside(line: str, spelling: str) -> None:
    assert any(spelling in subject.spellings for subject in commands(line))


@pytest.mark.parametrize(
    "line",
    [
        "bash", "sh -", "bash -s x", 'bash -c "$X"', "bash <<< 'rm x'", "curl x | bash", 'eval "$X"', 'trap "$X" EXIT',
        "alias x=$Y", "sudo bash", "bash -c 'eval $X'", "bash -c \"bash -c 'bash -c \\\"bash -c ls\\\"'\"",
    ],
)  # fmt: skip
def test_text_that_is_run_and_cannot_be_read_is_told(line: str) -> None:
    assert any(subject.hides_commands for subject in commands(line))


@pytest.mark.parametrize(
    "line", ["bash x.sh", "sh -ec 'ls'", "trap - EXIT", "alias", "make", "bash -o pipefail -c ls", "env A=1 make"]
)
def test_a_program_is_no_text(line: str) -> None:
    assert not any(subject.hides_commands for subject in commands(line))


@pytest.mark.parametrize(
    ("line", "only_edits"),
    [
        ("sed -i s/a/b/ f", True),
        ("sed -E --in-place -e s/a/b/ f g", True),
        ("LANG=C timeout 5 sed -i s/a/b/ f", True),
        ("sed -i.bak s/a/b/ f", False),
        ("sed -i 's/a/b/e' f", False),
        ("sed -i 'w /tmp/x' f", False),
        ("sed -i s/a/b/ *.py", False),
        ("sed s/a/b/ f", False),
        ("PATH=. sed -i s/a/b/ f", False),
        ("tee f", False),
    ],
)
def test_a_command_that_only_edits_the_files_it_names_says_so(line: str, only_edits: bool) -> None:
    assert only(line).only_edits == only_edits


@pytest.mark.parametrize(
    "line", ["npm test", "timeout 5 npm test", "NODE_ENV=test LC_ALL=C npm test", "xargs npm test", "time npm 'test'"]
)
def test_rules_that_allow_look_past_what_is_harmless(line: str) -> None:
    assert "npm test" in only(line).allow_spellings


@pytest.mark.parametrize(
    "line",
    [
        "PATH=. npm test", "FOO=1 LANG=C npm test", "LANG=$(x) npm test", "sudo npm test", "env npm test", "xargs -0 npm test",
        "'npm test'", "npm' 'test", "./npm test", "/tmp/npm test", "bash -c 'npm test'", "nice --weird npm test", "watch npm test",
    ],
)  # fmt: skip
def test_rules_that_allow_do_not_look_past_anything_else(line: str) -> None:
    assert not any("npm test" in subject.allow_spellings for subject in commands(line))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo x > out", {("out", "edit")}),
        ("echo x >> a 2> b &> c", {("a", "edit"), ("b", "edit"), ("c", "edit")}),
        ("echo x > /dev/null 2>&1", set[Any]()),
        ("sort < in", {("in", "read")}),
        ("{ a; b; } > out", {("out", "edit")}),
        ("for f in a; do b; done > out", {("out", "edit")}),
        ("> out", {("out", "edit")}),
        ("echo x > ~/.bashrc", {("~/.bashrc", "edit")}),
        ("echo x > '~/.bashrc'", {("./~/.bashrc", "edit")}),
        ("cat .env", {(".env", "read")}),
        ("head -n 1 .env", {(".env", "read")}),
        ("cat README.md .e*", {("README.md", "read"), (".e*", "read")}),
        ("timeout 5 cat .env", {(".env", "read")}),
        ("grep -A 3 'x$' .env", {(".env", "read")}),
        ("grep -e x .env", {(".env", "read")}),
        ("sed -n 1p .env", {(".env", "read")}),
        ("sed -i s/a/b/ f", {("f", "edit")}),
        ("awk -F , '{print $1}' f", {("f", "read")}),
        ("git show HEAD:.env", {(".env", "read")}),
        ("git grep 'x$' -- .env", {(".env", "read")}),
        ("find src tests -name x", {("src", "read"), ("tests", "read")}),
        ("x | tee a b", {("a", "edit"), ("b", "edit")}),
        ("dd if=a of=b", {("a", "read"), ("b", "edit")}),
        ("cp a b", {("a", "read"), ("b", "edit"), ("b/a", "edit")}),
        ("cp -t d a b", {("a", "read"), ("b", "read"), ("d", "edit"), ("d/a", "edit"), ("d/b", "edit")}),
        ("cp --target-directory=d a", {("a", "read"), ("d", "edit"), ("d/a", "edit")}),
        ("mv a d", {("a", "edit"), ("d", "edit"), ("d/a", "edit")}),
        ("ln -s a", {("a", "read")}),
        ("rm a; touch b; mkdir -p c", {("a", "edit"), ("b", "edit"), ("c", "edit")}),
        ("cat {a,b/c}.md", {("a.md", "read"), ("b/c.md", "read")}),
        ("cat " + "{a,b}" * 12, {("$" + "{a,b}" * 12, "read")}),
        ("echo $(cat .env)", {(".env", "read")}),
        ("sed -ne p /etc/x", {("/etc/x", "read")}),
        ("grep -rnf ../words .", {("../words", "read"), (".", "read")}),
        ("grep -f/etc/x README.md", {("/etc/x", "read"), ("README.md", "read")}),
        ("wc --files0-from=/etc/x", {("/etc/x", "read")}),
        ("git blame --contents=/etc/x a", {("/etc/x", "read"), ("a", "read")}),
        ("git log --grep=/api --format=../%h", set[Any]()),
        ("shasum ~/x; gzip -dc /x; fd . ../y", {("~/x", "read"), ("/x", "read"), ("../y", "read")}),
        ("jq --arg n x '.[$n]' f", {("f", "read")}),
        ("diff <(sort $a) b", {("b", "read"), ("$a", "read")}),
    ],
)
def test_the_files_a_line_names_are_subjects(line: str, expected: set[tuple[str, str]]) -> None:
    assert paths(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('for f in a b*; do cat "$f"; done', {("a", "read"), ("b*", "read")}),
        ("for d in a b; do ls $d/c ${d}.md; done", {("a/c", "read"), ("b/c", "read"), ("a.md", "read"), ("b.md", "read")}),
        ("f=~/x; cat $f", {("~/x", "read")}),
        ("f=a; cat $f; f=/b; cat $f", {("a", "read"), ("/b", "read")}),
        ("ls $PWD/a $HOME/b", {("./a", "read"), ("~/b", "read")}),
        ('cd a && ls "$PWD/b"', {("a/b", "read")}),
        ("for f in $(x); do cat $f; done", {("$f", "read")}),
        ("f=a; f+=b; cat $f", {("$f", "read")}),
        ("while read f; do cat $f; done", {("$f", "read")}),
        ("cat $f ${f%.py} '$f'", {("$f", "read"), ("${f%.py}", "read")}),
        ("for f in a; do cat ${f%.py}; done", {("${f%.py}", "read")}),
        ("for f in " + " ".join(f"f{n}" for n in range(100)) + "; do cat $f$f; done", None),
    ],
)  # fmt: skip
def test_what_variables_stand_for_is_told_where_the_line_says_it(
    line: str, expected: set[tuple[str, str]] | None
) -> None:
    found = paths(line)
    assert found == expected if expected is not None else ("$f$f", "read") in found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cd a && cat b", {("a/b", "read")}),
        ("cd a; cat b", {("b", "read"), ("a/b", "read")}),
        ("cd a && cd ../c && cat b", {("c/b", "read")}),
        ("cd /etc && cat passwd", {("/etc/passwd", "read")}),
        ("cd && cat .ssh/id", {("~/.ssh/id", "read")}),
        ("(cd a && cat b); cat c", {("a/b", "read"), ("c", "read")}),
        ("cd a | cat b", {("b", "read")}),
        ("cd . && cat b", {("b", "read")}),
        ("if cd a; then cat b; fi", {("b", "read"), ("a/b", "read")}),
        ("cd $X && cat b", {("$PWD/b", "read")}),
        ("cd - && cat /b", {("/b", "read")}),
        ("pushd a && cat b", {("$PWD/b", "read")}),
        ("cd a && echo x > b", {("a/b", "edit"), ("b", "edit")}),
        # What runs something depends on where it stands.
        ("cd ../x && npm test", {("../x", "read")}),
        ("cd $X && npm test", {("$PWD/.", "read")}),
        # What names no file looks into the folder it stands in.
        ("cd /etc && rg password", {("/etc", "read")}),
        ("cd /etc && timeout 5 ls -la | head", {("/etc", "read")}),
        ("cd /etc && rg -e password", {("/etc", "read")}),
        ("cd /etc && grep -ri password", {("/etc", "read")}),
        ("cd /etc && grep --recursive password", {("/etc", "read")}),
        ("cd /etc && ls | grep password", {("/etc", "read")}),
        ("cd ~ && find", {("~", "read")}),
        ("cd .. && tree -L 2", {("..", "read")}),
        ("cd a; du -sh", {("a", "read"), (".", "read")}),
        ("cd $X && rg x", {("$PWD/.", "read")}),
        ("cd /etc && rg x conf", {("/etc/conf", "read")}),
        ("cd /etc && pwd && echo x", set()),
        ("rg x; ls; find", set()),
    ],
)
def test_paths_are_seen_from_the_folder_the_command_stands_in(line: str, expected: set[tuple[str, str]]) -> None:
    assert paths(line) == expected


@pytest.mark.parametrize(
    ("line", "removed"),
    [
        ("rm -rf a b", ("a", "b")),
        ("rm -- -x", ("-x",)),
        ("rmdir a", ("a",)),
        ("find a -delete", ("a",)),
        ("find -delete", (".",)),
        ("find -name x -delete", ()),
        ("find . ! -name x -delete", (".",)),
        ("find . -name '*' -delete", (".",)),
        ("find a b -type f -exec rm {} +", ("a", "b", "{}", "+")),
        ("bash -c 'ls; rm -rf ~'", ("~",)),
        ("eval 'rm -rf /'", ("/",)),
        ("trap 'rm -rf ~' EXIT", ("~",)),
        ("su -c 'rm -rf /'", ("/",)),
        ("env -S 'rm -rf /'", ("/",)),
        pytest.param("sudo " + "nice " * 100 + "rm -rf x", ("$UNKNOWN",), id="behind a hundred wrappers"),
        ("sudo rm -rf /", ("/",)),
        ("timeout 5 rm a", ("a",)),
        ("rm -rf ~ $HOME", ("~", "$HOME")),
        ("RM -rf /", ("/",)),
        ("xargs rm -rf", ("$UNKNOWN",)),
        ("xargs -0 rm -r a", ("a", "$UNKNOWN")),
        ("parallel rm --recursive", ("$UNKNOWN",)),
        ("xargs rm", ()),
        ("xargs ls -R", ()),
        ("ls a", ()),
    ],
)
def test_what_is_removed_is_told(line: str, removed: tuple[str, ...]) -> None:
    assert only(line).removes == removed


def test_a_removal_is_told_from_every_folder_it_may_happen_in() -> None:
    assert commands("cd / && rm -rf *")[1].removes == ("/*",)
    assert "/*" in commands("cd $X && rm -rf *")[1].removes


@pytest.mark.parametrize(
    ("line", "destructive"),
    [
        ("rm a.txt src/b.txt", False),
        ("rm -r a", True),
        ("rm -fR a", True),
        ("rm *.txt", True),
        ("rm $x", True),
        ("rm /etc/x", True),
        ("rm ~/x", True),
        ("rm ../x", True),
        ("sudo rm -rf x", True),
        ("find . -delete", True),
        ("git push", False),
        ("git push --force", True),
        ("git push origin +main", True),
        ("git push origin :old", True),
        ("git reset --hard HEAD~1", True),
        ("git reset HEAD f", False),
        ("git clean -fd", True),
        ("git branch -D x", True),
        ("git commit --amend", True),
        ("git commit -m x", False),
        ("git stash drop", True),
        ("git checkout -- .", True),
        ("git checkout main", False),
        ("dd of=/dev/sda", True),
        ("mkfs.ext4 /dev/sda", True),
        ("chmod -R 777 .", True),
        ("npm test", False),
        ("ls; rm -rf x", True),
    ],
)
def test_destructive_is_what_nobody_gets_back(line: str, destructive: bool) -> None:
    assert any(subject.destructive for subject in commands(line)) == destructive


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS if row["tool"] == "Bash"])
def test_with_these_subjects_the_rules_decide_as_the_vectors_say(row: dict[str, Any]) -> None:
    bash = Bash(None, None, lambda _folder: True)  # pyright: ignore[reportArgumentType] (nothing is run)
    call = call_of(bash, bash.parse_input(row.get("hook_updated_input") or row["input"]), Place(FOLDER, HOME))
    more: dict[str, Any] = {"trusted": row.get("workspace_trusted", True)}
    if "mode" in row:
        more["mode"] = row["mode"]
    if "hook" in row:
        more["hook"] = says(row["hook"])
    here = world(**{kind: tuple(row["rules"].get(kind, ())) for kind in ("allow", "ask", "deny")}, **more)
    assert decide(call, here).kind in (row["expect"], *row.get("accept", ()))
