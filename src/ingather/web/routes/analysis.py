"""Analysis: comparisons pooled over studies, drawn, and what was refused."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from ingather.extraction.analysis.bias_pictures import draw_bias, draw_bias_summary
from ingather.extraction.analysis.choices import Choices, SharedGroups
from ingather.extraction.analysis.comparisons import Comparison
from ingather.extraction.analysis.conversions import FORMULA_TEXTS
from ingather.extraction.analysis.effects import Measure, shown
from ingather.extraction.analysis.flow import draw_flow
from ingather.extraction.analysis.forest import draw
from ingather.extraction.analysis.picture_labels import PictureLabels
from ingather.extraction.analysis.pooling import Pooled
from ingather.extraction.analysis.pools import Pool
from ingather.web import shapes
from ingather.web.access import Here, Who, task_for_access
from ingather.web.schemas.analysis import (
    AnalysisView,
    ComputedView,
    InputView,
    PooledView,
    PoolView,
    RefusedView,
)
from ingather.web.schemas.forms import Id

router = APIRouter(prefix="/extraction/tasks/{task_id}", tags=["analysis"])
Shared = Annotated[Literal["split", "combine"], Query()]
Correlation = Annotated[float | None, Query(ge=-1, le=1)]


def choices_of(shared: str, correlation: float | None) -> Choices:
    return Choices(shared=SharedGroups(shared), correlation=correlation)


@router.get("/analysis")
def analysis_route(
    task_id: Id,
    here: Here,
    who: Who,
    *,
    only_reviewed: Annotated[bool, Query()] = False,
    shared: Shared = "split",
    correlation: Correlation = None,
    language: Annotated[Literal["en", "zh"], Query()] = "en",
) -> AnalysisView:
    """Effects of all comparisons, pooled where two or more studies ask the same; refused ones with the reason.

    `shared` and `correlation` are the analyst's: groups that several
    comparisons of a study use are split among them or combined, and change
    scores are computed with a correlation of baseline and final values.
    """
    task = task_for_access(here, who, task_id)
    choices = choices_of(shared, correlation)
    found, methods = here.extraction.analysis(task_id, language=language, only_reviewed=only_reviewed, choices=choices)
    labels = PictureLabels(language)
    return AnalysisView(
        comparisons=len(found.comparisons),
        unjoined=len(here.extraction.suggestions(task.project_id)),
        pools=[_pool_view_for_analysis(pool, labels) for pool in found.pools],
        computed=[view for one in found.comparisons for view in _computed_views(one)],
        refused=[
            RefusedView(
                study=one.study,
                ordinal=one.ordinal,
                about=one.about,
                row=one.row,
                field=one.field,
                why=shapes.sentence_shape(one.why),
            )
            for one in found.refused
        ],
        bias=draw_bias(found.bias, labels) if found.bias else "",
        bias_summary=draw_bias_summary(found.bias, labels) if found.bias else "",
        flow=draw_flow(found.flow, labels),
        methods=methods,
    )


def _pool_view_for_analysis(pool: Pool, labels: PictureLabels) -> PoolView:
    return PoolView(
        question=pool.question.number,
        outcome=pool.outcome,
        timepoint=pool.timepoint,
        kind=pool.kind.value,
        is_change=pool.question.is_change,
        measure=pool.measure.value,
        studies=len(pool.lines),
        unreviewed=sum(not line.comparison.is_reviewed for line in pool.lines),
        repeated=len(pool.question.repeated),
        common=_pooled_view_for_analysis(pool.common, pool.measure),
        random=_pooled_view_for_analysis(pool.random, pool.measure),
        plot=draw(pool, labels),
    )


def _computed_views(comparison: Comparison) -> list[ComputedView]:
    about = f"{comparison.outcome}, {comparison.timepoint}: {comparison.intervention} vs {comparison.comparator}"
    return [
        ComputedView(
            study=comparison.study,
            ordinal=comparison.ordinal,
            about=about,
            column=name,
            number=figure.printed,
            formula=FORMULA_TEXTS[figure.formula][0],
            source=FORMULA_TEXTS[figure.formula][1],
            inputs=[
                InputView(row=one.row, field=one.field, printed=one.printed, quote=one.quote)
                for one in dict.fromkeys(figure.sources())
            ],
        )
        for name, figure in comparison.computed.items()
        if figure.formula
    ]


def _pooled_view_for_analysis(pooled: Pooled | None, measure: Measure) -> PooledView | None:
    if pooled is None:
        return None
    return PooledView(
        estimate=shown(measure, pooled.estimate),
        low=shown(measure, pooled.low),
        high=shown(measure, pooled.high),
        p=pooled.p,
        i2=pooled.i2,
        tau2=pooled.tau2,
    )
