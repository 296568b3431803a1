"""Writes docs/modules.md: every module of the package with the first sentence of its docstring.

`python tools/modules.py` writes the page, `--check` says whether it is up to date.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "ingather"
PAGE = ROOT / "docs" / "modules.md"

OPENING = """# Modules

Every module of the package and what it is for: the first sentence of each. Made by `python3 tools/modules.py`, and a \
test says when it is old. How the rooms stand to each other is in [ARCHITECTURE.md](../ARCHITECTURE.md).
"""


def first_sentence(path: Path) -> str:
    """The first sentence of a module's docstring; of one with a list in it, what stands before the list."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    found = re.match(r".*?[.:?](?= [A-Z`]|$)", paragraph)
    return (found[0] if found else paragraph).rstrip(":").replace("|", "\\|")


def rooms() -> Iterator[tuple[str, list[Path]]]:
    """The folders with modules, each with its modules; those of the package itself first."""
    folders = sorted({path.parent for path in SOURCE.rglob("*.py") if "pages" not in path.parts})
    for folder in folders:
        modules = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
        yield folder.relative_to(SOURCE.parent).as_posix(), modules


def page() -> str:
    lines = [OPENING]
    for name, modules in rooms():
        lines.append(f"## {name}\n\n{first_sentence(SOURCE.parent / name / '__init__.py')}\n")
        if modules:
            lines.append("| module | what it is for |\n|---|---|")
            lines += [f"| [`{path.name}`](../src/{name}/{path.name}) | {first_sentence(path)} |" for path in modules]
            lines.append("")
    return "\n".join(lines)


def main() -> int:
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page(), "utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text("utf-8") == page():
        return 0
    sys.stderr.write("docs/modules.md is old. Run: python3 tools/modules.py\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
