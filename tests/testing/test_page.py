"""What docs/testing.md shows is a test that passes, in a run that knows nothing of this repository."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "testing.md"
FILE = re.compile(r"^```python file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_tests_on_the_page_pass(tmp_path: Path) -> None:
    files = dict(FILE.findall(PAGE.read_text("utf-8")))
    assert set(files) == {"shop.py", "test_shop.py"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    options = ["-q", "-p", "ingather.testing.plugin", "-p", "no:cacheprovider", "-p", "no:xdist"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", tmp_path, tmp_path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{files['test_shop.py'].count('def test_')} passed" in ended.stdout
