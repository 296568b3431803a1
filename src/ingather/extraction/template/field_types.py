"""What the program does with each type of field beyond reading its values, in one table. Pure.

A type without a line here fails a test; see "A field type" in docs/recipes.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ingather.extraction.template.model import FieldType


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTraits:
    """`width`: characters of its column in a workbook. `is_free_text`: a model words the value itself.

    Two parts of a paper may word a free text differently without
    contradicting each other, and a model may use it to explain why there is
    no value.
    """

    width: int = 14
    is_free_text: bool = False


TRAITS: Final[Mapping[FieldType, FieldTraits]] = {
    FieldType.TEXT: FieldTraits(width=30, is_free_text=True),
    FieldType.LONGTEXT: FieldTraits(width=60, is_free_text=True),
    FieldType.INT: FieldTraits(),
    FieldType.FLOAT: FieldTraits(),
    FieldType.PERCENT: FieldTraits(),
    FieldType.DATE: FieldTraits(),
    FieldType.QUANTITY: FieldTraits(width=16),
    FieldType.ID: FieldTraits(width=20),
    FieldType.ENUM: FieldTraits(width=18),
    FieldType.MULTI_ENUM: FieldTraits(width=24),
    FieldType.MULTI_TEXT: FieldTraits(width=30, is_free_text=True),
}
