"""Lines of shell that are hard to read, each as long as a line may be before it asks for its length alone."""

from __future__ import annotations

from tools.bash.hidden import LONGEST


def filled(unit: str, head: str = "", tail: str = "") -> str:
    """`head`, as many of `unit` as there is room for, and `tail`."""
    return head + unit * ((LONGEST - len(head) - len(tail)) // len(unit)) + tail


def nested(before: str, after: str, core: str = "ls", head: str = "") -> str:
    """`core` in as many layers as there is room for."""
    layers = (LONGEST - len(core) - len(head)) // (len(before) + len(after))
    return head + before * layers + core + after * layers


HOSTILE_LINES = {
    "subshells": nested("(", ")"),
    "substitutions": nested("echo $(", ")", "x"),
    "quoted substitutions": nested('echo "$(', ')"', "x"),
    "defaults": nested("${x:-", "}", "y", "echo "),
    "arithmetic": nested("(", ")", "1", "echo $((") + "))",
    "alternatives": nested("{a,", "}", "b", "echo "),
    "functions": nested("f() { ", "; }"),
    "opened, never closed": filled("$("),
    "closed, never opened": filled(")"),
    "brackets": filled("]", "function ", ">>2>&1"),
    "words of the shell": filled("fi?"),
    "subscripts": filled("$x\n\t", "a["),
    "subscripts with words": filled("a elif~do~ ", "a[ ", "find . -exec  esac"),
    "heredocs never ended": filled("${&> cat <<E\ncase", "declare $( "),
    "heredocs": filled("<<A ", "cat "),
    "a long heredoc": filled("`a` $(b)\n", "cat <<A\n", "A"),
    "quotes": filled("'a'\"b\"", "echo "),
    "backquotes": filled("`"),
    "coded letters": filled(r"$'\x41'", "echo "),
    "variables": filled("$x", 'echo "', '"'),
    "names of variables": filled("$abcdefgh", "cat ", "#{"),
    "values": "".join(f"{name}=1;" * 4 for name in "abcdefgh") + filled("$a$b$c$d$e$f$g$h ", "cat ")[:9_000],
    "redirections": filled(">a ", "ls "),
    "parts": filled("ls; "),
    "pipes": filled("a|&"),
    "a long word": "echo " + "a" * 9_990,
    "many words": filled("a/b ", "cat "),
    "globs to remove": filled("*/", "rm -rf "),
    "names with globs to write": filled("a*/.g*/", "touch "),
    "alternatives to remove": filled("{a,b}/", "rm -rf "),
    "folders": filled("cd ..;cd /;"),
    "wrappers": filled("xargs ", tail="rm x"),
    "wrappers of lines": filled("watch eval "),
    "lines in lines": filled("eval /"),
    "lines in quotes": filled("bash -c 'rm x' ", "sudo "),
    "sed": filled("[[:a:]]", "sed '/", "/p'"),
    "awk": filled(")/", "awk '", "'"),
    "jq": filled(".. ", "jq '", "env'"),
    "yq": filled(".", "yq '", "!'"),
    "sed brackets": filled("[:", "sed '/[", "/p'"),
    "brackets to remove": filled("[", "rm -rf "),
    "git": filled("--format=%-+ ", "git log "),
    "controls": filled("\x1b[2J", "echo "),
    "nothing": filled("\0", "echo "),
    "other letters": filled("\u6587\U0001f600e\u0301", "echo "),
}  # fmt: skip
