"""Analysis sets, missing data, models and adjustment."""

import re
from collections.abc import Iterator
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import STUDY, Hit, Pattern, agreed, find, first, not_reported, prose, rx, unclear
from ingather.extraction.rules.lists import items_of_list
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.extraction.rules.whole import whole_or_part

FIELDS: Final = frozenset(
    {
        "analysis_set",
        "missing_data_method",
        "statistical_model",
        "early_stopping",
        "confounders_listed",
        "adjustment_method",
    }
)

_PARTS: Final = STUDY - {"conclusions", "aim"}
_SETS: Final = (
    ("modified_itt", (r"\bmodified intention[- ]to[- ]treat\b|\bmITT\b|改良(?:的)?意向性")),
    (
        "itt",
        (
            r"(?<!modified )\bintention[- ]to[- ]treat\b|(?<!m)\bITT\b"
            r"|\banaly[sz]ed in the groups? to which they (?:were|had been) (?:randomly )?(?:assigned|allocated"
            r"|randomi[sz]ed)"
            r"|(?<!改良)意向性(?:治疗)?分析"
        ),
    ),
    (
        "per_protocol",
        (
            r"\bper[- ]protocol (?:analysis|set|population|principle)\b|\bonly (?:participants|patients"
            r"|those|children) who completed\b[^.]{0,60}\banaly[sz]ed|符合方案(?:集|分析)"
        ),
    ),
    (
        "as_treated",
        (
            r"\bas[- ]treated\b|\baccording to (?:the )?treatment (?:actually )?received\b"
            r"|\bby treatment received\b"
        ),
    ),
)
# Everybody who was randomised and has data: a paper that names this set has another one than that per protocol.
_FULL_SET: Final = rx(r"\bfull[- ]analysis[- ](?:set|population)s?\b|\bFAS\b|全分析集")
_MAIN: Final = rx(r"\b(?:primary|main) (?:efficacy )?analys[ie]s\b|\bprimary outcome was analy|主要分析")
# Sentences that say what was analysed and how; others mention a set beside a result.
_ANALYSED_SO: Final = rx(
    r"\banaly[sz]\w+\b[^.]{0,80}\b(?:was|were|is|are|will be|by|on|according|based|used|using|included?"
    r"|following|with)\b"
    r"|\b(?:used?|performed|conducted|undertook|applied|did)\b[^.]{0,60}\banaly|分析"
)
_OTHER_SET: Final = rx(
    r"\bexposed\b|\bre-?analy|\bmodified\b(?! intention| ITT)|\bomitted\b|"
    r"\bsensitivity\b|\bsecondary analys|\bre-?computed\b|\bsafety (?:analys|population)|\badditional analys"
    r"|\bpost[- ]hoc|\bexcluded from\b|\bpreviously published\b|\bet al\b"
)
_MISSING: Final = rx(
    r"\bmissing\b[^.]{0,80}\b(?:imput\w+|counted as|treated as|considered|last observation|complete[- ]case"
    r"|mixed models?|handled|excluded)"
    r"|\bmultiple imputation\b|\blast observation carried forward\b|\bcomplete[- ]case analys[ie]s"
    r"|缺失[^。]{0,20}(?:填补|插补|处理|结转)"
)
_NO_METHOD: Final = rx(
    r"\bimput\w+ (?:according to|will be (?:performed|done|considered)|(?:was|were|is|are)(?: performed| done)?$)"
    r"|\b(?:considered|treated as|regarded as|counted as) missing\b"
)
_OF_MISSING: Final = rx(
    r"\bmissing (?:\w+ ){0,2}(?:data|values?|outcomes?|items?|scores?|responses?)\b|\bimput(?:ed|ation|ations|ing)\b"
    r"|\bcarried forward\b|\bLOCF\b|\bcomplete[- ]case|缺失"
)
# Words of a sentence that says how something was analysed.
_ANALYSES: Final = rx(
    r"\bt[- ]tests?\b|\bchi-?squared?\b|χ ?2|χ²|\bFisher'?s?\b|\bWilcoxon\b|\bMann.Whitney|\bKruskal"
    r"|\bAN(?:C)?OVAs?\b|\banalys[ie]s of (?:co)?variance|\bregressions?\b|\b(?:mixed|linear"
    r"|hazards?)[\w -]{0,25} models?\b"
    r"|\bKaplan|\blog-?rank\b|\bMcNemar|\bestimating equations\b|\bcorrelation\b|检验|回归|方差分析"
)
# These belong to a model beside its name: who or what was counted once, and what stood in the model.
_UNIT_OF_ANALYSIS: Final = rx(
    r"\b(?:experimental|statistical) units?\b|\bunits? of (?:the )?(?:analys[ie]s|randomi[sz]ation|observation)\b"
    r"|\bcovariates?\b|\badjust(?:ed|ing|ment) for\b|\b(?:random|fixed|main|cluster\w*) (?:effects?|factors?)\b"
    r"|\b(?:intra-?class|clustering|crossover|carry-?over|period effect)\b|\bdependent variables?\b"
)
_MODEL: Final = rx(
    r"\b(?:linear|logistic|cox|poisson|log-?binomial|mixed(?:[- ]effects)?|negative binomial|proportional hazards"
    r"|generali[sz]ed (?:linear|estimating))"
    r"(?: \w+){0,2} (?:regressions?|models?|equations?)\b|\b(?:cox|poisson|mixed) models?\b|\bANCOVA\b"
    r"|\banalysis of (?:co)?variance\b"
    r"|(?:线性|logistic|Cox|混合)(?:[^。,]{0,6})?(?:回归|模型)"
)
# Models of something else than the main result.
_OTHER_MODEL: Final = rx(
    r"^(?:tables? \d|other\b|similarly\b|finally\b|in addition\b|additionally\b|also\b|furthermore\b|moreover\b"
    r"|secondary\b)"
    r"|\bpropensity\b|\bvoxel|\bimag(?:es|ing)\b|\binstead of\b|\bsimilar strateg|\bunivari"
    r"|\bfactors? (?:\w+ )?associated|\bidentify\b"
    r"|\brate constant|\bterminal\b|\bR2\b|\bsample size"
    r"|\bassays?\b|\bcalibrat|\bagreement\b|\breliabilit|\bvalidity\b|\bmediat|\b(?:age|sex|gender|weight"
    r"|height)(?:,| and)"
    r"[^.]{0,80}\b(?:among|between) (?:the )?(?:\w+ )?groups|\bhomogene|\bassumptions?\b|\bSchoenfeld|\btransform"
    r"|\bpooled\b"
    r"|\bages? (?:among|between|of|was|were)\b|\bslopes?\b|\bis reported\b|\bare reported\b|\bcurves?\b|\bcould\b"
    r"|\bgeometric\b|\bmissing\b|\bcorrelat|\bpredict|\brisk factors?\b"
    r"|\bsensitivity\b|\bsecondary\b|\bcount (?:outcomes|data)|\bdose"
    r"|[Pp] ?[<=>] ?0?\.\d{2,}[^.]{0,40}\)|\brevealed\b|\bshowed\b|\b(?:% |statistical )power\b|\bpower (?:to"
    r"|of|calculation|analys)|\brequired\b|\bneeded\b"
    r"|\bweights\b|\bweight(?:ed|ing)\b|\bsupplementa(?:l|ry) analys"
    r"|\bpower model|\bhypothetical|\bpharmacokinetic|\bexploratory\b|\bsub-?group|\bcost|\bat baseline\b|\bdemographic"
    r"|\bbaseline (?:char|differ)"
)
_MAIN_RESULT: Final = rx(r"\b(?:primary|main|principal) (?:\w+ )?(?:outcomes?|end ?-?points?|analys[ei]s|efficacy)\b")
_EARLY: Final = rx(
    r"\binterim analys[ie]s\b|\b(?:stopped|terminated|closed|halted) (?:early|prematurely)\b|\bearly (?:stopping"
    r"|termination)\b|期中分析|中期分析|提前(?:终止|停止)"
)
_ADJUSTED: Final = rx(
    r"\badjust(?:ed|ing|ment)(?: was made)? for (?P<for>[^.;:()]{2,250})|(?:校正|调整)(?:了)?(?P<zh>[^。;,]{2,60})"
)
# These follow the last thing adjusted for, or are no such thing: results, and analyses of other kinds.
_BEHIND: Final = rx(
    r" (?:using|by|as appropriate|with (?:a|the)|in (?:the|a|all|our)|at (?:the|each)|when|where|if|was|were|are)\b"
)
_NO_NAME: Final = rx(
    r"\bmultiple (?:comparisons|testing)|\binteraction|\bdifference|\bclustering\b|\beffects?\b|\d[.,]\d|\bwaveform"
)
_LONGEST_NAME: Final = 8  # terms of a name in a list; a longer one is the rest of a sentence
_METHODS: Final = (
    (
        "multivariable_regression",
        rx(
            r"\b(?:models?|regressions?)\b[^.]{0,60}\badjust(?:ed|ing)\b|\bmultivaria(?:ble"
            r"|te)\b[^.]{0,30}\b(?:model|regression|analys)|多因素(?:[^。]{0,10})?回归"
        ),
    ),
    (
        "propensity_matching",
        rx(
            r"\bpropensity[- ]score[- ]match|\bmatch\w* (?:on|by) (?:the )?propensity"
            r"|倾向(?:性)?评分匹配"
        ),
    ),
    ("iptw", rx(r"\binverse[- ]probability\b[^.]{0,30}\bweight|\bIPTW\b|逆概率加权")),
    ("instrumental_variable", rx(r"\binstrumental variables?\b|工具变量")),
)


