"""Which files a process may still read: a rule set of the Linux kernel (Landlock). All others are closed to it."""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from typing import Final

# The same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
# Numbers of the kernel's interface, see landlock_create_ruleset(2) and linux/landlock.h.
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1

# Rights of a rule, as the kernel numbers them.
_READ_FILE: Final = 1 << 2
_READ_FOLDER: Final = 1 << 3

# The rights that each version of Landlock can forbid: how many of the bits in its manual it knows.
_FILE_BITS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
_FILE_BITS_NOW: Final = 16
_WITH_NETWORK: Final = 4
_NETWORK: Final = 0b11  # bind and connect by TCP
_WITH_SCOPES: Final = 6
_SCOPES: Final = 0b11  # abstract sockets of others, signals to others


def limit_file_access_to_reading(paths: Iterable[str]) -> bool:
    """Nothing but these files and folders can be opened from here on, and only to read them.

    False where the kernel has no Landlock, or a path that is there cannot be
    named to it. Needs `no_new_privs`.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version < 1:
        return False
    rules = _file_access_ruleset(version)
    ruleset = libc.syscall(_CREATE_RULESET, rules, len(rules), 0)
    if ruleset < 0:
        return False
    try:
        is_complete = all(_allow_file_access(libc, ruleset, path) for path in paths)
        return is_complete and libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _file_access_ruleset(version: int) -> bytes:
    files = (1 << _FILE_BITS.get(version, _FILE_BITS_NOW)) - 1
    if version < _WITH_NETWORK:
        return struct.pack("=Q", files)
    if version < _WITH_SCOPES:
        return struct.pack("=QQ", files, _NETWORK)
    return struct.pack("=QQQ", files, _NETWORK, _SCOPES)


def _allow_file_access(libc: ctypes.CDLL, ruleset: int, path: str) -> bool:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return True  # what is not there needs no rule
    try:
        rights = _READ_FILE | (_READ_FOLDER if stat.S_ISDIR(os.fstat(place).st_mode) else 0)
        return bool(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0) == 0)
    finally:
        os.close(place)
