"""When finding nothing means that a paper does not report it: its part was read, and nothing in it speaks of it."""

import re
from dataclasses import dataclass
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import rx
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.notice import notice

PART_NOT_READ: Final = notice(
    "rules.part_not_recognised",
    "The part of the paper that would say this was not recognised, so its silence proves nothing.",
)
SPOKEN_OF: Final = notice(
    "rules.spoken_of_not_read", "The paper speaks of this, but not in a form that the rules read."
)
NOT_BESIDE: Final = notice(
    "rules.not_beside_row", "Nothing was found beside the words of this row. It may stand in another part of the paper."
)

# A part is read if so many characters of prose stand under its heading. A shorter one is an abstract's, or was cut off
# by a heading that was taken for another.
LEAST_READ: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """What must be read before a field counts as not reported, and the terms by which a paper would speak of it."""

    parts: tuple[str, ...]
    cue: re.Pattern[str]


def _silence(cue: str, *parts: str) -> Silence:
    return Silence(parts=parts or ("methods",), cue=rx(cue))


_BLIND: Final = r"blind|\bmask(?:ed|ing)\b|\bopen[- ]label|\bunaware|\bsham\b|\bplacebo|\bconceal|盲|安慰剂|开放"
_RANDOM: Final = r"\brandom|随机"
# How people were randomised, in whatever words: a sentence that begins to say it is one that the rules did not read.
_HOW: Final = (
    r"|\badaptive\b|\balgorithm|\brandomi[sz]ation\b[^.]{0,40}\b(?:was|were|is) (?:\w+ )?(?:performed|done|carried"
    r"|achieved|conducted"
    r"|generated|made|provided|managed|undertaken|obtained)|\brandomi[sz]ed (?:by|using|with|according)\b"
    r"|\b(?:randomi[sz]ation|allocation) (?:strategy|procedure|scheme|method|process|technique|system)"
    r"|\bby (?:an? )?independent\b|\bthird party\b|\bnot involved\b"
)
_FIELDS: Final[dict[str, Silence]] = {
    "framework": _silence(r"\bsuperior|\binferior|\bequivalen|\bpilot\b|\bfeasib|\bexplorat|优效|劣效|等效"),
    "sequence_generation": _silence(
        r"\bcomputer|\bsequence|\brandom(?:i[sz]ation)? (?:list|table|number)|\bblocks?\b|\bminimi[sz]"
        r"|\bcoin\b|\benvelope|\bsoftware|\bstratif|\blots?\b|\balternat|\btoss|计算机|随机数|区组|信封" + _HOW
    ),
    "sequence_method": _silence(
        r"\bcomputer|\bsequence|\brandom(?:i[sz]ation)? (?:list|table|number)|\bblocks?\b|\bminimi[sz]"
        r"|\bcoin\b|\benvelope|\bsoftware|\blots?\b|\bstratif|\balternat|\btoss|计算机|随机数|区组|信封" + _HOW
    ),
    "allocation_concealment": _silence(
        r"\bconceal|\benvelope|\bcentral(?:ly|i[sz]ed)?\b|\bpharmac|\bweb|\btelephone|\binteractive|\bopaque"
        r"|\bsequence|\bsealed\b|信封|中央|药房|隐藏" + _HOW
    ),
    "concealment_method": _silence(
        r"\bconceal|\benvelope|\bcentral(?:ly|i[sz]ed)?\b|\bpharmac|\bweb|\btelephone|\binteractive|\bopaque"
        r"|\bsequence|\bsealed\b|信封|中央|药房|隐藏" + _HOW
    ),
    "stratification": _silence(r"\bstratif|\bstrata\b|\bminimi[sz]|\bblock|\bmatched\b|\bbalanced\b|\badaptive\b"
        r"|\bpropensity|\baccording to (?:age|sex|gender|baseline)|分层"),
    "blind_participants": _silence(_BLIND),
    "blind_personnel": _silence(_BLIND),
    "blind_assessors": _silence(_BLIND + r"|\bassessor|\badjudicat|\bindependent"),
    "blinding_detail": _silence(_BLIND),
    "sample_size_planned": _silence(
        r"\bsample size|\bpower\b|\bpowered\b|\brequired\b|\bneeded\b|\bplanned\b|\btarget|样本量|检验效能"
    ),
    "n_screened": _silence(
        r"\bscreen|\beligib|\bassessed for\b|\bapproached|\binvited|\bflow|筛选"
    , "methods", "results"),
    "n_randomised": _silence(_RANDOM + r"|\benrol|\brecruit|\ballocat|\bassign|\bn ?=", "methods", "results"),
    "n_analysed": _silence(
        r"\banaly[sz]ed\b|\bincluded in\b|\banalys[ei]s\b|\bcomplet|\bn ?=|分析"
    , "methods", "results"),
    "n_included": _silence(r"\binclud|\benrol|\bparticipants|\bpatients|\bcohort|纳入", "methods", "results"),
    "n_source": _silence(r"\bidentif|\binvited|\beligib|\bregist|\bsource|\bexclu", "methods", "results"),
    "n_lost": _silence(
        r"\blost\b|\bloss\b|\bwithdr|\bdrop|\bdiscontinu|\bcomplet|\bfollow|失访|脱落"
    , "methods", "results"),
    "analysis_set": _silence(
        r"\bintention|\bintent[- ]|\bITT\b|\bper[- ]protocol|\bas[- ]treated|\banaly[sz]ed (?:in|according|as)"
        r"|\ball (?:\w+ )?(?:randomi[sz]ed|participants|patients|subjects)\b[^.]{0,80}\banaly"
        r"|\banaly[^.]{0,80}\bcomplet"
        r"|\bcomplet[^.]{0,80}\banaly|\banaly[^.]{0,60}\ball (?:\w+ )?(?:randomi[sz]ed|participants|patients|subjects)"
        r"|\bfull analysis|意向|符合方案"
    ),
    "missing_data_method": _silence(
        r"\bmissing|\bimput|\bcarried forward|\bcomplete[- ]case|\bLOCF\b|\bmixed|\bwithdr"
        r"|\bdrop(?:ped)?[- ]?outs?\b|\bincomplete|\bavailable data|\bexcluded from (?:the )?(?:\w+ )?analy"
        r"|\blost to|缺失|填补"
    ),
    "statistical_model": _silence(
        r"\bregression|\bmodel|\banalys[ei]s of (?:co)?variance|\bANCOVA|\bANOVA|\bgenerali[sz]ed|\bcox\b"
        r"|\btests?\b[^.]{0,40}\b(?:used|compar)|\bt[- ]tests?\b|\bmann|\bwilcoxon"
        r"|\bchi[- ]?squared?|\bvariance|回归"
        r"|模型"
    ),
    "early_stopping": _silence(r"\binterim|\bstopp|\bterminat|\bearly\b|\bhalted|\bpremature|\bsuspend|\bdiscontinu"
        r"|\bmonitoring|中期|期中|提前"),
    "confounders_listed": _silence(r"\badjust|\bconfound|\bcovaria|\bcontrolled for|校正|混杂"),
    "adjustment_method": _silence(r"\badjust|\bconfound|\bcovaria|\bpropensity|\bweight|\bmultivaria|校正|倾向"),
    "inclusion_criteria": _silence(r"\binclu|\beligib|\bcriteria|\baged\b|\bparticipants? (?:were|had)|纳入|入选"),
    "exclusion_criteria": _silence(r"\bexclu|\bineligib|\bnot eligible|\bcriteria|\bwithout\b|排除"),
    "recruit_start": _silence(r"\b(?:19|20)\d\d\b|年", "methods", "results"),
    "recruit_end": _silence(r"\b(?:19|20)\d\d\b|年", "methods", "results"),
    "followup_planned": _silence(r"\bfollow|\bweeks?\b|\bmonths?\b|\byears?\b|\bdays?\b|随访", "methods", "results"),
    "followup_length": _silence(r"\bfollow|\bperson-years|随访", "methods", "results"),
    "followup_end": _silence(r"\bfollow|\bcensor|\buntil\b|随访", "methods", "results"),
    "n_centres": _silence(r"\bcent(?:re|er)|\bhospital|\bclinic|\bsite|\bpractice|\bschool|\buniversity|医院|中心"),
    "setting": _silence(
        r"\bhospital|\bclinic|\bcent(?:re|er)|\bcommunit|\bpractice|\bschool|\buniversity|\bhome|\bcare\b|医院"
        r"|社区"
    ),
    "countries": _silence(r"\b(?:in|at|from|of|across) (?:the )?[A-Z]|[\u4e00-\u9fff]"),
    "icc": _silence(r"\bintra-?(?:cluster|class)|\bICC\b|\bcluster|群内"),
    "n_clusters": _silence(r"\bcluster|\bunits?\b|整群"),
    "cohort_type": _silence(r"\bcohort|\bprospective|\bretrospective|\bregist|队列"),
    "data_source": _silence(r"\bdata|\bregist|\bcohort|\brecords?\b|数据"),
    "exposure_ascertain": _silence(r"\bexpos|\bquestionnaire|\brecords?\b|\bself-|\binterview|暴露|问卷"),
    "registration_id": _silence(r"\bregist|\bclinicaltrials|\bISRCTN|\bNCT ?\d|\bEudraCT|\bPROSPERO|\b(?:IRCT|CTRI"
        r"|UMIN|DRKS|NTR|KCT|TCTR|PACTR|JPRN|ACTRN)[ /\d]|\bChiCTR|注册", "methods"),
    "funding_source": _silence(r"\bfund|\bgrants?\b|\bsponsor|\bsupported by|\bfinanc|基金|资助", "end"),
    "funding_type": _silence(r"\bfund|\bgrants?\b|\bsponsor|\bsupported by|\bfinanc|基金|资助", "end"),
    "conflicts_of_interest": _silence(r"\binterests?\b|\bdisclos|\bconflict|\bfees\b|\bhonorari|\bconsult|利益", "end"),
    "limitations": _silence(r"\blimit|\bweakness|\bcaution|\bshortcoming|\bdrawback|\bstrengths?\b|\bsmall\b"
        r"|\bsample size|\bpower|\bconfound"
        r"|\bcannot be (?:excluded|ruled)|\bfurther (?:stud|research|trial)|\bdid not (?:assess|measure|includ"
        r"|examin|evaluat)"
        r"|\bwe (?:were unable|could not|did not)|\bshort\b|局限", "discussion"),
    "doi": _silence(r"\bdoi\b|\b10\.\d{4}", "first_page"),
    "publication_year": _silence(r"\b(?:19|20)\d\d\b", "first_page"),
}  # fmt: skip


