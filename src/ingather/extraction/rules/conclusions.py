"""What the authors say of their study in sentences: conclusions and limitations."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import STUDY, Hit, first, prose, reported, rx
from ingather.extraction.rules.plain_text import LONGEST_QUOTE
from ingather.extraction.rules.sentences import Document, Sentence, joined_sentences
from ingather.extraction.rules.whole import part, whole_or_part

FIELDS: Final = frozenset({"conclusions", "limitations"})

_WORK: Final = r"(?:study|trial|analysis|work|research|investigation|paper|project|experiment)"
# So soon behind the verb a sentence that only announces says so, in characters.
_SOON: Final = 40
_ANNOUNCEMENT: Final = 70  # characters of a sentence that announces limitations; a longer one says more
_FIRST: Final = rx(r"(?:first(?:ly)?|one limitation|the first|the main)\b")
# These stand in a section of conclusions before or after what is concluded.
_NO_CONCLUSION: Final = rx(
    r"^(?:which|however|despite|previous|prior|further|future|additional|more (?:research|studies|trials)|moreover"
    r"|nevertheless|these"
    r"|(?:this|our|the present) study (?:explored|examined|investigated|evaluated|compared|assessed|tested|aimed)\b"
    r"|in conclusion, this study (?:explored|examined|investigated|evaluated|compared|assessed|tested)\b"
    r"|this (?:allowed|is)|it is|there (?:is|are)|although (?:previous|several|many)|trial regist|clinical trial regist"
    r"|funded|funding|several measures)\b|\bwas designed to\b|\b(?:aimed|sought) to\b|\bstrengths?\b"
    r"|\bmitigat|\bNCT\d{8}"
    r"|\b(?:further|more|future|larger) (?:research|studies"
    r"|trials)\b.{0,40}\b(?:needed|required"
    r"|warranted|necessary)"
    r"|\baim of (?:this|the|our)\b|\bwill\b"
)
# The rest of a heading that a line break cut in two, such as `Conclusions` and `and Clinical Importance`.
_REST_OF_HEADING: Final = re.compile(r"(?:and|or|of|for|&) ")
# Where a sentence under the heading turns to the study, the ones before it tell the background.
_TURNS_TO_STUDY: Final = rx(
    rf"^(?:(?:in|from|based on|according to) (?:this|our|the present|the current|these|the results|animal|experimental)"
    rf"\b|(?:this|our|the present|the current) (?:\w+ )?{_WORK}\b|(?:the|these|our) (?:\w+ )?(?:results|findings)\b"
    r"|we (?:found|showed|demonstrated|observed|conclude)\b)"
)
_OF_ANIMALS: Final = rx(r"^in (?:animal|experimental|preclinical|in vitro) (?:studies|models|experiments|work)\b")
TWO: Final = 2
_HEADED: Final = re.compile(r"^(?:Discussion|Conclusions?|Interpretation) ?[:.] ", re.IGNORECASE)
# A limitation that is counted is one of several, and so is one behind which others follow.
_ONE_OF_SEVERAL: Final = rx(
    r"^(?:second|secondly|third|thirdly|fourth|finally|lastly|another|other|one|also|furthermore|moreover|in addition"
    r"|additionally|as such|some|a (?:\w+ )?limitation)\b|\bfirst(?:ly)?\b|\blimitations? (?:of|to"
    r"|in)? ?(?:the|this|our)?"
    r" ?(?:\w+ )?(?:study|trial)?[^.]{0,20}(?:\. |following)"
)
_SEVERAL: Final = rx(r"\b(?:second|secondly|another|also|in addition|furthermore)\b(?!.*\bthe following\b)")
_COUNTED: Final = rx(
    r"(?:first|second|third|fourth|fifth|last)(?:ly)?,|(?:finally|lastly), (?:this|our|the) (?:study|trial)"
)
# A conclusion that begins so leaves out what it refers to.
_DANGLES: Final = rx(
    r"(?:this|these|that|those|they) (?:\w+ly |also |in turn )?(?:suggest|show|indicat|impl(?:y|ies)|mean|demonstrat"
    r"|support|confirm|reveal|highlight|underlin|provid|point|lead|make|rais|add|allow|appear|seem|need|contrast"
    r"|reflect|reduc|improv|increas|could|may|might|can|would|should|will|has|have|had|is|are|was|were|did|do|does"
    r"|must|warrant|contribut|reinforc|emphasi[sz]|help)(?:e?s|e|ed)?\b"
)
# An abstract prints this behind its conclusion.
_NO_MORE: Final = rx(
    r"\bregist(?:ered|ration|ry)\b|\bNCT\d|\bISRCTN|\bfunded by\b|\bfunding\b|\bkey ?words\b|\btrials\.gov\b"
)
# A conclusion has one of these words; its section may begin with sentences on why the study was done.
_SAYS_SO: Final = rx(
    r"^(?!.*(?:\b(?:presented|described|introduced) an?\b|\b(?:goal|aim|purpose|objective) of\b"
    r"|\brandomly assigned\b)).*"
    r"\b(?:suggest|show|demonstrat|indicat|conclu|found|find|effective|effica|significan|improv|reduc|increas"
    r"|decreas|safe"
    r"|associat|feasib|difference|evidence|effect|superior|inferior|similar|better|worse|may|can|should|could|provid"
    r"|support"
    r"|result|benefi|promising|useful|recommend|confirm|appear|seem|longer|shorter|less\b|more\b|fewer|higher|lower"
    r"|than\b|not\b|well tolerated)|显示|表明|可|有效|效果|优于|疗效|能"
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
    r"\b(?:observed|present|found|apparent|evident)\b.{0,25}$|\b(?:must|should|need|deserve|merit|warrant|can|may"
    r"|could|to) (?:to )?(?:be|being|consider\w*|mention\w*)\b"
    r"|\b(?:acknowledged|considered|noted|mentioned|addressed|discussed|recogni[sz]ed|worth)\b"
)
# Under a heading of limitations: strengths, and sentences that name none yet.
_NO_LIMIT: Final = rx(
    r"^(?:in spite of|despite|notwithstanding|to (?:address|overcome))\b|\b(?:sample|cohort) (?:size )?was large\b"
    r"|\b(?:improv|address|overc[ao]m|avoid|eliminat|minimi[sz]|resolv)\w* (?:\w+ ){0,4}limitations?\b"
)
_ANNOUNCES: Final = rx(
    r"\bstrengths?\b|\blimitations\b(?!.*(?:\binclud|\bare\b|\bwere\b|:|\bdue to\b|\bbecause\b).{25})"
)
# A sentence under such a heading that says what limits the study.
_LIMITS: Final = rx(
    r"\blimit|\bsmall|\bsample|\bnot\b|\black|\bonly\b|\bsingle\b|\bretrospective|\bbias|\bshort|\bunder|\bconfound"
    r"|\bheterogen|\bobservational|\bunblinded|\bopen|\bgenerali[sz]|\bmissing|\bunable|\bno\b|\bfew|\blow\b|\bweak"
    r"|局限|未|不|少"
)
_PLAINLY_LIMITS: Final = rx(
    r"\blimit|\bsmall|\bsample size|\black|\bonly\b|\bsingle\b|\bretrospective|\bbias|\bshort\b|\bshort-term"
    r"|\bconfound|\bgenerali[sz]"
    r"|\bmay have (?:influenced|affected|led|introduced|biased)|\bopen-label\b|\bunblinded|\bunable|\bcould not\b"
    r"|\bcannot\b|\bnot possible|\bunderpower|\bweak|\bself-report|\bheterogen|局限|未|不|少"
    r"|\b(?:did|was|were|have|had|has) not\b[^.]{0,30}\b(?:allow|includ|have|measur|assess|provid|collect|examin"
    r"|control|blind|power"
    r"|stud|able|design)"
)
_OF_THIS_STUDY: Final = rx(
    r"\b(?:we|our|us|this|the (?:present|current)|the (?:study|trial|sample|analys[ei]s|results|findings|data)"
    r"|participants"
    r"|patients|first(?:ly)?)\b|本研究|样本"
)
# Such a sentence says nothing without the one before it.
_REFERS_BACK: Final = rx(
    r"^(?:thus|hence|therefore|consequently|as a (?:result|consequence)|so)\b"
    r"|^(?:this|that|these|those|it|they|which|both|such \w+) (?:\w+ly )?(?:could|may|might|can|cannot|would|will|has"
    r"|have|had|is|are|was|were|did|does|do|makes?|made|means?|meant|limits?|limited|led|leads|introduces?|introduced"
    r"|reduces?|reduced|prevent\w*|affect\w*|influence\w*)\b(?! (?:\w+ )?(?:study|trial|stud(?:y|ies)|an? (?:\w+ ){0,3}"
    r"(?:study|trial))\b)"
)
_OF_PEOPLE: Final = rx(
    r"\bwithin the limit|\bsuggest\w* an? (?:\w+ )?limitation|\b(?:mitigate|address|overcome|overcame|despite"
    r"|avoid)\w* (?:\w+ )?(?:these|this"
    r"|the) (?:\w+ )?limitation"
    r"|\b(?:method|technique|approach|scale|instrument|test) (?:\w+ )?has an? (?:\w+ )?limitation|\b(?:reported"
    r"|known|inherent) limitations\b|\blimitations of (?!this|the (?:\w+ )?(?:study|trial)|our)|\b(?:exercise"
    r"|activity|functional|airflow|movement|physical|mobility|work|flow|joint"
    r"|walking)[- ]limitation"
)


def conclusion_answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    return {
        "conclusions": _conclusion_answer(document),
        "limitations": _limitation_answer(document),
    }


def _shortest_conclusion(text: str) -> int:
    """How many characters a conclusion has at least; `IV.` is a level of evidence."""
    return 30 if text.isascii() else 10


def _conclusion_hits(document: Document) -> list[Hit]:
    hits = list(_whole_conclusion(document))
    background = _background(document)
    for sentence in prose(document, STUDY | {"discussion"}):
        if (
            _NO_CONCLUSION.search(sentence.text)
            or _OF_ANIMALS.search(sentence.text)
            or _REST_OF_HEADING.match(sentence.text)
            or len(sentence.text) < _shortest_conclusion(sentence.text)
            or sentence in background
        ):
            continue
        if sentence.part == "conclusions" and (sentence.in_abstract or _SAYS_SO.search(sentence.text)):
            hits.append(Hit(value=sentence.text, sentence=sentence, rank=0 if sentence.in_abstract else 1))
        elif found := _CONCLUDE.search(sentence.text):
            hits.append(Hit(value=sentence.text, sentence=sentence, start=found.start(), end=found.end(), rank=2))
    return hits


def _conclusion_answer(document: Document) -> Answer:
    """The conclusion with the sentences behind it, where all of them are short enough for one quote; else as a part."""
    hits = sorted(_conclusion_hits(document), key=lambda hit: hit.rank)
    if not hits:
        return first("conclusions", hits)
    answer = _whole_statement(document, hits[0])
    return part(answer) if _DANGLES.match(str(answer.value)) else answer


def _whole_statement(document: Document, hit: Hit) -> Answer:
    """The conclusion and what stands behind it under the same heading."""
    answer = reported("conclusions", hit)
    if hit.rank < 0:
        return answer
    start = hit.sentence
    behind = [
        one
        for one in document.sentences[document.sentences.index(start) + 1 :]
        if (one.part, one.topic, one.in_abstract) == (start.part, start.topic, start.in_abstract) and not one.is_row
    ]
    behind = list(takewhile(lambda one: not _NO_MORE.search(one.text), behind))
    if not behind:
        return answer
    whole = joined_sentences(start, behind[-1])
    if whole is not None and len(whole.text) <= LONGEST_QUOTE:
        return reported("conclusions", Hit(value=_HEADED.sub("", whole.text), sentence=whole))
    return part(answer)


def _limitation_answer(document: Document) -> Answer:
    """All limitations where they are a section of their own and fit into a quote; else what is found, as a part."""
    answer = whole_or_part("limitations", _limitations(document), document, _speaks_of_limitations)
    if answer.state is not State.REPORTED or answer.is_part:
        return answer
    value = str(answer.value)
    section = [one.text for one in document.sentences if one.topic == "limitations" and not one.in_abstract]
    is_all = len(section) > 0 and all(text in value for text in section)
    # `First` without a second, and an announcement of several, were cut off before the others.
    is_one = _ONE_OF_SEVERAL.search(value) is not None and not _SEVERAL.search(value)
    return answer if is_all and not is_one else part(answer)


def _speaks_of_limitations(sentence: Sentence) -> bool:
    if sentence.part not in {"discussion", "conclusions", "end", "body"} or sentence.is_about_others:
        return False
    is_headed = sentence.topic == "limitations" or _COUNTED.match(sentence.text) is not None
    return is_headed or _LIMITATION.search(sentence.text) is not None


def _background(document: Document) -> list[Sentence]:
    """The sentences of a section of conclusions before the one that turns to the study."""
    stated = [one for one in prose(document, frozenset({"conclusions"})) if not one.in_abstract]
    turn = next((n for n, one in enumerate(stated) if _TURNS_TO_STUDY.search(one.text)), 0)
    return [one for one in stated[:turn] if not _CONCLUDE.search(one.text)]


def _shortest_limit(text: str) -> int:
    """How many characters a sentence has at least that says what limits a study."""
    return 55 if text.isascii() else 12


def _whole_conclusion(document: Document) -> Iterator[Hit]:
    """All that the abstract concludes, where it is short enough for one quote: its first sentence alone says less."""
    stated = [one for one in prose(document, frozenset({"conclusions"})) if one.in_abstract]
    stated = list(takewhile(lambda one: not _NO_MORE.search(one.text), stated))
    if len(stated) < TWO or _NO_CONCLUSION.match(stated[0].text) or _REST_OF_HEADING.match(stated[0].text):
        return
    whole = joined_sentences(stated[0], stated[-1])
    if whole is None or len(whole.text) > 1 + sum(len(one.text) + 1 for one in stated):
        return
    if len(whole.text) <= LONGEST_QUOTE:
        yield Hit(value=whole.text, sentence=whole, rank=-1)


def _is_limit(sentence: Sentence, following: Sentence) -> bool:
    """Whether a short sentence announces limitations and the next one names the first."""
    is_short = len(sentence.text) < _ANNOUNCEMENT and _LIMITS.search(following.text) is not None
    return is_short and not _NO_CONCLUSION.search(following.text)


def _limitations(document: Document) -> Iterator[Hit]:
    """What limits the study. A sentence that refers to the one before it is taken together with it, or not at all."""
    sentences = list(prose(document, frozenset({"discussion", "conclusions", "end"})))
    before = dict(zip([one.places for one in sentences[1:]], sentences, strict=False))
    for hit in _limitation_hits(sentences):
        if not _REFERS_BACK.search(hit.sentence.text):
            yield hit
        elif (earlier := before.get(hit.sentence.places)) is not None and not _REFERS_BACK.search(earlier.text):
            whole = joined_sentences(earlier, hit.sentence)
            if whole is not None and len(whole.text) <= LONGEST_QUOTE:
                yield Hit(value=whole.text, sentence=whole, rank=hit.rank)


def _limitation_hits(sentences: list[Sentence]) -> list[Hit]:
    """The sentence that names a limitation, or the one after it where it only announces them."""
    hits = []
    for sentence, following in zip(sentences, [*sentences[1:], None], strict=False):
        if (
            sentence.topic == "limitations"
            and _OF_THIS_STUDY.search(sentence.text)
            and _PLAINLY_LIMITS.search(sentence.text)
            and not _OF_PEOPLE.search(sentence.text)
            and not _NO_LIMIT.search(sentence.text)
            and len(sentence.text) >= _shortest_limit(sentence.text)
            and not _NO_CONCLUSION.search(sentence.text)
            and not _ANNOUNCES.search(sentence.text)
        ):
            hits.append(Hit(value=sentence.text, sentence=sentence))
        elif (found := _LIMITATION.search(sentence.text)) and not (
            _OF_PEOPLE.search(sentence.text) or _NO_LIMIT.search(sentence.text)
        ):
            named = _NAMES.search(sentence.text)
            if len(sentence.text) < _shortest_limit(sentence.text):
                continue
            if named is not None and not _TO_BE.search((named["what"] or "")[:_SOON]):
                hits.append(Hit(value=sentence.text, sentence=sentence, start=found.start(), end=found.end(), rank=1))
            elif following is not None and (_FIRST.match(following.text) or _is_limit(sentence, following)):
                hits.append(Hit(value=following.text, sentence=following, rank=1))
    return hits
