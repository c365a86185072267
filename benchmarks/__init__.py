"""How fast it is, each thing beside what it is compared with, measured in the same run on the same machine."""
