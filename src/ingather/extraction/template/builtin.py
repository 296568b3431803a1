"""The templates that come with the program, read from the files beside it."""

from functools import cache
from importlib.resources import files
from typing import Final

import yaml

from ingather.extraction.template.errors import TemplateError
from ingather.extraction.template.model import Template

BUILTIN_IDS: Final = ("rct", "cohort", "qc")
SAFE_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C, where it was built, is much faster


def builtin_templates() -> list[Template]:
    """All of them, in the order in which they are offered."""
    return [load_builtin_template(template_id) for template_id in BUILTIN_IDS]


@cache
def load_builtin_template(id: str) -> Template:
    """One of them. Raises TemplateError for an id that is none of theirs."""
    if id not in BUILTIN_IDS:
        raise TemplateError(f"There is no built-in template {id[:80]!r}; there are {', '.join(BUILTIN_IDS)}.")
    text = files("ingather.extraction").joinpath("templates", f"{id}.yaml").read_text(encoding="utf-8")
    return Template.from_dict(yaml.load(text, Loader=SAFE_LOADER) | {"builtin": True})  # noqa: S506  it is the safe one