def analysis_method_answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    return {
        "analysis_set": _main_set(document),
        "missing_data_method": whole_or_part(
            "missing_data_method", _missing_hits(document), document, _speaks_of_missing_data
        ),
        "statistical_model": _main_model(document),
        "early_stopping": whole_or_part(
            "early_stopping",
            _analysis_sentences(document, _EARLY, STUDY),
            document,
            lambda one: one.part in STUDY and _EARLY.search(one.text) is not None,
        ),
        "confounders_listed": first("confounders_listed", _confounder_hits(document)),
        "adjustment_method": _adjustment(document),
    }


def _main_set(document: Document) -> Answer:
    """The set that the best sentences agree on; open where one per protocol stands beside a full analysis set."""
    hits = _sets(document)
    answer = agreed("analysis_set", hits)
    if answer.value == "per_protocol" and any(_FULL_SET.search(one.text) for one in prose(document, _PARTS)):
        return unclear("analysis_set", min(hits, key=lambda hit: hit.rank))
    return answer


def _sets(document: Document) -> list[Hit]:
    """The set of the main analysis, where a sentence names it; else any set that is named."""
    patterns = [Pattern(terms=rx(terms), value=value, parts=_PARTS) for value, terms in _SETS]
    return [
        Hit(
            value=hit.value,
            sentence=hit.sentence,
            start=hit.start,
            end=hit.end,
            rank=0 if _MAIN.search(hit.sentence.text) else 1,
        )
        for hit in find(document, patterns)
        if not _OTHER_SET.search(hit.sentence.text) and _ANALYSED_SO.search(hit.sentence.text)
    ]


