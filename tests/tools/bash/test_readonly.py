from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.bash.parse import parse
from tools.bash.readonly import only_reads

VECTORS = Path(__file__).parents[2] / "vectors" / "shell_readonly.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


def reads(command: str) -> bool:
    return only_reads(parse(command))


def rows(level: str) -> list[Any]:
    return [pytest.param(row["command"], id=row["id"]) for row in ROWS if row["level"] == level]


@pytest.mark.parametrize("command", rows("must_ask"))
def test_what_must_ask_is_never_read_only(command: str) -> None:
    assert not reads(command)


@pytest.mark.parametrize("command", rows("must_allow"))
def test_what_must_be_allowed_is_read_only(command: str) -> None:
    assert reads(command)


def test_most_of_what_may_be_asked_is_read_only_too() -> None:
    optional = [row["command"] for row in ROWS if row["level"] == "may_ask"]
    assert sum(map(reads, optional)) / len(optional) >= 0.85


# Grouped by the rule of the policy they are about. None of them may ever be called read-only.
NOT_READ_ONLY = {
    "P1_unknown": ["GIT status", "sort --outp out f", "git log --outpu=x", "rg --pre-glob x y", "nm @f", "size @f", "w", "frobnicate", "ls |", ""],
    "P2_every_part": [
        "ls && rm x", "ls; rm x", "ls & rm x", "ls | xargs rm", "(ls; rm x)", "! rm x", "if ls; then rm x; fi",
        "for f in *; do rm $f; done", "while rm x; do :; done", "case x in $(rm y)) ls;; esac", "ls <(rm x)",
        "ls >(rm x)", "echo `rm x`", "echo `echo \\`rm x\\``", "f() { ls; }; f", "select x in a; do ls; done",
        "[ a && rm x ]", "[ a || rm x ] && ls", "[ a | rm x ]", "[ a & rm x ]", "[ -f a > out ]", "[ -f a>out ]",
        "[ -f a >> out ] && ls", "[ a < f ]", "cat <<E>&OF\nx\nE", "cat <<E\nx\n E\nrm x", "cat <<E\nx",
        "find . > /dev/null -delete", "sort f 2>/dev/null -o out", "cat <<EOF -n\n`rm x`\nEOF",
        "cat <<'A' <<B\nx\nA\n$(rm y)\nB", "true; " * 200 + "rm x", "ls ;; pwd", "coproc ls",
    ],
    "P3_dynamic_words": [
        "find $x", "find *", "sort $x", "sort *", "git log *.py", "git status $X", "rg $x", "sed $x f", "sed -n p *",
        "timeout $X ls", "uniq $f", "printf $x", "cd $x", "test $x", "awk '{print}' $f",
    ],
    "P4_quotes": [
        'find . "-de"lete', "find . -de\\lete", "find . $'\\x2ddelete'", "r$@m x", "{rm,x}", "\\rm x", "'rm' x", "r''m x",
        "$(echo rm) x", '"$CMD"', "r\\\nm x", '"$\\\n(rm x)"',
    ],
    "P5_redirections": [
        "ls > out", "ls >> out", "ls 2> err", "ls &> out", "ls >& out", "> out", "ls > /dev/nul", "ls > /dev/../x",
        "cat < /dev/tcp/a/80", "echo x > /dev/udp/a/53", "cat <> f", "exec 3<>/dev/tcp/a/80", 'ls > "$X"', "ls >*.log",
        "cat <<EOF > out\nx\nEOF", "cat <<EOF\n$(rm x)\nEOF", "cat <<EOF\n`rm x`\nEOF", "cat <<EOF\n${x:-$(rm y)}\nEOF",
        "cat < $(rm x)", "{ ls; } > out", "for f in a; do ls; done > out",
    ],
    "P6_assignments": [
        "PATH=1", "FOO=1; ls", "X=1 ls", "PATH=. ls", "LD_PRELOAD=x ls", "LANG=$(rm x) ls", "GIT_DIR=x git status", "LC_ALL=C PATH=x ls",
        "for PATH in /tmp; do ls; done", "IFS=x ls", "export X=1", "declare -x X", "unset X", "readonly X=1",
    ],
    "P7_wrappers": [
        "sudo ls", "xargs ls", "watch ls", "setsid ls", "nohup ls", "env ls", "env -i ls", "env -S 'rm x'", "time -o x ls",
        "timeout 5 rm x", "nice -n 5 rm x", "command rm x", "builtin eval x", "stdbuf -oL rm x", "flock x ls",
        "command " * 20 + "ls", "exec ls", "bash -c ls", "busybox ls",
    ],
    "P8_git": [
        "git -C x status", "git -c a.b=c log", "git --git-dir=x log", "git -p log", "cd x && git status",
        "(cd x; git log)", "cd x; cd ..; git log", "git diff --output=x", "git diff --ext-diff", "git show --textconv HEAD",
        "git grep -O foo", "git branch x", "git branch -D x", "git tag v1", "git tag --sort=refname v9", "git remote update",
        "git remote show origin", "git fetch", "git ls-remote", "git config user.name x", "git config -e", "git stash",
        "git describe --dirty", "git hash-object -w f", "git clean -nf", "git symbolic-ref HEAD x", "git lg",
        "git cat-file --filters HEAD:f", "env -i /usr/bin/git status", "git log --show-signature", "git archive HEAD", "git notes add", "git reflog expire",
    ],
    "P10_secrets": [
        "cat /proc/self/environ", "cat /proc/1/environ", "cat /proc/*/environ", "cat //proc/self/environ",
        "cat /proc/self/../self/environ", "cat /dev/fd/../environ", "cd /proc/self && cat environ", "cat < /proc/self/environ",
        "cat /p*/self/e*", "cd / && cat p*/self/e*", "cat ../../../p*/self/e*", "head ../../../proc/self/environ",
        "wc --files0-from=/proc/self/environ", "grep -r KEY /", "grep -r KEY /proc", "rg KEY /", "cat /proc/self/mem",
        "env", "printenv", "printenv AWS_SECRET", "set", "export -p", "declare -p", "echo $API_KEY", "echo ${API_KEY}",
        "echo ${!x}", "echo ${x@P}", "echo ${x:=y}", "jq -n env", "jq -n '$ENV.HOME'", "ps e", "ps auxe", "ps -E",
        "ps -eo pid,environ", "ps axo env", "ps --format=environ", "awk 'BEGIN{print ENVIRON[\"X\"]}'",
    ],
    "traps_of_bash": [
        "[[ -v 'a[$(id)]' ]]", "test -v 'a[$(id)]'", "[ -v 'a[$(id)]' ]", "[[ 'a[$(id)]' -eq 0 ]]", "[ x -eq 'a[$(id)]' ]",
        "[[ $x -eq 0 ]]", "printf -v x y", "printf '%n' PATH", "read x", "let 'a[$(id)]=1'", "declare 'a[$(id)]=1'",
        "mapfile -C rm x", "compgen -C rm", "echo $((x[$(id)]))", "(( x ))", "trap 'rm x' EXIT", "eval ls", "source x",
        ". x", "alias ls=rm", "hash -p ./x ls", "enable -f x y", "shopt -s x", "umask 0",
    ],
    "sed": [
        "sed -i s/a/b/ f", "sed -ni p f", "sed -ie p f", "sed --in-place p f", "sed -I p f", "sed -f x f", "sed 'w out' f",
        "sed 's/a/b/w out' f", "sed 's/a/b/e' f", "sed '1e id' f", "sed 'r x' f", "sed 'b;w out' f", "sed ':a;w out' f",
        "sed 't x;e id' f", "sed -e p -e 'w out' f", "sed -ne '1e id' f", "sed '/[/]/w out' f", "sed 's/[\\]/x/w out/' f",
        "sed 's/[[:space:]/]//w out' f", "sed 'a\\\nfoo\nw out' f", "sed 'y/a/b/;w out' f", "sed '\\,x,w out' f",
        "sed '/A/Ie id' f", "sed '{p;w out\n}' f",
    ],
    "awk": [
        "awk '{print > \"x\"}' f", "awk '{print >> \"x\"}' f", "awk '{print | \"sh\"}' f", "awk '{system(\"id\")}' f",
        "awk '\"id\" | getline' f", "awk -f x f", "awk -i inplace 1 f", "awk '@load \"x\"' f", "awk '{print(1) > \"x\"}' f",
        "awk '(x) /\"/; {print > \"f\"}; /\"/' f", "awk '/[/]/ {print > \"x\"}' f", "awk --file=x f", "awk \"$P\" f",
    ],
    "options_end_at_the_first_operand": [
        "uniq a -c", "uniq a -d", "xxd f -p", "xxd f -c4", "sed 'w out' -e p", "sed 'w out' -n -e p f",
        "git config user.name --get", "git config user.name --global", "git config core.pager --bool",
    ],
    "the_last_mode_wins": [
        "xz -l -d f", "xz -ld f", "xz --list --decompress f", "bzip2 -t -d f", "zstd -t -d f", "unxz -l -d f",
    ],
    "comments_that_are_none": ["test \\ #a[$(id)]", "echo a\\ #$(rm x)"],
    "others": [
        "pmap -N out 1", "pmap -n 1", "hostname -f", "hostname -s", "w", "top", "ps -o pid,environ",
        "find . -exec rm {} +", "find . -ok rm {} \\;", "find . -fprint x", "find . -newer -delete", "find . -delete",
        "sort -o x f", "sort -no x f", "sort --compress-program=x f", "uniq a b", "rg --pre x y", "rg -z x", "tar -xf a",
        "tar -tf host:a", "tar -tf a --to-command=x", "base64 -o x f", "xxd -r a b", "xxd a b", "date -s x", "date 0101",
        "hostname x", "file -C", "tree -o x", "diff -l a b", "unzip a", "man ls", "less f", "./ls", "bin/ls", "/tmp/ls",
        "~/bin/ls", "curl x", "python -c 1", "make", "tee x", "dd if=a",
    ],
}  # fmt: skip

