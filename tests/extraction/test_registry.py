"""Records of ClinicalTrials.gov, in both of its forms, and what they say beside a paper's cells."""

from typing import Any

import orjson
import pytest

from ingather.extraction.findings import DocumentResult, Finding, Row, State, Value, Verdict
from ingather.extraction.registry.comparison import RegistryComparison, compared_with_registry
from ingather.extraction.registry.reading import read_registry
from ingather.extraction.registry.trial import RegisteredTrial

MODERN: dict[str, Any] = {
    "protocolSection": {
        "identificationModule": {"nctId": "NCT00000001", "briefTitle": "Stretching", "acronym": "NECK"},
        "statusModule": {"startDateStruct": {"date": "2019-03"}, "studyFirstSubmitDate": "2019-06-01"},
        "sponsorCollaboratorsModule": {"leadSponsor": {"name": "Council"}},
        "designModule": {
            "designInfo": {
                "allocation": "RANDOMIZED",
                "interventionModel": "PARALLEL",
                "maskingInfo": {"masking": "DOUBLE", "whoMasked": ["PARTICIPANT", "OUTCOMES_ASSESSOR"]},
            },
            "enrollmentInfo": {"count": 120, "type": "ACTUAL"},
        },
        "armsInterventionsModule": {
            "armGroups": [{"label": "Stretching", "type": "EXPERIMENTAL"}, {"label": "Usual care"}]
        },
        "outcomesModule": {
            "primaryOutcomes": [{"measure": "Pain intensity", "timeFrame": "12 weeks"}],
            "secondaryOutcomes": [{"measure": "Sleep quality", "timeFrame": "12 weeks"}],
        },
    }
}
CLASSIC: dict[str, Any] = {
    "FullStudiesResponse": {
        "FullStudies": [
            {
                "Study": {
                    "ProtocolSection": {
                        "IdentificationModule": {
                            "NCTId": "NCT00000001", "BriefTitle": "Stretching", "Acronym": "NECK",
                        },
                        "StatusModule": {
                            "StartDateStruct": {"StartDate": "2019-03"}, "StudyFirstSubmitDate": "2019-06-01",
                        },
                        "SponsorCollaboratorsModule": {"LeadSponsor": {"LeadSponsorName": "Council"}},
                        "DesignModule": {
                            "DesignInfo": {
                                "DesignAllocation": "Randomized",
                                "DesignInterventionModel": "Parallel Assignment",
                                "DesignMaskingInfo": {
                                    "DesignMasking": "Double",
                                    "DesignWhoMaskedList": {
                                        "DesignWhoMasked": ["Participant", "Outcomes Assessor"]
                                    },
                                },
                            },
                            "EnrollmentInfo": {"EnrollmentCount": "120", "EnrollmentType": "Actual"},
                        },
                        "ArmsInterventionsModule": {
                            "ArmGroupList": {
                                "ArmGroup": [
                                    {"ArmGroupLabel": "Stretching", "ArmGroupType": "Experimental"},
                                    {"ArmGroupLabel": "Usual care"},
                                ]
                            }
                        },
                        "OutcomesModule": {
                            "PrimaryOutcomeList": {
                                "PrimaryOutcome": [
                                    {
                                        "PrimaryOutcomeMeasure": "Pain intensity",
                                        "PrimaryOutcomeTimeFrame": "12 weeks",
                                    }
                                ]
                            },
                            "SecondaryOutcomeList": {
                                "SecondaryOutcome": [
                                    {
                                        "SecondaryOutcomeMeasure": "Sleep quality",
                                        "SecondaryOutcomeTimeFrame": "12 weeks",
                                    }
                                ]
                            },
                        },
                    }
                }
            }
        ]
    }
}  # fmt: skip


def trial(**changes: Any) -> RegisteredTrial:
    [found] = read_registry(orjson.dumps(MODERN)) or []
    return RegisteredTrial.from_dict(found.to_dict() | changes)


def test_both_forms_of_the_registry_give_the_same_record() -> None:
    modern, classic = read_registry(orjson.dumps(MODERN)), read_registry(orjson.dumps(CLASSIC))
    assert modern == classic
    [found] = modern or []
    assert (found.id, found.acronym, found.enrolment, found.is_enrolment_final) == ("NCT00000001", "NECK", 120, True)
    assert (found.allocation, found.model, found.masked) == (
        "randomized", "parallel", ("participant", "outcomes_assessor"),
    )  # fmt: skip
    assert [arm.label for arm in found.arms] == ["Stretching", "Usual care"]
    assert [(one.role, one.measure, one.time_frame) for one in found.outcomes] == [
        ("primary", "Pain intensity", "12 weeks"),
        ("secondary", "Sleep quality", "12 weeks"),
    ]
    assert (found.start, found.registered, found.sponsor) == ("2019-03", "2019-06-01", "Council")
    assert RegisteredTrial.from_dict(found.to_dict()) == found


