"""A small HTTP server beside a worker, in a thread of its own: it answers also while a handler blocks the loop."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from ingather.engine.errors import UsageError
from ingather.engine.worker import Worker
from ingather.telemetry.counts import WorkerCounts
from ingather.telemetry.exposition import CONTENT_TYPE, exposition_of_worker

log: Final = logging.getLogger("ingather.telemetry")

# A connection that says nothing for so long is closed. Longer lets slow callers keep threads.
PATIENCE_S: Final = 5.0


@contextmanager
def serve_telemetry(worker: Worker, port: int, *, host: str = "", ports: int = 1) -> Iterator[int]:
    """Serve a worker's `/metrics`, `/healthz` and `/readyz` while this lasts, on the first free one of so many ports.
    Gives that port. The worker must not have started yet."""
    counts = worker.observer = WorkerCounts()
    server = _bound(worker, counts, host, range(port, port + ports))
    thread = threading.Thread(target=server.serve_forever, name="ingather telemetry", daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _bound(worker: Worker, counts: WorkerCounts, host: str, ports: range) -> ThreadingHTTPServer:
    class Answers(TelemetryRequest):
        watched = worker
        counted = counts

    problem: OSError | None = None
    for port in ports:
        try:
            server = ThreadingHTTPServer((host, port), Answers)
        except (OSError, OverflowError) as error:
            problem = error if isinstance(error, OSError) else OSError(str(error))
            continue
        server.daemon_threads = True
        return server
    raise UsageError(f"Metrics cannot be served on port {ports.start}: {problem}.")


class TelemetryRequest(BaseHTTPRequestHandler):
    """One question about the worker."""

    timeout = PATIENCE_S
    server_version = "ingather"
    watched: Worker
    counted: WorkerCounts

    def do_GET(self) -> None:  # the name that the library calls
        match self.path.partition("?")[0]:
            case "/metrics":
                self._answer(200, exposition_of_worker(self.watched, self.counted), CONTENT_TYPE)
            case "/healthz":
                self._answer(200, "ok\n")
            case "/readyz":
                is_ready = self.watched.is_connected
                self._answer(200 if is_ready else 503, "ready\n" if is_ready else "the database does not answer\n")
            case _:
                self._answer(404, "There are /metrics, /healthz and /readyz.\n")

    def _answer(self, status: int, text: str, media_type: str = "text/plain; charset=utf-8") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        log.debug(format, *args)
