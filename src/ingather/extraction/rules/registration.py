"""The numbers under which the study itself is registered."""

import re
from collections.abc import Iterator
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import ANYWHERE, Hit, not_reported, prose, rx, unclear
from ingather.extraction.rules.sentences import Document, Sentence

FIELD: Final = "registration_id"
# A study is registered in a few places. A paper that names more lists the studies of others.
MOST_REGISTRIES: Final = 4

_NUMBERS: Final = rx(
    r"\bNCT[ -]?0?\d{8}\b|\bISRCTN ?[:-]? ?\d{8}\b|\bChiCTR[-A-Z]{0,6}[- ]?\d{8,10}\b|\bACTRN ?[:-]? ?\d{14}p?\b"
    r"|\bPACTR ?\d{15,16}\b|\bDRKS ?\d{8}\b|\bCTRI/\d{4}/\d{2,3}/\d{5,6}\b|\bUMIN(?:-CTR)?[ :-]{0,2}\d{9}\b"
    r"|\bjRCTs?\d{9,10}\b|\bJapicCTI-?\d{6}\b|\bIRCT ?[\dN]{12,20}\b|\bNTR ?\d{3,5}\b|\bKCT ?\d{7}\b"
    r"|\bTCTR ?\d{11}\b|\bRBR-[0-9a-z]{6,8}\b|\bSLCTR/\d{4}/\d{3}\b|\bRPCEC ?\d{8}\b|\bCRD ?\d{11}\b"
    r"|\bCRD ?420\d{8,10}\b"
    r"|(?<=EudraCT )\d{4}-\d{6}-\d{2}\b|(?<=EudraCT: )\d{4}-\d{6}-\d{2}\b|(?<=EudraCT number )\d{4}-\d{6}-\d{2}\b"
    r"|(?<=EudraCT number: )\d{4}-\d{6}-\d{2}\b|(?<=EudraCT number, )\d{4}-\d{6}-\d{2}\b"
    r"|(?<=EudraCT no\. )\d{4}-\d{6}-\d{2}\b"
)
# In the body of a paper a number may be that of another study, unless such terms stand with it.
_REGISTERED: Final = rx(
    r"\bregist(?:ered|ration|ry|er)|\bidentifier\b|\btrial (?:number|id)\b|clinicaltrials\.gov|\bfunded by\b"
    r"|\b(?:this|our|the) (?:[\w-]+ ){0,2}(?:trial|study)\b|注册"
)
# In an introduction or a discussion the study itself must be what is spoken of.
_OWN: Final = rx(
    r"\bwe (?:aim|sought|report|present|here|conduct|design|examin|investigat|assess|analy|use|perform|evaluat|explor)"
    r"|\b(?:this|our|the present|the current) (?:\w+ ){0,2}(?:trial|study|analysis|report)\b"
)
_OTHER: Final = rx(
    r"\b(?:included (?:studies|trials)|sub-?study of|ongoing (?:trials?|studies)|another (?:trial|study)"
    r"|other trials|previous|under (?:investigation|way|enrol+ment)|underway|currently|in progress|forthcoming"
    r"|(?:is|are) (?:being|ongoing)|(?:has|have) been (?:started|initiated)|will be (?:addressed|answered))\b"
    r"|\b(?:trials|studies)\b[^.]{0,60}\b(?:including|such as|e\.g)|\b(?:included"
    r"|identified|found)\b[^.]{0,40}\btrial regist"
)


def registration_answer(document: Document) -> Answer:
    """Every number that the abstract or the front gives; else those of methods and end that speak of registration."""
    hits = list(_registration_hits(document))
    if not hits:
        return not_reported(FIELD)
    best = min(hit.rank for hit in hits)
    numbers = list(dict.fromkeys(str(hit.value) for hit in hits if hit.rank == best))
    if len(numbers) > MOST_REGISTRIES:
        return unclear(FIELD, hits[0])
    # The answer has one quote, so it is the place that gives most of the numbers.
    whole = max(
        (hit for hit in hits if hit.rank == best),
        key=lambda hit: sum(_bare_registration(n) in _bare_registration(hit.quote) for n in numbers),
    )
    shown = [number for number in numbers if _bare_registration(number) in _bare_registration(whole.quote)]
    return Answer(field=FIELD, state=State.REPORTED, value=shown, quote=whole.quote, page=whole.sentence.page)


def without_numbers_of_others(found: Answer, document: Document, *, is_trial: bool) -> Answer:
    """The answer; open where a paper that reports no trial gives a number in its body: it may be another study's."""
    if is_trial or found.state is not State.REPORTED:
        return found
    hits = list(_registration_hits(document))
    return found if any(hit.rank == 0 for hit in hits) else unclear(FIELD, hits[0])


def registration_numbers(text: str) -> list[str]:
    """All numbers of trial registries in a text, whoever's they are, each once."""
    found = (re.sub(r"(?<=[A-Za-z])[ :-]+(?=\d)", "", match[0]) for match in _NUMBERS.finditer(text))
    return list(dict.fromkeys(found))


def _bare_registration(text: str) -> str:
    return re.sub(r"[\s:]", "", text).casefold()


def _registration_hits(document: Document) -> Iterator[Hit]:
    for sentence in (*document.front, *prose(document, ANYWHERE | {"keywords"})):
        for found in _NUMBERS.finditer(sentence.text):
            rank = _registration_rank(sentence)
            if rank is not None:
                value = re.sub(r"(?<=[A-Za-z])[ :]+(?=\d)", "", found[0])
                yield Hit(value=value, sentence=sentence, start=found.start(), end=found.end(), rank=rank)


def _registration_rank(sentence: Sentence) -> int | None:
    """How surely a number is the study's own; None where it is not."""
    if _OTHER.search(sentence.text):
        return None
    if sentence.in_abstract or sentence.part in {"front", "keywords"} or sentence.topic == "registration":
        return 0
    if sentence.part in {"introduction", "discussion"}:
        return 2 if _OWN.search(sentence.text) and not sentence.is_about_others else None
    return 1 if _REGISTERED.search(sentence.text) else None
