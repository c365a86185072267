"""What the tools for background tasks share: finding a task, saying how it is, and how that looks."""
