"""Exports are read back with other people's readers: what was written is what is read, and nothing runs."""

import base64
import csv
import hashlib
import io
import json
import re
import unicodedata
import weakref
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from ingather.extraction.export import FORMATS, export
from ingather.extraction.export.text import CELL_LIMIT, CUT_MARK, exact_number, is_formula_like
from ingather.extraction.export.wording import _WORDING, Wording
from ingather.extraction.export.xlsx import write_xlsx
from ingather.extraction.findings import (
    CHECKS_VERSION,
    DocumentResult,
    Finding,
    Flag,
    Row,
    Span,
    State,
    TaskSummary,
    Value,
    Verdict,
)
from ingather.extraction.template import (
    Field,
    FieldType,
    Label,
    Option,
    Scope,
    Section,
    Template,
    UnitOf,
    builtin_templates,
)


def field_of(id: str, label: str, zh: str = "", **more: Any) -> Field:
    given: dict[str, Any] = {"section": "report", "type": FieldType.TEXT, "scope": Scope.STUDY}
    return Field(id=id, label=Label(en=label, zh=zh), **{**given, **more})


def form(*fields: Field, label: str = "Trials", section: str = "Report") -> Template:
    return Template(
        id="trial",
        version=3,
        label=Label(en=label, zh="试验"),
        description=Label(en="", zh=""),
        scopes=tuple(Scope),
        sections=(
            Section(id="report", label=Label(en=section, zh="报告")),
            Section(id="design", label=Label(en="Design", zh="设计")),
        ),
        fields=fields,
    )


FORM = form(
    field_of("title", "Title", "标题"),
    field_of("registration", "Registration", "注册号", type=FieldType.ID, unit="nct"),
    field_of("n_total", "Participants", "人数", type=FieldType.INT, section="design", unit="people"),
    field_of("countries", "Countries", "国家", type=FieldType.MULTI_TEXT, section="design"),
    field_of(
        "blinded",
        "Blinded",
        "盲法",
        type=FieldType.MULTI_ENUM,
        section="design",
        options=(
            Option(id="staff", label=Label(en="Staff", zh="研究人员")),
            Option(id="patients", label=Label(en="Patients", zh="受试者")),
        ),
    ),
    field_of("arm_n", "Arm size", "组人数", type=FieldType.INT, scope=Scope.ARM),
    field_of("outcome_unit", "Unit", "单位", scope=Scope.OUTCOME),
    field_of("mean", "Mean", "均值", type=FieldType.FLOAT, scope=Scope.ARM_RESULT, unit=UnitOf(field="outcome_unit")),
    field_of("difference", "Difference", "差值", type=FieldType.FLOAT, scope=Scope.CONTRAST, unit=("days", "weeks")),
)
SUMMARY = TaskSummary(
    task_id=7,
    project="Sleep",
    template_id="trial",
    template_version=3,
    extractor="embedded",
    settings={"workers": "4"},
    created_at="2026-03-01T08:00:00+00:00",
    closed_at="2026-03-01T09:00:00+00:00",
    counts={"completed": 1, "error": 1},
)
ROWS = (
    Row(scope="arm", key="arm/1", label="Drug", parts={}),
    Row(scope="arm", key="arm/2", label="Placebo", parts={}),
    Row(scope="outcome", key="outcome/1", label="Sleep time", parts={}),
    Row(
        scope="arm_result",
        key="result/1",
        label="",
        parts={"outcome": "outcome/1", "timepoint": "week 4", "arm": "arm/2"},
    ),
    Row(
        scope="contrast",
        key="contrast/1",
        label="",
        parts={"outcome": "outcome/1", "timepoint": "week 4", "arm": "arm/1", "against": "arm/2"},
    ),
)


def found(field: str, value: Value, row: str = "", **more: Any) -> Finding:
    given: dict[str, Any] = {
        "field": field,
        "row": row,
        "state": State.REPORTED,
        "value": value,
        "quote": "so it says",
        "verdict": Verdict.VERIFIED,
        "spans": (Span(page=2, start=5, end=15),),
        "source": "embedded",
    }
    return Finding(**{**given, **more})


def missing(field: str, state: State, row: str = "", note: str = "") -> Finding:
    return found(field, None, row, state=state, quote="", verdict=Verdict.NO_QUOTE, spans=(), note=note)


