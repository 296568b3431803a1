"""Judgements computed from answers: the program derives them by rule, the model never, and a person confirms them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.findings import BELIEVED, Finding, Row, State, Verdict
from ingather.extraction.judgements import rob2
from ingather.extraction.template.model import Field, Scope, Template
from ingather.notice import joined, notice

ROB2_TOOLS: Final = ("rob2_parallel",)
ROBINS_TOOLS: Final = ("robins_i_2016", "robins_i_v2_draft")
NOS_TOOLS: Final = ("nos_cohort",)

NOS_ITEMS: Final = ("nos_s1", "nos_s2", "nos_s3", "nos_s4", "nos_c1", "nos_c2", "nos_o1", "nos_o2", "nos_o3")
COMPARABILITY: Final = ("nos_c1", "nos_c2")
MOST_STARS: Final = 9  # of the scale itself

ROBINS_DOMAINS: Final = tuple(f"rbi_d{n}" for n in range(1, 8))
# No information is worse than moderate, for it may hide anything, and milder than what is known to be serious.
SEVERITY: Final = ("low", "moderate", "no_information", "serious", "critical")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """What a rule derived from the answers: a value, or none; and a note that names the answers or what is missing."""

    value: str | int | None
    note: str
    state: State = State.UNCLEAR  # where there is no value
    used: tuple[str, ...] = ()  # the fields whose answers it rests on


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answers:
    """The usable answers that one row sees, whether their quotes were found, and the judgements a person gave."""

    values: Mapping[str, str]
    trusted: frozenset[str]
    given: Mapping[str, str | None]

    def described(self, fields: Iterable[str]) -> str:
        return ", ".join(f"{field} = {self.values[field]}" for field in fields)


def compute_judgements(
    template: Template,
    rows: Sequence[Row],
    findings: Iterable[Finding],
    given: Mapping[tuple[str, str], str | None] | None = None,
) -> list[Finding]:
    """One finding for each computed field of the template and each row of its scope.

    Where the answers do not settle a judgement its state is `unclear`, and
    the note names what is missing; where another tool was chosen it is
    `not_applicable`. Answers without a verified quote count, and the note
    says how many there are. What a model answered to a computed field is not
    looked at; what a person gave instead of a judgement, by row and field, is
    what further judgements rest on.
    """
    by_row: dict[str, list[Finding]] = {"": []}
    for finding in findings:
        by_row.setdefault(finding.row, []).append(finding)
    seen: dict[str, _Answers] = {}
    found = []
    for field in (field for field in template.fields if field.computed):
        for row in _rows_to_judge(field.scope, template, rows, by_row):
            if row not in seen:
                seen[row] = _answers_to_judge_by(template, row, by_row, given or {})
            answers = seen[row]
            judged = _apply_judgement_rule(field.id, answers)
            found.append(
                Finding(
                    field=field.id,
                    row=row,
                    state=State.REPORTED if judged.value is not None else judged.state,
                    value=judged.value,
                    quote="",
                    verdict=Verdict.NO_QUOTE,
                    spans=(),
                    source="computed",
                    note=joined(judged.note, _unverified_note_of_judgement(judged, answers)),
                )
            )
    return found


def _rows_to_judge(
    scope: Scope, template: Template, rows: Sequence[Row], by_row: Mapping[str, Sequence[Finding]]
) -> list[str]:
    """The rows to judge: those of the scope; without any, those that were answered; without any, the study itself."""
    if scope == Scope.STUDY:
        return [""]
    listed = [row.key for row in rows if row.scope == scope]
    mine = {field.id for field in template.fields_of(scope)}
    answered = [row for row, findings in by_row.items() if any(finding.field in mine for finding in findings)]
    return list(dict.fromkeys(listed or answered)) or [""]


def _answers_to_judge_by(
    template: Template, row: str, by_row: Mapping[str, Sequence[Finding]], given: Mapping[tuple[str, str], str | None]
) -> _Answers:
    """The answers of the row and of the study. A question with two different answers has none."""
    fields = {field.id: field for field in template.fields if not field.computed}
    values: dict[str, str] = {}
    disputed: set[str] = set()
    trusted: set[str] = set()
    for finding in [*by_row[""], *(by_row.get(row, ()) if row else ())]:
        field = fields.get(finding.field)
        if field is None or finding.row != ("" if field.scope == Scope.STUDY else row):
            continue
        value = _option_chosen_for_judgement(field, finding)
        if value is None:
            continue
        if values.setdefault(field.id, value) != value:
            disputed.add(field.id)
        if finding.verdict in BELIEVED or finding.is_reviewed:
            trusted.add(field.id)
    settled = {field: value for field, value in values.items() if field not in disputed}
    mine = {field: value for (where, field), value in given.items() if where == row}
    return _Answers(values=settled, trusted=frozenset(trusted), given=mine)


def _option_chosen_for_judgement(field: Field, finding: Finding) -> str | None:
    """The option a finding chose. Not reported is none, not even NI: whoever looked may not have looked well."""
    if finding.state == State.NOT_APPLICABLE:
        chosen: object = "not_applicable"
    else:
        chosen = finding.value if finding.state == State.REPORTED else None
    return chosen if isinstance(chosen, str) and any(option.id == chosen for option in field.options) else None


def _unverified_note_of_judgement(judged: _Judged, answers: _Answers) -> str:
    count = sum(field not in answers.trusted for field in judged.used)
    if not count:
        return ""
    return notice(
        "judgement.not_verified",
        "Not verified: the quotes of {count} of {all} answers.",
        count=count,
        all=len(judged.used),
    )


def _apply_judgement_rule(field: str, answers: _Answers) -> _Judged:
    if field not in RULES:
        return _Judged(value=None, note=notice("judgement.no_rule_computes", "No rule computes {field}.", field=field))
    tools, rule = RULES[field]
    tool = answers.values.get("qc_tool")
    if tool is not None and tool not in tools:
        return _Judged(
            value=None,
            note=notice("judgement.tool_chosen", "The tool chosen is {tool}.", tool=tool),
            state=State.NOT_APPLICABLE,
        )
    return rule(answers)


def _judgement_lacks(fields: str) -> _Judged:
    return _Judged(
        value=None,
        note=notice(
            "judgement.no_judgement_must_answered_first",
            "No judgement: {fields} must be answered first.",
            fields=fields,
        ),
    )


def _judgement_of_rob2_domain(domain: rob2.Domain, answers: _Answers) -> _Judged:
    if domain.field == "rob2_d2" and answers.values.get("qc_effect") == "adherence_pp":
        return _Judged(
            value=None,
            note=notice(
                "judgement.no_judgement_rules_here_effect",
                "No judgement: the rules here are for the effect of assignment, not of adherence.",
            ),
        )
    ruling = rob2.rob2_rule(domain, {field.removeprefix("rob2_"): value for field, value in answers.values.items()})
    if ruling.judgement is None:
        return _judgement_lacks(", ".join(f"rob2_{question}" for question in ruling.missing))
    used = tuple(f"rob2_{question}" for question in ruling.used)
    return _Judged(
        value=ruling.judgement,
        note=notice("judgement.computed", "Computed from {answers}.", answers=answers.described(used)),
        used=used,
    )


def _judgement_of_rob2_overall(answers: _Answers) -> _Judged:
    judged = {
        domain.field: _Judged(value=answers.given[domain.field], note="")
        if domain.field in answers.given
        else _judgement_of_rob2_domain(domain, answers)
        for domain in rob2.DOMAINS
    }
    settled = {field: str(domain.value) for field, domain in judged.items() if domain.value is not None}
    if missing := [field for field in judged if field not in settled]:
        return _judgement_lacks(
            notice("judgement.questions_of", "the questions of {fields}", fields=", ".join(missing))
        )
    described = ", ".join(f"{field} = {value}" for field, value in settled.items())
    used = tuple(question for domain in judged.values() for question in domain.used)
    return _Judged(
        value=rob2.rob2_overall(list(settled.values())),
        note=notice("judgement.computed", "Computed from {answers}.", answers=described),
        used=used,
    )


def _judgement_of_robins_overall(answers: _Answers) -> _Judged:
    """As severe as the worst domain. The domain that the V2 draft drops is needed unless that version was chosen."""
    dropped = {"rbi_d4"} if answers.values.get("qc_tool") == "robins_i_v2_draft" else set()
    needed = [domain for domain in ROBINS_DOMAINS if domain not in dropped]
    if missing := [domain for domain in needed if domain not in answers.values]:
        return _judgement_lacks(", ".join(missing))
    used = tuple(domain for domain in needed if answers.values[domain] in SEVERITY)
    worst = max((answers.values[domain] for domain in used), key=SEVERITY.index)
    return _Judged(
        value=worst,
        note=notice("judgement.computed", "Computed from {answers}.", answers=answers.described(used)),
        used=used,
    )


def _judgement_of_nos_total(answers: _Answers) -> _Judged:
    if missing := [item for item in NOS_ITEMS if item not in answers.values]:
        return _judgement_lacks(", ".join(missing))
    starred = [item for item in NOS_ITEMS if answers.values[item].endswith("*")]
    comparability = min(2, sum(item in COMPARABILITY for item in starred))
    total = min(MOST_STARS, comparability + sum(item not in COMPARABILITY for item in starred))
    return _Judged(
        value=total,
        note=notice("judgement.computed", "Computed from {answers}.", answers=answers.described(NOS_ITEMS)),
        used=NOS_ITEMS,
    )


def _judgement_rule_of_domain(domain: rob2.Domain) -> Callable[[_Answers], _Judged]:
    return lambda answers: _judgement_of_rob2_domain(domain, answers)


# For each computed field the tools it belongs to and its rule.
RULES: Final[Mapping[str, tuple[tuple[str, ...], Callable[[_Answers], _Judged]]]] = {
    **{domain.field: (ROB2_TOOLS, _judgement_rule_of_domain(domain)) for domain in rob2.DOMAINS},
    "rob2_overall": (ROB2_TOOLS, _judgement_of_rob2_overall),
    "rbi_overall": (ROBINS_TOOLS, _judgement_of_robins_overall),
    "nos_total": (NOS_TOOLS, _judgement_of_nos_total),
}
