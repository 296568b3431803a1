"""What the authors say of their study in sentences: aim, conclusions, limitations."""

from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.hits import ANYWHERE, STUDY, Hit, first, prose, rx
from ingather.extraction.rules.sentences import Document, Sentence

FIELDS: Final = frozenset({"aim", "conclusions", "limitations"})

_WORK: Final = r"(?:study|trial|analysis|work|research|investigation|paper|project|experiment)"
_AIM: Final = rx(
    rf"\b(?:we|this {_WORK}) (?:aimed|sought|set out|wanted|wished) to\b"
    rf"|\b(?:aims?|objectives?|purpose|goal) of (?:this|the|our|the present|the current) {_WORK} (?:was|were|is) to\b"
    r"|\bour (?:\w+ )?(?:aims?|objectives?|purpose|goal) (?:was|were|is) to\b"
    r"|\bwe (?:investigated|examined|assessed|tested|evaluated) (?:whether|the effect)"
    rf"|\bwe (?:conducted|did|performed|carried out|undertook) [^.]{{0,80}}{_WORK} to (?:test|determine|assess"
    rf"|examine|find out) whether\b"
    r"|旨在|本研究(?:的)?目的"
)
# Under a heading such as `Aims` the background may stand first. An aim says what was to be found out.
_PURPOSE: Final = rx(
    r"\b(?:aims?|aimed|objectives?|purpose|goal|hypothes\w+|sought)\b|^(?:therefore, |here, |thus, )?to \w+"
    r"|\bwe (?:\w+ )?(?:investigated|examined|assessed|tested|evaluated|compared|studied|determined)\b"
    r"|\bto (?:\w+ly )?(?:determine|assess|compare|evaluate|examine|investigate|test|study|establish|explore|estimate"
    r"|identify|describe|find out)\b|旨在|探讨|评价|目的|观察|比较|研究"
)
_NO_AIM: Final = rx(r"\b(?:is|are|was|were) needed\b|\bprevious (?:study|trial)\b|\bfurther (?:research|studies)\b")
# So soon behind the verb a sentence that only announces says so, in characters.
_SOON: Final = 40
_ANNOUNCEMENT: Final = 70  # characters of a sentence that announces limitations; a longer one says more
_FIRST: Final = rx(r"(?:first(?:ly)?|one limitation|the first|the main)\b")
# These stand in a section of conclusions before or after what is concluded.
_NO_CONCLUSION: Final = rx(
    r"^(?:which|however|despite|previous|prior|further|future|additional|more (?:research|studies|trials)|moreover"
    r"|nevertheless|these"
    r"|this (?:allowed|is)|it is|there (?:is|are)|although (?:previous|several|many)|trial regist|clinical trial regist"
    r"|funded|funding|several measures)\b|\bwas designed to\b|\b(?:aimed|sought) to\b|\bstrengths?\b"
    r"|\bmitigat|\bNCT\d{8}"
    r"|\b(?:further|more|future|larger) (?:research|studies"
    r"|trials)\b.{0,40}\b(?:needed|required"
    r"|warranted|necessary)"
    r"|\baim of (?:this|the|our)\b|\bwill\b"
)
_CONCLUDE: Final = rx(r"\bin conclusion\b|综上")
_LIMITATION: Final = rx(
    r"\b(?:our|this|these|the|present|main|several|some|important|potential|study|a|key|major|has"
    r"|have)\b[^.]{0,40}\blimitations?\b"
    r"|\blimitations? (?:include|are|is|of (?:this|our|the))|\blimits how\b|局限"
)