def weighed_by_coverage(answer: Answer, document: Document) -> Answer:
    """A silence as it may be believed: `not_reported` only where the part was read and nothing there speaks of it."""
    if answer.state is not State.NOT_REPORTED:
        return answer
    silence = _FIELDS.get(answer.field)
    if answer.row or silence is None:
        return _unclear_coverage(answer, NOT_BESIDE if answer.row else SPOKEN_OF)
    if not all(document.characters(part) >= LEAST_READ for part in silence.parts):
        return _unclear_coverage(answer, PART_NOT_READ)
    sentence = _line_on_field(document, silence.cue, first_page="first_page" in silence.parts)
    if sentence is not None:
        return _unclear_coverage(answer, SPOKEN_OF, sentence)
    return answer


def _line_on_field(document: Document, cue: re.Pattern[str], *, first_page: bool) -> Sentence | None:
    """A sentence, a row or a line of the front that speaks of the field; of the first page only, where it is there."""
    for sentence in (*document.front, *document.sentences):
        if (sentence.page == 0 or not first_page) and cue.search(sentence.text):
            return sentence
    return None


def _unclear_coverage(answer: Answer, note: str, sentence: Sentence | None = None) -> Answer:
    if sentence is None:
        return Answer(field=answer.field, row=answer.row, state=State.UNCLEAR, note=note)
    return Answer(
        field=answer.field, row=answer.row, state=State.UNCLEAR, quote=sentence.quote(), page=sentence.page, note=note
    )
