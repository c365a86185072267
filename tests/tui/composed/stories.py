"""What happens in the pictures: the moments of docs and mock-ups, told event by event."""

from __future__ import annotations

import json
from dataclasses import replace

from agent.events import (
    ExternalEdit,
    MessageQueued,
    ModelAsked,
    Notice,
    TextDelta,
    TextDone,
    ThinkingDelta,
    ThinkingDone,
    TodosChanged,
    TurnEnded,
    Usage,
)
from tests.tui.composed.still import Story
from tests.tui.sheet.asked import BUILD, bash, edit, fetch, mcp, read
from tests.tui.transcript.told import at
from tools.bash.data import BashOutput, BashProgress
from tools.changing.change import FileChanged
from tools.diffs import diff_of
from tools.events import PermissionDecided, PermissionRequested, PermissionUpdated, ToolQueued, ToolStarted
from tools.grep.found import FoundFile, FoundLine, GrepOutput
from tools.permissions.decision import Decision
from tools.permissions.subjects import Lead

TASK = "Cache entries must go stale by content hash, not by mtime.\nProve it with a test that only touches the file."
CACHE = "tidewatch/cache.py"
BEFORE = (
    "".join(f"line {number}\n" for number in range(1, 41))
    + """\
        entry = self.entries[path]
        if path.stat().st_mtime == entry.mtime:
            return False
        return True
"""
)
AFTER = BEFORE.replace(
    "st_mtime == entry.mtime:\n            return False",
    "st_mtime_ns == entry.mtime_ns:\n            return False  # nothing moved: no need to read",
).replace("return True", "return digest(path) != entry.digest")
README = "".join(f"{number}\n" for number in range(1, 31)) + "Readings are cached until the file's mtime changes.\n"
THEIRS = README.replace("mtime changes.", "content changes.\nA touched file stays cached.")
OURS = THEIRS + "Caches written before 0.4 are converted when they are first read.\n"
TEST = """import os

import pytest

from tidewatch.cache import Cache


@pytest.fixture
def cache() -> Cache:
    return Cache()

    reading = tmp_path / "reading.json"
    reading.write_text('{"height": 3.2}')
    cache.put(reading)
    os.utime(reading, (0, 0))
    assert not cache.is_st"""
TODOS = (
    {"content": "find who reads mtimes", "status": "completed"},
    {"content": "let the hash decide", "status": "completed"},
    {"content": "prove it with a test", "status": "in_progress"},
    {"content": "bump the version", "status": "pending"},
)


def lines_read(name: str, count: int):
    from tests.tui.transcript.test_groups import lines

    return lines(count).model_copy(update={"file_path": at(name)})


def changed(name: str, before: str, after: str, kind: str = "changed") -> FileChanged:
    return FileChanged(file_path=at(name), kind=kind, diff=diff_of(at(name), before, after))  # pyright: ignore


def ended(output: str, exit_code: int = 0, lines: int | None = None) -> BashOutput:
    total = lines if lines is not None else len(output.splitlines())
    size = len(output)
    return BashOutput(
        output=output, exit_code=exit_code, total_bytes=size, total_lines=total, truncated=False, stored="", folder="/"
    )


def reads_four(story: Story) -> None:
    story.hear(TextDone("I'll read how staleness is decided today, then change it."))
    for id, name in (("r1", CACHE), ("r2", "tidewatch/fetch.py"), ("r3", "tests/test_cahce.py")):
        story.called(id, "Read", file_path=name)
    story.called("g", "Grep", pattern="st_mtime", path="tidewatch/")
    for id in ("r1", "r2", "r3", "g"):
        story.hear(ToolStarted(id), after=0.02)
    story.done("r1", lines_read(CACHE, 212), after=0.05).done("r2", lines_read("fetch.py", 148), after=0.04)
    missing = f"{at('tests/test_cahce.py')} does not exist. Did you mean {at('tests/test_cache.py')}?"
    story.ends("r3", "failed", missing, after=0.01)
    found = tuple(
        FoundFile(path=name, lines=(FoundLine(number=42, text="st_mtime"),) * count)
        for name, count in (("cache.py", 4), ("store.py", 2), ("fetch.py", 1))
    )
    story.done("g", GrepOutput(mode="content", files=found), after=0.16)


