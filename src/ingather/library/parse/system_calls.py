"""The system calls that a process keeps once it has read its file: a filter of the Linux kernel (seccomp).

Whatever is not listed fails with EPERM, so that a library which tries more is
refused and goes on. A process cannot get rid of its filter.
"""

import ctypes
import os
import platform
import struct
from typing import Final

# Memory, time, threads and reading. Nothing here reaches another process, another machine, or changes a file.
_X86_64: Final = {
    "read": 0,
    "write": 1,
    "readv": 19,
    "writev": 20,
    "pread64": 17,
    "close": 3,
    "fstat": 5,
    "stat": 4,
    "lstat": 6,
    "newfstatat": 262,
    "statx": 332,
    "lseek": 8,
    "mmap": 9,
    "mprotect": 10,
    "munmap": 11,
    "mremap": 25,
    "madvise": 28,
    "msync": 26,
    "mincore": 27,
    "brk": 12,
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "sigaltstack": 131,
    "open": 2,
    "openat": 257,
    "access": 21,
    "faccessat": 269,
    "faccessat2": 439,
    "readlink": 89,
    "readlinkat": 267,
    "getdents64": 217,
    "getcwd": 79,
    "fadvise64": 221,
    "fcntl": 72,
    "dup": 32,
    "dup2": 33,
    "dup3": 292,
    "poll": 7,
    "ppoll": 271,
    "select": 23,
    "pselect6": 270,
    "futex": 202,
    "set_robust_list": 273,
    "rseq": 334,
    "sched_yield": 24,
    "sched_getaffinity": 204,
    "getcpu": 309,
    "getpid": 39,
    "gettid": 186,
    "getppid": 110,
    "getuid": 102,
    "geteuid": 107,
    "getgid": 104,
    "getegid": 108,
    "gettimeofday": 96,
    "clock_gettime": 228,
    "clock_getres": 229,
    "clock_nanosleep": 230,
    "nanosleep": 35,
    "time": 201,
    "getrandom": 318,
    "exit": 60,
    "exit_group": 231,
    "getrlimit": 97,
    "getrusage": 98,
    "sysinfo": 99,
    "uname": 63,
    "arch_prctl": 158,
    "set_tid_address": 218,
    "membarrier": 324,
    "restart_syscall": 219,
}
_AARCH64: Final = {
    "read": 63, "write": 64, "readv": 65, "writev": 66, "pread64": 67, "close": 57, "fstat": 80, "newfstatat": 79,
    "statx": 291, "lseek": 62, "mmap": 222, "mprotect": 226, "munmap": 215, "mremap": 216, "madvise": 233,
    "msync": 227, "mincore": 232, "brk": 214, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139,
    "sigaltstack": 132, "openat": 56, "faccessat": 48, "faccessat2": 439, "readlinkat": 78, "getdents64": 61,
    "getcwd": 17, "fadvise64": 223, "fcntl": 25, "dup": 23, "dup3": 24, "ppoll": 73, "pselect6": 72, "futex": 98,
    "set_robust_list": 99, "rseq": 293, "sched_yield": 124, "sched_getaffinity": 123, "getcpu": 168, "getpid": 172,
    "gettid": 178, "getppid": 173, "getuid": 174, "geteuid": 175, "getgid": 176, "getegid": 177,
    "gettimeofday": 169, "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115, "nanosleep": 101,
    "getrandom": 278, "exit": 93, "exit_group": 94, "getrlimit": 163, "getrusage": 165, "sysinfo": 179,
    "uname": 160, "set_tid_address": 96, "membarrier": 283, "restart_syscall": 128,
}  # fmt: skip

# Calls that are allowed with certain arguments only, or refused in a way of their own.
_CLONE: Final = {"x86_64": 56, "aarch64": 220}
_CLONE3: Final = 435  # the same number on both
_TGKILL: Final = {"x86_64": 234, "aarch64": 131}
_PRLIMIT: Final = {"x86_64": 302, "aarch64": 261}
_PRCTL: Final = {"x86_64": 157, "aarch64": 167}
_IOCTL: Final = {"x86_64": 16, "aarch64": 29}

