"""A zip of CSV files for RevMan's study-centric data, and a page that says which of their headings are established."""

# ruff: noqa: RUF001 (Chinese is written with Chinese punctuation)

from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZipFile

from ingather.extraction.analysis.review import analyse
from ingather.extraction.export.analysis_zip import add_to_archive, csv_text
from ingather.extraction.export.extras import Extras
from ingather.extraction.export.form import TemplateLike
from ingather.extraction.export.revman_tables import (
    ARMS,
    INFORMATION,
    RESULTS,
    RevmanRow,
    arm_rows,
    information_row,
    result_rows,
)
from ingather.extraction.export.ris import ris_record
from ingather.extraction.export.wording import LANGUAGES, Wording
from ingather.extraction.findings import DocumentResult, TaskSummary

REFUSED: Final = ("Study", "About", "Why")
_README: Final = (
    """Files for RevMan (study-centric data)

Import included.ris first: RevMan makes a second study of each when references come after the data.
Then study-information.csv, study-arms.csv and study-results.csv.

Where the headings are from
- Which files there are, and what a row of each is: RevMan Knowledge Base, "Data extraction templates".
- study-information.csv: "Study", and "Char: " with the name of a characteristic, as Covidence's help describes its
  export for RevMan. RevMan's own characteristics are filled; add others in RevMan before you import them.
- study-arms.csv and study-results.csv: not from Cochrane's documentation, which keeps the templates behind a download
  that we could not open, but from a public program that writes these files. Compare the first line of each with the
  template that you download from the Knowledge Base before you rely on it.

What is not here, since nothing public says its headings
- Risk of bias 2 (one row per result). The judgements are in bias.csv of the export "analysis".
- Year, contact, covariates, and identifiers of a study: included.ris has what is known of them.

Before you import
- Names of outcomes and interventions have to be those of your review's criteria in RevMan, letter by letter.
  "Intervention" is filled where your review asks for it by name, and is empty elsewhere.
- Only comparisons that are sound stand in study-results.csv; refused.csv says what was left out, and why. Footnotes
  say when it was measured, which number was computed, and what no person has reviewed.
""",
    """供 RevMan 使用的文件（以研究为中心的数据）

请先导入 included.ris：若在数据之后导入文献，RevMan 会为每项研究再建一条重复记录。
然后导入 study-information.csv、study-arms.csv 和 study-results.csv。

表头的依据
- 有哪些文件、每行代表什么：RevMan 知识库“Data extraction templates”。
- study-information.csv：“Study”以及“Char: ”加特征名称，依据 Covidence 帮助中对其 RevMan 导出的说明。
  仅填写 RevMan 自带的特征；其他特征请先在 RevMan 中添加。
- study-arms.csv 和 study-results.csv：并非出自 Cochrane 的文档（其模板需下载，我们未能打开），
  而是依据一个写出这些文件的公开程序。使用前请将各文件首行与从知识库下载的模板核对。

未包含的内容（公开资料中没有其表头）
- RoB 2 偏倚风险（每个结果一行）。各判断见“analysis”导出中的 bias.csv。
- 研究的年份、联系人、协变量和标识：已知内容见 included.ris。

导入之前
- 结局和干预的名称须与 RevMan 中综述标准逐字一致。综述以名称提问时已填写“Intervention”，其余为空。
- study-results.csv 仅含可靠的比较；refused.csv 列出未纳入者及其原因。脚注说明测量时间、哪些数字为计算所得，
  以及哪些未经人工审核。
""",
)


def write_revman(
    out: BinaryIO,
    summary: TaskSummary,
    template: TemplateLike,
    results: Iterable[DocumentResult],
    wording: Wording,
    *,
    extras: Extras,
) -> None:
    """Study information, arms and results, the references to import before them, and what is not established."""
    del summary
    gathered = _Gathered(template, extras)
    review = analyse(gathered.passing(results), extras.choices)
    refused: list[list[str | int | float]] = [[one.study, one.about, one.why] for one in review.refused]
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        add_to_archive(archive, "README.txt", _README[LANGUAGES.index(wording.language)])
        add_to_archive(archive, "included.ris", "".join(gathered.records))
        add_to_archive(archive, "study-information.csv", _revman_csv(INFORMATION, gathered.information.values()))
        add_to_archive(archive, "study-arms.csv", _revman_csv(ARMS, arm_rows(review.comparisons)))
        add_to_archive(archive, "study-results.csv", _revman_csv(RESULTS, result_rows(review.comparisons)))
        add_to_archive(archive, "refused.csv", csv_text(REFUSED, refused))


class _Gathered:
    """What is kept of documents as they pass by: a row of information for each study, and a record for each report."""

    def __init__(self, template: TemplateLike, extras: Extras) -> None:
        self._template, self._extras = template, extras
        self.information: dict[str, RevmanRow] = {}
        self.records: list[str] = []

    def passing(self, documents: Iterable[DocumentResult]) -> Iterator[DocumentResult]:
        for document in documents:
            record = ris_record(document, self._extras)
            if not record:
                continue
            self.records.append(record)
            row = information_row(document, self._template)
            known = self.information.setdefault(row["Study"], row)
            # A study may have several reports: the first that says something of a characteristic is quoted.
            self.information[row["Study"]] = {name: known[name] or row[name] for name in row}
            yield document


def _revman_csv(headings: tuple[str, ...], rows: Iterable[RevmanRow]) -> str:
    return csv_text(headings, ([row.get(name, "") for name in headings] for row in rows))
