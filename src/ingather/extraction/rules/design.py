"""How the study was built: design, framework, unit, places and times."""

import re
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules import countries, sites
from ingather.extraction.rules.hits import STUDY, Hit, Pattern, agreed, find, first, not_reported, prose, rx, unclear
from ingather.extraction.rules.printed_numbers import (
    COUNT,
    DATE,
    SPAN,
    printed_count,
    printed_days,
    printed_decimal,
    printed_month,
    printed_span,
)
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.extraction.rules.sites import BESIDES, DONE, STAFF
from ingather.notice import notice

FIELDS: Final = frozenset(
    {
        "design", "framework", "unit_of_allocation", "n_clusters", "icc", "countries", "n_centres", "setting",
        "recruit_start", "recruit_end", "followup_planned",
    }
)  # fmt: skip

_RANDOM: Final = r"(?:randomi[sz]\w+|randomly|(?:allocated|assigned) (?:at random|to|in a))"
CLUSTERS: Final = (
    r"(?:clusters?|schools|villages|practices|wards|households|communities|clinics|hospitals|centres"
    r"|centers|districts|nursing homes)"
)
PEOPLE: Final = (
    r"(?:participants?|patients?|people|persons?|individuals?|adults?|children|women|men|subjects?|volunteers?"
    r"|infants?|girls|boys|pupils|students|nurses|residents|workers|families|cases|users|mothers|adolescents|females"
    r"|males|survivors|pts|neonates|newborns|smokers|veterans|inpatients|outpatients|respondents|athletes|couples)"
)