READ_ONLY = [
    "ls -la ~/x", "ls *.{js,ts}", "head -5 f", "tail -n +5 f", "wc -l *.py", "grep -rn foo src --include=*.py", "rg -l 'a b' -g '*.py'",
    "rg --type py --line-number 'def \\w+' .", "find . -type f -name '*.ts' -not -path '*/node_modules/*'", "find . -perm -u+x",
    "sed -n '/a/,/b/p' f", "sed -E 's/(a+)/\\1x/' f", "sed ':a;N;$!ba;s/\\n/ /g' f", "sed 's/[^/]*$//' f", "sed 's/[[:space:]]*$//' f",
    "sed -n '/a/{p;q}' f", "awk -F: '{print $1}' f", "awk 'NR>=10 && NR<=20' f", "awk -F, '{ if ($3 > 5) print $1 }' f",
    "awk '!seen[$0]++' f", "awk '{sum += $1} END {print sum/NR}' f", "git log main..HEAD -- src", "git log -S foo -- src",
    "git diff HEAD~2 HEAD -- a.py", "git branch --list 'x/*'", "git stash list", "git config --get user.name", "git worktree list",
    "git ls-files '*.py'", "git shortlog -sn", "echo $HOME", 'echo "$PWD"', "ls 2>/dev/null || true", "ls | head -5 2>&1",
    "[ -f x ] && echo yes || echo no", "[[ -d src ]] && ls src", "[ 1 -eq 1 ]", "printf '%s\\n' *.py", "printf '%s' \"$HOME\"",
    "time ls", "timeout -k 1 5 ls", "nice -n 5 ls", "env -i /bin/ls", "LC_ALL=C TZ=UTC date", "cat <<'EOF'\n$(rm x)\nEOF",
    "echo 'a && rm x'", "ls # rm x", "/usr/bin/git status", "if [ -f x ]; then cat x; fi", 'for f in *.py; do head -1 "$f"; done',
    "(ls; pwd)", "{ ls; pwd; }", "! grep -q x f", "wc -l < f", "grep foo <<< 'foo bar'", "ls $(pwd)", "cat <(ls)", "ls \\\n-la",
    "cat /proc/cpuinfo", "tar -tvf a.tar", "jq '.a' f", "ps aux",
]  # fmt: skip