def paper(*findings: Finding, **more: Any) -> DocumentResult:
    given: dict[str, Any] = {
        "ordinal": 0,
        "document_id": 41,
        "file_name": "smith.pdf",
        "sha256": "ab" * 32,
        "state": "completed",
        "rows": ROWS,
        "findings": findings,
    }
    return DocumentResult(**{**given, **more})


def exported(format: str, *documents: DocumentResult, language: str = "en", summary: TaskSummary = SUMMARY) -> bytes:
    out = io.BytesIO()
    export(format, out, summary, FORM, iter(documents), language=language)
    return out.getvalue()


def sheets(data: bytes) -> dict[str, list[list[Any]]]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    return {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}


def records(data: bytes, sheet: str, header: int = 0) -> list[dict[str, Any]]:
    rows = sheets(data)[sheet]
    return [dict(zip(map(str, rows[header]), row, strict=True)) for row in rows[header + 1 :]]


def wide(data: bytes, sheet: str) -> list[dict[str, Any]]:
    """By field id where there is one, else by title: the third heading row and the second."""
    _, titles, ids, *rows = sheets(data)[sheet]
    names = [identifier or title for title, identifier in zip(titles, ids, strict=True)]
    return [dict(zip(names, row, strict=True)) for row in rows]


def csv_records(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def parts(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def readable(text: str) -> str:
    """What the documents promise that a reader finds: written differently from the code under test."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        "\ufffd"
        if (unicodedata.category(character) in {"Cc", "Cs"} and character not in "\t\n") or character in "\ufffe\uffff"
        else character
        for character in text
    )


def unquoted(text: str) -> str:
    """The documented way back: one apostrophe off whatever would look like a formula without apostrophes."""
    return text[1:] if text.startswith("'") and is_formula_like(text.lstrip("'")) else text


# The sheets and columns of the workbook


def test_the_workbook_has_a_sheet_for_every_purpose_and_shows_values_wide() -> None:
    data = exported(
        "xlsx",
        paper(
            found("title", "Sleep and drug"),
            found("n_total", 120),
            found("countries", ["China", "Chile"]),
            found("arm_n", 60, "arm/1"),
            found("arm_n", 60, "arm/2"),
            found("outcome_unit", "hours", "outcome/1"),
            found("mean", -1.25, "result/1"),
            found("difference", 0.4, "contrast/1"),
        ),
    )

    assert list(sheets(data)) == [
        *("Studies", "Arms", "Outcomes", "Results", "Contrasts", "QC", "Evidence", "Audit"),
        *("Failures", "Dictionary", "Settings"),
    ]
    [study] = wide(data, "Studies")
    assert (study["File"], study["title"], study["n_total"]) == ("smith.pdf", "Sleep and drug", 120)
    assert study["countries"] == "China; Chile"
    assert [(row["Row label"], row["arm_n"]) for row in wide(data, "Arms")] == [("Drug", 60), ("Placebo", 60)]
    [result] = wide(data, "Results")
    assert (result["Outcome"], result["Time"], result["Arm"]) == ("Sleep time", "week 4", "Placebo")
    assert result["mean"] == -1.25
    [contrast] = wide(data, "Contrasts")
    assert (contrast["Arms compared"], contrast["difference"]) == ("Drug vs Placebo", 0.4)
    assert sheets(data)["QC"] == [["The template asks nothing of this kind."]]


def test_sections_stand_above_labels_and_ids_below_them() -> None:
    section, title, identifier, *_ = sheets(exported("xlsx", paper(found("title", "A"))))["Studies"]

    at = identifier.index("title")
    assert section[at : at + 4] == ["Report", "", "Design", ""]
    assert title[at : at + 4] == ["Title", "Registration", "Participants", "Countries"]


def test_what_is_not_there_is_said_in_words_and_never_left_empty() -> None:
    data = exported(
        "xlsx",
        paper(
            missing("title", State.NOT_REPORTED),
            missing("registration", State.NOT_APPLICABLE),
            missing("n_total", State.FAILED, note="The answer was cut off."),
            found("arm_n", 12, "arm/1", state=State.UNCLEAR),
            found("arm_n", " \u3000", "arm/2"),
        ),
        paper(ordinal=1, file_name="jones.pdf", state="error", problem="The file has no text layer.", rows=()),
    )

    smith, jones = wide(data, "Studies")
    assert [smith[field] for field in ("title", "registration", "n_total", "countries")] == [
        "not reported",
        "not applicable",
        "failed",
        "no answer",
    ]
    assert [row["arm_n"] for row in wide(data, "Arms")] == ["unclear: 12", "reported without a value"]
    assert {jones[field.id] for field in FORM.fields if field.scope == "study"} == {"failed"}
    [failure] = records(data, "Failures")
    assert (failure["File"], failure["Problem"]) == ("jones.pdf", "The file has no text layer.")


def test_answers_of_two_sources_that_differ_are_both_shown_and_marked() -> None:
    data = exported(
        "xlsx",
        paper(
            found("n_total", 120, source="one"),
            found("n_total", 12, source="two"),
            found("title", "Same", source="one"),
            found("title", "Same", source="two"),
        ),
    )

    [study] = wide(data, "Studies")
    assert (study["n_total"], study["title"]) == ("120 | 12", "Same")
    assert len(records(data, "Evidence")) == 4


def test_an_answer_about_a_row_or_field_nobody_listed_is_not_lost() -> None:
    data = exported("xlsx", paper(found("arm_n", 5, "arm/9"), found("unheard_of", "x")))

    assert [(row["Row"], row["arm_n"]) for row in wide(data, "Arms")][-1] == ("arm/9", 5)
    assert [row["Field id"] for row in records(data, "Evidence")] == ["arm_n", "unheard_of"]


def test_evidence_gives_quote_page_from_one_unit_verdict_and_broken_rules() -> None:
    flag = Flag(rule="sum", row="", fields=("n_total", "arm_n"), message="The arms do not add up.")
    other = Flag(rule="small", row="arm/1", fields=("arm_n",), message="The arm is small.")
    data = exported(
        "xlsx",
        paper(
            found("n_total", 120, verdict=Verdict.NUMBER_MISMATCH, note="From the abstract."),
            found("arm_n", 61, "arm/1", spans=(Span(page=0, start=0, end=4), Span(page=3, start=0, end=4))),
            found("arm_n", 60, "arm/2"),
            found("outcome_unit", "hours", "outcome/1"),
            found("mean", 7.5, "result/1"),
            flags=(flag, other),
        ),
    )

    total, one, two, _, mean = records(data, "Evidence")
    assert (total["Quote"], total["Page"], total["Verdict"]) == ("so it says", 3, "number mismatch")
    assert (total["Unit"], total["Note"], total["Source"]) == ("people", "From the abstract.", "embedded")
    assert (one["Page"], one["Row label"]) == ("1; 4", "Drug")
    assert one["Broken rules"] == "The arms do not add up.\nThe arm is small."
    assert two["Broken rules"] == "The arms do not add up."
    assert mean["Unit"] == "hours"
    assert wide(data, "Studies")[0]["Broken rules"] == "The arms do not add up.\nDrug: The arm is small."


def test_settings_say_who_answered_and_how_much_nobody_has_checked() -> None:
    documents = (
        paper(
            found("title", "A", verdict=Verdict.QUOTE_NOT_FOUND),
            found("n_total", 3),
            found("registration", "NCT1", verdict=Verdict.NO_QUOTE, source="computed"),
            missing("countries", State.NOT_REPORTED),
        ),
    )
    settings_sheet = dict(sheets(exported("xlsx", *documents))["Settings"])
    assert "no language model" in settings_sheet["Extractor"]
    assert settings_sheet["Template version"] == 3
    assert settings_sheet["Reported values that are NOT verified"] == 1
    assert settings_sheet["Values computed from other answers"] == 1
    assert settings_sheet["Reported values no person has reviewed"] == 3
    assert settings_sheet["Answers: not reported"] == 1

    by_model = TaskSummary(**{**{name: getattr(SUMMARY, name) for name in SUMMARY.__slots__}, "extractor": "gpt-9"})
    assert dict(sheets(exported("xlsx", *documents, summary=by_model))["Settings"])["Extractor"] == "gpt-9"


def test_values_that_need_a_look_are_coloured_and_verified_ones_are_not() -> None:
    data = exported("xlsx", paper(found("title", "A"), found("registration", "B", verdict=Verdict.QUOTE_NOT_FOUND)))

    files = parts(data)
    looks = dict(re.findall(r'<c r="([A-Z]+4)" s="(\d+)"', files["xl/worksheets/sheet1.xml"]))
    styles = ElementTree.fromstring(files["xl/styles.xml"])
    name = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    cell_looks, fills = styles.find(f"{name}cellXfs"), styles.find(f"{name}fills")
    assert cell_looks is not None
    assert fills is not None

    def colour(cell: str) -> str | None:
        fill = fills[int(cell_looks[int(looks[cell])].get("fillId", "0"))]
        shade = fill.find(f".//{name}fgColor")
        return None if shade is None else shade.get("rgb")

    assert (colour("O4"), colour("P4")) == (None, "FFFFE5B4")


def test_headings_are_frozen_and_every_table_has_a_filter() -> None:
    files = parts(exported("xlsx", paper(found("title", "A"))))

    for name, text in files.items():
        if name.startswith("xl/worksheets/sheet"):
            assert 'state="frozen"' in text, name
            assert "<autoFilter " in text, name


def test_options_show_their_labels_in_wide_tables_and_their_ids_as_evidence() -> None:
    document = paper(found("blinded", ["patients", "somebody"]))

    assert wide(exported("xlsx", document), "Studies")[0]["blinded"] == "Patients; somebody"
    assert wide(exported("xlsx", document, language="zh"), "研究")[0]["blinded"] == "受试者; somebody"
    assert records(exported("xlsx", document), "Evidence")[0]["Value"] == "patients; somebody"
    explained = {row["Field id"]: row for row in records(exported("xlsx", document), "Dictionary")}
    assert explained["blinded"]["Options"] == "staff = Staff; patients = Patients"
    assert (explained["mean"]["Unit"], explained["difference"]["Unit"]) == ("→ outcome_unit", "days / weeks")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("template", builtin_templates(), ids=lambda template: template.id)
def test_the_built_in_templates_can_be_exported_with_an_answer_to_every_field(
    template: Template, language: str
) -> None:
    findings = [
        found(field.id, "=x", "" if field.scope == "study" else f"{field.scope}/1") for field in template.fields
    ]
    out = io.BytesIO()

    export("xlsx", out, SUMMARY, template, [paper(*findings, rows=())], language=language)

    wording = Wording(language)
    read = sheets(out.getvalue())
    assert len(read[wording["sheet.evidence"]]) == len(template.fields) + 1
    assert len(read[wording["sheet.dictionary"]]) == len(template.fields) + 1
    scopes = {"studies" if field.scope == "study" else field.scope.value for field in template.fields}
    shown = [wide(out.getvalue(), wording[f"sheet.{scope}"]) for scope in scopes]
    assert [len(rows) for rows in shown] == [1] * len(scopes)
    assert {row[field.id] for [row] in shown for field in template.fields if field.id in row} == {"=x"}


def test_chinese_words_are_used_throughout() -> None:
    data = exported("xlsx", paper(found("title", "题"), missing("n_total", State.NOT_REPORTED)), language="zh")

    assert list(sheets(data))[:2] == ["研究", "组别"]
    [study] = wide(data, "研究")
    assert (study["文件"], study["n_total"]) == ("smith.pdf", "未报告")
    assert records(data, "证据")[0]["核验结论"] == "已核实"


@pytest.mark.parametrize("kind", [State, Verdict])
def test_every_state_and_verdict_has_words_in_both_languages(kind: type[State | Verdict]) -> None:
    for name in kind:
        assert all(_WORDING[f"{kind.__name__.lower()}.{name}"])
    assert all(en and zh for en, zh in _WORDING.values())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sheet_names_are_ones_that_excel_accepts(language: str) -> None:
    names = [Wording(language)[key] for key in _WORDING if key.startswith("sheet.")]

    assert len(set(names)) == len(names)
    assert all(len(name) <= 28 and not re.search(r"[\[\]:*?/\\']", name) for name in names)


# Numbers and text


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (0, 0),
        (-7, -7),
        (999_999_999_999_999, 999_999_999_999_999),
        (-0.05, -0.05),
        (0.1, 0.1),
        (1e20, 1e20),
        (12345678901234567890, "12345678901234567890"),
        (-12345678901234567890, "-12345678901234567890"),
        (0.1234567890123456, "0.1234567890123456"),
        (5e-324, "5e-324"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (True, "True"),
        ("007", "007"),
        ("12345678901234567890", "12345678901234567890"),
        ("1E5", "1E5"),
        ("2-3", "2-3"),
    ],
)
def test_a_number_is_a_number_only_where_no_digit_is_lost(value: Value, read: str | float) -> None:
    [row] = records(exported("xlsx", paper(found("n_total", value))), "Evidence")

    assert row["Value"] == read
    assert isinstance(row["Value"], str) == isinstance(read, str)


def test_digits_of_an_identifier_are_text() -> None:
    [row] = records(exported("xlsx", paper(found("registration", 12345678))), "Evidence")

    assert row["Value"] == "12345678"


@given(st.floats() | st.integers())
def test_numbers_in_cells_survive_fifteen_digits(number: float) -> None:
    kept = exact_number(number)

    if kept is not None:
        assert float(f"{kept:.15g}") == number == kept


HOSTILE = [
    '=HYPERLINK("http://evil.example","x")',
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "  =1+1",
    "\u3000=1+1",
    "\ufeff=1+1",
    "\u200b=1+1",
    "\uff1d1+1",
    "\uff0b1",
    "'=1+1",
    "''=1+1",
    "'t Hooft 2021",
    "{=1+1}",
    "http://evil.example",
    "mailto:a@evil.example",
    "<img src=x onerror=alert(1)>",
    "</t></is></c><c><f>1+1</f></c>",
    "<r></is></c><c><f>1+1</f><v>2</v></c><c><is></r>",
    "<r><t>rich</t></r>",
    "<r></r>",
    "![x](https://evil.example/?d=1)",
    "javascript:alert(1)",
    "]]>",
    "&amp; &lt; &#65;",
    "_x0041_ _x0041_x0042_x0043_ _x000D_",
    "<r>_x0041_x0042_</r>",
    "<r>_x0041_</r>",
    "_x0041_x0042_",
    "a\x00b\x0bc\x1fd\x7fe\x9f",
    "\ud800 lone \udfff",
    "\ufffe\uffff",
    "one\ntwo\r\nthree\rfour",
    " spaces around  ",
    "12345678901234567890",
    "-0012",
    '"quoted", with; separators',
    "\U0001f600 安慰剂 ﬁ",
    "#REF!",
    "TRUE",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_the_text_it_is_in_the_workbook(text: str) -> None:
    data = exported("xlsx", paper(found("title", text, quote=text, note=text), file_name=text))

    [row] = records(data, "Evidence")
    assert [row[column] for column in ("Value", "Quote", "Note", "File")] == [readable(text)] * 4
    for name, content in parts(data).items():
        assert not any(element.tag.endswith("}f") for element in ElementTree.fromstring(content).iter()), name
        assert "<hyperlink" not in content


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_csv_and_can_be_had_back(text: str) -> None:
    [row] = csv_records(exported("csv", paper(found("title", text, quote=text), file_name=text)))

    assert [unquoted(row[column]) for column in ("Value", "Quote", "File")] == [readable(text)] * 3
    assert row["Value"].strip("\ufeff\u200b \u3000\t\r\n")[:1] not in {*"=+-@", "\uff1d", "\uff0b"}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_a_template_stays_text_too(text: str) -> None:
    option = Option(id="o", label=Label(en=text, zh=text))
    template = form(field_of("a", text, unit=text, instruction=text, options=(option,)), label=text, section=text)
    for kind in FORMATS:
        out = io.BytesIO()
        export(kind, out, SUMMARY, template, [paper(found("a", "x"))])
        if kind == "xlsx":
            shown = sheets(out.getvalue())["Dictionary"][1]
            assert shown[1] == (readable(text) or "a")
            assert not any("<f>" in content for content in parts(out.getvalue()).values())


def test_text_that_could_turn_into_a_formula_on_editing_has_the_quote_prefix() -> None:
    data = exported("xlsx", paper(found("title", "=1+1")))

    assert 'quotePrefix="1"' in parts(data)["xl/styles.xml"]
    look = re.search(r'<c r="O4" s="(\d+)"', parts(data)["xl/worksheets/sheet1.xml"])
    assert look is not None
    looks = re.findall(r"<xf [^>]*>", parts(data)["xl/styles.xml"].split("<cellXfs")[1])
    assert 'quotePrefix="1"' in looks[int(look.group(1))]


def test_negative_numbers_stay_numbers_in_csv() -> None:
    rows = csv_records(exported("csv", paper(found("mean", -1.5, "result/1"), found("title", "-1.5"))))

    assert [row["Value"] for row in rows] == ["-1.5", "'-1.5"]


@pytest.mark.parametrize(
    "text",
    ["x" * 40_000, "汉" * 40_000, "\U0001f600" * 20_000, "x" + "\U0001f600" * 20_000],
    ids=["latin", "chinese", "emoji", "emoji at odd places"],
)
@pytest.mark.parametrize("format", ["xlsx", "csv"])
def test_text_longer_than_a_cell_is_cut_with_a_mark_and_whole_in_json(format: str, text: str) -> None:
    document = paper(found("title", text))

    data = exported(format, document)
    [row] = records(data, "Evidence") if format == "xlsx" else csv_records(data)
    shown = row["Value"]
    assert shown.endswith(CUT_MARK)
    assert text.startswith(shown.removesuffix(CUT_MARK))
    assert CELL_LIMIT - 1 <= len(shown.encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert json.loads(exported("json", document))["documents"][0]["findings"][0]["value"] == text


def test_text_that_just_fits_is_not_cut() -> None:
    text = "x" * CELL_LIMIT

    assert records(exported("xlsx", paper(found("title", text))), "Evidence")[0]["Value"] == text


ANY_TEXT = st.text(st.characters(), max_size=40) | st.text("'=+-@\t\r\n_x041<r>/ \uff1d\u3000", max_size=12)


@settings(max_examples=30, deadline=None)
@given(st.lists(ANY_TEXT, min_size=1, max_size=25))
def test_any_text_comes_back_from_the_workbook(texts: list[str]) -> None:
    rows = records(exported("xlsx", paper(*(found("title", text) for text in texts))), "Evidence")

    assert [row["Value"] for row in rows] == [readable(text) for text in texts]


@settings(max_examples=100, deadline=None)
@given(st.lists(ANY_TEXT, min_size=1, max_size=25))
def test_any_text_comes_back_from_csv(texts: list[str]) -> None:
    rows = csv_records(exported("csv", paper(*(found("title", text) for text in texts))))

    assert [unquoted(row["Value"]) for row in rows] == [readable(text) for text in texts]


# The report


class Page(HTMLParser):
    """What a browser would see: tags, texts of table cells, and what runs."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.inside: dict[str, str] = {}
        self._stack: list[str] = []
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in {"meta", "br"}:
            self._stack.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._stack and self._stack[-1] == "td":
            self.rows[-1][-1] += data
        if self._stack and self._stack[-1] in {"script", "style"}:
            self.inside[self._stack[-1]] = data


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_the_report(text: str) -> None:
    tame, wild = (
        Page(exported("html", paper(found("title", it, quote=it, note=it), file_name=it, problem=it, state="error")))
        for it in ("tame", text)
    )

    assert wild.tags == tame.tags
    assert sum(cell == readable(text) for row in wild.rows for cell in row) >= 3
    assert not [name for name, _ in wild.attributes if name.startswith("on") or name in {"src", "href", "style"}]


def test_the_report_lets_only_its_own_script_run_and_loads_nothing() -> None:
    page = Page(exported("html", paper(found("title", "A"))))

    def digest(tag: str) -> str:
        return base64.b64encode(hashlib.sha256(page.inside[tag].encode()).digest()).decode()

    [policy] = [value for name, value in page.attributes if name == "content" and value and "-src" in value]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest('style')}'",
        f"script-src 'sha256-{digest('script')}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert page.tags.count("script") == page.tags.count("style") == 1
    assert not any(each in page.inside["script"] for each in ("innerHTML", "outerHTML", "document.write", "insertAdj"))


def test_the_report_has_a_row_for_every_finding_which_can_be_filtered_by_verdict() -> None:
    data = exported(
        "html",
        paper(found("title", "A"), found("n_total", 5, verdict=Verdict.NUMBER_MISMATCH)),
        paper(missing("title", State.NOT_REPORTED), ordinal=1),
    )

    verdicts = [value for name, value in Page(data).attributes if name == "data-verdict"]
    marks = [value for name, value in Page(data).attributes if name == "data-mark"]
    assert verdicts == ["verified", "number_mismatch", ""]
    assert marks == ["plain", "attention", "absent"]


# Formats


FINDINGS = st.lists(
    st.builds(
        found,
        st.sampled_from([field.id for field in FORM.fields] + ["unheard_of"]),
        st.none() | st.integers() | st.floats() | ANY_TEXT | st.lists(ANY_TEXT, max_size=3),
        st.sampled_from(["", "arm/1", "result/1", "arm/9"]),
        state=st.sampled_from(list(State)),
        verdict=st.sampled_from(list(Verdict)),
        quote=ANY_TEXT,
        source=st.sampled_from(["embedded", "computed", "gpt-9"]),
    ),
    max_size=12,
)


@settings(max_examples=30, deadline=None)
@given(st.lists(FINDINGS, max_size=3))
def test_every_finding_is_a_row_of_evidence_in_every_format(groups: list[list[Finding]]) -> None:
    documents = [paper(*group, ordinal=at) for at, group in enumerate(groups)]
    count = sum(map(len, groups))

    assert len(records(exported("xlsx", *documents), "Evidence")) == count
    assert len(csv_records(exported("csv", *documents))) == count
    read = json.loads(exported("json", *documents))
    assert sum(len(document["findings"]) for document in read["documents"]) == count


def test_json_holds_everything() -> None:
    document = paper(
        found("countries", ["China", "Chile"], spans=(Span(page=0, start=3, end=9), Span(page=1, start=0, end=2))),
        flags=(Flag(rule="r", row="arm/1", fields=("arm_n",), message="m"),),
        problem="p\x00",
    )

    read = json.loads(exported("json", document))

    assert read["summary"] == {name: getattr(SUMMARY, name) for name in SUMMARY.__slots__}
    assert read["template"] == FORM.to_dict()
    [again] = read["documents"]
    assert again == {
        "ordinal": 0,
        "study": "",
        "study_id": 0,
        "document_id": 41,
        "file_name": "smith.pdf",
        "sha256": "ab" * 32,
        "state": "completed",
        "problem": "p\x00",
        "conflicts": [],
        "rows": [{"scope": r.scope, "key": r.key, "label": r.label, "parts": r.parts} for r in ROWS],
        "findings": [
            {
                "field": "countries",
                "row": "",
                "state": "reported",
                "value": ["China", "Chile"],
                "quote": "so it says",
                "verdict": "verified",
                "spans": [{"page": 0, "start": 3, "end": 9}, {"page": 1, "start": 0, "end": 2}],
                "source": "embedded",
                "note": "",
                "value_spans": [],
                "subject_spans": [],
                "reason": None,
                "extracted": None,
                "review": None,
                "is_outdated": False,
                "cell": None,
            }
        ],
        "flags": [{"rule": "r", "row": "arm/1", "fields": ["arm_n"], "message": "m"}],
        "reviews": [],
        "checks_version": CHECKS_VERSION,
        "arms": [],
        "parser": "",
    }


def test_json_is_strict_json_whatever_the_values() -> None:
    document = paper(found("n_total", float("nan")), found("n_total", 10**30), found("title", "a\ud800b"))

    def refuse(each: str) -> None:
        raise AssertionError(each)

    read = json.loads(exported("json", document).decode("utf-8"), parse_constant=refuse)
    assert [finding["value"] for finding in read["documents"][0]["findings"]] == ["nan", 10**30, "a\ufffdb"]


def test_csv_opens_in_excel_as_utf_8_with_windows_line_ends() -> None:
    data = exported("csv", paper(found("title", "安慰剂")), language="zh")

    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\r\n") == 2
    assert csv_records(data)[0]["值"] == "安慰剂"


def test_csv_tables_hold_the_sheets_of_the_workbook() -> None:
    documents = (
        paper(found("title", "=A"), found("arm_n", 5, "arm/1")),
        paper(ordinal=1, state="error", problem="No."),
    )

    with zipfile.ZipFile(io.BytesIO(exported("csv-tables", *documents))) as archive:
        read = {name: csv_records(archive.read(name)) for name in archive.namelist()}

    assert [name.removesuffix(".csv") for name in read] == [
        name.lower() for name in sheets(exported("xlsx", *documents))
    ]
    assert [row["title"] for row in read["studies.csv"]] == ["'=A", "failed"]
    assert read["arms.csv"][0]["arm_n"] == "5"
    assert read["failures.csv"][0]["Problem"] == "No."


@pytest.mark.parametrize("format", list(FORMATS))
def test_an_export_without_documents_is_a_file_that_opens(format: str) -> None:
    data = exported(format)

    match format:
        case "xlsx":
            assert records(data, "Evidence") == []
        case "json":
            assert json.loads(data)["documents"] == []
        case "csv":
            assert csv_records(data) == []
        case "csv-tables":
            assert len(parts(data)) == 11
        case "html":
            assert Page(data).tags.count("section") == 0


@pytest.mark.parametrize("format", list(FORMATS))
def test_the_same_results_give_the_same_bytes(format: str) -> None:
    document = paper(found("title", "A"), missing("n_total", State.NOT_REPORTED))

    assert exported(format, document) == exported(format, document)


def test_the_workbook_bears_the_date_of_the_task_and_not_of_the_clock() -> None:
    assert "2026-03-01T09:00:00Z</dcterms:created>" in parts(exported("xlsx"))["docProps/core.xml"]


class Pipe(io.RawIOBase):
    """Takes bytes and cannot go back, as a response to a browser."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.taken += bytes(data)
        return len(data)


@pytest.mark.parametrize("format", list(FORMATS))
def test_an_export_can_be_sent_down_a_pipe_that_stays_open(format: str) -> None:
    pipe = Pipe()

    export(format, pipe, SUMMARY, FORM, [paper(found("title", "A"))])  # type: ignore[arg-type]

    assert not pipe.closed
    if format in {"xlsx", "csv-tables", "analysis", "revman"}:
        with zipfile.ZipFile(io.BytesIO(pipe.taken)) as archive:
            assert archive.testzip() is None
    else:
        assert bytes(pipe.taken) == exported(format, paper(found("title", "A")))


def test_rows_beyond_the_end_of_a_sheet_go_on_in_a_second() -> None:
    out = io.BytesIO()
    findings = [found("title", str(number)) for number in range(25)]

    write_xlsx(out, SUMMARY, FORM, [paper(*findings)], Wording("en"), max_rows=11)

    read = sheets(out.getvalue())
    assert [len(read[name]) for name in ("Evidence", "Evidence 2", "Evidence 3")] == [11, 11, 6]
    assert read["Evidence"][0] == read["Evidence 2"][0] == read["Evidence 3"][0]
    values = [
        row["Value"] for name in ("Evidence", "Evidence 2", "Evidence 3") for row in records(out.getvalue(), name)
    ]
    assert values == [str(number) for number in range(25)]


def test_a_failure_halfway_leaves_no_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def results() -> Iterator[DocumentResult]:
        yield paper(found("title", "A"))
        raise ConnectionError("The database went away.")

    for kind in ("xlsx", "csv-tables"):
        with pytest.raises(ConnectionError):
            export(kind, io.BytesIO(), SUMMARY, FORM, results())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", list(FORMATS))
def test_a_document_is_let_go_before_the_next_but_one_is_asked_for(format: str) -> None:
    field_of: list[weakref.ref[DocumentResult]] = []

    def results() -> Iterator[DocumentResult]:
        for number in range(4):
            document = Held(**{name: getattr(paper(found("title", "A")), name) for name in DocumentResult.__slots__})
            field_of.append(weakref.ref(document))
            yield document
            del document
            assert [reference() for reference in field_of[:-1]] == [None] * number

    export(format, io.BytesIO(), SUMMARY, FORM, results())
    assert len(field_of) == 4


class Held(DocumentResult):
    """A result that a weak reference can watch."""


def test_a_template_too_wide_for_excel_is_refused_with_the_numbers() -> None:
    template = form(*(field_of(f"f{number}", "F") for number in range(16_400)))

    with pytest.raises(ValueError, match=r"16,384 columns .* needs 16,415"):
        export("xlsx", io.BytesIO(), SUMMARY, template, [])


def test_unknown_formats_and_languages_are_refused_with_the_choices() -> None:
    with pytest.raises(ValueError, match=r"no export format 'xls'.*xlsx, csv"):
        exported("xls")
    with pytest.raises(ValueError, match="Exports speak en and zh"):
        exported("csv", language="fr")
