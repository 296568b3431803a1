"""Who paid, and who declares what."""

import re
from dataclasses import replace
from itertools import takewhile
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import Hit, first, not_reported, prose, reported, rx, unclear
from ingather.extraction.rules.sentences import Document, Sentence, joined_sentences
from ingather.extraction.rules.whole import part
from ingather.notice import notice

FIELDS: Final = frozenset({"funding_source", "funding_type", "conflicts_of_interest"})

_END: Final = frozenset({"end", "methods", "discussion", "conclusions", "front", "body"})
_FUNDED: Final = rx(
    r"\b(?:study|trial|work|research|project|cohort)\b[^.]{0,40}\b(?:was|were|is|has been)[^.]{0,20}\b(?:funded"
    r"|supported|sponsored|financed) by"
    r"|\b(?:received|obtained) (?:financial support|funding|a grant)|\bno (?:\w+ )?(?:funding"
    r"|financial support)\b[^.]{0,20}(?:received|obtained|available|$|\.)"
    r"|\b(?:received|had) no (?:\w+ ){0,2}funding|\bsource of funding:|本(?:研究|项目|课题)[^。]{0,10}资助|(?:基金"
    r"|资助)(?:项目)?:"
)
# A statement of funding within a line, at most as long as a quote may be.
_FUNDING_INLINE: Final = rx(r"\b(?:sources? of )?funding: ?(?P<what>[^.;]{3,600}+)(?!; (?!trial|clinical|regist))")
_NONE: Final = rx(
    r"^\W{0,3}(?:none|nil|无)(?: declared| to declare| reported)?\W{0,3}$|\bno (?:\w+ ){0,2}(?:funding"
    r"|financial support|grant)|\bnot funded\b"
    r"|\bunfunded\b|未(?:接受|获得)[^。]{0,10}资助|无(?:基金|资助)"
)
_COMPANY: Final = re.compile(
    r"\b(?:Ltd|Inc|AG|GmbH|BV|B\.V|Corp|Corporation|Company|LLC|PLC|plc|S\.A|SpA|Pharma|Laborator(?:y|ies)"
    r"|Pharmaceuticals?|Therapeutics"
    r"|Biotech)\b|公司|药业|制药"
)
_PUBLIC: Final = rx(
    r"\b(?:council|foundation|universit(?:y|ies)|ministry|fund|agency|society|institutes?|government|national"
    r"|health service"
    r"|hospital|charity|trust|association|academy|commission|programme|department|union|authority)\b"
    r"|基金|科技|科学|大学|卫生|教育|财政|局|厅|专项"
)
# Within a statement that names a company: others who gave, by their kind or by a name of their own.
_OTHER_GIVER: Final = rx(r"\b(?:banks?|banc[ao]|region\w*|provinc\w*|public)\b")
_BETWEEN_GIVERS: Final = re.compile(r"\band\b(?! Co\b)|;|\.\s+(?=[A-Z])")
_OWN_NAME: Final = re.compile(r"^ [A-Z]|(?<=[a-z,0-9] )[A-Z]")
_INTERESTS: Final = rx(
    r"\bno (?:known |potential |relevant |actual |financial )?(?:competing|conflicts?"
    r"|conflicting)\b[^.]{0,30}\binterests?"
    r"|\bno disclosures\b"
    r"|\bconflicts? of interests?: ?\w|无(?:任何)?利益冲突|不存在(?:任何)?利益冲突"
)
# A form that declares money and interests at once, and what the journal or its publisher says for itself.
_OF_ANOTHER: Final = rx(
    r"^(?-i:(?:[A-Z]\.-? ?){2,4}(?:, (?:and )?(?:[A-Z]\.-? ?){2,4})*(?:,? and (?:[A-Z]\.-? ?){2,4})?) "
    r"(?:is|are|has|have|received|declares?|reports?|discloses?)\b"
    r"|^(?-i:[A-Z]\. ?(?:[A-Z]\. ?)?[A-Z][a-z]+) (?:is|was|has|holds|received)\b|^(?-i:[A-Z]{2,3}) (?:holds|was"
    r"|gained)\b"
    r"|^(?:authors? )?[A-Z]{2,3}(?:-[A-Z]{1,2})?(?:,? (?:and )?[A-Z]{2,3}(?:-[A-Z]{1,2})?)* (?:is|are|has|have"
    r"|received)\b"
    r"|\bconceived\b|\bparticipated in\b|\bdrafted\b|\bobtained funding\b"
    r"|^authors (?-i:[A-Z])|\bprofessors?\b|\bpreviously\b|\bDrs?\b\.? (?-i:[A-Z])|\b(?:studies"
    r"|trials) (?:did|specifically|were|received"
    r"|reported|stated)\b"
    r"|^(?:the )?(?:rest of the|remaining|other) authors\b|\bstudy dates\b|\b(?:payment|services) info\b"
    r"|\bpublisher'?s note\b|\bICMJE\b[^.]{0,80}\bfinancial support"
)
# Money that a person had for something else, and help with writing.
_TO_A_PERSON: Final = rx(
    r"\bhonorari|\bfees\b|\btravel\b|\bconsult|\bwriting\b|\beditorial\b|\bcompeting\b|\bpast \w+ years"
    r"|\b(?:has|have) received\b|\breports?\b|\breceived no\b|\bemployees?\b"
)
# The number of a registry may stand behind who paid, in the same sentence.
_REGISTERED: Final = rx(r"[.;]? ?(?:trial|clinical|regist)")
# A sentence under the heading speaks of money; one that only names who gave a drug does not.
_PAID: Final = rx(
    r"\bfund|\bgrants?\b|\bsupport|\bsponsor|\bfinanc|\baward|\bfellowship|\bscholarship|\bnone\b|\bnil\b|\bno\b"
    r"|\bpaid\b"
    r"|基金|资助|项目|无|课题"
)
# A sentence that was cut within its brackets, at the initials of a name.
_CUT_WITHIN: Final = re.compile(r"\([^()]{0,12}$|\bthe following potential conflict")
# Other sentences that name who gave money, drugs or help.
_GAVE: Final = rx(
    r"\b(?:drugs?|medications?|vaccines?|placebos?|supplements?|products?|devices?|capsules|tablets|equipment"
    r"|materials?)\b"
    r"[^.]{0,80}\b(?:supplied|donated|provided|sponsored)\b[^.]{0,30}\bby\b|\bfree of charge\b|\bin[- ]kind\b"
    r"|\b(?:donated|supplied|kindly provided|provided free) by\b|\b(?:scholarship|fellowship|stipend)\b"
    r"|\b(?:additional|further|also) (?:\w+ )?(?:support|fund)|\bsupport(?:ed)? (?:was"
    r"|were)? ?(?:provided )?(?:by|from)\b"
    r"[^.]{0,60}\b(?:grant|foundation|fund|institute|council|NIH|Inc|Ltd|GmbH)\b|\bgrants? from\b|\bfunded by\b"
)
_ROLE: Final = rx(
    r"^(?:the )?(?:study )?(?:sponsors?|funders?)\b[^.]{0,60}\b(?:designed|participated|collected|analy[sz]ed"
    r"|reviewed)\b|"
    r"\b(?:no|not have an?y?|played no|had any) (?:\w+ )?role\b|\b(?:not|no|nor)\b[^.]{0,30}\b(?:involve[dment]*"
    r"|participat\w+|influence\w*)\b[^.]{0,40}\b(?:design|conduct|collection|analys|writing|decision|interpret)"
    r"|\brole of the (?:funder|funding|sponsor)"
)
# Thanks for a thing or for money name one who gave.
_THANKED: Final = rx(
    r"\b(?:thanks?|thankful|grateful|gratitude|acknowledge\w*|indebted)\b[^.]{0,160}\b(?:donat\w+|gifts?|suppl(?:y|ied"
    r"|ying|ies)|provi(?:ded|ding|sion)|fund\w*|financ\w+|grants?|sponsor\w*|support (?:of|from|by))\b"
)
_INTERESTS_HEADED: Final = rx(
    r"(?:\bdisclosures?|\b(?:competing|conflicts? of|conflicting|declarations? of) interests?(?: statement)?)\s?: ?"
)
_MONEY_BEFORE: Final = rx(r"\bgrants?\b|\bawards?\b|\bfund|\bsupport|\bsponsor|\bfinanc")
# Words of a sentence that says whose money it was.
_MONEY: Final = rx(
    r"\b(?:fund\w*|supported|sponsored|financed|paid|awarded) by\b|\bgrants?\b"
    r"|\bfund(?:s|ing) (?:was|were|came|from)\b|\bsupport (?:was|were) (?:\w+ )?provided\b"
    r"|\b(?:support|funding|funds|award|fellowship|scholarship)\b[^.]{0,30}\bfrom\b|资助"
)


