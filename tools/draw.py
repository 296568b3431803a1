"""Draws functions of the package at random, to see whether their names alone lead to their files.

`python3 tools/draw.py SEED` prints ten names, `--files` prints each with its file. A person who knows docs/modules.md
and not the code writes down a file for each name first. Methods that Python itself names, such as `__init__`, and
the `main` of scripts are left out.
"""

import argparse
import ast
import random
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "ingather"
# So many names are one trial. Fewer say little; more tire the person who guesses.
TEN = 10


def functions(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    """The functions of a module by name, those of its classes as `Class.name`."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_given(node.name):
            yield prefix + node.name


def _is_given(name: str) -> bool:
    """Whether Python gives the name, which then says nothing of its file."""
    return name == "main" or (name.startswith("__") and name.endswith("__"))


def drawn(seed: int, count: int = TEN) -> list[tuple[str, str]]:
    """So many functions and their files; one seed draws the same from the same code."""
    found = [
        (name, path.relative_to(SOURCE).as_posix())
        for path in sorted(SOURCE.rglob("*.py"))
        for name in functions(ast.parse(path.read_text("utf-8")).body)
    ]
    return random.Random(seed).sample(found, count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--count", type=int, default=TEN)
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args()
    for name, file in drawn(options.seed, options.count):
        sys.stdout.write(f"{name}  {file}\n" if options.files else f"{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
