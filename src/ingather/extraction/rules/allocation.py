"""Random sequence, concealment and stratification."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.hits import Hit, Pattern, agreed, find, first, prose, rx, unclear
from ingather.extraction.rules.lists import items_of_list
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.extraction.rules.whole import part, whole_or_part

FIELDS: Final = frozenset(
    {
        "sequence_generation",
        "sequence_method",
        "allocation_concealment",
        "concealment_method",
        "stratification",
    }
)

_ALLOCATION: Final = rx(r"randomi[sz]|\brandom\b|allocat|assign|\bsequence\b|\border\b|随机|分组|分配")
_PARTS: Final = frozenset({"abstract", "methods", "body"})

# The programs that make a sequence also analyse the trial, so that the same words must speak of the allocation.
_PROGRAM: Final = r"\b(?:SAS|Stata|SPSS|Excel|R software)\b"
_MADE: Final = r"(?:generat\w+|random\w*|lists?|sequences?|allocat\w+|assign\w+|blocks?)\b"
SEQUENCES: Final = tuple(
    Pattern(terms=rx(terms), value=value, rank=rank, parts=_PARTS, beside=_ALLOCATION)
    for value, rank, terms in (
        (
            "computer",
            0,
            (
                r"computer[- ]?(?:generated|made)|computeri[sz]ed (?:[\w-]+ ){0,3}(?:random|allocat|list|sequence"
                r"|block|generat|number|minimi)|computer-based (?:random|list|system|allocation)"
                r"|(?:generated"
                r"|made|produced|created"
                r"|prepared|drawn up) by (?:an? )?computer"
                r"|\bby computer\b|computeri[sz]ed random|random[- ]number (?:generator|function)"
                rf"|{_MADE}(?:(?!analy)[^.;])*{_PROGRAM}|{_PROGRAM}(?:(?!analy)[^.;])*?\b{_MADE}"
                r"|计算机|(?:SAS|SPSS|R|Excel) ?软件"
            ),
        ),
        ("random_table", 0, (r"random[- ](?:number|digit)s? tables?|tables? of random (?:numbers|digits)|随机数字表")),
        ("coin_dice_lot", 0, (r"\bcoins?\b|\bdice\b|\bdraw(?:ing|n)? (?:of )?lots\b|\blots were drawn|抛硬币|抽签")),
        ("minimisation", 0, (r"\bminimi[sz]ation\b|最小化(?:随机|法)")),
        (
            "quasi_random",
            0,
            (
                r"\balternat(?:ion|ely|ing)\b|\bdates? of birth\b|\bbirth ?dates?\b|\bday of the week\b"
                r"|\brecord numbers?\b|\bodd\b.{0,20}\beven\b"
                r"|就诊(?:先后)?顺序|单双号|出生日期|住院号"
            ),
        ),
        ("block_only_stated", 1, (r"\bpermuted[- ]blocks?\b|\bblocks? (?:size|randomi)|\bblocked randomi|区组随机")),
    )
)
CONCEALMENTS: Final = tuple(
    Pattern(terms=rx(terms), value=value, rank=rank, parts=_PARTS, beside=_ALLOCATION)
    for value, rank, terms in (
        (
            "pharmacy",
            0,
            (
                r"\bpharmac(?:y|ist)\b[^.]{0,40}\b(?:list|code|random\w*|allocation)"
                r"|\b(?:list|code|sequence|allocation)\b[^.]{0,40}\bpharmac(?:y|ist)\b"
                r"|药房[^。]{0,20}(?:随机|分配|编码)"
            ),
        ),
        (
            "sealed_opaque_envelopes",
            1,
            (
                r"\bseal\w*\b[^.]{0,30}\bopaque\b[^.]{0,40}\benvelopes?"
                r"|\bopaque\b[^.]{0,30}\bseal\w*\b[^.]{0,30}\benvelopes?"
                r"|\benvelopes?\b[^.]{0,60}\b(?:sealed\b[^.]{0,30}\bopaque|opaque\b[^.]{0,30}\bsealed)"
                r"|\bopaque\b[^.]{0,30}\benvelopes?\b[^.]{0,30}\bsealed\b"
                r"|不透(?:光|明)[^。]{0,10}信封"
            ),
        ),
        (
            "central_or_web",
            1,
            (
                r"\bcentral(?:ly|i[sz]ed)?\b[^.]{0,40}\b(?:random\w*|system|office|telephone"
                r"|allocation|service|web|unit)"
                r"|\b(?:web|internet)[- ]based (?!computer)(?:[\w-]+ ){0,2}(?:randomi[sz]ation|randomi[sz]er"
                r"|allocation|system|service|assignment"
                r"|platform|tool|procedure)\b|\binteractive (?:voice|web)|\bI[VW]RS\b|\b(?:secure"
                r"|dedicated|central) (?:web ?site|server)\b"
                r"|\bonline (?:system|service|randomi)|\bby telephone\b|中央随机|网络随机|交互式"
            ),
        ),
        ("open_list", 1, (r"\bopen (?:list|allocation|random (?:number|allocation|list))|\bunsealed\b")),
        (
            "envelopes_not_opaque",
            2,
            (r"(?<!emergency )(?<!unblinding )(?<!code )\benvelopes?\b(?<!opaque envelopes)(?<!opaque envelope)|信封"),
        ),
    )
)

# Letters and envelopes by mail, and calls to people, conceal nothing.
_OF_MAIL: Final = rx(
    r"\bquestionnaires?\b|\bsurveys?\b|\b(?:mail(?:ed|ing)|posted|postal|stamped|prepaid|pre-paid|addressed|returned)\b"
    r"|\bfollow(?:ed)?[- ]up\b(?!.*\bconceal)|\breminders?\b|\binterview(?:ed|s)?\b|\bdiar(?:y|ies)\b"
    r"|\b(?:were|was|are|is) (?:contacted|called|phoned|reached)\b|\bcontacted by\b|\brespon(?:d|se)\b|\bsamples?\b"
    r"|\binvitations?\b|\bconsent forms?\b"
)
# A sentence may say it of envelopes that another one only mentions.
_OPAQUE: Final = rx(r"\bopaque\b[^.]{0,200}\benvelopes?\b|\benvelopes?\b[^.]{0,200}\bopaque\b|不透(?:光|明)")
# Sentences that speak of the sequence: what it was made with, in what blocks, by whom, in which ratio.
_OF_SEQUENCE: Final = rx(
    r"\brandomi[sz]ation (?:was|were|list|schedule|schema|scheme|sequence|code|number|procedure|process|method|table"
    r"|software|program)|\b(?:allocation|random) (?:sequence|list|schedule|numbers?|code)\b|\bblock(?:s|ed)?\b"
    r"|\bpermuted\b|\bstratif|\bminimi[sz]ation\b|\bcomputer[- ]?generated|\b\d ?: ?\d (?:ratio|allocation|fashion)"
    r"|\bratio of \d ?: ?\d|\bcoin\b|\brandom[- ]number|\brandom(?:ly|i[sz]ed)[^.]{0,80}\b(?:using|with|by|via)\b"
    r"|\b(?:statistician|coordinating|trials? (?:unit|cent(?:re|er)))[^.]{0,80}\b(?:random|sequence|allocat)"
    r"|随机数|区组|随机序列|分层"
)
_OF_CONCEALMENT: Final = rx(
    r"\bconceal|\benvelopes?\b|\b(?:allocation|randomi[sz]ation|treatment) (?:sequence|lists?|codes?|schedule"
    r"|assignment)\b|\brandomi[sz](?:ation|ed)\b[^.]{0,80}\b(?:performed|done|carried out|conducted|generated|prepared"
    r"|held|kept|stored|made|central\w*|telephone|web|internet|online|independent)|\b(?:held|kept|stored|prepared|opened|revealed"
    r"|disclosed)\b[^.]{0,60}\b(?:list|allocation|assignment|code|sequence|randomi)|\bpharmac(?:y|ist)s?\b"
    r"|\bassign(?:ed|ment)s?\b[^.]{0,60}\bby (?:an?|the)\b|\b(?:not involved|independent|no (?:role|contact))\b"
    r"|信封|隐藏|隐匿|药房"
)
_OF_STRATA: Final = rx(r"\bstratif|\bstrata\b|分层")
_STRATIFIED: Final = rx(
    r"\b(?:stratified|stratification|stratifying)(?: was)?(?: factors were)? (?:by|according to|for"
    r"|on) (?P<by>[^.;:()]{2,150})"
    r"|\bwith (?P<with>[^.;:()]{2,120}?) as (?:\w+ )?(?:factors|strata)"
    r"|\bstratification factors were (?P<were>[^.;:()]{2,150})"
    r"|按(?:照)?(?P<zh>[^。,;]{1,20}?)(?:进行)?分层"
)

# Analyses and estimates are stratified, too; that is not the randomisation.
_NO_STRATA: Final = rx(
    r"\banalys[ei]s\b|\bmodels?\b|\bratios?\b|\bregression\b|\bwithout strat|\bnot strat|\btest\b|\bsampl"
)


def allocation_answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    sequence = find(document, SEQUENCES)
    concealment = [hit for hit in find(document, CONCEALMENTS) if not _OF_MAIL.search(hit.sentence.text)]
    return {
        "sequence_method": agreed("sequence_method", sequence),
        "sequence_generation": whole_or_part(
            "sequence_generation", _whole_sentences(sequence), document, _speaks_of_the_sequence
        ),
        "concealment_method": _concealment_method(concealment, document),
        "allocation_concealment": whole_or_part(
            "allocation_concealment", _whole_sentences(concealment), document, _speaks_of_concealment
        ),
        "stratification": _strata(document),
    }


def _concealment_method(hits: list[Hit], document: Document) -> Answer:
    """What the best hits agree on; open where bare envelopes are called opaque elsewhere."""
    answer = agreed("concealment_method", hits)
    is_bare = answer.value == "envelopes_not_opaque"
    if is_bare and any(_OPAQUE.search(one.text) for one in prose(document, _PARTS)):
        return unclear("concealment_method", min(hits, key=lambda hit: hit.rank))
    return answer


def _whole_allocation_sentence(hit: Hit) -> Hit:
    return Hit(value=hit.sentence.text, sentence=hit.sentence, start=hit.start, end=hit.end, rank=hit.rank)


def _whole_sentences(hits: list[Hit]) -> list[Hit]:
    """Whole sentences, those of the paper itself before those of its abstract, which says less."""
    return [replace(_whole_allocation_sentence(hit), rank=hit.sentence.in_abstract) for hit in hits]


def _is_own_method(sentence: Sentence) -> bool:
    return sentence.part in {"methods", "body"} and not sentence.is_about_others


def _speaks_of_the_sequence(sentence: Sentence) -> bool:
    """Whether a sentence says anything of how the sequence was made."""
    return _is_own_method(sentence) and _OF_SEQUENCE.search(sentence.text) is not None


def _speaks_of_concealment(sentence: Sentence) -> bool:
    """Whether a sentence says who held the sequence, or how an assignment became known."""
    is_other = _OF_MAIL.search(sentence.text) is not None
    return _is_own_method(sentence) and not is_other and _OF_CONCEALMENT.search(sentence.text) is not None


def _strata(document: Document) -> Answer:
    """The first list of what was stratified by; as a part where another sentence names more."""
    hits = list(_strata_hits(document))
    if not hits:
        return first("stratification", hits)
    answer = first("stratification", hits)
    named = {item.casefold() for item in _names_of(hits[0])}
    is_more = any(item.casefold() not in named for hit in hits[1:] for item in _names_of(hit))
    others = [
        one
        for one in document.sentences
        if _is_own_method(one) and not one.in_abstract and one.text != hits[0].sentence.text
        and _OF_STRATA.search(one.text) and not _NO_STRATA.search(one.text)
    ]  # fmt: skip
    is_spoken_of = any(one.text not in {hit.sentence.text for hit in hits} for one in others)
    return part(answer) if is_more or is_spoken_of else answer


def _names_of(hit: Hit) -> list[str]:
    return [str(item) for item in hit.value] if isinstance(hit.value, list) else [str(hit.value)]


def _strata_hits(document: Document) -> Iterator[Hit]:
    for sentence in prose(document, _PARTS):
        if not re.search(
            r"randomi[sz]|allocat|assign|sequence|block|minimi[sz]|随机|分组", sentence.text, re.IGNORECASE
        ):
            continue
        for found in _STRATIFIED.finditer(sentence.text):
            if _NO_STRATA.search(sentence.text[: found.end()]):
                continue
            named = found["by"] or found["with"] or found["were"] or found["zh"]
            named = re.split(
                r",? (?:across|was used|were used|was done|was performed|and (?:block|random|then|allocated"
                r"|assigned)|to (?:receive|one|either)) ?\b",
                named,
            )[0]
            named = re.split(r" (?:due to|because|using|to ensure|in blocks|with (?:a|block|random))\b", named)[0]
            yield Hit(value=items_of_list(named), sentence=sentence, start=found.start(), end=found.end())
