"""The files that commands write, or send, besides what their whole point is: `sort -o x`, `curl -d @x`, `git rm x`.

A rule for the command allows them; what restricts a path still speaks. Where a word may be a path or something else
it counts as a path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tools.bash.destructive import names_remover
from tools.bash.words import Word, names
from tools.permissions.subjects import PathSubject

_COMPILERS = dict.fromkeys(names("cc gcc g++ clang clang++ ld rustc go javac tsc"), ("-o", "--outfile"))
# The options whose value is a file, or a folder, that the command writes.
_OUTPUT_OPTIONS = _COMPILERS | {
    "sort": ("-o", "--output"),
    "curl": ("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar"),
    "wget": ("-O", "--output-document", "-o", "--output-file", "-a", "-P", "--directory-prefix"),
    "find": ("-fprint", "-fprint0", "-fprintf", "-fls"),
    "tar": ("-C", "--directory"),
    "unzip": ("-d",),
    "patch": ("-o", "--output", "-d", "--directory"),
}
_GIT_WRITERS = names("checkout restore rm mv apply")
_REWRITERS = names("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd patch ed ex mkfifo mknod rename")
_PRINTS = re.compile(r"-[A-Za-z]*[clt][A-Za-z0-9]*|--(?:stdout|to-stdout|list|test|dry-run)")
# With this option they change the files they are given.
_IN_PLACE = {
    "perl": re.compile(r"-[aFlnpsw0-9]*i"),
    "ruby": re.compile(r"-[aFlnpsw0-9]*i"),
    "gsed": re.compile(r"-[A-Za-z]*i|--in-place"),
    "awk": re.compile(r"inplace|-iinplace"),
    "gawk": re.compile(r"inplace|-iinplace"),
    "prettier": re.compile(r"-w|--write"),
}


_SENT = re.compile(r"(?:.*=|-[A-Za-z])?[@<](?P<path>[^;]+).*", re.DOTALL)


def touched_beside(name: str, arguments: Sequence[Word]) -> Iterator[PathSubject]:
    for path in _written(name, arguments):
        if path and path not in ("-", "/dev/null"):
            yield PathSubject(path, "edit", name, of_command=True)
    for path in _sent(name, arguments):
        yield PathSubject(path, "read", name, of_command=True)


def _sent(name: str, arguments: Sequence[Word]) -> Iterator[str]:
    """What a client of the web takes from files: `-d @x`, `-F a=@x`, `-T x`, `--post-file=x`."""
    if name == "curl":
        found = (_SENT.fullmatch(word.text) for word in arguments)
        yield from (match["path"] for match in found if match)
    options = {"curl": ("-T", "--upload-file", "-K", "--config"), "wget": ("--post-file", "--body-file")}.get(name, ())
    for word, after in pairwise((*arguments, Word("", ""))):
        yield from _value(word.text, after, options)


def _written(name: str, arguments: Sequence[Word]) -> Iterator[str]:
    operands = [word.path for word in arguments if not word.text.startswith("-")]
    options = _OUTPUT_OPTIONS.get(name, ())
    for word, after in pairwise((*arguments, Word("", ""))):
        yield from _value(word.text, after, options)
    if name == "git" and operands and operands[0] in _GIT_WRITERS:
        yield from operands[1:]
    elif _rewrites(name, [word.text for word in arguments]):
        yield from operands
    elif name == "uniq":
        yield from [path for path in operands if not path.isdigit()][1:2]
    elif name == "find" and _find_removes(arguments):
        yield from operands[:1]


def _rewrites(name: str, texts: Sequence[str]) -> bool:
    """Whether it changes the files it is given."""
    if name in _REWRITERS:
        return not any(map(_PRINTS.fullmatch, texts))
    return name in _IN_PLACE and any(map(_IN_PLACE[name].match, texts))


def _value(option: str, after: Word, options: Sequence[str]) -> Iterator[str]:
    """The value of an option that names an output: in the next word, behind `=`, or glued to a letter."""
    given, equals, value = option.partition("=")
    if option in options:
        yield after.path
    elif equals and given.startswith("--") and given in options:
        yield value
    elif len(option) > 2 and option[:2] in options and option[1] != "-":
        yield option[2:]


def _find_removes(arguments: Sequence[Word]) -> bool:
    return any(word.text == "-delete" or names_remover(word) for word in arguments)
