"""The terms that grounding watches: a quote that changes one of them says something else.

Folded text throughout: lower case, plain apostrophes. None of these lists
refuses a quote by itself; they are only asked about words in which a quote
and the text differ.
"""

import re
from typing import Final

from rapidfuzz.distance import OSA


def _term_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEGATORS: Final = _term_set(
    "no not without never neither nor none nothing nobody nowhere cannot non nil unable unlikely unless except only "
    "fail failed fails failing failure lack lacked lacks lacking absent absence hardly barely scarcely rarely seldom "
    "deny denied denies refuse refused despite instead contrary free "
    "insignificant ineffective inadequate incomplete insufficient ineligible inactive inaccurate inappropriate "
    "incorrect independent independently indirect infrequent inability intolerant invalid invisible inconsistent "
    "inconclusive impossible improper imbalance imbalanced irregular irrelevant irreversible disagree disagreement "
    "discontinued discontinue discontinuation dissimilar dissatisfied disadvantage asymptomatic atypical asymmetric "
    "unclear unblinded unmasked uncontrolled unchanged unadjusted unaffected uncertain uncommon unrelated "
    "unsuccessful untreated unequal unexpected unsafe unstable unavailable unknown unreported unpublished "
    "unsatisfactory unfavourable unfavorable unnecessary unacceptable unbalanced"
)

# Two sides a line. A star stands for any ending.
_CONTRASTS: Final = """
increas* rise* rose rising elevat* greater more gain* raised up | decreas* reduc* fall* fell declin* less fewer down
high higher most | low lower* least
better improv* superior* | worse* deterior* inferior*
longer larger faster stronger | shorter smaller slower weaker
above over maximum maximal | below under minimum minimal
before prior pre preoperative* pretreatment | after following post postoperative* posttreatment
male males man men boy boys | female females woman women girl girls
left | right
anterior* upper internal* intra* proximal* | posterior* bottom external* extra* distal*
systolic | diastolic
unilateral* | bilateral*
acute* | chronic*
intervention* treated treatment* experimental verum | control* placebo* sham
includ* inclus* | exclud* exclus*
hyper* | hypo*
same similar* equal* identical | differ*
early earlier first | late later last final
inpatient* | outpatient*
adult* | child* infant* paediatric* pediatric*
alive surviv* | die* dead death* mortal*
primary | secondary
single* | double* triple*
positive* | negative*
benefi* favour* favor* | harm* adverse*
agonist* | antagonist* inhibitor*
and | or
all every each both always | some any either sometimes
start* began begin* | stop* end ended finish*
accept* | reject*
true | false
open | closed blind*
"""
_HAN_CONTRASTS: Final = (
    "升增高多大上加涨|降减低少小下跌",
    "主首|次",
    "有|",
    "前|后",
    "男|女",
    "左|右",
    "优好强|劣差弱",
    "阳|阴",
    "内|外",
    "早|晚",
    "快|慢",
    "急|慢",
    "长|短",
    "轻|重",
    "甲|乙",
    "丙|丁",
    "难|易",
    "单|双",
    "同|异",
    "纳|排",
    "始|止",
    "生|死",
)

_MONTHS: Final = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_UNITS: Final = (
    "mg g kg ug μg mcg ng pg ml l dl μl ul mmol mol μmol umol nmol pmol iu mm cm m km mmhg hpa kpa kcal kj "
    "second seconds sec minute minutes min hour hours hr hrs h day days d week weeks wk wks month months year years "
    "yr yrs point points fold daily weekly monthly yearly"
)
_SMALL: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_TENS: Final = "thirty forty fifty sixty seventy eighty ninety hundred"
NUMBERS: Final[dict[str, str]] = {
    **{term: str(n) for n, term in enumerate(_SMALL.split())},
    **{term: str(10 * n) for n, term in enumerate(_TENS.split(), start=3)},
}
# These terms say what a figure is of: one of them left out, added or exchanged makes another quantity of it.
_MEASURES: Final = {
    term: term
    for term in _term_set(
        "mean median average mode sd se sem iqr rr hr irr aor ahr arr rd md smd wmd odds hazard deviation error "
        "variance percentile quartile"
    )
} | {"means": "mean", "medians": "median", "hazards": "hazard", "errors": "error"}
_HAN_UNITS: Final = frozenset("秒分时日天周旬月季年岁克米倍")
_QUANTITIES: Final = _term_set(
    "thousand million billion half third thirds quarter quarters twice thrice once double triple twofold threefold "
    "fourfold tenfold second fourth fifth sixth seventh eighth ninth tenth dozen"
)
_ROMAN: Final = re.compile(r"i{1,3}|iv|vi{0,3}|ix|xi{0,3}|xi?v")

HAN_NUMBERS: Final = frozenset("〇零一二三四五六七八九十百千万亿两半")
_HAN_NEGATORS: Final = frozenset("不未无無没沒非否勿毋")

# Words that may be added, or lost their space, without saying anything else; those of a line may be swapped.
FUNCTION: Final = _term_set(
    "a an the this these that those which who is are was were be been being has have had of in on at for and to by "
    "with from as it its we our their there also then"
)
_SWAPPABLE: Final = (
    "a an the this these that those which who",
    "is are was were be been being has have had",
    "of in on at for",
)
HAN_FUNCTION: Final = frozenset("的了在于和与及中为是者之其所该本被将")
# The small characters that may be left out or exchanged without another meaning.
HAN_LIGHT: Final = frozenset("的了在于和与及为是之其所该地得")