DESIGNS: Final = (
    Pattern(terms=rx(r"\bstepped[- ]wedge\b|阶梯(?:楔形|设计)"), value="stepped_wedge"),
    Pattern(terms=rx(r"\bcluster[- ](?:randomi[sz]ed )?cross-?over\b"), value="cluster_crossover"),
    Pattern(
        terms=rx(
            r"\bcluster[- ](?:randomi[sz]|controlled|trial)|\brandomi[sz]ed,? (?:\w+,? ){0,2}cluster\b"
            r"|\bgroup-randomi[sz]ed|整群随机"
        ),
        value="cluster",
        rank=1,
    ),
    Pattern(
        terms=rx(
            r"(?<!semi-)(?<!semi )\bcross-?over (?:(?!between|to|of|from|in|was|were|into)\w+ ){0,2}(?:trial"
            r"|study|design|experiment)|交叉(?:设计|试验)"
        ),
        value="crossover",
        rank=1,
    ),
    Pattern(
        terms=rx(
            r"\bfactorial,? (?:[\w-]+,? ){0,3}(?:design|trial|study|randomi)(?! (?:with )?(?:an )?(?:ANOVA|analys))"
            r"|析因设计"
        ),
        value="factorial",
        rank=1,
    ),
    Pattern(terms=rx(r"\bsplit-(?:mouth|body|face)\b|自身对照"), value="split_body", rank=1),
    Pattern(terms=rx(r"\b(?:adaptive )?platform trial\b"), value="adaptive_platform", rank=1),
    Pattern(
        terms=rx(
            r"\bparallel[- ](?:group|arm|design|randomi|controlled|trial|study|cluster)|平行(?:设计|对照"
            r"|组)"
        ),
        value="parallel",
        rank=2,
    ),
)
FRAMEWORKS: Final = (
    Pattern(terms=rx(r"\bnon-?inferiority (?:\w+ )?(?:trial|study|design|margin)|非劣效"), value="non_inferiority"),
    Pattern(terms=rx(r"\bequivalence (?:\w+ )?(?:trial|study|design|margin)|等效性"), value="equivalence"),
    Pattern(terms=rx(r"\bsuperiority (?:\w+ )?(?:trial|study|design|analysis)|优效性"), value="superiority"),
    Pattern(
        terms=rx(
            r"\b(?:this|the present|the current) (?:[\w-]+,? ){0,6}(?:feasibility|exploratory) (?:\w+ ){0,3}"
            r"(?:trial|study)\b(?! guid)|\b(?:this|the present study|our study) (?:is|was) an? (?:[\w-]+,? ){0,4}"
            r"(?:feasibility|exploratory)\b"
        ),
        value="exploratory",
        rank=1,
    ),
)
UNITS: Final = (
    Pattern(
        terms=rx(r"\bunit of (?:randomi[sz]ation|allocation) was the (?!patient|participant|individual)\w+"),
        value="cluster",
    ),
    Pattern(terms=rx(r"\bcluster[- ]randomi[sz]|整群随机"), value="cluster"),
    Pattern(terms=rx(rf"\b{CLUSTERS} were (?:randomly )?(?:randomi[sz]ed|allocated|assigned)\b"), value="cluster"),
    Pattern(
        terms=rx(
            rf"\b{PEOPLE}\b[^.;]{{0,60}}? (?:were|was|underwent) (?:\w+ )?{_RANDOM}\b(?! (?:select|sampl|chosen"
            rf"|drawn))|患者[^。,]{{0,12}}(?:随机)?分为"
        ),
        value="individual",
        rank=1,
    ),
)
_FIXED: Final = (
    Pattern(
        terms=rx(
            rf"({COUNT}) (?:\w+ )?{CLUSTERS} were (?:randomly )?(?:randomi[sz]ed|allocated"
            rf"|assigned)(?! (?:in)?to the\b)"
        ),
        value=lambda m: printed_count(m[1]),
    ),
)
_ICC: Final = (
    Pattern(
        terms=rx(
            r"intra-?(?:cluster|class) correlation(?: coefficient)?(?: \(ICC\))?(?: of| was|:"
            r"| =) (0?\.\d{1,4})"
        ),
        value=lambda m: printed_decimal(m[1]),
    ),
)
# `(SAS Institute, Cary, NC, USA)`: the country of a maker, within brackets and after a comma.
_MAKER: Final = re.compile(r"\([^()]{1,200}, ?$")
# A country is where it was done if `in` or `across` stands before it, or the name of a place.
_WITHIN: Final = rx(
    r"\b(?:in|at|from|across|throughout|of)\b[^.;()]{0,90}$|[(,/] ?(?:[A-Z][\w.'-]+,? ?){0,4}(?:and )?$|在[^。]{0,30}$"
    r"|^[^.]{0,20}$"
)
_RANGE: Final = rx(
    rf"\b(?:between|from|in) ({DATE}) ?(?:and|to|until|till|through|-|~) ?({DATE})|({DATE}) ?(?:至|到|-|~) ?({DATE})"
)
_ENTRY: Final = rx(
    r"\brecruit|\benrol|\brandomi[sz]|\bconducted|\bcarried out|\btook place|\bran\b|\binvited|\bincluded|\badmitted"
    r"|\bworked|\bpatients|\bparticipants|开展|选取|收治|纳入|就诊|招募|入组"
)
# Where people of several countries took part, the ones that a sentence names may not be all.
_OF_MANY: Final = rx(
    r"\b(?:international|multinational|worldwide|global(?:ly)?|\w+ (?:countries|continents)|europe(?:an)?|north america"
    r"|latin america|asian?|africa)\b"
)
# The years of a model, and those of a whole study that followed people for years, are not when they entered it.
_PROJECTED: Final = rx(
    r"\bmodel(?:s|l?ed|l?ing)?\b|\bsimulat|\bproject(?:ed|ions?)\b|\bhorizon|\bforecast|\bextrapolat|\bexpected to\b"
)
_TAKEN_IN: Final = rx(
    r"\brecruit|\benrol|\brandomi[sz]ed (?:between|from|in)\b|\binvited|\bincluded|\badmitted"
    r"|选取|收治|纳入|就诊|招募|入组"
)
# People of whom a sentence says that they came between two dates; a study that was done between them may end later.
_ENTERED: Final = rx(
    rf"{_TAKEN_IN.pattern}|\b(?:screened|presenting|presented|attending|attended|treated|underwent|undergoing|diagnosed"
    r"|admitted|hospitali[sz]ed|visited|visiting|referred|selected|assigned|randomi[sz]\w*|registered|consented"
    r"|accru\w+|entered|enlisted|approached|scheduled)\b"
)
_OF_ALL_THE_STUDY: Final = notice(
    "rules.period_of_study", "The text says when the study was done, and not when the last person entered it."
)
_YEARS_LONG: Final = rx(rf"\b{COUNT}[- ]years?\b|\bfollow(?:ed)?[- ]?up\b|\bfollowed\b|随访")
_LONG: Final = 365  # days: people who are followed for longer left the study long after the last one entered it
# What several trials have in common is said of none of them alone.
_POOLED: Final = rx(
    r"\bpooled (?:\w+ )?analys[ei]s\b|\b(?:data|results) (?:were|was) pooled\b|\bintegrated analysis of\b"
    r"|\bindividual (?:patient|participant) data (?:from|of)\b"
)
_OF_TRIALS: Final = rx(
    r"\b(?:identified|included|eligible|these|those|all|most|pooled) (?:of )?(?:the )?(?:\w+ ){0,2}(?:trials|studies)\b"
    r"|\b(?:all|most|each) of (?:the|these) (?:\w+ ){0,2}(?:trials|studies)\b"
)
# A pilot that came before the trial had its own design and its own places.
_PILOT: Final = rx(r"\bpilot(?:ed|ing)?\b|预试验|预实验")
_THIS_PILOT: Final = rx(r"\b(?:this|the present|the current) (?:[\w-]+,? ){0,6}pilot\b")
# A time behind or before the word, in characters: a longer way leads to times of something else.
_BESIDE_FOLLOW_UP: Final = rx(
    rf"\bfollow(?:ed|-?up|ed up)\b[^.;]{{0,40}}?\b(?P<after>{SPAN})|\b(?P<before>{SPAN})[^.;]{{0,25}}?\bfollow-?ups?\b"
)
_AVERAGE: Final = rx(r"\b(?:mean|median|average)\b|平均随访|中位随访")
# `a follow-up of 2 weeks and 3 months` gives two times, and none of them is the length.
_ANOTHER_SPAN: Final = rx(rf",? (?:and|or|to|,) (?:at )?{SPAN}")
_FOLLOWED: Final = (
    Pattern(
        terms=rx(rf"(?<!had )\bfollow(?:ed(?! by)|-up|ed up)[^.;]{{0,30}}? (?:for|of|lasted) ({SPAN})"),
        value=lambda m: None if _ANOTHER_SPAN.match(m.string, m.end()) else printed_span(m[1]),
    ),
    Pattern(terms=rx(rf"随访(?:时间)?(?:为|至)? ?({SPAN})"), value=lambda m: printed_span(m[1])),
    Pattern(
        terms=rx(
            rf"\b(?:at|after|within|over|to) (?:the )?({SPAN})|\b(?:at|in) (week|month|day|year) (\d{{1,3}})\b"
            rf"|第 ?({SPAN})"
        ),
        value=lambda m: printed_span(m[1] or m[4] or f"{m[3]} {m[2]}"),
        rank=1,
        beside=rx(r"\bprimary (?:outcome|end ?-?point)|主要结局"),
    ),
)


