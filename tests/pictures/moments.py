"""The moments that are photographed: what the model says, and how the app is brought there."""

from __future__ import annotations

import asyncio

from agent.model.scripted import text, thinking, tool_use
from tests.pictures.project import EDIT_NEW, EDIT_OLD, TEST
from tests.pictures.shoot import Moment, Shot

TASK = "Cache entries must go stale by content hash, not by mtime.\nProve it with a test that only touches the file."
READS = [
    text("I'll read how staleness is decided today, then change it."),
    tool_use("r1", "Read", file_path="tidewatch/cache.py"),
    tool_use("r2", "Read", file_path="tidewatch/fetch.py"),
    tool_use("r3", "Read", file_path="tests/test_cahce.py"),
    tool_use("r4", "Grep", pattern="st_mtime", path="tidewatch/", output_mode="content"),
]
CHANGE = [
    text("`is_stale` believes the mtime both ways. It may only save a read; the hash decides."),
    tool_use("e1", "Edit", file_path="tidewatch/cache.py", old_string=EDIT_OLD, new_string=EDIT_NEW),
]
INSTALL = "cd web && npm ci && npm run build 2>&1 | tail -40"
TESTS = tool_use("b1", "Bash", command="pytest -q", description="Run the tests")
WRITE = tool_use("w1", "Write", file_path="tests/test_cache_touch.py", content=TEST)
LOOKS = [
    text("The lock file is newer than `node_modules`, so I install first, then build."),
    tool_use("r5", "Read", file_path="web/package.json"),
]
ASKS = [
    tool_use("b2", "Bash", command=INSTALL, description="Install and build the front end"),
    tool_use("e2", "Edit", file_path="web/package.json", old_string="tidewatch-web", new_string="web"),
]


async def welcome(shot: Shot) -> None:
    await shot.until("3 files changed")


async def help_(shot: Shot) -> None:
    await shot.press("question_mark")
    await shot.until("Marks")


async def working(shot: Shot) -> None:
    await shot.say(TASK)
    await shot.until("» Write")
    await shot.say("then bump the version in pyproject.toml")
    await shot.until("os.utime")


async def ask_bash(shot: Shot) -> None:
    await shot.say("Update the front end's dependencies and see that it still builds.")
    await shot.until("1 of 2")
    await shot.until("Tab comment")
    await asyncio.sleep(0.6)
    # The second stop of the rule, as somebody would choose who installs more often.
    await shot.press("right")


async def stale(shot: Shot) -> None:
    await shot.say(TASK)
    await shot.until("Edit tidewatch/cache.py?")
    file = shot.project / "tidewatch/cache.py"
    file.write_text(
        file.read_text().replace("            return False\n", "            return self.strict and digest(path)\n")
    )
    await shot.until("r  tell")
    await asyncio.sleep(0.6)


async def outside(shot: Shot) -> None:
    await shot.press("f2")
    await shot.say("Now update the README for the new cache format.")
    await shot.until("Add a note")
    file = shot.project / "README.md"
    file.write_text(file.read_text().replace("mtime changes.", "content changes.\nA touched file stays cached."))
    await shot.until("≢ Outside")
    await shot.until("✓ Edit")


async def typing(shot: Shot) -> None:
    await shot.say("Now update the README for the new cache format.")
    await shot.until("turn 1")
    await shot.press("shift+tab")
    await shot.until("plan")
    await shot.press(*"Also correct what @cac")
    await shot.until("docs/cache.md")


async def verbose(shot: Shot) -> None:
    await shot.press("ctrl+o")
    await shot.say("Cache entries must go stale by content hash, not by mtime.")
    await shot.until("turn 1")


async def phases(shot: Shot) -> None:
    await shot.say("Show me every phase.")
    await shot.until("Run this command?")
    await asyncio.sleep(0.6)
    await shot.press("n")
    await shot.until("» Write")
    await shot.until("os.utime")


async def ask_outside(shot: Shot) -> None:
    notes = shot.project.parent.parent / "notes"
    notes.mkdir()
    (notes / "tide-tables.csv").write_text("station,high,low\n" * 1_100)
    await shot.say("Compare our readings with the tide tables in my notes.")
    await shot.until("Read a file outside")
    await asyncio.sleep(0.6)


