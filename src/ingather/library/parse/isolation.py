"""Closes everything to the process that reads a file, before the file is looked at: other files, network, processes.

The file may hold code that takes the process over. What such code then finds
is one file in memory, one pipe to answer through, and the program's own
folders to read. Each protection is put up where the system has it, and those
that could not be had are returned by name: `doctor` says them.
"""

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Final

from ingather.library.parse.file_access import limit_file_access_to_reading
from ingather.library.parse.system_calls import keep_few_system_calls

# Numbers of Linux, see prctl(2).
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38

# The account that owns nothing, by convention.
_NOBODY: Final = 65_534

# A recogniser of text looks up how many processors there are; PDFium looks for fonts that a file does not carry.
_OF_THE_SYSTEM: Final = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/fonts", "/usr/local/share/fonts",
    "/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/localtime", "/proc/cpuinfo", "/proc/meminfo", "/proc/self/maps",
    "/sys/devices/system/cpu", "/dev/null", "/dev/urandom",
)  # fmt: skip

# The version of the header of `capset`, and its two empty sets.
_NO_RIGHTS: Final = (0x2008_0522, 0)


def isolate() -> tuple[str, ...]:
    """Puts up every protection there is. Returns the names of those that could not be had."""
    if sys.platform != "linux":
        return ("user", "files", "system calls")
    libc = ctypes.CDLL(None)
    folders = _folders_open_in_isolation()
    missing = []
    if not _leave_root_for_isolation(libc, folders):
        missing.append("user")
    # A process that changes its account no longer ends with its parent, so that is arranged once more.
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if not limit_file_access_to_reading([*folders, *_OF_THE_SYSTEM]):
        missing.append("files")
    if not keep_few_system_calls():
        missing.append("system calls")
    return tuple(missing)


def _folders_open_in_isolation() -> list[str]:
    """Where Python and its packages are: modules that are needed late are still found."""
    of_python = (os.path.realpath(sys.base_prefix), os.path.realpath(sys.prefix))
    wanted = [*sys.path, *(str(Path(prefix, "lib")) for prefix in of_python)]
    return [path for path in wanted if path]


def _leave_root_for_isolation(libc: ctypes.CDLL, folders: list[str]) -> bool:
    """As root, become the account that owns nothing; anybody else keeps an account that is no root.

    Where that account could not reach the program's own folders (they are in
    root's home, say), the process stays root without any of its rights.
    """
    if os.geteuid() != 0:
        return True
    can_move = all(_is_open_to_isolated_account(Path(folder)) for folder in folders)
    try:
        if can_move:
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except OSError:  # in a container that has no such account
        can_move = False
    header, sets = (ctypes.c_uint32 * 2)(*_NO_RIGHTS), (ctypes.c_uint32 * 6)()
    return libc.capset(header, sets) == 0 and can_move


def _is_open_to_isolated_account(path: Path) -> bool:
    """Whether any account may read this, and pass through all the folders above it."""
    if not path.exists():
        return True
    real = path.resolve()
    return real.stat().st_mode & 0o004 != 0 and all(folder.stat().st_mode & 0o001 for folder in real.parents)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(isolate()))
