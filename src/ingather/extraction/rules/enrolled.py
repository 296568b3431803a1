"""How papers say how many people came into a trial, in words that do not say that they were randomised."""

from typing import Final

from ingather.extraction.rules.design import PEOPLE
from ingather.extraction.rules.hits import rx
from ingather.extraction.rules.printed_numbers import COUNT

WERE: Final = r"(?:were|was|have been|had been|underwent|agreed to|who were|have undergone)"
ADJECTIVES: Final = (
    r"(?:(?!(?:and|or|of|in|to|with|from|were|was|had|who|hospitals|cent(?:er|re)s|sites|months|weeks|years|days)\b"
    r"|\d[\d,]*\b)[\w'/-]+,? ){0,7}?"
)
GROUP: Final = rf"(?P<n>{COUNT}) (?:of the |of these )?{ADJECTIVES}{PEOPLE}\b"
_ENTERED: Final = (
    r"(?:enrolled|recruited|included|entered|accrued|registered|(?:assigned|allocated|divided"
    r"|distributed)(?= (?:in)?to))"
)
SORTED_ENDS: Final = ("assigned", "allocated", "divided", "distributed")
ENROLLED_PASSIVE: Final = rx(rf"\b{WERE} (?:\w+ly )?(?P<done>{_ENTERED})\b(?! in the (?:\w+ )?analys)")
_ENROLLED_ACTIVE: Final = rx(
    r"\b(?:we|trial|study|RCT)\b(?:[ ,]+(?!not|has)[\w/-]+){0,5}? (?:enroll?(?:ed|ing)|recruit(?:ed|ing)"
    r"|includ(?:ed|ing)"
    rf"|involv(?:ed|ing)|compris(?:ed|ing)|accrued|entered) (?:a total of )?{GROUP}"
)
_TOOK_PART: Final = rx(
    rf"^(?:[^;:]{{0,80}}?, )?(?:a total of )?{GROUP}[^.;]{{0,120}}? (?:participated|took part) in (?:this"
    rf"|the) (?:\w+,? )*?"
    r"(?:trial|study)\b"
)
# `Of 580 enrolled patients`, `Of the 4742 women enrolled`.
_OF_ENROLLED: Final = rx(
    rf"\b(?:of|among) (?:the |a total of )?(?P<n>{COUNT}) (?:(?:\w+ ){{0,2}}(?:enrolled"
    rf"|recruited) (?:\w+ ){{0,2}}{PEOPLE}"
    rf"|{ADJECTIVES}{PEOPLE} (?:who were )?(?:enrolled|recruited|entered))\b"
)
_ENROLLING: Final = rx(rf"\b(?:enroll?ing|recruiting) (?:a total of )?{GROUP}")
ENROLLED_IN_BRACKETS: Final = rx(
    rf"\b{PEOPLE}\b[^.;()]{{0,120}}?[(\[] ?n ?= ?(?P<n>{COUNT}) ?[)\]] {WERE} (?:\w+ly )?(?:enrolled|recruited"
    rf"|included)\b"
    r"(?! in the (?:\w+ )?analys)"
)
_TRIAL_IN: Final = rx(
    r"\b(?:randomi[sz]ed|randomi[sz]ation)\b(?:[ ,-]+[\w/-]+){0,6}? (?:trial|study)\b,? (?:comparing|of|for|evaluating"
    r"|testing|examining|to \w+)\b[^.;()]{2,140}? (?:in|among|for|with|on) (?:a total of )?"
    rf"{GROUP}"
)
# `928 patients received placebo (n = 465) or pegfilgrastim (n = 463)`: only where the arms add up to it.
# `Of the 885 patients, 442 were assigned to the one and 443 to the other`: only where the arms add up to it.
OF_SUM: Final = rx(
    rf"^(?:of|among) (?:the )?{GROUP},(?=[^.;]{{0,120}}?\b(?:assigned|allocated|received"
    rf"|randomi[sz]ed)\b)"
)
TREATED: Final = rx(
    rf"^(?:[^.;:\d]{{0,60}}[,:] )?(?:in total,? |overall,? "
    rf"|a total of )?{GROUP}(?=[ ,(][^.;]{{0,60}}?\b(?:were treated|received"
    r"|were given|were assigned|were allocated))"
)
_NO_VERB: Final = rx(
    rf"^(?:a total of )?{GROUP}(?= \(|,| with| (?:under|attend|receiv|present|admit|aged|schedul|diagnos|refer"
    rf"|suffer|between)|$)(?!.*\b(?:were|was|had|have|is|are|will|received|underwent|completed)\b)"
)

# Where the count stands in the pattern itself. The passive needs its subject looked for.
ENROLLED: Final = (_ENROLLED_ACTIVE, _TOOK_PART, _NO_VERB, _OF_ENROLLED, _TRIAL_IN, _ENROLLING)
