"""`find`: its tests and the actions that print. The others run, remove or write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.bash.words import Word, names

_PLAIN = names(
    "-print -print0 -ls -prune -quit -depth -d -true -false -empty -readable -writable -executable -nouser -nogroup "
    "-daystart -follow -mount -xdev -noleaf -warn -nowarn -ignore_readdir_race -noignore_readdir_race -not -and -or "
    "-o -a ! ( ) , -H -L -P -E -X -x -s -O0 -O1 -O2 -O3 -help --help -version --version"
)  # fmt: skip
_VALUED = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size "
    "-newer -anewer -cnewer -mnewer -mtime -atime -ctime -Btime -mmin -amin -cmin -Bmin -maxdepth -mindepth "
    "-perm -user -group -uid -gid -links -inum -samefile -used -fstype -printf -context -flags"
)  # fmt: skip
_NEWER = re.compile(r"-newer[aBcm][aBcmt]")
# Values that start like an option: `-1`, `-10k`, `-u+x`.
_DASHED_VALUE = re.compile(r"-[0-9]+[A-Za-z]?|-[ugoa0-7=rwxst,/+]+")


def find_only_reads(arguments: Sequence[Word]) -> bool:
    rest = [word.text for word in arguments]
    while rest:
        word = rest.pop(0)
        if word in _VALUED or _NEWER.fullmatch(word):
            if not rest or (rest[0].startswith("-") and not _DASHED_VALUE.fullmatch(rest[0])):
                return False
            rest.pop(0)
        elif word.startswith("-") and word not in _PLAIN:
            return False
    return True
