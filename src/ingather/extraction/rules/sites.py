"""Where a study was: what kind of place, and how many of them."""

import re
from typing import Final

from ingather.extraction.rules.hits import STUDY, Hit, Pattern, find, prose, rx
from ingather.extraction.rules.printed_numbers import COUNT, printed_count
from ingather.extraction.rules.sentences import Document

_SITE: Final = (
    r"(?:hospitals?|clinics?|cent(?:re|er)s?|sites?|practices?|departments?|units?|institutions?"
    r"|pharmacies|nursing homes?)"
)


def _sites(found: re.Match[str]) -> int | None:
    """How many sites: one of them in the singular and close by, several in the plural."""
    number = printed_count(found[1])
    between = len(found[0].split()) - 2
    is_plural = found[0].endswith("s")
    return number if number is not None and (is_plural if number > 1 else not is_plural and between <= 4) else None


_CENTRES: Final = (
    Pattern(
        terms=rx(
            rf"(?:\b(?:at|in|from|across|of) |^)({COUNT}) (?:(?!of\b|to\b|and\b|in\b"
            rf"|patient|weeks|months|years|days|hours)[\w-]+ ){{0,4}}?{_SITE}\b(?! (?:were|was|had)\b)"
            rf"(?! per\b|(?:,| and) (?:an? |one |two |three |{COUNT} )(?:[\w-]+ ){{0,3}}?{_SITE})"
        ),
        value=_sites,
    ),
    Pattern(terms=rx(r"\bsingle[- ](?:cent(?:re|er)|site)\b|单中心"), value=1),
    Pattern(terms=rx(r"\bin one (?:hospital|cent(?:re|er)|clinic)\b"), value=1, parts=STUDY | {"discussion"}),
    Pattern(
        terms=rx(r"(?:在|于|由)(?:中国|全国|我国)?[^。,]{0,8}?(\d{1,3}) ?(?:家|所|个)[^。,]{0,8}?(?:医院|中心|机构)"),
        value=lambda m: printed_count(m[1]),
    ),
)
_PLACE: Final = rx(
    rf"\b(?:at|in|from"
    rf"|(?<!University )(?<!Hospital )(?<!Center )(?<!Centre )(?<!College )(?<!School )(?<!Department )of) "
    rf"(?P<place>(?:the |an? |{COUNT} )?(?:(?!of\b|to\b|and\b|in\b|at\b|patients?\b"
    rf"|an?\b"
    r"|each\b|respective\b|these\b|those\b|same\b|other\b|participating\b|all\b|both\b|different\b|our\b|by\b"
    r")[\w'-]+ ){0,5}?"
    r"(?:hospitals?|clinics?|centres?|centers?|practices?|departments?|schools|nursing homes?|towns|communities"
    r"|villages))\b(?! (?:study|cohort|trial))"
    r"|(?:在|于|某)(?:中国)?(?P<zh>[^。,、的]{0,10}?(?:医院|卫生服务中心|诊所|社区))"
)
# A number of places, or a bare one, says nothing about what kind of place it is.
_NO_SETTING: Final = rx(
    rf"(?:(?:the|an?|{COUNT}|single|several|different|various|study|participating|local|international|referent"
    rf"|intervention|call|participating"
    rf"|selected|Italian|German|French|Dutch|Danish|Chinese|Japanese|European|American|Canadian|British"
    rf"|trial) ){{0,3}}(?:cent(?:er|re)s?"
    r"|clinics?|sites?|departments?|practices?|hospitals?|communit(?:y|ies)|villages|towns)"
)
# The rest of a name, and the town and country behind it: `Clinic | of the First Hospital, Town, Country`.
_NAMED: Final = r"[A-Z][\w.'\u2019-]*(?: (?:(?:of|and|for|the|de|du|di) ){0,2}[A-Z][\w.'\u2019-]*){0,8}"
_REST_OF_PLACE: Final = re.compile(
    rf"(?: {_NAMED})?(?: of Excellence for {_NAMED})?(?:,? (?:of|at|in) (?:the )?(?:(?:city|town|province"
    rf"|region|district|county|state) of )?{_NAMED}){{0,2}}"
    rf"(?:,(?: in)? {_NAMED}(?: (?:region|district|province|county|state))?){{0,3}}"
)
# One of two places, or a fragment of one, is not where the study was.
_OF_SEVERAL: Final = re.compile(
    r"^(?:or|and|visited) |^[^.;]{0,90}?(?:ospital|entre|enter|linic)s?(?: \([^()]*\))?,?(?: and|,) (?:the "
    r"|at )?(?:[A-Z][\w'-]+ ){1,6}"
    r"(?:Hospital|Clinic|Cent(?:re|er)|University|Institute)"
)
# These stand right before a place: the study was done there, or people were taken in.
_DONE_AT: Final = rx(
    r"\b(?:(?:study|trial|research|experiment|investigation|it|which)\b[^.;,]{0,60}?\b(?:conducted|carried out"
    r"|performed|done"
    r"|undertaken|took place|set|implemented|run|based)|(?:patients|participants|subjects|women|men|children|people"
    r"|adults"
    r"|volunteers|infants|individuals|residents)\b[^.;]{0,120}?\b(?:recruited|enrolled|enlisted|admitted"
    r"|(?<!are )referred"
    r"|attending"
    r"|seen|treated|hospitali[sz]ed)|we (?:recruited|enrolled|conducted|performed|carried out)\b)[^.;]{0,60}?"
    r" (?:at|in|from|of|to) $|\b(?:trial|study|adjudication)\b(?! (?:drug|group|medication|visit|staff"
    r"|personnel))[^.;,]{0,40} (?:at|in) $"
    r"|\b(?:invited|listed|eligible)\b[^.;]{0,60} (?:at|in|from) $|开展|进行|选取|收治"
)
# A sentence that stands under a heading of setting and names no place.
_NO_PLACE: Final = rx(
    r"\b(?:was|were) (?:recorded|collected|measured|defined)\b|^and |^(?:patients|participants|women|men"
    r"|adults|children) were (?:\w+ )?(?:un|not|eligible|aged|random)"
)
# Places of the people who ran the study rather than of those who took part.
_OFFICE: Final = rx(
    r"\b(?:good clinical|about \d|approximately|coordinat|statistic|data|analysis|laborator|trials? (?:unit"
    r"|cent)|reference|core|randomi)\w*"
)
DONE: Final = rx(
    r"\b(?:conducted|carried out|performed|done|undertaken|took place|recruit\w*|enrol\w*|identified|invited|listed"
    r"|practices"
    r"|(?:trial|study|cohort|adults|patients|children|clinics?) (?:in|at|of|from)|(?:hospitals|clinics|cent(?:re"
    r"|er)s|schools|sites|departments|towns) in|based in)\b|开展|进行|选取|收治"
)
BESIDES: Final = rx(
    r"\bavailable\b|\bmarket|\blicen[cs]ed\b|\bprevalen|\binciden|\bpopulation of\b|\bcommon in\b"
    r"|\bdata (?:will|are|is)\b|\btraining\b|\boutside\b"
    r"|@|\bcensus\b|\bvalidated\b|\bcorrespond|\bsupplied\b|\bobtained from\b|\bGmbH|\bLtd|\bet al\b|\breported by\b"
    r"|\bearlier\b|\bprevious|\bborn in\b|\bapproved\b|\bethic|\breview board\b|\bguidelines?\b|\brecommend"
    r"|\bmanufactur|\bsoftware\b|\bversion \d"
    r"|\bInc\.|\bpurchased\b"
    r"|伦理"
)
STAFF: Final = rx(r"\b(?:reviewers?|translat\w+|curriculum|educators?|developed (?:in|by)|manual)\b")
# These stand before a number of sites that took part.
_SITES_OF: Final = rx(
    r"\b(?:conducted|carried out|performed|undertaken|done|took place|recruit\w*|enrol\w*|randomi[sz]ed|included"
    r"|admitted|invited"
    r"|participat\w+|registered|presented|attending|treated|trial|study|multicent\w+)\b[^.;]{0,120}$"
)