async def one_change(shot: Shot) -> None:
    await shot.say("Let the hash decide.")
    await shot.until("turn 1")


async def review(shot: Shot) -> None:
    await outside(shot)
    await shot.until("turn 1")
    await shot.press("f2")
    await shot.press(*"/review", "enter")
    await shot.until("Review")
    await shot.until("hunk")
    await shot.press("k")
    await shot.until("kept")


async def rewind(shot: Shot) -> None:
    await shot.say("Cache entries must go stale by content hash, not by mtime.")
    await shot.until("turn 1")
    await shot.say("Prove it with a test that only touches the file.")
    await shot.until("turn 2")
    await shot.press(*"/rewind", "enter")
    await shot.until("Takes back")
    await asyncio.sleep(0.6)


DARK, LIGHT, SMALL = ("", (120, 40), "slate"), ("-light", (120, 40), "paper"), ("-80x24", (80, 24), "slate")
THREE_WAYS = (DARK, LIGHT, SMALL)


def _working(suffix: str, size: tuple[int, int], theme: str) -> Moment:
    replies = [READS, CHANGE, [TESTS, WRITE]]
    return Moment(f"working{suffix}", size, working, replies, theme, mode="acceptEdits", pace=0.09)


def _ask_bash(suffix: str, size: tuple[int, int], theme: str) -> Moment:
    return Moment(f"ask-bash{suffix}", size, ask_bash, [LOOKS, ASKS], theme)


OUTSIDE = [
    [tool_use("r6", "Read", file_path="README.md"), tool_use("r7", "Read", file_path="tidewatch/fetch.py")],
    [
        text("The section **How the cache works** still speaks of mtimes. Add a note."),
        tool_use("b3", "Bash", command="sleep 2"),
    ],
    [
        text("Someone already rewrote that line, and well. I'll only add the note on old cache files."),
        tool_use(
            "e3",
            "Edit",
            file_path="README.md",
            old_string="A gauge that",
            new_string="Old caches are converted when they are first read.\nA gauge that",
        ),
    ],
    [text("Done.")],
]

MOMENTS = [
    Moment("welcome", (120, 34), welcome),
    Moment("welcome-80x24", (80, 24), welcome),
    Moment("help", (120, 36), help_),
    *(_working(*way) for way in THREE_WAYS),
    *(_ask_bash(*way) for way in THREE_WAYS),
    Moment("ask-edit-stale", (120, 40), stale, [READS, CHANGE]),
    Moment(
        "outside",
        (140, 38),
        outside,
        OUTSIDE,
        mode="acceptEdits",
    ),
    Moment("ask-outside", (120, 22), ask_outside, [[tool_use("o1", "Read", file_path="~/notes/tide-tables.csv")]]),
    Moment(
        "phases",
        (120, 44),
        phases,
        [
            [
                tool_use("p1", "Bash", command="git status --short"),
                tool_use("p2", "Bash", command="pytest -q tests/test_cahce.py"),
                tool_use("p3", "Read", file_path=".env"),
                tool_use("p4", "Bash", command="rm -rf build/"),
                tool_use("p5", "Bash", command="git log --oneline && sleep 1"),
            ],
            [TESTS, WRITE],
        ],
        mode="default",
        pace=0.03,
    ),
    Moment("diff-wide", (160, 16), one_change, [READS[1:2], CHANGE, [text("Done.")]], mode="acceptEdits"),
    Moment("review", (120, 28), review, OUTSIDE, mode="acceptEdits"),
    Moment(
        "rewind",
        (120, 18),
        rewind,
        [READS[1:2], CHANGE, [text("Done.")], [WRITE], [text("Done.")]],
        mode="acceptEdits",
    ),
    Moment("typing", (100, 16), typing, [READS[1:2], [CHANGE[1], WRITE], [text("Done.")]], mode="acceptEdits"),
    Moment(
        "verbose",
        (120, 40),
        verbose,
        [
            [
                thinking("The person wants content to decide. A stat is cheap, so keep it as a shortcut."),
                READS[1],
                READS[-1],
            ],
            CHANGE,
            [text("Done.")],
        ],
        mode="acceptEdits",
    ),
]
