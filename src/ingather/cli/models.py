"""`ingather model try`: what the configured model can do, measured in about a minute, and what to change."""

import asyncio
from argparse import Namespace
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from ingather.cli.output import output_hint, output_json, output_sentence, output_table
from ingather.cli.quantities import show_duration
from ingather.engine.errors import IngatherError, UsageError
from ingather.extraction.conversation.estimate import Estimate, EstimateRange, estimate_by_model, estimated_seconds_at
from ingather.extraction.conversation.sizes import call_sizes_for
from ingather.extraction.provider import ChatClient, Endpoint, ModelError, Rung, Trial, try_model
from ingather.extraction.template import Tier, load_builtin_template, template_with_fields_selected
from ingather.library.port import Length
from ingather.settings import Settings
from ingather.workbench import endpoint_from

# The task of the estimate: papers of ten pages each.
PAPERS = 10
PAPER = Length(characters=40_000, bytes=40_000)
# Below this a paper of ten pages goes in more than three parts, and a question cannot compare them.
SMALL_CONTEXT = 16_384
# Tokens a second below which a paper takes more than an hour.
SLOW_WRITING = 5.0

_RUNGS = {
    Rung.JSON_SCHEMA: "holds to a JSON schema",
    Rung.TOOLS: "holds to a schema that is given as a tool",
    Rung.JSON_OBJECT: "answers in JSON, but holds to no schema",
    Rung.PLAIN: "answers in words; JSON is looked for in them",
}


def try_model_command(arguments: Namespace) -> int:
    endpoint = endpoint_from(Settings.from_environment())
    if endpoint is None:
        raise UsageError("No model is configured. Set INGATHER_LLM_BASE_URL and INGATHER_LLM_MODEL, then try again.")
    output_hint(f"Trying {endpoint.model} at {endpoint.base_url}. A slow model takes some minutes.")
    try:
        trial = asyncio.run(_try_model_endpoint(endpoint))
    except ModelError as error:
        raise IngatherError(error.sentence) from error
    estimate = _estimate_for_model_try(endpoint, trial)
    advice = list(_advice_after_model_try(endpoint, trial))
    if arguments.json:
        output_json(_model_try_as_json(trial, estimate, advice))
        return 0
    output_table(["what", "seen"], list(_lines_of_model_try(endpoint, trial, estimate)), empty="")
    for sentence in advice or ["Nothing needs to be changed."]:
        output_sentence(sentence)
    return 0


async def _try_model_endpoint(endpoint: Endpoint) -> Trial:
    async with ChatClient(endpoint) as client:
        return await try_model(client)


def _estimate_for_model_try(endpoint: Endpoint, trial: Trial) -> tuple[Estimate, EstimateRange | None]:
    """What a task with the core fields of trials would take, and how long at the speeds that were measured."""
    whole = load_builtin_template("rct")
    template = template_with_fields_selected(whole, [field.id for field in whole.fields if field.tier is Tier.CORE])
    lengths = [PAPER] * PAPERS
    found = estimate_by_model(
        template, lengths, sizes=call_sizes_for(trial.context_tokens), at_once=1, model=endpoint.model
    )
    if not trial.reading or not trial.writing:
        return found, None
    return found, estimated_seconds_at(found, lengths, reading=trial.reading, writing=trial.writing)


def _lines_of_model_try(
    endpoint: Endpoint, trial: Trial, estimate: tuple[Estimate, EstimateRange | None]
) -> Iterator[tuple[str, str]]:
    found, seconds = estimate
    yield "server", f"{trial.server.name if trial.server else 'not one of those known'} at {endpoint.base_url}"
    yield "model", trial.capabilities.model or endpoint.model
    yield "form", _RUNGS[trial.capabilities.rung]
    yield "context", f"{trial.context_tokens:,} tokens" if trial.context_tokens else "not said; 128,000 are assumed"
    yield "reads", _speed_of_model_shown(trial.reading)
    yield "writes", _speed_of_model_shown(trial.writing)
    yield "reads a long text whole", {True: "yes", False: "no", None: "not seen"}[trial.reads_whole]
    yield "repeats itself", "yes" if trial.repeats else "not in this trial"
    task = f"{PAPERS} papers of ten pages, core fields of rct"
    yield task, f"{found.calls.low:,.0f} to {found.calls.high:,.0f} calls"
    if seconds:
        low, high = (show_duration(timedelta(seconds=round(bound))) for bound in (seconds.low, seconds.high))
        yield "their time, one call at a time", f"{low} to {high}"
    if found.cost:
        yield "their cost", f"{found.cost.low:.2f} to {found.cost.high:.2f} {found.cost.currency}"
    else:
        yield "their cost", "no price is known"
    yield "this trial took", show_duration(timedelta(seconds=round(trial.took_s)))


def _speed_of_model_shown(speed: float | None) -> str:
    return "not measured" if speed is None else f"{speed:,.1f} tokens a second"


def _advice_after_model_try(endpoint: Endpoint, trial: Trial) -> Iterator[str]:
    """What to change, most needed first."""
    larger = trial.server.advice if trial.server else "Start the server with a larger context."
    if trial.reads_whole is False:
        yield f"The beginning of a long text did not arrive, or was not understood. {larger}"
    elif trial.context_tokens is None:
        yield "The server does not say how large its context is. Set INGATHER_MODEL_CONTEXT if it is below 128,000."
    elif trial.context_tokens < SMALL_CONTEXT:
        yield f"In a context of {trial.context_tokens:,} tokens a paper goes in several parts. {larger}"
    if trial.is_listed is False:
        names = ", ".join(trial.capabilities.models or ())
        yield f"The server does not list {endpoint.model}; it took the name all the same. It lists: {names[:300]}."
    if trial.repeats:
        yield "The model repeats itself. Such answers are stopped and the rest is asked again. Try a larger model."
    if trial.writing is not None and trial.writing < SLOW_WRITING:
        yield "The model writes slowly. Choose few fields, set INGATHER_MODEL_AT_ONCE=1, and let tasks run over night."
    if trial.capabilities.rung in {Rung.JSON_OBJECT, Rung.PLAIN}:
        yield "The server holds its model to no schema, so more answers have to be asked for twice."


def _model_try_as_json(
    trial: Trial, estimate: tuple[Estimate, EstimateRange | None], advice: list[str]
) -> dict[str, Any]:
    found, seconds = estimate
    return {
        "server": trial.server.name if trial.server else None,
        "model": trial.capabilities.model,
        "rung": trial.capabilities.rung.value,
        "context_tokens": trial.context_tokens,
        "reading_tokens_per_s": trial.reading,
        "writing_tokens_per_s": trial.writing,
        "reads_whole": trial.reads_whole,
        "repeats": trial.repeats,
        "is_listed": trial.is_listed,
        "task": {
            "papers": PAPERS,
            "calls": [found.calls.low, found.calls.high],
            "seconds": [seconds.low, seconds.high] if seconds else None,
            "cost": [str(found.cost.low), str(found.cost.high), found.cost.currency] if found.cost else None,
        },
        "advice": advice,
        "took_s": round(trial.took_s, 1),
    }
