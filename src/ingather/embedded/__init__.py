"""A real PostgreSQL that starts by itself, for laptops, tests and first steps.

    with embedded.start(Path("~/.local/share/ingather")) as server:
        psycopg.connect(server.url)

Any number of processes may start the same home: the first one starts the server, the others join it, and the last one
out stops it. Who is still in is told by file locks, which the kernel drops when a process dies, so `kill -9` confuses
nobody:

    start.lock      held while somebody starts or stops the server; never for long
    holders.lock    shared by every process that uses the server
    server.lock     held by whatever works on the data: the server's processes inherit it from their launcher

A process that dies without goodbye (kill -9, or SIGTERM, which runs no exit handler) may leave the server running with
nobody in. That is harmless: the next start joins it and stops it on its way out.
"""

from ingather.embedded.errors import EmbeddedError
from ingather.embedded.server import Server, start, stop, url_if_running

__all__ = ["EmbeddedError", "Server", "start", "stop", "url_if_running"]
