"""What a task is said to take, held against what the ledger says it took."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.extraction.conversation.estimate import (
    estimate_by_model,
    estimate_by_rules,
    estimated_document_tokens,
    scaled_estimate,
)
from ingather.extraction.conversation.sizes import Sizes
from ingather.extraction.provider import Endpoint, estimate_tokens
from ingather.extraction.template import load_builtin_template
from ingather.library.parse import parse_in_jail
from ingather.library.port import Length
from tests.extraction.desk import Bench, paper
from tests.provider.reader import answer
from tests.provider.server import Provider

SAMPLES = Path(__file__).parents[2] / "samples"
PAPERS = ("rct_veratrol", "rct_cordil", "rct_chinese")


def text_of(name: str) -> str:
    path = SAMPLES / f"{name}.pdf"
    return "\f".join(page.text for page in parse_in_jail(path, name=path.name).pages)


def length_of(text: str) -> Length:
    return Length(characters=len(text), bytes=len(text.encode()))


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider(answerer=answer) as provider:
        yield provider


@pytest.mark.parametrize("template", ["rct", "qc"])
def test_what_was_used_lies_within_what_was_foreseen(
    url: str, tmp_path: Path, provider: Provider, template: str
) -> None:
    """The reading model writes as much as the rules find, which is less than most models would."""
    engine = Engine(url, lease=1)
    bench = Bench(engine, tmp_path, Endpoint.of(provider.base_url, "gpt-4.1-mini", "sk-test-0123456789")).open()
    documents = bench.add(text_of(name) for name in PAPERS)
    engine.worker(concurrency=20).drain()
    foreseen, unread, unreadable = bench.extraction.estimate(bench.project, template, documents)
    assert (foreseen.documents, unread, unreadable) == (3, 0, 0)

    task, _ = bench.extraction.start_task(bench.project, template, documents)
    engine.worker(concurrency=20).drain()
    spent = bench.extraction.status(task.id).spent
    learnt, _, _ = bench.extraction.estimate(bench.project, template, documents)
    assert learnt.seconds.high < foreseen.seconds.high, "this model is quicker than was assumed"
    engine.close()
    assert foreseen.calls.low <= spent.calls <= foreseen.calls.high
    assert foreseen.tokens_in.low * 0.8 <= spent.prompt_tokens <= foreseen.tokens_in.high
    assert foreseen.tokens_out.low * 0.8 <= spent.completion_tokens <= foreseen.tokens_out.high
    assert foreseen.cost is not None
    assert spent.cost is not None
    assert foreseen.cost.currency == spent.currency
    assert foreseen.cost.low * Decimal("0.8") <= spent.cost <= foreseen.cost.high
    assert foreseen.seconds.low < foreseen.seconds.high


def test_length_in_bytes_is_enough_to_count_tokens() -> None:
    for text in ("The trial randomised 120 adults. " * 50, "本研究为平行设计、优效性、随机双盲试验。" * 50):
        assert estimated_document_tokens(length_of(text)) == pytest.approx(estimate_tokens(text), rel=0.02)


def test_more_documents_fields_and_parts_cost_more_and_hands_shorten_it() -> None:
    rct = load_builtin_template("rct")
    length = Length(characters=60_000, bytes=60_000)
    one = estimate_by_model(rct, [length], sizes=Sizes(document=60_000), at_once=1, model="gpt-4.1-mini")
    ten = estimate_by_model(rct, [length] * 10, sizes=Sizes(document=60_000), at_once=1, model="gpt-4.1-mini")
    quick = estimate_by_model(rct, [length] * 10, sizes=Sizes(document=60_000), at_once=10, model="gpt-4.1-mini")
    parts = estimate_by_model(rct, [length], sizes=Sizes(document=5_000), at_once=1, model="gpt-4.1-mini")
    assert one.cost is not None
    assert ten.cost is not None
    assert ten.cost.high == pytest.approx(10 * one.cost.high, rel=Decimal("0.001"))
    assert ten.seconds.high == pytest.approx(10 * quick.seconds.high)
    assert parts.calls.low == 3 * one.calls.low
    assert scaled_estimate(one, 10).tokens_in.high == pytest.approx(ten.tokens_in.high)


def test_a_price_that_is_not_known_is_not_guessed() -> None:
    found = estimate_by_model(
        load_builtin_template("qc"),
        [length_of(paper(1))],
        sizes=Sizes(document=60_000),
        at_once=1,
        model="my-own-model",
    )
    assert found.cost is None
    assert found.tokens_in.low > 0


def test_rules_cost_nothing_but_time() -> None:
    found = estimate_by_rules([length_of(paper(1))] * 100, workers=2)
    assert (found.cost, found.calls.high, found.tokens_in.high) == (None, 0, 0)
    assert 0 < found.seconds.low < found.seconds.high
    assert estimate_by_rules([], workers=0).seconds.high == 0


def test_what_was_not_read_counts_as_the_others_and_what_cannot_be_read_costs_nothing(
    url: str, tmp_path: Path, provider: Provider
) -> None:
    engine = Engine(url, lease=1)
    bench = Bench(engine, tmp_path, Endpoint.of(provider.base_url, "gpt-4.1-mini")).open()
    known = bench.add([paper(1), "bad file"])
    engine.worker(concurrency=20).drain()
    [unread] = bench.add([paper(2)])
    one, _, _ = bench.extraction.estimate(bench.project, "rct", known[:1])
    all_three, waiting, unreadable = bench.extraction.estimate(bench.project, "rct", [*known, unread])
    assert (all_three.documents, waiting, unreadable) == (2, 1, 1)
    assert all_three.tokens_in.high == pytest.approx(2 * one.tokens_in.high)
    nothing, waiting, _ = bench.extraction.estimate(bench.project, "rct", [unread])
    assert (nothing.documents, waiting) == (0, 1)
    with pytest.raises(UsageError):
        bench.extraction.estimate(bench.project, "rct", known, field_ids=["no_such_field"])
    engine.close()
    assert provider.calls == []
