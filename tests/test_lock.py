"""What `dev.py` installs is named by version and hash, and pyproject.toml allows it."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
WANTED = [
    *PROJECT["build-system"]["requires"],
    *PROJECT["project"]["dependencies"],
    *(line for extra in ("embedded", "typed", "workbench", "s3", "dev") for line in EXTRAS[extra]),
]
# One paragraph a package: its name and version, perhaps for which systems, then the hashes of its files.
PINNED = re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text().strip())


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_package_is_one_version_and_held_by_hashes() -> None:
    for paragraph in PINNED:
        assert re.match(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==\S+", paragraph), paragraph[:80]
        assert "--hash=sha256:" in paragraph, paragraph[:80]


@pytest.mark.parametrize("line", WANTED)
def test_what_the_project_needs_is_locked_in_a_version_that_it_allows(line: str) -> None:
    wanted = Requirement(line)
    heads = [Requirement(re.split(r"\s;|\s\\|\n", paragraph)[0].strip()) for paragraph in PINNED]
    versions = [str(head.specifier).removeprefix("==") for head in heads if plain(head.name) == plain(wanted.name)]
    assert versions, f"{wanted.name} is missing: run `python tools/lock.py`"
    for version in versions:
        assert wanted.specifier.contains(version, prereleases=True), f"{line}: run `python tools/lock.py`"
