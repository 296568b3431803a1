"""The methods paragraph: what was really done with these documents, in sentences for a paper."""

# ruff: noqa: RUF001 (Chinese is written with Chinese punctuation)

from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Final

from ingather.extraction.analysis.cells import CellState
from ingather.extraction.analysis.choices import Choices, SharedGroups
from ingather.extraction.analysis.comparisons import ComparisonKind
from ingather.extraction.analysis.conversions import FORMULA_TEXTS, Formula
from ingather.extraction.analysis.review import Analysis
from ingather.extraction.export.closing import is_embedded
from ingather.extraction.export.form import TemplateLike, label_of
from ingather.extraction.export.tally import Tally
from ingather.extraction.export.text import without_surrogates
from ingather.extraction.export.wording import LANGUAGES
from ingather.extraction.findings import Action, DocumentResult, TaskSummary

# Characters of a day in a time of ISO 8601.
DAY: Final = 10
_SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "extracted": (
        (
            "Data were extracted from {reports} with Ingather {software}, using the template “{template}” "
            "(version {version}, {fields})."
        ),
        "使用 Ingather {software} 从 {reports}提取数据，模板为“{template}”（第 {version} 版，{fields}）。",
    ),
    "part": ("{read} of {documents}", "{documents}中的 {read} 篇"),
    "rules": (
        "Values were proposed by a rule-based extractor; no language model was used.",
        "各值由基于规则的提取器提出，未使用语言模型。",
    ),
    "model": ("Values were proposed by the language model {name}.", "各值由语言模型 {name} 提出。"),
    "period": ("Extraction ran from {start} to {end}.", "提取时间为 {start} 至 {end}。"),
    "values": (
        (
            "Of {reported}, {believed} had a supporting quote that was located in the text of the report by program "
            "and bound to the value; {unproven} had none or failed that check."
        ),
        (
            "在 {reported}中，{believed} 个的支持引用已由程序在报告原文中定位并与取值绑定；"
            "{unproven} 个没有引用或未通过该检查。"
        ),
    ),
    "reviewed": (
        (
            "Of {answers}, {reviewed} were reviewed by {people}: {actions} (one by one, or together where a quote "
            "was found that holds the value); {open} were not reviewed."
        ),
        (
            "在 {answers}中，{reviewed} 个经{people}审核：{actions}"
            "（逐一审核，或在引用已找到且包含该值时一并接受）；{open} 个未经审核。"
        ),
    ),
    "person": ("a person", "一人"),
    "persons": ("{count} people", "{count} 人"),
    "unreviewed": (
        "No answer was reviewed by a person in Ingather.",
        "在 Ingather 中没有回答经过人工审核。",
    ),
    "to_say": (
        "[State who checked which values against the reports, and how disagreements were settled.]",
        "［请说明由谁对照报告核对了哪些值，以及如何解决分歧。］",
    ),
    "only_reviewed": (
        "Only answers that a person had reviewed went into the analysis.",
        "仅经人工审核的回答进入分析。",
    ),
    "comparisons": (
        (
            "{comparisons} of {studies} entered the analysis; {refused} left out since an "
            "outcome, a time, a group or a number was missing or could not be."
        ),
        "共有 {studies}的 {comparisons}进入分析；{refused}因缺少结局、时间点、组别或数字，或数字不可能而未纳入。",
    ),
    "converted": ("Numbers that were not reported were computed: {formulas}.", "未报告的数字经计算得出：{formulas}。"),
    "formula": ("{formula} ({numbers}; {source})", "{formula}（{numbers}；{source}）"),
    "correlation": (
        "For change scores, baseline and final values were assumed to correlate by {value}.",
        "计算变化值时，假定基线与终点值的相关系数为 {value}。",
    ),
    "split": (
        "Groups that several comparisons of a study share were divided among them.",
        "同一研究中被多个比较共用的组按比较数均分。",
    ),
    "combine": (
        "Groups of a study that were compared with the same control were combined into one.",
        "同一研究中与同一对照比较的多个组合并为一组。",
    ),
    "empty_cells": (
        "Where a table of events had an empty cell, 0.5 was added to each of its cells.",
        "事件四格表中有零格时，各格均加 0.5。",
    ),
    "pooled": (
        (
            "Effects ({measures}) were pooled for {questions} with inverse variance, as a common effect and "
            "as random effects (REML); heterogeneity is given as Q, I² and τ²."
        ),
        (
            "对 {questions}采用逆方差法合并效应值（{measures}），分别按固定效应与随机效应（REML）模型；"
            "异质性以 Q、I² 和 τ² 表示。"
        ),
    ),
    "bias": (
        (
            "Risk of bias was judged with RoB 2 for {results}; {given} of {judgements} judgements were "
            "confirmed or given by a person, the others follow from the signalling questions by rule."
        ),
        (
            "对 {results}采用 RoB 2 评价偏倚风险；{judgements} 个判断中 {given} 个经人工确认或给出，"
            "其余按信号问题的规则得出。"
        ),
    ),
}
# The things that are counted: one of them and several in English, and the measure word in Chinese.
_COUNTED: Final[dict[str, tuple[str, str, str]]] = {
    "report": ("report", "reports", "篇报告"),
    "field": ("field", "fields", "个字段"),
    "value": ("reported value", "reported values", "个已报告的值"),
    "answer": ("answer", "answers", "个回答"),
    "comparison": ("comparison", "comparisons", "个比较"),
    "study": ("study", "studies", "项研究"),
    "was": ("was", "were", "个"),
    "number": ("number", "numbers", "个"),
    "question": ("question", "questions", "个问题"),
    "result": ("result", "results", "个结果"),
}
_ACTIONS: Final[dict[Action, tuple[str, str]]] = {
    Action.ACCEPTED: ("{count} accepted", "接受 {count} 个"),
    Action.EDITED: ("{count} edited", "修改 {count} 个"),
    Action.NOT_REPORTED: ("{count} found not to be reported", "认定未报告 {count} 个"),
    Action.NOT_APPLICABLE: ("{count} found not to apply", "认定不适用 {count} 个"),
    Action.UNCLEAR: ("{count} left unclear", "认定不明确 {count} 个"),
    Action.REJECTED: ("{count} rejected", "否决 {count} 个"),
}