def _analysis_sentences(document: Document, terms: re.Pattern[str], parts: frozenset[str]) -> Iterator[Hit]:
    for sentence in prose(document, parts):
        if found := terms.search(sentence.text):
            yield Hit(value=sentence.text.rstrip(".。"), sentence=sentence, start=found.start(), end=found.end())


def _main_model(document: Document) -> Answer:
    """The model of the main result: the one that is said to be, or the only one that is named."""
    hits = sorted(_model_hits(document), key=lambda hit: hit.rank)
    if hits and hits[0].rank > 0 and len({hit.sentence.text for hit in hits if hit.rank == hits[0].rank}) > 1:
        return unclear("statistical_model", hits[0])
    return whole_or_part("statistical_model", hits, document, _speaks_of_an_analysis, gathers=False)


def _speaks_of_an_analysis(sentence: Sentence) -> bool:
    says_how = _ANALYSES.search(sentence.text) or _UNIT_OF_ANALYSIS.search(sentence.text)
    return sentence.part == "methods" and says_how is not None


def _speaks_of_missing_data(sentence: Sentence) -> bool:
    return sentence.part in {"methods", "results", "body"} and _OF_MISSING.search(sentence.text) is not None


def _missing_hits(document: Document) -> Iterator[Hit]:
    """Sentences that say how missing data were dealt with; that they were, or might be, is no method."""
    for hit in _analysis_sentences(document, _MISSING, frozenset({"methods"})):
        if not _NO_METHOD.search(hit.sentence.text):
            yield hit


def _model_hits(document: Document) -> Iterator[Hit]:
    """A model named in the methods is better proof than one named in the abstract; one for missing data is none."""
    for hit in _analysis_sentences(document, _MODEL, frozenset({"methods"})):
        if not _OTHER_MODEL.search(hit.sentence.text):
            # Where one sentence says that its model is that of the main result, the others are of something else.
            rank = 0 if _MAIN_RESULT.search(hit.sentence.text) else 2 if hit.sentence.in_abstract else 1
            yield Hit(value=hit.value, sentence=hit.sentence, start=hit.start, end=hit.end, rank=rank)


def _confounder_hits(document: Document) -> Iterator[Hit]:
    for sentence in prose(document, frozenset({"methods", "body"})):
        if found := _ADJUSTED.search(sentence.text):
            named = items_of_list(_BEHIND.split(found["for"] or found["zh"])[0])
            if named and not any(len(name.split()) > _LONGEST_NAME or _NO_NAME.search(name) for name in named):
                yield Hit(value=named, sentence=sentence, start=found.start(), end=found.end())


def _adjustment(document: Document) -> Answer:
    """Every method of adjustment that the methods name, as far as one quote can show them."""
    named: dict[str, Hit] = {}
    for sentence in prose(document, frozenset({"methods", "body"})):
        for value, terms in _METHODS:
            if found := terms.search(sentence.text):
                named.setdefault(value, Hit(value=value, sentence=sentence, start=found.start(), end=found.end()))
    if not named:
        return not_reported("adjustment_method")
    hit = next(iter(named.values()))
    return Answer(
        field="adjustment_method", state=State.REPORTED, value=list(named), quote=hit.quote, page=hit.sentence.page
    )