def design_answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    unit = _design_of_one_trial(document, "unit_of_allocation", UNITS)
    clusters = agreed("n_clusters", find(document, _FIXED))
    if unit.value == "individual" and clusters.state is State.NOT_REPORTED:
        clusters = Answer(field="n_clusters", state=State.NOT_APPLICABLE)
    followup = _followup(document)
    is_long = isinstance(followup.value, str) and printed_days(followup.value) >= _LONG
    start, end = _period_of_design(document, is_long=is_long)
    return {
        "design": _design_of_one_trial(document, "design", DESIGNS),  # the most special one that is named
        "framework": agreed("framework", find(document, FRAMEWORKS)),
        "unit_of_allocation": unit,
        "n_clusters": clusters,
        "icc": agreed("icc", find(document, _ICC)),
        "countries": _countries(document),
        "n_centres": not_reported("n_centres")
        if unit.value == "cluster"
        else agreed("n_centres", sites.sites_as_centres(document)),
        "setting": _setting(document),
        "recruit_start": start,
        "recruit_end": end,
        "followup_planned": followup,
    }


def _design_of_one_trial(document: Document, field: str, patterns: tuple[Pattern, ...]) -> Answer:
    """What is said of the trial that the paper reports. A paper that pools several has no such trial."""
    hits = find(document, patterns)
    own = [
        hit
        for hit in hits
        if not _OF_TRIALS.search(hit.sentence.text) and not _is_of_earlier_pilot(hit.sentence, document)
    ]
    opening = (
        one
        for one in (*document.front, *document.sentences)
        if one.part == "front" or (one.in_abstract and one.part in STUDY)
    )
    if hits and (not own or any(_POOLED.search(one.text) for one in opening)):
        return unclear(field, hits[0])
    return agreed(field, own)


def _is_of_earlier_pilot(sentence: Sentence, document: Document) -> bool:
    """Whether a sentence speaks of a pilot, and the trial is not said to be one on its front or in its abstract."""
    if not _PILOT.search(sentence.text) or _THIS_PILOT.search(sentence.text):
        return False
    return not any(
        _PILOT.search(one.text)
        for one in (*document.front, *document.sentences)
        if one.part == "front" or one.in_abstract
    )


def _setting(document: Document) -> Answer:
    """The first place that is named; open where only a pilot's is."""
    hits = sites.settings_of_sites(document)
    own = [hit for hit in hits if not _is_of_earlier_pilot(hit.sentence, document)]
    return unclear("setting", hits[0]) if hits and not own else first("setting", own)


