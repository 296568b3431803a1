"""An edited export is read back as proposals; what cannot be placed is listed with its reason."""

import csv
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
import xlsxwriter  # type: ignore[import-untyped]
from python_calamine import CalamineWorkbook

from ingather.engine.errors import UsageError
from ingather.extraction.export import export, reviewed_part
from ingather.extraction.findings import Action, DocumentResult, Review, State
from ingather.extraction.read_back.proposals import ReadBack, documents_of_upload, proposals_of_upload
from ingather.extraction.read_back.uploaded import sheets_of_upload
from ingather.extraction.reviewing.deciding import Decision
from ingather.extraction.template.builtin import load_builtin_template
from tests.extraction.test_analysis_export import SUMMARY, reported, trial

RCT = load_builtin_template("rct")
Table = list[list[Any]]
Edit = Callable[[Table], None]


def documents() -> list[DocumentResult]:
    first = trial(0, {"Pain 1": {"r_mean": 19.0, "r_sd": 3.1, "r_n": 30}, "Pain 2": {"r_mean": 17.5, "r_n": 31}})
    more = (
        reported("", "protocol_ref", "2-9"),
        reported("", "registration_id", "00123456"),
        reported("", "recruit_start", "2019-03"),
        reported("", "countries", ["China", "Chile"]),
        reported("", "design", "parallel"),
        replace(reported("", "n_screened", None), state=State.NOT_REPORTED, quote=""),
        reported("", "aim", "=HYPERLINK(1)"),
        reported("arm_result/1", "r_pct", 27.0),
    )
    second = trial(1, {"Pain 1": {"r_mean": 8.0, "r_n": 20}, "Pain 2": {"r_mean": 9.0, "r_n": 21}})
    return [replace(first, findings=(*first.findings, *more)), second]


def read_csv(content: bytes, delimiter: str = ",") -> Table:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter))


def as_csv(table: Table, delimiter: str = ",", encoding: str = "utf-8-sig") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows(table)
    return text.getvalue().encode(encoding)


def exported(format: str = "csv", found: list[DocumentResult] | None = None, **options: Any) -> bytes:
    out = io.BytesIO()
    export(format, out, SUMMARY, RCT, documents() if found is None else found, **options)
    return out.getvalue()


def nothing_against(ordinal: int, decision: Decision) -> None:
    del ordinal, decision


def read(
    content: bytes,
    name: str = "edited.csv",
    found: list[DocumentResult] | None = None,
    check: Callable[[int, Decision], None] = nothing_against,
) -> ReadBack:
    sheets = sheets_of_upload(name, content)
    now = documents() if found is None else found
    named = documents_of_upload(sheets, RCT, SUMMARY.task_id)
    variants = [variant for one in now if one.ordinal in named for variant in (one, reviewed_part(one))]
    return proposals_of_upload(sheets, RCT, SUMMARY.task_id, variants, check)


def edited(edit: Edit, **options: Any) -> ReadBack:
    table = read_csv(exported(**options))
    edit(table)
    return read(as_csv(table))


def cell(table: Table, field: str, column: str, row: str | None = None) -> tuple[list[Any], int]:
    """A row of the Evidence table and the place of a column in it."""
    head = table[0]
    at_field, at_row = head.index("Field id"), head.index("Row")
    found = next(one for one in table[1:] if one[at_field] == field and row in {None, one[at_row]})
    return found, head.index(column)


def typed(field: str, value: Any, column: str = "Value", row: str | None = None) -> Edit:
    def edit(table: Table) -> None:
        line, place = cell(table, field, column, row)
        line[place] = value

    return edit


def only(found: ReadBack) -> Decision:
    assert found.unplaced == ()
    (proposal,) = found.proposals
    return proposal.decision


def reason(found: ReadBack) -> str:
    assert found.proposals == ()
    (row,) = found.unplaced
    return row.why


