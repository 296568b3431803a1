"""The misbehaving provider as a process: `python -m tests.provider --port 8500 --script script.yaml`."""

import argparse
import asyncio
import importlib
import signal
from pathlib import Path

from tests.provider.answerer import answer as nothing_reported
from tests.provider.mischief import MISDEEDS
from tests.provider.script import Script
from tests.provider.server import Provider


async def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.provider",
        description="An OpenAI-compatible provider that misbehaves to order. GET /_log tells what it saw.",
        epilog=f"Misdeeds: {', '.join(sorted(MISDEEDS))}.",
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, help="YAML or JSON; see tests/provider/script.py")
    parser.add_argument("--answerer", metavar="MODULE:NAME", help="a function of the request that gives the answer")
    arguments = parser.parse_args()
    answerer = nothing_reported
    if arguments.answerer:
        module, _, name = arguments.answerer.partition(":")
        answerer = getattr(importlib.import_module(module), name)
    script = Script.read(arguments.script) if arguments.script else None
    provider = Provider(script=script, answerer=answerer, port=arguments.port)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, provider.stop)
    serving = asyncio.create_task(provider.serve())
    while not provider.is_ready and not serving.done():
        await asyncio.sleep(0.01)
    print(provider.base_url, flush=True)
    await serving


asyncio.run(main())
