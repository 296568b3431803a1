"""What one person may see of a document that two people review independently of each other. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from ingather.extraction.findings import REVIEWER, DocumentResult, Finding, Review, State, Verdict
from ingather.extraction.reviewing.standing import Place, by_cell, reviewed, standing
from ingather.extraction.reviewing.votes import VotePair
from ingather.extraction.template import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnView:
    """The reviews that lie over a document for one side: those that everybody sees, and its own votes.

    `settled` are the cells whose reviews everybody sees; a vote has no place
    there any more. `paired` are those that both sides have judged.
    """

    reviews: tuple[Review, ...]
    settled: frozenset[Place]
    paired: frozenset[Place]

    @property
    def closed(self) -> frozenset[Place]:
        return self.settled | self.paired


def own_view(shared: Sequence[Review], mine: Iterable[Review], pairs: Iterable[VotePair]) -> OwnView:
    """What one side sees; `mine` are the votes of that side and of no other."""
    settled = frozenset(place for place, history in by_cell(shared).items() if standing(history))
    seen = [one for one in shared if (one.row, one.field) in settled]
    own = [one for one in mine if (one.row, one.field) not in settled]
    return OwnView(reviews=(*seen, *own), settled=settled, paired=frozenset((pair.row, pair.field) for pair in pairs))


def seen_document(
    template: Template, found: DocumentResult, view: OwnView, pairs: Collection[VotePair], *, hides_extractor: bool
) -> DocumentResult:
    """The document as one side sees it: as extracted, or with empty cells where neither side may see that yet."""
    laid = reviewed(template, found, view.reviews) if view.reviews else found
    conflicts = tuple(pair.place for pair in pairs if pair.is_open)
    laid = replace(laid, conflicts=conflicts)
    return without_extractor(laid, view.closed) if hides_extractor else laid


def without_extractor(found: DocumentResult, shown: Collection[Place]) -> DocumentResult:
    """The document without what was extracted, but for the cells that are `shown`; own answers stay.

    Rows stay, since they are where answers are given. What rules say of
    answers goes, since it tells what these are.
    """
    kept = [one if (one.row, one.field) in shown else _own_answer(one) for one in found.findings]
    flags = tuple(flag for flag in found.flags if not flag.fields)
    return replace(found, findings=tuple(one for one in kept if one is not None), flags=flags, arms=())


def _own_answer(finding: Finding) -> Finding | None:
    """What a person gave, without the quote and the verdict of what was extracted."""
    if finding.review is None or not finding.is_reviewed:
        return None
    was_given = finding.state is State.REPORTED
    return Finding(
        field=finding.field,
        row=finding.row,
        state=finding.state,
        value=finding.value if was_given else None,
        quote="",
        verdict=Verdict.NO_QUOTE,
        spans=(),
        source=REVIEWER,
        review=finding.review,
    )
