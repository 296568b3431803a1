"""The names that a paper gives its arms: `group A`, `HF-WBI`, `the combination`. Pure.

A name counts for an arm only where the paper itself shows whose it is: the
letters are those of the arm's words and of no other arm's, or the words of one
arm alone stand where the name is explained. What fits two arms names none.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from ingather.extraction.ground.folding import fold_text
from ingather.extraction.ground.lexicon import is_real_in_lexicon

ArmName = tuple[str, str]  # the key of an arm, and a folded name

_SIGN: Final = r"(?:[a-d]|[1-4]|i{1,3}|iv|one|two|three)"
_LETTERED: Final = re.compile(
    rf"(?<![a-z])(?P<head>groups?|arms?|cohorts?|regimens?)[ -](?P<signs>{_SIGN}(?![a-z0-9]|\.[0-9])"
    rf"(?:(?:, (?:and |or )?| and | or | vs\.? | versus |/| & )(?:(?:group|arm)[ -])?{_SIGN}(?![a-z0-9]|\.[0-9]))*)"
    r"|(?<![a-z0-9])(?P<signs2>[a-d])[ -](?P<head2>groups?|arms?)(?![a-z])"
)
_ONE_SIGN: Final = re.compile(rf"(?<![a-z0-9]){_SIGN}(?![a-z0-9])")
# So far behind a lettered group its explanation reaches, if no other group and no full stop comes before.
_EXPLAINED_WITHIN: Final = 130
_BEFORE_WITHIN: Final = 110
_EXPLAINS: Final = re.compile(
    r"[)\]]?,? ?(?:[:=(\[,-]|n ?=|(?:patients? |participants? |women |subjects? )?(?:who |that )?"
    r"(?:was|were|had|has|received|receiving|receives|underwent|undergoing|consisted|included|comprised|used|took"
    r"|with|given|treated|will|is|are|of))"
)
_SHORT: Final = re.compile(r"(?<![A-Za-z0-9-])[A-Z][A-Za-z0-9]*(?:[-/+][A-Za-z0-9]+)*[A-Z0-9+](?![A-Za-z0-9])")
_CALLED_GROUP: Final = re.compile(r"[- ](?:treated |control )?(?:groups?|arms?|patients|participants|women)(?![a-z])")
_SMALL: Final = frozenset("of the and in a an for to with or on by at from plus vs versus".split())  # noqa: SIM905
# A short name that is also one of these cannot be told from it once case is folded.
_COMMON: Final = {
    *("it", "us", "as", "at", "on", "in", "is", "or", "an", "no", "to", "we", "be", "so", "do", "if", "by", "of", "he"),
    *(
        "me",
        "my",
        "up",
        "go",
        "and",
        "was",
        "the",
        "all",
        "can",
        "are",
        "has",
        "had",
        "may",
        "not",
        "but",
        "for",
        "who",
    ),
    *("one", "two", "per", "day", "days", "arm", "men", "age", "ages"),
}
_COMBINED: Final = re.compile(r"(?<![a-z])(?:plus|and|with|combin\w+|followed by|added)(?![a-z])|\+|/")
_ALONE: Final = re.compile(r"(?<![a-z])(?:alone|only|monotherapy|single[- ]agent)(?![a-z])")


def group_names_of_arms(
    text: str, arms: Mapping[str, str], own: Mapping[str, Sequence[str]], short: Sequence[tuple[str, str]]
) -> tuple[ArmName, ...]:
    """The further names of each arm. `own` are the words that only its label has, `short` what is abbreviated."""
    folded = fold_text(text).text
    brief = [*_short_group_names(text, arms, own, short), *_group_names_in_brackets(text, own, short)]
    telling = {
        key: (*own.get(key, ()), fold_text(label).text, *(name for name_key, name in brief if name_key == key))
        for key, label in arms.items()
    }
    seeds = {name: key for key, label in arms.items() if is_lettered_group_name(name := fold_text(label).text)}
    found = [
        *brief,
        *_lettered_group_names(folded, telling, seeds),
        *_group_names_by_composition(arms),
    ]  # fmt: skip
    owners: dict[str, set[str]] = {}
    for key, name in found:
        owners.setdefault(name, set()).add(key)
    labels = {fold_text(label).text for label in arms.values()}
    sure = {name: next(iter(keys)) for name, keys in owners.items() if len(keys) == 1 and name not in labels}
    # `P2` and `P4` are two groups, whatever letters they share: one arm has not both names.
    alike = Counter((key, re.sub(r"[0-9]", "#", name)) for name, key in sure.items() if re.search(r"[0-9]", name))
    alike.update((key, "lettered " + name.split(" ")[0]) for name, key in sure.items() if is_lettered_group_name(name))
    return tuple(
        (key, name) for name, key in sure.items()
        if alike[key, re.sub(r"[0-9]", "#", name)] <= 1
        and (not is_lettered_group_name(name) or alike[key, "lettered " + name.split(" ")[0]] <= 1)
    )  # fmt: skip


def _short_group_names(
    text: str, arms: Mapping[str, str], own: Mapping[str, Sequence[str]], short: Sequence[tuple[str, str]]
) -> list[ArmName]:
    """Names in capitals whose letters are those of one arm's words, each used as a name more than once."""
    counts = Counter(found[0] for found in _SHORT.finditer(text))
    explained: dict[str, set[str]] = {}
    for long, brief in short:
        explained.setdefault(brief, set()).add(long)
    found = []
    for name in counts:
        brief = fold_text(name).text
        fitting = [key for key, label in arms.items() if is_group_name_short_for(name, label, own.get(key, ()))]
        if brief in explained:
            # A short name means what the paper explains: `TC` of `docetaxel and cyclophosphamide (TC)`.
            carrying = {
                key for key in arms for long in explained[brief] if _shares_terms_of_group_name(long, own.get(key, ()))
            }
            fitting = [*carrying]
        if len(fitting) == 1 and not (brief in _COMMON if brief in explained else is_real_in_lexicon(brief)):
            found.append((fitting[0], brief))
    return found


