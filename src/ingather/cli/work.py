"""`ingather work`: find the app, run a worker of it, or a crew of several."""

import importlib
import logging
import os
import signal
import sys
import threading
import time
import traceback
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from ingather import ItemLogFilter
from ingather.cli import crew
from ingather.engine.engine import Engine
from ingather.engine.errors import IngatherError, UsageError
from ingather.engine.worker import Worker

log = logging.getLogger("ingather.work")

# How often a worker looks whether its parent lives. Longer leaves a worker without a supervisor for that long.
PARENT_POLL_S = 0.25


def work_command(arguments: Namespace) -> int:
    if arguments.processes > 1:
        return crew.run_crew(arguments)
    # Until the worker installs its own handlers it holds no items: to end at once is a graceful stop.
    signal.signal(signal.SIGTERM, _leave_work_by_signal)
    if arguments.parent is not None:
        threading.Thread(target=_follow_parent_of_work, args=(arguments.parent,), daemon=True).start()
    app = find_app_to_work_for(arguments.app)
    set_up_log_of_work()
    worker = app.worker(
        concurrency=arguments.concurrency,
        queues=arguments.queue,
        child_items=arguments.child_items,
        child_memory_mb=arguments.child_memory,
    )
    app.check()
    kinds = ", ".join(app.kinds)
    lanes = ", ".join(arguments.queue) if arguments.queue else "all queues"
    log.info("working on %s from %s, %s at once", kinds, lanes, arguments.concurrency)
    with _telemetry_of_work(worker, arguments):
        worker.run(grace=arguments.grace)
    log.info("stopped")
    return 0


@contextmanager
def _telemetry_of_work(worker: Worker, arguments: Namespace) -> Iterator[None]:
    if arguments.metrics is None:
        yield
        return
    from ingather.telemetry import serve_telemetry  # noqa: PLC0415  # who has not asked for it does not load it

    with serve_telemetry(worker, arguments.metrics, ports=arguments.metrics_ports) as port:
        log.info("metrics on port %s", port)
        yield


class _Terminated(SystemExit):
    """SIGTERM arrived. A class of its own, because the user's module may raise SystemExit while it is imported."""


def _leave_work_by_signal(*_: object) -> None:
    raise _Terminated(0)


def find_app_to_work_for(name: str) -> Engine:
    """The Ingather that MODULE:APP names, looked for from the current folder."""
    module_name, colon, attribute = name.partition(":")
    if module_name.endswith(".py") or "/" in module_name:
        dotted = ".".join(Path(module_name).with_suffix("").parts)
        raise UsageError(
            f"{module_name!r} is a file. Name its module instead: {dotted.strip('./')}:{attribute or 'app'}."
        )
    if not (module_name and colon and attribute):
        raise UsageError(f"{name!r} does not name an app. Write MODULE:APP, such as jobs:app for `app` in jobs.py.")
    module = _import_module_to_work_for(module_name)
    known = ", ".join(f"{module_name}:{key}" for key, value in vars(module).items() if isinstance(value, Engine))
    advice = f" It has {known}." if known else " It has no Ingather at all."
    try:
        app = getattr(module, attribute)
    except AttributeError:
        raise UsageError(f"Module {module_name} has no attribute {attribute!r}.{advice}") from None
    if not isinstance(app, Engine):
        raise UsageError(f"{name} is of type {type(app).__name__}, not an Ingather.{advice}")
    if not app.kinds:
        raise UsageError(
            f"{name} has no handlers, so there is nothing to work on. If they are in another module, import it there."
        )
    return app


def _import_module_to_work_for(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except _Terminated:
        raise
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise UsageError(f"There is no module {error.name} in {here} or among the installed packages.") from None
        raise _broken_module_to_work_for(name, error) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001  # it is the user's module: it may raise anything
        raise _broken_module_to_work_for(name, error) from None


def _broken_module_to_work_for(name: str, error: BaseException) -> IngatherError:
    """The module is there but does not load: what it raised and the line of it that did."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if len(frames) > 1 else ""
    return IngatherError(f"Module {name} cannot be imported: {type(error).__name__}: {error}{place}")


def set_up_log_of_work() -> None:
    """Sentences with time and process on stderr, unless the app has set up logging itself."""
    root = logging.getLogger()
    if root.handlers:
        return
    logging.basicConfig(
        format="%(asctime)s %(levelname)s [%(process)d]%(item_label)s %(message)s", level=logging.WARNING
    )
    for handler in root.handlers:
        handler.addFilter(ItemLogFilter())
    logging.getLogger("ingather").setLevel(logging.INFO)


def _follow_parent_of_work(parent: int) -> None:
    """Stop gracefully when the parent is gone: after a kill of the parent nobody would restart or stop this worker."""
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_S)
    log.warning("the process that started this worker is gone; stopping")
    os.kill(os.getpid(), signal.SIGTERM)