class MethodsTally(Tally):
    """What the paragraph needs of documents as they pass by."""

    def __init__(self) -> None:
        super().__init__()
        self.people: set[str] = set()

    def passing(self, documents: Iterable[DocumentResult]) -> Iterator[DocumentResult]:
        for document in documents:
            self.add(document)
            self.people |= {one.review.reviewer for one in document.findings if one.review and one.is_reviewed}
            yield document


class _Sentences:
    def __init__(self, language: str) -> None:
        self.language = language
        self._at = LANGUAGES.index(language)
        self.between, self.end = ("; ", " ") if language == "en" else ("；", "")

    def __call__(self, key: str, **params: object) -> str:
        return _SENTENCES[key][self._at].format(**params)

    def count(self, count: int, what: str) -> str:
        one, several, chinese = _COUNTED[what]
        return f"{count:,} {chinese if self.language == 'zh' else one if count == 1 else several}"

    def action(self, action: Action, count: int) -> str:
        return _ACTIONS[action][self._at].format(count=count)


def methods_paragraph(
    summary: TaskSummary,
    template: TemplateLike,
    tally: MethodsTally,
    analysis: Analysis,
    *,
    language: str,
    only_reviewed: bool = False,
) -> str:
    """Only sentences that hold for this task: no conversion, choice or model that was not used is named."""
    sentences = _Sentences(language)
    parts = [
        *_about_extraction(summary, template, tally, sentences),
        *([sentences("only_reviewed")] if only_reviewed else []),
        *_about_numbers(analysis, sentences),
        *_about_choices(analysis.choices, analysis, sentences),
        *_about_pools(analysis, sentences),
        *_about_bias(analysis, sentences),
        sentences("to_say"),
    ]
    return sentences.end.join(parts)


