"""The export for analysis: numbers that R reads as numbers, a mirror of their states, their proof, what was refused."""

import csv
import io
import math
import random
import shutil
import subprocess
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingather.extraction.analysis.choices import Choices, SharedGroups
from ingather.extraction.analysis.effects import Measure
from ingather.extraction.analysis.pools import pools_of
from ingather.extraction.analysis.study_numbers import USUAL, comparisons_of
from ingather.extraction.export import export
from ingather.extraction.export.analysis_zip import TABLES
from ingather.extraction.findings import Action, DocumentResult, Finding, Review, Row, Span, State, TaskSummary, Verdict
from ingather.extraction.rules import extract_by_rules
from ingather.extraction.template.builtin import load_builtin_template
from tests.extraction.scores import SETS, page_texts

SUMMARY = TaskSummary(
    task_id=1, project="Review", template_id="rct", template_version=1, extractor="embedded", settings={},
    created_at="2026-03-01T09:00:00Z", closed_at=None, counts={},
)  # fmt: skip


def trial(number: int, numbers: dict[str, dict[str, Any]], *, when: str = "12 weeks", file: str = "") -> DocumentResult:
    """A document with two groups that have these numbers by outcome and group: `{"Pain 1": {"r_n": 20}, …}`."""
    rows = [Row(scope="arm", key=f"arm/{side}", label=f"Group {side}", parts={}) for side in (1, 2)]
    findings = [reported("arm/1", "arm_role", "experimental"), reported("arm/2", "arm_role", "placebo")]
    for place, (name, values) in enumerate(numbers.items(), 1):
        outcome, _, side = name.rpartition(" ")
        key = f"arm_result/{place}"
        rows.append(Row(scope="outcome", key=f"outcome/{outcome}", label=outcome, parts={}))
        rows.append(
            Row(scope="arm_result", key=key, label=name, parts={"outcome": f"outcome/{outcome}", "arm": f"arm/{side}"})
        )
        findings += [reported(key, field, value) for field, value in values.items()]
        findings.append(reported(key, "r_timepoint", when))
    return DocumentResult(
        ordinal=number, document_id=number, file_name=file or f"Trial {number}.pdf", sha256="", state="completed",
        rows=tuple(rows), findings=tuple(findings),
    )  # fmt: skip


def reported(row: str, field: str, value: Any) -> Finding:
    quote = f"{field} {value}"
    spans = (Span(page=2, start=0, end=len(quote)),)
    own = (Span(page=2, start=len(field) + 1, end=len(quote)),)
    return Finding(
        field=field, row=row, state=State.REPORTED, value=value, quote=quote, verdict=Verdict.VERIFIED, spans=spans,
        source="embedded", value_spans=own,
    )  # fmt: skip


def unpacked(*documents: DocumentResult, language: str = "en", choices: Choices = USUAL) -> dict[str, bytes]:
    out = io.BytesIO()
    export("analysis", out, SUMMARY, load_builtin_template("rct"), documents, language=language, choices=choices)
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def table(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[f"{name}.csv"].decode())))


