"""A command that does something stays one, however it is quoted, split, prefixed, wrapped or nested.

DISGUISES=10000 tries so many of them.
"""

from __future__ import annotations

import os
import random
import shlex
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.permissions import world
from tools.bash.parse import parse
from tools.bash.readonly import only_reads
from tools.bash.subjects import subjects_of
from tools.permissions.decide import decide
from tools.permissions.world import Call

DISGUISES = int(os.environ.get("DISGUISES", "150"))

HARMFUL = (
    "rm x", "touch x", "mv a b", "git push", "git checkout -- .", "git -c core.pager=x log", "sed -i s/a/b/ f",
    "find . -delete", "find . -exec rm {} +", "sort -o x f", "sort --compress-program=x f", "tee x", "uniq a b",
    "curl example.com", "rg --pre x y", "awk BEGIN{system(\"x\")}", "sed w\\ x f", "tar xf a", "date -s x", "xxd -r a b",
    "python3 -c 1", "npm test", "env", "printenv TOKEN", "cat /proc/self/environ", "export X=1", "kill 1", "dd of=x",
    "xargs rm", "git diff --output=x", "git branch x", "jq -n env", "mkdir x", "chmod +x f", "less f", "./x", "base64 -o x f",
)  # fmt: skip

Dice = random.Random


def _as_is(piece: str, dice: Dice) -> str:
    plain = all(char.isalnum() or char in "-_./=:@%+," for char in piece)
    return piece if plain else shlex.quote(piece)


def _in_single(piece: str, dice: Dice) -> str:
    return "'" + piece.replace("'", "'\\''") + "'"


def _in_double(piece: str, dice: Dice) -> str:
    return '"' + "".join(f"\\{char}" if char in '"\\$`' else char for char in piece) + '"'


def _escaped(piece: str, dice: Dice) -> str:
    return "".join(f"\\{char}" for char in piece)


def _coded(piece: str, dice: Dice) -> str:
    codes: tuple[Callable[[int], str], ...] = (
        lambda number: f"\\x{number:02x}",
        lambda number: f"\\{number:03o}",
        lambda number: f"\\u{number:04x}",
    )
    return "$'" + "".join(dice.choice(codes)(ord(char)) for char in piece) + "'"


QUOTES = (_as_is, _in_single, _in_double, _escaped, _coded)


def _quoted(word: str, dice: Dice) -> str:
    """The word in pieces, each in quotes of its own, with some that hold nothing."""
    cuts = sorted(dice.sample(range(1, len(word)), min(dice.randrange(3), len(word) - 1))) if len(word) > 1 else []
    pieces = [word[start:end] for start, end in zip([0, *cuts], [*cuts, len(word)], strict=True)]
    return dice.choice(("", "", "''", '""')).join(dice.choice(QUOTES)(piece, dice) for piece in pieces)


def _spelled(command: str, dice: Dice) -> str:
    return dice.choice((" ", " ", "  ", "\t", " \\\n")).join(_quoted(word, dice) for word in shlex.split(command))


PREFIXES = (
    "LANG=C ", "FOO=1 ", "PATH=. ", "A=1 B=2 ", "time ", "time -p ", "timeout 5 ", "timeout -k 1 5s ", "nice ", "nice -n 5 ",
    "command ", "builtin ", "stdbuf -oL ", "! ", "2>/dev/null ", "</dev/null ", ">/dev/null ", "exec ", "env ", "env -i ",
    "sudo ", "nohup ", "xargs ", "setsid ", "coproc ", "command command ", "timeout 5 nice time ", "$EMPTY ", "`` ",
)  # fmt: skip
SUFFIXES = (
    "",
    " ",
    ";",
    " &",
    " # ls",
    " 2>&1",
    " >/dev/null",
    " | cat",
    " || true",
    " && ls",
    "; ls",
    "\nls",
    " < f",
    " <<< x",
)
WRAPPERS = (
    "({})", "{{ {}; }}", "ls && {}", "ls || {}", "ls; {}", "ls | {}", "ls |& {}", "ls & {}", "ls\n{}", "# ls\n{}", "if {}; then ls; fi",
    "if true; then {}; fi", "if false; then ls; else {}; fi", "if false; then ls; elif {}; then ls; fi", "for i in a; do {}; done",
    "for i in $({}); do ls; done", "while {}; do ls; done", "until {}; do ls; done", "case a in a) {};; esac", "case $({}) in a) ls;; esac",
    "case a in $({})) ls;; esac", "f() {{ {}; }}; f", "ls() {{ {}; }}; ls", "function f {{ {}; }}", "echo $({})", 'echo "$({})"', "echo a$({})b",
    "cat <({})", "ls >({})", "diff <(ls) <({})", "x=$({})", "x=$({}) ls", "a=($({}))", "echo ${{x:-$({})}}", "echo ${{x:=$({})}}",
    "echo $(( $({}) ))", "(( x = $({}) ))", "cat <<E\n$({})\nE", "cat <<-E\n\t$({})\n\tE", "cat <<E | grep x\n\"$({})\"\nE", "cat <<'A' <<B\na\nA\n$({})\nB",
    "[ -n \"$({})\" ]", "[[ -n $({}) ]]", "test a = \"$({})\"", "[[ a =~ $({}) ]]", "echo \"a $(echo \"b $({})\")\"", "ls > $({})", "cat < $({})", "ls $({}) *",
    "time {{ {}; }}", "{{ ls; {}; }} 2>/dev/null", "select i in a; do {}; done", "true && {{ {}; }} || ls", "printf '%s' \"$({})\"", "coproc {{ {}; }}",
)  # fmt: skip
AS_TEXT = ("eval {}", "bash -c {}", "sh -ec {}", "trap {} EXIT; ls", "env -S {}", "watch {}", "sudo bash -c {}", "[[ -v {} ]]", "alias ls={}; ls", "echo {} | sh", "source /dev/stdin <<< {}")  # fmt: skip


def disguised(command: str, dice: Dice) -> str:
    line = _spelled(command, dice)
    for _ in range(dice.randrange(4)):
        kind = dice.randrange(5)
        if kind == 0:
            line = dice.choice(PREFIXES) + line
        elif kind == 1 and "\n" not in line:
            line += dice.choice(SUFFIXES)
        elif kind == 2:
            line = dice.choice(AS_TEXT).format(dice.choice((_in_single, _in_double))(line, dice))
        else:
            line = dice.choice(WRAPPERS).format(line)
    return line


@settings(max_examples=DISGUISES, deadline=None)
@given(st.sampled_from(HARMFUL), st.integers(0, 2**32))
def test_no_disguise_makes_a_harmful_command_one_that_only_reads(command: str, seed: int) -> None:
    line = disguised(command, Dice(seed))
    assert not only_reads(parse(line)), line
    assert decide(Call("Bash", subjects=subjects_of(line)), world(bypass_allowed=False)).kind == "ask", line


def test_without_a_disguise_they_are_harmful_and_the_disguises_alone_are_not() -> None:
    """Or the test above would hold for any judge that finds nothing harmless."""
    assert not any(only_reads(parse(command)) for command in HARMFUL)
    lines = [disguised("ls a", Dice(seed)) for seed in range(400)]
    assert sum(only_reads(parse(line)) for line in lines) > 100