@pytest.mark.parametrize("format", ["csv", "csv-tables", "xlsx"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("only_reviewed", [False, True])
def test_an_export_that_nobody_edited_proposes_nothing(format: str, language: str, only_reviewed: bool) -> None:
    found = read(exported(format, language=language, only_reviewed=only_reviewed))
    assert (found.proposals, found.unplaced) == ((), ())
    assert only_reviewed or found.unchanged > 20


def test_a_changed_value_is_a_proposal_beside_what_stands() -> None:
    found = edited(typed("r_mean", "19.5", row="arm_result/1"))
    assert only(found) == Decision(row="arm_result/1", field="r_mean", action=Action.EDITED, value=19.5)
    (proposal,) = found.proposals
    assert (proposal.was, proposal.was_state, proposal.ordinal) == (19.0, State.REPORTED, 0)
    assert (proposal.file_name, proposal.row_label) == ("Trial 0.pdf", "Pain 1")


def test_nineteen_is_nineteen_point_nought() -> None:
    assert edited(typed("r_mean", "19", row="arm_result/1")).proposals == ()


@pytest.mark.parametrize(("state", "action"), [("not reported", Action.NOT_REPORTED), ("unclear", Action.UNCLEAR)])
def test_a_word_for_no_value_is_a_decision(state: str, action: Action) -> None:
    assert only(edited(typed("r_mean", state, row="arm_result/1"))).action is action
    assert only(edited(typed("r_mean", state, "State", row="arm_result/1"))).action is action


def test_a_value_where_none_was_reported_is_given() -> None:
    assert only(edited(typed("n_screened", "312"))).value == 312


def test_a_label_of_an_option_is_its_option_in_both_languages() -> None:
    assert only(edited(typed("design", "Crossover"))).value == "crossover"
    assert only(edited(typed("design", "交叉"))).value == "crossover"


def test_a_note_beside_a_changed_value_goes_with_it() -> None:
    def edit(table: Table) -> None:
        typed("r_mean", "19.5", row="arm_result/1")(table)
        typed("r_mean", "table 2", "Reviewer's note", row="arm_result/1")(table)

    assert only(edited(edit)).note == "table 2"


def test_a_wide_sheet_of_a_workbook_is_read_back_too() -> None:
    found = read(
        rewritten(exported("xlsx"), "Results", lambda row: [21.5 if one == 19 else one for one in row]), "a.xlsx"
    )
    assert only(found) == Decision(row="arm_result/1", field="r_mean", action=Action.EDITED, value=21.5)


def test_a_table_of_the_zip_can_be_read_back_alone() -> None:
    with zipfile.ZipFile(io.BytesIO(exported("csv-tables"))) as archive:
        table = read_csv(archive.read("results.csv"))
    at = table[0].index("r_n")
    table[1][at] = "33"
    assert only(read(as_csv(table))).value == 33


def rewritten(content: bytes, sheet: str, change: Callable[[list[Any]], list[Any]]) -> bytes:
    """A workbook as a spreadsheet saves it: values alone, dates as dates."""
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"default_date_format": "d-mmm", "strings_to_numbers": False}) as again:
        for name in book.sheet_names:
            page = again.add_worksheet(name)
            for at, row in enumerate(book.get_sheet_by_name(name).to_python(skip_empty_area=False)):
                for place, value in enumerate(change(row) if name == sheet else row):
                    write = page.write_datetime if isinstance(value, date) else page.write
                    if value != "":
                        (page.write_string if isinstance(value, str) else write)(at, place, value)
    return out.getvalue()


def test_a_date_that_a_spreadsheet_made_in_a_workbook_is_no_value() -> None:
    made = rewritten(
        exported("xlsx"), "Evidence", lambda row: [date(2026, 9, 2) if one == "2-9" else one for one in row]
    )
    assert "made a date" in reason(read(made, "a.xlsx"))


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("protocol_ref", "2-Sep", "made a date of this cell: 2-Sep"),
        ("protocol_ref", "02-Sep-26", "made a date"),
        ("protocol_ref", "Sep-09", "made a date"),
        ("protocol_ref", "9月2日", "made a date"),
        ("protocol_ref", "2026/9/2", "made a date"),
        ("registration_id", "1.23E+14", "digits are lost"),
        ("registration_id", "123456", "dropped the zeros"),
        ("r_mean", "#VALUE!", "shows an error"),
        ("r_mean", "nineteen", "is no number"),
        ("n_screened", "12.5", "whole"),
        ("design", "triangular", "none of the options"),
        ("countries", "", "was emptied"),
        ("recruit_start", "03/04/2019", ""),
    ],
)
def test_what_cannot_be_placed_is_listed_with_its_reason(field: str, value: str, sentence: str) -> None:
    found = edited(typed(field, value))
    assert sentence in reason(found)
    (row,) = found.unplaced
    assert (row.column, row.text, row.sheet) == (field, value, "edited.csv")
    assert row.line > 1


def test_a_percentage_as_a_fraction_is_asked_about() -> None:
    made = rewritten(
        exported("xlsx"), "Evidence", lambda row: [0.28 if one == 27 else one for one in row] if "r_pct" in row else row
    )
    assert "fraction" in reason(read(made, "a.xlsx"))


