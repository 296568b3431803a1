"""What a study was to find out, in the authors' words: the whole sentence, or a part where it does not say all."""

import re
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import ANYWHERE, Hit, first, prose, rx
from ingather.extraction.rules.printed_numbers import COUNT
from ingather.extraction.rules.sentences import Document
from ingather.extraction.rules.whole import part

FIELDS: Final = frozenset({"aim"})

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
# A sentence that tells the aim may tell before it why the study was done. Whom it is about may stand there, too.
_AIM_CLAUSE: Final = rx(
    rf"(?:[,;:.\]] ?(?:\[[\d, -]+\] ?)?|\band |\bso )(?P<aim>(?:therefore, |thus, |hence, )?(?:the |our )?"
    rf"(?:\w+ )?(?:(?:we|this {_WORK}"
    rf"|(?:the|our) (?:present |current )?{_WORK}) (?:\w+ly )?(?:was )?(?:aim|sought|set out|designed|undertaken"
    rf"|conducted|want|wish|hypothesi|investigat|examin|assess|evaluat|compar)\w*"
    rf"|(?:aims?|objectives?|purpose|goal) (?:of|was|were|is|are)\b))"
)
_BACKGROUND_LEAD: Final = rx(
    r"^(?:with regard|with respect|considering|given|because|since|although|though|while|whereas|as|despite|due to"
    r"|owing|in (?:view|light|spite) of|based on|however|regarding|concerning|taking|to (?:our|the best)|it is"
    r"|there (?:is|are)|if|when|until|so far)\b|\[\d|\b(?:has|have|had|remains?|is|are|was|were) (?:\w+ ){0,2}(?:been"
    r"|shown|known|reported|associated|considered|unclear|unknown|limited|lacking|recommended|used)\b"
)
_LONG_LEAD: Final = 25  # characters; what stands before an aim in fewer, such as `In this trial`, is no background
_SHORTEST_AIM: Final = 14  # terms of an English sentence that names an intervention, people and what was measured
_SHORTEST_AIM_ZH: Final = 14  # characters of a Chinese one
_FINDS_OUT: Final = rx(
    r"\b(?:whether|effects?|effective\w*|efficac\w+|impact|influence|compar\w+|differences?|safety|feasib\w+"
    r"|tolerab\w+|outcomes?|role|benefits?|associat\w+|relation\w*|superior\w*|inferior\w*|equivalen\w+|respon\w+"
    r"|improv\w+|reduc\w+|increas\w+|prevent\w*|perform\w*|accura\w+|predict\w*|insights?|recovery|strength"
    r"|changes?|factors?|cost\S*|rates?|pharmacokinetic\w*|bioavailab\w+|quality)\b"
)
_WHEREIN: Final = rx(
    r"\b(?:in|among|for|on|of|with|between|to|after|during|undergoing|receiving) (?:\w+[\w-]* ){0,8}?"
    r"(?:patients?|participants?|subjects|adults?|children|adolescents?|infants?|neonates?|newborns?|women|men|girls|boys"
    r"|mothers?|parents?|people|persons?|individuals|volunteers|students?|workers|nurses|physicians|survivors|carers"
    r"|caregivers|smokers|users|veterans|residents|males|females|rats|mice|cows|steers|calves|pigs|broilers|dogs"
    r"|teeth|eyes|\w+ (?:disease|disorder|syndrome|cancer|carcinoma|infection|surgery|therapy|diabetes|pain|failure)"
    r"|\w{3,}(?:itis|osis|emia|aemia|pathy|oma|ectomy|plasty|tomy|ension))\b"
)
# An aim that only points at what was named before it is not said in its own words.
_POINTS_BACK: Final = rx(
    r"\b(?:this|these|those|such|the said|the above) (?:new |novel )?(?:\w+ )?(?:intervention|treatment|therap\w+"
    r"|drugs?|agents?|programm?e?s?|approach\w*|methods?|techniques?|vaccines?|devices?|changes?|questions?|hypothes\w+|issues?"
    r"|effects?|relationships?|associations?|populations?|patients?|procedures?|compounds?|regimens?|findings)\b"
    r"|\b(?:the|our|its) (?:vaccine|intervention|treatment|drug|program(?:me)?|device|technique|method|procedure"
    r"|product|model|algorithm|app|tool)(?:[.,;]| (?:is|was|in this|on the|and)\b|$)|\bthese\b|\bits\b"
    r"|\btheir (?:effect|impact|use)\b|\bas well as its\b|\b(?:following|below|above)\b|\.\.\.$|[:,;]$"
)
# Other sentences that say what was wanted beside it.
_MORE_AIMS: Final = rx(
    r"\b(?:second(?:ary|ly)?|also|another|additional(?:ly)?|further(?:more)?|moreover|in addition)\b"
)
# How many people were wanted is no aim in the sense of the field.
_NO_AIM: Final = rx(
    r"\b(?:aims?|objectives?) relate to\b"
    r"|\b(?:is|are|was|were) needed\b|\bprevious (?:study|trial)\b|\bfurther (?:research|studies)\b|\bsample size"
    rf"|\baim\w*\b[^.]{{0,30}}\bto (?:\w+ )?(?:randomi[sz]e|recruit|enrol|enroll|include|obtain|collect|achieve|reach"
    rf"|invite)\b[^.]{{0,40}}{COUNT}"
)


