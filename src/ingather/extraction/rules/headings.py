"""The headings of a paper, as words of their own: what a heading says about the lines that follow it."""

import re
from typing import Final

ABSTRACT: Final = "abstract"
REFERENCES: Final = "references"

# The topic of a heading, and the part of the paper that it opens; None leaves the part as it is.
PARTS: Final[dict[str, str | None]] = {
    ABSTRACT: ABSTRACT, "keywords": "keywords", "introduction": "introduction", "aim": "aim", "methods": "methods",
    "design": "methods", "setting": "methods", "participants": "methods", "inclusion": "methods",
    "exclusion": "methods", "randomisation": "methods", "interventions": "methods", "exposure": "methods",
    "outcomes": "methods", "statistics": "methods", "results": "results", "discussion": "discussion",
    "conclusions": "conclusions", "limitations": "discussion", "funding": "end", "interests": "end",
    "registration": "end", "acknowledgements": "end", "other": "end", REFERENCES: REFERENCES,
}  # fmt: skip

_TOPICS: Final[dict[str, str]] = {
    ABSTRACT: r"abstract|summary|(?:中文)?摘要",
    "keywords": r"key ?words|index terms|关键词",
    "introduction": r"introduction|background|importance|rationale|引言|前言|背景",
    "aim": r"(?:study )?(?:objectives?|aims?|purpose)|目的|研究目的",
    "methods": r"(?:(?:patients|subjects|participants|materials?|data|population) and )?methods|methods and results"
    r"|(?:资料|对象|材料|病例)[与和]方法|方法",
    "design": r"(?:trial |study )?design(?:,? (?:and )?setting(?:,? and participants)?)?|trial design|研究设计"
    r"|试验设计",
    "setting": r"(?:study )?settings?|data sources?|研究地点|数据来源",
    "participants": r"participants|patients|subjects|(?:study )?population|eligibility(?: criteria)?|recruitment"
    r"|study participants|研究对象|一般资料|病例来源",
    "inclusion": r"inclusion criteria|纳入标准|入选标准",
    "exclusion": r"exclusion criteria|排除标准",
    "randomisation": r"randomi[sz]ation(?: and (?:masking|blinding|allocation concealment|concealment))?|blinding"
    r"|masking|(?:treatment )?allocation|sequence generation|allocation concealment|随机化?(?:[与和]盲法)?|盲法"
    r"|分组方法",
    "interventions": r"interventions?|(?:study )?treatments?|(?:study )?procedures|治疗方法|干预(?:方法|措施)",
    "exposure": r"exposures?(?: assessment)?|暴露",
    "outcomes": r"(?:main |primary |study )?(?:outcomes?|end ?points?)(?: measures?)?|main outcomes? and measures"
    r"|结局指标|观察指标|疗效指标",
    "statistics": r"statistics|statistical (?:analys[ie]s|methods)|(?:data )?analys[ie]s|sample size(?: calculation)?"
    r"|power|统计(?:学)?(?:方法|分析|处理)|样本量(?:估算|计算)?",
    "results": r"results|findings|结果",
    "discussion": r"discussion|comment|讨论",
    "conclusions": r"conclusions?(?:(?: and|,| &) (?:clinical )?(?:relevance|importance|significance|implications?)"
    r"|/significance)?|interpretation|结论|结语",
    "limitations": r"(?:study |strengths and )?limitations|局限性",
    "funding": r"funding(?: sources?| statements?| information| details|/support| and support)?"
    r"|financial (?:support|disclosure)"
    r"|sources? of (?:funding|support)"
    r"|grant support|role of (?:the )?funding source|基金项目|资助项目|资金来源|基金资助",
    "interests": r"(?:competing|conflicting) interests?(?: statement)?|conflicts? of interests?(?: disclosures?"
    r"| statement)?"
    r"|declarations? of (?:competing |conflicting )?interests?|disclosures?|利益冲突(?:声明)?",
    "registration": r"(?:clinical )?(?:trial )?registration(?: number)?|(?:试验|临床试验)?注册(?:号)?",
    "acknowledgements": r"acknowledge?ments?|致谢",
    "other": r"(?:research )?ethics(?: approval)?|ethical (?:approval|considerations)|data (?:availability"
    r"|sharing)(?: statement)?"
    r"|(?:author )?contributions|(?:authors' )?contributions|appendix|supplementary (?:material|data)|伦理(?:审查"
    r"|批准)?|作者贡献",
    REFERENCES: r"references|bibliography|literature cited|参考文献",
}  # fmt: skip

# Before a heading may stand the marks of Markdown and a number.
_NUMBER: Final = (
    r"(?:#{1,6}\s{1,3}|[*_]{2})?[\s【\[|]{0,2}(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s{0,3}|[一二三四五六七]、\s?)?"
)
_NAMES: Final = "|".join(f"(?P<{name}>{terms})" for name, terms in _TOPICS.items())
_ALONE: Final = re.compile(
    rf"{_NUMBER}(?:{_NAMES})[】\]]?\s{{0,3}}[:\uff1a.]?[*_#]{{0,6}}[:.]?\s{{0,3}}", re.IGNORECASE
)
_RUN_IN: Final = re.compile(
    rf"{_NUMBER}(?:{_NAMES})(?:[】\]]\s{{0,3}}[:\uff1a]?|\s?[:\uff1a.](?=\s)"
    rf"|\s?[:\uff1a]|[:.]?\*\*[:.]?|[-.]?\u2014|\s?\u2013\s|\s-\s)[-\u2014\s]{{0,3}}(?=\S)",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(rf"{_NUMBER}(?:{_NAMES})\s{{1,3}}(?=[A-Z0-9\u4e00-\u9fff])", re.IGNORECASE)
_MARKDOWN: Final = re.compile(r"#{1,6}\s+\S.{0,200}|\*\*[^*]{2,80}\*\*")
_SUBHEADING: Final = re.compile(r"\d{1,2}\.\d{1,2}(?:\.\d{1,2})?\.?\s{1,3}\S[^.。:;]{1,50}")


def heading(line: str, *, in_abstract: bool) -> tuple[str, int] | None:
    """The topic of the heading that a line is or begins with, and where what follows it begins; or None."""
    if len(line) > 400:
        return None
    if (found := _ALONE.fullmatch(line)) and len(line) <= 80 and not found[str(found.lastgroup)][0].islower():
        return str(found.lastgroup), len(line)
    if found := _RUN_IN.match(line):
        return str(found.lastgroup), found.end()
    # `Methods We followed` and `OBJECTIVE To compare`, where the type of the label is lost.
    if (found := _LABEL.match(line)) and (in_abstract or found[str(found.lastgroup)].isupper()):
        label = found[str(found.lastgroup)]
        if label[0].isupper() or not label.isascii():
            return str(found.lastgroup), found.end()
    if _MARKDOWN.fullmatch(line.strip()):
        return "", len(line)
    if len(line) <= 60 and _SUBHEADING.fullmatch(line.strip()):
        return "", len(line)
    return None
