"""A line that bash refuses is not read-only, also where the tree takes it: nobody knows what it was meant to do."""

from __future__ import annotations

import os
import shutil
import subprocess
from random import Random

import pytest

from tests.tools.bash.test_against_bash import PIECES, WHOLE
from tools.bash.parse import parse
from tools.bash.readonly import only_reads

BROKEN_LINES = int(os.environ.get("BROKEN_LINES", "4000"))
BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="there is no bash to ask")

REFUSED = (
    "if ls; then fi", "if ls; then pwd; else fi", "if ls; then elif pwd; then ls; fi", "while ls; do done", "pwd; { }",
    "case a in a) ls;; *) echo esac", "case\na in a) ls;; esac", "case a in; a) ls;; esac", "case a ina) ls;; esac",
    "case a in (a|b)*) ls;; esac", "case a in @(a|b)) ls;; esac", "case a in a|\nb) ls;; esac", "case a & in a) ls;; esac",
    "for\nf in a; do ls; done", "for f in\n*.py; do ls; done", "for f in a & do ls; done", "{echo a; }", "![[ a == @(b) ]]",
    "ls |! wc", "ls | ! wc", "[[ a ]] <x y", "[[ -d b ]]2>&1", "cat < 2>&1", "cat <<<2>&1", "cat <<E | \n grep a\nb\nE",
    "[[ -f -s x ]]", "[[ a == b & -f c ]]", "[[ a == b -f c ]]", "[[ -d =~ b ]]", "[[ a = ^(b|c)+$ ]]", "[[ a =~ ^(b|c+$ ]]",
    "[[ a == @x(b|c)* ]]", "[[ a == @(b|c')* ]]", "[[ a == b*\\ ]]", "[[ a\n== b ]]", "[[ a =~ #b ]]", "[[ a =~ b = ]]", "[[ ! -f a | -d b ]]",
    "while read -r l; do echo \"$l\";\\ done < a", "\\ for f in a; do ls; done", " \n\\ { ls; pwd; }", "(ls) && \\ { ls; }",
)  # fmt: skip
TAKEN = (
    "if ls; then pwd; elif ls; then pwd; else ls; fi", "if ls\nthen # why\n pwd\nfi", "while ls; do\n pwd\ndone", "{ ls; }",
    "case a in\n a) ls ;;\n b|c) pwd\nesac", "case a in (a) ls;; 'b c'|*) pwd; esac", "case $x in a*) ;; esac",
    "for f in a b\ndo ls\ndone", "! ls | wc", "[[ ! ( -f a || -d b ) && c ]]", "[[ a &&\n b ]]",
    "[[ a == @(b|c)* || $x =~ ^([0-9]+)(-[a-z]+)?$ ]]", "[[ 2 -gt 1 ]]", "[[ x == -f ]]", "cat <<E | grep a\nb\nE", "ls a\\ b",
    "cat <<E | \\\n grep a\nb\nE", "[[ -d b ]] 2>&1", "ls 2>&1 >/dev/null", "cat <<< 2 2>&1", "ls \\\n -l", "(ls; pwd) | wc",
)  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_what_bash_refuses_is_not_read_only(line: str) -> None:
    assert not only_reads(parse(line))


@pytest.mark.parametrize("line", TAKEN)
def test_what_bash_takes_is_judged_by_its_commands(line: str) -> None:
    assert only_reads(parse(line)), parse(line).problems


@needs_bash
def test_bash_says_the_same_of_these_lines() -> None:
    assert [line for line in REFUSED if _bash_takes(line)] == []
    assert [line for line in TAKEN if not _bash_takes(line)] == []


@pytest.mark.slow
@needs_bash
def test_whatever_still_counts_as_read_only_is_taken_by_bash() -> None:
    """Lines that people write, broken at random. BROKEN_LINES=100000 tries so many."""
    dice = Random(11)
    for number in range(BROKEN_LINES):
        line = _broken(dice.choice(WHOLE), dice)
        assert not only_reads(parse(line)) or _bash_takes(line), (number, line)


def _broken(line: str, dice: Random) -> str:
    """A word more, a word less, two that changed places, or a sign in the middle of one."""
    words = line.split(" ")
    at, other = dice.randrange(len(words)), dice.randrange(len(words))
    match dice.randrange(4):
        case 0:
            words.insert(at, dice.choice(PIECES).strip(" "))
        case 1 if len(words) > 1:
            del words[at]
        case 2:
            words[at], words[other] = words[other], words[at]
        case _:
            cut = dice.randrange(len(line) + 1)
            return line[:cut] + dice.choice(PIECES) + line[cut:]
    return " ".join(words)


def _bash_takes(line: str) -> bool:
    asked = [BASH or "bash", "-n", "-c", "--", line]
    said = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    # Of a test that is none it only says so.
    return said.returncode == 0 and not said.stderr