def declaration_answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    funding = _funding_answer(document)
    return {
        "funding_source": funding,
        "funding_type": _type(funding),
        "conflicts_of_interest": first("conflicts_of_interest", map(_without_money, _declared_interests(document))),
    }


def _funding_answer(document: Document) -> Answer:
    """All sentences in a row that say who paid; unclear where there are more of them apart from these."""
    hits = sorted(_funding(document), key=lambda hit: (hit.rank, hit.sentence.in_abstract))
    if not hits:
        return not_reported("funding_source")
    start = hits[0]
    under = [
        one for one in prose(document, _END) if _place_of_declaration(one) == _place_of_declaration(start.sentence)
    ]
    behind = under[under.index(start.sentence) + 1 :]
    row = list(takewhile(_says_who_paid, behind))
    if any(_says_who_paid(one) for one in behind[len(row) :]):
        return unclear("funding_source", start)
    whole = joined_sentences(start.sentence, row[-1]) if row else None
    if row and whole is None:
        return unclear("funding_source", start)
    answer = reported("funding_source", start)
    if whole is not None:
        begin = start.sentence.text.index(str(start.value))
        answer = reported("funding_source", Hit(value=whole.text[begin:].rstrip(".。"), sentence=whole))
    covered = whole or start.sentence
    is_more = any(_names_a_giver(one) and one.text not in covered.text for one in prose(document, _END))
    is_mixed = _TO_A_PERSON.search(covered.text) is not None and whole is not None
    is_cut = whole is None and _is_cut(start)
    return part(answer) if is_more or is_mixed or is_cut else answer


