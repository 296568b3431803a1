"""How many people were randomised in all: the total, never an arm, a subset, a plan or a figure of a name."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.arm_sums import adds_up, sums_of_arms, without_brackets
from ingather.extraction.rules.design import CLUSTERS, PEOPLE, UNITS
from ingather.extraction.rules.enrolled import (
    ADJECTIVES,
    ENROLLED,
    ENROLLED_IN_BRACKETS,
    ENROLLED_PASSIVE,
    GROUP,
    OF_SUM,
    SORTED_ENDS,
    TREATED,
    WERE,
)
from ingather.extraction.rules.hits import STUDY, Hit, agreed, find, prose, reported, rx, unclear
from ingather.extraction.rules.printed_numbers import COUNT, MONTHS, printed_count
from ingather.extraction.rules.sentences import Document, Sentence

FIELD: Final = "n_randomised"

# The parts in which a paper says how many it randomised. An aim tells a plan, a conclusion rounds.
_PARTS: Final = STUDY - {"aim", "conclusions"}
# So many characters may stand between a count and what was done with those counted. More lets it reach a count of
# other people; fewer loses subjects with a long description.
_REACH: Final = 260
# The ranks of a hit, best first: the arms add up to it; said to be randomised among several choices; randomised, in a
# form that an arm may have; enrolled in a trial that the paper says is randomised.
_SUMMED, _TOTAL, _LOOSE, _ENROLLED = 0, 0, 1, 2
# Trials of fewer people than this are not believed: such figures count something else.
_FEWEST: Final = 4
_FEWEST_ENROLLED: Final = 10

_AT_RANDOM: Final = r"(?:at random|randomly|by randomi[sz]ation|on a random basis)"
_SORTED: Final = r"(?:assigned|allocated|divided|distributed|grouped|separated|placed|split|classified|categori[sz]ed)"
_RANDOMISED: Final = (
    rf"(?:randomi[sz]ed|randomi[sz]ation|random (?:assignment|allocation)|randomly (?:(?:selected"
    rf"|chosen) )?(?:and (?:\w+ )?)?{_SORTED}"
    rf"|(?:(?:equally|evenly) )?{_SORTED} (?:equally |evenly )?{_AT_RANDOM}"
    rf"|{_SORTED} (?:in|to|into)[^.;,]{{1,40}}? by (?:[\w-]+ )?randomi[sz]ation)"
)
_CHAIN: Final = (
    r"(?:(?:then|subsequently|initially|equally|prospectively|therefore|finally|successfully|also|each|centrally)"
    r" (?:and )?|(?:enrolled|included|recruited|entered|accrued|registered|selected|eligible|consented|stratified)"
    r"(?: in(?:to)? (?:the|this) (?:study|trial))?,? and (?:were |was )?(?:then )?"
    r"){0,3}"
)
_FROM: Final = r"(?:(?:identified|recruited|enrolled|selected) from [^.;,]{1,80}? and (?:were )?(?:then )?)?"
_PASSIVE: Final = rx(rf"\b{WERE} {_FROM}{_CHAIN}(?P<done>{_RANDOMISED})\b")
_PARTICIPLE: Final = rx(
    r"(?<= )(?P<done>randomi[sz]ed|randomly (?:assigned|allocated))(?= (?:to|into|between|in a|and)\b)"
)
_ACTIVE: Final = rx(
    rf"\b(?:(?:we|authors|investigators|trial|study|hospitals|cent(?:re|er)s|sites"
    rf"|program) (?:then )?(?:enrolled and )?(?:randomi[sz]ed|randomly (?:assigned|allocated))"
    rf"|(?:were|was) randomi[sz]ed(?=,? (?:a total of )?\d)|^randomi[sz]ed) (?:a total of )?{GROUP}"
)
# `a randomised trial (RCT; n = 160)`, `a randomised trial of a series of patients (n = 96)`.
_TRIAL_OF_N: Final = rx(
    r"\brandomi[sz]ed,? (?:[\w-]+,? ){0,5}(?:trial|study)\b(?: [(\[]|[^.;()]{2,120}? [(\[])(?:RCT[;,] ?)?n ?= ?"
    rf"(?P<n>{COUNT}) ?[)\]]"
)
_ATTRIBUTE: Final = rx(
    rf"\b(?:of|among|all|the|total of) (?:the )?(?P<n>{COUNT}) (?:(?:\w+ ){{0,2}}randomi[sz]ed (?:\w+ ){{0,2}}{PEOPLE}"
    rf"|{ADJECTIVES}{PEOPLE} (?:who were )?randomi[sz]ed)\b"
)
_BOTH: Final = rx(
    rf"\b(?:enrolled|recruited|included) (?:a total of )?{GROUP}[^.;]{{0,160}}?\band (?:were )?(?:then )?"
    r"(?:randomi[sz]ed|randomly (?:assigned|allocated))"
)
# `Randomisation of 160 participants allocated 79 to the one`, `were randomized (N = 96) to`.
_NOUN: Final = rx(rf"\b(?:randomi[sz]ation|random (?:assignment|allocation)) of (?:a total of )?{GROUP}")
_BEHIND: Final = rx(
    rf"\b{PEOPLE}\b[^.;]{{0,120}}?\b{WERE} {_CHAIN}{_RANDOMISED} ?[(\[] ?n ?= ?(?P<n>{COUNT}) ?[)\]](?! (?:or|and"
    rf"|versus) )"
)
_N: Final = rx(r"[(\[] ?n ?=")
_BRACKETED: Final = rx(
    rf"\b{PEOPLE}\b[^.;]{{0,120}}?[(\[] ?n ?= ?(?P<n>{COUNT}) ?[)\]][^.;]{{0,160}}?"
    rf"\b{WERE} {_CHAIN}(?P<done>{_RANDOMISED})\b"
)
_TRIAL_OF: Final = rx(
    r"\b(?:randomi[sz]ed|randomi[sz]ation)\b(?:[ ,-]+[\w/-]+){0,6}? (?:trial|study)\b(?: was| were| is)?"
    r"(?: (?:conducted|performed|carried out|done|undertaken))?"
    rf" (?:of|in|with|involving|including|on|among|included|enrolled|recruited|randomi[sz]ed) (?:a total of )?{GROUP}"
)
_DIVIDES: Final = rx(rf"\b{_RANDOMISED} (?:to|into|in|either)\b")
_CHINESE: Final = (
    (re.compile(r"(?:将|选取|纳入)?[^。,;\d]{0,8}?(?P<n>\d{1,6}) ?例[^。,;]{0,20}?随机(?:入组|分|分配)"), _TOTAL),
    (re.compile(r"(?P<n>\d{1,6}) ?例[^。;]{0,30}?,?[^。;,]{0,10}?随机[^。;]{0,12}?分(?:为|成)"), _LOOSE),
)

_BEFORE: Final = rx(
    r"\b(?:first|last|additional|remaining|other|another|every|each|next|least|than|approximately|about|around|over"
    r"|nearly|almost|stages?|grades?|phase|type|aged?|days?|weeks?|months?|years?|study|trial|protocol|level|groups?"
    r"|arms?|cohorts?|number|no\.|visit|up to|chapter|version|only|further|extra|and|or|to|versus|vs\.?"
    r"|of whom|of which"
    r"|of these,?|whom|with|plus) $|[~<>=≥≤±] ?$"
)
_STILL_TOTAL: Final = rx(r"(?:\bwith|\band|\bof whom|\bof these,?) $")
_DATED: Final = rx(r"(?:\b(?:in|since|until|before|after|of|early|late|" + "|".join(MONTHS) + r")|,) ?$")
_PERSON: Final = rx(rf"\b{PEOPLE}\b|例")
_ADDED_ARM: Final = rx(
    rf"(?:,|;|\band|\bwhile|\bwhereas|\bversus|\bvs\.?|\bor)\s+(?:the )?(?:other |remaining )?{COUNT}(?: {PEOPLE})?"
    r"(?: were| was)?(?: randomly)?(?: \w+ed)? ?(?:to|in|into|receiv\w+|serv\w+|as|on|with|controls?|placebo)\b"
)
_CHOICE: Final = rx(
    r"\b(?:or|versus|vs|either|between|among|groups|arms|one of|ratio|\d ?: ?\d|treatments|regimens"
    r"|(?:two|three|four)(?! (?:\w+ )?(?:cycles?|courses|weeks|months|years|days|hours|doses|times|sessions))"
    r"|conditions|strateg\w+|different|1:1)\b|:|[(\[] ?n ?=|[(]1[)]|\b(?:group|arm)\b[^.;]{0,25}\band\b[^.;]{0,40}"
    r"\b(?:groups?|arm|controls?)\b|\b(?:group|arm) \w+ and (?:group|arm)?"
)
_IN_ARM: Final = rx(
    rf"^[^.;]{{0,80}}\b(?:in|to|into) (?:the )?[^.;,]{{0,40}}\b(?:group|arm)\b[^.;]{{0,20}}\band {COUNT}\b"
    rf"|^[^;.]{{0,80}}\b(?:to|in) [^;.]{{0,60}}\band {COUNT} (?:{PEOPLE} )?(?:were )?(?:to|in)\b"
)
_TO_ONE: Final = rx(r"^ ?(?:to|into|in the|for|on)\b")
_SECOND: Final = rx(
    r"\bre-?randomi[sz]|\bsecond(?:ary)? randomi|\bfirst \d+\b|\bpreviously randomi"
    r"|\b(?:in|for|of) each (?:part|study|trial|cohort|stage|period)\b"
)
_PLANNED: Final = rx(
    r"\b(?:will|would|shall|should|planned|plan|aim(?:s|ed)?|intend\w*|expected|needed|required|target(?:ed)?"
    r"|can|could|are"
    r" (?:being )?(?:to be|randomi|randomly)|to be|goal|sample size|power)\b"
)
# `31 patients (52%) randomised to drug therapy` are a part of the people.
_SHARE: Final = rx(rf" (?:of the |of these )?(?:[\w-]+ ){{0,2}}{PEOPLE} ?\(\d{{1,2}}(?:\.\d+)? ?%\)(?! (?:fe)?male)")
_OF_ANALYSIS: Final = rx(r"\bevaluable|\banaly[sz]|\bcomplet|\bavailable|\bassess|\bfollow|\bextension|\bsub-?")
_OF_EACH: Final = rx(r"[^.;,()]{0,40}\b(?:per|in each|for each|to each|each) (?:treatment |study )?(?:arm|group)\b")
_OF_TRIAL: Final = rx(
    r"\brandomi[sz]ed\b|\brandomly (?:assigned|allocated|divided)|\brandomi[sz]ation\b|\brandom(?:ly)? assign"
)
_NO_ENROLMENT: Final = rx(
    r"\bsub-?(?:study|group|set|sample|analysis)|\bpost[- ]hoc|\bretrospective|\bsecondary analysis"
    r"|\bpooled\b|\bcohort study\b|\bcase-control|\bregist(?:er|ry) (?:data|study)|\bmeta-analys"
)
# `40 males and 40 females`, `a median age of 70`: none of them is the total.
_PAIR: Final = rx(rf"{COUNT}(?: \w+)? (?:and|versus|vs\.?) $|\b(?:age|ages|mean|median|average|score) of $")


def randomised_answer(document: Document) -> Answer:
    """The total randomised. Where clusters were randomised, only a number of people counts."""
    has_clusters = agreed("unit_of_allocation", find(document, UNITS)).value == "cluster"
    hits = [hit for hit in _randomised_hits(document) if not has_clusters or _PERSON.search(hit.sentence.text)]
    if hits and all(hit.rank == _ENROLLED for hit in hits):
        hits = _enrolled(document, hits)
    if not hits:
        return agreed(FIELD, [])
    best = [hit for hit in hits if hit.rank == min(one.rank for one in hits)]
    values = Counter(int(str(hit.value)) for hit in best)
    if len(values) == 1:
        return unclear(FIELD, best[0]) if _is_contradicted(document, best[0], hits) else reported(FIELD, best[0])
    largest = max(values)
    if len(values) > 2 and largest * 2 == sum(values):  # the total and its arms
        return reported(FIELD, next(hit for hit in best if hit.value == largest))
    return unclear(FIELD, best[0])


def _is_contradicted(document: Document, best: Hit, hits: list[Hit]) -> bool:
    """Whether the arms that another sentence gives are more people together, or it says that more were randomised."""
    total = int(str(best.value))
    is_enrolled = best.rank == _ENROLLED
    others = list(_randomised_hits(document)) if is_enrolled else [hit for hit in hits if hit.rank == _LOOSE]
    if any(int(str(hit.value)) > total for hit in others if not hit.sentence.is_row):
        return True
    return any(arms > total for arms in _arms_divided(document))


def _arms_divided(document: Document) -> Iterator[int]:
    """The people of all arms together, from each sentence that randomises people to arms with their sizes."""
    for sentence in prose(document, frozenset({"abstract", "methods", "results", "body"})):
        found = _DIVIDES.search(sentence.text)
        if found and not _PLANNED.search(sentence.text) and not _SECOND.search(sentence.text):
            yield from sums_of_arms(sentence.text[found.end() :])


def _randomised_hits(document: Document) -> Iterator[Hit]:
    for sentence in prose(document, _PARTS):
        if _SECOND.search(sentence.text):
            continue
        yield from _randomised_in_chinese(sentence)
        yield from _randomised_in_sentence(sentence)


def _randomised_in_chinese(sentence: Sentence) -> Iterator[Hit]:
    for pattern, rank in _CHINESE:
        for found in pattern.finditer(sentence.text):
            yield Hit(value=int(found["n"]), sentence=sentence, start=found.start("n"), end=found.end("n"), rank=rank)


def _randomised_in_sentence(sentence: Sentence) -> Iterator[Hit]:
    text = without_brackets(sentence.text)
    for found in (*_PASSIVE.finditer(text), *_PARTICIPLE.finditer(text)):
        subject = _subject(text, found.start())
        if subject is not None:
            yield from _judged(sentence, text, subject, found.end())
    for found in (one for pattern in (_ACTIVE, _BOTH, _TRIAL_OF, _NOUN) for one in pattern.finditer(text)):
        yield from _randomised_count(sentence, found, _TOTAL)
    for found in _ATTRIBUTE.finditer(text):
        yield from _judged(sentence, text, found, found.end())
    yield from _bracketed(sentence, text)
    for found in ENROLLED_PASSIVE.finditer(text):
        subject = _subject(text, found.start())
        if subject is not None and (
            not found["done"].endswith(SORTED_ENDS) or _CHOICE.search(sentence.text[found.end() :])
        ):
            yield from _randomised_count(sentence, subject, _ENROLLED)
    for found in (one for pattern in ENROLLED for one in pattern.finditer(text)):
        yield from _randomised_count(sentence, found, _ENROLLED)
    for found in (*TREATED.finditer(text), *OF_SUM.finditer(text)):
        if adds_up(sentence.text, found) and not _OF_ANALYSIS.search(sentence.text):
            yield from _randomised_count(sentence, found, _ENROLLED)


def _bracketed(sentence: Sentence, text: str) -> Iterator[Hit]:
    """The counts that stand as `n =` in brackets."""
    if not _N.search(sentence.text):
        return
    if "random" in sentence.text.casefold():
        for found in (*_BRACKETED.finditer(sentence.text), *_BEHIND.finditer(sentence.text)):
            yield from _judged(sentence, text, found, found.end())
    for found in (*ENROLLED_IN_BRACKETS.finditer(sentence.text), *_TRIAL_OF_N.finditer(sentence.text)):
        yield from _randomised_count(sentence, found, _ENROLLED)


_SUBJECT: Final = rx(rf"(?P<n>{COUNT})(?= |$)")
_BREAK: Final = rx(r"[;:]|\b(?:were|was|while|whereas|although|because|received|completed)\b|, and\b|\. ")
# `420 women who were having hot flashes were randomised`: the verb of a relative clause has no count of its own.
# `322 BCS were randomized`: people by a short form of what they are.
_SHORT_FORM: Final = re.compile(r"(?: [A-Z]{2,6}s?){1,2} ")
_RELATIVE: Final = rx(r"\b(?:who|that|whose) (?:had |have |were |was |had been )?[\w-]+")
_SAMPLE_OF: Final = rx(rf"^(?: {ADJECTIVES}{PEOPLE})? *(?:(?:from|out of|of|from among)(?: (?!and\b)\w+){{0,4}}|/) ?$")
_HEAD: Final = rx(
    r"^ *(?:of the |of these |/ ?\d+ )?(?:(?!(?:months?|weeks?|years?|days?|hours?|minutes?|groups?|arms?|cycles?|times"
    rf"|cent(?:er|re)s?|sites?|hospitals?|from|in|at|after)\b)[\w'/≥≤<>=.-]+,? +){{0,10}}?{PEOPLE}\b"
)


def _subject(text: str, verb: int) -> re.Match[str] | None:
    """The count whose people a verb speaks of: the last one before it, with people behind it and no other verb."""
    start = max(0, verb - _REACH)
    for found in reversed(list(_SUBJECT.finditer(text, start, verb))):
        between = text[found.end() : verb]
        if _BREAK.search(_RELATIVE.sub("", between)):
            return None
        if (
            _HEAD.search(between)
            or _SHORT_FORM.fullmatch(between)
            or (not between.strip() and text[verb : verb + 3] != "who" and _PERSON.search(text))
        ):
            return _whole_before_part(text, start, found)
    return None


def _whole_before_part(text: str, start: int, part: re.Match[str]) -> re.Match[str]:
    """The count before `of 109 patients` or `from a sample of 109 patients`, where there is one; else the count."""
    for found in reversed(list(_SUBJECT.finditer(text, start, part.start()))):
        if _SAMPLE_OF.search(text[found.end() : part.start()]):
            return found
    return part


def _judged(sentence: Sentence, text: str, subject: re.Match[str], after: int) -> Iterator[Hit]:
    """The hit of a count that was randomised, unless it is an arm."""
    if adds_up(sentence.text, subject):
        yield from _randomised_count(sentence, subject, _TOTAL)
        return
    rest, original = text[after:], sentence.text[after:]
    is_to = _TO_ONE.search(rest) is not None
    if _PAIR.search(text[: subject.start("n")]) or (is_to and _ADDED_ARM.search(rest)):
        return
    # `992 patients were randomised to receive radiotherapy and 917 had values` gives an arm, unless a choice follows.
    if is_to and _CHOICE.search(_first_clause(original)) is None:
        return
    yield from _randomised_count(sentence, subject, _TOTAL)


def _first_clause(text: str) -> str:
    """What follows a verb, up to the next verb that has a subject of its own."""
    end = re.search(r"; |, (?:of|with|while|whereas) |\band \d+ (?:\([^()]*\) )?(?:had|were|was|completed)\b", text)
    return text[: end.start()] if end else text


def _randomised_count(sentence: Sentence, found: re.Match[str], rank: int) -> Iterator[Hit]:
    """The hit of a count, if nothing about it says that it counts something else."""
    value = printed_count(found["n"])
    if value is None or value < _FEWEST:
        return
    is_sum = adds_up(sentence.text, found)
    before = sentence.text[max(0, found.start("n") - 40) : found.start("n")]
    is_bracketed = re.search(r"[(\[] ?n ?= ?$", before, re.IGNORECASE) is not None
    if _PAIR.search(before) and not is_sum:
        return
    if _BEFORE.search(before) and not (is_sum or is_bracketed or _STILL_TOTAL.search(before)):
        return
    if re.fullmatch(r"(?:19|20)\d\d", found["n"]) and _DATED.search(before):
        return
    if _SHARE.match(sentence.text[found.end("n") :]) or _OF_EACH.match(sentence.text[found.end("n") :]):
        return
    if _PLANNED.search(sentence.text[max(0, found.start("n") - 80) : found.end() + 60]):
        return
    if (
        rank == _ENROLLED
        and not is_sum
        and (value < _FEWEST_ENROLLED or _IN_ARM.search(sentence.text[found.end("n") :]))
    ):
        return
    if rank == _TOTAL and re.search(rf"\b{CLUSTERS}\b", found[0]) and not _PERSON.search(found[0]):
        return
    yield Hit(
        value=value, sentence=sentence, start=found.start("n"), end=found.end("n"), rank=_SUMMED if is_sum else rank
    )


def _enrolled(document: Document, hits: list[Hit]) -> list[Hit]:
    """Those enrolled count as randomised where the abstract is of a randomised trial and names no other number."""
    own = [s for s in document.sentences if s.in_abstract or s.part == "body"]
    text = " ".join(sentence.text for sentence in (*document.front, *own))
    if not _OF_TRIAL.search(text) or _NO_ENROLMENT.search(text):
        return []
    return [hit for hit in hits if hit.sentence.in_abstract or hit.sentence.part == "body"]
