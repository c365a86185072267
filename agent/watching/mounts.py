"""Which folders lie on disks that other machines change: the system tells nothing of that, so they are looked at.

Read from the table of mounts, because asking a network disk that hangs would hang with it.
"""

from __future__ import annotations

import os
import re

TABLE = "/proc/self/mountinfo"
_NETWORK = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "ncpfs", "9p", "drvfs", "virtiofs", "vboxsf", "prl_fs"),
        *("afs", "coda", "ceph", "glusterfs", "lustre", "davfs", "fuse"),
    }
)
_ESCAPED = re.compile(r"\\([0-7]{3})")


class Mounts:
    """The table as it is when this is made; empty where the system has none, and then every disk counts as local."""

    def __init__(self, table: str = TABLE) -> None:
        self._kinds: dict[str, str] = {}
        try:
            with open(table, encoding="utf-8", errors="surrogateescape") as file:
                lines = file.read().splitlines()
        except OSError:
            lines = []
        for line in lines:
            place, _, kind = line.partition(" - ")
            fields = place.split(" ")
            if len(fields) > 4 and kind:
                place = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), fields[4])
                # A later mount on the same folder covers the earlier one.
                self._kinds[place] = kind.split(" ", 1)[0]

    def kind(self, path: str) -> str:
        """The kind of file system the path lies on; empty where that is not known."""
        here, above = path, os.path.dirname(path)
        while here not in self._kinds and above != here:
            here, above = above, os.path.dirname(above)
        return self._kinds.get(here, "")

    def is_network(self, path: str) -> bool:
        kind = self.kind(path)
        return kind in _NETWORK or kind.startswith("fuse.")
