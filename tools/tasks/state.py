"""A task as the model and the person are told of it."""

from __future__ import annotations

from tools.bash.data import exit_text, leftovers_text
from tools.contract import VALID, Validation
from tools.inputs import ToolOutput
from tools.ports import Task, Tasks, TaskState


class TaskAsItIs(ToolOutput):
    """A task at one moment."""

    task: str
    title: str
    state: TaskState
    seconds: float
    exit_code: int | None = None
    why: str = ""
    left: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """How it stands, in few words."""
        ran = f"{self.seconds:.0f} s"
        match self.state:
            case "running":
                return f"runs since {ran}"
            case "ended":
                ended = exit_text(self.exit_code) or "Exit code 0"
                return f"{ended[0].lower()}{ended[1:]} after {ran}"
            case "stopped":
                return f"stopped after {ran}: {self.why}"
            case "failed":
                return f"failed after {ran}: {self.why}"

    @property
    def sentence(self) -> str:
        return f"{self.task} (`{self.title}`): {self.words}.{told_of(self.left)}"


def told_of(left: tuple[str, ...]) -> str:
    """That a task which put itself into the background went with all it had started there."""
    advice = "A command that is to go on does not end: leave out `&`, `nohup` and `setsid`."
    return f" {leftovers_text(left)} {advice}" if left else ""


def state_of(task: Task, now: float) -> dict[str, object]:
    """The fields of `TaskAsItIs`."""
    ended = now if task.ended is None else task.ended
    return {
        "task": task.id,
        "title": task.title,
        "state": task.state,
        "seconds": round(max(ended - task.started, 0.0), 1),
        "exit_code": task.exit_code,
        "why": task.why,
        "left": task.left,
    }


def known(tasks: Tasks, id: str) -> Validation:
    """Whether there is such a task; if not, which there are."""
    if tasks.get(id) is not None:
        return VALID
    there = ", ".join(f"{task.id} (`{task.title}`)" for task in tasks.all())
    others = f"There are: {there}." if there else "None was started."
    return Validation(f"There is no task {id}. {others}", "no_such_task")
