"""Who was blinded, who was not, and how it was done."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ingather.extraction.findings import Answer, State, Value
from ingather.extraction.rules.hits import STUDY, Hit, agreed, prose, rx
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.extraction.rules.whole import whole_or_part
from ingather.notice import notice

FIELDS: Final = frozenset({"blind_participants", "blind_personnel", "blind_assessors", "blinding_detail"})

NOT_CLEAR_WHO: Final = notice("rules.blind_but_not_who", "The paper says blind, but not who was blinded.")
_WHO: Final = {
    "blind_participants": rx(
        r"\b(?:participants?|patients?|children|subjects|parents?|volunteers|women|people|mothers)\b|受试者|患者|病人"
    ),
    "blind_personnel": rx(
        r"\b(?:clinicians?|physicians?|doctors?|surgeons?|nurses(?! who (?:scored|recorded|assessed|measured))"
        r"|physiotherapists?|therapists?|(?:care )?providers?"
        r"|ward staff|study staff|care staff|investigators?|teachers?|carers|personnel|caregivers)\b|研究者|医生"
        r"|医师|干预者|治疗者|护士"
    ),
    "blind_assessors": rx(
        r"\bassess(?:ors?|ment)\b|\badjudicat\w+|\bend ?-?point committee|\bevaluators?\b|\braters?\b"
        r"|\binterviewers?\b|\bobservers?\b|\bexaminers?\b"
        r"|\bwho (?:scored|recorded|assessed|measured|rated)\b|评价者|评估者|评定者|测量人员|评价人员|评估人员"
    ),
}
_NOT_BLIND: Final = rx(
    r"\bneither\b[^.;]{0,120}\b(?:blind|mask)ed|\b(?:was|were|could|can|are) not (?:be )?(?:blind|mask)ed"
    r"|\bno (?:blinding|masking)\b(?: of[^.;]{0,60})?"
    r"|\b(?:was|were) (?:all )?aware of\b|\bknew (?:the|their|which|what)\b|\bunblinded\b|\bnot possible to (?:blind"
    r"|mask)\b[^.;]{0,40}"
    r"|\bwithout (?:blinding|masking)\b|未[^。;,]{0,16}(?:设盲|施盲|盲法)|(?:不|未"
    r"|无法)(?:能)?(?:对[^。;,]{0,12})?(?:设盲|施盲)|开放标签"
)
_BLIND: Final = rx(
    r"\b(?:was|were|are|remained|kept|all|who|and)(?: \w+){0,2} (?:blind|mask)ed\b|\b(?:blind|mask)ed (?:to|from"
    r"|as to)\b|\bunaware of\b|\bdid not know\b"
    r"|\bnot (?:told|informed) (?:about |of )?(?:which|what|their|the) (?:[\w-]+ ){0,2}(?:group|treatment"
    r"|allocation|assignment"
    r"|arm|drug|intervention)|\b(?:blind|mask)ed (?:outcome |end ?-?point )?(?:assess\w+|adjudicat\w+|evaluat\w+)"
    r"|\bassessor[- ](?:blind|mask)"
    r"|\bblind to\b|不知(?:晓|道|情)?|均?(?:设盲|处于盲态|施盲)"
)
# Blind to something else than the allocation.
_TO_OTHER: Final = rx(
    r"^.{0,40}\b(?:to|of|from) (?:the |their |each other|all )?(?:[\w-]+ ){0,3}?(?:status|outcomes?"
    r"|hypothes\w+|results?|diagnos\w+"
    r"|readings?|display|activity|measurements?|randomi[sz]ation (?:list|code)|purpose|aims?|data|scores?|history"
    r"|clinical|findings|sequence|objectives?|order)\b"
)
_NOBODY: Final = rx(r"\b(?:neither|nobody|no one|none of)\b")
_AWARE: Final = rx(r"\b(?:aware of|knew)\b")
_OBSERVER: Final = rx(
    r"\b(?:observer|assessor|evaluator|rater|examiner|investigator|interviewer)s?(?:,? (?:who|that) (?:was|were"
    r"|remained))?,?"
    r"(?: \w+)? (?:blind|mask|unaware)(?:ed)?(?: to| of)?$"
)
# Staff who assess or collect deliver nothing.
_ASSESSING_STAFF: Final = rx(
    r"\b(?:personnel|staff|researchers?|investigators?|clinicians?|nurses?|physicians?"
    r"|therapists?)\b[^.;,]{0,40}\b(?:assess"
    r"|evaluat|collect|measur|conducting (?:\w+ )?assess|scor|rating|interview|data)"
    r"|\b(?:assess|evaluat|measur|collect|record|examin|scor|rat(?:ing|ed))\w*\b[^.;]{0,90}?\bby\b"
)
_IN_QUESTION: Final = rx(
    r"\bunblinded (?:to determine|at|after|when|once|following)\b|\bwere unblinded to\b.{0,30}\bopen"
    r"|\bwhether\b|\bquestioned\b|\basked\b|\bguess"
)
_OWN_VERB: Final = rx(r"^.*\b(?:were|was|are|is)\b(?:(?!blind|mask|aware)[^,])*, (?=(?:the|all|an?|each|both) )")
_HEDGED: Final = rx(r"\bbut (?:could|may|might)\b|\bguess|\bsome\b[^.]{0,20}\bbecame aware")
_LABEL: Final = rx(r"\b(?:double|triple)[- ]?(?:blind|mask)(?:ed)?\b|双盲|三盲")
_OPEN: Final = rx(
    r"\bopen[- ]label\b(?!,? (?:\w+ )?(?:extension|phase|period|follow|treatment|run|lead|continu|stud(?:y|ies) of"
    r"|part|active|reference|comparator|arm)"
    r"|[^.]{0,40}\bextension)|开放标签"
)
_BLIND_SPOKEN_OF: Final = rx(
    r"\b(?:un)?(?:blind|mask)(?:ed|ing|ness)?\b|\bunaware\b|\baware of\b|\bopen[- ]label"
    r"|\b(?:identical|indistinguishable)\b[^.]{0,40}\b(?:appear|look|taste|colou?r|shape|packag)|盲"
)
_BLIND_LABEL: Final = rx(
    r"\b(?:double|single|triple|observer|assessor|evaluator|investigator|rater)[- ]?(?:blind|mask)(?:ed)?\b"
    r"|双盲|单盲|三盲"
)
# Data, samples and preferences are blinded, too; that is nobody who took part.
_THINGS_BLINDED: Final = rx(r"\b(?:data|samples?|results|readings|images|scans|slides|preference)\b[^.;,]{0,20}$")


def blinding_answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    blinding = list(_blinding(document))
    return {
        "blinding_detail": whole_or_part(
            "blinding_detail",
            [replace(hit, value=hit.sentence.text) for _, hit in blinding if hit.rank < 2],
            document,
            _speaks_of_blinding,
        ),
        **{field: _decided(agreed(field, [hit for name, hit in blinding if name == field])) for field in _WHO},
    }


def _decided(answer: Answer) -> Answer:
    """`Double-blind` alone leaves open who was blinded, so the answer is open."""
    if answer.state is State.REPORTED and answer.value == "unclear":
        return replace(answer, state=State.UNCLEAR, value=None, note=NOT_CLEAR_WHO)
    return answer


def _speaks_of_blinding(sentence: Sentence) -> bool:
    """Whether a sentence of the methods says more of blinding than that the trial is called double-blind."""
    if sentence.part not in {"methods", "body"} or sentence.is_about_others:
        return False
    return _BLIND_SPOKEN_OF.search(_BLIND_LABEL.sub("", sentence.text)) is not None


def _blinding(document: Document) -> Iterator[tuple[str, Hit]]:
    """Who was blinded and who was not. `Double-blind` alone says of nobody whether he was: it is the weakest proof."""
    for sentence in prose(document, STUDY - {"results", "conclusions"}):
        for start, clause in _blinding_clauses(sentence):
            yield from _in_clause(sentence, start, clause)
        for terms, value, fields in (
            (_OPEN, "no", ("blind_participants", "blind_personnel")),
            (_LABEL, "unclear", tuple(_WHO)),
        ):
            if found := terms.search(sentence.text):
                rank = 1 if value == "no" else 2
                yield from (
                    (field, _blinding_hit(value, sentence, found.start(), found.end(), rank)) for field in fields
                )


def _blinding_clauses(sentence: Sentence) -> Iterator[tuple[int, str]]:
    start = 0
    for cut in re.finditer(r"; |;|,? but |, (?:whereas|while) | whereas ", sentence.text):
        if sentence.text[start : cut.start()]:
            yield start, sentence.text[start : cut.start()]
        start = cut.end()
    yield start, sentence.text[start:]


def _in_clause(sentence: Sentence, start: int, clause: str) -> Iterator[tuple[str, Hit]]:
    value: Value
    if _IN_QUESTION.search(clause):
        return
    if found := _NOT_BLIND.search(clause):
        # `Neither the patients nor the staff were aware` says the opposite of what its last words say.
        value = "yes" if _NOBODY.search(clause[: found.end()]) and _AWARE.search(found[0]) else "no"
    elif (found := _BLIND.search(clause)) and not (
        _THINGS_BLINDED.search(clause[: found.start()])
        or _LABEL.search(clause)
        or _TO_OTHER.search(clause[found.start() :])
    ):
        value = "yes"
    else:
        return
    # In Chinese and in `no blinding of …` those meant stand within the words found; in English they come before.
    before = clause[: found.end()]
    # `Though the participants were randomised, the teachers were not blinded` says nothing of the participants.
    if cut := _OWN_VERB.match(before[: found.start()]):
        before = before[cut.end() :]
    comma = before.rfind(", ", 0, found.start())
    if re.search(r"[\u4e00-\u9fff]", clause) and comma < 0:
        comma = before.rfind(",", 0, found.start())
        before = before[comma + 1 :]
    is_observer = _OBSERVER.search(clause[: found.end()])
    is_assessing = re.search(r"\b(?:assess|evaluat|scor|measur|rat(?:ed|ing)|collect|record)", clause, re.IGNORECASE)
    for field, who in _WHO.items():
        if field == "blind_personnel" and is_assessing:  # an investigator who assesses may be no carer
            before = re.sub(r"\binvestigators?\b", "", before, flags=re.IGNORECASE)
        if is_observer and field != "blind_assessors":
            continue
        if field == "blind_personnel" and _ASSESSING_STAFF.search(before):
            continue
        if who.search(before):
            if _HEDGED.search(sentence.text):  # said, and taken back: two answers make it unclear
                yield field, _blinding_hit("no", sentence, start + found.start(), start + found.end(), 0)
            yield field, _blinding_hit(value, sentence, start + found.start(), start + found.end(), 0)


def _blinding_hit(value: Value, sentence: Sentence, start: int, end: int, rank: int) -> Hit:
    return Hit(value=value, sentence=sentence, start=start, end=end, rank=rank)