def aim_answers(document: Document) -> dict[str, Answer]:
    """The answer to the field of this family."""
    return {"aim": _aim_answer(document)}


def _aim_answer(document: Document) -> Answer:
    """The best sentence on the aim; as a part where it does not say all of it in its own words."""
    hits = _aim_hits(document)
    answer = first("aim", map(_without_background, hits))
    if answer.state is not State.REPORTED:
        return answer
    is_short = any(hit.sentence.in_abstract and str(answer.value) in str(hit.value) for hit in hits)
    others = [
        hit for hit in hits if str(answer.value) not in str(hit.value) and (is_short or not hit.sentence.in_abstract)
    ]
    is_more = any(_MORE_AIMS.search(hit.sentence.text) for hit in others)
    return answer if _is_whole_aim(str(answer.value)) and not is_more else part(answer)


def _without_background(hit: Hit) -> Hit:
    """The aim without what the sentence says before it, where that is background and not whom the study is about."""
    text = hit.sentence.text
    found = _AIM_CLAUSE.search(text)
    if found is None or found.start() < _LONG_LEAD or not (_BACKGROUND_LEAD.search(text[: found.start()])):
        return hit
    start = found.start("aim")
    return Hit(value=text[start:].rstrip(".。"), sentence=hit.sentence, start=start, end=len(text), rank=hit.rank)


def _is_whole_aim(text: str) -> bool:
    """Whether a sentence says what was to be found out, of what, and in whom or on what."""
    if not text.isascii() and re.search(r"[\u4e00-\u9fff]", text):
        return len(text) >= _SHORTEST_AIM_ZH
    return (
        len(text.split()) >= _SHORTEST_AIM
        and _FINDS_OUT.search(text) is not None
        and _WHEREIN.search(text) is not None
        and _POINTS_BACK.search(text) is None
        and _BACKGROUND_LEAD.match(text) is None
    )


def _aim_hits(document: Document) -> list[Hit]:
    hits = []
    for sentence in prose(document, ANYWHERE - {"discussion", "results", "end", "methods"}):
        if _NO_AIM.search(sentence.text):
            continue
        if sentence.topic == "aim" and sentence.part == "aim" and _PURPOSE.search(sentence.text):
            hits.append(Hit(value=sentence.text.rstrip(".。"), sentence=sentence))
        elif found := _AIM.search(sentence.text):
            hits.append(
                Hit(value=sentence.text.rstrip(".。"), sentence=sentence, start=found.start(), end=found.end(), rank=1)
            )
    return hits