def _is_cut(hit: Hit) -> bool:
    """Whether the sentence goes on behind what was taken of it, with more than the number of a registry."""
    rest = hit.sentence.text.partition(str(hit.value))[2]
    return bool(rest.strip(" .;。")) and not _REGISTERED.match(rest)


def _names_a_giver(sentence: Sentence) -> bool:
    """Whether a sentence says who gave money, drugs or help, to the study or to one of its authors for it."""
    if sentence.in_abstract or sentence.topic == "interests" or _INTERESTS.search(sentence.text):
        return False
    if _GAVE.search(sentence.text) and not _OF_ANOTHER.search(sentence.text):
        return True
    is_for_the_work = sentence.part == "end" and not _TO_A_PERSON.search(sentence.text)
    return is_for_the_work and (_MONEY.search(sentence.text) or _THANKED.search(sentence.text)) is not None


def _without_money(hit: Hit) -> Hit:
    """What is declared, without a list of grants that stands before its own heading within the line."""
    text = str(hit.value)
    headed = [found for found in _INTERESTS_HEADED.finditer(text) if _MONEY_BEFORE.search(text[: found.start()])]
    if not headed:
        return hit
    start = max(hit.sentence.text.find(headed[-1][0]), 0)
    return replace(hit, value=text[headed[-1].end() :].strip(), start=start, end=len(hit.sentence.text))


