"""Templates: the built-ins as they were agreed, reading, refusing, changing; and how an answer becomes a value."""

import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingather.engine.errors import UsageError
from ingather.extraction.findings import State
from ingather.extraction.template import (
    Field,
    FieldType,
    Label,
    Option,
    Scope,
    Section,
    Template,
    TemplateError,
    Tier,
    Unit,
    UnitOf,
    ValueProblem,
    add_field,
    add_section,
    builtin_templates,
    change_field,
    checks_of_template_edited,
    cloned_template,
    coerce_value,
    difference_of_templates,
    load_builtin_template,
    read_field,
    remove_field,
    template_with_fields_selected,
)
from ingather.extraction.template.values import LONGEST_LONGTEXT, LONGEST_TEXT, MOST_ITEMS

RCT, COHORT, QC = (load_builtin_template(name) for name in ("rct", "cohort", "qc"))
MINE = cloned_template(RCT, "mine", Label(en="Mine", zh="我的"))


# The built-ins.


@pytest.mark.parametrize(
    ("template", "fields", "core", "scopes"),
    [
        (RCT, 125, 89, {"study": 59, "arm": 23, "outcome": 12, "arm_result": 18, "contrast": 13}),
        (COHORT, 90, 68, None),
        (QC, 52, 51, None),
    ],
    ids=["rct", "cohort", "qc"],
)
def test_the_built_ins_have_the_fields_that_were_agreed(
    template: Template, fields: int, core: int, scopes: dict[str, int] | None
) -> None:
    assert len(template.fields) == fields
    assert sum(field.tier == Tier.CORE for field in template.fields) == core
    if scopes:
        assert Counter(field.scope.value for field in template.fields) == scopes


def test_the_built_ins_come_in_order_and_by_id() -> None:
    assert [template.id for template in builtin_templates()] == ["rct", "cohort", "qc"]
    assert all(template.builtin and template.version == 1 for template in builtin_templates())
    with pytest.raises(TemplateError, match="no built-in template 'x'"):
        load_builtin_template("x")


def test_every_word_of_the_built_ins_is_there_in_both_languages() -> None:
    for template in builtin_templates():
        labels = [template.label, template.description, *(section.label for section in template.sections)]
        labels += [field.label for field in template.fields]
        labels += [option.label for field in template.fields for option in field.options]
        labels += [check.message for check in template.checks]
        assert all(label.en.strip() and label.zh.strip() for label in labels)
        assert all(field.instruction for field in template.fields)


def test_no_option_of_the_built_ins_shares_its_words_with_a_neighbour() -> None:
    for template in builtin_templates():
        for field in template.fields:
            for language in ("en", "zh"):
                names = [getattr(option.label, language).casefold() for option in field.options]
                assert len(names) == len(set(names)), field.id


def test_the_fields_nobody_asks_a_model_are_marked() -> None:
    assert [field.id for field in RCT.fields if not field.is_askable] == ["reviewer_note"]
    assert [field.id for field in COHORT.fields if not field.is_askable] == ["reviewer_note"]
    assert {field.id for field in QC.fields if not field.is_askable} == {
        "qc_tool", "qc_effect", "rbi_confounders", "nos_total", "rbi_overall", "rob2_overall",
        "rob2_d1", "rob2_d2", "rob2_d3", "rob2_d4", "rob2_d5",
    }  # fmt: skip


def test_units_of_results_are_what_the_outcome_says() -> None:
    assert RCT.field("r_sd").unit == UnitOf(field="outcome_unit")
    assert RCT.field("followup_planned").unit == ("days", "weeks", "months", "years")
    assert RCT.field("age_mean").unit == "years"
    assert RCT.field("c_p").unit is None


@pytest.mark.parametrize("template", [*builtin_templates(), MINE], ids=lambda template: template.id)
def test_a_template_survives_json(template: Template) -> None:
    described = template.to_dict()
    again = Template.from_dict(json.loads(json.dumps(described)))
    assert again == template
    assert again.to_dict() == described


