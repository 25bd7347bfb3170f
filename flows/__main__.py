"""`python -m flows` is the command `flows`."""

from flows.cli import main

main()
