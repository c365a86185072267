"""What Edit and Write share: looking at a file before it is changed, the change itself, and how it looks."""