# The kernel's names for the two architectures, and the bit that marks calls of the 32-bit flavour of x86_64.
_ARCH: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32: Final = 0x4000_0000

# Arguments that make an allowed call harmless: a new thread, and the name of a thread.
_CLONE_THREAD: Final = 0x0001_0000
_PR_SET_NAME: Final = 15  # see prctl(2)
_TCGETS: Final = 0x5401  # whether a file is a terminal, which Python asks of files it opens

# Instructions of the kernel's filter machine: load a word, compare it, test bits of it, answer.
_LOAD, _EQUAL, _BITS, _AT_LEAST, _ANSWER = 0x20, 0x15, 0x45, 0x35, 0x06
# Where a filter finds the call's number, the architecture, and the low halves of the first two arguments.
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
# Answers of the filter, as the kernel numbers them (linux/seccomp.h).
_ALLOW: Final = 0x7FFF_0000
_KILL: Final = 0x8000_0000  # another architecture: its numbers mean other calls
_REFUSE: Final = 0x0005_0000 | 1  # EPERM
_UNKNOWN: Final = 0x0005_0000 | 38  # ENOSYS: the C library then falls back on `clone`, whose flags can be looked at

# Numbers of Linux, see prctl(2) and seccomp(2).
_PR_SET_SECCOMP: Final = 22
_SECCOMP_MODE_FILTER: Final = 2  # a program decides, in place of a fixed list


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def keep_few_system_calls() -> bool:
    """Installs the filter for this process and its threads; False where the kernel or the architecture has none.

    Needs `no_new_privs`.
    """
    machine = platform.machine()
    if machine not in _ARCH:
        return False
    instructions = _system_call_filter(machine, os.getpid())
    program = _Program(len(instructions) // 8, instructions)
    return bool(ctypes.CDLL(None).prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def _system_call_filter(machine: str, pid: int) -> bytes:
    calls = _X86_64 if machine == "x86_64" else _AARCH64
    steps = [
        _system_call_filter_step(_LOAD, _ARCHITECTURE),
        _system_call_filter_step(_EQUAL, _ARCH[machine], 1, 0),
        _system_call_filter_step(_ANSWER, _KILL),
    ]
    steps += [
        _system_call_filter_step(_LOAD, _NUMBER),
        _system_call_filter_step(_AT_LEAST, _X32, 0, 1),
        _system_call_filter_step(_ANSWER, _REFUSE),
    ]
    for number in sorted(calls.values()):
        steps += [_system_call_filter_step(_EQUAL, number, 0, 1), _system_call_filter_step(_ANSWER, _ALLOW)]
    steps += [_system_call_filter_step(_EQUAL, _CLONE3, 0, 1), _system_call_filter_step(_ANSWER, _UNKNOWN)]
    steps += _allow_system_call_if(_CLONE[machine], _FIRST, _BITS, _CLONE_THREAD)
    # abort() ends a process by a signal to itself.
    steps += _allow_system_call_if(_TGKILL[machine], _FIRST, _EQUAL, pid)
    steps += _allow_system_call_if(_PRLIMIT[machine], _FIRST, _EQUAL, 0)
    steps += _allow_system_call_if(_PRCTL[machine], _FIRST, _EQUAL, _PR_SET_NAME)
    steps += _allow_system_call_if(_IOCTL[machine], _SECOND, _EQUAL, _TCGETS)
    return b"".join([*steps, _system_call_filter_step(_ANSWER, _REFUSE)])


def _allow_system_call_if(number: int, argument: int, test: int, operand: int) -> list[bytes]:
    """Allows a call if its argument passes a test; the number is in the register before and refused after."""
    return [
        _system_call_filter_step(_EQUAL, number, 0, 4),
        _system_call_filter_step(_LOAD, argument),
        _system_call_filter_step(test, operand, 0, 1),
        _system_call_filter_step(_ANSWER, _ALLOW),
        _system_call_filter_step(_ANSWER, _REFUSE),
    ]


def _system_call_filter_step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)
