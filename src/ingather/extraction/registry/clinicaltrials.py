"""Records of ClinicalTrials.gov as JSON: as its interface gives them now (version 2), and as it did before. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import orjson

from ingather.extraction.registry.trial import RegisteredArm, RegisteredOutcome, RegisteredResult, RegisteredTrial

REGISTRY: Final = "ClinicalTrials.gov"
# Figures of one record that are kept. A few records give tens of thousands.
MOST_RESULTS: Final = 2_000
# Characters of a text that are kept: a measure's name is a sentence, not a page.
LONGEST_TEXT: Final = 600


def read(data: bytes) -> list[RegisteredTrial] | None:
    """The records of a file; None where it is no file of this registry."""
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    trials = [one for one in (_trial(record) for record in _records(found)) if one is not None]
    return trials or None


def _records(found: Any) -> Iterator[Mapping[str, Any]]:
    """The records of one file: a record, a list of them, or an answer that holds some."""
    if isinstance(found, list):
        for one in found:
            yield from _records(one)
    if not isinstance(found, dict):
        return
    if isinstance(found.get("protocolSection"), dict):
        yield found
    elif isinstance(found.get("ProtocolSection"), dict):
        yield _modern(found)
    else:
        for name in ("studies", "FullStudiesResponse", "FullStudies", "FullStudy", "Study"):
            yield from _records(found.get(name))


def _modern(value: Any, outer: str = "") -> Any:
    """The old form in the names of the new: `ArmGroupList: {ArmGroup: [{ArmGroupLabel}]}` is `armGroups: [{label}]`."""
    if isinstance(value, list):
        return [_modern(one, outer) for one in value]
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for name, inner in value.items():
        if name.endswith("List") and isinstance(inner, dict) and len(inner) == 1:
            [(item, items)] = inner.items()
            made[_lower(_renamed(item, "") + "s")] = _modern(items, item)
        else:
            made[_lower(_renamed(name, outer))] = _modern(inner, "Design" if name == "DesignInfo" else outer)
    return made


# Parts whose fields repeat their name.
_PREFIXES: Final = (
    "PrimaryOutcome", "SecondaryOutcome", "OtherOutcome", "ArmGroup", "Intervention", "OverallOfficial", "LeadSponsor",
    "Enrollment", "DesignMasking", "DesignWho", "Design",
)  # fmt: skip
_WHOLE: Final = frozenset({"DesignModule", "DesignInfo", "EnrollmentInfo", "StartDateStruct", "CompletionDateStruct"})


def _renamed(name: str, outer: str) -> str:
    if name in _WHOLE:
        return name
    for prefix in (outer, *_PREFIXES):
        if prefix and name.startswith(prefix) and len(name) > len(prefix) and name[len(prefix)].isupper():
            rest = name[len(prefix) :]
            return {"DesignMasking": f"Masking{rest}", "DesignWho": f"Who{rest}"}.get(prefix, rest)
    return name


def _lower(name: str) -> str:
    return "nctId" if name == "NCTId" else name[:1].lower() + name[1:]


def _trial(record: Mapping[str, Any]) -> RegisteredTrial | None:
    protocol = record["protocolSection"]
    known = _part(protocol, "identificationModule")
    number = known.get("nctId")
    if not isinstance(number, str):
        return None
    design = _part(protocol, "designModule")
    info, status = _part(design, "designInfo"), _part(protocol, "statusModule")
    enrolment = _part(design, "enrollmentInfo")
    sponsors = _part(protocol, "sponsorCollaboratorsModule")
    return RegisteredTrial(
        registry=REGISTRY,
        id=number,
        title=_text(known.get("officialTitle") or known.get("briefTitle")),
        acronym=_text(known.get("acronym")),
        enrolment=_count(enrolment.get("count")),
        is_enrolment_final=_code(enrolment.get("type")) == "ACTUAL",
        allocation=_code(info.get("allocation")).lower(),
        model=_code(info.get("interventionModel")).removesuffix("_ASSIGNMENT").lower(),
        **_masking(_part(info, "maskingInfo")),
        arms=tuple(
            RegisteredArm(label=_text(one.get("label")), kind=_code(one.get("type")).lower())
            for one in _list(_part(protocol, "armsInterventionsModule").get("armGroups"))
        ),
        outcomes=tuple(_outcomes(_part(protocol, "outcomesModule"))),
        results=tuple(_results(_part(record, "resultsSection")))[:MOST_RESULTS],
        start=_date(_part(status, "startDateStruct"), "startDate"),
        completion=_date(_part(status, "completionDateStruct"), "completionDate"),
        registered=_text(status.get("studyFirstSubmitDate")),
        officials=tuple(
            _text(one.get("name"))
            for one in _list(_part(protocol, "contactsLocationsModule").get("overallOfficials"))
            if one.get("name")
        ),
        sponsor=_text(_part(sponsors, "leadSponsor").get("name")),
    )


def _masking(info: Mapping[str, Any]) -> dict[str, Any]:
    masking = _code(info.get("masking")).lower()
    who = info.get("whoMasked", info.get("whoMaskeds"))  # the old form had a list inside
    roles = tuple(_code(one).lower() for one in who) if isinstance(who, list) else ()
    is_open = masking.startswith("none")
    return {"masking": masking, "masked": () if is_open else roles or None}


def _outcomes(module: Mapping[str, Any]) -> Iterable[RegisteredOutcome]:
    for role in ("primary", "secondary", "other"):
        for one in _list(module.get(f"{role}Outcomes")):
            if measure := _text(one.get("measure")):
                yield RegisteredOutcome(role=role, measure=measure, time_frame=_text(one.get("timeFrame")))


def _results(section: Mapping[str, Any]) -> Iterator[RegisteredResult]:
    for outcome in _list(_part(section, "outcomeMeasuresModule").get("outcomeMeasures")):
        groups = {one.get("id"): _text(one.get("title")) for one in _list(outcome.get("groups"))}
        for part in _list(outcome.get("classes")):
            for category in _list(part.get("categories")):
                for figure in _list(category.get("measurements")):
                    yield RegisteredResult(
                        outcome=_text(outcome.get("title")),
                        group=groups.get(figure.get("groupId"), ""),
                        measure=_text(outcome.get("paramType")),
                        value=_text(figure.get("value")),
                        spread=_text(figure.get("spread")),
                        unit=_text(outcome.get("unitOfMeasure")),
                    )


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return " ".join(str(value).split())[:LONGEST_TEXT] if isinstance(value, str | int | float) else ""


def _date(struct: Mapping[str, Any], old_name: str) -> str:
    return _text(struct.get("date", struct.get(old_name)))


def _code(value: Any) -> str:
    """A choice of the registry's own list: `Outcomes Assessor` was written so before, `OUTCOMES_ASSESSOR` now."""
    return _text(value).upper().replace(" ", "_").replace("-", "_")


def _count(value: Any) -> int | None:
    text = _text(value)
    return int(text) if text.isdigit() and len(text) < 10 else None
