"""The rows of a document, such as its arms, outcomes and contrasts, and the answers of each."""

from ingather.extraction.findings import Answer, Row
from ingather.extraction.rules import arms, baseline, effects, outcomes, quality, results
from ingather.extraction.rules.sentences import Document

Answers = dict[tuple[str, str], Answer]


def rows_by_rules(
    document: Document, study: dict[str, Answer], scopes: set[str], *, is_trial: bool
) -> tuple[list[Row], Answers]:
    """The rows of the scopes asked about, and all answers found for them by field and row."""
    found: Answers = {}
    rows: list[Row] = []

    def add(scope: str, label: str, parts: dict[str, str], answers: dict[str, Answer]) -> None:
        key = next(iter(answers.values())).row
        rows.append(Row(scope=scope, key=key, label=label, parts=parts))
        found.update({(name, key): answer for name, answer in answers.items()})

    groups = arms.arms_by_rules(document, is_trial=is_trial)
    total = study.get("n_randomised")
    if is_trial:
        arms.arms_without_wrong_sizes(groups, total.value if total and isinstance(total.value, int) else None, document)
    ages = baseline.baseline_answers(groups, document)
    for n, arm in enumerate(groups, 1):
        add("arm", arm.label, {}, arms.arm_answers(arm, groups, document, f"arm/{n}") | ages[n - 1])
    named = outcomes.named_outcomes(document)
    for n, outcome in enumerate(named, 1):
        add("outcome", outcome.name, {}, outcomes.outcome_answers(outcome, f"outcome/{n}"))
    of_outcomes = [one for one in results.results_by_arm(document, groups, named) if one.outcome is not None]
    for n, result in enumerate(of_outcomes, 1):
        parts = {"arm": f"arm/{result.arm + 1}"} | _outcome_of_row(result.outcome)
        label = f"{_name_of_outcome(named, result.outcome)}, {groups[result.arm].label}"
        add("arm_result", label, parts, results.result_answers(result, f"arm_result/{n}"))
    for n, effect in enumerate(effects.printed_effects(document, named, is_trial=is_trial), 1):
        about = effect.about if effect.outcome is None and effect.about else _name_of_outcome(named, effect.outcome)
        label = f"{about}, {effect.label}"
        add("contrast", label, _outcome_of_row(effect.outcome), effects.effect_answers(effect, f"contrast/{n}"))
    if "domain" in scopes:
        add("domain", named[0].name if named else "Main result", {}, quality.quality_answers(study, "domain/1"))
    return [row for row in rows if row.scope in scopes], found


def _outcome_of_row(number: int | None) -> dict[str, str]:
    return {} if number is None else {"outcome": f"outcome/{number + 1}"}


def _name_of_outcome(named: list[outcomes.Outcome], number: int | None) -> str:
    return "Outcome not named" if number is None else named[number].name
