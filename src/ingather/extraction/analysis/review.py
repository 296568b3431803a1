"""What a whole review gives an analyst: comparisons, pools, judgements of bias, and what was refused. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from ingather.extraction.analysis.bias import BiasRow, bias_of
from ingather.extraction.analysis.choices import Choices
from ingather.extraction.analysis.comparisons import Comparison, RefusedComparison
from ingather.extraction.analysis.flow import FlowCounts, FlowTally, counted_flow
from ingather.extraction.analysis.pools import Pool, pools_of
from ingather.extraction.analysis.study_numbers import USUAL, comparisons_of
from ingather.extraction.findings import DocumentResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything that a review's documents say together, under the choices of the analyst."""

    choices: Choices
    comparisons: tuple[Comparison, ...]
    refused: tuple[RefusedComparison, ...]
    pools: tuple[Pool, ...]
    bias: tuple[BiasRow, ...]
    flow: FlowCounts


def analyse(
    documents: Iterable[DocumentResult], choices: Choices = USUAL, recorded: FlowCounts | None = None
) -> Analysis:
    """Reads the documents once, one at a time. `recorded`: the flow of the review that its project has recorded."""
    comparisons: list[Comparison] = []
    refused: list[RefusedComparison] = []
    bias: list[BiasRow] = []
    flow = FlowTally()
    for document in documents:
        flow.add(document)
        found = comparisons_of(document, choices)
        comparisons += found.comparisons
        refused += found.refused
        bias += bias_of(document)
    return Analysis(
        choices=choices,
        comparisons=tuple(comparisons),
        refused=tuple(refused),
        pools=tuple(pools_of(comparisons)),
        bias=tuple(bias),
        flow=counted_flow(recorded, flow.counts(comparisons)),
    )