_TAKING_PART: Final = rx(r"^[^.;]{0,80}\b(?:participat|recruit|enrol|took part|contribut)")


def _is_of_study(hit: Hit) -> bool:
    """Whether sites are those of the study: `five sites of the jaw` and hospitals that gave other care are not."""
    text = hit.sentence.text
    is_setting = hit.sentence.topic == "setting" or _TAKING_PART.search(text[hit.end or 0 :]) is not None
    is_subject = hit.start == 0 and is_setting
    is_named = _SITES_OF.search(text[: hit.start]) is not None or re.search(r"中心|医院", text) is not None
    return is_subject or is_named or hit.value == 1


def sites_as_centres(document: Document) -> list[Hit]:
    """How many sites took part."""
    return [hit for hit in find(document, _CENTRES) if _is_of_study(hit)]


def settings_of_sites(document: Document) -> list[Hit]:
    """Where the study was, where a sentence says so; a number of places, or a bare one, says nothing."""
    hits = []
    for sentence in prose(document, STUDY - {"results", "conclusions"}):
        is_named = re.search(
            r"\b(?:hospitals?|clinics?|cent(?:re|er)s|departments?|pharmacies|practices?)\b|\bcommunit"
            r"|\bschools?\b|\btowns?\b|\bhomes?\b|\bcare\b",
            sentence.text,
            re.IGNORECASE,
        )
        if sentence.topic == "setting" and sentence.in_abstract and is_named and not _NO_PLACE.search(sentence.text):
            hits.append(Hit(value=sentence.text.rstrip("."), sentence=sentence))
        elif (
            not BESIDES.search(sentence.text)
            and not STAFF.search(sentence.text)
            and (found := _PLACE.search(sentence.text))
            and _DONE_AT.search(sentence.text[: found.start("place")] if found["place"] else sentence.text)
        ):
            value = found["place"] or found["zh"]
            if _OF_SEVERAL.search(value + sentence.text[found.end() :]):
                continue
            if _NO_SETTING.fullmatch(value.strip()) or re.search(r"\bTable \d", sentence.text) or _OFFICE.search(value):
                continue
            end = found.end()
            if found["place"] and (rest := _REST_OF_PLACE.match(sentence.text, end)):
                value, end = value + rest[0], rest.end()
            hits.append(Hit(value=value.strip(" ."), sentence=sentence, start=found.start(), end=end, rank=1))
    return hits
