"""Programs asked for nothing but their version or their usage.

Left out are those that let files of the folder choose the program that answers, or that ask the network: go, cargo
and rustc (a toolchain named by the project), yarn, pnpm, dotnet, mvn, gradle, bundle (code of the project), terraform
and gh (news of updates), `python -m` (modules of the folder).
"""

from __future__ import annotations

from collections.abc import Sequence

from tools.bash.words import Word, names

_VERSIONS = {
    program: names(asks)
    for programs, asks in (
        ("python python2 python3", "--version -V -VV"),
        ("node npm ruby perl php tsc nvim gcc g++ cc c++ clang clang++ make gmake", "--version -v"),
        ("pip pip3 deno uv ruff curl wget psql mysql", "--version -V"),
        ("java javac", "-version --version"),
        ("lua luajit", "-v"),
        ("ssh tmux", "-V"),
        ("openssl", "version"),
        ("cmake ctest ninja ld as ar gdb lldb sqlite3 docker podman ffmpeg", "--version"),
        ("bash zsh fish vim less man awk gawk emacs R", "--version"),
        ("git", "--version --help"),
    )
    for program in programs.split()
}
# Without `--client` it asks the server.
_IN_WORDS = {"kubectl": ["version", "--client"]}
_USAGE = frozenset(("--version", "--help"))


def asks_for_version(name: str, arguments: Sequence[Word]) -> bool:
    texts = [word.text for word in arguments if word.fixed]
    if len(texts) != len(arguments):
        return False
    return texts == _IN_WORDS.get(name) or (len(texts) == 1 and texts[0] in _VERSIONS.get(name, ()))


def asks_for_usage(arguments: Sequence[Word]) -> bool:
    """Alone, of a program whose options are known."""
    return len(arguments) == 1 and arguments[0].fixed and arguments[0].text in _USAGE
