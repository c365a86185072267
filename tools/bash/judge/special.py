"""Programs whose words follow rules of their own: each a small function that says whether they only read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tools.bash.judge.known_options import LISTS_OR_TESTS, TO_STDOUT, UNPACKERS, UNPACKS
from tools.bash.judge.options import known, operands_of
from tools.bash.words import Word, names

Judge = Callable[[Sequence[Word]], bool]
_NUMBER = r"[+-]?[0-9]+"

# -- dates and system

_DATE = known(
    "uR", "drv", "utc universal date= reference= iso-8601 iso-8601= rfc-3339= rfc-email rfc-2822 debug", glued="I"
)


def _date(arguments: Sequence[Word]) -> bool:
    """An operand that is no format sets the clock. The BSDs' `-j` keeps them from it, and others refuse it."""
    keeps = bool(arguments) and re.fullmatch(r"-u?j[nu]?", arguments[0].text) is not None
    options = _DATE._replace(letters="uRj", valued="drvf") if keeps else _DATE
    operands = operands_of(arguments[1:] if keeps else arguments, options)
    return operands is not None and (keeps or all(word.text.startswith("+") for word in operands))


# `e` shows the environment behind each command, and on the BSDs so does `-e`: unless no column is the command.
_PS_EVERY = re.compile(r"-[AadefFlLjwyc]+|--forest|--no-headers?|--headers?|--sort=[-+\w,]+|-p[0-9,]+")
_PS_EVERY_VALUED = re.compile(r"-[AadefFlLjwyc]*[oOp]|--sort")
_PS_COLUMNS = re.compile(r"-[AadefFlLjwyc]*o")
_PS_COMMAND = re.compile(r"args|command|cmd", re.IGNORECASE)
_PS_SOME = re.compile(
    r"-[AadfFHjlLMTVwWxyZcm]+|[aufxjlvwTShrgm]+|[0-9]+|-p[0-9,]+|--(?:forest|no-headers?|headers?|version)"
    r"|--(?:sort|pid|ppid|format)=(?!.*env)[-+\w,.:%]+"
)
_PS_SOME_VALUED = re.compile(r"-[AadfFHjlLMTVwWxyZcm]*[oOpuUgGCtk]|[auxjlvwfm]*[oOpUtk]|--(?:sort|pid|ppid|format)")
# `environ` and its like are columns, too.
_PS_VALUE = re.compile(r"(?!.*env)[-+\w,.:%=/ ]+", re.IGNORECASE)


def _ps(arguments: Sequence[Word]) -> bool:
    rest = [word.text for word in arguments]
    every = any(re.match(r"-[^-]*e", text) for text in rest)
    if every and (not any(map(_PS_COLUMNS.fullmatch, rest)) or any(map(_PS_COMMAND.search, rest))):
        return False
    plain, valued = (_PS_EVERY, _PS_EVERY_VALUED) if every else (_PS_SOME, _PS_SOME_VALUED)
    while rest:
        text = rest.pop(0)
        if plain.fullmatch(text):
            continue
        if not valued.fullmatch(text) or not rest or not _PS_VALUE.fullmatch(rest.pop(0)):
            return False
    return True


def _top(arguments: Sequence[Word]) -> bool:
    """Not where it takes keys."""
    operands = operands_of(arguments, known("bcHiS", "nlopu"))
    return operands is not None and any(re.match(r"-[cHiS]*[bl]", word.text) for word in arguments)


def _sysctl(arguments: Sequence[Word]) -> bool:
    operands = operands_of(arguments, known("aAnNe", "", "all values names"))
    return operands is not None and not any("=" in word.text for word in operands)


# -- archives


def _unpacker(name: str) -> Judge:
    def only_prints(arguments: Sequence[Word]) -> bool:
        texts = [word.text for word in arguments]
        lists = any(map(LISTS_OR_TESTS.fullmatch, texts)) and not any(map(UNPACKS.fullmatch, texts))
        prints = lists or any(map(TO_STDOUT.fullmatch, texts))
        return prints and operands_of(arguments, UNPACKERS[name]) is not None

    return only_prints


_TAR = known("vtzjJa", "f", "list file= verbose gzip bzip2 xz zstd numeric-owner utc full-time wildcards exclude=")