def test_fields_are_found_by_scope_and_tier_and_id() -> None:
    assert RCT.field("r_sd").label.en == "SD"
    with pytest.raises(TemplateError, match="has no field 'nope'"):
        RCT.field("nope")
    arm = RCT.fields_of("arm")
    assert len(arm) == 23
    assert {field.tier for field in RCT.fields_of("arm", tier="core")} == {Tier.CORE}
    assert len(RCT.fields_of("arm", tier="core")) + len(RCT.fields_of("arm", tier="extended")) == 23
    assert RCT.fields_of("domain") == ()


# Reading and refusing.


def small(**changes: Any) -> dict[str, Any]:
    return {
        "id": "small",
        "version": 1,
        "label": "Small",
        "scopes": ["study", "arm", "arm_result"],
        "sections": [
            {
                "id": "all",
                "label": {"en": "All", "zh": "全部"},
                "fields": [
                    {"id": "n", "label": "N", "type": "int", "scope": "study"},
                    {"id": "arm_n", "label": "N", "type": "int", "scope": "arm"},
                    {"id": "mean", "label": "Mean", "type": "float", "scope": "arm_result", "unit": {"field": "units"}},
                    {"id": "units", "label": "Units", "type": "text", "scope": "study"},
                    {"id": "when", "label": "When", "type": "date", "scope": "study"},
                    {"id": "tags", "label": "Tags", "type": "multi_text", "scope": "study"},
                ],
            }
        ],
        "checks": [{"id": "adds", "scope": "study", "expression": "sum(arm_n) == n", "message": "{n} is not the sum."}],
    } | changes


def with_field(**field: Any) -> dict[str, Any]:
    described = small()
    described["sections"][0]["fields"].append({"id": "x", "label": "X", "type": "text", "scope": "study"} | field)
    return described


def with_check(**check: Any) -> dict[str, Any]:
    return small(checks=[{"id": "c", "scope": "study", "expression": "n > 0", "message": "No."} | check])


def test_a_small_template_is_read_with_what_is_usual_left_out() -> None:
    template = Template.from_dict(small())
    assert template.label == Label(en="Small", zh="Small")
    field = template.field("n")
    assert (field.tier, field.instruction, field.unit, field.ai, field.computed) == (Tier.CORE, "", None, True, False)
    assert Template.from_dict(template.to_dict()) == template