def _about_extraction(
    summary: TaskSummary, template: TemplateLike, tally: MethodsTally, sentences: _Sentences
) -> Iterator[str]:
    read, documents = tally.documents["completed"], tally.documents.total()
    reports = sentences.count(documents, "report")
    reported = tally.verdicts.total()
    yield sentences(
        "extracted",
        reports=reports if read == documents else sentences("part", read=read, documents=reports),
        software=version("ingather"),
        template=without_surrogates(label_of(template, sentences.language)),
        version=summary.template_version,
        fields=sentences.count(len(template.fields), "field"),
    )
    yield sentences("rules") if is_embedded(summary) else sentences("model", name=without_surrogates(summary.extractor))
    yield sentences("period", start=summary.created_at[:DAY], end=(summary.closed_at or summary.created_at)[:DAY])
    yield sentences(
        "values",
        reported=sentences.count(reported, "value"),
        believed=tally.believed,
        unproven=reported - tally.believed,
    )
    if not tally.reviewed:
        yield sentences("unreviewed")
        return
    people = sentences("person") if len(tally.people) == 1 else sentences("persons", count=len(tally.people))
    actions = [sentences.action(action, count) for action in _ACTIONS if (count := tally.actions[action])]
    yield sentences(
        "reviewed",
        answers=sentences.count(tally.answers, "answer"),
        reviewed=tally.reviewed,
        people=people,
        actions=sentences.between.join(actions),
        open=tally.answers - tally.reviewed,
    )


def _about_numbers(analysis: Analysis, sentences: _Sentences) -> Iterator[str]:
    yield sentences(
        "comparisons",
        comparisons=sentences.count(len(analysis.comparisons), "comparison"),
        studies=sentences.count(len({one.study_key for one in analysis.comparisons}), "study"),
        refused=sentences.count(len(analysis.refused), "was"),
    )
    if used := _formulas_used(analysis):
        formulas = (
            sentences(
                "formula",
                formula=FORMULA_TEXTS[one][0],
                numbers=sentences.count(count, "number"),
                source=FORMULA_TEXTS[one][1],
            )
            for one, count in used.items()
        )
        yield sentences("converted", formulas=sentences.between.join(formulas))


def _formulas_used(analysis: Analysis) -> Counter[Formula]:
    return Counter(
        part.formula
        for comparison in analysis.comparisons
        for figure in comparison.figures.values()
        for part in figure.parts()
        if part.formula
    )


def _about_choices(choices: Choices, analysis: Analysis, sentences: _Sentences) -> Iterator[str]:
    used = _formulas_used(analysis)
    if used[Formula.SD_OF_CHANGE] and choices.correlation is not None:
        yield sentences("correlation", value=f"{choices.correlation:g}")
    if used[Formula.COMBINED_ARMS]:
        yield sentences("combine")
    is_divided = any(line.formula is Formula.SHARED_CONTROL for pool in analysis.pools for line in pool.lines)
    if is_divided and (choices.shared is SharedGroups.SPLIT or not used[Formula.COMBINED_ARMS]):
        yield sentences("split")


def _about_pools(analysis: Analysis, sentences: _Sentences) -> Iterator[str]:
    pools = [pool for pool in analysis.pools if pool.random]
    if not pools:
        return
    tables = [one.comparison for pool in pools for one in pool.lines if pool.kind is ComparisonKind.BINARY]
    if any(_has_empty_cell({name: figure.value for name, figure in one.figures.items()}) for one in tables):
        yield sentences("empty_cells")
    measures = ", ".join(dict.fromkeys(pool.measure.value for pool in pools))
    yield sentences(
        "pooled", measures=measures, questions=sentences.count(len({one.question.number for one in pools}), "question")
    )


def _has_empty_cell(value: dict[str, float]) -> bool:
    return any(value["events" + side] in {0, value["n" + side]} for side in "12")


def _about_bias(analysis: Analysis, sentences: _Sentences) -> Iterator[str]:
    if not analysis.bias:
        return
    states = [state for row in analysis.bias for state in row.states.values() if state is not CellState.MISSING]
    yield sentences(
        "bias",
        results=sentences.count(len(analysis.bias), "result"),
        given=states.count(CellState.REVIEWED),
        judgements=len(states),
    )
