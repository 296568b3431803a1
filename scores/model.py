"""How well the configured model reads: the samples, whose answers are known, and trials with their registry records.

python3 dev.py scores --model --kept FILE [--board FOLDER] [--papers N] [--only SET] [--fields IDS] [--misses]

The model is the one of the environment, as for the workbench. Each paper is asked about by the workbench's own
interview and its answers are assessed as they would be there; only the database is left out. What came of a paper is
added to FILE when it ends, and papers that stand there are not asked again: a slow model takes days, and may be
stopped at any time. Of a folder with boards, the trials of `registry` are read as PDF, in an order drawn from their
names, so that the first ten are any ten.
"""

import argparse
import asyncio
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from ingather.engine.errors import UsageError
from ingather.extraction.conversation.interview import Interview, ModelAnswer
from ingather.extraction.conversation.listing import AGAIN
from ingather.extraction.findings import Answer, Finding, Row, State, Verdict
from ingather.extraction.proof.assess import assess
from ingather.extraction.provider import (
    ChatClient,
    ChatRequest,
    Endpoint,
    ErrorKind,
    Message,
    ModelError,
    Usage,
    Writing,
    parse_reply,
)
from ingather.extraction.template import Template, load_builtin_template, template_with_fields_selected
from ingather.settings import Settings
from ingather.workbench import endpoint_from
from scores.report import Report, Share
from tests.extraction.scores import SETS, judged, page_texts, papers