OPTIONS = [{"id": f"o{n}", "label": "o"} for n in range(101)]
REFUSED: list[tuple[object, str]] = [
    (None, "must be a mapping"),
    ([], "must be a mapping"),
    ({}, "needs a text under 'id'"),
    (small(id="Small"), "has the id 'Small'"),
    (small(id="a" * 64), "has the id"),
    (small(id="x\n"), "has the id"),
    (small(id=7), "needs a text under 'id'"),
    (small(version=0), "has the version 0"),
    (small(version=True), "has the version True"),
    (small(version="1"), "has the version '1'"),
    (small(colour="red"), "has the key 'colour'"),
    (small(label=""), "needs words under 'label'"),
    (small(label={"en": "A", "fr": "B"}), "needs words under 'label'"),
    (small(label={"en": "A" * 201, "zh": "B"}), "has a label of 201 characters"),
    (small(scopes=["study", "galaxy"]), "has the scope 'galaxy'"),
    (small(scopes=["study", "study", "arm", "arm_result"]), "has the scope 'study' 2 times"),
    (small(scopes="study"), "needs a list under 'scopes'"),
    (small(scopes=["study", "arm"]), "'mean' has the scope arm_result, which the template does not list"),
    (small(sections=None), "needs a list under 'sections'"),
    (small(sections=[{"id": "s", "label": "S"}]), "needs a list under 'fields'"),
    (small(sections=small()["sections"] * 2), "has the section 'all' 2 times"),
    (with_field(type="blob"), "'x' has the type 'blob'; it is one of text, longtext"),
    (with_field(type=["text"]), "has the type list"),
    (with_field(scope="contrast"), "has the scope contrast, which the template does not list"),
    (with_field(scope=None), "has the scope None"),
    (with_field(tier="maybe"), "has the tier 'maybe'"),
    (with_field(id="n"), "has the field 'n' 2 times"),
    (with_field(id="9x"), "has the id '9x'"),
    (with_field(id="x" * 64), "has the id"),
    (with_field(id=None), "needs a text under 'id'"),
    (with_field(label="x" * 201), "has a label of 201 characters"),
    (with_field(label="x\x1b[31m"), "has a control character in its label"),
    (with_field(label="x\u202ey"), "has a control character in its label"),
    (with_field(label="\ud800"), "has a control character in its label"),
    (with_field(instruction="x" * 2001), "has a instruction of 2,001 characters"),
    (with_field(instruction="ignore\x00this"), "has a control character in its instruction"),
    (with_field(type="enum"), "needs options to choose from"),
    (with_field(type="multi_enum", enum=[]), "needs options to choose from"),
    (with_field(enum=[{"id": "a", "label": "A"}]), "has options, but is of type text"),
    (with_field(type="enum", enum=["a"]), "must be a mapping"),
    (with_field(type="enum", enum=OPTIONS), "has 101 options; 100 is the most"),
    (
        with_field(type="enum", enum=[{"id": "a", "label": "A"}, {"id": "A", "label": "B"}]),
        "has the option 'a' 2 times",
    ),
    (with_field(type="enum", enum=[{"id": "a b", "label": "A"}]), "has the option 'a b'"),
    (with_field(unit={"field": "nope"}), "takes its unit from 'nope'"),
    (with_field(unit={"field": "x"}), "takes its unit from 'x'"),
    (with_field(unit={"field": "arm_n"}), "whose rows it does not belong to"),
    (with_field(unit={"fields": "units"}), "has a unit that cannot be read"),
    (with_field(unit=[]), "has a unit that cannot be read"),
    (with_field(unit=[1]), "has a unit that cannot be read"),
    (with_field(unit=" "), "has an empty unit"),
    (with_field(unit=["mg", "mg"]), "has the unit 'mg' 2 times"),
    (with_field(ai="no"), "needs true or false under 'ai'"),
    (with_field(colour="red"), "has the key 'colour'"),
    (with_check(expression="nope > 0"), "'c' has an expression that names 'nope', which is no field of the template"),
    (with_check(when="nope > 0"), "names 'nope'"),
    (with_check(expression="n + 1"), "is no comparison"),
    (with_check(expression="n >"), "cannot be read"),
    (with_check(expression="arm_n > 0"), "of the scope arm, which a row of study does not belong to"),
    (with_check(expression="sum(n) > 0"), "sums 'n', of which there is only one"),
    (with_check(expression="first(mean) > 0"), "uses first or second for something other"),
    (with_check(expression="any_other(other.arm_n > 0)"), "is not of the scope study"),
    (with_check(expression="n == 'a'"), "where a number is needed"),
    (with_check(expression="units > 1"), "where a number is needed"),
    (with_check(expression="when > 2019"), "where a number is needed"),
    (with_check(expression="ln(units) > 1"), "where a number is needed"),
    (with_check(expression="n in ('a', 'b')"), "where a text is needed"),
    (with_check(expression="n and n"), "where true or false is needed"),
    (with_check(expression="tags == 'x'"), "names tags, which no check can use"),
    (with_check(expression="year(units) > 1"), "where a date is needed"),
    (with_check(expression="x" * 501), "is longer than 500 characters"),
    (with_check(expression=""), "needs a text under 'expression'"),
    (with_check(message="{units} is wrong."), "shows {units} in its message"),
    (with_check(message="{0}"), "shows {0} in its message"),
    (with_check(message="x" * 501), "has a message of 501 characters"),
    (with_check(level="fatal"), "has the level 'fatal'"),
    (with_check(scope="outcome"), "has the scope outcome, which the template does not list"),
    (with_check(id="C"), "has the id 'C'"),
    (small(checks=small()["checks"] * 2), "has the check 'adds' 2 times"),
    (small(note="x" * 2001), "has a note of 2,001 characters"),
]


