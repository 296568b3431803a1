"""What the text of a file says that tells which study it is of. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.registry.trial import RegisteredTrial
from ingather.extraction.rules import identity, randomised
from ingather.extraction.rules.authors import authors
from ingather.extraction.rules.sentences import sentences_of_pages
from ingather.extraction.studies.report import Clues, ReportType
from ingather.library.port import PrintedLine

# So many pages are read: a paper has fewer, and a thesis or a book says on its first ones whose it is.
_MOST_PAGES: Final = 40
# A file shorter than this, in characters, is an abstract or a poster: a paper has some twenty thousand.
ABSTRACT_LENGTH: Final = 6_000

_PROTOCOL: Final = re.compile(
    r"\b(?:protocol|rationale and (?:study )?design|study design|statistical analysis plan)\b|研究方案", re.IGNORECASE
)
_PREPRINT: Final = re.compile(r"\b(?:bio|med)rxiv\b|\bpreprints?\b|\bresearch square\b|\bssrn\b", re.IGNORECASE)
_PREPRINT_DOI: Final = re.compile(r"10\.(?:1101|21203|20944|2139|31219)/", re.IGNORECASE)
_SUPPLEMENT: Final = re.compile(r"\b(?:supplement\w*|appendix|appendices|esm)\b", re.IGNORECASE)
_PUBMED: Final = re.compile(r"\bPMID:? ?(\d{5,8})\b")
# Names of trials: three letters or more with capitals, in brackets or before a colon, or with `trial` behind them.
_ACRONYM: Final = re.compile(
    r"[(\[]([A-Z][A-Za-z]*[A-Z][A-Za-z0-9-]{1,14})(?: (?:trial|study))?[)\]]"
    r"|\bthe ([A-Z]{2}[A-Z0-9-]{1,14}) (?:randomi[sz]ed |clinical |controlled )*(?:trial|study)\b"
    r"|\b([A-Z]{2}[A-Z0-9-]{1,14}) (?:randomi[sz]ed |clinical |controlled )*(?:trial|study)\b"
    r"|^([A-Z]{2}[A-Z0-9-]{2,14}):"
)
# Short forms that name a method or a disease and no trial.
_NO_ACRONYM: Final = frozenset({
    "RCT", "RCTS", "HIV", "AIDS", "COPD", "ADHD", "PTSD", "NSCLC", "CKD", "ESRD", "COVID-19", "COVID", "SARS-COV-2",
    "BMI", "DNA", "RNA", "USA", "MRI", "CT", "ICU", "CONSORT", "NCT", "ISRCTN", "WHO", "RP", "GERD", "IBS", "IBD",
    "PCOS", "CBT", "TENS", "FEV1", "HBV", "HCV", "T2DM", "T1DM", "DM", "AF", "MS", "ALS", "PD", "AD", "OA", "RA",
    "OCD", "CABG", "PCI", "TIA", "AMI", "STEMI", "ACS", "CHF", "HFREF", "HFPEF",
})  # fmt: skip


def clues_of_pages(pages: Sequence[str], first_page: Sequence[PrintedLine] = (), file_name: str = "") -> Clues:
    """What the rules find in a paper's own words; the rules are those that answer the fields of the same name."""
    document = sentences_of_pages(pages[:_MOST_PAGES])
    answers = [*identity.identity_answers(document, first_page).values(), randomised.randomised_answer(document)]
    found = {one.field: one for one in answers if one.state is State.REPORTED}
    front = pages[0] if pages else ""
    title = _text_of_answer(found.get("title"))
    pubmed = _PUBMED.search(front)
    doi = _text_of_answer(found.get("doi"))
    year, size = found.get("publication_year"), found.get("n_randomised")
    return Clues(
        title=title,
        authors=tuple(authors(front, title)),
        year=int(year.value) if year and isinstance(year.value, int) else None,
        doi=doi,
        pmid=pubmed[1] if pubmed else "",
        journal=_text_of_answer(found.get("journal")),
        registrations=_list_of_answer(found.get("registration_id")),
        sample_size=size.value if size and isinstance(size.value, int) else None,
        acronym=acronym_of(title),
        type=type_of_paper(title, doi, sum(map(len, pages)), file_name, front),
    )


def clues_of_trial(trial: RegisteredTrial) -> Clues:
    """The clues of a registry's record. Its officials are often among the authors of its reports."""
    return Clues(
        title=trial.title,
        authors=tuple(name.split(",", 1)[0] for name in trial.officials),
        year=int(trial.start[:4]) if trial.start[:4].isdigit() else None,
        registrations=(trial.id,),
        sample_size=trial.enrolment if trial.is_enrolment_final else None,
        acronym=trial.acronym or acronym_of(trial.title),
        type=ReportType.REGISTRY,
    )


def acronym_of(title: str) -> str:
    """The name of the trial in a title, such as `PACE`."""
    for match in _ACRONYM.finditer(title):
        name = next(group for group in match.groups() if group)
        if name.upper() not in _NO_ACRONYM:
            return name
    return ""


def type_of_paper(title: str, doi: str, length: int, file_name: str, front: str = "") -> ReportType:
    if _SUPPLEMENT.search(file_name.replace("_", " ")) or _SUPPLEMENT.match(front.strip()[:40]):
        return ReportType.SUPPLEMENT
    if _PREPRINT_DOI.match(doi) or _PREPRINT.search(front[:1500]):
        return ReportType.PREPRINT
    if _PROTOCOL.search(title):
        return ReportType.PROTOCOL
    return ReportType.ABSTRACT if 0 < length < ABSTRACT_LENGTH else ReportType.ARTICLE


def _text_of_answer(answer: Answer | None) -> str:
    return str(answer.value) if answer is not None else ""


def _list_of_answer(answer: Answer | None) -> tuple[str, ...]:
    if answer is None:
        return ()
    return tuple(answer.value) if isinstance(answer.value, list) else (str(answer.value),)
