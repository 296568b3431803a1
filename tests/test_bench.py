"""The benchmark's short form: every figure is there and makes sense. How fast anything was decides nothing here."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import chart, conduct, page, targets
from bench.__main__ import Kept
from bench.systems import Skipped, System

# In one process, for one run of the benchmarks.
pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("bench")]
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    command = [sys.executable, "-m", "bench", "--tiny", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=290, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_ours_and_the_limit_have_all_their_figures(figures: dict[str, Any]) -> None:
    assert set(figures["systems"]) == {"ingather", "limit"}
    assert figures["skipped"] == {}
    for of in figures["systems"].values():
        assert all(of[key] > 0 for key in ("drain_1_per_s", "drain_2_per_s", "wal_bytes"))
    assert figures["systems"]["ingather"]["enqueue_per_s"] > 0
    ours = figures["ours"]
    assert ours["per_item"]["wal_bytes"] > 0
    assert 0 <= ours["per_item"]["dead_rows"] < 1  # rows of items are only ever inserted
    assert all(ours[key] > 0 for key in ("plain_per_s", "submit_per_s", "scatter_many_per_s"))
    assert all(0 < waiting["share"] <= 1.01 for waiting in ours["waiting"])
    assert all(of["done"] == of["items"] for of in ours["results"])  # large results once stuck in the socket
    assert all(ours["memory"][who] > 1 for who in ("worker_mb", "all_mb"))
    assert 0 < ours["silent_pickup"]["p50_ms"] < 60_000
    assert all(0 < ours["close"][key] < 60_000 for key in ("p50_ms", "p95_ms"))


def test_every_target_is_judged_and_the_page_shows_all(figures: dict[str, Any]) -> None:
    figures["systems"]["other"] = figures["systems"]["ingather"] | {"title": "A peer <of ours>", "version": "1"}
    found = targets.targets(figures)
    assert len(found) >= 12
    written = page.text(figures)
    assert all(target.what in written and target.what in page.summary(figures) for target in found)
    assert written.count("Missed: ") == sum(not target.is_met for target in found)
    assert "A peer &lt;of ours&gt;" in chart.chart(figures)


def test_a_busy_machine_is_told_at_the_top(figures: dict[str, Any]) -> None:
    machine = figures["machine"]
    quiet = figures | {"machine": machine | {"load_before": 0.1}}
    loaded = figures | {"machine": machine | {"load_before": machine["cores"] + 1.0}}
    assert "busy with other programs" not in page.text(quiet) + page.summary(quiet)
    assert "busy with other programs" in page.summary(loaded).splitlines()[0]
    assert page.text(loaded).index("busy with other programs") < page.text(loaded).index("| system |")


class LateSystem(System):
    """Its worker handles its first item a second after the signal, as on a machine that is busy with other things."""

    def command(self, *args: object) -> list[str]:
        _, _, folder, _ = args
        late = (
            "import sys, time; from bench.stage import Stage; stage = Stage(sys.argv[1]); stage.wait_for_go();"
            "time.sleep(1); [stage.handle({'i': i}) for i in range(20)]; time.sleep(60)"
        )
        return [sys.executable, "-c", late, str(folder)]


def test_a_worker_that_begins_late_is_measured_from_its_first_item() -> None:
    late = LateSystem(name="late", title="late", module="none")
    done = conduct.drain(late, "", 20, cap_s=0.5)
    assert (done.items, done.is_cut) == (20, False)
    assert done.wall_s >= 1


def test_a_part_that_fails_once_is_measured_again_and_one_that_fails_twice_is_not() -> None:
    failures = iter([Skipped("the machine stood still")])

    def step() -> int:
        for failure in failures:
            raise failure
        return 7

    assert conduct.twice(step) == 7
    failures = iter([Skipped("once"), Skipped("twice")])
    with pytest.raises(Skipped, match="twice"):
        conduct.twice(step)


def test_what_was_measured_outlives_a_failure(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "new" / "partial.json")
    assert kept.where() == "nothing was measured yet"
    kept.keep("close", {"p50_ms": 1.5})
    kept.keep("plain_per_s", 900)
    assert json.loads((tmp_path / "new" / "partial.json").read_text()) == {"close": {"p50_ms": 1.5}, "plain_per_s": 900}
    assert "partial.json" in kept.where()
    kept.forget()
    assert not (tmp_path / "new" / "partial.json").exists()


@pytest.mark.parametrize("wrong", [["--peer", "nobody"], ["--rounds", "0"], ["--sideways"]])
def test_a_wrong_word_is_refused_before_anything_runs(wrong: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", *wrong], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
