"""Templates: what is asked of every document, how an answer becomes a value, and how a template is changed."""

from ingather.extraction.template.builtin import BUILTIN_IDS, builtin_templates, load_builtin_template
from ingather.extraction.template.editing import (
    Difference,
    add_field,
    add_section,
    change_field,
    checks_of_template_edited,
    cloned_template,
    difference_of_templates,
    fields_of_sections,
    remove_field,
    template_with_fields_selected,
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
from ingather.extraction.template.question_fields import (
    ARMS_FIELD,
    QUESTION_FIELDS,
    template_with_question_fields,
    template_without_question_fields,
)
from ingather.extraction.template.reading import read_field
from ingather.extraction.template.review_questions import ReviewQuestions
from ingather.extraction.template.values import coerce_value

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
    "builtin_templates",
    "change_field",
    "checks_of_template_edited",
    "cloned_template",
    "coerce_value",
    "difference_of_templates",
    "fields_of_sections",
    "load_builtin_template",
    "read_field",
    "remove_field",
    "template_with_fields_selected",
    "template_with_question_fields",
    "template_without_question_fields",
    "with_instructions",
]