def _countries(document: Document) -> Answer:
    """Countries named where the paper says where it was done; never those of addresses."""
    names: dict[str, Hit] = {}
    for sentence in prose(document, STUDY - {"results", "conclusions", "aim"}):
        if not DONE.search(sentence.text) or BESIDES.search(sentence.text) or STAFF.search(sentence.text):
            continue
        for found in countries.NAME.finditer(sentence.text):
            if not _WITHIN.search(sentence.text[: found.start()]) or _MAKER.search(sentence.text[: found.start()]):
                continue
            if countries.country_of_state(found[0]) in {countries.country_of_state(name) for name in names}:
                continue
            names.setdefault(found[0], Hit(value=found[0], sentence=sentence, start=found.start(), end=found.end()))
    if not names:
        return not_reported("countries")
    # A country that the abstract names, and that is none of these, may be one where people were recruited, too.
    stated = {found[0] for one in prose(document) if one.in_abstract for found in countries.NAME.finditer(one.text)}
    if {countries.country_of_state(name) for name in stated} - {countries.country_of_state(name) for name in names}:
        return unclear("countries", next(iter(names.values())))
    if any(
        _OF_MANY.search(sentence.text) for sentence in prose(document, STUDY - {"aim"}) if DONE.search(sentence.text)
    ):
        return unclear("countries", next(iter(names.values())))
    quote, page = max(
        ((hit.quote, hit.sentence.page) for hit in names.values()), key=lambda it: sum(n in it[0] for n in names)
    )
    return Answer(
        field="countries", state=State.REPORTED, value=[name for name in names if name in quote], quote=quote, page=page
    )


def _is_entry_of_design(text: str, *, is_long: bool) -> bool:
    """Whether a sentence with a period says when people entered the study, and not when all of it was done."""
    if not _ENTRY.search(text) or _PROJECTED.search(text) or re.search(r"\bextension\b", text):
        return False
    return _TAKEN_IN.search(text) is not None or not (is_long or _YEARS_LONG.search(text))


def _period_of_design(document: Document, *, is_long: bool) -> tuple[Answer, Answer]:
    """When people entered the study. `is_long`: they were followed for years."""
    starts, ends = [], []
    for sentence in prose(document, STUDY - {"conclusions"}):
        if not _is_entry_of_design(sentence.text, is_long=is_long):
            continue
        for found in _RANGE.finditer(sentence.text):
            first_month, last_month = printed_month(found[1] or found[3]), printed_month(found[2] or found[4])
            if first_month and last_month and first_month <= last_month:
                starts.append(Hit(value=first_month, sentence=sentence, start=found.start(), end=found.end()))
                ends.append(Hit(value=last_month, sentence=sentence, start=found.start(), end=found.end()))
    end = agreed("recruit_end", ends)
    if end.state is State.REPORTED and not any(_ENTERED.search(hit.sentence.text) for hit in ends):
        end = Answer(field="recruit_end", state=State.UNCLEAR, quote=end.quote, page=end.page, note=_OF_ALL_THE_STUDY)
    return agreed("recruit_start", starts), end


def _followup(document: Document) -> Answer:
    """The time that abstract and methods agree on. Within one sentence the longest counts."""
    longest: dict[tuple[int, int], Hit] = {}
    for hit in find(document, _FOLLOWED):
        sentence = hit.sentence
        is_plan = sentence.in_abstract or sentence.part in {"methods", "body"}
        if not isinstance(hit.value, str) or not is_plan or _AVERAGE.search(sentence.text):
            continue
        place = (sentence.page, sentence.places[0])
        known = longest.get(place)
        if known is None or (hit.rank, -printed_days(hit.value)) < (known.rank, -printed_days(str(known.value))):
            longest[place] = hit
    answer = agreed("followup_planned", longest.values())
    best = min((hit.rank for hit in longest.values()), default=0)
    # The time of the primary outcome is the whole follow-up only where no longer one is spoken of.
    if best > 0 and isinstance(answer.value, str) and _longest_follow_up(document) > printed_days(answer.value):
        return unclear("followup_planned", next(hit for hit in longest.values() if hit.rank == best))
    return answer


def _longest_follow_up(document: Document) -> float:
    """The longest time, in days, that stands beside the word follow-up."""
    spans = (
        printed_span(found["after"] or found["before"])
        for sentence in prose(document)
        for found in _BESIDE_FOLLOW_UP.finditer(sentence.text)
    )
    return max((printed_days(one) for one in spans if one is not None), default=0)