def edits(story: Story) -> None:
    story.hear(
        ModelAsked(), TextDone("`is_stale` believes the mtime both ways. It may only save a read; the hash decides.")
    )
    story.runs("e", "Edit", file_path=CACHE, old_string="x", new_string="y").done("e", changed(CACHE, BEFORE, AFTER))


async def working(story: Story) -> None:
    story.turn(TASK)
    reads_four(story)
    edits(story)
    story.hear(ModelAsked(), Usage(input_tokens=380_000, output_tokens=400))
    story.runs("b", "Bash", command="pytest -q")
    story.says(
        "b",
        BashProgress(
            lines=("tests/test_fetch.py ..............................", "tests/test_cache.py .................."),
            total_lines=2,
            total_bytes=80,
            seconds=14,
        ),
    )
    raw = json.dumps({"file_path": "tests/test_cache_touch.py", "content": TEST}).removesuffix('"}')
    story.streams("w", "Write", raw)
    story.hear(MessageQueued("then bump the version in pyproject.toml"), after=14)


async def phases(story: Story) -> None:
    """Rows in every phase, one of each."""
    story.turn("Show me every phase a call can be in.")
    story.called("b1", "Bash", command="git status --short").hear(ToolStarted("b1")).done("b1", ended("", lines=0))
    story.runs("b2", "Bash", command="pytest -q").done(
        "b2", ended("E   AssertionError: a touched file went stale\n1 failed, 47 passed", 1), after=14.2
    )
    story.called("d1", "Bash", command="rm -rf build/").ends(
        "d1", "denied", "The person denied Bash and said: use make clean"
    )
    rule = "Read was denied: The deny rule `Read(.env*)` matches (/home/me/.config/agent-tui/settings.json:9)."
    story.called("d2", "Edit", file_path=".env").ends("d2", "denied", rule)
    story.runs("s1", "Bash", command="npm run build").says(
        "s1", BashProgress(lines=("vite build", "transforming"), total_lines=2, total_bytes=9, seconds=3), after=31
    )
    story.ends(
        "s1", "cancelled", "Cancelled: stopped by the person. It had started, and what it did so far stays.", after=31
    )
    story.called("n1", "Write", file_path="web/vite.config.ts", content="x").ends(
        "n1", "cancelled", "Cancelled: the turn was stopped by the person. It was not executed."
    )
    story.runs("b3", "Bash", command="npm run build").done(
        "b3", ended("\n".join(["dist/index-4f2a.js   182.40 kB", "built in 18.02s"]), lines=209), after=18.4
    )
    story.runs("u", "mcp__github__create_issue", title="Stale caches", body="They are").done(
        "u", {"number": 7}, after=0.4
    )
    story.called("q", "Edit", file_path="tidewatch/store.py", old_string="a", new_string="b").hear(
        ToolQueued("q", "after Bash pytest")
    )
    story.runs("r", "Bash", command="sleep 60", after=1)


async def asks_bash(story: Story) -> None:
    story.turn("Update the front end's dependencies and see that it still builds.")
    story.hear(TextDone("The lock file is newer than `node_modules`, so I install first, then build."))
    story.runs("r", "Read", file_path="web/package.json").done("r", lines_read("web/package.json", 48), after=0.0)
    story.hear(ModelAsked())
    story.called("Bash", "Bash", command=BUILD.input["command"])
    story.called("Edit", "Edit", file_path="web/package.json", old_string="x", new_string="y")
    story.called("WebFetch", "WebFetch", url="https://vite.dev/guide/build")
    story.asks(
        BUILD,
        replace(edit(at("web/package.json")), summary="web/package.json"),
        fetch("https://vite.dev/guide/build", "vite.dev"),
    )
    await story.keys_count()