def test_results_of_the_registry_are_read() -> None:
    measured = {
        "title": "Pain", "paramType": "MEAN", "unitOfMeasure": "points",
        "groups": [{"id": "OG000", "title": "Stretching"}],
        "classes": [{"categories": [{"measurements": [{"groupId": "OG000", "value": "3.10", "spread": "1.0"}]}]}],
    }  # fmt: skip
    record = MODERN | {"resultsSection": {"outcomeMeasuresModule": {"outcomeMeasures": [measured]}}}
    [found] = read_registry(orjson.dumps([record])) or []
    [result] = found.results
    assert (result.outcome, result.group, result.measure, result.value, result.spread, result.unit) == (
        "Pain", "Stretching", "MEAN", "3.10", "1.0", "points",
    )  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"[1, null]",
        b'{"protocolSection": {}}',
        b'{"protocolSection": []}',
        b"{broken",
        b"TY  - JOUR",
    ],
)
def test_what_is_no_record_is_none(data: bytes) -> None:
    assert read_registry(data) is None


def test_a_record_with_everything_of_another_type_gives_what_it_can() -> None:
    record = {
        "protocolSection": {
            "identificationModule": {"nctId": "NCT00000002", "briefTitle": ["x"]},
            "designModule": {"enrollmentInfo": {"count": "many"}, "designInfo": []},
            "armsInterventionsModule": {"armGroups": ["x", None]},
            "outcomesModule": {"primaryOutcomes": {"measure": "x"}},
        }
    }
    [found] = read_registry(orjson.dumps(record)) or []
    assert (found.id, found.enrolment, found.arms, found.outcomes) == ("NCT00000002", None, (), ())


def finding(field: str, value: Value, row: str = "") -> Finding:
    return Finding(
        field=field,
        row=row,
        state=State.REPORTED,
        value=value,
        quote="",
        verdict=Verdict.VERIFIED,
        spans=(),
        source="x",
    )


def compared(*findings: Finding, rows: tuple[Row, ...] = (), **changes: Any) -> RegistryComparison:
    document = DocumentResult(
        ordinal=0, document_id=1, file_name="a.pdf", sha256="", state="completed", rows=rows, findings=findings
    )
    return compared_with_registry(trial(**changes), document)


@pytest.mark.parametrize(
    ("field", "value", "verdict"),
    [
        ("registration_id", ["NCT00000001"], "same"),
        ("registration_id", ["NCT00000009"], "differs"),
        ("registration_id", ["ISRCTN12345678"], "only_registry"),
        ("n_randomised", 120, "same"),
        ("n_randomised", 118, "differs"),
        ("blind_participants", "yes", "same"),
        ("blind_participants", "no", "differs"),
        ("blind_participants", "unclear", "only_registry"),
        ("blind_personnel", "no", "same"),
        ("design", "parallel", "same"),
        ("design", "crossover", "differs"),
        ("design", "cluster", "only_registry"),
        ("recruit_start", "2019-03-07", "same"),
        ("recruit_start", "2019", "same"),
        ("recruit_start", "2018-11", "differs"),
    ],
)
def test_a_field_of_the_record_stands_beside_its_cell(field: str, value: Value, verdict: str) -> None:
    [line] = [one for one in compared(finding(field, value)).lines if one.field == field]
    assert line.verdict == verdict


def test_a_number_that_was_planned_is_compared_with_the_plan() -> None:
    found = compared(finding("n_randomised", 80), finding("sample_size_planned", 120), is_enrolment_final=False)
    lines = {one.field: one.verdict for one in found.lines}
    assert lines["sample_size_planned"] == "same"
    assert "n_randomised" not in lines


def test_personnel_are_not_compared_where_only_investigators_were_masked() -> None:
    found = compared(finding("blind_personnel", "yes"), masked=("participant", "investigator"))
    assert "blind_personnel" not in {one.field for one in found.lines}


def outcome(number: int, name: str, role: str) -> tuple[Row, list[Finding]]:
    key = f"outcome/{number}"
    row = Row(scope="outcome", key=key, label=name, parts={})
    return row, [finding("outcome_name", name, key), finding("outcome_role", role, key)]


@pytest.mark.parametrize(
    ("named", "switches"),
    [
        ([("Intensity of pain", "primary")], []),
        (
            [("Quality of sleep", "primary")],
            [("omitted", "Pain intensity", ""), ("promoted", "Sleep quality", "Quality of sleep")],
        ),
        (
            [("Cost", "primary"), ("Pain intensity at 12 weeks", "secondary")],
            [("demoted", "Pain intensity", "Pain intensity at 12 weeks"), ("added", "", "Cost")],
        ),
        ([("Quality of sleep", "secondary")], []),
    ],
)  # fmt: skip
def test_switched_outcomes_are_listed_where_the_paper_names_a_primary_one(
    named: list[tuple[str, str]], switches: list[tuple[str, str, str]]
) -> None:
    made = [outcome(number, *one) for number, one in enumerate(named)]
    found = compared(*(each for _, findings in made for each in findings), rows=tuple(row for row, _ in made))
    assert [(one.switch.value, one.registered, one.paper) for one in found.switched] == switches


def test_a_trial_that_was_registered_after_it_began_is_late() -> None:
    assert compared().is_registered_late
    assert not compared(registered="2019-01-01").is_registered_late
    assert not compared(start="").is_registered_late
