"""Analysis: comparisons pooled over studies, drawn, and what was refused."""

from typing import Annotated

from fastapi import APIRouter, Query

from ingather.extraction.analysis.bias import draw_bias
from ingather.extraction.analysis.effects import Measure, shown
from ingather.extraction.analysis.forest import draw
from ingather.extraction.analysis.pooling import Pooled
from ingather.extraction.analysis.pools import Pool
from ingather.web import shapes
from ingather.web.access import Here, Who, task_for
from ingather.web.schemas.analysis import AnalysisView, PooledView, PoolView, RefusedView
from ingather.web.schemas.forms import Id

router = APIRouter(prefix="/extraction/tasks/{task_id}", tags=["analysis"])


@router.get("/analysis")
def analysis(task_id: Id, here: Here, who: Who, *, only_reviewed: Annotated[bool, Query()] = False) -> AnalysisView:
    """Effects of all comparisons, pooled where two or more studies ask the same; refused ones with the reason."""
    task_for(here, who, task_id)
    found = here.extraction.analysis(task_id, only_reviewed=only_reviewed)
    return AnalysisView(
        comparisons=len(found.comparisons),
        pools=[_pool_view(pool) for pool in found.pools],
        refused=[
            RefusedView(
                study=one.study,
                ordinal=one.ordinal,
                about=one.about,
                row=one.row,
                field=one.field,
                why=shapes.sentence(one.why),
            )
            for one in found.refused
        ],
        bias=draw_bias(found.bias) if found.bias else "",
    )


def _pool_view(pool: Pool) -> PoolView:
    return PoolView(
        outcome=pool.outcome,
        timepoint=pool.timepoint,
        kind=pool.kind.value,
        measure=pool.measure.value,
        studies=len(pool.lines),
        unreviewed=sum(not line.comparison.is_reviewed for line in pool.lines),
        common=_pooled_view(pool.common, pool.measure),
        random=_pooled_view(pool.random, pool.measure),
        plot=draw(pool),
    )


def _pooled_view(pooled: Pooled | None, measure: Measure) -> PooledView | None:
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
