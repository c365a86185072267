"""Whether a command failed because of the sandbox: told by what programs say when the system refuses them something."""

from __future__ import annotations

import re

_WRITING = re.compile(
    r"permission denied|operation not permitted|read-only file system|device or resource busy|\bE(?:ACCES|PERM|ROFS)\b",
    re.I,
)
_NETWORK = re.compile(
    r"network is unreachable|could not resolve|couldn't resolve|name resolution|name or service not known|no such host"
    r"|unable to look ?up|failed to (?:connect|establish a new connection)|couldn't connect|connection refused"
    r"|nodename nor servname|getaddrinfo|\bE(?:AI_AGAIN|NETUNREACH|NOTFOUND)\b|socket: (?:permission|operation)",
    re.I,
)


def blame(output: str, *, network: bool) -> str:
    """What it seems to have been kept from, in words; empty where nothing hints at it."""
    if not network and _NETWORK.search(output):
        return "the network"
    if _WRITING.search(output):
        return "writing outside the workspace and the temporary folder, or reading what is hidden"
    return ""
