"""What a worker shows to Prometheus and to whoever asks whether it lives. Nothing of it is loaded where it is off.

`serve_telemetry(worker, port)` is all of it; `ingather work --metrics PORT` calls that.
"""

from ingather.telemetry.server import serve_telemetry

__all__ = ["serve_telemetry"]