# This stands behind the term where a sentence does more than announce: it names at least one limitation.
_NAMES: Final = rx(
    r"\blimitations?\b[^.;]{0,90}?(?:\b(?:is|are|was|were|include[sd]?|including|being|lies in|stems? from"
    r"|due to|because|relates? to|by)\b|:)(?P<what>.{25,})"
    r"|^(?P<before>.{25,}?),? which (?:is|are|was|were) (?:a|an|the|another|our) (?:\w+ )?limitation"
    r"|局限.{4,}|.{6,}局限"
)
_TO_BE: Final = rx(
    r"\b(?:must|should|need|deserve|merit|warrant|can|may|could|to) (?:to )?(?:be|being|consider\w*|mention\w*)\b"
    r"|\b(?:acknowledged|considered|noted|mentioned|addressed|discussed|recogni[sz]ed|worth)\b"
)
# Under a heading of limitations: strengths, and sentences that name none yet.
_ANNOUNCES: Final = rx(
    r"\bstrengths?\b|\blimitations\b(?!.*(?:\binclud|\bare\b|\bwere\b|:|\bdue to\b|\bbecause\b).{25})"
)
# A sentence under such a heading that says what limits the study.
_LIMITS: Final = rx(
    r"\blimit|\bsmall|\bsample|\bnot\b|\black|\bonly\b|\bsingle\b|\bretrospective|\bbias|\bshort|\bunder|\bconfound"
    r"|\bheterogen|\bobservational|\bunblinded|\bopen|\bgenerali[sz]|\bmissing|\bunable|\bno\b|\bfew|\blow\b|\bweak|局限|未|不|少"
)
_OF_PEOPLE: Final = rx(
    r"\b(?:exercise|activity|functional|airflow|movement|physical|mobility|work|flow|joint"
    r"|walking)[- ]limitation"
)


def answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    return {
        "aim": first("aim", _aim_hits(document)),
        "conclusions": first("conclusions", _conclusion_hits(document)),
        "limitations": first("limitations", _limitations(document)),
    }


def _aim_hits(document: Document) -> list[Hit]:
    hits = []
    for sentence in prose(document, ANYWHERE - {"discussion", "results", "end"}):
        if _NO_AIM.search(sentence.text):
            continue
        if sentence.topic == "aim" and sentence.part == "aim" and _PURPOSE.search(sentence.text):
            hits.append(Hit(value=sentence.text.rstrip(".。"), sentence=sentence))
        elif found := _AIM.search(sentence.text):
            hits.append(
                Hit(value=sentence.text.rstrip(".。"), sentence=sentence, start=found.start(), end=found.end(), rank=1)
            )
    return hits


def _shortest_conclusion(text: str) -> int:
    """How many characters a conclusion has at least; `IV.` is a level of evidence."""
    return 30 if text.isascii() else 10


def _conclusion_hits(document: Document) -> list[Hit]:
    hits = []
    for sentence in prose(document, STUDY | {"discussion"}):
        if _NO_CONCLUSION.search(sentence.text) or len(sentence.text) < _shortest_conclusion(sentence.text):
            continue
        if sentence.part == "conclusions":
            hits.append(Hit(value=sentence.text, sentence=sentence, rank=0 if sentence.in_abstract else 1))
        elif found := _CONCLUDE.search(sentence.text):
            hits.append(Hit(value=sentence.text, sentence=sentence, start=found.start(), end=found.end(), rank=2))
    return hits


def _is_limit(sentence: Sentence, following: Sentence) -> bool:
    """Whether a short sentence announces limitations and the next one names the first."""
    is_short = len(sentence.text) < _ANNOUNCEMENT and _LIMITS.search(following.text) is not None
    return is_short and not _NO_CONCLUSION.search(following.text)


def _limitations(document: Document) -> list[Hit]:
    """The sentence that names a limitation, or the one after it where it only announces them."""
    sentences = list(prose(document, frozenset({"discussion", "conclusions", "end"})))
    hits = []
    for sentence, following in zip(sentences, [*sentences[1:], None], strict=False):
        if (
            sentence.topic == "limitations"
            and not _NO_CONCLUSION.search(sentence.text)
            and not _ANNOUNCES.search(sentence.text)
        ):
            hits.append(Hit(value=sentence.text, sentence=sentence))
        elif (found := _LIMITATION.search(sentence.text)) and not _OF_PEOPLE.search(sentence.text):
            named = _NAMES.search(sentence.text)
            if named is not None and not _TO_BE.search((named["what"] or "")[:_SOON]):
                hits.append(Hit(value=sentence.text, sentence=sentence, start=found.start(), end=found.end(), rank=1))
            elif following is not None and (_FIRST.match(following.text) or _is_limit(sentence, following)):
                hits.append(Hit(value=following.text, sentence=following, rank=1))
    return hits
