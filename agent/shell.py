"""What the settings say of commands: their environment, when they go to the background, and their sandbox."""

from __future__ import annotations

from pathlib import Path

from agent.settings.locations import wanted_state_folder
from agent.settings.merge import Settings
from tools.bash.shell import ShellSettings
from tools.sandbox.sandbox import SandboxChoice, SessionSandbox, Wanted
from tools.sandbox.walls import Places


def shell_settings(settings: Settings, interactive: bool) -> ShellSettings:
    return ShellSettings(
        variables=settings.env,
        hidden_variables=frozenset(settings.values.get("bash.hideEnvironment", ())),
        # Without a person at the screen nobody would see it go.
        auto_background=interactive and bool(settings.values.get("bash.autoBackground")),
    )


def sandbox_of(settings: Settings, folder: str, home: str, results: str = "") -> SessionSandbox:
    """`results`: where the outputs of commands lie; they may be read inside."""
    # Where state is now, which is elsewhere where home cannot be written: results lie four folders below.
    actual = (str(Path(results).parents[3]),) if results else ()
    places = Places(home, (str(wanted_state_folder()), *actual), (results,) if results else ())
    return SessionSandbox(sandbox_choice(settings), (folder, *settings.additional_directories), places)


def sandbox_choice(settings: Settings) -> SandboxChoice:
    said = settings.values.get("bash.sandbox") or "off"
    wanted: Wanted = "on" if said is True else said
    return SandboxChoice(wanted, network=bool(settings.values.get("bash.sandboxNetwork")))
