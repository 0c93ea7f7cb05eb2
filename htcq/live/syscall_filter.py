"""The system calls that a confined process may use: all others fail with EPERM.

A filter of seccomp(2), for good and for all children: what is there can be read and computed;
nothing new is written, run, connected to or signalled. Numbers of the calls are those of the
kernel's asm/unistd_64.h (x86_64) and asm-generic/unistd.h (aarch64), the layout that of
linux/seccomp.h, linux/audit.h and linux/bpf_common.h, Linux 6.1.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass

#: Each call with its number on x86_64 and on aarch64, the most frequent first; - where it has none.
_CALLS = """
read 0 63, write 1 64, mmap 9 222, munmap 11 215, brk 12 214, futex 202 98, close 3 57, fstat 5 80,
newfstatat 262 79, openat 257 56, lseek 8 62, mprotect 10 226, madvise 28 233, mremap 25 216,
rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, ioctl 16 29, fcntl 72 25,
open 2 -, stat 4 -, lstat 6 -, statx 332 291, access 21 -, faccessat 269 48, faccessat2 439 439,
readlink 89 -, readlinkat 267 78, getdents64 217 61, getcwd 79 17, chdir 80 49, statfs 137 43,
fstatfs 138 44, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, fadvise64 221 223,
ftruncate 77 46, flock 73 32, dup 32 23, dup2 33 -, dup3 292 24, pipe 22 -, pipe2 293 59,
memfd_create 319 279, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create1 291 20,
epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, eventfd2 290 19, mincore 27 232,
sendto 44 206, recvfrom 45 207, sendmsg 46 211, recvmsg 47 212, shutdown 48 210,
getsockname 51 204, getsockopt 55 209, clone 56 220, fork 57 -, vfork 58 -, wait4 61 260,
waitid 247 95, exit 60 93, exit_group 231 94, set_robust_list 273 99, get_robust_list 274 100,
rseq 334 293, set_tid_address 218 96, membarrier 324 283, rt_sigpending 127 136,
rt_sigsuspend 130 133, rt_sigtimedwait 128 137, sigaltstack 131 132, restart_syscall 219 128,
kill 62 129, tgkill 234 131, getpid 39 172, getppid 110 173, gettid 186 178, getuid 102 174,
geteuid 107 175, getgid 104 176, getegid 108 177, getpgrp 111 -, getpgid 121 155, getsid 124 156,
getgroups 115 158, getresuid 118 148, getresgid 120 150, getpriority 140 141, sched_yield 24 124,
sched_getaffinity 204 123, sched_getparam 143 121, sched_getscheduler 145 120,
sched_get_priority_max 146 125, sched_get_priority_min 147 126, getcpu 309 168, getrusage 98 165,
times 100 153, clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115,
nanosleep 35 101, gettimeofday 96 169, time 201 -, getitimer 36 102, setitimer 38 103, alarm 37 -,
timer_create 222 107, timer_settime 223 110, timer_gettime 224 108, timer_delete 226 111,
getrandom 318 278, uname 63 160, sysinfo 99 179, umask 95 166, prlimit64 302 261, getrlimit 97 163,
setrlimit 160 164, prctl 157 167, arch_prctl 158 -, capget 125 90
"""
#: The C library falls back to older ones where these do not exist; what they are told lies in
#: memory, which a filter cannot read.
_UNKNOWN = "clone3 435 435, openat2 437 437"

#: Of open(2): to write, to make, to empty a file, or to make one without a name.
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | 0o20000000
#: Of mmap(2): memory that RLIMIT_DATA does not count.
_MAP_SHARED = 0x1
#: Of clone(2): namespaces of its own, a child that is another's or cannot be waited for.
_UNUSUAL = 0x7E020000 | 0x2000 | 0x8000 | 0x800000
#: Of fcntl(2), F_SETOWN, F_SETSIG and F_SETOWN_EX: signals to others.
_SIGNALS = (8, 10, 15)
#: Of ioctl(2): what a stream is, its size, what it has, whether it waits or stays open. Others put
#: input into a terminal.
_STREAMS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
#: Numbers of calls with 32-bit pointers on x86_64 begin here.
_X32 = 0x40000000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_REFUSE, _IS_UNKNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2


@dataclass(frozen=True)
class _Only:
    """A call is allowed by one of its arguments: with none of ``bits``, or one of ``values``.

    ``but``: with none of ``values``.
    """

    argument: int
    bits: int = 0
    values: tuple[int, ...] = ()
    but: bool = False


_Step = tuple[int, int, int, int]


def restrict() -> str:
    """Leave this process, and all that it starts, the calls of the list; return why it cannot be.

    Privileges that can be gained must have been given up (PR_SET_NO_NEW_PRIVS).
    """
    machine = platform.machine()
    if machine not in _ARCHITECTURES or sys.maxsize < 2**32:
        return f"there is no list of system calls for {machine}"
    steps = list(_program(machine, os.getpid()))
    instructions = b"".join(_instruction(step) for step in steps)
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = _Program(len(steps), ctypes.cast(buffer, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0):
        return os.strerror(ctypes.get_errno())
    return ""


class _Program(ctypes.Structure):
    """A sock_fprog of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def _instruction(step: _Step) -> bytes:
    """Return a sock_filter of linux/filter.h."""
    code, true, false, value = step
    return code.to_bytes(2, sys.byteorder) + bytes((true, false)) + value.to_bytes(4, sys.byteorder)


