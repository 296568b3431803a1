"""The short form of a soak: its lines, its picture, and what it says of growth."""

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.chaos import soak


def test_a_soak_measures_every_minute_and_draws_what_it_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak, "MINUTE_S", 6.0)
    monkeypatch.setattr(soak, "LOOK_AFTER_S", 2.0)
    report = soak.campaign(2, tmp_path)
    assert report["broken"] == []
    assert report["items"] > 0
    with (tmp_path / "soak.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 2
    assert all(float(rows[-1][name]) > 0 for name in ("worker_mb", "descriptors", "tables_mb", "probe_p50_ms"))
    drawn = ElementTree.parse(tmp_path / "soak.svg").getroot()
    assert len(drawn.findall("{*}polyline")) == len(soak.CURVES)


def test_growth_compares_the_last_part_of_a_soak_with_the_first_after_its_warm_up() -> None:
    names = [name for name in soak.CURVES if name not in {"items", "load"}]
    rows = [{"minute": minute} | dict.fromkeys(names, 100.0) for minute in range(1, 46)]
    for row in rows:
        row["worker_mb"] = 100.0 + 2 * (row["minute"] - 10.5)
    grown = soak.growth(rows)
    assert grown["descriptors"] == 1.0
    assert grown["worker_mb"] == pytest.approx((100 + 2 * (40.5 - 10.5)) / 100, abs=0.05)
