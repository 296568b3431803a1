"""The API keeps to its own description, whatever is sent; the long form is `python -m tests.web.fuzz`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingather.extraction.template import builtin_templates
from ingather.web.schemas.projects import TemplateView
from tests.web.fuzz import Fuzz, fuzzed
from tests.web.site import Site


@pytest.fixture
def fuzz(url: str, tmp_path: Path) -> Iterator[Fuzz]:
    with fuzzed(url, tmp_path / "files") as fuzz:
        yield fuzz


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("is_signed_in", "examples"), [(True, 2), (False, 1)])
def test_every_answer_is_one_that_the_description_names(fuzz: Fuzz, is_signed_in: bool, examples: int) -> None:
    assert fuzz.run(1, examples=examples, is_signed_in=is_signed_in) > 40


def test_clients_can_be_generated_from_the_description(shared: Site) -> None:
    described = shared.app.openapi()
    operations = [operation for methods in described["paths"].values() for operation in methods.values()]
    ids = [operation["operationId"] for operation in operations]
    assert len(set(ids)) == len(ids)
    for operation in operations:
        done = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        assert done
        for answer in done:
            assert all(content["schema"] for content in answer.get("content", {}).values()), operation["operationId"]
        assert all(part in described["components"]["schemas"] for part in references(operation))
    assert "HTTPValidationError" not in str(described)
    assert {"Problem", "Template", "Task", "Result"} <= set(described["components"]["schemas"])


def test_templates_are_as_the_description_says() -> None:
    for template in builtin_templates():
        assert TemplateView.model_validate(template.to_dict()).model_dump(exclude_unset=True) == template.to_dict()


def references(described: Any) -> Iterator[str]:
    if isinstance(described, dict):
        if isinstance(described.get("$ref"), str):
            yield described["$ref"].rpartition("/")[2]
        for value in described.values():
            yield from references(value)
    elif isinstance(described, list):
        for value in described:
            yield from references(value)
