"""Which commands search, read or list, so that the screen can fold them like the tools that do the same."""

from __future__ import annotations

from typing import Literal

from tools.bash.parse import parse
from tools.bash.readonly import only_reads
from tools.bash.words import names

Fold = Literal["search", "read", "list"]

_SEARCH = names("find grep egrep fgrep rg ag ack locate fd")
_READ = names(
    "cat head tail less more wc stat file jq awk sed cut sort uniq tr nl tac od xxd strings diff cmp md5sum sha256sum "
    "column"
)
_LIST = names("ls tree du dir")
_NEUTRAL = names("echo printf true : cd pwd")


def fold_of(command: str) -> Fold | None:
    """The kind of the first part that has one; None unless every part is one of them or neutral, and only reads."""
    script = parse(command)
    kinds: list[Fold | None] = [_kind(one.name) for one in script.commands if one.name not in _NEUTRAL]
    if not kinds or None in kinds or not only_reads(script):
        return None
    return kinds[0]


def _kind(name: str) -> Fold | None:
    if name in _SEARCH:
        return "search"
    if name in _READ:
        return "read"
    return "list" if name in _LIST else None
