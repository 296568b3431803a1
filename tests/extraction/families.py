"""Made-up families of reports: trials with one to five reports each, told as journals, registries and meetings do.

The generator knows which report is of which trial, so what is suggested can be held against it. It makes what is hard
on purpose: groups that run several trials of one kind, registration that only some reports print, initials instead of
names, protocols years before results, pooled reports of two trials, and papers that share a title but no author.
"""

import random
from dataclasses import replace

from ingather.extraction.studies.report import Clues, ReportType, StudyReport

_DRUGS = (
    "zinc", "vitamin-D", "metformin", "aspirin", "yoga", "acupuncture", "mindfulness", "probiotics", "ketamine",
    "lutein", "iron", "melatonin",
)  # fmt: skip
_PEOPLE = (
    "children", "adults", "women", "veterans", "nurses", "students", "infants", "pensioners",
)  # fmt: skip
_CONDITIONS = (
    "chronic pain", "acute diarrhoea", "major depression", "type 2 diabetes", "knee osteoarthritis", "migraine",
    "insomnia", "asthma", "postpartum haemorrhage", "hypertension", "obesity", "neck pain",
)  # fmt: skip
_OUTCOMES = (
    "quality of life", "mortality", "sleep quality", "pain intensity", "costs", "adherence", "body weight",
    "blood pressure",
)  # fmt: skip
_NAMES = (
    "Smith", "Jones", "Wang", "Li", "Zhang", "Garcia", "Muller", "Rossi", "Kim", "Park", "Nguyen", "Silva", "Kumar",
    "Singh", "Brown", "Ivanov", "Sato", "Tanaka", "Ali", "Khan", "Hansen", "Larsen", "Novak", "Kowalski", "Dubois",
    "Moreau", "Costa", "Santos", "Okafor", "Mensah", "Haddad", "Cohen", "Levi", "Murphy", "Kelly", "Wilson",
    "Taylor", "Evans", "Thomas", "Roberts", "Walker", "Wright", "Green", "Baker", "Adams", "Nelson", "Carter",
    "Turner", "Phillips", "Campbell",
)  # fmt: skip
_GIVEN = (
    "Anna", "Ben", "Carla", "David", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Lars", "Mona",
    "Nils", "Olga", "Paul",
)  # fmt: skip


def families(trials: int, seed: int) -> tuple[list[StudyReport], dict[int, int]]:
    """Reports, each in a study of its own, and the trial that each is truly of."""
    chance = random.Random(seed)
    groups = [_group(chance) for _ in range(max(2, trials // 3))]
    reports: list[StudyReport] = []
    truth: dict[int, int] = {}
    for trial in range(trials):
        for clues in _family(chance, chance.choice(groups), trial):
            number = len(reports) + 1
            reports.append(StudyReport(id=number, study_id=number, sha256=None, file_name="", clues=clues))
            truth[number] = trial
    return reports, truth


def _group(chance: random.Random) -> list[str]:
    return [f"{chance.choice(_NAMES)}, {chance.choice(_GIVEN)}" for _ in range(chance.randint(3, 9))]


def _family(chance: random.Random, group: list[str], trial: int) -> list[Clues]:
    drug, people, condition = chance.choice(_DRUGS), chance.choice(_PEOPLE), chance.choice(_CONDITIONS)
    year, number = chance.randint(2005, 2020), f"NCT{10_000_000 + 7919 * trial:08d}"
    acronym = f"{drug[:2]}{condition[:3]}".upper().replace(" ", "") + str(trial) if chance.random() < 0.4 else ""
    size = chance.randint(40, 900)
    core = f"{drug} for {condition} in {people}"
    head = f"Effect of {core}: a randomised controlled trial" + (f" ({acronym})" if acronym else "")
    base = Clues(
        title=head,
        authors=tuple(group),
        year=year,
        doi=f"10.1000/j.{trial}.1",
        registrations=(number,) if chance.random() < 0.75 else (),
        sample_size=size,
        acronym=acronym,
    )
    made = [base]
    kinds = chance.sample(list(ReportType)[1:6], k=chance.choice([0, 0, 1, 1, 2, 3]))
    made += [_another(chance, base, kind, core, number) for kind in kinds]
    if chance.random() < 0.3:
        made.append(_secondary(chance, base, core, number))
    if chance.random() < 0.1:
        made.append(replace(base, title=head.upper(), doi="", authors=tuple(_short(one) for one in group)))
    return made


def _another(chance: random.Random, base: Clues, kind: ReportType, core: str, number: str) -> Clues:
    year = base.year or 2010
    known = (number,) if chance.random() < 0.8 else ()
    match kind:
        case ReportType.REGISTRY:
            return Clues(title=f"{core.capitalize()}", registrations=(number,), type=kind, sample_size=base.sample_size)
        case ReportType.PROTOCOL:
            title = f"{core.capitalize()}: study protocol for a randomised controlled trial"
            return replace(
                base, title=title, type=kind, year=year - 2, sample_size=None, registrations=known,
                doi=f"{base.doi}p", acronym="",
            )  # fmt: skip
        case ReportType.ABSTRACT:
            return replace(
                base, type=kind, doi="", year=year - 1, registrations=(), acronym="",
                authors=tuple(_short(one) for one in base.authors),
            )  # fmt: skip
        case ReportType.PREPRINT:
            return replace(base, type=kind, doi=f"10.1101/{base.doi[-5:]}", registrations=known)
    return replace(base, title=f"Supplement to: {base.title}", type=kind, doi="", registrations=known, sample_size=None)


def _secondary(chance: random.Random, base: Clues, core: str, number: str) -> Clues:
    outcome = chance.choice(_OUTCOMES)
    authors = list(base.authors)
    chance.shuffle(authors)
    return replace(
        base,
        title=f"{outcome.capitalize()} after {core}: secondary analysis",
        authors=tuple(authors[: max(2, len(authors) - 2)]),
        year=(base.year or 2010) + chance.randint(1, 4),
        doi=f"{base.doi}s",
        registrations=(number,) if chance.random() < 0.7 else (),
        acronym=base.acronym if chance.random() < 0.5 else "",
    )


def _short(author: str) -> str:
    name, given = author.split(", ")
    return f"{name} {given[0]}"