@pytest.mark.parametrize(("described", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_what_is_wrong_with_a_template_is_told_in_a_sentence(described: object, sentence: str) -> None:
    with pytest.raises(TemplateError) as problem:
        Template.from_dict(described)
    message = str(problem.value)
    assert sentence in message
    assert message.endswith(".")
    assert message.isprintable()
    assert isinstance(problem.value, UsageError)


def test_a_template_has_400_fields_at_most() -> None:
    described = small()
    fields = described["sections"][0]["fields"]
    fields += [{"id": f"f{n}", "label": "F", "type": "text", "scope": "study"} for n in range(400 - len(fields))]
    assert len(Template.from_dict(described).fields) == 400
    fields.append({"id": "one_more", "label": "F", "type": "text", "scope": "study"})
    with pytest.raises(TemplateError, match="401 fields; 400 is the most"):
        Template.from_dict(described)


def plain_data() -> st.SearchStrategy[object]:
    leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10)
    return st.recursive(
        leaf, lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text(max_size=8), of, max_size=3)
    )


@settings(max_examples=100, deadline=None)
@given(
    value=plain_data(),
    key=st.sampled_from(["id", "label", "type", "scope", "tier", "unit", "enum", "ai", "instruction"]),
)
def test_whatever_stands_in_a_field_is_read_or_refused(value: object, key: str) -> None:
    try:
        template = Template.from_dict(with_field(**{key: value}))
    except TemplateError:
        return
    assert Template.from_dict(template.to_dict()) == template


# Changing.


def question(id: str, **changes: Any) -> Field:
    return replace(
        Field(id=id, label=Label(en="Q", zh="Q"), section="outcomes", type=FieldType.TEXT, scope=Scope.OUTCOME),
        **changes,
    )


def test_a_clone_is_a_template_of_its_own() -> None:
    assert (MINE.id, MINE.version, MINE.label.zh, MINE.based_on, MINE.builtin) == ("mine", 1, "我的", "rct 1", False)
    assert MINE.fields == RCT.fields
    assert MINE.checks == RCT.checks
    assert cloned_template(MINE.with_version(4), "yours", Label(en="Y", zh="Y")).based_on == "mine 4"


@pytest.mark.parametrize("taken", ["rct", "qc", "Mine", "", "x" * 64])
def test_a_clone_needs_an_id_that_is_free_and_well_formed(taken: str) -> None:
    with pytest.raises(TemplateError):
        cloned_template(RCT, taken, Label(en="Mine", zh="我的"))


@pytest.mark.parametrize(
    "change",
    [
        lambda t: add_field(t, question("x")),
        lambda t: change_field(t, t.field("title")),
        lambda t: remove_field(t, "title"),
        lambda t: add_section(t, Section(id="s", label=Label(en="S", zh="S"))),
        lambda t: remove_field(template_with_fields_selected(t, ["title", "aim"]), "title"),
    ],
)
def test_a_built_in_cannot_be_changed(change: Callable[[Template], Template]) -> None:
    with pytest.raises(TemplateError, match="clone it first"):
        change(RCT)
    change(MINE)


def test_a_field_is_added_at_the_end_of_its_section_or_after_another() -> None:
    outcomes = [field.id for field in MINE.fields if field.section == "outcomes"]
    last = add_field(MINE, question("x"))
    assert [field.id for field in last.fields if field.section == "outcomes"] == [*outcomes, "x"]
    middle = add_field(MINE, question("x"), after="measurement_tool")
    ids = [field.id for field in middle.fields]
    assert ids[ids.index("measurement_tool") + 1] == "x"
    assert len(MINE.fields) == 125
    for changed in (last, middle):
        assert Template.from_dict(changed.to_dict()) == changed


def test_a_field_for_a_new_section_stands_in_it() -> None:
    wider = add_section(MINE, Section(id="sleep", label=Label(en="Sleep", zh="睡眠")))
    wider = add_field(wider, question("x", section="sleep"))
    assert wider.fields[-1].id == "x"
    assert Template.from_dict(wider.to_dict()) == wider


@pytest.mark.parametrize(
    ("field", "after", "sentence"),
    [
        (question("title"), None, "has the field 'title' 2 times"),
        (question("X"), None, "has the id 'X'"),
        (question("x", section="nowhere"), None, "stands in the section 'nowhere'"),
        (question("x", scope=Scope.DOMAIN), None, "has the scope domain"),
        (question("x", type=FieldType.ENUM), None, "needs options"),
        (question("x"), "title", "stands in another section"),
        (question("x"), "nope", "has no field 'nope'"),
    ],
)
def test_a_field_that_does_not_fit_is_not_added(field: Field, after: str | None, sentence: str) -> None:
    with pytest.raises(TemplateError, match=sentence):
        add_field(MINE, field, after=after)


