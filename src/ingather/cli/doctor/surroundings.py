"""Checks of what stands around the work: encodings and settings, replicas, room on the disk, retention."""

import shutil
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ingather.cli.quantities import show_duration
from ingather.engine.statements import health as sql

if TYPE_CHECKING:
    from ingather.cli.doctor.checks import ExaminedDatabase, Level

# Aggregators prune in rounds, so batches are a little older than they may be. Longer behind means that more closes than
# is pruned, or that no worker runs with INGATHER_KEEP.
LATE_PRUNING: Final = timedelta(hours=1)
# Free shares of the server's disk. Below the first, somebody should plan; below the second, a day of work may fill
# it, and a full disk stops every commit.
LITTLE_ROOM, TOO_LITTLE_ROOM = 0.15, 0.05


def surrounding_encoding(database: "ExaminedDatabase") -> tuple["Level", str]:
    """What the database can hold, and what operators set for its connections."""
    [(found,)] = database.rows(sql.ENCODING)
    if found == "SQL_ASCII":
        return "wrong", "The database has no encoding (SQL_ASCII); workers refuse it. Make one with encoding UTF8."
    if found != "UTF8":
        return "note", (
            f"The database has encoding {found}: payloads and results with characters it cannot hold are refused. "
            "A database with encoding UTF8 holds all."
        )
    return "ok", "The database holds every character (UTF8)."


def surrounding_settings(database: "ExaminedDatabase") -> tuple["Level", str]:
    """Set for the database or a role. Our own connections state theirs; a pooler's and a caller's do not."""
    found = [f"{name} = {value}" for name, value in database.rows(sql.FOREIGN_SETTINGS)]
    if found:
        return "note", (
            f"Set for this database or its roles: {', '.join(found)}. The engine's direct connections state their own; "
            "through a pooler, and for `conn=`, they may be refused."
        )
    return "ok", "Nothing is set for this database that would change what its connections mean."


def surrounding_replicas(database: "ExaminedDatabase") -> tuple["Level", str]:
    """Whether commits wait for a replica, and whether there is one to wait for."""
    [(names, commit, synchronous, others)] = database.rows(sql.REPLICAS)
    if names and commit not in {"off", "local"} and not synchronous:
        return "wrong", (
            f"Commits wait for a replica (synchronous_standby_names = '{names}') and none is connected as one, so "
            "every commit stands still. Start one, or empty the setting."
        )
    if names:
        return "ok", f"What is committed is on {synchronous} synchronous replica(s) as well."
    if others:
        return "note", (
            f"{others} replica(s) follow, and no commit waits for them: a failover may lose the last commits. "
            "Set synchronous_standby_names if that must not be."
        )
    return "ok", "No replica follows this server."


def surrounding_disk(database: "ExaminedDatabase") -> tuple["Level", str]:
    """Room for the server's data, where it is on this machine."""
    host = database.conn.info.host
    if not host.startswith("/"):
        return "ok", "The server is on another machine or in a container; its disk cannot be seen from here."
    [(folder,)] = database.rows(sql.DATA_FOLDER)
    try:
        room = shutil.disk_usage(Path(folder))
    except OSError as error:
        return "ok", f"The disk of {folder} cannot be seen from here: {error.strerror}."
    share = room.free / room.total
    sentence = f"{room.free / 1e9:,.1f} GB of {room.total / 1e9:,.1f} GB are free on the disk of {folder}."
    if share < TOO_LITTLE_ROOM:
        return "wrong", f"{sentence} A full disk stops every commit: free some, or prune."
    return ("note" if share < LITTLE_ROOM else "ok"), sentence


def surrounding_retention(database: "ExaminedDatabase", keep: timedelta | None) -> tuple["Level", str]:
    """Whether pruning keeps up with what this machine's INGATHER_KEEP says."""
    [(oldest_s,)] = database.rows(sql.OLDEST_CLOSED)
    if keep is None:
        return "ok", "Closed batches are kept for ever: INGATHER_KEEP is not set here."
    if oldest_s is not None and timedelta(seconds=oldest_s) > keep + LATE_PRUNING:
        return "wrong", (
            f"The oldest closed batch is {show_duration(oldest_s)} old and should be kept for "
            f"{show_duration(keep.total_seconds())}: do workers run with INGATHER_KEEP? `ingather prune` catches up."
        )
    return "ok", f"No batch is kept for longer than {show_duration(keep.total_seconds())}."
