"""System calls by number on the two machines that the filter knows, and which are denied."""

from __future__ import annotations

from dataclasses import dataclass

# The numbers on x86_64 and on aarch64; None where the machine does not have the call.
_BOTH: dict[str, tuple[int | None, int | None]] = {
    "ioctl": (16, 29),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "personality": (135, 92),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fork": (57, None),
    "vfork": (58, None),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "sendto": (44, 206),
    "setsid": (112, 157),
    "setpgid": (109, 154),
}

# Addressing a peer, or waiting for one: without these a socket reaches nobody new.
_NETWORK: dict[str, tuple[int | None, int | None]] = {
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
}

_DENIED: dict[str, tuple[int | None, int | None]] = {
    # other programs
    "execve": (59, 221),
    "execveat": (322, 281),
    "uselib": (134, None),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    # namespaces, mounts, roots
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    # wide and young parts of the kernel
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "vmsplice": (278, 75),
    "lsm_set_self_attr": (460, 460),
    # memory and disk that no limit counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "fallocate": (285, 47),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184),
    "mq_getsetattr": (245, 185),
    # files by other ways than their path
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "lookup_dcookie": (212, 18),
    # what is said about a file, which Landlock does not cover
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "mknod": (133, None),
    "mknodat": (259, 33),
    # the machine
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "vhangup": (153, 58),
    "ustat": (136, None),
    "sysfs": (139, None),
    "_sysctl": (156, None),
    "nfsservctl": (180, 42),
}

# What is younger than this list is answered as an old kernel would: it does not exist.
LAST_KNOWN = 462


@dataclass(frozen=True)
class Machine:
    """One architecture: its audit number, its column of the tables, and the bit of a second ABI."""

    name: str
    audit: int
    column: int
    second_abi: int | None = None

    def number(self, name: str) -> int | None:
        return {**_BOTH, **_NETWORK, **_DENIED}[name][self.column]

    def denied(self) -> list[int]:
        return self._numbers(_DENIED)

    def network(self) -> list[int]:
        return self._numbers(_NETWORK)

    def _numbers(self, table: dict[str, tuple[int | None, int | None]]) -> list[int]:
        return [each for row in table.values() if (each := row[self.column]) is not None]


MACHINES = {
    "x86_64": Machine("x86_64", 0xC000003E, 0, second_abi=0x40000000),
    "aarch64": Machine("aarch64", 0xC00000B7, 1),
}
