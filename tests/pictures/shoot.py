"""The real app on a scripted model, brought to a moment and photographed."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot

from agent.assemble import Wanted
from agent.model.base import Plain
from agent.model.scripted import ScriptedModel, ScriptedReply
from agent.settings.merge import Flags
from tests.pictures.project import make_project
from tui.app import AgentApp
from tui.start import Start

FONTS = '"JetBrains Mono", "DejaVu Sans Mono", monospace'
CELL = (12.2, 24.4)
SECONDS = 30.0
AT_ONCE = 10_000
Bring = Callable[["Shot"], Awaitable[None]]


@dataclass
class Moment:
    """`replies` is what the model says; `bring` drives the app to where the picture is taken."""

    name: str
    size: tuple[int, int]
    bring: Bring
    replies: Sequence[ScriptedReply | Sequence[Plain]] = ()
    theme: str = "slate"
    mode: str | None = None
    # Seconds between the pieces of what the model says; None: all at once.
    pace: float | None = None


@dataclass
class Shot:
    app: AgentApp
    pilot: Pilot[str]
    project: Path

    def text(self) -> str:
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    async def until(self, words: str) -> None:
        deadline = time.monotonic() + SECONDS
        while words not in self.text():
            assert time.monotonic() < deadline, f"{words!r} did not appear:\n{self.text()}"
            await self.pilot.pause(0.02)

    async def say(self, words: str) -> None:
        self.app.box.draft = words
        await self.pilot.press("enter")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)


async def shoot(moment: Moment, out: Path) -> str:
    """Writes NAME.svg and, where something can draw it, NAME.png; the screen as text."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["HOME"] = scratch
        project = make_project(Path(scratch) / "code")
        model = _model(moment)
        flags = Flags(trusted=True, mode=moment.mode, model="claude-sonnet-5-5")  # pyright: ignore[reportArgumentType]
        wanted = Wanted(folder=str(project), flags=flags, model=model, keep=False)
        start = Start(wanted=lambda: wanted, folder=str(project), theme=moment.theme)
        app = AgentApp(start)
        async with app.run_test(size=moment.size) as pilot:
            shot = Shot(app, pilot, project)
            await shot.until("watch")
            await moment.bring(shot)
            await pilot.pause()
            svg = app.export_screenshot()
            text = shot.text()
        picture(svg, *moment.size, out / moment.name)
        return text


def _model(moment: Moment) -> ScriptedModel:
    if moment.pace is None:
        return ScriptedModel(moment.replies, piece_chars=AT_ONCE)
    pace = moment.pace
    return ScriptedModel(moment.replies, pause=lambda _: asyncio.sleep(pace))


def picture(svg: str, columns: int, rows: int, path: Path) -> None:
    """The inside of the terminal only, without the window that is drawn around it."""
    width, height = int(columns * CELL[0]) - 2, int(rows * CELL[1]) - 2
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL).replace("Fira Code, monospace", FONTS)
    box = f'viewBox="9 42.5 {width} {height}" width="{width}" height="{height}"'
    svg = re.sub(r'viewBox="[^"]*"', box, svg, count=1)
    svg = svg.replace("font-variant-east-asian: full-width;", "font-variant-ligatures: none;")
    path.with_suffix(".svg").write_text(svg)
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print(f"{path.name}: no Chromium found, so there is no PNG of it")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(f"<style>body{{margin:0}}</style>{svg}")
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1")
        quiet = ("--disable-background-networking", "--disable-component-update", "--no-first-run", "--disable-sync")
        size, target = f"--window-size={width},{height}", f"--screenshot={path.with_suffix('.png')}"
        command = [browser, *options, *quiet, f"--user-data-dir={folder}/data", size, target, str(page)]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
