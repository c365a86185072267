"""Programs and builtins that can do nothing but print, whatever they are told: every word of theirs is harmless.

Also one that is known only when it runs, also an option not yet invented: what such programs are for has no use for
writing, starting or connecting to anything. All others are in `known_options.py`, `special.py` and beside them.
"""

from __future__ import annotations

from tools.bash.words import names

# What they are given are files.
READERS = names(
    "ls dir vdir cat tac head tail wc stat du cut paste fold fmt nl rev comm join expand unexpand pr "
    "od hexdump hd strings cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum md5 cmp "
    "grep egrep fgrep column colrm tsort readlink realpath namei look getfacl lsattr"
)  # fmt: skip

# What they are given are texts, numbers, names of users or devices.
PRINTERS = names(
    "echo true false : pwd basename dirname seq jot expr tr numfmt factor yes sleep pathchk col ul "
    "df id groups whoami logname users uname nproc uptime free vmstat cal ncal "
    "tty locale getconf lscpu lsblk lsmod lsusb lsns lsipc lsmem findmnt pgrep pidof pstree pwdx sw_vers "
    "which whereis locate plocate type help exit return break continue times"
)  # fmt: skip

HARMLESS = READERS | PRINTERS