def _program(machine: str, own: int) -> Iterator[_Step]:
    """Yield the steps of the filter for a process with the number ``own``."""
    token, column = _ARCHITECTURES[machine]
    yield (_LOAD, 0, 0, _ARCHITECTURE)
    yield (_EQUAL, 1, 0, token)
    yield (_RETURN, 0, 0, _KILL)
    yield (_LOAD, 0, 0, _NUMBER)
    if machine == "x86_64":
        yield (_AT_LEAST, 0, 1, _X32)
        yield (_RETURN, 0, 0, _REFUSE)
    only = _limited(own)
    for name, number in _numbers(_CALLS, column):
        steps = list(_checks(only[name])) if name in only else [(_RETURN, 0, 0, _ALLOW)]
        yield (_EQUAL, 0, len(steps), number)
        yield from steps
    for _, number in _numbers(_UNKNOWN, column):
        yield (_EQUAL, 0, 1, number)
        yield (_RETURN, 0, 0, _IS_UNKNOWN)
    yield (_RETURN, 0, 0, _REFUSE)


def _limited(own: int) -> dict[str, _Only]:
    """Return which calls are allowed in part."""
    return {
        "open": _Only(1, bits=_WRITING),
        "openat": _Only(2, bits=_WRITING),
        "mmap": _Only(3, bits=_MAP_SHARED),
        "clone": _Only(0, bits=_UNUSUAL),
        "fcntl": _Only(1, values=_SIGNALS, but=True),
        "ioctl": _Only(1, values=_STREAMS),
        "prlimit64": _Only(0, values=(0, own)),
        "kill": _Only(0, values=(own,)),
        "tgkill": _Only(0, values=(own,)),
    }


def _numbers(calls: str, column: int) -> Iterator[tuple[str, int]]:
    for call in calls.replace("\n", " ").split(","):
        name, *numbers = call.split()
        if numbers[column] != "-":
            yield name, int(numbers[column])


def _checks(only: _Only) -> Iterator[_Step]:
    """Yield the steps for a call that is allowed in part; all of them end it.

    The lower half of an argument, which is first in memory on both architectures, has all that is
    looked at: these are numbers of 32 bits in the kernel too, but for the bits of clone and mmap,
    whose upper halves mean nothing.
    """
    yield (_LOAD, 0, 0, _ARGUMENTS + 8 * only.argument)
    if only.bits:
        yield (_ANY_BIT, 0, 1, only.bits)
        yield (_RETURN, 0, 0, _REFUSE)
        yield (_RETURN, 0, 0, _ALLOW)
        return
    listed, other = (_REFUSE, _ALLOW) if only.but else (_ALLOW, _REFUSE)
    for value in only.values:
        yield (_EQUAL, 0, 1, value)
        yield (_RETURN, 0, 0, listed)
    yield (_RETURN, 0, 0, other)