def _place_of_declaration(sentence: Sentence) -> tuple[str, str, bool]:
    return sentence.part, sentence.topic, sentence.in_abstract


def _says_who_paid(sentence: Sentence) -> bool:
    is_own = not any(terms.search(sentence.text) for terms in (_OF_ANOTHER, _INTERESTS, _TO_A_PERSON))
    return is_own and _MONEY.search(sentence.text) is not None


def _funding(document: Document) -> list[Hit]:
    """What stands under the heading; else a sentence that says who paid."""
    hits = []
    for sentence in prose(document, _END):
        if _OF_ANOTHER.search(sentence.text) or (_ROLE.search(sentence.text) and not _MONEY.search(sentence.text)):
            continue
        if sentence.topic == "funding" and _INTERESTS.search(sentence.text) and not _FUNDED.search(sentence.text):
            continue
        if _CUT_WITHIN.search(sentence.text):
            continue
        if sentence.topic == "funding" and _PAID.search(sentence.text):
            hits.append(Hit(value=sentence.text.rstrip(".。"), sentence=sentence))
        elif found := _FUNDING_INLINE.search(sentence.text):
            hits.append(
                Hit(value=found["what"].strip(), sentence=sentence, start=found.start(), end=found.end(), rank=1)
            )
        elif found := _FUNDED.search(sentence.text):
            hits.append(
                Hit(value=sentence.text.rstrip("."), sentence=sentence, start=found.start(), end=found.end(), rank=1)
            )
    return hits


def _type(funding: Answer) -> Answer:
    """The class of the funders named, where their names tell it."""
    if funding.state is not State.REPORTED:
        return not_reported("funding_type")
    named = str(funding.value)
    has_company, has_public = bool(_COMPANY.search(named)), bool(_PUBLIC.search(named))
    if _NONE.search(named):
        kind = "none"
    elif has_company and has_public:
        kind = "mixed"
    elif has_company or has_public:
        kind = "industry" if has_company else "non_industry"
    else:
        return Answer(
            field="funding_type", state=State.UNCLEAR, quote=funding.quote, page=funding.page,
            note=notice("rules.names_not_tell_who_they", "The names do not tell who they are."),
        )  # fmt: skip
    # Where the paper names more who gave, their kind is not known from these.
    answer = replace(funding, field="funding_type", value=kind)
    return part(answer) if kind == "industry" and _names_others(named) else answer


def _names_others(named: str) -> bool:
    """Whether beside a company stands a giver that is none, or may be none."""
    givers = [one for one in _BETWEEN_GIVERS.split(named) if not _COMPANY.search(one)]
    return _OTHER_GIVER.search(named) is not None or any(_OWN_NAME.search(one) for one in givers)


def _declared_interests(document: Document) -> list[Hit]:
    hits = []
    stated = [
        sentence for sentence in prose(document, _END) if sentence.topic == "interests" and len(sentence.text) > 3
    ]
    for sentence in prose(document, _END):
        if _OF_ANOTHER.search(sentence.text):
            continue
        if sentence.topic == "interests":
            # Where one author after the other declares his own, no one sentence is the statement.
            is_none = _INTERESTS.search(sentence.text) or _NONE.search(sentence.text)
            if len(stated) == 1 or (is_none and sentence in stated[:1]):
                hits.append(Hit(value=sentence.text.rstrip(".。"), sentence=sentence))
        elif found := _INTERESTS.search(sentence.text):
            value = re.sub(
                r"^(?:competing|conflicts? of) interests?: ?", "", sentence.text, flags=re.IGNORECASE
            ).rstrip(".。")
            hits.append(Hit(value=value, sentence=sentence, start=found.start(), end=found.end(), rank=1))
    return hits
