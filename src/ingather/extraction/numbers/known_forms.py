"""Short forms that papers of medicine use without explaining them, with what they stand for. Pure."""

from typing import Final

# Only forms that stand for one thing in every field; `MI`, `BP` or `TG` do not. A paper's own explanation comes first.
_LISTED: Final = """
AE, adverse event
AEs, adverse events
SAE, serious adverse event
SAEs, serious adverse events
ALT, alanine aminotransferase
AST, aspartate aminotransferase
BDI, beck depression inventory
BMI, body mass index
COPD, chronic obstructive pulmonary disease
CRP, c-reactive protein
hsCRP, high-sensitivity c-reactive protein
DBP, diastolic blood pressure
SBP, systolic blood pressure
DVT, deep vein thrombosis
VTE, venous thromboembolism
FEV1, forced expiratory volume 1
FVC, forced vital capacity
HbA1c, glycated hemoglobin
HDL, high-density lipoprotein
LDL, low-density lipoprotein
HRQoL, health-related quality life
QoL, quality life
ICU, intensive care unit
IFN, interferon
MMSE, mini-mental state examination
PONV, postoperative nausea vomiting
TNF, tumor necrosis factor
TSH, thyroid stimulating hormone
UTI, urinary tract infection
VAS, visual analog scale
"""
# Interleukins are numbered, and the number belongs to the name.
_INTERLEUKINS: Final = 18

KNOWN_FORMS: Final = (
    *(tuple(line.split(", ", 1)) for line in _LISTED.strip().splitlines()),
    *((f"IL-{number}", f"interleukin {number}") for number in range(1, _INTERLEUKINS + 1)),
)