async def comments(story: Story) -> None:
    await asks_bash(story)
    await story.press("tab", *"use the lock file as it is")
    await story.until(lambda: "as it is" in story.app.scene.parts.sheet.lines[-1].text)


async def asks_mcp(story: Story) -> None:
    story.turn("Open an issue about it.")
    request = mcp(
        owner="tidewatch",
        title="Cache entries go stale on touch",
        labels=["bug", "cache"],
        body="Touching a file is enough.\nThe hash must decide.",
    )
    story.called(request.call_id, request.tool, **request.input).asks(request)
    await story.keys_count()


async def asks_outside(story: Story) -> None:
    story.turn("What do the other projects do?")
    request = read("/home/me/other/notes.md")
    story.called("Read", "Read", file_path="/home/me/other/notes.md").asks(request)
    await story.keys_count()


async def asks_linked(story: Story) -> None:
    """The path is a link, and what it leads to is somebody's own."""
    story.turn("Put the readings together.")
    leads = (Lead("readings.csv", "/home/me/private/readings.csv", True),)
    request = bash("sort readings.csv > web/all\u200b.csv", leads=leads, folder="/home/me/tidewatch/data")
    story.called("Bash", "Bash", command=request.input["command"]).asks(request)
    await story.keys_count()


async def asks_long(story: Story) -> None:
    story.turn("Build it thirty times.")
    request = bash("make part\n" * 30)
    story.called("Bash", "Bash", command=request.input["command"]).asks(request)
    await story.keys_count()


async def asks_grave(story: Story) -> None:
    story.turn("Begin anew.")
    request = bash("rm -rf /home/me/tidewatch")
    story.called("Bash", "Bash", command="rm -rf /home/me/tidewatch").asks(request)
    await story.keys_count()


async def changed_apart(story: Story) -> None:
    await _changed_meanwhile(story, "")


async def changed_in_it(story: Story) -> None:
    await _changed_meanwhile(story, "Somebody else changed the lines this edit replaces.")


async def _changed_meanwhile(story: Story, problem: str) -> None:
    story.turn("Cache entries must go stale by content hash, not by mtime.")
    request = replace(edit(at(CACHE), BEFORE, AFTER), call_id="e")
    story.called("e", "Edit", file_path=CACHE, old_string="x", new_string="y").hear(PermissionRequested(request, 1))
    theirs = (
        BEFORE.replace("            return False", "            return self.strict")
        if problem
        else f"# theirs\n{BEFORE}"
    )
    story.hear(ExternalEdit(at(CACHE), diff_of(at(CACHE), BEFORE, theirs), "external"), after=28)
    story.hear(PermissionUpdated(replace(request, problem=problem), 2, "the file was changed outside"), after=3)
    await story.keys_count()


async def outside(story: Story) -> None:
    story.turn("Now update the README for the new cache format.")
    for name, count in (("README.md", 96), ("tidewatch/fetch.py", 148)):
        story.hear(ModelAsked()).runs(name, "Read", file_path=name).done(name, lines_read(name, count), after=0.0)
    story.hear(TextDone("The section **How the cache works** still speaks of mtimes."))
    story.hear(ExternalEdit(at("README.md"), diff_of(at("README.md"), README, THEIRS), "external"), after=192)
    far = "".join(f"{number}\n" for number in range(80))
    there = far.replace("\n7\n", "\nseven\n").replace("\n60\n", "\nsixty\n6\n6\n6\n6\n6\n6\n6\n")
    story.hear(
        ExternalEdit(at("tidewatch/fetch.py"), diff_of(at("tidewatch/fetch.py"), far, there), "git checkout"), after=28
    )
    story.called("e1", "Edit", file_path="README.md", old_string="x", new_string="y").hear(ToolStarted("e1"))
    story.ends(
        "e1", "failed", f"{at('README.md')} was changed by somebody else since you read it. What changed:\n-x\n+y"
    )
    story.hear(
        ModelAsked(),
        TextDone("Someone already rewrote that line, and well. I'll only add the note on old cache files."),
    )
    story.runs("e2", "Edit", file_path="README.md", old_string="x", new_string="y").done(
        "e2", changed("README.md", THEIRS, OURS)
    )
    story.runs("e3", "Write", file_path="tests/test_cache_touch.py", content="x").done(
        "e3", changed("tests/test_cache_touch.py", "", "x\n" * 21, "created")
    )
    story.hear(TodosChanged(TODOS), ModelAsked(), ThinkingDelta("hm"), after=1).hear(after=4)
    story.app.action_side()