def test_a_field_is_changed_in_its_place() -> None:
    title = replace(MINE.field("title"), instruction="Title in capitals.")
    changed = change_field(MINE, title)
    assert [field.id for field in changed.fields] == [field.id for field in MINE.fields]
    assert changed.field("title").instruction == "Title in capitals."
    with pytest.raises(TemplateError, match="has no field 'nope'"):
        change_field(MINE, question("nope"))


def test_a_change_that_a_check_cannot_live_with_is_refused() -> None:
    with pytest.raises(TemplateError, match="has an expression that names r_events, which no check can use"):
        change_field(MINE, replace(MINE.field("r_events"), type=FieldType.MULTI_TEXT))


def test_a_field_that_moves_to_another_section_keeps_the_template_readable() -> None:
    moved = change_field(MINE, replace(MINE.field("title"), section="outcomes"))
    assert Template.from_dict(moved.to_dict()) == moved
    assert difference_of_templates(MINE, moved).to_run == ()


def test_with_a_field_go_the_checks_that_name_it() -> None:
    gone = {check.id for check in checks_of_template_edited(MINE, "r_n")}
    assert {"events_within_n", "pct_agrees", "sd_looks_like_se"} <= gone
    without = remove_field(MINE, "r_n")
    described = difference_of_templates(MINE, without)
    assert set(described.removed_checks) == gone
    assert (described.removed, described.added, described.changed) == (("r_n",), (), ())
    assert Template.from_dict(without.to_dict()) == without


def test_a_field_that_says_the_unit_of_others_stays_while_they_do() -> None:
    with pytest.raises(TemplateError, match="says the unit of r_mean, r_sd"):
        remove_field(MINE, "outcome_unit")
    with pytest.raises(TemplateError, match="has no field"):
        remove_field(MINE, "nope")


def test_a_selection_brings_units_along_and_leaves_checks_behind() -> None:
    some = template_with_fields_selected(RCT, ["title", "r_sd"])
    assert [field.id for field in some.fields] == ["title", "outcome_unit", "r_sd"]
    assert [check.id for check in some.checks] == ["sd_not_negative"]
    assert [section.id for section in some.sections] == ["report", "outcomes", "results"]
    assert (some.id, some.version) == (RCT.id, RCT.version)
    assert Template.from_dict(some.to_dict()) == some
    assert template_with_fields_selected(RCT, [field.id for field in RCT.fields]) == RCT
    for wrong in ([], ["nope"]):
        with pytest.raises(TemplateError):
            template_with_fields_selected(RCT, wrong)


def test_the_difference_is_what_must_be_asked_again() -> None:
    new = add_field(MINE, question("x"))
    new = change_field(new, replace(new.field("title"), instruction="Other."))
    new = change_field(new, replace(new.field("journal"), tier=Tier.EXTENDED))
    new = remove_field(new, "aim")
    described = difference_of_templates(MINE, new)
    assert (described.added, described.changed, described.removed) == (("x",), ("title",), ("aim",))
    assert described.to_run == ("x", "title")
    assert difference_of_templates(MINE, MINE.with_version(9)).to_run == ()


@pytest.mark.parametrize("version", [0, -1, True])
def test_a_version_counts_from_one(version: int) -> None:
    assert MINE.with_version(7).version == 7
    with pytest.raises(TemplateError, match="number from 1"):
        MINE.with_version(version)


def test_a_field_can_be_read_by_itself() -> None:
    described = RCT.field("design").to_dict()
    assert read_field(described, "design") == RCT.field("design")


# Values.


def of(type: str, unit: Unit = None, *options: tuple[str, str, str]) -> Field:
    return Field(
        id="f",
        label=Label(en="F", zh="F"),
        section="s",
        type=FieldType(type),
        scope=Scope.STUDY,
        unit=unit,
        options=tuple(Option(id=key, label=Label(en=en, zh=zh)) for key, en, zh in options),
    )


