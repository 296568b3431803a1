"""What processes and tables take, read from /proc and from the server."""

import contextlib
from pathlib import Path
from typing import Any

import psycopg

MEGABYTE = 2**20


def family_of(pid: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for parent in found:
        found += [child for child, its in parents.items() if its == parent]
    return found


def memory_mb(pids: list[int]) -> float:
    """What these processes hold; what they share with others counts in parts."""
    kilobytes = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            kilobytes += int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return kilobytes / 1024


def descriptors(pids: list[int]) -> int:
    count = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            count += len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return count


def sizes_mb(conn: psycopg.Connection[Any]) -> dict[str, float]:
    """Of every table of the engine, with its indexes."""
    return {name: size / MEGABYTE for name, size in conn.execute(_SIZES)}


_SIZES = """
select relname, pg_total_relation_size(oid)
  from pg_class where relnamespace = 'ingather'::regnamespace and relkind = 'r'
"""