# Few enough that a model of two tokens a second ends a letter within an hour; from numbers to choices to names.
FIELDS: Final = (
    "n_randomised", "registration_id", "countries", "design", "sequence_method", "blind_participants",
    "blind_assessors", "funding_source", "arm_label", "arm_n_randomised",
)  # fmt: skip
# A task tries a document five times; here one call is tried as often, since nothing else is under way.
MOST_TRIES: Final = 5
_PASSING: Final = {ErrorKind.NETWORK, ErrorKind.TIMEOUT, ErrorKind.OVERLOADED}
_VERIFIED: Final = {Verdict.VERIFIED, Verdict.VERIFIED_FUZZY}
_MODELS: Final = {"PARALLEL": "parallel", "CROSSOVER": "crossover", "FACTORIAL": "factorial"}
_MASKED: Final = {"blind_participants": "PARTICIPANT", "blind_assessors": "OUTCOMES_ASSESSOR"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper and what it should say: by scope, as in the answers of a sample."""

    group: str
    path: Path
    right: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call about a paper. `outcome`: `ok`, or the kind of the error.

    `cached_tokens` are those of the prompt that the server had read before;
    `cells` are those that it was to answer, as row and field.
    """

    step: str
    outcome: str
    seconds: float
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cells: list[tuple[str, str]]


def measured(argv: list[str]) -> tuple[Report, bool]:
    """The report that the arguments ask for, and whether its misses are to be listed."""
    parser = argparse.ArgumentParser(prog="dev.py scores --model", description=__doc__)
    parser.add_argument(
        "--kept", type=Path, required=True, metavar="FILE", help="what came of each paper, to go on from"
    )
    parser.add_argument("--board", type=Path, metavar="FOLDER", help="the folder with the boards; without, the samples")
    parser.add_argument("--papers", type=int, metavar="N", help="ask about so many more, then report (all)")
    parser.add_argument("--fields", default=",".join(FIELDS), metavar="IDS", help="fields of rct, separated by commas")
    parser.add_argument("--only", metavar="SET", help="papers of this set: samples, held_out, registry (all)")
    parser.add_argument("--misses", action="store_true", help="list every miss")
    options = parser.parse_args(argv)
    fields = [name.strip() for name in options.fields.split(",") if name.strip()]
    try:
        report = score(options.kept, options.board, most=options.papers, field_ids=fields, only=options.only)
    except (FileNotFoundError, UsageError) as error:
        parser.error(f"{error}.")
    return report, options.misses


def score(kept: Path, folder: Path | None, *, most: int | None, field_ids: Sequence[str], only: str | None) -> Report:
    """Ask about the papers that are not kept yet, and report on all that are."""
    endpoint = endpoint_from(Settings.from_environment())
    if endpoint is None:
        raise FileNotFoundError("no model is configured: set INGATHER_LLM_BASE_URL and INGATHER_LLM_MODEL")
    template = template_with_fields_selected(load_builtin_template("rct"), list(field_ids))
    every = [*_samples(template), *(_trials(folder, template) if folder else ())]
    wanted = [paper for paper in every if only in {None, paper.group}]
    known = {record["paper"]: record for record in _read(kept)}
    left = [paper for paper in wanted if paper.path.name not in known]
    asyncio.run(_ask_about(left if most is None else left[:most], template, endpoint, kept))
    records = {record["paper"]: record for record in _read(kept)}
    return _report(endpoint.model, [(paper, records.get(paper.path.name)) for paper in wanted])


def _samples(template: Template) -> Iterator[Paper]:
    field_ids = {field.id for field in template.fields}
    for group, folder in SETS.items():
        for path, right in papers(folder):
            if "rct" in right:
                yield Paper(group=group, path=path, right=_only(right["rct"], field_ids))


def _only(right: dict[str, Any], field_ids: set[str]) -> dict[str, Any]:
    """What the file says of the fields that are asked."""
    kept: dict[str, Any] = {}
    for scope, known in right.items():
        if isinstance(known, dict):
            kept[scope] = {name: one for name, one in known.items() if name in field_ids}
        else:
            kept[scope] = [{name: one for name, one in entry.items() if name in field_ids} for entry in known]
    return {scope: known for scope, known in kept.items() if scope in {"study", "arm"}}


def _trials(folder: Path, template: Template) -> Iterator[Paper]:
    """Trials with a registry record. A paper may truly differ from its record, so a miss is to be looked at."""
    field_ids = {field.id for field in template.fields}
    records = sorted((folder / "registry" / "records").glob("*.json"), key=lambda path: _place(path.stem))
    for path in records:
        [pdf, *_] = [*sorted((folder / "pdf").glob(f"{path.stem}.*.pdf")), None]
        if pdf is not None:
            known = _registered(json.loads(path.read_text(encoding="utf-8"))["protocolSection"])
            yield Paper(
                group="registry", path=pdf, right={"study": {name: known[name] for name in known if name in field_ids}}
            )


def _place(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _registered(record: dict[str, Any]) -> dict[str, Any]:
    design = record.get("designModule", {})
    known: dict[str, Any] = {"registration_id": {"value": [record["identificationModule"]["nctId"]]}}
    if count := design.get("enrollmentInfo", {}).get("count"):
        known["n_randomised"] = {"value": count}
    if model := _MODELS.get(design.get("designInfo", {}).get("interventionModel", "")):
        known["design"] = {"value": model}
    masking = design.get("designInfo", {}).get("maskingInfo", {})
    if masking.get("masking"):
        for name, who in _MASKED.items():
            known[name] = {"value": "yes" if who in masking.get("whoMasked", ()) else "no"}
    return known


async def _ask_about(left: Sequence[Paper], template: Template, endpoint: Endpoint, kept: Path) -> None:
    async with ChatClient(endpoint) as client:
        for number, paper in enumerate(left, 1):
            sys.stderr.write(f"{number} of {len(left)}: {paper.path.name}\n")
            record = await _about(paper, template, client)
            with kept.open("a", encoding="utf-8") as out:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")


async def _about(paper: Paper, template: Template, client: ChatClient) -> dict[str, Any]:
    calls: list[Call] = []
    began, problem = time.monotonic(), ""
    pages = list(page_texts(paper.path))
    rows: list[Row] = []
    findings: list[Finding] = []
    try:
        await client.find_context()
        interview = Interview(template, pages, _asking(client, calls), context_tokens=lambda: client.context_tokens)
        result = await interview.run()
        rows = result.rows
        findings, _ = assess(template, pages, rows, result.answers, source=client.endpoint.model)
    except ModelError as error:
        problem = error.sentence
    return {
        "paper": paper.path.name,
        "model": client.endpoint.model,
        "characters": sum(map(len, pages)),
        "seconds": round(time.monotonic() - began),
        "problem": problem,
        "calls": [asdict(call) for call in calls],
        "rows": [asdict(row) for row in rows],
        "findings": [
            {name: getattr(one, name) for name in ("field", "row", "state", "value", "verdict")} for one in findings
        ],
    }


def _asking(client: ChatClient, calls: list[Call]) -> Any:
    """The calls of an interview, written down, with a line on the terminal while an answer is written."""

    async def ask(step: str, messages: tuple[Message, ...], schema: dict[str, Any], room: int) -> ModelAnswer:
        request = client.paced(ChatRequest(messages=messages, schema=schema, max_tokens=room, on_writing=_show(step)))
        for left in reversed(range(MOST_TRIES)):
            began, outcome, usage = time.monotonic(), "ok", Usage()
            try:
                reply = await client.complete(request)
                usage = reply.usage
                return ModelAnswer(object=parse_reply(reply), text=reply.text)
            except ModelError as error:
                outcome, usage = error.kind.value, error.usage or usage
                if error.kind not in _PASSING or not left:
                    raise
            finally:
                sys.stderr.write(f"\r{step}: {outcome}          \n")
                calls.append(
                    Call(
                        step=step,
                        outcome=outcome,
                        seconds=round(time.monotonic() - began, 1),
                        prompt_tokens=usage.prompt,
                        cached_tokens=usage.cached,
                        completion_tokens=usage.completion,
                        cells=_cells(schema),
                    )
                )
        raise AssertionError

    return ask


def _cells(schema: dict[str, Any]) -> list[tuple[str, str]]:
    """The cells that a form has answers for; none in that of a list of rows."""
    properties = schema["properties"]
    rows = [""]
    if "rows" in properties:
        properties = properties["rows"]["items"]["properties"]
        rows = properties["row"]["enum"]
    if "answers" not in properties:
        return []
    answer = properties["answers"]["items"]["properties"]
    rows = answer["row"]["enum"] if "row" in answer else rows
    return [(row, field) for row in rows for field in answer["field"]["enum"]]


def _show(step: str) -> Any:
    def show(writing: Writing) -> None:
        sys.stderr.write(f"\r{step}: about {writing.tokens} tokens in {writing.took_s:.0f} s")

    return show


def _read(kept: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()] if kept.is_file() else []


def _report(model: str, papers_and_records: Sequence[tuple[Paper, dict[str, Any] | None]]) -> Report:
    done = [(paper, record) for paper, record in papers_and_records if record is not None]
    calls = [call for _, record in done for call in record["calls"]]
    repairs = [call for call in calls if AGAIN in call["step"]]
    findings = [one for _, record in done for one in record["findings"]]
    reported = [one for one in findings if one["state"] == State.REPORTED]
    shares = [
        Share(name="papers that ended", right=sum(not record["problem"] for _, record in done), of=len(done)),
        Share(
            name="calls with an answer that could be read",
            right=sum(call["outcome"] == "ok" for call in calls),
            of=len(calls),
        ),
        Share(name="calls that were repairs", right=len(repairs), of=len(calls)),
        _mended(done),
        Share(name="cells that failed", right=_states(findings, State.FAILED), of=len(findings)),
        *(
            Share(name=f"reported and {verdict.value}", right=_verdicts(reported, verdict), of=len(reported))
            for verdict in Verdict
        ),
    ]
    misses: list[str] = []
    for group in dict.fromkeys(paper.group for paper, _ in done):
        shares += _quality(group, [(paper, record) for paper, record in done if paper.group == group], misses)
    notes = [_time(group, done) for group in dict.fromkeys(paper.group for paper, _ in done)]
    left = [paper.path.name for paper, record in papers_and_records if record is None]
    notes.append(f"not run: {len(left)} papers{': ' + ', '.join(left) if left else ''}")
    return Report(board=f"model {model}", shares=shares, misses=misses, notes=notes)


def _mended(done: Sequence[tuple[Paper, dict[str, Any]]]) -> Share:
    """How many cells were asked in repairs, and how many of them did not end as failed."""
    right = of = 0
    for _, record in done:
        states = {(one["row"], one["field"]): one["state"] for one in record["findings"]}
        cells = {tuple(cell) for call in record["calls"] if AGAIN in call["step"] for cell in call["cells"]}
        of += len(cells)
        right += sum(states.get(cell, State.FAILED) != State.FAILED for cell in cells)
    return Share(name="cells asked in repairs that have an answer now", right=right, of=of)


def _states(findings: Sequence[dict[str, Any]], state: State) -> int:
    return sum(one["state"] == state for one in findings)


def _verdicts(reported: Sequence[dict[str, Any]], verdict: Verdict) -> int:
    return sum(one["verdict"] == verdict for one in reported)


def _quality(group: str, done: Sequence[tuple[Paper, dict[str, Any]]], misses: list[str]) -> Iterator[Share]:
    """Precision and recall of a set of papers: of all answers, and of those with the mark."""
    for name, marked in (("", False), (", with the mark alone", True)):
        right = wrong = to_find = 0
        for paper, record in done:
            rows = [Row(**row) for row in record["rows"]]
            answers = [
                Answer(field=one["field"], row=one["row"], state=State(one["state"]), value=one["value"])
                for one in record["findings"]
                if not marked or one["verdict"] in _VERIFIED
            ]
            for field, counts, mistake in judged(paper.right, rows, answers):
                right, wrong, to_find = right + counts.right, wrong + counts.wrong, to_find + counts.to_find
                if mistake is not None and not marked:
                    misses.append(f"{paper.path.stem} {field}: expected {mistake[0]!r}, given {mistake[1]!r}")
        yield Share(name=f"{group}: precision{name}", right=right, of=right + wrong)
        yield Share(name=f"{group}: recall{name}", right=right, of=to_find)


def _time(group: str, done: Sequence[tuple[Paper, dict[str, Any]]]) -> str:
    mine = [record for paper, record in done if paper.group == group]
    seconds = sorted(one["seconds"] for one in mine)
    characters = sum(one["characters"] for one in mine)
    calls = [call for one in mine for call in one["calls"]]
    read, cached, written = (
        sum(call[name] for call in calls) for name in ("prompt_tokens", "cached_tokens", "completion_tokens")
    )
    return (
        f"{group}: {len(mine)} papers of {characters / len(mine):,.0f} characters, {len(calls)} calls, "
        f"{sum(seconds) / 60:,.0f} minutes, the middle paper {seconds[len(seconds) // 2] / 60:,.1f}; "
        f"tokens: {read:,} in, of which the server had {cached:,} in its cache, {written:,} out"
    )