def test_a_row_without_its_key_has_no_place() -> None:
    key = "Key (leave as it is)"
    assert "no key" in reason(edited(lambda table: (typed("r_sd", "4")(table), typed("r_sd", "", key)(table))[0]))
    assert "changed since" in reason(edited(typed("r_sd", "1-1-0000000000000000", key)))
    assert "of task 7" in reason(edited(typed("r_sd", "7-1-0000000000000000", key)))


def test_a_sheet_without_the_column_of_keys_is_named_once() -> None:
    def without_keys(table: Table) -> None:
        for row in table:
            row.pop()

    found = edited(without_keys)
    assert "column of keys is missing" in reason(found)


def test_columns_that_were_added_renamed_or_removed_are_named() -> None:
    def rename(table: Table) -> None:
        table[0][table[0].index("Value")] = "My value"
        typed("r_sd", "4", "My value")(table)

    found = edited(rename)
    assert found.proposals == ()
    assert {(row.column, row.line) for row in found.unplaced} == {("My value", 0), ("Value", 0)}


def test_a_changed_quote_is_not_taken_and_is_listed() -> None:
    found = edited(typed("r_sd", "other words", "Quote"))
    assert "not read back" in reason(found)
    assert found.unplaced[0].column == "Quote"


def test_a_row_that_stands_twice_and_was_changed_has_no_place() -> None:
    def double(table: Table) -> None:
        line, place = cell(table, "r_sd", "Value")
        table.append([*line])
        table[-1][place] = "4"

    assert "has the same key" in reason(edited(double))


def test_a_row_that_has_changed_since_the_export_is_not_taken_for_an_edit() -> None:
    table = read_csv(exported())
    typed("r_sd", "4")(table)
    now = documents()
    now[0] = replace(
        now[0],
        findings=tuple(replace(one, value=3.3) if one.field == "r_sd" else one for one in now[0].findings),
    )
    found = read(as_csv(table), found=now)
    assert "changed since" in reason(found)


def test_an_answer_that_a_colleague_has_reviewed_since_has_changed() -> None:
    table = read_csv(exported())
    typed("r_sd", "4")(table)
    now = documents()
    review = Review(
        ordinal=0, row="arm_result/1", field="r_sd", revision=1, action=Action.ACCEPTED, reviewer="ann",
        reviewed_at=datetime(2026, 3, 1, tzinfo=UTC), finding_sha256="",
    )  # fmt: skip
    now[0] = replace(
        now[0], findings=tuple(replace(one, review=review) if one.field == "r_sd" else one for one in now[0].findings)
    )
    assert "changed since" in reason(read(as_csv(table), found=now))
    again = read_csv(exported(found=now))
    typed("r_sd", "4")(again)
    assert only(read(as_csv(again), found=now)).seen == 1


def test_two_sheets_that_say_different_things_of_one_answer_are_both_listed() -> None:
    def in_both(row: list[Any]) -> list[Any]:
        return [21.5 if one == 19 else one for one in row]

    both = rewritten(rewritten(exported("xlsx"), "Results", in_both), "Evidence", lambda row: [
        22 if one == 19 and "r_mean" in row else one for one in row
    ])  # fmt: skip
    found = read(both, "a.xlsx")
    assert found.proposals == ()
    assert [row.why for row in found.unplaced] == [
        "The file says different things of this answer in several places."
    ] * 2


def test_what_the_rules_of_reviews_refuse_is_listed() -> None:
    def refuse(ordinal: int, decision: Decision) -> None:
        raise UsageError(f"Not {decision.field} of {ordinal}.")

    table = read_csv(exported())
    typed("r_sd", "4")(table)
    assert reason(read(as_csv(table), check=refuse)) == "Not r_sd of 0."


@pytest.mark.parametrize(("delimiter", "encoding"), [(";", "utf-8-sig"), ("\t", "utf-16"), (",", "utf-8")])
def test_files_are_read_as_spreadsheets_save_them(delimiter: str, encoding: str) -> None:
    table = read_csv(exported())
    typed("r_sd", "4")(table)
    assert only(read(as_csv(table, delimiter, encoding))).value == 4


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 broken", "neither a workbook nor a CSV"),
        ("Wert;Größe\n1;2".encode("cp1252"), "not in UTF-8"),
        (b"%PDF-1.7\n\x00\x01", "neither a workbook"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_a_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        sheets_of_upload("a.csv", content)


def test_a_file_that_unpacks_to_more_than_memory_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("evidence.csv", "w") as member:
        for _ in range(310):
            member.write(b"0" * 1_000_000)
    with pytest.raises(UsageError, match="too large"):
        sheets_of_upload("a.zip", out.getvalue())


def test_another_table_is_named_and_nothing_is_read_from_it() -> None:
    found = read(b"name,age\nann,3\n")
    assert "no table that can be read back" in reason(found)