async def finished(story: Story) -> None:
    """A turn that ended, with everything that can be said of it."""
    story.turn("Cache entries must go stale by content hash, not by mtime.", 3)
    story.hear(ThinkingDelta("The person"), after=1)
    story.hear(
        ThinkingDone(
            "The person wants content to decide. A stat is cheap, so keep it as a shortcut, but only in the direction that is safe."
        ),
        after=6,
    )
    allowed = Decision("allow", "", ())
    story.called("g", "Grep", pattern="st_mtime", path="tidewatch/").hear(ToolStarted("g"))
    found = (
        FoundFile(
            path=CACHE,
            lines=(
                FoundLine(number=42, text="if path.stat().st_mtime == entry.mtime:"),
                FoundLine(number=88, text="mtime=path.stat().st_mtime,"),
            ),
        ),
    )
    story.done("g", GrepOutput(mode="content", files=found), after=0.3).hear(ModelAsked())
    story.called("e", "Edit", file_path=CACHE, old_string="x", new_string="y").asks(
        replace(edit(at(CACHE), BEFORE, AFTER), call_id="e")
    )
    story.hear(PermissionDecided("e", allowed, True), ToolStarted("e"), after=9).done(
        "e", changed(CACHE, BEFORE, AFTER)
    )
    story.hear(ModelAsked()).runs("b", "Bash", command="pytest -q")
    story.done(
        "b",
        ended(
            "tests/test_cache.py ....\nE   AssertionError: a touched file went stale\n1 failed, 47 passed in 14.02s",
            1,
            212,
        ),
        after=14.2,
    )
    story.hear(
        TextDone(
            "## What is left\n\nOne test **fails** still:\n\n1. `test_cache_touch.py` touches the file\n2. and expects it to stay fresh\n\n```python\nassert not cache.is_stale(reading)\n```"
        )
    )
    story.hear(Usage(input_tokens=18_200, output_tokens=1_400, cache_read=160_000), TurnEnded("done"), after=60)


async def in_full(story: Story) -> None:
    await finished(story)
    story.app.action_verbose()


async def troubles(story: Story) -> None:
    story.hear(
        Notice(
            "One rule cannot work: .agent-tui/settings.json:9, Write(src/**) never matches. Edit(src/**) covers Write too. The other rules are in force.",
            "warning",
        )
    )
    story.turn("Go on.").hear(
        TextDelta("I would"),
        TurnEnded("failed", "The model does not answer: 529 overloaded, 5 tries in 48s."),
        after=48,
    )


async def typing(story: Story) -> None:
    story.turn("Now update the README for the new cache format.").hear(TextDone("Done."), TurnEnded("done"), after=2)
    await story.types("/th")
    await story.until(lambda: story.app.box.menu is not None)


async def pasted(story: Story) -> None:
    story.turn(TASK + "\n" + "\n".join(f"{number} more line" for number in range(20)))
    story.hear(TextDelta("I see."))
    for words in ("one", "two words", "and a third message that is rather long", "and one more"):
        story.hear(MessageQueued(words))
    story.app.box.paste("\n".join(map(str, range(42))))
    await story.types(" is what I mean, see @tidewatch/cache.py")


async def told_keys(story: Story) -> None:
    story.app.commands.keys()
    await story.until(lambda: len(story.app.screen_stack) > 1)


async def welcome(story: Story) -> None:
    """Nothing has happened yet."""
