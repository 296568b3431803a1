"""`Ingather`: the engine, with its database taken from the environment or started on this machine."""

from collections.abc import Collection
from datetime import timedelta

from ingather import embedded
from ingather.engine.engine import Engine
from ingather.engine.errors import DatabaseUnavailable
from ingather.engine.migrations import migrate
from ingather.settings import Settings

# Held until the process ends: the embedded server stops when the last process that holds it is gone.
_servers: list[embedded.Server] = []


class Ingather(Engine):
    """An application: register handlers on it, scatter work through it, run workers from it.

    Without a url it takes DATABASE_URL, and without that the embedded
    PostgreSQL, which starts by itself and is brought up to date by itself.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        lease: float | None = None,
        max_payload: int | None = None,
        keep: timedelta | None = None,
    ) -> None:
        settings = Settings.from_environment()
        super().__init__(
            url or settings.database_url or (lambda: start_embedded(settings, self.database.rooms)),
            lease=settings.lease_s if lease is None else lease,
            max_payload=settings.max_payload if max_payload is None else max_payload,
            keep=settings.keep if keep is None else keep,
        )


def start_embedded(settings: Settings, rooms: Collection[str]) -> str:
    """The address of this user's own PostgreSQL, started, or joined if it runs, with its tables up to date."""
    try:
        server = embedded.start(settings.home, chosen=settings.postgres)
    except embedded.EmbeddedError as error:
        raise DatabaseUnavailable(str(error)) from error
    server.watch()
    _servers.append(server)
    migrate(server.url, rooms)
    return server.url