INT, FLOAT, PERCENT, DATE = of("int", "participants"), of("float", "years"), of("percent", "%"), of("date", "YYYY-MM")
LENGTH, DOSE = of("quantity", ("days", "weeks", "months", "years")), of("quantity", "as_reported")
PERSON_TIME = RCT.field("r_person_time")
ENUM, MULTI_ENUM = RCT.field("framework"), COHORT.field("adjustment_method")
ANSWER, STARS = QC.field("rob2_1_1"), QC.field("nos_s1")
TEXT, LONGTEXT, TEXTS = of("text"), of("longtext"), of("multi_text")
DOI, PMID = RCT.field("doi"), RCT.field("pmid")

READ: list[tuple[Field, object, object]] = [
    (INT, 120, 120),
    (INT, "120", 120),
    (INT, "120.0", 120),
    (INT, 120.0, 120),
    (INT, " 1,234 ", 1234),
    (INT, "1,234,567", 1234567),
    (INT, "1\u2009234", 1234),
    (INT, "1\u00a0234", 1234),
    (INT, "n = 45", 45),
    (INT, "N=45", 45),
    (INT, "45 participants", 45),
    (INT, "45 patients", 45),
    (INT, "45例", 45),
    (INT, "\uff11\uff12\uff10", 120),
    (INT, "-3", -3),
    (INT, "\u22123", -3),
    (INT, "0", 0),
    (INT, "1e3", 1000),
    (FLOAT, 12.4, 12.4),
    (FLOAT, 12, 12.0),
    (FLOAT, "12.4", 12.4),
    (FLOAT, "12·4", 12.4),
    (FLOAT, "12,4", 12.4),
    (FLOAT, "0,853", 0.853),
    (FLOAT, "1,234", 1234.0),
    (FLOAT, "1,234.5", 1234.5),
    (FLOAT, ".05", 0.05),
    (FLOAT, "+1.5", 1.5),
    (FLOAT, "\u20131.2", -1.2),
    (FLOAT, "\u22121.2", -1.2),
    (FLOAT, "1.2e-5", 1.2e-5),
    (FLOAT, "45.2 years", 45.2),
    (FLOAT, "45.2 yrs", 45.2),
    (FLOAT, "45.2岁", 45.2),
    (PERCENT, "12.4 %", 12.4),
    (PERCENT, "12.4%", 12.4),
    (PERCENT, "12·4\uff05", 12.4),
    (PERCENT, "12.4 percent", 12.4),
    (PERCENT, 12.4, 12.4),
    (PERCENT, "95", 95.0),
    (DATE, "2019-03", "2019-03"),
    (DATE, "2019", "2019"),
    (DATE, 2019, "2019"),
    (DATE, "2019-3", "2019-03"),
    (DATE, "2019-03-15", "2019-03-15"),
    (DATE, "2019/03/15", "2019-03-15"),
    (DATE, "03/2019", "2019-03"),
    (DATE, "March 2019", "2019-03"),
    (DATE, "Sept. 2019", "2019-09"),
    (DATE, "15 March 2019", "2019-03-15"),
    (DATE, "March 15th, 2019", "2019-03-15"),
    (DATE, "1st May 2019", "2019-05-01"),
    (DATE, "2019年3月", "2019-03"),
    (DATE, "2019年3月15日", "2019-03-15"),
    (DATE, "2020-02-29", "2020-02-29"),
    (LENGTH, "12 weeks", "12 weeks"),
    (LENGTH, "12 week", "12 weeks"),
    (LENGTH, "12-week", "12 weeks"),
    (LENGTH, "12 wks", "12 weeks"),
    (LENGTH, "12周", "12 weeks"),
    (LENGTH, "6 个月", "6 months"),
    (LENGTH, "1.5 years", "1.5 years"),
    (LENGTH, "1.0 Year", "1 years"),
    (LENGTH, {"value": 12, "unit": "Weeks"}, "12 weeks"),
    (LENGTH, {"value": "12", "unit": "weeks"}, "12 weeks"),
    (DOSE, "40 mg/day", "40 mg/day"),
    (DOSE, "2.5mg", "2.5 mg"),
    (DOSE, "1,000 IU", "1000 IU"),
    (DOSE, "5 µg/kg", "5 µg/kg"),
    (PERSON_TIME, "1,234.5 person-years", "1234.5 person_years"),
    (PERSON_TIME, "300 patient years", "300 person_years"),
    (PERSON_TIME, "300人年", "300 person_years"),
    (ENUM, "superiority", "superiority"),
    (ENUM, "SUPERIORITY", "superiority"),
    (ENUM, "Non-inferiority", "non_inferiority"),
    (ENUM, " non inferiority. ", "non_inferiority"),
    (ENUM, "非劣效", "non_inferiority"),
    (ENUM, "unclear", "unclear"),
    (ANSWER, "PY", "PY"),
    (ANSWER, "py", "PY"),
    (ANSWER, "Probably yes", "PY"),
    (ANSWER, "No", "N"),
    (ANSWER, "NA", "NA"),
    (ANSWER, "not applicable", "NA"),
    (ANSWER, "no information", "NI"),
    (STARS, "a_truly*", "a_truly*"),
    (STARS, "a_truly", "a_truly*"),
    (STARS, "Truly representative", "a_truly*"),
    (RCT.field("sequence_method"), "not described", "not_described"),
    (RCT.field("funding_type"), "none", "none"),
    (MULTI_ENUM, ["iptw", "Restriction", "IPTW"], ["iptw", "restriction"]),
    (MULTI_ENUM, "iptw", ["iptw"]),
    (MULTI_ENUM, "iptw; restriction", ["iptw", "restriction"]),
    (MULTI_ENUM, "iptw, 限制", ["iptw", "restriction"]),
    (TEXTS, ["France", " Spain ", "France"], ["France", "Spain"]),
    (TEXTS, "France; Spain", ["France", "Spain"]),
    (TEXTS, "Berlin, Germany", ["Berlin, Germany"]),
    (TEXTS, ("a", "b"), ["a", "b"]),
    (TEXTS, [2019, "b"], ["2019", "b"]),
    (TEXT, "  two\n lines ", "two lines"),
    (TEXT, "none declared", "none declared"),
    (TEXT, "None", "None"),
    (TEXT, 0.03, "0.03"),
    (TEXT, 5, "5"),
    (TEXT, "a\x02b", "a b"),
    (LONGTEXT, " one\ntwo ", "one\ntwo"),
    (DOI, "https://doi.org/10.1136/bmj.l4898", "10.1136/bmj.l4898"),
    (DOI, "doi: 10.1136/bmj.l4898.", "10.1136/bmj.l4898"),
    (PMID, "PMID: 31462531", "31462531"),
    (PMID, 31462531, "31462531"),
]