@pytest.mark.parametrize("rule", NOT_READ_ONLY)
def test_the_policy_holds_beyond_the_vectors(rule: str) -> None:
    assert [command for command in NOT_READ_ONLY[rule] if reads(command)] == []


def test_everyday_reading_is_not_asked_about() -> None:
    assert [command for command in READ_ONLY if not reads(command)] == []


@pytest.mark.parametrize(
    "command",
    [
        "ls\u200b -la", "ls\u00a0-la", "echo \u202e x", "echo \u2066; rm x\u2069", "git status \u2028rm x", "echo \x1b[2K",
        "ls \U000e0041", "echo \x7f", "echo \u180f", "echo \u2065", "echo \ufff0", "ls -la\r", "echo \u3164", "ls" + " " * 200 + "-la", "ls" + "\n" * 30 + "pwd",
    ],
)  # fmt: skip
def test_P9_what_a_person_cannot_see_is_never_read_only(command: str) -> None:
    assert not reads(command)
    assert parse(command).problems


def test_P9_letters_of_other_scripts_and_tabs_are_seen() -> None:
    assert reads("ls 'Ünïcode – “dir”'")
    assert reads("grep -P '\t' 文件.txt")


def test_P11_a_very_long_command_asks() -> None:
    assert reads("echo " + "x" * 9_000)
    assert not reads("echo " + "x" * 10_001)


def test_deep_nesting_ends_in_an_answer() -> None:
    assert not reads("(" * 3_000 + "ls" + ")" * 3_000)
    assert not reads("echo " + "$(echo " * 500 + "x" + ")" * 500)
    assert not reads("echo $((" + "(" * 3_000 + "1" + ")" * 3_000 + "))")
    assert not reads("[[ " + "( " * 3_000 + "a" + " )" * 3_000 + " ]]")
