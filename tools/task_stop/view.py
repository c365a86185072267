"""How a TaskStop call looks: what it ended."""

from __future__ import annotations

from tools.tasks.view import TaskView


class TaskStopView(TaskView):
    """One line says it all."""