# Ordinary words that a lost space could make of a negation or a number and its neighbour.
_REAL: Final = _term_set("notable notably notwithstanding nonetheless nevertheless knot often anyone someone everyone")
# These make the opposite of a term, or another term, when they stand before it or after it.
_PREFIXES: Final = _term_set(
    "a an un in im ir il no not non dis de mis anti counter ab under over hyper hypo pre post inter intra extra sub "
    "super up down out mal micro macro mono bi multi uni hemi semi re wo fe"
)
AFFIXES: Final = _term_set("non anti hyper hypo pre post inter intra extra sub micro macro semi hemi un dis")
_NEGATIVE: Final = ("un", "in", "im", "ir", "il", "no", "not", "non", "dis", "a")
_SUFFIXES: Final = frozenset(("less", "free", "ful", "not", "no", "nor"))
_ENDINGS: Final = frozenset(("", "s", "es", "ed", "d", "e", "ing", "ly", "al", "y", "ies", "'s", "ally"))


def _sides_of_contrasts() -> tuple[dict[str, str], dict[str, str]]:
    whole: dict[str, str] = {}
    stems: dict[str, str] = {}
    for line in _CONTRASTS.strip().split("\n"):
        for side in line.split(" | "):
            for term in side.split():
                (stems if term.endswith("*") else whole)[term.rstrip("*")] = side
    return whole, stems


_WHOLE, _STEMS = _sides_of_contrasts()
_STEM_NAMES: Final = tuple(sorted(_STEMS, key=len, reverse=True))
_HAN_SIDES: Final = {c: side for line in _HAN_CONTRASTS for side in line.split("|") for c in side}
_MONTH_KEYS: Final = {month: month[:3] for month in _MONTHS.split()}
_UNIT_KEYS: Final = {unit: unit.rstrip("s") if len(unit) > 3 else unit for unit in _UNITS.split()}
_CLASS_OF: Final = {term: line for line in _SWAPPABLE for term in line.split()}


def number_of_term(term: str) -> str:
    """The number, month or other quantity that a term names; nothing for other words."""
    if (value := NUMBERS.get(term)) is not None:
        return value
    if term in _QUANTITIES or term in HAN_NUMBERS or (len(term) > 1 and _ROMAN.fullmatch(term)):
        return term
    return _MONTH_KEYS.get(term, "")


def label_of_term(term: str) -> str:
    """The unit or the one-letter label that a term is, as in `5 mg` and `group B`; nothing for other words."""
    if (unit := _UNIT_KEYS.get(term)) is not None:
        return unit
    if len(term) == 1:
        return term if "b" <= term < "\u0250" or term in _HAN_UNITS else ""
    return ""


def measure_of_term(term: str) -> str:
    """What kind of figure a term announces, such as a median or an SE; nothing for other terms."""
    return _MEASURES.get(term, "")


def negation_terms_in(term: str) -> int:
    """How often a term turns around what is said."""
    if len(term) == 1:
        return int(term in _HAN_NEGATORS)
    if term in _NEGATORS or term in AFFIXES or term.endswith("n't"):
        return 1
    if term.startswith("non") and len(term) > 6 and term not in _REAL:
        return 1 + negation_terms_in(term[3:])
    return 0


_TURNING: Final = re.compile(
    r"(?:(?<![^\W_])(?:no|not|without|never|neither|nor|none|cannot|non|hardly|[a-z]+n't"
    r"|(?:fail(?:s|ed|ing)?|unable) to)"
    rf"|[{''.join(sorted(_HAN_NEGATORS))}])[ -]?$"
)


def negation_term_before(text: str, at: int) -> int:
    """Where a negation begins that stands right before the character `at`; `at` itself if none does."""
    found = _TURNING.search(text, max(0, at - 16), at)
    return at if found is None else found.start()


def side_of_contrast_term(term: str) -> str:
    """The side of a contrast that a term stands on, such as `increase` against `decrease`."""
    if len(term) == 1:
        return _HAN_SIDES.get(term, "")
    if (side := _WHOLE.get(term)) is not None:
        return side
    if term.startswith("non") and len(term) > 6:
        return side_of_contrast_term(term[3:])
    return next((_STEMS[stem] for stem in _STEM_NAMES if term.startswith(stem)), "")


def is_real_term(term: str) -> bool:
    """Whether what may be two words without their space is an ordinary term itself."""
    return term in _REAL or term in _NEGATORS


def is_opposite_term(one: str, other: str) -> bool:
    """Whether one term is the other with a part that turns it around, as in effective and ineffective."""
    short, long = sorted((one, other), key=len)
    if len(short) < 3 or len(short) == len(long):
        return False
    if long.endswith(short) and long[: -len(short)] in _PREFIXES:
        return True
    if long.startswith(short) and long[len(short) :] in _SUFFIXES:
        return True
    return any(
        long.startswith(prefix)
        and (slips := OSA.distance(long[len(prefix) :], short)) <= 2 < len(short) - slips
        and slips < OSA.distance(long, short)
        for prefix in _NEGATIVE
    )


def is_inflected_term(one: str, other: str) -> bool:
    """Whether two words are forms of one, or two spellings of it: patient and patients, randomised and randomized."""
    if _term_in_one_spelling(one) == _term_in_one_spelling(other):
        return True
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same >= 4 and one[same:] in _ENDINGS and other[same:] in _ENDINGS


def is_swappable_term(one: str, other: str) -> bool:
    """Whether two small words may stand for each other, as `was` and `were`."""
    return (line := _CLASS_OF.get(one)) is not None and line == _CLASS_OF.get(other)


def _term_in_one_spelling(term: str) -> str:
    return term.replace("z", "s").replace("ae", "e").replace("oe", "e").replace("our", "or")
