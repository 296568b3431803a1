"""A real PostgreSQL that starts by itself, for laptops, tests and first steps.

    with embedded.start(Path("~/.local/share/ingather")) as server:
        psycopg.connect(server.url)

Any number of processes may start the same home: the first one starts the server, the others join it, and the last one
to leave stops it. File locks show which processes still use it. The kernel drops a lock when its process dies, so the
locks are right even after `kill -9`:

    start.lock      held while somebody starts or stops the server; never for long
    holders.lock    shared by every process that uses the server
    server.lock     held by whatever works on the data: the server's processes inherit it from their launcher

A process that is killed (kill -9, or SIGTERM, which runs no exit handler) may leave the server running without users.
That is harmless: the next start joins the server and stops it in the end.
"""

from ingather.embedded.errors import EmbeddedError
from ingather.embedded.server import Server, start, stop, url_if_running

__all__ = ["EmbeddedError", "Server", "start", "stop", "url_if_running"]
