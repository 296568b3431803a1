"""The labels of the pictures in English and Chinese: one table, so that a missing translation is seen at once."""

# ruff: noqa: RUF001 (Chinese is written with Chinese punctuation)

from typing import Final

PICTURE_LANGUAGES: Final = ("en", "zh")
_LABELS: Final[dict[str, tuple[str, str]]] = {
    # Forest plots
    "RR": ("Risk ratio", "风险比（RR）"),
    "OR": ("Odds ratio", "比值比（OR）"),
    "RD": ("Risk difference", "风险差（RD）"),
    "HR": ("Hazard ratio", "风险比（HR）"),
    "MD": ("Mean difference", "均数差（MD）"),
    "SMD": ("Standardised mean difference", "标准化均数差（SMD）"),
    "change": ("change from baseline", "较基线变化"),
    "study": ("Study", "研究"),
    "binary": ("Events / people", "事件数 / 人数"),
    "continuous": ("Mean (SD), people", "均值（标准差），人数"),
    "reported": ("As reported", "文中给出"),
    "effect": ("Effect [95 % CI]", "效应值 [95% CI]"),
    "weight": ("Weight", "权重"),
    "common": ("Common effect", "固定效应"),
    "random": ("Random effects", "随机效应"),
    "heterogeneity": (
        "Heterogeneity: Q = {q}, p {p}; I² = {i2} %; τ² = {tau2} (REML).",
        "异质性：Q = {q}，p {p}；I² = {i2}%；τ² = {tau2}（REML）。",
    ),
    "marks": (
        "* not reviewed, † computed from other numbers, ‡ divided among comparisons.",
        "* 未审核；† 由其他数字计算；‡ 由多个比较分摊。",
    ),
    # Risk of bias
    "bias": ("Risk of bias", "偏倚风险"),
    "bias_summary": ("Risk of bias: share of the results", "偏倚风险：各判断所占比例"),
    "D1": ("D1 Randomisation", "D1 随机化"),
    "D2": ("D2 Deviations from interventions", "D2 偏离干预"),
    "D3": ("D3 Missing outcome data", "D3 数据缺失"),
    "D4": ("D4 Measurement of the outcome", "D4 结局测量"),
    "D5": ("D5 Selection of the result", "D5 选择性报告"),
    "Overall": ("Overall", "总体"),
    "Low": ("low", "低"),
    "Some concerns": ("some concerns", "有一定顾虑"),
    "High": ("high", "高"),
    "No information": ("no information", "无信息"),
    "ring": ("ring: not reviewed", "虚线圈：未审核"),
    # Flow of studies
    "flow": ("Flow of studies", "研究流程图"),
    "identified": ("Records identified", "检索到的记录"),
    "duplicates": ("Duplicates removed", "去除重复"),
    "screened": ("Records screened", "筛选的记录"),
    "excluded": ("Records excluded", "排除的记录"),
    "sought": ("Reports sought", "拟获取的报告"),
    "not_retrieved": ("Reports not retrieved or not read", "未能获取或读取的报告"),
    "assessed": ("Reports assessed", "评估的报告"),
    "excluded_reports": ("Reports excluded", "排除的报告"),
    "included": ("Studies included", "纳入的研究"),
    "reports": ("reports of them", "对应报告"),
    "analysed": ("Studies in an analysis", "进入分析的研究"),
    "not_recorded": ("not recorded here", "此处未记录"),
}


class PictureLabels:
    """The labels of one language: `labels["study"]`."""

    def __init__(self, language: str = "en") -> None:
        at = PICTURE_LANGUAGES.index(language)
        self.language = language
        self._table = {key: pair[at] for key, pair in _LABELS.items()}

    def __getitem__(self, key: str) -> str:
        return self._table[key]


ENGLISH: Final = PictureLabels()
