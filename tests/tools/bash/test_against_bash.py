"""What is judged to only read changes nothing when bash itself runs it, however the line is broken.

The tree is not the shell's own: where the two disagree, a harmful part could pass for a harmless word. Here lines that
people write are broken at random, and those that still count as read-only are run. BROKEN_LINES=100000 tries so many.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from tools.bash.parse import parse
from tools.bash.readonly import only_reads

BROKEN_LINES = int(os.environ.get("BROKEN_LINES", "4000"))
BASH = shutil.which("bash")
# All that the lines can start: what is harmless, and `touch`.
PROGRAMS = ("ls", "cat", "head", "grep", "touch")
SECONDS = 5.0

WHOLE = (
    "[[ a =~ ^(b|c)+$ ]] && echo y", '[[ "$x" == *.py && -f a ]]', "[[ a == @(b|c)* ]]", "[[ ! -f a || ( -d b && -e c ) ]]",
    "case a in a|b) ls;; *) echo no;; esac", "case a in (a*|b) ls;; esac", 'for f in *.py a b; do echo "$f"; done',
    'while read -r l; do echo "$l"; done < a', "if [ -f a ]; then cat a; elif [[ -d b ]]; then ls; else echo; fi",
    "echo \"a $(ls \"b c\") d\" 'e' $'f\\n'", 'echo "${x:-"a b"}" ${y#*/} "${z%%.*}" ${#x}', 'echo `ls` "`ls`"',
    'echo $((1+2)) "$((3*4))"', "cat <<EOF\nhello $x $(ls) `ls` \\$ 'q' \"r\"\nEOF", "cat <<'EOF'\nhello $x $(ls) 'q'\nEOF",
    "cat <<-EOF\n\thi\n\tEOF", "cat <<A <<'B'\na $(ls)\nA\nb $(x)\nB", "cat <<EOF | grep a\nb\nEOF", "(ls; pwd) && { echo a; echo b; }",
    "ls 2>&1 >/dev/null | cat; echo done # comment ; x", "ls # 'it is; a \"comment", "echo a#b '#c' \"#d\" \\# e", "cat <<< \"a $(ls) b\"",
    'x=1; y="$x b"; echo "$y"', "echo a\\ b \\\\ \\' \\\" \\; \\| \\& \\> c", "ls \\\n -l", "printf '%s\\n' \"a;b\" 'c|d' e\\&f",
    "echo [[ a =~ b ]]", "echo a =~ b", "test -f a -a -d b || ls", '[ "$x" = "a b" ] && [ -n "$y" ]', "ls & pwd", "echo ${x/a/b} ${x//\\//_}",
)  # fmt: skip
HARM = (
    " \n\\touch out",
    "$'\\\\' ; touch out #'",
    "; touch out",
    "\ntouch out\n",
    " | touch out",
    "$(touch out)",
    "`touch out`",
    " > out",
    ">out",
    "touch out",
)
PIECES = (
    "\\\\'", "\\'", " \n\\", "'", '"', "\\", "#", " #", "(", ")", "{", "}", "[[ ", " ]]", " =~ ", "$'", '$"', "<<E", "\n", "\nE\n", ";;", "${", "*", " ", "&", "|",
    ";", "`", "$(", "((", "))", "<(", "=", "!", "[", "]", "@(", "in ", "esac", "do ", "done", "then ", "fi ", "<", ">", "\t", "$", ":-",
)  # fmt: skip

LINES_THE_TREE_READS_OTHERWISE = (
    "echo [[ a =~ b; touch out ]]", "echo x[[ a =~ b | touch out ]]", "ls =~ \ntouch out", "echo a =~\ntouch out", '[["$x" == *.py>out && -f a ]]',
    "[[~ a  >out < b && c > d ]]", "cat A <<'B'#>out\na\nB", "[[ a =~ (b; touch c) ]]", "[-f a>out ]", "cat <<A\n$((x = 1))\nA",
    "ls $'\\\\' ; touch out #'", "ls $'a\\\\' ; touch out ; ls '", "ls \n\\touch out", "cat a \t\n  \\touch out", "ls b \n\\;touch out",
    "sed -i2>/dev/null s/a/b/ f", "grep a -c<<-A\n\ta\n\tA", "echo (touch out)", "echo ((1))", "cat <<A\n$[x\nA", "'[[' a ]]", "command [[ a ]]",
)  # fmt: skip


@pytest.mark.parametrize("line", LINES_THE_TREE_READS_OTHERWISE)
def test_lines_that_the_tree_reads_otherwise_than_the_shell_are_not_read_only(line: str) -> None:
    assert not only_reads(parse(line))


@pytest.mark.skipif(BASH is None, reason="there is no bash to ask")
def test_whatever_still_counts_as_read_only_leaves_no_file_behind(tmp_path: Path) -> None:
    folder, programs = tmp_path / "here", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).symlink_to(shutil.which(name) or name)
    dice = Random(5)
    for number in range(BROKEN_LINES):
        line = _broken(dice.choice(WHOLE), dice)
        if only_reads(parse(line)):
            _run(line, folder, programs)
            assert not list(folder.iterdir()), (number, line)


def test_whole_nearly_all_of_them_are_read_only() -> None:
    """Or the test above would hold for a judge that finds nothing harmless."""
    assert sum(only_reads(parse(line)) for line in WHOLE) / len(WHOLE) >= 0.8


def _broken(line: str, dice: Random) -> str:
    for piece in (dice.choice(HARM), *dice.choices(PIECES + HARM, k=dice.randrange(4))):
        at = dice.randrange(len(line) + 1)
        taken = dice.choice((0, 0, 0, 0, 1, 3))
        line = line[:at] + piece + line[at + taken :]
    return line


def _run(line: str, folder: Path, programs: Path) -> None:
    environment = {"PATH": str(programs), "HOME": str(folder)}
    try:
        subprocess.run(
            [BASH or "bash", "-c", line],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        # It may wait for what nobody says; what it wrote until then is looked at.
        return