def review(count: int) -> list[DocumentResult]:
    """A review of made-up trials, each with deaths and pain; some without an event, some with an SE for an SD."""
    dice = random.Random(1)
    studies = []
    for number in range(1, count + 1):
        n1, n2 = dice.randint(20, 200), dice.randint(20, 200)
        studies.append(
            trial(
                number,
                {
                    "Death 1": {"r_events": dice.randint(0, n1 // 8), "r_n": n1},
                    "Death 2": {"r_events": dice.randint(0, n2 // 6), "r_n": n2},
                    "Pain 1": {"r_mean": round(dice.gauss(40, 5), 1), "r_n": n1, dice.choice(["r_sd", "r_se"]): 2.5},
                    "Pain 2": {"r_mean": round(dice.gauss(45, 5), 1), "r_n": n2, "r_sd": 12.25},
                },
            )
        )
    return studies


def test_one_row_is_one_comparison_and_its_numbers_are_numbers() -> None:
    files = unpacked(
        trial(
            1, {"Pain 1": {"r_mean": 19.0, "r_sd": 3.1, "r_n": 30}, "Pain 2": {"r_mean": 17.5, "r_sd": 3.0, "r_n": 31}}
        )
    )
    (row,) = table(files, "comparisons")
    assert (row["study"], row["outcome"], row["timepoint"], row["kind"]) == (
        "Trial 1",
        "Pain",
        "12 weeks",
        "continuous",
    )
    assert [row[name] for name in ("m1i", "sd1i", "n1i", "m2i", "sd2i", "n2i")] == [
        "19.0",
        "3.1",
        "30",
        "17.5",
        "3.0",
        "31",
    ]
    assert (row["ai"], row["estimate"], row["yi"]) == ("", "", "")
    (states,) = table(files, "states")
    assert (states["m1i"], states["ai"]) == ("verified", "")


def test_every_number_has_its_proof_and_a_computed_one_its_formula() -> None:
    files = unpacked(
        trial(
            1, {"Pain 1": {"r_mean": 19.0, "r_se": 0.5, "r_n": 36}, "Pain 2": {"r_mean": 17.5, "r_sd": 3.0, "r_n": 31}}
        )
    )
    proof = [row for row in table(files, "proof") if row["column"] == "sd1i"]
    assert [(row["value"], row["state"], row["formula"]) for row in proof] == [
        ("3.0", "derived", "SD = SE * √n"),
        ("0.5", "verified", ""),
        ("36", "verified", ""),
    ]
    assert [(row["page"], row["quote"]) for row in proof[1:]] == [("3", "r_se 0.5"), ("3", "r_n 36")]


def test_what_is_refused_is_listed_with_the_cell_to_mend_and_stands_in_no_analysis() -> None:
    files = unpacked(trial(1, {"Death 1": {"r_events": 3, "r_n": 30}, "Death 2": {"r_events": 4}}))
    assert table(files, "comparisons") == []
    (refused,) = table(files, "refused")
    assert (refused["study"], refused["row"], refused["field"]) == ("Trial 1", "arm_result/2", "r_n")
    assert refused["why"] == "There is no number in this cell."


def test_the_dictionary_explains_every_column() -> None:
    files = unpacked()
    explained = {(row["table"], row["column"]) for row in table(files, "dictionary") if row["meaning"]}
    columns = {(name, column) for name in TABLES for column in files[f"{name}.csv"].decode().splitlines()[0].split(",")}
    assert explained == columns


def test_a_name_that_looks_like_a_formula_stays_text_and_a_negative_number_a_number() -> None:
    groups = {"Pain 1": {"r_mean": -2.5, "r_sd": 1.0, "r_n": 20}, "Pain 2": {"r_mean": 1.0, "r_sd": 1.0, "r_n": 20}}
    (row,) = table(unpacked(trial(1, groups, file="=HYPERLINK(1).pdf")), "comparisons")
    assert (row["study"], row["m1i"]) == ("'=HYPERLINK(1)", "-2.5")


def test_studies_that_ask_the_same_are_drawn_together() -> None:
    files = unpacked(*review(4))
    plots = {name: data.decode() for name, data in files.items() if name.endswith(".svg")}
    assert set(plots) == {
        "plots/flow.svg",
        *(f"plots/forest_01_{measure}.svg" for measure in ("RR", "OR", "RD")),
        *(f"plots/forest_02_{measure}.svg" for measure in ("MD", "SMD")),
    }
    assert all(plot.count("<rect") == 1 + 4 for name, plot in plots.items() if "RD" in name)
    assert "Trial 3" in plots["plots/forest_01_RD.svg"]


def test_a_shared_control_is_divided_among_the_comparisons_that_share_it() -> None:
    one = trial(1, {"Death 1": {"r_events": 6, "r_n": 60}, "Death 2": {"r_events": 9, "r_n": 60}})
    half = Row(
        scope="arm_result", key="arm_result/9", label="Death, half", parts={"outcome": "outcome/Death", "arm": "arm/3"}
    )
    third = DocumentResult(
        ordinal=0, document_id=1, file_name="Trial 1.pdf", sha256="", state="completed",
        rows=(*one.rows, Row(scope="arm", key="arm/3", label="Half", parts={}), half),
        findings=(
            *one.findings, reported("arm/3", "arm_role", "dose_variant"), reported("arm_result/9", "r_events", 5),
            reported("arm_result/9", "r_n", 60), reported("arm_result/9", "r_timepoint", "12 weeks"),
        ),
    )  # fmt: skip
    pool = next(pool for pool in pools_of(comparisons_of(third).comparisons) if pool.measure is Measure.RD)
    assert [line.effect.estimate for line in pool.lines] == pytest.approx([6 / 60 - 9 / 60, 5 / 60 - 9 / 60])
    whole = 6 * 54 / 60**3 + 9 * 51 / 60**3
    assert pool.lines[0].effect.variance == pytest.approx(6 * 54 / 60**3 + 4.5 * 25.5 / 30**3)
    assert pool.lines[0].effect.variance > whole


def run_r(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["Rscript", "analysis.R"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed.")
@pytest.mark.parametrize("studies", [0, 1, 50])
def test_the_script_runs_without_a_warning_and_pools_as_we_do(tmp_path: Path, studies: int) -> None:
    documents = review(studies)
    for name, data in unpacked(*documents).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    done = run_r(tmp_path)
    if "there is no package called" in done.stderr:
        pytest.skip("R is here without metafor.")
    assert (done.returncode, done.stderr) == (0, "")
    pools = [
        pool for pool in pools_of([one for d in documents for one in comparisons_of(d).comparisons]) if pool.random
    ]
    if not pools:
        assert "nothing to pool" in done.stdout
        return
    pooled = {(row["pool"], row["measure"]): row for row in read_csv(tmp_path / "pooled.csv")}
    drawn = {path.name for path in (tmp_path / "plots").glob("forest_*.svg")}
    assert drawn == {path.name for path in (tmp_path / "plots_R").glob("*.svg")}
    assert len(pooled) == len(pools) == len(drawn) == 5
    lines = read_csv(tmp_path / "lines.csv")
    for pool in pools:
        key = str(pool.question.number), pool.measure.value
        assert pool.random is not None
        assert pool.common is not None
        ours = [pool.random.estimate, pool.random.low, pool.random.high, pool.common.estimate, pool.common.low]
        names = ("random", "random_low", "random_high", "common", "common_low")
        assert ours == pytest.approx([float(pooled[key][name]) for name in names], abs=1e-6)
        is_log = pooled[key]["scale"] == "logarithm"
        assert is_log == (key[1] in {"RR", "OR", "HR"})
        read = math.exp(pool.random.estimate) if is_log else pool.random.estimate
        assert float(pooled[key]["estimate"]) == pytest.approx(read, rel=1e-6)
        ours = [pool.random.q, pool.random.i2, pool.random.tau2]
        assert ours == pytest.approx([float(pooled[key][name]) for name in ("q", "i2", "tau2")], rel=1e-6, abs=1e-6)
        shown = [row for row in lines if (row["pool"], row["measure"]) == key]
        assert [row["study"] for row in shown] == [line.comparison.study for line in pool.lines]
        for row, line, weight in zip(shown, pool.lines, pool.random.weights, strict=True):
            ours = [line.effect.estimate, *line.effect.interval(), weight]
            theirs = [float(row[name]) for name in ("effect", "low", "high", "weight")]
            assert ours == pytest.approx(theirs, abs=1e-6)


def read_sample(path: Path, number: int) -> DocumentResult:
    """A sample paper as the rules read it, with the roles and times that a person has to say."""
    rows, answers = extract_by_rules(load_builtin_template("rct").fields, page_texts(path))
    findings = [
        Finding(
            field=one.field, row=one.row, state=one.state, value=one.value, quote=one.quote,
            verdict=Verdict.VERIFIED if one.quote else Verdict.NO_QUOTE, spans=(), source="embedded",
        )
        for one in answers
    ]  # fmt: skip
    known = {(one.row, one.field) for one in findings if one.state is State.REPORTED}
    arms = [row.key for row in rows if row.scope == "arm"]
    given = [(arm, "arm_role", "placebo" if arm == arms[-1] else "experimental") for arm in arms]
    times = {"arm_result": "r_timepoint", "contrast": "c_timepoint"}
    given += [(row.key, times[row.scope], "12 weeks") for row in rows if row.scope in times]
    findings = [one for one in findings if (one.row, one.field) in known]
    findings += [reported(*one) for one in given if one[:2] not in known]
    return DocumentResult(
        ordinal=number, document_id=number, file_name=path.name, sha256="", state="completed", rows=tuple(rows),
        findings=tuple(findings),
    )  # fmt: skip


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed.")
def test_the_script_runs_without_a_warning_on_the_samples(tmp_path: Path) -> None:
    papers = sorted(path for path in SETS["samples"].glob("rct_*.pdf") if path.stem != "rct_scan")
    # Each paper twice, as two studies, so that there is something to pool.
    files = unpacked(*(read_sample(path, number) for number, path in enumerate([*papers, *papers])))
    assert len(table(files, "comparisons")) >= 4
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    done = run_r(tmp_path)
    if "there is no package called" in done.stderr:
        pytest.skip("R is here without metafor.")
    assert (done.returncode, done.stderr) == (0, "")
    drawn = {path.name for path in (tmp_path / "plots").glob("forest_*.svg")}
    assert drawn
    assert drawn == {path.name for path in (tmp_path / "plots_R").glob("*.svg")}


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


TYPED = """
guessed <- function(file) sapply(read.csv(file, check.names = FALSE, na.strings = ""), is.numeric)
text <- commandArgs(trailingOnly = TRUE)
for (file in text) cat(basename(file), names(which(guessed(file))), "\n")
"""
TEXTS = frozenset(
    {"study", "outcome", "timepoint", "intervention", "comparator", "kind", "scores", "measure", "state", "column",
     "formula", "source", "inputs", "quotes"}
)  # fmt: skip


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed.")
def test_a_reader_that_guesses_types_reads_every_column_of_numbers_as_numbers(tmp_path: Path) -> None:
    """R's own guess: a column is numeric only where every cell of it is a number."""
    (tmp_path / "typed.R").write_text(TYPED)
    files = unpacked(*review(50), *printed_effects())
    wanted = {}
    for name in ("comparisons", "effects", "computed"):
        (tmp_path / f"{name}.csv").write_bytes(files[f"{name}.csv"])
        wanted[f"{name}.csv"] = set(TABLES[name]) - TEXTS
    done = subprocess.run(["Rscript", "typed.R", *wanted], cwd=tmp_path, capture_output=True, text=True, check=True)
    read = {line.split()[0]: set(line.split()[1:]) for line in done.stdout.splitlines()}
    assert {name: columns - read[name] for name, columns in wanted.items()} == {
        "comparisons.csv": set(), "effects.csv": set(), "computed.csv": set(),
    }  # fmt: skip


def printed_effects() -> list[DocumentResult]:
    """One printed effect with each of the ways in which its uncertainty may be printed."""
    ways: list[dict[str, Any]] = [
        {"c_ci_low": 0.5, "c_ci_high": 0.9, "c_ci_level": 95.0},
        {"c_p": "P = 0.03"},
        {"c_t": 2.5},
    ]
    found = []
    for number, way in enumerate(ways, 101):
        row = Row(scope="contrast", key="contrast/1", label="Relapse", parts={"outcome": "outcome/Relapse"})
        outcome = Row(scope="outcome", key="outcome/Relapse", label="Relapse", parts={})
        values: dict[str, Any] = {
            "c_arms": "Drug vs Placebo",
            "c_timepoint": "12 weeks",
            "c_measure": "HR",
            "c_estimate": 0.7,
        } | way
        found.append(
            DocumentResult(
                ordinal=number, document_id=number, file_name=f"Trial {number}.pdf", sha256="", state="completed",
                rows=(outcome, row), findings=tuple(reported("contrast/1", *one) for one in values.items()),
            )
        )  # fmt: skip
    se = {"c_measure": "MD", "c_estimate": -1.5, "c_se": 0.5}
    last = found[-1]
    kept = [one for one in last.findings if one.field not in {*se, "c_t"}]
    more = (*kept, *(reported("contrast/1", *one) for one in se.items()))
    found.append(replace(last, ordinal=104, document_id=104, file_name="Trial 104.pdf", findings=more))
    return found


def test_a_number_that_a_person_gave_is_reviewed_in_the_mirror_of_states() -> None:
    groups = {"Death 1": {"r_events": 3, "r_n": 30}, "Death 2": {"r_events": 4, "r_n": 31}}
    document = trial(1, groups)
    when = datetime(2026, 3, 1, tzinfo=UTC)
    mended = replace(
        document,
        findings=tuple(
            replace(finding, review=accepted(finding, when)) if finding.field == "r_events" else finding
            for finding in document.findings
        ),
    )
    files = unpacked(mended)
    assert [(row["ai"], row["n1i"]) for row in table(files, "states")] == [("reviewed", "verified")]
    assert [row["state"] for row in table(files, "comparisons")] == ["verified"]


def accepted(finding: Finding, when: datetime) -> Review:
    return Review(
        ordinal=1, row=finding.row, field=finding.field, revision=1, action=Action.ACCEPTED, reviewer="ann",
        reviewed_at=when, finding_sha256="",
    )  # fmt: skip


JUDGED = {"rob2_d1": "low", "rob2_d2": "some_concerns", "rob2_d3": "low", "rob2_d4": "high", "rob2_overall": "high"}


def judged(number: int) -> DocumentResult:
    row = Row(scope="domain", key="domain/1", label="Pain, 12 weeks", parts={})
    return DocumentResult(
        ordinal=number, document_id=number, file_name=f"Trial {number}.pdf", sha256="", state="completed",
        rows=(row,), findings=tuple(reported("domain/1", field, value) for field, value in JUDGED.items()),
    )  # fmt: skip


def test_judgements_stand_as_robvis_reads_them_and_one_that_is_missing_is_no_information() -> None:
    files = unpacked(judged(1), judged(2))
    assert files["bias.csv"].decode().splitlines()[0] == "Study,D1,D2,D3,D4,D5,Overall,Weight"
    first = table(files, "bias")[0]
    assert list(first.values()) == ["Trial 1", "Low", "Some concerns", "Low", "High", "No information", "High", "1"]
    assert table(files, "bias_states")[0]["D5"] == "missing"
    assert files["plots/bias.svg"].decode().count("<circle") == 2 * 6
    assert files["plots/bias_summary.svg"].decode().count("<rect") == 1 + 6  # all results agree in every domain


def test_every_dot_of_the_traffic_lights_leads_to_its_cell() -> None:
    picture = unpacked(judged(1))["plots/bias.svg"].decode()
    assert {f'data-cell="1~domain/1~{field}"' in picture for field in (*JUDGED, "rob2_d5")} == {True}


def test_pictures_and_methods_speak_both_languages() -> None:
    chinese = unpacked(*review(3), judged(9), language="zh")
    forest = chinese["plots/forest_01_RR.svg"].decode()
    assert all(text in forest for text in ("研究", "风险比", "随机效应", "异质性"))
    assert "Study" not in forest
    assert "无信息" in chinese["plots/bias_summary.svg"].decode()
    assert "纳入的研究: n = 4" in chinese["plots/flow.svg"].decode()
    assert "逆方差" in chinese["methods.txt"].decode()


def test_an_export_of_what_was_reviewed_leaves_out_all_else() -> None:
    document = trial(1, {"Death 1": {"r_events": 3, "r_n": 30}, "Death 2": {"r_events": 4, "r_n": 31}})
    when = datetime(2026, 3, 1, tzinfo=UTC)
    mended = replace(
        document,
        findings=tuple(
            finding if finding.field == "r_n" and finding.row == "arm_result/2" else
            replace(finding, review=accepted(finding, when))
            for finding in document.findings
        ),
    )  # fmt: skip
    out = io.BytesIO()
    export("analysis", out, SUMMARY, load_builtin_template("rct"), [mended], only_reviewed=True)
    with zipfile.ZipFile(out) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert table(files, "comparisons") == []
    assert [(row["row"], row["field"]) for row in table(files, "refused")] == [("arm_result/2", "r_n")]


def methods(*documents: DocumentResult, choices: Choices = USUAL) -> str:
    return unpacked(*documents, choices=choices)["methods.txt"].decode()


def test_the_methods_name_only_what_was_done() -> None:
    events = trial(1, {"Death 1": {"r_events": 3, "r_n": 30}, "Death 2": {"r_events": 4, "r_n": 31}})
    plain = methods(events)
    assert "from 1 report with" in plain
    assert "1 comparison of 1 study" in plain
    assert "No answer was reviewed" in plain
    for unused in ("computed", "pooled", "correlate", "divided", "combined", "RoB", "0.5"):
        assert unused not in plain, unused
    other = trial(2, {"Death 1": {"r_events": 0, "r_n": 30}, "Death 2": {"r_events": 4, "r_n": 31}})
    both = methods(events, other, judged(3))
    for used in ("pooled for 1 question ", "0.5 was added", "RoB 2 for 1 result", "(RR, OR, RD)"):
        assert used in both, used


def test_the_methods_count_the_conversions_with_their_source() -> None:
    groups = {"Pain 1": {"r_mean": 19.0, "r_se": 0.5, "r_n": 36}, "Pain 2": {"r_mean": 17.5, "r_sd": 3.0, "r_n": 31}}
    assert "SD = SE * √n (1 number; Cochrane Handbook" in methods(trial(1, groups))


def test_a_zip_says_what_the_analyst_chose() -> None:
    one = trial(1, {"Death 1": {"r_events": 6, "r_n": 60}, "Death 2": {"r_events": 9, "r_n": 60}})
    parts = {"outcome": "outcome/Death", "arm": "arm/3"}
    more = (Row(scope="arm", key="arm/3", label="Half", parts={}),
            Row(scope="arm_result", key="arm_result/9", label="Death, half", parts=parts))  # fmt: skip
    values = {"r_events": 5, "r_n": 40, "r_timepoint": "12 weeks"}
    found = (reported("arm/3", "arm_role", "dose_variant"), *(reported("arm_result/9", *one) for one in values.items()))
    two = replace(one, rows=(*one.rows, *more), findings=(*one.findings, *found))
    split = unpacked(two, trial(2, {"Death 1": {"r_events": 6, "r_n": 60}, "Death 2": {"r_events": 9, "r_n": 60}}))
    assert [(row["part1"], row["part2"]) for row in table(split, "comparisons")] == [("1", "2"), ("1", "2"), ("1", "1")]
    assert "divided among them" in split["methods.txt"].decode()
    combined = unpacked(two, choices=Choices(shared=SharedGroups.COMBINE))
    (row,) = table(combined, "comparisons")
    assert (row["intervention"], row["ai"], row["n1i"], row["part2"]) == ("Group 1 + Half", "11", "100", "1")
    computed = {row["column"]: row for row in table(combined, "computed")}
    assert computed["ai"]["inputs"].split("; ")[0] == "arm_result/1 r_events = 6"
    assert "r_events 6" in computed["ai"]["quotes"]
    assert "combined into one" in combined["methods.txt"].decode()
