"""Writes docs/schema.sql, the schema after all migrations, so that a review shows what a migration changes."""

import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ingather import embedded
from ingather.engine.migrations import migrate

FILE = Path(__file__).resolve().parents[1] / "docs" / "schema.sql"
HEADER = "-- The schema after all migrations, for reading. Written by `python3 dev.py schema`; do not edit.\n"


def dump() -> str:
    with (
        tempfile.TemporaryDirectory(prefix="ingather-schema-") as home,
        embedded.start(Path(home), settings={"fsync": "off"}) as server,
    ):
        migrate(server.url)
        pg_dump = str(server.binaries / "pg_dump")
        argv = [pg_dump, "--schema=ingather", "--schema-only", "--no-owner", "--no-privileges", server.url]
        return subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60).stdout


def normalise(text: str) -> str:
    """Leaves out what says how the dump was made: versions, session settings, and pg_dump's random passphrase."""
    body = text[text.index("-- Name: ") :]
    noise = r"^(SET default_\w+ = .*;|\\(un)?restrict .*|--( PostgreSQL database dump complete)?)$\n?"
    body = re.sub(noise, "", body, flags=re.MULTILINE)
    body = re.sub(r"^-- Name: (.*); Type: (.*); Schema: .*$", r"-- \2 \1", body, flags=re.MULTILINE)
    return HEADER + "\n" + re.sub(r"\n{3,}", "\n\n", body).strip() + "\n"


def main() -> int:
    fresh = normalise(dump())
    if "--check" not in sys.argv[1:]:
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(fresh)
        return 0
    committed = FILE.read_text() if FILE.exists() else ""
    lines = (committed.splitlines(keepends=True), fresh.splitlines(keepends=True))
    sys.stdout.writelines(difflib.unified_diff(*lines, "docs/schema.sql", "after all migrations"))
    if fresh != committed:
        sys.stderr.write("docs/schema.sql is out of date: run `python3 dev.py schema` and commit it.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
