"""What it takes to judge a line is bounded, whatever stands in it."""

from __future__ import annotations

import time

import pytest

from tests.support.hostile_lines import HOSTILE_LINES
from tests.support.permissions import world
from tools.bash import inside, parse
from tools.bash.hidden import LONGEST
from tools.bash.readonly import only_reads
from tools.bash.subjects import subjects_of
from tools.permissions.decide import decide
from tools.permissions.world import Call

# Several times what a quiet machine needs; without bounds some of these take seconds.
MOST_SECONDS = 0.25
WORLD = {
    "deny": ("Bash(rm *)", "Bash(* a * b *)", "Read(.env)", "Edit(src/**)", "Read(*a*b*c*)"),
    "ask": ("Bash(git push *)",),
    "allow": ("Bash(npm *)", "Bash(* --version)", "Edit(out/*)"),
}


def judged(line: str) -> str:
    parse.parse.cache_clear()
    inside.inside_line.cache_clear()
    reads = only_reads(parse.parse(line))
    return decide(Call("Bash", subjects=subjects_of(line), read_only=reads), world(**WORLD)).kind


@pytest.mark.parametrize("shape", HOSTILE_LINES)
def test_no_line_takes_the_judge_long(shape: str) -> None:
    line = HOSTILE_LINES[shape]
    assert 8_500 < len(line) <= LONGEST + 100
    taken: list[float] = []
    while len(taken) < 5 and (not taken or min(taken) > MOST_SECONDS):
        began = time.process_time()
        judged(line)
        taken.append(time.process_time() - began)
    assert min(taken) <= MOST_SECONDS
