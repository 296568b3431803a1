"""Cases for grounding: made-up trial reports as a PDF's text layer gives them, and quotes of them, honest and not.

`python -m tests.extraction.cases_ground [REPORTS]` prints what grounding makes of them.
"""
# ruff: noqa: E501, RUF001

import random
import re
import sys
import textwrap
import time
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ingather.extraction.findings import Verdict
from ingather.extraction.ground import Grounding, Index, ground
from ingather.extraction.ground.lexicon import is_real_in_lexicon

DRUGS = "metformin,aspirin,rivaroxaban,semaglutide,prednisolone,amoxicillin,losartan,vitamin D,sertraline,infliximab"
OUTCOMES = (
    "overall mortality,systolic blood pressure,the six-minute walk distance,serum creatinine,health-related quality of "
    "life,the rate of hospital readmission,left ventricular ejection fraction,fasting plasma glucose,pain intensity,"
    "the incidence of surgical site infection,forced expiratory volume,disease-free survival,body weight"
)
GROUPS = "intervention group,control group,placebo group,usual care group,high-dose group,low-dose group"
TIMES = "at 12 weeks,after 6 months,at the end of follow-up,on day 28,within 30 days of surgery,at 52 weeks"
PLACES = "Norway,three hospitals in Spain,a tertiary centre,primary care practices,the outpatient clinic,Hangzhou"
ENGLISH = (
    "A total of {n} patients were randomly assigned to {drug} ({n} patients) or {drug2} ({n} patients) in {place}.",
    "{Outcome} did not differ significantly between the {group} and the {group2} {time} ({pc}% vs {pc}%; P = {p}).",
    "{Outcome} was significantly lower in the {group} than in the {group2} ({m} ± {sd} vs {m} ± {sd}; P < 0.001).",
    "The mean change in {outcome} was −{m} (95% CI −{m} to −{sd}) with {drug} and {m} with {drug2} {time}.",
    "No serious adverse events related to {drug} were reported by {n} participants during the {n}-day treatment period.",
    "The hazard ratio for {outcome} was {p} (95% CI {p}–{p}), which favoured {drug} over {drug2} {time}.",
    "Patients were eligible if they were aged {n} years or older, had no history of {drug} use in the past {n} months and lived in {place}.",
    "Participants in the {group} received {drug} {n} mg twice daily for {n} weeks without any change in background therapy.",
    "Loss to follow-up was {pc}% in the {group} and {pc}% in the {group2}, and the reasons were not reported.",
    "The trial was conducted in {place} between March {y} and November {y} and was registered before enrolment began.",
    "Neither {drug} nor {drug2} improved {outcome} {time} in the intention-to-treat population (n = {n}; P = {p}).",
    "There was an increase in {outcome} of {m} units (SD {sd}) in the {group}, compared with {m} units in the {group2}.",
    "“Treatment failure” was defined as a reduction of less than {pc}% in {outcome} that was confirmed on {n} occasions.",
    "Withdrawal because of side effects was more frequent with {drug} ({n}/{n}, {pc}%) than with {drug2} ({n}/{n}, {pc}%).",
    "The effect of {drug} on {outcome} was consistent across subgroups, with an I² of {pc}% and a P value of {p}.",
    "Sample size was calculated to detect a difference of {m} points with {n}% power, assuming a dropout rate of {pc}%.",
    "Allocation was concealed by a central telephone service that was not involved in the care of the {n} participants or their {n} relatives.",
)
CHINESE = (
    "本研究共纳入{place}收治的患者{n}例，随机分为治疗组{n}例和对照组{n}例，两组一般资料比较差异无统计学意义（P={p}）。",
    "治疗{n}周后，治疗组{outcome}为（{m}±{sd}），明显低于对照组的（{m}±{sd}），差异有统计学意义（P<{p}）。",
    "治疗组总有效率为{pc}%，高于对照组的{pc}%，但差异无统计学意义（χ²={m}，P={p}）。",
    "随访{n}个月，治疗组未发生严重不良反应，对照组有{n}例出现恶心，均未经特殊处理后缓解。",
    "{drug}组患者{outcome}较治疗前升高{m}，而{drug2}组降低{m}，两组比较差异显著（t={m}，P={p}）。",
    "排除标准：年龄小于{n}岁；既往有{drug}过敏史；不能配合完成{n}次随访；近{n}个月内参加过其他临床试验。",
    "口服{drug}{n}mg，每日{n}次，连续用药{n}天，期间不使用其他影响{outcome}的药物。",
)
ZH = {
    "drug": "二甲双胍,阿司匹林,利伐沙班,氯沙坦,泼尼松,舍曲林,阿莫西林",
    "outcome": "收缩压,空腹血糖,血清肌酐水平,左心室射血分数,疼痛评分,六分钟步行距离",
    "place": "我院,本市三所医院,浙江省人民医院,门诊",
}
FLIPS = (
    ("did not differ", "differed"),
    ("did not differ", "did differ"),
    ("was significantly lower", "was significantly higher"),
    ("was significantly lower", "was not significantly lower"),
    ("No serious adverse", "Serious adverse"),
    ("favoured", "did not favour"),
    ("had no history", "had a history"),
    ("without any change", "with any change"),
    ("were not reported", "were reported"),
    ("Neither", "Either"),
    ("an increase in", "a decrease in"),
    ("an increase in", "no increase in"),
    ("was registered", "was not registered"),
    ("more frequent", "less frequent"),
    ("less than", "more than"),
    ("was consistent", "was not consistent"),
    ("was consistent", "was inconsistent"),
    ("was not involved", "was involved"),
    ("were randomly", "were not randomly"),
    ("was calculated", "was never calculated"),
    ("received", "did not receive"),
    ("eligible", "ineligible"),
    ("improved", "failed to improve"),
    ("significantly", "nonsignificantly"),
    ("无统计学", "有统计学"),
    ("有统计学", "无统计学"),
    ("明显低于", "明显高于"),
    ("高于", "不高于"),
    ("未发生", "发生"),
    ("均未经", "均经"),
    ("升高", "降低"),
    ("降低", "升高"),
    ("差异显著", "差异不显著"),
    ("不能配合", "能配合"),
    ("不使用", "使用"),
    ("较治疗前", "较治疗后"),
)
# Words that are easily taken for one another, and say something else.
EXCHANGES = (
    ("mean", "median"),
    ("SD", "SE"),
    ("hazard ratio", "odds ratio"),
    ("hazard ratio", "risk ratio"),
    ("prednisolone", "prednisone"),
    ("metformin", "metoprolol"),
    ("losartan", "valsartan"),
    ("infliximab", "rituximab"),
    ("weeks", "months"),
    ("points", "percent"),
    ("周", "月"),
    ("月", "年"),
    ("天", "周"),
    ("岁", "月"),
    ("主要", "次要"),
    ("收缩", "舒张"),
    ("空腹", "餐后"),
    ("恶心", "呕吐"),
    ("口服", "静脉"),
)
# Words that an honest slip leaves alone: negations, contrasts and quantities.
KEPT = re.compile(
    "mean|hazard|no|not|nor|neither|without|failure|less|more|lower|than|over|before|after|march|november|twice|weeks|years|months",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence as its author wrote it, and where the noisy page has it."""

    text: str
    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    pages: tuple[str, ...]
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    variant: str
    report: Report
    sentence: Sentence
    quote: str
    is_honest: bool


def _sentence(rng: random.Random, template: str, *, is_chinese: bool) -> str:
    def pick(pieces: str) -> str:
        return rng.choice(pieces.split(","))

    drug, drug2 = rng.sample((ZH["drug"] if is_chinese else DRUGS).split(","), 2)
    group, group2 = rng.sample(GROUPS.split(","), 2)
    outcome = pick(ZH["outcome"] if is_chinese else OUTCOMES)
    slots: dict[str, Callable[[], str]] = {
        "n": lambda: str(rng.choice([rng.randint(13, 99), rng.randint(100, 999), rng.randint(13, 480)])),
        "y": lambda: str(rng.randint(2001, 2023)),
        "pc": lambda: f"{rng.uniform(1, 99):.1f}",
        "p": lambda: f"0.{rng.randint(11, 989):03d}",
        "m": lambda: f"{rng.uniform(1.1, 140):.{rng.choice([1, 2])}f}",
        "sd": lambda: f"{rng.uniform(0.3, 9):.2f}",
        "drug": lambda: drug,
        "drug2": lambda: drug2,
        "group": lambda: group,
        "group2": lambda: group2,
        "outcome": lambda: outcome,
        "Outcome": lambda: outcome[0].upper() + outcome[1:],
        "time": lambda: pick(TIMES),
        "place": lambda: pick(ZH["place"] if is_chinese else PLACES),
    }
    return re.sub(r"\{(\w+)\}", lambda slot: slots[slot[1]](), template)


def _as_printed(rng: random.Random, text: str, *, is_chinese: bool) -> str:
    """A sentence as a text layer gives it."""
    if is_chinese:
        if rng.random() < 0.4:
            text = text.translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789%=<."})
        return "".join(c + ("\n" if rng.random() < 0.04 and "\u4e00" <= c <= "\u9fff" else "") for c in text)
    text = text.replace("fi", "ﬁ").replace("fl", "ﬂ") if rng.random() < 0.5 else text
    if rng.random() < 0.15:
        text = re.sub(r"(\d)\.(\d)", r"\1·\2", text)
    if rng.random() < 0.15:
        text = text.replace("ment", "\u00adment")
    pieces = textwrap.wrap(text, rng.randint(50, 95), break_long_words=False, break_on_hyphens=True)
    lines = [pieces[0]]
    for line in pieces[1:]:
        head, _, rest = line.partition(" ")
        if len(head) > 7 and head.isalpha() and head.islower() and rng.random() < 0.6:
            lines[-1] += f" {head[:4]}-"
            line = f"{head[4:]} {rest}"  # noqa: PLW2901
        lines.append(line)
    text = "\n".join(lines)
    spaced = re.sub(" ", lambda _: "" if rng.random() < 0.01 else "  " if rng.random() < 0.03 else " ", text)
    return spaced if not re.search(r"\d\d?[A-Za-z]|[a-z]\d", spaced) else text


def report(seed: int, *, is_chinese: bool = False, pages: int = 8, sentences_a_page: int = 26) -> Report:
    """One made-up paper: about 35,000 characters in English, running heads on every page."""
    rng = random.Random(seed)
    texts: list[str] = []
    placed: list[Sentence] = []
    for page in range(pages):
        text = f"J Made Up Trials {2000 + seed % 20};{seed}:{100 + page}\n"
        for _ in range(sentences_a_page):
            written = _sentence(rng, rng.choice(CHINESE if is_chinese else ENGLISH), is_chinese=is_chinese)
            printed = _as_printed(rng, written, is_chinese=is_chinese)
            placed.append(Sentence(text=written, page=page, start=len(text), end=len(text) + len(printed)))
            text += printed + rng.choice(["\n"] if is_chinese else [" ", "\n", "\n\n"])
        texts.append(text + f"\n{page + 1}")
    return Report(pages=tuple(texts), sentences=tuple(placed))


def _typos(rng: random.Random, text: str) -> str:
    pieces = text.split(" ")
    long = [n for n, w in enumerate(pieces) if len(w) > 6 and w.isalpha() and not KEPT.fullmatch(w)]
    for n in rng.sample(long, min(len(long), rng.choice([1, 2]))):
        at = rng.randint(2, len(pieces[n]) - 3)
        piece = pieces[n]
        slip = rng.choice([piece[:at] + piece[at + 1] + piece[at] + piece[at + 2 :], piece[:at] + piece[at + 1 :]])
        # A slip that makes another word, as in `patents`, is none that may pass.
        pieces[n] = piece if is_real_in_lexicon(slip.lower()) else slip
    return " ".join(pieces)


def _dropped(rng: random.Random, text: str) -> str:
    pieces = text.split(" ")
    plain = [n for n, w in enumerate(pieces) if 0 < n < len(pieces) - 1 and w.isalpha() and not KEPT.fullmatch(w)]
    gone = set(rng.sample(plain, min(len(plain), rng.choice([1, 2]))))
    return " ".join(piece for n, piece in enumerate(pieces) if n not in gone)


def _ellipsis(rng: random.Random, text: str) -> str:
    """Two parts of a sentence; what stands between them says nothing that turns it around."""
    pieces = text.split(" ")
    third = len(pieces) // 3
    if any(map(KEPT.fullmatch, pieces[third:-third])):
        return text
    return " ".join(pieces[:third]) + rng.choice([" ... ", " … ", " [...] ", "..."]) + " ".join(pieces[-third:])


HONEST: dict[str, Callable[[random.Random, str], str]] = {
    "as its author wrote it": lambda _, text: text,
    "other quotes and dashes": lambda _, text: text.translate(str.maketrans("“”–−", '""-–')),
    "other case and spaces": lambda _, text: text.upper().replace(" ", "  ").replace("%", " %"),
    "spaces lost around signs": lambda _, text: re.sub(r" ?([=<(±]) ?", r"\1", text),
    "small typos": _typos,
    "words dropped": _dropped,
    "parts joined by an ellipsis": _ellipsis,
}
HONEST_ZH: dict[str, Callable[[random.Random, str], str]] = {
    "Chinese, as its author wrote it": lambda _, text: text,
    "Chinese, half-width punctuation": lambda _, text: text.translate(str.maketrans("，（）：；", ",():;")).rstrip(
        "。"
    ),
    "Chinese, full-width digits": lambda _, text: text.translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789"}),
    "Chinese, spaces added": lambda _, text: re.sub(r"([0-9.]+)", r" \1 ", text),
    "Chinese, a small word dropped": lambda rng, text: re.sub("[的为和]", "", text, count=1),
}


def _digit(rng: random.Random, text: str) -> str:
    at = rng.choice([m.start() for m in re.finditer(r"\d", text)])
    return text[:at] + rng.choice([d for d in "0123456789" if d != str(int(text[at]))]) + text[at + 1 :]


def _point(rng: random.Random, text: str) -> str:
    found = rng.choice([*re.finditer(r"[0-9]+\.[0-9]+", text)] or [None])
    if found is None:
        return text
    a, b = found[0].split(".")
    moved = rng.choice([f"{a}{b[0]}.{b[1:]}" if len(b) > 1 else f"{a}{b}", f"{a[:-1] or '0'}.{a[-1]}{b}", a + b])
    return text[: found.start()] + moved + text[found.end() :]


def _sign(rng: random.Random, text: str) -> str:
    swaps = {"−": "", "<": ">", "=": "<", "±": "", "–": "", "%": "", " vs ": " vs −", "/": ""}
    here = [(m.start(), m[0]) for m in re.finditer(r"−|<|P = |P=|±|\d–\d|%| vs |\d/\d", text)]
    if not here:
        return text
    at, sign = rng.choice(here)
    key = next(k for k in swaps if k in sign)
    return text[:at] + sign.replace(key, swaps[key]) + text[at + len(sign) :]


def _number_gone(rng: random.Random, text: str) -> str:
    found = rng.choice([*re.finditer(r"[−(]?\d+(\.\d+)?%? ?", text)])
    return text[: found.start()] + text[found.end() :]


def _flip(rng: random.Random, text: str) -> str:
    here = [(a, b) for a, b in FLIPS if a in text]
    if not here:
        return text
    a, b = rng.choice(here)
    return text.replace(a, b, 1)


def _exchange(rng: random.Random, text: str) -> str:
    here = [(a, b) for a, b in EXCHANGES if re.search(rf"(?<![a-zA-Z]){a}(?![a-zA-Z])", text)]
    if not here:
        return text
    a, b = rng.choice(here)
    return re.sub(rf"(?<![a-zA-Z]){a}(?![a-zA-Z])", b, text, count=1)


DISHONEST: dict[str, Callable[[random.Random, str], str]] = {
    "ONE DIGIT CHANGED": _digit,
    "DECIMAL POINT MOVED": _point,
    "SIGN OR COMPARATOR CHANGED": _sign,
    "NUMBER DROPPED": _number_gone,
    "NEGATION OR CONTRAST FLIPPED": _flip,
    "ONE WORD FOR ANOTHER": _exchange,
}


def honest_cases(reports: list[Report], *, is_chinese: bool = False, each: int = 1) -> Iterator[Case]:
    rng = random.Random(7)
    for one in reports:
        for sentence in one.sentences:
            raw = one.pages[sentence.page][sentence.start : sentence.end]
            name = "Chinese, verbatim" if is_chinese else "verbatim"
            yield Case(variant=name, report=one, sentence=sentence, quote=raw, is_honest=True)
            for variant, change in (HONEST_ZH if is_chinese else HONEST).items():
                for _ in range(each):
                    quote = change(rng, sentence.text)
                    yield Case(variant=variant, report=one, sentence=sentence, quote=quote, is_honest=True)


def _bare(text: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text).lower()).rstrip(".。")


def dishonest_cases(reports: list[Report], *, is_chinese: bool = False) -> Iterator[Case]:
    """Quotes with one lie each, half of them with honest slips as well."""
    rng = random.Random(11)
    slips = [*(HONEST_ZH if is_chinese else HONEST).values()][:-1]
    for one in reports:
        everything = _bare("".join(sentence.text for sentence in one.sentences))
        for sentence in one.sentences:
            for variant, change in DISHONEST.items():
                copied = sentence.text if rng.random() < 0.5 else rng.choice(slips)(rng, sentence.text)
                quote = change(rng, copied)
                if quote == copied or _bare(quote) in everything:
                    continue
                name = f"{variant}, CHINESE" if is_chinese else variant
                yield Case(variant=name, report=one, sentence=sentence, quote=quote, is_honest=False)


def joined_cases(reports: list[Report]) -> Iterator[Case]:
    """Halves of two sentences of one paper, joined as if they were one statement."""
    rng = random.Random(13)
    for one in reports:
        for sentence in one.sentences:
            other = rng.choice(one.sentences)
            if other.text == sentence.text:
                continue
            first, last = sentence.text[: len(sentence.text) // 2], other.text[len(other.text) // 2 :]
            is_chinese = " " not in first
            quote = first + "…" + last if is_chinese else first.rpartition(" ")[0] + " … " + last.partition(" ")[2]
            name = "PARTS OF TWO SENTENCES"
            yield Case(variant=name, report=one, sentence=sentence, quote=quote, is_honest=False)


def foreign_cases(reports: list[Report]) -> Iterator[Case]:
    """Quotes of one paper looked for in another."""
    for one, other in zip(reports, [*reports[1:], reports[0]], strict=True):
        everything = "\n".join(sentence.text for sentence in one.sentences)
        for sentence in other.sentences:
            if sentence.text in everything:
                continue
            yield Case(
                variant="QUOTE OF ANOTHER PAPER", report=one, sentence=sentence, quote=sentence.text, is_honest=False
            )


def is_accepted(found: Grounding) -> bool:
    return found.verdict in {Verdict.VERIFIED, Verdict.VERIFIED_FUZZY}


def is_right_place(case: Case, found: Grounding) -> bool:
    """Whether the spans, or those of an alternative, lie in the sentence and reach its ends, but for punctuation."""
    here = case.sentence
    if any(span.page != here.page or span.start < here.start or span.end > here.end for span in found.spans):
        return False
    return abs(found.spans[0].start - here.start) <= 1 and abs(found.spans[-1].end - here.end) <= 2


@dataclass(slots=True, kw_only=True)
class Score:
    cases: int = 0
    accepted: int = 0
    right: int = 0
    seconds: float = 0.0


def score(cases: Iterator[Case], indexes: dict[int, Index]) -> dict[str, Score]:
    """What grounding makes of the cases, by variant. `indexes` is filled as reports are met."""
    scores: dict[str, Score] = {}
    for case in cases:
        index = indexes.get(id(case.report))
        if index is None:
            index = indexes[id(case.report)] = Index(case.report.pages)
        mine = scores.setdefault(case.variant, Score())
        began = time.process_time()
        found = ground(case.quote, index, case.sentence.page)
        mine.seconds += time.process_time() - began
        mine.cases += 1
        mine.accepted += is_accepted(found)
        mine.right += is_accepted(found) and is_right_place(case, found)
    return scores


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    english = [report(seed) for seed in range(count)]
    chinese = [report(100 + seed, is_chinese=True) for seed in range(count)]
    for name, reports in (("English", english), ("Chinese", chinese)):
        began = time.process_time()
        for one in reports:
            Index(one.pages)
        each = (time.process_time() - began) * 1000 / count
        characters = sum(len(page) for one in reports for page in one.pages) // count
        print(f"{name}: {count} reports of about {characters:,} characters, index {each:.0f} ms each")
    indexes: dict[int, Index] = {}
    print(f"{'variant':44}{'cases':>7}{'accepted':>10}{'right place':>13}{'ms a quote':>12}")
    for cases in (
        honest_cases(english),
        honest_cases(chinese, is_chinese=True),
        dishonest_cases(english),
        dishonest_cases(chinese, is_chinese=True),
        joined_cases(english),
        joined_cases(chinese),
        foreign_cases(english),
        foreign_cases(chinese),
    ):
        for variant, s in score(cases, indexes).items():
            accepted, right = 100 * s.accepted / s.cases, 100 * s.right / s.cases
            print(f"{variant:44}{s.cases:>7}{accepted:>9.2f}%{right:>12.2f}%{1000 * s.seconds / s.cases:>12.2f}")


if __name__ == "__main__":
    main()
