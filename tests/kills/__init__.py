"""The kill test: runs are killed at every point of their record and at random moments, and go on.

    python -m tests.kills --kills 1000
    python -m tests.kills --naive          the same with a journal that must not pass

What is counted at the end is what the world saw: rows, memories, letters, questions, files, model
calls. `--help` tells the options; the exit code is 1 when anything is not as it must be.
"""