def _shares_terms_of_group_name(long: str, terms: Sequence[str]) -> bool:
    return any(re.search(rf"(?<![a-z0-9]){re.escape(term)}(?:s|es|ed|ing)?(?![a-z0-9])", long) for term in terms)


# Shorter than this, letters fit words by chance.
_LEAST_LETTERS: Final = 3


def is_group_name_short_for(name: str, label: str, own: Sequence[str]) -> bool:
    """Whether the letters of a name in capitals are the initials of a label's words, or begin its own word."""
    letters = re.sub(r"[^a-z0-9]", "", name.casefold())
    terms = [term for term in re.findall(r"[a-z]+|[0-9]+", fold_text(label).text) if term not in _SMALL]
    if len(letters) < _LEAST_LETTERS and not any(c.isdigit() for c in letters):
        return False
    initials = "".join(term[0] for term in terms)
    if len(letters) >= _LEAST_LETTERS and letters in initials and len(letters) * 2 >= len(initials):
        return True
    if len(letters) >= _LEAST_LETTERS and any(term.startswith(letters) for term in own):
        return True
    return any(c.isdigit() for c in letters) and len(letters) > 1 and _group_name_is_spelt_by_initials(letters, terms)


def _group_name_is_spelt_by_initials(letters: str, terms: Sequence[str]) -> bool:
    at = 0
    for letter in letters:
        at = next((n + 1 for n in range(at, len(terms)) if terms[n].startswith(letter)), -1)
        if at < 0:
            return False
    return True


_IN_BRACKETS: Final = re.compile(r"[(\[] ?([A-Z][A-Za-z0-9/+-]{1,9})(?= ?[;,)\]=:])")
# These stand in brackets and name no group.
_NO_GROUP: Final = {
    *("HR", "CI", "OR", "RR", "SD", "SE", "SEM", "IQR", "CR", "PR", "ITT", "PP", "BMI", "US", "USA", "UK", "II", "III"),
    *("IV", "NS", "ER", "HER2", "RCT", "DFS", "OS", "PFS", "TTP", "QOL", "MRI", "CT", "AE", "AES"),
}
# So many words may stand between an arm's own word and the brackets.
_NEAR_BRACKETS: Final = 4


def _group_names_in_brackets(
    text: str, own: Mapping[str, Sequence[str]], short: Sequence[tuple[str, str]]
) -> list[ArmName]:
    """`doxorubicin plus cyclophosphamide (AC)`: a short name right behind the words of one arm."""
    explained = {brief for _, brief in short}
    votes: dict[str, set[str]] = {}
    for one in _IN_BRACKETS.finditer(text):
        brief = fold_text(one[1]).text
        if one[1] in _NO_GROUP or brief in explained or not re.search(r"[A-Z].*[A-Z0-9]", one[1]):
            continue
        window = fold_text(text[max(0, one.start() - 80) : one.start()]).text
        window = re.split(r"[.;,()]|(?<![a-z])(?:or|versus|vs|compared)(?![a-z])", window)[-1]
        near = " ".join(window.split()[-_NEAR_BRACKETS:])
        if re.search(r"(?<![a-z])(?:without|no|not|non)(?![a-z])", near):
            continue
        votes.setdefault(brief, set()).update(
            key for key, terms in own.items() if _shares_terms_of_group_name(near, terms)
        )
    return [(key, brief) for brief, keys in votes.items() for key in keys]


