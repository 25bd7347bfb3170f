"""What is known of single walls: what each stops alone, and what only bubblewrap stops."""

from __future__ import annotations

# Landlock lets a path be looked for, and so a number in /proc.
WITHOUT_BUBBLEWRAP = frozenset({"other processes: which processes there are"})

# By layer, attacks that succeed without any wall and not with this one alone.
ALONE: dict[str, tuple[str, ...]] = {
    "bubblewrap": ("a file of the user's", "ssh keys", "TCP", "the environment of all processes"),
    "limits": ("memory in one piece", "core dumps"),
    "no_new_privs": ("privileges from a program",),
    "capabilities": ("the owner of a file",),
    "landlock": ("a file of the user's", "ssh keys", "a new file"),
    "seccomp": ("UDP", "fork", "a segment of memory", "keys", "io_uring"),
}
