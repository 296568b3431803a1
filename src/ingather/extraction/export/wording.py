"""The text of every export in English and Chinese: one table, so that a missing translation is seen at once."""

# ruff: noqa: RUF001 (Chinese is written with Chinese punctuation)

from typing import Final

from ingather.extraction.findings import CHECKS_VERSION

LANGUAGES: Final = ("en", "zh")

_WORDING: Final[dict[str, tuple[str, str]]] = {
    # Sheets
    "sheet.studies": ("Studies", "研究"),
    "sheet.arm": ("Arms", "组别"),
    "sheet.outcome": ("Outcomes", "结局"),
    "sheet.arm_result": ("Results", "各组结果"),
    "sheet.contrast": ("Contrasts", "组间比较"),
    "sheet.domain": ("QC", "质量评价"),
    "sheet.question": ("Questions", "综述问题"),
    "sheet.evidence": ("Evidence", "证据"),
    "sheet.audit": ("Audit", "审核记录"),
    "sheet.failures": ("Failures", "失败文献"),
    "sheet.dictionary": ("Dictionary", "字段说明"),
    "sheet.settings": ("Settings", "任务设置"),
    # Columns
    "document": ("Document", "文献"),
    "document_id": ("Document id", "文献编号"),
    "file": ("File", "文件"),
    "sha256": ("SHA-256 of the file", "文件 SHA-256"),
    "document_state": ("Document state", "文献状态"),
    "problem": ("Problem", "问题"),
    "reported": ("Values reported", "已报告值"),
    "believed": ("Verified", "已核实"),
    "unbound": ("Not bound", "未绑定"),
    "computed": ("Computed", "计算得出"),
    "attention": ("To look at", "需人工查看"),
    "absent": ("Not reported", "未报告"),
    "failed": ("Failed", "失败"),
    "flags": ("Broken rules", "违反规则"),
    "row": ("Row", "行"),
    "row_label": ("Row label", "行名称"),
    "outcome": ("Outcome", "结局"),
    "timepoint": ("Time", "时间点"),
    "arm": ("Arm", "组别"),
    "arms": ("Arms compared", "比较的组别"),
    "intervention": ("Intervention", "干预"),
    "comparator": ("Comparator", "对照"),
    "table": ("Table", "表格"),
    "table_row": ("Row of the table", "表格行"),
    "table_column": ("Column of the table", "表格列"),
    "boxes": ("Box on the page (points)", "页面位置（点）"),
    "key": ("Key (leave as it is)", "标识（请勿更改）"),
    "made_of": ("Made of", "组成"),
    "section": ("Section", "部分"),
    "field_id": ("Field id", "字段标识"),
    "field": ("Field", "字段"),
    "state": ("State", "状态"),
    "value": ("Value", "值"),
    "unit": ("Unit", "单位"),
    "quote": ("Quote", "原文引用"),
    "page": ("Page", "页码"),
    "verdict": ("Verdict", "核验结论"),
    "source": ("Source", "来源"),
    "note": ("Note", "备注"),
    "scope": ("Asked of", "提问对象"),
    "type": ("Type", "类型"),
    "tier": ("Tier", "层级"),
    "options": ("Options", "选项"),
    "instruction": ("Instruction", "填写说明"),
    "setting": ("Setting", "设置"),
    "extracted": ("Extracted before", "审核前的提取值"),
    "review": ("Review", "审核"),
    "reviewer": ("Reviewer", "审核人"),
    "reviewed_at": ("Reviewed at", "审核时间"),
    "review_note": ("Reviewer's note", "审核备注"),
    "revision": ("Revision", "修订号"),
    "given": ("Value given", "给出的值"),
    "counts": ("Counts", "是否有效"),
    "yes": ("yes", "是"),
    "no": ("no, superseded or taken back", "否（已被取代或撤回）"),
    "outdated": ("outdated", "已过时"),
    "reviewed": ("Reviewed", "已审核"),
    "unreviewed": ("not reviewed", "未审核"),
    # The decisions of people
    "action.accepted": ("accepted", "接受"),
    "action.edited": ("edited", "修改"),
    "action.not_reported": ("not reported", "未报告"),
    "action.not_applicable": ("not applicable", "不适用"),
    "action.unclear": ("unclear", "不明确"),
    "action.rejected": ("rejected", "否决"),
    "action.withdrawn": ("taken back", "撤回"),
    # States of answers, and what stands where there is none
    "state.reported": ("reported", "已报告"),
    "state.not_reported": ("not reported", "未报告"),
    "state.not_applicable": ("not applicable", "不适用"),
    "state.unclear": ("unclear", "不明确"),
    "state.failed": ("failed", "失败"),
    "state.rejected": ("rejected by a person", "已被人工否决"),
    "no_answer": ("no answer", "无回答"),
    "not_found": ("not found", "未找到"),
    "no_value": ("reported without a value", "已报告但无值"),
    # States of documents
    "item.pending": ("waiting", "等待中"),
    "item.running": ("running", "进行中"),
    "item.completed": ("completed", "已完成"),
    "item.error": ("failed", "失败"),
    "item.cancelled": ("cancelled", "已取消"),
    # Verdicts, and what they mean
    "verdict.verified": ("verified", "已核实"),
    "verdict.verified_fuzzy": ("verified, small differences", "已核实（略有差异）"),
    "verdict.unbound": ("not bound: value not confirmed", "未绑定：取值未确认"),
    "verdict.quote_not_found": ("quote not found", "未找到引文"),
    "verdict.number_mismatch": ("number mismatch", "数字不符"),
    "verdict.polarity_mismatch": ("polarity mismatch", "肯定否定不符"),
    "verdict.unsupported_value": ("unsupported value", "引文不支持该值"),
    "verdict.no_quote": ("no quote", "无引文"),
    "means.verified": (
        "The quote stands in the document word for word, the value in the quote, and the words there say what it is.",
        "引文逐字见于文献，值见于引文，且引文说明该值所指。",
    ),
    "means.verified_fuzzy": (
        "As verified, but the quote has small differences that touch no number and no negation.",
        "同“已核实”，但引文有不涉及数字和否定词的细小差异。",
    ),
    "means.unbound": (
        "The quote stands in the document. That the value is what these words say was not established.",
        "引文见于文献，但未能确认该值就是这些文字所说的内容。",
    ),
    "means.quote_not_found": ("The quote does not stand in the document.", "文献中找不到该引文。"),
    "means.number_mismatch": (
        "The document has almost this quote, with another number.",
        "文献中有近似的引文，但数字不同。",
    ),
    "means.polarity_mismatch": (
        "The document has almost this quote, with the opposite sense (a not, a no, a without).",
        "文献中有近似的引文，但肯定与否定相反。",
    ),
    "means.unsupported_value": (
        "The quote stands in the document, but does not hold the value.",
        "引文见于文献，但不包含该值。",
    ),
    "means.no_quote": ("No quote was given.", "没有给出引文。"),
    # Why a value is not bound
    "reason": ("Why not bound", "未绑定的原因"),
    "reason.echo": ("repeats the question", "重复了问题本身"),
    "reason.state": ("a state given as a value", "把状态当作取值"),
    "reason.paraphrase": ("not in the words of the quote", "并非引文原词"),
    "reason.no_cue": ("the quote does not speak of this field", "引文未涉及该字段"),
    "reason.no_option": ("the quote does not carry this choice", "引文不支持该选项"),
    "reason.other_option": ("the quote carries another choice, or several", "引文支持其他选项或多个选项"),
    "reason.part_of_name": ("part of a name, a label or another number", "属于名称、编号或其他数字的一部分"),
    "reason.other_measure": ("another quantity than the one asked for", "是另一种统计量"),
    "reason.other_arm": ("the quote gives it for another arm", "引文中属于另一组"),
    "reason.other_outcome": ("the quote gives it for another outcome", "引文中属于另一结局"),
    "reason.other_time": ("the quote gives it for another time", "引文中属于另一时间点"),
    "reason.no_subject": ("the quote does not name arm, outcome or time", "引文未指明组别、结局或时间"),
    "reason.signs": ("hangs on a sign that could not be read", "取决于未能识别的符号"),
    "reason.elsewhere": (
        "stands where other papers are spoken of, or not where this is printed",
        "位置不符（如参考文献）",
    ),
    "reason.joined": ("the quote is joined from several sentences", "引文由多个句子拼接而成"),
    "reason.part": ("the paper says more of this than the value gives", "文献对此的说明不止于该取值"),
    # Settings
    "project": ("Project", "项目"),
    "task": ("Task", "提取任务"),
    "template": ("Template", "模板"),
    "template_id": ("Template id", "模板标识"),
    "template_version": ("Template version", "模板版本"),
    "extractor": ("Extractor", "提取方式"),
    "embedded": (
        "Embedded extractor: rules over the document's own text, no language model. It answers what rules can find.",
        "内置提取器：仅依据文献自身文本的规则，未使用语言模型，只能回答规则所能找到的内容。",
    ),
    "created_at": ("Started", "开始时间"),
    "closed_at": ("Finished", "结束时间"),
    "not_closed": ("not finished when this file was made", "导出时尚未完成"),
    "documents": ("Documents in this file", "本文件中的文献数"),
    "documents_in": ("Documents", "文献"),
    "findings": ("Answers in this file", "本文件中的回答数"),
    "answers_in": ("Answers", "回答"),
    "answers_from": ("Answers from", "回答来源"),
    "verdicts_in": ("Reported values", "已报告值"),
    "checks": ("checks of version", "核验程序版本"),
    "checks_in": ("Documents judged by the checks of version", "所用核验程序版本的文献数"),
    "not_verified": ("Reported values that are NOT verified", "未经核实的已报告值"),
    "computed_values": ("Values computed from other answers", "由其他回答计算得出的值"),
    "not_reviewed": ("Reported values no person has reviewed", "未经人工审核的已报告值"),
    "answers_reviewed": ("Answers a person has reviewed", "已经人工审核的回答"),
    "reviews_in": ("Reviewed", "审核"),
    "answers_unreviewed": ("Answers NO person has reviewed", "未经人工审核的回答"),
    "reviews_outdated": ("Reviews that are outdated and do not count", "已过时且不计入的审核"),
    "not_reviewed_means": (
        "Where a person has reviewed an answer, what they said stands; everything else stands as it was extracted.",
        "经人工审核的回答以审核结果为准，其余为提取所得。",
    ),
    "not_reported_means": (
        "Nothing checks that a thing is truly absent: missed items are the most common error of extraction.",
        "程序无法核实内容确实未报告：遗漏是提取中最常见的错误。",
    ),
    "verdicts_mean": (
        "A verdict: does the quote stand in the document, and does it carry the value? Checks of version 1 bound none.",
        "核验结论说明引文是否见于文献，以及引文是否支持该值。第 1 版核验程序不作绑定检查。",
    ),
    "mark.attention": ("Needs a look by a person", "需要人工查看"),
    "mark.failed": ("No usable answer was had", "没有得到可用的回答"),
    "mark.absent": ("A word about the answer, not a value of the document", "对回答的说明，不是文献中的值"),
    "marks": ("Colour", "颜色"),
    "no_questions": ("The template asks nothing of this kind.", "模板中没有此类字段。"),
    # The report
    "report": ("Evidence report", "证据报告"),
    "all_documents": ("All documents", "全部文献"),
    "all_verdicts": ("All answers", "全部回答"),
}


class Wording:
    """The text of one language: `wording["quote"]`."""

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"Exports speak {' and '.join(LANGUAGES)}, not {language!r}. Choose one of them.")
        self.language = language
        at = LANGUAGES.index(language)
        self._table = {key: pair[at] for key, pair in _WORDING.items()}

    def __getitem__(self, key: str) -> str:
        return self._table[key]

    def verdict(self, key: str, checks_version: int) -> str:
        """The name of a verdict, with the version of the checks if an older one gave it."""
        name = self.of("verdict", key)
        return name if checks_version >= CHECKS_VERSION else f"{name} ({self['checks']} {checks_version})"

    def of(self, kind: str, key: str) -> str:
        """The name of one of a kind, such as a state. A key without a translation stands for itself."""
        return self._table.get(f"{kind}.{key}", key)
