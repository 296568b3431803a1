"""What every column of the export for analysis means, in English and Chinese."""

# ruff: noqa: RUF001 (Chinese is written with Chinese punctuation)

from collections.abc import Iterator
from typing import Final

from ingather.extraction.export.wording import LANGUAGES

_MEANINGS: Final[dict[str, tuple[str, str]]] = {
    "comparison": (
        "the number of the comparison in this export; the same in all its tables",
        "本次导出中比较的编号，各表一致",
    ),
    "pool": (
        "comparisons with the same number are pooled; empty where another row counts the same people",
        "编号相同者合并分析；若同一人群已由另一行计入则为空",
    ),
    "part1": ("how many comparisons of the pool divide group 1 among them", "该合并分析中有几个比较分摊第 1 组"),
    "part2": ("how many comparisons of the pool divide group 2 among them", "该合并分析中有几个比较分摊第 2 组"),
    "document_id": ("the document's id in the project", "文献在项目中的编号"),
    "study": (
        "the study's id, or the name of its file where nobody has given one",
        "研究编号；未给出时为文件名",
    ),
    "outcome": ("what was measured", "所测结局"),
    "timepoint": (
        "when, as reported; empty where a person said that there is no such time",
        "报告的时间点；若有人确认无此时间点则为空",
    ),
    "intervention": ("the group that is compared (1)", "被比较的组（第 1 组）"),
    "comparator": ("the group it is compared with (2)", "对照组（第 2 组）"),
    "kind": (
        "binary (events and people), continuous (mean, SD and people), or reported (an effect as printed)",
        "binary（事件数与人数）、continuous（均值、标准差与人数）或 reported（文中给出的效应值）",
    ),
    "scores": ("final values, or change from baseline", "final 为终点值，change 为较基线变化"),
    "ai": ("people with the event in group 1", "第 1 组发生事件的人数"),
    "n1i": ("people analysed in group 1", "第 1 组分析人数"),
    "ci": ("people with the event in group 2", "第 2 组发生事件的人数"),
    "n2i": ("people analysed in group 2", "第 2 组分析人数"),
    "m1i": ("mean of group 1", "第 1 组均值"),
    "sd1i": ("standard deviation of group 1", "第 1 组标准差"),
    "m2i": ("mean of group 2", "第 2 组均值"),
    "sd2i": ("standard deviation of group 2", "第 2 组标准差"),
    "estimate": ("the printed effect, group 1 against group 2", "文中给出的效应值（第 1 组对第 2 组）"),
    "ci_low": ("lower end of its interval", "其置信区间下限"),
    "ci_high": ("upper end of its interval", "其置信区间上限"),
    "ci_level": ("level of its interval, in per cent", "置信水平（%）"),
    "se": ("printed standard error of the effect, where it has no interval", "文中给出的效应标准误（无置信区间时）"),
    "t": ("printed t of the effect, where it has no interval", "文中给出的 t 值（无置信区间时）"),
    "p": ("printed exact P of the effect, where it has no interval", "文中给出的确切 P 值（无置信区间时）"),
    "measure": ("RR, OR, RD, HR, MD or SMD", "效应指标：RR、OR、RD、HR、MD 或 SMD"),
    "yi": (
        "the effect on the scale on which it is pooled: the logarithm of a ratio",
        "合并尺度上的效应值（比值取对数）",
    ),
    "vi": ("the variance of yi", "yi 的方差"),
    "effect": ("the effect as people read it: a ratio as a ratio", "效应值（比值不取对数）"),
    "effect_low": ("lower end of its 95 % interval", "其 95% 置信区间下限"),
    "effect_high": ("upper end of its 95 % interval", "其 95% 置信区间上限"),
    "state": (
        (
            "the worst state among the numbers of the row: reviewed (by a person), verified (words and value found in "
            "the paper), derived (computed by a formula, see computed.csv), assumed (an analyst's choice), unbound "
            "(words found, value not established), unverified"
        ),
        (
            "该行数字中最差的状态：reviewed（经人工审核）、verified（原文与取值均已核实）、derived（按公式计算，"
            "见 computed.csv）、assumed（分析者的假设）、unbound（原文已找到但取值未确认）、unverified（未核实）"
        ),
    ),
    "column": ("the column of comparisons.csv that this line is about", "本行所对应的 comparisons.csv 的列"),
    "number": ("the computed number, with all its digits", "计算所得数值（保留全部位数）"),
    "value": ("the number as printed; a computed one with all its digits", "原文所印数字；计算值保留全部位数"),
    "row": ("the row of the project's table", "项目表格中的行"),
    "field": ("the field of the template", "模板字段"),
    "page": ("the page of the document, from 1", "文献页码（从 1 起）"),
    "quote": ("the words of the paper", "原文引用"),
    "quotes": ("the words of the paper for the numbers that went into it", "所用各数字的原文引用"),
    "inputs": ("the numbers that went into it, by row and field", "计算所用数字（按行与字段）"),
    "formula": ("the formula of a computed number", "计算公式"),
    "source": ("where the formula was published", "公式出处"),
    "table": ("the table that the number stands in, as the paper labels it", "数字所在表格的编号"),
    "table_row": ("the labels of its row, outermost first, parted by >", "所在行的标签（由外到内，以 > 分隔）"),
    "table_column": ("the headers of its column, outermost first, parted by >", "所在列的表头（由外到内，以 > 分隔）"),
    "boxes": (
        "left, top, right and bottom of its cell, in points from the top left corner of the page",
        "单元格的左、上、右、下位置（点，自页面左上角起）",
    ),
    "about": ("what was to be compared, or judged", "拟比较或评价的内容"),
    "Study": (
        "the study's id, or the name of its file where nobody has given one",
        "研究编号；未给出时为文件名",
    ),
    "D1": ("bias from the randomisation process", "随机化过程中的偏倚"),
    "D2": ("bias from deviations from the intended interventions", "偏离既定干预的偏倚"),
    "D3": ("bias from missing outcome data", "结局数据缺失的偏倚"),
    "D4": ("bias in the measurement of the outcome", "结局测量的偏倚"),
    "D5": ("bias in the selection of the reported result", "结果选择性报告的偏倚"),
    "Overall": (
        "overall judgement: Low, Some concerns, High, or No information where there is none",
        "总体评价：Low（低）、Some concerns（有一定顾虑）、High（高）；无评价时为 No information",
    ),
    "Weight": ("1 for every result; robvis wants a column of weights", "均为 1；robvis 需要权重列"),
    "why": (
        "what keeps the comparison out, and is to be mended in that row and field",
        "该比较未纳入的原因，需在该行该字段中更正",
    ),
}
HEADINGS: Final = ("table", "column", "meaning")


def meanings_of_columns(tables: dict[str, tuple[str, ...]], language: str) -> Iterator[list[str | int | float]]:
    at = LANGUAGES.index(language)
    return ([table, column, _MEANINGS[column][at]] for table, columns in tables.items() for column in columns)