@pytest.mark.parametrize(("field", "raw", "value"), READ, ids=[f"{f.type}-{raw!r}" for f, raw, _ in READ])
def test_a_value_is_read_as_it_was_meant(field: Field, raw: object, value: object) -> None:
    found = coerce_value(field, raw)
    assert found == value
    assert type(found) is type(value)


NO_VALUES: list[tuple[list[Field], list[object]]] = [
    ([INT, FLOAT, PERCENT], [
        "12\u201315", "12-15", "12 to 15", "~12", "about 12", "<12", "≥12", "12 (3)", "12±3", "12/30", "1 2", "1 234",
        "12,34,5", "1,23,456", "1.234.567", "1.2.3", "10²", "½", "٣", "\uff11٢", "⑫", "Ⅻ", "十二", "twelve", "NaN",
        "inf", "-Infinity", "1e999", "0x10", "1_000", "--3", "+-3", "12 mg", "12 kg", "1" * 61, math.nan, math.inf,
        -math.inf, True, False, [12], {"a": 1}, b"12", "1e5000", "none", "12;13", "12 13", "NA", "12.", "e5", "1,234,",
        "n = many",
    ]),
    ([INT], ["12.4", 12.4, "12,4", 2**53, "9" * 20, "12%", "45 mice", "0,123"]),
    ([FLOAT], ["12.4 %", "7.2 mmol/L", 10**400, "1.3 SE"]),
    ([DATE], [
        "03/04/2019", "2019-13", "2019-02-30", "2019-00", "spring 2019", "19", "1492", "2999", 20190301, -2019, True,
        2019.5, ["2019"], "2019-03 to 2020-01", "٢٠١٩", "March", "2019-03-15 12:00", "x" * 100_000,
    ]),
    ([LENGTH], [
        "12", 12, "12 hours", "12\u201324 weeks", "weeks", "3 to 6 months", "12 weeks and 3 days", {"value": 12}, True,
        {"value": True, "unit": "weeks"}, {"value": 12, "unit": 3}, {"value": math.nan, "unit": "weeks"}, ["12 weeks"],
    ]),
    ([DOSE], ["40", "40-80 mg", "40 to 80 mg", "mg", "40 " + "m" * 200, "40 (20) mg", "40\u201380 mg"]),
    ([ENUM], ["better", True, 1, ["superiority"], "superiority, equivalence", "x" * 10**6]),
    ([MULTI_ENUM], [["iptw", "magic"], ["iptw", 3], 3, {"iptw": True}]),
    ([TEXTS], [3, ["a"] * (MOST_ITEMS + 1), [["a"]], [None, "a"], ["x" * 501], [True]]),
    ([TEXT], ["x" * (LONGEST_TEXT + 1), True, ["a", "b"], {"a": "b"}, math.nan, b"x"]),
    ([LONGTEXT], ["x" * (LONGEST_LONGTEXT + 1)]),
    ([DOI], ["bmj.l4898", "10.1136/a b"]),
    ([PMID], ["PMC123", "1" * 10]),
]  # fmt: skip
REFUSED_VALUES = [(field, raw) for fields, raws in NO_VALUES for field in fields for raw in raws]


