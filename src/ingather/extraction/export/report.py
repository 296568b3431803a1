"""The evidence report: one HTML file that opens anywhere, loads nothing, and shows each value beside its quote."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from typing import BinaryIO, Final

from ingather.extraction.export.closing import extractor_of, settings
from ingather.extraction.export.form import TemplateLike, label_of
from ingather.extraction.export.lookup import Lookup
from ingather.extraction.export.sheets import Entry, Sheets
from ingather.extraction.export.tally import Emphasis, Tally, emphasis_of
from ingather.extraction.export.text import clean
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import DocumentResult, State, TaskSummary, Verdict

_STYLE: Final = """
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:80rem;padding:1rem;color:#1b1b1b;background:#fff}
form{position:sticky;top:0;background:#fff;padding:.6rem 0;border-bottom:1px solid #ccc}
select{font:inherit;max-width:24rem;margin-right:1rem}
section{content-visibility:auto;contain-intrinsic-size:auto 60rem}
h2{margin:1.5rem 0 .3rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;table-layout:fixed}
td,th{border-bottom:1px solid #ddd;padding:.35rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere;
white-space:pre-wrap}
th{background:#eef2f6}
.attention{background:#ffe5b4}.failed{background:#f8d0d0}.absent{color:#666;font-style:italic}
[hidden]{display:none}
"""
# It hides and shows rows that are there; it never makes any, so that no text can become markup.
_SCRIPT: Final = """
const form=document.forms[0];
function show(){
  const paper=form.elements.paper.value, verdict=form.elements.verdict.value;
  for(const section of document.querySelectorAll("section[data-paper]")){
    section.hidden=paper!==""&&section.dataset.paper!==paper;
    if(section.hidden)continue;
    for(const row of section.querySelectorAll("tbody tr"))
      row.hidden=verdict!==""&&![row.dataset.verdict,row.dataset.mark,row.dataset.review].includes(verdict);
  }
}
const list=form.elements.paper;
for(const section of document.querySelectorAll("section[data-paper]"))
  list.add(new Option(section.querySelector("h2").textContent,section.dataset.paper));
form.addEventListener("change",show);
show();
"""
# Columns of the Evidence sheet. The document is in the heading; the time of a review is in the other formats.
_SHOWN: Final = (4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22)
# The widths of these columns in percent.
_WIDTHS: Final = (8, 9, 6, 10, 5, 18, 4, 7, 7, 6, 8, 7, 7, 7, 6, 7)


def write_html(
    out: BinaryIO, summary: TaskSummary, template: TemplateLike, results: Iterable[DocumentResult], wording: Wording
) -> None:
    """One section per document and one row per finding, as in the Evidence sheet; the settings stand at the end."""
    tables, tally = Sheets(template, wording), Tally()
    out.write("".join(_report_opening(summary, template, wording)).encode())
    for document in results:
        tally.add(document)
        out.write("".join(_report_section(document, tables, wording)).encode())
    out.write(f"<h2>{escape(wording['sheet.settings'])}</h2><table><tbody>".encode())
    rows = settings(summary, template, tally, wording)
    out.writelines(f"<tr><th>{_escaped_html(name)}</th>{_report_cell(cell)}</tr>".encode() for name, cell in rows)
    out.write(f"</tbody></table><script>{_SCRIPT}</script></body></html>\n".encode())


def _report_opening(summary: TaskSummary, template: TemplateLike, wording: Wording) -> Iterator[str]:
    policy = (
        f"default-src 'none'; style-src '{_policy_digest(_STYLE)}'; script-src '{_policy_digest(_SCRIPT)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    title = f"{wording['report']}: {label_of(template, wording.language)}"
    yield f'<!doctype html><html lang="{wording.language}"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<title>{_escaped_html(title)}</title><style>{_STYLE}</style></head><body><h1>{_escaped_html(title)}</h1>"
    yield f"<p>{_escaped_html(summary.project)}</p>"
    yield f"<p>{escape(wording['extractor'])}: {_escaped_html(extractor_of(summary, wording))}</p>"
    yield f"<p>{escape(wording['verdicts_mean'])} {escape(wording['not_reviewed_means'])}</p>"
    yield f'<form autocomplete="off"><label>{escape(wording["document"])} <select name="paper"><option value="">'
    yield f"{escape(wording['all_documents'])}</option></select></label>"
    yield f'<label>{escape(wording["verdict"])} <select name="verdict">'
    yield f'<option value="">{escape(wording["all_verdicts"])}</option>'
    for mark in (Emphasis.ATTENTION, Emphasis.FAILED, Emphasis.ABSENT):
        yield f'<option value="{mark}">{escape(wording[f"mark.{mark}"])}</option>'
    for review in ("reviewed", "unreviewed"):
        yield f'<option value="{review}">{escape(wording[review])}</option>'
    for verdict in Verdict:
        yield f'<option value="{verdict}">{escape(wording.of("verdict", verdict))}</option>'
    yield "</select></label></form>"


def _report_section(document: DocumentResult, tables: Sheets, wording: Wording) -> Iterator[str]:
    name = _escaped_html(document.file_name)
    yield f'<section data-paper="{document.ordinal}"><h2>{document.ordinal + 1}. {name}</h2>'
    if document.state != "completed":
        state = wording.of("item", document.state)
        yield f'<p class="{Emphasis.FAILED}">{_escaped_html(": ".join(filter(None, (state, document.problem))))}</p>'
    lookup = Lookup(document)
    if flags := lookup.all_flags():
        yield f'<p class="{Emphasis.ATTENTION}">{_escaped_html(wording["flags"])}: {_escaped_html(flags)}</p>'
    if document.findings:
        titles = (tables.evidence.columns[at].title for at in _SHOWN)
        yield "<table><thead><tr>"
        for title, width in zip(titles, _WIDTHS, strict=True):
            yield f'<th width="{width}%">{escape(title)}</th>'
        yield "</tr></thead><tbody>"
        for finding, cells in zip(document.findings, tables.evidence_rows(lookup), strict=True):
            # A verdict speaks of a quote; where nothing is reported there is none to filter by.
            verdict = finding.verdict if finding.state is State.REPORTED else ""
            review = "reviewed" if finding.is_reviewed else "unreviewed"
            yield f'<tr data-verdict="{verdict}" data-mark="{emphasis_of(finding)}" data-review="{review}">'
            yield "".join(_report_cell(cells[at]) for at in _SHOWN)
            yield "</tr>"
        yield "</tbody></table>"
    yield "</section>\n"


def _report_cell(cell: Entry) -> str:
    look = "" if cell.mark is Emphasis.PLAIN or cell.value == "" else f' class="{cell.mark}"'
    return f"<td{look}>{_escaped_html(str(cell.value))}</td>"


def _escaped_html(text: str) -> str:
    return escape(clean(text))


def _policy_digest(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