def _lettered_group_names(text: str, own: Mapping[str, Sequence[str]], labels: Mapping[str, str]) -> list[ArmName]:
    """`group A`, by the words of one arm that stand behind it or, where it stands in brackets, before it."""
    mentions = lettered_group_names_in(text)
    votes: dict[str, Counter[str]] = {}
    for n, (name, start, end) in enumerate(mentions):
        votes.setdefault(name, Counter())
        following = mentions[n + 1][1] if n + 1 < len(mentions) else len(text)
        before = mentions[n - 1][2] if n else 0
        for window in _windows_around_group_name(text, (start, end), before, following):
            hits = [key for key, terms in own.items() if _shares_terms_of_group_name(window, terms)]
            if len(hits) == 1:
                votes[name][hits[0]] += 1
                break
    sure = {name: next(iter(count)) for name, count in votes.items() if len(count) == 1} | dict(labels)
    return [*((key, name) for name, key in sure.items()), *_group_names_left_over(votes, sure, list(own))]


def _windows_around_group_name(text: str, place: tuple[int, int], before: int, following: int) -> list[str]:
    """Where a lettered group is explained: right before it in brackets, or right behind it."""
    found = []
    start, end = place
    opening = text[max(0, start - 25) : start]
    is_bracketed = re.search(r"[(\[](?: ?[a-z0-9 =+/-]{1,12}[,;])? ?$", opening) is not None
    if is_bracketed and re.match(r" ?[)\]]|[,;:] ?(?:n ?=|[0-9])", text[end : end + 8]):
        left = text[max(before, start - _BEFORE_WITHIN) : start]
        found.append(re.split(r"[;]|\. |(?<![a-z])(?:or|versus|vs\.?)(?![a-z])", left)[-1])
    if _EXPLAINS.match(text, end):
        right = text[end : min(following, end + _EXPLAINED_WITHIN)]
        found.append(re.split(r"[;]|\. ", right)[0])
    return found


def lettered_group_names_in(text: str) -> list[tuple[str, int, int]]:
    """The lettered groups that a folded text names, each with its place: `group a` for `groups A and B`, `A group`."""
    found = []
    for one in _LETTERED.finditer(text):
        head = (one["head"] or one["head2"]).removesuffix("s")
        group = "signs" if one["signs"] else "signs2"
        signs = [*_ONE_SIGN.finditer(text, one.start(group), one.end(group))]
        for n, sign in enumerate(signs):
            start = one.start() if n == 0 else sign.start()
            found.append((f"{head} {sign[0]}", start, one.end() if group == "signs2" else sign.end()))
    return found


def is_lettered_group_name(name: str) -> bool:
    return _LETTERED.fullmatch(name) is not None


def _group_names_left_over(
    votes: Mapping[str, Counter[str]], sure: Mapping[str, str], keys: Sequence[str]
) -> list[ArmName]:
    """Of two groups and two arms, what is not the one is the other."""
    heads: dict[str, list[str]] = {}
    for name in votes:
        heads.setdefault(name.split(" ")[0], []).append(name)
    found = []
    for names in heads.values():
        known = [name for name in names if name in sure]
        open_ = [name for name in names if name not in sure and not votes[name]]
        if len(keys) == 2 and len(names) == 2 and len(known) == 1 and len(open_) == 1:
            found.append((next(key for key in keys if key != sure[known[0]]), open_[0]))
    return found


def _group_names_by_composition(arms: Mapping[str, str]) -> list[ArmName]:
    """`the combination` and `monotherapy`, where one arm is a combination and the other is not."""
    folded = {key: fold_text(label).text for key, label in arms.items()}
    combined = [key for key, label in folded.items() if _COMBINED.search(label) and not _ALONE.search(label)]
    single = [key for key in folded if key not in combined]
    if len(combined) != 1 or len(single) != 1:
        return []
    forms = ("combination", "combination therapy", "combination group", "combination arm", "combined treatment")
    names = [(combined[0], name) for name in forms]
    return [*names, *((single[0], name) for name in ("monotherapy", "monotherapy arm", "monotherapy group"))]
