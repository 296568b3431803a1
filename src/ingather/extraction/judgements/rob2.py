"""The rules that make a judgement of the answers to the signalling questions of RoB 2, as tables.

A domain's rules are read from the top; the first whose conditions all hold
gives the judgement. `Y` stands for Y and PY, `N` for N and PN, `?` for NI.
A rule that asks for an answer that is missing, or that is NA, stops: then
there is no judgement, because the rest would be a guess.

The tables are for parallel groups and the effect of assignment to
intervention. The questions' official texts are at https://www.riskofbias.info.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LOW: Final = "low"
SOME: Final = "some_concerns"
HIGH: Final = "high"
ORDER: Final = (LOW, SOME, HIGH)

MEANS: Final[Mapping[str, str]] = {"Y": "Y", "PY": "Y", "PN": "N", "N": "N", "NI": "?"}


Table = tuple[tuple[dict[str, str], str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """One domain: what is always asked, and one or two tables, of which the worse judgement counts."""

    field: str
    always: tuple[str, ...]
    tables: tuple[Table, ...]


DOMAINS: Final = (
    Domain(
        field="rob2_d1",
        always=("1_1", "1_2", "1_3"),
        tables=(
            (
                ({"1_2": "N"}, HIGH),
                ({"1_2": "?", "1_3": "Y"}, HIGH),
                ({"1_2": "?"}, SOME),
                ({"1_1": "N"}, SOME),
                ({"1_3": "Y"}, SOME),
                ({}, LOW),
            ),
        ),
    ),
    Domain(
        field="rob2_d2",
        always=("2_1", "2_2", "2_6"),
        tables=(
            (
                ({"2_1": "N", "2_2": "N"}, LOW),
                ({"2_3": "N"}, LOW),
                ({"2_3": "?"}, SOME),
                ({"2_4": "N"}, SOME),
                ({"2_5": "Y"}, SOME),
                ({}, HIGH),
            ),
            (
                ({"2_6": "Y"}, LOW),
                ({"2_7": "N"}, SOME),
                ({}, HIGH),
            ),
        ),
    ),
    Domain(
        field="rob2_d3",
        always=("3_1",),
        tables=(
            (
                ({"3_1": "Y"}, LOW),
                ({"3_2": "Y"}, LOW),
                ({"3_3": "N"}, LOW),
                ({"3_4": "N"}, SOME),
                ({}, HIGH),
            ),
        ),
    ),
    Domain(
        field="rob2_d4",
        always=("4_1", "4_2"),
        tables=(
            (
                ({"4_1": "Y"}, HIGH),
                ({"4_2": "Y"}, HIGH),
                ({"4_2": "N", "4_3": "N"}, LOW),
                ({"4_3": "N"}, SOME),
                ({"4_2": "N", "4_4": "N"}, LOW),
                ({"4_4": "N"}, SOME),
                ({"4_5": "N"}, SOME),
                ({}, HIGH),
            ),
        ),
    ),
    Domain(
        field="rob2_d5",
        always=("5_1", "5_2", "5_3"),
        tables=(
            (
                ({"5_2": "Y"}, HIGH),
                ({"5_3": "Y"}, HIGH),
                ({"5_2": "?"}, SOME),
                ({"5_3": "?"}, SOME),
                ({"5_1": "Y"}, LOW),
                ({}, SOME),
            ),
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What the rules say of a domain: a judgement and the questions it rests on, or the questions that it lacks."""

    judgement: str | None
    used: tuple[str, ...]
    missing: tuple[str, ...] = ()


def rob2_rule(domain: Domain, answers: Mapping[str, str]) -> Ruling:
    """Judge a domain by the answers to its questions, such as `{"1_1": "Y", "1_2": "PY", "1_3": "N"}`."""
    given = {question: MEANS[answer] for question, answer in answers.items() if answer in MEANS}
    missing = [question for question in domain.always if question not in given]
    used = set(domain.always)
    judgement = LOW
    if not missing:
        for table in domain.tables:
            found = _first_rob2_rule(table, given, used, missing)
            judgement = found if found == HIGH or judgement == LOW else judgement
    if missing:
        return Ruling(judgement=None, used=(), missing=tuple(missing))
    return Ruling(judgement=judgement, used=tuple(sorted(used)))


def _first_rob2_rule(table: Table, given: Mapping[str, str], used: set[str], missing: list[str]) -> str:
    """The judgement of the first rule that holds, noting what was used; the answer it lacks is noted as missing."""
    for conditions, judgement in table:
        lacking = ""
        for question, wanted in conditions.items():
            if question not in given:
                lacking = question
            elif given[question] != wanted:
                used.add(question)
                break
            else:
                used.add(question)
        else:
            if not lacking:
                return judgement
            missing.append(lacking)
            break
    return HIGH


def rob2_overall(judgements: list[str]) -> str:
    """Any high is high, all low is low, otherwise some concerns. Only a person may raise several concerns to high."""
    return max(judgements, key=ORDER.index)
