"""Templates: what is asked of every document, how an answer becomes a value, and how a template is changed."""

from ingather.extraction.template.builtin import BUILTIN_IDS, builtin, load_builtin
from ingather.extraction.template.editing import (
    Difference,
    add_field,
    add_section,
    change_field,
    checks_of,
    clone,
    difference,
    fields_of_sections,
    remove_field,
    select,
    with_instructions,
)
from ingather.extraction.template.errors import TemplateError, ValueProblem
from ingather.extraction.template.model import (
    CheckRule,
    Field,
    FieldType,
    Label,
    Level,
    Option,
    Scope,
    Section,
    Template,
    Tier,
    Unit,
    UnitOf,
)
from ingather.extraction.template.question_fields import ARMS_FIELD, QUESTION_FIELDS, with_questions, without_questions
from ingather.extraction.template.reading import read_field
from ingather.extraction.template.review_questions import ReviewQuestions
from ingather.extraction.template.values import coerce

__all__ = [
    "ARMS_FIELD",
    "BUILTIN_IDS",
    "QUESTION_FIELDS",
    "CheckRule",
    "Difference",
    "Field",
    "FieldType",
    "Label",
    "Level",
    "Option",
    "ReviewQuestions",
    "Scope",
    "Section",
    "Template",
    "TemplateError",
    "Tier",
    "Unit",
    "UnitOf",
    "ValueProblem",
    "add_field",
    "add_section",
    "builtin",
    "change_field",
    "checks_of",
    "clone",
    "coerce",
    "difference",
    "fields_of_sections",
    "load_builtin",
    "read_field",
    "remove_field",
    "select",
    "with_instructions",
    "with_questions",
    "without_questions",
]
