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
VAS, visual analog scale pain
ADL, activities daily living
ADLs, activities daily living
6MWT, six-minute walk test distance
6MWD, six-minute walk distance
6-MWT, six-minute walk test distance
6MWT distance, six-minute walk test distance
MWD, walk distance
BUN, blood urea nitrogen
BW, body weight
CGI, clinical global impression
CK, creatine kinase
CPK, creatine kinase
DAS28, disease activity score 28
EF, ejection fraction
LVEF, left ventricular ejection fraction
ESR, erythrocyte sedimentation rate
FBG, fasting blood glucose
FBS, fasting blood sugar
FPG, fasting plasma glucose
GCS, glasgow coma scale
GFR, glomerular filtration rate
eGFR, estimated glomerular filtration rate
HAMD, hamilton depression rating scale
HAM-D, hamilton depression rating scale
HAM-A, hamilton anxiety rating scale
HADS, hospital anxiety depression scale
Hb, hemoglobin
Hgb, hemoglobin
Hct, hematocrit
HOMA-IR, homeostasis model assessment insulin resistance
IGF-I, insulin-like growth factor i
IGF-1, insulin-like growth factor i
IOP, intraocular pressure
LOS, length stay
LDH, lactate dehydrogenase
LA, lactate
MADRS, montgomery-asberg depression rating scale
MAP, mean arterial pressure
MLHFQ, minnesota living heart failure questionnaire
MoCA, montreal cognitive assessment
mRS, modified rankin scale
NRS, numeric rating scale
NIHSS, national institutes health stroke scale
ODI, oswestry disability index
ORR, objective overall response rate
OS, overall survival
PANSS, positive negative syndrome scale
PFS, progression-free survival
PHQ-9, patient health questionnaire depression
PSQI, pittsburgh sleep quality index
QALY, quality-adjusted life year
QALYs, quality-adjusted life years
ROM, range motion
SaO2, oxygen saturation
SpO2, oxygen saturation
SF-36, short form 36
STAI, state-trait anxiety inventory
TC, total cholesterol
TUG, timed up go
UPDRS, unified parkinson disease rating scale
VO2max, maximal oxygen uptake consumption
VO2peak, peak oxygen uptake consumption
VO2 peak, peak oxygen uptake consumption
WBC, white blood cell
WOMAC, western ontario mcmaster osteoarthritis index
YMRS, young mania rating scale
"""
# Interleukins are numbered, and the number belongs to the name.
_INTERLEUKINS: Final = 18

KNOWN_FORMS: Final = (
    *(tuple(line.split(", ", 1)) for line in _LISTED.strip().splitlines()),
    *((f"IL-{number}", f"interleukin {number}") for number in range(1, _INTERLEUKINS + 1)),
)
