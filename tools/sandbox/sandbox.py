"""The sandbox of a session: which walls it has, what of them cannot be had here, and commands put inside."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tools.bash.environment import find_program
from tools.ports import Confined, SandboxState
from tools.sandbox import bubblewrap, seatbelt
from tools.sandbox.blame import blame
from tools.sandbox.seccomp import AF_UNIX, AF_VSOCK, can_filter, socket_filter
from tools.sandbox.walls import Places, Walls, walls_for

Wanted = Literal["off", "on", "auto-allow"]
Mechanism = Literal["bubblewrap", "landlock", "seatbelt", ""]

_NAMES = {"bubblewrap": "bubblewrap", "landlock": "Landlock", "seatbelt": "sandbox-exec"}
RETRY = (
    "If the command needs that, run it again with `dangerously_disable_sandbox`: the person is then asked. "
    "If it does not, do it another way."
)


@dataclass(frozen=True, slots=True)
class SandboxChoice:
    """What the settings say. `auto-allow`: what stays inside need not be asked about."""

    wanted: Wanted = "off"
    network: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What there is on this machine, and why better is not to be had."""

    name: Mechanism = ""
    program: str = ""
    why_not: str = ""


class SessionSandbox:
    """`tools.ports.Sandbox`. The first look at `state` may run bubblewrap once, on nothing."""

    def __init__(
        self,
        choice: SandboxChoice,
        roots: tuple[str, ...],
        places: Places,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._choice = choice
        self._roots = roots
        self._places = places
        self._environ = environ
        self._found: Found | None = None
        # By how many commands each is needed.
        self._stand_ins: Counter[str] = Counter()
        self._lock = threading.Lock()

    def use(self, choice: SandboxChoice, roots: tuple[str, ...]) -> None:
        """Another choice from now on."""
        self._choice, self._roots, self._found = choice, roots, None

    def notices(self) -> list[str]:
        """What is wanted and cannot be had is said before anything runs. It may take a moment to find out."""
        wanted = self._choice.wanted != "off"
        return [f"The sandbox is {self.state.sentence}."] if wanted and self.state.lacks else []

    @property
    def state(self) -> SandboxState:
        return state_of(self._choice, self._mechanism)

    def confine(self, argv: tuple[str, ...], roots: tuple[str, ...], own_files: tuple[str, ...]) -> Confined:
        walls = self._walls(roots, own_files)
        match self._mechanism.name:
            case "bubblewrap":
                inside = (self._mechanism.program, *bubblewrap.arguments(walls), "--", *argv)
                # Its network is empty, and cut off; what is left are sockets that are files, and the machine's host.
                filter = socket_filter(families=(AF_UNIX, AF_VSOCK))
                return Confined(inside, feed=filter, stand_ins=walls.missing, unwanted=walls.unwanted)
            case "seatbelt":
                return Confined(seatbelt.argv(walls, argv), unwanted=walls.unwanted)
            case _:
                return Confined(argv, _landlock_rules(walls))

    def release(self, confined: Confined) -> None:
        """A stand-in goes with the last command that needs it, unless somebody has put something there."""
        for path in confined.unwanted:
            with contextlib.suppress(OSError):
                os.unlink(path)
        with self._lock:
            self._stand_ins.subtract(confined.stand_ins)
            for folder in [folder for folder in confined.stand_ins if self._stand_ins[folder] <= 0]:
                del self._stand_ins[folder]
                with contextlib.suppress(OSError):
                    os.rmdir(folder)

    def blame(self, output: str) -> str:
        kept_from = blame(output, network=self._choice.network)
        return f"The sandbox seems to have kept it from {kept_from}. {RETRY}" if kept_from else ""

    def _walls(self, roots: tuple[str, ...], own_files: tuple[str, ...]) -> Walls:
        """One command after the other: what stands in for something while one runs is not there for the next."""
        network = self._choice.network
        with self._lock:
            standing = frozenset(self._stand_ins)
            walls = walls_for(roots, own_files, self._places, self._environ, network=network, standing_in=standing)
            if self._mechanism.name == "bubblewrap":
                self._stand_ins.update(walls.missing)
        return walls

    @property
    def _mechanism(self) -> Found:
        if self._found is None:
            probe = self._choice.wanted != "off"
            self._found = find_mechanism(self._roots, self._places, self._environ, probe=probe)
        return self._found


def _landlock_rules(walls: Walls) -> dict[str, object]:
    families = (AF_UNIX, AF_VSOCK) if walls.network else None
    return {
        "writable": walls.writable,
        "hidden": walls.hidden,
        "shown": walls.shown,
        "network": walls.network,
        "filter": socket_filter(families=families).hex(),
    }


def state_of(choice: SandboxChoice, found: Found) -> SandboxState:
    if choice.wanted == "off":
        there = f"{_NAMES[found.name]} is there" if found.name else found.why_not
        return SandboxState(active=False, sentence=f"off; {there}", mechanism=found.name)
    if not found.name:
        sentence = f"wanted, but not to be had: {found.why_not}; commands that change something ask first"
        return SandboxState(active=False, sentence=sentence, missing=True, lacks="no sandbox")
    network = "the network is open to them" if choice.network else "they have no network"
    told = [f"commands write only in the workspace and the temporary folder, and {network}", found.why_not]
    why = _why_it_asks(choice, found)
    told.append(f"they ask as always: {why}" if why else "")
    sentence = f"on, with {_NAMES[found.name]}: " + "; ".join(part for part in told if part)
    asks_less = choice.wanted == "auto-allow" and not why
    return SandboxState(True, sentence, found.name, asks_less, lacks="sandbox asks" if why else "")


def _why_it_asks(choice: SandboxChoice, found: Found) -> str:
    """Why commands in the sandbox are asked about although the settings say they need not be; empty where not."""
    if choice.wanted != "auto-allow":
        return ""
    if found.name == "landlock":
        return "Landlock cannot protect git's hooks and our settings in the workspace"
    return "with the network open what they read could be sent away" if choice.network else ""


def find_mechanism(roots: tuple[str, ...], places: Places, environ: Mapping[str, str], *, probe: bool) -> Found:
    if sys.platform == "darwin":
        there = os.access(seatbelt.PROGRAM, os.X_OK)
        return Found("seatbelt", seatbelt.PROGRAM) if there else Found(why_not="sandbox-exec is not there")
    if sys.platform != "linux":
        return Found(why_not="this system has none that we know")
    program = find_program("bwrap", environ, roots)
    why_not = "bubblewrap is not installed"
    if program is not None and can_filter():
        walls = walls_for(roots, (), places, environ, network=False)
        why_not = bubblewrap.works(program, walls) if probe else ""
        if not why_not:
            return Found("bubblewrap", program)
        why_not = f"bubblewrap does not work here ({why_not})"
    from tools.sandbox.landlock import version  # loads ctypes

    if version() and can_filter():
        return Found("landlock", why_not=why_not)
    return Found(why_not=f"{why_not}, and this kernel has no Landlock")
