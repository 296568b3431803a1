"""What a whole review gives an analyst: comparisons, pools, judgements of bias, and what was refused. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from ingather.extraction.analysis.bias import BiasRow, bias_of
from ingather.extraction.analysis.comparisons import Comparison, RefusedComparison, comparisons_of
from ingather.extraction.analysis.pools import Pool, pools_of
from ingather.extraction.findings import DocumentResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything that a review's documents say together."""

    comparisons: tuple[Comparison, ...]
    refused: tuple[RefusedComparison, ...]
    pools: tuple[Pool, ...]
    bias: tuple[BiasRow, ...]


def analyse(documents: Iterable[DocumentResult]) -> Analysis:
    """Reads the documents once, one at a time."""
    comparisons: list[Comparison] = []
    refused: list[RefusedComparison] = []
    bias: list[BiasRow] = []
    for document in documents:
        found = comparisons_of(document)
        comparisons += found.comparisons
        refused += found.refused
        bias += bias_of(document)
    return Analysis(
        comparisons=tuple(comparisons), refused=tuple(refused), pools=tuple(pools_of(comparisons)), bias=tuple(bias)
    )