@pytest.mark.parametrize(("field", "raw"), REFUSED_VALUES, ids=[f"{f.type}-{raw!r:.30}" for f, raw in REFUSED_VALUES])
def test_what_is_no_value_is_refused_with_a_sentence_and_leaves_the_cell_unclear(field: Field, raw: object) -> None:
    with pytest.raises(ValueProblem) as problem:
        coerce_value(field, raw)
    assert problem.value.state == State.UNCLEAR
    assert str(problem.value).endswith(".")
    assert len(str(problem.value)) < 700


SILENT: list[object] = [
    None,
    "",
    "  ",
    "not reported",
    "Not Reported.",
    "NOT_REPORTED",
    "NR",
    "n/r",
    "not stated",
    "未报告",
    "-",
    "—",
    [],
]
NUMERIC_AND_TEXT = [INT, FLOAT, PERCENT, DATE, LENGTH, ENUM, MULTI_ENUM, TEXT, LONGTEXT, TEXTS, DOI]


@pytest.mark.parametrize("raw", SILENT)
@pytest.mark.parametrize("field", NUMERIC_AND_TEXT, ids=lambda field: field.type)
def test_words_that_say_not_reported_give_none(field: Field, raw: object) -> None:
    assert coerce_value(field, raw) is None
    assert coerce_value(field, [raw]) is None


def test_words_that_say_it_does_not_apply_give_that_state() -> None:
    for raw in ("not applicable", "Not_applicable", "不适用"):
        with pytest.raises(ValueProblem) as problem:
            coerce_value(INT, raw)
        assert problem.value.state == State.NOT_APPLICABLE


@settings(max_examples=250, deadline=None)
@given(raw=plain_data() | st.text(), field=st.sampled_from([*NUMERIC_AND_TEXT, DOSE, ANSWER, PMID, PERSON_TIME]))
def test_whatever_is_given_becomes_a_value_that_can_be_stored_or_a_problem(raw: object, field: Field) -> None:
    try:
        value = coerce_value(field, raw)
    except ValueProblem:
        return
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert "\x00" not in json.dumps(value, ensure_ascii=False)
    json.dumps(value, ensure_ascii=False).encode()
    if value is not None and field.type != FieldType.ID:
        assert coerce_value(field, value) == value


@settings(max_examples=200, deadline=None)
@given(number=st.integers(-(10**12), 10**12))
def test_a_whole_number_is_read_back_however_it_is_grouped(number: int) -> None:
    assert (
        coerce_value(INT, f"{number:,}")
        == coerce_value(INT, str(number))
        == coerce_value(FLOAT, f"{number:,}")
        == number
    )


def test_a_deeply_nested_answer_is_refused() -> None:
    nested: object = "x"
    for _ in range(50_000):
        nested = [nested]
    for field in NUMERIC_AND_TEXT:
        with pytest.raises(ValueProblem):
            coerce_value(field, nested)