def _tar(arguments: Sequence[Word]) -> bool:
    """Listing an archive that is a file here: a colon in its name means another machine."""
    texts = [word.text for word in arguments]
    if not texts:
        return False
    bundle = texts[0] if re.fullmatch(r"-?[tvzjJa]*f?", texts[0]) else ""
    dashed = [arguments[0]._replace(text=f"-{bundle.lstrip('-')}"), *arguments[1:]] if bundle else arguments
    lists = "--list" in texts or any(re.fullmatch(r"-[vzjJa]*t[vzjJa]*f?", word.text) for word in dashed)
    named = any(text.startswith("--file") for text in texts) or any(
        re.fullmatch(r"-[tvzjJa]*f.*", word.text) for word in dashed
    )
    return lists and named and ":" not in "".join(texts) and operands_of(dashed, _TAR) is not None


def _unzip(arguments: Sequence[Word]) -> bool:
    texts = [word.text for word in arguments]
    lists = bool(texts) and re.fullmatch(r"-q{0,2}(?:[lvtpc]|Z1)q{0,2}", texts[0])
    return bool(lists) and not any(text.startswith("-") for text in texts[1:])


def _zipinfo(arguments: Sequence[Word]) -> bool:
    return operands_of(arguments, known("12smlvhtz")) is not None


# -- dumps and trees

_XXD = re.compile(
    r"-(?:a|autoskip|b|bits|e|E|EBCDIC|i|include|p|ps|plain|postscript|u|upper|(?:c|cols|g|groupsize|l|len)[0-9]+"
    rf"|(?:s|seek){_NUMBER}|v|version|h|help)"
)
_XXD_VALUED = names("-c -cols -g -groupsize -l -len -s -seek -o")


def _xxd(arguments: Sequence[Word]) -> bool:
    """It looks at an option's first letter only (`-ps` is `-p`), and writes to what follows the first operand."""
    operands, rest = 0, [word.text for word in arguments]
    while rest:
        text = rest.pop(0)
        if text in _XXD_VALUED:
            if not rest or not re.fullmatch(r"[+0-9][0-9a-fA-Fx]*", rest.pop(0)):
                return False
        elif not text.startswith("-") or text == "-":
            operands += 1
        elif operands or not _XXD.fullmatch(text):
            return False
    return operands <= 1


_TREE = known(
    "adfilpsugDFqNQrtUvcxnCAhJXS", "LPIHT",
    "dirsfirst filesfirst noreport gitignore prune du si inodes device filelimit= charset= timefmt= matchdirs "
    "ignore-case metafirst sort= info nolinks fromfile fflinks version help",
)  # fmt: skip


def _tree(arguments: Sequence[Word]) -> bool:
    """-o writes, and so does -R. A letter that takes the next word may be followed by more letters: `-LR 1`."""
    clear = all(re.fullmatch(r"-L[0-9]+|-[^LPIHT]*[LPIHT]?|--.*|[^-].*", word.text, re.DOTALL) for word in arguments)
    return clear and operands_of(arguments, _TREE) is not None


# -- builtins


def _command(arguments: Sequence[Word]) -> bool:
    return len(arguments) > 1 and arguments[0].text in ("-v", "-V")


def _cd(arguments: Sequence[Word]) -> bool:
    rest = arguments[1:] if arguments and arguments[0].text in ("-L", "-P", "--") else arguments
    return len(rest) <= 1 and not any(word.text.startswith("-") or not word.text for word in rest)


def _kill(arguments: Sequence[Word]) -> bool:
    """Only naming the signals."""
    texts = [word.text for word in arguments]
    return texts[:1] in (["-l"], ["-L"]) and all(text.isalnum() for text in texts[1:])


def _trap(arguments: Sequence[Word]) -> bool:
    return [word.text for word in arguments] == ["-l"]


SPECIAL: dict[str, Judge] = {
    "date": _date,
    "ps": _ps,
    "top": _top,
    "sysctl": _sysctl,
    "tar": _tar,
    "unzip": _unzip,
    "zipinfo": _zipinfo,
    "xxd": _xxd,
    "tree": _tree,
    "command": _command,
    "cd": _cd,
    "kill": _kill,
    "trap": _trap,
} | {name: _unpacker(name) for name in UNPACKERS}
