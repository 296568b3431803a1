"""Parses source files for the tests that hold the language and the shape of the code."""

import ast
import gc
from pathlib import Path


def parsed(path: Path) -> ast.Module:
    """The syntax of a file, made while no garbage is collected.

    A task that another test left behind logs its traceback when it is
    collected. Python formats tracebacks with `ast`, and within `ast.parse`
    that makes both fail (SystemError, seen in Python 3.11).
    """
    gc.disable()
    try:
        return ast.parse(path.read_text("utf-8"))
    finally:
        gc.enable()
